/* SPDX-License-Identifier: MIT
 *
 * One number for everything that a skill's metadata say.
 */
#ifndef SKILL_DOCUMENT_METADATA_HASH_H
#define SKILL_DOCUMENT_METADATA_HASH_H

#include "skillet/document.h"

/* Equal metadata have equal hashes. For this process only: the addresses of tools' functions count. Does not resist an
 * attacker. Continue it with skill__hash_add. */
uint64_t skill__metadata_hash(const SkillMetadata *metadata);

#endif
