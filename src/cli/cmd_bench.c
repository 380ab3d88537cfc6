/* SPDX-License-Identifier: MIT
 *
 * skillet bench tokens: what each strategy of showing skills costs and finds, for the user's own skills.
 */
#include <stdio.h>
#include <string.h>

#include "cli/base/catalog.h"
#include "cli/base/tokens.h"
#include "cli/commands.h"
#include "measure/bench.h"
#include "util/alloc.h"
#include "util/file.h"

#define MAX_QUERIES ((size_t)256 * 1024 * 1024)
#define MAX_OUTPUT ((size_t)256 * 1024 * 1024)

static const struct cli_usage usage = {
    "skillet bench tokens [OPTIONS] [DIR…]",
    "Plays conversations over a catalogue with every strategy of showing skills to a model: everything in every "
    "request, a\n"
    "listing, search, ranking by the host, policies, skillet's own mix, and an oracle. Prints for each strategy the "
    "tokens\n"
    "of the first request and of a whole conversation, the price with a prompt cache, how much of the prefix stays "
    "cached,\n"
    "and how many of the needed skills were there. Prices are in tokens at full price. The same command prints the "
    "same\n"
    "bytes.\n"
    "\n"
    "A DIR that holds skills.jsonl and queries.dev.jsonl (or queries.jsonl) has its own labelled requests; --queries "
    "names\n"
    "others. Without labels, requests are made from the descriptions, and recall is then too high.\n"
    "\n"
    "  skillet bench tokens ~/.claude/skills --report savings.html\n"
    "  skillet bench tokens --turns 10 --cache-read 0.5 --cache-write 1 data/livemcpbench\n"
    "\n"
    "Exit status: 0; 1 if there is nothing to play; 2 wrong use; 3 a file cannot be read or written."};

struct options {
  bool json;
  const char *queries, *report, *csv, *audit, *tokenizer;
  struct skill__settings settings;
  struct cli_catalog_words words;
  struct cli_list dirs;
};

struct work {
  struct cli *cli;
  struct options options;
  char command[2048];
  char folder_skills[SKILL_MAX_PATH];
  char folder_queries[SKILL_MAX_PATH];
  struct cli_tokenizer tokenizer;
  struct cli_catalog catalog;
  struct skill__world world;
  struct skill__labels labels;
  struct skill__talks talks;
  struct skill__bench bench;
  struct skill__buf trail;
};

static void show_counting(size_t done, size_t total, void *user) {
  cli_progress(((struct work *)user)->cli, "skillet bench: skills counted", done, total);
}

static void show_playing(size_t done, size_t total, void *user) {
  /* Strategies are few and long. Thousandths make the line appear after the first one. */
  cli_progress(((struct work *)user)->cli, "skillet bench: thousandths played", done * 1000 / total, 1000);
}

/* A folder with skills.jsonl and labelled queries means these two files. */
static void use_folder(struct work *work) {
  static const char *const names[] = {"queries.dev.jsonl", "queries.jsonl"};
  struct options *o = &work->options;
  if (o->dirs.count != 1) return;
  snprintf(work->folder_skills, sizeof work->folder_skills, "%s/skills.jsonl", o->dirs.items[0]);
  if (cli_path_kind(work->folder_skills) != SKILL_FILE_REGULAR) return;
  for (size_t i = 0; i < 2 && !o->queries; i++) {
    snprintf(work->folder_queries, sizeof work->folder_queries, "%s/%s", o->dirs.items[0], names[i]);
    if (cli_path_kind(work->folder_queries) == SKILL_FILE_REGULAR) o->queries = work->folder_queries;
  }
  o->dirs.items[0] = work->folder_skills;
}

static int make_labels(struct work *work, SkillError *err) {
  const struct options *o = &work->options;
  if (!o->queries) {
    int status = skill__labels_derive(work->catalog.registry, o->settings.seed,
                                      o->settings.conversations * o->settings.turns, &work->labels);
    return status ? skill_error_set(err, status, "no memory for requests") : 0;
  }
  char *text = NULL;
  size_t length = 0;
  int status = skill__file_load(skill_io_posix(), o->queries, MAX_QUERIES, &text, &length, err);
  if (status == SKILL_ENOENT && err) err->code = SKILL_EIO; /* missing input, not an empty result */
  if (!status) status = skill__labels_read(text, length, o->queries, work->world.names, &work->labels, err);
  skill__free(text);
  return status;
}

static int play(struct work *work, SkillError *err) {
  const struct skill__settings *settings = &work->options.settings;
  int status =
      skill__world_make(work->catalog.registry, work->tokenizer.use, settings, show_counting, work, &work->world);
  if (status) return skill_error_set(err, status, "no memory to count the skills");
  status = make_labels(work, err);
  if (status) return status;
  if (!work->world.count) return skill_error_set(err, SKILL_ENOENT, "there are no skills here: nothing to play");
  if (!work->labels.count) {
    return skill_error_set(err, SKILL_ENOENT, "no request needs a skill of this catalogue: nothing to play");
  }
  status = skill__talks_make(&work->labels, settings->seed, settings->conversations, settings->turns, &work->talks);
  if (status) return skill_error_set(err, status, "conversations: %s", skill_strerror(status));
  struct skill__audit audit = {&work->world, &work->trail};
  struct skill__play_watch watch = skill__audit_watch(&audit);
  return skill__bench_run(&work->world, &work->labels, &work->talks, work->options.audit ? &watch : NULL, show_playing,
                          work, &work->bench, err);
}

/* --- output ------------------------------------------------------------------------------------------------------- */

static int write_buf(const char *path, const struct skill__buf *buf, SkillError *err) {
  SkillIo *io = skill_io_posix();
  int status = skill__buf_status(buf);
  if (!status) status = io->file_write(io, SKILL_IO_CWD, path, buf->data, buf->length);
  return status ? skill_error_set_at(err, status, path, 0, 0, "cannot be written: %s", skill_strerror(status)) : 0;
}

static int write_with(struct work *work, const char *path,
                      void (*writer)(const struct skill__bench *, struct skill__buf *), SkillError *err) {
  struct skill__buf buf;
  skill__buf_init(&buf, MAX_OUTPUT);
  writer(&work->bench, &buf);
  int status = write_buf(path, &buf, err);
  skill__buf_fini(&buf);
  return status;
}

/* "81.3%", or "99.97%" if one decimal would round to a hundred. */
static const char *percent(char out[16], double share) {
  snprintf(out, 16, share >= 0.999 && share < 1 ? "%.2f%%" : "%.1f%%", share * 100);
  return out;
}

static void print_row(const struct work *work, const struct skill__result *r) {
  const struct cli *cli = work->cli;
  struct skill__figures f = skill__bench_figures(&work->bench, r);
  char a[CLI_COUNT_SIZE], b[CLI_COUNT_SIZE], c[CLI_COUNT_SIZE];
  char p[16], q[16];
  fprintf(cli->out, "%-15s %5.1f%% %5.1f%% %10s %11s %11s %5.1f%% %8s %8s  ", r->strategy->name, f.recall * 100,
          f.all_loaded * 100, cli_count(a, f.first, NULL), cli_count(b, f.tokens, NULL), cli_count(c, f.price, NULL),
          f.kept * 100, percent(p, f.saved_price), percent(q, f.saved_equal));
  if (f.saved_equal < 0) {
    fprintf(cli->out, "%sloses%s", cli_red(cli), cli_plain(cli));
  } else if (r != &work->bench.results[0]) {
    cli_bar(cli, f.saved_equal, 1, 20);
  }
  fputc('\n', cli->out);
}

static void print_windows(const struct work *work) {
  static const double windows[] = {200000, 1000000};
  const struct cli *cli = work->cli;
  char a[CLI_COUNT_SIZE], b[CLI_COUNT_SIZE];
  for (size_t i = 0; i < work->bench.count; i++) {
    const struct skill__result *r = &work->bench.results[i];
    size_t over = 0;
    while (over < 2 && r->largest_request > windows[over]) over++;
    if (!over) continue;
    fprintf(cli->out, "%s%s%s: its largest request has %s tokens: above a window of %s\n", cli_yellow(cli),
            r->strategy->name, cli_plain(cli), cli_count(a, r->largest_request, work->world.tokenizer),
            cli_count(b, windows[over - 1], NULL));
  }
}

static void print_policies(const struct work *work) {
  const struct cli *cli = work->cli;
  fprintf(cli->out, "\n%s%-15s %7s %7s %9s %8s %8s%s   skills that the host loads\n", cli_bold(cli), "policy",
          "hit rate", "inits", "evictions", "expired", "prefix", cli_plain(cli));
  for (size_t i = 0; i < work->bench.count; i++) {
    const struct skill__result *r = &work->bench.results[i];
    struct skill__figures f = skill__bench_figures(&work->bench, r);
    if (!r->strategy->max_active) continue;
    fprintf(cli->out, "%-15s %7.1f%% %7.0f %9.0f %8.0f %7.1f%%   %s\n", r->strategy->name, f.hit_rate * 100, r->inits,
            r->evictions, r->expiries, f.kept * 100, r->strategy->title);
  }
}

static int print_table(struct work *work) {
  const struct cli *cli = work->cli;
  const struct skill__world *w = &work->world;
  const struct skill__settings *s = &w->settings;
  char a[CLI_COUNT_SIZE];
  fprintf(cli->out, "%zu skills, %s tokens in all (%s%s); %zu labelled requests%s; %zu conversations of %zu turns\n\n",
          w->count, cli_count(a, (double)(w->bodies + w->tools), w->tokenizer), w->tokenizer->name,
          w->tokenizer->exact ? "" : ", estimated", work->labels.count,
          work->labels.derived ? " made from the descriptions, so recall is too high" : "", work->talks.count,
          s->turns);
  fprintf(cli->out, "%s%-15s %6s %6s %10s %11s %11s %6s %8s %8s%s\n", cli_bold(cli), "strategy", "recall", "all",
          "first", "tokens", "price", "prefix", "saved", "at equal", cli_plain(cli));
  fprintf(cli->out, "%-15s %6s %6s %10s %11s %11s %6s %8s %8s\n", "", "", "loaded", "request", "in a talk",
          "with cache", "kept", "", "recall");
  for (size_t i = 0; i < work->bench.count; i++) print_row(work, &work->bench.results[i]);
  print_windows(work);
  print_policies(work);
  fprintf(cli->out,
          "\nprice: cached tokens at %g, others at %g of a token. saved: of the price, against everything. At equal "
          "recall:\n"
          "a turn that lacked a skill is repeated with everything sent, and that is paid too.\n",
          s->cache_read, s->cache_write);
  return CLI_DONE;
}

static int print_json(struct work *work) {
  struct skill__buf buf;
  skill__buf_init(&buf, MAX_OUTPUT);
  skill__bench_json(&work->bench, &buf);
  return cli_print_json(work->cli, &buf);
}

static int give(struct work *work) {
  SkillError err = SKILL_ERROR_INIT;
  const struct options *o = &work->options;
  int status = play(work, &err);
  work->bench.title = o->dirs.count ? o->dirs.items[0] : "installed skills";
  work->bench.command = work->command;
  if (!status && o->report) status = write_with(work, o->report, skill__bench_html, &err);
  if (!status && o->csv) status = write_with(work, o->csv, skill__bench_csv, &err);
  if (!status && o->audit) status = write_buf(o->audit, &work->trail, &err);
  if (status) return cli_fail(work->cli, "bench", &err);
  return o->json ? print_json(work) : print_table(work);
}

static int run(struct work *work) {
  struct cli_catalog_options options = {0};
  use_folder(work);
  int status = cli_catalog_words(work->cli, "bench", &work->options.words, &options);
  if (status < 0) status = cli_catalog_open(work->cli, "bench", &work->options.dirs, &options, &work->catalog);
  if (status >= 0) return status;
  status = cli_tokenizer_open(work->cli, "bench", work->options.tokenizer, true, &work->tokenizer);
  if (status < 0) {
    status = give(work);
    skill__bench_fini(&work->bench);
    skill__buf_fini(&work->trail);
    skill__talks_fini(&work->talks);
    skill__labels_fini(&work->labels);
    skill__world_fini(&work->world);
    cli_tokenizer_close(&work->tokenizer);
  }
  cli_catalog_close(&work->catalog);
  return status;
}

/* The command line, for the report. */
static void keep_command(struct work *work, int argc, char **argv) {
  size_t at = (size_t)snprintf(work->command, sizeof work->command, "skillet bench");
  for (int i = 1; i < argc && at < sizeof work->command; i++) {
    int n = snprintf(work->command + at, sizeof work->command - at, " %s", argv[i]);
    if (n < 0) return;
    at += (size_t)n;
  }
}

static int checked(struct cli *cli, struct work *work) {
  const struct options *o = &work->options;
  if (!o->dirs.count || strcmp(o->dirs.items[0], "tokens") != 0) {
    fprintf(cli->err, "skillet bench: say what to measure: skillet bench tokens [DIR…]\n");
    return CLI_USAGE;
  }
  const struct skill__settings *s = &o->settings;
  bool fine = s->conversations >= 1 && s->conversations <= 100000 && s->turns >= 1 && s->turns <= 1000 &&
              s->wrong_percent <= 100 && s->overlook_percent <= 100 && s->cache_read >= 0 && s->cache_write >= 0 &&
              s->cache_minutes <= 100000;
  if (!fine) {
    fprintf(cli->err,
            "skillet bench: conversations are 1 to 100000, turns 1 to 1000, percentages 0 to 100, factors >= 0\n");
    return CLI_USAGE;
  }
  work->options.dirs.count--;
  memmove(work->options.dirs.items, work->options.dirs.items + 1, work->options.dirs.count * sizeof *o->dirs.items);
  return run(work);
}

int cmd_bench(struct cli *cli, int argc, char **argv) {
  struct work *work = skill__calloc(1, sizeof *work);
  if (!work) return CLI_INTERNAL;
  struct options *o = &work->options;
  work->cli = cli;
  skill__buf_init(&work->trail, MAX_OUTPUT);
  struct skill__settings *s = &o->settings;
  skill__settings_default(s);
  const struct cli_option options[] = {
      {CLI_TEXT, 0, "queries", "FILE", "labelled requests as JSON lines", &o->queries},
      {CLI_SIZE, 'n', "conversations", "N", "number of conversations", &s->conversations},
      {CLI_SIZE, 'k', "turns", "K", "turns of each conversation", &s->turns},
      {CLI_SIZE, 0, "seed", "N", "seed of the conversations", &s->seed},
      {CLI_SIZE, 'b', "budget", "TOKENS", "size of skillet's listing", &s->budget},
      {CLI_SIZE, 0, "wrong", "PERCENT", "how often the model opens a wrong skill first", &s->wrong_percent},
      {CLI_SIZE, 0, "overlook", "PERCENT", "how often it overlooks a needed skill in a listing", &s->overlook_percent},
      {CLI_REAL, 0, "cache-read", "FACTOR", "price of a cached token", &s->cache_read},
      {CLI_REAL, 0, "cache-write", "FACTOR", "price of any other token", &s->cache_write},
      {CLI_SIZE, 0, "cache-minutes", "N", "how long a prefix stays cached", &s->cache_minutes},
      {CLI_TEXT, 't', "tokenizer", "NAME", "o200k_base (default), cl100k_base or estimate", &o->tokenizer},
      {CLI_TEXT, 'r', "report", "FILE", "write the figures as an HTML page", &o->report},
      {CLI_TEXT, 0, "csv", "FILE", "write the table as CSV", &o->csv},
      {CLI_TEXT, 0, "audit", "FILE", "write every request of ten conversations as JSON lines", &o->audit},
      {CLI_FLAG, 'j', "json", NULL, "print one JSON document", &o->json},
      CLI_CATALOG_OPTIONS(o->words)};
  keep_command(work, argc, argv);
  int status = cli_parse(cli, &usage, options, sizeof options / sizeof *options, argc, argv, &o->dirs);
  if (status < 0) status = checked(cli, work);
  cli_list_free(&o->dirs);
  skill__free(work);
  return status;
}
