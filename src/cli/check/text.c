/* SPDX-License-Identifier: MIT
 *
 * The report for people: findings by file, pairs that compete, and the table by kind.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/check/check.h"
#include "document/diagnostic.h"

static const char *plural(size_t n) {
  return n == 1 ? "" : "s";
}

enum { INDENT = 21, CODES_MAX = SKILL__CODE_COUNT + 64 };

/* The codes whose remedy was printed; it is printed once in a report. */
struct printed {
  const char *codes[CODES_MAX];
  size_t count;
};

static bool was_printed(struct printed *printed, const char *code) {
  for (size_t i = 0; i < printed->count; i++) {
    if (!strcmp(printed->codes[i], code)) return true;
  }
  if (printed->count < CODES_MAX) printed->codes[printed->count++] = code;
  return false;
}

static void print_finding(struct cli *cli, const SkillDiagnostic *d, struct printed *printed) {
  char text[1200];
  char place[32] = "";
  bool again = was_printed(printed, d->code);
  if (d->line) snprintf(place, sizeof place, d->column ? "%u:%u" : "%u", d->line, d->column);
  fprintf(cli->out, "  %8s  %s%-7s%s  ", place, cli_level_colour(cli, d->level), skill_level_name(d->level),
          cli_plain(cli));
  snprintf(text, sizeof text, again ? "%s [%s]" : "%s", d->message, d->code);
  cli_wrap(cli, text, INDENT);
  if (again) return;
  fprintf(cli->out, "%*s%s%s: ", INDENT, "", cli_dim(cli), d->code);
  cli_wrap_from(cli, d->fix, INDENT, INDENT + strlen(d->code) + 2);
  fputs(cli_plain(cli), cli->out);
}

static void print_pairs(const struct check *check) {
  struct cli *cli = check->cli;
  if (!check->pair_count) return;
  fprintf(cli->out, "\n%sDescriptions that compete%s (a request for one also finds the other):\n", cli_bold(cli),
          cli_plain(cli));
  size_t shown = check->pair_count < 10 ? check->pair_count : 10;
  for (size_t i = 0; i < shown; i++) {
    const struct check_pair *pair = &check->pairs[i];
    fprintf(cli->out, "  %3.0f %%  ", pair->score * 100);
    size_t half = cli->columns > 20 && cli->columns < 1000 ? (cli->columns - 16) / 2 : 80;
    cli_cut(cli, pair->a, half);
    fputs("  ·  ", cli->out);
    cli_cut(cli, pair->b, half);
    fputc('\n', cli->out);
  }
  if (shown < check->pair_count) fprintf(cli->out, "  … and %zu more (--json has all)\n", check->pair_count - shown);
}

static void print_counts(const struct check *check) {
  struct cli *cli = check->cli;
  size_t errors = check_count(check, SKILL_LEVEL_ERROR);
  size_t warnings = check_count(check, SKILL_LEVEL_WARNING);
  size_t notes = check_count(check, SKILL_LEVEL_INFO);
  size_t skills = skill_registry_count(check->catalog.registry);
  fprintf(cli->out, "%s%zu skill%s%s: ", check->count || check->pair_count ? "\n" : "", skills, plural(skills),
          check->strict ? ", strict" : "");
  if (!errors && !warnings) fprintf(cli->out, "%snothing to fix%s", cli_green(cli), cli_plain(cli));
  if (errors) fprintf(cli->out, "%s%zu error%s%s", cli_red(cli), errors, plural(errors), cli_plain(cli));
  if (errors && warnings) fputs(", ", cli->out);
  if (warnings) fprintf(cli->out, "%s%zu warning%s%s", cli_yellow(cli), warnings, plural(warnings), cli_plain(cli));
  if (notes) fprintf(cli->out, ", %zu note%s", notes, plural(notes));
  fputc('\n', cli->out);
}

void check_text(const struct check *check, SkillLevel least) {
  struct cli *cli = check->cli;
  const char *path = NULL;
  struct printed printed = {.count = 0};
  for (size_t i = 0; i < check->count; i++) {
    const SkillDiagnostic *d = &check->findings[i];
    if (d->level > least) continue;
    const char *now = d->path ? d->path : "";
    if (!path || strcmp(path, now) != 0) {
      fputs(path ? "\n" : "", cli->out);
      fputs(cli_bold(cli), cli->out);
      cli_cut(cli, now, SIZE_MAX);
      fprintf(cli->out, "%s\n", cli_plain(cli));
    }
    path = now;
    print_finding(cli, d, &printed);
  }
  print_pairs(check);
  print_counts(check);
}

/* --- the table ---------------------------------------------------------------------------------------------------- */

struct row {
  const char *code;
  SkillLevel level;
  size_t findings;
  size_t files;
  const char *last; /* path of the last finding counted */
  const char *fix;
};

static int compare_rows(const void *a, const void *b) {
  const struct row *x = a;
  const struct row *y = b;
  if (x->files != y->files) return x->files < y->files ? 1 : -1;
  return strcmp(x->code, y->code);
}

static size_t count_rows(const struct check *check, struct row *rows, size_t room) {
  size_t used = 0;
  for (size_t i = 0; i < check->count; i++) {
    const SkillDiagnostic *d = &check->findings[i];
    const char *path = d->path ? d->path : "";
    size_t r = 0;
    while (r < used && strcmp(rows[r].code, d->code) != 0) r++;
    if (r == room) continue;
    if (r == used) rows[used++] = (struct row){.code = d->code, .level = d->level, .fix = d->fix};
    rows[r].findings++;
    rows[r].files += !rows[r].last || strcmp(rows[r].last, path) != 0;
    rows[r].last = path;
  }
  if (used) qsort(rows, used, sizeof *rows, compare_rows);
  return used;
}

void check_summary(const struct check *check) {
  struct cli *cli = check->cli;
  struct row rows[SKILL__CODE_COUNT + 64];
  size_t used = count_rows(check, rows, sizeof rows / sizeof rows[0]);
  size_t clean = 0;
  size_t listed = 0;
  size_t derived = 0;
  size_t next = 0;
  for (size_t i = 0; i < check->file_count; i++) {
    listed += check->files[i].listed;
    derived += check->files[i].derived;
    while (next < check->count && strcmp(check->findings[next].path, check->files[i].path) < 0) next++;
    clean += next == check->count || strcmp(check->findings[next].path, check->files[i].path) != 0;
  }
  fprintf(cli->out, "%zu files, %zu without a finding; %zu skills load with a description, %zu of them derived\n\n",
          check->file_count, clean, listed, derived);
  fprintf(cli->out, "| files | findings | level   | code                | how to fix the file\n");
  fprintf(cli->out, "|------:|---------:|---------|---------------------|--------------------\n");
  for (size_t i = 0; i < used; i++) {
    enum skill__code code = skill__code_find(rows[i].code);
    fprintf(cli->out, "| %5zu | %8zu | %-7s | %-19s | %s\n", rows[i].files, rows[i].findings,
            skill_level_name(rows[i].level), rows[i].code,
            code == SKILL__CODE_COUNT ? rows[i].fix : skill__code_fix(code));
  }
}
