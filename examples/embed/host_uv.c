/* SPDX-License-Identifier: MIT
 *
 * A host with its own libuv loop, which keeps running while the agent works.
 */
#include <skillet/agent.h>
#include <skillet/source.h>
#include <stdio.h>
#include <uv.h>

struct host {
  uv_loop_t uv;
  uv_timer_t clock; /* the host's own work */
  int ticks;
  SkillRegistry *registry;
  SkillSource *source;
  SkillLoop *loop;
  SkillModel *model;
  SkillAgent *agent;
};

static void on_tick(uv_timer_t *clock) {
  ((struct host *)clock->data)->ticks++;
}

static void on_delta(const SkillDelta *delta, void *user) {
  (void)user;
  if (delta->kind == SKILL_DELTA_TEXT) fwrite(delta->text, 1, delta->length, stdout);
}

static void on_call(const SkillCallInfo *call, void *user) {
  (void)user;
  if (call->state == SKILL_CALL_RUNNING) printf("[%s %s]\n", call->tool, call->arguments);
}

static void on_turn(SkillAgent *agent, const SkillTurn *turn, void *user) {
  struct host *host = user;
  (void)agent;
  printf("\n%s; %zu requests, %zu calls, %zu tokens of context\n", turn->status ? turn->error->message : "done",
         turn->requests, turn->calls, turn->context_tokens);
  uv_close((uv_handle_t *)&host->clock, NULL); /* nothing is left to do: uv_run returns */
}

int main(int argc, char **argv) {
  struct host host = {.ticks = 0};
  SkillError err = SKILL_ERROR_INIT;
  SkillDirectoryOptions folder = SKILL_DIRECTORY_OPTIONS_INIT;
  SkillAgentOptions options = SKILL_AGENT_OPTIONS_INIT;
  folder.path = argc > 1 ? argv[1] : "examples/skills";
  uv_loop_init(&host.uv);
  uv_timer_init(&host.uv, &host.clock);
  host.clock.data = &host;
  uv_timer_start(&host.clock, on_tick, 1, 1);

  options.events = (SkillAgentEvents){.on_delta = on_delta, .on_call = on_call, .user = &host};
  int status = skill_registry_new(NULL, &host.registry, &err);
  if (!status) status = skill_source_directory_new(&folder, &host.source, &err);
  if (!status) status = skill_registry_sync(host.registry, &host.source, 1, SKILL_DUPLICATES_FIRST, NULL, &err);
  if (!status) status = skill_loop_new(&host.uv, &host.loop, &err);
  if (!status) status = skill_model_offline_new(&host.model, &err); /* or skill_model_provider_new("openai:…") */
  options.loop = host.loop;
  options.registry = host.registry;
  options.model = host.model;
  if (!status) status = skill_agent_new(&options, &host.agent, &err);
  const char *task = argc > 2 ? argv[2] : "convert 26.2 miles to kilometres";
  if (!status) status = skill_agent_turn(host.agent, task, 0, on_turn, &host, &err);
  if (status) fprintf(stderr, "%s\n", err.message);
  if (!status) uv_run(&host.uv, UV_RUN_DEFAULT);

  skill_agent_free(host.agent);
  skill_model_free(host.model);
  skill_loop_free(host.loop);
  uv_run(&host.uv, UV_RUN_DEFAULT); /* the last handles close */
  skill_registry_free(host.registry);
  skill_source_free(host.source);
  return status || uv_loop_close(&host.uv) ? 1 : 0;
}
