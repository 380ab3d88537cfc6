/* SPDX-License-Identifier: MIT
 *
 * Compares ids and counts with npm's tiktoken, the reference. Needs the packed vocabularies, node, and the package,
 * either in node_modules of the source tree or in the folder that SKILLET_NODE_MODULES names. Skipped with a message
 * without them.
 */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <utf8proc.h>

#include "lib/check.h"
#include "lib/tmpdir.h"
#include "skillet/tokens.h"
#include "util/utf8.h"

struct cases {
  char *dir;
  FILE *file;
  size_t count;
};

static struct cases cases;
static char modules[1024];

static void add_case(const void *data, size_t length) {
  uint32_t size = (uint32_t)length;
  assert_int_equal(fwrite(&size, sizeof size, 1, cases.file), 1);
  assert_int_equal(fwrite(data, 1, length, cases.file), length);
  cases.count++;
}

static unsigned char *slurp(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  assert_int_equal(fseek(file, 0, SEEK_END), 0);
  *length = (size_t)ftell(file);
  rewind(file);
  unsigned char *data = malloc(*length + 1);
  assert_non_null(data);
  assert_int_equal(fread(data, 1, *length, file), *length);
  fclose(file);
  return data;
}

static void open_cases(void) {
  char path[1100];
  cases.dir = tmpdir_make();
  cases.count = 0;
  snprintf(path, sizeof path, "%s/cases", cases.dir);
  cases.file = fopen(path, "wb");
  assert_non_null(cases.file);
}

/* Runs the reference and compares every id of every case. */
static void compare(const char *encoding) {
  char path[1100];
  char command[8192];
  SkillTokenizer *tokenizer = NULL;
  assert_int_equal(skill_tokenizer_open(encoding, NULL, &tokenizer, NULL), 0);
  fflush(cases.file);
  snprintf(command, sizeof command, "node %s/test/lib/tokens_peer.mjs %s %s %s/cases %s/out", SKILLET_SOURCE_DIR,
           modules, encoding, cases.dir, cases.dir);
  assert_int_equal(system(command), 0);
  size_t input_length = 0;
  size_t want_length = 0;
  snprintf(path, sizeof path, "%s/cases", cases.dir);
  unsigned char *input = slurp(path, &input_length);
  snprintf(path, sizeof path, "%s/out", cases.dir);
  unsigned char *want = slurp(path, &want_length);
  size_t at = 0;
  size_t out = 0;
  for (size_t i = 0; i < cases.count; i++) {
    uint32_t length;
    uint32_t count;
    memcpy(&length, input + at, 4);
    memcpy(&count, want + out, 4);
    const char *text = (const char *)input + at + 4;
    uint32_t *ids = malloc((length + 1) * sizeof *ids);
    assert_non_null(ids);
    size_t got = tokenizer->encode(tokenizer, text, length, ids, length);
    size_t counted = skill_tokens_count(tokenizer, text, length);
    bool same = got == count && counted == count && !memcmp(ids, want + out + 4, count * sizeof *ids);
    if (!same) {
      fail_msg("%s, case %zu of %zu (%u bytes: %.60s): %zu ids, counted %zu, reference %u", encoding, i, cases.count,
               length, text, got, counted, count);
    }
    free(ids);
    at += 4 + length;
    out += 4 + (size_t)count * 4;
  }
  assert_int_equal(at, input_length);
  assert_int_equal(out, want_length);
  free(input);
  free(want);
  skill_tokenizer_free(tokenizer);
}

static void compare_both(void) {
  compare("o200k_base");
  compare("cl100k_base");
  fclose(cases.file);
  tmpdir_remove(cases.dir);
}

static uint32_t seed = 1;
static uint32_t draw(uint32_t below) {
  seed ^= seed << 13;
  seed ^= seed >> 17;
  seed ^= seed << 5;
  return seed % below;
}

/* Texts that are difficult for patterns and vocabularies. */
static const char *const fragments[] = {"a",
                                        "the",
                                        " The",
                                        "I'll",
                                        "'S",
                                        "'\xc5\xbf",
                                        "'re",
                                        "'RE",
                                        "don't",
                                        "\xef\xbb\xbf",
                                        "\xc2\x85",
                                        "\xc2\xa0",
                                        " ",
                                        "  ",
                                        "\t",
                                        "\n",
                                        "\r\n",
                                        "\r",
                                        "\n\n",
                                        "/",
                                        "//",
                                        "/\n",
                                        "...",
                                        "!?",
                                        "(",
                                        "1",
                                        "12",
                                        "1234567",
                                        "\xd9\xa1\xd9\xa2\xd9\xa3\xd9\xa4",
                                        "\xe5\x8d\x81\xe4\xba\x8c",
                                        "\xe2\x85\xab",
                                        "\xc2\xbd",
                                        "\xe4\xb8\xad",
                                        "\xe6\x96\x87\xe5\xad\x97",
                                        "\xe3\x81\x8b",
                                        "\xed\x95\x9c",
                                        "\xd8\xa7\xd9\x84",
                                        "\xd7\xa9",
                                        "e\xcc\x81",
                                        "\xcc\x81",
                                        "\xcc\x81"
                                        "A",
                                        "\xe0\xa4\x95\xe0\xa4\xbe",
                                        "\xc7\x85",
                                        "\xca\xb0",
                                        "\xc2\xaa",
                                        "\xf0\x9f\x98\x80",
                                        "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb",
                                        "\xef\xb8\x8f",
                                        "\xe2\x80\x8b",
                                        "\xe2\x80\xa8",
                                        "\xe1\xa0\x8e",
                                        "\xe3\x80\x80",
                                        "<|endoftext|>",
                                        "<|endofprompt|>",
                                        "camelCaseXMLName",
                                        "HTTPServer",
                                        "ABC\xe4\xb8\xad"
                                        "DEf",
                                        "_",
                                        "\xc3\x9f",
                                        "\xe1\xba\x9e",
                                        "\xc4\xb0",
                                        "\xef\xbc\xa1",
                                        "\x00",
                                        "\x7f",
                                        "\xff",
                                        "\xc0\x80",
                                        "\xed\xa0\x80",
                                        "\xf0\x9f",
                                        "\xe4\xb8",
                                        "\xf4\x90\x80\x80",
                                        "if (x) {\n    return;\n}\n",
                                        "\xf0\x9d\x94\xb8",
                                        "\xf0\xa0\x80\x80"};

static void edge_fragments_in_any_order(void **state) {
  (void)state;
  open_cases();
  for (int i = 0; i < 20000; i++) {
    char text[512];
    size_t length = 0;
    for (uint32_t n = draw(12) + 1; n > 0; n--) {
      const char *f = fragments[draw(sizeof fragments / sizeof *fragments)];
      size_t size = *f ? strlen(f) : 1;
      memcpy(text + length, f, size);
      length += size;
    }
    add_case(text, length);
  }
  compare_both();
}

static void random_bytes(void **state) {
  (void)state;
  open_cases();
  for (int i = 0; i < 3000; i++) {
    unsigned char bytes[256];
    size_t length = draw(sizeof bytes) + 1;
    for (size_t j = 0; j < length; j++) bytes[j] = (unsigned char)draw(i % 2 ? 256 : 128);
    add_case(bytes, length);
  }
  compare_both();
}

static void every_character_among_letters(void **state) {
  (void)state;
  open_cases();
  for (uint32_t start = 0; start < 0x110000; start += 64) {
    char text[64 * 24];
    size_t length = 0;
    for (uint32_t rune = start; rune < start + 64; rune++) {
      char one[4];
      utf8proc_int32_t whole = rune >= 0xd800 && rune < 0xe000 ? 0xfffd : (utf8proc_int32_t)rune;
      size_t size = (size_t)utf8proc_encode_char(whole, (utf8proc_uint8_t *)one);
      const char *const around[][2] = {{"a", "A"}, {" x", "1"}, {"!", "b"}};
      for (size_t i = 0; i < 3; i++) {
        memcpy(text + length, around[i][0], strlen(around[i][0]));
        length += strlen(around[i][0]);
        memcpy(text + length, one, size);
        length += size;
        memcpy(text + length, around[i][1], 1);
        length += 1;
      }
    }
    add_case(text, length);
  }
  compare_both();
}

/* The reference takes quadratic time for an unbroken run, so these have 20,000 bytes; the vectors in
 * tokens_vectors_test include runs of a million. */
static void long_runs(void **state) {
  (void)state;
  static const char *const units[] = {
      "a", "A", " ", "\n", "=", "\xe4\xb8\xad", "\xf0\x9f\x98\x80", "e\xcc\x81", "\xcc\x81", "ab", "\xd8\xa7", "7"};
  open_cases();
  for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
    size_t size = strlen(units[u]);
    for (size_t want = 40; want <= 20000; want = want * 2 + 17) {
      char *text = malloc(want + size);
      assert_non_null(text);
      size_t length = 0;
      for (; length < want; length += size) memcpy(text + length, units[u], size);
      add_case(text, length);
      free(text);
    }
  }
  compare_both();
}

static int add_file(const char *path, const struct stat *info, int flag, struct FTW *ftw) {
  (void)info;
  (void)ftw;
  if (flag != FTW_F) return 0;
  size_t length = 0;
  unsigned char *data = slurp(path, &length);
  add_case(data, length);
  free(data);
  return 0;
}

static void every_file_of_the_sample(void **state) {
  (void)state;
  if (access(SKILLET_SHARED "/corpus/sample", R_OK)) {
    print_message("no ../shared/corpus/sample: skipped\n");
    skip();
  }
  open_cases();
  assert_int_equal(nftw(SKILLET_SHARED "/corpus/sample", add_file, 32, FTW_PHYS), 0);
  assert_true(cases.count > 1000);
  compare_both();
}

static bool ready(void) {
  const char *set = getenv("SKILLET_NODE_MODULES");
  snprintf(modules, sizeof modules, "%s", set && *set ? set : SKILLET_SOURCE_DIR "/node_modules");
  char path[1100];
  snprintf(path, sizeof path, "%s/tiktoken/package.json", modules);
  if (access(path, R_OK) || system("command -v node >/dev/null 2>&1")) {
    print_message("no node or no npm package tiktoken in %s: skipped\n", modules);
    return false;
  }
  SkillTokenizer *tokenizer = NULL;
  if (skill_tokenizer_open("o200k_base", NULL, &tokenizer, NULL)) {
    print_message("no packed vocabulary (scripts/fetch-vocabulary.sh): skipped\n");
    return false;
  }
  skill_tokenizer_free(tokenizer);
  return true;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(edge_fragments_in_any_order),   cmocka_unit_test(random_bytes),
      cmocka_unit_test(every_character_among_letters), cmocka_unit_test(long_runs),
      cmocka_unit_test(every_file_of_the_sample),
  };
  if (!ready()) return 77;
  return cmocka_run_group_tests_name("tokens/peer", tests, NULL, NULL);
}
