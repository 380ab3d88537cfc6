/* SPDX-License-Identifier: MIT
 *
 * The inverted index of one segment, and the exact best K of it.
 *
 * A posting is a skill and an impact: what the token adds to the skill's score there, saturated and rounded to one
 * byte, its best tool's share included. Frequencies, and with them the rarity of a token, stay outside: they change
 * with the catalogue, impacts do not. Scores are whole numbers, so pruned and exhaustive search agree to the last bit.
 */
#ifndef SKILL_RANK_INDEX_POSTINGS_H
#define SKILL_RANK_INDEX_POSTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The impact that stands for the largest saturated frequency, tool share and body by itself. */
#define SKILL__IMPACT_TOP 255

enum { SKILL__SEGMENT_SKILLS = 65536 }; /* most skills of a segment: a posting has 16 bits for its skill */

struct skill__postings {
  uint32_t terms;        /* places of tokens */
  const uint32_t *ids;   /* their numbers, ascending; NULL: a token's place is its number, and some may be empty */
  const uint32_t *start; /* terms + 1 */
  const uint16_t *docs;
  const uint8_t *impacts;
  const uint8_t *most;   /* greatest impact of each token */
  const uint8_t *square; /* root of the mean square of each token's impacts, bodies by themselves left out */
};

struct skill__gather;
struct skill__segment;

/* Builds the postings of a segment whose skills are set; `gather` was prepared. SKILL_ENOMEM. */
int skill__postings_build(const struct skill__segment *segment, struct skill__gather *gather,
                          struct skill__postings *out);
void skill__postings_free(struct skill__postings *postings);
size_t skill__postings_bytes(const struct skill__postings *postings);

/* A query's token in one segment. */
struct skill__list {
  const uint16_t *docs;
  const uint8_t *impacts;
  uint32_t count;
  uint32_t weight; /* of an impact of 1 */
  uint32_t most;   /* greatest contribution */
};

struct skill__hit {
  uint32_t score;
  uint32_t part, doc;
};

/* The best K so far, as a heap with the least on top. */
struct skill__best {
  struct skill__hit *hits;
  size_t count, limit;
};

/* Finds the token; false: it is not in the segment. `square` receives the root mean square impact. */
bool skill__postings_find(const struct skill__postings *postings, uint32_t id, struct skill__list *list,
                          uint32_t *square);

/* Tells memory beforehand that the token will be looked for. */
void skill__postings_expect(const struct skill__postings *postings, uint32_t id);

/* Scratch of a search. */
struct skill__sums {
  uint32_t *sums;   /* as many as the segment's skills, all zero between searches */
  uint16_t *seen;   /* one more */
  uint32_t *values; /* as many as the best's limit */
};

/* One segment to search: its number among the parts, and bitmaps of skills to leave out (may be NULL). */
struct skill__search_place {
  uint32_t part;
  const uint64_t *dead, *hidden;
};

/* Adds the skills of one segment to the best. Lists are reordered. With `all`, no list is cut short: the same result,
 * to check against. */
void skill__postings_search(struct skill__list *lists, size_t count, const struct skill__search_place *where, bool all,
                            struct skill__sums *sums, struct skill__best *best);

/* Adds one hit; keeps the best. Ties go to the lower part and number. */
void skill__best_offer(struct skill__best *best, struct skill__hit hit);

/* Orders the best by falling score, then part, then number. */
void skill__best_sort(struct skill__best *best);

#endif
