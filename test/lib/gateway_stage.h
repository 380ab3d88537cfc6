/* SPDX-License-Identifier: MIT
 *
 * A gateway for tests: its options, tools that finish, fail or hold a call, and what the callbacks reported.
 */
#ifndef TEST_LIB_GATEWAY_STAGE_H
#define TEST_LIB_GATEWAY_STAGE_H

#include "skillet/gateway.h"
#include "skillet/sys/fixture.h"
#include "util/buf.h"

extern struct gate {
  SkillLoop *loop;
  SkillFixture *fixture;
  SkillGatewayOptions options; /* of gate_open() */
  SkillGateway *gateway;
  struct skill__buf trail; /* "id:state id:state …" */
  struct skill__buf logged;
  char text[4096]; /* of the call that finished last, as `id` and `last` */
  char id[64];
  SkillCallInfo last; /* only the numbers; the texts are freed after the callback */
  int done;           /* finished calls */
  int calls;          /* calls that reached a handler */
  SkillToolCall *held[8];
  int held_count;
} gate;

extern const SkillTool gate_echo, gate_strict, gate_danger, gate_fail, gate_hold, gate_beside;

int gate_setup(void **state);
int gate_teardown(void **state);
void gate_open(void);

/* The callbacks and the handler of most calls. */
void gate_state(const SkillCallInfo *call, void *user);
void gate_done(const SkillCallInfo *call, void *user);
void gate_echo_handler(SkillToolCall *call, const char *arguments_json, void *user);

void gate_ask(const char *id, const SkillTool *tool, const char *arguments);
void gate_ask_as(const char *id, const SkillTool *tool, const char *skill, const char *arguments);

/* Runs the loop until so many calls have finished. */
void gate_until(int count);

#endif
