/* SPDX-License-Identifier: MIT
 *
 * Replaying a recording (format: record.c). Each request must equal the recorded one, since a different conversation
 * has no recorded answer; the error names the first message that differs.
 */
#include <pthread.h>
#include <string.h>

#include "model/message.h"
#include "model/tape/record.h"
#include "skillet/provider.h"
#include "util/alloc.h"

struct replay {
  SkillModel model; /* first: cast back */
  cJSON *lines;     /* an array */
  const cJSON *next;
  size_t number;        /* of the next line, from 1 */
  pthread_mutex_t lock; /* protects `next` and `number`: requests may come from several loops */
};

/* ---- comparing ---- */

static int compare(const cJSON *recorded, const cJSON *asked, size_t line, SkillError *err) {
  const cJSON *a = cJSON_GetObjectItemCaseSensitive(recorded, "messages");
  const cJSON *b = cJSON_GetObjectItemCaseSensitive(asked, "messages");
  size_t i = 0;
  a = a ? a->child : NULL;
  b = b ? b->child : NULL;
  for (; a && b; a = a->next, b = b->next, i++) {
    if (cJSON_Compare(a, b, true)) continue;
    return skill_error_set(err, SKILL_EREMOTE, "line %zu of the recording: message %zu differs from the recorded one",
                           line, i + 1);
  }
  if (a || b) {
    return skill_error_set(err, SKILL_EREMOTE, "line %zu of the recording: it has %s messages than the request", line,
                           a ? "more" : "fewer");
  }
  a = cJSON_GetObjectItemCaseSensitive(recorded, "tools");
  b = cJSON_GetObjectItemCaseSensitive(asked, "tools");
  return cJSON_Compare(a, b, true)
             ? 0
             : skill_error_set(err, SKILL_EREMOTE, "line %zu of the recording: the tools differ", line);
}

static int check_request(const cJSON *line, size_t number, const SkillModelRequest *request, SkillError *err) {
  struct skill__buf buf;
  skill__buf_init(&buf, SKILL_MAX_CONVERSATION);
  skill__record_request(&buf, request);
  int status = skill__buf_status(&buf);
  cJSON *asked = status ? NULL : cJSON_ParseWithLength(buf.data, buf.length);
  if (!status && !asked) status = SKILL_ENOMEM;
  if (!status) status = compare(cJSON_GetObjectItemCaseSensitive(line, "request"), asked, number, err);
  cJSON_Delete(asked);
  skill__buf_fini(&buf);
  return status;
}

/* ---- answering ---- */

static double number_at(const cJSON *array, int index) {
  const cJSON *item = cJSON_GetArrayItem(array, index);
  return cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble < 1e9 ? item->valuedouble : 0;
}

static const char *string_at(const cJSON *array, int index) {
  const cJSON *item = cJSON_GetArrayItem(array, index);
  return cJSON_IsString(item) ? item->valuestring : NULL;
}

static void send_deltas(SkillModelCall *call, const cJSON *line) {
  const cJSON *deltas = cJSON_GetObjectItemCaseSensitive(line, "deltas");
  for (const cJSON *item = deltas ? deltas->child : NULL; item; item = item->next) {
    SkillDelta delta = {.kind = (SkillDeltaKind)number_at(item, 0), .index = (size_t)number_at(item, 1)};
    delta.text = string_at(item, 2);
    delta.length = delta.text ? strlen(delta.text) : 0;
    delta.id = string_at(item, 3);
    delta.name = string_at(item, 4);
    skill_model_call_delta(call, &delta);
  }
}

static void answer(SkillModelCall *call, const cJSON *line) {
  const cJSON *recorded = cJSON_GetObjectItemCaseSensitive(line, "reply");
  const cJSON *status_item = cJSON_GetObjectItemCaseSensitive(line, "status");
  int status = cJSON_IsNumber(status_item) ? status_item->valueint : SKILL_EREMOTE;
  SkillReply reply;
  SkillMessage *message = NULL;
  SkillError err = SKILL_ERROR_INIT;
  memset(&reply, 0, sizeof reply);
  send_deltas(call, line);
  if (cJSON_IsObject(recorded)) {
    const cJSON *usage = cJSON_GetObjectItemCaseSensitive(recorded, "usage");
    int read = skill__message_read(cJSON_GetObjectItemCaseSensitive(recorded, "message"), &message, &err);
    if (read) {
      skill_model_call_finish(call, read, err.message, NULL);
      return;
    }
    reply.message = *message;
    reply.stop = (SkillStop)skill__json_count(recorded, "stop");
    reply.usage.input_tokens = skill__json_count(usage, "input");
    reply.usage.output_tokens = skill__json_count(usage, "output");
    reply.usage.cached_tokens = skill__json_count(usage, "cached");
    reply.usage.cache_write_tokens = skill__json_count(usage, "cache_write");
    reply.usage.estimated = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(usage, "estimated"));
    reply.model = skill__json_string(recorded, "model");
    reply.attempts = 1;
  }
  skill_model_call_finish(call, status, skill__json_string(line, "error"), message ? &reply : NULL);
  skill_free(message);
}

static int request(SkillModel *model, const SkillModelRequest *what, SkillModelCall *call, SkillError *err) {
  struct replay *replay = (struct replay *)(void *)model;
  pthread_mutex_lock(&replay->lock);
  const cJSON *line = replay->next;
  size_t number = replay->number;
  int status = SKILL_EREMOTE;
  if (line) {
    status = check_request(line, number, what, err);
    if (!status) replay->next = line->next;
    if (!status) replay->number++;
  } else {
    skill_error_set(err, status, "the recording ends after %zu requests", number - 1);
  }
  pthread_mutex_unlock(&replay->lock);
  if (status) return status;
  answer(call, line);
  return 0;
}

static void free_model(SkillModel *model) {
  struct replay *replay = (struct replay *)(void *)model;
  cJSON_Delete(replay->lines);
  pthread_mutex_destroy(&replay->lock);
  skill__free(replay);
}

/* ---- reading ---- */

static int check_line(const cJSON *line, const char *path, unsigned number, SkillError *err) {
  const cJSON *version = cJSON_GetObjectItemCaseSensitive(line, "skillet");
  if (!cJSON_IsNumber(version) || version->valueint != 1 || !cJSON_GetObjectItemCaseSensitive(line, "request")) {
    return skill_error_set_at(err, SKILL_EPARSE, path, number, 1, "this line is not part of a recording of version 1");
  }
  return 0;
}

static int read_lines(struct replay *replay, const char *text, size_t length, const char *path, SkillError *err) {
  const char *end = text + length;
  unsigned number = 0;
  while (text < end) {
    const char *stop = memchr(text, '\n', (size_t)(end - text));
    size_t size = (size_t)((stop ? stop : end) - text);
    cJSON *line = NULL;
    number++;
    if (size) {
      SkillError where = SKILL_ERROR_INIT;
      int status = skill__json_parse(text, size, path, &line, &where);
      if (status) return skill_error_set_at(err, status, path, number, where.column, "%s", where.message);
      if (!cJSON_AddItemToArray(replay->lines, line)) {
        cJSON_Delete(line);
        return SKILL_ENOMEM;
      }
      status = check_line(line, path, number, err);
      if (status) return status;
    }
    text += size + 1;
  }
  return 0;
}

int skill_model_replay_new(const char *text, size_t length, const char *path, SkillModel **out, SkillError *err) {
  struct replay *replay = skill__calloc(1, sizeof *replay);
  if (!replay) return SKILL_ENOMEM;
  if (pthread_mutex_init(&replay->lock, NULL) != 0) {
    skill__free(replay);
    return SKILL_ENOMEM;
  }
  replay->lines = cJSON_CreateArray();
  int status = replay->lines ? read_lines(replay, text, length, path, err) : SKILL_ENOMEM;
  if (status) {
    free_model(&replay->model);
    return status;
  }
  replay->next = replay->lines->child;
  replay->number = 1;
  replay->model.version = SKILL_MODEL_VERSION;
  replay->model.name = "replay";
  replay->model.note = "answers come from a recording, not from a language model";
  replay->model.flags = SKILL_MODEL_STREAMS | SKILL_MODEL_NO_LLM;
  replay->model.request = request;
  replay->model.free = free_model;
  *out = &replay->model;
  return 0;
}
