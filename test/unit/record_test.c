/* SPDX-License-Identifier: MIT
 *
 * Recording a model and replaying the recording.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
  assert_string_equal(err.message, "the recording ends after 3 requests");
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

/* ---- out of memory ----------------------------------------------------------------------------------------------- */

static char *place; /* folder of the recording */

static size_t read_bytes(const char *path, char *text, size_t size) {
  int fd = open(path, O_RDONLY);
  assert_true(fd >= 0);
  ssize_t length = read(fd, text, size);
  close(fd);
  assert_true(length >= 0);
  return (size_t)length;
}

static size_t lines_of(const char *path) {
  static char tape[65536];
  size_t length = read_bytes(path, tape, sizeof tape);
  size_t lines = 0;
  for (size_t i = 0; i < length; i++) lines += tape[i] == '\n';
  assert_true(length == 0 || tape[length - 1] == '\n');
  return lines;
}

/* Each line answers its request, even if with an error. */
static int replay_all(const char *path, SkillLoop *loop, const char *const *said, size_t count) {
  static char tape[65536];
  SkillModel *model = NULL;
  int rc = skill_model_replay_new(tape, read_bytes(path, tape, sizeof tape), path, &model, NULL);
  for (size_t i = 0; i < count && !rc; i++) rc = ask(model, loop, said[i], NULL);
  skill_model_free(model);
  return rc;
}

static int record_and_replay(void *user) {
  (void)user;
  static const char *const asked[] = {"look \"it\" up", "and?"};
  const char *said[2];
  size_t count = 0;
  char path[5000];
  SkillLoop *loop = NULL;
  SkillModel *inner = NULL;
  SkillModel *model = NULL;
  snprintf(path, sizeof path, "%s/swept.jsonl", place);
  unlink(path);
  int rc = skill_loop_new(NULL, &loop, NULL);
  if (!rc) rc = skill_model_script_new(script, strlen(script), NULL, &inner, NULL);
  if (!rc) rc = skill_model_record_new(inner, path, &model, NULL);
  if (!model) skill_model_free(inner);
  for (size_t i = 0; model && i < 2; i++) {
    int result = ask(model, loop, asked[i], NULL);
    if (!result) result = status;
    if (lines_of(path) > count) said[count++] = asked[i]; /* also if only its delivery ran out of memory */
    if (!result) assert_true(count > 0 && said[count - 1] == asked[i]);
    if (!rc) rc = result;
  }
  skill_model_free(model);
  if (model) { /* once with the available memory, once with enough */
    int replayed = replay_all(path, loop, said, count);
    if (!rc) rc = replayed;
    sweep_relent();
    assert_int_equal(replay_all(path, loop, said, count), 0);
  }
  skill_loop_free(loop);
  return rc;
}

static void recording_and_replaying_survive_every_failed_allocation(void **state) {
  (void)state;
  place = tmpdir_make();
  record_and_replay(NULL); /* libuv's first */
  assert_true(sweep_run(record_and_replay, NULL) > 60);
  tmpdir_remove(place);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_recording_replays_to_the_same_deltas_and_answers),
      cmocka_unit_test(a_tape_that_is_none_says_which_line),
      cmocka_unit_test(a_place_that_cannot_be_written_leaves_the_model_with_the_caller),
      cmocka_unit_test(recording_and_replaying_survive_every_failed_allocation),
  };
  return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
