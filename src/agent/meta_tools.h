/* SPDX-License-Identifier: MIT
 *
 * skillet's own tools: their handlers, what the handlers share, and the resolution of a call to the tool it means.
 */
#ifndef SKILL_AGENT_META_TOOLS_H
#define SKILL_AGENT_META_TOOLS_H

#include <cjson/cJSON.h>

#include "agent/internal.h"
#include "agent/meta_definitions.h"

/* --- meta_answer.c: what handlers share ------------------------------------------------------------------------ */

/* Finishes a call with formatted text. */
void skill__meta_finish(SkillToolCall *call, int status, const char *format, ...) SKILL_PRINTF(3, 4);
/* Finishes a call with the buffer's text, or with the buffer's failure; frees the buffer. */
void skill__meta_finish_buf(SkillToolCall *call, struct skill__buf *buf);
/* The number of an argument, or `otherwise`. */
size_t skill__meta_number(const cJSON *arguments, const char *key, size_t otherwise);
/* The string of an argument, or "". */
const char *skill__meta_string(const cJSON *arguments, const char *key);
/* The skill of that name. NULL: the model may not know of it, and the call was answered as if it did not exist;
 * `denied` is the reason in the event that the host gets. */
Skill *skill__meta_skill(SkillAgent *agent, SkillToolCall *call, const char *name, const char *denied);
/* The absolute folder of a skill that is a folder; `buffer` has SKILL_MAX_PATH bytes. false: it is not a folder. */
bool skill__skill_folder(const Skill *skill, char *buffer);

/* --- tool_offers.c: into the table ----------------------------------------------------------------------------- */

/* Offers one of skillet's own tools under the agent's name for it. */
int skill__agent_offer_meta(SkillAgent *agent, SkillMetaTool which, skill__own_handler handler);
int skill__agent_offer_own(SkillAgent *agent, size_t slot, const SkillTool *tool, int meta, skill__own_handler handler);
/* Adds the tools of an active skill. */
int skill__agent_offer_skill(SkillAgent *agent, const char *skill, const SkillTool *tools, size_t count);
/* Adds the tools of a skill that is not active; a call of one activates it. */
int skill__agent_offer_asleep(SkillAgent *agent, const char *skill, const SkillTool *tools, size_t count);

/* --- the handlers ---------------------------------------------------------------------------------------------- */

void skill__meta_open(SkillAgent *agent, SkillToolCall *call, const cJSON *arguments);
void skill__meta_run(SkillAgent *agent, SkillToolCall *call, const cJSON *arguments);
void skill__file_search(SkillAgent *agent, SkillToolCall *call, const cJSON *arguments);
/* Adds the file tools if the agent has roots, and those that write if one is writable. */
int skill__agent_offer_files(SkillAgent *agent);

/* Opens a file or folder below the first root that has it. `root` (may be NULL) receives that root. */
int skill__files_open(SkillAgent *agent, const char *path, bool folder, intptr_t *handle, const char **root,
                      SkillError *err);
/* Reads at most `most` bytes from `cursor`; NUL-terminated, owned: release with skill__free. */
int skill__files_read_at(SkillAgent *agent, intptr_t file, uint64_t cursor, size_t most, char **data, size_t *got);
/* Reads a whole text file below the roots (at most `most` bytes); owned: release with skill_free. SKILL_ENOENT,
 * SKILL_EDENIED, SKILL_EUNSUPPORTED (not text), SKILL_ELIMIT, SKILL_ENOMEM. */
int skill__files_read(SkillAgent *agent, const char *path, size_t most, char **text, size_t *length, SkillError *err);

/* --- call_resolve.c: from a call to its target ----------------------------------------------------------------- */

/* The tool that a call means, however it was called, and what the gateway is asked to run. */
struct skill__resolved_call {
  struct skill__tool_entry *entry; /* NULL: there is no such tool */
  SkillCall call;                  /* of that tool; the id is the model's */
  bool refused;                    /* it cannot be called this way, and `why` says what to do */
  char why[160];
  char *memory;
  SkillTarget target; /* set by skill__agent_target, with what follows */
  SkillTool tool;
  char hint[256];
  char folder[SKILL_MAX_PATH];
};

/* The tool_call_… that calls a tool: the strictest that the tool's flags ask for. */
SkillMetaTool skill__call_class(const struct skill__tool_entry *entry);

/* Resolves a call. `again`: it was made before a restart, so it may name a tool that is not in the list now. If the
 * arguments of a tool_call_… cannot be read, the call stays that tool's, and the gateway rejects it. `out` is valid
 * until the table changes, and empty on failure; release with skill__resolved_fini. SKILL_ENOMEM. */
int skill__agent_resolve(SkillAgent *agent, const SkillCall *call, bool again, struct skill__resolved_call *out);
/* Fills the target of a resolved call: permissions of parents, allowed-tools, folder. */
void skill__agent_target(SkillAgent *agent, struct skill__resolved_call *resolved, bool again);
void skill__resolved_fini(struct skill__resolved_call *resolved);

/* Up to three tools with a similar name, or what else to do. */
void skill__tool_hint(SkillAgent *agent, const char *name, char *buffer, size_t size);
/* A skill whose metadata name the tool, and that the model may know of; NULL: none. Borrowed from the registry. */
const char *skill__tool_owner(SkillAgent *agent, const char *tool);

/* --- meta_call.c: tools behind a constant list ----------------------------------------------------------------- */

/* Offers tool_describe and the three tool_call_… */
int skill__agent_offer_callers(SkillAgent *agent);

/* Appends a heading and one line for each tool of the skill that may be used: a JSON object with name, call (the
 * tool_call_… that calls it), description and input_schema. Returns their number. */
size_t skill__describe_tools(SkillAgent *agent, const char *skill, struct skill__buf *buf);
/* With a constant list: adds a message that describes the tools of an active skill, unless the conversation has it. */
int skill__agent_describe_active(SkillAgent *agent, const char *skill, SkillError *err);

/* --- meta_tools.c ---------------------------------------------------------------------------------------------- */

/* Adds those of skillet's own tools that can do something, and the file tools. */
int skill__agent_offer(SkillAgent *agent);
int skill__agent_offer_paging(SkillAgent *agent);

#endif
