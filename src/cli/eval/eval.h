/* SPDX-License-Identifier: MIT
 *
 * The parts of skillet eval: labelled sets, a configuration of the ranker, and figures.
 */
#ifndef SKILL_CLI_EVAL_H
#define SKILL_CLI_EVAL_H

#include "cli/base/cli.h"
#include "cli/base/embed.h"
#include "util/arena.h"

enum {
  EVAL_TOP = 10,       /* results asked for */
  EVAL_LOADED = 3,     /* skills that would be loaded for a query */
  EVAL_SAMPLES = 2000, /* of the bootstrap */
  EVAL_LINE_MAX = 8 << 20
};

/* A query and the skills that answer it: one name of each group is needed. */
struct eval_query {
  const char *id, *text;
  SkillStrings *groups;
  size_t group_count; /* 0: no skill answers it */
};

struct eval_skill {
  const char *name;
  size_t tokens; /* of its tools and description */
};

struct eval_set {
  const char *label;
  struct skill__arena arena;
  struct cJSON **skills; /* owned */
  size_t skill_count, skill_capacity;
  struct eval_query *queries;
  size_t query_count; /* those that a skill answers; the others follow them */
  size_t all_count, query_capacity;
};

/* Reads one set. `unanswerable` may be NULL. `flat`: use the list of relevant skills, not groups of equals. */
int eval_set_read(struct eval_set *set, const char *label, const char *skills, const char *queries,
                  const char *unanswerable, bool flat, SkillError *err);
/* The same for a folder with skills.jsonl, queries.dev.jsonl (or queries.jsonl), queries.unanswerable.jsonl. */
int eval_set_read_folder(struct eval_set *set, const char *folder, bool flat, SkillError *err);
void eval_set_free(struct eval_set *set);

/* Adds the set's skills to the ranker and to `dense` (may be NULL), and the cost of each to `costs` (may be NULL; has
 * skill_count items). */
int eval_set_index(const struct eval_set *set, SkillRanker *ranker, SkillDense *dense, struct eval_skill *costs,
                   SkillError *err);

/* How to rank: "key=value", separated by commas or blanks; see skillet eval --help. */
struct eval_config {
  SkillRankerOptions ranker;
  bool exhaustive;
  double floor; /* negative: none */
  char table[1024];
  const struct cli_embed *embed; /* NULL: no embeddings */
  bool dense_off;
};
int eval_config_parse(struct eval_config *config, const char *text, SkillError *err);

enum eval_figure { EVAL_R1, EVAL_R3, EVAL_R5, EVAL_R10, EVAL_ALL5, EVAL_NDCG10, EVAL_MRR, EVAL_FIGURES };
extern const char *const eval_figure_names[EVAL_FIGURES];

struct eval_row {
  double figure[EVAL_FIGURES];
  double fit; /* of the best result; 0: no result */
  size_t tokens;
};

struct eval_report {
  struct eval_row *rows; /* of each query */
  double mean[EVAL_FIGURES];
  double auc; /* negative: no unanswerable queries */
  double tokens_loaded, tokens_all;
  const char *scorer;
};

/* Ranks every query. `dump` (may be NULL) receives a JSON line for each. Release with eval_report_free. */
int eval_run(const struct eval_set *set, const struct eval_config *config, FILE *dump, struct eval_report *report,
             SkillError *err);
void eval_report_free(struct eval_report *report);

/* The figures of one ranking. */
void eval_measure(const struct eval_query *query, const SkillRanking *ranking, double figure[EVAL_FIGURES]);

/* 95 % interval of the difference b - a of the macro mean, by resampling queries within each set. */
struct eval_interval {
  double difference, low, high;
};
int eval_compare(const struct eval_report *a, const struct eval_report *b, const struct eval_set *sets, size_t count,
                 enum eval_figure figure, struct eval_interval *out);

#endif
