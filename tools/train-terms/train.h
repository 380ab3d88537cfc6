/* SPDX-License-Identifier: MIT
 *
 * The trainer of the learned table of terms: what its files share. It is a program of its own that links the library's
 * internals, so that its tokens are exactly those of ranking. Lack of memory and unreadable files end it with a
 * message.
 *
 *   folders of SKILL.md, WordNet -> documents -> pairs of texts -> vectors -> pruned, rounded table
 *
 * Everything is deterministic: the same folders, options and seed give the same bytes, on any machine whose C library
 * rounds logarithms alike.
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
/* Memory or the end of the program. */
void *need(void *p);
void *grown(void *array, size_t *capacity, size_t count, size_t size);

#define GROW(array, capacity, count) ((array) = grown(array, &(capacity), count, sizeof *(array)))

/* On the generator of util/random.h. */
size_t rng_below(struct skill__random *rng, size_t bound);
double rng_unit(struct skill__random *rng);   /* 0 <= x < 1 */
double rng_normal(struct skill__random *rng); /* mean 0, deviation 1 */
void rng_shuffle(struct skill__random *rng, uint32_t *items, size_t count);

/* A piece of somebody else's text. */
struct span {
  const char *text;
  size_t length;
};

/* --- text --------------------------------------------------------------------------------------------------------- */

/* Appends the text without Markdown's marks, link targets and addresses, with single blanks, at most `most` bytes. */
void text_clean(struct skill__buf *out, struct span text, size_t most);
/* A name as words: - _ : / . become blanks. */
void text_name(struct skill__buf *out, struct span name);
/* Whether the text is Chinese: three Han characters and 15 % of all. */
bool text_is_chinese(struct span text);
/* Length of a character at `at`, 1 for invalid bytes; *rune is 0xfffd then. */
size_t text_rune(struct span text, size_t at, uint32_t *rune);
bool rune_is_han(uint32_t rune);
/* First place of any of the phrases (lower case ASCII or Chinese), SIZE_MAX: none. ASCII case does not matter. */
size_t text_find_any(struct span text, const char *const *phrases, size_t count);
struct span text_trim(struct span text);
/* Takes the next line off `rest`; false at the end. */
bool text_line(struct span *rest, struct span *line);

/* --- documents ---------------------------------------------------------------------------------------------------- */

struct document {
  char *name;        /* of the front matter, else the folder's */
  char *folder;      /* last folder of the path */
  char *description; /* "" where there is none */
  char *body;        /* cut at BODY_MOST bytes */
  bool chinese;      /* the description (else the body) */
  size_t twin;       /* number of a document of the same name in the other language; SIZE_MAX: none */
  uint32_t target;   /* its text "name. description" in the pool; only where there is a description */
};

enum { BODY_MOST = 24000 };

struct corpus {
  struct document *items;
  size_t count;
  size_t capacity;
  size_t skipped; /* documents that were held out */
};

/* Names that must not be trained on, one a line. */
struct names;
struct names *names_read(const char *path); /* NULL path: an empty set */
bool names_hold(const struct names *names, const char *name);
void names_free(struct names *names);
/* Lower case letters and digits of a name, which is how names are compared. */
void name_key(const char *name, char *out, size_t size);

/* Adds every SKILL.md below the folder, in the order of their paths; equal texts are added once. */
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
  uint32_t group; /* pairs of one group are no wrong answers for each other; 0: none */
};

struct source {
  const char *name;
  double weight; /* how often a pair is seen in one epoch */
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
  uint32_t group; /* of the pairs that are added now */
};

void pool_init(struct pool *pool);
void pool_free(struct pool *pool);
/* Analyses a text and keeps it; returns its number. */
uint32_t pool_text(struct pool *pool, struct span text);
/* Keeps the tokens of several texts as one. */
uint32_t pool_join(struct pool *pool, const uint32_t *texts, size_t count);
/* The source of that name, made at its first use. */
struct source *pool_source(struct pool *pool, const char *name, double weight);
/* Adds a pair unless one side has no tokens or both are equal. */
void pool_pair(struct pool *pool, struct source *source, uint32_t a, uint32_t b);
/* As pool_pair, of what each side has that the other has not: words in both would give the answer away. */
void pool_pair_apart(struct pool *pool, struct source *source, uint32_t a, uint32_t b);
/* Drops pairs that were added twice to the same source. */
void pool_unique(struct pool *pool);
/* The text of a token. */
struct span pool_token(const struct pool *pool, uint32_t token);

/* Finds the twins and makes the targets. */
void mine_prepare(struct pool *pool, struct corpus *corpus);
/* What a document says of itself in several places. */
void mine_documents(struct pool *pool, const struct corpus *corpus, uint64_t seed);
/* The same thing said in Chinese and English. */
void mine_parallel(struct pool *pool, const struct corpus *corpus, uint64_t seed);
void mine_wordnet(struct pool *pool, const char *folder);
/* Pairs that a file holds, one a line: source, group (equal ones are no wrong answers for each other; may be empty),
 * text, text, with tabs between. */
void mine_given(struct pool *pool, const char *path);

/* --- learning ----------------------------------------------------------------------------------------------------- */

struct learn_options {
  size_t dims, batch, vocabulary, least; /* tokens seen less often than `least` are left out */
  double epochs, rate, temperature, dropout;
  double brief; /* share of left texts of which only a few tokens are kept, as in a short request */
  double hard;  /* share of batches that are filled with neighbours */
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
  size_t rows;   /* most rows that are kept */
  size_t shares; /* most tokens beyond them whose share is kept */
  unsigned bits;
  bool latin; /* leave out tokens that are not plain ASCII: a small table for English alone */
  const char *path;
};

/* Writes the table: the rows that matter most and how common tokens are in the documents' names and descriptions. */
void output_table(const struct pool *pool, const struct corpus *corpus, const struct model *model,
                  const struct output_options *options);

#endif
