/* SPDX-License-Identifier: MIT
 *
 * Conversations: the valid order of messages, saving and loading, replacing, repairing.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/check.h"
#include "skillet/message.h"
#include "skillet/sys/alloc.h"

static SkillConversation *talk;

static int setup(void **state) {
  (void)state;
  return skill_conversation_new(&talk);
}

static int teardown(void **state) {
  (void)state;
  skill_conversation_free(talk);
  return 0;
}

static void say(SkillRole role, const char *text) {
  assert_int_equal(skill_conversation_add_text(talk, role, text, 0, NULL), 0);
}

static int ask(const char *id, const char *other) {
  SkillCall calls[2] = {{id, "convert", "{\"value\":1}"}, {other, "convert", "{}"}};
  SkillMessage message = {.role = SKILL_ROLE_ASSISTANT, .calls = calls, .call_count = other ? 2 : 1};
  return skill_conversation_add(talk, &message, NULL);
}

static int answer(const char *id, const char *text) {
  SkillMessage message = {.role = SKILL_ROLE_TOOL, .call_id = id, .text = text, .text_length = strlen(text)};
  return skill_conversation_add(talk, &message, NULL);
}

static void results_follow_their_calls(void **state) {
  (void)state;
  say(SKILL_ROLE_USER, "how far?");
  assert_int_equal(answer("a", "too early"), SKILL_EINVAL);
  assert_int_equal(ask("a", "b"), 0);
  assert_int_equal(skill_conversation_open_calls(talk), 2);
  assert_int_equal(skill_conversation_add_text(talk, SKILL_ROLE_USER, "hello?", 0, NULL), SKILL_EINVAL);
  assert_int_equal(answer("b", "2"), 0);
  assert_int_equal(answer("b", "again"), SKILL_EINVAL);
  assert_int_equal(answer("c", "nobody asked"), SKILL_EINVAL);
  assert_int_equal(answer("a", "1"), 0);
  assert_int_equal(skill_conversation_open_calls(talk), 0);
  say(SKILL_ROLE_ASSISTANT, "done");
  assert_int_equal(skill_conversation_count(talk), 5);
}

static void a_call_id_is_used_once(void **state) {
  (void)state;
  assert_int_equal(ask("a", "a"), SKILL_EINVAL);
  assert_int_equal(ask("a", NULL), 0);
  assert_int_equal(answer("a", "1"), 0);
  assert_int_equal(ask("a", NULL), SKILL_EINVAL);
  assert_int_equal(ask("b", NULL), 0);
}

static void only_assistants_call(void **state) {
  (void)state;
  SkillCall call = {"a", "convert", "{}"};
  SkillMessage message = {.role = SKILL_ROLE_USER, .calls = &call, .call_count = 1};
  assert_int_equal(skill_conversation_add(talk, &message, NULL), SKILL_EINVAL);
  SkillMessage huge = {.role = SKILL_ROLE_USER, .text = "x", .text_length = (size_t)SKILL_MAX_MESSAGE + 1};
  assert_int_equal(skill_conversation_add(talk, &huge, NULL), SKILL_ELIMIT);
}

static void text_is_made_valid(void **state) {
  (void)state;
  SkillMessage message = {.role = SKILL_ROLE_USER, .text = "a\0b\xFF", .text_length = 4};
  assert_int_equal(skill_conversation_add(talk, &message, NULL), 0);
  const SkillMessage *kept = skill_conversation_at(talk, 0);
  assert_string_equal(kept->text,
                      "a\xEF\xBF\xBD"
                      "b\xEF\xBF\xBD");
  assert_int_equal(kept->text_length, 8);
}

static void saved_and_loaded_is_the_same(void **state) {
  (void)state;
  say(SKILL_ROLE_SYSTEM, "be \"brief\"\n\x01");
  say(SKILL_ROLE_USER, "\xE4\xBD\xA0\xE5\xA5\xBD");
  assert_int_equal(ask("a", "b"), 0);
  SkillMessage result = {
      .role = SKILL_ROLE_TOOL, .call_id = "b", .name = "convert", .error = true, .origin = "skill:x"};
  assert_int_equal(skill_conversation_add(talk, &result, NULL), 0);
  char *text = NULL;
  size_t length = 0;
  assert_int_equal(skill_conversation_save(talk, &text, &length, NULL), 0);
  SkillConversation *loaded = NULL;
  assert_int_equal(skill_conversation_load(text, length, &loaded, NULL), 0);
  assert_int_equal(skill_conversation_open_calls(loaded), 1);
  char *again = NULL;
  size_t again_length = 0;
  assert_int_equal(skill_conversation_save(loaded, &again, &again_length, NULL), 0);
  assert_int_equal(again_length, length);
  assert_memory_equal(again, text, length);
  assert_true(skill_conversation_at(loaded, 3)->error);
  assert_string_equal(skill_conversation_at(loaded, 3)->origin, "skill:x");
  skill_free(text);
  skill_free(again);
  skill_conversation_free(loaded);
}

static void broken_files_say_what_is_wrong(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int code;
    const char *says;
  } cases[] = {
      {"", SKILL_EPARSE, "empty"},
      {"{\"version\":1,\"messages\":[}", SKILL_EPARSE, "JSON"},
      {"{\"version\":2,\"messages\":[]}", SKILL_EINVAL, "version"},
      {"{\"version\":1}", SKILL_EINVAL, "messages"},
      {"{\"version\":1,\"messages\":[7]}", SKILL_EINVAL, "message 0"},
      {"{\"version\":1,\"messages\":[{\"role\":\"user\"},{\"role\":\"boss\"}]}", SKILL_EINVAL, "message 1"},
      {"{\"version\":1,\"messages\":[{\"role\":\"tool\",\"call_id\":\"a\"}]}", SKILL_EINVAL, "no open call"},
      {"{\"version\":1,\"messages\":[{\"role\":\"assistant\",\"calls\":[{\"id\":\"a\"}]}]}", SKILL_EINVAL, "name"},
      {"{\"version\":1,\"messages\":[{\"role\":\"assistant\",\"calls\":{}}]}", SKILL_EINVAL, "list"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    SkillError err = SKILL_ERROR_INIT;
    SkillConversation *loaded = NULL;
    assert_int_equal(skill_conversation_load(cases[i].text, strlen(cases[i].text), &loaded, &err), cases[i].code);
    assert_null(loaded);
    assert_non_null(strstr(err.message, cases[i].says));
  }
}

static void replacing_never_parts_a_pair(void **state) {
  (void)state;
  SkillMessage note = {.role = SKILL_ROLE_USER, .text = "summary", .text_length = 7, .origin = "summary"};
  say(SKILL_ROLE_USER, "1");
  ask("a", NULL);
  answer("a", "a long result");
  say(SKILL_ROLE_ASSISTANT, "2");
  assert_int_equal(skill_conversation_replace(talk, 0, 2, &note, NULL), SKILL_EINVAL);
  assert_int_equal(skill_conversation_replace(talk, 2, 4, &note, NULL), SKILL_EINVAL);
  assert_int_equal(skill_conversation_replace(talk, 3, 9, &note, NULL), SKILL_EINVAL);
  SkillMessage shorter = {.role = SKILL_ROLE_TOOL, .call_id = "a", .text = "short", .text_length = 5};
  assert_int_equal(skill_conversation_replace(talk, 2, 3, &shorter, NULL), 0);
  assert_string_equal(skill_conversation_at(talk, 2)->text, "short");
  assert_int_equal(skill_conversation_replace(talk, 0, 3, &note, NULL), 0);
  assert_int_equal(skill_conversation_count(talk), 2);
  assert_string_equal(skill_conversation_at(talk, 0)->origin, "summary");
  assert_int_equal(ask("a", NULL), 0); /* the id was removed with its message */
  assert_int_equal(answer("a", "1"), 0);
}

static void replacing_before_open_calls_keeps_them_open(void **state) {
  (void)state;
  say(SKILL_ROLE_USER, "1");
  say(SKILL_ROLE_ASSISTANT, "2");
  say(SKILL_ROLE_USER, "3");
  ask("a", "b");
  answer("a", "1");
  assert_int_equal(skill_conversation_replace(talk, 0, 2, NULL, NULL), 0);
  assert_int_equal(skill_conversation_open_calls(talk), 1);
  assert_int_equal(answer("b", "2"), 0);
  assert_int_equal(skill_conversation_open_calls(talk), 0);
}

static void repairing_answers_what_is_open(void **state) {
  (void)state;
  ask("a", "b");
  answer("a", "1");
  assert_int_equal(skill_conversation_repair(talk, "canceled"), 1);
  const SkillMessage *last = skill_conversation_at(talk, 2);
  assert_string_equal(last->call_id, "b");
  assert_string_equal(last->text, "canceled");
  assert_true(last->error);
  assert_int_equal(skill_conversation_repair(talk, "canceled"), 0);
  say(SKILL_ROLE_USER, "go on");
}

static void a_copy_is_its_own(void **state) {
  (void)state;
  say(SKILL_ROLE_USER, "1");
  ask("a", NULL);
  SkillConversation *copy = NULL;
  assert_int_equal(skill_conversation_copy(talk, &copy), 0);
  answer("a", "1");
  assert_int_equal(skill_conversation_open_calls(copy), 1);
  assert_int_equal(skill_conversation_count(copy), 2);
  skill_conversation_free(copy);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(results_follow_their_calls, setup, teardown),
      cmocka_unit_test_setup_teardown(a_call_id_is_used_once, setup, teardown),
      cmocka_unit_test_setup_teardown(only_assistants_call, setup, teardown),
      cmocka_unit_test_setup_teardown(text_is_made_valid, setup, teardown),
      cmocka_unit_test_setup_teardown(saved_and_loaded_is_the_same, setup, teardown),
      cmocka_unit_test_setup_teardown(broken_files_say_what_is_wrong, setup, teardown),
      cmocka_unit_test_setup_teardown(replacing_never_parts_a_pair, setup, teardown),
      cmocka_unit_test_setup_teardown(replacing_before_open_calls_keeps_them_open, setup, teardown),
      cmocka_unit_test_setup_teardown(repairing_answers_what_is_open, setup, teardown),
      cmocka_unit_test_setup_teardown(a_copy_is_its_own, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
