/* SPDX-License-Identifier: MIT
 *
 * The dictionary of one ranker: token <-> number. It only grows. One thread adds while any number of threads look up:
 * texts and entries never move, and an outgrown table is kept until no reader can be using it.
 */
#ifndef SKILL_RANK_INDEX_DICT_H
#define SKILL_RANK_INDEX_DICT_H

#include <stdint.h>

#include "rank/table/terms.h"

#define SKILL__DICT_NONE UINT32_MAX

struct skill__dict;

/* `terms` (may be NULL) is borrowed for the dictionary's life: each entry remembers its row and share there. */
int skill__dict_new(const struct skill__terms *terms, struct skill__dict **out);
void skill__dict_free(struct skill__dict *dict);

/* Gives tables back that were outgrown. No other thread may be using the dictionary. */
void skill__dict_trim(struct skill__dict *dict);

/* The token's number; a new token is added. SKILL__DICT_NONE: out of memory. The writer's thread only. */
uint32_t skill__dict_intern(struct skill__dict *dict, const char *text, size_t length);

/* The token's number, or SKILL__DICT_NONE. Any thread. */
uint32_t skill__dict_find(const struct skill__dict *dict, const char *text, size_t length);

/* The token's text (not terminated), valid as long as the dictionary. */
const char *skill__dict_text(const struct skill__dict *dict, uint32_t id, size_t *length);

/* Finds the tokens that were added since the last call in the learned table. The writer's thread only; a snapshot is
 * published after it. */
void skill__dict_learn(struct skill__dict *dict);

/* What the learned table knows of it; not before skill__dict_learn. */
struct skill__term skill__dict_term(const struct skill__dict *dict, uint32_t id);

/* How many tokens there are; the writer's thread only. */
uint32_t skill__dict_count(const struct skill__dict *dict);
size_t skill__dict_bytes(const struct skill__dict *dict);

/* --- saving ------------------------------------------------------------------------------------------------------ */

/* Appends the dictionary, every part padded to 8 bytes. Fails by the buffer's status. */
void skill__dict_save(const struct skill__dict *dict, struct skill__buf *buf);

/* Fills an empty dictionary from what was saved, and sets *used to its bytes. SKILL_EPARSE: sizes that cannot be;
 * SKILL_ENOMEM. The dictionary may then only be freed. */
int skill__dict_load(struct skill__dict *dict, const uint8_t *data, size_t length, size_t *used);

#endif
