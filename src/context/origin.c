/* SPDX-License-Identifier: MIT
 *
 * The texts of origins; see origin.h. Nothing here fails.
 */
#include "context/origin.h"

#include <stdio.h>
#include <string.h>

static const char *const kinds[SKILL__ORIGIN_OTHER] = {
    [SKILL__ORIGIN_NONE] = "",
    [SKILL__ORIGIN_MENTION] = "mention",
    [SKILL__ORIGIN_SKILL] = "skill",
    [SKILL__ORIGIN_TOOLS] = "tools",
    [SKILL__ORIGIN_PASSAGES] = "passages",
    [SKILL__ORIGIN_SUMMARY] = "summary",
    [SKILL__ORIGIN_OMISSION] = "omission",
};

enum skill__origin skill__origin_read(const char *origin, const char **name) {
  if (name) *name = NULL;
  if (!origin) return SKILL__ORIGIN_NONE;
  size_t length = strcspn(origin, ":");
  enum skill__origin kind = SKILL__ORIGIN_MENTION;
  while (kind < SKILL__ORIGIN_OTHER && (strncmp(origin, kinds[kind], length) != 0 || kinds[kind][length])) kind++;
  bool named = kind == SKILL__ORIGIN_MENTION || kind == SKILL__ORIGIN_SKILL || kind == SKILL__ORIGIN_TOOLS;
  if (kind < SKILL__ORIGIN_OTHER && named != (origin[length] == ':')) return SKILL__ORIGIN_OTHER;
  if (name && named) *name = origin + length + 1;
  return kind;
}

bool skill__origin_is(const char *origin, enum skill__origin kind, const char *name) {
  const char *found = NULL;
  return skill__origin_read(origin, &found) == kind && (!name || (found && strcmp(found, name) == 0));
}

const char *skill__origin_text(enum skill__origin kind) {
  return kinds[kind];
}

const char *skill__origin_write(enum skill__origin kind, const char *name, char *buffer) {
  snprintf(buffer, SKILL__ORIGIN_SIZE, "%s:%s", kinds[kind], name);
  return buffer;
}
