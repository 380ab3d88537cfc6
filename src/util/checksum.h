/* SPDX-License-Identifier: MIT
 *
 * A 64-bit checksum for files that skillet writes itself: it finds damage, it does not resist an attacker. The same
 * bytes give the same number on every machine.
 */
#ifndef SKILL_UTIL_CHECKSUM_H
#define SKILL_UTIL_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Four lanes of 8 bytes, so that it keeps up with memory. Any change inside one aligned 8-byte word changes it. */
uint64_t skill__checksum(const void *data, size_t length);

/* A well mixed hash for short keys (FNV-1a with a finaliser), for tables on disk whose layout depends on it. */
uint64_t skill__hash_bytes(const void *data, size_t length);

#endif
