/* SPDX-License-Identifier: MIT
 *
 * The table of tools that a conversation has used. Entries are appended, and removed only all at once
 * (skill__tools_prune), so that the list in a request keeps its beginning and a provider can cache it.
 */
#ifndef SKILL_AGENT_TOOL_TABLE_H
#define SKILL_AGENT_TOOL_TABLE_H

#include "skillet/skill.h"
#include "skillet/tokens.h"

enum { SKILL__NO_META = -1, SKILL__FILE_TOOL = -2 };

struct skill__tool_entry {
  SkillTool tool; /* with the offered name; strings are in `memory` */
  char *memory;
  const char *name;            /* the tool's own name */
  const char *skill;           /* NULL: skillet's or the host's tool */
  uint64_t hash, offered_hash; /* of `name` and of tool.name */
  size_t tokens;
  int meta;      /* a SkillMetaTool, SKILL__FILE_TOOL or SKILL__NO_META */
  bool hidden;   /* not in the request's list: called by tool_call_…, or not at all */
  bool deferred; /* left to the provider's tool search, after those that are sent in full */
  bool live;     /* its skill is active */
};

struct skill__tool_table {
  struct skill__tool_entry *entries;
  size_t count;
  size_t capacity;
  SkillTool *offered; /* the request's list: `tool` of each entry that is not hidden */
  size_t offered_count;
  size_t offered_capacity;
  size_t deferred_from; /* index in `offered`; offered_count: none is deferred */
  size_t tokens;        /* of those that are sent in full */
};

/* The role of a tool in the table; strings are copied. */
struct skill__tool_role {
  const char *skill; /* NULL: skillet's or the host's */
  int meta;
  bool hidden;
  bool deferred;
  bool asleep; /* its skill is not active; an entry that exists already is not changed */
};

/* Adds a tool. An entry of the same skill and name gets the new handler, user and flags, and keeps its texts.
 * SKILL_ENOMEM. */
int skill__tools_add(struct skill__tool_table *tools, const SkillTool *tool, const struct skill__tool_role *role,
                     SkillTokenizer *tokenizer);
void skill__tools_retire(struct skill__tool_table *tools, const char *skill); /* its skill is no longer active */
struct skill__tool_entry *skill__tools_find(struct skill__tool_table *tools, const char *offered_name);
/* Removes tools of inactive skills if that is cheaper than sending them, see docs/agent.md. `later` is the number of
 * tokens that follow the tools in a request. Returns how many were removed. */
size_t skill__tools_prune(struct skill__tool_table *tools, size_t later);
void skill__tools_fini(struct skill__tool_table *tools);

#endif
