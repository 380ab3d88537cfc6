/* SPDX-License-Identifier: MIT
 *
 * The analyzer. ASCII text is read in place; other text is normalised first. stem_cache.h keeps the stem of each short
 * word, so Snowball runs about once for each word form. Fails only when memory is out.
 */
#include "rank/text/analyze.h"

#include <string.h>

#include "rank/text/ascii_word.h"
#include "rank/text/fold.h"
#include "rank/text/stem_cache.h"
#include "util/alloc.h"
#include "util/utf8.h"

enum { SEGMENTS = 16, PARTS = 24, JOINED_SEGMENT = 12, WAITING = 16 };

/* A short word that is to be emitted. Its cache line is prefetched when it is put into the queue, and is there when the
 * queue is emptied. Tokens leave in the order of the text: everything else empties the queue first. */
struct waiting {
  struct skill__word_key key;
  uint32_t place;
  uint8_t length, kind, flags;
};

struct skill__analyzer {
  struct skill__stem_cache *words;
  struct skill__stem *current; /* the word being emitted; NULL: not in the cache */
  struct skill__buf folded;    /* a stretch of text in compatibility form */
  struct skill__buf word;      /* one word folded */
  struct waiting waiting[WAITING];
  size_t waiting_count;
};

struct sink {
  struct skill__analyzer *analyzer;
  skill__token_fn *fn;
  void *user;
};

int skill__analyzer_new(struct skill__analyzer **out) {
  struct skill__analyzer *analyzer = skill__calloc(1, sizeof *analyzer);
  if (!analyzer) return SKILL_ENOMEM;
  skill__buf_init(&analyzer->folded, SIZE_MAX / 2);
  skill__buf_init(&analyzer->word, 1 << 16);
  if (skill__stem_cache_new(&analyzer->words)) {
    skill__analyzer_free(analyzer);
    return SKILL_ENOMEM;
  }
  *out = analyzer;
  return 0;
}

void skill__analyzer_free(struct skill__analyzer *analyzer) {
  if (!analyzer) return;
  skill__stem_cache_free(analyzer->words);
  skill__buf_fini(&analyzer->folded);
  skill__buf_fini(&analyzer->word);
  skill__free(analyzer);
}

void skill__analyzer_trim(struct skill__analyzer *analyzer) {
  skill__stem_cache_trim(analyzer->words);
}

uint32_t *skill__analyzer_memo(struct skill__analyzer *analyzer) {
  return analyzer->current ? &analyzer->current->memo : NULL;
}

/* --- words ------------------------------------------------------------------------------------------------------- */

static int emit_now(struct sink *sink, const char *word, size_t length, enum skill__word_kind kind, unsigned flags) {
  size_t n = 0;
  const char *stem = skill__stem_cache_stem(sink->analyzer->words, word, length, kind, &n);
  if (!stem) return SKILL_ENOMEM;
  return n ? sink->fn(sink->user, stem, n, flags) : 0;
}

static int emit_waiting(struct sink *sink, const struct waiting *waiting) {
  struct skill__analyzer *analyzer = sink->analyzer;
  enum skill__word_kind kind = (enum skill__word_kind)waiting->kind;
  struct skill__stem *word =
      skill__stem_cache_find(analyzer->words, waiting->key, waiting->place, waiting->length, kind);
  char token[SKILL__WORD_SHORT + sizeof word->tail];
  if (!word) {
    memcpy(token, &waiting->key, SKILL__WORD_SHORT);
    return emit_now(sink, token, waiting->length, kind, waiting->flags);
  }
  size_t length = (size_t)word->keep + word->tail_length;
  if (length == 0) return 0;
  memcpy(token, word->text, sizeof word->text);
  memcpy(token + word->keep, word->tail, sizeof word->tail);
  analyzer->current = word;
  int status = sink->fn(sink->user, token, length, waiting->flags);
  analyzer->current = NULL;
  return status;
}

/* Empties the queue. */
static int flush(struct sink *sink) {
  struct skill__analyzer *analyzer = sink->analyzer;
  int status = 0;
  for (size_t i = 0; i < analyzer->waiting_count && !status; i++) status = emit_waiting(sink, &analyzer->waiting[i]);
  analyzer->waiting_count = 0;
  return status;
}

static int emit_later(struct sink *sink, struct skill__word_key key, size_t length, enum skill__word_kind kind,
                      unsigned flags) {
  struct skill__analyzer *analyzer = sink->analyzer;
  uint32_t place = skill__stem_cache_place(key, kind);
  skill__stem_cache_expect(analyzer->words, place);
  analyzer->waiting[analyzer->waiting_count++] =
      (struct waiting){key, place, (uint8_t)length, (uint8_t)kind, (uint8_t)flags};
  return analyzer->waiting_count == WAITING ? flush(sink) : 0;
}

/* Emits an ASCII word's stem. A stop word is left out unless it is the joined form of several parts. `room` bytes may
 * be read at `text`. */
static int emit_ascii(struct sink *sink, const char *text, size_t length, size_t room, bool joined) {
  if (length == 0 || length >= SKILL__WORD_LONGEST) return 0;
  enum skill__word_kind kind = joined ? SKILL__WORD_JOINED : SKILL__WORD_PLAIN;
  unsigned flags = joined ? SKILL__TOKEN_JOINED : 0;
  if (length <= SKILL__WORD_SHORT)
    return emit_later(sink, skill__word_key_lower(text, length, room), length, kind, flags);
  char lower[SKILL__WORD_LONGEST];
  for (size_t i = 0; i < length; i++) lower[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] | 0x20 : text[i]);
  int status = flush(sink);
  return status ? status : emit_now(sink, lower, length, kind, flags);
}

/* Emits a token that needs no stem. */
static int emit_token(struct sink *sink, const char *text, size_t length, unsigned flags) {
  int status = flush(sink);
  return status ? status : sink->fn(sink->user, text, length, flags);
}

/* Emits a word that may have letters beyond ASCII. */
static int emit_word(struct sink *sink, const char *word, size_t length, size_t room, bool joined) {
  size_t i = 0;
  while (i < length && i < SKILL__TOKEN_MAX && (unsigned char)word[i] < 0x80) i++;
  if (i == length) return emit_ascii(sink, word, length, room, joined);
  if (i == SKILL__TOKEN_MAX) return 0;
  struct skill__buf *buf = &sink->analyzer->word;
  skill__buf_clear(buf);
  skill__fold_word(buf, word, length);
  if (buf->status) return buf->status == SKILL_ENOMEM ? SKILL_ENOMEM : 0;
  if (buf->length == 0 || buf->length > SKILL__TOKEN_MAX) return 0;
  for (i = 0; i < buf->length && (unsigned char)buf->data[i] < 0x80; i++) continue;
  if (i == buf->length) return emit_ascii(sink, buf->data, buf->length, buf->length, joined);
  return emit_token(sink, buf->data, buf->length, joined ? SKILL__TOKEN_JOINED : 0);
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

static int emit_segment(struct sink *sink, const char *text, size_t length, size_t room) {
  size_t ends[PARTS];
  size_t count = camel(text, length, ends), start = 0;
  for (size_t i = 0; i < count; i++) {
    int status = emit_word(sink, text + start, ends[i] - start, room - start, false);
    if (status) return status;
    start = ends[i];
  }
  return count > 1 ? emit_word(sink, text, length, room, true) : 0;
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
  if (length < 3 || text[0] != '.') return false;
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    size_t n = strlen(ends[i]);
    if (length < n + 1) continue;
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
  return emit_word(sink, joined, a_length + b_length, sizeof joined, true);
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
      return emit_token(sink, token, length + n, 0);
    }
  }
  for (size_t i = 0; i < segments->count; i++) {
    size_t start = segments->start[i];
    int status = emit_segment(sink, text + start, segments->end[i] - start, (size_t)(end - text) + rest - start);
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

/* One or two characters, unless they are on the stop list. */
static int emit_pair(struct sink *sink, const char *text, size_t length, size_t room, unsigned flags) {
  return emit_later(sink, skill__word_key(text, length, room), length, SKILL__WORD_PAIR, flags);
}

/* Pairs of characters, then the single ones. */
static int emit_pairs(struct sink *sink, const char *text, size_t length) {
  size_t previous = 0, at = 0, n = 0;
  int status = 0;
  for (size_t count = 0; at < length && !status; count++, at += n) {
    n = skill__utf8_length(text + at, length - at);
    if (count) status = emit_pair(sink, text + previous, at + n - previous, length - previous, 0);
    previous = at;
  }
  for (at = 0; at < length && !status; at += n) {
    n = skill__utf8_length(text + at, length - at);
    status = emit_pair(sink, text + at, n, length - at, SKILL__TOKEN_SINGLE);
  }
  return status;
}

/* The length of the run of ASCII word characters at `text` if it is one plain word: no camelCase, and nothing after it
 * that may belong to it. 0 otherwise. Most words take this path. */
static size_t plain_word(const char *text, size_t length) {
  struct skill__ascii_word word = skill__ascii_read(text, length);
  size_t n = word.length;
  if (word.capitals && word.others) return 0;
  if (n == length) return n;
  char next = text[n];
  if ((unsigned char)next >= 0x80 || next == '#' || next == '+') return 0;
  if (next != '.' && ascii_kinds[(unsigned char)next] != SKILL__CHAR_JOINER) return n;
  unsigned char after = n + 1 < length ? (unsigned char)text[n + 1] : ' ';
  return after >= 0x80 || ascii_kinds[after] == SKILL__CHAR_WORD ? 0 : n;
}

static int scan(struct sink *sink, const char *text, size_t length) {
  size_t at = 0, n = 0;
  while (at < length) {
    enum skill__char kind = kind_at(text + at, length - at, &n);
    int status = 0;
    if (kind == SKILL__CHAR_WORD) {
      size_t word = n == 1 ? plain_word(text + at, length - at) : 0;
      if (word) {
        n = word;
        status = emit_ascii(sink, text + at, word, length - at, false);
      } else {
        struct segments segments;
        n = read_run(text + at, length - at, &segments);
        status = emit_run(sink, text + at, &segments, length - at - n);
      }
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

/* How many ASCII characters `text` begins with. */
static size_t ascii_length(const char *text, size_t length) {
  size_t n = 0;
  for (uint64_t word; n + sizeof word <= length; n += sizeof word) {
    memcpy(&word, text + n, sizeof word);
    if (word & 0x8080808080808080u) break;
  }
  while (n < length && (unsigned char)text[n] < 0x80) n++;
  return n;
}

/* ASCII is read in place. A stretch between blanks with other characters is folded first, as a whole, because a mark
 * changes the character before it. No token spans a blank. */
static int scan_all(struct sink *sink, const char *text, size_t length) {
  struct skill__buf *folded = &sink->analyzer->folded;
  int status = 0;
  for (size_t at = 0, end; at < length && !status; at = end) {
    end = at + ascii_length(text + at, length - at);
    if (end == length) return scan(sink, text + at, length - at);
    size_t start = end;
    while (start > at && (unsigned char)text[start - 1] > ' ') start--;
    while (end < length && (unsigned char)text[end] > ' ') end++;
    if (start > at) status = scan(sink, text + at, start - at);
    skill__buf_clear(folded);
    skill__fold_compat(folded, text + start, end - start);
    if (!status) status = folded->status;
    if (!status && folded->length) status = scan(sink, folded->data, folded->length);
  }
  return status;
}

int skill__analyze(struct skill__analyzer *analyzer, const char *text, size_t length, skill__token_fn *fn, void *user) {
  struct sink sink = {analyzer, fn, user};
  analyzer->waiting_count = 0;
  int status = scan_all(&sink, text, length);
  return status ? status : flush(&sink);
}
