/* SPDX-License-Identifier: MIT
 *
 * The only file that includes uthash. By default uthash ends the process when memory is out; here a failed add leaves
 * the table unchanged and sets `ok` to false.
 */
#ifndef SKILL_UTIL_HASH_H
#define SKILL_UTIL_HASH_H

#include "util/alloc.h"

#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(element) (skill__hash_ok = false)
#define uthash_malloc(size) skill__malloc(size)
#define uthash_free(p, size) skill__free(p)
#include <uthash.h>

/* Adds `element` by the `keylen` bytes at `keyptr`, which must stay valid while the element is in the table. `ok` is a
 * bool lvalue: false when memory is out. */
#define SKILL__HASH_ADD(table, element, keyptr, keylen, ok)          \
  do {                                                               \
    bool skill__hash_ok = true;                                      \
    HASH_ADD_KEYPTR(hh, table, keyptr, (unsigned)(keylen), element); \
    (ok) = skill__hash_ok;                                           \
  } while (0)

#endif
