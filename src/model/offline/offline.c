/* SPDX-License-Identifier: MIT
 *
 * The offline model: no language model, a fixed procedure. It searches with the request, opens the best skill, calls
 * the tool whose arguments the request fills best, and answers with the result; if nothing fits it says so. It keeps
 * no state: each step follows from the messages, so a conversation can be saved and resumed.
 */
#include "model/offline/offline.h"

#include <stdio.h>
#include <string.h>

#include "model/local_reply.h"
#include "model/offline/fill.h"
#include "model/offline/request.h"
#include "util/alloc.h"
#include "util/json.h"
#include "util/json_out.h"

static const char search_tool[] = "skill_search";
static const char open_tool[] = "skill_open";

struct step {
  const SkillModelRequest *request;
  size_t asked;          /* index of the user's last message */
  char *task;            /* its text */
  char *last;            /* text of the conversation's last message */
  struct skill__buf say; /* the answer, unless `tool` is set */
  const char *tool;
  char *arguments;
  double score;      /* of `tool` */
  char missing[480]; /* "TOOL needs a, b": why the first tool that was tried cannot be called */
};

static const SkillTool *find_tool(const SkillModelRequest *request, const char *name, size_t length) {
  for (size_t i = 0; i < request->tool_count; i++) {
    const char *have = request->tools[i].name;
    if (strlen(have) == length && memcmp(have, name, length) == 0) return &request->tools[i];
  }
  return NULL;
}

/* The call that a tool message answers. */
static const SkillCall *find_call(const struct step *step, const SkillMessage *result) {
  for (size_t i = step->request->message_count; i-- > step->asked;) {
    const SkillMessage *message = &step->request->messages[i];
    for (size_t k = 0; k < message->call_count; k++) {
      if (strcmp(message->calls[k].id, result->call_id) == 0) return &message->calls[k];
    }
  }
  return NULL;
}

static int call_with(struct step *step, const char *tool, const char *key, const char *value) {
  struct skill__buf buf;
  skill__buf_init(&buf, SKILL_MAX_ARGUMENTS);
  skill__json_open(&buf, NULL, "{");
  skill__json_add_text(&buf, key, value);
  skill__json_close(&buf, "}");
  step->arguments = skill__buf_take(&buf, NULL);
  step->tool = tool;
  return step->arguments ? 0 : SKILL_ENOMEM;
}

/* Number of words of `words` (names or prose; may be NULL) that the text has too. */
static double overlap(const char *text, const char *words) {
  double found = 0;
  for (const char *at = words ? words : ""; *at;) {
    size_t length = 0;
    while (skill__offline_alnum(at[length])) length++;
    found += length > 3 && skill__offline_alike(text, at, length);
    at += length ? length : 1;
  }
  return found;
}

/* Fills the tool's arguments; keeps the call if it is better than the best so far. */
static int try_tool(struct step *step, const SkillTool *tool) {
  struct skill__offline_fill fill;
  int status = skill__offline_fill(tool->input_schema, step->task, &fill);
  if (status) return status;
  double score = fill.score + overlap(step->task, tool->name) + 0.5 * overlap(step->task, tool->description);
  if (fill.missing[0] || (step->tool && score <= step->score)) {
    if (fill.missing[0] && !step->missing[0]) {
      snprintf(step->missing, sizeof step->missing, "%s needs %s", tool->name, fill.missing);
    }
    skill__free(fill.json);
    return 0;
  }
  skill__free(step->arguments);
  step->arguments = fill.json;
  step->tool = tool->name;
  step->score = score;
  return 0;
}

/* Opens the best result. */
static int after_search(struct step *step, bool failed) {
  cJSON *root = NULL;
  int status = failed ? SKILL_EFAILED : skill__json_parse(step->last, strlen(step->last), NULL, &root, NULL);
  if (status == SKILL_ENOMEM) return status;
  if (status) {
    skill__buf_printf(&step->say, "The search failed: %s", step->last);
    return 0;
  }
  const cJSON *best = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(root, "results"), 0);
  const char *name = skill__json_string(best, "name");
  const char *reason = skill__json_string(root, "reason");
  if (name) {
    status = call_with(step, open_tool, "name", name);
  } else {
    skill__buf_printf(&step->say, "Nothing here fits that request%s%s.", reason ? ": " : "", reason ? reason : "");
  }
  cJSON_Delete(root);
  return status;
}

static void say_why_not(struct step *step, const char *skill, const char *body) {
  struct skill__buf *say = &step->say;
  skill__buf_printf(say, "The skill %s fits, but ", skill);
  if (step->missing[0]) {
    skill__buf_printf(say, "its tool %s, and the request does not say.", step->missing);
  } else if (skill__offline_match(body, SKILL__NO_INSTRUCTIONS)) {
    skill__buf_text(say, "it has no instructions, and no tool of it can be called here.");
  } else {
    skill__buf_printf(say,
                      "it holds instructions for a language model, which the offline model cannot follow. With --model "
                      "openai:NAME or anthropic:NAME a model follows them; skillet show %s prints them.",
                      skill);
  }
}

/* Calls the best of the skill's tools, or reports why none is called. */
static int after_open(struct step *step, bool failed, const char *skill) {
  static const char head[] = "\nTools: ";
  const char *body = strstr(step->last, "\n\n");
  const char *tools = strstr(step->last, head);
  int status = 0;
  if (failed) {
    skill__buf_printf(&step->say, "%s could not be opened: %s", skill, step->last);
    return 0;
  }
  if (tools && (!body || tools < body)) {
    for (const char *at = tools + sizeof head - 1; !status && *at && *at != '\n';) {
      size_t length = strcspn(at, ", \n");
      const SkillTool *tool = find_tool(step->request, at, length);
      if (tool) status = try_tool(step, tool);
      at += length + strspn(at + length, ", ");
    }
  }
  if (!status && !step->tool) say_why_not(step, skill, body ? body + 2 : "");
  return status;
}

static int begin(struct step *step) {
  const SkillModelRequest *request = step->request;
  bool can_search = find_tool(request, search_tool, strlen(search_tool)) != NULL;
  bool can_open = find_tool(request, open_tool, strlen(open_tool)) != NULL;
  if (can_search && can_open && request->choice != SKILL_TOOL_CHOICE_NONE) {
    return call_with(step, search_tool, "query", step->task);
  }
  skill__buf_text(&step->say, "Nothing here fits that request: skill_search and skill_open cannot be called.");
  return 0;
}

static int after_call(struct step *step, const SkillCall *call, bool failed) {
  cJSON *arguments = NULL;
  int status = 0;
  if (strcmp(call->name, search_tool) == 0) return after_search(step, failed);
  if (strcmp(call->name, open_tool) == 0) {
    status = skill__json_parse(call->arguments, strlen(call->arguments), NULL, &arguments, NULL);
    const char *name = skill__json_string(arguments, "name");
    if (status != SKILL_ENOMEM) status = after_open(step, failed, name ? name : "");
    cJSON_Delete(arguments);
    return status;
  }
  size_t length = strlen(step->last);
  while (length && strchr("\n ", step->last[length - 1])) length--;
  if (failed) skill__buf_printf(&step->say, "%s failed: ", call->name);
  skill__buf_add(&step->say, step->last, length);
  if (!length) skill__buf_printf(&step->say, "%s returned nothing.", call->name);
  return 0;
}

static int decide(struct step *step) {
  const SkillModelRequest *request = step->request;
  const SkillMessage *asked = &request->messages[step->asked];
  const SkillMessage *last = &request->messages[request->message_count - 1];
  step->task = skill__strndup(asked->text ? asked->text : "", asked->text_length);
  step->last = skill__strndup(last->text ? last->text : "", last->text_length);
  if (!step->task || !step->last) return SKILL_ENOMEM;
  if (last == asked || request->choice == SKILL_TOOL_CHOICE_NONE) return begin(step);
  const SkillCall *call = last->role == SKILL_ROLE_TOOL ? find_call(step, last) : NULL;
  if (call) return after_call(step, call, last->error);
  skill__buf_text(&step->say, "Nothing here fits that request: there is nothing left to do.");
  return 0;
}

static void finish(struct step *step, SkillModelCall *call) {
  char id[32];
  size_t calls = 0;
  for (size_t i = 0; i < step->request->message_count; i++) calls += step->request->messages[i].call_count;
  snprintf(id, sizeof id, "offline_%zu", calls + 1);
  SkillCall made = {id, step->tool, step->arguments};
  SkillReply reply = {.stop = step->tool ? SKILL_STOP_TOOLS : SKILL_STOP_END, .model = "offline", .attempts = 1};
  reply.message = (SkillMessage){.role = SKILL_ROLE_ASSISTANT, .text = step->say.data, .text_length = step->say.length};
  if (step->tool) reply.message.calls = &made, reply.message.call_count = 1;
  reply.usage = skill__local_usage(step->request, &reply.message);
  if (step->request->stream) skill__local_stream(call, &reply.message);
  skill_model_call_finish(call, 0, NULL, &reply);
}

static int offline_request(SkillModel *model, const SkillModelRequest *request, SkillModelCall *call, SkillError *err) {
  struct step step = {.request = request, .asked = SIZE_MAX};
  (void)model;
  for (size_t i = 0; i < request->message_count; i++) {
    if (request->messages[i].role == SKILL_ROLE_USER && !request->messages[i].origin) step.asked = i;
  }
  if (step.asked == SIZE_MAX) return skill_error_set(err, SKILL_EINVAL, "the conversation holds no request");
  skill__buf_init(&step.say, SKILL_MAX_MESSAGE);
  int status = decide(&step);
  if (!status) status = skill__buf_status(&step.say);
  if (!status) finish(&step, call);
  skill__buf_fini(&step.say);
  skill__free(step.arguments);
  skill__free(step.task);
  skill__free(step.last);
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
