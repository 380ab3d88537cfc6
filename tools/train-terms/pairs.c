/* SPDX-License-Identifier: MIT
 *
 * Texts as token numbers, and pairs of texts by their source.
 */
#include "util/alloc.h"
#include "util/hash.h"

#include <stdlib.h>
#include <string.h>

#include "train.h"

struct token {
  UT_hash_handle hh;
  uint32_t number;
  size_t length;
  char text[];
};

struct token_table {
  struct token *head;
  struct token **by_number;
  size_t capacity;
};

void pool_init(struct pool *pool) {
  *pool = (struct pool){0};
  if (skill__analyzer_new(&pool->analyzer)) die("out of memory");
  pool->table = need(skill__calloc(1, sizeof *pool->table));
}

void pool_free(struct pool *pool) {
  for (size_t i = 0; i < pool->source_count; i++) skill__free(pool->sources[i].pairs);
  HASH_CLEAR(hh, pool->table->head);
  for (size_t i = 0; i < pool->token_count; i++) skill__free(pool->table->by_number[i]);
  skill__free(pool->table->by_number);
  skill__free(pool->table);
  skill__free(pool->tokens);
  skill__free(pool->texts);
  skill__analyzer_free(pool->analyzer);
}

static uint32_t token_number(struct pool *pool, const char *text, size_t length) {
  struct token_table *table = pool->table;
  struct token *token = NULL;
  HASH_FIND(hh, table->head, text, length, token);
  if (token) return token->number;
  token = need(skill__malloc(sizeof *token + length + 1));
  token->number = (uint32_t)pool->token_count++;
  token->length = length;
  memcpy(token->text, text, length);
  token->text[length] = '\0';
  bool added = false;
  SKILL__HASH_ADD(table->head, token, token->text, length, added);
  if (!added) die("out of memory");
  GROW(table->by_number, table->capacity, pool->token_count);
  table->by_number[token->number] = token;
  return token->number;
}

struct span pool_token(const struct pool *pool, uint32_t number) {
  const struct token *token = pool->table->by_number[number];
  return (struct span){token->text, token->length};
}

static int take_token(void *user, const char *text, size_t length, unsigned flags) {
  (void)flags;
  struct pool *pool = user;
  GROW(pool->tokens, pool->capacity, pool->used + 1);
  pool->tokens[pool->used++] = token_number(pool, text, length);
  return 0;
}

/* Creates a text from the tokens from `first` on. */
static uint32_t close_text(struct pool *pool, size_t first) {
  size_t count = pool->used - first;
  GROW(pool->texts, pool->text_capacity, pool->text_count + 1);
  uint64_t hash = count ? skill__hash_bytes(pool->tokens + first, count * sizeof *pool->tokens) : 0;
  pool->texts[pool->text_count] = (struct text){first, (uint32_t)count, hash};
  return (uint32_t)pool->text_count++;
}

uint32_t pool_text(struct pool *pool, struct span text) {
  size_t first = pool->used;
  if (skill__analyze(pool->analyzer, text.text, text.length, take_token, pool)) die("out of memory");
  return close_text(pool, first);
}

uint32_t pool_join(struct pool *pool, const uint32_t *texts, size_t count) {
  size_t first = pool->used;
  for (size_t i = 0; i < count; i++) {
    struct text text = pool->texts[texts[i]];
    GROW(pool->tokens, pool->capacity, pool->used + text.count);
    if (text.count) memcpy(pool->tokens + pool->used, pool->tokens + text.first, text.count * sizeof *pool->tokens);
    pool->used += text.count;
  }
  return close_text(pool, first);
}

struct source *pool_source(struct pool *pool, const char *name, double weight) {
  for (size_t i = 0; i < pool->source_count; i++) {
    if (strcmp(pool->sources[i].name, name) == 0) return &pool->sources[i];
  }
  if (pool->source_count == SOURCES_MOST) die("too many sources of pairs");
  struct source *source = &pool->sources[pool->source_count++];
  *source = (struct source){.name = name, .weight = weight};
  return source;
}

void pool_pair(struct pool *pool, struct source *source, uint32_t a, uint32_t b) {
  if (!pool->texts[a].count || !pool->texts[b].count || pool->texts[a].hash == pool->texts[b].hash) return;
  GROW(source->pairs, source->capacity, source->count + 1);
  source->pairs[source->count++] = (struct pair){a, b, pool->group};
}

static bool text_has(const struct pool *pool, struct text text, uint32_t token) {
  for (size_t i = 0; i < text.count; i++) {
    if (pool->tokens[text.first + i] == token) return true;
  }
  return false;
}

static uint32_t text_without(struct pool *pool, uint32_t which, uint32_t other) {
  size_t first = pool->used;
  struct text text = pool->texts[which];
  GROW(pool->tokens, pool->capacity, pool->used + text.count);
  for (size_t i = 0; i < text.count; i++) {
    uint32_t token = pool->tokens[text.first + i];
    if (!text_has(pool, pool->texts[other], token)) pool->tokens[pool->used++] = token;
  }
  return close_text(pool, first);
}

void pool_pair_apart(struct pool *pool, struct source *source, uint32_t a, uint32_t b) {
  uint32_t left = text_without(pool, a, b);
  uint32_t right = text_without(pool, b, a);
  pool_pair(pool, source, left, right);
}

struct known_pair {
  uint64_t key[2];
  UT_hash_handle hh;
};

static void unique_source(const struct pool *pool, struct source *source) {
  struct known_pair *known = need(skill__calloc(source->count + 1, sizeof *known));
  struct known_pair *head = NULL;
  size_t kept = 0;
  for (size_t i = 0; i < source->count; i++) {
    struct known_pair *entry = &known[kept];
    struct known_pair *found = NULL;
    entry->key[0] = pool->texts[source->pairs[i].a].hash;
    entry->key[1] = pool->texts[source->pairs[i].b].hash;
    HASH_FIND(hh, head, entry->key, sizeof entry->key, found);
    if (found) continue;
    bool added = false;
    SKILL__HASH_ADD(head, entry, entry->key, sizeof entry->key, added);
    if (!added) die("out of memory");
    source->pairs[kept++] = source->pairs[i];
  }
  source->count = kept;
  HASH_CLEAR(hh, head);
  skill__free(known);
}

void pool_unique(struct pool *pool) {
  for (size_t i = 0; i < pool->source_count; i++) unique_source(pool, &pool->sources[i]);
}
