/* SPDX-License-Identifier: MIT
 *
 * The cost of skills; see cost.h. Bodies and resources are read one at a time, so memory does not grow with the text of
 * the catalogue.
 */
#include "measure/cost.h"

#include <stdlib.h>
#include <string.h>

#include "agent/meta_definitions.h"
#include "context/listing.h"
#include "skillet/source.h"
#include "tokens/tokens.h"
#include "util/alloc.h"

/* A skill_open call and the frame of its result, as JSON in the conversation. */
static const char open_frame[] =
    "{\"name\":\"skill_open\",\"arguments\":\"{\\\"name\\\":\\\"a-skill-name\\\"}\"}{\"role\":\"tool\",\"content\":"
    "\"\"}";

/* Only recorded tools/list answers come from a .json file. */
static bool recorded_server(const SkillMetadata *metadata) {
  const char *dot = metadata->path ? strrchr(metadata->path, '.') : NULL;
  return dot && !strcmp(dot, ".json");
}

struct skill__cost_l2 skill__cost_l2(SkillTokenizer *tokenizer, const Skill *skill) {
  const SkillMetadata *metadata = skill_metadata(skill);
  struct skill__cost_l2 l2 = {0};
  char *text = NULL;
  size_t length = 0;
  if (!skill_body(skill, &text, &length, NULL)) l2.body = skill_tokens_count(tokenizer, text, length);
  skill_free(text);
  l2.body_bytes = length;
  if (recorded_server(metadata)) l2 = (struct skill__cost_l2){.instructions = l2.body};
  struct skill__buf json;
  skill__buf_init(&json, SKILL_MAX_RESOURCE);
  for (size_t i = 0; i < metadata->tool_count; i++) {
    skill__buf_clear(&json);
    skill__tokens_tool_json(&json, &metadata->tools[i]);
    l2.tools += skill__buf_status(&json) ? skill_tokens_tool(tokenizer, &metadata->tools[i])
                                         : skill_tokens_count(tokenizer, json.data, json.length);
    l2.tools_bytes += json.length;
  }
  skill__buf_fini(&json);
  return l2;
}

/* --- resources ---------------------------------------------------------------------------------------------------- */

struct reading {
  const Skill *skill;
  SkillTokenizer *tokenizer;
  struct skill__cost_skill *out;
};

static bool is_script(const char *path) {
  return !strncmp(path, "scripts/", 8) || strstr(path, "/scripts/") != NULL;
}

/* The whole text of a resource, page by page. */
static int read_all(const Skill *skill, const char *path, struct skill__buf *buf) {
  uint64_t cursor = 0;
  do {
    SkillPage page;
    int status = skill_resource_read(skill, path, cursor, 1024 * 1024, &page, NULL);
    if (status) return status;
    if (!page.text) status = SKILL_EUNSUPPORTED;
    skill__buf_add(buf, page.data, page.length);
    cursor = page.next;
    skill_free(page.data);
    if (!status) status = skill__buf_status(buf);
    if (status) return status;
  } while (cursor);
  return 0;
}

static int count_resource(const SkillResource *resource, void *user) {
  struct reading *reading = user;
  struct skill__buf buf;
  skill__buf_init(&buf, SKILL__COST_MAX_RESOURCE);
  bool wanted = resource->text && resource->size <= SKILL__COST_MAX_RESOURCE && !is_script(resource->path);
  if (wanted && !read_all(reading->skill, resource->path, &buf)) {
    reading->out->l3 += skill_tokens_count(reading->tokenizer, buf.data, buf.length);
    reading->out->resources++;
  } else {
    reading->out->skipped++;
  }
  skill__buf_fini(&buf);
  return 0;
}

/* --- the parts ---------------------------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b) {
  return strcmp(((const struct skill__cost_skill *)a)->name, ((const struct skill__cost_skill *)b)->name);
}

static int measure_skills(SkillRegistry *registry, const struct skill__cost_options *options,
                          struct skill__cost *cost) {
  size_t total = skill_registry_count(registry);
  cost->skills = skill__calloc(total + 1, sizeof *cost->skills);
  if (!cost->skills) return SKILL_ENOMEM;
  for (const Skill *skill = skill_registry_next(registry, NULL); skill && cost->count < total;
       skill = skill_registry_next(registry, skill)) {
    struct skill__cost_skill *one = &cost->skills[cost->count++];
    one->metadata = skill_metadata(skill);
    one->name = one->metadata->name;
    one->l1 = skill__listing_line_tokens(options->tokenizer, one->metadata);
    struct skill__cost_l2 l2 = skill__cost_l2(options->tokenizer, skill);
    one->l2 = l2.body + l2.tools;
    one->body = l2.body;
    one->tools = l2.tools;
    one->instructions = l2.instructions;
    one->tool_count = one->metadata->tool_count;
    struct reading reading = {skill, options->tokenizer, one};
    if (options->resources) skill_resources(skill, count_resource, &reading, NULL);
    cost->l1 += one->l1;
    cost->l2 += one->l2;
    cost->l3 += one->l3;
    cost->tool_count += one->tool_count;
    if (options->progress) options->progress(cost->count, total, options->user);
  }
  qsort(cost->skills, cost->count, sizeof *cost->skills, by_name);
  return 0;
}

static int measure_listing(const SkillMetadata *const *all, const struct skill__cost_options *options, size_t index,
                           struct skill__cost *cost) {
  struct skill__listing listing = {0};
  struct skill__listing_options want = {.tokenizer = options->tokenizer,
                                        .budget = options->budgets[index],
                                        .search_tool = skill__meta_definition(SKILL_META_SEARCH)->name};
  int status = skill__listing_build(all, cost->count, &want, &listing);
  if (status) return status;
  cost->listings[index] =
      (struct skill__cost_listing){want.budget, listing.tokens, listing.shown, listing.hidden, listing.chars};
  if (index == cost->chosen) {
    cost->states = listing.states;
    listing.states = NULL;
  }
  skill__listing_fini(&listing);
  return 0;
}

static int measure_listings(const struct skill__cost_options *options, struct skill__cost *cost) {
  const SkillMetadata **all = skill__calloc(cost->count + 1, sizeof *all);
  cost->listings = skill__calloc(options->budget_count + 1, sizeof *cost->listings);
  int status = all && cost->listings ? 0 : SKILL_ENOMEM;
  for (size_t i = 0; !status && i < cost->count; i++) all[i] = cost->skills[i].metadata;
  for (size_t i = 0; !status && i < options->budget_count; i++) status = measure_listing(all, options, i, cost);
  cost->listing_count = options->budget_count;
  skill__free(all);
  return status;
}

static void judge(const struct skill__cost_options *options, struct skill__cost *cost) {
  struct skill__cost_verdict *v = &cost->verdict;
  size_t tools = SKILL_META_OPEN + 1;
  for (size_t i = 0; i < cost->count; i++) {
    if (cost->skills[i].resources + cost->skills[i].skipped) tools = SKILL_META_RUN + 1;
  }
  for (size_t i = 0; i < tools; i++) {
    v->meta_tools += skill_tokens_tool(options->tokenizer, skill__meta_definition((SkillMetaTool)i));
  }
  double mean = cost->count ? (double)cost->l2 / (double)cost->count : 0;
  size_t active = options->max_active < cost->count ? options->max_active : cost->count;
  v->everything = cost->l2;
  v->listing = cost->listings[cost->chosen].tokens;
  v->active = (size_t)(mean * (double)active + 0.5);
  v->disclosed = v->listing + v->meta_tools + v->active;
  v->per_open = skill_tokens_count(options->tokenizer, open_frame, sizeof open_frame - 1);
  double fixed = (double)(v->listing + v->meta_tools);
  double spare = (double)v->everything - fixed;
  v->open_at_par = mean > 0 && spare > 0 ? spare / mean : 0;
  v->saves = v->disclosed < v->everything;
}

int skill__cost_measure(SkillRegistry *registry, const struct skill__cost_options *options, struct skill__cost *out,
                        SkillError *err) {
  struct skill__cost cost = {.budget = options->budget};
  while (cost.chosen < options->budget_count && options->budgets[cost.chosen] != options->budget) cost.chosen++;
  if (cost.chosen == options->budget_count) {
    return skill_error_set(err, SKILL_EINVAL, "the budget must be one of those measured");
  }
  int status = measure_skills(registry, options, &cost);
  if (!status) status = measure_listings(options, &cost);
  if (status) {
    skill__cost_free(&cost);
    return skill_error_set(err, status, "no memory to measure the skills");
  }
  judge(options, &cost);
  *out = cost;
  return 0;
}

void skill__cost_free(struct skill__cost *cost) {
  skill__free(cost->skills);
  skill__free(cost->listings);
  skill__free(cost->states);
  memset(cost, 0, sizeof *cost);
}
