/* SPDX-License-Identifier: MIT
 *
 * Vectors of skills and of their tools from the learned table.
 */
#ifndef SKILL_RANK_INDEX_DOC_VECTORS_H
#define SKILL_RANK_INDEX_DOC_VECTORS_H

#include "rank/index/segment.h"

/* Computes rows, vectors and sketches of a segment whose blob and offsets are set. SKILL_ENOMEM: they are not set. */
int skill__vectors_make(struct skill__segment *segment, const struct skill__dict *dict,
                        const struct skill__terms *terms);

/* Bytes that a segment keeps of each vector, beside its sketch. */
size_t skill__vector_size(const struct skill__segment *segment);

/* The packed vector of a row: where it lies, or put together in `room`, SKILL__TERMS_MAX_DIMS bytes. */
const uint8_t *skill__vector_at(const struct skill__segment *segment, size_t row, uint8_t *room);

/* Tells memory that it will be asked for. */
void skill__vector_expect(const struct skill__segment *segment, size_t row);

#endif
