/* SPDX-License-Identifier: MIT
 *
 * Tool calls as a handler sees them, and the plain way to start one, without a gateway.
 */
#include "skill/tool_call.h"

#include "util/alloc.h"

struct started {
  struct SkillToolCall base; /* first: cast back */
  SkillToolDoneCb done;
  void *user;
};

void skill_tool_call_finish(SkillToolCall *call, int status, const char *text, size_t length) {
  call->finish(call, status > 0 ? SKILL_EINVAL : status, text ? text : "", text ? length : 0);
}

bool skill_tool_call_canceled(const SkillToolCall *call) {
  return atomic_load(&call->canceled);
}

static void on_finish(SkillToolCall *call, int status, const char *text, size_t length) {
  struct started started = *(struct started *)(void *)call;
  started.done(call, status, text, length, started.user);
  skill__free(call);
}

int skill_tool_call_start(const SkillTool *tool, const char *arguments_json, SkillToolDoneCb done, void *user,
                          SkillToolCall **out, SkillError *err) {
  if (!tool || !tool->call || !done) return skill_error_set(err, SKILL_EINVAL, "the tool has no handler");
  struct started *started = skill__malloc(sizeof *started);
  if (!started) return skill_error_set(err, SKILL_ENOMEM, "out of memory");
  started->base.finish = on_finish;
  atomic_init(&started->base.canceled, false);
  started->done = done;
  started->user = user;
  if (out) *out = &started->base;
  tool->call(&started->base, arguments_json ? arguments_json : "{}", tool->user);
  return 0;
}

void skill_tool_call_cancel(SkillToolCall *call) {
  atomic_store(&call->canceled, true);
}
