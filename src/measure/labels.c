/* SPDX-License-Identifier: MIT
 *
 * Labelled requests; see labels.h.
 */
#include "measure/labels.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/json.h"
#include "util/random.h"

/* --- names -------------------------------------------------------------------------------------------------------- */

struct name {
  const char *name;
  size_t index;
};

struct skill__by_name {
  size_t count;
  struct name items[]; /* sorted */
};

static int compare_names(const void *a, const void *b) {
  return strcmp(((const struct name *)a)->name, ((const struct name *)b)->name);
}

int skill__by_name_new(SkillRegistry *registry, struct skill__by_name **out) {
  size_t size = skill_registry_count(registry) * sizeof(struct name);
  struct skill__by_name *names = skill__calloc(1, sizeof *names + size);
  if (!names) return SKILL_ENOMEM;
  for (Skill *skill = NULL; (skill = skill_registry_next(registry, skill)) != NULL; names->count++) {
    names->items[names->count] = (struct name){skill_name(skill), names->count};
  }
  if (names->count) qsort(names->items, names->count, sizeof *names->items, compare_names);
  *out = names;
  return 0;
}

void skill__by_name_free(struct skill__by_name *names) {
  skill__free(names);
}

size_t skill__by_name_find(const struct skill__by_name *names, const char *name) {
  struct name key = {name, 0};
  const struct name *found = bsearch(&key, names->items, names->count, sizeof key, compare_names);
  return found ? found->index : SIZE_MAX;
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

static int add_label(struct skill__labels *labels, const struct skill__label *label) {
  if (SKILL__GROW(labels->items, labels->capacity, labels->count + 1)) return SKILL_ENOMEM;
  labels->items[labels->count++] = *label;
  return 0;
}

/* The known names of one array, or of one string, as a group. 1: there is one, 0: none is known. */
static int read_group(struct skill__labels *labels, const cJSON *value, const struct skill__by_name *names,
                      struct skill__label_group *out) {
  size_t most = cJSON_IsArray(value) ? (size_t)cJSON_GetArraySize(value) : 1;
  uint32_t *skills = skill__arena_alloc(&labels->arena, (most + 1) * sizeof *skills);
  if (!skills) return SKILL_ENOMEM;
  size_t count = 0;
  const cJSON *item = cJSON_IsArray(value) ? value->child : value;
  for (; item && count < most; item = cJSON_IsArray(value) ? item->next : NULL) {
    size_t index = cJSON_IsString(item) ? skill__by_name_find(names, item->valuestring) : SIZE_MAX;
    if (index != SIZE_MAX) skills[count++] = (uint32_t)index;
  }
  *out = (struct skill__label_group){skills, count};
  return count > 0;
}

static int read_label(struct skill__labels *labels, const cJSON *line, const struct skill__by_name *names) {
  const cJSON *needs = cJSON_GetObjectItemCaseSensitive(line, "relevant_groups");
  if (!cJSON_IsArray(needs)) needs = cJSON_GetObjectItemCaseSensitive(line, "relevant");
  const char *query = skill__json_string(line, "query");
  const char *id = skill__json_string(line, "id");
  size_t most = cJSON_IsArray(needs) ? (size_t)cJSON_GetArraySize(needs) : 0;
  struct skill__label_group *groups = skill__arena_alloc(&labels->arena, (most + 1) * sizeof *groups);
  if (!groups) return SKILL_ENOMEM;
  struct skill__label label = {.groups = groups};
  const cJSON *need;
  cJSON_ArrayForEach(need, needs) {
    int known = read_group(labels, need, names, &groups[label.group_count]);
    if (known < 0) return known;
    label.group_count += (size_t)known;
  }
  if (!query || !*query || !label.group_count) {
    labels->dropped++;
    return 0;
  }
  label.text = skill__arena_strdup(&labels->arena, query);
  label.id = skill__arena_strdup(&labels->arena, id ? id : "");
  return label.text && label.id ? add_label(labels, &label) : SKILL_ENOMEM;
}

int skill__labels_read(const char *text, size_t length, const char *path, const struct skill__by_name *names,
                       struct skill__labels *out, SkillError *err) {
  unsigned line = 0;
  memset(out, 0, sizeof *out);
  for (size_t at = 0; at < length;) {
    const char *end = memchr(text + at, '\n', length - at);
    size_t size = end ? (size_t)(end - text) - at : length - at;
    line++;
    if (size && strspn(text + at, " \t\r") < size) {
      SkillError why = SKILL_ERROR_INIT;
      cJSON *json = NULL;
      int status = skill__json_parse(text + at, size, NULL, &json, &why);
      if (status) return skill_error_set_at(err, status, path, line, why.column, "%s", why.message);
      status = read_label(out, json, names);
      cJSON_Delete(json);
      if (status) return skill_error_set(err, status, "no memory for the requests");
    }
    at += size + 1;
  }
  return 0;
}

/* --- deriving ----------------------------------------------------------------------------------------------------- */

static char *every_other_word(struct skill__arena *arena, const char *description) {
  struct skill__buf buf;
  skill__buf_init(&buf, 4096);
  const char *p = description;
  for (int word = 0; word < 24 && *p; word++) {
    p += strspn(p, " \t\r\n");
    size_t length = strcspn(p, " \t\r\n");
    if (word % 2 == 0) skill__buf_add(&buf, p, length);
    if (word % 2 == 0) skill__buf_char(&buf, ' ');
    p += length;
  }
  char *copy = skill__buf_status(&buf) || !buf.length ? NULL : skill__arena_strndup(arena, buf.data, buf.length);
  skill__buf_fini(&buf);
  return copy;
}

static int derive_one(struct skill__labels *labels, const SkillMetadata *metadata, uint32_t index) {
  if (!metadata->description || strlen(metadata->description) < 8) return 0;
  uint32_t *skills = skill__arena_alloc(&labels->arena, sizeof *skills);
  struct skill__label_group *group = skill__arena_alloc(&labels->arena, sizeof *group);
  const char *text = every_other_word(&labels->arena, metadata->description);
  if (!skills || !group || !text) return SKILL_ENOMEM;
  *skills = index;
  *group = (struct skill__label_group){skills, 1};
  struct skill__label label = {metadata->name, text, group, 1};
  return add_label(labels, &label);
}

int skill__labels_derive(SkillRegistry *registry, uint64_t seed, size_t count, struct skill__labels *out) {
  struct skill__random random = {seed};
  size_t left = skill_registry_count(registry);
  uint32_t index = 0;
  memset(out, 0, sizeof *out);
  out->derived = true;
  /* Selection sampling: each skill is taken with the same probability, in order. */
  for (Skill *skill = skill_registry_next(registry, NULL); skill && out->count < count;
       skill = skill_registry_next(registry, skill), left--, index++) {
    if (skill__random_below(&random, left) >= count - out->count) continue;
    int status = derive_one(out, skill_metadata(skill), index);
    if (status) return status;
  }
  return 0;
}

void skill__labels_fini(struct skill__labels *labels) {
  skill__arena_fini(&labels->arena);
  skill__free(labels->items);
  memset(labels, 0, sizeof *labels);
}
