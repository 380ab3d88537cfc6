/* SPDX-License-Identifier: MIT
 *
 * One recorded HTTP model, used by several threads on their own loops: keys, connections and the recording are shared,
 * answers are not.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/ask.h"
#include "lib/tmpdir.h"

enum { THREADS = 4, REQUESTS = 8 };

struct asker {
  pthread_t thread;
  SkillModel *model;
  int answers;
  int done;
};

static void on_reply(int status, const SkillReply *reply, const SkillError *error, void *user) {
  struct asker *asker = user;
  asker->done++;
  if (status) print_error("%s\n", error->message);
  asker->answers += status == 0 && reply->message.call_count == 2 && reply->usage.cached_tokens == 4;
}

static void *ask_and_ask(void *user) {
  struct asker *asker = user;
  SkillLoop *loop = NULL;
  SkillModelRequest request = ask_long_request();
  request.stream = true;
  if (skill_loop_new(NULL, &loop, NULL)) return NULL;
  for (int i = 0; i < REQUESTS; i++) {
    if (skill_model_start(asker->model, loop, &request, NULL, on_reply, asker, NULL, NULL)) break;
    while (asker->done == i) skill_loop_run_once(loop, 100);
  }
  skill_loop_free(loop);
  return NULL;
}

static size_t lines_of(const char *path, char *text, size_t size, size_t *length) {
  size_t lines = 0;
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  *length = fread(text, 1, size, file);
  fclose(file);
  for (size_t i = 0; i < *length; i++) lines += text[i] == '\n';
  return lines;
}

static void threads_share_a_model_and_its_tape(void **state) {
  (void)state;
  struct http_reply reply = {.body = ask_chat_stream, .again = true}; /* the server handles one connection at a time */
  reply.headers = "Content-Type: text/event-stream\r\nConnection: close\r\n";
  struct asker askers[THREADS];
  char path[600];
  char *dir = tmpdir_make();
  snprintf(path, sizeof path, "%s/tape.jsonl", dir);
  ask_options.key = NULL;
  ask_options.key_command = "echo key-for-all";
  ask_serve(skill_model_openai_new, &reply, 1);
  assert_int_equal(skill_model_record_new(ask_model, path, &ask_model, NULL), 0);
  for (int i = 0; i < THREADS; i++) {
    askers[i] = (struct asker){.model = ask_model};
    assert_int_equal(pthread_create(&askers[i].thread, NULL, ask_and_ask, &askers[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(askers[i].thread, NULL);
    assert_int_equal(askers[i].answers, REQUESTS);
  }
  static char tape[1 << 20];
  size_t length = 0;
  SkillModel *replay = NULL;
  assert_int_equal(lines_of(path, tape, sizeof tape, &length), THREADS * REQUESTS);
  assert_int_equal(skill_model_replay_new(tape, length, path, &replay, NULL), 0); /* no line went into another */
  skill_model_free(replay);
  tmpdir_remove(dir);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      ASK_TEST(threads_share_a_model_and_its_tape),
  };
  return cmocka_run_group_tests_name("provider_threads", tests, NULL, NULL);
}
