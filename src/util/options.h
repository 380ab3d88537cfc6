/* SPDX-License-Identifier: MIT
 *
 * Reading a caller's option struct. Each public option struct begins with `size`, which its SKILL_…_INIT macro sets to
 * the size that the caller was compiled with. A program that was compiled with an older, smaller struct keeps working:
 * it gets the defaults of the members that it does not know.
 *
 * A new member therefore goes to the end of its struct and makes the struct larger; it must not fill tail padding.
 */
#ifndef SKILL_UTIL_OPTIONS_H
#define SKILL_UTIL_OPTIONS_H

#include "skillet/error.h"
#include "util/options.h"

/* Copies `from` over *to, which holds this version's defaults. NULL leaves the defaults. SKILL_EINVAL: the size is 0,
 * larger than this version's, or not that of a struct; *to is unchanged then. `type` is the struct's name, a token. */
#define SKILL__OPTIONS(type, to, from, err) skill__options_read((to), sizeof(type), (from), #type, (err))

/* Copies `from`, this version's struct, to a caller's struct `to` as far as its `size` goes, and leaves that. */
void skill__options_write(void *to, size_t known, const void *from);

int skill__options_read(void *to, size_t known, const void *from, const char *type, SkillError *err);

#endif
