/* SPDX-License-Identifier: MIT
 *
 * Labelled requests: what people asked, and which skills it needs.
 *
 * A line is {"id","query","relevant":[names]} or with "relevant_groups":[[names]], where any skill of a group is enough
 * for that group. Names that the catalogue does not have are dropped, and requests that are left without a need too.
 */
#ifndef SKILL_MEASURE_LABELS_H
#define SKILL_MEASURE_LABELS_H

#include "skillet/registry.h"
#include "util/arena.h"

/* Skills by name; the number is the place in the order of registration. */
struct skill__by_name;

struct skill__label_group {
  const uint32_t *skills;
  size_t count; /* > 0 */
};

struct skill__label {
  const char *id;
  const char *text;
  const struct skill__label_group *groups;
  size_t group_count; /* > 0 */
};

struct skill__labels {
  struct skill__arena arena;
  struct skill__label *items;
  size_t count;
  size_t capacity;
  size_t dropped; /* requests that need nothing the catalogue has */
  bool derived;   /* made from the skills themselves: recall on them flatters */
};

/* Owned: release with skill__by_name_free. SKILL_ENOMEM. */
int skill__by_name_new(SkillRegistry *registry, struct skill__by_name **out);
void skill__by_name_free(struct skill__by_name *names);
/* SIZE_MAX: there is none. */
size_t skill__by_name_find(const struct skill__by_name *names, const char *name);

/* Reads JSON lines; `path` is for messages. SKILL_EPARSE with the line, SKILL_ENOMEM. Release with skill__labels_fini,
 * also after a failure. */
int skill__labels_read(const char *text, size_t length, const char *path, const struct skill__by_name *names,
                       struct skill__labels *out, SkillError *err);

/* Requests for a catalogue without labels: for a skill drawn by `seed`, every other word of its description's first
 * 24, at most `count` requests. */
int skill__labels_derive(SkillRegistry *registry, uint64_t seed, size_t count, struct skill__labels *out);
void skill__labels_fini(struct skill__labels *labels);

#endif
