/* SPDX-License-Identifier: MIT
 *
 * skill_run with real scripts: it must not bypass the approval or ban of a script's own tool.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/check.h"
#include "lib/tmpdir.h"
#include "skillet/agent.h"
#include "skillet/source.h"
#include "skillet/sys/alloc.h"

static const char skill_text[] =
    "---\nname: disk\ndescription: Works on disks.\ntools:\n"
    "  - {name: wipe, description: Wipes., command: scripts/wipe.sh --all, dangerous: true}\n"
    "  - {name: mount, description: Mounts., command: scripts/mount.sh}\n"
    "  - {name: show, description: Shows., command: scripts/show.sh}\n---\nUse the tools.\n";

static char *dir;
static SkillLoop *loop;
static SkillRegistry *registry;
static SkillSource *source;

static void write_script(const char *name) {
  char path[512];
  char text[256];
  snprintf(path, sizeof path, "disk/scripts/%s", name);
  snprintf(text, sizeof text, "#!/bin/sh\necho did %s\n", name);
  tmpdir_write(dir, path, text);
}

static int setup(void **state) {
  (void)state;
  char from[512];
  char to[512];
  SkillDirectoryOptions folder = SKILL_DIRECTORY_OPTIONS_INIT;
  dir = tmpdir_make();
  tmpdir_write(dir, "disk/SKILL.md", skill_text);
  write_script("wipe.sh");
  write_script("mount.sh");
  write_script("show.sh");
  write_script("plain.sh");
  snprintf(from, sizeof from, "%s/disk/scripts/wipe.sh", dir);
  snprintf(to, sizeof to, "%s/disk/scripts/linked.sh", dir);
  assert_int_equal(symlink("wipe.sh", to), 0);
  snprintf(to, sizeof to, "%s/disk/scripts/twin.sh", dir);
  assert_int_equal(link(from, to), 0);
  folder.path = dir;
  assert_int_equal(skill_loop_new(NULL, &loop, NULL), 0);
  assert_int_equal(skill_registry_new(NULL, &registry, NULL), 0);
  assert_int_equal(skill_source_directory_new(&folder, &source, NULL), 0);
  assert_int_equal(skill_registry_sync(registry, &source, 1, SKILL_DUPLICATES_FIRST, NULL, NULL), 0);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  skill_registry_free(registry);
  skill_source_free(source);
  skill_loop_free(loop);
  tmpdir_remove(dir);
  return 0;
}

/* Runs one script with skill_run and stores the text that the model gets. */
static void run_script(const char *script, char *out, size_t size) {
  static const char *const banned[] = {"mount"};
  char turns[512];
  SkillModel *model = NULL;
  SkillAgent *agent = NULL;
  SkillAgentOptions options = SKILL_AGENT_OPTIONS_INIT;
  SkillProfile profile = SKILL_PROFILE_INIT;
  SkillPermissions permissions = SKILL_PERMISSIONS_INIT;
  permissions.disabled_tools = (SkillStrings){banned, 1};
  snprintf(turns, sizeof turns,
           "{\"turns\":[{\"calls\":[{\"name\":\"skill_run\",\"arguments\":{\"name\":\"disk\",\"script\":\"%s\"}}]},"
           "{\"text\":\"done\"}]}",
           script);
  profile.preactivate = false;
  assert_int_equal(skill_model_script_new(turns, strlen(turns), NULL, &model, NULL), 0);
  options.loop = loop;
  options.registry = registry;
  options.model = model;
  options.profile = &profile;
  options.permissions = &permissions;
  assert_int_equal(skill_agent_new(&options, &agent, NULL), 0);
  assert_int_equal(skill_agent_run(agent, "go", NULL, NULL, NULL), 0);
  snprintf(out, size, "%s", skill_conversation_at(skill_agent_conversation(agent), 2)->text);
  skill_agent_free(agent);
  skill_model_free(model);
}

static void says(const char *script, const char *part) {
  char text[1024];
  run_script(script, text, sizeof text);
  if (!strstr(text, part)) print_error("%s: '%s' is not in '%s'\n", script, part, text);
  assert_non_null(strstr(text, part));
}

static void a_dangerous_tools_script_runs_only_by_that_tool_under_any_name(void **state) {
  (void)state;
  static const char *const names[] = {"scripts/wipe.sh", "./scripts/../scripts//wipe.sh", "scripts/linked.sh",
                                      "scripts/twin.sh"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) says(names[i], "is what the tool wipe runs");
}

static void a_forbidden_tools_script_does_not_run_either(void **state) {
  (void)state;
  says("scripts/mount.sh", "is what the tool mount runs");
}

static void other_scripts_run(void **state) {
  (void)state;
  says("scripts/show.sh", "did show.sh");
  says("scripts/plain.sh", "did plain.sh");
  says("scripts/none.sh", "there is no such file");
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      T(a_dangerous_tools_script_runs_only_by_that_tool_under_any_name),
      T(a_forbidden_tools_script_does_not_run_either),
      T(other_scripts_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
