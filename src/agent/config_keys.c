/* SPDX-License-Identifier: MIT
 *
 * The keys of a configuration: tables, and readers for the keys that need more than a table. A project's file may only
 * tighten what earlier files say.
 */
#include <string.h>

#include "agent/config_yaml.h"
#include "agent/meta_definitions.h"

#define AT(type, member) offsetof(type, member)
#define COUNT(array) (sizeof(array) / sizeof *(array))

static size_t pair_count(const yaml_node_t *node) {
  return (size_t)(node->data.mapping.pairs.top - node->data.mapping.pairs.start);
}

/* --- models and assistants ------------------------------------------------------------------------------------- */

static const struct skill__config_key model_keys[] = {
    {"provider", TEXT, AT(SkillConfigModel, provider), 0, NULL},
    {"base_url", OWN_TEXT, AT(SkillConfigModel, base_url), 0, NULL},
    {"key_env", OWN_TEXT, AT(SkillConfigModel, key_env), 0, NULL},
    {"key_command", OWN_TEXT, AT(SkillConfigModel, key_command), 0, NULL},
    {"proxy", OWN_TEXT, AT(SkillConfigModel, proxy), 0, NULL},
    {"window", NUMBER, AT(SkillConfigModel, window), 0, NULL},
    {"max_output", NUMBER, AT(SkillConfigModel, max_output), 0, NULL},
};

static int read_mode(struct skill__config_reading *r, const char *key, const yaml_node_t *node, void *target) {
  static const char *const modes[] = {"always", "lazy", NULL};
  SkillPreference *preference = target;
  size_t mode = 0;
  int status = skill__config_choice(r, key, node, modes, &mode);
  if (status) return status;
  preference->mode = mode ? SKILL_MODE_LAZY : SKILL_MODE_ALWAYS;
  preference->mode_set = true;
  return 0;
}

static const struct skill__config_key preference_keys[] = {
    {"enabled", OFF, AT(SkillPreference, disabled), 0, NULL},
    {"mode", OTHER, 0, 0, read_mode},
};

/* `skills:` of an assistant: NAME: {enabled, mode}. */
static int read_preferences(struct skill__config_reading *r, const char *key, const yaml_node_t *node, void *target) {
  SkillConfigAssistant *assistant = target;
  (void)key;
  if (node->type != YAML_MAPPING_NODE)
    return skill__config_wrong(r, node, SKILL_EINVAL, "names of skills are needed here");
  size_t count = pair_count(node);
  SkillPreference *list = skill__arena_alloc(&r->config->arena, (count + 1) * sizeof *list);
  if (!list) return skill__config_no_memory(r);
  for (size_t i = 0; i < count; i++) {
    const yaml_node_pair_t *pair = &node->data.mapping.pairs.start[i];
    const yaml_node_t *name = skill__config_node(r, pair->key);
    if (!skill__config_scalar(name))
      return skill__config_wrong(r, name, SKILL_EINVAL, "the name of a skill is needed here");
    list[i].skill = skill__config_keep(r, skill__config_scalar(name));
    if (!list[i].skill) return skill__config_no_memory(r);
    const yaml_node_t *value = skill__config_node(r, pair->value);
    int status = skill__config_mapping(r, value, preference_keys, COUNT(preference_keys), &list[i]);
    if (status) return status;
  }
  assistant->preferences = list;
  assistant->preference_count = count;
  return 0;
}

static const struct skill__config_key assistant_keys[] = {
    {"skills", OTHER, 0, 0, read_preferences},
    {"system", TEXT, AT(SkillConfigAssistant, system), 0, NULL},
    {"model", TEXT, AT(SkillConfigAssistant, model), 0, NULL},
    {"allowed_skills", LIST, AT(SkillConfigAssistant, allowed_skills), AT(SkillConfigAssistant, allowed_skills_set),
     NULL},
    {"allowed_tools", LIST, AT(SkillConfigAssistant, allowed_tools), AT(SkillConfigAssistant, allowed_tools_set), NULL},
    {"tools", OFF, AT(SkillConfigAssistant, tools_off), 0, NULL},
    {"max_requests", NUMBER, AT(SkillConfigAssistant, max_requests), 0, NULL},
    {"budget", NUMBER, AT(SkillConfigAssistant, budget), 0, NULL},
};

bool skill__config_bound(const SkillConfigAssistant *assistant) {
  bool disabled = false;
  for (size_t i = 0; i < assistant->preference_count; i++) disabled = disabled || assistant->preferences[i].disabled;
  return disabled || assistant->allowed_skills_set || assistant->allowed_tools_set || assistant->tools_off;
}

/* A mapping from names to structs of one kind. */
struct named_list {
  const struct skill__config_key *keys;
  size_t key_count;
  size_t size;                                          /* of a struct; its first member is the name */
  char *items;                                          /* the new list */
  size_t count;                                         /* the old one's, then the new one's */
  bool (*bound)(const SkillConfigAssistant *assistant); /* NULL, or says which entries a project may not replace */
};

static const char **name_at(const struct named_list *list, size_t index) {
  return (const char **)(void *)(list->items + index * list->size);
}

/* The place for an entry: the old one's of that name, which is cleared, or a new one. */
static int place_entry(struct skill__config_reading *r, const yaml_node_t *node, struct named_list *list, void **out) {
  const char *name = skill__config_scalar(node);
  size_t at = 0;
  if (!name || !*name) return skill__config_wrong(r, node, SKILL_EINVAL, "a name is needed here");
  while (at < list->count && strcmp(*name_at(list, at), name) != 0) at++;
  if (at < list->count && list->bound && r->project && list->bound((void *)name_at(list, at))) {
    return skill__config_wrong(r, node, SKILL_EDENIED, "a project's file cannot lift the bounds of %s", name);
  }
  if (at == list->count) list->count++;
  memset(list->items + at * list->size, 0, list->size);
  *name_at(list, at) = skill__config_keep(r, name);
  *out = name_at(list, at);
  return *name_at(list, at) ? 0 : skill__config_no_memory(r);
}

/* Reads entries behind those of `old`. */
static int read_named(struct skill__config_reading *r, const yaml_node_t *node, const void *old,
                      struct named_list *list) {
  if (node->type != YAML_MAPPING_NODE) return skill__config_wrong(r, node, SKILL_EINVAL, "names are needed here");
  size_t most = list->count + pair_count(node);
  if (most > SKILL__CONFIG_MOST) return skill__config_wrong(r, node, SKILL_ELIMIT, "too many entries");
  list->items = skill__arena_alloc(&r->config->arena, (most + 1) * list->size);
  if (!list->items) return skill__config_no_memory(r);
  if (list->count) memcpy(list->items, old, list->count * list->size);
  for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
    void *entry = NULL;
    int status = place_entry(r, skill__config_node(r, pair->key), list, &entry);
    if (!status)
      status = skill__config_mapping(r, skill__config_node(r, pair->value), list->keys, list->key_count, entry);
    if (status) return status;
  }
  return 0;
}

static int read_models(struct skill__config_reading *r, const char *key, const yaml_node_t *node, void *target) {
  SkillConfig *config = target;
  struct named_list list = {model_keys, COUNT(model_keys), sizeof(SkillConfigModel), NULL, config->model_count, NULL};
  (void)key;
  int status = read_named(r, node, config->models, &list);
  if (status) return status;
  config->models = (const SkillConfigModel *)(void *)list.items;
  config->model_count = list.count;
  return 0;
}

static int read_assistants(struct skill__config_reading *r, const char *key, const yaml_node_t *node, void *target) {
  SkillConfig *config = target;
  struct named_list list = {assistant_keys, COUNT(assistant_keys),   sizeof(SkillConfigAssistant),
                            NULL,           config->assistant_count, skill__config_bound};
  (void)key;
  int status = read_named(r, node, config->assistants, &list);
  if (status) return status;
  config->assistants = (const SkillConfigAssistant *)(void *)list.items;
  config->assistant_count = list.count;
  return 0;
}

/* --- what only tightens ---------------------------------------------------------------------------------------- */

static int read_approval(struct skill__config_reading *r, const char *key, const yaml_node_t *node, void *target) {
  static const char *const names[] = {"dangerous", "all", "none", NULL}; /* as in SkillApproval */
  static const int strictness[] = {1, 2, 0};
  SkillConfig *config = target;
  size_t approval = 0;
  int status = skill__config_choice(r, key, node, names, &approval);
  if (status) return status;
  if (r->project && strictness[approval] < strictness[config->approval]) {
    return skill__config_wrong(r, node, SKILL_EINVAL, "a project's file cannot lower approval to %s", names[approval]);
  }
  config->approval = (SkillApproval)approval;
  config->approval_set = true;
  return 0;
}

/* Any file can set `scripts: false` and `sandbox: required`, and no later one can take it back. */
static int read_scripts(struct skill__config_reading *r, const char *key, const yaml_node_t *node, void *target) {
  SkillConfig *config = target;
  bool on = true;
  int status = skill__config_bool(r, node, &on);
  (void)key;
  if (!status) config->scripts_off = config->scripts_off || !on;
  return status;
}

static int read_sandbox(struct skill__config_reading *r, const char *key, const yaml_node_t *node, void *target) {
  static const char *const names[] = {"auto", "required", NULL};
  SkillConfig *config = target;
  size_t required = 0;
  int status = skill__config_choice(r, key, node, names, &required);
  if (!status) config->sandbox_required = config->sandbox_required || required;
  return status;
}

/* --- tools ----------------------------------------------------------------------------------------------------- */

static int read_offered(struct skill__config_reading *r, const char *key, const yaml_node_t *node, void *target) {
  SkillConfig *config = target;
  size_t offered = 0;
  int status = skill__config_choice(r, key, node, skill__tools_offered_names, &offered);
  if (!status) config->tools_offered = (SkillToolsOffered)offered;
  return status;
}

static int read_tool_name(struct skill__config_reading *r, const char *key, const yaml_node_t *node, void *target) {
  SkillConfig *config = target;
  SkillError why = SKILL_ERROR_INIT;
  const char *text = skill__config_scalar(node);
  SkillMetaTool which = 0;
  while (which + 1 < SKILL_META_COUNT && strcmp(key, skill_meta_tool_name(which)) != 0) which++;
  if (!text) return skill__config_wrong(r, node, SKILL_EINVAL, "a name is needed for %s", key);
  config->tool_names[which] = skill__config_keep(r, text);
  if (!config->tool_names[which]) return skill__config_no_memory(r);
  if (!skill__meta_check_names(config->tool_names, &why)) return 0;
  return skill__config_wrong(r, node, SKILL_EINVAL, "%s", why.message);
}

/* `tool_names:` skill_open: NAME. */
static int read_tool_names(struct skill__config_reading *r, const char *key, const yaml_node_t *node, void *target) {
  struct skill__config_key names[SKILL_META_COUNT];
  /* A new name would take a tool out of a ban on its old one. */
  if (r->project)
    return skill__config_wrong(r, node, SKILL_EDENIED, "a project's file cannot set %s; use your own configuration",
                               key);
  for (SkillMetaTool i = 0; i < SKILL_META_COUNT; i++) {
    names[i] = (struct skill__config_key){skill_meta_tool_name(i), OTHER, 0, 0, read_tool_name};
  }
  return skill__config_mapping(r, node, names, SKILL_META_COUNT, target);
}

/* --- the file -------------------------------------------------------------------------------------------------- */

static const struct skill__config_key keys[] = {
    {"model", TEXT, AT(SkillConfig, model), 0, NULL},
    {"assistant", TEXT, AT(SkillConfig, assistant), 0, NULL},
    {"policy", TEXT, AT(SkillConfig, policy), 0, NULL},
    {"log", PATH, AT(SkillConfig, log), 0, NULL},
    {"skills", FOLDERS, AT(SkillConfig, skills), 0, NULL},
    {"disabled_skills", MORE, AT(SkillConfig, disabled_skills), 0, NULL},
    {"disabled_tools", MORE, AT(SkillConfig, disabled_tools), 0, NULL},
    {"roots", PLACES, AT(SkillConfig, roots), 0, NULL},
    {"writable", PLACES, AT(SkillConfig, writable), 0, NULL},
    {"retrieve", PLACES, AT(SkillConfig, retrieve), 0, NULL},
    {"retrieve_tokens", NUMBER, AT(SkillConfig, retrieve_tokens), 0, NULL},
    {"max_active", NUMBER, AT(SkillConfig, max_active), 0, NULL},
    {"budget", NUMBER, AT(SkillConfig, budget), 0, NULL},
    {"max_requests", NUMBER, AT(SkillConfig, max_requests), 0, NULL},
    {"approval", OTHER, 0, 0, read_approval},
    {"scripts", OTHER, 0, 0, read_scripts},
    {"sandbox", OTHER, 0, 0, read_sandbox},
    {"tools_offered", OTHER, 0, 0, read_offered},
    {"tool_names", OTHER, 0, 0, read_tool_names},
    {"models", OTHER, 0, 0, read_models},
    {"assistants", OTHER, 0, 0, read_assistants},
};

int skill__config_keys(struct skill__config_reading *r, const yaml_node_t *root) {
  return skill__config_mapping(r, root, keys, COUNT(keys), &r->config->out);
}
