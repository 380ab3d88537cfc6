/* SPDX-License-Identifier: MIT
 *
 * "@NAME" in a request: skills and files that go with it because the user named them.
 */
#ifndef SKILL_AGENT_AT_MENTIONS_H
#define SKILL_AGENT_AT_MENTIONS_H

#include "agent/internal.h"

/* Adds a message "mention:NAME" for each thing that the text names with an '@' and that is there. What is not there
 * is left as text: an address, a user's name. SKILL_ENOMEM, SKILL_ELIMIT. */
int skill__agent_attach(SkillAgent *agent, const char *text, SkillError *err);

#endif
