/* SPDX-License-Identifier: MIT
 *
 * What the offline model expects of skill_open's answer: lines "Key: value", among them "Tools: a, b"; an empty line;
 * and the skill's body.
 */
#ifndef SKILL_MODEL_OFFLINE_OFFLINE_H
#define SKILL_MODEL_OFFLINE_OFFLINE_H

/* How the body of a skill without instructions begins. */
#define SKILL__NO_INSTRUCTIONS "(This skill has no instructions"

#endif
