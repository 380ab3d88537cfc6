/* SPDX-License-Identifier: MIT
 *
 * Reading the configuration: YAML into a struct, by tables of keys. Fails at the first thing that is not understood,
 * with its place.
 */
#include "agent/config_yaml.h"
#include "agent/meta_definitions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/file.h"
#include "util/near.h"

/* --- models and assistants
 * -------------------------------------------------------------------------------------------- */

#define AT(type, member) offsetof(type, member)

#define COUNT(array) (sizeof(array) / sizeof *(array))

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
  SkillPreference *preference = target;
  const char *text = skill__config_scalar(node);
  bool always = text && strcmp(text, "always") == 0;
  (void)key;
  if (!always && !(text && strcmp(text, "lazy") == 0)) {
    return skill__config_wrong(r, node, SKILL_EINVAL, "mode is always or lazy, not ", text ? text : "a list");
  }
  preference->mode = always ? SKILL_MODE_ALWAYS : SKILL_MODE_LAZY;
  preference->mode_set = true;
  return 0;
}

static const struct skill__config_key preference_keys[] = {
    {"enabled", OFF, AT(SkillPreference, disabled), 0, NULL},
    {"mode", OTHER, 0, 0, read_mode},
};

static size_t pair_count(const yaml_node_t *node) {
  return (size_t)(node->data.mapping.pairs.top - node->data.mapping.pairs.start);
}

/* `skills:` of an assistant: NAME: {enabled, mode}. */
static int read_preferences(struct skill__config_reading *r, const char *key, const yaml_node_t *node, void *target) {
  SkillConfigAssistant *assistant = target;
  (void)key;
  if (node->type != YAML_MAPPING_NODE)
    return skill__config_wrong(r, node, SKILL_EINVAL, "names of skills are needed here", "");
  size_t count = pair_count(node);
  SkillPreference *list = skill__arena_alloc(&r->config->arena, (count + 1) * sizeof *list);
  if (!list) return skill__config_no_memory(r);
  for (size_t i = 0; i < count; i++) {
    const yaml_node_pair_t *pair = &node->data.mapping.pairs.start[i];
    const yaml_node_t *key_node = skill__config_node(r, pair->key);
    const char *name = skill__config_scalar(key_node);
    if (!name) return skill__config_wrong(r, key_node, SKILL_EINVAL, "the name of a skill is needed here", "");
    list[i].skill = skill__config_keep(r, name);
    if (!list[i].skill) return skill__config_no_memory(r);
    int status =
        skill__config_mapping(r, skill__config_node(r, pair->value), preference_keys, COUNT(preference_keys), &list[i]);
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

/* Whether something is forbidden to it: then a project's file can neither replace it nor turn away from it. */
static bool bound(const SkillConfigAssistant *assistant) {
  bool disabled = false;
  for (size_t i = 0; i < assistant->preference_count; i++) disabled = disabled || assistant->preferences[i].disabled;
  return disabled || assistant->allowed_skills_set || assistant->allowed_tools_set || assistant->tools_off;
}

/* A mapping from names to entries of one size; an entry of a name that is there already is replaced, which a project's
 * file may not do with an assistant that has bounds (`bounds`: the entries are assistants). */
static int read_named(struct skill__config_reading *r, const yaml_node_t *node, const struct skill__config_key *keys,
                      size_t key_count, size_t size, bool bounds, const void **list, size_t *list_count) {
  if (node->type != YAML_MAPPING_NODE) return skill__config_wrong(r, node, SKILL_EINVAL, "names are needed here", "");
  size_t most = *list_count + pair_count(node);
  if (most > SKILL__CONFIG_MOST) return skill__config_wrong(r, node, SKILL_ELIMIT, "too many entries", "");
  char *all = skill__arena_alloc(&r->config->arena, (most + 1) * size);
  if (!all) return skill__config_no_memory(r);
  size_t count = *list_count;
  if (count) memcpy(all, *list, count * size);
  for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
    const char *name = skill__config_scalar(skill__config_node(r, pair->key));
    size_t at = 0;
    if (!name || !*name)
      return skill__config_wrong(r, skill__config_node(r, pair->key), SKILL_EINVAL, "a name is needed here", "");
    while (at < count && strcmp(*(const char **)(void *)(all + at * size), name) != 0) at++;
    if (at < count && bounds && r->project && bound((const SkillConfigAssistant *)(void *)(all + at * size))) {
      return skill__config_wrong(r, skill__config_node(r, pair->key), SKILL_EDENIED,
                                 "a project's file cannot lift the bounds of ", name);
    }
    if (at == count) count++;
    memset(all + at * size, 0, size);
    *(const char **)(void *)(all + at * size) = skill__config_keep(r, name); /* `name` is the first member of both */
    if (!*(const char **)(void *)(all + at * size)) return skill__config_no_memory(r);
    int status = skill__config_mapping(r, skill__config_node(r, pair->value), keys, key_count, all + at * size);
    if (status) return status;
  }
  *list = all;
  *list_count = count;
  return 0;
}

/* --- the file
 * ---------------------------------------------------------------------------------------------------------- */

/* From lax to strict: none, dangerous, all. */
static int strictness(SkillApproval approval) {
  return approval == SKILL_APPROVAL_NONE ? 0 : approval == SKILL_APPROVAL_DANGEROUS ? 1 : 2;
}

static int read_approval(struct skill__config_reading *r, const char *key, const yaml_node_t *node, void *target) {
  SkillConfig *config = target;
  (void)key;
  const char *text = skill__config_scalar(node);
  SkillApproval approval;
  if (text && strcmp(text, "dangerous") == 0) {
    approval = SKILL_APPROVAL_DANGEROUS;
  } else if (text && strcmp(text, "all") == 0) {
    approval = SKILL_APPROVAL_ALL;
  } else if (text && strcmp(text, "none") == 0) {
    approval = SKILL_APPROVAL_NONE;
  } else {
    return skill__config_wrong(r, node, SKILL_EINVAL, "approval is dangerous, all or none, not ",
                               text ? text : "a list");
  }
  if (r->project && strictness(approval) < strictness(config->approval)) {
    return skill__config_wrong(r, node, SKILL_EINVAL, "a project's file cannot lower approval to ", text);
  }
  config->approval = approval;
  config->approval_set = true;
  return 0;
}

/* `scripts: false` and `sandbox: required` can be set by any file, and taken back by none after it. */
static int read_scripts(struct skill__config_reading *r, const char *key, const yaml_node_t *node, void *target) {
  SkillConfig *config = target;
  bool on = true;
  int status = skill__config_bool(r, node, &on);
  (void)key;
  if (!status) config->scripts_off = config->scripts_off || !on;
  return status;
}

static int read_sandbox(struct skill__config_reading *r, const char *key, const yaml_node_t *node, void *target) {
  SkillConfig *config = target;
  const char *text = skill__config_scalar(node);
  bool required = text && strcmp(text, "required") == 0;
  (void)key;
  if (!required && !(text && strcmp(text, "auto") == 0)) {
    return skill__config_wrong(r, node, SKILL_EINVAL, "sandbox is auto or required, not ", text ? text : "a list");
  }
  config->sandbox_required = config->sandbox_required || required;
  return 0;
}

static int read_offered(struct skill__config_reading *r, const char *key, const yaml_node_t *node, void *target) {
  SkillConfig *config = target;
  (void)key;
  const char *text = skill__config_scalar(node);
  if (text && skill_tools_offered_find(text, &config->tools_offered)) return 0;
  return skill__config_wrong(r, node, SKILL_EINVAL, "tools_offered is direct, constant or deferred, not ",
                             text ? text : "a list");
}

static int read_tool_name(struct skill__config_reading *r, const char *key, const yaml_node_t *node, void *target) {
  SkillConfig *config = target;
  SkillError why = SKILL_ERROR_INIT;
  const char *text = skill__config_scalar(node);
  SkillMetaTool which = 0;
  while (which + 1 < SKILL_META_COUNT && strcmp(key, skill_meta_tool_name(which)) != 0) which++;
  if (!text) return skill__config_wrong(r, node, SKILL_EINVAL, "a name is needed for ", key);
  config->tool_names[which] = skill__config_keep(r, text);
  if (!config->tool_names[which]) return skill__config_no_memory(r);
  return skill__meta_check_names(config->tool_names, &why) ? skill__config_wrong(r, node, SKILL_EINVAL, why.message, "")
                                                           : 0;
}

/* `tool_names:` skill_open: NAME. */
static int read_tool_names(struct skill__config_reading *r, const char *key, const yaml_node_t *node, void *target) {
  struct skill__config_key names[SKILL_META_COUNT];
  (void)key;
  for (SkillMetaTool i = 0; i < SKILL_META_COUNT; i++) {
    names[i] = (struct skill__config_key){skill_meta_tool_name(i), OTHER, 0, 0, read_tool_name};
  }
  return skill__config_mapping(r, node, names, SKILL_META_COUNT, target);
}

static int read_models(struct skill__config_reading *r, const char *key, const yaml_node_t *node, void *target) {
  SkillConfig *config = target;
  (void)key;
  return read_named(r, node, model_keys, COUNT(model_keys), sizeof(SkillConfigModel), false,
                    (const void **)(void *)&config->models, &config->model_count);
}

static int read_assistants(struct skill__config_reading *r, const char *key, const yaml_node_t *node, void *target) {
  SkillConfig *config = target;
  (void)key;
  return read_named(r, node, assistant_keys, COUNT(assistant_keys), sizeof(SkillConfigAssistant), true,
                    (const void **)(void *)&config->assistants, &config->assistant_count);
}

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

static int load_document(struct skill__config_reading *r, const char *text, size_t length) {
  yaml_parser_t parser;
  if (!yaml_parser_initialize(&parser)) return skill__config_no_memory(r);
  yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
  int status = 0;
  if (!yaml_parser_load(&parser, &r->document)) {
    /* Every fault of the text has a description; libyaml is silent, sometimes without an error code, when it is out of
     * memory. */
    status = !parser.problem
                 ? skill__config_no_memory(r)
                 : skill_error_set_at(r->err, SKILL_EPARSE, r->path, (unsigned)parser.problem_mark.line + 1,
                                      (unsigned)parser.problem_mark.column + 1, "not valid YAML: %s", parser.problem);
  }
  yaml_parser_delete(&parser);
  return status;
}

static int read_text(struct skill__config_reading *r, const char *text, size_t length) {
  int status = load_document(r, text, length);
  if (status) return status;
  const yaml_node_t *root = yaml_document_get_root_node(&r->document);
  if (root) status = skill__config_mapping(r, root, keys, COUNT(keys), &r->config->out);
  yaml_document_delete(&r->document);
  return status;
}

static int load_one(struct skill__config *config, const char *path, bool project, SkillError *err) {
  struct skill__config_reading r = {.config = config, .path = path, .project = project, .err = err};
  const char *slash = strrchr(path, '/');
  char *text = NULL;
  size_t length = 0;
  snprintf(r.folder, sizeof r.folder, "%.*s", slash ? (int)(slash - path) : 0, path);
  const SkillConfigAssistant *before = skill_config_assistant(&config->out, NULL);
  SkillError unread = SKILL_ERROR_INIT;
  int status = skill__file_load(skill_io_posix(), path, SKILL_MAX_CONFIG, &text, &length, &unread);
  if (status == SKILL_ENOENT) return 0;
  if (status && err && !err->code) *err = unread;
  if (!status) status = read_text(&r, text, length);
  skill__free(text);
  if (!status && project && before && bound(before) && strcmp(config->out.assistant, before->name) != 0) {
    return skill_error_set_at(err, SKILL_EDENIED, path, 0, 0, "a project's file cannot turn away from the assistant %s",
                              before->name);
  }
  return status;
}

/* Names that point to nothing are errors too. */
static int check_names(const SkillConfig *config, SkillError *err) {
  if (config->assistant && !skill_config_assistant(config, config->assistant)) {
    struct skill__near near;
    char meant[300];
    skill__near_begin(&near, config->assistant, 3);
    for (size_t i = 0; i < config->assistant_count; i++) skill__near_offer(&near, config->assistants[i].name);
    skill__near_text(&near, "; did you mean ", "?", meant, sizeof meant);
    return skill_error_set(err, SKILL_EINVAL, "assistant: there is no assistant '%.100s'%s", config->assistant, meant);
  }
  if (config->policy && !skill_policy_find(config->policy)) {
    return skill_error_set(err, SKILL_EINVAL,
                           "policy: there is no policy '%.100s'; there are relevance, sticky, budget, all and manual",
                           config->policy);
  }
  for (size_t i = 0; i < config->model_count; i++) {
    if (config->models[i].provider) continue;
    return skill_error_set(err, SKILL_EINVAL, "models: %s says no provider", config->models[i].name);
  }
  return 0;
}

int skill_config_load(const char *const *paths, size_t count, SkillConfig **out, SkillError *err) {
  struct skill__config *config = skill__calloc(1, sizeof *config);
  int status = config ? 0 : skill_error_set(err, SKILL_ENOMEM, "out of memory");
  for (size_t i = 0; i < count && !status; i++) status = load_one(config, paths[i], i > 0, err);
  if (!status) status = check_names(&config->out, err);
  if (status) {
    if (config) skill_config_free(&config->out);
    return status;
  }
  *out = &config->out;
  return 0;
}

void skill_config_free(SkillConfig *out) {
  if (!out) return;
  struct skill__config *config = (struct skill__config *)(void *)out;
  skill__arena_fini(&config->arena);
  skill__free(config);
}

const SkillConfigAssistant *skill_config_assistant(const SkillConfig *config, const char *name) {
  if (!name) name = config->assistant;
  for (size_t i = 0; i < config->assistant_count && name; i++) {
    if (strcmp(config->assistants[i].name, name) == 0) return &config->assistants[i];
  }
  return NULL;
}

const SkillConfigModel *skill_config_model(const SkillConfig *config, const char *name) {
  for (size_t i = 0; i < config->model_count && name; i++) {
    if (strcmp(config->models[i].name, name) == 0) return &config->models[i];
  }
  return NULL;
}

SkillPermissions skill_config_permissions(const SkillConfig *config, const SkillConfigAssistant *assistant) {
  SkillPermissions permissions = SKILL_PERMISSIONS_INIT;
  permissions.disabled_skills = config->disabled_skills;
  permissions.disabled_tools = config->disabled_tools;
  if (!assistant) return permissions;
  permissions.allowed_skills = assistant->allowed_skills;
  permissions.allowed_tools = assistant->allowed_tools;
  permissions.allowed_skills_set = assistant->allowed_skills_set;
  permissions.allowed_tools_set = assistant->allowed_tools_set;
  permissions.preferences = assistant->preferences;
  permissions.preference_count = assistant->preference_count;
  return permissions;
}
