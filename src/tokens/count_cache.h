/* SPDX-License-Identifier: MIT
 *
 * A tokenizer with a cache: counts of long texts by their content, kept in a file between runs.
 *
 * Counting the bodies of ten thousand skills takes longer than scanning and indexing them. A text that was counted
 * before is found by its length and a 64-bit checksum, which is ten times as fast as counting and cannot become
 * outdated.
 */
#ifndef SKILL_TOKENS_COUNT_CACHE_H
#define SKILL_TOKENS_COUNT_CACHE_H

#include "skillet/io.h"
#include "skillet/tokens.h"

/* Texts shorter than this are counted each time. */
#define SKILL__COUNT_CACHE_FLOOR 512
/* Counts that one file holds; further counts are not kept. */
#define SKILL__COUNT_CACHE_MAX ((size_t)1 << 20)

/* Wraps `inner`, which must outlive the result and be exact. A file that is missing, damaged or of another tokenizer is
 * treated as empty. Not thread-safe. Owned: release with skill_tokenizer_free, which does not write.
 * SKILL_ENOMEM. */
int skill__count_cache_open(SkillTokenizer *inner, SkillIo *io, const char *path, SkillTokenizer **out);

/* Writes the file if there are new counts. 0 or a code of `io`. */
int skill__count_cache_save(SkillTokenizer *cache);

/* The file for a tokenizer: $XDG_CACHE_HOME/skillet/tokens-NAME.bin, or below ~/.cache. Returns false if there is no
 * such folder or the path does not fit. */
bool skill__count_cache_path(const char *name, char *path, size_t size);

#endif
