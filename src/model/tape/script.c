/* SPDX-License-Identifier: MIT
 *
 * The scripted model: one answer after another from a JSON document, for tests and demonstrations. Format:
 * docs/agent.md.
 *
 * A script is checked when it is read. A request then fails only if the script says so, has no turn left, or expects
 * something that the request does not contain; the error names the turn and the expectation.
 */
#include <stdio.h>
#include <string.h>

#include "model/local_reply.h"
#include "util/alloc.h"
#include "util/json.h"

enum { NAME_SIZE = 300 }; /* bytes of the model's name */

struct script {
  SkillModel model;
  char name[NAME_SIZE];
  cJSON *root;
  const cJSON *next; /* turn of the next request; NULL: the script has ended */
  size_t turn;       /* its number, from 1 */
  size_t calls;      /* tool calls made so far, for their ids */
  bool loop;         /* begin again after the last turn */
};

static const cJSON *member(const cJSON *object, const char *key) {
  return cJSON_GetObjectItemCaseSensitive(object, key);
}

/* --- checking -------------------------------------------------------------------------------------------------- */

static const char *const stop_names[] = {"end", "tools", "length", "refused", "other"};

static int find_stop(const char *name) {
  for (int i = 0; i < 5; i++) {
    if (strcmp(name, stop_names[i]) == 0) return i;
  }
  return -1;
}

static int find_code(const char *name) {
#define X(id, value, text) \
  if (strcmp(name, "SKILL_" #id) == 0) return value;
  SKILL_ERROR_MAP(X)
#undef X
  return 0;
}

static const char *check_calls(const cJSON *calls) {
  const cJSON *call;
  if (!calls) return NULL;
  if (!cJSON_IsArray(calls)) return "'calls' must be a list";
  if (cJSON_GetArraySize(calls) > SKILL_MAX_CALLS) return "too many calls";
  cJSON_ArrayForEach(call, calls) {
    if (!skill__json_string(call, "name")) return "a call needs a 'name'";
  }
  return NULL;
}

static const char *check_turn(const cJSON *turn) {
  static const char *const known[] = {"text", "calls", "stop", "usage", "error", "expect", "hang", "extra", "model"};
  if (!cJSON_IsObject(turn)) return "a turn must be an object";
  const cJSON *item;
  cJSON_ArrayForEach(item, turn) {
    bool found = false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) found = found || strcmp(item->string, known[i]) == 0;
    if (!found) return "a turn knows text, calls, stop, usage, error, expect, hang, extra and model only";
  }
  const cJSON *error = member(turn, "error");
  if (error && (!skill__json_string(error, "code") || !find_code(skill__json_string(error, "code")))) {
    return "'error' needs a 'code' such as SKILL_EREMOTE";
  }
  const cJSON *stop = member(turn, "stop");
  if (stop && (!cJSON_IsString(stop) || find_stop(stop->valuestring) < 0)) {
    return "'stop' must be end, tools, length, refused or other";
  }
  return check_calls(member(turn, "calls"));
}

static int check_script(const cJSON *root, const char *path, SkillError *err) {
  const cJSON *turns = member(root, "turns");
  const cJSON *turn;
  size_t number = 0;
  if (!cJSON_IsArray(turns)) {
    return skill_error_set_at(err, SKILL_EINVAL, path, 0, 0, "a script is {\"turns\":[{\"text\":…}, …]}");
  }
  cJSON_ArrayForEach(turn, turns) {
    const char *wrong = check_turn(turn);
    number++;
    if (wrong) return skill_error_set_at(err, SKILL_EINVAL, path, 0, 0, "turn %zu: %s", number, wrong);
  }
  return 0;
}

/* --- expectations ---------------------------------------------------------------------------------------------- */

static const SkillMessage *last_message(const SkillModelRequest *request) {
  return request->message_count ? &request->messages[request->message_count - 1] : NULL;
}

static bool any_holds(const SkillModelRequest *request, const char *text) {
  for (size_t i = 0; i < request->message_count; i++) {
    if (request->messages[i].text && strstr(request->messages[i].text, text)) return true;
  }
  return false;
}

static bool tool_offered(const SkillModelRequest *request, const char *name) {
  for (size_t i = 0; i < request->tool_count; i++) {
    if (strcmp(request->tools[i].name, name) == 0) return true;
  }
  return false;
}

static bool is_met(const char *what, const char *text, const SkillModelRequest *request) {
  const SkillMessage *last = last_message(request);
  if (strcmp(what, "last") == 0) return last && last->text && strstr(last->text, text);
  if (strcmp(what, "any") == 0) return any_holds(request, text);
  if (strcmp(what, "never") == 0) return !any_holds(request, text);
  if (strcmp(what, "tools") == 0) return tool_offered(request, text);
  return strcmp(what, "not_tools") == 0 && !tool_offered(request, text);
}

/* The first text of `list` (a string or a list) that does not satisfy `what`; NULL: all do. */
static const char *first_unmet(const cJSON *list, const SkillModelRequest *request, const char *what) {
  const cJSON *item = cJSON_IsArray(list) ? list->child : list;
  for (; item; item = cJSON_IsArray(list) ? item->next : NULL) {
    const char *text = cJSON_IsString(item) ? item->valuestring : "";
    if (!is_met(what, text, request)) return text;
  }
  return NULL;
}

static int check_expect(const struct script *script, const cJSON *expect, const SkillModelRequest *request,
                        char *message, size_t size) {
  const cJSON *item;
  cJSON_ArrayForEach(item, expect) {
    const char *unmet = first_unmet(item, request, item->string);
    if (!unmet) continue;
    snprintf(message, size, "the script's turn %zu expects '%s': '%.200s', and that is not so", script->turn,
             item->string, unmet);
    return SKILL_EINVAL;
  }
  return 0;
}

/* --- answering ------------------------------------------------------------------------------------------------- */

/* Replaces "{{last}}" by the last message's text, so that a script can answer with a result. */
static char *fill_text(const char *text, const SkillModelRequest *request, size_t *length) {
  static const char mark[] = "{{last}}";
  struct skill__buf buf;
  const SkillMessage *last = last_message(request);
  skill__buf_init(&buf, SKILL_MAX_MESSAGE);
  for (const char *at; (at = strstr(text, mark)) != NULL; text = at + sizeof mark - 1) {
    skill__buf_add(&buf, text, (size_t)(at - text));
    if (last) skill__buf_add(&buf, last->text, last->text_length);
  }
  skill__buf_text(&buf, text);
  return skill__buf_take(&buf, length);
}

struct made_calls {
  SkillCall calls[SKILL_MAX_CALLS];
  char *texts[SKILL_MAX_CALLS]; /* arguments printed from an object */
  char ids[SKILL_MAX_CALLS][24];
  size_t count;
};

static int make_calls(struct script *script, const cJSON *turn, struct made_calls *made) {
  const cJSON *item;
  cJSON_ArrayForEach(item, member(turn, "calls")) {
    const cJSON *arguments = member(item, "arguments");
    size_t i = made->count++;
    snprintf(made->ids[i], sizeof made->ids[i], "call_%zu", ++script->calls);
    const char *id = skill__json_string(item, "id");
    made->calls[i] = (SkillCall){id ? id : made->ids[i], skill__json_string(item, "name"), "{}"};
    if (cJSON_IsString(arguments)) made->calls[i].arguments = arguments->valuestring;
    if (!cJSON_IsObject(arguments)) continue;
    struct skill__buf buf;
    skill__buf_init(&buf, SKILL_MAX_ARGUMENTS);
    skill__json_print(&buf, arguments);
    made->calls[i].arguments = made->texts[i] = skill__buf_take(&buf, NULL);
    if (!made->texts[i]) return SKILL_ENOMEM;
  }
  return 0;
}

static SkillUsage usage_of(const cJSON *turn) {
  const cJSON *usage = member(turn, "usage");
  SkillUsage sum = {.input_tokens = skill__json_count(usage, "input_tokens"),
                    .output_tokens = skill__json_count(usage, "output_tokens")};
  sum.cached_tokens = skill__json_count(usage, "cached_tokens");
  sum.cache_write_tokens = skill__json_count(usage, "cache_write_tokens");
  return sum;
}

static int answer(struct script *script, const cJSON *turn, const SkillModelRequest *request, SkillModelCall *call) {
  struct made_calls *made = skill__calloc(1, sizeof *made);
  const char *text = skill__json_string(turn, "text");
  size_t length = 0;
  char *filled = fill_text(text ? text : "", request, &length);
  int status = made && filled ? make_calls(script, turn, made) : SKILL_ENOMEM;
  if (status) goto out;
  const char *stop = skill__json_string(turn, "stop");
  SkillReply reply = {.attempts = 1, .usage = usage_of(turn), .model = skill__json_string(turn, "model")};
  reply.stop = stop ? (SkillStop)find_stop(stop) : made->count ? SKILL_STOP_TOOLS : SKILL_STOP_END;
  reply.message = (SkillMessage){.role = SKILL_ROLE_ASSISTANT, .text = filled, .text_length = length};
  reply.message.calls = made->calls;
  reply.message.call_count = made->count;
  if (request->stream) skill__local_stream(call, &reply.message);
  if (!member(turn, "usage")) reply.usage = skill__local_usage(request, &reply.message);
  const cJSON *error = member(turn, "error");
  const char *code = error ? skill__json_string(error, "code") : NULL;
  const char *message = error ? skill__json_string(error, "message") : NULL;
  skill_model_call_finish(call, code ? find_code(code) : 0, message, code ? NULL : &reply);

out:
  for (size_t i = 0; made && i < made->count; i++) skill__free(made->texts[i]);
  skill__free(made);
  skill__free(filled);
  return status;
}

static void step_turn(struct script *script) {
  script->next = script->next->next;
  script->turn++;
  if (script->next || !script->loop) return;
  script->next = member(script->root, "turns")->child;
  script->turn = 1;
}

static int script_request(SkillModel *model, const SkillModelRequest *request, SkillModelCall *call, SkillError *err) {
  struct script *script = model->impl;
  const cJSON *turn = script->next;
  char message[400];
  if (!turn) return skill_error_set(err, SKILL_EREMOTE, "the script has no turn left after %zu", script->turn - 1);
  int status = check_expect(script, member(turn, "expect"), request, message, sizeof message);
  if (status) return skill_error_set(err, status, "%s", message);
  if (cJSON_IsTrue(member(turn, "hang"))) { /* until it is canceled */
    step_turn(script);
    return 0;
  }
  status = answer(script, turn, request, call);
  if (status) return skill_error_set(err, status, "out of memory");
  step_turn(script);
  return 0;
}

static void script_cancel(SkillModel *model, SkillModelCall *call) {
  (void)model;
  skill_model_call_finish(call, SKILL_ECANCELED, "canceled", NULL);
}

static void script_free(SkillModel *model) {
  struct script *script = model->impl;
  cJSON_Delete(script->root);
  skill__free(script);
}

int skill_model_script_new(const char *text, size_t length, const char *path, SkillModel **out, SkillError *err) {
  cJSON *root = NULL;
  struct script *script = NULL;
  int status = skill__json_parse(text, length, path, &root, err);
  if (!status) status = check_script(root, path, err);
  if (!status && !(script = skill__calloc(1, sizeof *script))) {
    status = skill_error_set(err, SKILL_ENOMEM, "out of memory");
  }
  if (status) {
    cJSON_Delete(root);
    return status;
  }
  const char *name = skill__json_string(root, "name");
  snprintf(script->name, sizeof script->name, "script:%s", name ? name : path ? path : "");
  script->root = root;
  script->next = member(root, "turns")->child;
  script->turn = 1;
  script->loop = cJSON_IsTrue(member(root, "loop"));
  script->model = (SkillModel){.version = SKILL_MODEL_VERSION, .name = script->name, .impl = script};
  script->model.note = "a script: its answers were written beforehand";
  script->model.flags = SKILL_MODEL_STREAMS | SKILL_MODEL_NO_LLM;
  script->model.window = skill__json_count(root, "window");
  script->model.request = script_request;
  script->model.cancel = script_cancel;
  script->model.free = script_free;
  *out = &script->model;
  return 0;
}
