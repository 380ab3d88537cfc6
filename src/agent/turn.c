/* SPDX-License-Identifier: MIT
 *
 * The kernel: llm_request ↔ tool_phase until the model stops calling, a limit is reached, or somebody cancels.
 * Whatever happens, the conversation that remains is valid: open calls get an answer that says why there is none.
 */
#include <stdio.h>
#include <string.h>

#include "agent/at_mentions.h"
#include "agent/internal.h"
#include "agent/meta_call.h"
#include "agent/passage_retrieve.h"
#include "util/alloc.h"

/* --- calls that stay open -------------------------------------------------------------------------------------- */

/* Answers what is open; where even that finds no memory, the next turn repairs it. */
static void close_calls(SkillAgent *agent, const char *why) {
  (void)skill_conversation_repair(agent->talk, why);
}

/* --- limits ---------------------------------------------------------------------------------------------------- */

static bool purse_empty(SkillAgent *agent) {
  const struct skill__purse *purse = agent->turn.purse;
  if (purse->tokens_max && purse->tokens >= purse->tokens_max) {
    skill__turn_end(agent, SKILL_TURN_LIMIT, SKILL_ELIMIT, "the budget of %zu tokens is used up", purse->tokens_max);
    return true;
  }
  if (purse->deadline_ms && agent->io->now_ms(agent->io) >= purse->deadline_ms) {
    skill__turn_end(agent, SKILL_TURN_LIMIT, SKILL_ETIMEDOUT, "the time for this turn is used up");
    return true;
  }
  return false;
}

static void on_reply(SkillAgent *agent, int status, const SkillReply *reply, const SkillError *error);

/* Asks the model again, or ends at a limit. */
static void ask(SkillAgent *agent) {
  SkillError why = SKILL_ERROR_INIT;
  if (agent->canceled) {
    skill__turn_end(agent, SKILL_TURN_CANCELED, SKILL_ECANCELED, NULL);
    return;
  }
  if (agent->turn.iterations >= agent->profile.max_iterations) {
    skill__turn_end(agent, SKILL_TURN_LIMIT, SKILL_ELIMIT, "the model still calls tools after %zu requests",
                    agent->turn.iterations);
    return;
  }
  if (purse_empty(agent)) return;
  agent->turn.iterations++;
  agent->state = SKILL__AGENT_MODEL;
  int status = skill__agent_ask(agent, on_reply, &why);
  if (status) skill__turn_end(agent, SKILL_TURN_FAILED, status, "%s", why.message);
}

/* --- the reply ------------------------------------------------------------------------------------------------- */

static bool id_known_here(const SkillAgent *agent, const char *id) {
  for (size_t i = 0; i < skill_conversation_count(agent->talk); i++) {
    const SkillMessage *message = skill_conversation_at(agent->talk, i);
    for (size_t k = 0; k < message->call_count; k++) {
      if (strcmp(message->calls[k].id, id) == 0) return true;
    }
  }
  return false;
}

/* In the agent, its forks and theirs. */
static bool id_known_below(const SkillAgent *agent, const char *id) {
  bool known = id_known_here(agent, id);
  for (const SkillAgent *fork = agent->forks; fork && !known; fork = fork->next_fork) known = id_known_below(fork, id);
  return known;
}

static bool id_known(const SkillAgent *agent, const char *id) {
  while (agent->parent) agent = agent->parent;
  return id_known_below(agent, id);
}

static bool id_among(const SkillCall *calls, size_t count, const char *id) {
  for (size_t i = 0; i < count; i++) {
    if (calls[i].id && strcmp(calls[i].id, id) == 0) return true;
  }
  return false;
}

/* Some servers number calls anew in each answer, and forks share their parent's callbacks: ids must be unique. */
static char *unique_id(SkillAgent *agent, const SkillCall *calls, size_t count, size_t index) {
  const char *id = calls[index].id;
  bool twice = !id || !*id || id_known(agent, id) || id_among(calls, index, id);
  if (!twice) return skill__strdup(id);
  char made[96];
  do {
    snprintf(made, sizeof made, "%.48s%s%zu%s", id && *id ? id : "call", agent->fork_skill ? "_f" : "_", ++agent->ids,
             agent->depth > 1 ? "_d" : "");
  } while (id_known(agent, made) || id_among(calls, count, made));
  return skill__strdup(made);
}

/* Adds the answer to the conversation, with ids that are unique there. */
static int add_answer(SkillAgent *agent, const SkillReply *reply, SkillError *err) {
  SkillMessage message = reply->message;
  SkillCall *calls = NULL;
  int status = 0;
  message.role = SKILL_ROLE_ASSISTANT;
  if (message.call_count > SKILL_MAX_CALLS) {
    message.call_count = SKILL_MAX_CALLS;
    message.extra = NULL;
  }
  if (message.call_count) {
    calls = skill__calloc(message.call_count, sizeof *calls);
    if (!calls) return skill_error_set(err, SKILL_ENOMEM, "out of memory");
  }
  size_t made = 0;
  for (size_t i = 0; i < message.call_count; i++) calls[i] = message.calls[i];
  for (; made < message.call_count && !status; made++) {
    calls[made].id = unique_id(agent, calls, message.call_count, made);
    if (!calls[made].id) status = skill_error_set(err, SKILL_ENOMEM, "out of memory");
    if (status) break;
    const char *old = message.calls[made].id;
    if (!old || strcmp(old, calls[made].id) != 0) message.extra = NULL; /* blocks that name the old id are worthless */
  }
  message.calls = calls;
  if (!status) status = skill__agent_add_message(agent, &message, err);
  for (size_t i = 0; i < made; i++) skill_free((void *)(uintptr_t)calls[i].id);
  skill__free(calls);
  return status;
}

static void count_usage(SkillAgent *agent, const SkillReply *reply) {
  struct skill__turn *turn = &agent->turn;
  skill_usage_add(&turn->out.usage, &reply->usage);
  turn->purse->tokens += reply->usage.input_tokens + reply->usage.output_tokens;
  turn->out.requests++;
  turn->out.stop = reply->stop;
  SkillEvent event = {.kind = SKILL_EVENT_MODEL_REPLY, .tokens = reply->usage.output_tokens};
  event.count = reply->message.call_count;
  event.reason = agent->model->name;
  skill__agent_emit(agent, &event);
}

static void failed_reply(SkillAgent *agent, int status, const SkillReply *reply, const SkillError *error) {
  if (reply) { /* what had arrived counts, and its text stays */
    count_usage(agent, reply);
    SkillMessage part = {.role = SKILL_ROLE_ASSISTANT, .text = reply->message.text};
    part.text_length = reply->message.text_length;
    if (part.text_length) (void)skill__agent_add_message(agent, &part, NULL);
  }
  if (agent->canceled || status == SKILL_ECANCELED) {
    skill__turn_end(agent, SKILL_TURN_CANCELED, SKILL_ECANCELED, NULL);
  } else {
    skill__turn_end(agent, SKILL_TURN_FAILED, status, "%s: %s", agent->model->name, error->message);
  }
}

static void on_reply(SkillAgent *agent, int status, const SkillReply *reply, const SkillError *error) {
  SkillError why = SKILL_ERROR_INIT;
  if (status) {
    failed_reply(agent, status, reply, error);
    return;
  }
  count_usage(agent, reply);
  status = add_answer(agent, reply, &why);
  if (status) {
    skill__turn_end(agent, SKILL_TURN_FAILED, status, "%s", why.message);
  } else if (agent->canceled) {
    close_calls(agent, "canceled");
    skill__turn_end(agent, SKILL_TURN_CANCELED, SKILL_ECANCELED, NULL);
  } else if (!skill_conversation_open_calls(agent->talk)) {
    skill__turn_end(agent, SKILL_TURN_ANSWERED, 0, NULL);
  } else if (!agent->profile.tools) {
    close_calls(agent, "there are no tools here");
    ask(agent);
  } else {
    agent->state = SKILL__AGENT_TOOLS;
    skill__agent_take_calls(agent, false, ask);
  }
}

/* --- the beginning --------------------------------------------------------------------------------------------- */

static void on_time_up(void *arg) {
  SkillAgent *agent = arg;
  agent->timed_out = true;
  (void)skill_agent_cancel(agent);
}

/* Without memory for the timer the bound is looked at before each request only. */
static void set_bound(SkillAgent *agent) {
  int64_t bound = agent->parent ? 0 : agent->profile.total_ms; /* a fork ends with its parent */
  if (bound <= 0) return;
  agent->turn.own_purse.deadline_ms = agent->io->now_ms(agent->io) + bound;
  if (!agent->turn_timer) agent->turn_timer = skill__timer_new(agent->loop, on_time_up, agent);
  if (agent->turn_timer) skill__timer_set(agent->turn_timer, bound);
}

static void begin(SkillAgent *agent, SkillTurnCb cb, void *user, char *asked) {
  struct skill__turn *turn = &agent->turn;
  memset(turn, 0, sizeof *turn);
  turn->cb = cb;
  turn->user = user;
  turn->asked = asked;
  turn->purse = &turn->own_purse;
  turn->own_purse.tokens_max = agent->profile.total_tokens;
  turn->own_purse.calls_max = agent->profile.max_calls;
  set_bound(agent);
  if (agent->parent && agent->parent->turn.purse) turn->purse = agent->parent->turn.purse;
  agent->canceled = false;
  agent->timed_out = false;
  skill__free(agent->last_searches);
  agent->last_searches = NULL;
  agent->state = SKILL__AGENT_ACTIVATING;
}

static void on_activated(ProgressiveSkillLoader *loader, const SkillActivation *result, void *user) {
  SkillAgent *agent = user;
  (void)loader;
  agent->activation = 0;
  skill__agent_remember(agent, result);
  int status = 0;
  for (size_t i = 0; i < result->count && !status; i++) {
    const SkillActivationItem *item = &result->items[i];
    if (!item->status) status = skill__agent_offer_skill(agent, item->name, item->tools, item->tool_count);
    if (!item->status && !status) status = skill__agent_describe_active(agent, item->name, NULL);
  }
  if (agent->state != SKILL__AGENT_ACTIVATING) return;
  if (status) {
    skill__turn_end(agent, SKILL_TURN_FAILED, status, NULL);
  } else {
    ask(agent); /* ends where it was canceled meanwhile */
  }
}

/* With everything in its place: open calls first, then the policy's choice, then the model. */
static void go_on(SkillAgent *agent) {
  if (skill_conversation_open_calls(agent->talk)) {
    agent->state = SKILL__AGENT_TOOLS;
    skill__agent_take_calls(agent, true, ask);
    return;
  }
  bool rank = agent->profile.preactivate && agent->profile.skills && agent->loader && agent->turn.asked;
  rank = rank && !agent->deferring; /* the provider's search sees all tools as it is */
  if (rank && skill_loader_activate_query(agent->loader, agent->turn.asked, on_activated, agent, &agent->activation,
                                          NULL) == 0) {
    skill__agent_step_loader(agent);
    return;
  }
  ask(agent);
}

static void on_restored(ProgressiveSkillLoader *loader, const SkillActivation *result, void *user) {
  SkillAgent *agent = user;
  agent->activation = 0;
  for (size_t i = 0; i < result->count; i++) {
    const SkillActivationItem *item = &result->items[i];
    (void)skill_loader_set_body_state(loader, item->name, SKILL_BODY_IN_CONTEXT);
    if (!item->status) (void)skill__agent_offer_skill(agent, item->name, item->tools, item->tool_count);
    if (!item->status) (void)skill__agent_describe_active(agent, item->name, NULL);
  }
  if (agent->state != SKILL__AGENT_ACTIVATING) return;
  if (agent->canceled) {
    ask(agent); /* which ends the turn */
  } else {
    go_on(agent);
  }
}

/* The skills that a request brings along: those it mentions, and after a load those whose bodies are there, newest
 * first. Returns how many. */
static size_t brought_along(const SkillAgent *agent, const char **names, size_t room) {
  size_t count = 0;
  bool past = false; /* before this request */
  for (size_t i = skill_conversation_count(agent->talk); i-- > 0 && count < room;) {
    const SkillMessage *message = skill_conversation_at(agent->talk, i);
    const char *colon = message->origin ? strchr(message->origin, ':') : NULL;
    bool mention = colon && strncmp(message->origin, "mention:", 8) == 0;
    bool body = colon && strncmp(message->origin, "skill:", 6) == 0;
    past = past || message->role == SKILL_ROLE_ASSISTANT;
    if (past && !agent->loaded) break;
    if ((!mention && !body) || !skill_registry_find(agent->options.registry, colon + 1)) continue;
    bool known = false;
    for (size_t k = 0; k < count && !known; k++) known = strcmp(names[k], colon + 1) == 0;
    if (!known) names[count++] = colon + 1;
  }
  return count;
}

/* Tools, listing, the skills that come along; without tools straight to the model. */
static int go(SkillAgent *agent, SkillError *err) {
  const char *names[16];
  if (!agent->profile.tools) {
    ask(agent);
    return 0;
  }
  int status = skill__agent_equip(agent, err);
  if (!status) status = skill__agent_refresh_listing(agent);
  if (!status) status = skill__agent_offer(agent);
  if (status) return skill_error_set(err, status, "out of memory");
  size_t count = agent->loader ? brought_along(agent, names, 16) : 0;
  agent->loaded = false;
  if (count &&
      skill_loader_activate_many(agent->loader, names, count, on_restored, agent, &agent->activation, NULL) == 0) {
    skill__agent_step_loader(agent);
    return 0;
  }
  go_on(agent);
  return 0;
}

/* A turn that could not begin leaves the agent idle. */
static int undo(SkillAgent *agent, int status) {
  skill__free(agent->turn.asked);
  agent->turn = (struct skill__turn){0};
  if (agent->turn_timer) skill__timer_set(agent->turn_timer, -1);
  agent->state = SKILL__AGENT_IDLE;
  return status;
}

int skill_agent_turn(SkillAgent *agent, const char *text, size_t length, SkillTurnCb cb, void *user, SkillError *err) {
  if (!text || !cb) return skill_error_set(err, SKILL_EINVAL, "a turn needs a text and a callback");
  if (skill_agent_busy(agent)) return skill_error_set(err, SKILL_EBUSY, "a turn runs already");
  if (!length) length = strlen(text);
  char *asked = skill__strndup(text, length);
  if (!asked) return skill_error_set(err, SKILL_ENOMEM, "out of memory");
  begin(agent, cb, user, asked);
  SkillMessage message = {.role = SKILL_ROLE_USER, .text = text, .text_length = length};
  int status = skill_conversation_repair(agent->talk, "interrupted");
  status = status < 0 ? skill_error_set(err, status, "out of memory") : 0;
  /* A fork is asked by its skill's author: an '@' there names nothing of the user's. */
  if (!status && !agent->parent) status = skill__agent_attach(agent, asked, err);
  if (!status) status = skill__agent_retrieve(agent, asked, err);
  if (!status) status = skill__agent_add_message(agent, &message, err);
  if (!status) status = go(agent, err);
  return status ? undo(agent, status) : 0;
}

int skill_agent_resume(SkillAgent *agent, SkillTurnCb cb, void *user, SkillError *err) {
  if (!cb) return skill_error_set(err, SKILL_EINVAL, "a turn needs a callback");
  if (skill_agent_busy(agent)) return skill_error_set(err, SKILL_EBUSY, "a turn runs already");
  size_t count = skill_conversation_count(agent->talk);
  const SkillMessage *last = count ? skill_conversation_at(agent->talk, count - 1) : NULL;
  bool answered = last && last->role == SKILL_ROLE_ASSISTANT && !skill_conversation_open_calls(agent->talk);
  if (!last || answered) return skill_error_set(err, SKILL_ENOENT, "the conversation waits for nothing");
  begin(agent, cb, user, NULL);
  int status = go(agent, err);
  return status ? undo(agent, status) : 0;
}

int skill_agent_cancel(SkillAgent *agent) {
  if (agent->state == SKILL__AGENT_IDLE || agent->state == SKILL__AGENT_ENDING) return SKILL_ENOENT;
  agent->canceled = true;
  if (agent->state == SKILL__AGENT_ACTIVATING) {
    (void)skill_loader_cancel(agent->loader, agent->activation); /* its callback ends the turn */
    skill__agent_step_loader(agent);
  } else if (agent->state == SKILL__AGENT_MODEL && agent->ask) {
    skill_model_cancel(agent->ask->call);
  } else if (agent->state == SKILL__AGENT_TOOLS) {
    for (SkillAgent *fork = agent->forks; fork; fork = fork->next_fork) (void)skill_agent_cancel(fork);
    (void)skill_gateway_abort(agent->gateway, NULL, "canceled");
  }
  return 0;
}

/* --- blocking -------------------------------------------------------------------------------------------------- */

struct run {
  bool done;
  int status;
  char *answer;
  SkillTurn turn;
  SkillError error;
};

static void on_run(SkillAgent *agent, const SkillTurn *turn, void *user) {
  struct run *run = user;
  (void)agent;
  run->done = true;
  run->turn = *turn;
  run->error = *turn->error;
  run->status = turn->status;
  run->answer = skill__strndup(turn->answer, turn->answer_length);
  if (!run->answer && !run->status) run->status = skill_error_set(&run->error, SKILL_ENOMEM, "out of memory");
}

int skill_agent_run(SkillAgent *agent, const char *text, char **answer, SkillTurn *turn, SkillError *err) {
  struct run run = {.error = SKILL_ERROR_INIT};
  int status = skill_agent_turn(agent, text, 0, on_run, &run, err);
  if (status) return status;
  while (!run.done) {
    status = skill_loop_run_once(agent->loop, -1);
    if (status != SKILL_EBUSY) continue;
    (void)skill_agent_cancel(agent); /* called from a callback: it could wait for ever */
    agent->turn.cb = NULL;
    return skill_error_set(err, SKILL_EBUSY, "skill_agent_run cannot be called from a callback of its loop");
  }
  if (answer && !run.status) *answer = run.answer;
  if (!answer || run.status) skill__free(run.answer);
  if (turn) {
    *turn = run.turn;
    turn->answer = NULL;
    turn->error = NULL;
  }
  return run.status ? skill_error_set(err, run.status, "%s", run.error.message) : 0;
}
