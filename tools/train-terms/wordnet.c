/* SPDX-License-Identifier: MIT
 *
 * Pairs from WordNet's data files (Debian: wordnet-base): the words of a sense and its definition with the words of its
 * neighbours, one word with the others, and an example with the words.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "train.h"
#include "util/alloc.h"
#include "util/hash.h"

enum { WORDS_MOST = 24, LINKS_MOST = 6, LINE_MOST = 65536 };

struct sense {
  UT_hash_handle hh;
  char key[16]; /* part of speech and offset */
  size_t word_count;
  char *words[WORDS_MOST];
  char (*links)[16];
  size_t link_count;
  char *gloss;
};

static char part_of(char c) {
  return c == 's' ? 'a' : c;
}

/* Cuts out and returns the next word of a line. */
static char *next_word(char **line) {
  char *begin = *line + strspn(*line, " ");
  char *end = begin + strcspn(begin, " \n");
  *line = *end ? end + 1 : end;
  *end = '\0';
  return begin;
}

/* A lemma as words, without underscores and syntax marks such as "(a)". */
static char *lemma_words(const char *lemma) {
  char *copy = need(skill__strndup(lemma, strcspn(lemma, "(")));
  for (char *p = copy; *p; p++) {
    if (*p == '_') *p = ' ';
  }
  return copy;
}

/* "offset file part count (lemma id)* links (symbol offset part place)* ... | gloss" */
static struct sense *read_sense(char *line) {
  char *bar = strstr(line, "| ");
  if (!bar) return NULL;
  struct sense *sense = need(skill__calloc(1, sizeof *sense));
  sense->gloss = need(skill__strndup(bar + 2, strcspn(bar + 2, "\n")));
  *bar = '\0';
  char *offset = next_word(&line);
  next_word(&line);
  char part = part_of(*next_word(&line));
  snprintf(sense->key, sizeof sense->key, "%c%s", part, offset);
  size_t count = strtoul(next_word(&line), NULL, 16);
  for (size_t i = 0; i < count; i++) {
    char *lemma = next_word(&line);
    next_word(&line);
    if (i < WORDS_MOST) sense->words[sense->word_count++] = lemma_words(lemma);
  }
  size_t links = strtoul(next_word(&line), NULL, 10);
  sense->links = need(skill__calloc(LINKS_MOST, sizeof *sense->links));
  for (size_t i = 0; i < links; i++) {
    char *symbol = next_word(&line);
    char *target = next_word(&line);
    char kind = part_of(*next_word(&line));
    next_word(&line);
    if (!strchr("@+&$*", *symbol) || symbol[1] || sense->link_count == LINKS_MOST) continue;
    snprintf(sense->links[sense->link_count++], sizeof *sense->links, "%c%s", kind, target);
  }
  return sense;
}

static struct sense *read_file(struct sense *senses, const char *folder, const char *part) {
  char path[1024];
  snprintf(path, sizeof path, "%s/data.%s", folder, part);
  FILE *file = fopen(path, "r");
  if (!file) die("%s: cannot be opened; install wordnet-base or use --wordnet none", path);
  char *line = need(skill__malloc(LINE_MOST));
  while (fgets(line, LINE_MOST, file)) {
    struct sense *sense = *line == ' ' ? NULL : read_sense(line);
    bool added = true;
    if (sense) SKILL__HASH_ADD(senses, sense, sense->key, strlen(sense->key), added);
    if (!added) die("out of memory");
  }
  skill__free(line);
  fclose(file);
  return senses;
}

static uint32_t text_of(struct pool *pool, const struct skill__buf *buf) {
  return pool_text(pool, (struct span){buf->data ? buf->data : "", buf->length});
}

static void mine_sense(struct pool *pool, struct source *source, const struct sense *senses,
                       const struct sense *sense) {
  struct skill__buf buf;
  skill__buf_init(&buf, LINE_MOST);
  for (size_t i = 0; i < sense->word_count; i++) skill__buf_printf(&buf, "%s ", sense->words[i]);
  uint32_t words = text_of(pool, &buf);
  const char *example = strstr(sense->gloss, "; \"");
  size_t length = example ? (size_t)(example - sense->gloss) : strlen(sense->gloss);
  uint32_t gloss = pool_text(pool, (struct span){sense->gloss, length});
  skill__buf_clear(&buf);
  for (size_t i = 0; i < sense->link_count; i++) {
    struct sense *other = NULL;
    HASH_FIND_STR(senses, sense->links[i], other);
    for (size_t w = 0; other && w < other->word_count && w < 2; w++) skill__buf_printf(&buf, "%s ", other->words[w]);
  }
  pool_pair(pool, source, words, pool_join(pool, (uint32_t[]){gloss, text_of(pool, &buf)}, 2));
  if (sense->word_count > 1) {
    skill__buf_clear(&buf);
    for (size_t i = 1; i < sense->word_count; i++) skill__buf_printf(&buf, "%s ", sense->words[i]);
    uint32_t first = pool_text(pool, (struct span){sense->words[0], strlen(sense->words[0])});
    pool_pair(pool, source, first, pool_join(pool, (uint32_t[]){text_of(pool, &buf), gloss}, 2));
  }
  if (example) {
    example += 3;
    uint32_t sentence = pool_text(pool, (struct span){example, strcspn(example, "\"")});
    pool_pair(pool, source, sentence, pool_join(pool, (uint32_t[]){words, gloss}, 2));
  }
  skill__buf_fini(&buf);
}

static void free_sense(struct sense *sense) {
  for (size_t i = 0; i < sense->word_count; i++) skill__free(sense->words[i]);
  skill__free(sense->links);
  skill__free(sense->gloss);
  skill__free(sense);
}

void mine_wordnet(struct pool *pool, const char *folder) {
  static const char *const parts[] = {"noun", "verb", "adj", "adv"};
  struct sense *senses = NULL;
  for (size_t i = 0; i < 4; i++) senses = read_file(senses, folder, parts[i]);
  struct source *source = pool_source(pool, "wordnet", 0.6);
  struct sense *sense, *next;
  HASH_ITER(hh, senses, sense, next) {
    pool->group = (uint32_t)skill__hash_bytes(sense->key, strlen(sense->key)) | 1;
    mine_sense(pool, source, senses, sense);
  }
  pool->group = 0;
  HASH_ITER(hh, senses, sense, next) {
    HASH_DEL(senses, sense);
    free_sense(sense);
  }
}
