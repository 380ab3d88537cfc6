/* SPDX-License-Identifier: MIT
 *
 * API keys: no message contains one, whole or in part; and which key is sent to which address.
 */
#include <stdio.h>
#include <string.h>

#include "lib/check.h"
#include "model/wire/key.h"
#include "net/url.h"

static void a_key_is_blotted_out_wherever_it_stands(void **state) {
  (void)state;
  static const char key[] = "sk-0123456789abcdef";
  static const struct {
    const char *message;
    const char *left;
  } cases[] = {
      {"bad key sk-0123456789abcdef", "bad key ***"},
      {"sk-0123456789abcdef and sk-0123456789abcdef.", "*** and ***."},
      {"cut: sk-0123456789abcde", "cut: ***"}, /* at the end of a message */
      {"cut: sk-01234", "cut: ***"},
      {"no key: sk-0", "no key: sk-0"}, /* too short to be useful, and words begin like this */
      {"", ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char message[64];
    snprintf(message, sizeof message, "%s", cases[i].message);
    skill__key_scrub(key, message);
    assert_string_equal(message, cases[i].left);
  }
  char message[] = "as it is";
  skill__key_scrub(NULL, message);
  skill__key_scrub("", message);
  skill__key_scrub("as", message); /* too short for a key */
  assert_string_equal(message, "as it is");
}

static void plain_http_is_exposed_but_on_this_machine(void **state) {
  (void)state;
  static const char *const exposed[] = {"http://example.org/v1",           "HTTP://10.0.0.1:80",
                                        "http://localhost@example.org/v1", "http://localhost:x@example.org",
                                        "http://127.0.0.1.example.org/",   "http://localhost.example.org",
                                        "http://[2001:db8::1]:80/v1"};
  static const char *const private[] = {"https://example.org/v1", "http://localhost:1234/v1",
                                        "http://127.0.0.1/v1",    "http://127.8.8.8:80",
                                        "http://[::1]:8080/v1",   "http://me:pass@localhost/"};
  for (size_t i = 0; i < sizeof exposed / sizeof *exposed; i++) {
    if (!skill__url_exposed(exposed[i])) print_error("%s\n", exposed[i]);
    assert_true(skill__url_exposed(exposed[i]));
  }
  for (size_t i = 0; i < sizeof private / sizeof *private; i++) {
    if (skill__url_exposed(private[i])) print_error("%s\n", private[i]);
    assert_false(skill__url_exposed(private[i]));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_key_is_blotted_out_wherever_it_stands),
      cmocka_unit_test(plain_http_is_exposed_but_on_this_machine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
