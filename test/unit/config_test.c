/* SPDX-License-Identifier: MIT
 *
 * The configuration: what is read, which errors are reported and where, and that a project can only restrict.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/check.h"
#include "lib/sweep.h"
#include "lib/tmpdir.h"
#include "skillet/config.h"

static char *dir;
static char user[512];
static char project[512];

static int setup(void **state) {
  (void)state;
  dir = tmpdir_make();
  snprintf(user, sizeof user, "%s/user.yaml", dir);
  snprintf(project, sizeof project, "%s/project.yaml", dir);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  tmpdir_remove(dir);
  return 0;
}

static int load(const char *first, const char *second, SkillConfig **out, SkillError *err) {
  const char *paths[] = {user, project};
  if (first) tmpdir_write(dir, "user.yaml", first);
  if (second) tmpdir_write(dir, "project.yaml", second);
  return skill_config_load(paths, 2, out, err);
}

static void files_that_are_not_there_give_the_defaults(void **state) {
  (void)state;
  SkillConfig *config = NULL;
  assert_int_equal(load(NULL, NULL, &config, NULL), 0);
  assert_null(config->model);
  assert_int_equal(config->approval, SKILL_APPROVAL_DANGEROUS);
  assert_null(skill_config_assistant(config, NULL));
  skill_config_free(config);
  assert_int_equal(load("", "# nothing\n", &config, NULL), 0);
  skill_config_free(config);
}

static void every_key_is_read(void **state) {
  (void)state;
  SkillConfig *config = NULL;
  SkillError err = SKILL_ERROR_INIT;
  static const char text[] =
      "model: big\nskills: [skills, /abs, ~/mine]\npolicy: sticky\nmax_active: 5\nbudget: 9000\nmax_requests: 4\n"
      "approval: all\ndisabled_skills: secret\ndisabled_tools: [wipe, rm_*]\nroots: [.]\nwritable: [out]\n"
      "scripts: false\nsandbox: required\nlog: x.jsonl\n"
      "tools_offered: constant\ntool_names: {skill_open: open_skill, result_read: more}\n"
      "models:\n  big: {provider: 'openai:gpt', key_env: K, window: 1000}\n"
      "assistant: reviewer\n"
      "assistants:\n  reviewer:\n    system: Be kind.\n    model: big\n    allowed_tools: [file_read]\n    tools: "
      "false\n"
      "    skills:\n      code: {mode: always}\n      style: {enabled: false}\n";
  int status = load(text, NULL, &config, &err);
  if (status) print_error("%u:%u %s\n", err.line, err.column, err.message);
  assert_int_equal(status, 0);
  assert_string_equal(config->model, "big");
  char expected[600];
  snprintf(expected, sizeof expected, "%s/skills", dir);
  assert_string_equal(config->skills.items[0], expected);
  assert_string_equal(config->skills.items[1], "/abs");
  assert_int_equal(config->max_active, 5);
  assert_int_equal(config->approval, SKILL_APPROVAL_ALL);
  assert_true(config->scripts_off && config->sandbox_required);
  assert_int_equal(config->tools_offered, SKILL_TOOLS_CONSTANT);
  assert_string_equal(config->tool_names[SKILL_META_OPEN], "open_skill");
  assert_null(config->tool_names[SKILL_META_SEARCH]);
  assert_string_equal(skill_config_model(config, "big")->key_env, "K");
  const SkillConfigAssistant *assistant = skill_config_assistant(config, NULL);
  assert_string_equal(assistant->system, "Be kind.");
  assert_true(assistant->tools_off);
  SkillPermissions p = SKILL_PERMISSIONS_INIT;
  skill_config_permissions(config, assistant, &p);
  assert_false(skill_permissions_skill(&p, "SECRET", NULL));
  assert_false(skill_permissions_skill(&p, "style", NULL));
  assert_false(skill_permissions_tool(&p, "rm_all", NULL, NULL));
  assert_true(skill_permissions_tool(&p, "file_read", NULL, NULL));
  assert_false(skill_permissions_tool(&p, "file_write", NULL, NULL));
  SkillMetadata code = {.name = "code"};
  assert_int_equal(skill_permissions_mode(&p, &code), SKILL_MODE_ALWAYS);
  skill_config_free(config);
}

static void mistakes_are_told_with_their_place(void **state) {
  (void)state;
  static const struct {
    const char *text;
    unsigned line;
    const char *says;
  } cases[] = {
      {"model: a\ndisabled_skill: [x]\n", 2, "there is no key disabled_skill; did you mean disabled_skills?"},
      {"maxactive: 3\n", 1, "there is no key maxactive; did you mean max_active?"},
      {"scrips: false\n", 1, "did you mean scripts"},
      {"zzzzzz: 1\n", 1, "there is no key zzzzzz"},
      {"? [a]\n: 1\n", 1, "there is no key of that kind"},
      {"max_active: many\n", 1, "whole number"},
      {"max_active: -1\n", 1, "whole number"},
      {"a: [b\n", 2, "not valid YAML"},
      {"- a\n", 1, "keys with values"},
      {"approval: maybe\n", 1, "dangerous, all or none"},
      {"scripts: perhaps\n", 1, "true or false"},
      {"tools_offered: some\n", 1, "direct, constant or deferred"},
      {"tool_names: {skill_close: x}\n", 1, "there is no key skill_close"},
      {"tool_names: {skill_opn: x}\n", 1, "did you mean skill_open or skill_run?"},
      {"tool_names: {skill_open: 'open it'}\n", 1, "cannot be named 'open it'"},
      {"tool_names: {skill_open: same,\n  skill_read: same}\n", 2, "cannot both be named"},
      {"sandbox: off\n", 1, "auto or required"},
      {"skills: {a: b}\n", 1, "a list"},
      {"assistants:\n  a:\n    skills:\n      b: {mode: sometimes}\n", 4, "always or lazy"},
      {"assistants:\n  a: {sistem: x}\n", 2, "there is no key sistem; did you mean system?"},
      {"assistants:\n  a:\n    skills:\n      b: {mod: lazy}\n", 4, "there is no key mod; did you mean mode?"},
      {"models:\n  a: {base-urls: x}\n", 2, "did you mean base_url?"},
      {"assistants:\n  reviewer: {system: x}\nassistant: reveiwer\n", 0, "did you mean reviewer?"},
      {"models:\n  a: {window: 5}\n", 0, "a says no provider"},
      {"assistant: nobody\n", 0, "no assistant 'nobody'"},
      {"policy: best\n", 0, "no policy 'best'; use relevance, sticky"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    SkillConfig *config = NULL;
    SkillError err = SKILL_ERROR_INIT;
    assert_int_not_equal(load(cases[i].text, NULL, &config, &err), 0);
    assert_null(config);
    if (!strstr(err.message, cases[i].says)) print_error("%s -> %s\n", cases[i].text, err.message);
    assert_non_null(strstr(err.message, cases[i].says));
    assert_int_equal(err.line, cases[i].line);
  }
}

static void a_project_can_only_tighten(void **state) {
  (void)state;
  SkillConfig *config = NULL;
  SkillError err = SKILL_ERROR_INIT;
  assert_int_equal(
      load("disabled_skills: [a]\nscripts: false\nsandbox: required\nmodel: m:1\n",
           "disabled_skills: [b]\nscripts: true\nsandbox: auto\nmodel: m:2\napproval: all\n", &config, &err),
      0);
  assert_int_equal(config->disabled_skills.count, 2);
  assert_true(config->scripts_off && config->sandbox_required);
  assert_string_equal(config->model, "m:2");
  assert_int_equal(config->approval, SKILL_APPROVAL_ALL);
  skill_config_free(config);
  config = NULL;
  assert_int_equal(load("approval: all\n", "approval: none\n", &config, &err), SKILL_EINVAL);
  assert_non_null(strstr(err.message, "cannot lower approval"));
  assert_int_equal(load("model: x:y\n", "approval: none\n", &config, NULL), SKILL_EINVAL);
}

static void a_project_neither_replaces_nor_leaves_an_assistant_that_has_bounds(void **state) {
  (void)state;
  static const char *const texts[] = {"assistants:\n  a: {system: free}\n",
                                      "assistants:\n  b: {system: free}\nassistant: b\n"};
  SkillConfig *config = NULL;
  SkillError err = SKILL_ERROR_INIT;
  for (size_t i = 0; i < 2; i++) {
    assert_int_equal(load("assistant: a\nassistants:\n  a: {allowed_tools: [file_read]}\n", texts[i], &config, &err),
                     SKILL_EDENIED);
    assert_string_equal(err.file, project);
    skill_error_clear(&err);
  }
  assert_int_equal(load("assistant: a\nassistants:\n  a: {system: mine}\n", texts[1], &config, &err), 0);
  assert_string_equal(skill_config_assistant(config, NULL)->system, "free");
  skill_config_free(config);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* A project's file comes with a checkout. It must not read, write, run or send anything that the user did not
 * configure. */
static void a_project_cannot_reach_outside(void **state) {
  (void)state;
  static const struct {
    const char *text;
    const char *says;
  } cases[] = {
      {"roots: [/etc]\n", "below its folder, not /etc"},
      {"roots: [..]\n", "below its folder"},
      {"writable: [a/../../b]\n", "below its folder"},
      {"retrieve: [~/.ssh/id_rsa]\n", "below its folder"},
      {"retrieve: [inside/link]\n", "below its folder"},
      {"log: /tmp/log.jsonl\n", "cannot set log"},
      {"log: log.jsonl\n", "cannot set log"}, /* a link of that name could lead to any file of the user */
      {"tool_names: {skill_run: helper}\n",
       "cannot set tool_names; use your own"}, /* it would lift a ban on skill_run */
      {"models:\n  a: {provider: 'openai:m', key_command: 'curl evil'}\n", "cannot give a model's key_command"},
      {"models:\n  a: {provider: 'openai:m', base_url: 'http://evil'}\n", "cannot give a model's base_url"},
      {"models:\n  a: {provider: 'openai:m', key_env: SECRET}\n", "cannot give a model's key_env"},
      {"models:\n  a: {provider: 'openai:m', proxy: 'http://evil'}\n", "cannot give a model's proxy"},
  };
  char path[600];
  setenv("HOME", "/home/me", 1);
  tmpdir_write(dir, "inside/file.md", "x");
  snprintf(path, sizeof path, "%s/inside/link", dir);
  assert_int_equal(symlink("/etc/passwd", path), 0);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    SkillConfig *config = NULL;
    SkillError err = SKILL_ERROR_INIT;
    int status = load("model: m:1\n", cases[i].text, &config, &err);
    if (status != SKILL_EDENIED) print_error("%s -> %d %s\n", cases[i].text, status, err.message);
    assert_int_equal(status, SKILL_EDENIED);
    assert_non_null(strstr(err.message, cases[i].says));
    assert_string_equal(err.file, project);
    SkillConfig *own = NULL; /* the user's own file may set all of it */
    assert_int_equal(load(cases[i].text, "", &own, NULL), 0);
    skill_config_free(own);
  }
  SkillConfig *config = NULL;
  assert_int_equal(
      load("model: m:1\n", "roots: [.]\nretrieve: [inside, ./inside/file.md]\nretrieve_tokens: 9\n", &config, NULL), 0);
  snprintf(path, sizeof path, "%s/inside", dir);
  assert_string_equal(config->retrieve.items[0], path);
  assert_int_equal(config->retrieve_tokens, 9);
  skill_config_free(config);
}

static void paths_hold_the_home_folder_and_variables(void **state) {
  (void)state;
  SkillConfig *config = NULL;
  char expected[600];
  setenv("HOME", "/home/me", 1);
  setenv("SKILLET_TEST_PLACE", "/place", 1);
  assert_int_equal(load("skills: [~/mine, '$SKILLET_TEST_PLACE/a', 'x/${SKILLET_TEST_PLACE}s', $$HOME, ./~]\n"
                        "log: ~/log.jsonl\n",
                        NULL, &config, NULL),
                   0);
  assert_string_equal(config->skills.items[0], "/home/me/mine");
  assert_string_equal(config->skills.items[1], "/place/a");
  snprintf(expected, sizeof expected, "%s/x//places", dir);
  assert_string_equal(config->skills.items[2], expected);
  snprintf(expected, sizeof expected, "%s/$HOME", dir);
  assert_string_equal(config->skills.items[3], expected);
  snprintf(expected, sizeof expected, "%s/./~", dir);
  assert_string_equal(config->skills.items[4], expected);
  assert_string_equal(config->log, "/home/me/log.jsonl");
  skill_config_free(config);
}

static void a_variable_that_is_not_set_is_told_with_its_place(void **state) {
  (void)state;
  SkillConfig *config = NULL;
  SkillError err = SKILL_ERROR_INIT;
  unsetenv("SKILLET_TEST_PLACE");
  assert_int_equal(load("skills:\n  - a\n  - $SKILLET_TEST_PLACE/b\n", NULL, &config, &err), SKILL_EINVAL);
  assert_non_null(strstr(err.message, "SKILLET_TEST_PLACE is not set"));
  assert_string_equal(err.file, user);
  assert_int_equal(err.line, 3);
  assert_int_equal(err.column, 5);
}

/* `long_text` is longer than a block of the configuration's memory. */
static int load_under_sweep(void *long_text) {
  const char *paths[] = {user};
  SkillConfig *config = NULL;
  SkillError err = SKILL_ERROR_INIT;
  int status = skill_config_load(paths, 1, &config, &err);
  if (status) {
    assert_int_equal(err.code, status);
    assert_null(config);
    return status;
  }
  const SkillConfigAssistant *assistant = skill_config_assistant(config, "reviewer");
  assert_string_equal(skill_config_model(config, "big")->base_url, long_text);
  assert_string_equal(assistant->preferences[0].skill, long_text);
  assert_int_equal(config->disabled_tools.count, 3);
  for (size_t i = 0; i < 2; i++) assert_string_equal(config->disabled_tools.items[i], long_text);
  assert_string_equal(config->tool_names[SKILL_META_OPEN], "open_skill");
  skill_config_free(config);
  return 0;
}

static void memory_may_run_out_at_every_allocation(void **state) {
  (void)state;
  char long_text[5000];
  char text[30000];
  memset(long_text, 'x', sizeof long_text);
  long_text[sizeof long_text - 1] = '\0';
  snprintf(text, sizeof text,
           "disabled_tools: ['%s', '%s', wipe]\ntool_names: {skill_open: open_skill}\nroots: [./a]\n"
           "models:\n  big: {provider: 'openai:gpt', base_url: '%s'}\n"
           "assistants:\n  reviewer: {skills: {? '%s' : {mode: always}}}\n",
           long_text, long_text, long_text, long_text);
  tmpdir_write(dir, "user.yaml", text);
  sweep_forgive_libraries();
  /* Under the sanitizers only the allocations of skillet itself fail, without those of libyaml. */
  assert_in_range(sweep_run(load_under_sweep, long_text), 8, 1000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      T(files_that_are_not_there_give_the_defaults),
      T(every_key_is_read),
      T(a_project_cannot_reach_outside),
      T(paths_hold_the_home_folder_and_variables),
      T(a_variable_that_is_not_set_is_told_with_its_place),
      T(mistakes_are_told_with_their_place),
      T(a_project_neither_replaces_nor_leaves_an_assistant_that_has_bounds),
      T(a_project_can_only_tighten),
      T(memory_may_run_out_at_every_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
