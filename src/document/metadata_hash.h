/* SPDX-License-Identifier: MIT
 *
 * One number for everything that a skill's metadata say.
 */
#ifndef SKILL_DOCUMENT_METADATA_HASH_H
#define SKILL_DOCUMENT_METADATA_HASH_H

#include "skillet/document.h"

/* Equal metadata have equal numbers, in this process: tools' functions count with their addresses. Different metadata
 * have different numbers unless somebody looks for two that do not. */
uint64_t skill__metadata_hash(const SkillMetadata *metadata);

/* Makes *hash depend on `length` more bytes. */
void skill__hash_add(uint64_t *hash, const void *data, size_t length);

#endif
