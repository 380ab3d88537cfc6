/* SPDX-License-Identifier: MIT
 *
 * One step of the loader's state machine: apply finished inits and disposes, check deadlines, advance requests in
 * order, start the next dispose; repeat until nothing changes. Init, dispose and tools functions of skills, and
 * policies, run in here. Host callbacks do not: they run after it, in skill_loader_step().
 *
 * Whatever changes an entry in a way that another request may wait for sets `due`, which starts another round.
 */
#include <stdio.h>

#include "loader/loader_internal.h"

/* The tools are read after init, which may have created them. */
static void activated(ProgressiveSkillLoader *loader, struct skill__loader_entry *entry) {
  Skill *skill = entry->skill;
  skill__loader_entry_move(entry, SKILL_STATE_ACTIVE);
  entry->failures = 0;
  entry->order = ++loader->next_order;
  entry->activated_ms = entry->last_use_ms = skill__loader_now(loader);
  entry->deadline_ms = INT64_MAX;
  bool unwanted = entry->abandoned && !skill__loader_entry_wanted(entry);
  entry->abandoned = false;
  if (unwanted || entry->forgotten || loader->closing) {
    skill__loader_entry_leave(entry, SKILL_EVENT_DEACTIVATED, "no request waits for it any more", NULL);
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

static void back_off(ProgressiveSkillLoader *loader, struct skill__loader_entry *entry) {
  int64_t pause = loader->options.backoff_ms;
  if (pause <= 0) return;
  for (unsigned i = 0; i < entry->failures && pause < INT64_MAX / 4; i++) pause *= 2;
  entry->failures++;
  entry->retry_ms = skill__loader_after(loader, pause);
}

/* The entry may be freed here. */
static void now_listed(ProgressiveSkillLoader *loader, struct skill__loader_entry *entry) {
  skill__loader_entry_move(entry, SKILL_STATE_LISTED);
  loader->watcher.due = true;
  skill__loader_entry_tidy(entry);
}

static void init_failed(ProgressiveSkillLoader *loader, struct skill__loader_entry *entry, int status,
                        const char *message) {
  char reason[SKILL__ITEM_REASON_SIZE];
  snprintf(reason, sizeof reason, "its init failed: %s", message[0] ? message : skill_strerror(status));
  back_off(loader, entry);
  skill__loader_emit(
      loader, (SkillEvent){.kind = SKILL_EVENT_INIT_FAILED, .skill = entry->name, .status = status, .reason = reason});
  for (struct skill__loader_item *item = entry->items; item; item = item->next) {
    if (!item->settled) skill__loader_item_settle(loader, item, status, reason);
  }
  now_listed(loader, entry);
}

/* A dispose that fails has no other effect than the report: the skill is listed again in any case. An eviction has no
 * leaver; its failure is only an event. */
static void disposed(ProgressiveSkillLoader *loader, struct skill__loader_entry *entry, int status,
                     const char *message) {
  struct skill__loader_request *leaver = entry->leaver;
  entry->leaver = NULL;
  loader->dispose_running = false;
  if (status) {
    skill__loader_emit(loader, (SkillEvent){.kind = SKILL_EVENT_DISPOSE_FAILED,
                                            .skill = entry->name,
                                            .status = status,
                                            .reason = message[0] ? message : skill_strerror(status)});
    struct skill__loader_request *reported = leaver;
    if (!leaver && loader->closing) reported = loader->close_request;
    if (reported && !reported->status) {
      reported->status = status;
      snprintf(reported->message, sizeof reported->message, "%s", message);
    }
  }
  if (leaver && !--leaver->outstanding) leaver->complete = true;
  now_listed(loader, entry);
}

/* The list is a stack; reversing it gives the order in which the changes happened. `changed` is cleared before the
 * entry is handled, so that a change during the handling queues it again. */
static void take_changes(ProgressiveSkillLoader *loader) {
  struct skill__loader_entry *oldest = NULL;
  while (loader->changed) {
    struct skill__loader_entry *entry = loader->changed;
    loader->changed = entry->changed_next;
    entry->changed_next = oldest;
    oldest = entry;
  }
  while (oldest) {
    struct skill__loader_entry *entry = oldest;
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

/* Runs after take_changes(), so what ended in time is no longer in these lists. */
static void check_deadlines(ProgressiveSkillLoader *loader) {
  char message[SKILL__ITEM_REASON_SIZE];
  int64_t now_ms = skill__loader_now(loader);
  for (struct skill__loader_entry *entry = loader->starting.first, *next; entry; entry = next) {
    next = entry->next;
    if (entry->deadline_ms > now_ms) continue;
    skill__life_give_up(&entry->hold);
    snprintf(message, sizeof message, "it took longer than %lld ms", (long long)loader->options.init_timeout_ms);
    init_failed(loader, entry, SKILL_ETIMEDOUT, message);
  }
  struct skill__loader_entry *entry = loader->disposing.first;
  if (!loader->dispose_running || entry->deadline_ms > now_ms) return;
  skill__life_give_up(&entry->hold);
  snprintf(message, sizeof message, "dispose took longer than %lld ms", (long long)loader->options.dispose_timeout_ms);
  skill__registry_disposed(entry->skill, SKILL_ETIMEDOUT, message);
  disposed(loader, entry, SKILL_ETIMEDOUT, message);
}

/* Only skills in use are still active when the deadline of a close has passed. */
static void check_closing(ProgressiveSkillLoader *loader) {
  struct skill__loader_request *request = loader->close_request;
  if (!loader->closing || loader->close_deadline_ms > skill__loader_now(loader)) return;
  for (struct skill__loader_entry *entry = loader->active.first, *next; entry; entry = next) {
    next = entry->next;
    if (!request->status) {
      request->status = SKILL_ETIMEDOUT;
      snprintf(request->message, sizeof request->message, "a tool call of %.180s was still running after %lld ms",
               entry->name, (long long)loader->options.close_timeout_ms);
    }
    entry->uses = 0;
    skill__loader_entry_leave(entry, SKILL_EVENT_DEACTIVATED, "the loader was closed and its tool call took too long",
                              NULL);
  }
}

/* Joins the skill's life. The result, even an immediate one, arrives as a change of the hold. */
static void begin(ProgressiveSkillLoader *loader, struct skill__loader_item *item, Skill *skill, size_t tokens) {
  struct skill__loader_entry *entry = item->entry;
  entry->skill = skill__skill_retain(skill);
  entry->l2_tokens = tokens;
  entry->last_score = item->result.score;
  entry->deadline_ms = skill__loader_after(loader, loader->options.init_timeout_ms);
  loader->tokens += tokens;
  skill__loader_entry_move(entry, SKILL_STATE_INITIALISING);
  skill__loader_emit(
      loader,
      (SkillEvent){.kind = SKILL_EVENT_ACTIVATING, .skill = entry->name, .score = entry->last_score, .tokens = tokens});
  int status = skill__life_join(skill, &entry->hold);
  if (status) init_failed(loader, entry, status, "");
}

/* Starts a listed skill, or settles the item with the reason why not. Returns whether it has to wait for room. */
static bool start(ProgressiveSkillLoader *loader, struct skill__loader_item *item) {
  char reason[SKILL__ITEM_REASON_SIZE];
  struct skill__loader_entry *entry = item->entry;
  Skill *skill = skill_registry_find(loader->registry, entry->name);
  if (!skill) {
    skill__loader_item_settle(loader, item, SKILL_ENOENT, "it was unregistered meanwhile");
    return false;
  }
  int64_t wait = entry->failures ? entry->retry_ms - skill__loader_now(loader) : 0;
  if (wait > 0) {
    snprintf(reason, sizeof reason, "its init failed %u times; it is not tried again for %lld ms", entry->failures,
             (long long)wait);
    skill__loader_item_settle(loader, item, SKILL_EFAILED, reason);
    return false;
  }
  size_t tokens = skill__loader_l2_tokens(loader, skill);
  int status = skill__loader_make_room(loader, item, tokens, reason, sizeof reason);
  if (status > 0) return true;
  if (status < 0) {
    skill__loader_item_settle(loader, item, status, reason);
  } else {
    item->waited = true;
    begin(loader, item, skill, tokens);
  }
  return false;
}

/* `blocked`: an earlier item waits for room, and no later item may take it first. An item of an active skill is settled
 * all the same, since it needs no room. */
static void item_progress(ProgressiveSkillLoader *loader, struct skill__loader_item *item, bool *blocked) {
  struct skill__loader_entry *entry = item->entry;
  switch (entry->state) {
    case SKILL_STATE_ACTIVE:
      if (entry->forgotten) {
        skill__loader_item_settle(loader, item, SKILL_ECANCELED, "it is being unregistered");
        break;
      }
      item->result.hit = !item->waited;
      skill__loader_item_settle(loader, item, 0, item->waited ? "activated" : "already active");
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

/* Items of a complete request are all settled and stay so: nothing happens to it here. */
static void request_progress(ProgressiveSkillLoader *loader, struct skill__loader_request *request, bool *blocked) {
  if (request->query) {
    request->status = skill__loader_prepare_query(loader, request);
    for (size_t i = 0; request->status && i < request->count; i++) {
      struct skill__loader_item *item = &request->items[i];
      if (!item->settled) skill__loader_item_settle(loader, item, request->status, request->message);
    }
  }
  for (size_t i = 0; i < request->count; i++) {
    if (!request->items[i].settled) item_progress(loader, &request->items[i], blocked);
  }
  request->complete = request->settled == request->count;
}

/* Disposes run one at a time, in the order in which the skills left. */
static void run_dispose(ProgressiveSkillLoader *loader) {
  struct skill__loader_entry *entry = loader->disposing.first;
  if (loader->dispose_running || !entry) return;
  loader->dispose_running = true;
  entry->deadline_ms = skill__loader_after(loader, loader->options.dispose_timeout_ms);
  skill__life_leave(&entry->hold);
}

/* The close is delivered last: it completes only when it is the only request left. */
static void check_close(ProgressiveSkillLoader *loader) {
  struct skill__loader_request *request = loader->requests;
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
    for (struct skill__loader_request *request = loader->requests; request; request = request->next) {
      if (request->kind == SKILL__ACTIVATE) request_progress(loader, request, &blocked);
    }
    run_dispose(loader);
  } while (loader->watcher.due);
  check_close(loader);
}
