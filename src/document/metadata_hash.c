/* SPDX-License-Identifier: MIT
 *
 * Hash of metadata; see metadata_hash.h.
 */
#include "document/metadata_hash.h"

#include <string.h>

#include "util/checksum.h"

void skill__hash_add(uint64_t *hash, const void *data, size_t length) {
  const uint64_t both[2] = {*hash, skill__hash_bytes(data, length)};
  *hash = skill__hash_bytes(both, sizeof both);
}

static void add_text(uint64_t *hash, const char *text) {
  skill__hash_add(hash, text ? text : "", text ? strlen(text) + 1 : 0);
}

static void add_tool(uint64_t *hash, const SkillTool *tool) {
  add_text(hash, tool->name);
  add_text(hash, tool->description);
  add_text(hash, tool->input_schema);
  add_text(hash, tool->command);
  skill__hash_add(hash, &tool->flags, sizeof tool->flags);
  skill__hash_add(hash, &tool->call, sizeof tool->call);
  skill__hash_add(hash, &tool->user, sizeof tool->user);
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
  uint64_t hash = 0;
  skill__hash_add(&hash, flags, sizeof flags);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) add_text(&hash, texts[i]);
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    skill__hash_add(&hash, &lists[i]->count, sizeof lists[i]->count);
    for (size_t k = 0; k < lists[i]->count; k++) add_text(&hash, lists[i]->items[k]);
  }
  for (size_t i = 0; i < m->tool_count; i++) add_tool(&hash, &m->tools[i]);
  for (size_t i = 0; i < m->extra_count; i++) {
    add_text(&hash, m->extra[i].key);
    add_text(&hash, m->extra[i].json);
  }
  return hash;
}
