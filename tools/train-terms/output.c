/* SPDX-License-Identifier: MIT
 *
 * Writes the table: the rows of the most frequent tokens, and the number of documents of the corpus with each token in
 * name or description.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rank/table/terms.h"
#include "train-terms/terms_write.h"
#include "train.h"
#include "util/alloc.h"

/* The number of documents with each token in their target. */
static uint32_t *count_documents(const struct pool *pool, const struct corpus *corpus, size_t *documents) {
  uint32_t *counts = need(skill__calloc(pool->token_count, sizeof *counts));
  size_t *last = need(skill__calloc(pool->token_count, sizeof *last));
  *documents = 0;
  for (size_t i = 0; i < corpus->count; i++) {
    if (!*corpus->items[i].description) continue;
    struct text text = pool->texts[corpus->items[i].target];
    ++*documents;
    for (size_t t = 0; t < text.count; t++) {
      uint32_t token = pool->tokens[text.first + t];
      if (last[token] == *documents) continue;
      last[token] = *documents;
      counts[token]++;
    }
  }
  skill__free(last);
  return counts;
}

static bool is_wanted(const struct output_options *options, struct span token) {
  if (!options->latin) return true;
  for (size_t i = 0; i < token.length; i++) {
    if ((unsigned char)token.text[i] >= 128) return false;
  }
  return true;
}

struct rare {
  uint32_t token, count;
};

static int by_count(const void *a, const void *b) {
  const struct rare *x = a;
  const struct rare *y = b;
  if (x->count != y->count) return x->count < y->count ? 1 : -1;
  return (x->token > y->token) - (x->token < y->token);
}

/* Replaces the file atomically: a process may have the old one mapped. */
static void write_file(const char *path, const struct skill__buf *buf) {
  SkillIo *io = skill_io_posix();
  int status = io->file_write(io, SKILL_IO_CWD, path, buf->data, buf->length);
  if (status) die("%s: not written: %s", path, skill_strerror(status));
}

void output_table(const struct pool *pool, const struct corpus *corpus, const struct model *model,
                  const struct output_options *options) {
  size_t documents = 0;
  uint32_t *counts = count_documents(pool, corpus, &documents);
  unsigned char *taken = need(skill__calloc(pool->token_count, 1));
  struct terms_entry *entries = need(skill__calloc(pool->token_count, sizeof *entries));
  size_t rows = 0;
  for (size_t i = 0; i < model->count && rows < options->rows; i++) {
    struct span token = pool_token(pool, model->tokens[i]);
    if (!is_wanted(options, token)) continue;
    taken[model->tokens[i]] = 1;
    double share = (double)counts[model->tokens[i]] / (double)documents;
    entries[rows++] = (struct terms_entry){token.text, token.length, share, model->rows + i * model->dims};
  }
  struct rare *rare = need(skill__malloc(pool->token_count * sizeof *rare));
  size_t rare_count = 0;
  for (uint32_t t = 0; t < pool->token_count; t++) {
    if (!taken[t] && counts[t] > 1 && is_wanted(options, pool_token(pool, t)))
      rare[rare_count++] = (struct rare){t, counts[t]};
  }
  qsort(rare, rare_count, sizeof *rare, by_count);
  if (rare_count > options->shares) rare_count = options->shares;
  for (size_t i = 0; i < rare_count; i++) {
    struct span token = pool_token(pool, rare[i].token);
    entries[rows + i] = (struct terms_entry){token.text, token.length, (double)rare[i].count / (double)documents, NULL};
  }
  struct terms_spec spec = {SKILL__ANALYZER_VERSION, (uint32_t)model->dims, options->bits, (uint32_t)documents, entries,
                            rows + rare_count};
  struct skill__buf buf;
  skill__buf_init(&buf, SKILL__TERMS_MAX_BYTES);
  if (terms_write(&spec, &buf)) die("the table cannot be made (memory, or two tokens with one hash)");
  write_file(options->path, &buf);
  fprintf(stderr, "%s: %zu vectors of %zu dimensions at %u bits, %zu more shares, %zu documents, %zu bytes\n",
          options->path, rows, model->dims, options->bits, rare_count, documents, buf.length);
  skill__buf_fini(&buf);
  skill__free(rare);
  skill__free(entries);
  skill__free(taken);
  skill__free(counts);
}
