/* SPDX-License-Identifier: MIT
 *
 * The JSON of each command has the names that docs/program.md documents.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/check.h"
#include "lib/program.h"
#include "lib/tmpdir.h"

static char *dir;

static int set_up(void **state) {
  (void)state;
  dir = tmpdir_make();
  tmpdir_write(dir, "skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Reads PDF files and forms.\n---\nRead it.\n");
  tmpdir_write(dir, "skills/pdf/references/forms.md", "Forms.\n");
  tmpdir_write(dir, "skills/forms/SKILL.md", "---\nname: forms\ndescription: Reads PDF files and forms.\n---\nDo.\n");
  tmpdir_write(dir, "skills/broken/SKILL.md", "---\nname: broken\ndescription: a: b\n---\nBody.\n");
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  tmpdir_remove(dir);
  return 0;
}

/* `names` are paths with '.' between them; "0" is the first item of a list. */
static void expect_in(const cJSON *document, const char *what, const char *names) {
  char copy[2000];
  char *save = NULL;
  snprintf(copy, sizeof copy, "%s", names);
  for (char *path = strtok_r(copy, " ", &save); path; path = strtok_r(NULL, " ", &save)) {
    char *step = NULL;
    char whole[200];
    const cJSON *at = document;
    snprintf(whole, sizeof whole, "%s", path);
    for (char *key = strtok_r(path, ".", &step); key && at; key = strtok_r(NULL, ".", &step)) {
      at = cJSON_IsArray(at) ? cJSON_GetArrayItem(at, atoi(key)) : cJSON_GetObjectItemCaseSensitive(at, key);
    }
    if (!at) fail_msg("skillet %s: %s is not there", what, whole);
  }
}

static void expect(const char *arguments, int status, const char *names) {
  cJSON *document = program_json(dir, arguments, status);
  expect_in(document, arguments, names);
  cJSON_Delete(document);
}

static void lists_and_findings(void **state) {
  (void)state;
  expect(
      "list --json skills", 0,
      "skills.0.name skills.0.description skills.0.source skills.0.path skills.0.mode skills.0.version skills.0.tags "
      "skills.0.tools skills.0.metadata diagnostics");
  expect("check --json skills", 1,
         "skills diagnostics.0.path diagnostics.0.line diagnostics.0.column diagnostics.0.level diagnostics.0.code "
         "diagnostics.0.message diagnostics.0.fix competing.0.a competing.0.b competing.0.score");
}

static void one_skill(void **state) {
  (void)state;
  expect("show --json pdf skills", 0, "name body resources.0.path resources.0.size resources.0.type");
  expect("show --json pdf --read references/forms.md skills", 0, "path type total cursor next encoding data");
  expect("show --json pfd skills", 1, "name found suggestions");
}

static void rankings(void **state) {
  (void)state;
  expect("find --json forms skills", 0,
         "query results.0.name results.0.score results.0.fit results.0.source results.0.terms.0.term "
         "results.0.terms.0.field results.0.terms.0.score matched searched scorer reason");
  expect("find --json quixotic skills", 1, "query results reason");
  expect("eval --json --skills " SKILLET_TEST_DATA "/eval/skills.jsonl --queries " SKILLET_TEST_DATA
         "/eval/queries.jsonl --against table=",
         0, "queries recall.1 recall.3 recall.5 recall.10 all5 ndcg10 mrr auc tokens against");
}

static void costs(void **state) {
  (void)state;
  expect(
      "cost --json skills", 0,
      "tokenizer exact skills.0.name skills.0.l1 skills.0.l2 skills.0.l3 total.l1 total.l2 total.l3 listing per_turn "
      "saves");
  expect("bench tokens --json -n 2 skills", 0, "tokenizer catalogue settings strategies.0.name");
}

static void the_last_line_of_run_is_the_result(void **state) {
  (void)state;
  char *text = NULL;
  assert_int_equal(program_run(dir, "run --json 'read the forms' skills", &text), 0);
  char *end = text + strlen(text);
  while (end > text && end[-1] == '\n') *--end = '\0';
  char *last = strrchr(text, '\n');
  cJSON *document = cJSON_Parse(last ? last + 1 : text);
  assert_non_null(document);
  assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(document, "event")), "result");
  expect_in(document, "run", "end answer model usage.requests usage.input_tokens context.tokens");
  cJSON_Delete(document);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lists_and_findings),
      cmocka_unit_test(one_skill),
      cmocka_unit_test(rankings),
      cmocka_unit_test(costs),
      cmocka_unit_test(the_last_line_of_run_is_the_result),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
