/* SPDX-License-Identifier: MIT
 *
 * Running a call: a handler in C, or a script as a child process.
 */
#include <string.h>

#include "gateway/internal.h"
#include "util/alloc.h"

/* The handler's result; any thread. `finished` and `posted` are set under one lock: once a record is finished and not
 * posted, the loop's thread may free it. */
static void on_finish(SkillToolCall *base, int status, const char *text, size_t length) {
  struct skill__gateway_call *call = (struct skill__gateway_call *)(void *)base;
  char *copy = length <= SKILL_MAX_MESSAGE ? skill__strndup(text, length) : NULL;
  uv_mutex_lock(&call->lock);
  call->finished = true;
  call->status = status;
  if (!copy) call->status = length > SKILL_MAX_MESSAGE ? SKILL_ELIMIT : SKILL_ENOMEM;
  call->text = copy;
  call->length = copy ? length : 0;
  bool post = !call->posted;
  call->posted = true;
  uv_mutex_unlock(&call->lock);
  if (post) skill__loop_post(call->loop, &call->post);
}

static void on_script(const SkillProcessResult *result, void *user) {
  struct skill__gateway_call *call = user;
  char *text = NULL;
  size_t length = 0;
  int status = 0;
  call->process = NULL;
  call->info.sandboxed = result->sandboxed;
  int made = skill_process_result_text(result, &text, &length, &status);
  on_finish(&call->base, made ? made : status, text ? text : "", length);
  skill_free(text);
}

int skill__call_script(SkillToolCall *base, const SkillScript *script, const SkillProcessOptions *options,
                       SkillError *err) {
  struct skill__gateway_call *call = (struct skill__gateway_call *)(void *)base;
  return skill_script_start(skill_loop_uv(call->loop), script, options, on_script, call, &call->process, err);
}

static int start_script(SkillGateway *gateway, struct skill__gateway_call *call, SkillError *err) {
  SkillScript script = SKILL_SCRIPT_INIT;
  script.folder = call->target.folder;
  script.skill = call->target.skill;
  script.command = call->tool.command;
  script.input_schema = call->tool.input_schema;
  script.arguments_json = call->info.arguments;
  return skill__call_script(&call->base, &script, gateway->options.process, err);
}

/* `handed` is set before the handler is called, because it may finish within the call. */
int skill__gateway_start(SkillGateway *gateway, struct skill__gateway_call *call, SkillError *err) {
  call->base.finish = on_finish;
  atomic_init(&call->base.canceled, false);
  if (call->tool.call) {
    call->handed = true;
    call->tool.call(&call->base, call->info.arguments, call->tool.user);
    return 0;
  }
  if (!call->tool.command || !call->target.folder) {
    return skill_error_set(err, SKILL_EUNSUPPORTED, "%s is only listed: it has no handler and no command",
                           call->info.tool);
  }
  int status = start_script(gateway, call, err);
  call->handed = !status;
  return status;
}
