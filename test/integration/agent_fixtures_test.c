/* SPDX-License-Identifier: MIT
 *
 * What shows only when an agent works with skills: activation, life and end of skills, compaction. Each case is run on
 * skills of our own (test/data/agent/cases) and, where they are present, on those of ../shared/fixtures.
 *
 *   073 074       list, check: integration/fixtures; a fork and its agent: unit/agent_fork_test
 *   076 077 079   here
 *   106 107 109 110   unit/sync_test, unit/directory_test, integration/watch_test
 *   112 113 115 116   here
 *   118 119       here: an init that never ends, beside skills that work; unit/loader_async_test
 *   121           here; unit/loader_close_test, unit/loader_thread_test
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/check.h"
#include "lib/contains.h"
#include "skillet/agent.h"
#include "skillet/source.h"
#include "skillet/sys/alloc.h"

#define FIXTURES SKILLET_SHARED "/fixtures/"
#define CASES SKILLET_TEST_DATA "/agent/cases/"

static bool shared; /* which of the two is being run */

struct world {
  char events[4096]; /* "activated:a evicted:b …" */
  SkillLoop *loop;
  SkillRegistry *registry;
  SkillSource *source;
  SkillModel *model;
  SkillAgent *agent;
};

static void on_event(const SkillEvent *event, void *user) {
  struct world *w = user;
  size_t used = strlen(w->events);
  if (!event->skill || event->kind == SKILL_EVENT_RANKED) return;
  snprintf(w->events + used, sizeof w->events - used, "%s:%s ", skill_event_name(event->kind), event->skill);
}

static void make_world(struct world *w, const char *own, const char *fixture, const char *script, SkillModelHub *models,
                       bool sync) {
  char path[1024];
  SkillDirectoryOptions folder = SKILL_DIRECTORY_OPTIONS_INIT;
  SkillAgentOptions options = SKILL_AGENT_OPTIONS_INIT;
  SkillProfile profile = SKILL_PROFILE_INIT;
  memset(w, 0, sizeof *w);
  snprintf(path, sizeof path, "%s%s/skills", shared ? FIXTURES : CASES, shared ? fixture : own);
  folder.path = path;
  profile.preactivate = false;
  assert_int_equal(skill_loop_new(NULL, &w->loop, NULL), 0);
  assert_int_equal(skill_registry_new(NULL, &w->registry, NULL), 0);
  assert_int_equal(skill_source_directory_new(&folder, &w->source, NULL), 0);
  if (sync) assert_int_equal(skill_registry_sync(w->registry, &w->source, 1, SKILL_DUPLICATES_FIRST, NULL, NULL), 0);
  assert_int_equal(skill_model_script_new(script, strlen(script), NULL, &w->model, NULL), 0);
  options.loop = w->loop;
  options.registry = w->registry;
  options.model = w->model;
  options.profile = &profile;
  options.models = models;
  options.events.on_event = on_event;
  options.events.user = w;
  assert_int_equal(skill_agent_new(&options, &w->agent, NULL), 0);
}

static void open_world(struct world *w, const char *own, const char *fixture, const char *script,
                       SkillModelHub *models) {
  make_world(w, own, fixture, script, models, true);
}

static void close_world(struct world *w) {
  skill_agent_free(w->agent);
  skill_model_free(w->model);
  skill_loop_free(w->loop);
  skill_registry_free(w->registry);
  skill_source_free(w->source);
}

static void run(struct world *w, const char *text) {
  SkillError err = SKILL_ERROR_INIT;
  int status = skill_agent_run(w->agent, text, NULL, NULL, &err);
  if (status) print_error("%s\n", err.message);
  assert_int_equal(status, 0);
}

static const char *message(const struct world *w, size_t index) {
  return skill_conversation_at(skill_agent_conversation(w->agent), index)->text;
}

#define OPEN(name) "{\"calls\":[{\"name\":\"skill_open\",\"arguments\":{\"name\":\"" name "\"}}]}"

static void case_076_an_unknown_model_names_the_skill(void **state) {
  (void)state;
  struct world w;
  SkillModelHub *models = NULL;
  assert_int_equal(skill_model_hub_new(&models), 0);
  open_world(&w, "unknown-model", "076-unknown-model-error-names-skill",
             "{\"turns\":[" OPEN("mod") ",{\"text\":\"x\"}]}", models);
  assert_int_equal(skill_model_hub_add(models, "small", w.model), 0);
  run(&w, "go");
  const SkillMetadata *mod = skill_metadata(skill_registry_find(w.registry, "mod"));
  if (mod->context != SKILL_CONTEXT_INLINE) {
    has(message(&w, 2), "mod");
    has(message(&w, 2), "model");
    has(message(&w, 2), "vendor.model-v9[1m]");
  } else {
    has(message(&w, 2), "Skill: mod"); /* an inline skill is opened nevertheless */
  }
  close_world(&w);
  skill_model_hub_free(models);
}

static void case_077_who_may_open_what(void **state) {
  (void)state;
  struct world w;
  open_world(
      &w, "who-may-open", "077-manual-only-flag",
      "{\"turns\":[{\"calls\":[{\"name\":\"skill_open\",\"arguments\":{\"name\":\"m1\"}},{\"name\":\"skill_open\","
      "\"arguments\":{\"name\":\"m2\"}},"
      "{\"name\":\"skill_open\",\"arguments\":{\"name\":\"m3\"}},{\"name\":\"skill_open\",\"arguments\":{\"name\":"
      "\"m4\"}}],"
      "\"expect\":{\"any\":[\"- m1\",\"- m3\"],\"never\":[\"- m2\",\"- m4\"]}},{\"text\":\"x\"},{\"text\":\"y\"}]}",
      NULL);
  run(&w, "go");
  has(message(&w, 2), "Skill: m1");
  has(message(&w, 3), "There is no skill 'm2'");
  has(message(&w, 4), "Skill: m3");
  has(message(&w, 5), "There is no skill 'm4'");
  run(&w, "@m1 @m2 @m3 @m4"); /* the user may name m1 and m2 */
  size_t mentions = 0;
  SkillConversation *talk = skill_agent_conversation(w.agent);
  for (size_t i = 0; i < skill_conversation_count(talk); i++) {
    const char *origin = skill_conversation_at(talk, i)->origin;
    if (!origin || strncmp(origin, "mention:", 8) != 0) continue;
    mentions++;
    assert_true(strcmp(origin, "mention:m1") == 0 || strcmp(origin, "mention:m2") == 0);
  }
  assert_int_equal(mentions, 2);
  close_world(&w);
}

static void case_079_nothing_in_a_body_is_run(void **state) {
  (void)state;
  struct world w;
  open_world(&w, "commands-in-bodies", "079-command-output-injection-marker",
             "{\"turns\":[" OPEN("dyn") ",{\"text\":\"x\"}]}", NULL);
  run(&w, "go");
  has(message(&w, 2), "!`touch PWNED`");
  assert_int_not_equal(access("PWNED", F_OK), 0);
  assert_int_not_equal(access("PWNED2", F_OK), 0);
  assert_int_not_equal(access(FIXTURES "079-command-output-injection-marker/skills/dyn/PWNED", F_OK), 0);
  close_world(&w);
}

static void case_113_a_body_that_went_is_opened_in_full_again(void **state) {
  (void)state;
  struct world w;
  open_world(&w, "compacted-body", "113-ghost-loaded-state",
             "{\"turns\":[" OPEN("a") "," OPEN("a") ",{\"text\":\"x\"}," OPEN("a") ",{\"text\":\"y\"}]}", NULL);
  run(&w, "go");
  has(message(&w, 2), "Skill: a");
  has(message(&w, 4), "open already");
  SkillCompactOptions options = SKILL_COMPACT_OPTIONS_INIT;
  options.keep_tokens = 1;
  options.bodies_tokens = 1;
  options.loader = skill_agent_loader(w.agent);
  assert_int_equal(skill_conversation_add_text(skill_agent_conversation(w.agent), SKILL_ROLE_USER, "next", 0, NULL), 0);
  assert_int_equal(skill_context_compact(skill_agent_conversation(w.agent), &options, NULL, NULL), 0);
  run(&w, "again");
  SkillConversation *talk = skill_agent_conversation(w.agent);
  has(skill_conversation_at(talk, skill_conversation_count(talk) - 2)->text, "Skill: a");
  close_world(&w);
}

static void case_115_the_list_is_there_after_a_compaction(void **state) {
  (void)state;
  struct world w;
  open_world(
      &w, "always-after-compaction", "115-catalogue-lost-after-compaction",
      "{\"turns\":[{\"text\":\"x\",\"expect\":{\"any\":\"base\"}},{\"text\":\"y\",\"expect\":{\"any\":\"base\"}}]}",
      NULL);
  run(&w, "go");
  SkillCompactOptions options = SKILL_COMPACT_OPTIONS_INIT;
  options.keep_tokens = 1;
  assert_int_equal(skill_context_compact(skill_agent_conversation(w.agent), &options, NULL, NULL), 0);
  run(&w, "again");
  close_world(&w);
}

static void case_112_an_empty_catalogue_is_looked_at_again(void **state) {
  (void)state;
  struct world w;
  make_world(&w, "empty-at-first", "112-empty-list-is-not-loaded",
             "{\"turns\":[{\"text\":\"x\",\"expect\":{\"never\":\"- first\",\"not_tools\":\"skill_open\"}},"
             "{\"calls\":[{\"name\":\"skill_open\",\"arguments\":{\"name\":\"first\"}}],\"expect\":{\"any\":\"- "
             "first\",\"tools\":\"skill_open\"}},{\"text\":\"y\"}]}",
             NULL, false);
  run(&w, "go");
  assert_int_equal(skill_registry_sync(w.registry, &w.source, 1, SKILL_DUPLICATES_FIRST, NULL, NULL), 0);
  run(&w, "again");
  has(message(&w, 4), "Skill: first");
  close_world(&w);
}

static void case_115_bodies_that_are_always_there_stay(void **state) {
  (void)state;
  struct world w;
  char *body = NULL;
  size_t length = 0;
  open_world(&w, "always-after-compaction", "115-catalogue-lost-after-compaction",
             "{\"turns\":[{\"text\":\"x\"},{\"text\":\"y\"}]}", NULL);
  run(&w, "go");
  SkillCompactOptions options = SKILL_COMPACT_OPTIONS_INIT;
  options.keep_tokens = 1;
  assert_int_equal(skill_context_compact(skill_agent_conversation(w.agent), &options, NULL, NULL), 0);
  assert_int_equal(skill_body(skill_registry_find(w.registry, "base"), &body, &length, NULL), 0);
  while (length && body[length - 1] == '\n') body[--length] = '\0';
  SkillContextInput input = SKILL_CONTEXT_INPUT_INIT;
  SkillAlways always = {"base", body, length};
  SkillCompiled *compiled = NULL;
  input.always = &always;
  input.always_count = 1;
  input.conversation = skill_agent_conversation(w.agent);
  assert_int_equal(skill_context_compile(&input, &compiled, NULL), 0);
  has(compiled->messages[0].text, body);
  skill_compiled_free(compiled);
  skill_free(body);
  close_world(&w);
}

static size_t count_of(const char *text, const char *part) {
  size_t count = 0;
  for (const char *at = strstr(text, part); at; at = strstr(at + 1, part)) count++;
  return count;
}

static void case_116_what_is_pinned_stays_and_the_oldest_goes(void **state) {
  (void)state;
  struct world w;
  open_world(&w, "pinned", "116-lru-evicts-the-pinned",
             "{\"turns\":[" OPEN("p") ",{\"text\":\"x\"}," OPEN("a") "," OPEN("b") "," OPEN("c") "," OPEN(
                 "d") ",{\"text\":\"y\"}," OPEN("a") ",{\"text\":\"z\"}]}",
             NULL);
  run(&w, "go");
  ProgressiveSkillLoader *loader = skill_agent_loader(w.agent);
  assert_int_equal(skill_loader_pin(loader, "p", true), 0);
  run(&w, "more");
  assert_int_equal(skill_loader_active_count(loader), 3);
  assert_int_equal(skill_loader_state(loader, "p"), SKILL_STATE_ACTIVE);
  assert_int_equal(skill_loader_state(loader, "d"), SKILL_STATE_ACTIVE);
  has(w.events, "evicted:a ");
  has(w.events, "evicted:b ");
  assert_null(strstr(w.events, "evicted:p"));
  run(&w, "a again"); /* it is started again; its instructions are still in the conversation */
  assert_int_equal(skill_loader_state(loader, "a"), SKILL_STATE_ACTIVE);
  assert_int_equal(count_of(w.events, "activated:a "), 2);
  SkillConversation *talk = skill_agent_conversation(w.agent);
  has(skill_conversation_at(talk, skill_conversation_count(talk) - 2)->text, "a is open already");
  close_world(&w);
}

static void on_batch(ProgressiveSkillLoader *loader, const SkillActivation *result, void *user) {
  size_t *full = user;
  (void)loader;
  assert_int_equal(result->count, 5);
  for (size_t i = 0; i < result->count; i++) {
    if (!result->items[i]->status) continue;
    assert_int_equal(result->items[i]->status, SKILL_EFULL);
    assert_true(i >= 3 && *result->items[i]->reason);
    ++*full;
  }
}

static void case_116_a_batch_that_is_too_large_says_who_is_left_out(void **state) {
  (void)state;
  struct world w;
  static const char *const names[] = {"a", "b", "c", "d", "p"};
  size_t full = 0;
  open_world(&w, "pinned", "116-lru-evicts-the-pinned", "{\"turns\":[{\"text\":\"x\"}]}", NULL);
  ProgressiveSkillLoader *loader = skill_agent_loader(w.agent);
  assert_int_equal(skill_loader_activate_many(loader, names, 5, on_batch, &full, NULL, NULL), 0);
  assert_int_equal(skill_loader_wait(loader, -1), 0);
  assert_int_equal(full, 2);
  assert_int_equal(skill_loader_active_count(loader), 3);
  close_world(&w);
}

/* --- skills that do not start: they have no files, so they run once --------------------------------------------- */

enum { RETRIES = 50 };

static SkillCompletion *hanging[RETRIES + 8];
static size_t hanging_count;
static bool dead;

static void hang(Skill *skill, SkillCompletion *completion, void *user) {
  (void)skill, (void)user;
  assert_true(hanging_count < sizeof hanging / sizeof *hanging);
  hanging[hanging_count++] = completion;
}

static void connect(Skill *skill, SkillCompletion *completion, void *user) {
  (void)skill, (void)user;
  skill_completion_finish(completion, dead ? SKILL_EIO : 0, dead ? "connection refused" : NULL);
}

static void ping(SkillToolCall *call, const char *arguments_json, void *user) {
  (void)arguments_json, (void)user;
  skill_tool_call_finish(call, 0, "pong", 4);
}

static SkillToolCall *held;

static void hold(SkillToolCall *call, const char *arguments_json, void *user) {
  (void)arguments_json, (void)user;
  held = call;
}

static void open_backends(struct world *w, const char *script, int64_t init_timeout_ms) {
  const SkillTool tools[] = {{.name = "ping", .description = "Answers.", .call = ping},
                             {.name = "hold", .description = "Never answers.", .call = hold}};
  const SkillTool found = {.name = "search", .description = "Searches.", .call = ping};
  SkillDef defs[] = {
      {.metadata = {.name = "good", .description = "Works.", .tools = tools, .tool_count = 2}, .body = "x"},
      {.metadata = {.name = "dead", .description = "Is down.", .tools = &found, .tool_count = 1},
       .body = "x",
       .init = connect},
      {.metadata = {.name = "hanging", .description = "Never comes up."}, .body = "x", .init = hang}};
  SkillAgentOptions options = SKILL_AGENT_OPTIONS_INIT;
  SkillLoaderOptions loader = SKILL_LOADER_OPTIONS_INIT;
  SkillProfile profile = SKILL_PROFILE_INIT;
  memset(w, 0, sizeof *w);
  hanging_count = 0;
  held = NULL;
  assert_int_equal(skill_loop_new(NULL, &w->loop, NULL), 0);
  assert_int_equal(skill_registry_new(NULL, &w->registry, NULL), 0);
  for (size_t i = 0; i < 3; i++) assert_int_equal(skill_registry_add(w->registry, &defs[i], NULL, NULL), 0);
  assert_int_equal(skill_model_script_new(script, strlen(script), NULL, &w->model, NULL), 0);
  loader.init_timeout_ms = init_timeout_ms;
  profile.preactivate = false;
  profile.max_iterations = RETRIES + 8;
  options.loop = w->loop;
  options.registry = w->registry;
  options.model = w->model;
  options.loader = &loader;
  options.profile = &profile;
  options.events.on_event = on_event;
  options.events.user = w;
  assert_int_equal(skill_agent_new(&options, &w->agent, NULL), 0);
}

/* A running handler may outlive the agent, but not the loop. A running init may outlive the registry. */
static void close_backends(struct world *w) {
  skill_agent_free(w->agent);
  w->agent = NULL;
  if (held) skill_tool_call_finish(held, SKILL_ECANCELED, NULL, 0);
  close_world(w);
  for (size_t i = 0; i < hanging_count; i++) skill_completion_finish(hanging[i], SKILL_EFAILED, NULL);
}

static void count_end(SkillAgent *agent, const SkillTurn *turn, void *user) {
  (void)agent, (void)turn;
  ++*(int *)user;
}

static void case_119_what_works_is_used_while_another_hangs(void **state) {
  (void)state;
  struct world w;
  int ended = 0;
  open_backends(&w,
                "{\"turns\":[{\"calls\":[{\"name\":\"skill_open\",\"arguments\":{\"name\":\"hanging\"}},"
                "{\"name\":\"skill_open\",\"arguments\":{\"name\":\"good\"}}]},{\"text\":\"x\"}]}",
                3600000);
  assert_int_equal(skill_agent_turn(w.agent, "go", 0, count_end, &ended, NULL), 0);
  ProgressiveSkillLoader *loader = skill_agent_loader(w.agent);
  for (int i = 0; i < 100 && skill_loader_state(loader, "good") != SKILL_STATE_ACTIVE; i++) {
    skill_loop_run_once(w.loop, 20);
  }
  assert_int_equal(skill_loader_state(loader, "good"), SKILL_STATE_ACTIVE);
  assert_int_equal(skill_loader_state(loader, "hanging"), SKILL_STATE_INITIALISING);
  assert_int_equal(ended, 0);
  skill_completion_finish(hanging[0], SKILL_EIO, "gave up");
  hanging_count = 0;
  while (!ended) skill_loop_run_once(w.loop, 1000);
  has(message(&w, 2), "good"); /* it came first */
  has(message(&w, 3), "hanging could not be activated");
  has(message(&w, 3), "gave up");
  close_backends(&w);
}

static void case_119_what_was_down_comes_back_with_its_tools(void **state) {
  (void)state;
  struct world w;
  dead = true;
  open_backends(&w,
                "{\"turns\":[" OPEN("dead") "," OPEN("good") ",{\"calls\":[{\"name\":\"ping\",\"arguments\":{}}]},"
                "{\"text\":\"x\",\"expect\":{\"not_tools\":\"search\",\"last\":\"pong\"}}," OPEN("dead") ","
                "{\"calls\":[{\"name\":\"search\",\"arguments\":{}}],\"expect\":{\"tools\":\"search\"}},{\"text\":\"y\"}]}",
                1000);
  run(&w, "go");
  has(message(&w, 2), "dead could not be activated: its init failed: connection refused");
  dead = false;
  run(&w, "again");
  has(w.events, "activated:dead");
  close_backends(&w);
}

static size_t open_files(void) {
  size_t count = 0;
  char path[64];
  for (int fd = 0; fd < 1024; fd++) {
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    count += access(path, F_OK) == 0;
  }
  return count;
}

static void case_118_an_init_that_never_ends_costs_nothing_that_lasts(void **state) {
  (void)state;
  struct world w;
  open_backends(&w,
                "{\"turns\":[" OPEN("hanging") "," OPEN("hanging") "," OPEN("hanging") "," OPEN(
                    "hanging") ",{\"text\":\"{{last}}\"}]}",
                2);
  char *answer = NULL;
  assert_int_equal(skill_agent_run(w.agent, "go", &answer, NULL, NULL), 0);
  has(message(&w, 2), "hanging could not be activated: its init failed: it took longer than 2 ms");
  has(answer, "this same call has failed 3 times");
  skill_free(answer);
  ProgressiveSkillLoader *loader = skill_agent_loader(w.agent);
  size_t before = open_files();
  for (int i = 0; i < RETRIES; i++) {
    assert_int_equal(skill_loader_activate(loader, "hanging", NULL, NULL, NULL, NULL), 0);
    assert_int_equal(skill_loader_wait(loader, -1), 0);
  }
  assert_int_equal(hanging_count, RETRIES + 3);
  assert_int_equal(skill_loader_state(loader, "hanging"), SKILL_STATE_LISTED);
  assert_int_equal(open_files(), before);
  close_backends(&w);
}

static void case_118_a_child_that_never_answers_is_ended_with_its_own(void **state) {
  (void)state;
  struct world w;
  bool other = shared;
  SkillAgentOptions options = SKILL_AGENT_OPTIONS_INIT;
  SkillProfile profile = SKILL_PROFILE_INIT;
  SkillProcessOptions process = SKILL_PROCESS_OPTIONS_INIT;
  shared = false;
#define HANG "{\"calls\":[{\"name\":\"hang\",\"arguments\":{}}]}"
  open_world(
      &w, "child-that-hangs", "",
      "{\"turns\":[" OPEN("slow") "," HANG ",{\"text\":\"x\"}," HANG "," HANG "," HANG "," HANG "," HANG
                                  ",{\"calls\":[{\"name\":\"answer\",\"arguments\":{}}]},{\"text\":\"{{last}}\"}]}",
      NULL);
  shared = other;
  skill_agent_free(w.agent); /* the same, with limits */
  process.sandbox = SKILL_SANDBOX_OFF;
  profile.preactivate = false;
  profile.call_timeout_ms = 200;
  profile.approval = SKILL_APPROVAL_NONE;
  options.loop = w.loop;
  options.registry = w.registry;
  options.model = w.model;
  options.profile = &profile;
  options.process = &process;
  assert_int_equal(skill_agent_new(&options, &w.agent, NULL), 0);
  run(&w, "go");
  has(message(&w, 4), "timed out");
  size_t before = open_files();
  char *answer = NULL;
  profile.call_timeout_ms = 0;
  assert_int_equal(skill_agent_run(w.agent, "again", &answer, NULL, NULL), 0);
  has(answer, "here");
  skill_free(answer);
  /* Pipes of the first agent may still have been open, and those of the last may close after the answer. */
  for (int i = 0; i < 200 && open_files() > before; i++) skill_loop_run_once(w.loop, 50);
  assert_true(open_files() <= before);
  close_world(&w);
}

static void case_121_an_agent_can_go_at_any_time(void **state) {
  (void)state;
  for (int i = 0; i < 40; i++) {
    struct world w;
    int ended = 0;
    open_backends(&w,
                  i % 2 ? "{\"turns\":[" OPEN("good") ",{\"calls\":[{\"name\":\"hold\",\"arguments\":{}}]}]}"
                        : "{\"turns\":[" OPEN("hanging") "]}",
                  5);
    assert_int_equal(skill_agent_turn(w.agent, "go", 0, count_end, &ended, NULL), 0);
    for (int k = 0; k < i / 2; k++) skill_loop_run_once(w.loop, 0);
    int before = ended; /* on a slow machine the limit of the init may have ended the turn */
    close_backends(&w);
    assert_int_equal(ended, before);
    assert_true(ended <= 1);
  }
}

int main(void) {
  const struct CMUnitTest with_files[] = {
      cmocka_unit_test(case_076_an_unknown_model_names_the_skill),
      cmocka_unit_test(case_077_who_may_open_what),
      cmocka_unit_test(case_079_nothing_in_a_body_is_run),
      cmocka_unit_test(case_112_an_empty_catalogue_is_looked_at_again),
      cmocka_unit_test(case_113_a_body_that_went_is_opened_in_full_again),
      cmocka_unit_test(case_115_the_list_is_there_after_a_compaction),
      cmocka_unit_test(case_115_bodies_that_are_always_there_stay),
      cmocka_unit_test(case_116_what_is_pinned_stays_and_the_oldest_goes),
      cmocka_unit_test(case_116_a_batch_that_is_too_large_says_who_is_left_out),
  };
  const struct CMUnitTest without[] = {
      cmocka_unit_test(case_118_an_init_that_never_ends_costs_nothing_that_lasts),
      cmocka_unit_test(case_118_a_child_that_never_answers_is_ended_with_its_own),
      cmocka_unit_test(case_119_what_works_is_used_while_another_hangs),
      cmocka_unit_test(case_119_what_was_down_comes_back_with_its_tools),
      cmocka_unit_test(case_121_an_agent_can_go_at_any_time),
  };
  int failed = cmocka_run_group_tests_name("our own", with_files, NULL, NULL);
  failed += cmocka_run_group_tests_name("without files", without, NULL, NULL);
  shared = access(FIXTURES, R_OK) == 0;
  if (!shared) print_message("no ../shared/fixtures here: theirs are skipped\n");
  if (shared) failed += cmocka_run_group_tests_name("shared", with_files, NULL, NULL);
  return failed;
}
