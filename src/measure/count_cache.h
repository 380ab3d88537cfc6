/* SPDX-License-Identifier: MIT
 *
 * A tokenizer that remembers: counts of long texts by their content, in one file between runs.
 *
 * Bodies of ten thousand skills take longer to count than to scan and index. Content that was counted before is found
 * by its length and a 64-bit checksum, which is ten times as fast as counting and cannot go stale.
 */
#ifndef SKILL_MEASURE_COUNT_CACHE_H
#define SKILL_MEASURE_COUNT_CACHE_H

#include "skillet/io.h"
#include "skillet/tokens.h"

/* Texts shorter than this are counted each time. */
#define SKILL__COUNT_CACHE_FLOOR 512
/* Counts that one file holds; what comes later is not remembered. */
#define SKILL__COUNT_CACHE_MAX ((size_t)1 << 20)

/* Wraps `inner`, which must outlive the result and be exact. A file that is missing, damaged or of another tokenizer
 * is as good as an empty one. Not for several threads. Owned: release with skill_tokenizer_free, which does not write.
 * SKILL_ENOMEM. */
int skill__count_cache_open(SkillTokenizer *inner, SkillIo *io, const char *path, SkillTokenizer **out);

/* Writes the file where something new was counted. 0, or the code of `io`. */
int skill__count_cache_save(SkillTokenizer *cache);

/* The file for a tokenizer: $XDG_CACHE_HOME/skillet/tokens-NAME.bin, else ~/.cache/… Returns whether there is one and
 * it fits. */
bool skill__count_cache_path(const char *name, char *path, size_t size);

/* How many texts were found and how many had to be counted. */
void skill__count_cache_stats(const SkillTokenizer *cache, size_t *found, size_t *counted);

#endif
