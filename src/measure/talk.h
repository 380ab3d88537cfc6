/* SPDX-License-Identifier: MIT
 *
 * Conversations made from labelled requests by fixed rules and a seed.
 *
 * A conversation starts with a random request. Of the further turns 30 % follow up (a request that shares a needed
 * skill, or an echo if there is none), 20 % are echoes (a short request that names nothing, such as "and the same for
 * the next one", and needs the same skills as the last turn), 15 % return to the topic of an earlier turn, and 35 %
 * change the topic. Pauses between turns are 1 to 3 minutes, and in one of eight cases 20 to 60.
 */
#ifndef SKILL_MEASURE_TALK_H
#define SKILL_MEASURE_TALK_H

#include "measure/labels.h"

enum skill__talk_kind {
  SKILL__TALK_FIRST,
  SKILL__TALK_FOLLOW, /* needs a skill of the turn before, in other words */
  SKILL__TALK_ECHO,   /* names nothing */
  SKILL__TALK_RETURN, /* to the topic of an earlier turn */
  SKILL__TALK_CHANGE,
  SKILL__TALK_KINDS
};

struct skill__talk_turn {
  const struct skill__label *label; /* the skills it needs */
  const char *text;                 /* the label's text, or an echo */
  enum skill__talk_kind kind;
  int64_t pause_ms; /* since the end of the last turn */
};

struct skill__talk {
  struct skill__talk_turn *turns;
  size_t count;
};

struct skill__talks {
  struct skill__talk *items;
  size_t count;
};

/* Makes `count` conversations of `turns` turns; the labels must outlive them. SKILL_EINVAL without labels or turns,
 * SKILL_ENOMEM. Release with skill__talks_fini. */
int skill__talks_make(const struct skill__labels *labels, uint64_t seed, size_t count, size_t turns,
                      struct skill__talks *out);
void skill__talks_fini(struct skill__talks *talks);

#endif
