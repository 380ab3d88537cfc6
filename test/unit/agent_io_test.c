/* SPDX-License-Identifier: MIT
 *
 * An agent whose file operations fail: each operation of a turn in turn, once and permanently. No turn fails silently:
 * every result is the same as without the fault, or says what is missing. The conversation stays valid, no handle stays
 * open, and the next turn works.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/agents.h"

static const char turns[] =
    "{\"calls\":[{\"name\":\"skill_search\",\"arguments\":{\"query\":\"bread\"}},"
    "{\"name\":\"skill_open\",\"arguments\":{\"name\":\"bakery\"}}]},"
    "{\"calls\":[{\"name\":\"skill_read\",\"arguments\":{\"name\":\"bakery\",\"path\":\"references/flour.md\"}},"
    "{\"name\":\"file_read\",\"arguments\":{\"path\":\"a.txt\"}},"
    "{\"name\":\"file_list\",\"arguments\":{\"path\":\"\"}},"
    "{\"name\":\"file_search\",\"arguments\":{\"text\":\"needle\"}},"
    "{\"name\":\"file_write\",\"arguments\":{\"path\":\"/out/b.txt\",\"text\":\"written\"}}]},"
    "{\"text\":\"done\"},{\"text\":\"next\"}";

struct bakery {
  struct agents a;
  SkillSource *source;
};

static void open_bakery(struct bakery *b) {
  static const char *roots[] = {"/data", "/out", NULL};
  static const char *writable[] = {"/out", NULL};
  SkillDirectoryOptions options = SKILL_DIRECTORY_OPTIONS_INIT;
  agents_setup(&b->a);
  skill_fixture_file(b->a.fixture, "/skills/bakery/SKILL.md",
                     "---\nname: bakery\ndescription: Bakes bread.\n---\nKnead the dough.\n");
  skill_fixture_file(b->a.fixture, "/skills/bakery/references/flour.md", "Rye or wheat.\n");
  skill_fixture_file(b->a.fixture, "/data/a.txt", "first line\nneedle here\n");
  skill_fixture_file(b->a.fixture, "/data/sub/b.txt", "another needle\n");
  skill_fixture_file(b->a.fixture, "/data/plan.md", "Buy rye on Monday.\n");
  skill_fixture_folder(b->a.fixture, "/out");
  options.path = "/skills";
  options.io = skill_fixture_io(b->a.fixture);
  assert_int_equal(skill_source_directory_new(&options, &b->source, NULL), 0);
  assert_int_equal(skill_registry_sync(b->a.registry, &b->source, 1, SKILL_DUPLICATES_FIRST, NULL, NULL), 0);
  b->a.options.roots = roots;
  b->a.options.writable = writable;
  b->a.profile.approval = SKILL_APPROVAL_NONE;
  agents_open(&b->a, turns);
}

static void close_bakery(struct bakery *b) {
  assert_int_equal(skill_fixture_open_handles(b->a.fixture), 0);
  agents_teardown(&b->a);
  skill_source_free(b->source);
}

/* ---- the result of a turn without a fault ------------------------------------------------------------------------ */

enum { MOST = 24 };

static struct {
  char *results[MOST];
  char *names[MOST];
  size_t count;
  size_t operations;
} clean;

static const char *name_of(const SkillMessage *message) {
  return message->role == SKILL_ROLE_TOOL ? message->name : message->origin;
}

static size_t operations(const struct agents *a) {
  SkillFixtureCounts counts = skill_fixture_counts(a->fixture);
  size_t sum = 0;
  for (size_t i = 0; i < SKILL_FIXTURE_OP_COUNT; i++) sum += counts.calls[i];
  return sum;
}

static int set_up(void **state) {
  static struct bakery b;
  (void)state;
  open_bakery(&b);
  skill_fixture_reset_counts(b.a.fixture);
  agents_turn(&b.a, "bread, please, as in @plan.md");
  assert_string_equal(b.a.answer, "done");
  clean.operations = operations(&b.a);
  SkillConversation *talk = skill_agent_conversation(b.a.agent);
  for (size_t i = 0; i < skill_conversation_count(talk); i++) {
    const SkillMessage *message = skill_conversation_at(talk, i);
    if (message->role != SKILL_ROLE_TOOL && !message->origin) continue;
    assert_false(message->error);
    clean.results[clean.count] = strdup(message->text);
    clean.names[clean.count++] = strdup(name_of(message));
  }
  close_bakery(&b);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  for (size_t i = 0; i < clean.count; i++) {
    free(clean.results[i]);
    free(clean.names[i]);
  }
  return 0;
}

/* ---- the same with a fault --------------------------------------------------------------------------------------- */

static bool says_what_is_missing(const SkillMessage *message) {
  return message->error || strstr(message->text, "could not be read") || strstr(message->text, "cannot be");
}

static void expect_no_silence(const struct bakery *b, size_t at) {
  SkillConversation *talk = skill_agent_conversation(b->a.agent);
  size_t seen = 0;
  for (size_t i = 0; i < skill_conversation_count(talk); i++) {
    const SkillMessage *message = skill_conversation_at(talk, i);
    if (message->role != SKILL_ROLE_TOOL && !message->origin) continue;
    assert_true(seen < clean.count);
    if (strcmp(message->text, clean.results[seen]) != 0 && !says_what_is_missing(message)) {
      fail_msg("operation %zu failing: %s says \"%s\"", at, name_of(message), message->text);
    }
    seen++;
  }
  if (b->a.turn.end == SKILL_TURN_ANSWERED) {
    if (seen != clean.count) fail_msg("operation %zu failing: %s is missing", at, clean.names[seen]);
  } else {
    assert_true(b->a.error[0]);
  }
}

static void fail_in_turn(bool forever) {
  assert_true(clean.operations > 20);
  for (size_t at = 0; at < clean.operations; at++) {
    struct bakery b;
    open_bakery(&b);
    skill_fixture_fail(b.a.fixture, SKILL_FIXTURE_ANY, at, SKILL_EIO, forever);
    agents_turn(&b.a, "bread, please, as in @plan.md");
    skill_fixture_fail(b.a.fixture, SKILL_FIXTURE_ANY, 0, 0, false);
    expect_no_silence(&b, at);
    agents_expect_valid(&b.a);
    int before = b.a.turns;
    while (strcmp(b.a.answer, "next") != 0 && b.a.turns < before + 4) { /* what is left of the script */
      agents_turn(&b.a, "and now?");
      assert_int_equal(b.a.turn.status, 0);
    }
    assert_string_equal(b.a.answer, "next");
    agents_expect_valid(&b.a);
    close_bakery(&b);
  }
}

static void each_operation_may_fail_once(void **state) {
  (void)state;
  fail_in_turn(false);
}

static void each_operation_may_be_the_last_that_works(void **state) {
  (void)state;
  fail_in_turn(true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_operation_may_fail_once),
      cmocka_unit_test(each_operation_may_be_the_last_that_works),
  };
  return cmocka_run_group_tests_name("agent_io", tests, set_up, tear_down);
}
