/* SPDX-License-Identifier: MIT
 *
 * Writes compact JSON into a buffer and puts the commas: one is written before a member or an item unless the buffer is
 * empty or ends with '{', '[', ':', ',' or a line end. There is no other state, so these calls mix freely with raw text
 * and with functions that append a value.
 *
 *   skill__json_open(buf, NULL, "{");
 *   skill__json_add_text(buf, "name", name);
 *   skill__json_open(buf, "sizes", "[");
 *   skill__json_add_size(buf, NULL, 3);
 *   skill__json_close(buf, "]}");              {"name":"…","sizes":[3]}
 *
 * `key` NULL: the value is an item of an array, or the document itself. The buffer's status keeps the first failure.
 */
#ifndef SKILL_UTIL_JSON_OUT_H
#define SKILL_UTIL_JSON_OUT_H

#include "util/buf.h"

/* Begins a member, and with it "{" or "["; `open` may hold more raw text, or be "" before a value of another writer. */
void skill__json_open(struct skill__buf *buf, const char *key, const char *open);
void skill__json_close(struct skill__buf *buf, const char *close); /* "}", "]", "]}" … */

void skill__json_add_text(struct skill__buf *buf, const char *key, const char *text); /* NULL: null */
void skill__json_add_bytes(struct skill__buf *buf, const char *key, const char *text, size_t length);
void skill__json_add_texts(struct skill__buf *buf, const char *key, const char *const *texts, size_t count);
void skill__json_add_bool(struct skill__buf *buf, const char *key, bool value);
void skill__json_add_size(struct skill__buf *buf, const char *key, uint64_t value);
void skill__json_add_real(struct skill__buf *buf, const char *key, double value, int decimals);
void skill__json_add_raw(struct skill__buf *buf, const char *key, const char *json); /* valid JSON; NULL: null */
/* A number in a format of its own. */
void skill__json_addf(struct skill__buf *buf, const char *key, const char *format, ...) SKILL_PRINTF(3, 4);

/* Several members in one statement: SKILL__JSON_SIZES(buf, {"l1", a}, {"l2", b}); reals name their decimals. */
struct skill__json_size {
  const char *key;
  uint64_t value;
};
struct skill__json_real {
  const char *key;
  double value;
  int decimals;
};
void skill__json_add_sizes(struct skill__buf *buf, const struct skill__json_size *members, size_t count);
void skill__json_add_reals(struct skill__buf *buf, const struct skill__json_real *members, size_t count);

#define SKILL__JSON_SIZES(buf, ...)                                          \
  skill__json_add_sizes(buf, (const struct skill__json_size[]){__VA_ARGS__}, \
                        sizeof((const struct skill__json_size[]){__VA_ARGS__}) / sizeof(struct skill__json_size))
#define SKILL__JSON_REALS(buf, ...)                                          \
  skill__json_add_reals(buf, (const struct skill__json_real[]){__VA_ARGS__}, \
                        sizeof((const struct skill__json_real[]){__VA_ARGS__}) / sizeof(struct skill__json_real))

#endif
