/* SPDX-License-Identifier: MIT
 *
 * Argument substitution. The first line is the arguments, the rest a body. A body without '$' is unchanged. If the
 * arguments contain no '$', the result has no '$' except escaped ones and unknown names.
 */
#include <string.h>

#include "fuzz/fuzz.h"
#include "skillet/document.h"
#include "skillet/sys/alloc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char arguments[1024];
  const char *text = (const char *)data;
  const char *line = size < 65536 ? memchr(text, '\n', size) : NULL;
  size_t length = line ? (size_t)(line - text) : 0;
  if (!line || length >= sizeof arguments) return 0;
  memcpy(arguments, text, length);
  arguments[length] = '\0';
  static const char *const names[] = {"name", "issue-number"};
  SkillSubstitution with = SKILL_SUBSTITUTION_INIT;
  with.arguments = arguments;
  with.names.items = names;
  with.names.count = 2;
  with.folder = "dir";
  const char *body = line + 1;
  size_t body_length = size - length - 1;
  char *out = NULL;
  size_t out_length = 0;
  bool used = false;
  int rc = skill_substitute(body, body_length, &with, &out, &out_length, &used);
  FUZZ_CHECK(rc == 0 || rc == SKILL_ELIMIT);
  if (rc) return 0;
  FUZZ_CHECK(out[out_length] == '\0');
  if (!body_length || !memchr(body, '$', body_length)) {
    FUZZ_CHECK(!used && out_length == body_length && memcmp(out, body, body_length) == 0);
  }
  skill_free(out);
  return 0;
}
