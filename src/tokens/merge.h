/* SPDX-License-Identifier: MIT
 *
 * Byte-pair merging of one piece.
 */
#ifndef SKILL_TOKENS_MERGE_H
#define SKILL_TOKENS_MERGE_H

#include "tokens/vocab.h"

/* Merges the bytes of a piece, always the adjacent pair of lowest rank and of equals the leftmost, until no pair is a
 * token. Returns how many tokens are left; the first `room` of them are written to `ids` (may be NULL when `room` is
 * 0). O(n log n) for `length` bytes. Without memory for a long piece it takes the longest tokens from the left
 * instead, which rarely changes the count. */
size_t skill__merge(const struct skill__vocab *vocab, const unsigned char *piece, size_t length, uint32_t *ids,
                    size_t room);

#endif
