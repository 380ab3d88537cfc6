/* SPDX-License-Identifier: MIT
 *
 * Long text within a token budget: its sections are ranked for the request as skills are, the best stay in their
 * order. Fails for want of memory only; a text that has no better part keeps its beginning.
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

struct section {
  size_t from, to;
  size_t tokens;
  bool chosen;
};

struct cutting {
  const char *text;
  size_t length;
  struct section *sections;
  size_t count;
};

static int cut(struct cutting *cutting, SkillTokenizer *tokenizer) {
  struct skill__sections cuts = {NULL, 0, 0};
  int status = skill__sections_cut(cutting->text, cutting->length, &cuts);
  if (!status) cutting->sections = skill__calloc(cuts.count + 1, sizeof *cutting->sections);
  if (!cutting->sections) status = SKILL_ENOMEM;
  for (size_t i = 0; i < cuts.count && !status; i++) {
    struct section *section = &cutting->sections[cutting->count++];
    *section = (struct section){cuts.items[i].from, cuts.items[i].to, 0, false};
    section->tokens = 4 + skill_tokens_count(tokenizer, cutting->text + section->from, section->to - section->from);
  }
  skill__sections_fini(&cuts);
  return status;
}

/* --- choosing -------------------------------------------------------------------------------------------------- */

static int index_sections(const struct cutting *cutting, SkillRanker *ranker) {
  for (size_t i = 0; i < cutting->count; i++) {
    const struct section *section = &cutting->sections[i];
    char name[32];
    snprintf(name, sizeof name, "%zu", i);
    SkillMetadata metadata = {.name = name, .description = "-"};
    int status = skill_ranker_add(ranker, &metadata, cutting->text + section->from, section->to - section->from, NULL);
    if (status) return status;
  }
  return 0;
}

static int rank_sections(const struct cutting *cutting, const char *query, SkillRanking **out) {
  SkillRankerOptions options;
  SkillRanker *ranker = NULL;
  skill_ranker_options_default(&options);
  options.table = "";
  int status = skill_ranker_new(&options, &ranker, NULL);
  if (!status) status = index_sections(cutting, ranker);
  SkillQuery asked = {.text = query, .limit = cutting->count, .floor = -1};
  if (!status) status = skill_ranker_query(ranker, &asked, out, NULL);
  skill_ranker_free(ranker);
  return status;
}

/* Chooses in order of rank, then in order of the text, what still fits. */
static size_t choose(struct cutting *cutting, const SkillRanking *ranking, size_t tokens) {
  size_t left = tokens;
  size_t chosen = 0;
  size_t ranked = ranking ? ranking->count : 0;
  for (size_t i = 0; i < ranked + cutting->count; i++) {
    size_t at = i < ranked ? (size_t)strtoul(ranking->results[i].name, NULL, 10) : i - ranked;
    if (at >= cutting->count) continue;
    struct section *section = &cutting->sections[at];
    if (section->chosen || section->tokens > left) continue;
    section->chosen = true;
    left -= section->tokens;
    chosen++;
  }
  return chosen;
}

/* --- writing --------------------------------------------------------------------------------------------------- */

static void write_chosen(const struct cutting *cutting, const char *name, size_t chosen, struct skill__buf *buf) {
  skill__buf_printf(buf, "[%zu of %zu sections%s%.200s, those that fit the request best]\n", chosen, cutting->count,
                    name ? " of " : "", name ? name : "");
  bool gap = false;
  for (size_t i = 0; i < cutting->count; i++) {
    const struct section *section = &cutting->sections[i];
    if (!section->chosen) {
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

/* The longest beginning that fits, when not even one section does. */
static void write_head(const struct cutting *cutting, const char *name, SkillTokenizer *tokenizer, size_t tokens,
                       struct skill__buf *buf) {
  size_t low = 0;
  size_t high = cutting->length;
  while (low < high) {
    size_t middle = low + (high - low + 1) / 2;
    size_t cut = skill__utf8_floor(cutting->text, middle);
    if (skill_tokens_count(tokenizer, cutting->text, cut) <= tokens) low = middle;
    if (low != middle) high = middle - 1;
  }
  skill__buf_printf(buf, "[the beginning%s%.200s; the rest does not fit]\n", name ? " of " : "", name ? name : "");
  skill__buf_add(buf, cutting->text, skill__utf8_floor(cutting->text, low));
}

int skill_context_passages(const char *text, size_t length, const char *name, const char *query,
                           SkillTokenizer *tokenizer, size_t tokens, char **out, size_t *out_length, SkillError *err) {
  struct cutting cutting = {.text = text, .length = length};
  SkillRanking *ranking = NULL;
  struct skill__buf buf;
  skill__buf_init(&buf, length + 1024 + length / 8);
  size_t room = tokens > NOTE_TOKENS ? tokens - NOTE_TOKENS : 0;
  int status = 0;
  if (skill_tokens_count(tokenizer, text, length) <= tokens) {
    skill__buf_add(&buf, text, length);
    goto write;
  }
  status = cut(&cutting, tokenizer);
  if (!status && query && *query) status = rank_sections(&cutting, query, &ranking);
  if (status) goto out;
  size_t chosen = choose(&cutting, ranking, room);
  if (chosen) write_chosen(&cutting, name, chosen, &buf);
  if (!chosen) write_head(&cutting, name, tokenizer, room, &buf);

write:
  status = skill__buf_status(&buf);
  char *taken = status ? NULL : skill__buf_take(&buf, out_length);
  if (!status && !taken) status = SKILL_ENOMEM;
  if (!status) *out = taken;

out:
  skill_ranking_free(ranking);
  skill__free(cutting.sections);
  skill__buf_fini(&buf);
  return status ? skill_error_set(err, status, "no passages: %s", skill_strerror(status)) : 0;
}
