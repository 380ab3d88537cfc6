/* SPDX-License-Identifier: MIT
 *
 * Owned copies of permissions, and chains of them: a fork has its own and all of its parents'.
 */
#ifndef SKILL_GATEWAY_PERMISSION_H
#define SKILL_GATEWAY_PERMISSION_H

#include "skillet/gateway.h"

/* Deep copy in one block; owned: release with skill_free. `from` NULL: the copy allows everything. NULL: out of
 * memory. */
SkillPermissions *skill__permissions_copy(const SkillPermissions *from);

/* Whether `name` is in the list: exactly, or in any spelling that reads the same (case of the letters, full width,
 * combined or not, with characters that do not show, blanks at the end), or by an item that ends with '*'. */
bool skill__name_listed(SkillStrings list, const char *name, bool any_spelling);

#endif
