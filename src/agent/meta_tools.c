/* SPDX-License-Identifier: MIT
 *
 * skillet's own tools: search, open, read and run skills, and read on in a result that was cut. Each is offered only
 * where it can do something. A call that misses answers with at most three suggestions.
 */
#include <stdio.h>
#include <string.h>

#include "agent/file_tools.h"
#include "agent/internal.h"
#include "agent/meta_call.h"
#include "agent/meta_open.h"
#include "agent/meta_run.h"
#include "gateway/internal.h"
#include "util/alloc.h"
#include "util/json.h"
#include "util/utf8.h"

enum { SEARCH_LIMIT = 5, SEARCH_MOST = 50, DESCRIPTION_BYTES = 320, LOOK_AT = 200, MOST_DEFERRED = 9000 };

/* Numbers above are as good as this one: nothing is so long. */
#define NUMBER_MOST 1e15

/* --- skill_search ---------------------------------------------------------------------------------------------- */

static size_t number(const cJSON *root, const char *key, size_t otherwise) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(root, key);
  if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0)) return otherwise;
  return item->valuedouble < NUMBER_MOST ? (size_t)item->valuedouble : (size_t)NUMBER_MOST;
}

static bool search_shows(const char *name, void *user) {
  SkillAgent *agent = user;
  Skill *skill = skill_registry_find(agent->options.registry, name);
  return skill && skill__agent_shows(agent, skill);
}

static void put_result(SkillAgent *agent, const SkillRankResult *result, bool first, struct skill__buf *buf) {
  Skill *skill = skill_registry_find(agent->options.registry, result->name);
  const char *text = skill ? skill_metadata(skill)->description : NULL;
  struct skill__buf clean; /* as in the list: what a person cannot see is not shown to a model */
  skill__buf_init(&clean, SKILL_MAX_DESCRIPTION * 3);
  if (text) skill__listing_clean(&clean, text, strlen(text));
  size_t length = clean.length;
  if (length > DESCRIPTION_BYTES) length = skill__utf8_floor(clean.data, DESCRIPTION_BYTES);
  skill__buf_text(buf, first ? "{\"name\":" : ",{\"name\":");
  skill__buf_json_text(buf, result->name);
  skill__buf_printf(buf, ",\"fit\":%.2f,\"description\":", result->fit);
  skill__buf_json(buf, length ? clean.data : "", length);
  skill__buf_char(buf, '}');
  if (skill__buf_status(&clean)) buf->status = skill__buf_status(&clean);
  skill__buf_fini(&clean);
}

static void put_ranking(SkillAgent *agent, const SkillRanking *ranking, size_t cursor, struct skill__buf *buf) {
  skill__buf_text(buf, "{\"results\":[");
  for (size_t i = 0; i < ranking->count; i++) put_result(agent, &ranking->results[i], i == 0, buf);
  skill__buf_char(buf, ']');
  if (!ranking->count) {
    skill__buf_text(buf, ",\"reason\":");
    skill__buf_json_text(buf, ranking->reason);
  }
  size_t next = cursor + ranking->count;
  if (ranking->count && next < ranking->matched) {
    skill__buf_printf(buf, ",\"more\":%zu,\"cursor\":%zu", ranking->matched - next, next);
  }
  skill__buf_char(buf, '}');
}

static void search_call(SkillToolCall *call, const char *arguments_json, void *user) {
  SkillAgent *agent = user;
  cJSON *root = skill__meta_arguments(call, arguments_json);
  if (!root) return;
  const char *text = skill__json_string(root, "query");
  SkillRanking *ranking = NULL;
  SkillError why = SKILL_ERROR_INIT;
  SkillQuery query = {.text = text ? text : "", .grammar = true, .visible = search_shows, .user = agent};
  query.limit = number(root, "limit", SEARCH_LIMIT);
  if (!query.limit || query.limit > SEARCH_MOST) query.limit = SEARCH_LIMIT;
  query.offset = number(root, "cursor", 0);
  query.explain = true;
  int status = skill_loader_rank(agent->loader, &query, &ranking, &why);
  if (status == SKILL_EINVAL) { /* an odd quotation mark is no reason to find nothing */
    query.grammar = false;
    skill_error_clear(&why);
    status = skill_loader_rank(agent->loader, &query, &ranking, &why);
  }
  if (status) {
    skill__meta_finish(call, status, "The search failed: %s", why.message);
  } else {
    struct skill__buf buf;
    SkillEvent event = {.kind = SKILL_EVENT_SEARCHED, .count = ranking->count, .reason = query.text};
    skill__buf_init(&buf, 1024 * 1024);
    put_ranking(agent, ranking, query.offset, &buf);
    skill__agent_remember_search(agent, query.text, ranking);
    skill__agent_emit(agent, &event);
    status = skill__buf_status(&buf);
    if (status) skill__meta_finish(call, status, "%s", skill_strerror(status));
    if (!status) skill_tool_call_finish(call, 0, buf.data, buf.length);
    skill__buf_fini(&buf);
  }
  skill_ranking_free(ranking);
  cJSON_Delete(root);
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

static void no_file(SkillToolCall *call, const Skill *skill, const char *path, int status, const SkillError *why) {
  struct names names = {.count = 0};
  skill__buf_init(&names.buf, 8192);
  if (status == SKILL_ENOENT) (void)skill_resources(skill, on_name, &names, NULL);
  skill__meta_finish(call, status, "%.300s of %s cannot be read: %.300s%.600s", path, skill_name(skill),
                     why->code ? why->message : skill_strerror(status), names.buf.data ? names.buf.data : "");
  skill__buf_fini(&names.buf);
}

static void finish_page(SkillToolCall *call, const SkillPage *page) {
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
  int status = skill__buf_status(&buf);
  skill_tool_call_finish(call, status, buf.data, buf.length);
  skill__buf_fini(&buf);
}

static void read_call(SkillToolCall *call, const char *arguments_json, void *user) {
  SkillAgent *agent = user;
  cJSON *root = skill__meta_arguments(call, arguments_json);
  if (!root) return;
  const char *path = skill__json_string(root, "path");
  Skill *skill = skill__meta_skill(agent, call, skill__json_string(root, "name"));
  SkillError why = SKILL_ERROR_INIT;
  SkillPage page = {0};
  if (skill) {
    size_t most = agent->profile.result_bytes ? agent->profile.result_bytes * 3 / 4 : 24 * 1024;
    int status = skill_resource_read(skill, path ? path : "", number(root, "cursor", 0), most, &page, &why);
    if (status) {
      no_file(call, skill, path ? path : "", status, &why);
    } else {
      SkillEvent event = {.kind = SKILL_EVENT_READ, .skill = skill_name(skill), .reason = path};
      event.tokens = skill_tokens_count(agent->tokenizer, page.data, page.length);
      skill__agent_emit(agent, &event);
      finish_page(call, &page);
      skill_free(page.data);
    }
  }
  cJSON_Delete(root);
}

/* --- result_read ----------------------------------------------------------------------------------------------- */

static void page_call(SkillToolCall *call, const char *arguments_json, void *user) {
  SkillAgent *agent = user;
  cJSON *root = skill__meta_arguments(call, arguments_json);
  if (!root) return;
  const char *id = skill__json_string(root, "id");
  const char *text = NULL;
  size_t length = 0;
  uint64_t next = 0;
  int status = skill_gateway_page(agent->gateway, id ? id : "", number(root, "cursor", 0), &text, &length, &next);
  if (status) {
    skill__meta_finish(call, status, "No result is kept under '%.100s', or the cursor lies beyond it.", id ? id : "");
  } else {
    struct skill__buf buf;
    skill__buf_init(&buf, SKILL_MAX_MESSAGE);
    skill__buf_add(&buf, text, length);
    if (next) skill__buf_printf(&buf, "\n[cursor %llu reads on]", (unsigned long long)next);
    status = skill__buf_status(&buf);
    skill_tool_call_finish(call, status, buf.data, buf.length);
    skill__buf_fini(&buf);
  }
  cJSON_Delete(root);
}

/* --- which of them are offered --------------------------------------------------------------------------------- */

struct found {
  bool files, scripts;
};

static int on_resource(const SkillResource *resource, void *user) {
  struct found *found = user;
  found->files = true;
  found->scripts = found->scripts || strncmp(resource->path, "scripts/", 8) == 0;
  return found->scripts ? 1 : 0; /* nothing more to learn */
}

/* Looks until both kinds are found, at a bounded number of skills; with more than those there is something. */
static void look_around(SkillAgent *agent, size_t *openable, struct found *found) {
  size_t looked = 0;
  *openable = 0;
  for (Skill *skill = NULL; (skill = skill_registry_next(agent->options.registry, skill)) != NULL;) {
    const SkillMetadata *metadata = skill_metadata(skill);
    if (!skill__agent_shows(agent, skill)) continue;
    if (skill_permissions_mode(agent->permissions, metadata) == SKILL_MODE_LAZY) (*openable)++;
    if (found->scripts || !metadata->path) continue;
    bool enough = looked++ >= LOOK_AT;
    int status = enough ? 0 : skill_resources(skill, on_resource, found, NULL);
    /* What cannot be read now may hold both when it is asked for. */
    if (enough || status == SKILL_EIO || status == SKILL_ENOMEM) found->files = found->scripts = true;
  }
}

/* What can do something. */
static int offer_useful(SkillAgent *agent) {
  struct found found = {false, false};
  size_t openable = 0;
  bool fork = agent->fork_skill != NULL;
  int status = 0;
  look_around(agent, &openable, &found);
  if (!fork && openable) status = skill__agent_offer_meta(agent, SKILL_META_SEARCH, search_call);
  if (!status && openable && (!fork || agent->depth < agent->profile.fork_depth)) {
    status = skill__agent_offer_meta(agent, SKILL_META_OPEN, skill__open_call);
  }
  if (!status && found.files) status = skill__agent_offer_meta(agent, SKILL_META_READ, read_call);
  if (!status && found.scripts && agent->profile.scripts) {
    status = skill__agent_offer_meta(agent, SKILL_META_RUN, skill__run_call);
  }
  return status;
}

/* All at once and for good: what may become useful later cannot be added then. */
static int offer_constant(SkillAgent *agent) {
  bool fork = agent->fork_skill != NULL;
  int status = fork ? 0 : skill__agent_offer_meta(agent, SKILL_META_SEARCH, search_call);
  if (!status && (!fork || agent->depth < agent->profile.fork_depth)) {
    status = skill__agent_offer_meta(agent, SKILL_META_OPEN, skill__open_call);
  }
  if (!status) status = skill__agent_offer_meta(agent, SKILL_META_READ, read_call);
  if (!status && agent->profile.scripts) status = skill__agent_offer_meta(agent, SKILL_META_RUN, skill__run_call);
  if (!status) status = skill__agent_offer_through(agent);
  return status ? status : skill__agent_offer_paging(agent);
}

/* Why something that was asked for is not done; told once. */
static void degrade(SkillAgent *agent, size_t count, const char *why) {
  SkillEvent event = {.kind = SKILL_EVENT_DEGRADED, .count = count, .reason = why};
  if (!agent->told_degraded) skill__agent_emit(agent, &event);
  agent->told_degraded = true;
}

/* The tools of all skills that the model may see, as far as their metadata tell; a call of one wakes its skill. */
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
    status = skill__agent_offer_tools(agent, metadata->name, metadata->tools, metadata->tool_count, true);
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
  return skill__agent_offer_meta(agent, SKILL_META_PAGE, page_call);
}
