/* SPDX-License-Identifier: MIT
 *
 * skillet find: the skills that fit a request, and why; or why none fits.
 */
#include <string.h>

#include "cli/base/catalog.h"
#include "cli/base/embed.h"
#include "cli/base/saved.h"
#include "cli/commands.h"
#include "util/alloc.h"
#include "util/json_out.h"
#include "util/utf8.h"

static const struct cli_usage usage = {
    "skillet find [OPTIONS] QUERY [DIR…]",
    "Ranks the skills of folders for a request, best first. QUERY is what a person or a model would say. It may "
    "contain\n"
    "\"a phrase\", +required, -excluded, tag:NAME, source:NAME and select:NAME,NAME. Results below the floor are not "
    "shown.\n"
    "The fit, 0 to 1, can be compared between queries and folders; the score cannot. Results are ordered by score, so "
    "a\n"
    "result can fit a little less than the next one. DIR is as for skillet list.\n"
    "\n"
    "--index FILE keeps the index of these folders in FILE and uses it until something in them changes. Without a DIR, "
    "the\n"
    "index is used as it is.\n"
    "\n"
    "  skillet find \"review my pull request\" examples/skills\n"
    "  skillet find --index ~/.cache/skills.idx \"review my pull request\" ~/.claude/skills\n"
    "  skillet find --explain '+pdf merge -excel' ~/.claude/skills\n"
    "\n"
    "Exit status: 0; 1 if nothing fits (the reason is printed); 3 if no DIR can be read."};

struct request {
  const char *query, *scorer, *table, *index, *save_index;
  size_t limit, offset;
  double floor;
  bool json, explain, no_body, exhaustive, plain;
  struct cli_catalog_words words;
  struct cli_embed_words embed;
};

static int set_ranker(struct cli *cli, const struct request *request, SkillRankerOptions *ranker) {
  *ranker = (SkillRankerOptions)SKILL_RANKER_OPTIONS_INIT;
  ranker->table = request->table;
  ranker->ignore_body = request->no_body;
  if (!request->scorer || strcmp(request->scorer, "bm25f") == 0) return -1;
  if (strcmp(request->scorer, "additive")) {
    fprintf(cli->err, "skillet find: there is no scorer '%s': bm25f or additive\n", request->scorer);
    return CLI_USAGE;
  }
  ranker->scorer = SKILL_SCORER_ADDITIVE;
  return -1;
}

/* --- output ------------------------------------------------------------------------------------------------------- */

static void json_result(struct skill__buf *buf, const SkillRankResult *result) {
  skill__json_open(buf, NULL, "{");
  skill__json_add_text(buf, "name", result->name);
  skill__json_addf(buf, "score", "%.6g", result->score);
  skill__json_add_real(buf, "fit", result->fit, 4);
  skill__json_add_text(buf, "source", result->source);
  skill__json_open(buf, "terms", "[");
  for (size_t t = 0; t < result->term_count; t++) {
    skill__json_open(buf, NULL, "{");
    skill__json_add_text(buf, "term", result->terms[t]->term);
    skill__json_add_text(buf, "field", result->terms[t]->field);
    skill__json_addf(buf, "score", "%.6g", result->terms[t]->score);
    skill__json_close(buf, "}");
  }
  skill__json_close(buf, "]}");
}

static int print_json(struct cli *cli, const struct request *request, const SkillRanking *ranking) {
  struct skill__buf buf;
  skill__buf_init(&buf, SIZE_MAX / 4);
  skill__json_open(&buf, NULL, "{");
  skill__json_add_text(&buf, "query", request->query);
  skill__json_open(&buf, "results", "[");
  for (size_t i = 0; i < ranking->count; i++) json_result(&buf, ranking->results[i]);
  skill__json_close(&buf, "]");
  SKILL__JSON_SIZES(&buf, {"matched", ranking->matched}, {"searched", ranking->searched});
  skill__json_add_text(&buf, "scorer", ranking->scorer);
  skill__json_add_text(&buf, "reason", ranking->reason);
  skill__json_close(&buf, "}");
  return cli_print_json(cli, &buf);
}

/* "   2.41  pull  description" for the largest shares of the score; the others as a count. */
static void print_shares(struct cli *cli, const SkillRankResult *result) {
  enum { SHOWN = 12 };
  for (size_t t = 0; t < result->term_count && t < SHOWN; t++) {
    const SkillRankTerm *term = result->terms[t];
    fprintf(cli->out, "  %s%8.3f%s  ", cli_green(cli), term->score, cli_plain(cli));
    size_t used = cli_cut(cli, term->term[0] ? term->term : "(whole request)", 28);
    fprintf(cli->out, "%*s  %s%s%s\n", (int)(28 - used), "", cli_dim(cli), term->field, cli_plain(cli));
  }
  if (result->term_count > SHOWN) fprintf(cli->out, "            and %zu smaller\n", result->term_count - SHOWN);
}

/* Where to search: a catalogue or a saved index; the other is NULL. */
struct target {
  SkillRegistry *registry;
  struct cli_embed *embed;
  const struct cli_saved *saved;
  SkillRanker *ranker;
};

static void print_description(struct cli *cli, const struct target *target, const char *name, size_t columns) {
  const Skill *skill = target->registry ? skill_registry_find(target->registry, name) : NULL;
  size_t length = 0;
  const char *kept = target->saved ? cli_saved_description(target->saved, name, &length) : NULL;
  char *copy = kept ? skill__strndup(kept, length) : NULL;
  const char *description = skill ? skill_metadata(skill)->description : copy;
  if (description) cli_cut(cli, description, columns);
  skill__free(copy);
}

/* Lines are cut to the width of a terminal, and whole elsewhere. */
static void print_result(struct cli *cli, const struct target *target, const SkillRankResult *result, size_t widest) {
  size_t room = cli->columns > widest + 8 ? cli->columns - widest - 8 : 0;
  fprintf(cli->out, "%s%.2f%s  ", cli_dim(cli), result->fit, cli_plain(cli));
  cli_name(cli, result->name, widest);
  fputs("  ", cli->out);
  if (!cli->terminal) room = SIZE_MAX;
  if (room) print_description(cli, target, result->name, room);
  fputc('\n', cli->out);
}

static void print_text(struct cli *cli, const struct request *request, const struct target *target,
                       const SkillRanking *ranking) {
  size_t widest = 0, most = cli->columns / 3 > 40 ? 40 : cli->columns / 3;
  for (size_t i = 0; i < ranking->count; i++) {
    size_t columns = skill__utf8_columns(ranking->results[i]->name, strlen(ranking->results[i]->name));
    if (columns > widest) widest = columns;
  }
  if (widest > most) widest = most;
  for (size_t i = 0; i < ranking->count; i++) {
    const SkillRankResult *result = ranking->results[i];
    print_result(cli, target, result, widest);
    if (request->explain) print_shares(cli, result);
  }
  if (ranking->count == 0) {
    fputs("Nothing fits: ", cli->out);
    cli_cut(cli, ranking->reason, SIZE_MAX);
    fputs(".\n", cli->out);
  }
  if (ranking->count && (ranking->reason[0] || request->explain)) {
    fprintf(cli->out, "\n%s%s%s%s%s%s\n", cli_dim(cli), ranking->reason,
            ranking->reason[0] && request->explain ? "; " : "", request->explain ? "scorer " : "",
            request->explain ? ranking->scorer : "", cli_plain(cli));
  }
  if (request->explain) fprintf(cli->out, "%s%s%s\n", cli_dim(cli), skill_ranker_note(target->ranker), cli_plain(cli));
}

/* Ranks by the registry and its embedder, or by a ranker alone, and prints. */
static int search(struct cli *cli, const struct request *request, const struct target *target) {
  SkillError err = SKILL_ERROR_INIT;
  SkillRanking *ranking = NULL;
  SkillQuery query = {.size = sizeof(SkillQuery),
                      .text = request->query,
                      .limit = request->limit,
                      .offset = request->offset,
                      .floor = request->floor,
                      .grammar = !request->plain,
                      .exhaustive = request->exhaustive,
                      .explain = request->explain || request->json};
  if (target->registry ? cli_embed_rank(target->embed, target->registry, &query, &ranking, &err)
                       : skill_ranker_query(target->ranker, &query, &ranking, &err)) {
    cli_fail(cli, "find", &err);
    return err.code == SKILL_EINVAL || err.code == SKILL_ELIMIT ? CLI_USAGE : CLI_INTERNAL;
  }
  int status = CLI_DONE;
  if (request->table && *request->table && !strstr(ranking->scorer, "+table") && !request->explain)
    fprintf(cli->err, "skillet find: %s: %s\n", request->table, skill_ranker_note(target->ranker));
  if (request->json)
    status = print_json(cli, request, ranking);
  else
    print_text(cli, request, target, ranking);
  if (status == CLI_DONE && ranking->count == 0) status = CLI_NO;
  skill_ranking_free(ranking);
  return status;
}

/* Searches the saved index. -1 if it must be made first; that needs folders. */
static int search_saved(struct cli *cli, const struct request *request, const SkillRankerOptions *options,
                        uint64_t stamp) {
  SkillError err = SKILL_ERROR_INIT;
  struct cli_saved saved;
  int status = cli_saved_open(options, request->index, stamp, &saved, &err);
  if (status && stamp && (err.code == SKILL_ENOENT || err.code == SKILL_EPARSE)) return -1;
  if (status && err.code == SKILL_ENOENT) {
    fprintf(cli->err, "skillet find: there is no index %s; name the folders to make it from\n", request->index);
    return CLI_INPUT;
  }
  if (status) return cli_fail(cli, "find", &err);
  const struct target target = {.saved = &saved, .ranker = saved.ranker};
  status = search(cli, request, &target);
  cli_saved_close(&saved);
  return status;
}

/* Reads the folders, saves their index if wanted, and searches it. */
static int search_folders(struct cli *cli, const struct request *request, const struct cli_list *dirs,
                          const struct cli_catalog_options *options, struct cli_embed *embed, uint64_t stamp) {
  SkillError err = SKILL_ERROR_INIT;
  struct cli_catalog catalog;
  int status = cli_catalog_open(cli, "find", dirs, options, &catalog);
  if (status != -1) return status;
  const char *path = request->save_index ? request->save_index : request->index;
  if (path && cli_saved_write(catalog.registry, path, stamp, &err)) {
    status = cli_fail(cli, "find", &err);
  } else {
    const struct target target = {
        .registry = catalog.registry, .embed = embed, .ranker = skill_registry_ranker(catalog.registry)};
    status = search(cli, request, &target);
  }
  cli_catalog_close(&catalog);
  return status;
}

static int run(struct cli *cli, struct request *request, const struct cli_list *words) {
  if (words->count == 0) {
    fprintf(cli->err, "skillet find: QUERY is missing; skillet find QUERY [DIR…]\n");
    return CLI_USAGE;
  }
  if (words->count == 1 && !request->index && cli_catalog_is_place(words->items[0])) {
    fprintf(cli->err, "skillet find: QUERY is missing: '%s' is a folder or file; skillet find QUERY [DIR…]\n",
            words->items[0]);
    return CLI_USAGE;
  }
  SkillRankerOptions ranker;
  struct cli_catalog_options options = {.ranker = &ranker, .ignore_body = request->no_body};
  struct cli_list dirs = {words->items + 1, words->count - 1, 0};
  struct cli_embed embed = {0};
  bool keep = request->index || request->save_index;
  uint64_t stamp = keep && dirs.count ? cli_saved_stamp(&dirs, &request->words) : 0;
  request->query = words->items[0];
  int status = set_ranker(cli, request, &ranker);
  if (status == -1) status = cli_catalog_words(cli, "find", &request->words, &options);
  if (status == -1) status = cli_embed_open(cli, "find", &request->embed, &embed);
  if (status == -1 && request->index && !embed.embedder) status = search_saved(cli, request, &ranker, stamp);
  if (status == -1) status = search_folders(cli, request, &dirs, &options, &embed, stamp);
  cli_embed_close(&embed);
  return status;
}

int cmd_find(struct cli *cli, int argc, char **argv) {
  struct request request = {.limit = 10};
  struct cli_list words = {0};
  const struct cli_option options[] = {
      {CLI_SIZE, 'n', "limit", "N", "print at most N results", &request.limit},
      {CLI_SIZE, 0, "offset", "N", "skip the first N results", &request.offset},
      {CLI_FLAG, 'e', "explain", NULL, "show where each score comes from", &request.explain},
      {CLI_FLAG, 'j', "json", NULL, "print one JSON document", &request.json},
      {CLI_REAL, 0, "floor", "F", "least fit, 0 to 1 (default 0.30); negative: no floor", &request.floor},
      {CLI_TEXT, 0, "scorer", "NAME", "bm25f (default) or additive", &request.scorer},
      {CLI_TEXT, 0, "table", "FILE", "the learned table; '' for none", &request.table},
      {CLI_TEXT, 0, "save-index", "FILE", "also write the index to FILE", &request.save_index},
      {CLI_TEXT, 0, "index", "FILE", "keep the index in FILE and use it until the folders change", &request.index},
      {CLI_FLAG, 0, "no-body", NULL, "do not search the bodies", &request.no_body},
      {CLI_FLAG, 0, "plain", NULL, "QUERY is plain words, without search syntax", &request.plain},
      {CLI_FLAG, 0, "exhaustive", NULL, "score every skill instead of candidates", &request.exhaustive},
      CLI_CATALOG_OPTIONS(request.words),
      CLI_EMBED_OPTIONS(request.embed),
  };
  int status = cli_parse(cli, &usage, options, sizeof options / sizeof *options, argc, argv, &words);
  if (status == -1) status = run(cli, &request, &words);
  cli_list_free(&words);
  return status;
}
