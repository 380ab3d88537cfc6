/* SPDX-License-Identifier: MIT
 *
 * A query as scoring wants it: its distinct tokens with their weights, its pieces, its adjacent pairs, its vectors.
 */
#ifndef SKILL_RANK_QUERY_QUERY_H
#define SKILL_RANK_QUERY_QUERY_H

#include "rank/index/snapshot.h"

enum {
  SKILL__QUERY_TERMS = 1024, /* distinct tokens that are looked at; the rest of a longer query is ignored */
  SKILL__QUERY_PIECES = 16,  /* pieces; the rest of the text belongs to the last */
  SKILL__QUERY_SLOTS = 4096,
  SKILL__QUERY_SHORT = 256, /* bytes of a query that does with SKILL__QUERY_FEW slots, so that they stay near */
  SKILL__QUERY_FEW = 1024
};

/* A distinct token. */
struct skill__qterm {
  uint32_t id; /* SKILL__DICT_NONE: in no skill */
  uint32_t row;
  float share;
  float idf, tool_idf;
  bool single;
  uint32_t text, length;       /* in context->texts */
  uint16_t text_slot, id_slot; /* its slots in by_text and slots; id_slot SKILL__QUERY_SLOTS: none */
};

/* One token of a view (the whole query, or a piece). */
struct skill__qentry {
  uint32_t term;
  float weight; /* saturated frequency; half for single characters */
  float plain;  /* the same without halving */
};

struct skill__qview {
  uint32_t start, count; /* entries */
  uint32_t from, to;     /* bytes of the query text */
  float unit;            /* of its vector; 0: none */
};

/* Term b follows term a in the query. */
struct skill__qpair {
  uint32_t a, b;
  float idf, weight;
  int32_t next; /* next pair with the same a, or -1 */
};

struct skill__query {
  struct skill__qterm *terms;
  size_t term_count, term_capacity;
  struct skill__qentry *entries;
  size_t entry_count, entry_capacity;
  struct skill__qpair *pairs;
  size_t pair_count, pair_capacity;
  int32_t *first_pair; /* of each term */
  size_t first_capacity;
  uint32_t *sequence; /* terms in order of the text */
  size_t sequence_count, sequence_capacity;
  struct skill__qview views[1 + SKILL__QUERY_PIECES]; /* [0]: the whole */
  size_t view_count;
  int8_t *vectors; /* of each view */
  size_t vector_capacity;
  double known;                         /* 0..1: share of the query's weight that the catalogue's words cover */
  double in_table;                      /* 0..1: the same of the words that have a vector in the learned table */
  double ceiling;                       /* the greatest score that a skill could reach */
  uint32_t slot_mask;                   /* of those that are used */
  uint16_t slots[SKILL__QUERY_SLOTS];   /* by token number: term + 1 */
  uint16_t by_text[SKILL__QUERY_SLOTS]; /* by text */
};

struct skill__context;

/* Reads `text` into context->query. SKILL_ENOMEM. */
int skill__query_read(struct skill__context *context, const SkillRankSnapshot *snapshot, const char *text,
                      size_t length);

/* The query's term of that text, or NULL. */
const struct skill__qterm *skill__query_find(const struct skill__context *context, const char *text, size_t length);

/* Calls `fn` with each word of `text`, the query as it was read, that no skill has; the word is borrowed. Uses
 * context->counts. What `fn` returns ends the walk unless it is 0. SKILL_ENOMEM. */
typedef int skill__unknown_word_fn(void *user, const char *word, size_t length);
int skill__query_unknown_words(struct skill__context *context, const char *text, size_t length,
                               skill__unknown_word_fn *fn, void *user);

/* The term of a token number, or -1. */
static inline int skill__query_term(const struct skill__query *query, uint32_t id) {
  for (uint32_t i = id;; i++) {
    uint16_t slot = query->slots[i & query->slot_mask];
    if (!slot) return -1;
    if (query->terms[slot - 1].id == id) return slot - 1;
  }
}

/* Cuts a text into pieces at ends of sentences, line breaks, bullets and words like "and then". Fills `ends` with the
 * end of each piece; the next begins where `starts` says. Returns how many, at least 1, at most `max`. */
size_t skill__pieces_cut(const char *text, size_t length, size_t max, size_t *starts, size_t *ends);

#endif
