/* SPDX-License-Identifier: MIT
 *
 * skillet eval: how well labelled queries find their skills; with --against also what a second configuration changes,
 * and whether the difference is more than chance.
 */
#include <string.h>

#include "cli/commands.h"
#include "cli/eval/eval.h"
#include "util/alloc.h"
#include "util/json_out.h"

static const struct cli_usage usage = {
    "skillet eval [OPTIONS] FOLDER…  |  skillet eval [OPTIONS] --skills F --queries F",
    "Ranks labelled queries. Prints recall@1/3/5/10, the share of queries with all relevant skills in the first five,\n"
    "nDCG@10, MRR, the tokens that the three best skills would load and, for queries that no skill answers, the area "
    "under\n"
    "the curve of abstention. A FOLDER holds skills.jsonl, queries.dev.jsonl (or queries.jsonl) and optionally\n"
    "queries.unanswerable.jsonl. With several folders the last line is their mean.\n"
    "\n"
    "A skill is {\"name\",\"description\",\"tags\",\"body\",\"tools\":[{\"name\",\"description\",\"input_schema\"}]}, "
    "a query is\n"
    "{\"id\",\"query\",\"relevant\":[names]} or has \"relevant_groups\":[[names]]: one name of each group is enough.\n"
    "\n"
    "A configuration is a list of key=value: scorer=bm25f|additive, table=FILE (empty: none), body=on|off, floor=F,\n"
    "exhaustive=on|off, dense=on|off, k1=, k3=, b=, b.FIELD=, weight.FIELD=. Example:\n"
    "  skillet eval --against 'table=' data/*          what the learned table adds\n"
    "\n"
    "Exit status: 0; 2 wrong use; 3 a file cannot be read."};

struct options {
  const char *skills, *queries, *unanswerable, *config, *against, *dump;
  bool json, flat;
  struct cli_list folders;
  struct cli_embed_words embed;
};

struct work {
  struct options options;
  struct cli_embed embed;
  struct eval_set *sets;
  struct eval_report *reports, *others;
  size_t count;
};

static int read_sets(struct work *work, SkillError *err) {
  const struct options *options = &work->options;
  size_t count = options->skills ? 1 : options->folders.count;
  work->sets = skill__calloc(count, sizeof *work->sets);
  work->reports = skill__calloc(count, sizeof *work->reports);
  work->others = skill__calloc(count, sizeof *work->others);
  if (!work->sets || !work->reports || !work->others) return skill_error_set(err, SKILL_ENOMEM, "out of memory");
  if (options->skills) {
    work->count = 1;
    return eval_set_read(&work->sets[0], options->queries, options->skills, options->queries, options->unanswerable,
                         options->flat, err);
  }
  for (size_t i = 0; i < count; i++) {
    int status = eval_set_read_folder(&work->sets[i], options->folders.items[i], options->flat, err);
    if (status) return status;
    work->count = i + 1;
  }
  return 0;
}

static int run_all(struct work *work, SkillError *err) {
  struct eval_config config = {.floor = -1, .embed = work->embed.embedder ? &work->embed : NULL}, other;
  config.ranker = (SkillRankerOptions)SKILL_RANKER_OPTIONS_INIT;
  int status = eval_config_parse(&config, work->options.config, err);
  other = config;
  if (other.ranker.table) other.ranker.table = other.table;
  if (!status) status = eval_config_parse(&other, work->options.against, err);
  FILE *dump = work->options.dump && !status ? fopen(work->options.dump, "w") : NULL;
  if (work->options.dump && !status && !dump)
    status = skill_error_set_at(err, SKILL_EIO, work->options.dump, 0, 0, "cannot be written");
  for (size_t i = 0; i < work->count && !status; i++) {
    status = eval_run(&work->sets[i], &config, dump, &work->reports[i], err);
    if (!status && work->options.against) status = eval_run(&work->sets[i], &other, NULL, &work->others[i], err);
  }
  if (dump && fclose(dump) && !status)
    status = skill_error_set_at(err, SKILL_EIO, work->options.dump, 0, 0, "cannot be written");
  return status;
}

/* --- output ------------------------------------------------------------------------------------------------------- */

static struct eval_report macro(const struct eval_report *reports, size_t count) {
  struct eval_report mean = {.auc = -1, .scorer = count ? reports[0].scorer : ""};
  size_t with_auc = 0;
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    for (size_t f = 0; f < EVAL_FIGURES; f++) mean.mean[f] += reports[i].mean[f] / (double)count;
    mean.tokens_loaded += reports[i].tokens_loaded / (double)count;
    mean.tokens_all += reports[i].tokens_all / (double)count;
    if (reports[i].auc < 0) continue;
    sum += reports[i].auc;
    with_auc++;
  }
  if (with_auc) mean.auc = sum / (double)with_auc;
  return mean;
}

static void json_report(struct skill__buf *buf, const struct eval_report *report, size_t queries) {
  const double *m = report->mean;
  skill__json_add_size(buf, "queries", queries);
  skill__json_add_text(buf, "scorer", report->scorer);
  skill__json_open(buf, "recall", "{");
  SKILL__JSON_REALS(buf, {"1", m[EVAL_R1], 4}, {"3", m[EVAL_R3], 4}, {"5", m[EVAL_R5], 4}, {"10", m[EVAL_R10], 4});
  skill__json_close(buf, "}");
  SKILL__JSON_REALS(buf, {"all5", m[EVAL_ALL5], 4}, {"ndcg10", m[EVAL_NDCG10], 4}, {"mrr", m[EVAL_MRR], 4});
  if (report->auc < 0) skill__json_add_raw(buf, "auc", NULL);
  if (report->auc >= 0) skill__json_add_real(buf, "auc", report->auc, 4);
  skill__json_open(buf, "tokens", "{");
  skill__json_add_text(buf, "tokenizer", "estimate");
  SKILL__JSON_REALS(buf, {"loaded", report->tokens_loaded, 1}, {"all", report->tokens_all, 0});
  skill__json_close(buf, "}");
}

static void json_compare(struct skill__buf *buf, const struct work *work) {
  struct eval_report mean = macro(work->others, work->count);
  skill__json_open(buf, "against", "{");
  json_report(buf, &mean, 0);
  skill__json_open(buf, "difference", "{");
  for (size_t f = 0; f < EVAL_FIGURES; f++) {
    struct eval_interval interval;
    if (eval_compare(work->reports, work->others, work->sets, work->count, (enum eval_figure)f, &interval)) return;
    skill__json_open(buf, eval_figure_names[f], "[");
    SKILL__JSON_REALS(buf, {NULL, interval.difference, 4}, {NULL, interval.low, 4}, {NULL, interval.high, 4});
    skill__json_close(buf, "]");
  }
  skill__json_close(buf, "}}");
}

static int print_json(struct cli *cli, const struct work *work) {
  struct skill__buf buf;
  skill__buf_init(&buf, 1 << 24);
  size_t queries = 0;
  for (size_t i = 0; i < work->count; i++) queries += work->sets[i].query_count;
  struct eval_report mean = macro(work->reports, work->count);
  skill__json_open(&buf, NULL, "{");
  json_report(&buf, &mean, queries);
  if (work->options.against) json_compare(&buf, work);
  if (work->count > 1) {
    skill__json_open(&buf, "sets", "[");
    for (size_t i = 0; i < work->count; i++) {
      skill__json_open(&buf, NULL, "{");
      skill__json_add_text(&buf, "set", work->sets[i].label);
      json_report(&buf, &work->reports[i], work->sets[i].query_count);
      skill__json_close(&buf, "}");
    }
    skill__json_close(&buf, "]");
  }
  skill__json_close(&buf, "}");
  return cli_print_json(cli, &buf);
}

static void print_line(struct cli *cli, const char *label, size_t queries, const struct eval_report *report) {
  size_t length = strlen(label);
  if (length > 22) label += length - 22; /* the end of a path is its most telling part */
  while ((*label & 0xC0) == 0x80) label++;
  fprintf(cli->out, "%-22s %6zu", label, queries);
  for (size_t f = 0; f < EVAL_FIGURES; f++) fprintf(cli->out, "  %.4f", report->mean[f]);
  if (report->auc >= 0)
    fprintf(cli->out, "  %.4f", report->auc);
  else
    fprintf(cli->out, "       -");
  fprintf(cli->out, "  %7.0f %8.0f\n", report->tokens_loaded, report->tokens_all);
}

static int print_text(struct cli *cli, const struct work *work) {
  fprintf(cli->out, "%s%-22s %6s     R@1     R@3     R@5    R@10   all@5 nDCG@10     MRR     AUC  ~loaded     ~all%s\n",
          cli_bold(cli), "set", "query", cli_plain(cli));
  size_t queries = 0;
  for (size_t i = 0; i < work->count; i++) {
    print_line(cli, work->sets[i].label, work->sets[i].query_count, &work->reports[i]);
    queries += work->sets[i].query_count;
  }
  struct eval_report mean = macro(work->reports, work->count), other = macro(work->others, work->count);
  if (work->count > 1) print_line(cli, "mean over sets", queries, &mean);
  fprintf(cli->out, "scorer: %s; tokens are estimates\n", mean.scorer);
  if (!work->options.against) return CLI_DONE;
  print_line(cli, "against", queries, &other);
  for (size_t f = 0; f < EVAL_FIGURES; f++) {
    struct eval_interval interval;
    if (eval_compare(work->reports, work->others, work->sets, work->count, (enum eval_figure)f, &interval))
      return CLI_INTERNAL;
    fprintf(cli->out, "%-10s against - this: %+.4f, 95 %% [%+.4f, %+.4f]\n", eval_figure_names[f], interval.difference,
            interval.low, interval.high);
  }
  return CLI_DONE;
}

static void work_free(struct work *work) {
  for (size_t i = 0; i < work->count; i++) {
    eval_set_free(&work->sets[i]);
    eval_report_free(&work->reports[i]);
    eval_report_free(&work->others[i]);
  }
  skill__free(work->sets);
  skill__free(work->reports);
  skill__free(work->others);
  cli_list_free(&work->options.folders);
  cli_embed_close(&work->embed);
}

static int run(struct cli *cli, struct work *work) {
  const struct options *o = &work->options;
  SkillError err = SKILL_ERROR_INIT;
  int status = cli_embed_open(cli, "eval", &o->embed, &work->embed);
  if (status >= 0) return status;
  if (!o->skills != !o->queries || !o->skills == !o->folders.count) {
    fprintf(cli->err, "skillet eval: give folders, or --skills with --queries\n");
    return CLI_USAGE;
  }
  if (read_sets(work, &err) || run_all(work, &err)) {
    cli_fail(cli, "eval", &err);
    return err.code == SKILL_EINVAL ? CLI_USAGE : CLI_INPUT;
  }
  return o->json ? print_json(cli, work) : print_text(cli, work);
}

int cmd_eval(struct cli *cli, int argc, char **argv) {
  struct work work = {.count = 0};
  struct options *o = &work.options;
  const struct cli_option options[] = {
      {CLI_TEXT, 0, "skills", "FILE", "skills as JSON lines", &o->skills},
      {CLI_TEXT, 0, "queries", "FILE", "labelled queries as JSON lines", &o->queries},
      {CLI_TEXT, 0, "unanswerable", "FILE", "queries that no skill answers", &o->unanswerable},
      {CLI_TEXT, 0, "config", "WORDS", "the configuration instead of the defaults", &o->config},
      {CLI_TEXT, 0, "against", "WORDS", "changes to it; the two are compared by paired bootstrap", &o->against},
      {CLI_TEXT, 0, "dump", "FILE", "write one JSON line for each query", &o->dump},
      {CLI_FLAG, 0, "flat", NULL, "count every relevant skill, not groups of equals", &o->flat},
      {CLI_FLAG, 0, "json", NULL, "print one JSON document", &o->json},
      CLI_EMBED_OPTIONS(o->embed),
  };
  int status = cli_parse(cli, &usage, options, sizeof options / sizeof *options, argc, argv, &o->folders);
  if (status < 0) status = run(cli, &work);
  work_free(&work);
  return status;
}
