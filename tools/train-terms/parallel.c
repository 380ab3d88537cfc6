/* SPDX-License-Identifier: MIT
 *
 * Chinese and English texts with the same meaning: descriptions of one skill in both languages, the lines of the two
 * bodies if they can be aligned, and terms that a Chinese author explains in parentheses.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "train.h"
#include "util/alloc.h"
#include "util/hash.h"

enum { LINES_MOST = 400, WORDS_MOST = 24 };

enum line_kind { LINE_TEXT, LINE_HEADING, LINE_ITEM, LINE_TABLE, LINE_FENCE, LINE_CODE };

struct line {
  struct span text; /* without its list marker */
  enum line_kind kind;
  size_t level;
  uint64_t hash;
  bool chinese;
  uint32_t words[WORDS_MOST]; /* hashes of its Latin words and numbers */
  size_t word_count;
};

static bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static void find_words(struct line *line) {
  struct span text = line->text;
  for (size_t at = 0; at < text.length && line->word_count < WORDS_MOST;) {
    size_t begin = at;
    while (at < text.length && is_word_char(text.text[at])) at++;
    if (at - begin > 2) line->words[line->word_count++] = (uint32_t)skill__hash_bytes(text.text + begin, at - begin);
    if (at == begin) at++;
  }
}

static void classify(struct line *line, bool *fenced) {
  struct span text = line->text;
  line->hash = skill__hash_bytes(text.text, text.length);
  if (text.length >= 3 && memcmp(text.text, "```", 3) == 0) {
    *fenced = !*fenced;
    line->kind = LINE_FENCE;
    return;
  }
  line->kind = *fenced ? LINE_CODE : LINE_TEXT;
  if (*fenced) return;
  while (line->level < text.length && text.text[line->level] == '#') line->level++;
  size_t skip = line->level;
  if (skip) line->kind = LINE_HEADING;
  if (*text.text == '|') line->kind = LINE_TABLE;
  if (text.length > 2 && strchr("-*+", *text.text) && text.text[1] == ' ') skip = 2;
  size_t digits = strspn(text.text, "0123456789");
  if (digits && digits < text.length && text.text[digits] == '.') skip = digits + 1;
  if (skip && line->kind == LINE_TEXT) line->kind = LINE_ITEM;
  line->text = text_trim((struct span){text.text + skip, text.length - skip});
  line->chinese = text_is_chinese(line->text);
  find_words(line);
}

static size_t read_lines(const char *body, struct line *lines) {
  struct span rest = {body, strlen(body)};
  struct span text;
  size_t count = 0;
  bool fenced = false;
  while (count < LINES_MOST && text_line(&rest, &text)) {
    text = text_trim(text);
    if (!text.length) continue;
    lines[count] = (struct line){.text = text};
    classify(&lines[count++], &fenced);
  }
  return count;
}

static size_t shared_words(const struct line *a, const struct line *b) {
  size_t shared = 0;
  for (size_t i = 0; i < a->word_count; i++) {
    for (size_t j = 0; j < b->word_count; j++) {
      if (a->words[i] == b->words[j]) {
        shared++;
        break;
      }
    }
  }
  return shared;
}

/* How well a Chinese line matches an English one. A Chinese text has about two thirds of the bytes. */
static float fit(const struct line *zh, const struct line *en) {
  if (zh->hash == en->hash) return zh->kind == LINE_FENCE ? 1 : 3;
  if (zh->kind != en->kind || zh->level != en->level || zh->kind == LINE_CODE) return -3;
  if (zh->kind == LINE_FENCE) return 0.5F;
  if (!zh->chinese || en->chinese) return -1;
  float ratio = (float)(zh->text.length + 8) / (float)(en->text.length + 8);
  float score = ratio > 0.4F && ratio < 1.6F ? 0.8F : -0.6F;
  size_t shared = shared_words(zh, en);
  return score + 0.5F * (float)(shared < 4 ? shared : 4);
}

struct grid {
  struct line zh[LINES_MOST], en[LINES_MOST];
  float score[LINES_MOST + 1][LINES_MOST + 1];
  char from[LINES_MOST + 1][LINES_MOST + 1]; /* 'm' match, 'z' skip a Chinese line, 'e' skip an English one */
  char matched[LINES_MOST];
  size_t partner[LINES_MOST];
};

static const float gap = -0.5F;

static void fill_grid(struct grid *grid, size_t n, size_t m) {
  for (size_t i = 0; i <= n; i++) {
    for (size_t j = 0; j <= m; j++) {
      float match = i && j ? grid->score[i - 1][j - 1] + fit(&grid->zh[i - 1], &grid->en[j - 1]) : -1e9F;
      float skip_zh = i ? grid->score[i - 1][j] + gap : -1e9F;
      float skip_en = j ? grid->score[i][j - 1] + gap : -1e9F;
      float best = i || j ? match : 0;
      char from = 'm';
      if (skip_zh > best) best = skip_zh, from = 'z';
      if (skip_en > best) best = skip_en, from = 'e';
      grid->score[i][j] = best;
      grid->from[i][j] = from;
    }
  }
}

static void trace(struct grid *grid, size_t n, size_t m) {
  memset(grid->matched, 0, sizeof grid->matched);
  while (n && m) {
    char from = grid->from[n][m];
    if (from == 'm') {
      grid->matched[n - 1] = 1;
      grid->partner[n - 1] = m - 1;
    }
    n -= from != 'e';
    m -= from != 'z';
  }
}

static uint32_t cleaned(struct pool *pool, struct skill__buf *buf, struct span text) {
  skill__buf_clear(buf);
  text_clean(buf, text, 800);
  return pool_text(pool, (struct span){buf->data ? buf->data : "", buf->length});
}

/* A match counts if a neighbour matches as well, or if words are shared. */
static bool is_sure(const struct grid *grid, size_t i, size_t n) {
  size_t j = grid->partner[i];
  bool before = i && grid->matched[i - 1] && grid->partner[i - 1] + 1 == j;
  bool after = i + 1 < n && grid->matched[i + 1] && grid->partner[i + 1] == j + 1;
  return (before && after) || ((before || after) && shared_words(&grid->zh[i], &grid->en[j]));
}

static void align(struct pool *pool, struct grid *grid, const char *zh, const char *en, struct skill__buf *buf) {
  size_t n = read_lines(zh, grid->zh);
  size_t m = read_lines(en, grid->en);
  if (n < 4 || m < 4) return;
  fill_grid(grid, n, m);
  if (grid->score[n][m] < 0.25F * (float)n) return;
  trace(grid, n, m);
  struct source *source = pool_source(pool, "lines", 1);
  for (size_t i = 0; i < n; i++) {
    const struct line *left = &grid->zh[i];
    if (!grid->matched[i] || !left->chinese || !is_sure(grid, i, n)) continue;
    const struct line *right = &grid->en[grid->partner[i]];
    if (right->chinese || fit(left, right) < 0.8F) continue;
    pool_pair_apart(pool, source, cleaned(pool, buf, left->text), cleaned(pool, buf, right->text));
  }
}

/* --- terms in parentheses --------------------------------------------------------------------------------------- */

struct bracket {
  UT_hash_handle hh;
  uint64_t key;
};

/* Length of the Chinese term that ends at `end`, in bytes; at most eight characters. */
static size_t term_before(struct span text, size_t end) {
  size_t begin = end;
  for (size_t chars = 0; chars < 8 && begin >= 3; chars++) {
    uint32_t rune;
    if (text_rune(text, begin - 3, &rune) != 3 || !rune_is_han(rune)) break;
    begin -= 3;
  }
  return end - begin;
}

/* Length of the English term at `begin` up to a closing parenthesis, in bytes; 0: none. */
static size_t english_until_close(struct span text, size_t begin) {
  size_t end = begin;
  while (end < text.length && end - begin < 52 && (is_word_char(text.text[end]) || strchr(" -/&", text.text[end]))) {
    if (!text.text[end]) break;
    end++;
  }
  bool wide = text.length - end >= 3 && memcmp(text.text + end, "）", 3) == 0;
  bool closed = wide || (end < text.length && text.text[end] == ')');
  bool letter = begin < text.length && is_word_char(text.text[begin]) && text.text[begin] > '9';
  return closed && letter && end - begin > 2 ? end - begin : 0;
}

struct terms {
  uint32_t (*items)[2];
  size_t count, capacity;
  struct bracket *seen;
};

static void add_term(struct pool *pool, struct terms *terms, struct span zh, struct span en) {
  uint32_t left = pool_text(pool, zh);
  uint32_t right = pool_text(pool, en);
  struct text a = pool->texts[left], b = pool->texts[right];
  if (!a.count || !b.count) return;
  struct bracket *found = NULL;
  uint64_t key = a.hash * 31 + b.hash;
  HASH_FIND(hh, terms->seen, &key, sizeof key, found);
  if (found) return;
  found = need(skill__malloc(sizeof *found));
  found->key = key;
  bool added = false;
  SKILL__HASH_ADD(terms->seen, found, &found->key, sizeof found->key, added);
  if (!added) die("out of memory");
  GROW(terms->items, terms->capacity, terms->count + 1);
  terms->items[terms->count][0] = left;
  terms->items[terms->count++][1] = right;
}

static void find_terms(struct pool *pool, struct terms *terms, struct span text) {
  for (size_t at = 3; at < text.length; at++) {
    size_t open = text.text[at] == '(' ? 1 : text.length - at > 3 && memcmp(text.text + at, "（", 3) == 0 ? 3 : 0;
    if (!open) continue;
    size_t zh = term_before(text, at - (text.text[at - 1] == ' '));
    size_t begin = at + open;
    size_t en = english_until_close(text, begin);
    size_t end = at - (text.text[at - 1] == ' ');
    if (zh >= 6 && en) {
      add_term(pool, terms, (struct span){text.text + end - zh, zh}, (struct span){text.text + begin, en});
    }
  }
}

/* Bags of two to four terms are more like sentences than single terms are. */
static void mine_terms(struct pool *pool, const struct corpus *corpus, struct skill__random *rng) {
  struct terms terms = {0};
  for (size_t i = 0; i < corpus->count; i++) {
    const struct document *document = &corpus->items[i];
    if (!document->chinese) continue;
    find_terms(pool, &terms, (struct span){document->description, strlen(document->description)});
    find_terms(pool, &terms, (struct span){document->body, strlen(document->body)});
  }
  struct source *single = pool_source(pool, "terms", 1.5);
  struct source *bags = pool_source(pool, "term-bags", 1.5);
  for (size_t i = 0; i < terms.count; i++) {
    pool_pair(pool, single, terms.items[i][0], terms.items[i][1]);
    uint32_t left[4], right[4];
    size_t count = 2 + rng_below(rng, 3);
    for (size_t k = 0; k < count; k++) {
      size_t which = rng_below(rng, terms.count);
      left[k] = terms.items[which][0];
      right[k] = terms.items[which][1];
    }
    pool_pair(pool, bags, pool_join(pool, left, count), pool_join(pool, right, count));
  }
  struct bracket *bracket, *next;
  HASH_ITER(hh, terms.seen, bracket, next) {
    HASH_DEL(terms.seen, bracket);
    skill__free(bracket);
  }
  skill__free(terms.items);
}

void mine_parallel(struct pool *pool, const struct corpus *corpus, uint64_t seed) {
  struct skill__random rng = {seed};
  struct grid *grid = need(skill__malloc(sizeof *grid));
  struct skill__buf buf;
  skill__buf_init(&buf, 1 << 20);
  struct source *cross = pool_source(pool, "cross", 4);
  for (size_t i = 0; i < corpus->count; i++) {
    const struct document *document = &corpus->items[i];
    if (!document->chinese || document->twin == SIZE_MAX) continue;
    const struct document *twin = &corpus->items[document->twin];
    if (*document->description) pool_pair_apart(pool, cross, document->target, twin->target);
    align(pool, grid, document->body, twin->body, &buf);
  }
  mine_terms(pool, corpus, &rng);
  skill__buf_fini(&buf);
  skill__free(grid);
}
