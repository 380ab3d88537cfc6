/* SPDX-License-Identifier: MIT
 *
 * UTF-8. Overlong forms, surrogates and values above U+10FFFF are invalid.
 */
#ifndef SKILL_UTIL_UTF8_H
#define SKILL_UTIL_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the length of the character at the beginning of `text`, 1 to 4 bytes; 0: invalid or incomplete. */
size_t skill__utf8_length(const char *text, size_t length);

/* Decodes one character; returns its length, or 0 if it is invalid, and then *rune is unchanged. */
size_t skill__utf8_decode(const char *text, size_t length, uint32_t *rune);

/* Returns the number of ASCII bytes at the beginning; tests eight at a time. */
size_t skill__utf8_ascii(const char *text, size_t length);

/* Returns the length of the longest valid beginning: `length` if the whole text is valid. */
size_t skill__utf8_valid(const char *text, size_t length);

/* Returns the greatest boundary between characters that is at most `at`, which is at most the length. */
size_t skill__utf8_floor(const char *text, size_t at);

/* Returns the number of characters. Stray continuation bytes belong to the character before them. */
size_t skill__utf8_count(const char *text, size_t length);

/* Returns the columns on a terminal: 2 for wide East Asian characters, 0 for combining marks, 1 for invalid bytes. */
size_t skill__utf8_columns(const char *text, size_t length);

#endif
