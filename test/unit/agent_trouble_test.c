/* SPDX-License-Identifier: MIT
 *
 * A conversation of several turns in which the model fails at each request in turn, and the tools at each call, in
 * every possible way. Every turn ends once and answers or reports the problem, the conversation stays valid, and later
 * turns work.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/agents.h"

/* Opens skills, makes parallel calls and forks. A turn without an answer after a failure continues in the next turn. */
static const char turns[] =
    "{\"text\":\"I look\",\"calls\":[{\"name\":\"skill_open\",\"arguments\":{\"name\":\"calc\"}}]},"
    "{\"calls\":[{\"name\":\"add\",\"arguments\":{\"a\":1,\"b\":2}},{\"name\":\"add\",\"arguments\":{\"a\":3,\"b\":4}}]"
    "},"
    "{\"text\":\"one\"},"
    "{\"calls\":[{\"name\":\"skill_open\",\"arguments\":{\"name\":\"helper\"}}]},"
    "{\"calls\":[{\"name\":\"add\",\"arguments\":{\"a\":5,\"b\":6}}]},"
    "{\"text\":\"from the fork\"},"
    "{\"text\":\"two\"},"
    "{\"calls\":[{\"name\":\"add\",\"arguments\":{\"a\":7,\"b\":8}}]},"
    "{\"text\":\"three\"}";

enum { REQUESTS = 9, CALLS = 4, TURNS = 3 };

/* ---- a model that fails once ------------------------------------------------------------------------------------- */

enum trouble {
  REFUSES,      /* cannot start */
  ENDS,         /* fails without an answer */
  BREAKS_OFF,   /* fails after a part of the answer */
  SAYS_NOTHING, /* answers without text and calls */
  INVENTS,      /* calls an unknown tool with unreadable arguments */
  REPEATS,      /* uses the same call id twice */
  TROUBLES
};

struct faulty {
  SkillModel model; /* first, so that a pointer can be converted back */
  SkillModel *inner;
  size_t requests;
  size_t at;
  enum trouble trouble;
  int status;
};

static void part_of_an_answer(SkillModelCall *call, int status, const SkillReply *reply) {
  static const SkillDelta delta = {.kind = SKILL_DELTA_TEXT, .text = "as I was say", .length = 12};
  skill_model_call_delta(call, &delta);
  skill_model_call_finish(call, status, "the line went dead", reply);
}

static int make_trouble(struct faulty *faulty, SkillModelCall *call, SkillError *err) {
  static const SkillCall calls[] = {{"x1", "no_such_tool", "{\"a\":"}, {"x1", "no_such_tool", "{}"}};
  SkillReply reply = {.message = {.role = SKILL_ROLE_ASSISTANT}, .attempts = 1};
  if (faulty->trouble == REFUSES) return skill_error_set(err, faulty->status, "the line is dead");
  if (faulty->trouble == ENDS) skill_model_call_finish(call, faulty->status, "the line went dead", NULL);
  if (faulty->trouble == BREAKS_OFF) {
    reply.message.text = "as I was say";
    reply.message.text_length = 12;
    part_of_an_answer(call, faulty->status, &reply);
  }
  if (faulty->trouble == SAYS_NOTHING) skill_model_call_finish(call, 0, NULL, &reply);
  if (faulty->trouble == INVENTS || faulty->trouble == REPEATS) {
    reply.stop = SKILL_STOP_TOOLS;
    reply.message.calls = calls;
    reply.message.call_count = faulty->trouble == REPEATS ? 2 : 1;
    skill_model_call_finish(call, 0, NULL, &reply);
  }
  return 0;
}

static int request(SkillModel *model, const SkillModelRequest *what, SkillModelCall *call, SkillError *err) {
  struct faulty *faulty = (struct faulty *)(void *)model;
  if (faulty->requests++ == faulty->at) return make_trouble(faulty, call, err);
  return faulty->inner->request(faulty->inner, what, call, err);
}

static void leave(SkillModel *model) {
  (void)model;
}

/* ---- the conversation -------------------------------------------------------------------------------------------- */

static struct agents a;
static struct faulty faulty;

/* The last answer of the script arrives in the end. Returns the number of turns that failed before it. */
static int converse(void) {
  int failed = 0;
  for (int i = 0; i < TURNS + 3 && strcmp(a.answer, "three") != 0; i++) {
    agents_turn(&a, "go on");
    agents_expect_valid(&a);
    if (a.turn.status) {
      assert_true(a.error[0]);
      failed++;
    }
  }
  assert_string_equal(a.answer, "three");
  return failed;
}

static void open_faulty(size_t at, enum trouble trouble, int status) {
  agents_setup(&a);
  agents_open(&a, turns);
  skill_agent_free(a.agent);
  faulty = (struct faulty){.model = *a.model, .inner = a.model, .at = at, .trouble = trouble, .status = status};
  faulty.model.request = request;
  faulty.model.free = leave;
  a.options.model = &faulty.model;
  assert_int_equal(skill_agent_new(&a.options, &a.agent, NULL), 0);
}

static void a_conversation_without_trouble_makes_these_requests(void **state) {
  (void)state;
  open_faulty(REQUESTS, REFUSES, SKILL_EIO);
  assert_int_equal(converse(), 0);
  assert_int_equal(a.turns, TURNS);
  assert_int_equal(faulty.requests, REQUESTS);
  assert_int_equal(a.added, CALLS);
  agents_teardown(&a);
}

static void a_model_may_fail_at_each_request_in_each_way(void **state) {
  (void)state;
  static const int statuses[] = {SKILL_EREMOTE, SKILL_EIO,    SKILL_ETIMEDOUT, SKILL_ELIMIT,
                                 SKILL_EDENIED, SKILL_ENOMEM, SKILL_ECANCELED};
  for (size_t at = 0; at < REQUESTS; at++) {
    for (int trouble = 0; trouble < TROUBLES; trouble++) {
      size_t ways = trouble <= BREAKS_OFF ? sizeof statuses / sizeof *statuses : 1;
      for (size_t i = 0; i < ways; i++) {
        open_faulty(at, (enum trouble)trouble, statuses[i]);
        int failed = converse();
        assert_true(failed <= 1);
        assert_true(faulty.requests > REQUESTS);
        agents_teardown(&a);
      }
    }
  }
}

/* ---- tools that fail once ---------------------------------------------------------------------------------------- */

static struct {
  int made;
  int at;
  int way;
} tool;

static const struct {
  int status;
  const char *text;
  size_t length;
} ways[] = {{SKILL_EFAILED, "no such number", 14},
            {SKILL_EIO, NULL, 0},
            {SKILL_ETIMEDOUT, "", 0},
            {SKILL_ENOMEM, NULL, 0},
            {SKILL_ECANCELED, NULL, 0},
            {SKILL_EDENIED, "\xff\xfe\0x", 4},
            {0, "\xff\xfe\0x", 4},
            {0, NULL, 0},
            {7, "odd", 3}};

static void fail_or_add(SkillToolCall *call, const char *arguments_json, void *user) {
  (void)arguments_json;
  (void)user;
  if (tool.made++ != tool.at) {
    skill_tool_call_finish(call, 0, "fine", 4);
  } else {
    skill_tool_call_finish(call, ways[tool.way].status, ways[tool.way].text, ways[tool.way].length);
  }
}

static void a_tool_may_fail_at_each_call_in_each_way(void **state) {
  (void)state;
  static const char schema[] = "{\"type\":\"object\"}";
  for (tool.at = 0; tool.at < CALLS; tool.at++) {
    for (tool.way = 0; tool.way < (int)(sizeof ways / sizeof *ways); tool.way++) {
      SkillTool add = {.name = "add", .input_schema = schema, .call = fail_or_add};
      tool.made = 0;
      agents_setup(&a);
      a.options.tools = &add;
      a.options.tool_count = 1;
      agents_open(&a, turns);
      assert_int_equal(converse(), 0); /* the model gets the error and continues */
      assert_int_equal(tool.made, CALLS);
      agents_teardown(&a);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_conversation_without_trouble_makes_these_requests),
      cmocka_unit_test(a_model_may_fail_at_each_request_in_each_way),
      cmocka_unit_test(a_tool_may_fail_at_each_call_in_each_way),
  };
  return cmocka_run_group_tests_name("agent_trouble", tests, NULL, NULL);
}
