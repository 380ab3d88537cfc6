/* SPDX-License-Identifier: MIT
 *
 * Reads the values of a configuration: texts, numbers, switches, lists, folders, mappings. Fails at the first one that
 * is not understood, with its place.
 */
#include "agent/config_yaml.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/buf.h"
#include "util/expand.h"
#include "util/near.h"

/* --- values ---------------------------------------------------------------------------------------------------- */

int skill__config_wrong(struct skill__config_reading *r, const yaml_node_t *node, int status, const char *format, ...) {
  char message[400];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  return skill_error_set_at(r->err, status, r->path, (unsigned)node->start_mark.line + 1,
                            (unsigned)node->start_mark.column + 1, "%s", message);
}

const char *skill__config_scalar(const yaml_node_t *node) {
  return node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

yaml_node_t *skill__config_node(struct skill__config_reading *r, int index) {
  return yaml_document_get_node(&r->document, index);
}

char *skill__config_keep(struct skill__config_reading *r, const char *text) {
  return skill__arena_strdup(&r->config->arena, text);
}

int skill__config_no_memory(struct skill__config_reading *r) {
  return skill_error_set(r->err, SKILL_ENOMEM, "out of memory");
}

static int read_number(struct skill__config_reading *r, const yaml_node_t *node, size_t *out) {
  const char *text = skill__config_scalar(node);
  char *end = NULL;
  errno = 0;
  unsigned long long number = text ? strtoull(text, &end, 10) : 0;
  if (!text || errno || !*text || *text == '-' || *end || number > (1ULL << 40)) {
    return skill__config_wrong(r, node, SKILL_EINVAL, "a whole number is needed here, not %s",
                               text ? text : "a list or mapping");
  }
  *out = (size_t)number;
  return 0;
}

int skill__config_bool(struct skill__config_reading *r, const yaml_node_t *node, bool *out) {
  const char *text = skill__config_scalar(node);
  bool yes = text && (strcmp(text, "true") == 0 || strcmp(text, "yes") == 0 || strcmp(text, "on") == 0);
  bool no = text && (strcmp(text, "false") == 0 || strcmp(text, "no") == 0 || strcmp(text, "off") == 0);
  if (!yes && !no)
    return skill__config_wrong(r, node, SKILL_EINVAL, "true or false is needed here, not %s", text ? text : "a list");
  *out = yes;
  return 0;
}

int skill__config_choice(struct skill__config_reading *r, const char *key, const yaml_node_t *node,
                         const char *const *names, size_t *out) {
  const char *text = skill__config_scalar(node);
  struct skill__buf list;
  size_t at = 0;
  while (text && names[at] && strcmp(text, names[at]) != 0) at++;
  if (text && names[at]) {
    *out = at;
    return 0;
  }
  skill__buf_init(&list, 200);
  for (at = 0; names[at]; at++) {
    if (at) skill__buf_text(&list, names[at + 1] ? ", " : " or ");
    skill__buf_text(&list, names[at]);
  }
  int status = skill__config_wrong(r, node, SKILL_EINVAL, "%s is %s, not %s", key, list.data ? list.data : "?",
                                   text ? text : "a list");
  skill__buf_fini(&list);
  return status;
}

static const char *variable(const char *name) {
  return getenv(name);
}

/* Whether the words of a path stay below a folder. */
static bool words_inside(const char *base, const char *path) {
  size_t n = strlen(base);
  size_t depth = 0;
  if (strncmp(path, base, n) != 0 || (path[0] == '/' && !n)) return false;
  for (const char *at = path + n; *at;) {
    size_t part = strcspn(at, "/");
    bool up = part == 2 && at[0] == '.' && at[1] == '.';
    if (up && !depth) return false;
    if (up) depth--;
    if (!up && part && !(part == 1 && *at == '.')) depth++;
    at += part + (at[part] == '/');
  }
  return true;
}

/* The same with links followed, as far as the path exists. */
static bool is_inside(const char *base, const char *path) {
  char real_base[SKILL_MAX_PATH];
  char real[SKILL_MAX_PATH];
  char parent[SKILL_MAX_PATH];
  const char *slash = strrchr(path, '/');
  if (!words_inside(base, path)) return false;
  snprintf(parent, sizeof parent, "%.*s", slash ? (int)(slash - path) : 0, path);
  if (!realpath(*base ? base : ".", real_base)) return true; /* nothing to read */
  if (!realpath(path, real) && !realpath(*parent ? parent : ".", real)) return true;
  size_t n = strlen(real_base);
  return strncmp(real, real_base, n) == 0 && (!real[n] || real[n] == '/' || real_base[n - 1] == '/');
}

/* The project is the folder of its file, or the one above if that is .skillet. */
static bool inside_project(const struct skill__config_reading *r, const char *path) {
  static const char own[] = ".skillet";
  char base[SKILL_MAX_PATH];
  size_t n = strlen(r->folder);
  size_t tail = sizeof own - 1;
  if (n >= tail && strcmp(r->folder + n - tail, own) == 0 && (n == tail || r->folder[n - tail - 1] == '/')) n -= tail;
  snprintf(base, sizeof base, "%.*s", (int)n, r->folder);
  return is_inside(base, path);
}

static int outside(struct skill__config_reading *r, const yaml_node_t *node) {
  return skill__config_wrong(r, node, SKILL_EDENIED, "a project's file can only name places below its folder, not %s",
                             skill__config_scalar(node));
}

/* Replaces "~" and variables; a relative path is then relative to `folder`. */
static int keep_path(struct skill__config_reading *r, const yaml_node_t *node, const char *folder, const char **out) {
  char path[2 * SKILL_MAX_PATH];
  SkillError why = SKILL_ERROR_INIT;
  size_t length = strlen(folder);
  int status = skill__expand(skill__config_scalar(node), variable, path + SKILL_MAX_PATH, SKILL_MAX_PATH, &why);
  if (status) return skill__config_wrong(r, node, status, "%s", why.message);
  char *begin = path + SKILL_MAX_PATH;
  if (*begin != '/' && length) {
    *--begin = '/';
    begin -= length;
    memcpy(begin, folder, length);
  }
  *out = skill__config_keep(r, begin);
  return *out ? 0 : skill__config_no_memory(r);
}

/* A list of texts; a single text is a list of one. `more` adds to what is there. */
static int read_list(struct skill__config_reading *r, const yaml_node_t *node, enum skill__config_kind kind,
                     SkillStrings *out) {
  size_t before = kind == MORE ? out->count : 0;
  bool one = node->type == YAML_SCALAR_NODE;
  if (!one && node->type != YAML_SEQUENCE_NODE)
    return skill__config_wrong(r, node, SKILL_EINVAL, "a list is needed here");
  size_t count = one ? 1 : (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
  if (before + count > SKILL__CONFIG_MOST) return skill__config_wrong(r, node, SKILL_ELIMIT, "too long a list");
  const char **items = skill__arena_alloc(&r->config->arena, (before + count + 1) * sizeof *items);
  if (!items) return skill__config_no_memory(r);
  for (size_t i = 0; i < before; i++) items[i] = out->items[i];
  for (size_t i = 0; i < count; i++) {
    const yaml_node_t *item = one ? node : skill__config_node(r, node->data.sequence.items.start[i]);
    if (!skill__config_scalar(item)) return skill__config_wrong(r, item, SKILL_EINVAL, "a text is needed here");
    bool path = kind == FOLDERS || kind == PLACES;
    int status = path ? keep_path(r, item, r->folder, &items[before + i]) : 0;
    if (status) return status;
    if (kind == PLACES && r->project && !inside_project(r, items[before + i])) return outside(r, item);
    if (!path && !(items[before + i] = skill__config_keep(r, skill__config_scalar(item)))) {
      return skill__config_no_memory(r);
    }
  }
  *out = (SkillStrings){items, before + count};
  return 0;
}

static int read_value(struct skill__config_reading *r, const struct skill__config_key *key, const yaml_node_t *node,
                      char *target) {
  void *at = target + key->offset;
  bool flag = false;
  int status = 0;
  switch (key->kind) {
    case TEXT:
    case OWN_TEXT:
    case PATH:
      if (!skill__config_scalar(node))
        return skill__config_wrong(r, node, SKILL_EINVAL, "a text is needed for %s", key->name);
      if (key->kind == OWN_TEXT && r->project) {
        return skill__config_wrong(r, node, SKILL_EDENIED, "a project's file cannot give a model's %s", key->name);
      }
      if (key->kind == PATH && r->project) {
        return skill__config_wrong(r, node, SKILL_EDENIED,
                                   "a project's file cannot set %s; use your own configuration or --log", key->name);
      }
      if (key->kind == PATH) return keep_path(r, node, "", at); /* relative to the working folder */
      *(const char **)at = skill__config_keep(r, skill__config_scalar(node));
      status = *(const char **)at ? 0 : skill__config_no_memory(r);
      break;
    case NUMBER:
      status = read_number(r, node, at);
      break;
    case OFF: /* the key is true for on, the member is true for off */
      status = skill__config_bool(r, node, &flag);
      if (!status) *(bool *)at = !flag;
      break;
    default:
      status = read_list(r, node, key->kind, at);
  }
  if (!status && key->set) *(bool *)(target + key->set) = true;
  return status;
}

static int unknown_key(struct skill__config_reading *r, const yaml_node_t *name, const struct skill__config_key *keys,
                       size_t count) {
  const char *text = skill__config_scalar(name);
  struct skill__near near;
  char what[300];
  if (!text) return skill__config_wrong(r, name, SKILL_EINVAL, "there is no key of that kind");
  skill__near_begin(&near, text, 3);
  for (size_t i = 0; i < count; i++) skill__near_offer(&near, keys[i].name);
  skill__near_text(&near, "; did you mean ", "?", what, sizeof what);
  return skill__config_wrong(r, name, SKILL_EINVAL, "there is no key %.100s%s", text, what);
}

int skill__config_mapping(struct skill__config_reading *r, const yaml_node_t *node,
                          const struct skill__config_key *keys, size_t count, void *target) {
  if (node->type != YAML_MAPPING_NODE)
    return skill__config_wrong(r, node, SKILL_EINVAL, "keys with values are needed here");
  for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
    const yaml_node_t *name = skill__config_node(r, pair->key);
    const yaml_node_t *value = skill__config_node(r, pair->value);
    const char *text = skill__config_scalar(name);
    size_t i = 0;
    while (i < count && !(text && strcmp(keys[i].name, text) == 0)) i++;
    if (i == count) return unknown_key(r, name, keys, count);
    int status = keys[i].kind == OTHER ? keys[i].read(r, text, value, target) : read_value(r, &keys[i], value, target);
    if (status) return status;
  }
  return 0;
}
