/* SPDX-License-Identifier: MIT
 *
 * Phrases of a request that say which value is which, in English and Chinese.
 */
#ifndef SKILL_MODEL_OFFLINE_PHRASE_H
#define SKILL_MODEL_OFFLINE_PHRASE_H

#include "model/offline/entity.h"

struct skill__span {
  size_t from, to; /* bytes of the request; empty where they are equal */
};

/* Whether `word` stands in the text as words of its own, letters of any case. */
bool skill__phrase_holds(const char *text, size_t length, const char *word);
bool skill__phrase_find(const char *text, size_t length, const char *word, struct skill__span *at);

/* Whether "no", "not", "without", "don't", 不, 没, 无 stands directly before the place. */
bool skill__phrase_negated(const char *text, size_t length, struct skill__span at);

/* Where the value begins that follows a name: after blanks and one of ":", "=", "is", "of", "为", "是". `marked`:
 * one of those was there. */
size_t skill__phrase_after_name(const char *text, size_t length, size_t at, bool *marked);

/* From `at` to the next comma, full stop, "and", or the end. */
struct skill__span skill__phrase_until_stop(const char *text, size_t length, size_t at);

/* What follows the first colon that is not part of a time, an address or a drive; empty where there is none. */
struct skill__span skill__phrase_after_colon(const char *text, size_t length);

/* Finds "NUMBER A to B", "from A to B", "how many B in NUMBER A", "NUMBER A 换算成 B": A and B. */
bool skill__phrase_from_to(const char *text, size_t length, const struct skill__entity *entities, size_t count,
                           struct skill__span spans[2]);

#endif
