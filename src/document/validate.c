/* SPDX-License-Identifier: MIT
 *
 * The specification's rules, after https://agentskills.io/specification: a name is compared after NFKC, is lower case
 * (equal to its own lower case) and consists of alphanumerics of any script and hyphens.
 */
#include "document/validate.h"

#include <string.h>
#include <utf8proc.h>

#include "util/invisible.h"
#include "util/utf8.h"

/* Letters and digits by their Unicode category. */
static bool alphanumeric(utf8proc_int32_t rune) {
  switch (utf8proc_category(rune)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return true;
    default:
      return false;
  }
}

static const char *check_runes(const utf8proc_int32_t *runes, utf8proc_ssize_t count) {
  for (utf8proc_ssize_t i = 0; i < count; i++) {
    utf8proc_int32_t rune = runes[i];
    if (rune == '-') {
      if (i == 0 || i == count - 1) return "begins or ends with a hyphen";
      if (runes[i - 1] == '-') return "has two hyphens in a row";
    } else if (utf8proc_tolower(rune) != rune) {
      return "has upper-case letters";
    } else if (!alphanumeric(rune)) {
      if (rune == ' ') return "has spaces";
      if (rune == '_') return "has underscores";
      return "has characters other than letters, digits and hyphens";
    }
  }
  return count > SKILL__SPEC_NAME ? "is longer than 64 characters" : NULL;
}

static const char *check_ascii(const char *name, size_t length) {
  utf8proc_int32_t runes[SKILL_MAX_NAME];
  for (size_t i = 0; i < length; i++) runes[i] = (unsigned char)name[i];
  return check_runes(runes, (utf8proc_ssize_t)length);
}

const char *skill__validate_name(const char *name) {
  size_t length = strlen(name);
  if (!length) return "is empty";
  if (length > SKILL_MAX_NAME) return "is longer than 64 characters";
  if (skill__utf8_ascii(name, length) == length) return check_ascii(name, length);
  utf8proc_int32_t runes[SKILL_MAX_NAME * 18]; /* NFKC expands one character to 18 at most */
  utf8proc_ssize_t count =
      utf8proc_decompose((const utf8proc_uint8_t *)name, (utf8proc_ssize_t)length, runes, SKILL_MAX_NAME * 18,
                         UTF8PROC_STABLE | UTF8PROC_COMPAT | UTF8PROC_COMPOSE);
  if (count < 0 || count > SKILL_MAX_NAME * 18) return "is not valid UTF-8";
  count = utf8proc_normalize_utf32(runes, count, UTF8PROC_STABLE | UTF8PROC_COMPAT | UTF8PROC_COMPOSE);
  return count < 0 ? "is not valid UTF-8" : check_runes(runes, count);
}

/* --- names for the registry -------------------------------------------------------------------------------------- */

static bool dots(const char *name) {
  return !strcmp(name, ".") || !strcmp(name, "..");
}

/* As skill_name_check refuses them. */
static bool control(uint32_t rune) {
  return rune < 0x20 || (rune >= 0x7f && rune < 0xa0) || rune == 0x2028 || rune == 0x2029;
}

/* Copies the name with blanks for control characters, '-' for '/' and '_' for what is not UTF-8; whether it changed
 * anything. `to` has room for as much. */
static bool copy_usable(const char *name, size_t length, char *to, size_t *to_length) {
  bool changed = false;
  size_t n = 0;
  for (size_t i = 0; i < length;) {
    uint32_t rune = 0;
    size_t step = skill__utf8_decode(name + i, length - i, &rune);
    bool blank = step && control(rune);
    if (blank || !step || rune == '/') {
      changed = true;
      if (!blank || (n && to[n - 1] != ' ')) to[n++] = blank ? ' ' : step ? '-' : '_';
    } else {
      memcpy(to + n, name + i, step);
      n += step;
    }
    i += step ? step : 1;
  }
  *to_length = n;
  return changed;
}

int skill__validate_usable(struct skill__fields *f, const char *name, const char **out) {
  size_t length = name ? strlen(name) : 0;
  char *copy = skill__arena_alloc(f->arena, length + 1);
  if (!copy) return SKILL_ENOMEM;
  size_t to = 0;
  bool changed = copy_usable(name ? name : "", length, copy, &to);
  if (to > SKILL_MAX_NAME) {
    to = skill__utf8_floor(copy, SKILL_MAX_NAME);
    changed = true;
  }
  while (to && copy[to - 1] == ' ') to--;
  copy[to] = '\0';
  bool usable = to && !dots(copy);
  if (changed || (to && !usable)) {
    struct skill__place at = skill__fields_place(f, "name");
    skill__finding(f->findings, SKILL__NAME_UNUSABLE, at.line, at.column,
                   usable ? "the name cannot be used as it is: '%.80s' is used" : "'%s' cannot be a name", copy);
  }
  *out = usable ? copy : NULL;
  return 0;
}

/* --- findings ---------------------------------------------------------------------------------------------------- */

void skill__validate_visible(struct skill__fields *f, const char *what, const char *text, struct skill__place at) {
  uint32_t first = 0;
  size_t found = text ? skill__invisible_count(text, strlen(text), &first) : 0;
  if (!found) return;
  skill__finding(f->findings, SKILL__INVISIBLE, at.line, at.column,
                 "the %s has %zu invisible character%s, first U+%04X, that people cannot see", what, found,
                 found == 1 ? "" : "s", (unsigned)first);
}

static void check_name(struct skill__fields *f, const char *folder) {
  const char *name = f->metadata->name;
  const char *wrong = skill__validate_name(name);
  struct skill__place at = skill__fields_place(f, "name");
  bool differs = folder && strcmp(folder, name) != 0;
  if (wrong && differs) {
    skill__finding(f->findings, SKILL__NAME_FORM, at.line, at.column,
                   "the name '%.80s' %s, and differs from the folder '%.80s'", name, wrong, folder);
  } else if (wrong) {
    skill__finding(f->findings, SKILL__NAME_FORM, at.line, at.column, "the name '%.80s' %s", name, wrong);
  } else if (differs) {
    skill__finding(f->findings, SKILL__NAME_FOLDER, at.line, at.column,
                   "the name '%.80s' differs from the folder '%.80s'", name, folder);
  }
  skill__validate_visible(f, "name", name, at);
}

void skill__validate(struct skill__fields *f, const char *folder) {
  const SkillMetadata *m = f->metadata;
  if (f->named) check_name(f, folder);
  size_t length = f->described ? skill__utf8_count(m->description, strlen(m->description)) : 0;
  if (length > SKILL__SPEC_DESCRIPTION) {
    struct skill__place at = skill__fields_place(f, "description");
    skill__finding(f->findings, SKILL__DESCRIPTION_LENGTH, at.line, at.column,
                   "the description has %zu characters; the specification allows 1,024", length);
  }
  if (f->described) skill__validate_visible(f, "description", m->description, skill__fields_place(f, "description"));
  skill__validate_visible(f, "text of when_to_use", m->when_to_use, skill__fields_place(f, "when_to_use"));
  size_t compatibility = m->compatibility ? skill__utf8_count(m->compatibility, strlen(m->compatibility)) : 0;
  if (compatibility > SKILL__SPEC_COMPATIBILITY) {
    struct skill__place at = skill__fields_place(f, "compatibility");
    skill__finding(f->findings, SKILL__FIELD_LENGTH, at.line, at.column,
                   "compatibility has %zu characters; the specification allows 500", compatibility);
  }
  if (m->agent && m->context == SKILL_CONTEXT_INLINE) {
    struct skill__place at = skill__fields_place(f, "agent");
    skill__finding(f->findings, SKILL__AGENT_WITHOUT_FORK, at.line, at.column,
                   "agent has no effect without context: fork");
  }
}
