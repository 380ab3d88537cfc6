/* SPDX-License-Identifier: MIT
 *
 * Figures of retrieval: recall at k, all relevant in the first five, nDCG@10 with binary gains, reciprocal rank of the
 * first relevant result, area under the curve of abstention; and their paired bootstrap.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/eval/eval.h"
#include "util/alloc.h"
#include "util/json_out.h"
#include "util/random.h"

const char *const eval_figure_names[EVAL_FIGURES] = {"recall@1", "recall@3", "recall@5", "recall@10",
                                                     "all@5",    "ndcg@10",  "mrr"};

static bool has(const SkillStrings *group, const char *name) {
  for (size_t i = 0; i < group->count; i++)
    if (strcmp(group->items[i], name) == 0) return true;
  return false;
}

void eval_measure(const struct eval_query *query, const SkillRanking *ranking, double figure[EVAL_FIGURES]) {
  enum { GROUPS = 256 };
  bool found[GROUPS] = {false};
  size_t groups = query->group_count < GROUPS ? query->group_count : GROUPS, hits = 0;
  memset(figure, 0, EVAL_FIGURES * sizeof *figure);
  double gain = 0, ideal = 0, n = (double)groups;
  for (size_t i = 0; i < EVAL_TOP; i++) {
    for (size_t g = 0; i < ranking->count && g < groups; g++) {
      if (found[g] || !has(&query->groups[g], ranking->results[i]->name)) continue;
      found[g] = true;
      hits++;
      gain += 1 / log2((double)i + 2);
      if (figure[EVAL_MRR] <= 0) figure[EVAL_MRR] = 1 / ((double)i + 1);
      break;
    }
    if (i < groups) ideal += 1 / log2((double)i + 2);
    if (i == 0) figure[EVAL_R1] = (double)hits / n;
    if (i == 2) figure[EVAL_R3] = (double)hits / n;
    if (i == 4) figure[EVAL_R5] = (double)hits / n;
    if (i == 4) figure[EVAL_ALL5] = hits == groups;
  }
  figure[EVAL_R10] = (double)hits / n;
  figure[EVAL_NDCG10] = gain / ideal;
}

/* --- running ------------------------------------------------------------------------------------------------------ */

static void dump_row(FILE *dump, const struct eval_set *set, const struct eval_query *query,
                     const SkillRanking *ranking, const struct eval_row *row) {
  struct skill__buf buf;
  skill__buf_init(&buf, 1 << 24);
  skill__json_open(&buf, NULL, "{");
  skill__json_add_text(&buf, "set", set->label);
  skill__json_add_text(&buf, "id", query->id);
  skill__json_add_text(&buf, "query", query->text);
  skill__json_open(&buf, "relevant", "[");
  for (size_t g = 0; g < query->group_count; g++) skill__json_add_text(&buf, NULL, query->groups[g].items[0]);
  skill__json_close(&buf, "]");
  SKILL__JSON_REALS(&buf, {"recall5", row->figure[EVAL_R5], 4}, {"ndcg10", row->figure[EVAL_NDCG10], 4});
  skill__json_open(&buf, "results", "[");
  for (size_t i = 0; i < ranking->count; i++) {
    const SkillRankResult *result = ranking->results[i];
    skill__json_open(&buf, NULL, "{");
    skill__json_add_text(&buf, "name", result->name);
    SKILL__JSON_REALS(&buf, {"score", result->score, 4}, {"fit", result->fit, 4});
    skill__json_close(&buf, "}");
  }
  skill__json_close(&buf, "]}\n");
  if (!skill__buf_status(&buf)) fwrite(buf.data, 1, buf.length, dump);
  skill__buf_fini(&buf);
}

static int by_name(const void *x, const void *y) {
  return strcmp(((const struct eval_skill *)x)->name, ((const struct eval_skill *)y)->name);
}

struct run {
  const struct eval_set *set;
  const struct eval_config *config;
  SkillRanker *ranker;
  struct eval_skill *costs;
  FILE *dump;
  SkillDense *dense; /* NULL: no embeddings */
  SkillRankSnapshot *snapshot;
};

/* The same name in static memory, because the ranking is freed. */
static const char *lasting(const char *scorer) {
  static const char *const all[] = {"additive",       "bm25f",       "bm25f+table",
                                    "additive+dense", "bm25f+dense", "bm25f+table+dense"};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (strcmp(all[i], scorer) == 0) return all[i];
  return "";
}

static int run_query(const struct run *run, const struct eval_query *query, struct eval_row *row, const char **scorer,
                     SkillError *err) {
  SkillQuery ask = {.size = sizeof(SkillQuery),
                    .text = query->text,
                    .limit = EVAL_TOP,
                    .floor = run->config->floor,
                    .exhaustive = run->config->exhaustive};
  SkillRanking *ranking = NULL;
  int status = run->dense ? skill_dense_rank(run->dense, run->snapshot, &ask, &ranking, err)
                          : skill_ranker_query(run->ranker, &ask, &ranking, err);
  if (status) return status;
  memset(row, 0, sizeof *row);
  if (query->group_count) eval_measure(query, ranking, row->figure);
  for (size_t i = 0; i < ranking->count; i++)
    if (ranking->results[i]->fit > row->fit) row->fit = ranking->results[i]->fit;
  for (size_t i = 0; i < ranking->count && i < EVAL_LOADED; i++) {
    struct eval_skill key = {ranking->results[i]->name, 0};
    const struct eval_skill *cost = bsearch(&key, run->costs, run->set->skill_count, sizeof key, by_name);
    if (cost) row->tokens += cost->tokens;
  }
  *scorer = lasting(ranking->scorer);
  if (run->dump) dump_row(run->dump, run->set, query, ranking, row);
  skill_ranking_free(ranking);
  return 0;
}

/* The chance that an answerable query's best fit is above an unanswerable one's; ties count half. */
static double auc(const struct eval_row *yes, size_t yes_count, const struct eval_row *no, size_t no_count) {
  double wins = 0;
  for (size_t i = 0; i < yes_count; i++)
    for (size_t j = 0; j < no_count; j++) wins += 0.5 * ((yes[i].fit > no[j].fit) + (yes[i].fit >= no[j].fit));
  return no_count ? wins / ((double)yes_count * (double)no_count) : -1;
}

static void summarise(const struct eval_set *set, const struct eval_skill *costs, struct eval_report *report) {
  double n = (double)set->query_count;
  for (size_t f = 0; f < EVAL_FIGURES; f++) {
    report->mean[f] = 0;
    for (size_t i = 0; i < set->query_count; i++) report->mean[f] += report->rows[i].figure[f] / n;
  }
  report->tokens_loaded = report->tokens_all = 0;
  for (size_t i = 0; i < set->query_count; i++) report->tokens_loaded += (double)report->rows[i].tokens / n;
  for (size_t i = 0; i < set->skill_count; i++) report->tokens_all += (double)costs[i].tokens;
}

int eval_run(const struct eval_set *set, const struct eval_config *config, FILE *dump, struct eval_report *report,
             SkillError *err) {
  struct run run = {.set = set, .config = config, .dump = dump};
  struct eval_row *rows = skill__calloc(set->all_count + 1, sizeof *rows);
  run.costs = skill__calloc(set->skill_count + 1, sizeof *run.costs);
  int status = rows && run.costs ? skill_ranker_new(&config->ranker, &run.ranker, err) : SKILL_ENOMEM;
  const struct cli_embed *embed = config->embed && !config->dense_off ? config->embed : NULL;
  if (!status && embed) status = skill_dense_new(embed->embedder, &embed->options, &run.dense, err);
  if (!status) status = eval_set_index(set, run.ranker, run.dense, run.costs, err);
  if (!status && run.dense) status = skill_ranker_snapshot(run.ranker, &run.snapshot);
  if (!status && set->skill_count) qsort(run.costs, set->skill_count, sizeof *run.costs, by_name);
  for (size_t i = 0; i < set->all_count && !status; i++) {
    if (i == set->query_count) run.dump = NULL;
    status = run_query(&run, &set->queries[i], &rows[i], &report->scorer, err);
  }
  if (!status) {
    report->rows = rows;
    rows = NULL;
    summarise(set, run.costs, report);
    report->auc =
        auc(report->rows, set->query_count, report->rows + set->query_count, set->all_count - set->query_count);
  }
  skill_dense_free(run.dense);
  skill_rank_snapshot_release(run.snapshot);
  skill_ranker_free(run.ranker);
  skill__free(run.costs);
  skill__free(rows);
  return status;
}

void eval_report_free(struct eval_report *report) {
  skill__free(report->rows);
  memset(report, 0, sizeof *report);
}

/* --- comparison --------------------------------------------------------------------------------------------------- */

static int by_value(const void *x, const void *y) {
  double a = *(const double *)x, b = *(const double *)y;
  return (a > b) - (a < b);
}

int eval_compare(const struct eval_report *a, const struct eval_report *b, const struct eval_set *sets, size_t count,
                 enum eval_figure figure, struct eval_interval *out) {
  double *samples = skill__calloc(EVAL_SAMPLES, sizeof *samples);
  if (!samples) return SKILL_ENOMEM;
  struct skill__random random = {20261130};
  out->difference = 0;
  for (size_t s = 0; s < count; s++) {
    size_t n = sets[s].query_count;
    out->difference += (b[s].mean[figure] - a[s].mean[figure]) / (double)count;
    for (size_t k = 0; k < EVAL_SAMPLES; k++) {
      double sum = 0;
      for (size_t i = 0; i < n; i++) {
        size_t pick = skill__random_below(&random, n);
        sum += b[s].rows[pick].figure[figure] - a[s].rows[pick].figure[figure];
      }
      samples[k] += sum / (double)n / (double)count;
    }
  }
  qsort(samples, EVAL_SAMPLES, sizeof *samples, by_value);
  out->low = samples[EVAL_SAMPLES / 40];
  out->high = samples[EVAL_SAMPLES - 1 - EVAL_SAMPLES / 40];
  skill__free(samples);
  return 0;
}
