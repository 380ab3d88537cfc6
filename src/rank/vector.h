/* SPDX-License-Identifier: MIT
 *
 * Vectors of skills and of their tools from the learned table.
 */
#ifndef SKILL_RANK_VECTOR_H
#define SKILL_RANK_VECTOR_H

#include "rank/segment.h"

/* Computes rows, vectors and units of a segment whose blob and offsets are set. SKILL_ENOMEM: they are not set. */
int skill__vectors_make(struct skill__segment *segment, const struct skill__dict *dict,
                        const struct skill__terms *terms);

#endif
