/* SPDX-License-Identifier: MIT
 *
 * The cases of ../shared/fixtures (defects that users of other loaders reported), where they are there: check.py there
 * runs those that a command line can show against the program. The others are listed by name with their area
 * (protocol, lifecycle, activation …), whose own tests hold them or will.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/check.h"

#define FIXTURES SKILLET_SHARED "/fixtures"

/* Cases that check.py cannot decide here, and why. */
static const struct {
  const char *name;
  const char *why;
} excused[] = {
    {"044-two-levels-of-categories", "the folder is within our depth limit: its note says it may load then"},
    {"049-unreadable-is-not-absent", "root may read everything; directory_test takes permission away in memory"},
    {"062-huge-skill-file", "its files are made by a script; document_limits_test makes such files"},
    {"122-tilde-and-variables-in-paths", "the shell and configuration files replace ~ and variables, not the command"},
};

static bool is_excused(const char *line) {
  for (size_t i = 0; i < sizeof excused / sizeof excused[0]; i++) {
    size_t n = strlen(excused[i].name);
    if (strncmp(line, excused[i].name, n) != 0 || line[n] != ':') continue;
    print_message("%s: not decided here: %s\n", excused[i].name, excused[i].why);
    return true;
  }
  return false;
}

static void every_case_that_a_command_line_can_show_holds(void **state) {
  (void)state;
  if (access(FIXTURES "/check.py", R_OK) || access(SKILLET_PROGRAM, X_OK) || system("python3 -c '' 2>/dev/null")) {
    print_message("no ../shared/fixtures, no program or no python3 here: skipped\n");
    skip();
  }
  FILE *pipe = popen("python3 '" FIXTURES "/check.py' '" SKILLET_PROGRAM "' '" FIXTURES "' 2>&1", "r");
  assert_non_null(pipe);
  char line[1024];
  size_t bad = 0;
  bool ended = false;
  while (fgets(line, sizeof line, pipe)) {
    if (strstr(line, " fixtures hold")) {
      ended = true;
    } else if (!is_excused(line)) {
      print_error("%s", line);
      bad++;
    }
  }
  pclose(pipe);
  assert_true(ended);
  assert_int_equal(bad, 0);
}

/* --- the others ----------------------------------------------------------------------------------------------------
 */

static char *expectation(const char *name) {
  char path[4096];
  snprintf(path, sizeof path, FIXTURES "/%s/EXPECT.md", name);
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  char *text = calloc(1, 1 << 16);
  if (fread(text, 1, (1 << 16) - 1, file) == 0) text[0] = '\0';
  fclose(file);
  return text;
}

static bool shown_by_command_line(const char *text) {
  static const char *const keys[] = {"\"skills\": [",        "\"count\"",  "\"absent\"",
                                     "\"diagnostics\": [\n", "\"lookup\"", "\"queries\""};
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    if (strstr(text, keys[i])) return true;
  }
  return false;
}

static int by_name(const struct dirent *entry) {
  return entry->d_name[0] >= '0' && entry->d_name[0] <= '9';
}

static void the_cases_of_other_areas_are_listed(void **state) {
  (void)state;
  struct dirent **entries = NULL;
  int count = scandir(FIXTURES, &entries, by_name, alphasort);
  if (count <= 0) skip();
  for (int i = 0; i < count; i++) {
    char *text = expectation(entries[i]->d_name);
    const char *category = text ? strstr(text, "Category: ") : NULL;
    if (text && category && !shown_by_command_line(strstr(text, "```json") ? strstr(text, "```json") : "")) {
      print_message("%s: belongs to %.*s\n", entries[i]->d_name, (int)strcspn(category + 10, " \n"), category + 10);
    }
    free(text);
    free(entries[i]);
  }
  free(entries);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_case_that_a_command_line_can_show_holds),
      cmocka_unit_test(the_cases_of_other_areas_are_listed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
