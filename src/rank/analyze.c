/* SPDX-License-Identifier: MIT
 *
 * The analyzer. ASCII text is read in place; other text is normalised first. What a lower-cased word becomes (a stem,
 * or nothing because it is a stop word) is cached, so that Snowball runs once for each word form. Fails only when
 * memory is out.
 */
#include "rank/analyze.h"

#include <libstemmer.h>
#include <string.h>

#include "rank/fold.h"
#include "util/alloc.h"
#include "util/utf8.h"

enum { CACHE_SLOTS = 8192, CACHE_TEXT = 23, SEGMENTS = 16, PARTS = 24, JOINED_SEGMENT = 12, LONGEST = 40 };

struct cached {
  char word[CACHE_TEXT], stem[CACHE_TEXT];
  unsigned char word_length, stem_length; /* stem_length 0: a stop word */
  bool joined;
  uint32_t memo;
};

struct skill__analyzer {
  struct sb_stemmer *stemmer;
  struct cached *cache;
  struct skill__buf folded; /* the text in compatibility form */
  struct skill__buf word;   /* one word folded */
  struct cached *current;   /* the word at hand; NULL: not cached */
};

struct sink {
  struct skill__analyzer *analyzer;
  skill__token_fn *fn;
  void *user;
};

int skill__analyzer_new(struct skill__analyzer **out) {
  struct skill__analyzer *analyzer = skill__calloc(1, sizeof *analyzer);
  if (!analyzer) return SKILL_ENOMEM;
  analyzer->stemmer = sb_stemmer_new("english", "UTF_8");
  analyzer->cache = skill__calloc(CACHE_SLOTS, sizeof *analyzer->cache);
  if (!analyzer->stemmer || !analyzer->cache) {
    skill__analyzer_free(analyzer);
    return SKILL_ENOMEM;
  }
  skill__buf_init(&analyzer->folded, SIZE_MAX / 2);
  skill__buf_init(&analyzer->word, 1 << 16);
  *out = analyzer;
  return 0;
}

void skill__analyzer_free(struct skill__analyzer *analyzer) {
  if (!analyzer) return;
  if (analyzer->stemmer) sb_stemmer_delete(analyzer->stemmer);
  skill__free(analyzer->cache);
  skill__buf_fini(&analyzer->folded);
  skill__buf_fini(&analyzer->word);
  skill__free(analyzer);
}

/* --- words ------------------------------------------------------------------------------------------------------- */

static uint32_t hash(const char *text, size_t length) {
  uint32_t h = 2166136261u;
  for (size_t i = 0; i < length; i++) h = (h ^ (unsigned char)text[i]) * 16777619u;
  return h ^ (h >> 15);
}

/* Stems a lower-case ASCII word; the result is borrowed until the next stem. */
static const char *stem(struct skill__analyzer *analyzer, const char *word, size_t length, size_t *stem_length) {
  const sb_symbol *text = sb_stemmer_stem(analyzer->stemmer, (const sb_symbol *)word, (int)length);
  if (!text) return NULL;
  *stem_length = (size_t)sb_stemmer_length(analyzer->stemmer);
  /* Snowball leaves the plural of words without a vowel: pdfs, csvs, https. */
  size_t n = *stem_length;
  if (n >= 4 && text[n - 1] == 's' && text[n - 2] != 's' && strcspn((const char *)text, "aeiouy") == n) --*stem_length;
  return (const char *)text;
}

static int emit_cached(struct sink *sink, struct cached *slot, unsigned flags) {
  if (!slot->stem_length) return 0;
  sink->analyzer->current = slot;
  int status = sink->fn(sink->user, slot->stem, slot->stem_length, flags);
  sink->analyzer->current = NULL;
  return status;
}

uint32_t *skill__analyzer_memo(struct skill__analyzer *analyzer) {
  return analyzer->current ? &analyzer->current->memo : NULL;
}

/* Emits a lower-case ASCII word's stem. A stop word is left out unless it is the joined form of several parts. */
static int emit_ascii(struct sink *sink, const char *word, size_t length, bool joined) {
  if (length == 0 || length >= LONGEST) return 0;
  unsigned flags = joined ? SKILL__TOKEN_JOINED : 0;
  struct cached *slot = NULL;
  if (length <= CACHE_TEXT) {
    slot = &sink->analyzer->cache[hash(word, length) % CACHE_SLOTS];
    if (slot->word_length == length && slot->joined == joined && memcmp(slot->word, word, length) == 0)
      return emit_cached(sink, slot, flags);
  }
  size_t n = 0;
  const char *text = "";
  if (joined || !skill__stop_word(word, length)) {
    text = stem(sink->analyzer, word, length, &n);
    if (!text) return SKILL_ENOMEM;
  }
  if (slot && n <= CACHE_TEXT) {
    memcpy(slot->word, word, length);
    memcpy(slot->stem, text, n);
    slot->word_length = (unsigned char)length;
    slot->stem_length = (unsigned char)n;
    slot->joined = joined;
    slot->memo = 0;
    return emit_cached(sink, slot, flags);
  }
  return n ? sink->fn(sink->user, text, n, flags) : 0;
}

/* Emits a word that may hold letters beyond ASCII. */
static int emit_word(struct sink *sink, const char *word, size_t length, bool joined) {
  char lower[SKILL__TOKEN_MAX];
  size_t i = 0;
  for (; i < length && i < sizeof lower && (unsigned char)word[i] < 0x80; i++)
    lower[i] = (char)(word[i] >= 'A' && word[i] <= 'Z' ? word[i] | 0x20 : word[i]);
  if (i == length) return emit_ascii(sink, lower, length, joined);
  if (i == sizeof lower) return 0;
  struct skill__buf *buf = &sink->analyzer->word;
  skill__buf_clear(buf);
  skill__fold_word(buf, word, length);
  if (buf->status) return buf->status == SKILL_ENOMEM ? SKILL_ENOMEM : 0;
  if (buf->length == 0 || buf->length > SKILL__TOKEN_MAX) return 0;
  for (i = 0; i < buf->length && (unsigned char)buf->data[i] < 0x80; i++) continue;
  if (i == buf->length) return emit_ascii(sink, buf->data, buf->length, joined);
  return sink->fn(sink->user, buf->data, buf->length, joined ? SKILL__TOKEN_JOINED : 0);
}

static bool upper(char c) {
  return c >= 'A' && c <= 'Z';
}

static bool lower_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/* Ends of the camelCase parts of a segment: fooBar, HTTPServer; a plural of capitals (PDFs) is one part. */
static size_t camel(const char *text, size_t length, size_t *ends) {
  size_t count = 0;
  for (size_t i = 1; i < length && count + 1 < PARTS; i++) {
    bool rise = lower_or_digit(text[i - 1]) && upper(text[i]);
    bool fall = i + 1 < length && upper(text[i - 1]) && upper(text[i]) && text[i + 1] >= 'a' && text[i + 1] <= 'z';
    bool plural = fall && text[i + 1] == 's' && i + 2 == length;
    if (rise || (fall && !plural)) ends[count++] = i;
  }
  ends[count++] = length;
  return count;
}

static int emit_segment(struct sink *sink, const char *text, size_t length) {
  size_t ends[PARTS];
  size_t count = camel(text, length, ends), start = 0;
  for (size_t i = 0; i < count; i++) {
    int status = emit_word(sink, text + start, ends[i] - start, false);
    if (status) return status;
    start = ends[i];
  }
  return count > 1 ? emit_word(sink, text, length, true) : 0;
}

/* C#, C++ and the like are names; the sign belongs to the word. Returns how many signs follow. */
static size_t signs(const char *text, size_t length, size_t word) {
  size_t n = 0;
  if (word <= 2 && length >= 1 && text[0] == '#') n = 1;
  if (word <= 12 && length >= 2 && text[0] == '+' && text[1] == '+') n = 2;
  if (n && n < length && (lower_or_digit(text[n]) || upper(text[n]) || text[n] == text[0])) return 0;
  return n;
}

/* "next.js", "asp.net": the second half of a dotted name that is also written without the dot. */
static bool dotted(const char *text, size_t length) {
  static const char *const ends[] = {"js", "net", "io", "ai", "py", "ts"};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    size_t n = strlen(ends[i]);
    if (length < n + 1 || text[0] != '.') continue;
    size_t same = 0;
    while (same < n && (text[1 + same] | 0x20) == ends[i][same]) same++;
    if (same < n) continue;
    uint32_t after = 0;
    if (length == n + 1 || !skill__utf8_decode(text + n + 1, length - n - 1, &after)) return true;
    enum skill__char kind = skill__char_kind(after);
    return kind != SKILL__CHAR_WORD && kind != SKILL__CHAR_JOINER;
  }
  return false;
}

struct segments {
  size_t start[SEGMENTS], end[SEGMENTS];
  size_t count;
  bool apostrophe;
};

static int emit_joined(struct sink *sink, const char *a, size_t a_length, const char *b, size_t b_length) {
  char joined[SKILL__TOKEN_MAX];
  if (a_length + b_length > sizeof joined) return 0;
  memcpy(joined, a, a_length);
  memcpy(joined + a_length, b, b_length);
  return emit_word(sink, joined, a_length + b_length, true);
}

/* One run of word characters and joiners at `text`; `rest` bytes of text follow it. */
static int emit_run(struct sink *sink, const char *text, const struct segments *segments, size_t rest) {
  const char *end = text + segments->end[segments->count - 1];
  size_t length = segments->end[0] - segments->start[0];
  if (segments->count == 1) {
    size_t n = signs(end, rest, length);
    if (n && length + n <= SKILL__TOKEN_MAX) {
      char token[SKILL__TOKEN_MAX];
      for (size_t i = 0; i < length + n; i++) token[i] = (char)(upper(text[i]) ? text[i] | 0x20 : text[i]);
      return sink->fn(sink->user, token, length + n, 0);
    }
  }
  for (size_t i = 0; i < segments->count; i++) {
    int status = emit_segment(sink, text + segments->start[i], segments->end[i] - segments->start[i]);
    if (status) return status;
  }
  if (segments->count == 2 && !segments->apostrophe) {
    size_t second = segments->end[1] - segments->start[1];
    if (length < JOINED_SEGMENT && second < JOINED_SEGMENT)
      return emit_joined(sink, text, length, text + segments->start[1], second);
  } else if (segments->count == 1 && dotted(end, rest)) {
    size_t second = 1;
    while (second < rest && (lower_or_digit(end[second]) || upper(end[second]))) second++;
    return emit_joined(sink, text, length, end + 1, second - 1);
  }
  return 0;
}

/* --- text -------------------------------------------------------------------------------------------------------- */

#define W SKILL__CHAR_WORD
#define J SKILL__CHAR_JOINER
static const unsigned char ascii_kinds[128] = {
    ['\''] = J, ['-'] = J, ['_'] = J, ['0'] = W, ['1'] = W, ['2'] = W, ['3'] = W, ['4'] = W, ['5'] = W, ['6'] = W,
    ['7'] = W,  ['8'] = W, ['9'] = W, ['A'] = W, ['B'] = W, ['C'] = W, ['D'] = W, ['E'] = W, ['F'] = W, ['G'] = W,
    ['H'] = W,  ['I'] = W, ['J'] = W, ['K'] = W, ['L'] = W, ['M'] = W, ['N'] = W, ['O'] = W, ['P'] = W, ['Q'] = W,
    ['R'] = W,  ['S'] = W, ['T'] = W, ['U'] = W, ['V'] = W, ['W'] = W, ['X'] = W, ['Y'] = W, ['Z'] = W, ['a'] = W,
    ['b'] = W,  ['c'] = W, ['d'] = W, ['e'] = W, ['f'] = W, ['g'] = W, ['h'] = W, ['i'] = W, ['j'] = W, ['k'] = W,
    ['l'] = W,  ['m'] = W, ['n'] = W, ['o'] = W, ['p'] = W, ['q'] = W, ['r'] = W, ['s'] = W, ['t'] = W, ['u'] = W,
    ['v'] = W,  ['w'] = W, ['x'] = W, ['y'] = W, ['z'] = W,
};
#undef W
#undef J

static inline enum skill__char kind_at(const char *text, size_t length, size_t *n) {
  unsigned char c = (unsigned char)text[0];
  if (c < 0x80) {
    *n = 1;
    return (enum skill__char)ascii_kinds[c];
  }
  uint32_t rune = 0;
  *n = skill__utf8_decode(text, length, &rune);
  if (*n == 0) {
    *n = 1;
    return SKILL__CHAR_OTHER;
  }
  return skill__char_kind(rune);
}

/* Reads a run of words and joiners; a joiner counts only between two word characters. Returns the run's bytes. */
static size_t read_run(const char *text, size_t length, struct segments *segments) {
  size_t at = 0, n = 0;
  segments->count = 1;
  segments->start[0] = 0;
  segments->apostrophe = false;
  for (;;) {
    while (at < length && kind_at(text + at, length - at, &n) == SKILL__CHAR_WORD) at += n;
    segments->end[segments->count - 1] = at;
    if (at >= length || segments->count == SEGMENTS) return at;
    if (kind_at(text + at, length - at, &n) != SKILL__CHAR_JOINER) return at;
    size_t next = at + n, m = 0;
    if (next >= length || kind_at(text + next, length - next, &m) != SKILL__CHAR_WORD) return at;
    segments->apostrophe |= text[at] == '\'' || (n == 3 && text[at + 2] == '\x99'); /* U+2019 */
    at = next;
    segments->start[segments->count++] = at;
  }
}

/* Pairs of characters, then the single ones. */
static int emit_pairs(struct sink *sink, const char *text, size_t length) {
  size_t previous = 0, at = 0, n = 0;
  int status = 0;
  for (size_t count = 0; at < length && !status; count++, at += n) {
    kind_at(text + at, length - at, &n);
    if (count && !skill__stop_cjk(text + previous, at + n - previous))
      status = sink->fn(sink->user, text + previous, at + n - previous, 0);
    previous = at;
  }
  for (at = 0; at < length && !status; at += n) {
    kind_at(text + at, length - at, &n);
    if (!skill__stop_cjk(text + at, n)) status = sink->fn(sink->user, text + at, n, SKILL__TOKEN_SINGLE);
  }
  return status;
}

static int scan(struct sink *sink, const char *text, size_t length) {
  size_t at = 0, n = 0;
  while (at < length) {
    enum skill__char kind = kind_at(text + at, length - at, &n);
    int status = 0;
    if (kind == SKILL__CHAR_WORD) {
      struct segments segments;
      n = read_run(text + at, length - at, &segments);
      status = emit_run(sink, text + at, &segments, length - at - n);
    } else if (kind == SKILL__CHAR_PAIR) {
      size_t end = at + n, m = 0;
      while (end < length && kind_at(text + end, length - end, &m) == SKILL__CHAR_PAIR) end += m;
      n = end - at;
      status = emit_pairs(sink, text + at, n);
    }
    if (status) return status;
    at += n;
  }
  return 0;
}

int skill__analyze(struct skill__analyzer *analyzer, const char *text, size_t length, skill__token_fn *fn, void *user) {
  struct sink sink = {analyzer, fn, user};
  size_t ascii = 0;
  while (ascii < length && (unsigned char)text[ascii] < 0x80) ascii++;
  if (ascii == length) return scan(&sink, text, length);
  skill__buf_clear(&analyzer->folded);
  skill__fold_compat(&analyzer->folded, text, length);
  if (analyzer->folded.status) return analyzer->folded.status;
  return scan(&sink, analyzer->folded.data, analyzer->folded.length);
}
