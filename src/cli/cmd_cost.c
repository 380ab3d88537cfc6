/* SPDX-License-Identifier: MIT
 *
 * skillet cost: what skills cost in tokens, the listing at several budgets, and whether skillet saves tokens.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/base/catalog.h"
#include "cli/base/tokens.h"
#include "cli/commands.h"
#include "context/listing.h"
#include "measure/cost.h"
#include "util/alloc.h"
#include "util/json_out.h"

static const struct cli_usage usage = {
    "skillet cost [OPTIONS] [DIR…]",
    "Counts the tokens of skills: L1, the line in the listing, which is in every request; L2, the body and the tools, "
    "once\n"
    "the skill is opened; L3, its text files, when they are read. Then it shows the listing at several budgets, what "
    "that\n"
    "leaves out, and a comparison with sending everything in every request.\n"
    "\n"
    "  skillet cost ~/.claude/skills             your own skills\n"
    "  skillet cost --budget 4000 --all servers/ every skill, and how a listing of 4,000 tokens shows it\n"
    "\n"
    "Exit status: 0; 1 if there is no skill; 3 if no DIR can be read."};

static const size_t usual_budgets[] = {250, 500, 1000, 2000, 4000, 8000, 16000, 0};
enum { BUDGETS = sizeof usual_budgets / sizeof *usual_budgets, TOP = 15 };

struct options {
  bool json, all, quick;
  size_t budget, max_active;
  const char *tokenizer;
  struct cli_catalog_words words;
  struct cli_list dirs;
};

struct work {
  struct cli *cli;
  struct options options;
  struct cli_tokenizer tokenizer;
  struct cli_catalog catalog;
  struct skill__cost cost;
};

static void progress(size_t done, size_t total, void *user) {
  struct work *work = user;
  cli_progress(work->cli, "skillet cost: skills counted", done, total);
}

static int measure(struct work *work, SkillError *err) {
  size_t budgets[BUDGETS + 1];
  size_t count = 0;
  bool given = false;
  for (size_t i = 0; i < BUDGETS; i++) {
    size_t next = usual_budgets[i];
    bool here = !given && (next == 0 || work->options.budget <= next) && work->options.budget;
    if (here && work->options.budget != next) budgets[count++] = work->options.budget;
    given = given || here;
    budgets[count++] = next;
  }
  struct skill__cost_options options = {.tokenizer = work->tokenizer.use,
                                        .budgets = budgets,
                                        .budget_count = count,
                                        .budget = work->options.budget,
                                        .max_active = work->options.max_active,
                                        .resources = !work->options.quick,
                                        .progress = progress,
                                        .user = work};
  return skill__cost_measure(work->catalog.registry, &options, &work->cost, err);
}

/* --- JSON --------------------------------------------------------------------------------------------------------- */

static void json_listing(struct skill__buf *buf, const char *key, const struct skill__cost_listing *l) {
  skill__json_open(buf, key, "{");
  SKILL__JSON_SIZES(buf, {"budget", l->budget}, {"tokens", l->tokens}, {"shown", l->shown}, {"hidden", l->hidden},
                    {"chars", l->chars});
}

static void json_listings(struct skill__buf *buf, const struct skill__cost *cost) {
  json_listing(buf, "listing", &cost->listings[cost->chosen]);
  skill__json_open(buf, "left_out", "[");
  for (size_t i = 0; i < cost->count; i++) {
    if (cost->states[i] == SKILL__LISTING_HIDDEN) skill__json_add_text(buf, NULL, cost->skills[i].name);
  }
  skill__json_close(buf, "]");
  skill__json_open(buf, "budgets", "[");
  for (size_t i = 0; i < cost->listing_count; i++) {
    json_listing(buf, NULL, &cost->listings[i]);
    skill__json_close(buf, "}");
  }
  skill__json_close(buf, "]}");
}

static void json_verdict(struct skill__buf *buf, const struct skill__cost_verdict *v) {
  skill__json_open(buf, "per_turn", "{");
  SKILL__JSON_SIZES(buf, {"everything", v->everything}, {"listing", v->listing}, {"meta_tools", v->meta_tools},
                    {"active", v->active}, {"disclosed", v->disclosed});
  skill__json_close(buf, "}");
  skill__json_add_size(buf, "per_open", v->per_open);
  skill__json_add_real(buf, "open_at_par", v->open_at_par, 2);
  skill__json_add_bool(buf, "saves", v->saves);
}

static int print_json(struct work *work) {
  const struct skill__cost *cost = &work->cost;
  struct skill__buf buf;
  skill__buf_init(&buf, (size_t)1 << 30);
  skill__json_open(&buf, NULL, "{");
  skill__json_add_text(&buf, "tokenizer", work->tokenizer.use->name);
  skill__json_add_bool(&buf, "exact", work->tokenizer.use->exact);
  skill__json_open(&buf, "skills", "[");
  for (size_t i = 0; i < cost->count; i++) {
    const struct skill__cost_skill *s = &cost->skills[i];
    skill__json_open(&buf, NULL, "{");
    skill__json_add_text(&buf, "name", s->name);
    SKILL__JSON_SIZES(&buf, {"l1", s->l1}, {"l2", s->l2}, {"l3", s->l3}, {"body", s->body}, {"tools", s->tools},
                      {"tool_count", s->tool_count}, {"instructions", s->instructions});
    skill__json_close(&buf, "}");
  }
  skill__json_close(&buf, "]");
  skill__json_open(&buf, "total", "{");
  SKILL__JSON_SIZES(&buf, {"l1", cost->l1}, {"l2", cost->l2}, {"l3", cost->l3});
  skill__json_close(&buf, "}");
  json_listings(&buf, cost);
  json_verdict(&buf, &cost->verdict);
  skill__json_close(&buf, "}");
  return cli_print_json(work->cli, &buf);
}

/* --- text --------------------------------------------------------------------------------------------------------- */

static const char *const state_words[] = {[SKILL__LISTING_ABSENT] = "not listed",
                                          [SKILL__LISTING_HIDDEN] = "left out",
                                          [SKILL__LISTING_NAME] = "name only",
                                          [SKILL__LISTING_SHORTENED] = "shortened",
                                          [SKILL__LISTING_WHOLE] = ""};

static int by_l2(const void *a, const void *b) {
  const struct skill__cost_skill *x = *(const struct skill__cost_skill *const *)a;
  const struct skill__cost_skill *y = *(const struct skill__cost_skill *const *)b;
  if (x->l2 != y->l2) return x->l2 > y->l2 ? -1 : 1;
  return strcmp(x->name, y->name);
}

static void print_skill(const struct work *work, const struct skill__cost_skill *s, double most) {
  char a[CLI_COUNT_SIZE], b[CLI_COUNT_SIZE], c[CLI_COUNT_SIZE];
  const SkillTokenizer *t = work->tokenizer.use;
  const struct cli *cli = work->cli;
  size_t used = cli_cut(cli, s->name, 34);
  fprintf(cli->out, "%*s %8s %9s %9s  ", (int)(34 - used), "", cli_count(a, (double)s->l1, t),
          cli_count(b, (double)s->l2, t), cli_count(c, (double)s->l3, t));
  cli_bar(cli, (double)s->l2, most, 14);
  unsigned char state = work->cost.states[s - work->cost.skills];
  fprintf(cli->out, "%s%s%s%s\n", *state_words[state] ? "  " : "", cli_dim(cli), state_words[state], cli_plain(cli));
}

static int print_skills(const struct work *work) {
  const struct skill__cost *cost = &work->cost;
  size_t shown = work->options.all || cost->count <= TOP ? cost->count : TOP;
  const struct skill__cost_skill **order = skill__calloc(cost->count + 1, sizeof *order);
  if (!order) return CLI_INTERNAL;
  for (size_t i = 0; i < cost->count; i++) order[i] = &cost->skills[i];
  qsort(order, cost->count, sizeof *order, by_l2);
  FILE *out = work->cli->out;
  fprintf(out, "%s%-34s %8s %9s %9s%s\n", cli_bold(work->cli), "skill", "L1", "L2", "L3", cli_plain(work->cli));
  for (size_t i = 0; i < shown; i++) print_skill(work, order[i], (double)order[0]->l2);
  if (shown < cost->count) fprintf(out, "… and %zu smaller skills (--all prints them)\n", cost->count - shown);
  char a[CLI_COUNT_SIZE], b[CLI_COUNT_SIZE], c[CLI_COUNT_SIZE];
  const SkillTokenizer *t = work->tokenizer.use;
  fprintf(out, "%s%-34s %8s %9s %9s%s\n\n", cli_bold(work->cli), "all", cli_count(a, (double)cost->l1, t),
          cli_count(b, (double)cost->l2, t), cli_count(c, (double)cost->l3, t), cli_plain(work->cli));
  skill__free(order);
  return CLI_DONE;
}

static void print_listings(const struct work *work) {
  const struct skill__cost *cost = &work->cost;
  const struct cli *cli = work->cli;
  char a[CLI_COUNT_SIZE], b[CLI_COUNT_SIZE];
  fprintf(cli->out, "%slisting at budget    tokens    shown  left out  descriptions%s\n", cli_bold(cli),
          cli_plain(cli));
  for (size_t i = 0; i < cost->listing_count; i++) {
    const struct skill__cost_listing *l = &cost->listings[i];
    char cut[48];
    if (!l->chars) {
      snprintf(cut, sizeof cut, l->shown ? "names only" : "none");
    } else {
      snprintf(cut, sizeof cut, l->chars == SKILL__LISTING_MAX_CHARS ? "whole" : "%zu characters", l->chars);
    }
    fprintf(cli->out, "%17s%s %9s %8zu %9zu  %s\n", l->budget ? cli_count(a, (double)l->budget, NULL) : "none",
            i == cost->chosen ? "*" : " ", cli_count(b, (double)l->tokens, work->tokenizer.use), l->shown, l->hidden,
            cut);
  }
  fprintf(cli->out, "* the budget used below (--budget)\n\n");
}

static void print_line(const struct work *work, const char *label, double tokens) {
  char a[CLI_COUNT_SIZE];
  fprintf(work->cli->out, "  %-44s %11s\n", label, cli_count(a, tokens, work->tokenizer.use));
}

static void print_verdict(const struct work *work) {
  const struct skill__cost *cost = &work->cost;
  const struct skill__cost_verdict *v = &cost->verdict;
  const struct cli *cli = work->cli;
  size_t active = work->options.max_active < cost->count ? work->options.max_active : cost->count;
  char label[80];
  fprintf(cli->out, "%seach request carries%s\n", cli_bold(cli), cli_plain(cli));
  print_line(work, "everything at once: all of L2", (double)v->everything);
  snprintf(label, sizeof label, "skillet: listing + meta-tools + %zu open", active);
  print_line(work, label, (double)v->disclosed);
  snprintf(label, sizeof label, "of these the listing");
  print_line(work, label, (double)v->listing);
  print_line(work, "of these the meta-tools", (double)v->meta_tools);
  print_line(work, "one skill_open adds, beside the skill itself", (double)v->per_open);
  fputc('\n', cli->out);
  if (!v->saves) {
    fprintf(
        cli->out,
        "%sskillet saves you nothing here:%s all these skills together cost less than a listing, the meta-tools and\n"
        "%zu open skills do. Send them all.\n",
        cli_yellow(cli), cli_plain(cli), active);
    return;
  }
  double saved = 100.0 * (1 - (double)v->disclosed / (double)v->everything);
  fprintf(cli->out,
          "%sskillet saves %.*f %% of each request%s; it would break even with %.1f skills of mean size open.\n",
          cli_green(cli), saved >= 99.9 ? 2 : 1, saved, cli_plain(cli), v->open_at_par);
}

static int print_text(struct work *work) {
  const struct skill__cost *cost = &work->cost;
  const SkillTokenizer *t = work->tokenizer.use;
  fprintf(work->cli->out, "%zu skill%s, %zu tool%s; tokens by %s%s\n\n", cost->count, cost->count == 1 ? "" : "s",
          cost->tool_count, cost->tool_count == 1 ? "" : "s", t->name, t->exact ? "" : " (~ marks estimates)");
  if (!cost->count) return CLI_NO;
  int status = print_skills(work);
  if (status != CLI_DONE) return status;
  print_listings(work);
  print_verdict(work);
  return CLI_DONE;
}

/* --- the command -------------------------------------------------------------------------------------------------- */

static int run(struct work *work) {
  SkillError err = SKILL_ERROR_INIT;
  struct cli_catalog_options options = {.ignore_body = true};
  int status = cli_catalog_words(work->cli, "cost", &work->options.words, &options);
  if (status < 0) status = cli_catalog_open(work->cli, "cost", &work->options.dirs, &options, &work->catalog);
  if (status >= 0) return status;
  status = cli_tokenizer_open(work->cli, "cost", work->options.tokenizer, true, &work->tokenizer);
  if (status < 0) {
    if (measure(work, &err)) {
      status = cli_fail(work->cli, "cost", &err);
    } else {
      status = work->options.json ? print_json(work) : print_text(work);
    }
    cli_tokenizer_close(&work->tokenizer);
    skill__cost_free(&work->cost);
  }
  cli_catalog_close(&work->catalog);
  return status;
}

int cmd_cost(struct cli *cli, int argc, char **argv) {
  struct work work = {.cli = cli, .options = {.budget = 2000, .max_active = 3}};
  struct options *o = &work.options;
  const struct cli_option options[] = {
      {CLI_SIZE, 'b', "budget", "TOKENS", "size of the listing; 0: no limit", &o->budget},
      {CLI_SIZE, 0, "max-active", "N", "skills that are open at a time, for the comparison", &o->max_active},
      {CLI_TEXT, 't', "tokenizer", "NAME", "o200k_base (default), cl100k_base or estimate", &o->tokenizer},
      {CLI_FLAG, 'a', "all", NULL, "print every skill, not only the largest", &o->all},
      {CLI_FLAG, 'q', "quick", NULL, "do not read resources; L3 is 0", &o->quick},
      {CLI_FLAG, 'j', "json", NULL, "print one JSON document", &o->json},
      CLI_CATALOG_OPTIONS(o->words)};
  int status = cli_parse(cli, &usage, options, sizeof options / sizeof *options, argc, argv, &o->dirs);
  if (status < 0) status = run(&work);
  cli_list_free(&o->dirs);
  return status;
}
