/* SPDX-License-Identifier: MIT
 *
 * Recording a model and replaying what was recorded.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/check.h"
#include "lib/sweep.h"
#include "lib/tmpdir.h"
#include "skillet/provider.h"

static const char script[] =
    "{\"turns\":[{\"text\":\"I look\",\"calls\":[{\"name\":\"get\",\"arguments\":{\"a\":1}}]},"
    "{\"text\":\"it is 42\"},{\"error\":{\"code\":\"SKILL_EREMOTE\",\"message\":\"gone\"}}]}";

static char deltas[2000];
static char answer[2000];
static int status;
static int calls;

static void on_delta(const SkillDelta *delta, void *user) {
  (void)user;
  size_t used = strlen(deltas);
  snprintf(deltas + used, sizeof deltas - used, "%d:%.*s|", (int)delta->kind, (int)delta->length, delta->text);
}

static void on_reply(int result, const SkillReply *reply, const SkillError *error, void *user) {
  (void)user;
  calls++;
  status = result;
  snprintf(answer, sizeof answer, "%s;", error->message);
  if (!reply) return;
  size_t used = strlen(answer);
  snprintf(answer + used, sizeof answer - used, "%.*s %s %zu %d", (int)reply->message.text_length, reply->message.text,
           reply->message.call_count ? reply->message.calls[0].arguments : "", reply->usage.output_tokens,
           (int)reply->stop);
}

static int ask(SkillModel *model, SkillLoop *loop, const char *text, SkillError *err) {
  SkillMessage message = {.role = SKILL_ROLE_USER, .text = text, .text_length = strlen(text)};
  SkillTool tool = {.name = "get"};
  SkillModelRequest request = SKILL_MODEL_REQUEST_INIT;
  request.messages = &message;
  request.message_count = 1;
  request.tools = &tool;
  request.tool_count = request.deferred_from = 1;
  deltas[0] = answer[0] = '\0';
  calls = 0;
  int rc = skill_model_start(model, loop, &request, on_delta, on_reply, NULL, NULL, err);
  while (!rc && !calls) skill_loop_run_once(loop, 1000);
  return rc;
}

static char *read_file(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  char *text = calloc(1, 65536);
  assert_non_null(text);
  *length = fread(text, 1, 65535, file);
  fclose(file);
  return text;
}

static void a_recording_replays_to_the_same_deltas_and_answers(void **state) {
  (void)state;
  char *dir = tmpdir_make();
  char path[5000];
  snprintf(path, sizeof path, "%s/tape.jsonl", dir);
  SkillLoop *loop;
  SkillModel *model;
  assert_int_equal(skill_loop_new(NULL, &loop, NULL), 0);
  assert_int_equal(skill_model_script_new(script, strlen(script), NULL, &model, NULL), 0);
  assert_int_equal(skill_model_record_new(model, path, &model, NULL), 0);
  char first[3][2][2000];
  int results[3];
  static const char *const asked[] = {"look \"it\" up", "and?", "more"};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(ask(model, loop, asked[i], NULL), 0);
    memcpy(first[i][0], deltas, sizeof deltas);
    memcpy(first[i][1], answer, sizeof answer);
    results[i] = status;
  }
  assert_int_equal(results[0], 0);
  assert_int_equal(results[2], SKILL_EREMOTE);
  skill_model_free(model);
  struct stat info;
  assert_int_equal(stat(path, &info), 0);
  assert_int_equal(info.st_mode & 0777, 0600);
  size_t length;
  char *tape = read_file(path, &length);
  assert_int_equal(skill_model_replay_new(tape, length, path, &model, NULL), 0);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(ask(model, loop, asked[i], NULL), 0);
    assert_string_equal(deltas, first[i][0]);
    assert_string_equal(answer, first[i][1]);
    assert_int_equal(status, results[i]);
  }
  SkillError err = SKILL_ERROR_INIT;
  assert_int_equal(ask(model, loop, "again", &err), SKILL_EREMOTE);
  assert_string_equal(err.message, "the recording has ended: it holds 3 requests");
  skill_model_free(model);
  skill_error_clear(&err);
  assert_int_equal(skill_model_replay_new(tape, length, path, &model, NULL), 0);
  assert_int_equal(ask(model, loop, "something else", &err), SKILL_EREMOTE);
  assert_string_equal(err.message, "line 1 of the recording: message 1 differs from the recorded one");
  assert_int_equal(ask(model, loop, asked[0], NULL), 0); /* the line is still there */
  skill_model_free(model);
  free(tape);
  skill_loop_free(loop);
  tmpdir_remove(dir);
}

static void a_tape_that_is_none_says_which_line(void **state) {
  (void)state;
  SkillModel *model = NULL;
  SkillError err = SKILL_ERROR_INIT;
  static const char good[] =
      "{\"skillet\":1,\"request\":{},\"deltas\":[],\"status\":0,\"error\":\"\",\"reply\":null}\n";
  char text[400];
  snprintf(text, sizeof text, "%s\n{\"skillet\":2}\n", good);
  assert_int_equal(skill_model_replay_new(text, strlen(text), "t", &model, &err), SKILL_EPARSE);
  assert_int_equal(err.line, 3);
  skill_error_clear(&err);
  snprintf(text, sizeof text, "%s{\"skillet\":", good);
  assert_int_equal(skill_model_replay_new(text, strlen(text), "t", &model, &err), SKILL_EPARSE);
  assert_int_equal(err.line, 2);
  assert_null(model);
}

static void a_place_that_cannot_be_written_leaves_the_model_with_the_caller(void **state) {
  (void)state;
  SkillModel *inner;
  SkillModel *model = NULL;
  SkillError err = SKILL_ERROR_INIT;
  assert_int_equal(skill_model_script_new(script, strlen(script), NULL, &inner, NULL), 0);
  assert_int_equal(skill_model_record_new(inner, "/no/such/folder/tape", &model, &err), SKILL_EIO);
  assert_string_equal(err.file, "/no/such/folder/tape");
  assert_null(model);
  skill_model_free(inner);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_recording_replays_to_the_same_deltas_and_answers),
      cmocka_unit_test(a_tape_that_is_none_says_which_line),
      cmocka_unit_test(a_place_that_cannot_be_written_leaves_the_model_with_the_caller),
  };
  return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
