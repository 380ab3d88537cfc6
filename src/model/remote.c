/* SPDX-License-Identifier: MIT
 *
 * A model over HTTP: one request's life. Key -> try -> (wait -> try)* -> end.
 *
 * Everything of a request hangs on its exchange, which lives until its timer has closed; the model is not touched after
 * the finish, since its owner may free it then.
 */
#include "model/remote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "model/http.h"
#include "model/key.h"
#include "model/sse.h"
#include "process/environ.h"
#include "util/alloc.h"
#include "util/json.h"

struct remote {
  SkillModel model; /* first: cast back */
  const struct skill__protocol *protocol;
  struct skill__remote_config config;
  struct skill__http_client *client;
  struct skill__key key;
  struct skill__argv headers;
  char *label;
  char *proxy;
  SkillProviderOptions limits; /* numbers and io only */
};

struct exchange {
  struct remote *remote;
  SkillModelCall *call;
  uv_loop_t *loop;
  uv_timer_t timer;
  struct skill__http *http;
  struct skill__key_request *key_request;
  char *key;
  struct skill__argv headers;
  struct skill__buf body;
  struct skill__buf document; /* a whole answer, or what an error says */
  size_t received;
  struct skill__sse sse;
  struct skill__wire wire;
  struct skill__answer answer;
  SkillError error;
  unsigned tries;
  bool refreshed; /* the key was asked for again */
  bool canceled;
};

/* ---- the end ---- */

static void free_exchange(struct exchange *x) {
  skill__key_forget(x->key);
  skill__argv_fini(&x->headers);
  skill__buf_fini(&x->body);
  skill__buf_fini(&x->document);
  skill__sse_fini(&x->sse);
  skill__answer_fini(&x->answer);
  skill__wire_fini(&x->wire);
  skill__free(x);
}

static void on_timer_closed(uv_handle_t *handle) {
  free_exchange(handle->data);
}

static void estimate(struct exchange *x) {
  SkillUsage *usage = &x->answer.usage;
  SkillTokenizer *tokenizer = x->remote->model.tokenizer;
  usage->estimated = true;
  usage->input_tokens = skill_tokens_count(tokenizer, x->body.data, x->body.length);
  usage->output_tokens =
      skill_tokens_count(tokenizer, x->answer.text.data ? x->answer.text.data : "", x->answer.text.length);
  for (size_t i = 0; i < x->answer.call_count; i++) {
    const struct skill__buf *arguments = &x->answer.calls[i].arguments;
    if (arguments->length) usage->output_tokens += skill_tokens_count(tokenizer, arguments->data, arguments->length);
  }
}

/* The key may have been echoed by the server or stand in a URL. */
static void scrub(const char *key, char *message) {
  size_t length = key ? strlen(key) : 0;
  if (length < 4) return;
  for (char *at = message; (at = strstr(at, key)) != NULL; at += 3) {
    memmove(at + 3, at + length, strlen(at + length) + 1);
    at[0] = at[1] = at[2] = '*';
  }
}

static void finish(struct exchange *x, int status, const struct skill__http_response *response) {
  SkillReply reply;
  SkillCall calls[SKILL_MAX_CALLS];
  char message[sizeof x->error.message];
  /* Some servers say 0 of both where they do not count. */
  bool counted = x->answer.has_usage && x->answer.usage.input_tokens + x->answer.usage.output_tokens > 0;
  if (!status && !counted) estimate(x);
  int rc = skill__answer_reply(&x->answer, calls, &reply);
  if (rc && !status) status = rc;
  reply.attempts = x->tries;
  reply.request_id = response && response->request_id[0] ? response->request_id : NULL;
  if (status && !rc) { /* calls of a broken answer may lack their end */
    reply.message.calls = NULL;
    reply.message.call_count = 0;
  }
  bool some = !rc && (!status || reply.message.text_length > 0);
  snprintf(message, sizeof message, "%s", x->error.message);
  scrub(x->key, message);
  SkillModelCall *call = x->call;
  uv_timer_stop(&x->timer);
  skill_model_call_finish(call, status, status ? message : NULL, some ? &reply : NULL);
  uv_close((uv_handle_t *)&x->timer, on_timer_closed);
}

/* ---- reading ---- */

size_t skill__remote_count(const cJSON *object, const char *key) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
  return cJSON_IsNumber(item) && item->valuedouble > 0 && item->valuedouble < 1e15 ? (size_t)item->valuedouble : 0;
}

size_t skill__remote_place(const cJSON *object, const char *key, size_t otherwise) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
  return cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble < 1e15 ? (size_t)item->valuedouble
                                                                                    : otherwise;
}

static bool mentions(const char *text, const char *const *words) {
  for (; text && *words; words++) {
    if (strstr(text, *words)) return true;
  }
  return false;
}

int skill__remote_error(const cJSON *data, SkillError *err) {
  static const char *const too_long[] = {"context_length",
                                         "maximum context",
                                         "prompt is too long",
                                         "context window",
                                         "exceeds the limit",
                                         "request_too_large",
                                         NULL};
  static const char *const denied[] = {"authentication_error", "invalid_api_key", "permission_error", NULL};
  static const char *const wrong[] = {"invalid_request_error", "BadRequestError", NULL};
  const cJSON *error = cJSON_GetObjectItemCaseSensitive(data, "error");
  if (!error || cJSON_IsNull(error)) return 0;
  const char *message = cJSON_IsString(error) ? error->valuestring : skill__json_string(error, "message");
  const char *type = skill__json_string(error, "type");
  const char *code = skill__json_string(error, "code");
  int status = SKILL_EREMOTE;
  if (mentions(message, too_long) || mentions(code, too_long) || mentions(type, too_long)) {
    status = SKILL_ELIMIT;
  } else if (mentions(type, denied) || mentions(code, denied)) {
    status = SKILL_EDENIED;
  } else if (mentions(type, wrong)) {
    status = SKILL_EINVAL;
  }
  const char *kind = type ? type : code;
  return skill_error_set(err, status, "%s%s%.400s", kind ? kind : "", kind ? ": " : "",
                         message ? message : "no reason given");
}

static int on_event(const char *event, const char *data, size_t length, void *user) {
  struct exchange *x = user;
  if (strcmp(data, "[DONE]") == 0) {
    x->answer.complete = true;
    return 0;
  }
  cJSON *value = NULL;
  int rc = skill__json_parse(data, length, NULL, &value, NULL);
  if (rc == SKILL_ENOMEM) return skill_error_set(&x->error, rc, "out of memory for an event of the stream");
  if (rc) return skill_error_set(&x->error, SKILL_EREMOTE, "the stream holds an event that is no JSON: %.60s", data);
  rc = x->remote->protocol->event(&x->answer, event, value, &x->error);
  cJSON_Delete(value);
  return rc;
}

static bool good(long status) {
  return status >= 200 && status < 300;
}

static int on_data(const struct skill__http_response *response, const char *data, size_t length, void *user) {
  struct exchange *x = user;
  x->received += length;
  if (x->received > SKILL_MAX_REPLY) {
    return skill_error_set(&x->error, SKILL_ELIMIT, "the answer is longer than %d bytes", SKILL_MAX_REPLY);
  }
  if (good(response->status) && !response->json) return skill__sse_feed(&x->sse, data, length);
  skill__buf_add(&x->document, data, length);
  return skill__buf_status(&x->document);
}

static int read_document(struct exchange *x) {
  const char *text = x->document.length ? x->document.data : "";
  cJSON *value = NULL;
  int rc = skill__json_parse(text, x->document.length, NULL, &value, NULL);
  if (rc == SKILL_ENOMEM) return skill_error_set(&x->error, rc, "out of memory for the answer");
  if (rc) return skill_error_set(&x->error, SKILL_EREMOTE, "the answer is no JSON: %.60s", text);
  rc = x->remote->protocol->document(&x->answer, value, &x->error);
  cJSON_Delete(value);
  return rc;
}

/* What an answer with another status says. */
static int read_refusal(struct exchange *x, long status) {
  SkillError said = SKILL_ERROR_INIT;
  const char *text = x->document.length ? x->document.data : "";
  cJSON *value = NULL;
  (void)skill__json_parse(text, x->document.length, NULL, &value, NULL); /* no reason given, or none to be had */
  /* Some servers answer with a list of one such object. */
  int code = value ? skill__remote_error(cJSON_IsArray(value) ? value->child : value, &said) : 0;
  cJSON_Delete(value);
  bool told = said.message[0] != '\0';
  if (code != SKILL_ELIMIT) {
    code = status == 401 || status == 403                                                      ? SKILL_EDENIED
           : status == 404                                                                     ? SKILL_ENOENT
           : status == 413                                                                     ? SKILL_ELIMIT
           : status == 408 || status == 409 || status == 425 || status == 429 || status >= 500 ? SKILL_EREMOTE
                                                                                               : SKILL_EINVAL;
  }
  return skill_error_set(&x->error, code, "HTTP %ld%s%.450s", status, told ? ": " : "", said.message);
}

/* Reads what has come; 0: the answer is there. */
static int judge(struct exchange *x, const struct skill__http_response *response) {
  if (response->error == SKILL_ECANCELED || x->canceled) return skill_error_set(&x->error, SKILL_ECANCELED, "canceled");
  if (response->status && !good(response->status)) return read_refusal(x, response->status);
  if (response->error && !x->answer.complete) {
    return skill_error_set(&x->error, response->error, "%s",
                           response->message[0] ? response->message : skill_strerror(response->error));
  }
  if (response->json) return read_document(x);
  int rc = response->error ? 0 : skill__sse_end(&x->sse);
  if (rc) return rc;
  return x->answer.complete ? 0 : skill_error_set(&x->error, SKILL_EREMOTE, "the stream broke off before its end");
}

/* ---- trying ---- */

static int try_now(struct exchange *x);

static void on_wait_over(uv_timer_t *timer) {
  struct exchange *x = timer->data;
  int rc = try_now(x);
  if (rc) finish(x, rc, NULL);
}

static bool transient(int code, const struct skill__http_response *response) {
  if (response->should_retry >= 0 && response->status >= 400) return response->should_retry == 1;
  return code == SKILL_EREMOTE || code == SKILL_EIO || code == SKILL_ETIMEDOUT;
}

/* Milliseconds to wait before the next try; -1: the server asks for more than is allowed. */
static int64_t wait_of(const struct exchange *x, const struct skill__http_response *response) {
  const SkillProviderOptions *limits = &x->remote->limits;
  if (response->retry_after_ms > limits->backoff_max_ms) return -1;
  if (response->retry_after_ms >= 0) return response->retry_after_ms;
  int64_t wait = limits->backoff_ms;
  for (unsigned i = 1; i < x->tries && wait < limits->backoff_max_ms; i++) wait *= 2;
  if (wait > limits->backoff_max_ms) wait = limits->backoff_max_ms;
  uint16_t chance = 0;
  if (limits->io->random(limits->io, &chance, sizeof chance) != 0) chance = 0xffff;
  return wait / 2 + wait * (int64_t)chance / (2 * 0xffff);
}

static void restart_delta(struct exchange *x) {
  char why[sizeof x->error.message];
  snprintf(why, sizeof why, "%s", x->error.message);
  scrub(x->key, why);
  SkillDelta delta = {.kind = SKILL_DELTA_RESTART, .text = why, .length = strlen(why)};
  if (x->answer.shown) skill_model_call_delta(x->call, &delta);
}

static void forget_try(struct exchange *x) {
  skill__answer_clear(&x->answer);
  skill__buf_clear(&x->document);
  skill__sse_fini(&x->sse);
  skill__sse_init(&x->sse, on_event, x);
  skill_error_clear(&x->error);
  x->received = 0;
}

/* 401 with a key from a command: it may have expired. */
static bool refresh_key(struct exchange *x, int code, const struct skill__http_response *response) {
  if (code != SKILL_EDENIED || response->status != 401 || x->refreshed || !skill__key_renew(&x->remote->key, x->key)) {
    return false;
  }
  x->refreshed = true;
  skill__key_forget(x->key);
  x->key = NULL;
  forget_try(x);
  return true;
}

static void on_done(const struct skill__http_response *response, void *user) {
  struct exchange *x = user;
  x->http = NULL;
  int code = judge(x, response);
  if (!code || x->canceled || code == SKILL_ECANCELED) {
    finish(x, code, response);
    return;
  }
  if (refresh_key(x, code, response)) {
    int rc = try_now(x);
    if (rc) finish(x, rc, response);
    return;
  }
  int64_t wait = transient(code, response) && x->tries < x->remote->limits.tries ? wait_of(x, response) : -1;
  if (wait < 0) {
    finish(x, code, response);
    return;
  }
  restart_delta(x);
  forget_try(x);
  uv_update_time(x->loop);
  uv_timer_start(&x->timer, on_wait_over, (uint64_t)wait, 0);
}

/* The user's own header of the same name replaces ours. */
static bool overridden(const struct remote *remote, const char *header) {
  size_t length = strcspn(header, ":") + 1;
  for (size_t i = 0; i < remote->headers.count; i++) {
    if (strncasecmp(remote->headers.items[i], header, length) == 0) return true;
  }
  return false;
}

static int make_headers(struct exchange *x) {
  const struct remote *remote = x->remote;
  skill__argv_fini(&x->headers);
  skill__argv_add(&x->headers, "Content-Type: application/json");
  skill__argv_add(&x->headers, "Accept: application/json, text/event-stream");
  for (const char *const *h = remote->protocol->headers; h && *h; h++) {
    if (!overridden(remote, *h)) skill__argv_add(&x->headers, *h);
  }
  if (x->key && !overridden(remote, remote->protocol->key_header)) {
    skill__argv_joined(&x->headers, remote->protocol->key_header, x->key);
  }
  for (size_t i = 0; i < remote->headers.count; i++) skill__argv_add(&x->headers, remote->headers.items[i]);
  return x->headers.status;
}

static int post(struct exchange *x) {
  static const struct skill__http_handler handler = {on_data, on_done};
  const SkillProviderOptions *limits = &x->remote->limits;
  int rc = make_headers(x);
  if (rc) return rc;
  struct skill__http_post what = {
      .url = x->remote->config.url,
      .headers = (const char *const *)x->headers.items,
      .body = x->body.data,
      .length = x->body.length,
      .proxy = x->remote->proxy,
      .connect_timeout_ms = limits->connect_timeout_ms,
      .idle_timeout_ms = limits->idle_timeout_ms,
      .timeout_ms = limits->timeout_ms,
  };
  x->tries++;
  return skill__http_start(x->remote->client, x->loop, &what, &handler, x, &x->http, &x->error);
}

static void on_key(int status, const char *key, const char *message, void *user) {
  struct exchange *x = user;
  x->key_request = NULL;
  int rc = status;
  if (rc) skill_error_set(&x->error, rc, "%s", message);
  if (!rc && x->canceled) rc = skill_error_set(&x->error, SKILL_ECANCELED, "canceled");
  if (!rc && !(x->key = skill__strdup(key))) rc = SKILL_ENOMEM;
  if (!rc) rc = post(x);
  if (rc) finish(x, rc, NULL);
}

/* A failure that is returned is to be finished by the caller. */
static int try_now(struct exchange *x) {
  if (x->key) return post(x);
  int rc = skill__key_get(&x->remote->key, x->loop, &x->key, on_key, x, &x->key_request, &x->error);
  if (rc < 0) return rc;
  return rc == SKILL__KEY_LATER ? 0 : post(x);
}

/* ---- the model ---- */

static struct exchange *exchange_new(struct remote *remote, SkillModelCall *call) {
  struct exchange *x = skill__calloc(1, sizeof *x);
  if (!x) return NULL;
  x->remote = remote;
  x->call = call;
  x->loop = skill_loop_uv(skill_model_call_loop(call));
  skill__buf_init(&x->body, SKILL__BODY_MAX);
  skill__buf_init(&x->document, SKILL_MAX_REPLY);
  skill__sse_init(&x->sse, on_event, x);
  skill__answer_init(&x->answer, call, remote->limits.io, &x->wire);
  return x;
}

static int request(SkillModel *model, const SkillModelRequest *what, SkillModelCall *call, SkillError *err) {
  struct remote *remote = (struct remote *)(void *)model;
  struct exchange *x = exchange_new(remote, call);
  if (!x) return SKILL_ENOMEM;
  int rc = skill__wire_remember(&x->wire, what);
  if (!rc) rc = remote->protocol->body(&remote->config, what, &x->body, err);
  if (!rc) rc = skill__buf_status(&x->body);
  if (rc) {
    free_exchange(x);
    return rc;
  }
  uv_timer_init(x->loop, &x->timer);
  x->timer.data = x;
  skill_model_call_set_impl(call, x);
  rc = try_now(x);
  if (!rc) return 0;
  if (x->error.code) skill_error_set(err, rc, "%s", x->error.message);
  uv_close((uv_handle_t *)&x->timer, on_timer_closed);
  return rc;
}

static void cancel(SkillModel *model, SkillModelCall *call) {
  (void)model;
  struct exchange *x = skill_model_call_impl(call);
  if (!x || x->canceled) return;
  x->canceled = true;
  if (x->http) {
    skill__http_cancel(x->http);
  } else if (x->key_request) {
    skill__key_cancel(x->key_request);
  } else {
    skill_error_set(&x->error, SKILL_ECANCELED, "canceled");
    finish(x, SKILL_ECANCELED, NULL);
  }
}

static void free_model(SkillModel *model) {
  struct remote *remote = (struct remote *)(void *)model;
  skill__http_client_free(remote->client);
  skill__key_fini(&remote->key);
  skill__argv_fini(&remote->headers);
  skill__free(remote->config.model);
  skill__free(remote->config.url);
  skill__free(remote->config.extra);
  skill__free(remote->label);
  skill__free(remote->proxy);
  skill__free(remote);
}

static char *joined(const char *a, const char *b, const char *c) {
  size_t length = strlen(a) + strlen(b) + strlen(c) + 1;
  char *text = skill__malloc(length);
  if (text) snprintf(text, length, "%s%s%s", a, b, c);
  return text;
}

static char *url_of(const char *base, const char *path) {
  size_t length = strlen(base);
  while (length && base[length - 1] == '/') length--;
  char *trimmed = skill__strndup(base, length);
  char *url = trimmed ? joined(trimmed, path, "") : NULL;
  skill__free(trimmed);
  return url;
}

static int check(const struct skill__protocol *protocol, const SkillProviderOptions *options, SkillError *err) {
  if (!options || options->size != sizeof *options || !options->model || !*options->model) {
    return skill_error_set(err, SKILL_EINVAL, "%s: a model's name is needed; start from skill_provider_options_default",
                           protocol->name);
  }
  if (options->extra && !skill__body_json(options->extra, strlen(options->extra), true)) {
    return skill_error_set(err, SKILL_EINVAL, "%s: extra is no JSON object", protocol->name);
  }
  for (const char *const *h = options->headers; h && *h; h++) {
    if (!strchr(*h, ':') || strpbrk(*h, "\r\n")) {
      return skill_error_set(err, SKILL_EINVAL, "%s: a header must be one line \"Name: value\"", protocol->name);
    }
  }
  return 0;
}

static void set_numbers(SkillProviderOptions *to, const SkillProviderOptions *from) {
  SkillProviderOptions defaults;
  skill_provider_options_default(&defaults);
  to->connect_timeout_ms = from->connect_timeout_ms > 0 ? from->connect_timeout_ms : defaults.connect_timeout_ms;
  to->idle_timeout_ms = from->idle_timeout_ms > 0 ? from->idle_timeout_ms : defaults.idle_timeout_ms;
  to->timeout_ms = from->timeout_ms > 0 ? from->timeout_ms : defaults.timeout_ms;
  to->tries = from->tries ? from->tries : defaults.tries;
  to->backoff_ms = from->backoff_ms > 0 ? from->backoff_ms : defaults.backoff_ms;
  to->backoff_max_ms = from->backoff_max_ms > 0 ? from->backoff_max_ms : defaults.backoff_max_ms;
  to->io = from->io ? from->io : skill_io_posix();
}

void skill_provider_options_default(SkillProviderOptions *options) {
  memset(options, 0, sizeof *options);
  options->size = sizeof *options;
  options->connect_timeout_ms = 10000;
  options->idle_timeout_ms = 120000;
  options->timeout_ms = 600000;
  options->tries = 5;
  options->backoff_ms = 500;
  options->backoff_max_ms = 60000;
}

static int fill(struct remote *remote, const char *label, const char *base, const char *env,
                const SkillProviderOptions *options) {
  const struct skill__protocol *protocol = remote->protocol;
  struct skill__remote_config *config = &remote->config;
  const char *own = base ? base : protocol->base_url;
  config->own_service = !base && !options->base_url;
  config->model = skill__strdup(options->model);
  config->url = url_of(options->base_url ? options->base_url : own, protocol->path);
  config->extra = skill__strdup(options->extra);
  config->max_output = options->max_output;
  config->tool_search = options->tool_search && (protocol->flags & SKILL_MODEL_TOOL_SEARCH);
  remote->label = joined(label, ":", options->model);
  remote->proxy = skill__strdup(options->proxy);
  remote->client = skill__http_client_new();
  skill__argv_all(&remote->headers, options->headers);
  set_numbers(&remote->limits, options);
  int rc = skill__key_init(&remote->key, options->key, options->key_env ? options->key_env : env, options->key_command);
  bool all = config->model && config->url && (config->extra || !options->extra) && remote->label &&
             (remote->proxy || !options->proxy) && remote->client && !remote->headers.status;
  return rc ? rc : all ? 0 : SKILL_ENOMEM;
}

int skill__remote_new(const struct skill__protocol *protocol, const char *label, const char *default_url,
                      const char *default_env, const SkillProviderOptions *options, SkillModel **out, SkillError *err) {
  int rc = check(protocol, options, err);
  if (rc) return rc;
  struct remote *remote = skill__calloc(1, sizeof *remote);
  if (!remote) return SKILL_ENOMEM;
  remote->protocol = protocol;
  rc = fill(remote, label, default_url, default_env ? default_env : protocol->key_env, options);
  if (rc) {
    free_model(&remote->model);
    return rc;
  }
  remote->model.version = SKILL_MODEL_VERSION;
  remote->model.name = remote->label;
  remote->model.flags = protocol->flags & ~(remote->config.tool_search ? 0u : (unsigned)SKILL_MODEL_TOOL_SEARCH);
  remote->model.window = options->window;
  remote->model.max_output = options->max_output;
  remote->model.tokenizer = options->tokenizer;
  remote->model.request = request;
  remote->model.cancel = cancel;
  remote->model.free = free_model;
  *out = &remote->model;
  return 0;
}
