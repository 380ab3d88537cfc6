/* SPDX-License-Identifier: MIT
 *
 * skill_open: resolve, activate, and hand out the instructions. A skill that may not be seen is answered as if it were
 * not there. Fails where the skill is unknown, cannot be activated, or its body cannot be read.
 */
#include "agent/meta_open.h"

#include <stdio.h>
#include <string.h>

#include "agent/opened_text.h"
#include "util/alloc.h"
#include "util/json.h"

struct opening {
  SkillAgent *agent;
  SkillToolCall *call;
  char *arguments; /* NULL: none */
  char name[SKILL_MAX_NAME + 1];
};

/* --- the call -------------------------------------------------------------------------------------------------- */

static void tell_opened(SkillAgent *agent, const char *name, size_t tokens, bool repeat) {
  SkillEvent event = {.kind = SKILL_EVENT_OPENED, .skill = name, .tokens = tokens};
  event.reason = repeat ? "its instructions are in the context already" : "its instructions enter the context";
  skill__agent_emit(agent, &event);
}

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

static void finish_opening(struct opening *opening, const SkillActivation *result) {
  SkillAgent *agent = opening->agent;
  SkillError why = SKILL_ERROR_INIT;
  const SkillActivationItem *item = result->count ? &result->items[0] : NULL;
  if (skill_tool_call_canceled(opening->call)) { /* nobody gets the text, so it is not in the context */
    skill__meta_finish(opening->call, SKILL_ECANCELED, "canceled");
    return;
  }
  if (result->status || !item) {
    skill__meta_finish(opening->call, result->status ? result->status : SKILL_EFAILED, "%s could not be activated: %s",
                       opening->name, item ? item->reason : "no reason given");
    return;
  }
  Skill *skill = skill_registry_find(agent->options.registry, opening->name);
  int status = skill ? skill__agent_offer_skill(agent, item->name, item->tools, item->tool_count) : SKILL_ENOENT;
  bool repeat = skill_loader_body_state(agent->loader, opening->name) == SKILL_BODY_IN_CONTEXT && !opening->arguments;
  char *text = NULL;
  size_t length = 0;
  if (!status) status = skill__open_text(agent, skill, item, opening->arguments, repeat, &text, &length, &why);
  char *last = status ? NULL : skill__strdup(opening->name);
  if (!status && !last) status = SKILL_ENOMEM; /* opened without its allowed-tools it could call any tool */
  if (status) {
    skill_free(text);
    skill__meta_finish(opening->call, status, "%s cannot be opened: %s", opening->name,
                       why.code ? why.message : skill_strerror(status));
    return;
  }
  (void)skill_loader_set_body_state(agent->loader, opening->name, SKILL_BODY_IN_CONTEXT);
  skill__free(agent->opened_last);
  agent->opened_last = last;
  tell_opened(agent, opening->name, skill_tokens_count(agent->tokenizer, text, length), repeat);
  if (repeat || agent->profile.body == SKILL_BODY_IN_RESULT) {
    skill_tool_call_finish(opening->call, 0, text, length);
  } else if (keep_body(agent, opening->name, text, length)) {
    skill__meta_finish(opening->call, SKILL_ENOMEM, "out of memory");
  } else {
    skill__meta_finish(opening->call, 0, "Opened %s; its instructions follow.", opening->name);
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
  int status = skill__buf_status(&buf);
  *out = status ? NULL : skill__buf_take(&buf, NULL);
  skill__buf_fini(&buf);
  return status || *out ? status : SKILL_ENOMEM;
}

static void start_opening(SkillAgent *agent, SkillToolCall *call, const char *name, char *arguments) {
  SkillError why = SKILL_ERROR_INIT;
  struct opening *opening = skill__calloc(1, sizeof *opening);
  if (!opening) {
    skill__free(arguments);
    skill__meta_finish(call, SKILL_ENOMEM, "out of memory");
    return;
  }
  opening->agent = agent;
  opening->call = call;
  opening->arguments = arguments;
  snprintf(opening->name, sizeof opening->name, "%s", name);
  int status = skill_loader_activate(agent->loader, name, on_open, opening, NULL, &why);
  if (!status) {
    skill__agent_step_loader(agent);
    return;
  }
  skill__free(arguments);
  skill__free(opening);
  skill__meta_finish(call, status, "%s cannot be opened: %s", name, why.message);
}

void skill__open_call(SkillToolCall *call, const char *arguments_json, void *user) {
  SkillAgent *agent = user;
  SkillError why = SKILL_ERROR_INIT;
  cJSON *root = skill__meta_arguments(call, arguments_json);
  if (!root) return;
  const char *name = skill__json_string(root, "name");
  Skill *skill = name ? skill_registry_find(agent->options.registry, name) : NULL;
  if (!skill || !skill__agent_shows(agent, skill)) {
    char near[512];
    if (skill) {
      SkillEvent event = {.kind = SKILL_EVENT_DENIED, .skill = name, .reason = "opened though it may not be seen"};
      skill__agent_emit(agent, &event);
    }
    skill__agent_suggest(agent, name ? name : "", near, sizeof near);
    skill__meta_finish(call, SKILL_ENOENT, "There is no skill '%.200s'%s.", name ? name : "", near);
    cJSON_Delete(root);
    return;
  }
  char *arguments = NULL;
  int status = read_arguments(cJSON_GetObjectItemCaseSensitive(root, "args"), &arguments);
  if (status) {
    skill__meta_finish(call, status, "%s", skill_strerror(status));
  } else if (skill_metadata(skill)->context == SKILL_CONTEXT_INLINE) {
    start_opening(agent, call, skill_name(skill), arguments);
  } else {
    status = skill__agent_fork(agent, skill, arguments, call, &why);
    if (status) skill__meta_finish(call, status, "%s", why.message);
    skill__free(arguments);
  }
  cJSON_Delete(root);
}
