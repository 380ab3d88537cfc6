/* SPDX-License-Identifier: MIT
 *
 * Compares the scanner for plain front matter with libyaml: whatever it reads, libyaml reads the same, including
 * positions.
 */
#include "document/plain.h"
#include "document/yaml.h"
#include "fuzz/fuzz.h"
#include "lib/value_equal.h"
#include "util/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *text = (const char *)data;
  if (skill__utf8_valid(text, size) != size || size > SKILL_MAX_FRONTMATTER) return 0;
  struct skill__arena arena = {0};
  struct skill__value *fast = NULL;
  int status = skill__plain_read(&arena, text, size, 2, &fast);
  FUZZ_CHECK(status == 0 || status == 1);
  if (status) {
    struct skill__value *full = NULL;
    struct skill__yaml_error error;
    FUZZ_CHECK(skill__yaml_read(&arena, text, size, 2, &full, &error) == 0);
    FUZZ_CHECK(value_equal(fast, full, true));
  }
  skill__arena_fini(&arena);
  return 0;
}
