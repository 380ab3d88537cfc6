/* SPDX-License-Identifier: MIT
 *
 * Strict YAML first; libyaml decides what is valid.
 */
#include "document/recover.h"

#include "document/yaml.h"

int skill__recover_read(struct skill__arena *arena, const char *head, size_t length, unsigned first_line,
                        struct skill__findings *findings, struct skill__value **out) {
  struct skill__yaml_error error = {0};
  struct skill__value *root = NULL;
  int status = skill__yaml_read(arena, head, length, first_line, &root, &error);
  if (status == SKILL_ENOMEM) return status;
  if (status) {
    skill__finding(findings, error.limit ? SKILL__YAML_LIMIT : SKILL__YAML_BROKEN, error.line, error.column,
                   "the front matter is not valid YAML: %s", error.message);
  }
  *out = !status && root && root->kind == SKILL__MAPPING ? root : NULL;
  return 0;
}
