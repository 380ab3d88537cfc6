/* SPDX-License-Identifier: MIT
 *
 * Two layers of permission. What forbids matches in any case of the letters and what allows matches exactly, so that
 * no spelling of a name gets past a ban. Copying fails only for want of memory.
 */
#include "gateway/permission.h"

#include <string.h>
#include <strings.h>

#include "util/alloc.h"

bool skill__name_listed(SkillStrings list, const char *name, bool any_case) {
  for (size_t i = 0; i < list.count; i++) {
    const char *item = list.items[i];
    size_t length = strlen(item);
    bool prefix = length && item[length - 1] == '*';
    size_t n = prefix ? length - 1 : length + 1;
    if (any_case ? strncasecmp(item, name, n) == 0 : strncmp(item, name, n) == 0) return true;
  }
  return false;
}

static bool refuse(const char **why, const char *reason) {
  if (why) *why = reason;
  return false;
}

static const SkillPreference *preference(const SkillPermissions *permissions, const char *name, bool any_case) {
  for (size_t i = 0; i < permissions->preference_count; i++) {
    const SkillPreference *p = &permissions->preferences[i];
    if (any_case ? strcasecmp(p->skill, name) == 0 : strcmp(p->skill, name) == 0) return p;
  }
  return NULL;
}

bool skill_permissions_skill(const SkillPermissions *permissions, const char *name, const char **why) {
  if (!permissions) return true;
  if (skill__name_listed(permissions->disabled_skills, name, true)) return refuse(why, "disabled for everyone");
  for (size_t i = 0; i < permissions->preference_count; i++) {
    const SkillPreference *p = &permissions->preferences[i];
    if (p->disabled && strcasecmp(p->skill, name) == 0) return refuse(why, "disabled for this assistant");
  }
  if (permissions->allowed_skills_set && !skill__name_listed(permissions->allowed_skills, name, false)) {
    return refuse(why, "not among the skills that are allowed here");
  }
  return true;
}

bool skill_permissions_tool(const SkillPermissions *permissions, const char *tool, const char *skill,
                            const char **why) {
  if (!permissions) return true;
  if (skill && !skill_permissions_skill(permissions, skill, why)) return false;
  if (skill__name_listed(permissions->disabled_tools, tool, true)) return refuse(why, "the tool is disabled");
  if (permissions->allowed_tools_set && !skill__name_listed(permissions->allowed_tools, tool, false)) {
    return refuse(why, "not among the tools that are allowed here");
  }
  return true;
}

SkillMode skill_permissions_mode(const SkillPermissions *permissions, const SkillMetadata *metadata) {
  const SkillPreference *p = permissions ? preference(permissions, metadata->name, false) : NULL;
  return p && p->mode_set ? p->mode : metadata->mode;
}

/* --- copying --------------------------------------------------------------------------------------------------- */

static size_t strings_size(SkillStrings list) {
  size_t size = list.count * sizeof(char *);
  for (size_t i = 0; i < list.count; i++) size += strlen(list.items[i]) + 1;
  return size;
}

static char *text_copy(char **text, const char *from) {
  size_t length = strlen(from) + 1;
  char *to = memcpy(*text, from, length);
  *text += length;
  return to;
}

static SkillStrings strings_copy(const char ***pointers, char **text, SkillStrings from) {
  SkillStrings copy = {*pointers, from.count};
  for (size_t i = 0; i < from.count; i++) *(*pointers)++ = text_copy(text, from.items[i]);
  return copy;
}

SkillPermissions *skill__permissions_copy(const SkillPermissions *from) {
  static const SkillPermissions everything = SKILL_PERMISSIONS_INIT;
  if (!from) from = &everything;
  size_t size = sizeof *from + from->preference_count * sizeof *from->preferences;
  size += strings_size(from->disabled_skills) + strings_size(from->disabled_tools);
  size += strings_size(from->allowed_skills) + strings_size(from->allowed_tools);
  for (size_t i = 0; i < from->preference_count; i++) size += strlen(from->preferences[i].skill) + 1;
  SkillPermissions *copy = skill__malloc(size);
  if (!copy) return NULL;
  *copy = *from;
  SkillPreference *preferences = (SkillPreference *)(void *)(copy + 1);
  const char **pointers = (const char **)(void *)(preferences + from->preference_count);
  size_t count =
      from->disabled_skills.count + from->disabled_tools.count + from->allowed_skills.count + from->allowed_tools.count;
  char *text = (char *)(pointers + count);
  copy->disabled_skills = strings_copy(&pointers, &text, from->disabled_skills);
  copy->disabled_tools = strings_copy(&pointers, &text, from->disabled_tools);
  copy->allowed_skills = strings_copy(&pointers, &text, from->allowed_skills);
  copy->allowed_tools = strings_copy(&pointers, &text, from->allowed_tools);
  for (size_t i = 0; i < from->preference_count; i++) {
    preferences[i] = from->preferences[i];
    preferences[i].skill = text_copy(&text, from->preferences[i].skill);
  }
  copy->preferences = preferences;
  return copy;
}
