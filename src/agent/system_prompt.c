/* SPDX-License-Identifier: MIT
 *
 * The stable beginning of every request: the system text, always-skills and the listing, made again only if the
 * catalogue changed. Fails only when memory is out; a skill whose body cannot be read is left out and reported in an
 * event.
 */
#include <string.h>

#include "agent/internal.h"
#include "util/alloc.h"
#include "util/hash.h"

enum { LISTING_LEAST = 1000, LISTING_MOST = 8000 }; /* tokens, unless the profile sets them */

static bool is_always(const SkillAgent *agent, const SkillMetadata *metadata) {
  return skill_permissions_mode(agent->permissions, metadata) == SKILL_MODE_ALWAYS;
}

static void report_unreadable(SkillAgent *agent, const char *skill, int status, const SkillError *why) {
  SkillEvent event = {.kind = SKILL_EVENT_DEGRADED, .skill = skill, .status = status, .reason = why->message};
  skill__agent_emit(agent, &event);
}

int skill__agent_always(SkillAgent *agent, struct skill__arena *arena, SkillAlways **out, size_t *count) {
  SkillRegistry *registry = agent->options.registry;
  size_t most = 0;
  *out = NULL;
  *count = 0;
  for (Skill *skill = NULL; (skill = skill_registry_next(registry, skill)) != NULL;) {
    most += is_always(agent, skill_metadata(skill));
  }
  if (!most) return 0;
  SkillAlways *always = skill__arena_alloc(arena, most * sizeof *always);
  if (!always) return SKILL_ENOMEM;
  for (Skill *skill = NULL; (skill = skill_registry_next(registry, skill)) != NULL && *count < most;) {
    char *text = NULL;
    size_t length = 0;
    SkillError why = SKILL_ERROR_INIT;
    if (!is_always(agent, skill_metadata(skill)) || !skill__agent_shows(agent, skill)) continue;
    int status = skill_body(skill, &text, &length, &why);
    if (status == SKILL_ENOMEM) return status;
    if (status) report_unreadable(agent, skill_name(skill), status, &why);
    char *copy = status ? NULL : skill__arena_strndup(arena, text, length);
    skill_free(text);
    if (status) continue;
    if (!copy) return SKILL_ENOMEM;
    always[(*count)++] = (SkillAlways){skill_name(skill), copy, length};
  }
  *out = always;
  return 0;
}

/* --- the listing ----------------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t before, const char *text) {
  uint64_t both[2] = {before, text ? skill__hash_bytes(text, strlen(text)) : 0};
  return skill__hash_bytes(both, sizeof both);
}

/* Changes with everything that the listing is made of; never 0. */
static uint64_t catalogue_hash(SkillAgent *agent) {
  uint64_t hash = 1;
  for (Skill *skill = NULL; (skill = skill_registry_next(agent->options.registry, skill)) != NULL;) {
    const SkillMetadata *m = skill_metadata(skill);
    const char flags[] = {(char)('0' + skill_permissions_mode(agent->permissions, m)), m->unlisted ? 'u' : '-',
                          m->disable_model_invocation ? 'd' : '-', '\0'};
    hash = mix(mix(mix(mix(hash, m->name), m->description), m->when_to_use), flags);
  }
  return hash ? hash : 1;
}

static size_t listing_budget(const SkillAgent *agent) {
  if (agent->profile.listing_tokens) return agent->profile.listing_tokens;
  size_t share = skill__agent_budget(agent) / 50;
  if (share < LISTING_LEAST) return LISTING_LEAST;
  return share < LISTING_MOST ? share : LISTING_MOST;
}

static size_t gather(SkillAgent *agent, SkillMetadata *copies, const SkillMetadata **list) {
  size_t count = 0;
  for (Skill *skill = NULL; (skill = skill_registry_next(agent->options.registry, skill)) != NULL;) {
    if (!skill__agent_shows(agent, skill)) continue;
    copies[count] = *skill_metadata(skill);
    copies[count].mode = skill_permissions_mode(agent->permissions, skill_metadata(skill));
    list[count] = &copies[count];
    count++;
  }
  return count;
}

static void report_listed(SkillAgent *agent, const struct skill__listing *listing) {
  SkillEvent event = {.kind = SKILL_EVENT_DISCOVERED, .count = listing->shown, .tokens = listing->tokens};
  event.reason = "listed for the model";
  if (listing->hidden && (listing->chars || !listing->shown)) {
    event.reason = "listed for the model, shortened; the rest is found by search";
  } else if (listing->hidden) {
    event.reason = "names listed for the model; the rest is found by search";
  }
  skill__agent_emit(agent, &event);
}

int skill__agent_refresh_listing(SkillAgent *agent) {
  if (!agent->options.registry || !agent->profile.skills) return 0;
  uint64_t hash = catalogue_hash(agent);
  if (agent->listing && hash == agent->catalogue) return 0;
  size_t room = skill_registry_count(agent->options.registry) + 1;
  SkillMetadata *copies = skill__calloc(room, sizeof *copies);
  const SkillMetadata **list = skill__calloc(room, sizeof *list);
  struct skill__listing listing = {0};
  struct skill__listing_options options = {.tokenizer = agent->tokenizer, .budget = listing_budget(agent)};
  options.search_tool = skill__meta_name(agent, SKILL_META_SEARCH);
  int status = copies && list ? 0 : SKILL_ENOMEM;
  if (!status) status = skill__listing_build(list, gather(agent, copies, list), &options, &listing);
  if (!status) {
    skill__free(agent->listing);
    agent->listing = listing.text;
    agent->catalogue = hash;
    listing.text = NULL;
    if (listing.listed) report_listed(agent, &listing);
    agent->everything = 0;
  }
  if (!status) skill__listing_fini(&listing);
  skill__free(copies);
  skill__free(list);
  return status;
}

/* --- everything ------------------------------------------------------------------------------------------------ */

size_t skill__agent_everything(SkillAgent *agent) {
  if (!agent->options.count_everything || !agent->options.registry) return 0;
  if (agent->everything) return agent->everything;
  size_t tokens = 0;
  for (Skill *skill = NULL; (skill = skill_registry_next(agent->options.registry, skill)) != NULL;) {
    const SkillMetadata *metadata = skill_metadata(skill);
    char *text = NULL;
    size_t length = 0;
    if (!skill__agent_allows(agent, metadata->name, NULL)) continue;
    if (skill_body(skill, &text, &length, NULL) == 0) tokens += skill_tokens_count(agent->tokenizer, text, length);
    skill_free(text);
    for (size_t i = 0; i < metadata->tool_count; i++)
      tokens += skill_tokens_tool(agent->tokenizer, &metadata->tools[i]);
  }
  agent->everything = tokens ? tokens : 1;
  return tokens;
}

/* --- the system text ---------------------------------------------------------------------------------------------- */

static const char default_system[] =
    "You are a careful assistant. Answer in the user's language, briefly, and only claim what you checked.";
static void put_rules(const SkillAgent *agent, struct skill__buf *buf) {
  bool skills = agent->profile.tools && agent->profile.skills && agent->options.registry;
  if (skills && !agent->fork_skill) {
    skill__buf_printf(buf,
                      "%sSkills hold instructions and tools for one kind of work. Before you start on a task that one "
                      "of them fits, open it with %s and follow it; %s finds skills that the list below does not show. "
                      "If none fits, work without one.",
                      buf->length ? "\n\n" : "", skill__meta_name(agent, SKILL_META_OPEN),
                      skill__meta_name(agent, SKILL_META_SEARCH));
  }
  if (!skills || agent->profile.offered != SKILL_TOOLS_CONSTANT) return;
  skill__buf_printf(buf,
                    "%sTools of skills are described where a skill is opened, and by %s. Each description names the "
                    "one of %s, %s and %s that calls it.",
                    agent->fork_skill && buf->length ? "\n\n" : " ", skill__meta_name(agent, SKILL_META_DESCRIBE),
                    skill__meta_name(agent, SKILL_META_CALL_READ), skill__meta_name(agent, SKILL_META_CALL_WRITE),
                    skill__meta_name(agent, SKILL_META_CALL_DESTRUCTIVE));
}

int skill__agent_remake_system(SkillAgent *agent) {
  const char *text = agent->profile.system ? agent->profile.system : default_system;
  struct skill__buf buf;
  skill__buf_init(&buf, strlen(text) + 4096);
  skill__buf_text(&buf, text);
  put_rules(agent, &buf);
  char *system = NULL;
  int status = skill__buf_finish(&buf, &system, NULL);
  if (status) return status;
  skill__free(agent->system);
  agent->system = system;
  return 0;
}
