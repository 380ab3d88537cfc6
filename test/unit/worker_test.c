/* SPDX-License-Identifier: MIT
 *
 * An agent on its own thread: commands in, news out, and no caller waits. Also runs under the thread sanitizer.
 */
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <uv.h>

#include "lib/check.h"
#include "skillet/sys/alloc.h"
#include "skillet/worker.h"

struct made {
  SkillRegistry *registry;
  SkillModel *model;
  const char *script;
  atomic_int wakes;
  int wiped;
  bool fails;
};

static void wipe(SkillToolCall *call, const char *arguments_json, void *user) {
  (void)arguments_json;
  ((struct made *)user)->wiped++;
  skill_tool_call_finish(call, 0, "wiped", 5);
}

static int make(SkillLoop *loop, const SkillAgentEvents *events, void *user, SkillAgent **out, SkillError *err) {
  struct made *made = user;
  SkillAgentOptions options = SKILL_AGENT_OPTIONS_INIT;
  SkillTool tool = {.name = "wipe", .flags = SKILL_TOOL_DANGEROUS, .call = wipe, .user = made};
  if (made->fails) return skill_error_set(err, SKILL_EIO, "no disk");
  int status = skill_model_script_new(made->script, strlen(made->script), NULL, &made->model, err);
  options.loop = loop;
  options.model = made->model;
  options.events = *events;
  options.tools = &tool;
  options.tool_count = 1;
  return status ? status : skill_agent_new(&options, out, err);
}

static void unmake(SkillAgent *agent, void *user) {
  struct made *made = user;
  skill_agent_free(agent);
  skill_model_free(made->model);
}

static void wake(void *user) {
  atomic_fetch_add(&((struct made *)user)->wakes, 1);
}

static SkillWorker *start(struct made *made) {
  SkillWorker *worker = NULL;
  SkillWorkerOptions options = {sizeof options, make, unmake, wake, made};
  assert_int_equal(skill_worker_start(&options, &worker, NULL), 0);
  return worker;
}

/* Returns the next news of that kind and drops others. A host would be woken; the test polls. */
static SkillNews *await_news(SkillWorker *worker, SkillNewsKind kind) {
  for (;;) {
    SkillNews *news = skill_worker_next(worker);
    if (news && news->kind == kind) return news;
    skill_free(news);
    if (!news) sched_yield();
  }
}

static void orders_go_in_and_news_come_out(void **state) {
  (void)state;
  struct made made = {
      .script = "{\"turns\":[{\"calls\":[{\"name\":\"wipe\",\"arguments\":{}}]},{\"text\":\"It is {{last}}.\"}]}"};
  SkillWorker *worker = start(&made);
  assert_int_equal(skill_worker_turn(worker, "go"), 0);
  SkillNews *news = await_news(worker, SKILL_NEWS_APPROVAL);
  assert_string_equal(news->name, "wipe");
  assert_int_equal(skill_worker_turn(worker, "me too"), 0); /* refused with news: one is running */
  assert_int_equal(skill_worker_decide(worker, news->id, true, NULL), 0);
  skill_free(news);
  news = await_news(worker, SKILL_NEWS_TURN);
  assert_int_equal(news->turn.status, SKILL_EBUSY);
  skill_free(news);
  news = await_news(worker, SKILL_NEWS_TURN);
  assert_string_equal(news->text, "It is wiped.");
  assert_int_equal(news->turn.requests, 2);
  skill_free(news);
  assert_true(atomic_load(&made.wakes) > 3);
  skill_worker_stop(worker);
  assert_int_equal(made.wiped, 1);
}

static void a_running_turn_can_be_canceled_or_dropped(void **state) {
  (void)state;
  struct made made = {.script = "{\"turns\":[{\"hang\":true},{\"hang\":true}]}"};
  SkillWorker *worker = start(&made);
  assert_int_equal(skill_worker_turn(worker, "go"), 0);
  assert_int_equal(skill_worker_cancel(worker), 0);
  SkillNews *news = await_news(worker, SKILL_NEWS_TURN);
  assert_int_equal(news->turn.end, SKILL_TURN_CANCELED);
  skill_free(news);
  assert_int_equal(skill_worker_turn(worker, "go"), 0);
  skill_worker_stop(worker); /* while it runs */
}

static void an_agent_that_cannot_be_made_is_an_error(void **state) {
  (void)state;
  struct made made = {.fails = true};
  SkillWorker *worker = NULL;
  SkillError err = SKILL_ERROR_INIT;
  SkillWorkerOptions options = {sizeof options, make, unmake, NULL, &made};
  assert_int_equal(skill_worker_start(&options, &worker, &err), SKILL_EIO);
  assert_string_equal(err.message, "no disk");
  assert_null(worker);
}

static void count(SkillAgent *agent, void *user) {
  atomic_store((atomic_int *)user, 1 + (int)skill_conversation_count(skill_agent_conversation(agent)));
}

static void anything_can_be_done_on_its_thread(void **state) {
  (void)state;
  struct made made = {.script = "{\"turns\":[{\"text\":\"hi\"}]}"};
  SkillWorker *worker = start(&made);
  atomic_int messages = 0;
  assert_int_equal(skill_worker_turn(worker, "go"), 0);
  skill_free(await_news(worker, SKILL_NEWS_TURN));
  assert_int_equal(skill_worker_do(worker, count, &messages), 0);
  skill_worker_stop(worker); /* earlier commands are executed */
  assert_int_equal(atomic_load(&messages), 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(orders_go_in_and_news_come_out),
      cmocka_unit_test(a_running_turn_can_be_canceled_or_dropped),
      cmocka_unit_test(an_agent_that_cannot_be_made_is_an_error),
      cmocka_unit_test(anything_can_be_done_on_its_thread),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
