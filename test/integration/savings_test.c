/* SPDX-License-Identifier: MIT
 *
 * skillet cost and skillet bench tokens, run like a user runs them, and the savings page in a real browser.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/check.h"
#include "lib/program.h"
#include "lib/tmpdir.h"
#include "skillet/tokens.h"
#include "util/json.h"

static char *dir;

/* Runs the program in the test's folder. Returns its output, owned, and the exit status. */
static char *run(const char *arguments, int *status) {
  static char out[4 * 1024 * 1024];
  char command[4096];
  snprintf(command, sizeof command, "cd %s && XDG_CACHE_HOME=%s/cache %s %s 2>%s/err", dir, dir, SKILLET_PROGRAM,
           arguments, dir);
  *status = program_shell(command, out, sizeof out);
  return out;
}

static cJSON *run_json(const char *arguments) {
  int status = 0;
  cJSON *json = NULL;
  const char *text = run(arguments, &status);
  assert_int_equal(status, 0);
  assert_int_equal(skill__json_parse(text, strlen(text), "output", &json, NULL), 0);
  return json;
}

static double number(const cJSON *json, const char *a, const char *b) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, a);
  if (b) item = cJSON_GetObjectItemCaseSensitive(item, b);
  assert_true(cJSON_IsNumber(item));
  return item->valuedouble;
}

static int setup(void **state) {
  (void)state;
  dir = tmpdir_make();
  for (int i = 0; i < 8; i++) {
    char path[64];
    char text[6000];
    snprintf(path, sizeof path, "small/tool-%d/SKILL.md", i);
    snprintf(text, sizeof text, "---\nname: tool-%d\ndescription: Does the small thing number %d.\n---\nDo it.\n", i,
             i);
    tmpdir_write(dir, path, text);
    size_t length =
        (size_t)snprintf(text, sizeof text, "---\nname: book-%d\ndescription: Knows chapter %d.\n---\n", i, i);
    while (length < 5000) length += (size_t)snprintf(text + length, sizeof text - length, "A line of chapter %d.\n", i);
    snprintf(path, sizeof path, "large/book-%d/SKILL.md", i);
    tmpdir_write(dir, path, text);
  }
  tmpdir_write(dir, "large/book-0/references/more.md", "Some more words that are read on demand.\n");
  tmpdir_write(dir, "large/book-0/scripts/run.sh", "#!/bin/sh\necho this source never enters a context\n");
  return 0;
}

static int teardown(void **state) {
  (void)state;
  tmpdir_remove(dir);
  return 0;
}

static void cost_adds_up_and_counts_no_script(void **state) {
  (void)state;
  cJSON *json = run_json("cost --json --budget 100 large");
  const cJSON *skill;
  double l1 = 0, l2 = 0, l3 = 0;
  cJSON_ArrayForEach(skill, cJSON_GetObjectItemCaseSensitive(json, "skills")) {
    l1 += number(skill, "l1", NULL);
    l2 += number(skill, "l2", NULL);
    l3 += number(skill, "l3", NULL);
    assert_true(number(skill, "l2", NULL) > 500);
  }
  assert_true(number(json, "total", "l1") == l1 && number(json, "total", "l2") == l2);
  assert_true(number(json, "total", "l3") == l3 && l3 > 5 && l3 < 20);
  assert_true(number(json, "listing", "shown") + number(json, "listing", "hidden") == 8);
  assert_true(number(json, "listing", "tokens") <= 100);
  assert_true(cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "saves")));
  cJSON_Delete(json);
}

static void small_tools_save_nothing(void **state) {
  (void)state;
  int status = 0;
  const char *text = run("cost small", &status);
  assert_int_equal(status, 0);
  assert_non_null(strstr(text, "skillet saves you nothing here"));
  assert_non_null(strstr(text, "8 skills, 0 tools"));
}

static void the_second_run_finds_its_counts_again(void **state) {
  (void)state;
  SkillTokenizer *exact = NULL;
  if (skill_tokenizer_open("o200k_base", NULL, &exact, NULL)) skip();
  skill_tokenizer_free(exact);
  char path[1200];
  int status = 0;
  char *first = strdup(run("cost --json large", &status));
  snprintf(path, sizeof path, "%s/cache/skillet/tokens-o200k_base.bin", dir);
  struct stat info;
  assert_int_equal(stat(path, &info), 0);
  assert_true(info.st_size >= 56 + 8 * 16);
  assert_string_equal(run("cost --json large", &status), first);
  free(first);
}

static void recorded_servers_cost_what_was_counted_elsewhere(void **state) {
  (void)state;
  SkillTokenizer *exact = NULL;
  FILE *table = fopen(SKILLET_SHARED "/data/mcp-servers/TOKENS.tsv", "r");
  if (!table || skill_tokenizer_open("o200k_base", NULL, &exact, NULL)) {
    print_message("no ../shared/data/mcp-servers or no packed vocabulary: skipped\n");
    if (table) fclose(table);
    skip();
  }
  skill_tokenizer_free(exact);
  cJSON *json = run_json("cost --json " SKILLET_SHARED "/data/mcp-servers");
  assert_true(number(json, "total", "l2") == 367419);
  const cJSON *skills = cJSON_GetObjectItemCaseSensitive(json, "skills");
  char line[512];
  size_t checked = 0;
  while (fgets(line, sizeof line, table)) {
    char name[128];
    unsigned tools = 0, whole = 0, each = 0;
    if (sscanf(line, "%127[^.].json %u %u %u", name, &tools, &whole, &each) != 4) continue;
    const cJSON *skill;
    cJSON_ArrayForEach(skill, skills) {
      if (strcmp(skill__json_string(skill, "name"), name) != 0) continue;
      assert_true(number(skill, "l2", NULL) == each);
      assert_true(number(skill, "tool_count", NULL) == tools);
      checked++;
    }
  }
  assert_int_equal(checked, 22);
  fclose(table);
  cJSON_Delete(json);
}

static void a_benchmark_repeats_to_the_byte(void **state) {
  (void)state;
  int status = 0;
  char *first = strdup(run("bench tokens --json -n 5 -k 4 large", &status));
  assert_int_equal(status, 0);
  assert_string_equal(run("bench tokens --json -n 5 -k 4 large", &status), first);
  assert_string_not_equal(run("bench tokens --json -n 5 -k 4 --seed 2 large", &status), first);
  free(first);
  cJSON *json = run_json("bench tokens --json -n 5 -k 4 --queries q.jsonl --csv out.csv large");
  cJSON_Delete(json);
}

static void the_help_prints_the_defaults_of_the_benchmark(void **state) {
  (void)state;
  int status = 0;
  const char *text = run("bench tokens --help", &status);
  assert_int_equal(status, 0);
  assert_non_null(strstr(text, "number of conversations (default 100)"));
  assert_non_null(strstr(text, "price of a cached token (default 0.1)"));
}

static void labelled_requests_are_read_and_faults_named(void **state) {
  (void)state;
  int status = 0;
  tmpdir_write(dir, "q.jsonl", "{\"query\":\"chapter three\",\"relevant\":[\"book-3\"]}\n");
  a_benchmark_repeats_to_the_byte(state);
  tmpdir_write(dir, "bad.jsonl", "{\"query\":\"x\",\"relevant\":[\"book-3\"]}\nnonsense\n");
  run("bench tokens --queries bad.jsonl large", &status);
  assert_int_equal(status, 3);
  run("bench tokens --queries absent.jsonl large", &status);
  assert_int_not_equal(status, 0);
  run("bench large", &status);
  assert_int_equal(status, 2);
  run("bench tokens --wrong 101 large", &status);
  assert_int_equal(status, 2);
}

static bool have_browser(void) {
  return access("/usr/bin/chromium", X_OK) == 0;
}

static int browse(const char *options, const char *output) {
  char command[4096];
  snprintf(command, sizeof command,
           "timeout 100 /usr/bin/chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
           "--disable-background-networking --disable-component-update --disable-sync --hide-scrollbars "
           "--user-data-dir=%s/browser-%d %s file://%s/page.html >%s/%s 2>/dev/null",
           dir, (int)(strlen(options) + strlen(output)), options, dir, dir, output);
  return system(command);
}

static void the_page_shows_in_a_browser(void **state) {
  (void)state;
  int status = 0;
  if (!have_browser()) {
    print_message("no chromium: skipped\n");
    skip();
  }
  run("bench tokens -n 5 -k 4 --report page.html large", &status);
  assert_int_equal(status, 0);
  char options[1400];
  char path[1200];
  static const int widths[] = {1100, 420};
  for (size_t i = 0; i < 2; i++) {
    snprintf(path, sizeof path, "%s/shot-%d.png", dir, widths[i]);
    snprintf(options, sizeof options, "--window-size=%d,3000 --screenshot=%s", widths[i], path);
    assert_int_equal(browse(options, "log"), 0);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_true(info.st_size > 20000); /* an empty page of this size would have less than 15,000 bytes */
  }
  assert_int_equal(browse("--dump-dom", "dom.html"), 0);
  snprintf(path, sizeof path, "%s/dom.html", dir);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  static char dom[1 << 20];
  dom[fread(dom, 1, sizeof dom - 1, file)] = '\0';
  fclose(file);
  assert_non_null(strstr(dom, "</svg>"));
  assert_non_null(strstr(dom, "id=\"how\""));
  assert_non_null(strstr(dom, "book-"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cost_adds_up_and_counts_no_script),
      cmocka_unit_test(small_tools_save_nothing),
      cmocka_unit_test(the_second_run_finds_its_counts_again),
      cmocka_unit_test(recorded_servers_cost_what_was_counted_elsewhere),
      cmocka_unit_test(the_help_prints_the_defaults_of_the_benchmark),
      cmocka_unit_test(labelled_requests_are_read_and_faults_named),
      cmocka_unit_test(the_page_shows_in_a_browser),
  };
  return cmocka_run_group_tests_name("savings", tests, setup, teardown);
}
