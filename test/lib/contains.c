/* SPDX-License-Identifier: MIT
 *
 * See contains.h.
 */
#include "lib/contains.h"

#include <string.h>

#include "lib/check.h"

void has(const char *text, const char *part) {
  if (!strstr(text, part)) print_error("'%s' is not in '%s'\n", part, text);
  assert_non_null(strstr(text, part));
}

void lacks(const char *text, const char *part) {
  if (strstr(text, part)) print_error("'%s' is in '%s'\n", part, text);
  assert_null(strstr(text, part));
}
