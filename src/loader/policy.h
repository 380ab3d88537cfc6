/* SPDX-License-Identifier: MIT
 *
 * What the built-in policies share with the loader and with readers of options.
 */
#ifndef SKILL_LOADER_POLICY_H
#define SKILL_LOADER_POLICY_H

#include "skillet/policy.h"

/* Writes the names of the built-in policies, "a, b or c", cut to `size`. */
void skill__policy_names(char *out, size_t size);

/* The loader recognises it by its address, and then makes no array of residents. */
int skill__policy_lru(const SkillPolicy *policy, const SkillVictimInput *input, size_t *victim);

int skill__policy_budget_select(const SkillPolicy *policy, const SkillSelectInput *input, size_t *chosen,
                                size_t *count);

#endif
