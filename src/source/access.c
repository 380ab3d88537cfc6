/* SPDX-License-Identifier: MIT
 *
 * Body and resources of a registered skill, from wherever it came. Each fails as its source fails.
 */
#include <string.h>

#include "skill/registry_internal.h"
#include "skillet/source.h"
#include "util/alloc.h"

int skill_body(const Skill *skill, char **text, size_t *length, SkillError *err) {
  if (skill->source) return skill->source->body(skill->source, skill->metadata->path, text, length, err);
  char *copy = skill__strdup(skill->body ? skill->body : "");
  if (!copy) return skill_error_set(err, SKILL_ENOMEM, "out of memory");
  *text = copy;
  *length = strlen(copy);
  return 0;
}

int skill_resources(const Skill *skill, SkillResourceCb cb, void *user, SkillError *err) {
  if (skill->source) return skill->source->resources(skill->source, skill->metadata->path, cb, user, err);
  return skill_error_set(err, SKILL_EUNSUPPORTED, "the skill '%s' is part of the program and has no files",
                         skill->metadata->name);
}

int skill_resource_read(const Skill *skill, const char *path, uint64_t cursor, size_t max, SkillPage *out,
                        SkillError *err) {
  if (skill->source) {
    return skill->source->read(skill->source, skill->metadata->path, path, cursor, max, out, err);
  }
  return skill_error_set(err, SKILL_EUNSUPPORTED, "the skill '%s' is part of the program and has no files",
                         skill->metadata->name);
}
