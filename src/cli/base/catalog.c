/* SPDX-License-Identifier: MIT
 *
 * Words of the command line -> sources -> a synchronised registry; see catalog.h.
 */
#include "cli/base/catalog.h"

#include <string.h>

#include "cli/base/place.h"
#include "source/notes.h"
#include "util/alloc.h"
#include "util/json_out.h"

/* --- options ------------------------------------------------------------------------------------------------------ */

static int pick(struct cli *cli, const char *command, const char *option, const char *given, const char *const *names,
                int *out) {
  for (int i = 0; given && names[i]; i++) {
    if (!strcmp(given, names[i])) {
      *out = i;
      return -1;
    }
  }
  if (!given) return -1;
  fprintf(cli->err, "skillet %s: --%s cannot be '%s'; choose one of:", command, option, given);
  for (int i = 0; names[i]; i++) fprintf(cli->err, " %s", names[i]);
  fputc('\n', cli->err);
  return CLI_USAGE;
}

int cli_catalog_words(struct cli *cli, const char *command, const struct cli_catalog_words *words,
                      struct cli_catalog_options *options) {
  static const char *const lite[] = {"frontmatter", "all", "off", NULL};
  static const char *const links[] = {"inside", "anywhere", "never", NULL};
  static const char *const duplicates[] = {"first", "last", "error", "namespace", NULL};
  int values[3] = {(int)options->lite, (int)options->links, (int)options->duplicates};
  int status = pick(cli, command, "lite", words->lite, lite, &values[0]);
  if (status == -1) status = pick(cli, command, "links", words->links, links, &values[1]);
  if (status == -1) status = pick(cli, command, "duplicates", words->duplicates, duplicates, &values[2]);
  if (status != -1) return status;
  options->lite = (SkillLite)values[0];
  options->links = (SkillLinks)values[1];
  options->duplicates = (SkillDuplicates)values[2];
  options->strict = options->strict || words->strict;
  options->describe_from_body = options->describe_from_body || words->describe;
  return -1;
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

static int add_builtins(struct cli_places *places, const char *folder, SkillError *err) {
  SkillBuiltinOptions options = SKILL_BUILTIN_OPTIONS_INIT;
  SkillSource *source = NULL;
  options.folder = folder;
  int status = skill_source_builtin_new(&options, &source, err);
  return status ? status : cli_places_add(places, source, err);
}

static int make_registry(const struct cli_catalog_options *options, SkillRegistry **out, SkillError *err) {
  SkillRegistryOptions registry = SKILL_REGISTRY_OPTIONS_INIT;
  SkillRankerOptions ranker = SKILL_RANKER_OPTIONS_INIT;
  if (options->ranker) ranker = *options->ranker;
  ranker.ignore_body = ranker.ignore_body || options->ignore_body;
  registry.ranker = &ranker;
  registry.on_event = options->on_event;
  registry.event_user = options->event_user;
  return skill_registry_new(&registry, out, err);
}

static int gather(struct cli *cli, const char *command, const struct cli_list *dirs,
                  const struct cli_catalog_options *options, struct cli_places *places, SkillError *err) {
  int status = 0;
  if (!dirs->count) {
    status = cli_places_usual(places, options, err);
    if (!status && !places->count && !options->builtins) {
      fprintf(cli->err, "skillet %s: no folder of skills was given, and none of these exists: %s\n", command,
              cli_places_text());
      return CLI_INPUT;
    }
  }
  for (size_t i = 0; !status && i < dirs->count; i++) status = cli_places_word(places, dirs->items[i], options, err);
  if (!status && options->builtins) status = add_builtins(places, options->writable, err);
  return status ? cli_fail(cli, command, err) : -1;
}

static bool is_unreadable(const SkillDiagnostic *d) {
  return skill__note_is(d, SKILL__NOTE_ROOT_MISSING) || skill__note_is(d, SKILL__NOTE_ROOT_UNREADABLE) ||
         !strcmp(d->code, "input-unreadable"); /* cli/base/place.c */
}

size_t cli_catalog_unreadable(const SkillSyncReport *report) {
  size_t count = 0;
  for (size_t i = 0; i < report->diagnostic_count; i++) count += is_unreadable(&report->diagnostics[i]);
  return count;
}

bool cli_catalog_is_place(const char *word) {
  return strchr(word, '/') && cli_path_kind(word) >= 0;
}

/* -1, or CLI_INPUT if nothing can be read. */
static int report_unreadable(struct cli *cli, const char *command, const struct cli_catalog *catalog, bool builtins) {
  const SkillSyncReport *report = catalog->report;
  size_t left = catalog->count - (builtins ? 1 : 0);
  if (!left) return -1;
  for (size_t i = 0; i < report->diagnostic_count; i++) {
    const SkillDiagnostic *d = &report->diagnostics[i];
    if (!is_unreadable(d) && !skill__note_is(d, SKILL__NOTE_ROOT_SEPARATOR)) continue;
    if (left) left--;
    fprintf(cli->err, "skillet %s: ", command);
    cli_tell(cli, d->path);
    if (d->line) fprintf(cli->err, ":%u:%u", d->line, d->column);
    fprintf(cli->err, ": %s; %s\n", d->message, d->fix);
  }
  return left ? -1 : CLI_INPUT;
}

static bool is_hidden(const SkillDiagnostic *d) {
  return skill__note_is(d, SKILL__NOTE_UNREADABLE) || skill__note_is(d, SKILL__NOTE_NOT_REGULAR);
}

void cli_catalog_report_hidden(struct cli *cli, const char *command, const SkillSyncReport *report) {
  enum { SHOWN = 3 };
  size_t count = 0;
  for (size_t i = 0; i < report->diagnostic_count; i++) {
    if (!is_hidden(&report->diagnostics[i]) || count++ >= SHOWN) continue;
    if (count == 1) fprintf(cli->err, "skillet %s: skills may be missing, because this cannot be read: ", command);
    if (count > 1) fputs(", ", cli->err);
    cli_tell(cli, report->diagnostics[i].path);
  }
  if (count > SHOWN) fprintf(cli->err, " and %zu more", count - SHOWN);
  if (count) fprintf(cli->err, "; skillet check shows why\n");
}

int cli_catalog_open(struct cli *cli, const char *command, const struct cli_list *dirs,
                     const struct cli_catalog_options *options, struct cli_catalog *catalog) {
  static const struct cli_catalog_options defaults;
  if (!options) options = &defaults;
  struct cli_places places = {0};
  SkillError err = SKILL_ERROR_INIT;
  memset(catalog, 0, sizeof *catalog);
  int status = gather(cli, command, dirs, options, &places, &err);
  catalog->sources = places.items;
  catalog->count = places.count;
  if (status == -1) {
    int failed = make_registry(options, &catalog->registry, &err);
    if (!failed) failed = cli_catalog_refresh(catalog, options->duplicates, &err);
    if (failed) status = cli_fail(cli, command, &err);
  }
  if (status == -1 && !options->reports) status = report_unreadable(cli, command, catalog, options->builtins);
  if (status == -1 && !options->reports && !options->one) cli_catalog_report_hidden(cli, command, catalog->report);
  if (status != -1) cli_catalog_close(catalog);
  return status;
}

int cli_catalog_refresh(struct cli_catalog *catalog, SkillDuplicates duplicates, SkillError *err) {
  SkillSyncReport *report = NULL;
  int status = skill_registry_sync(catalog->registry, catalog->sources, catalog->count, duplicates, &report, err);
  if (status) return status;
  skill_sync_report_free(catalog->report);
  catalog->report = report;
  return 0;
}

void cli_catalog_close(struct cli_catalog *catalog) {
  skill_registry_free(catalog->registry);
  skill_sync_report_free(catalog->report);
  for (size_t i = 0; i < catalog->count; i++) skill_source_free(catalog->sources[i]);
  skill__free(catalog->sources);
  memset(catalog, 0, sizeof *catalog);
}

/* --- diagnostics -------------------------------------------------------------------------------------------------- */

static void print_one(const struct cli *cli, const SkillDiagnostic *d) {
  const char *colour = cli_level_colour(cli, d->level);
  cli_cut(cli, d->path, (size_t)-1);
  if (d->line) fprintf(cli->out, ":%u", d->line);
  if (d->line && d->column) fprintf(cli->out, ":%u", d->column);
  fprintf(cli->out, ": %s%s%s: ", colour, skill_level_name(d->level), cli_plain(cli));
  cli_cut(cli, d->message, (size_t)-1);
  fprintf(cli->out, " %s[%s]%s\n", cli_dim(cli), d->code, cli_plain(cli));
}

void cli_catalog_print_diagnostics(struct cli *cli, FILE *to, const SkillSyncReport *report, size_t most) {
  struct cli there = *cli;
  there.out = to;
  if (to != cli->out) there.colour = false;
  for (int level = SKILL_LEVEL_ERROR; level <= SKILL_LEVEL_INFO; level++) {
    size_t seen = 0;
    for (size_t i = 0; i < report->diagnostic_count; i++) {
      const SkillDiagnostic *d = &report->diagnostics[i];
      if ((int)d->level == level && seen++ < most) print_one(&there, d);
    }
    if (seen > most) {
      fprintf(to, "… and %zu more of level %s\n", seen - most, skill_level_name((SkillLevel)level));
    }
  }
}

void cli_catalog_json_diagnostics(struct skill__buf *buf, const SkillSyncReport *report) {
  skill__json_open(buf, "diagnostics", "[");
  for (size_t i = 0; i < report->diagnostic_count; i++) {
    const SkillDiagnostic *d = &report->diagnostics[i];
    skill__json_open(buf, NULL, "{");
    skill__json_add_text(buf, "path", d->path);
    SKILL__JSON_SIZES(buf, {"line", d->line}, {"column", d->column});
    skill__json_add_text(buf, "level", skill_level_name(d->level));
    skill__json_add_text(buf, "code", d->code);
    skill__json_add_text(buf, "message", d->message);
    skill__json_add_text(buf, "fix", d->fix);
    skill__json_close(buf, "}");
  }
  skill__json_close(buf, "]");
}
