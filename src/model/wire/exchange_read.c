/* SPDX-License-Identifier: MIT
 *
 * Reading the response of an attempt: events, complete answers, and error messages of providers.
 */
#include <string.h>

#include "model/wire/exchange.h"
#include "util/json.h"

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

int skill__exchange_event(const char *event, const char *data, size_t length, void *user) {
  struct skill__exchange *x = user;
  if (strcmp(data, "[DONE]") == 0) {
    x->answer.complete = true;
    return 0;
  }
  cJSON *value = NULL;
  int status = skill__json_parse(data, length, NULL, &value, NULL);
  if (status == SKILL_ENOMEM) return skill_error_set(&x->error, status, "out of memory for an event of the stream");
  if (status) return skill_error_set(&x->error, SKILL_EREMOTE, "an event of the stream is not JSON: %.60s", data);
  status = x->remote->protocol->event(&x->answer, event, value, &x->error);
  cJSON_Delete(value);
  return status;
}

static bool good(long status) {
  return status >= 200 && status < 300;
}

int skill__exchange_data(const struct skill__http_response *response, const char *data, size_t length, void *user) {
  struct skill__exchange *x = user;
  x->received += length;
  if (x->received > SKILL_MAX_REPLY) {
    return skill_error_set(&x->error, SKILL_ELIMIT, "the answer is longer than %d bytes", SKILL_MAX_REPLY);
  }
  if (good(response->status) && !response->json) return skill__sse_feed(&x->sse, data, length);
  skill__buf_add(&x->document, data, length);
  return skill__buf_status(&x->document);
}

static int read_document(struct skill__exchange *x) {
  const char *text = x->document.length ? x->document.data : "";
  cJSON *value = NULL;
  int status = skill__json_parse(text, x->document.length, NULL, &value, NULL);
  if (status == SKILL_ENOMEM) return skill_error_set(&x->error, status, "out of memory for the answer");
  if (status) return skill_error_set(&x->error, SKILL_EREMOTE, "the answer is not JSON: %.60s", text);
  status = x->remote->protocol->document(&x->answer, value, &x->error);
  cJSON_Delete(value);
  return status;
}

static int status_of(long http) {
  switch (http) {
    case 401:
    case 403:
      return SKILL_EDENIED;
    case 404:
      return SKILL_ENOENT;
    case 413:
      return SKILL_ELIMIT;
    case 408:
    case 409:
    case 425:
    case 429:
      return SKILL_EREMOTE;
    default:
      return http >= 500 ? SKILL_EREMOTE : SKILL_EINVAL;
  }
}

/* Reads the body of a response that is not 2xx. */
static int read_refusal(struct skill__exchange *x, long http) {
  SkillError said = SKILL_ERROR_INIT;
  const char *text = x->document.length ? x->document.data : "";
  cJSON *value = NULL;
  (void)skill__json_parse(text, x->document.length, NULL, &value, NULL); /* it need not be JSON */
  /* Some servers send an array with one such object. */
  int status = value ? skill__remote_error(cJSON_IsArray(value) ? value->child : value, &said) : 0;
  cJSON_Delete(value);
  if (status != SKILL_ELIMIT) status = status_of(http);
  return skill_error_set(&x->error, status, "HTTP %ld%s%.450s", http, said.message[0] ? ": " : "", said.message);
}

int skill__exchange_judge(struct skill__exchange *x, const struct skill__http_response *response) {
  if (response->error == SKILL_ECANCELED || x->canceled) return skill_error_set(&x->error, SKILL_ECANCELED, "canceled");
  if (response->status && !good(response->status)) return read_refusal(x, response->status);
  if (response->error && !x->answer.complete) {
    return skill_error_set(&x->error, response->error, "%s",
                           response->message[0] ? response->message : skill_strerror(response->error));
  }
  if (response->json) return read_document(x);
  int status = response->error ? 0 : skill__sse_end(&x->sse);
  if (status) return status;
  return x->answer.complete ? 0 : skill_error_set(&x->error, SKILL_EREMOTE, "the stream broke off before its end");
}
