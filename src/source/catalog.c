/* SPDX-License-Identifier: MIT
 *
 * The catalogue source: skills and tools written down as JSON instead of folders. Everything is read when the source is
 * made (catalog_read.c), and asked for from memory.
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
  return skill_error_set(err, SKILL_ENOENT, "'%s' is no skill of %s", path, catalog->base.label);
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

static void catalog_free(SkillSource *base) {
  struct skill__catalog *catalog = base->impl;
  skill__arena_fini(&catalog->arena);
  skill__notes_fini(&catalog->notes);
  skill__free(catalog->items);
  skill__free(catalog->path);
  skill__free(catalog->label);
  skill__free(catalog);
}

int skill_source_catalog_new(const char *path, const char *label, const char *text, size_t length, SkillSource **out,
                             SkillError *err) {
  if (!path || !text) return skill_error_set(err, SKILL_EINVAL, "a catalogue needs a path and its text");
  struct skill__catalog *catalog = skill__calloc(1, sizeof *catalog);
  if (!catalog) return skill_error_set(err, SKILL_ENOMEM, "out of memory");
  catalog->path = skill__strdup(path);
  catalog->label = skill__strdup(label ? label : path);
  catalog->base = (SkillSource){SKILL_SOURCE_VERSION, catalog->label,    catalog,      catalog_list, catalog_metadata,
                                catalog_body,         catalog_resources, catalog_read, catalog_free};
  int status = catalog->path && catalog->label ? skill__catalog_read(catalog, text, length, err) : SKILL_ENOMEM;
  if (status) {
    catalog_free(&catalog->base);
    return skill_error_set(err, status, "%s", skill_strerror(status));
  }
  *out = &catalog->base;
  return 0;
}
