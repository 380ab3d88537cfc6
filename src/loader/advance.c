/* SPDX-License-Identifier: MIT
 *
 * The turning of the wheel: holds that changed, deadlines, requests in order, the next dispose; again until nothing
 * moves. Skills' init, dispose and tools functions and policies run in here, host callbacks do not.
 */
#include <stdio.h>

#include "loader/loader_internal.h"

int64_t skill__loader_after(const ProgressiveSkillLoader *loader, int64_t ms) {
  int64_t now_ms = skill__loader_now(loader);
  if (ms <= 0) return INT64_MAX;
  return ms > INT64_MAX - now_ms ? INT64_MAX : now_ms + ms;
}

static void activated(ProgressiveSkillLoader *loader, struct skill__entry *entry) {
  Skill *skill = entry->cold->skill;
  skill__entry_move(entry, SKILL_STATE_ACTIVE);
  entry->cold->failures = 0;
  entry->cold->order = ++loader->next_order;
  entry->cold->activated_ms = skill__loader_now(loader);
  entry->last_use_ms = entry->cold->activated_ms;
  entry->cold->deadline_ms = INT64_MAX;
  bool unwanted = entry->cold->abandoned && !skill__entry_open_items(entry);
  entry->cold->abandoned = false;
  if (unwanted || entry->cold->forgotten || loader->closing) {
    skill__entry_leave(entry, SKILL_EVENT_DEACTIVATED, "nobody waits for it any more", NULL);
    return;
  }
  entry->tools = skill->metadata->tools;
  size_t count = skill->tools ? skill->tools(skill, &entry->tools, skill->user) : skill->metadata->tool_count;
  entry->tool_count = count < SKILL__TOOLS_MAX ? (uint32_t)count : SKILL__TOOLS_MAX;
  skill__loader_emit(loader, (SkillEvent){.kind = SKILL_EVENT_ACTIVATED,
                                          .skill = entry->cold->name,
                                          .source = skill->metadata->source,
                                          .score = entry->cold->last_score,
                                          .tokens = entry->cold->l2_tokens,
                                          .count = entry->tool_count});
}

static void back_off(ProgressiveSkillLoader *loader, struct skill__entry *entry) {
  int64_t pause = loader->options.backoff_ms;
  if (pause <= 0) return;
  for (unsigned i = 0; i < entry->cold->failures && pause < INT64_MAX / 4; i++) pause *= 2;
  entry->cold->failures++;
  entry->cold->retry_ms = skill__loader_after(loader, pause);
}

static void init_failed(ProgressiveSkillLoader *loader, struct skill__entry *entry, int status, const char *message) {
  char reason[SKILL__REASON_SIZE];
  snprintf(reason, sizeof reason, "its init failed: %s", message[0] ? message : skill_strerror(status));
  back_off(loader, entry);
  skill__loader_emit(
      loader,
      (SkillEvent){.kind = SKILL_EVENT_INIT_FAILED, .skill = entry->cold->name, .status = status, .reason = reason});
  for (struct skill__item *item = entry->cold->items; item; item = item->next) {
    if (!item->settled) skill__item_settle(loader, item, status, reason);
  }
  skill__entry_move(entry, SKILL_STATE_LISTED);
  loader->watcher.due = true;
  skill__entry_tidy(entry);
}

static void disposed(ProgressiveSkillLoader *loader, struct skill__entry *entry, int status, const char *message) {
  struct skill__request *leaver = entry->cold->leaver;
  entry->cold->leaver = NULL;
  loader->dispose_running = false;
  if (status) {
    skill__loader_emit(loader, (SkillEvent){.kind = SKILL_EVENT_DISPOSE_FAILED,
                                            .skill = entry->cold->name,
                                            .status = status,
                                            .reason = message[0] ? message : skill_strerror(status)});
    struct skill__request *told = leaver ? leaver : loader->closing ? loader->close_request : NULL;
    if (told && !told->status) {
      told->status = status;
      snprintf(told->message, sizeof told->message, "%s", message);
    }
  }
  if (leaver && !--leaver->outstanding) leaver->complete = true;
  skill__entry_move(entry, SKILL_STATE_LISTED);
  loader->watcher.due = true;
  skill__entry_tidy(entry);
}

static void take_changes(ProgressiveSkillLoader *loader) {
  struct skill__entry *oldest = NULL;
  while (loader->changed) {
    struct skill__entry *entry = loader->changed;
    loader->changed = entry->cold->changed_next;
    entry->cold->changed_next = oldest;
    oldest = entry;
  }
  while (oldest) {
    struct skill__entry *entry = oldest;
    struct skill__hold *hold = &entry->cold->hold;
    oldest = entry->cold->changed_next;
    entry->cold->changed = false;
    if (hold->state == SKILL__HOLD_READY && entry->state == SKILL_STATE_INITIALISING) {
      activated(loader, entry);
    } else if (hold->state == SKILL__HOLD_FAILED) {
      init_failed(loader, entry, hold->status, hold->message);
    } else if (hold->state == SKILL__HOLD_STOPPED) {
      disposed(loader, entry, hold->status, hold->message);
    }
  }
}

static void check_deadlines(ProgressiveSkillLoader *loader) {
  char message[SKILL__REASON_SIZE];
  int64_t now_ms = skill__loader_now(loader);
  for (struct skill__entry *entry = loader->starting.first, *next; entry; entry = next) {
    next = entry->next;
    if (entry->cold->deadline_ms > now_ms || entry->cold->changed) continue;
    skill__life_give_up(&entry->cold->hold);
    snprintf(message, sizeof message, "it took longer than %lld ms", (long long)loader->options.init_timeout_ms);
    init_failed(loader, entry, SKILL_ETIMEDOUT, message);
  }
  struct skill__entry *entry = loader->disposing.first;
  if (!loader->dispose_running || entry->cold->deadline_ms > now_ms || entry->cold->changed) return;
  skill__life_give_up(&entry->cold->hold);
  snprintf(message, sizeof message, "dispose took longer than %lld ms", (long long)loader->options.dispose_timeout_ms);
  skill__registry_disposed(entry->cold->skill, SKILL_ETIMEDOUT, message);
  disposed(loader, entry, SKILL_ETIMEDOUT, message);
}

/* Closing has waited long enough for tool calls. */
static void check_closing(ProgressiveSkillLoader *loader) {
  struct skill__request *request = loader->close_request;
  if (!loader->closing || !loader->active.count || loader->close_deadline_ms > skill__loader_now(loader)) return;
  for (struct skill__entry *entry = loader->active.first, *next; entry; entry = next) {
    next = entry->next;
    if (!request->status) {
      request->status = SKILL_ETIMEDOUT;
      snprintf(request->message, sizeof request->message, "a tool call of %.200s still ran after %lld ms",
               entry->cold->name, (long long)loader->options.close_timeout_ms);
    }
    entry->cold->uses = 0;
    skill__entry_leave(entry, SKILL_EVENT_DEACTIVATED, "the loader was closed, and its tool call took too long", NULL);
  }
}

/* Joins the skill's life; what comes of it arrives as a change of the hold. */
static void begin(ProgressiveSkillLoader *loader, struct skill__item *item, Skill *skill, size_t tokens) {
  struct skill__entry *entry = item->entry;
  entry->cold->skill = skill__skill_retain(skill);
  entry->cold->l2_tokens = tokens;
  entry->cold->last_score = item->result->score;
  entry->cold->deadline_ms = skill__loader_after(loader, loader->options.init_timeout_ms);
  loader->tokens += tokens;
  skill__entry_move(entry, SKILL_STATE_INITIALISING);
  skill__loader_emit(
      loader,
      (SkillEvent){
          .kind = SKILL_EVENT_ACTIVATING, .skill = entry->cold->name, .score = item->result->score, .tokens = tokens});
  int rc = skill__life_join(skill, &entry->cold->hold);
  if (rc) init_failed(loader, entry, rc, "");
}

/* Begins a listed skill; returns whether it has to wait for room. */
static bool start(ProgressiveSkillLoader *loader, struct skill__item *item) {
  char reason[SKILL__REASON_SIZE];
  struct skill__entry *entry = item->entry;
  Skill *skill = skill_registry_find(loader->registry, entry->cold->name);
  if (!skill) {
    skill__item_settle(loader, item, SKILL_ENOENT, "it was unregistered meanwhile");
    return false;
  }
  int64_t wait = entry->cold->failures ? entry->cold->retry_ms - skill__loader_now(loader) : 0;
  if (wait > 0) {
    snprintf(reason, sizeof reason, "its init failed %u times; not tried again for %lld ms", entry->cold->failures,
             (long long)wait);
    skill__item_settle(loader, item, SKILL_EFAILED, reason);
    return false;
  }
  size_t tokens = skill__loader_l2_tokens(loader, skill);
  int rc = skill__room_make(loader, item, tokens, reason, sizeof reason);
  if (rc > 0) return true;
  if (rc < 0) {
    skill__item_settle(loader, item, rc, reason);
  } else {
    item->waited = true;
    begin(loader, item, skill, tokens);
  }
  return false;
}

/* `blocked`: an earlier item waits for room, so no later one may take it. */
static void item_progress(ProgressiveSkillLoader *loader, struct skill__item *item, bool *blocked) {
  struct skill__entry *entry = item->entry;
  switch (entry->state) {
    case SKILL_STATE_ACTIVE:
      if (entry->cold->forgotten) {
        skill__item_settle(loader, item, SKILL_ECANCELED, "it is being unregistered");
        break;
      }
      item->result->hit = !item->waited;
      skill__item_settle(loader, item, 0, item->waited ? "activated" : "already active");
      break;
    case SKILL_STATE_INITIALISING:
      entry->cold->abandoned = false;
      item->waited = true;
      break;
    case SKILL_STATE_DISPOSING:
      item->waited = true;
      break;
    case SKILL_STATE_LISTED:
      if (!*blocked) *blocked = start(loader, item);
      break;
  }
}

static void request_progress(ProgressiveSkillLoader *loader, struct skill__request *request, bool *blocked) {
  if (request->query) {
    int rc = skill__query_prepare(loader, request);
    if (rc) {
      request->status = rc;
      for (size_t i = 0; i < request->count; i++) {
        if (!request->items[i].settled) skill__item_settle(loader, &request->items[i], rc, request->message);
      }
    }
  }
  for (size_t i = 0; i < request->count; i++) {
    if (!request->items[i].settled) item_progress(loader, &request->items[i], blocked);
  }
  request->complete = request->settled == request->count;
}

static void run_dispose(ProgressiveSkillLoader *loader) {
  struct skill__entry *entry = loader->disposing.first;
  if (loader->dispose_running || !entry) return;
  loader->dispose_running = true;
  entry->cold->deadline_ms = skill__loader_after(loader, loader->options.dispose_timeout_ms);
  skill__life_leave(&entry->cold->hold);
}

static void check_close(ProgressiveSkillLoader *loader) {
  struct skill__request *request = loader->requests;
  if (!request || request->kind != SKILL__CLOSE || request->complete) return;
  request->complete = !loader->starting.count && !loader->active.count && !loader->disposing.count;
}

void skill__loader_advance(ProgressiveSkillLoader *loader) {
  do {
    bool blocked = false;
    loader->watcher.due = false;
    take_changes(loader);
    check_deadlines(loader);
    check_closing(loader);
    for (struct skill__request *request = loader->requests; request; request = request->next) {
      if (request->kind == SKILL__ACTIVATE && !request->complete) request_progress(loader, request, &blocked);
    }
    run_dispose(loader);
  } while (loader->watcher.due);
  check_close(loader);
}
