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

/* The packed vector of a row: a pointer into the segment, or to `room` (SKILL__TERMS_MAX_DIMS bytes), where it is put
 * together from sketch and sizes. */
const uint8_t *skill__vector_at(const struct skill__segment *segment, size_t row, uint8_t *room);

/* Prefetches a row. */
void skill__vector_expect(const struct skill__segment *segment, size_t row);

#endif
