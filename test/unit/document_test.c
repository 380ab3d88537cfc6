/* SPDX-License-Identifier: MIT
 *
 * Document: the regular cases of the format, and the fallback rules of single files.
 */
#include <stdio.h>
#include <string.h>

#include "document/diagnostic.h"
#include "lib/check.h"
#include "skillet/document.h"

static SkillDocument *parse(SkillDocumentKind kind, const char *name, const char *text) {
  SkillDocumentOptions options = {.size = sizeof options, .kind = kind, .path = "x.md"};
  options.folder = kind == SKILL_DOCUMENT_FOLDER ? name : NULL;
  options.stem = kind == SKILL_DOCUMENT_SINGLE ? name : NULL;
  SkillDocument *document = NULL;
  assert_int_equal(skill_document_parse(text, strlen(text), &options, &document, NULL), 0);
  return document;
}

static bool reported(const SkillDocument *document, const char *code) {
  const SkillDiagnostic *items = NULL;
  size_t count = skill_document_diagnostics(document, &items);
  for (size_t i = 0; i < count; i++) {
    if (!strcmp(items[i].code, code)) return true;
  }
  return false;
}

static void a_skill_file_gives_every_field(void **state) {
  (void)state;
  SkillDocument *document = parse(
      SKILL_DOCUMENT_FOLDER, "csv",
      "---\nname: csv\ndescription: Profiles CSV files.\nversion: \"1.2\"\nlicense: MIT\ncompatibility: python3\n"
      "category: data\ntags: [csv, data]\ntriggers: profile this, column types\nwhen_to_use: a table comes\n"
      "whenNotToUse: images\nallowed_tools: Read Bash(git log *)\ndisallowed-tools: Write\npaths: '*.csv, *.tsv'\n"
      "arguments: file limit\nargument-hint: FILE\nagent: explorer\nmodel: small\ncontext: fork\nmode: always\n"
      "disable-model-invocation: true\nuser-invocable: no\n"
      "metadata:\n  author: someone\n  build: 007\nStars: 5\nratio: 1.10\n"
      "tools:\n  - name: profile\n    description: Profiles.\n    command: scripts/profile.py\n    read_only: true\n"
      "    input_schema:\n      type: object\n      properties: {limit: {type: integer, maximum: 1.0}}\n"
      "---\n\nBody.\n");
  const SkillMetadata *m = skill_document_metadata(document);
  assert_string_equal(m->name, "csv");
  assert_string_equal(m->description, "Profiles CSV files.");
  assert_string_equal(m->version, "1.2");
  assert_string_equal(m->license, "MIT");
  assert_string_equal(m->compatibility, "python3");
  assert_string_equal(m->category, "data");
  assert_int_equal(m->tags.count, 2);
  assert_string_equal(m->triggers.items[1], "column types");
  assert_string_equal(m->when_to_use, "a table comes");
  assert_string_equal(m->when_not_to_use, "images");
  assert_int_equal(m->allowed_tools.count, 2);
  assert_true(m->allowed_tools_set);
  assert_string_equal(m->allowed_tools.items[1], "Bash(git log *)");
  assert_string_equal(m->disallowed_tools.items[0], "Write");
  assert_string_equal(m->paths.items[1], "*.tsv");
  assert_string_equal(m->arguments.items[1], "limit");
  assert_string_equal(m->argument_hint, "FILE");
  assert_string_equal(m->agent, "explorer");
  assert_string_equal(m->model, "small");
  assert_int_equal(m->context, SKILL_CONTEXT_FORK);
  assert_int_equal(m->mode, SKILL_MODE_ALWAYS);
  assert_true(m->disable_model_invocation);
  assert_true(m->not_user_invocable);
  assert_int_equal(m->extra_count, 4);
  assert_string_equal(m->extra[0].key, "metadata.author");
  assert_string_equal(m->extra[1].json, "\"007\"");
  assert_string_equal(m->extra[2].json, "5");
  assert_string_equal(m->extra[3].json, "\"1.10\"");
  assert_int_equal(m->tool_count, 1);
  assert_string_equal(m->tools[0].command, "scripts/profile.py");
  assert_int_equal(m->tools[0].flags, SKILL_TOOL_READ_ONLY);
  assert_string_equal(m->tools[0].input_schema,
                      "{\"type\":\"object\",\"properties\":{\"limit\":{\"type\":\"integer\",\"maximum\":1.0}}}");
  size_t length = 0;
  assert_string_equal(skill_document_body(document, &length), "Body.\n");
  assert_int_equal(length, 6);
  skill_document_free(document);
}

static void a_single_file_falls_back_in_five_steps(void **state) {
  (void)state;
  SkillDocument *document = parse(SKILL_DOCUMENT_SINGLE, "weekly", "---\nmode: Always\n---\nBody\n");
  const SkillMetadata *m = skill_document_metadata(document);
  assert_string_equal(m->id, "weekly");
  assert_string_equal(m->name, "weekly");
  assert_non_null(m->description);
  assert_true(m->description_derived);
  assert_false(m->unlisted);
  assert_int_equal(m->mode, SKILL_MODE_LAZY);
  assert_false(skill_document_has_identity(document));
  skill_document_free(document);

  document = parse(SKILL_DOCUMENT_SINGLE, "weekly", "Just text.\n\n---\nname: no\n---\n");
  m = skill_document_metadata(document);
  assert_string_equal(m->name, "weekly");
  assert_string_equal(skill_document_body(document, NULL), "Just text.\n\n---\nname: no\n---\n");
  assert_int_equal(skill_document_diagnostics(document, NULL), 0);
  skill_document_free(document);

  document = parse(SKILL_DOCUMENT_SINGLE, "weekly", "---\nid: plan\nmode: always\n---\nBody\n");
  m = skill_document_metadata(document);
  assert_string_equal(m->id, "plan");
  assert_string_equal(m->name, "plan");
  assert_int_equal(m->mode, SKILL_MODE_ALWAYS);
  skill_document_free(document);
}

static void a_folder_skill_without_description_is_kept_but_not_listed(void **state) {
  (void)state;
  SkillDocument *document =
      parse(SKILL_DOCUMENT_FOLDER, "lamp", "---\nname: lamp\ndescription: '  '\n---\n# L\n\nFinds.\n");
  assert_true(skill_document_metadata(document)->unlisted);
  assert_true(reported(document, "description-missing"));
  skill_document_free(document);

  SkillDocumentOptions options = {.size = sizeof options, .folder = "lamp", .describe_from_body = true};
  static const char text[] = "# Lamp\n\nFinds lamps\nin photos.\n\nMore.\n";
  assert_int_equal(skill_document_parse(text, strlen(text), &options, &document, NULL), 0);
  assert_string_equal(skill_document_metadata(document)->description, "Finds lamps in photos.");
  assert_true(skill_document_metadata(document)->description_derived);
  assert_true(reported(document, "no-frontmatter"));
  skill_document_free(document);
}

static void without_a_name_and_a_folder_the_title_is_the_name(void **state) {
  (void)state;
  SkillDocument *document = parse(SKILL_DOCUMENT_FOLDER, NULL, "# The title\n\nText.\n");
  assert_string_equal(skill_document_metadata(document)->name, "The title");
  skill_document_free(document);
  document = parse(SKILL_DOCUMENT_FOLDER, NULL, "---\nname: lamp\n---\n# The title\n");
  assert_string_equal(skill_document_metadata(document)->name, "lamp");
  skill_document_free(document);
  document = parse(SKILL_DOCUMENT_FOLDER, NULL, "Text.\n");
  assert_string_equal(skill_document_metadata(document)->name, "unnamed");
  skill_document_free(document);
}

static void a_prefix_that_ends_within_the_front_matter_asks_for_more(void **state) {
  (void)state;
  static const char text[] = "---\nname: a\ndescription: b\n---\nBody \xe4\xb8\xad";
  SkillDocumentOptions options = {.size = sizeof options, .folder = "a", .prefix_only = true};
  SkillDocument *document = NULL;
  SkillError err = SKILL_ERROR_INIT;
  for (size_t n = 4; n < 30; n++) {
    skill_error_clear(&err);
    assert_int_equal(skill_document_parse(text, n, &options, &document, &err), SKILL_ELIMIT);
    assert_null(document);
  }
  for (size_t n = 30; n < sizeof text; n++) {
    assert_int_equal(skill_document_parse(text, n, &options, &document, NULL), 0);
    assert_string_equal(skill_document_metadata(document)->description, "b");
    assert_int_equal(skill_document_diagnostics(document, NULL), 0);
    skill_document_free(document);
    document = NULL;
  }
}

static void an_alias_bomb_and_deep_nesting_end_in_a_finding(void **state) {
  (void)state;
  SkillDocument *document =
      parse(SKILL_DOCUMENT_FOLDER, "x",
            "---\nname: x\ndescription: d\na: &a [l,l,l,l,l,l,l,l,l,l]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
            "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d]\n---\n");
  assert_true(reported(document, "yaml-limit"));
  skill_document_free(document);
  char deep[4000] = "---\nname: x\ndescription: d\nk: ";
  size_t at = strlen(deep);
  memset(deep + at, '[', 1500);
  memset(deep + at + 1500, ']', 1500);
  strcpy(deep + at + 3000, "\n---\n");
  document = parse(SKILL_DOCUMENT_FOLDER, "x", deep);
  assert_true(reported(document, "yaml-limit"));
  skill_document_free(document);
}

/* docs/format.md has a row for every code, with both levels. */
static void the_page_on_the_format_lists_every_code(void **state) {
  (void)state;
  FILE *file = fopen(SKILLET_SOURCE_DIR "/docs/format.md", "rb");
  assert_non_null(file);
  static char page[1 << 17];
  page[fread(page, 1, sizeof page - 1, file)] = '\0';
  fclose(file);
  for (unsigned i = 0; i < SKILL__CODE_COUNT; i++) {
    enum skill__code code = (enum skill__code)i;
    char row[128];
    snprintf(row, sizeof row, "| `%s` | %s | %s |", skill__code_name(code),
             skill_level_name(skill__code_level(code, false)), skill_level_name(skill__code_level(code, true)));
    if (!strstr(page, row)) fail_msg("docs/format.md lacks the row %s", row);
    assert_int_equal(skill__code_find(skill__code_name(code)), code);
  }
  assert_int_equal(skill__code_find("no-such-code"), SKILL__CODE_COUNT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_skill_file_gives_every_field),
      cmocka_unit_test(a_single_file_falls_back_in_five_steps),
      cmocka_unit_test(a_folder_skill_without_description_is_kept_but_not_listed),
      cmocka_unit_test(without_a_name_and_a_folder_the_title_is_the_name),
      cmocka_unit_test(a_prefix_that_ends_within_the_front_matter_asks_for_more),
      cmocka_unit_test(the_page_on_the_format_lists_every_code),
      cmocka_unit_test(an_alias_bomb_and_deep_nesting_end_in_a_finding),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
