/* SPDX-License-Identifier: MIT
 *
 * Long text within a token budget: its sections are ranked for the request as skills are, the best stay in their
 * order. Fails for want of memory only; a text that has no better part keeps its beginning.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "skillet/context.h"
#include "skillet/rank.h"
#include "util/alloc.h"
#include "util/buf.h"
#include "util/utf8.h"

enum {
  SECTION_BYTES = 700,  /* a section ends at the first gap after so many bytes */
  SECTION_MOST = 2400,  /* and here whatever follows */
  MOST_SECTIONS = 4000, /* more are not looked at */
  NOTE_TOKENS = 40      /* for the note on what is left out */
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
  size_t capacity;
};

/* --- sections -------------------------------------------------------------------------------------------------- */

static int add_section(struct cutting *cutting, size_t from, size_t to) {
  if (to <= from) return 0;
  if (SKILL__GROW(cutting->sections, cutting->capacity, cutting->count + 1)) return SKILL_ENOMEM;
  cutting->sections[cutting->count++] = (struct section){from, to, 0, false};
  return 0;
}

/* A section ends before a heading, at an empty line once it is long enough, and never inside a code fence unless that
 * goes on too long. */
static int cut_sections(struct cutting *cutting) {
  const char *text = cutting->text;
  size_t from = 0;
  bool fenced = false;
  for (size_t at = 0; at < cutting->length && cutting->count + 1 < MOST_SECTIONS;) {
    const char *stop = memchr(text + at, '\n', cutting->length - at);
    size_t end = stop ? (size_t)(stop - text) + 1 : cutting->length;
    bool fence = end - at >= 3 && memcmp(text + at, "```", 3) == 0;
    bool heading = !fenced && text[at] == '#';
    bool gap = !fenced && end - at == 1 && at - from >= SECTION_BYTES;
    if (fence) fenced = !fenced;
    while (end - from > SECTION_MOST) { /* also lines without end */
      size_t most = skill__utf8_floor(text, from + SECTION_MOST);
      size_t to = heading || at <= from ? most : at > most ? most : at;
      if (to <= from) to = most;
      if (add_section(cutting, from, to)) return SKILL_ENOMEM;
      from = to;
    }
    if ((heading || gap) && at > from) {
      if (add_section(cutting, from, at)) return SKILL_ENOMEM;
      from = at;
    }
    at = end;
  }
  return add_section(cutting, from, cutting->length);
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
  status = cut_sections(&cutting);
  if (!status && query && *query) status = rank_sections(&cutting, query, &ranking);
  if (status) goto out;
  for (size_t i = 0; i < cutting.count; i++) {
    struct section *section = &cutting.sections[i];
    section->tokens = 4 + skill_tokens_count(tokenizer, text + section->from, section->to - section->from);
  }
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
