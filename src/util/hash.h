/* SPDX-License-Identifier: MIT
 *
 * The only includer of uthash. Its defaults end the process when memory is out; here a failed add leaves the table as
 * it was and is told to the caller: the element's handle reads as not added.
 *
 *   SKILL__HASH_ADD_STR(table, element, ok)  adds by the string member `name`; `ok` (bool) says whether it did
 */
#ifndef SKILL_UTIL_HASH_H
#define SKILL_UTIL_HASH_H

#include "util/alloc.h"

#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(element) (skill__hash_ok = false)
#define uthash_malloc(size) skill__malloc(size)
#define uthash_free(p, size) skill__free(p)
#include <uthash.h>

/* `keyptr` must stay valid while the element is in the table. */
#define SKILL__HASH_ADD(table, element, keyptr, keylen, ok)          \
  do {                                                               \
    bool skill__hash_ok = true;                                      \
    HASH_ADD_KEYPTR(hh, table, keyptr, (unsigned)(keylen), element); \
    (ok) = skill__hash_ok;                                           \
  } while (0)

#endif
