/* SPDX-License-Identifier: MIT
 *
 * The offline model: no language model, a fixed procedure over what a model sees. It searches, opens the best skill,
 * calls the tool whose arguments the request fills best, and answers from the result; where nothing fits it says so.
 * It keeps no state: each step follows from the messages, so that a conversation can be saved and resumed.
 */
#include "model/offline/offline.h"

#include <stdio.h>
#include <string.h>

#include "model/local.h"
#include "model/offline/fill.h"
#include "util/alloc.h"
#include "util/json.h"
#include "util/utf8.h"

static const char search_tool[] = "skill_search";
static const char open_tool[] = "skill_open";

/* One request being answered. */
struct step {
  const SkillModelRequest *request;
  const SkillMessage *asked; /* what the user said last */
  size_t asked_at;
  struct skill__buf text; /* the answer, where it is one */
  char *arguments;        /* the call, where it is one */
  const char *tool;
  char skill[SKILL_MAX_NAME + 1];
};

static const SkillTool *find_tool(const SkillModelRequest *request, const char *name, size_t length) {
  for (size_t i = 0; i < request->tool_count; i++) {
    const char *have = request->tools[i].name;
    if (strlen(have) == length && memcmp(have, name, length) == 0) return &request->tools[i];
  }
  return NULL;
}

static const SkillTool *find_meta(const SkillModelRequest *request, const char *name) {
  return find_tool(request, name, strlen(name));
}

/* The call that a tool message answers. */
static const SkillCall *find_call(const struct step *step, const SkillMessage *result) {
  for (size_t i = step->request->message_count; i-- > step->asked_at;) {
    const SkillMessage *message = &step->request->messages[i];
    for (size_t k = 0; k < message->call_count; k++) {
      if (strcmp(message->calls[k].id, result->call_id) == 0) return &message->calls[k];
    }
  }
  return NULL;
}

/* --- steps that call ------------------------------------------------------------------------------------------- */

static int call_with(struct step *step, const char *tool, const char *key, const char *value, size_t length) {
  struct skill__buf buf;
  skill__buf_init(&buf, SKILL_MAX_ARGUMENTS);
  skill__buf_printf(&buf, "{\"%s\":", key);
  skill__buf_json(&buf, value, length);
  skill__buf_char(&buf, '}');
  step->arguments = skill__buf_take(&buf, NULL);
  step->tool = tool;
  skill__buf_fini(&buf);
  return step->arguments ? 0 : SKILL_ENOMEM;
}

static double word_overlap(const struct step *step, const SkillTool *tool) {
  return skill__offline_overlap(step->asked->text, step->asked->text_length, tool->name) * 2 +
         skill__offline_overlap(step->asked->text, step->asked->text_length, tool->description);
}

/* How well the request fills the tool; below 0: something it needs is missing. */
static double tool_score(const struct step *step, const SkillTool *tool, const struct skill__fill *fill) {
  if (fill->missing[0]) return -1;
  double score = 1 + (double)fill->taken - 0.75 * (double)fill->unused - 0.25 * (double)fill->defaults;
  return score + 0.5 * word_overlap(step, tool) > 0.01 ? score + 0.5 * word_overlap(step, tool) : 0.01;
}

/* Tries one tool; keeps it where it is better than the best so far. */
static int try_tool(struct step *step, const SkillTool *tool, double *best, char *missing, size_t size) {
  struct skill__fill fill;
  int status = skill__fill(tool->input_schema, step->asked->text, step->asked->text_length, &fill);
  if (status) return status;
  double score = tool_score(step, tool, &fill);
  if (score > *best) {
    *best = score;
    skill__free(step->arguments);
    step->arguments = fill.json;
    step->tool = tool->name;
    return 0;
  }
  if (score < 0 && !missing[0]) snprintf(missing, size, "%s needs %s", tool->name, fill.missing);
  skill__free(fill.json);
  return 0;
}

/* --- steps that answer ----------------------------------------------------------------------------------------- */

static void answer_nothing(struct step *step, const char *reason) {
  skill__buf_text(&step->text, "Nothing here fits that request");
  if (reason && *reason) skill__buf_printf(&step->text, ": %s", reason);
  skill__buf_text(&step->text, ".");
}

static void answer_missing(struct step *step, const char *missing) {
  skill__buf_printf(&step->text, "The skill %s fits, but its tool %s, and the request does not say.", step->skill,
                    missing);
}

static void answer_instructions(struct step *step, const char *body, size_t length) {
  static const char none[] = SKILL__NO_INSTRUCTIONS;
  if (length >= sizeof none - 1 && memcmp(body, none, sizeof none - 1) == 0) {
    skill__buf_printf(&step->text,
                      "The skill %s fits, but it has no instructions, and no tool of it can be called here.",
                      step->skill);
    return;
  }
  skill__buf_printf(&step->text,
                    "The skill %s fits. It holds instructions for a language model, and the offline model is none: "
                    "it can search, open and call, but not follow them. They begin:\n\n",
                    step->skill);
  skill__offline_outline(&step->text, body, length);
  skill__buf_text(&step->text, "\nWith --model openai:NAME or anthropic:NAME a model follows them.");
}

static void answer_result(struct step *step, const SkillMessage *result, const SkillCall *call) {
  size_t length = result->text_length;
  while (length && (result->text[length - 1] == '\n' || result->text[length - 1] == ' ')) length--;
  if (result->error) skill__buf_printf(&step->text, "%s failed: ", call->name);
  skill__buf_add(&step->text, result->text, length);
  if (!length) skill__buf_printf(&step->text, "%s answered nothing.", call->name);
}

/* --- the procedure --------------------------------------------------------------------------------------------- */

/* Opens the next result of the search that was not opened yet. */
static int after_search(struct step *step, const SkillMessage *result) {
  cJSON *root = NULL;
  int status = result->error ? SKILL_EFAILED : skill__json_parse(result->text, result->text_length, NULL, &root, NULL);
  if (status == SKILL_ENOMEM) return status;
  if (status) {
    size_t length = skill__utf8_floor(result->text, result->text_length < 2000 ? result->text_length : 2000);
    skill__buf_text(&step->text, "The search failed: ");
    skill__buf_add(&step->text, result->text, length);
    return 0;
  }
  const cJSON *best = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(root, "results"), 0);
  const char *name = skill__json_string(best, "name");
  if (!name) answer_nothing(step, skill__json_string(root, "reason"));
  if (name) status = call_with(step, open_tool, "name", name, strlen(name));
  cJSON_Delete(root);
  return status;
}

static int after_open(struct step *step, const SkillMessage *result, const SkillCall *call) {
  struct skill__opened opened;
  char missing[480] = "";
  double best = 0;
  int status = skill__offline_name(call->arguments, step->skill, sizeof step->skill);
  if (status) return status;
  if (result->error) {
    skill__buf_printf(&step->text, "%s could not be opened: ", step->skill);
    skill__buf_add(&step->text, result->text, result->text_length);
    return 0;
  }
  skill__offline_read_opened(result->text, result->text_length, &opened);
  for (const char *at = opened.tools, *end = opened.tools + opened.tools_length; at < end;) {
    const char *comma = memchr(at, ',', (size_t)(end - at));
    const char *stop = comma ? comma : end;
    const SkillTool *tool = find_tool(step->request, at, (size_t)(stop - at));
    status = tool ? try_tool(step, tool, &best, missing, sizeof missing) : 0;
    if (status) return status;
    at = stop;
    while (at < end && (*at == ',' || *at == ' ')) at++;
  }
  if (step->tool) return 0;
  if (missing[0]) answer_missing(step, missing);
  if (!missing[0]) answer_instructions(step, opened.body, opened.body_length);
  return 0;
}

/* Without search: whichever tool the request fills. */
static int without_search(struct step *step) {
  char missing[480] = "";
  double best = 0;
  for (size_t i = 0; i < step->request->tool_count; i++) {
    const SkillTool *tool = &step->request->tools[i];
    if (strncmp(tool->name, "skill_", 6) == 0 || word_overlap(step, tool) <= 0) continue;
    int status = try_tool(step, tool, &best, missing, sizeof missing);
    if (status) return status;
  }
  if (!step->tool) answer_nothing(step, "there is neither a skill to search for nor a tool for it");
  return 0;
}

static int decide(struct step *step) {
  const SkillMessage *last = &step->request->messages[step->request->message_count - 1];
  if (step->request->choice == SKILL_TOOL_CHOICE_NONE || last == step->asked) {
    if (step->request->choice == SKILL_TOOL_CHOICE_NONE) return answer_nothing(step, "no tools may be used"), 0;
    if (!find_meta(step->request, search_tool) || !find_meta(step->request, open_tool)) return without_search(step);
    return call_with(step, search_tool, "query", step->asked->text, step->asked->text_length);
  }
  const SkillCall *call = last->role == SKILL_ROLE_TOOL ? find_call(step, last) : NULL;
  if (!call) return answer_nothing(step, "there is nothing left to do"), 0;
  if (strcmp(call->name, search_tool) == 0) return after_search(step, last);
  if (strcmp(call->name, open_tool) == 0) return after_open(step, last, call);
  answer_result(step, last, call);
  return 0;
}

static void finish(struct step *step, SkillModelCall *call) {
  char id[32];
  size_t calls = 0;
  for (size_t i = 0; i < step->request->message_count; i++) calls += step->request->messages[i].call_count;
  snprintf(id, sizeof id, "offline_%zu", calls + 1);
  SkillCall made = {id, step->tool, step->arguments};
  SkillReply reply = {.stop = step->tool ? SKILL_STOP_TOOLS : SKILL_STOP_END, .model = "offline", .attempts = 1};
  reply.message =
      (SkillMessage){.role = SKILL_ROLE_ASSISTANT, .text = step->text.data, .text_length = step->text.length};
  if (step->tool) reply.message.calls = &made, reply.message.call_count = 1;
  reply.usage = skill__local_usage(step->request, &reply.message);
  if (step->request->stream) skill__local_stream(call, &reply.message);
  skill_model_call_finish(call, 0, NULL, &reply);
}

static int offline_request(SkillModel *model, const SkillModelRequest *request, SkillModelCall *call, SkillError *err) {
  struct step step = {.request = request};
  (void)model;
  for (size_t i = 0; i < request->message_count; i++) {
    if (request->messages[i].role != SKILL_ROLE_USER || request->messages[i].origin) continue;
    step.asked = &request->messages[i];
    step.asked_at = i;
  }
  if (!step.asked) return skill_error_set(err, SKILL_EINVAL, "the conversation holds no request");
  skill__buf_init(&step.text, SKILL_MAX_MESSAGE);
  int status = decide(&step);
  if (!status) status = skill__buf_status(&step.text);
  if (!status) finish(&step, call);
  skill__buf_fini(&step.text);
  skill__free(step.arguments);
  return status ? skill_error_set(err, status, "the offline model: %s", skill_strerror(status)) : 0;
}

static void offline_free(SkillModel *model) {
  skill__free(model);
}

int skill_model_offline_new(SkillModel **out, SkillError *err) {
  SkillModel *model = skill__calloc(1, sizeof *model);
  if (!model) return skill_error_set(err, SKILL_ENOMEM, "out of memory");
  model->version = SKILL_MODEL_VERSION;
  model->name = "offline";
  model->note =
      "no language model: a fixed procedure that searches, opens a skill, fills a tool's arguments and "
      "answers from its result";
  model->flags = SKILL_MODEL_STREAMS | SKILL_MODEL_NO_LLM;
  model->request = offline_request;
  model->free = offline_free;
  *out = model;
  return 0;
}
