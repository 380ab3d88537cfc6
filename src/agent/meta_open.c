/* SPDX-License-Identifier: MIT
 *
 * skill_open: finds the skill, activates it and returns its instructions. A skill that the model may not know of is
 * answered as if it did not exist. Fails if the skill is unknown, cannot be activated, or its body cannot be read.
 */
#include <stdio.h>
#include <string.h>

#include "agent/meta_tools.h"
#include "util/alloc.h"
#include "util/json.h"

struct opening {
  SkillAgent *agent;
  SkillToolCall *call;
  char *arguments; /* NULL: none */
  char name[SKILL_MAX_NAME + 1];
};

static void emit_opened(SkillAgent *agent, const char *name, size_t tokens, bool repeat) {
  SkillEvent event = {.kind = SKILL_EVENT_OPENED, .skill = name, .tokens = tokens};
  event.reason = repeat ? "its instructions are in the context already" : "its instructions enter the context";
  skill__agent_emit(agent, &event);
}

/* Keeps the text for a message of its own, which follows all results. */
static int keep_body(SkillAgent *agent, const char *name, const char *text, size_t length) {
  size_t name_size = strlen(name) + 1;
  struct skill__pending_body *body = skill__malloc(sizeof *body + name_size + length + 1);
  struct skill__pending_body **at = &agent->bodies;
  if (!body) return SKILL_ENOMEM;
  body->next = NULL;
  body->skill = memcpy(body + 1, name, name_size);
  body->text = memcpy((char *)(body + 1) + name_size, text, length + 1);
  body->length = length;
  while (*at) at = &(*at)->next;
  *at = body;
  return 0;
}

static void answer_opened(struct opening *opening, const char *text, size_t length, bool repeat) {
  SkillAgent *agent = opening->agent;
  if (repeat || agent->profile.body == SKILL_BODY_IN_RESULT) {
    skill_tool_call_finish(opening->call, 0, text, length);
  } else if (keep_body(agent, opening->name, text, length)) {
    skill__meta_finish(opening->call, SKILL_ENOMEM, "out of memory");
  } else {
    skill__meta_finish(opening->call, 0, "Opened %s; its instructions follow.", opening->name);
  }
}

static void finish_opening(struct opening *opening, const SkillActivation *result) {
  SkillAgent *agent = opening->agent;
  const char *name = opening->name;
  SkillError why = SKILL_ERROR_INIT;
  const SkillActivationItem *item = result->count ? result->items[0] : NULL;
  if (skill_tool_call_canceled(opening->call)) { /* the text does not reach the context */
    skill__meta_finish(opening->call, SKILL_ECANCELED, "canceled");
    return;
  }
  if (result->status || !item) {
    skill__meta_finish(opening->call, result->status ? result->status : SKILL_EFAILED, "%s could not be activated: %s",
                       name, item ? item->reason : "no reason given");
    return;
  }
  Skill *skill = skill_registry_find(agent->options.registry, name);
  int status = skill ? skill__agent_offer_skill(agent, item->name, item->tools, item->tool_count) : SKILL_ENOENT;
  bool repeat = skill_loader_body_state(agent->loader, name) == SKILL_BODY_IN_CONTEXT && !opening->arguments;
  char *text = NULL;
  size_t length = 0;
  if (!status) status = skill__open_text(agent, skill, opening->arguments, repeat, &text, &length, &why);
  char *last = status ? NULL : skill__strdup(name);
  if (!status && !last) status = SKILL_ENOMEM; /* without its allowed-tools it could call any tool */
  if (!status) {
    (void)skill_loader_set_body_state(agent->loader, name, SKILL_BODY_IN_CONTEXT);
    skill__free(agent->opened_last);
    agent->opened_last = last;
    emit_opened(agent, name, skill_tokens_count(agent->tokenizer, text, length), repeat);
    answer_opened(opening, text, length, repeat);
  } else {
    skill__meta_finish(opening->call, status, "%s cannot be opened: %s", name,
                       why.code ? why.message : skill_strerror(status));
  }
  skill_free(text);
}

static void on_open(ProgressiveSkillLoader *loader, const SkillActivation *result, void *user) {
  struct opening *opening = user;
  (void)loader;
  finish_opening(opening, result);
  skill__free(opening->arguments);
  skill__free(opening);
}

/* Copies `args` as text: a string as it is, anything else as JSON. NULL: none, or an empty string. */
static int read_arguments(const cJSON *args, char **out) {
  struct skill__buf buf;
  if (!args || cJSON_IsNull(args) || (cJSON_IsString(args) && !*args->valuestring)) return 0;
  skill__buf_init(&buf, SKILL_MAX_ARGUMENTS);
  if (cJSON_IsString(args)) skill__buf_text(&buf, args->valuestring);
  if (!cJSON_IsString(args)) skill__json_print(&buf, args);
  return skill__buf_finish(&buf, out, NULL);
}

/* Takes `arguments`. */
static void start_opening(SkillAgent *agent, SkillToolCall *call, const char *name, char *arguments) {
  SkillError why = SKILL_ERROR_INIT;
  struct opening *opening = skill__calloc(1, sizeof *opening);
  int status = opening ? 0 : skill_error_set(&why, SKILL_ENOMEM, "out of memory");
  if (!status) {
    *opening = (struct opening){agent, call, arguments, ""};
    snprintf(opening->name, sizeof opening->name, "%s", name);
    status = skill_loader_activate(agent->loader, name, on_open, opening, NULL, &why);
  }
  if (!status) {
    skill__agent_step_loader(agent);
    return;
  }
  skill__free(arguments);
  skill__free(opening);
  skill__meta_finish(call, status, "%s cannot be opened: %s", name, why.message);
}

void skill__meta_open(SkillAgent *agent, SkillToolCall *call, const cJSON *arguments) {
  SkillError why = SKILL_ERROR_INIT;
  char *args = NULL;
  Skill *skill =
      skill__meta_skill(agent, call, skill__meta_string(arguments, "name"), "opened though it may not be seen");
  if (!skill) return;
  int status = read_arguments(cJSON_GetObjectItemCaseSensitive(arguments, "args"), &args);
  if (status) {
    skill__meta_finish(call, status, "%s", skill_strerror(status));
  } else if (skill_metadata(skill)->context == SKILL_CONTEXT_INLINE) {
    start_opening(agent, call, skill_name(skill), args);
  } else {
    status = skill__agent_fork(agent, skill, args, call, &why);
    if (status) skill__meta_finish(call, status, "%s", why.message);
    skill__free(args);
  }
}
