/* SPDX-License-Identifier: MIT
 *
 * Tools behind a list that never changes: described in results, called through tool_call_read, _write, _destructive.
 */
#ifndef SKILL_AGENT_META_CALL_H
#define SKILL_AGENT_META_CALL_H

#include "agent/internal.h"

/* A call as it is meant: the tool itself, whichever way it was called. */
struct skill__meant {
  struct skill__tool_entry *entry; /* NULL: there is no such tool */
  SkillCall call;                  /* of that tool; the id is the model's */
  bool refused;                    /* it cannot be called this way, and `why` says what to do */
  char why[160];
  char *memory;
};

/* Resolves a call. `again`: it was made before a restart, so it may name a tool that is not in the list now. A call
 * through a meta-tool whose arguments cannot be read is that meta-tool's, for the gateway to reject. `out` is valid
 * until the table changes, and empty on failure; release with skill__meant_fini. SKILL_ENOMEM. */
int skill__agent_meant(SkillAgent *agent, const SkillCall *call, bool again, struct skill__meant *out);
void skill__meant_fini(struct skill__meant *meant);

/* Offers tool_describe and the three that call. */
int skill__agent_offer_through(SkillAgent *agent);

/* Writes one line for each tool of the skill that may be used: a JSON object with name, call (the meta-tool that calls
 * it), description and input_schema; a heading before them. Returns how many. */
size_t skill__describe_tools(SkillAgent *agent, const char *skill, struct skill__buf *buf);

/* Where the list is constant: adds a message that describes the tools of an active skill, unless the conversation
 * holds their description. */
int skill__agent_describe_active(SkillAgent *agent, const char *skill, SkillError *err);

/* Up to three tools with a name like it, or what else to do. */
void skill__tool_hint(SkillAgent *agent, const char *name, char *buffer, size_t size);
/* A skill whose metadata name the tool, and that the model may see; NULL: none. Borrowed from the registry. */
const char *skill__tool_owner(SkillAgent *agent, const char *tool);

#endif
