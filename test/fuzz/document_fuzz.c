/* SPDX-License-Identifier: MIT
 *
 * Parses any file. The result is a document with a usable name, valid texts, valid JSON and diagnostics in the order of
 * lines, or the request for a longer prefix. The first byte selects the options.
 */
#include <cjson/cJSON.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "skillet/document.h"
#include "util/utf8.h"

static void check_text(const char *text) {
  if (text) FUZZ_CHECK(skill__utf8_valid(text, strlen(text)) == strlen(text));
}

static void check_json(const char *json) {
  cJSON *value = cJSON_Parse(json);
  FUZZ_CHECK(value);
  cJSON_Delete(value);
}

static void check_findings(const SkillDocument *document) {
  const SkillDiagnostic *items = NULL;
  size_t count = skill_document_diagnostics(document, &items);
  for (size_t i = 0; i < count; i++) {
    FUZZ_CHECK(items[i].code && items[i].message && *items[i].message && items[i].fix && *items[i].fix);
    FUZZ_CHECK(i == 0 || items[i - 1].line <= items[i].line);
    FUZZ_CHECK(!strchr(items[i].message, '\n'));
    check_text(items[i].message);
  }
}

static void check(const SkillDocument *document, const SkillDocumentOptions *options) {
  const SkillMetadata *m = skill_document_metadata(document);
  FUZZ_CHECK(skill_name_check(m->name, strlen(m->name), NULL) == 0);
  check_text(m->description);
  check_text(m->version);
  check_text(m->argument_hint);
  FUZZ_CHECK(m->description || (m->unlisted && options->kind == SKILL_DOCUMENT_FOLDER));
  for (size_t i = 0; i < m->tags.count; i++) check_text(m->tags.items[i]);
  for (size_t i = 0; i < m->extra_count; i++) check_json(m->extra[i].json);
  for (size_t i = 0; i < m->tool_count; i++) {
    FUZZ_CHECK(m->tools[i].name);
    if (m->tools[i].input_schema) check_json(m->tools[i].input_schema);
  }
  size_t length = 0;
  const char *body = skill_document_body(document, &length);
  FUZZ_CHECK(skill__utf8_valid(body, length) == length && !memchr(body, '\r', length) && body[length] == '\0');
  check_findings(document);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  unsigned choice = size ? data[0] : 0;
  SkillDocumentOptions options = {.size = sizeof options, .path = "a/b.md", .folder = "b", .stem = "b"};
  options.kind = choice & 1 ? SKILL_DOCUMENT_SINGLE : SKILL_DOCUMENT_FOLDER;
  options.strict = choice & 2;
  options.describe_from_body = choice & 4;
  options.prefix_only = choice & 8;
  SkillDocument *document = NULL;
  const char *text = (const char *)data + (size != 0);
  int status = skill_document_parse(text, size - (size != 0), &options, &document, NULL);
  FUZZ_CHECK(status == 0 || (status == SKILL_ELIMIT && options.prefix_only));
  if (!status) check(document, &options);
  skill_document_free(document);
  return 0;
}
