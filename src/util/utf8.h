/* SPDX-License-Identifier: MIT
 *
 * UTF-8 by the book: no overlong forms, no surrogates, nothing above U+10FFFF.
 */
#ifndef SKILL_UTIL_UTF8_H
#define SKILL_UTIL_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the valid sequence at the beginning of `text`, 1 to 4; 0: invalid or cut. */
size_t skill__utf8_length(const char *text, size_t length);

/* Decodes one; returns its length, or 0 where it is invalid (then *rune is untouched). */
size_t skill__utf8_decode(const char *text, size_t length, uint32_t *rune);

/* Encodes one into `out` (room for 4); returns its length; an invalid rune becomes U+FFFD. */
size_t skill__utf8_encode(uint32_t rune, char *out);

/* How many of the first bytes are ASCII; eight at a time. */
size_t skill__utf8_ascii(const char *text, size_t length);

/* Length of the longest valid beginning. Equal to `length` exactly where the text is valid. */
size_t skill__utf8_valid(const char *text, size_t length);

/* The greatest boundary between characters at or below `at`; `at` <= length. */
size_t skill__utf8_floor(const char *text, size_t at);

/* Number of characters; each invalid byte that begins none counts with the one before it. */
size_t skill__utf8_count(const char *text, size_t length);

/* Display columns of a terminal: 2 for wide East Asian characters, 0 for combining marks. Invalid bytes count 1. */
size_t skill__utf8_columns(const char *text, size_t length);

#endif
