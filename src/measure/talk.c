/* SPDX-License-Identifier: MIT
 *
 * Conversations from labels; see talk.h for the rules.
 */
#include "measure/talk.h"

#include <string.h>

#include "util/alloc.h"
#include "util/random.h"

/* Requests to try for one that shares a skill. */
#define TRIES 4000

static const char *const echoes[] = {
    "And the same for the next one, please.",
    "Once more, with the other values.",
    "Good. Now do the rest.",
    "Can you double-check that?",
    "再来一次，换成另外一个。",
    "Continue.",
};

static bool in_group(const struct skill__label_group *group, uint32_t skill) {
  for (size_t i = 0; i < group->count; i++) {
    if (group->skills[i] == skill) return true;
  }
  return false;
}

static bool share(const struct skill__label *a, const struct skill__label *b) {
  for (size_t i = 0; i < a->group_count; i++) {
    for (size_t j = 0; j < b->group_count; j++) {
      for (size_t k = 0; k < a->groups[i].count; k++) {
        if (in_group(&b->groups[j], a->groups[i].skills[k])) return true;
      }
    }
  }
  return false;
}

/* Another request that shares a skill, searched from a random place on; NULL: none found. */
static const struct skill__label *related(const struct skill__labels *labels, const struct skill__label *to,
                                          struct skill__random *random) {
  size_t start = skill__random_below(random, labels->count);
  for (size_t i = 0; i < labels->count && i < TRIES; i++) {
    const struct skill__label *label = &labels->items[(start + i) % labels->count];
    if (label != to && share(label, to)) return label;
  }
  return NULL;
}

static void echo(struct skill__talk_turn *turn, const struct skill__talk_turn *last, struct skill__random *random) {
  turn->kind = SKILL__TALK_ECHO;
  turn->label = last->label;
  turn->text = echoes[skill__random_below(random, sizeof echoes / sizeof *echoes)];
}

static void draw_turn(const struct skill__labels *labels, struct skill__talk *talk, size_t at,
                      struct skill__random *random) {
  struct skill__talk_turn *turn = &talk->turns[at];
  bool long_pause = skill__random_below(random, 8) == 0;
  size_t minutes = long_pause ? 20 + skill__random_below(random, 41) : 1 + skill__random_below(random, 3);
  turn->pause_ms = at ? (int64_t)minutes * 60000 : 0;
  size_t draw = at ? skill__random_below(random, 100) : 100;
  const struct skill__label *label = NULL;
  if (draw < 30) {
    label = related(labels, talk->turns[at - 1].label, random);
    turn->kind = SKILL__TALK_FOLLOW;
    if (!label) draw = 30;
  }
  if (draw >= 30 && draw < 50) {
    echo(turn, &talk->turns[at - 1], random);
    return;
  }
  if (draw >= 50 && draw < 65) {
    const struct skill__label *earlier = talk->turns[skill__random_below(random, at)].label;
    label = related(labels, earlier, random);
    if (!label) label = earlier;
    turn->kind = SKILL__TALK_RETURN;
  }
  if (!label) {
    label = &labels->items[skill__random_below(random, labels->count)];
    turn->kind = at ? SKILL__TALK_CHANGE : SKILL__TALK_FIRST;
  }
  turn->label = label;
  turn->text = label->text;
}

int skill__talks_make(const struct skill__labels *labels, uint64_t seed, size_t count, size_t turns,
                      struct skill__talks *out) {
  struct skill__random random = {seed};
  if (!labels->count || !turns || !count || count > SIZE_MAX / turns) return SKILL_EINVAL;
  struct skill__talk *items = skill__calloc(count, sizeof *items);
  struct skill__talk_turn *all = skill__calloc(count * turns, sizeof *all);
  if (!items || !all) {
    skill__free(items);
    skill__free(all);
    return SKILL_ENOMEM;
  }
  for (size_t i = 0; i < count; i++) {
    items[i] = (struct skill__talk){all + i * turns, turns};
    for (size_t at = 0; at < turns; at++) draw_turn(labels, &items[i], at, &random);
  }
  *out = (struct skill__talks){items, count};
  return 0;
}

void skill__talks_fini(struct skill__talks *talks) {
  if (talks->items) skill__free(talks->items[0].turns);
  skill__free(talks->items);
  memset(talks, 0, sizeof *talks);
}
