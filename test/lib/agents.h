/* SPDX-License-Identifier: MIT
 *
 * A registry of small skills defined in C, a scripted model, and an agent that uses both, for tests of the agent.
 */
#ifndef TEST_LIB_AGENTS_H
#define TEST_LIB_AGENTS_H

#include "lib/check.h"
#include "skillet/agent.h"
#include "skillet/source.h"
#include "skillet/sys/fixture.h"
#include "util/buf.h"

/* Turns of a model script: a call of any tool, and of the two most common ones. */
#define CALL(tool, arguments) "{\"calls\":[{\"name\":\"" tool "\",\"arguments\":" arguments "}]}"
#define OPEN(name) CALL("skill_open", "{\"name\":\"" name "\"}")
#define ADD(x, y) CALL("add", "{\"a\":" x ",\"b\":" y "}")

struct agents {
  SkillLoop *loop;
  SkillFixture *fixture;
  SkillRegistry *registry;
  SkillModel *model;
  SkillAgent *agent;
  SkillAgentOptions options;
  SkillProfile profile;
  SkillLoaderOptions loader;
  /* recorded events */
  struct skill__buf events; /* "activated:calc opened:calc …" */
  struct skill__buf streamed;
  struct skill__buf states; /* "tool:state …" */
  int approvals;
  char approval_id[64];
  /* the last turn */
  int turns;
  SkillTurn turn;
  char answer[4096];
  char error[512];
  /* tools */
  int added, wiped, held;
  SkillToolCall *holding;
};

/* Registers the skills calc (tools: add, wipe (dangerous), hold (never finishes)), guide (body only), style (always),
 * helper (fork), nested (fork that names helper), historian (fork with history), secret, manual (not for the model). */
void agents_setup(struct agents *a);
/* Creates the model from the turns of a script, and the agent. Change the options before the call. */
void agents_open(struct agents *a, const char *turns);
void agents_teardown(struct agents *a);
/* The same as fixtures of cmocka; *state is the struct agents (see AGENTS_TEST). */
int agents_begin(void **state);
int agents_end(void **state);
#define AGENTS_TEST(test, begin, agents) cmocka_unit_test_prestate_setup_teardown(test, begin, agents_end, agents)

/* Runs a turn to its end. */
void agents_turn(struct agents *a, const char *text);
/* Starts a turn. agents_wait runs the loop until `turns` turns have ended. */
int agents_start(struct agents *a, const char *text);
void agents_wait(struct agents *a, int turns);
void agents_on_turn(SkillAgent *agent, const SkillTurn *turn, void *user);

/* The text of the last message of that role, or "". */
const char *agents_last(const struct agents *a, SkillRole role);

/* Asserts that nothing is pending, every call has a result, and the conversation is unchanged by saving and loading. */
void agents_expect_valid(const struct agents *a);

#endif
