/* SPDX-License-Identifier: MIT
 *
 * The turning of the wheel: holds that changed, deadlines, requests in order, the next dispose; again until nothing
 * moves. Skills' init, dispose and tools functions and policies run in here, host callbacks do not.
 */
#include <stdio.h>

#include "loader/loader_internal.h"

static void activated(ProgressiveSkillLoader *loader, struct skill__entry *entry) {
  Skill *skill = entry->skill;
  skill__entry_move(entry, SKILL_STATE_ACTIVE);
  entry->failures = 0;
  entry->order = ++loader->next_order;
  entry->activated_ms = skill__loader_now(loader);
  entry->last_use_ms = entry->activated_ms;
  entry->deadline_ms = INT64_MAX;
  bool unwanted = entry->abandoned && !skill__entry_open_items(entry);
  entry->abandoned = false;
  if (unwanted || entry->forgotten || loader->closing) {
    skill__entry_leave(entry, SKILL_EVENT_DEACTIVATED, "nobody waits for it any more", NULL);
    return;
  }
  entry->tools = skill->metadata->tools;
  entry->tool_count = skill->metadata->tool_count;
  if (skill->tools) entry->tool_count = skill->tools(skill, &entry->tools, skill->user);
  skill__loader_emit(loader, (SkillEvent){.kind = SKILL_EVENT_ACTIVATED,
                                          .skill = entry->name,
                                          .source = skill->metadata->source,
                                          .score = entry->last_score,
                                          .tokens = entry->l2_tokens,
                                          .count = entry->tool_count});
}

static void back_off(ProgressiveSkillLoader *loader, struct skill__entry *entry) {
  int64_t pause = loader->options.backoff_ms;
  if (pause <= 0) return;
  for (unsigned i = 0; i < entry->failures && pause < INT64_MAX / 4; i++) pause *= 2;
  entry->failures++;
  entry->retry_ms = skill__loader_after(loader, pause);
}

static void init_failed(ProgressiveSkillLoader *loader, struct skill__entry *entry, int status, const char *message) {
  char reason[SKILL__REASON_SIZE];
  snprintf(reason, sizeof reason, "its init failed: %s", message[0] ? message : skill_strerror(status));
  back_off(loader, entry);
  skill__loader_emit(
      loader, (SkillEvent){.kind = SKILL_EVENT_INIT_FAILED, .skill = entry->name, .status = status, .reason = reason});
  for (struct skill__item *item = entry->items; item; item = item->next) {
    if (!item->settled) skill__item_settle(loader, item, status, reason);
  }
  skill__entry_move(entry, SKILL_STATE_LISTED);
  loader->watcher.due = true;
  skill__entry_tidy(entry);
}

static void disposed(ProgressiveSkillLoader *loader, struct skill__entry *entry, int status, const char *message) {
  struct skill__request *leaver = entry->leaver;
  entry->leaver = NULL;
  loader->dispose_running = false;
  if (status) {
    skill__loader_emit(loader, (SkillEvent){.kind = SKILL_EVENT_DISPOSE_FAILED,
                                            .skill = entry->name,
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
    loader->changed = entry->changed_next;
    entry->changed_next = oldest;
    oldest = entry;
  }
  while (oldest) {
    struct skill__entry *entry = oldest;
    struct skill__hold *hold = &entry->hold;
    oldest = entry->changed_next;
    entry->changed = false;
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
    if (entry->deadline_ms > now_ms || entry->changed) continue;
    skill__life_give_up(&entry->hold);
    snprintf(message, sizeof message, "it took longer than %lld ms", (long long)loader->options.init_timeout_ms);
    init_failed(loader, entry, SKILL_ETIMEDOUT, message);
  }
  struct skill__entry *entry = loader->disposing.first;
  if (!loader->dispose_running || entry->deadline_ms > now_ms || entry->changed) return;
  skill__life_give_up(&entry->hold);
  snprintf(message, sizeof message, "dispose took longer than %lld ms", (long long)loader->options.dispose_timeout_ms);
  skill__registry_disposed(entry->skill, SKILL_ETIMEDOUT, message);
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
      snprintf(request->message, sizeof request->message, "a tool call of %.200s still ran after %lld ms", entry->name,
               (long long)loader->options.close_timeout_ms);
    }
    entry->uses = 0;
    skill__entry_leave(entry, SKILL_EVENT_DEACTIVATED, "the loader was closed, and its tool call took too long", NULL);
  }
}

/* Joins the skill's life; what comes of it arrives as a change of the hold. */
static void begin(ProgressiveSkillLoader *loader, struct skill__item *item, Skill *skill, size_t tokens) {
  struct skill__entry *entry = item->entry;
  entry->skill = skill__skill_retain(skill);
  entry->l2_tokens = tokens;
  entry->last_score = item->result->score;
  entry->deadline_ms = skill__loader_after(loader, loader->options.init_timeout_ms);
  loader->tokens += tokens;
  skill__entry_move(entry, SKILL_STATE_INITIALISING);
  skill__loader_emit(
      loader,
      (SkillEvent){
          .kind = SKILL_EVENT_ACTIVATING, .skill = entry->name, .score = item->result->score, .tokens = tokens});
  int rc = skill__life_join(skill, &entry->hold);
  if (rc) init_failed(loader, entry, rc, "");
}

/* Begins a listed skill; returns whether it has to wait for room. */
static bool start(ProgressiveSkillLoader *loader, struct skill__item *item) {
  char reason[SKILL__REASON_SIZE];
  struct skill__entry *entry = item->entry;
  Skill *skill = skill_registry_find(loader->registry, entry->name);
  if (!skill) {
    skill__item_settle(loader, item, SKILL_ENOENT, "it was unregistered meanwhile");
    return false;
  }
  int64_t wait = entry->failures ? entry->retry_ms - skill__loader_now(loader) : 0;
  if (wait > 0) {
    snprintf(reason, sizeof reason, "its init failed %u times; not tried again for %lld ms", entry->failures,
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
      if (entry->forgotten) {
        skill__item_settle(loader, item, SKILL_ECANCELED, "it is being unregistered");
        break;
      }
      item->result->hit = !item->waited;
      skill__item_settle(loader, item, 0, item->waited ? "activated" : "already active");
      break;
    case SKILL_STATE_INITIALISING:
      entry->abandoned = false;
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
  entry->deadline_ms = skill__loader_after(loader, loader->options.dispose_timeout_ms);
  skill__life_leave(&entry->hold);
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
