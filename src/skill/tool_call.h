/* SPDX-License-Identifier: MIT
 *
 * The inside of a running tool call. The code that starts one embeds it as the first member of its own struct.
 */
#ifndef SKILL_SKILL_TOOL_CALL_H
#define SKILL_SKILL_TOOL_CALL_H

#include <stdatomic.h>

#include "skillet/skill.h"

struct SkillToolCall {
  /* Called once, on the finishing thread; the handler does not touch the call afterwards. */
  void (*finish)(SkillToolCall *call, int status, const char *text, size_t length);
  atomic_bool canceled;
};

#endif
