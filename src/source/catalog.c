/* SPDX-License-Identifier: MIT
 *
 * The catalogue source: skills and tools in memory. Everything is read when the source is made: from JSON by
 * catalog_read.c, or from constants by builtin.c.
 */
#include "source/catalog.h"

#include <string.h>

#include "util/alloc.h"

static int catalog_list(SkillSource *base, unsigned flags, SkillListCb cb, void *user, SkillError *err) {
  struct skill__catalog *catalog = base->impl;
  int status = 0;
  (void)err;
  for (size_t i = 0; !status && i < catalog->count; i++) {
    const struct skill__catalog_item *item = &catalog->items[i];
    const char *body = flags & SKILL_LIST_BODY ? item->body : NULL;
    status = cb(&item->metadata, body, body ? strlen(body) : 0, NULL, 0, user);
  }
  if (!status && catalog->notes.count) status = cb(NULL, NULL, 0, catalog->notes.items, catalog->notes.count, user);
  return status;
}

static int find_item(struct skill__catalog *catalog, const char *path, const struct skill__catalog_item **out,
                     SkillError *err) {
  for (size_t i = 0; i < catalog->count; i++) {
    if (!strcmp(catalog->items[i].metadata.path, path)) {
      *out = &catalog->items[i];
      return 0;
    }
  }
  return skill_error_set(err, SKILL_ENOENT, "'%s' is not a skill of %s", path, catalog->base.label);
}

static int catalog_metadata(SkillSource *base, const char *path, SkillMetadata **out, SkillError *err) {
  const struct skill__catalog_item *item;
  int status = find_item(base->impl, path, &item, err);
  return status ? status : skill_metadata_copy(&item->metadata, out);
}

static int catalog_body(SkillSource *base, const char *path, char **text, size_t *length, SkillError *err) {
  const struct skill__catalog_item *item;
  int status = find_item(base->impl, path, &item, err);
  if (status) return status;
  char *copy = skill__strdup(item->body ? item->body : "");
  if (!copy) return skill_error_set(err, SKILL_ENOMEM, "out of memory");
  *text = copy;
  *length = strlen(copy);
  return 0;
}

static int catalog_resources(SkillSource *base, const char *path, SkillResourceCb cb, void *user, SkillError *err) {
  const struct skill__catalog_item *item;
  (void)cb;
  (void)user;
  return find_item(base->impl, path, &item, err);
}

static int catalog_read(SkillSource *base, const char *path, const char *resource, uint64_t cursor, size_t max,
                        SkillPage *out, SkillError *err) {
  (void)base;
  (void)cursor;
  (void)max;
  (void)out;
  return skill_error_set(err, SKILL_ENOENT, "'%s' has no resources, so no '%s'", path, resource);
}

void skill__catalog_init(struct skill__catalog *catalog, const char *label, void (*release)(SkillSource *)) {
  catalog->base =
      (SkillSource){SKILL_SOURCE_VERSION, label,        catalog, catalog_list, catalog_metadata, catalog_body,
                    catalog_resources,    catalog_read, release};
}

int skill__catalog_add(struct skill__catalog *catalog, const struct skill__catalog_item *item) {
  if (SKILL__GROW(catalog->items, catalog->capacity, catalog->count + 1)) return SKILL_ENOMEM;
  catalog->items[catalog->count++] = *item;
  return 0;
}
