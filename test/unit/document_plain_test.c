/* SPDX-License-Identifier: MIT
 *
 * The fast reader of plain front matter: what it reads equals what libyaml reads, and it leaves everything else alone.
 */
#include <stdio.h>
#include <string.h>

#include "document/plain.h"
#include "document/yaml.h"
#include "lib/check.h"
#include "lib/value_equal.h"

static void what_it_reads_libyaml_reads_too(void **state) {
  (void)state;
  static const char *const texts[] = {
      "name: a\n",
      "name: a",
      "\n# comment\n\nname: a   \n\n  # comment\ndescription: b c\n",
      "a_b-c9: x\n_d: y\n0: z\nZ: A9\n",
      "a: \"b: # c\"\nd: 'e \\ f'\ng: 'h\"i'\n",
      "a: ''\nb: \"\"\nc:\nd: ~\n",
      "a: _b\nc: /d\ne: .5\nf: +1\ng: $h\ni: ^j\nk: \\l\nm: <n\no: =p\nq: ;r\ns: (t)\nu: ~v\n",
      ("a: h\xc3\xa9llo \xe4\xb8\xad\xe6\x96\x87\nb: \xe4\xb8\xad\nc: \xc2\xa0x\nd: \xe2\x80\xa6\ne: \xef\xbf\xbd\nf: "
       "\xef\xa3\xbf\n"),
      "a: x:y http://z#w\nb: c#d\n",
      "a: []\nb: [ ]\nc: [x]\nd: [x, y z , 'q, r', \"s]\"]\ne: [ 1,2 ]\nf: [\xe4\xb8\xad, v/w-x]\n",
      "a:\n  - x\n  - 'y'\n  -   z w\nb:\n- p\n- q\nc: r\n",
      "a:\n  b: 1\n  c:\n    d: 2\n    e:\n      - f\n  g: 3\nh: 4\n",
      "a:\n  b:\n    c:\n      d: deep\n",
      "a:\n\n  b: 1\n\n  # c\n  d: 2\n",
      "a:    x   \nb: \n  c: y\n",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct skill__arena arena = {0};
    struct skill__value *fast = NULL;
    struct skill__value *full = NULL;
    struct skill__yaml_error error;
    if (skill__plain_read(&arena, texts[i], strlen(texts[i]), 2, &fast) != 1) fail_msg("not read: %s", texts[i]);
    assert_int_equal(skill__yaml_read(&arena, texts[i], strlen(texts[i]), 2, &full, &error), 0);
    if (!value_equal(fast, full, true)) fail_msg("read differently: %s", texts[i]);
    skill__arena_fini(&arena);
  }
}

static void everything_else_is_left_to_libyaml(void **state) {
  (void)state;
  static const char *const texts[] = {
      "",
      "# only a comment\n",
      "  a: b\n",
      "a\n",
      "a b: c\n",
      "-a: b\n",
      "\xe4\xb8\xad: x\n",
      "a:b\n",
      "a: b: c\n",
      "a: b:\n",
      "a: b # c\n",
      "a: |\n  b\n",
      "a: > b\n",
      "a: b\n  c\n",
      "a: 'b\n  c'\n",
      "a: 'b''c'\n",
      "a: \"b\\n\"\n",
      "a: \"b\" c\n",
      "a: \"b\n",
      "a: [b\n",
      "a: [b] c\n",
      "a: [b, ]\n",
      "a: [b,\n",
      "a: [, b]\n",
      "a: [b: c]\n",
      "a: ['b' c]\n",
      "a: {b: c}\n",
      "a: &b c\n",
      "a: *b\n",
      "a: !b c\n",
      "a: @b\n",
      "a: -\n",
      "a: - b\n",
      "a:\n  - b: c\n",
      "a:\n  - [b]\n",
      "a:\n  - b\n    c\n",
      "a:\n  -\n",
      "a:\n  b: c\n d: e\n",
      "a:\n - b\n  - c\n",
      "a: b\n---\nc: d\n",
      "a:\tb\n",
      "a: b\tc\n",
      "a: b\x7f\n",
      "a: \xc2\x85x\n",
      "a: \xe2\x80\xa8x\n",
      "a: \xe2\x80\xa9x\n",
      "a: \xef\xbb\xbfx\n",
      "a: \xef\xbf\xbex\n",
      "a:\n  b:\n    c:\n      d:\n        e: too deep\n",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct skill__arena arena = {0};
    struct skill__value *value = NULL;
    if (skill__plain_read(&arena, texts[i], strlen(texts[i]), 2, &value) != 0) fail_msg("read: %s", texts[i]);
    assert_null(value);
    skill__arena_fini(&arena);
  }
}

static void many_entries_and_long_keys_are_left_to_libyaml(void **state) {
  (void)state;
  static char text[40000];
  struct skill__arena arena = {0};
  struct skill__value *value = NULL;
  size_t used = 0;
  for (int i = 0; i < 4000; i++) used += (size_t)snprintf(text + used, sizeof text - used, "k%d: v\n", i);
  assert_int_equal(skill__plain_read(&arena, text, used, 2, &value), 0);
  memset(text, 'k', 200);
  strcpy(text + 200, ": v\n");
  assert_int_equal(skill__plain_read(&arena, text, 204, 2, &value), 0);
  assert_int_equal(skill__plain_read(&arena, text + 72, 132, 2, &value), 1); /* a key of 128 bytes */
  skill__arena_fini(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_it_reads_libyaml_reads_too),
      cmocka_unit_test(everything_else_is_left_to_libyaml),
      cmocka_unit_test(many_entries_and_long_keys_are_left_to_libyaml),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
