/* SPDX-License-Identifier: MIT
 *
 * A host with its own poll loop. It asks on the terminal before dangerous calls.
 */
#include <poll.h>
#include <skillet/agent.h>
#include <skillet/source.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

static bool done;
static char asked[128]; /* the call that waits for the user's answer; "": none */

static void on_delta(const SkillDelta *delta, void *user) {
  (void)user;
  if (delta->kind == SKILL_DELTA_TEXT) fwrite(delta->text, 1, delta->length, stdout);
}

static void on_approval(const SkillCallInfo *call, void *user) {
  (void)user;
  snprintf(asked, sizeof asked, "%s", call->id);
  printf("run %s %s? [y/n]\n", call->tool, call->arguments);
}

static void on_turn(SkillAgent *agent, const SkillTurn *turn, void *user) {
  (void)agent, (void)user;
  printf("\n%s; %zu requests, %zu tokens of context\n", turn->status ? turn->error->message : "done", turn->requests,
         turn->context_tokens);
  done = true;
}

static void on_input(SkillAgent *agent) {
  char line[16];
  bool yes = fgets(line, sizeof line, stdin) && line[0] == 'y';
  skill_agent_decide(agent, asked, yes, NULL);
  asked[0] = '\0';
}

static void run(SkillLoop *loop, SkillAgent *agent) {
  while (!done) {
    struct pollfd fds[] = {{skill_loop_fd(loop), POLLIN, 0}, {asked[0] ? STDIN_FILENO : -1, POLLIN, 0}};
    if (poll(fds, 2, skill_loop_timeout_ms(loop)) < 0) return;
    if (fds[1].revents) on_input(agent);
    skill_loop_step(loop);
  }
}

int main(int argc, char **argv) {
  SkillError err = SKILL_ERROR_INIT;
  SkillDirectoryOptions folder = SKILL_DIRECTORY_OPTIONS_INIT;
  SkillRegistry *registry = NULL;
  SkillSource *source = NULL;
  SkillLoop *loop = NULL;
  SkillModel *model = NULL;
  SkillAgent *agent = NULL;
  SkillAgentOptions options = SKILL_AGENT_OPTIONS_INIT;
  folder.path = argc > 1 ? argv[1] : "examples/skills";
  options.events = (SkillAgentEvents){.on_delta = on_delta, .on_approval = on_approval};
  int status = skill_registry_new(NULL, &registry, &err);
  if (!status) status = skill_source_directory_new(&folder, &source, &err);
  if (!status) status = skill_registry_sync(registry, &source, 1, SKILL_DUPLICATES_FIRST, NULL, &err);
  if (!status) status = skill_loop_new(NULL, &loop, &err);
  if (!status) status = skill_model_offline_new(&model, &err);
  options.loop = loop;
  options.registry = registry;
  options.model = model;
  if (!status) status = skill_agent_new(&options, &agent, &err);
  const char *task = argc > 2 ? argv[2] : "convert 26.2 miles to kilometres";
  if (!status) status = skill_agent_turn(agent, task, 0, on_turn, NULL, &err);
  if (status) fprintf(stderr, "%s\n", err.message);
  if (!status) run(loop, agent);
  skill_agent_free(agent);
  skill_model_free(model);
  skill_loop_free(loop);
  skill_registry_free(registry);
  skill_source_free(source);
  return status ? 1 : 0;
}
