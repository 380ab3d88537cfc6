/* SPDX-License-Identifier: MIT
 *
 * skillet list: the skills, one line each, and the diagnostics.
 */
#include <string.h>

#include "cli/base/catalog.h"
#include "cli/base/describe.h"
#include "cli/commands.h"
#include "cli/list_watch.h"
#include "util/json_out.h"
#include "util/utf8.h"

static const struct cli_usage usage = {"skillet list [OPTIONS] [DIR…]",
                                       "Lists the skills of folders, earlier folders first. DIR is a folder of skills, "
                                       "a single .md file, a skills.jsonl, a\n"
                                       "recorded MCP tools/list, or a folder that holds such files. Without DIR, "
                                       "skillet reads the folders in $SKILLET_SKILLS\n"
                                       "(separated by ':'), or else those of these that exist: skills, "
                                       ".skillet/skills, .claude/skills and .agents/skills\n"
                                       "here, then the last three in the home folder.\n"
                                       "\n"
                                       "  skillet list examples/skills\n"
                                       "  skillet list --json ~/.claude/skills | jq -r '.skills[].name'\n"
                                       "  skillet list --watch skills\n"
                                       "\n"
                                       "Exit status: 0; 1 if there is no skill; 3 if no DIR can be read."};

struct request {
  bool json;
  bool all;
  bool quiet;
  bool watch;
  struct cli_catalog_words words;
};

struct count {
  size_t shown;
  size_t hidden;
  size_t always;
  size_t tools;
  size_t name_columns;
  size_t sources;
};

static bool is_shown(const struct request *request, const SkillMetadata *metadata) {
  return request->all || !metadata->unlisted;
}

static struct count count_skills(const struct request *request, const SkillRegistry *registry) {
  struct count count = {0};
  const char *source = NULL;
  for (const Skill *skill = skill_registry_next(registry, NULL); skill; skill = skill_registry_next(registry, skill)) {
    const SkillMetadata *m = skill_metadata(skill);
    size_t columns = skill__utf8_columns(m->name, strlen(m->name));
    if (!is_shown(request, m)) {
      count.hidden++;
      continue;
    }
    count.shown++;
    count.tools += m->tool_count;
    count.always += m->mode == SKILL_MODE_ALWAYS;
    if (columns > count.name_columns) count.name_columns = columns;
    count.sources += !source || strcmp(source, m->source ? m->source : "") != 0;
    source = m->source ? m->source : "";
  }
  return count;
}

/* Lines are cut to the width of a terminal, and whole elsewhere. */
static void print_skill(struct cli *cli, const SkillMetadata *m, size_t name_columns) {
  const char *mark = m->unlisted ? "unlisted  " : "";
  if (m->mode == SKILL_MODE_ALWAYS) mark = "always  ";
  size_t used = cli_name(cli, m->name, name_columns) + 2 + strlen(mark);
  fprintf(cli->out, "  %s%s%s", cli_green(cli), mark, cli_plain(cli));
  if (m->description && !cli->terminal) {
    cli_cut(cli, m->description, SIZE_MAX);
  } else if (m->description && used < cli->columns) {
    cli_cut(cli, m->description, cli->columns - used);
  }
  fputc('\n', cli->out);
}

static void print_counts(struct cli *cli, const struct count *count, const SkillSyncReport *report) {
  size_t levels[3] = {0};
  for (size_t i = 0; i < report->diagnostic_count; i++) levels[report->diagnostics[i].level]++;
  fprintf(cli->out, "%s%zu skill%s", count->shown ? "\n" : "", count->shown, count->shown == 1 ? "" : "s");
  if (count->tools) fprintf(cli->out, " with %zu tool%s", count->tools, count->tools == 1 ? "" : "s");
  if (count->always) fprintf(cli->out, ", %zu of them always on", count->always);
  if (count->hidden) fprintf(cli->out, "; %zu without a description (--all lists them too)", count->hidden);
  if (report->shadowed) fprintf(cli->out, "; %zu shadowed", report->shadowed);
  if (levels[0] + levels[1]) {
    fprintf(cli->out, "; %zu error%s, %zu warning%s: see skillet check", levels[0], levels[0] == 1 ? "" : "s",
            levels[1], levels[1] == 1 ? "" : "s");
  }
  if (!count->shown && !count->hidden && !report->diagnostic_count)
    fputs(": there is no SKILL.md and no .md with front matter in these folders", cli->out);
  fputc('\n', cli->out);
}

static void print_text(struct cli *cli, const struct request *request, const struct cli_catalog *catalog,
                       const struct count *count) {
  size_t most = cli->columns / 3 > 40 ? 40 : cli->columns / 3;
  size_t name_columns = count->name_columns < most ? count->name_columns : most;
  const char *source = NULL;
  for (const Skill *skill = skill_registry_next(catalog->registry, NULL); skill;
       skill = skill_registry_next(catalog->registry, skill)) {
    const SkillMetadata *m = skill_metadata(skill);
    const char *from = m->source ? m->source : "";
    if (!is_shown(request, m)) continue;
    if (count->sources > 1 && count->shown >= 2 * count->sources && (!source || strcmp(source, from) != 0)) {
      fprintf(cli->out, "%s%s", source ? "\n" : "", cli_dim(cli));
      cli_cut(cli, from, cli->columns);
      fprintf(cli->out, "%s\n", cli_plain(cli));
    }
    source = from;
    print_skill(cli, m, name_columns);
  }
  if (request->quiet) return;
  print_counts(cli, count, catalog->report);
  cli_catalog_print_diagnostics(cli, cli->err, catalog->report, count->shown ? 3 : 20);
}

static int print_json(struct cli *cli, const struct request *request, const struct cli_catalog *catalog) {
  struct skill__buf buf;
  skill__buf_init(&buf, SIZE_MAX / 4);
  skill__json_open(&buf, NULL, "{");
  skill__json_open(&buf, "skills", "[");
  for (const Skill *skill = skill_registry_next(catalog->registry, NULL); skill;
       skill = skill_registry_next(catalog->registry, skill)) {
    if (!is_shown(request, skill_metadata(skill))) continue;
    skill__json_open(&buf, NULL, "{");
    cli_describe_json(&buf, skill_metadata(skill));
    skill__json_close(&buf, "}");
  }
  skill__json_close(&buf, "]");
  cli_catalog_json_diagnostics(&buf, catalog->report);
  skill__json_close(&buf, "}");
  return cli_print_json(cli, &buf);
}

static int run(struct cli *cli, const struct request *request, const struct cli_list *dirs) {
  struct cli_watch watch = {.cli = cli, .json = request->json};
  struct cli_catalog_options options = {
      .ignore_body = true, .reports = true, .on_event = cli_watch_event, .event_user = &watch};
  struct cli_catalog catalog;
  options.survey = !request->quiet;
  int status = cli_catalog_words(cli, "list", &request->words, &options);
  if (status == -1) status = cli_catalog_open(cli, "list", dirs, &options, &catalog);
  if (status != -1) return status;
  struct count count = count_skills(request, catalog.registry);
  status = CLI_DONE;
  if (request->json) {
    status = print_json(cli, request, &catalog);
  } else {
    print_text(cli, request, &catalog, &count);
  }
  if (!status && request->watch) status = cli_watch_run(&watch, &catalog, options.duplicates);
  if (!status && catalog.count && cli_catalog_unreadable(catalog.report) == catalog.count) status = CLI_INPUT;
  cli_catalog_close(&catalog);
  if (!status && !count.shown) status = CLI_NO;
  return status;
}

int cmd_list(struct cli *cli, int argc, char **argv) {
  struct request request = {0};
  struct cli_list dirs = {0};
  const struct cli_option options[] = {
      {CLI_FLAG, 'j', "json", NULL, "print one JSON document: skills and diagnostics", &request.json},
      {CLI_FLAG, 'a', "all", NULL, "also list skills without a description, which no model sees", &request.all},
      {CLI_FLAG, 'q', "quiet", NULL, "print only the skills: no summary, no diagnostics", &request.quiet},
      {CLI_FLAG, 'w', "watch", NULL, "keep running and print changes: + new, ~ changed, - gone, ! notes",
       &request.watch},
      CLI_CATALOG_OPTIONS(request.words),
  };
  int status = cli_parse(cli, &usage, options, sizeof options / sizeof *options, argc, argv, &dirs);
  if (status == -1) status = run(cli, &request, &dirs);
  cli_list_free(&dirs);
  return status;
}
