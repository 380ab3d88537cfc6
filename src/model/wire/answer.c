/* SPDX-License-Identifier: MIT
 *
 * Collecting an answer; see answer.h. Some servers split a text between the bytes of a character; such bytes are held
 * back until the rest arrives.
 */
#include "model/wire/answer.h"

#include <string.h>

#include "skillet/provider.h"
#include "util/alloc.h"
#include "util/json.h"
#include "util/utf8.h"

void skill__answer_init(struct skill__answer *answer, SkillModelCall *call, SkillIo *io,
                        const struct skill__wire *wire) {
  memset(answer, 0, sizeof *answer);
  answer->call = call;
  answer->io = io;
  answer->wire = wire;
  skill__buf_init(&answer->text, SKILL_MAX_MESSAGE);
  skill__buf_init(&answer->reasoning, SKILL_MAX_MESSAGE);
  skill__buf_init(&answer->extra, SKILL_MAX_MESSAGE);
  skill__buf_init(&answer->pieces, SKILL_MAX_MESSAGE);
}

static void free_calls(struct skill__answer *answer) {
  for (size_t i = 0; i < answer->call_count; i++) {
    skill__buf_fini(&answer->calls[i].id);
    skill__buf_fini(&answer->calls[i].name);
    skill__buf_fini(&answer->calls[i].arguments);
  }
  skill__free(answer->calls);
}

void skill__answer_fini(struct skill__answer *answer) {
  skill__buf_fini(&answer->text);
  skill__buf_fini(&answer->reasoning);
  skill__buf_fini(&answer->extra);
  skill__buf_fini(&answer->pieces);
  cJSON_Delete(answer->blocks);
  answer->blocks = NULL;
  free_calls(answer);
  answer->calls = NULL;
  answer->call_count = answer->call_capacity = 0;
}

void skill__answer_clear(struct skill__answer *answer) {
  SkillModelCall *call = answer->call;
  SkillIo *io = answer->io;
  const struct skill__wire *wire = answer->wire;
  skill__answer_fini(answer);
  skill__answer_init(answer, call, io, wire);
}

/* Length of an incomplete character at the end of `text`. */
static size_t unfinished(const char *text, size_t length) {
  for (size_t back = 1; back <= 3 && back <= length; back++) {
    unsigned char c = (unsigned char)text[length - back];
    if ((c & 0xC0) == 0x80) continue;
    size_t need = 1u + (c >= 0xC0) + (c >= 0xE0) + (c >= 0xF0);
    return need > back ? back : 0;
  }
  return 0;
}

/* Replaces invalid UTF-8 from `from` on. The length can change, so the tail is rebuilt. */
static int repair(struct skill__buf *buf, size_t from) {
  if (!buf->length || skill__utf8_valid(buf->data + from, buf->length - from) == buf->length - from) return 0;
  size_t length = buf->length - from;
  char *tail = skill__malloc(length);
  if (!tail) return SKILL_ENOMEM;
  memcpy(tail, buf->data + from, length);
  buf->length = from;
  skill__buf_clean(buf, tail, length);
  skill__free(tail);
  return skill__buf_status(buf);
}

/* Reports the complete characters that were not reported yet. */
static int report(struct skill__answer *answer, struct skill__buf *buf, size_t *reported, SkillDelta *delta,
                  bool last) {
  size_t keep = last ? 0 : unfinished(buf->data ? buf->data + *reported : "", buf->length - *reported);
  char held[4];
  if (keep) memcpy(held, buf->data + buf->length - keep, keep);
  buf->length -= keep;
  int status = repair(buf, *reported);
  if (!status && buf->length > *reported) {
    delta->text = buf->data + *reported;
    delta->length = buf->length - *reported;
    skill_model_call_delta(answer->call, delta);
    answer->shown = true;
    *reported = buf->length;
  }
  if (keep) skill__buf_add(buf, held, keep);
  return status ? status : skill__buf_status(buf);
}

static int add(struct skill__answer *answer, struct skill__buf *buf, size_t *reported, SkillDeltaKind kind,
               const char *text, size_t length) {
  SkillDelta delta = {.kind = kind};
  if (!length) return 0;
  skill__buf_add(buf, text, length);
  int status = skill__buf_status(buf);
  return status ? status : report(answer, buf, reported, &delta, false);
}

int skill__answer_text(struct skill__answer *answer, const char *text, size_t length) {
  return add(answer, &answer->text, &answer->text_reported, SKILL_DELTA_TEXT, text, length);
}

int skill__answer_reasoning(struct skill__answer *answer, const char *text, size_t length) {
  return add(answer, &answer->reasoning, &answer->reasoning_reported, SKILL_DELTA_REASONING, text, length);
}

static struct skill__answer_call *find(struct skill__answer *answer, size_t place) {
  for (size_t i = 0; i < answer->call_count; i++) {
    if (answer->calls[i].place == place) return &answer->calls[i];
  }
  return NULL;
}

bool skill__answer_has(struct skill__answer *answer, size_t place) {
  return find(answer, place) != NULL;
}

size_t skill__answer_arguments_length(struct skill__answer *answer, size_t place) {
  const struct skill__answer_call *made = find(answer, place);
  return made ? made->arguments.length : 0;
}

static struct skill__answer_call *make(struct skill__answer *answer, size_t place, int *status) {
  *status = SKILL_ELIMIT;
  if (answer->call_count >= SKILL_MAX_CALLS) return NULL;
  *status = SKILL__GROW(answer->calls, answer->call_capacity, answer->call_count + 1);
  if (*status) return NULL;
  struct skill__answer_call *made = &answer->calls[answer->call_count++];
  memset(made, 0, sizeof *made);
  made->place = place;
  skill__buf_init(&made->id, 256);
  skill__buf_init(&made->name, SKILL_MAX_NAME);
  skill__buf_init(&made->arguments, SKILL_MAX_ARGUMENTS);
  return made;
}

static int made_up_id(struct skill__answer *answer, struct skill__buf *id) {
  unsigned char bytes[9];
  int status = answer->io->random(answer->io, bytes, sizeof bytes);
  if (status) return status;
  skill__buf_text(id, "call_");
  for (size_t i = 0; i < sizeof bytes; i++) skill__buf_printf(id, "%02x", bytes[i]);
  return skill__buf_status(id);
}

/* A call is reported once its name is known. */
static int report_call(struct skill__answer *answer, struct skill__answer_call *made) {
  if (made->reported || !made->name.length) return 0;
  int status = made->id.length ? 0 : made_up_id(answer, &made->id);
  if (status) return status;
  SkillDelta delta = {.kind = SKILL_DELTA_CALL, .index = (size_t)(made - answer->calls)};
  delta.id = made->id.data;
  delta.name = made->name.data;
  skill_model_call_delta(answer->call, &delta);
  answer->shown = made->reported = true;
  return 0;
}

/* An id must be new in the conversation and in this answer: it connects a result to its call. */
static bool usable(const struct skill__answer *answer, const char *id) {
  for (size_t i = 0; i < answer->call_count; i++) {
    if (answer->calls[i].id.length && strcmp(answer->calls[i].id.data, id) == 0) return false;
  }
  return *id && !skill__wire_used(answer->wire, id);
}

int skill__answer_call(struct skill__answer *answer, size_t place, const char *id, const char *name) {
  int status = 0;
  struct skill__answer_call *made = find(answer, place);
  if (!made) made = make(answer, place, &status);
  if (!made) return status;
  if (id && !made->id.length && usable(answer, id)) skill__buf_text(&made->id, id);
  if (name && !made->name.length) skill__buf_text(&made->name, skill__wire_find(answer->wire, name));
  status = skill__buf_status(&made->id);
  if (!status) status = skill__buf_status(&made->name);
  if (!status) status = repair(&made->id, 0);
  if (!status) status = repair(&made->name, 0);
  return status ? status : report_call(answer, made);
}

int skill__answer_arguments(struct skill__answer *answer, size_t place, const char *text, size_t length) {
  int status = skill__answer_call(answer, place, NULL, NULL);
  if (status || !length) return status;
  struct skill__answer_call *made = find(answer, place);
  size_t reported =
      made->arguments.length - unfinished(made->arguments.data ? made->arguments.data : "", made->arguments.length);
  skill__buf_add(&made->arguments, text, length);
  status = skill__buf_status(&made->arguments);
  if (status) return status;
  SkillDelta delta = {.kind = SKILL_DELTA_CALL_ARGUMENTS, .index = (size_t)(made - answer->calls)};
  return report(answer, &made->arguments, &reported, &delta, false);
}

int skill__answer_arguments_json(struct skill__answer *answer, size_t place, const cJSON *arguments) {
  if (!cJSON_IsObject(arguments)) return 0;
  struct skill__buf text;
  skill__buf_init(&text, SKILL_MAX_ARGUMENTS);
  skill__json_print(&text, arguments);
  int status = skill__buf_status(&text);
  if (!status) status = skill__answer_arguments(answer, place, text.data, text.length);
  skill__buf_fini(&text);
  return status;
}

void skill__answer_model(struct skill__answer *answer, const char *name) {
  if (!name || answer->model[0]) return;
  size_t length = skill__utf8_floor(name, strnlen(name, sizeof answer->model - 1));
  memcpy(answer->model, name, length);
  answer->model[length] = '\0';
}

void skill__answer_stop(struct skill__answer *answer, const char *reason) {
  static const struct {
    const char *reason;
    SkillStop stop;
  } known[] = {{"stop", SKILL_STOP_END},
               {"end_turn", SKILL_STOP_END},
               {"stop_sequence", SKILL_STOP_END},
               {"tool_calls", SKILL_STOP_TOOLS},
               {"function_call", SKILL_STOP_TOOLS},
               {"tool_use", SKILL_STOP_TOOLS},
               {"length", SKILL_STOP_LENGTH},
               {"max_tokens", SKILL_STOP_LENGTH},
               {"model_context_window_exceeded", SKILL_STOP_LENGTH},
               {"content_filter", SKILL_STOP_REFUSED},
               {"refusal", SKILL_STOP_REFUSED}};
  if (!reason) return;
  answer->stopped = true;
  answer->stop = SKILL_STOP_OTHER;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (strcmp(reason, known[i].reason) == 0) answer->stop = known[i].stop;
  }
}

static int finish_call(struct skill__answer *answer, struct skill__answer_call *made) {
  int status = repair(&made->arguments, 0);
  if (!status && !made->id.length) status = made_up_id(answer, &made->id);
  if (!made->name.length) skill__buf_text(&made->name, ""); /* no tool has this name; the gateway refuses it */
  if (!made->arguments.length) skill__buf_text(&made->arguments, "{}");
  if (!status) status = skill__buf_status(&made->name);
  return status ? status : skill__buf_status(&made->arguments);
}

int skill__answer_reply(struct skill__answer *answer, SkillCall *calls, SkillReply *reply) {
  SkillDelta delta = {.kind = SKILL_DELTA_TEXT};
  int status = report(answer, &answer->text, &answer->text_reported, &delta, true);
  for (size_t i = 0; !status && i < answer->call_count; i++) {
    status = finish_call(answer, &answer->calls[i]);
    calls[i].id = answer->calls[i].id.data;
    calls[i].name = answer->calls[i].name.data ? answer->calls[i].name.data : "";
    calls[i].arguments = answer->calls[i].arguments.data;
  }
  if (status) return status;
  memset(reply, 0, sizeof *reply);
  reply->message.role = SKILL_ROLE_ASSISTANT;
  reply->message.text = answer->text.length ? answer->text.data : NULL;
  reply->message.text_length = answer->text.length;
  reply->message.calls = answer->call_count ? calls : NULL;
  reply->message.call_count = answer->call_count;
  if (answer->extra.length) {
    reply->message.extra = answer->extra.data;
    reply->message.extra_from = answer->extra_from;
  }
  reply->stop = answer->refused ? SKILL_STOP_REFUSED : answer->stop;
  if (answer->call_count && reply->stop == SKILL_STOP_END) reply->stop = SKILL_STOP_TOOLS;
  reply->usage = answer->usage;
  reply->model = answer->model[0] ? answer->model : NULL;
  return 0;
}
