/* SPDX-License-Identifier: MIT
 *
 * Hash of metadata; see metadata_hash.h.
 */
#include "document/metadata_hash.h"

#include <string.h>

#include "util/hash.h"

static uint64_t add_text(uint64_t hash, const char *text) {
  hash = skill__hash_add(hash, text ? "+" : "-", 1);
  return text ? skill__hash_add(hash, text, strlen(text) + 1) : hash;
}

static uint64_t add_strings(uint64_t hash, const SkillStrings *strings) {
  hash = skill__hash_add(hash, &strings->count, sizeof strings->count);
  for (size_t i = 0; i < strings->count; i++) hash = add_text(hash, strings->items[i]);
  return hash;
}

static uint64_t add_tool(uint64_t hash, const SkillTool *tool) {
  hash = add_text(hash, tool->name);
  hash = add_text(hash, tool->description);
  hash = add_text(hash, tool->input_schema);
  hash = add_text(hash, tool->command);
  hash = skill__hash_add(hash, &tool->flags, sizeof tool->flags);
  hash = skill__hash_add(hash, &tool->call, sizeof tool->call);
  return skill__hash_add(hash, &tool->user, sizeof tool->user);
}

uint64_t skill__metadata_hash(const SkillMetadata *m) {
  const char *const texts[] = {
      m->name,        m->description,     m->version, m->license, m->compatibility, m->category, m->id,
      m->when_to_use, m->when_not_to_use, m->agent,   m->model,   m->argument_hint, m->source,   m->path};
  const SkillStrings *const lists[] = {&m->tags,  &m->triggers, &m->allowed_tools, &m->disallowed_tools,
                                       &m->paths, &m->arguments};
  const unsigned char flags[] = {(unsigned char)m->mode, (unsigned char)m->context, m->disable_model_invocation,
                                 m->not_user_invocable,  m->description_derived,    m->unlisted,
                                 m->allowed_tools_set};
  uint64_t hash = skill__hash_add(SKILL__HASH_START, flags, sizeof flags);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) hash = add_text(hash, texts[i]);
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) hash = add_strings(hash, lists[i]);
  for (size_t i = 0; i < m->tool_count; i++) hash = add_tool(hash, &m->tools[i]);
  for (size_t i = 0; i < m->extra_count; i++) {
    hash = add_text(hash, m->extra[i].key);
    hash = add_text(hash, m->extra[i].json);
  }
  return hash;
}
