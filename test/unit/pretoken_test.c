/* SPDX-License-Identifier: MIT
 *
 * Compares our pre-tokenizer with the patterns themselves, which PCRE2 matches.
 *
 * PCRE2's \s includes U+180E, and its tables may be of another Unicode version than utf8proc's. So \s is written out,
 * and the sweep over all characters uses only those whose category is the same in both.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdio.h>
#include <string.h>
#include <utf8proc.h>

#include "lib/check.h"
#include "pack-vocabulary/classes.h"
#include "tokens/pretoken.h"
#include "util/utf8.h"

#define SP "\\x{9}-\\x{d}\\x{20}\\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}"
#define SUFFIX "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
#define LEAD "[^\\r\\n\\p{L}\\p{N}]?"
#define HEAD "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]"
#define TAIL "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]"
#define BLANKS "|[" SP "]*[\\r\\n]+|[" SP "]+(?![^" SP "])|[" SP "]+"

static const char *const patterns[] = {
    [SKILL__PATTERN_O200K] = LEAD HEAD "*" TAIL "+" SUFFIX "?|" LEAD HEAD "+" TAIL "*" SUFFIX "?|\\p{N}{1,3}| ?[^" SP
                                       "\\p{L}\\p{N}]+[\\r\\n/]*" BLANKS,
    [SKILL__PATTERN_CL100K] = SUFFIX "|" LEAD "\\p{L}+|\\p{N}{1,3}| ?[^" SP "\\p{L}\\p{N}]+[\\r\\n]*" BLANKS,
};

static pcre2_code *compiled[2];
static pcre2_match_data *match;
static uint8_t class_index[SKILL__CLASS_BLOCKS];
static uint8_t class_bits[SKILL__CLASS_MAX_DISTINCT * 256];
static const struct skill__classes classes = {class_index, class_bits};

static int setup(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    int error = 0;
    PCRE2_SIZE where = 0;
    compiled[i] =
        pcre2_compile((PCRE2_SPTR)patterns[i], PCRE2_ZERO_TERMINATED, PCRE2_UTF | PCRE2_UCP, &error, &where, NULL);
    assert_non_null(compiled[i]);
    pcre2_jit_compile(compiled[i], PCRE2_JIT_COMPLETE);
  }
  match = pcre2_match_data_create(4, NULL);
  size_t blocks = classes_build(class_index, class_bits);
  assert_true(blocks > 10 && blocks <= SKILL__CLASS_MAX_DISTINCT);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) pcre2_code_free(compiled[i]);
  pcre2_match_data_free(match);
  return 0;
}

static void same_cuts(const char *text, size_t length) {
  for (int i = 0; i < 2; i++) {
    for (size_t at = 0; at < length;) {
      int found = pcre2_match(compiled[i], (PCRE2_SPTR)text, length, at, PCRE2_NO_UTF_CHECK, match, NULL);
      assert_true(found > 0);
      const PCRE2_SIZE *span = pcre2_get_ovector_pointer(match);
      size_t end = skill__pretoken_next(&classes, (enum skill__pattern)i, (const unsigned char *)text, length, at);
      if (span[0] != at || span[1] != end) {
        fail_msg("pattern %d, at %zu of \"%.*s\": cut at %zu, PCRE2 %zu..%zu", i, at, (int)length, text, end, span[0],
                 span[1]);
      }
      at = end;
    }
  }
}

static void words_numbers_and_blanks_are_cut_as_the_patterns_say(void **state) {
  (void)state;
  static const char *const texts[] = {
      "The camelCaseXMLName isn't HTTPServer'S; 12345 items/\r\n\r\n  next",
      "ABC\xe4\xb8\xad"
      "DEf \xe4\xb8\xad"
      "D \xcc\x81"
      "ABC \xcc\x81\xcc\x81 a\xcc\x81"
      "B",
      "\xef\xbb\xbf"
      "BOM\xc2\x85next\xc2\xa0 \xe1\xa0\x8e word'\xc5\xbf'\xc5\xbf don'T I'LL we'Re x'rE'",
      "   a\n\n\t b  \r",
      " \t ",
      "'s",
      "''s",
      "'",
      "\xe2\x85\xab\xc2\xbd\xd9\xa1\xd9\xa2"
      "3",
      "\xc7\x85"
      "a\xc7\x85"
      "B",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) same_cuts(texts[i], strlen(texts[i]));
}

static uint32_t seed = 7;
static uint32_t draw(uint32_t below) {
  seed ^= seed << 13;
  seed ^= seed >> 17;
  seed ^= seed << 5;
  return seed % below;
}

/* One character of each kind that the patterns distinguish, and the letters of the contractions. */
static const char *const kinds[] = {"a",
                                    "s",
                                    "e",
                                    "l",
                                    "r",
                                    "v",
                                    "t",
                                    "S",
                                    "L",
                                    "E",
                                    "\xc5\xbf",
                                    "'",
                                    "'",
                                    "A",
                                    "\xc7\x85",
                                    "\xca\xb0",
                                    "\xe4\xb8\xad",
                                    "\xcc\x81",
                                    "1",
                                    "\xe2\x85\xab",
                                    "\xc2\xbd",
                                    " ",
                                    " ",
                                    "\t",
                                    "\n",
                                    "\r",
                                    "\xc2\x85",
                                    "\xc2\xa0",
                                    "\xe3\x80\x80",
                                    "/",
                                    "!",
                                    "_",
                                    "\xef\xbb\xbf",
                                    "\xe2\x80\x8d",
                                    "\xf0\x9f\x98\x80",
                                    "\xf0\x90\x90\x80",
                                    "\xf0\x9d\x9f\x98"};

static void any_sequence_of_kinds_is_cut_alike(void **state) {
  (void)state;
  for (int i = 0; i < 60000; i++) {
    char text[80];
    size_t length = 0;
    for (uint32_t n = draw(16) + 1; n > 0; n--) {
      const char *kind = kinds[draw(sizeof kinds / sizeof *kinds)];
      memcpy(text + length, kind, strlen(kind));
      length += strlen(kind);
    }
    same_cuts(text, length);
  }
}

/* The general category of a character in PCRE2, with utf8proc's name. */
static const char *const names[] = {"\\p{Lu}|\\p{Lt}", "\\p{Ll}", "\\p{Lm}|\\p{Lo}", "\\p{M}", "\\p{N}"};

static bool categories_agree(uint32_t rune, const char *text, size_t size, pcre2_code *const *probes) {
  static const unsigned want[] = {SKILL__CLASS_LETTER | SKILL__CLASS_UPPER, SKILL__CLASS_LETTER | SKILL__CLASS_LOWER,
                                  SKILL__CLASS_LETTER | SKILL__CLASS_UPPER | SKILL__CLASS_LOWER,
                                  SKILL__CLASS_UPPER | SKILL__CLASS_LOWER, SKILL__CLASS_NUMBER};
  unsigned pcre = 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (pcre2_match(probes[i], (PCRE2_SPTR)text, size, 0, PCRE2_NO_UTF_CHECK, match, NULL) > 0) pcre = want[i];
  }
  unsigned ours = class_bits[(size_t)class_index[rune >> 8] * 256 + (rune & 0xff)];
  return pcre == (ours & ~(unsigned)(SKILL__CLASS_SPACE | SKILL__CLASS_LINE));
}

static void every_character_is_cut_alike(void **state) {
  (void)state;
  pcre2_code *probes[5];
  int error = 0;
  PCRE2_SIZE where = 0;
  for (int i = 0; i < 5; i++) {
    probes[i] = pcre2_compile((PCRE2_SPTR)names[i], PCRE2_ZERO_TERMINATED, PCRE2_UTF | PCRE2_UCP, &error, &where, NULL);
    assert_non_null(probes[i]);
  }
  size_t skipped = 0;
  for (uint32_t rune = 1; rune < 0x110000;
       rune += rune < 0x3400 || (rune >= 0xa000 && rune < 0xac00) || (rune >= 0xd800 && rune < 0x20000) ? 1 : 61) {
    if (rune >= 0xd800 && rune < 0xe000) continue;
    char one[4];
    size_t size = (size_t)utf8proc_encode_char((utf8proc_int32_t)rune, (utf8proc_uint8_t *)one);
    if (!categories_agree(rune, one, size, probes)) {
      skipped++;
      continue;
    }
    char text[32];
    int length = snprintf(text, sizeof text, "A%.*sb %.*sC1%.*s!", (int)size, one, (int)size, one, (int)size, one);
    same_cuts(text, (size_t)length);
  }
  for (int i = 0; i < 5; i++) pcre2_code_free(probes[i]);
  assert_true(skipped < 12000); /* another Unicode version, at most */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(words_numbers_and_blanks_are_cut_as_the_patterns_say),
      cmocka_unit_test(any_sequence_of_kinds_is_cut_alike),
      cmocka_unit_test(every_character_is_cut_alike),
  };
  return cmocka_run_group_tests_name("tokens/pretoken", tests, setup, teardown);
}
