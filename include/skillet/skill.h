/* SPDX-License-Identifier: MIT
 *
 * What a skill is: metadata, tools, and optional asynchronous init and dispose.
 *
 * SkillMetadata is a plain struct so that a skill can be written down in C as a literal and read without getters.
 * Registry and documents keep deep copies of their own; what they hand out is borrowed and constant.
 */
#ifndef SKILLET_SKILL_H
#define SKILLET_SKILL_H

#include "skillet/error.h"

SKILL_BEGIN

typedef struct Skill Skill;                     /* a registered skill; opaque */
typedef struct SkillCompletion SkillCompletion; /* one pending init or dispose; opaque */
typedef struct SkillToolCall SkillToolCall;     /* one running tool call; opaque */

/* A list of strings; `items` may be NULL when `count` is 0. */
typedef struct SkillStrings {
  const char *const *items;
  size_t count;
} SkillStrings;

/* An entry of front matter that skillet does not know, in file order; `json` is its value as JSON text. */
typedef struct SkillField {
  const char *key;
  const char *json;
} SkillField;

enum {
  SKILL_TOOL_READ_ONLY = 1,  /* changes nothing */
  SKILL_TOOL_DANGEROUS = 2,  /* waits for approval in the gateway */
  SKILL_TOOL_PARALLEL = 4,   /* may run beside other calls */
  SKILL_TOOL_IDEMPOTENT = 8, /* the same call twice does no more than once */
};

/* Answers one call. `arguments_json` is a JSON object, borrowed until the function returns. The handler finishes
 * `call` exactly once with skill_tool_call_finish(), at once or later, from any thread. */
typedef void (*SkillToolHandler)(SkillToolCall *call, const char *arguments_json, void *user);

/* A tool: what the model sees of it, and who answers it. */
typedef struct SkillTool {
  const char *name;         /* 1 to SKILL_MAX_NAME bytes */
  const char *description;  /* may be NULL */
  const char *input_schema; /* JSON Schema as JSON text; NULL: any object */
  unsigned flags;           /* SKILL_TOOL_… */
  const char *command;      /* typed tool of a folder skill: script below the skill's folder; NULL otherwise */
  SkillToolHandler call;    /* NULL: listed only, or run by the agent library's script runner through `command` */
  void *user;               /* handed to `call` */
  const void *reserved[6];  /* 0 */
} SkillTool;

typedef enum SkillMode {
  SKILL_MODE_LAZY = 0, /* a line in the listing; body and tools on activation */
  SKILL_MODE_ALWAYS    /* whole body in the system prompt */
} SkillMode;

typedef enum SkillContext {
  SKILL_CONTEXT_INLINE = 0,
  SKILL_CONTEXT_FORK,             /* a sub-agent with only the skill */
  SKILL_CONTEXT_FORK_WITH_HISTORY /* a sub-agent with a copy of the history */
} SkillContext;

/* L1. Zero-initialise and fill what applies; only `name` is required. All members are borrowed by the call that the
 * struct is passed to, which copies them. */
typedef struct SkillMetadata {
  const char *name;
  const char *description;
  const char *version;
  const char *license;
  const char *compatibility;
  const char *category;
  const char *id; /* single files: falls back to the file's name */
  const char *when_to_use;
  const char *when_not_to_use;
  const char *agent; /* name in the agent hub */
  const char *model; /* name in the model hub */
  const char *argument_hint;
  const char *source; /* label of the source it came from */
  const char *path;   /* of its file, as the source names it */
  SkillStrings tags;
  SkillStrings triggers;
  SkillStrings allowed_tools;
  SkillStrings disallowed_tools;
  SkillStrings paths;
  SkillStrings arguments; /* names of positional arguments */
  const SkillTool *tools; /* typed tools; of a C skill, what the ranker and the listing may know beforehand */
  size_t tool_count;
  const SkillField *extra; /* front matter that skillet does not interpret, in order */
  size_t extra_count;
  SkillMode mode;
  SkillContext context;
  bool disable_model_invocation; /* only the user may open it: neither listed nor ranked for the model */
  bool not_user_invocable;
  bool description_derived; /* the description was taken from the body or is the default one */
  bool unlisted;            /* can be opened by name, is neither listed nor ranked (no description) */
  bool allowed_tools_set;   /* the key was there, even if it was empty */
  const void *reserved[8];  /* 0 */
} SkillMetadata;

/* Starts the skill; finishes `completion` exactly once, at once or later, from any thread. */
typedef void (*SkillInitCb)(Skill *skill, SkillCompletion *completion, void *user);
/* Ends what init started; same rules. */
typedef void (*SkillDisposeCb)(Skill *skill, SkillCompletion *completion, void *user);
/* Called after a successful init, on the loader's thread: the tools the skill offers now. The array is borrowed
 * until the skill is disposed. Returns how many; those after the first 65,536 are left out. */
typedef size_t (*SkillToolsCb)(Skill *skill, const SkillTool **tools, void *user);

/* A skill defined in C. */
typedef struct SkillDef {
  SkillMetadata metadata;  /* copied */
  const char *body;        /* instructions (L2), copied; NULL: none */
  SkillInitCb init;        /* NULL: ready at once */
  SkillDisposeCb dispose;  /* NULL: nothing to do */
  SkillToolsCb tools;      /* NULL: metadata.tools are the tools */
  void *user;              /* handed to the three; not owned */
  const void *reserved[4]; /* 0 */
} SkillDef;

/* The skill's metadata; borrowed until the skill is unregistered. */
SKILL_API const SkillMetadata *skill_metadata(const Skill *skill);

/* Short for skill_metadata(skill)->name. */
SKILL_API const char *skill_name(const Skill *skill);

/* Finishes an init or dispose. `status` is 0 or a negative code; `message` (copied, may be NULL) says why not. Any
 * thread; never blocks. The loader sees it at its next step. The completion is consumed: finishing twice is a bug of
 * the caller and is ignored while the object it belongs to still lives. */
SKILL_API void skill_completion_finish(SkillCompletion *completion, int status, const char *message);

/* Finishes a tool call with its result text (copied; `length` bytes). Any thread; never blocks. A negative status
 * makes `text` the error's message for the model. The call is consumed. */
SKILL_API void skill_tool_call_finish(SkillToolCall *call, int status, const char *text, size_t length);

/* Whether the caller no longer wants the result; a handler that takes long asks now and then. Any thread, before it
 * finishes the call. */
SKILL_API bool skill_tool_call_canceled(const SkillToolCall *call);

/* The result of a call started with skill_tool_call_start; on the finishing thread, `text` borrowed until it returns.
 */
typedef void (*SkillToolDoneCb)(SkillToolCall *call, int status, const char *text, size_t length, void *user);

/* Calls a tool's handler; for hosts with a loop of their own (the agent library's gateway checks and records what
 * this does not). `done` comes exactly once, perhaps before this returns. `out` (may be NULL) is borrowed until then.
 * SKILL_EINVAL: the tool has no handler; SKILL_ENOMEM: nothing was called. */
SKILL_API int skill_tool_call_start(const SkillTool *tool, const char *arguments_json, SkillToolDoneCb done, void *user,
                                    SkillToolCall **out, SkillError *err);

/* Asks the handler to stop; it must still finish the call. Any thread, before the call is finished. */
SKILL_API void skill_tool_call_cancel(SkillToolCall *call);

/* Deep copy of `metadata` in one block; owned: release with skill_metadata_free. SKILL_ENOMEM. */
SKILL_API int skill_metadata_copy(const SkillMetadata *metadata, SkillMetadata **out);

/* Frees a copy; NULL is ignored. */
SKILL_API void skill_metadata_free(SkillMetadata *metadata);

/* Checks a name: 1 to SKILL_MAX_NAME bytes, UTF-8, no control characters, no '/', not "." or "..".
 * Returns 0, SKILL_EINVAL or SKILL_ELIMIT; `err` says which byte. */
SKILL_API int skill_name_check(const char *name, size_t length, SkillError *err);

SKILL_END

#endif
