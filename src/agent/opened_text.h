/* SPDX-License-Identifier: MIT
 *
 * The text that a model gets of an opened skill.
 */
#ifndef SKILL_AGENT_OPENED_TEXT_H
#define SKILL_AGENT_OPENED_TEXT_H

#include "agent/internal.h"

/* Writes the origin of a result of skill_open into SKILL__ORIGIN_SIZE bytes; false: the result has no body. */
bool skill__opened_origin(const char *text, size_t length, char *buffer);

/* Writes what the model gets of an opened skill: a head of lines, an empty line, the body with `arguments` put in.
 * `repeat`: the body is in the context still, so it is only named. Owned: release with skill_free. */
int skill__open_text(SkillAgent *agent, const Skill *skill, const SkillActivationItem *item, const char *arguments,
                     bool repeat, char **out, size_t *length, SkillError *err);

#endif
