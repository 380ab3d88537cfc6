/* SPDX-License-Identifier: MIT
 *
 * Labelled requests: the text of a request, and the skills it needs.
 *
 * A line is {"id","query","relevant":[names]} or has "relevant_groups":[[names]]; one skill of each group is needed.
 * Names that are not in the catalogue are dropped, and so are requests without any known name.
 */
#ifndef SKILL_MEASURE_LABELS_H
#define SKILL_MEASURE_LABELS_H

#include "skillet/registry.h"
#include "util/arena.h"

/* Skills by name, as indexes in the order of registration. */
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
  size_t dropped; /* requests without a skill of the catalogue */
  bool derived;   /* made from the skills themselves: recall is then too high */
};

/* Owned: release with skill__by_name_free. SKILL_ENOMEM. */
int skill__by_name_new(SkillRegistry *registry, struct skill__by_name **out);
void skill__by_name_free(struct skill__by_name *names);
/* SIZE_MAX: not found. */
size_t skill__by_name_find(const struct skill__by_name *names, const char *name);

/* Reads JSON lines; `path` is for messages. SKILL_EPARSE with the line, SKILL_ENOMEM. Release with skill__labels_fini,
 * also after a failure. */
int skill__labels_read(const char *text, size_t length, const char *path, const struct skill__by_name *names,
                       struct skill__labels *out, SkillError *err);

/* Makes at most `count` requests for a catalogue without labels: every other word of the first 24 of the description of
 * a skill drawn by `seed`. */
int skill__labels_derive(SkillRegistry *registry, uint64_t seed, size_t count, struct skill__labels *out);
void skill__labels_fini(struct skill__labels *labels);

#endif
