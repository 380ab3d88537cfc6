/* SPDX-License-Identifier: MIT
 *
 * Building postings: each skill's weighted token frequencies are gathered, saturated and rounded, then laid out
 * by token in one counting pass. Fails only when memory is out.
 */
#include "rank/index/postings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rank/index/impact.h"
#include "rank/index/segment.h"
#include "rank/index/sort_numbers.h"
#include "util/alloc.h"

struct entry {
  uint32_t term;
  uint16_t doc;
  uint8_t impact, typical;
};

struct build {
  struct skill__gather *gather;
  struct entry *entries;
  size_t count, capacity;
  uint32_t *terms; /* distinct tokens */
  size_t term_count, term_capacity;
};

static int take_doc(struct build *build, const struct skill__segment *segment, uint32_t number) {
  struct skill__gather *gather = build->gather;
  struct skill__doc doc;
  skill__doc_decode(segment->blob + segment->at[number], &doc);
  size_t count = skill__gather_doc(gather, &doc);
  if (count == SIZE_MAX) return SKILL_ENOMEM;
  bool full = SKILL__GROW(build->entries, build->capacity, build->count + count) ||
              SKILL__GROW(build->terms, build->term_capacity, build->term_count + count);
  for (size_t i = 0; i < count; i++) {
    uint32_t term = gather->touched[i];
    uint8_t typical, impact = skill__gather_take(gather, term, &typical);
    if (full) continue;
    build->entries[build->count++] = (struct entry){term, (uint16_t)number, impact, typical};
    if (gather->index[term]++ == 0) build->terms[build->term_count++] = term;
  }
  return full ? SKILL_ENOMEM : 0;
}

/* An entry without its token, which follows from its place. */
struct posting {
  uint16_t doc;
  uint8_t impact, typical;
};

/* Copies one token's postings to their final arrays; computes their maximum and root mean square. */
static void split(const struct posting *postings, uint32_t count, uint16_t *docs, uint8_t *impacts, uint8_t *most,
                  uint8_t *square) {
  double sum = 0;
  *most = 0;
  for (uint32_t i = 0; i < count; i++) {
    docs[i] = postings[i].doc;
    impacts[i] = postings[i].impact;
    if (impacts[i] > *most) *most = impacts[i];
    sum += (double)postings[i].typical * postings[i].typical;
  }
  *square = count ? (uint8_t)lround(sqrt(sum / count)) : 0;
}

/* Whether most numbers up to the greatest are used: then a token's number is its place, and no list of numbers is
 * needed. */
static bool dense(const struct build *build, size_t *places) {
  uint32_t last = 0;
  for (size_t i = 0; i < build->term_count; i++) last = build->terms[i] > last ? build->terms[i] : last;
  bool most = build->term_count && last < 2 * build->term_count;
  *places = most ? last + 1ul : build->term_count;
  return most;
}

static bool make_room(size_t places, size_t count, bool dense, struct skill__postings *out) {
  *out = (struct skill__postings){
      .terms = (uint32_t)places,
      .ids = dense ? NULL : skill__malloc((places + 1) * sizeof *out->ids),
      .start = skill__malloc((places + 1) * sizeof *out->start),
      .docs = skill__malloc((count + 1) * sizeof *out->docs),
      .impacts = skill__malloc(count + 1),
      .most = skill__malloc(places + 1),
      .square = skill__malloc(places + 1),
  };
  return (dense || out->ids) && out->start && out->docs && out->impacts && out->most && out->square;
}

/* Where each token's postings begin, in out->start and, to be counted up, in gather->index. */
static void place_terms(struct build *build, size_t places, bool direct, struct skill__postings *out) {
  uint32_t *ids = (uint32_t *)(uintptr_t)out->ids, *start = (uint32_t *)(uintptr_t)out->start;
  size_t next = 0;
  if (!direct) skill__sort_numbers(build->terms, start, places); /* not filled yet: scratch */
  for (size_t i = 0; i < places; i++) {
    uint32_t id = direct ? (uint32_t)i : build->terms[i], count = build->gather->index[id];
    if (!direct) ids[i] = id;
    start[i] = (uint32_t)next;
    build->gather->index[id] = (uint32_t)next;
    next += count;
  }
  start[places] = (uint32_t)next;
}

/* Lays the gathered entries out by token; skills stay in order within each. A token's postings are anywhere, so all of
 * a posting is put there at once and taken apart later. */
static int lay_out(struct build *build, struct skill__postings *out) {
  size_t places = 0;
  bool direct = dense(build, &places), room = make_room(places, build->count, direct, out);
  struct posting *laid = skill__malloc((build->count + 1) * sizeof *laid);
  if (!room || !laid) {
    skill__free(laid);
    skill__postings_free(out);
    return SKILL_ENOMEM;
  }
  place_terms(build, places, direct, out);
  for (size_t i = 0; i < build->count; i++) {
    const struct entry *entry = &build->entries[i];
    laid[build->gather->index[entry->term]++] = (struct posting){entry->doc, entry->impact, entry->typical};
  }
  for (size_t i = 0; i < places; i++) {
    uint32_t at = out->start[i];
    split(laid + at, out->start[i + 1] - at, (uint16_t *)(uintptr_t)out->docs + at,
          (uint8_t *)(uintptr_t)out->impacts + at, (uint8_t *)(uintptr_t)out->most + i,
          (uint8_t *)(uintptr_t)out->square + i);
  }
  skill__free(laid);
  if (direct) memset(build->gather->index, 0, places * sizeof *build->gather->index);
  return 0;
}

int skill__postings_build(const struct skill__segment *segment, struct skill__gather *gather,
                          struct skill__postings *out) {
  struct build build = {.gather = gather};
  int status = 0;
  for (uint32_t doc = 0; doc < segment->count && !status; doc++) status = take_doc(&build, segment, doc);
  if (!status) status = lay_out(&build, out);
  for (size_t i = 0; i < build.term_count; i++) gather->index[build.terms[i]] = 0;
  skill__free(build.entries);
  skill__free(build.terms);
  return status;
}

void skill__postings_free(struct skill__postings *postings) {
  skill__free((void *)(uintptr_t)postings->ids);
  skill__free((void *)(uintptr_t)postings->start);
  skill__free((void *)(uintptr_t)postings->docs);
  skill__free((void *)(uintptr_t)postings->impacts);
  skill__free((void *)(uintptr_t)postings->most);
  skill__free((void *)(uintptr_t)postings->square);
  memset(postings, 0, sizeof *postings);
}

size_t skill__postings_bytes(const struct skill__postings *postings) {
  size_t numbers = postings->ids ? 2 : 1;
  return postings->terms * (numbers * sizeof(uint32_t) + 2) +
         (postings->terms ? postings->start[postings->terms] : 0) * 3ul;
}

void skill__postings_expect(const struct skill__postings *postings, uint32_t id) {
  if (postings->terms == 0) return;
  if (postings->ids || id >= postings->terms) return;
  uint32_t at = id;
  __builtin_prefetch(&postings->start[at]);
  __builtin_prefetch(&postings->most[at]);
  __builtin_prefetch(&postings->square[at]);
}

static int by_id(const void *x, const void *y) {
  uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
  return (a > b) - (a < b);
}

/* The place of a token, or `terms`. */
static uint32_t place_of(const struct skill__postings *postings, uint32_t id) {
  if (!postings->ids) return id < postings->terms ? id : postings->terms;
  const uint32_t *found = bsearch(&id, postings->ids, postings->terms, sizeof id, by_id);
  return found ? (uint32_t)(found - postings->ids) : postings->terms;
}

bool skill__postings_find(const struct skill__postings *postings, uint32_t id, struct skill__list *list,
                          uint32_t *square) {
  uint32_t at = place_of(postings, id);
  if (at == postings->terms || postings->start[at] == postings->start[at + 1]) return false;
  uint32_t start = postings->start[at];
  list->docs = postings->docs + start;
  list->impacts = postings->impacts + start;
  list->count = postings->start[at + 1] - start;
  __builtin_prefetch(list->docs); /* read when all tokens have been found */
  __builtin_prefetch(list->impacts);
  list->most = postings->most[at];
  *square = postings->square[at];
  return true;
}
