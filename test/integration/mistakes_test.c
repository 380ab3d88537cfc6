/* SPDX-License-Identifier: MIT
 *
 * Mistakes on the command line: each ends with the documented exit status and a message that names the mistake.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/check.h"
#include "lib/program.h"
#include "lib/tmpdir.h"

static char *dir;

static int set_up(void **state) {
  (void)state;
  dir = tmpdir_make();
  tmpdir_write(dir, "skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Reads PDF files.\n---\nRead it.\n");
  tmpdir_write(dir, "skills/pdf/references/forms.md", "Forms.\n");
  tmpdir_write(dir, "empty/keep.txt", "");
  tmpdir_write(dir, "plain.txt", "hello\n");
  tmpdir_write(dir, "bad.json", "{\"a\":");
  tmpdir_write(dir, "bad.yaml", "model: [x\n");
  tmpdir_write(dir, "queries.jsonl", "{\"query\":\"read\",\"relevant\":[\"pdf\"]}\n");
  tmpdir_write(dir, "skills.jsonl", "{\"name\":\"pdf\",\"description\":\"Reads PDF files.\"}\n");
  tmpdir_write(dir, "typo.yaml", "modle: x\n");
  tmpdir_write_bytes(dir, "bytes.dat", "\0\1\2\377", 4);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  tmpdir_remove(dir);
  return 0;
}

struct mistake {
  const char *arguments;
  int status;
  const char *reported; /* part of stderr */
};

static char *errors(void) {
  static char text[8192];
  char path[1000];
  snprintf(path, sizeof path, "%s/stderr.txt", dir);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  return text;
}

static void expect(const struct mistake *mistakes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const struct mistake *m = &mistakes[i];
    int status = program_run(dir, m->arguments, NULL);
    const char *reported = errors();
    if (status != m->status || !strstr(reported, m->reported)) {
      fail_msg("skillet %s: %d instead of %d, and '%s' instead of '%s'", m->arguments, status, m->status, reported,
               m->reported);
    }
  }
}

#define EXPECT(mistakes) expect(mistakes, sizeof(mistakes) / sizeof *(mistakes))

static void wrong_words_are_wrong_use(void **state) {
  (void)state;
  static const struct mistake mistakes[] = {
      {"", 2, "usage: skillet COMMAND"},
      {"lst", 2, "there is no command 'lst'; did you mean list?"},
      {"frobnicate", 2, "there is no command 'frobnicate'; skillet --help lists them"},
      {"help frobnicate", 2, "there is no command 'frobnicate'; skillet --help lists them"},
      {"list --jsno", 2, "unknown option '--jsno'; did you mean --json?"},
      {"list -json", 2, "unknown option '-json'; did you mean --json?"},
      {"list --colour", 2, "unknown option '--colour'; see skillet list --help"},
      {"list -x", 2, "unknown option '-x'; see skillet list --help"},
      {"list --json=yes", 2, "takes no value"},
      {"list --lite some skills", 2, "choose one of: frontmatter all off"},
      {"list ''", 2, "the name of a folder is empty"},
      {"find", 2, "QUERY is missing"},
      {"find ./skills", 2, "QUERY is missing: './skills' is a folder or file"},
      {"find pdf skills -n", 2, "option '-n' needs a value"},
      {"find pdf skills -n many", 2, "--limit needs a whole number, not 'many'"},
      {"find pdf skills --floor high", 2, "--floor needs a number, not 'high'"},
      {"find pdf skills --scorer best", 2, "there is no scorer 'best'"},
      {"find '+pdf \"open' skills", 2, "this quote is not closed"},
      {"show", 2, "name a skill"},
      {"check --write skills", 2, "--write needs --fix"},
      {"check --json --sarif skills", 2, "choose one of"},
      {"check --level all skills", 2, "--level must be error, warning or info"},
      {"run", 2, "TASK is missing"},
      {"run ''", 2, "TASK is missing"},
      {"run ./skills", 2, "TASK is missing: './skills' is a folder or file"},
      {"run convert skills --model gpt-4", 2, "\"gpt-4\" is no PROVIDER:NAME"},
      {"run convert skills --policy best", 2, "there is no policy 'best'; use relevance"},
      {"run convert skills --assistant bob", 2, "there is no assistant 'bob'"},
      {"config", 2, "skillet config check [FILE"},
      {"config check skills typo.yaml", 2, "skills: is a folder, which can only be named alone"},
      {"eval", 2, "give folders, or --skills with --queries"},
      {"eval --skills skills.jsonl --queries queries.jsonl --config colour=1", 2,
       "there is no setting 'colour'; there are scorer"},
      {"eval --skills skills.jsonl --queries queries.jsonl --config weight.colour=1", 2,
       "there is no field 'colour'; there are name"},
      {"eval --skills skills.jsonl --queries queries.jsonl --config body=maybe", 2, "body is on or off, not 'maybe'"},
      {"bench", 2, "skillet bench tokens"},
      {"cost skills --tokenizer gpt2", 2, "there is no tokenizer 'gpt2'; use o200k_base, cl100k_base"},
  };
  EXPECT(mistakes);
}

static void what_cannot_be_read_is_said(void **state) {
  (void)state;
  static const struct mistake mistakes[] = {
      {"list nowhere", 3, "nowhere: warning: there is no such folder or file"},
      {"check nowhere", 3, ""},
      {"check --fix nowhere", 3, "nowhere: there is no such folder or file"},
      {"find pdf nowhere", 3, "nowhere: there is no such folder or file"},
      {"find pdf plain.txt", 3, "plain.txt:1:1: not valid JSON"},
      {"find pdf bytes.dat", 3, "name a folder of skills, a .md, a skills.jsonl or a recorded tools/list"},
      {"find pdf bad.json", 3, "bad.json:1:"},
      {"find pdf /dev/null", 3, "/dev/null: cannot be read: neither a folder nor a regular file; name a folder"},
      {"show pdf nowhere", 3, "nowhere: there is no such folder or file"},
      {"cost nowhere", 3, "nowhere: there is no such folder or file"},
      {"run convert nowhere", 3, "nowhere: there is no such folder or file"},
      {"chat nowhere", 3, "nowhere: there is no such folder or file"},
      {"bench tokens nowhere", 3, "nowhere: there is no such folder or file"},
      {"bench tokens skills --queries nowhere", 3, "nowhere: cannot be read"},
      {"eval --skills queries.jsonl --queries queries.jsonl", 3, "queries.jsonl:1:1: lacks a text \"name\""},
      {"eval nowhere", 3, "nowhere/skills.jsonl: cannot be read: No such file"},
      {"find pdf --index nowhere.idx", 3, "nowhere.idx"},
      {"find pdf --index plain.txt", 3, "build the index anew"},
      {"find pdf skills --save-index nowhere/x", 3, "nowhere/x: cannot be written"},
      {"run convert skills --config nowhere.yaml", 3, "nowhere.yaml: there is no such file"},
      {"config check nowhere.yaml", 3, "nowhere.yaml: there is no such file"},
      {"config check skills", 3, "skills/.skillet/config.yaml: there is no such file, so this project has no conf"},
      {"run convert skills --config skills", 3, "skills: cannot be read: it is a folder"},
      {"run convert skills --config bad.yaml", 3, "bad.yaml:2:1: not valid YAML"},
      {"run convert skills --config typo.yaml", 3, "typo.yaml:1:1: there is no key modle"},
      {"run convert skills --model script:nowhere", 3, "nowhere: cannot be read: No such file"},
      {"run convert skills --model script:bad.json", 3, "bad.json:1:5: not valid JSON"},
      {"run convert skills --root nowhere", 3, "nowhere: there is no such folder"},
      {"run convert skills --write plain.txt", 3, "plain.txt: is not a folder"},
      {"run convert skills --log nowhere/log", 3, "nowhere/log: cannot be written"},
  };
  EXPECT(mistakes);
}

static void one_place_that_cannot_be_read_does_not_hide_the_others(void **state) {
  (void)state;
  static const struct mistake mistakes[] = {
      {"list nowhere skills", 0, "nowhere: warning"},
      {"find pdf nowhere skills", 0, "skillet find: nowhere: there is no such folder or file"},
      {"cost nowhere skills", 0, "skillet cost: nowhere"},
      {"check skills nowhere", 3, ""},
      {"find pdf skills --table nowhere.skt", 0, "nowhere.skt"},
  };
  EXPECT(mistakes);
}

static void what_may_be_missing_is_said(void **state) {
  (void)state;
  static const struct mistake mistakes[] = {
      {"show pfd partly", 1,
       "skillet show: skills may be missing, because this cannot be read: partly/fifo/SKILL.md; "},
      {"show pfd partly --json", 1, "skills may be missing"},
      {"find read partly", 0,
       "skillet find: skills may be missing, because this cannot be read: partly/fifo/SKILL.md; "},
      {"cost partly", 0, "skillet cost: skills may be missing"},
      {"run read partly --max-requests 1", 1, "skillet run: skills may be missing"},
      {"list partly", 0, "partly/fifo/SKILL.md: error: not a regular file"},
  };
  char path[1000];
  tmpdir_write(dir, "partly/pdf/SKILL.md", "---\nname: pdf\ndescription: Reads PDF files.\n---\nRead it.\n");
  tmpdir_write(dir, "partly/fifo/note.txt", "");
  snprintf(path, sizeof path, "%s/partly/fifo/SKILL.md", dir);
  assert_int_equal(mkfifo(path, 0600), 0);
  EXPECT(mistakes);
  tmpdir_write(dir, "odd/\033[2Jx/note.txt", "");
  snprintf(path, sizeof path, "%s/odd/\033[2Jx/SKILL.md", dir);
  assert_int_equal(mkfifo(path, 0600), 0);
  assert_int_equal(program_run(dir, "show pdf odd", NULL), 1);
  assert_null(strchr(errors(), '\033'));
  assert_int_equal(program_run(dir, "show pdf partly", NULL), 0);
  assert_string_equal(errors(), ""); /* the expected result is there */
}

static void nothing_found_is_a_no(void **state) {
  (void)state;
  static const struct mistake mistakes[] = {
      {"list empty", 1, ""},
      {"find quixotic skills", 1, ""},
      {"find '' skills", 1, ""},
      {"show pfd skills", 1, "there is no skill 'pfd' among 3; near: pdf"},
      {"show pdf skills --read forms.md", 1, "'forms.md': there is no such file"},
      {"show pdf skills --read references", 1, "'references': not a regular file, but a folder"},
      {"cost empty", 1, ""},
      {"bench tokens empty", 1, "there are no skills here"},
      {"config check typo.yaml", 1, "typo.yaml:1:1: there is no key modle; did you mean model"},
      {"run convert skills --max-requests 1", 1, ""},
      {"run convert skills --budget 10", 1, ""},
  };
  EXPECT(mistakes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_words_are_wrong_use),
      cmocka_unit_test(what_cannot_be_read_is_said),
      cmocka_unit_test(one_place_that_cannot_be_read_does_not_hide_the_others),
      cmocka_unit_test(what_may_be_missing_is_said),
      cmocka_unit_test(nothing_found_is_a_no),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
