/* SPDX-License-Identifier: MIT
 *
 * Reads and writes of skillet on the disk, with each system call failing in turn: a recording, a configuration, and an
 * agent's turn with a folder of skills and a script. Each reports what failed, a recording stays readable, and later
 * operations work.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/check.h"
#include "lib/faults.h"
#include "lib/tmpdir.h"
#include "skillet/agent.h"
#include "skillet/config.h"
#include "skillet/provider.h"
#include "skillet/source.h"
#include "skillet/sys/alloc.h"

static char *dir;
static char root[512]; /* the same without links */

static int set_up(void **state) {
  (void)state;
  dir = tmpdir_make();
  return realpath(dir, root) ? 0 : -1;
}

static int tear_down(void **state) {
  faults_tear_down(state);
  tmpdir_remove(dir);
  return 0;
}

/* ---- a recording ------------------------------------------------------------------------------------------------- */

static struct {
  int calls;
  int status;
  char error[600];
} got;

static void on_reply(int status, const SkillReply *reply, const SkillError *error, void *user) {
  (void)reply;
  (void)user;
  got.calls++;
  got.status = status;
  snprintf(got.error, sizeof got.error, "%s", error->message);
}

static int ask(SkillModel *model, SkillLoop *loop, const char *text) {
  SkillMessage message = {.role = SKILL_ROLE_USER, .text = text, .text_length = strlen(text)};
  SkillModelRequest request = SKILL_MODEL_REQUEST_INIT;
  request.messages = &message;
  request.message_count = 1;
  memset(&got, 0, sizeof got);
  int rc = skill_model_start(model, loop, &request, NULL, on_reply, NULL, NULL, NULL);
  while (!rc && !got.calls) skill_loop_run_once(loop, 1000);
  return rc ? rc : got.status;
}

static size_t read_tape(const char *path, char *text, size_t size) {
  FILE *file = fopen(path, "rb");
  size_t length = file ? fread(text, 1, size - 1, file) : 0;
  if (file) fclose(file);
  text[length] = '\0';
  return length;
}

/* Every line that was reported as written is there, and no partial line. */
static void expect_tape(const char *path, SkillLoop *loop, const char *const *said, size_t count) {
  static char text[65536];
  SkillModel *replay = NULL;
  SkillError err = SKILL_ERROR_INIT;
  size_t length = read_tape(path, text, sizeof text);
  int rc = skill_model_replay_new(text, length, path, &replay, &err);
  if (rc) fail_msg("%s failing: %s", faults_met(), err.message);
  for (size_t i = 0; i < count; i++) assert_int_equal(ask(replay, loop, said[i]), 0);
  assert_int_equal(ask(replay, loop, "more"), SKILL_EREMOTE);
  skill_model_free(replay);
}

static void record(void *user) {
  static const char script[] = "{\"turns\":[{\"text\":\"hi\"}],\"loop\":true}";
  static const char *const words[] = {"one", "two", "three"};
  bool exactly = *(bool *)user;
  const char *said[3];
  size_t count = 0;
  char path[600];
  SkillLoop *loop = NULL;
  SkillModel *inner = NULL;
  SkillModel *model = NULL;
  SkillError err = SKILL_ERROR_INIT;
  snprintf(path, sizeof path, "%s/tape.jsonl", dir);
  unlink(path);
  assert_int_equal(skill_loop_new(NULL, &loop, NULL), 0);
  assert_int_equal(skill_model_script_new(script, sizeof script - 1, NULL, &inner, NULL), 0);
  int rc = skill_model_record_new(inner, path, &model, &err);
  if (rc) {
    assert_string_equal(err.file, path);
    assert_non_null(strstr(err.message, "cannot be opened"));
    skill_model_free(inner);
  }
  for (size_t i = 0; !rc && i < 3; i++) {
    int status = ask(model, loop, words[i]);
    if (!status) said[count++] = words[i];
    if (status) assert_non_null(strstr(got.error, "the recording cannot be written: "));
  }
  if (exactly) assert_int_equal(count, 3);
  if (!rc) assert_true(count >= 2);
  faults_relent();
  skill_model_free(model);
  if (!rc) expect_tape(path, loop, said, count);
  skill_loop_free(loop);
}

static void a_recording_has_no_half_lines(void **state) {
  (void)state;
  bool exactly = false;
  assert_true(faults_run(FAULT_ERROR, record, &exactly) > 3);
  exactly = true;
  assert_true(faults_run(FAULT_INTERRUPT, record, &exactly) > 1);
  assert_true(faults_run(FAULT_SHORT, record, &exactly) > 1);
}

/* ---- a configuration --------------------------------------------------------------------------------------------- */

static void configure(void *user) {
  const char *const *paths = user;
  SkillConfig *config = NULL;
  SkillError err = SKILL_ERROR_INIT;
  int rc = skill_config_load(paths, 2, &config, &err);
  if (rc) {
    assert_true(faults_met() && err.message[0]);
    assert_null(config);
  } else {
    assert_string_equal(config->model, "big"); /* never a part of it */
    assert_int_equal(config->max_active, 5);
  }
  skill_config_free(config);
}

static void a_configuration_is_read_whole_or_refused(void **state) {
  (void)state;
  char first[600];
  char second[600];
  const char *paths[] = {first, second};
  snprintf(first, sizeof first, "%s/user.yaml", dir);
  snprintf(second, sizeof second, "%s/project.yaml", dir);
  tmpdir_write(dir, "user.yaml", "model: big\nmodels:\n  big: {provider: 'openai:gpt'}\n");
  tmpdir_write(dir, "project.yaml", "max_active: 5\n");
  assert_true(faults_run(FAULT_ERROR, configure, paths) > 3);
  assert_true(faults_run(FAULT_INTERRUPT, configure, paths) > 0);
  assert_true(faults_run(FAULT_SHORT, configure, paths) > 0);
}

/* ---- an agent's turn --------------------------------------------------------------------------------------------- */

static const char turns[] =
    "{\"turns\":[{\"calls\":[{\"name\":\"skill_open\",\"arguments\":{\"name\":\"baker\"}}]},"
    "{\"calls\":[{\"name\":\"skill_read\",\"arguments\":{\"name\":\"baker\",\"path\":\"flour.md\"}},"
    "{\"name\":\"skill_run\",\"arguments\":{\"name\":\"baker\",\"script\":\"scripts/knead.sh\",\"args\":[\"dough\"]}},"
    "{\"name\":\"file_write\",\"arguments\":{\"path\":\"out.txt\",\"text\":\"written\"}},"
    "{\"name\":\"file_read\",\"arguments\":{\"path\":\"out.txt\"}}]},"
    "{\"text\":\"done\"}],\"loop\":true}";

struct bakery {
  SkillLoop *loop;
  SkillRegistry *registry;
  SkillSource *source;
  SkillModel *model;
  SkillAgent *agent;
};

static void open_bakery(struct bakery *b) {
  static const char *roots[] = {root, NULL};
  static SkillProcessOptions process = SKILL_PROCESS_OPTIONS_INIT;
  char skills[700];
  SkillDirectoryOptions folder = SKILL_DIRECTORY_OPTIONS_INIT;
  SkillRegistryOptions registry = SKILL_REGISTRY_OPTIONS_INIT;
  SkillRankerOptions ranker = SKILL_RANKER_OPTIONS_INIT;
  SkillAgentOptions options = SKILL_AGENT_OPTIONS_INIT;
  SkillProfile profile = SKILL_PROFILE_INIT;
  memset(b, 0, sizeof *b);
  snprintf(skills, sizeof skills, "%s/skills", root);
  ranker.table = "";
  registry.ranker = &ranker;
  folder.path = skills;
  process.sandbox = SKILL_SANDBOX_OFF;
  assert_int_equal(skill_loop_new(NULL, &b->loop, NULL), 0);
  assert_int_equal(skill_registry_new(&registry, &b->registry, NULL), 0);
  assert_int_equal(skill_source_directory_new(&folder, &b->source, NULL), 0);
  assert_int_equal(skill_model_script_new(turns, sizeof turns - 1, NULL, &b->model, NULL), 0);
  profile.approval = SKILL_APPROVAL_NONE;
  options.loop = b->loop;
  options.registry = b->registry;
  options.model = b->model;
  options.profile = &profile;
  options.roots = roots;
  options.writable = roots;
  options.process = &process;
  assert_int_equal(skill_agent_new(&options, &b->agent, NULL), 0);
}

static void close_bakery(struct bakery *b) {
  skill_agent_free(b->agent);
  skill_model_free(b->model);
  skill_loop_free(b->loop);
  skill_registry_free(b->registry);
  skill_source_free(b->source);
}

static const char *result_of(const struct bakery *b, const char *tool, bool *error) {
  SkillConversation *talk = skill_agent_conversation(b->agent);
  for (size_t i = skill_conversation_count(talk); i-- > 0;) {
    const SkillMessage *message = skill_conversation_at(talk, i);
    if (message->role != SKILL_ROLE_TOOL || strcmp(message->name, tool) != 0) continue;
    *error = message->error;
    return message->text;
  }
  *error = true;
  return "(none)";
}

/* Whether the result is right. Without a fault it must be. */
static void expect_result(const struct bakery *b, const char *tool, const char *text, bool strict) {
  bool error;
  const char *result = result_of(b, tool, &error);
  bool right = !error && strstr(result, text);
  if (!right && (strict || !error)) fail_msg("%s failing: %s gives %s", faults_met(), tool, result);
}

static void expect_turn(struct bakery *b, bool strict) {
  SkillError err = SKILL_ERROR_INIT;
  char *answer = NULL;
  int rc = skill_agent_run(b->agent, "bake", &answer, NULL, &err);
  assert_int_equal(skill_conversation_open_calls(skill_agent_conversation(b->agent)), 0);
  if (rc) {
    assert_true(err.message[0] && !strict);
    return;
  }
  assert_string_equal(answer, "done");
  skill_free(answer);
  expect_result(b, "skill_open", strict ? "baker" : "Knead", strict);
  expect_result(b, "skill_read", "Rye or wheat.", strict);
  expect_result(b, "skill_run", "kneaded dough", strict);
  expect_result(b, "file_write", "is written", strict);
  expect_result(b, "file_read", "written", strict);
}

static void bake(void *user) {
  struct bakery b;
  SkillSyncReport *report = NULL;
  size_t *descriptors = user;
  open_bakery(&b);
  int rc = skill_registry_sync(b.registry, &b.source, 1, SKILL_DUPLICATES_FIRST, &report, NULL);
  assert_int_equal(rc, 0);
  if (skill_registry_find(b.registry, "baker")) {
    expect_turn(&b, false);
  } else { /* an unreadable skill is reported */
    assert_true(faults_met() && report->diagnostic_count > 0);
  }
  skill_sync_report_free(report);
  faults_relent();
  while (waitpid(-1, NULL, WNOHANG) > 0) continue; /* whose reaping failed */
  assert_int_equal(skill_registry_sync(b.registry, &b.source, 1, SKILL_DUPLICATES_FIRST, NULL, NULL), 0);
  assert_non_null(skill_registry_find(b.registry, "baker"));
  expect_turn(&b, true);
  close_bakery(&b);
  size_t count = 0;
  DIR *fds = opendir("/proc/self/fd");
  while (readdir(fds)) count++;
  closedir(fds);
  if (!*descriptors) *descriptors = count;
  assert_int_equal(count, *descriptors);
}

static void a_turn_says_what_failed_and_the_next_one_works(void **state) {
  (void)state;
  char path[600];
  size_t descriptors = 0;
  snprintf(path, sizeof path, "%s/skills", dir);
  assert_int_equal(mkdir(path, 0700), 0);
  snprintf(path, sizeof path, "%s/skills/baker", dir);
  assert_int_equal(mkdir(path, 0700), 0);
  snprintf(path, sizeof path, "%s/skills/baker/scripts", dir);
  assert_int_equal(mkdir(path, 0700), 0);
  tmpdir_write(dir, "skills/baker/SKILL.md", "---\nname: baker\ndescription: Bakes bread.\n---\nKnead the dough.\n");
  tmpdir_write(dir, "skills/baker/flour.md", "Rye or wheat.\n");
  tmpdir_write(dir, "skills/baker/scripts/knead.sh", "#!/bin/sh\necho kneaded $1\n");
  bake(&descriptors); /* descriptors that libuv opens once */
  assert_true(faults_run(FAULT_ERROR, bake, &descriptors) > 60);
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      T(a_recording_has_no_half_lines),
      T(a_configuration_is_read_whole_or_refused),
      T(a_turn_says_what_failed_and_the_next_one_works),
  };
  return cmocka_run_group_tests_name("disk_fault", tests, NULL, NULL);
}
