/* SPDX-License-Identifier: MIT
 *
 * Passages that go with a request although nobody asked for them.
 */
#ifndef SKILL_AGENT_PASSAGE_RETRIEVE_H
#define SKILL_AGENT_PASSAGE_RETRIEVE_H

#include "agent/internal.h"

/* Adds a message "passages" with those of the configured files that fit the request best and that the conversation does
 * not hold yet; none where none fits. Each says where it comes from. The same files, conversation and request give the
 * same bytes. SKILL_ELIMIT, SKILL_ENOMEM. */
int skill__agent_retrieve(SkillAgent *agent, const char *asked, SkillError *err);

#endif
