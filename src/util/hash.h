/* SPDX-License-Identifier: MIT
 *
 * Hashes: of bytes, of whole files, and hash tables. The only includer of uthash.
 */
#ifndef SKILL_UTIL_HASH_H
#define SKILL_UTIL_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "util/alloc.h"

/* Hash of a short key: FNV-1a with a finaliser. The same on every machine: files store it. */
uint64_t skill__hash_bytes(const void *data, size_t length);

/* Continues a hash of several pieces; start from SKILL__HASH_START. Not mixed: use all 64 bits, or the remainder. */
#define SKILL__HASH_START UINT64_C(0xcbf29ce484222325)
uint64_t skill__hash_add(uint64_t hash, const void *data, size_t length);

/* Checksum of a file that skillet wrote; finds damage, does not resist an attacker. Reads four lanes of 8 bytes, as
 * fast as memory. A change within one aligned 8-byte word always changes it. The same on every machine. */
uint64_t skill__checksum(const void *data, size_t length);

/* uthash ends the process without memory by default. Here a failed add leaves the table as it was. */
#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(element) (skill__hash_ok = false)
#define uthash_malloc(size) skill__malloc(size)
#define uthash_free(p, size) skill__free(p)
#include <uthash.h>

/* Adds `element` under the key; `ok` (a bool) is set to false if memory is out. `keyptr` must stay valid while the
 * element is in the table. */
#define SKILL__HASH_ADD(table, element, keyptr, keylen, ok)          \
  do {                                                               \
    bool skill__hash_ok = true;                                      \
    HASH_ADD_KEYPTR(hh, table, keyptr, (unsigned)(keylen), element); \
    (ok) = skill__hash_ok;                                           \
  } while (0)

#endif
