/* SPDX-License-Identifier: MIT
 *
 * The state machine of a turn. An enter_… function changes the state:
 *
 *   start_turn        IDLE -> ACTIVATING  the request is added to the conversation
 *   prepare_turn      ACTIVATING          skills that the request mentions are activated
 *   activate_chosen   ACTIVATING          skills that the policy selects are activated
 *   enter_model       -> MODEL            a request to the model runs; on_reply continues
 *   enter_tools       -> TOOLS            the calls of an answer run; then enter_model
 *   skill__turn_end   -> ENDING -> IDLE   the callback runs in a step of the loop
 *
 * After every end the conversation is valid: a call without a result gets one that says why.
 */
#include <stdio.h>
#include <string.h>

#include "agent/internal.h"
#include "agent/meta_tools.h"
#include "util/alloc.h"

/* --- limits ---------------------------------------------------------------------------------------------------- */

/* Ends the turn if its tokens or its time are used up. */
static bool purse_empty(SkillAgent *agent) {
  const struct skill__agent_purse *purse = agent->turn.purse;
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

/* Sends a request to the model, or ends the turn at a limit or after a cancel. */
static void enter_model(SkillAgent *agent) {
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
  int status = skill__request_start(agent, on_reply, &why);
  if (status) skill__turn_end(agent, SKILL_TURN_FAILED, status, "%s", why.message);
}

/* Runs the open calls of the last answer. `again`: some may have run before, in an interrupted turn. */
static void enter_tools(SkillAgent *agent, bool again) {
  agent->state = SKILL__AGENT_TOOLS;
  skill__agent_take_calls(agent, again, enter_model);
}

/* --- the reply ------------------------------------------------------------------------------------------------- */

static void count_usage(SkillAgent *agent, const SkillReply *reply) {
  struct skill__agent_turn *turn = &agent->turn;
  skill_usage_add(&turn->out.usage, &reply->usage);
  turn->purse->tokens += reply->usage.input_tokens + reply->usage.output_tokens;
  turn->out.requests++;
  turn->out.stop = reply->stop;
  SkillEvent event = {.kind = SKILL_EVENT_MODEL_REPLY, .reason = agent->model->name};
  event.tokens = reply->usage.output_tokens;
  event.count = reply->message.call_count;
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
  status = skill__agent_add_answer(agent, reply, &why);
  if (status) {
    skill__turn_end(agent, SKILL_TURN_FAILED, status, "%s", why.message);
  } else if (agent->canceled) {
    (void)skill_conversation_repair(agent->talk, "canceled"); /* out of memory: the next turn repairs it */
    skill__turn_end(agent, SKILL_TURN_CANCELED, SKILL_ECANCELED, NULL);
  } else if (!skill_conversation_open_calls(agent->talk)) {
    skill__turn_end(agent, SKILL_TURN_ANSWERED, 0, NULL);
  } else if (!agent->profile.tools) {
    (void)skill_conversation_repair(agent->talk, "there are no tools here");
    enter_model(agent);
  } else {
    enter_tools(agent, false);
  }
}

/* --- the beginning --------------------------------------------------------------------------------------------- */

static void on_time_up(void *arg) {
  SkillAgent *agent = arg;
  agent->timed_out = true;
  (void)skill_agent_cancel(agent);
}

/* Without memory for the timer only purse_empty enforces the bound, before each request. */
static void set_bound(SkillAgent *agent) {
  int64_t bound = agent->parent ? 0 : agent->profile.total_ms; /* a fork ends with its parent */
  if (bound <= 0) return;
  agent->turn.own_purse.deadline_ms = agent->io->now_ms(agent->io) + bound;
  if (!agent->turn_timer) agent->turn_timer = skill__timer_new(agent->loop, on_time_up, agent);
  if (agent->turn_timer) skill__timer_set(agent->turn_timer, bound);
}

static void start_turn(SkillAgent *agent, SkillTurnCb cb, void *user, char *asked) {
  struct skill__agent_turn *turn = &agent->turn;
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

/* Offers and describes the tools of an activated skill. */
static int offer_activated(SkillAgent *agent, const SkillActivationItem *item) {
  if (item->status) return 0;
  int status = skill__agent_offer_skill(agent, item->name, item->tools, item->tool_count);
  return status ? status : skill__agent_describe_active(agent, item->name, NULL);
}

static void on_activated(ProgressiveSkillLoader *loader, const SkillActivation *result, void *user) {
  SkillAgent *agent = user;
  int status = 0;
  (void)loader;
  agent->activation = 0;
  skill__agent_remember(agent, result);
  for (size_t i = 0; i < result->count && !status; i++) status = offer_activated(agent, result->items[i]);
  if (agent->state != SKILL__AGENT_ACTIVATING) return;
  if (status) {
    skill__turn_end(agent, SKILL_TURN_FAILED, status, NULL);
  } else {
    enter_model(agent); /* ends the turn if it was canceled meanwhile */
  }
}

/* An interrupted turn first finishes its calls; otherwise the policy may activate skills before the model is called. */
static void activate_chosen(SkillAgent *agent) {
  if (skill_conversation_open_calls(agent->talk)) {
    enter_tools(agent, true);
    return;
  }
  bool rank = agent->profile.preactivate && agent->profile.skills && agent->loader && agent->turn.asked;
  rank = rank && !agent->deferring; /* the provider's own search sees all tools anyway */
  if (rank && skill_loader_activate_query(agent->loader, agent->turn.asked, on_activated, agent, &agent->activation,
                                          NULL) == 0) {
    skill__agent_step_loader(agent);
    return;
  }
  enter_model(agent);
}

static void on_restored(ProgressiveSkillLoader *loader, const SkillActivation *result, void *user) {
  SkillAgent *agent = user;
  agent->activation = 0;
  for (size_t i = 0; i < result->count; i++) {
    (void)skill_loader_set_body_state(loader, result->items[i]->name, SKILL_BODY_IN_CONTEXT);
    (void)offer_activated(agent, result->items[i]);
  }
  if (agent->state != SKILL__AGENT_ACTIVATING) return;
  if (agent->canceled) {
    enter_model(agent); /* ends the turn */
  } else {
    activate_chosen(agent);
  }
}

/* The skills to activate before anything else, newest first: those that the request mentions, and after a load also
 * those whose bodies the conversation holds. Returns their number. */
static size_t needed_skills(const SkillAgent *agent, const char **names, size_t room) {
  size_t count = 0;
  bool past = false; /* before this request */
  for (size_t i = skill_conversation_count(agent->talk); i-- > 0 && count < room;) {
    const SkillMessage *message = skill_conversation_at(agent->talk, i);
    const char *name = NULL;
    enum skill__origin origin = skill__origin_read(message->origin, &name);
    past = past || message->role == SKILL_ROLE_ASSISTANT;
    if (past && !agent->loaded) break;
    if (origin != SKILL__ORIGIN_MENTION && origin != SKILL__ORIGIN_SKILL) continue;
    if (!skill_registry_find(agent->options.registry, name)) continue;
    bool known = false;
    for (size_t k = 0; k < count && !known; k++) known = strcmp(names[k], name) == 0;
    if (!known) names[count++] = name;
  }
  return count;
}

/* Makes tools and listing, and activates the skills that the conversation needs. Without tools the model is called at
 * once. */
static int prepare_turn(SkillAgent *agent, SkillError *err) {
  const char *names[16];
  if (!agent->profile.tools) {
    enter_model(agent);
    return 0;
  }
  int status = skill__agent_equip(agent, err);
  if (!status) status = skill__agent_refresh_listing(agent);
  if (!status) status = skill__agent_offer(agent);
  if (status) return skill_error_set(err, status, "out of memory");
  size_t count = agent->loader ? needed_skills(agent, names, 16) : 0;
  agent->loaded = false;
  if (count &&
      skill_loader_activate_many(agent->loader, names, count, on_restored, agent, &agent->activation, NULL) == 0) {
    skill__agent_step_loader(agent);
    return 0;
  }
  activate_chosen(agent);
  return 0;
}

/* A turn that cannot start leaves the agent idle. */
static int abandon_turn(SkillAgent *agent, int status) {
  skill__free(agent->turn.asked);
  agent->turn = (struct skill__agent_turn){0};
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
  start_turn(agent, cb, user, asked);
  SkillMessage message = {.role = SKILL_ROLE_USER, .text = text, .text_length = length};
  int status = skill_conversation_repair(agent->talk, "interrupted");
  status = status < 0 ? skill_error_set(err, status, "out of memory") : 0;
  /* The request of a fork is its skill's body: an '@' in it mentions nothing of the user's. */
  if (!status && !agent->parent) status = skill__agent_attach(agent, asked, err);
  if (!status) status = skill__agent_retrieve(agent, asked, err);
  if (!status) status = skill__agent_add_message(agent, &message, err);
  if (!status) status = prepare_turn(agent, err);
  return status ? abandon_turn(agent, status) : 0;
}

int skill_agent_resume(SkillAgent *agent, SkillTurnCb cb, void *user, SkillError *err) {
  if (!cb) return skill_error_set(err, SKILL_EINVAL, "a turn needs a callback");
  if (skill_agent_busy(agent)) return skill_error_set(err, SKILL_EBUSY, "a turn runs already");
  size_t count = skill_conversation_count(agent->talk);
  const SkillMessage *last = count ? skill_conversation_at(agent->talk, count - 1) : NULL;
  bool answered = last && last->role == SKILL_ROLE_ASSISTANT && !skill_conversation_open_calls(agent->talk);
  if (!last || answered) return skill_error_set(err, SKILL_ENOENT, "the conversation waits for nothing");
  start_turn(agent, cb, user, NULL);
  int status = prepare_turn(agent, err);
  return status ? abandon_turn(agent, status) : 0;
}

int skill_agent_cancel(SkillAgent *agent) {
  if (agent->state == SKILL__AGENT_IDLE || agent->state == SKILL__AGENT_ENDING) return SKILL_ENOENT;
  agent->canceled = true;
  if (agent->state == SKILL__AGENT_ACTIVATING) {
    (void)skill_loader_cancel(agent->loader, agent->activation); /* its callback ends the turn */
    skill__agent_step_loader(agent);
  } else if (agent->state == SKILL__AGENT_MODEL && agent->request) {
    skill_model_cancel(agent->request->call);
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
    (void)skill_agent_cancel(agent); /* called from a callback: it would wait forever */
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
