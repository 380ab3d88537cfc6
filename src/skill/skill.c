/* SPDX-License-Identifier: MIT
 *
 * A skill's definition: made, counted, freed.
 */
#include <string.h>

#include "skill/registry_internal.h"

int skill__skill_new(const SkillDef *def, SkillSource *source, Skill **out, SkillError *err) {
  const char *name = def->metadata.name;
  int status = skill_name_check(name, name ? strlen(name) : 0, err);
  if (status) return status;
  Skill *skill = skill__calloc(1, sizeof *skill);
  if (!skill) return skill_error_set(err, SKILL_ENOMEM, "no memory for the skill \"%s\"", name);
  atomic_init(&skill->references, 1);
  status = skill_metadata_copy(&def->metadata, &skill->metadata);
  if (!status && def->body && !source) {
    skill->body = skill__strdup(def->body);
    status = skill->body ? 0 : SKILL_ENOMEM;
  }
  if (status) {
    skill__skill_release(skill);
    return skill_error_set(err, status, "no memory for the skill \"%s\"", name);
  }
  skill->body_length = def->body ? strlen(def->body) : 0;
  skill->init = def->init;
  skill->dispose = def->dispose;
  skill->tools = def->tools;
  skill->user = def->user;
  skill->source = source;
  *out = skill;
  return 0;
}

Skill *skill__skill_retain(Skill *skill) {
  atomic_fetch_add_explicit(&skill->references, 1, memory_order_relaxed);
  return skill;
}

void skill__skill_release(Skill *skill) {
  if (!skill || atomic_fetch_sub_explicit(&skill->references, 1, memory_order_acq_rel) > 1) return;
  if (skill->life.done) skill__completion_free(skill->life.done);
  if (skill->life.spare) skill__completion_free(skill->life.spare);
  skill_metadata_free(skill->metadata);
  skill__free(skill->body);
  skill__free(skill);
}

const SkillMetadata *skill_metadata(const Skill *skill) {
  return skill->metadata;
}

const char *skill_name(const Skill *skill) {
  return skill->metadata->name;
}
