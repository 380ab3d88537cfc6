/* SPDX-License-Identifier: MIT
 *
 * The table of offered tools, with names that providers accept. Adding fails only when memory is out.
 */
#include <stdio.h>
#include <string.h>

#include "agent/tool_table.h"
#include "context/tool_text.h"
#include "model/tool_name.h"
#include "util/alloc.h"
#include "util/hash.h"

static uint64_t hash_of(const char *text) {
  return skill__hash_bytes(text, strlen(text));
}

struct skill__tool_entry *skill__tools_find(struct skill__tool_table *tools, const char *offered_name) {
  uint64_t hash = hash_of(offered_name);
  for (size_t i = 0; i < tools->count; i++) {
    if (tools->entries[i].offered_hash == hash && strcmp(tools->entries[i].tool.name, offered_name) == 0)
      return &tools->entries[i];
  }
  return NULL;
}

/* A name that no entry has: the tool's own, else "SKILL__TOOL", else that with a number. */
static void offered_name(struct skill__tool_table *tools, const SkillTool *tool, const char *skill, char *out) {
  skill__tool_name_fit(tool->name, false, out);
  if (!skill__tools_find(tools, out)) return;
  char both[2 * SKILL_MAX_NAME + 8];
  snprintf(both, sizeof both, "%s__%s", skill ? skill : "host", tool->name);
  skill__tool_name_fit(both, false, out);
  for (unsigned i = 2; skill__tools_find(tools, out); i++) {
    char numbered[sizeof both + 16];
    snprintf(numbered, sizeof numbered, "%.40s_%u", both, i);
    skill__tool_name_fit(numbered, false, out);
  }
}

static struct skill__tool_entry *find_same(struct skill__tool_table *tools, const struct skill__tool_role *role,
                                           const char *name) {
  const char *skill = role->skill;
  uint64_t hash = hash_of(name);
  for (size_t i = 0; i < tools->count; i++) {
    struct skill__tool_entry *entry = &tools->entries[i];
    if (entry->hash != hash) continue;
    bool same = entry->skill && skill ? strcmp(entry->skill, skill) == 0 : entry->skill == skill;
    if (same && entry->meta == role->meta && strcmp(entry->name, name) == 0) return entry;
  }
  return NULL;
}

/* Copies all texts of a tool into one block. */
static int keep_texts(const SkillTool *tool, const char *name, const char *skill, struct skill__tool_entry *entry) {
  size_t size = skill__text_size(name) + skill__text_size(tool->name) + skill__text_size(skill) +
                skill__text_size(tool->description) + skill__text_size(tool->input_schema) +
                skill__text_size(tool->command);
  char *at = entry->memory = skill__malloc(size);
  if (!at) return SKILL_ENOMEM;
  entry->tool = *tool;
  entry->tool.name = skill__text_put(&at, name);
  entry->name = skill__text_put(&at, tool->name);
  entry->skill = skill__text_put(&at, skill);
  entry->tool.description = skill__text_put(&at, tool->description);
  entry->tool.input_schema = skill__text_put(&at, tool->input_schema);
  entry->tool.command = skill__text_put(&at, tool->command);
  entry->hash = hash_of(entry->name);
  entry->offered_hash = hash_of(entry->tool.name);
  return 0;
}

static int make_entry(struct skill__tool_table *tools, const SkillTool *tool, const char *skill,
                      struct skill__tool_entry *entry) {
  char name[SKILL__TOOL_NAME];
  struct skill__buf description;
  struct skill__buf schema;
  SkillTool clean = *tool;
  offered_name(tools, tool, skill, name);
  clean.description = skill__clean_text(tool->description, &description);
  clean.input_schema = skill__clean_schema(tool->input_schema, &schema);
  bool short_of = skill__buf_status(&description) || skill__buf_status(&schema);
  int status = short_of ? SKILL_ENOMEM : keep_texts(&clean, name, skill, entry);
  skill__buf_fini(&description);
  skill__buf_fini(&schema);
  return status;
}

/* Puts an entry behind the others of its kind; there is room. */
static void put_offered(struct skill__tool_table *tools, const struct skill__tool_entry *entry) {
  if (entry->hidden) return;
  size_t at = entry->deferred ? tools->offered_count : tools->deferred_from;
  memmove(tools->offered + at + 1, tools->offered + at, (tools->offered_count - at) * sizeof *tools->offered);
  tools->offered[at] = entry->tool;
  tools->offered_count++;
  if (entry->deferred) return; /* costs nothing until the provider finds it */
  tools->deferred_from++;
  tools->tokens += entry->tokens;
}

static void rebuild_offered(struct skill__tool_table *tools) {
  tools->offered_count = tools->deferred_from = tools->tokens = 0;
  for (size_t i = 0; i < tools->count; i++) put_offered(tools, &tools->entries[i]);
}

int skill__tools_add(struct skill__tool_table *tools, const SkillTool *tool, const struct skill__tool_role *role,
                     SkillTokenizer *tokenizer) {
  struct skill__tool_entry *same = find_same(tools, role, tool->name);
  if (same && role->asleep) return 0;
  if (same) { /* its skill was activated again: same texts, perhaps other pointers */
    same->tool.call = tool->call;
    same->tool.user = tool->user;
    same->tool.flags = tool->flags;
    same->live = true;
    return 0;
  }
  struct skill__tool_entry entry = {.meta = role->meta, .hidden = role->hidden, .deferred = role->deferred};
  entry.live = !role->asleep;
  if (SKILL__GROW(tools->entries, tools->capacity, tools->count + 1)) return SKILL_ENOMEM;
  if (SKILL__GROW(tools->offered, tools->offered_capacity, tools->count + 1)) return SKILL_ENOMEM;
  if (make_entry(tools, tool, role->skill, &entry)) return SKILL_ENOMEM;
  entry.tokens = skill_tokens_tool(tokenizer, &entry.tool);
  tools->entries[tools->count++] = entry;
  put_offered(tools, &entry);
  return 0;
}

void skill__tools_retire(struct skill__tool_table *tools, const char *skill) {
  for (size_t i = 0; i < tools->count; i++) {
    struct skill__tool_entry *entry = &tools->entries[i];
    if (entry->skill && strcmp(entry->skill, skill) == 0) entry->live = false;
  }
}

/* Keeping T tokens of unused tools costs a cached read of T in each later request. Removing them breaks the prefix:
 * what follows is written instead of read once. With reads at a tenth of the price and ten requests to come, that is 10
 * * 0.1 * T against 0.9 * later. */
size_t skill__tools_prune(struct skill__tool_table *tools, size_t later) {
  size_t stale = 0;
  size_t after = 0;
  bool seen = false;
  for (size_t i = 0; i < tools->count; i++) {
    const struct skill__tool_entry *entry = &tools->entries[i];
    if (entry->hidden || entry->deferred) continue;
    if (!entry->live) stale += entry->tokens, seen = true;
    if (seen && entry->live) after += entry->tokens;
  }
  if (!stale || (double)stale <= 0.9 * (double)(later + after)) return 0;
  size_t kept = 0;
  size_t count = tools->count;
  for (size_t i = 0; i < count; i++) {
    const struct skill__tool_entry *entry = &tools->entries[i];
    if (entry->live || entry->hidden || entry->deferred) {
      tools->entries[kept++] = *entry;
    } else {
      skill__free(tools->entries[i].memory);
    }
  }
  tools->count = kept;
  rebuild_offered(tools);
  return count - kept;
}

void skill__tools_fini(struct skill__tool_table *tools) {
  for (size_t i = 0; i < tools->count; i++) skill__free(tools->entries[i].memory);
  skill__free(tools->entries);
  skill__free(tools->offered);
  memset(tools, 0, sizeof *tools);
}
