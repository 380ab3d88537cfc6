/* SPDX-License-Identifier: MIT
 *
 * skillet's own tools that search, read and page, and which of its tools are offered: each only if it can do something.
 * A call that finds nothing is answered with at most three suggestions.
 */
#include <stdio.h>
#include <string.h>

#include "agent/meta_tools.h"
#include "util/alloc.h"
#include "util/json_out.h"
#include "util/utf8.h"

enum { SEARCH_LIMIT = 5, SEARCH_MOST = 50, DESCRIPTION_BYTES = 320, LOOK_AT = 200, MOST_DEFERRED = 9000 };

/* --- skill_search ---------------------------------------------------------------------------------------------- */

static bool search_shows(const char *name, void *user) {
  SkillAgent *agent = user;
  Skill *skill = skill_registry_find(agent->options.registry, name);
  return skill && skill__agent_shows(agent, skill);
}

static void put_result(SkillAgent *agent, const SkillRankResult *result, struct skill__buf *buf) {
  Skill *skill = skill_registry_find(agent->options.registry, result->name);
  const char *text = skill ? skill_metadata(skill)->description : NULL;
  struct skill__buf clean; /* as in the listing: a model sees only what a person can see */
  skill__buf_init(&clean, SKILL_MAX_DESCRIPTION * 3);
  if (text) skill__listing_clean(&clean, text, strlen(text));
  size_t length = clean.length;
  if (length > DESCRIPTION_BYTES) length = skill__utf8_floor(clean.data, DESCRIPTION_BYTES);
  skill__json_open(buf, NULL, "{");
  skill__json_add_text(buf, "name", result->name);
  skill__json_add_real(buf, "fit", result->fit, 2);
  skill__json_add_bytes(buf, "description", length ? clean.data : "", length);
  skill__json_close(buf, "}");
  if (skill__buf_status(&clean)) buf->status = skill__buf_status(&clean);
  skill__buf_fini(&clean);
}

static void put_ranking(SkillAgent *agent, const SkillRanking *ranking, size_t cursor, struct skill__buf *buf) {
  size_t next = cursor + ranking->count;
  skill__json_open(buf, NULL, "{");
  skill__json_open(buf, "results", "[");
  for (size_t i = 0; i < ranking->count; i++) put_result(agent, ranking->results[i], buf);
  skill__json_close(buf, "]");
  if (!ranking->count) skill__json_add_text(buf, "reason", ranking->reason);
  if (ranking->count && next < ranking->matched) {
    skill__json_add_size(buf, "more", ranking->matched - next);
    skill__json_add_size(buf, "cursor", next);
  }
  skill__json_close(buf, "}");
}

static void search(SkillAgent *agent, SkillToolCall *call, const cJSON *arguments) {
  SkillRanking *ranking = NULL;
  SkillError why = SKILL_ERROR_INIT;
  SkillQuery query = SKILL_QUERY_INIT;
  query.grammar = true;
  query.explain = true;
  query.visible = search_shows;
  query.user = agent;
  query.text = skill__meta_string(arguments, "query");
  query.limit = skill__meta_number(arguments, "limit", SEARCH_LIMIT);
  query.offset = skill__meta_number(arguments, "cursor", 0);
  if (!query.limit || query.limit > SEARCH_MOST) query.limit = SEARCH_LIMIT;
  int status = skill_loader_rank(agent->loader, &query, &ranking, &why);
  if (status == SKILL_EINVAL) { /* not the query grammar, a lone quotation mark perhaps: plain words */
    query.grammar = false;
    skill_error_clear(&why);
    status = skill_loader_rank(agent->loader, &query, &ranking, &why);
  }
  if (status) {
    skill__meta_finish(call, status, "The search failed: %s", why.message);
    return;
  }
  struct skill__buf buf;
  SkillEvent event = {.kind = SKILL_EVENT_SEARCHED, .count = ranking->count, .reason = query.text};
  skill__buf_init(&buf, 1024 * 1024);
  put_ranking(agent, ranking, query.offset, &buf);
  skill__agent_remember_search(agent, query.text, ranking);
  skill__agent_emit(agent, &event);
  skill__meta_finish_buf(call, &buf);
  skill_ranking_free(ranking);
}

/* --- skill_read ------------------------------------------------------------------------------------------------ */

struct names {
  struct skill__buf buf;
  size_t count;
};

static int on_name(const SkillResource *resource, void *user) {
  struct names *names = user;
  if (names->count++ < 3)
    skill__buf_printf(&names->buf, "%s%s", names->count > 1 ? ", " : "; there are ", resource->path);
  return 0;
}

static void answer_no_file(SkillToolCall *call, const Skill *skill, const char *path, int status,
                           const SkillError *why) {
  struct names names = {.count = 0};
  skill__buf_init(&names.buf, 8192);
  if (status == SKILL_ENOENT) (void)skill_resources(skill, on_name, &names, NULL);
  skill__meta_finish(call, status, "%.300s of %s cannot be read: %.300s%.600s", path, skill_name(skill),
                     why->code ? why->message : skill_strerror(status), names.buf.data ? names.buf.data : "");
  skill__buf_fini(&names.buf);
}

static void answer_page(SkillToolCall *call, const SkillPage *page) {
  struct skill__buf buf;
  if (!page->text) {
    skill__meta_finish(call, SKILL_EUNSUPPORTED, "This file is not text: %s, %llu bytes.",
                       page->type ? page->type : "?", (unsigned long long)page->total);
    return;
  }
  skill__buf_init(&buf, SKILL_MAX_MESSAGE);
  skill__buf_add(&buf, page->data, page->length);
  if (page->next) {
    skill__buf_printf(&buf, "\n[%llu of %llu bytes; cursor %llu reads on]", (unsigned long long)page->next,
                      (unsigned long long)page->total, (unsigned long long)page->next);
  }
  skill__meta_finish_buf(call, &buf);
}

static void read_resource(SkillAgent *agent, SkillToolCall *call, const cJSON *arguments) {
  const char *path = skill__meta_string(arguments, "path");
  Skill *skill = skill__meta_skill(agent, call, skill__meta_string(arguments, "name"),
                                   "its files are asked for though it may not be seen");
  SkillError why = SKILL_ERROR_INIT;
  SkillPage page = {0};
  if (!skill) return;
  size_t most = agent->profile.result_bytes ? agent->profile.result_bytes * 3 / 4 : 24 * 1024;
  int status = skill_resource_read(skill, path, skill__meta_number(arguments, "cursor", 0), most, &page, &why);
  if (status) {
    answer_no_file(call, skill, path, status, &why);
    return;
  }
  SkillEvent event = {.kind = SKILL_EVENT_READ, .skill = skill_name(skill), .reason = path};
  event.tokens = skill_tokens_count(agent->tokenizer, page.data, page.length);
  skill__agent_emit(agent, &event);
  answer_page(call, &page);
  skill_free(page.data);
}

/* --- result_read ----------------------------------------------------------------------------------------------- */

static void read_result(SkillAgent *agent, SkillToolCall *call, const cJSON *arguments) {
  const char *id = skill__meta_string(arguments, "id");
  const char *text = NULL;
  size_t length = 0;
  uint64_t next = 0;
  struct skill__buf buf;
  int status =
      skill_gateway_page(agent->gateway, id, skill__meta_number(arguments, "cursor", 0), &text, &length, &next);
  if (status) {
    skill__meta_finish(call, status, "No result is kept under '%.100s', or the cursor lies beyond it.", id);
    return;
  }
  skill__buf_init(&buf, SKILL_MAX_MESSAGE);
  skill__buf_add(&buf, text, length);
  if (next) skill__buf_printf(&buf, "\n[cursor %llu reads on]", (unsigned long long)next);
  skill__meta_finish_buf(call, &buf);
}

/* --- which are offered ----------------------------------------------------------------------------------------- */

struct found {
  bool openable, files, scripts;
};

static int on_resource(const SkillResource *resource, void *user) {
  struct found *found = user;
  found->files = true;
  found->scripts = found->scripts || strncmp(resource->path, "scripts/", 8) == 0;
  return found->scripts ? 1 : 0; /* nothing more to learn */
}

/* Looks for files and scripts of skills until both are found. After LOOK_AT skills both are assumed. */
static void look_around(SkillAgent *agent, struct found *found) {
  size_t looked = 0;
  for (Skill *skill = NULL; (skill = skill_registry_next(agent->options.registry, skill)) != NULL;) {
    const SkillMetadata *metadata = skill_metadata(skill);
    if (!skill__agent_shows(agent, skill)) continue;
    if (skill_permissions_mode(agent->permissions, metadata) == SKILL_MODE_LAZY) found->openable = true;
    if (found->scripts || !metadata->path) continue;
    bool enough = looked++ >= LOOK_AT;
    int status = enough ? 0 : skill_resources(skill, on_resource, found, NULL);
    /* A folder that cannot be read now may have both later. */
    if (enough || status == SKILL_EIO || status == SKILL_ENOMEM) found->files = found->scripts = true;
  }
}

static int offer_own(SkillAgent *agent, struct found found) {
  bool fork = agent->fork_skill != NULL;
  int status = !fork && found.openable ? skill__agent_offer_meta(agent, SKILL_META_SEARCH, search) : 0;
  if (!status && found.openable && (!fork || agent->depth < agent->profile.fork_depth)) {
    status = skill__agent_offer_meta(agent, SKILL_META_OPEN, skill__meta_open);
  }
  if (!status && found.files) status = skill__agent_offer_meta(agent, SKILL_META_READ, read_resource);
  if (!status && found.scripts && agent->profile.scripts) {
    status = skill__agent_offer_meta(agent, SKILL_META_RUN, skill__meta_run);
  }
  return status;
}

/* Those that can do something now. */
static int offer_useful(SkillAgent *agent) {
  struct found found = {false, false, false};
  look_around(agent, &found);
  return offer_own(agent, found);
}

/* All at once: a constant list cannot get more later. */
static int offer_constant(SkillAgent *agent) {
  int status = offer_own(agent, (struct found){true, true, true});
  if (!status) status = skill__agent_offer_callers(agent);
  return status ? status : skill__agent_offer_paging(agent);
}

/* Reports, once, why something in the profile is not done. */
static void degrade(SkillAgent *agent, size_t count, const char *why) {
  SkillEvent event = {.kind = SKILL_EVENT_DEGRADED, .count = count, .reason = why};
  if (!agent->degraded) skill__agent_emit(agent, &event);
  agent->degraded = true;
}

/* The tools of all skills that the model may know of, as far as their metadata name them. */
static int offer_deferred(SkillAgent *agent) {
  int status = 0;
  for (Skill *skill = NULL; (skill = skill_registry_next(agent->options.registry, skill)) != NULL && !status;) {
    const SkillMetadata *metadata = skill_metadata(skill);
    if (!skill__agent_shows(agent, skill) || metadata->context != SKILL_CONTEXT_INLINE) continue;
    if (agent->tools.count + metadata->tool_count > MOST_DEFERRED) {
      degrade(agent, MOST_DEFERRED,
              "more tools than a provider searches: those of the last skills are offered when "
              "their skill is opened");
      break;
    }
    status = skill__agent_offer_asleep(agent, metadata->name, metadata->tools, metadata->tool_count);
  }
  return status;
}

static int offer_skills(SkillAgent *agent) {
  char why[200];
  if (agent->profile.offered == SKILL_TOOLS_CONSTANT) return offer_constant(agent);
  agent->deferring =
      agent->profile.offered == SKILL_TOOLS_DEFERRED && (agent->model->flags & SKILL_MODEL_TOOL_SEARCH) != 0;
  if (agent->profile.offered == SKILL_TOOLS_DEFERRED && !agent->deferring) {
    snprintf(why, sizeof why, "%.100s has no tool search: tools are offered directly", agent->model->name);
    degrade(agent, 0, why);
  }
  int status = offer_useful(agent);
  return !status && agent->deferring && !agent->fork_skill ? offer_deferred(agent) : status;
}

int skill__agent_offer(SkillAgent *agent) {
  int status = skill__agent_offer_files(agent);
  if (status || !agent->options.registry || !agent->profile.skills) return status;
  if (agent->offered_for && agent->offered_for == agent->catalogue) return 0;
  status = offer_skills(agent);
  if (!status) agent->offered_for = agent->catalogue;
  return status;
}

int skill__agent_offer_paging(SkillAgent *agent) {
  return skill__agent_offer_meta(agent, SKILL_META_PAGE, read_result);
}
