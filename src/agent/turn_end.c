/* SPDX-License-Identifier: MIT
 *
 * The end of a turn: it is decided once, and the callback runs in a step of the loop. Nothing here fails.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "agent/internal.h"
#include "util/alloc.h"

static void post_end(SkillAgent *agent) {
  if (agent->posted) return;
  agent->posted = true;
  skill__loop_hold(agent->loop);
  skill__loop_post(agent->loop, &agent->post);
}

/* The last answer of this turn, or NULL. */
static const SkillMessage *last_answer(const SkillAgent *agent) {
  for (size_t i = skill_conversation_count(agent->talk); i-- > 0;) {
    const SkillMessage *message = skill_conversation_at(agent->talk, i);
    if (message->role == SKILL_ROLE_ASSISTANT) return message;
    if (message->role == SKILL_ROLE_USER && !message->origin) return NULL;
  }
  return NULL;
}

void skill__turn_end(SkillAgent *agent, SkillTurnEnd end, int status, const char *format, ...) {
  if (agent->state == SKILL__AGENT_IDLE || agent->state == SKILL__AGENT_ENDING) return;
  char why[400] = "";
  if (format) {
    va_list list;
    va_start(list, format);
    vsnprintf(why, sizeof why, format, list);
    va_end(list);
  }
  if (end == SKILL_TURN_CANCELED && agent->timed_out) {
    end = SKILL_TURN_LIMIT;
    status = SKILL_ETIMEDOUT;
    snprintf(why, sizeof why, "the time for this turn is used up");
  }
  const SkillMessage *answer = last_answer(agent);
  agent->state = SKILL__AGENT_ENDING;
  agent->turn.out.end = end;
  agent->turn.out.status = status;
  agent->turn.out.answer = answer ? answer->text : "";
  agent->turn.out.answer_length = answer ? answer->text_length : 0;
  agent->turn.out.exact = agent->tokenizer->exact;
  agent->turn.out.forks = agent->turn.purse->forks;
  if (status) skill_error_set(&agent->turn.error, status, "%s", *why ? why : skill_strerror(status));
  post_end(agent);
}

void skill__turn_posted(struct skill__post *post) {
  SkillAgent *agent = (SkillAgent *)(void *)((char *)post - offsetof(SkillAgent, post));
  agent->posted = false;
  skill__loop_release(agent->loop);
  if (agent->state != SKILL__AGENT_ENDING) return;
  struct skill__agent_turn turn = agent->turn;
  turn.out.error = &turn.error;
  agent->turn = (struct skill__agent_turn){0};
  agent->state = SKILL__AGENT_IDLE;
  agent->canceled = false;
  if (agent->turn_timer) skill__timer_set(agent->turn_timer, -1);
  skill__free(turn.asked);
  if (turn.cb) turn.cb(agent, &turn.out, turn.user);
}
