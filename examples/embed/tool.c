/* SPDX-License-Identifier: MIT
 *
 * The tool in C that docs/embedding.md shows, called by a scripted model.
 */
#include <skillet/agent.h>
#include <stdio.h>

static void now(SkillToolCall *call, const char *arguments_json, void *user) {
  (void)arguments_json, (void)user;
  skill_tool_call_finish(call, 0, "12:30", 5);
}

static const char script[] =
    "{\"turns\":[{\"calls\":[{\"name\":\"now\",\"arguments\":{}}]},{\"text\":\"It is {{last}}.\"}]}";

int main(void) {
  const SkillTool tools[] = {{.name = "now", .description = "The time.", .call = now, .flags = SKILL_TOOL_READ_ONLY}};
  SkillAgentOptions options = SKILL_AGENT_OPTIONS_INIT;
  SkillError err = SKILL_ERROR_INIT;
  SkillAgent *agent = NULL;
  char *answer = NULL;
  options.tools = tools;
  options.tool_count = 1;
  int status = skill_loop_new(NULL, &options.loop, &err);
  if (!status) status = skill_model_script_new(script, sizeof script - 1, "script", &options.model, &err);
  if (!status) status = skill_agent_new(&options, &agent, &err);
  if (!status) status = skill_agent_run(agent, "What time is it?", &answer, NULL, &err);
  puts(status ? err.message : answer);
  skill_free(answer);
  skill_agent_free(agent);
  skill_model_free(options.model);
  skill_loop_free(options.loop);
  return status ? 1 : 0;
}
