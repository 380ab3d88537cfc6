/* SPDX-License-Identifier: MIT
 *
 * Loads configuration files, one over the other, and answers questions about the result. Fails at the first thing that
 * is not understood, with its place.
 */
#include <stdio.h>
#include <string.h>

#include "agent/config_yaml.h"
#include "loader/policy.h"
#include "util/alloc.h"
#include "util/file.h"
#include "util/near.h"
#include "util/options.h"

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
  if (root) status = skill__config_keys(r, root);
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
  if (!status && project && before && skill__config_bound(before) && strcmp(config->out.assistant, before->name) != 0) {
    return skill_error_set_at(err, SKILL_EDENIED, path, 0, 0, "a project's file cannot turn away from the assistant %s",
                              before->name);
  }
  return status;
}

/* Names must refer to something that exists. */
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
    char names[200];
    skill__policy_names(names, sizeof names);
    return skill_error_set(err, SKILL_EINVAL, "policy: there is no policy '%.100s'; use %s", config->policy, names);
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

void skill_config_permissions(const SkillConfig *config, const SkillConfigAssistant *assistant, SkillPermissions *out) {
  SkillPermissions permissions = SKILL_PERMISSIONS_INIT;
  permissions.disabled_skills = config->disabled_skills;
  permissions.disabled_tools = config->disabled_tools;
  if (assistant) {
    permissions.allowed_skills = assistant->allowed_skills;
    permissions.allowed_tools = assistant->allowed_tools;
    permissions.allowed_skills_set = assistant->allowed_skills_set;
    permissions.allowed_tools_set = assistant->allowed_tools_set;
    permissions.preferences = assistant->preferences;
    permissions.preference_count = assistant->preference_count;
  }
  skill__options_write(out, sizeof *out, &permissions);
}
