/* SPDX-License-Identifier: MIT
 *
 * Reading the configuration: YAML into a struct, by tables of keys. Fails at the first thing that is not understood,
 * with its place.
 */
#include "skillet/config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "util/alloc.h"
#include "util/arena.h"
#include "util/expand.h"
#include "util/file.h"

enum { MOST_ITEMS = 1000 };

struct config {
  SkillConfig out; /* first: handed out */
  struct skill__arena arena;
};

struct reading {
  struct config *config;
  yaml_document_t document;
  const char *path;
  char folder[SKILL_MAX_PATH];
  bool project; /* not the first file: it may only tighten */
  SkillError *err;
};

enum kind { TEXT, PATH, NUMBER, OFF, ON, LIST, MORE, FOLDERS };

struct key {
  const char *name;
  enum kind kind;
  size_t offset;
  size_t set; /* offset of a bool that says the key was there; 0: none */
};

/* --- places and values
 * ------------------------------------------------------------------------------------------------ */

static int wrong(struct reading *r, const yaml_node_t *node, int code, const char *what, const char *detail) {
  return skill_error_set_at(r->err, code, r->path, (unsigned)node->start_mark.line + 1,
                            (unsigned)node->start_mark.column + 1, "%s%s", what, detail);
}

static const char *scalar(const yaml_node_t *node) {
  return node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

static yaml_node_t *node_at(struct reading *r, int index) {
  return yaml_document_get_node(&r->document, index);
}

static char *keep(struct reading *r, const char *text) {
  return skill__arena_strdup(&r->config->arena, text);
}

static int out_of_memory(struct reading *r) {
  return skill_error_set(r->err, SKILL_ENOMEM, "out of memory");
}

static int read_number(struct reading *r, const yaml_node_t *node, size_t *out) {
  const char *text = scalar(node);
  char *end = NULL;
  errno = 0;
  unsigned long long number = text ? strtoull(text, &end, 10) : 0;
  if (!text || errno || !*text || *text == '-' || *end || number > (1ULL << 40)) {
    return wrong(r, node, SKILL_EINVAL, "a whole number is needed here, not ", text ? text : "a list or mapping");
  }
  *out = (size_t)number;
  return 0;
}

static int read_bool(struct reading *r, const yaml_node_t *node, bool *out) {
  const char *text = scalar(node);
  bool yes = text && (strcmp(text, "true") == 0 || strcmp(text, "yes") == 0 || strcmp(text, "on") == 0);
  bool no = text && (strcmp(text, "false") == 0 || strcmp(text, "no") == 0 || strcmp(text, "off") == 0);
  if (!yes && !no) return wrong(r, node, SKILL_EINVAL, "true or false is needed here, not ", text ? text : "a list");
  *out = yes;
  return 0;
}

static const char *variable(const char *name) {
  return getenv(name);
}

/* "~" and variables are replaced; what then is relative is so to `folder`. */
static int keep_path(struct reading *r, const yaml_node_t *node, const char *folder, const char **out) {
  char path[2 * SKILL_MAX_PATH];
  SkillError why = SKILL_ERROR_INIT;
  size_t length = strlen(folder);
  int status = skill__expand(scalar(node), variable, path + SKILL_MAX_PATH, SKILL_MAX_PATH, &why);
  if (status) return wrong(r, node, status, why.message, "");
  char *begin = path + SKILL_MAX_PATH;
  if (*begin != '/' && length) {
    *--begin = '/';
    begin -= length;
    memcpy(begin, folder, length);
  }
  *out = keep(r, begin);
  return *out ? 0 : out_of_memory(r);
}

/* A list of texts; a single text is a list of one. `more` adds to what is there. */
static int read_list(struct reading *r, const yaml_node_t *node, enum kind kind, SkillStrings *out) {
  size_t before = kind == MORE ? out->count : 0;
  bool one = node->type == YAML_SCALAR_NODE;
  if (!one && node->type != YAML_SEQUENCE_NODE) return wrong(r, node, SKILL_EINVAL, "a list is needed here", "");
  size_t count = one ? 1 : (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
  if (before + count > MOST_ITEMS) return wrong(r, node, SKILL_ELIMIT, "too long a list", "");
  const char **items = skill__arena_alloc(&r->config->arena, (before + count + 1) * sizeof *items);
  if (!items) return out_of_memory(r);
  for (size_t i = 0; i < before; i++) items[i] = out->items[i];
  for (size_t i = 0; i < count; i++) {
    const yaml_node_t *item = one ? node : node_at(r, node->data.sequence.items.start[i]);
    if (!scalar(item)) return wrong(r, item, SKILL_EINVAL, "a text is needed here", "");
    int status = kind == FOLDERS ? keep_path(r, item, r->folder, &items[before + i]) : 0;
    if (status) return status;
    if (kind != FOLDERS && !(items[before + i] = keep(r, scalar(item)))) return out_of_memory(r);
  }
  *out = (SkillStrings){items, before + count};
  return 0;
}

static int read_value(struct reading *r, const struct key *key, const yaml_node_t *node, char *target) {
  void *at = target + key->offset;
  bool flag = false;
  int status = 0;
  switch (key->kind) {
    case TEXT:
    case PATH:
      if (!scalar(node)) return wrong(r, node, SKILL_EINVAL, "a text is needed for ", key->name);
      if (key->kind == PATH) return keep_path(r, node, "", at);
      *(const char **)at = keep(r, scalar(node));
      status = *(const char **)at ? 0 : out_of_memory(r);
      break;
    case NUMBER:
      status = read_number(r, node, at);
      break;
    case OFF: /* the key says whether it is on, the member whether it is off */
    case ON:
      status = read_bool(r, node, &flag);
      if (!status) *(bool *)at = key->kind == ON ? flag : !flag;
      break;
    default:
      status = read_list(r, node, key->kind, at);
  }
  if (!status && key->set) *(bool *)(target + key->set) = true;
  return status;
}

/* A mapping by a table; `other` (may be NULL) gets the keys that the table lacks and says whether it knew one. */
typedef int (*other_fn)(struct reading *r, const char *key, const yaml_node_t *node, void *target, bool *known);

static int read_mapping(struct reading *r, const yaml_node_t *node, const struct key *keys, size_t count, void *target,
                        other_fn other) {
  if (node->type != YAML_MAPPING_NODE) return wrong(r, node, SKILL_EINVAL, "keys with values are needed here", "");
  for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
    const yaml_node_t *name = node_at(r, pair->key);
    const yaml_node_t *value = node_at(r, pair->value);
    const char *text = scalar(name);
    bool known = false;
    int status = 0;
    for (size_t i = 0; i < count && text && !known; i++) {
      known = strcmp(keys[i].name, text) == 0;
      if (known) status = read_value(r, &keys[i], value, target);
    }
    if (!known && text && other) status = other(r, text, value, target, &known);
    if (status) return status;
    if (!known) return wrong(r, name, SKILL_EINVAL, "there is no key ", text ? text : "of that kind");
  }
  return 0;
}

/* --- models and assistants
 * -------------------------------------------------------------------------------------------- */

#define AT(type, member) offsetof(type, member)

static const struct key model_keys[] = {
    {"provider", TEXT, AT(SkillConfigModel, provider), 0},
    {"base_url", TEXT, AT(SkillConfigModel, base_url), 0},
    {"key_env", TEXT, AT(SkillConfigModel, key_env), 0},
    {"key_command", TEXT, AT(SkillConfigModel, key_command), 0},
    {"proxy", TEXT, AT(SkillConfigModel, proxy), 0},
    {"window", NUMBER, AT(SkillConfigModel, window), 0},
    {"max_output", NUMBER, AT(SkillConfigModel, max_output), 0},
};

static const struct key assistant_keys[] = {
    {"system", TEXT, AT(SkillConfigAssistant, system), 0},
    {"model", TEXT, AT(SkillConfigAssistant, model), 0},
    {"allowed_skills", LIST, AT(SkillConfigAssistant, allowed_skills), AT(SkillConfigAssistant, allowed_skills_set)},
    {"allowed_tools", LIST, AT(SkillConfigAssistant, allowed_tools), AT(SkillConfigAssistant, allowed_tools_set)},
    {"tools", OFF, AT(SkillConfigAssistant, tools_off), 0},
    {"max_requests", NUMBER, AT(SkillConfigAssistant, max_requests), 0},
    {"budget", NUMBER, AT(SkillConfigAssistant, budget), 0},
};

static const struct key preference_keys[] = {{"enabled", OFF, AT(SkillPreference, disabled), 0}};

static int read_mode(struct reading *r, const char *key, const yaml_node_t *node, void *target, bool *known) {
  SkillPreference *preference = target;
  const char *text = scalar(node);
  *known = strcmp(key, "mode") == 0;
  if (!*known) return 0;
  bool always = text && strcmp(text, "always") == 0;
  if (!always && !(text && strcmp(text, "lazy") == 0)) {
    return wrong(r, node, SKILL_EINVAL, "mode is always or lazy, not ", text ? text : "a list");
  }
  preference->mode = always ? SKILL_MODE_ALWAYS : SKILL_MODE_LAZY;
  preference->mode_set = true;
  return 0;
}

static size_t pair_count(const yaml_node_t *node) {
  return (size_t)(node->data.mapping.pairs.top - node->data.mapping.pairs.start);
}

/* `skills:` of an assistant: NAME: {enabled, mode}. */
static int read_preferences(struct reading *r, const char *key, const yaml_node_t *node, void *target, bool *known) {
  SkillConfigAssistant *assistant = target;
  *known = strcmp(key, "skills") == 0;
  if (!*known) return 0;
  if (node->type != YAML_MAPPING_NODE) return wrong(r, node, SKILL_EINVAL, "names of skills are needed here", "");
  size_t count = pair_count(node);
  SkillPreference *list = skill__arena_alloc(&r->config->arena, (count + 1) * sizeof *list);
  if (!list) return out_of_memory(r);
  for (size_t i = 0; i < count; i++) {
    const yaml_node_pair_t *pair = &node->data.mapping.pairs.start[i];
    const char *name = scalar(node_at(r, pair->key));
    list[i].skill = name ? keep(r, name) : NULL;
    if (!list[i].skill) return wrong(r, node_at(r, pair->key), SKILL_EINVAL, "the name of a skill is needed here", "");
    int status = read_mapping(r, node_at(r, pair->value), preference_keys, 1, &list[i], read_mode);
    if (status) return status;
  }
  assistant->preferences = list;
  assistant->preference_count = count;
  return 0;
}

/* A mapping from names to entries of one size; an entry of a name that is there already is replaced. */
static int read_named(struct reading *r, const yaml_node_t *node, const struct key *keys, size_t key_count, size_t size,
                      other_fn other, const void **list, size_t *list_count) {
  if (node->type != YAML_MAPPING_NODE) return wrong(r, node, SKILL_EINVAL, "names are needed here", "");
  size_t most = *list_count + pair_count(node);
  if (most > MOST_ITEMS) return wrong(r, node, SKILL_ELIMIT, "too many entries", "");
  char *all = skill__arena_alloc(&r->config->arena, (most + 1) * size);
  if (!all) return out_of_memory(r);
  size_t count = *list_count;
  if (count) memcpy(all, *list, count * size);
  for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
    const char *name = scalar(node_at(r, pair->key));
    size_t at = 0;
    if (!name || !*name) return wrong(r, node_at(r, pair->key), SKILL_EINVAL, "a name is needed here", "");
    while (at < count && strcmp(*(const char **)(void *)(all + at * size), name) != 0) at++;
    if (at == count) count++;
    memset(all + at * size, 0, size);
    *(const char **)(void *)(all + at * size) = keep(r, name); /* `name` is the first member of both */
    if (!*(const char **)(void *)(all + at * size)) return out_of_memory(r);
    int status = read_mapping(r, node_at(r, pair->value), keys, key_count, all + at * size, other);
    if (status) return status;
  }
  *list = all;
  *list_count = count;
  return 0;
}

/* --- the file
 * ---------------------------------------------------------------------------------------------------------- */

static const struct key keys[] = {
    {"model", TEXT, AT(SkillConfig, model), 0},
    {"assistant", TEXT, AT(SkillConfig, assistant), 0},
    {"policy", TEXT, AT(SkillConfig, policy), 0},
    {"log", PATH, AT(SkillConfig, log), 0},
    {"skills", FOLDERS, AT(SkillConfig, skills), 0},
    {"disabled_skills", MORE, AT(SkillConfig, disabled_skills), 0},
    {"disabled_tools", MORE, AT(SkillConfig, disabled_tools), 0},
    {"roots", FOLDERS, AT(SkillConfig, roots), 0},
    {"writable", FOLDERS, AT(SkillConfig, writable), 0},
    {"max_active", NUMBER, AT(SkillConfig, max_active), 0},
    {"budget", NUMBER, AT(SkillConfig, budget), 0},
    {"max_requests", NUMBER, AT(SkillConfig, max_requests), 0},
};

/* From lax to strict: none, dangerous, all. */
static int strictness(SkillApproval approval) {
  return approval == SKILL_APPROVAL_NONE ? 0 : approval == SKILL_APPROVAL_DANGEROUS ? 1 : 2;
}

static int read_approval(struct reading *r, const yaml_node_t *node, SkillConfig *config) {
  const char *text = scalar(node);
  SkillApproval approval;
  if (text && strcmp(text, "dangerous") == 0) {
    approval = SKILL_APPROVAL_DANGEROUS;
  } else if (text && strcmp(text, "all") == 0) {
    approval = SKILL_APPROVAL_ALL;
  } else if (text && strcmp(text, "none") == 0) {
    approval = SKILL_APPROVAL_NONE;
  } else {
    return wrong(r, node, SKILL_EINVAL, "approval is dangerous, all or none, not ", text ? text : "a list");
  }
  if (r->project && strictness(approval) < strictness(config->approval)) {
    return wrong(r, node, SKILL_EINVAL, "a project's file cannot lower approval to ", text);
  }
  config->approval = approval;
  config->approval_set = true;
  return 0;
}

/* `scripts: false` and `sandbox: required` can be set by any file, and taken back by none after it. */
static int read_switch(struct reading *r, const char *key, const yaml_node_t *node, SkillConfig *config) {
  bool on = true;
  const char *text = scalar(node);
  if (strcmp(key, "scripts") == 0) {
    int status = read_bool(r, node, &on);
    if (!status) config->scripts_off = config->scripts_off || !on;
    return status;
  }
  bool required = text && strcmp(text, "required") == 0;
  if (!required && !(text && strcmp(text, "auto") == 0)) {
    return wrong(r, node, SKILL_EINVAL, "sandbox is auto or required, not ", text ? text : "a list");
  }
  config->sandbox_required = config->sandbox_required || required;
  return 0;
}

static int read_other(struct reading *r, const char *key, const yaml_node_t *node, void *target, bool *known) {
  SkillConfig *config = target;
  *known = true;
  if (strcmp(key, "approval") == 0) return read_approval(r, node, config);
  if (strcmp(key, "scripts") == 0 || strcmp(key, "sandbox") == 0) return read_switch(r, key, node, config);
  if (strcmp(key, "models") == 0) {
    return read_named(r, node, model_keys, sizeof model_keys / sizeof *model_keys, sizeof(SkillConfigModel), NULL,
                      (const void **)(void *)&config->models, &config->model_count);
  }
  if (strcmp(key, "assistants") == 0) {
    return read_named(r, node, assistant_keys, sizeof assistant_keys / sizeof *assistant_keys,
                      sizeof(SkillConfigAssistant), read_preferences, (const void **)(void *)&config->assistants,
                      &config->assistant_count);
  }
  *known = false;
  return 0;
}

static int load_document(struct reading *r, const char *text, size_t length) {
  yaml_parser_t parser;
  if (!yaml_parser_initialize(&parser)) return out_of_memory(r);
  yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
  int status = 0;
  if (!yaml_parser_load(&parser, &r->document)) {
    status = parser.error == YAML_MEMORY_ERROR
                 ? out_of_memory(r)
                 : skill_error_set_at(r->err, SKILL_EPARSE, r->path, (unsigned)parser.problem_mark.line + 1,
                                      (unsigned)parser.problem_mark.column + 1, "not valid YAML: %s",
                                      parser.problem ? parser.problem : "it cannot be read");
  }
  yaml_parser_delete(&parser);
  return status;
}

static int read_text(struct reading *r, const char *text, size_t length) {
  int status = load_document(r, text, length);
  if (status) return status;
  const yaml_node_t *root = yaml_document_get_root_node(&r->document);
  if (root) status = read_mapping(r, root, keys, sizeof keys / sizeof *keys, &r->config->out, read_other);
  yaml_document_delete(&r->document);
  return status;
}

static int load_one(struct config *config, const char *path, bool project, SkillError *err) {
  struct reading r = {.config = config, .path = path, .project = project, .err = err};
  const char *slash = strrchr(path, '/');
  char *text = NULL;
  size_t length = 0;
  snprintf(r.folder, sizeof r.folder, "%.*s", slash ? (int)(slash - path) : 0, path);
  SkillError unread = SKILL_ERROR_INIT;
  int status = skill__file_load(skill_io_posix(), path, SKILL_MAX_CONFIG, &text, &length, &unread);
  if (status == SKILL_ENOENT) return 0;
  if (status && err && !err->code) *err = unread;
  if (!status) status = read_text(&r, text, length);
  skill__free(text);
  return status;
}

/* Names that point to nothing are errors too. */
static int check_names(const SkillConfig *config, SkillError *err) {
  if (config->assistant && !skill_config_assistant(config, config->assistant)) {
    return skill_error_set(err, SKILL_EINVAL, "assistant: there is no assistant '%s'", config->assistant);
  }
  if (config->policy && !skill_policy_find(config->policy)) {
    return skill_error_set(err, SKILL_EINVAL, "policy: there is no policy '%s'", config->policy);
  }
  for (size_t i = 0; i < config->model_count; i++) {
    if (config->models[i].provider) continue;
    return skill_error_set(err, SKILL_EINVAL, "models: %s says no provider", config->models[i].name);
  }
  return 0;
}

int skill_config_load(const char *const *paths, size_t count, SkillConfig **out, SkillError *err) {
  struct config *config = skill__calloc(1, sizeof *config);
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
  struct config *config = (struct config *)(void *)out;
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
