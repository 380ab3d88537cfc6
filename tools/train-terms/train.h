/* SPDX-License-Identifier: MIT
 *
 * Shared by the files of the trainer for the learned table of terms. It is a separate program that links the library's
 * internals, so its tokens are exactly those of ranking. Out of memory and unreadable files end it with a message.
 *
 *   folders of SKILL.md, WordNet -> documents -> pairs of texts -> vectors -> pruned, rounded table
 *
 * The result is deterministic: the same folders, options and seed give the same bytes on any machine whose C library
 * rounds logarithms in the same way.
 */
#ifndef SKILL_TOOLS_TRAIN_H
#define SKILL_TOOLS_TRAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rank/text/analyze.h"
#include "util/buf.h"
#include "util/random.h"

/* --- common ------------------------------------------------------------------------------------------------------- */

/* Prints "train-terms: …" and ends the program with status 3. */
_Noreturn void die(const char *format, ...) SKILL_PRINTF(1, 2);
/* Allocates, or ends the program. */
void *need(void *p);
void *grown(void *array, size_t *capacity, size_t count, size_t size);

#define GROW(array, capacity, count) ((array) = grown(array, &(capacity), count, sizeof *(array)))

/* On the generator of util/random.h. */
size_t rng_below(struct skill__random *rng, size_t bound);
double rng_unit(struct skill__random *rng);   /* 0 <= x < 1 */
double rng_normal(struct skill__random *rng); /* mean 0, deviation 1 */
void rng_shuffle(struct skill__random *rng, uint32_t *items, size_t count);

/* A borrowed piece of text. */
struct span {
  const char *text;
  size_t length;
};

/* --- text --------------------------------------------------------------------------------------------------------- */

/* Appends the text without Markdown markup, link targets and URLs, with single spaces, at most `most` bytes. */
void text_clean(struct skill__buf *out, struct span text, size_t most);
/* A name as words: - _ : / . become spaces. */
void text_name(struct skill__buf *out, struct span name);
/* Whether the text is Chinese: at least three Han characters, and 15 % of all characters. */
bool text_is_chinese(struct span text);
/* Length of a character at `at`, 1 for invalid bytes; *rune is 0xfffd then. */
size_t text_rune(struct span text, size_t at, uint32_t *rune);
bool rune_is_han(uint32_t rune);
/* First position of any of the phrases (lower case ASCII or Chinese), or SIZE_MAX. ASCII case is ignored. */
size_t text_find_any(struct span text, const char *const *phrases, size_t count);
struct span text_trim(struct span text);
/* Removes the next line from `rest`. Returns false at the end. */
bool text_line(struct span *rest, struct span *line);

/* --- documents ---------------------------------------------------------------------------------------------------- */

struct document {
  char *name;        /* of the front matter, else the folder's */
  char *folder;      /* last folder of the path */
  char *description; /* "" if there is none */
  char *body;        /* cut at BODY_MOST bytes */
  bool chinese;      /* the description (else the body) */
  size_t twin;       /* number of the document with the same name in the other language; SIZE_MAX: none */
  uint32_t target;   /* its text "name. description" in the pool; only if there is a description */
};

enum { BODY_MOST = 24000 };

struct corpus {
  struct document *items;
  size_t count;
  size_t capacity;
  size_t skipped; /* documents that were held out */
};

/* Names that must not be used for training, one per line. */
struct names;
struct names *names_read(const char *path); /* NULL path: an empty set */
bool names_hold(const struct names *names, const char *name);
void names_free(struct names *names);
/* The letters (in lower case) and digits of a name; names are compared by these. */
void name_key(const char *name, char *out, size_t size);

/* Adds every SKILL.md below the folder in the order of their paths. Equal texts are added once. */
void corpus_add(struct corpus *corpus, const char *folder, const struct names *held_out);
void corpus_free(struct corpus *corpus);

/* --- pairs -------------------------------------------------------------------------------------------------------- */

struct text {
  size_t first; /* in pool.tokens */
  uint32_t count;
  uint64_t hash; /* equal texts have equal hashes */
};

struct pair {
  uint32_t a, b;  /* texts */
  uint32_t group; /* pairs of one group are not wrong answers for each other; 0: none */
};

struct source {
  const char *name;
  double weight; /* how often a pair is used in one epoch */
  struct pair *pairs;
  size_t count, capacity;
};

enum { SOURCES_MOST = 32 };

struct pool {
  struct skill__analyzer *analyzer;
  struct token_table *table;
  size_t token_count;
  uint32_t *tokens;
  size_t used, capacity;
  struct text *texts;
  size_t text_count, text_capacity;
  struct source sources[SOURCES_MOST];
  size_t source_count;
  uint32_t group; /* of the pairs that are being added */
};

void pool_init(struct pool *pool);
void pool_free(struct pool *pool);
/* Analyses a text and stores it. Returns its number. */
uint32_t pool_text(struct pool *pool, struct span text);
/* Stores the tokens of several texts as one. */
uint32_t pool_join(struct pool *pool, const uint32_t *texts, size_t count);
/* Returns the source of that name; creates it at its first use. */
struct source *pool_source(struct pool *pool, const char *name, double weight);
/* Adds a pair, unless one side has no tokens or both are equal. */
void pool_pair(struct pool *pool, struct source *source, uint32_t a, uint32_t b);
/* Like pool_pair, with only the words that the other side lacks: shared words would reveal the answer. */
void pool_pair_apart(struct pool *pool, struct source *source, uint32_t a, uint32_t b);
/* Removes pairs that were added twice to the same source. */
void pool_unique(struct pool *pool);
/* The text of a token. */
struct span pool_token(const struct pool *pool, uint32_t token);

/* Finds the twins and creates the targets. */
void mine_prepare(struct pool *pool, struct corpus *corpus);
/* Pairs within one document. */
void mine_documents(struct pool *pool, const struct corpus *corpus, uint64_t seed);
/* Pairs of Chinese and English texts with the same meaning. */
void mine_parallel(struct pool *pool, const struct corpus *corpus, uint64_t seed);
void mine_wordnet(struct pool *pool, const char *folder);
/* Reads pairs from a file, one per line, separated by tabs: source, group (pairs of the same group are not wrong
 * answers for each other; may be empty), text, text. */
void mine_given(struct pool *pool, const char *path);

/* --- learning ----------------------------------------------------------------------------------------------------- */

struct learn_options {
  size_t dims, batch, vocabulary, least; /* tokens that occur less often than `least` are left out */
  double epochs, rate, temperature, dropout;
  double brief; /* share of left texts that are reduced to a few tokens, like a short request */
  double hard;  /* share of batches that consist of neighbours */
  uint64_t seed;
};

struct model {
  size_t dims, count;
  uint32_t *tokens; /* of each row, most frequent first */
  uint64_t *seen;   /* in how many texts */
  float *rows;
};

void learn(const struct pool *pool, const struct learn_options *options, struct model *model);
void model_free(struct model *model);

/* C (m x n) = A (m x k) * B (k x n), all row by row; n is a multiple of 16. */
void matrix_product(const float *a, const float *b, float *c, size_t m, size_t k, size_t n);
void matrix_turn(const float *a, float *out, size_t rows, size_t columns);
/* x[i] = exp(x[i]) for x <= 0; `count` is a multiple of 8. */
void matrix_exp(float *x, size_t count);

/* --- output ------------------------------------------------------------------------------------------------------- */

struct output_options {
  size_t rows;   /* maximum number of rows */
  size_t shares; /* maximum number of further tokens whose share is stored */
  unsigned bits;
  bool latin; /* leave out tokens that are not ASCII: a small table for English only */
  const char *path;
};

/* Writes the table: the most important rows, and how common tokens are in the documents' names and descriptions. */
void output_table(const struct pool *pool, const struct corpus *corpus, const struct model *model,
                  const struct output_options *options);

#endif
