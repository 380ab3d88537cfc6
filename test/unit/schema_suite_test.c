/* SPDX-License-Identifier: MIT
 *
 * Runs the official JSON Schema test suite (Debian: json-schema-test-suite, draft 7). Groups that use features outside
 * the supported subset, and only those, are refused in strict mode; all other results must agree. The test is skipped
 * if the suite is not installed. SKILLET_JSON_SCHEMA_SUITE names another location.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gateway/schema.h"
#include "lib/check.h"
#include "util/json.h"

#define PLACE "/usr/share/json-schema-test-suite/tests/draft7"

static size_t tests;
static size_t groups;
static size_t refused;
static size_t wrong;

static char *read_all(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  char *text = malloc(1 << 20);
  *length = text ? fread(text, 1, 1 << 20, file) : 0;
  fclose(file);
  return text;
}

/* Outside the subset: references to other documents, and documents within the document. */
static bool outside(const char *file, const char *schema) {
  const char *inner = strstr(schema, "\"$id\"");
  return strcmp(file, "refRemote.json") == 0 || strcmp(file, "definitions.json") == 0 || inner ||
         strstr(schema, "\"$ref\":\"http") || strstr(schema, "\"tilda~field\""); /* a schema under an unknown keyword */
}

static void run_group(const char *file, const cJSON *group) {
  const cJSON *value = cJSON_GetObjectItemCaseSensitive(group, "schema");
  const char *title = skill__json_string(group, "description");
  struct skill__buf text;
  struct skill__buf full;
  skill__buf_init(&text, 1 << 20);
  skill__buf_init(&full, 1 << 20);
  skill__json_print(&text, value);
  struct skill__schema *schema = NULL;
  SkillError err = SKILL_ERROR_INIT;
  /* The schemas of the suite do not name their draft; the file's folder does. */
  cJSON *dated = cJSON_Duplicate(value, true);
  if (cJSON_IsObject(dated) && !cJSON_GetObjectItemCaseSensitive(dated, "$schema")) {
    cJSON_AddStringToObject(dated, "$schema", "http://json-schema.org/draft-07/schema#");
  }
  skill__json_print(&full, dated);
  int rc = skill__schema_compile(full.data, full.length, file, true, &schema, &err);
  groups++;
  if (rc) {
    refused++;
    if (!outside(file, text.data)) {
      print_error("%s: %s: refused: %s\n", file, title, err.message);
      wrong++;
    }
  }
  const cJSON *test = cJSON_GetObjectItemCaseSensitive(group, "tests");
  for (test = test->child; !rc && test; test = test->next) {
    const cJSON *data = cJSON_GetObjectItemCaseSensitive(test, "data");
    bool valid = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(test, "valid"));
    SkillError why = SKILL_ERROR_INIT;
    int got = skill__schema_check(schema, data, &why);
    tests++;
    if ((got == 0) == valid) continue;
    print_error("%s: %s: %s: %s\n", file, title, skill__json_string(test, "description"),
                got ? why.message : "accepted");
    wrong++;
  }
  skill__schema_free(schema);
  cJSON_Delete(dated);
  skill__buf_fini(&full);
  skill__buf_fini(&text);
}

static void run_file(const char *folder, const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  size_t length = 0;
  char *text = read_all(path, &length);
  assert_non_null(text);
  cJSON *all = cJSON_ParseWithLength(text, length);
  assert_true(cJSON_IsArray(all));
  for (const cJSON *group = all->child; group; group = group->next) run_group(name, group);
  cJSON_Delete(all);
  free(text);
}

static void the_official_suite_agrees(void **state) {
  (void)state;
  const char *folder = getenv("SKILLET_JSON_SCHEMA_SUITE");
  if (!folder) folder = PLACE;
  DIR *dir = opendir(folder);
  if (!dir) {
    print_message("skipped: %s is not there (apt install json-schema-test-suite)\n", folder);
    skip();
  }
  for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
    const char *dot = strrchr(entry->d_name, '.');
    if (dot && strcmp(dot, ".json") == 0) run_file(folder, entry->d_name);
  }
  closedir(dir);
  print_message("%zu tests of %zu groups; %zu groups outside the subset\n", tests, groups, refused);
  assert_int_equal(wrong, 0);
  assert_true(tests > 390);
  assert_true(refused <= 13);
}

int main(void) {
  const struct CMUnitTest tests_[] = {cmocka_unit_test(the_official_suite_agrees)};
  return cmocka_run_group_tests_name("schema suite", tests_, NULL, NULL);
}
