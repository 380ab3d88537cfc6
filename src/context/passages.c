/* SPDX-License-Identifier: MIT
 *
 * Shortens a text to a token budget: its sections are ranked for the request as skills are, and the best are kept in
 * their order. If not even one section fits, the beginning is kept. Fails only when memory is out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context/sections.h"
#include "skillet/context.h"
#include "skillet/rank.h"
#include "util/alloc.h"
#include "util/buf.h"
#include "util/utf8.h"

enum {
  NOTE_TOKENS = 40 /* for the note on what is left out */
};

struct cutting {
  const char *text;
  size_t length;
  struct skill__sections sections;
  SkillTokenizer *tokenizer;
  bool *chosen; /* of each section */
};

static size_t tokens_of(const struct cutting *cutting, size_t index) {
  const struct skill__section *section = &cutting->sections.items[index];
  return 4 + skill_tokens_count(cutting->tokenizer, cutting->text + section->from, section->to - section->from);
}

/* --- choosing -------------------------------------------------------------------------------------------------- */

static int index_sections(const struct cutting *cutting, SkillRanker *ranker) {
  for (size_t i = 0; i < cutting->sections.count; i++) {
    const struct skill__section *section = &cutting->sections.items[i];
    char name[32];
    snprintf(name, sizeof name, "%zu", i);
    SkillMetadata metadata = {.name = name, .description = "-"};
    int status = skill_ranker_add(ranker, &metadata, cutting->text + section->from, section->to - section->from, NULL);
    if (status) return status;
  }
  return 0;
}

static int rank_sections(const struct cutting *cutting, const char *query, SkillRanking **out) {
  SkillRankerOptions options = SKILL_RANKER_OPTIONS_INIT;
  SkillRanker *ranker = NULL;
  options.table = "";
  int status = skill_ranker_new(&options, &ranker, NULL);
  if (!status) status = index_sections(cutting, ranker);
  SkillQuery asked = {.size = sizeof(SkillQuery), .text = query, .limit = cutting->sections.count, .floor = -1};
  if (!status) status = skill_ranker_query(ranker, &asked, out, NULL);
  skill_ranker_free(ranker);
  return status;
}

/* Chooses what fits, in order of rank, then in order of the text. */
static size_t choose(struct cutting *cutting, const SkillRanking *ranking, size_t tokens) {
  size_t left = tokens;
  size_t chosen = 0;
  size_t ranked = ranking ? ranking->count : 0;
  for (size_t i = 0; i < ranked + cutting->sections.count; i++) {
    size_t at = i < ranked ? (size_t)strtoul(ranking->results[i]->name, NULL, 10) : i - ranked;
    if (at >= cutting->sections.count) continue;
    size_t cost = cutting->chosen[at] ? 0 : tokens_of(cutting, at);
    if (!cost || cost > left) continue;
    cutting->chosen[at] = true;
    left -= cost;
    chosen++;
  }
  return chosen;
}

/* --- writing --------------------------------------------------------------------------------------------------- */

static void write_chosen(const struct cutting *cutting, const char *name, size_t chosen, struct skill__buf *buf) {
  skill__buf_printf(buf, "[%zu of %zu sections%s%.200s, those that fit the request best]\n", chosen,
                    cutting->sections.count, name ? " of " : "", name ? name : "");
  bool gap = false;
  for (size_t i = 0; i < cutting->sections.count; i++) {
    const struct skill__section *section = &cutting->sections.items[i];
    if (!cutting->chosen[i]) {
      gap = true;
      continue;
    }
    if (gap) skill__buf_text(buf, "[\xE2\x80\xA6]\n");
    gap = false;
    skill__buf_add(buf, cutting->text + section->from, section->to - section->from);
    if (buf->length && buf->data[buf->length - 1] != '\n') skill__buf_char(buf, '\n');
  }
  if (gap) skill__buf_text(buf, "[\xE2\x80\xA6]\n");
}

/* The longest beginning that fits. */
static void write_head(const struct cutting *cutting, const char *name, size_t tokens, struct skill__buf *buf) {
  size_t low = 0;
  size_t high = cutting->length;
  while (low < high) {
    size_t middle = low + (high - low + 1) / 2;
    size_t cut = skill__utf8_floor(cutting->text, middle);
    if (skill_tokens_count(cutting->tokenizer, cutting->text, cut) <= tokens) low = middle;
    if (low != middle) high = middle - 1;
  }
  skill__buf_printf(buf, "[the beginning%s%.200s; the rest does not fit]\n", name ? " of " : "", name ? name : "");
  skill__buf_add(buf, cutting->text, skill__utf8_floor(cutting->text, low));
}

int skill_context_passages(const char *text, size_t length, const char *name, const char *query,
                           SkillTokenizer *tokenizer, size_t tokens, char **out, size_t *out_length, SkillError *err) {
  struct cutting cutting = {.text = text, .length = length, .tokenizer = tokenizer};
  SkillRanking *ranking = NULL;
  struct skill__buf buf;
  size_t room = tokens > NOTE_TOKENS ? tokens - NOTE_TOKENS : 0;
  bool whole = skill_tokens_count(tokenizer, text, length) <= tokens;
  int status = whole ? 0 : skill__sections_cut(text, length, &cutting.sections);
  skill__buf_init(&buf, length + 1024 + length / 8);
  if (!status) cutting.chosen = skill__calloc(cutting.sections.count + 1, sizeof *cutting.chosen);
  if (!cutting.chosen) status = SKILL_ENOMEM;
  if (!status && !whole && query && *query) status = rank_sections(&cutting, query, &ranking);
  if (!status && whole) {
    skill__buf_add(&buf, text, length);
  } else if (!status) {
    size_t chosen = choose(&cutting, ranking, room);
    if (chosen) write_chosen(&cutting, name, chosen, &buf);
    if (!chosen) write_head(&cutting, name, room, &buf);
  }
  if (status) skill__buf_fini(&buf);
  if (!status) status = skill__buf_finish(&buf, out, out_length);
  skill_ranking_free(ranking);
  skill__sections_fini(&cutting.sections);
  skill__free(cutting.chosen);
  return status ? skill_error_set(err, status, "no passages: %s", skill_strerror(status)) : 0;
}
