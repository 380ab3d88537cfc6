/* SPDX-License-Identifier: MIT
 *
 * skill_run: runs one script of a skill in the skill's folder. It must not bypass a typed tool whose calls need an
 * approval or are forbidden. Fails if the skill or the script does not exist, and if the script does not start.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "agent/meta_tools.h"
#include "gateway/for_agent.h"

/* --- tools that guard scripts ---------------------------------------------------------------------------------- */

static bool file_of(const char *folder, const char *path, size_t length, struct stat *info) {
  char full[2 * SKILL_MAX_PATH];
  int n = snprintf(full, sizeof full, "%s/%.*s", folder, (int)length, path);
  return n > 0 && (size_t)n < sizeof full && stat(full, info) == 0;
}

/* Whether the command runs that file, under any name: the whole command is a path, or its first word is. */
static bool runs(const char *folder, const char *command, const struct stat *script) {
  size_t lengths[] = {strlen(command), strcspn(command, " \t")};
  for (size_t i = 0; i < 2; i++) {
    struct stat info;
    if (!file_of(folder, command, lengths[i], &info)) continue;
    if (info.st_dev == script->st_dev && info.st_ino == script->st_ino) return true;
  }
  return false;
}

/* The tool through which alone the script may run, since its calls need an approval or are forbidden; NULL: none. */
static const SkillTool *guarding_tool(const SkillAgent *agent, const Skill *skill, const char *folder,
                                      const char *path) {
  const SkillMetadata *metadata = skill_metadata(skill);
  struct stat script;
  if (!file_of(folder, path, strlen(path), &script)) return NULL; /* the start reports it */
  for (size_t i = 0; i < metadata->tool_count; i++) {
    const SkillTool *tool = &metadata->tools[i];
    bool guarded =
        (tool->flags & SKILL_TOOL_DANGEROUS) != 0 || !skill__agent_permits(agent, tool->name, metadata->name, NULL);
    if (guarded && tool->command && runs(folder, tool->command, &script)) return tool;
  }
  return NULL;
}

/* --- the call -------------------------------------------------------------------------------------------------- */

void skill__meta_run(SkillAgent *agent, SkillToolCall *call, const cJSON *arguments) {
  const char *path = skill__meta_string(arguments, "script");
  const cJSON *args = cJSON_GetObjectItemCaseSensitive(arguments, "args");
  const SkillTool *tool = NULL;
  char folder[SKILL_MAX_PATH];
  SkillError why = SKILL_ERROR_INIT;
  SkillScript script = SKILL_SCRIPT_INIT;
  Skill *skill = skill__meta_skill(agent, call, skill__meta_string(arguments, "name"),
                                   "its files are asked for though it may not be seen");
  bool given = cJSON_IsArray(args) || cJSON_IsObject(args);
  char *printed = skill && given ? cJSON_PrintUnformatted(args) : NULL;
  if (!skill) return;
  if (given && !printed) {
    skill__meta_finish(call, SKILL_ENOMEM, "out of memory for the arguments");
  } else if (!*path || strpbrk(path, " \t\n")) {
    skill__meta_finish(call, SKILL_EINVAL, "'script' must be the path of one script, without blanks or arguments.");
  } else if (!skill__skill_folder(skill, folder)) {
    skill__meta_finish(call, SKILL_EUNSUPPORTED, "%s has no folder with scripts.", skill_name(skill));
  } else if ((tool = guarding_tool(agent, skill, folder, path)) != NULL) {
    skill__meta_finish(call, SKILL_EDENIED, "%.300s is what the tool %.200s runs, and runs only by calling that.", path,
                       tool->name);
  } else {
    script.folder = folder;
    script.skill = skill_name(skill);
    script.command = path;
    script.arguments_json = printed;
    int status = skill__call_script(call, &script, agent->options.process, &why);
    if (status)
      skill__meta_finish(call, status, "%.300s of %s does not start: %s", path, skill_name(skill), why.message);
  }
  cJSON_free(printed);
}
