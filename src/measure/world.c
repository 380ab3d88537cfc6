/* SPDX-License-Identifier: MIT
 *
 * The input of a simulation; see world.h. Fails only if out of memory.
 */
#include "measure/world.h"

#include <string.h>

#include "agent/meta_definitions.h"
#include "context/listing.h"
#include "tokens/tokens.h"
#include "util/alloc.h"
#include "util/json_out.h"
#include "util/utf8.h"

void skill__settings_default(struct skill__settings *settings) {
  *settings = (struct skill__settings){.seed = 1,
                                       .conversations = 100,
                                       .turns = 6,
                                       .system_tokens = 400,
                                       .call_tokens = 40,
                                       .result_tokens = 200,
                                       .answer_tokens = 150,
                                       .results = 5,
                                       .budget = 2000,
                                       .wrong_percent = 10,
                                       .overlook_percent = 5,
                                       .cache_minutes = 5,
                                       .cache_read = 0.1,
                                       .cache_write = 1.25};
}

/* As the agent's search writes a result: {"name","fit","description"}, the description cut at 320 bytes. */
static void fill_found(const struct skill__world *world, const SkillMetadata *metadata,
                       struct skill__world_skill *out) {
  const char *text = metadata->description ? metadata->description : "";
  size_t length = strlen(text) > 320 ? skill__utf8_floor(text, 320) : strlen(text);
  struct skill__buf json;
  skill__buf_init(&json, 64 * 1024);
  skill__json_open(&json, NULL, "{");
  skill__json_add_text(&json, "name", metadata->name);
  skill__json_add_real(&json, "fit", 0.5, 2);
  skill__json_add_bytes(&json, "description", text, length);
  skill__json_close(&json, "},");
  out->found = skill_tokens_count(world->tokenizer, json.data, json.length);
  out->found_bytes = json.length;
  skill__buf_fini(&json);
}

static void fill_skill(struct skill__world *world, const Skill *skill, struct skill__world_skill *out) {
  const SkillMetadata *metadata = skill_metadata(skill);
  struct skill__cost_l2 l2 = skill__cost_l2(world->tokenizer, skill);
  out->name = metadata->name;
  out->line = skill__listing_line_tokens(world->tokenizer, metadata);
  out->line_bytes = out->line ? strlen(metadata->name) + 5 : 0;
  if (out->line && metadata->description) out->line_bytes += strlen(metadata->description);
  fill_found(world, metadata, out);
  out->body = l2.body;
  out->body_bytes = l2.body_bytes;
  out->tools = l2.tools;
  out->tools_bytes = l2.tools_bytes;
  world->bodies += l2.body;
  world->bodies_bytes += l2.body_bytes;
  world->tools += l2.tools;
  world->tools_bytes += l2.tools_bytes;
}

static int build_listing(struct skill__world *world, const SkillMetadata *const *all, size_t budget,
                         struct skill__listing *out) {
  struct skill__listing_options options = {
      .tokenizer = world->tokenizer, .budget = budget, .search_tool = skill__meta_definition(SKILL_META_SEARCH)->name};
  return skill__listing_build(all, world->count, &options, out);
}

static int fill_listings(struct skill__world *world) {
  const SkillMetadata **all = skill__calloc(world->count + 1, sizeof *all);
  struct skill__listing listing = {0};
  if (!all) return SKILL_ENOMEM;
  size_t at = 0;
  for (Skill *skill = skill_registry_next(world->registry, NULL); skill && at < world->count;
       skill = skill_registry_next(world->registry, skill)) {
    all[at++] = skill_metadata(skill);
  }
  int status = build_listing(world, all, 0, &listing);
  if (!status) {
    world->listing = listing.tokens;
    world->listing_bytes = listing.length;
    skill__listing_fini(&listing);
    status = build_listing(world, all, world->settings.budget, &listing);
  }
  if (!status) {
    world->bounded = listing.tokens;
    world->bounded_bytes = listing.length;
    world->bounded_shown = listing.shown;
    for (size_t i = 0; i < world->count; i++) world->skills[i].shown = listing.states[i] > SKILL__LISTING_HIDDEN;
    skill__listing_fini(&listing);
  }
  skill__free(all);
  return status;
}

static void fill_meta(struct skill__world *world) {
  struct skill__buf json;
  skill__buf_init(&json, 64 * 1024);
  for (size_t i = 0; i < SKILL_META_COUNT; i++) {
    skill__buf_clear(&json);
    skill__tokens_tool_json(&json, skill__meta_definition((SkillMetaTool)i));
    world->meta[i] = skill_tokens_count(world->tokenizer, json.data, json.length);
    world->meta_bytes[i] = json.length;
  }
  skill__buf_fini(&json);
}

int skill__world_make(SkillRegistry *registry, SkillTokenizer *tokenizer, const struct skill__settings *settings,
                      void (*progress)(size_t done, size_t total, void *user), void *user, struct skill__world *out) {
  struct skill__world world = {
      .registry = registry, .tokenizer = tokenizer ? tokenizer : skill_tokenizer_estimate(), .settings = *settings};
  size_t total = skill_registry_count(registry);
  world.skills = skill__calloc(total + 1, sizeof *world.skills);
  int status = world.skills ? skill__by_name_new(registry, &world.names) : SKILL_ENOMEM;
  for (Skill *skill = skill_registry_next(registry, NULL); !status && skill && world.count < total;
       skill = skill_registry_next(registry, skill)) {
    fill_skill(&world, skill, &world.skills[world.count++]);
    if (progress) progress(world.count, total, user);
  }
  if (!status) status = fill_listings(&world);
  if (status) {
    skill__world_fini(&world);
    return status;
  }
  fill_meta(&world);
  *out = world;
  return 0;
}

void skill__world_fini(struct skill__world *world) {
  skill__by_name_free(world->names);
  skill__free(world->skills);
  memset(world, 0, sizeof *world);
}
