/* SPDX-License-Identifier: MIT
 *
 * Why skills are active: the outcome for each candidate of the last ranking, and the words that contributed most. The
 * text is a convenience: when memory is out it is dropped, and nothing else happens.
 */
#include <string.h>

#include "agent/internal.h"
#include "util/alloc.h"
#include "util/buf.h"

enum { TERMS_SHOWN = 4, TEXT_MAX = 64 * 1024 };

/* Ranks the last request again, with an explanation; NULL on failure. */
static SkillRanking *explained(SkillAgent *agent) {
  SkillQuery query = SKILL_QUERY_INIT;
  query.text = agent->turn.asked;
  query.limit = 50;
  query.explain = true;
  SkillRanking *ranking = NULL;
  if (!query.text || !agent->loader) return NULL;
  SkillRanker *ranker = skill_registry_ranker(skill_loader_registry(agent->loader));
  return skill_ranker_query(ranker, &query, &ranking, NULL) ? NULL : ranking;
}

static const SkillRankResult *result_of(const SkillRanking *ranking, const char *name) {
  for (size_t i = 0; ranking && i < ranking->count; i++)
    if (strcmp(ranking->results[i]->name, name) == 0) return ranking->results[i];
  return NULL;
}

/* The terms that contributed most, which are the first ones. */
static void add_terms(struct skill__buf *buf, const SkillRankResult *result) {
  for (size_t i = 0; i < result->term_count && i < TERMS_SHOWN; i++) {
    const SkillRankTerm *term = result->terms[i];
    skill__buf_text(buf, i ? ", " : "; ");
    if (*term->term) skill__buf_printf(buf, "%s in ", term->term);
    skill__buf_printf(buf, "%s %.1f", term->field, term->score);
  }
}

void skill__agent_keep(char **text, struct skill__buf *buf) {
  skill__free(*text);
  *text = NULL;
  (void)skill__buf_finish(buf, text, NULL);
}

void skill__agent_remember(SkillAgent *agent, const SkillActivation *result) {
  struct skill__buf buf;
  skill__buf_init(&buf, TEXT_MAX);
  SkillRanking *ranking = result->count ? explained(agent) : NULL;
  for (size_t i = 0; i < result->count; i++) {
    const SkillActivationItem *item = result->items[i];
    const SkillRankResult *found = result_of(ranking, item->name);
    skill__buf_printf(&buf, "%s  score %.1f, %s", item->name, item->score, item->hit ? "was active" : item->reason);
    if (found) skill__buf_printf(&buf, ", fit %.2f", found->fit);
    if (found) add_terms(&buf, found);
    skill__buf_char(&buf, '\n');
  }
  for (size_t i = 0; i < result->evicted_count; i++)
    skill__buf_printf(&buf, "%s  evicted to make room\n", result->evicted[i]);
  if (!result->count) skill__buf_printf(&buf, "nothing was activated: %s\n", result->reason ? result->reason : "");
  skill_ranking_free(ranking);
  skill__agent_keep(&agent->last_ranking, &buf);
}

/* Searches add up until the next request. */
void skill__agent_remember_search(SkillAgent *agent, const char *query, const SkillRanking *ranking) {
  struct skill__buf buf;
  skill__buf_init(&buf, TEXT_MAX);
  skill__buf_text(&buf, agent->last_searches);
  skill__buf_printf(&buf, "searched for \"%.200s\"\n", query);
  for (size_t i = 0; i < ranking->count; i++) {
    const SkillRankResult *result = ranking->results[i];
    skill__buf_printf(&buf, "  %s  score %.1f, fit %.2f", result->name, result->score, result->fit);
    add_terms(&buf, result);
    skill__buf_char(&buf, '\n');
  }
  if (!ranking->count) skill__buf_printf(&buf, "  nothing: %s\n", ranking->reason);
  skill__agent_keep(&agent->last_searches, &buf);
}

int skill_agent_why(SkillAgent *agent, char **text) {
  struct skill__buf buf;
  skill__buf_init(&buf, 3 * TEXT_MAX);
  skill__buf_text(&buf, agent->last_ranking);
  skill__buf_text(&buf, agent->last_searches);
  skill__buf_text(&buf, agent->last_passages);
  if (!buf.length) skill__buf_text(&buf, "no request was ranked yet\n");
  return skill__buf_finish(&buf, text, NULL);
}
