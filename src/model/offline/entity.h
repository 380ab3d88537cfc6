/* SPDX-License-Identifier: MIT
 *
 * What a request names: numbers with their units, dates, quoted texts, files, addresses, JSON, formulas.
 */
#ifndef SKILL_MODEL_OFFLINE_ENTITY_H
#define SKILL_MODEL_OFFLINE_ENTITY_H

#include <stdbool.h>
#include <stddef.h>

enum skill__entity_kind {
  SKILL__ENTITY_NUMBER,
  SKILL__ENTITY_DATE, /* text is YYYY-MM-DD */
  SKILL__ENTITY_QUOTED,
  SKILL__ENTITY_FILE,
  SKILL__ENTITY_URL,
  SKILL__ENTITY_EMAIL,
  SKILL__ENTITY_JSON, /* an object or a list */
  SKILL__ENTITY_CODE  /* a formula, a path into data, a word with brackets or digits in it */
};

struct skill__entity {
  enum skill__entity_kind kind;
  size_t from, to;  /* bytes of the request that it covers, with its quotes */
  const char *text; /* its value, not NUL-terminated: in the request, or in `own` */
  size_t length;
  char own[40]; /* numbers and dates in their plain form */
  double number;
  bool percent;     /* "4.5 %" */
  bool money;       /* "$250,000", "300 yuan" */
  const char *unit; /* the word after a number, in the request; NULL: none */
  size_t unit_length;
  bool used; /* some argument took it */
};

enum { SKILL__MAX_ENTITIES = 64 }; /* more are not looked at */

/* Finds entities from left to right, none inside another; returns how many. `entities` must stay where it is: values
 * point into it. */
size_t skill__entities_find(const char *text, size_t length, struct skill__entity *entities);

/* Whether the rune belongs to a script that is written without spaces (Han, Kana, Hangul). */
bool skill__rune_is_cjk(unsigned rune);

#endif
