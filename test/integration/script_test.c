/* SPDX-License-Identifier: MIT
 *
 * Scripts of skills: which file runs, with which interpreter, how arguments are passed, and the text that the model
 * gets.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#include "lib/check.h"
#include "lib/sweep.h"
#include "lib/tmpdir.h"
#include "process/process.h"
#include "skillet/process.h"
#include "skillet/sys/alloc.h"

static char *dir;
static uv_loop_t loop;
static char reported[65536];
static int told_status;
static int calls;

static void note(const SkillProcessResult *result, void *user) {
  (void)user;
  char *text;
  size_t length;
  calls++;
  int rc = skill_process_result_text(result, &text, &length, &told_status);
  if (rc == SKILL_ENOMEM && sweep_failed()) return;
  assert_int_equal(rc, 0);
  assert_int_equal(strlen(text), length);
  snprintf(reported, sizeof reported, "%s", text);
  skill_free(text);
}

static int set_up(void **state) {
  (void)state;
  calls = 0;
  reported[0] = '\0';
  dir = tmpdir_make();
  tmpdir_write(dir, "scripts/show.sh", "for a in \"$@\"; do printf '<%s>' \"$a\"; done\n");
  tmpdir_write(dir, "scripts/cat.sh", "cat\n");
  return uv_loop_init(&loop);
}

static int tear_down(void **state) {
  (void)state;
  tmpdir_remove(dir);
  return uv_loop_close(&loop);
}

static int start(const char *command, const char *schema, const char *arguments, SkillError *err) {
  SkillScript script = SKILL_SCRIPT_INIT;
  script.folder = dir;
  script.skill = "sample";
  script.command = command;
  script.input_schema = schema;
  script.arguments_json = arguments;
  SkillProcessOptions options = SKILL_PROCESS_OPTIONS_INIT;
  options.sandbox = SKILL_SANDBOX_OFF;
  return skill_script_start(&loop, &script, &options, note, NULL, NULL, err);
}

static const char *run(const char *command, const char *schema, const char *arguments) {
  SkillError err = SKILL_ERROR_INIT;
  calls = 0;
  int rc = start(command, schema, arguments, &err);
  if (rc) print_error("%s\n", err.message);
  assert_int_equal(rc, 0);
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(calls, 1);
  return reported;
}

static void refused(int code, const char *part, const char *command, const char *schema, const char *arguments) {
  SkillError err = SKILL_ERROR_INIT;
  calls = 0;
  int rc = start(command, schema, arguments, &err);
  uv_run(&loop, UV_RUN_DEFAULT);
  if (rc != code || !strstr(err.message, part)) fail_msg("%s: %d \"%s\" lacks \"%s\"", command, rc, err.message, part);
  assert_int_equal(calls, 0);
}

#define SHOW "scripts/show.sh"

/* ---- arguments --------------------------------------------------------------------------------------------------- */

static void an_object_becomes_options_in_the_order_of_the_schema(void **state) {
  (void)state;
  static const char schema[] =
      "{\"properties\":{\"name\":{\"type\":\"string\"},\"count\":{\"type\":\"integer\"},\"force\":{},\"tags\":{}}}";
  assert_string_equal(
      run(SHOW, schema, "{\"other\":1.5,\"tags\":[\"a\",\"b\"],\"force\":true,\"count\":3,\"name\":\"x y\"}"),
      "<--name><x y><--count><3><--force><--tags><a><--tags><b><--other><1.5>");
  assert_string_equal(run(SHOW, schema, "{\"force\":false,\"name\":null}"), "[no output]\n");
  assert_string_equal(run(SHOW, schema, "{\"name\":{\"a\":[1]}}"), "<--name><{\"a\":[1]}>");
}

static void positions_flags_and_input_follow_the_schema(void **state) {
  (void)state;
  static const char schema[] =
      "{\"properties\":{\"to\":{\"x-position\":2},\"from\":{\"x-position\":1},\"n\":{\"x-flag\":\"-n\"}}}";
  assert_string_equal(run(SHOW, schema, "{\"to\":\"b\",\"from\":\"a\",\"n\":5}"), "<-n><5><a><b>");
  assert_string_equal(run("scripts/cat.sh", "{\"properties\":{\"text\":{\"x-stdin\":true}}}", "{\"text\":\"a\\nb\"}"),
                      "a\nb");
  assert_string_equal(run("scripts/cat.sh", "{\"x-arguments\":\"stdin\"}", "{\"b\":1, \"a\":[true,null]}"),
                      "{\"b\":1,\"a\":[true,null]}");
}

static void a_value_cannot_pass_for_an_option(void **state) {
  (void)state;
  static const char schema[] = "{\"properties\":{\"a\":{\"x-position\":1},\"n\":{\"x-flag\":\"-n\"},\"name\":{}}}";
  assert_string_equal(run(SHOW, schema, "{\"a\":\"-rf\",\"n\":-1,\"name\":\"--all\"}"),
                      "<-n-1><--name=--all><--><-rf>");
}

static void an_array_and_fixed_words_are_taken_as_they_are(void **state) {
  (void)state;
  assert_string_equal(run(SHOW "  --fast  on", NULL, "[\"a b\",2,\"--x\"]"), "<--fast><on><a b><2><--x>");
  assert_string_equal(run(SHOW, NULL, NULL), "[no output]\n");
}

static void arguments_that_cannot_be_read_start_nothing(void **state) {
  (void)state;
  refused(SKILL_EPARSE, "not valid JSON", SHOW, NULL, "{\"a\":");
  refused(SKILL_EPARSE, "object or an array", SHOW, NULL, "3");
  refused(SKILL_EPARSE, "given twice", SHOW, NULL, "{\"a\":1,\"a\":2}");
  refused(SKILL_EINVAL, "NUL", SHOW, NULL, "{\"a\":\"x\\u0000y\"}");
  refused(SKILL_EINVAL, "beyond 2^53", SHOW, NULL, "{\"a\":[9007199254740993123]}");
  assert_string_equal(run(SHOW, NULL, "{\"a\":9007199254740991,\"b\":-0.25}"), "<--a><9007199254740991><--b=-0.25>");
  refused(SKILL_EINVAL, "x-position", SHOW, "{\"properties\":{\"a\":{\"x-position\":0}}}", "{\"a\":1}");
  refused(SKILL_EINVAL, "position 1 is missing", SHOW, "{\"properties\":{\"a\":{\"x-position\":2}}}", "{\"a\":1}");
  assert_string_equal(run(SHOW, NULL, "{\"a\":\"x\\\\u0000y\"}"), "<--a><x\\u0000y>");
}

static void awk_is_given_a_program_and_its_words_are_no_options(void **state) {
  (void)state;
  tmpdir_write(dir, "scripts/words.awk", "BEGIN { for (i = 1; i < ARGC; i++) printf \"<%s>\", ARGV[i] }\n");
  tmpdir_write(dir, "evil.awk", "BEGIN { print \"evil\" }\n");
  assert_string_equal(run("scripts/words.awk", NULL, "[\"-f\",\"evil.awk\"]"), "<-f><evil.awk>");
}

/* ---- the file
 * ------------------------------------------------------------------------------------------------------ */

static void nothing_outside_the_folder_can_be_run(void **state) {
  (void)state;
  char link[5000];
  snprintf(link, sizeof link, "%s/scripts/link.sh", dir);
  assert_int_equal(symlink("/bin/sh", link), 0);
  snprintf(link, sizeof link, "%s/out", dir);
  assert_int_equal(symlink("/bin", link), 0);
  snprintf(link, sizeof link, "%s/scripts/fifo.sh", dir);
  assert_int_equal(mkfifo(link, 0700), 0);
  refused(SKILL_EDENIED, "leaves the skill's folder", "../x.sh", NULL, NULL);
  refused(SKILL_EDENIED, "leaves the skill's folder", "scripts/../../x.sh", NULL, NULL);
  refused(SKILL_EDENIED, "relative to the skill's folder", "/bin/sh", NULL, NULL);
  refused(SKILL_EDENIED, "relative to the skill's folder", "/bin/sh -c", NULL, NULL);
  refused(SKILL_EDENIED, "link leaves", "scripts/link.sh", NULL, NULL);
  refused(SKILL_EDENIED, "link leaves", "out/sh", NULL, NULL);
  refused(SKILL_EINVAL, "not a regular file", "scripts/fifo.sh", NULL, NULL);
  refused(SKILL_EINVAL, "not a regular file", "scripts", NULL, NULL);
  refused(SKILL_ENOENT, "'scripts/none.sh': there is no such file", "scripts/none.sh", NULL, NULL);
  refused(SKILL_ENOENT, "'none': there is no such file", "none of these", NULL, NULL);
  refused(SKILL_EINVAL, "empty", "", NULL, NULL);
}

static void a_link_within_the_folder_is_followed_as_for_resources(void **state) {
  (void)state;
  char link[5000];
  snprintf(link, sizeof link, "%s/run", dir);
  assert_int_equal(symlink("scripts", link), 0);
  assert_string_equal(run("run/show.sh on", NULL, NULL), "<on>");
}

static void fixed_words_may_look_like_paths(void **state) {
  (void)state;
  assert_string_equal(run(SHOW " ../../x /etc a\\b", NULL, NULL), "<../../x></etc><a\\b>");
}

/* ---- changes during the start
 * -------------------------------------------------------------------------------------- */

static void a_script_that_was_replaced_is_not_started(void **state) {
  (void)state;
  char path[5000];
  struct stat info;
  snprintf(path, sizeof path, "%s/" SHOW, dir);
  assert_int_equal(stat(path, &info), 0);
  const char *const argv[] = {"sh", SHOW, "x", NULL};
  SkillProcessOptions options = SKILL_PROCESS_OPTIONS_INIT;
  options.argv = argv;
  options.folder = dir;
  struct skill__expect expect = {SHOW, info.st_dev, info.st_ino, false};
  SkillError err = SKILL_ERROR_INIT;
  assert_int_equal(skill__process_start(&loop, &options, &expect, note, NULL, NULL, &err), 0);
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_string_equal(reported, "<x>");
  expect.ino++;
  assert_int_equal(skill__process_start(&loop, &options, &expect, note, NULL, NULL, &err), SKILL_EDENIED);
  assert_non_null(strstr(err.message, "replaced"));
}

static atomic_bool swapping;

/* Makes "bin" the skill's folder and a link to another in turn, for about the duration of a start. */
static void swap_folders(void *arg) {
  char path[3][5000];
  snprintf(path[0], sizeof path[0], "%s/skill/bin", dir);
  snprintf(path[1], sizeof path[1], "%s/skill/aside", dir);
  snprintf(path[2], sizeof path[2], "%s/outside", dir);
  (void)arg;
  for (long round = 0; atomic_load(&swapping); round++) {
    nanosleep(&(struct timespec){0, round % 16 * 100000}, NULL);
    if (rename(path[0], path[1]) || symlink(path[2], path[0]) || unlink(path[0]) || rename(path[1], path[0])) break;
  }
}

static void copy_program(const char *name, const char *as) {
  char command[12000];
  snprintf(command, sizeof command, "mkdir -p %s/%s && cp -L /bin/%s %s/%s/prog", dir, as, name, dir, as);
  assert_int_equal(system(command), 0);
}

/* The script outside exits with 1, the one inside with 0. */
static void a_program_is_run_through_the_file_that_was_looked_at(void **state) {
  (void)state;
  uv_thread_t thread;
  char folder[5000];
  int started = 0;
  copy_program("true", "skill/bin");
  copy_program("false", "outside");
  snprintf(folder, sizeof folder, "%s/skill", dir);
  SkillScript script = SKILL_SCRIPT_INIT;
  script.folder = folder;
  script.command = "bin/prog";
  SkillProcessOptions options = SKILL_PROCESS_OPTIONS_INIT;
  options.sandbox = SKILL_SANDBOX_OFF;
  atomic_store(&swapping, true);
  assert_int_equal(uv_thread_create(&thread, swap_folders, NULL), 0);
  for (int i = 0; i < 3000 && started < 30; i++) {
    told_status = 0;
    if (skill_script_start(&loop, &script, &options, note, NULL, NULL, NULL)) continue;
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(told_status, 0);
    started++;
  }
  atomic_store(&swapping, false);
  uv_thread_join(&thread);
  assert_true(started > 0);
}

static void the_first_line_or_the_extension_says_what_runs_it(void **state) {
  (void)state;
  tmpdir_write(dir, "a", "#!/bin/sh -u\necho dash; echo ${unset_variable}\n");
  tmpdir_write(dir, "crlf.txt", "#! /usr/bin/env sh \r\necho crlf\n");
  tmpdir_write(dir, "bad.sh", "#!/no/such/shell\necho extension\n");
  tmpdir_write(dir, "notes.txt", "text");
  tmpdir_write(dir, "my script.sh", "echo blank\n");
  tmpdir_write(dir, "-dash.sh", "echo dashed\n");
  assert_non_null(strstr(run("a", NULL, NULL), "dash\n[standard error]\n"));
  assert_int_equal(told_status, SKILL_EFAILED);
  assert_string_equal(run("crlf.txt", NULL, NULL), "crlf\n");
  assert_string_equal(run("bad.sh", NULL, NULL), "extension\n");
  assert_string_equal(run("my script.sh", NULL, NULL), "blank\n");
  assert_string_equal(run("-dash.sh", NULL, NULL), "dashed\n");
  refused(SKILL_EUNSUPPORTED, "no known extension", "notes.txt", NULL, NULL);
}

static void it_knows_where_it_is_and_whose(void **state) {
  (void)state;
  tmpdir_write(dir, "scripts/where.sh", "[ \"$PWD\" = \"$SKILL_DIR\" ] && cat scripts/data; echo $SKILL_NAME\n");
  tmpdir_write(dir, "scripts/data", "data\n");
  assert_string_equal(run("scripts/where.sh", NULL, NULL), "data\nsample\n");
}

/* ---- the text for the model
 * ---------------------------------------------------------------------------------------- */

static void failure_and_standard_error_are_told_and_labelled(void **state) {
  (void)state;
  tmpdir_write(dir, "fail.sh", "printf out; echo bad >&2; exit 4\n");
  assert_string_equal(run("fail.sh", NULL, NULL), "out\n[standard error]\nbad\n[exit status 4]\n");
  assert_int_equal(told_status, SKILL_EFAILED);
  tmpdir_write(dir, "warn.sh", "echo out; echo note >&2\n");
  assert_string_equal(run("warn.sh", NULL, NULL), "out\n[standard error]\nnote\n");
  assert_int_equal(told_status, 0);
}

static void bytes_that_are_no_text_are_replaced(void **state) {
  (void)state;
  tmpdir_write(dir, "bytes.sh", "printf 'a\\000b\\377\\346\\227\\245'\n");
  assert_string_equal(run("bytes.sh", NULL, NULL),
                      "a\xef\xbf\xbd"
                      "b\xef\xbf\xbd\xe6\x97\xa5");
}

/* ---- out of memory ----------------------------------------------------------------------------------------------- */

static int start_and_run(void *user) {
  (void)user;
  static const char schema[] = "{\"properties\":{\"a\":{\"x-position\":1},\"t\":{\"x-stdin\":true}}}";
  calls = 0;
  SkillError err = SKILL_ERROR_INIT;
  int rc = start(SHOW " on", schema, "{\"a\":[\"-x\",1],\"n\":{\"k\":[]},\"t\":\"in\"}", &err);
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(calls, rc ? 0 : 1);
  /* cJSON does not distinguish invalid JSON from a failed allocation. */
  return rc == SKILL_EPARSE && sweep_failed() ? SKILL_ENOMEM : rc;
}

static void every_failed_allocation_is_survived(void **state) {
  (void)state;
  run(SHOW, NULL, NULL); /* the first allocations of libuv itself */
  assert_true(sweep_run(start_and_run, NULL) > 10);
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      T(an_object_becomes_options_in_the_order_of_the_schema),
      T(positions_flags_and_input_follow_the_schema),
      T(a_value_cannot_pass_for_an_option),
      T(an_array_and_fixed_words_are_taken_as_they_are),
      T(arguments_that_cannot_be_read_start_nothing),
      T(awk_is_given_a_program_and_its_words_are_no_options),
      T(nothing_outside_the_folder_can_be_run),
      T(a_link_within_the_folder_is_followed_as_for_resources),
      T(fixed_words_may_look_like_paths),
      T(a_script_that_was_replaced_is_not_started),
      T(a_program_is_run_through_the_file_that_was_looked_at),
      T(the_first_line_or_the_extension_says_what_runs_it),
      T(it_knows_where_it_is_and_whose),
      T(failure_and_standard_error_are_told_and_labelled),
      T(bytes_that_are_no_text_are_replaced),
      T(every_failed_allocation_is_survived),
  };
  return cmocka_run_group_tests_name("script", tests, NULL, NULL);
}
