/* SPDX-License-Identifier: MIT
 *
 * skill_run: one script of a skill, in the skill's folder. What a typed tool runs only after an approval, or not at
 * all, is not to be had around that tool. Fails where skill or script are not there, and where it does not start.
 */
#include "agent/meta_run.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "gateway/internal.h"
#include "util/alloc.h"
#include "util/json.h"

/* --- what a typed tool guards ------------------------------------------------------------------------------------- */

static bool file_of(const char *folder, const char *path, size_t length, struct stat *info) {
  char full[2 * SKILL_MAX_PATH];
  int n = snprintf(full, sizeof full, "%s/%.*s", folder, (int)length, path);
  return n > 0 && (size_t)n < sizeof full && stat(full, info) == 0;
}

/* Whether the command runs that file, under whatever name: the whole command is a path, or its first word is. */
static bool runs(const char *folder, const char *command, const struct stat *script) {
  size_t lengths[] = {strlen(command), strcspn(command, " \t")};
  for (size_t i = 0; i < 2; i++) {
    struct stat info;
    if (!file_of(folder, command, lengths[i], &info)) continue;
    if (info.st_dev == script->st_dev && info.st_ino == script->st_ino) return true;
  }
  return false;
}

/* The tool that alone may run the script, since its calls wait for an approval or are forbidden; NULL: there is none.
 */
static const SkillTool *guarding_tool(const SkillAgent *agent, const Skill *skill, const char *folder,
                                      const char *path) {
  const SkillMetadata *metadata = skill_metadata(skill);
  struct stat script;
  if (!file_of(folder, path, strlen(path), &script)) return NULL; /* which the start will say */
  for (size_t i = 0; i < metadata->tool_count; i++) {
    const SkillTool *tool = &metadata->tools[i];
    bool guarded =
        (tool->flags & SKILL_TOOL_DANGEROUS) != 0 || !skill__agent_permits(agent, tool->name, metadata->name, NULL);
    if (guarded && tool->command && runs(folder, tool->command, &script)) return tool;
  }
  return NULL;
}

/* --- the call ----------------------------------------------------------------------------------------------------- */

static void on_script(const SkillProcessResult *result, void *user) {
  SkillToolCall *call = user;
  char *text = NULL;
  size_t length = 0;
  int status = 0;
  ((struct skill__call *)(void *)call)->process = NULL;
  ((struct skill__call *)(void *)call)->info.sandboxed = result->sandboxed;
  int made = skill_process_result_text(result, &text, &length, &status);
  skill_tool_call_finish(call, made ? made : status, text, length);
  skill_free(text);
}

void skill__run_call(SkillToolCall *call, const char *arguments_json, void *user) {
  SkillAgent *agent = user;
  cJSON *root = skill__meta_arguments(call, arguments_json);
  if (!root) return;
  const char *path = skill__json_string(root, "script");
  const cJSON *args = cJSON_GetObjectItemCaseSensitive(root, "args");
  Skill *skill = skill__meta_skill(agent, call, skill__json_string(root, "name"));
  char folder[SKILL_MAX_PATH];
  const SkillTool *tool = NULL;
  SkillError why = SKILL_ERROR_INIT;
  SkillScript script = SKILL_SCRIPT_INIT;
  bool given = cJSON_IsArray(args) || cJSON_IsObject(args);
  char *printed = given ? cJSON_PrintUnformatted(args) : NULL;
  if (!skill) goto out;
  if (given && !printed) {
    skill__meta_finish(call, SKILL_ENOMEM, "out of memory for the arguments");
    goto out;
  }
  if (!path || !*path || strpbrk(path, " \t\n")) {
    skill__meta_finish(call, SKILL_EINVAL, "'script' must be the path of one script, without blanks or arguments.");
    goto out;
  }
  if (!skill__skill_folder(skill, folder, sizeof folder)) {
    skill__meta_finish(call, SKILL_EUNSUPPORTED, "%s has no folder with scripts.", skill_name(skill));
    goto out;
  }
  if ((tool = guarding_tool(agent, skill, folder, path)) != NULL) {
    skill__meta_finish(call, SKILL_EDENIED, "%.300s is what the tool %.200s runs, and runs only by calling that.", path,
                       tool->name);
    goto out;
  }
  script.folder = folder;
  script.skill = skill_name(skill);
  script.command = path;
  script.arguments_json = printed;
  int status = skill_script_start(skill_loop_uv(agent->loop), &script, agent->options.process, on_script, call,
                                  &((struct skill__call *)(void *)call)->process, &why);
  if (status) skill__meta_finish(call, status, "%.300s of %s does not start: %s", path, skill_name(skill), why.message);

out:
  cJSON_free(printed);
  cJSON_Delete(root);
}
