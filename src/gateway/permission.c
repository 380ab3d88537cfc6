/* SPDX-License-Identifier: MIT
 *
 * Two layers of permission: what the host forbids to everyone, and what one assistant prefers. A ban matches every
 * spelling that a reader takes for the same name, and a permission matches exactly, so that no spelling gets past a
 * ban.
 */
#include "gateway/permission.h"

#include <string.h>
#include <strings.h>
#include <utf8proc.h>

#include "util/alloc.h"
#include "util/options.h"

/* A code point decomposes into at most 18, and most into one or two. */
enum { FOLDED_RUNES = 1024 };

/* --- spellings --------------------------------------------------------------------------------------------------- */

static bool is_ascii(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++) {
    if ((unsigned char)text[i] >= 0x80) return false;
  }
  return true;
}

static size_t without_blanks(const char *text, size_t length) {
  while (length && text[length - 1] == ' ') length--;
  return length;
}

/* Removes case, widths, ligatures and invisible characters. Returns the number of runes, or SIZE_MAX if the text is not
 * valid UTF-8 or too long; then the bytes are compared. */
static size_t fold(const char *text, size_t length, utf8proc_int32_t *runes) {
  utf8proc_ssize_t n = utf8proc_decompose((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)length, runes, FOLDED_RUNES,
                                          UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE);
  if (n < 0 || n > FOLDED_RUNES) return SIZE_MAX;
  while (n && runes[n - 1] == ' ') n--;
  return (size_t)n;
}

/* Whether `name`, or with `prefix` its beginning, reads as `item`. */
static bool reads_as(const char *item, size_t item_length, const char *name, bool prefix) {
  size_t length = without_blanks(name, strlen(name));
  if (!prefix) item_length = without_blanks(item, item_length);
  if (is_ascii(item, item_length) && is_ascii(name, length)) {
    return (prefix ? length >= item_length : length == item_length) && strncasecmp(item, name, item_length) == 0;
  }
  utf8proc_int32_t a[FOLDED_RUNES];
  utf8proc_int32_t b[FOLDED_RUNES];
  size_t m = fold(item, item_length, a);
  size_t n = fold(name, length, b);
  if (m == SIZE_MAX || n == SIZE_MAX) {
    return (prefix ? length >= item_length : length == item_length) && memcmp(item, name, item_length) == 0;
  }
  return (prefix ? n >= m : n == m) && memcmp(a, b, m * sizeof *a) == 0;
}

bool skill__name_listed(SkillStrings list, const char *name, bool any_spelling) {
  for (size_t i = 0; i < list.count; i++) {
    const char *item = list.items[i];
    size_t length = strlen(item);
    bool prefix = length && item[length - 1] == '*';
    if (any_spelling ? reads_as(item, length - prefix, name, prefix)
                     : strncmp(item, name, prefix ? length - 1 : length + 1) == 0) {
      return true;
    }
  }
  return false;
}

/* --- the two layers -------------------------------------------------------------------------------------------- */

static bool refuse(const char **why, const char *reason) {
  if (why) *why = reason;
  return false;
}

static const char unreadable[] = "the permissions are not initialised with SKILL_PERMISSIONS_INIT";

/* The caller's permissions in this version's struct: `given` itself, or a copy in *room; NULL: they cannot be read. */
static const SkillPermissions *readable(const SkillPermissions *given, SkillPermissions *room) {
  if (given->size == sizeof *given) return given;
  *room = (SkillPermissions)SKILL_PERMISSIONS_INIT;
  return SKILL__OPTIONS(SkillPermissions, room, given, NULL) ? NULL : room;
}

static const SkillPreference *preference(const SkillPermissions *permissions, const char *name) {
  for (size_t i = 0; i < permissions->preference_count; i++) {
    const SkillPreference *p = &permissions->preferences[i];
    if (strcmp(p->skill, name) == 0) return p;
  }
  return NULL;
}

bool skill_permissions_skill(const SkillPermissions *permissions, const char *name, const char **why) {
  SkillPermissions room;
  if (!permissions) return true;
  permissions = readable(permissions, &room);
  if (!permissions) return refuse(why, unreadable);
  if (skill__name_listed(permissions->disabled_skills, name, true)) return refuse(why, "disabled for everyone");
  for (size_t i = 0; i < permissions->preference_count; i++) {
    const SkillPreference *p = &permissions->preferences[i];
    if (!p->disabled || !reads_as(p->skill, strlen(p->skill), name, false)) continue;
    return refuse(why, "disabled for this assistant");
  }
  if (permissions->allowed_skills_set && !skill__name_listed(permissions->allowed_skills, name, false)) {
    return refuse(why, "not one of the skills that are allowed here");
  }
  return true;
}

bool skill_permissions_tool(const SkillPermissions *permissions, const char *tool, const char *skill,
                            const char **why) {
  SkillPermissions room;
  if (!permissions) return true;
  permissions = readable(permissions, &room);
  if (!permissions) return refuse(why, unreadable);
  if (skill && !skill_permissions_skill(permissions, skill, why)) return false;
  if (skill__name_listed(permissions->disabled_tools, tool, true)) return refuse(why, "the tool is disabled");
  if (permissions->allowed_tools_set && !skill__name_listed(permissions->allowed_tools, tool, false)) {
    return refuse(why, "not one of the tools that are allowed here");
  }
  return true;
}

SkillMode skill_permissions_mode(const SkillPermissions *permissions, const SkillMetadata *metadata) {
  SkillPermissions room;
  if (permissions) permissions = readable(permissions, &room);
  const SkillPreference *p = permissions ? preference(permissions, metadata->name) : NULL;
  return p && p->mode_set ? p->mode : metadata->mode;
}

/* --- copying --------------------------------------------------------------------------------------------------- */

static size_t strings_size(SkillStrings list) {
  size_t size = list.count * sizeof(char *);
  for (size_t i = 0; i < list.count; i++) size += skill__text_size(list.items[i]);
  return size;
}

static SkillStrings strings_copy(const char ***pointers, char **text, SkillStrings from) {
  SkillStrings copy = {*pointers, from.count};
  for (size_t i = 0; i < from.count; i++) *(*pointers)++ = skill__text_put(text, from.items[i]);
  return copy;
}

/* In the block: the struct, the preferences, the pointers of the lists, the texts; so each part is aligned. */
SkillPermissions *skill__permissions_copy(const SkillPermissions *from) {
  static const SkillPermissions everything = SKILL_PERMISSIONS_INIT;
  if (!from) from = &everything;
  size_t size = sizeof *from + from->preference_count * sizeof *from->preferences;
  size += strings_size(from->disabled_skills) + strings_size(from->disabled_tools);
  size += strings_size(from->allowed_skills) + strings_size(from->allowed_tools);
  for (size_t i = 0; i < from->preference_count; i++) size += skill__text_size(from->preferences[i].skill);
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
    preferences[i].skill = skill__text_put(&text, from->preferences[i].skill);
  }
  copy->preferences = preferences;
  return copy;
}
