/* SPDX-License-Identifier: MIT
 *
 * Front matter: repairs keep line numbers, recovery terminates, and anything that libyaml accepts is unchanged.
 */
#include <string.h>

#include "document/fields.h"
#include "document/mend.h"
#include "document/recover.h"
#include "document/yaml.h"
#include "fuzz/fuzz.h"
#include "lib/value_equal.h"
#include "util/alloc.h"
#include "util/utf8.h"

static size_t lines(const char *text, size_t length) {
  size_t count = 0;
  for (size_t i = 0; i < length; i++) count += text[i] == '\n';
  return count + (length && text[length - 1] != '\n');
}

static void check_mending(const char *text, size_t length) {
  struct skill__buf out;
  skill__buf_init(&out, 16 * 1024 * 1024);
  FUZZ_CHECK(skill__mend(text, length, 1, NULL, &out) == 0);
  FUZZ_CHECK(lines(text, length) == lines(out.data ? out.data : "", out.length));
  skill__buf_fini(&out);
}

static void check_fields(struct skill__arena *arena, struct skill__findings *findings,
                         const struct skill__value *root) {
  SkillMetadata metadata = {0};
  struct skill__fields fields = {.arena = arena, .findings = findings, .metadata = &metadata};
  FUZZ_CHECK(skill__fields_read(&fields, root) == 0);
  for (size_t i = 0; i < metadata.tool_count; i++) FUZZ_CHECK(metadata.tools[i].name);
  for (size_t i = 0; i < metadata.extra_count; i++) FUZZ_CHECK(metadata.extra[i].key && *metadata.extra[i].json);
  skill__free(fields.extra);
}

/* U+0085, U+2028 and U+2029 end a line for libyaml, and are spaces for skillet. */
static bool has_separator(const char *text, size_t length) {
  for (size_t i = 0; i + 1 < length; i++) {
    const unsigned char *s = (const unsigned char *)text + i;
    if (s[0] == 0xc2 && s[1] == 0x85) return true;
    if (i + 2 < length && s[0] == 0xe2 && s[1] == 0x80 && (s[2] == 0xa8 || s[2] == 0xa9)) return true;
  }
  return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *text = (const char *)data;
  if (skill__utf8_valid(text, size) != size || size > SKILL_MAX_FRONTMATTER || memchr(text, '\0', size)) return 0;
  struct skill__arena arena = {0};
  struct skill__findings findings = {.arena = &arena};
  struct skill__yaml_error error;
  struct skill__value *strict = NULL;
  struct skill__value *root = NULL;
  check_mending(text, size);
  int status = skill__yaml_read(&arena, text, size, 2, &strict, &error);
  FUZZ_CHECK(skill__recover_read(&arena, text, size, 2, &findings, &root) == 0);
  bool valid = status == 0 && !has_separator(text, size) && strict && strict->kind == SKILL__MAPPING;
  if (valid) FUZZ_CHECK(value_equal(strict, root, true));
  if (status) FUZZ_CHECK(findings.count > 0);
  if (root) FUZZ_CHECK(root->kind == SKILL__MAPPING);
  if (root) check_fields(&arena, &findings, root);
  skill__free(findings.items);
  skill__arena_fini(&arena);
  return 0;
}
