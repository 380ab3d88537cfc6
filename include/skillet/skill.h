/* SPDX-License-Identifier: MIT
 *
 * Skills: metadata, tools, and optional asynchronous init and dispose.
 *
 * SkillMetadata is a plain struct, so that a C program can define a skill as a literal. Registry and documents keep
 * deep copies; metadata that they return is borrowed and constant.
 */
#ifndef SKILLET_SKILL_H
#define SKILLET_SKILL_H

#include "skillet/error.h"

SKILL_BEGIN

typedef struct Skill Skill;                     /* a registered skill; opaque */
typedef struct SkillCompletion SkillCompletion; /* one pending init or dispose; opaque */
typedef struct SkillToolCall SkillToolCall;     /* one running tool call; opaque */

/* A list of strings; `items` may be NULL if `count` is 0. The size is constant. */
typedef struct SkillStrings {
  const char *const *items;
  size_t count;
} SkillStrings;

/* One field of front matter that skillet does not interpret; `json` is its value as JSON text. The size is constant. */
typedef struct SkillField {
  const char *key;
  const char *json;
} SkillField;

enum {
  SKILL_TOOL_READ_ONLY = 1,  /* changes nothing */
  SKILL_TOOL_DANGEROUS = 2,  /* the gateway asks for approval before each call */
  SKILL_TOOL_PARALLEL = 4,   /* may run at the same time as other calls */
  SKILL_TOOL_IDEMPOTENT = 8, /* repeating a call has no further effect */
};

/* Runs one call of a tool. `arguments_json` is a JSON object, borrowed until the function returns. The handler finishes
 * `call` exactly once with skill_tool_call_finish(), now or later, from any thread. */
typedef void (*SkillToolHandler)(SkillToolCall *call, const char *arguments_json, void *user);

/* A tool: its description for the model, and its handler. */
typedef struct SkillTool {
  const char *name;         /* 1 to SKILL_MAX_NAME bytes */
  const char *description;  /* may be NULL */
  const char *input_schema; /* JSON Schema as JSON text; NULL: any object */
  unsigned flags;           /* SKILL_TOOL_… */
  const char *command;      /* tool of a folder skill: its script, relative to the skill's folder; else NULL */
  SkillToolHandler call;    /* NULL: not callable, or run as the script `command` by libskillet-agent */
  void *user;               /* passed to `call` */
  const void *reserved[6];  /* 0 */
} SkillTool;

typedef enum SkillMode {
  SKILL_MODE_LAZY = 0, /* one line in the listing; body and tools when it is activated */
  SKILL_MODE_ALWAYS    /* the whole body is in the system prompt */
} SkillMode;

typedef enum SkillContext {
  SKILL_CONTEXT_INLINE = 0,
  SKILL_CONTEXT_FORK,             /* a sub-agent with only the skill */
  SKILL_CONTEXT_FORK_WITH_HISTORY /* a sub-agent with a copy of the history */
} SkillContext;

/* L1 metadata. Initialise to zero and set what applies; only `name` is required. Functions that take a SkillMetadata
 * copy it with all that it points to. */
typedef struct SkillMetadata {
  const char *name;
  const char *description;
  const char *version;
  const char *license;
  const char *compatibility;
  const char *category;
  const char *id; /* of a single file: its file name if the front matter has no id */
  const char *when_to_use;
  const char *when_not_to_use;
  const char *agent; /* name in the SkillAgentHub that runs it */
  const char *model; /* name in the SkillModelHub that runs it */
  const char *argument_hint;
  const char *source; /* label of its source */
  const char *path;   /* of its file, relative to the source */
  SkillStrings tags;
  SkillStrings triggers;
  SkillStrings allowed_tools;
  SkillStrings disallowed_tools;
  SkillStrings paths;
  SkillStrings arguments; /* names of positional arguments */
  const SkillTool *tools; /* typed tools; of a skill in C: the tools that are known before init */
  size_t tool_count;
  const SkillField *extra; /* fields of the front matter that skillet does not interpret, in file order */
  size_t extra_count;
  SkillMode mode;
  SkillContext context;
  bool disable_model_invocation; /* only the user may open it; neither listed nor ranked for the model */
  bool not_user_invocable;
  bool description_derived; /* the description is the beginning of the body, or the default text */
  bool unlisted;            /* has no description: can be opened by name, is neither listed nor ranked */
  bool allowed_tools_set;   /* `allowed-tools` is present, perhaps empty */
  const void *reserved[8];  /* 0 */
} SkillMetadata;

/* Starts the skill. Finishes `completion` exactly once, now or later, from any thread. */
typedef void (*SkillInitCb)(Skill *skill, SkillCompletion *completion, void *user);
/* Releases what init acquired; the same rules apply. */
typedef void (*SkillDisposeCb)(Skill *skill, SkillCompletion *completion, void *user);
/* Returns the number of the skill's tools, and the tools in *tools, borrowed until the skill is disposed. Called after
 * a successful init, on the loader's thread. Tools after the first 65,536 are ignored. */
typedef size_t (*SkillToolsCb)(Skill *skill, const SkillTool **tools, void *user);

/* A skill defined in C. */
typedef struct SkillDef {
  SkillMetadata metadata;  /* copied */
  const char *body;        /* instructions (L2), copied; NULL: none */
  SkillInitCb init;        /* NULL: the skill is active at once */
  SkillDisposeCb dispose;  /* NULL: nothing to do */
  SkillToolsCb tools;      /* NULL: metadata.tools are the tools */
  void *user;              /* passed to the three callbacks; not owned */
  const void *reserved[4]; /* 0 */
} SkillDef;

/* Returns the skill's metadata; borrowed until the skill is unregistered. */
SKILL_API const SkillMetadata *skill_metadata(const Skill *skill);

/* Returns skill_metadata(skill)->name. */
SKILL_API const char *skill_name(const Skill *skill);

/* Finishes an init or dispose. `status` is 0 or a negative code; `message` (copied, may be NULL) gives the reason.
 * Any thread; never blocks; cannot fail. The loader handles it in its next step. `completion` must not be used
 * afterwards. */
SKILL_API void skill_completion_finish(SkillCompletion *completion, int status, const char *message);

/* Finishes a tool call with its result: `length` bytes of `text`, copied. With a negative status `text` is an error
 * message for the model. Any thread; never blocks. `call` must not be used afterwards. */
SKILL_API void skill_tool_call_finish(SkillToolCall *call, int status, const char *text, size_t length);

/* Returns whether the call was canceled; a handler that takes long should check it regularly. Any thread, until the
 * call is finished. */
SKILL_API bool skill_tool_call_canceled(const SkillToolCall *call);

/* Reports the result of a call that skill_tool_call_start started, on the thread that finishes it. `text` is borrowed
 * until the callback returns. */
typedef void (*SkillToolDoneCb)(SkillToolCall *call, int status, const char *text, size_t length, void *user);

/* Calls a tool's handler, for hosts that do not use the gateway: nothing is checked or recorded. `done` runs exactly
 * once, perhaps before this returns. `out` (may be NULL) receives the call, borrowed until `done` has run.
 * SKILL_EINVAL: the tool has no handler. SKILL_ENOMEM. After an error nothing was called. */
SKILL_API int skill_tool_call_start(const SkillTool *tool, const char *arguments_json, SkillToolDoneCb done, void *user,
                                    SkillToolCall **out, SkillError *err);

/* Requests that the handler stops; it must still finish the call. Any thread, until the call is finished. */
SKILL_API void skill_tool_call_cancel(SkillToolCall *call);

/* Makes a deep copy in one block. Owned: release with skill_metadata_free. SKILL_ENOMEM. */
SKILL_API int skill_metadata_copy(const SkillMetadata *metadata, SkillMetadata **out);

/* Frees a copy. NULL is ignored. */
SKILL_API void skill_metadata_free(SkillMetadata *metadata);

/* Checks a name: 1 to SKILL_MAX_NAME bytes of UTF-8, no control characters, no '/', not "." or "..". Returns 0,
 * SKILL_EINVAL or SKILL_ELIMIT; `err` gives the position. */
SKILL_API int skill_name_check(const char *name, size_t length, SkillError *err);

SKILL_END

#endif
