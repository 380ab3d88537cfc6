/* SPDX-License-Identifier: MIT
 *
 * skillet check: finds what is wrong in skill files, and fixes what is safe to fix.
 */
#include <string.h>

#include "cli/check/check.h"
#include "cli/commands.h"

static const struct cli_usage usage = {
    "skillet check [OPTIONS] [DIR…]",
    "Checks skill files like a linter: each finding has a place, a stable code and a sentence that says how to fix "
    "the\n"
    "file. By default it reports what loading had to assume; with --strict, every departure from the public Agent "
    "Skills\n"
    "specification. --fix shows safe fixes as a diff; --fix --write changes the files, which then mean what they were\n"
    "understood to mean before. docs/format.md lists the codes.\n"
    "\n"
    "  skillet check examples/skills\n"
    "  skillet check --fix .claude/skills\n"
    "  skillet check --strict --sarif skills > skillet.sarif\n"
    "\n"
    "Exit status: 0; 1 if there are errors or warnings; 3 if a DIR cannot be read."};

struct request {
  bool json, sarif, summary, fix, write, no_similar;
  const char *level;
  struct cli_catalog_words words;
};

static int read_level(struct cli *cli, const char *word, SkillLevel *level) {
  *level = SKILL_LEVEL_WARNING;
  for (int i = SKILL_LEVEL_ERROR; word && i <= SKILL_LEVEL_INFO; i++) {
    *level = (SkillLevel)i;
    if (!strcmp(word, skill_level_name(*level))) return -1;
  }
  if (!word) return -1;
  fprintf(cli->err, "skillet check: --level must be error, warning or info, not '%s'\n", word);
  return CLI_USAGE;
}

static int report(struct check *check, const struct request *request, SkillLevel level) {
  int status = CLI_DONE;
  if (request->json) {
    status = check_json(check);
  } else if (request->sarif) {
    status = check_sarif(check);
  } else if (request->summary) {
    check_summary(check);
  } else {
    check_text(check, level);
  }
  if (status) return status;
  if (cli_catalog_unreadable(check->catalog.report)) return CLI_INPUT;
  return check_count(check, SKILL_LEVEL_ERROR) || check_count(check, SKILL_LEVEL_WARNING) ? CLI_NO : CLI_DONE;
}

static int run(struct cli *cli, const struct request *request, const struct cli_list *dirs) {
  struct check check = {.cli = cli};
  struct cli_catalog_options options = {.ignore_body = true, .survey = true, .reports = !request->fix};
  SkillLevel level;
  int status = read_level(cli, request->level, &level);
  if (status == -1) status = cli_catalog_words(cli, "check", &request->words, &options);
  if (status == -1) status = cli_catalog_open(cli, "check", dirs, &options, &check.catalog);
  if (status != -1) return status;
  check.strict = options.strict;
  check.describe = options.describe_from_body;
  bool similar = !request->no_similar && !request->fix && !request->summary && !request->sarif;
  int failed = check_gather(&check);
  if (!failed && similar) failed = check_compare(&check);
  if (failed) {
    SkillError err = SKILL_ERROR_INIT;
    skill_error_set(&err, failed, "%s", skill_strerror(failed));
    status = cli_fail(cli, "check", &err);
  } else {
    status = request->fix ? check_fix(&check, request->write) : report(&check, request, level);
  }
  check_free(&check);
  return status;
}

int cmd_check(struct cli *cli, int argc, char **argv) {
  struct request request = {0};
  struct cli_list dirs = {0};
  const struct cli_option options[] = {
      {CLI_FLAG, 'j', "json", NULL, "print one JSON document: diagnostics and competing descriptions", &request.json},
      {CLI_FLAG, 0, "sarif", NULL, "print SARIF 2.1.0, for code hosts", &request.sarif},
      {CLI_FLAG, 0, "summary", NULL, "print a table of the kinds of findings instead of the findings",
       &request.summary},
      {CLI_FLAG, 0, "fix", NULL, "show safe fixes as a unified diff", &request.fix},
      {CLI_FLAG, 0, "write", NULL, "with --fix: change the files", &request.write},
      {CLI_FLAG, 0, "no-similar", NULL, "do not look for competing descriptions", &request.no_similar},
      {CLI_TEXT, 'l', "level", "LEVEL", "lowest level to show: error, warning (default) or info", &request.level},
      CLI_CATALOG_OPTIONS(request.words),
  };
  int status = cli_parse(cli, &usage, options, sizeof options / sizeof *options, argc, argv, &dirs);
  if (status == -1 && request.write && !request.fix) {
    fprintf(cli->err, "skillet check: --write needs --fix\n");
    status = CLI_USAGE;
  }
  if (status == -1 && request.json + request.sarif + request.summary + request.fix > 1) {
    fprintf(cli->err, "skillet check: choose one of --json, --sarif, --summary and --fix\n");
    status = CLI_USAGE;
  }
  if (status == -1) status = run(cli, &request, &dirs);
  cli_list_free(&dirs);
  return status;
}
