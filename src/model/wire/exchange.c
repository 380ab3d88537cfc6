/* SPDX-License-Identifier: MIT
 *
 * The life of a request: key -> attempt -> (wait -> attempt)* -> end.
 *
 * An exchange owns everything of its request and lives until its timer has closed. After finish() the model is not
 * used, since its owner may have freed it.
 */
#include "model/wire/exchange.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "util/alloc.h"

/* ---- the end ---- */

static void free_exchange(struct skill__exchange *x) {
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

static void estimate(struct skill__exchange *x) {
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

static void finish(struct skill__exchange *x, int status, const struct skill__http_response *response) {
  SkillReply reply;
  SkillCall calls[SKILL_MAX_CALLS];
  char message[sizeof x->error.message];
  /* Servers that do not count may report 0 for both. */
  bool counted = x->answer.has_usage && x->answer.usage.input_tokens + x->answer.usage.output_tokens > 0;
  if (!status && !counted) estimate(x);
  int broken = skill__answer_reply(&x->answer, calls, &reply);
  if (!status) status = broken;
  reply.attempts = x->tries;
  reply.request_id = response && response->request_id[0] ? response->request_id : NULL;
  if (status && !broken) { /* calls of an interrupted answer may be incomplete */
    reply.message.calls = NULL;
    reply.message.call_count = 0;
  }
  bool some = !broken && (!status || reply.message.text_length > 0);
  snprintf(message, sizeof message, "%s", x->error.message);
  skill__key_scrub(x->key, message);
  SkillModelCall *call = x->call;
  uv_timer_stop(&x->timer);
  skill_model_call_finish(call, status, status ? message : NULL, some ? &reply : NULL);
  uv_close((uv_handle_t *)&x->timer, on_timer_closed);
}

/* ---- trying ---- */

static int try_now(struct skill__exchange *x);

static void on_wait_over(uv_timer_t *timer) {
  struct skill__exchange *x = timer->data;
  int status = try_now(x);
  if (status) finish(x, status, NULL);
}

static bool transient(int code, const struct skill__http_response *response) {
  if (response->should_retry >= 0 && response->status >= 400) return response->should_retry == 1;
  return code == SKILL_EREMOTE || code == SKILL_EIO || code == SKILL_ETIMEDOUT;
}

/* Milliseconds to wait before the next attempt; -1: the server demands more than the limit. */
static int64_t wait_of(const struct skill__exchange *x, const struct skill__http_response *response) {
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

static void restart_delta(struct skill__exchange *x) {
  char why[sizeof x->error.message];
  snprintf(why, sizeof why, "%s", x->error.message);
  skill__key_scrub(x->key, why);
  SkillDelta delta = {.kind = SKILL_DELTA_RESTART, .text = why, .length = strlen(why)};
  if (x->answer.shown) skill_model_call_delta(x->call, &delta);
}

static void forget_try(struct skill__exchange *x) {
  skill__answer_clear(&x->answer);
  skill__buf_clear(&x->document);
  skill__sse_fini(&x->sse);
  skill__sse_init(&x->sse, skill__exchange_event, x);
  skill_error_clear(&x->error);
  x->received = 0;
}

/* After a 401 a key that a command printed may have expired: the command is run again, once. */
static bool refresh_key(struct skill__exchange *x, int code, const struct skill__http_response *response) {
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
  struct skill__exchange *x = user;
  x->http = NULL;
  int code = skill__exchange_judge(x, response);
  if (!code || x->canceled || code == SKILL_ECANCELED) {
    finish(x, code, response);
    return;
  }
  if (refresh_key(x, code, response)) {
    int status = try_now(x);
    if (status) finish(x, status, response);
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

/* Whether the user's headers include this one. */
static bool overridden(const struct skill__remote *remote, const char *header) {
  size_t length = strcspn(header, ":") + 1;
  for (size_t i = 0; i < remote->headers.count; i++) {
    if (strncasecmp(remote->headers.items[i], header, length) == 0) return true;
  }
  return false;
}

static int make_headers(struct skill__exchange *x) {
  const struct skill__remote *remote = x->remote;
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

static int post(struct skill__exchange *x) {
  static const struct skill__http_handler handler = {skill__exchange_data, on_done};
  const SkillProviderOptions *limits = &x->remote->limits;
  int status = make_headers(x);
  if (status) return status;
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
  struct skill__exchange *x = user;
  x->key_request = NULL;
  if (status) skill_error_set(&x->error, status, "%s", message);
  if (!status && x->canceled) status = skill_error_set(&x->error, SKILL_ECANCELED, "canceled");
  if (!status && !(x->key = skill__strdup(key))) status = SKILL_ENOMEM;
  if (!status) status = post(x);
  if (status) finish(x, status, NULL);
}

/* Starts an attempt. If it returns an error, the caller must end the request. */
static int try_now(struct skill__exchange *x) {
  if (x->key) return post(x);
  int status = skill__key_get(&x->remote->key, x->loop, &x->key, on_key, x, &x->key_request, &x->error);
  if (status < 0) return status;
  return status == SKILL__KEY_LATER ? 0 : post(x);
}

/* ---- the beginning ---- */

static struct skill__exchange *exchange_new(struct skill__remote *remote, SkillModelCall *call) {
  struct skill__exchange *x = skill__calloc(1, sizeof *x);
  if (!x) return NULL;
  x->remote = remote;
  x->call = call;
  x->loop = skill_loop_uv(skill_model_call_loop(call));
  skill__buf_init(&x->body, SKILL__BODY_MAX);
  skill__buf_init(&x->document, SKILL_MAX_REPLY);
  skill__sse_init(&x->sse, skill__exchange_event, x);
  skill__answer_init(&x->answer, call, remote->limits.io, &x->wire);
  return x;
}

int skill__exchange_request(SkillModel *model, const SkillModelRequest *what, SkillModelCall *call, SkillError *err) {
  struct skill__remote *remote = (struct skill__remote *)(void *)model;
  struct skill__exchange *x = exchange_new(remote, call);
  if (!x) return SKILL_ENOMEM;
  int status = skill__wire_remember(&x->wire, what);
  if (!status) status = remote->protocol->body(&remote->config, what, &x->body, err);
  if (!status) status = skill__buf_status(&x->body);
  if (status) {
    free_exchange(x);
    return status;
  }
  uv_timer_init(x->loop, &x->timer);
  x->timer.data = x;
  skill_model_call_set_impl(call, x);
  status = try_now(x);
  if (!status) return 0;
  if (x->error.code) skill_error_set(err, status, "%s", x->error.message);
  uv_close((uv_handle_t *)&x->timer, on_timer_closed);
  return status;
}

void skill__exchange_cancel(SkillModel *model, SkillModelCall *call) {
  (void)model;
  struct skill__exchange *x = skill_model_call_impl(call);
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
