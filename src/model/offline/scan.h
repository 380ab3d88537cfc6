/* SPDX-License-Identifier: MIT
 *
 * Numbers and dates at one place of a request.
 */
#ifndef SKILL_MODEL_OFFLINE_SCAN_H
#define SKILL_MODEL_OFFLINE_SCAN_H

#include "model/offline/entity.h"

static inline bool skill__is_digit(char c) {
  return c >= '0' && c <= '9';
}
static inline bool skill__is_alpha(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
static inline bool skill__is_alnum(char c) {
  return skill__is_digit(c) || skill__is_alpha(c);
}
static inline bool skill__is_word_byte(char c) {
  return skill__is_alnum(c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Each fills the entity but for from and to, and returns the bytes it covers; 0: there is none here. `start` is where
 * the request begins. */
size_t skill__scan_number(const char *start, const char *at, const char *end, struct skill__entity *entity);
size_t skill__scan_date(const char *at, const char *end, struct skill__entity *entity);

#endif
