/* SPDX-License-Identifier: MIT
 *
 * Reading a request: matching of words, and the values that it states: numbers, dates, quotations, names of files,
 * paths into data. All texts are NUL-terminated UTF-8; ASCII letters match in any case; `words` are separated by '|'.
 */
#ifndef SKILL_MODEL_OFFLINE_REQUEST_H
#define SKILL_MODEL_OFFLINE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes [from, to) of a text; empty where they are equal. */
struct skill__offline_span {
  const char *from, *to;
};

bool skill__offline_digit(char c);
bool skill__offline_alnum(char c); /* ASCII */

/* Length of the first of `words` that `at` begins with; 0: none. */
size_t skill__offline_match(const char *at, const char *words);

/* Finds the first place where one of `words` occurs. NULL: nowhere. *end (may be NULL) is where it ends. */
const char *skill__offline_find(const char *text, const char *words, const char **end);

/* The same, but not inside a longer ASCII word. */
const char *skill__offline_find_word(const char *text, const char *words, const char **end);

/* Whether the text has a word that begins like `word`, whose last letter is ignored: "convert" and "converts". Words
 * of less than three letters never match. */
bool skill__offline_alike(const char *text, const char *word, size_t length);

enum skill__offline_kind {
  SKILL__OFFLINE_NUMBER,
  SKILL__OFFLINE_DATE, /* text is YYYY-MM-DD */
  SKILL__OFFLINE_QUOTED,
  SKILL__OFFLINE_FILE,     /* or a URL */
  SKILL__OFFLINE_DATA_PATH /* users[*].name */
};

struct skill__offline_value {
  enum skill__offline_kind kind;
  struct skill__offline_span at; /* what it covers in the request, with its quotes */
  const char *text;              /* the value, not NUL-terminated: in the request, or in `own` */
  size_t length;
  char own[32]; /* numbers and dates in their plain form */
  double number;
  bool percent;
  const char *unit; /* what follows a number in the request */
  bool used;        /* an argument took it */
};

enum { SKILL__OFFLINE_MAX_VALUES = 64 }; /* more are ignored */

/* Finds values from left to right, none inside another; returns how many. `values` has room for the maximum and must
 * not move: values point into it. */
size_t skill__offline_values(const char *request, struct skill__offline_value *values);

#endif
