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

/* The impact of the largest possible sum of saturated frequency, tool share and body. */
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

/* Finds the token; false: it is not in the segment. `square` receives the root mean square impact. */
bool skill__postings_find(const struct skill__postings *postings, uint32_t id, struct skill__list *list,
                          uint32_t *square);

/* Prefetches a token's entry. */
void skill__postings_expect(const struct skill__postings *postings, uint32_t id);

#endif
