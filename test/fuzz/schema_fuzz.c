/* SPDX-License-Identifier: MIT
 *
 * JSON Schema. The input is a schema, a line with "---", and arguments. Nothing may crash or run without end, the
 * result does not depend on earlier calls, and arguments that are valid in strict mode are valid in lenient mode.
 */
#include <string.h>

#include "fuzz/fuzz.h"
#include "gateway/schema.h"

static const char *split(const char *text, size_t length, size_t *head) {
  for (size_t i = 0; i + 5 <= length; i++) {
    if (memcmp(text + i, "\n---\n", 5) != 0) continue;
    *head = i;
    return text + i + 5;
  }
  return NULL;
}

static int check(const char *schema_text, size_t length, bool strict, const char *value, size_t size, int *compiled) {
  struct skill__schema *schema = NULL;
  SkillError err = SKILL_ERROR_INIT;
  *compiled = skill__schema_compile(schema_text, length, "fuzz", strict, &schema, &err);
  FUZZ_CHECK((*compiled == 0) == (schema != NULL));
  FUZZ_CHECK(*compiled == 0 || err.message[0]);
  if (*compiled) return *compiled;
  skill_error_clear(&err);
  int rc = skill__schema_check_text(schema, value, size, NULL, &err);
  FUZZ_CHECK(rc == 0 || err.message[0]);
  FUZZ_CHECK(skill__schema_check_text(schema, value, size, NULL, NULL) == rc);
  skill__schema_free(schema);
  return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *text = (const char *)data;
  size_t head;
  const char *value = size < 65536 ? split(text, size, &head) : NULL;
  if (!value) return 0;
  size_t length = size - (size_t)(value - text);
  int strict;
  int lenient;
  int a = check(text, head, true, value, length, &strict);
  int b = check(text, head, false, value, length, &lenient);
  if (strict == 0) FUZZ_CHECK(lenient == 0 && a == b);
  return 0;
}
