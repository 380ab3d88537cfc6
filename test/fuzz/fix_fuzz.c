/* SPDX-License-Identifier: MIT
 *
 * Repairing a file terminates and never produces more diagnostics. A second repair does not find the same problems
 * again.
 */
#include <string.h>

#include "document/fix.h"
#include "fuzz/fuzz.h"
#include "skillet/sys/alloc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  unsigned choice = size ? data[0] : 0;
  SkillDocumentOptions options = {.size = sizeof options, .path = "a/b.md", .folder = "b", .stem = "b"};
  options.kind = choice & 1 ? SKILL_DOCUMENT_SINGLE : SKILL_DOCUMENT_FOLDER;
  options.strict = choice & 2;
  char *out = NULL;
  size_t length = 0;
  size_t before = 0;
  size_t after = 0;
  const char *text = (const char *)data + (size != 0);
  FUZZ_CHECK(skill__fix(text, size - (size != 0), &options, &out, &length, &before, &after) == 0);
  FUZZ_CHECK(out ? after < before : after == before);
  if (out) {
    SkillDocument *document = NULL;
    FUZZ_CHECK(skill_document_parse(out, length, &options, &document, NULL) == 0);
    FUZZ_CHECK(skill_document_diagnostics(document, NULL) == after);
    skill_document_free(document);
  }
  skill_free(out);
  return 0;
}
