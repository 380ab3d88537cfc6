/* SPDX-License-Identifier: MIT
 *
 * SkillGateway: the one path of every tool call: permission, arguments, approval, execution, result.
 *
 * States of a call: pending, awaiting (only if it needs approval), running, and then success, error, aborted or
 * rejected. The gateway rejects what it cannot decide: an unknown tool, arguments that cannot be read or do not match
 * the schema, a schema that cannot be checked, an approval without anyone to ask.
 */
#ifndef SKILLET_GATEWAY_H
#define SKILLET_GATEWAY_H

#include "skillet/io.h"
#include "skillet/loader.h"
#include "skillet/loop.h"
#include "skillet/message.h"
#include "skillet/process.h"

SKILL_BEGIN

/* --- permissions ----------------------------------------------------------------------------------------------- */

/* An assistant's setting for one skill. */
typedef struct SkillPreference {
  const char *skill;
  bool disabled;
  bool mode_set; /* `mode` overrides the skill's own */
  SkillMode mode;
  const void *reserved[2]; /* 0 */
} SkillPreference;

/* Two layers: the global lists, which have precedence, and the preferences of an assistant. Names are compared after
 * aliases were resolved. A disabled name also disables its other spellings: letter case, full-width forms, combined
 * characters, invisible characters. A list item may end with '*'. Functions that take the struct copy it with all that
 * it points to. */
typedef struct SkillPermissions {
  size_t size; /* sizeof(SkillPermissions) */
  SkillStrings disabled_skills;
  SkillStrings disabled_tools;
  SkillStrings allowed_skills; /* if allowed_skills_set: no others */
  SkillStrings allowed_tools;  /* if allowed_tools_set: no others, except skillet's own tools */
  bool allowed_skills_set;
  bool allowed_tools_set;
  const SkillPreference *preferences;
  size_t preference_count;
} SkillPermissions;

#define SKILL_PERMISSIONS_INIT \
  { sizeof(SkillPermissions), {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, false, false, NULL, 0 }

/* Returns whether the skill of exactly that name may be listed and used. If not, `why` (may be NULL) receives a static
 * clause. */
SKILL_API bool skill_permissions_skill(const SkillPermissions *permissions, const char *name, const char **why);
/* The same for a tool; `skill` is the skill that it belongs to, or NULL. */
SKILL_API bool skill_permissions_tool(const SkillPermissions *permissions, const char *tool, const char *skill,
                                      const char **why);
/* Returns the mode of a skill for the assistant: its preference, else the mode of the skill. */
SKILL_API SkillMode skill_permissions_mode(const SkillPermissions *permissions, const SkillMetadata *metadata);

/* --- calls ----------------------------------------------------------------------------------------------------- */

#define SKILL_CALL_STATE_MAP(X) \
  X(PENDING, "pending")         \
  X(AWAITING, "awaiting")       \
  X(RUNNING, "running")         \
  X(SUCCESS, "success")         \
  X(ERROR, "error")             \
  X(ABORTED, "aborted")         \
  X(REJECTED, "rejected")

typedef enum SkillCallState {
#define SKILL_X(id, name) SKILL_CALL_##id,
  SKILL_CALL_STATE_MAP(SKILL_X)
#undef SKILL_X
} SkillCallState;

/* Returns the name of a state, e.g. "pending". Static. */
SKILL_API const char *skill_call_state_name(SkillCallState state);

/* Which calls need approval. */
typedef enum SkillApproval {
  SKILL_APPROVAL_DANGEROUS = 0, /* tools marked dangerous */
  SKILL_APPROVAL_ALL,           /* all tools that are not marked read-only */
  SKILL_APPROVAL_NONE,          /* none */
} SkillApproval;

/* State of one call. Its strings are borrowed until the callback returns, or until the next call on the gateway. */
typedef struct SkillCallInfo {
  const char *id;
  const char *tool;      /* the tool's own name */
  const char *skill;     /* that the tool belongs to; NULL: a tool of the host or of skillet */
  const char *arguments; /* as the model sent them */
  SkillCallState state;
  const char *reason; /* one clause: why it awaits approval, was rejected or failed; else NULL */
  bool dangerous;
  bool sandboxed;          /* a script that ran in the sandbox */
  int64_t pending_ms;      /* when it arrived, by the SkillIo's clock */
  int64_t awaiting_ms;     /* when it began to await approval; 0: it did not */
  int64_t running_ms;      /* when it started; 0: it did not */
  int64_t finished_ms;     /* when it ended; 0: it has not */
  int status;              /* 0, or the SKILL_E… code of a finished call */
  const char *text;        /* result or error message for the model; NULL: not finished */
  size_t length;           /* bytes of `text` */
  size_t whole;            /* bytes of the result before it was cut */
  const void *reserved[8]; /* 0 */
} SkillCallInfo;

/* Reports each change of state (on_state), or the end of a call (done). Runs on the loop's thread. */
typedef void (*SkillCallCb)(const SkillCallInfo *call, void *user);

typedef struct SkillGatewayOptions {
  size_t size;                         /* sizeof(SkillGatewayOptions) */
  SkillLoop *loop;                     /* borrowed until the gateway is freed */
  SkillIo *io;                         /* borrowed; NULL: skill_io_posix() */
  ProgressiveSkillLoader *loader;      /* borrowed; marks skills as in use while their tools run; may be NULL */
  const SkillPermissions *permissions; /* copied; NULL: everything is allowed */
  SkillApproval approval;
  bool nobody_decides;     /* reject calls that need approval: there is no one to ask */
  int64_t call_timeout_ms; /* 0: 120,000; negative: none */
  size_t result_bytes;     /* limit of a result; 0: 32 KiB; the rest can be read in pages */
  const char *page_tool;   /* borrowed; named in a cut result as the tool that reads the other pages; NULL: none */
  unsigned same_failures;  /* after so many failures the same call is refused; 0: 3 */
  const SkillProcessOptions *process; /* for scripts: limits, environment, sandbox; borrowed; NULL: defaults */
  SkillCallCb on_state;               /* NULL: none */
  void (*on_log)(const char *line, size_t length,
                 void *user); /* the decision log: one JSON object a line, no line end */
  void *user;                 /* passed to on_state and on_log */
} SkillGatewayOptions;

typedef struct SkillGateway SkillGateway;

#define SKILL_GATEWAY_OPTIONS_INIT                                                                                   \
  {                                                                                                                  \
    sizeof(SkillGatewayOptions), NULL, NULL, NULL, NULL, SKILL_APPROVAL_DANGEROUS, false, 0, 0, NULL, 0, NULL, NULL, \
        NULL, NULL                                                                                                   \
  }

/* Makes a gateway. Owned: release with skill_gateway_free. SKILL_EINVAL, SKILL_ENOMEM. */
SKILL_API int skill_gateway_new(const SkillGatewayOptions *options, SkillGateway **out, SkillError *err);

/* Aborts open calls without callbacks, and frees. A handler that is still running may finish its call later; the loop
 * must exist until then. NULL is ignored. */
SKILL_API void skill_gateway_free(SkillGateway *gateway);

/* What a call resolves to. Borrowed until the call ends. */
typedef struct SkillTarget {
  const SkillTool *tool;   /* NULL: unknown tool; the call is rejected */
  const char *skill;       /* that the tool belongs to; NULL: a tool of the host or of skillet */
  const char *folder;      /* for tool->command: the skill's folder, absolute */
  bool own;                /* a tool of skillet; a list of allowed tools need not contain it */
  bool untimed;            /* no time-out: it waits for operations that have their own limits */
  bool granted;            /* needs no approval, whatever the tool's flags are */
  bool distrust;           /* needs approval, whatever the flags are: it may have run before a restart */
  const char *hint;        /* for an unknown tool: what to do instead; may be NULL */
  const char *refused;     /* the caller's own reason to reject the call; NULL: none */
  const void *reserved[4]; /* 0 */
} SkillTarget;

/* Accepts a call, which is copied. `done` runs exactly once, in a later step of the loop. SKILL_EEXISTS: a call with
 * that id is open; SKILL_ENOMEM: no callback. */
SKILL_API int skill_gateway_call(SkillGateway *gateway, const SkillTarget *target, const SkillCall *call,
                                 SkillCallCb done, void *user, SkillError *err);

/* Approves or rejects a call that awaits approval. `reason` is copied and may be NULL. SKILL_ENOENT: no such call
 * awaits approval. */
SKILL_API int skill_gateway_decide(SkillGateway *gateway, const char *id, bool approve, const char *reason);

/* Aborts one open call, or all if `id` is NULL; their `done` runs. Returns the number of calls. */
SKILL_API size_t skill_gateway_abort(SkillGateway *gateway, const char *id, const char *reason);

/* Stores the i-th open call, oldest first, in *out. Returns false if there is none. */
SKILL_API bool skill_gateway_open(const SkillGateway *gateway, size_t index, SkillCallInfo *out);

/* Returns one page of a result that was cut, from byte `cursor`. `text` is borrowed until the next call on the gateway;
 * `next` receives the cursor of the following page, 0 at the end. The latest 16 cut results are kept. SKILL_ENOENT:
 * none with that id. */
SKILL_API int skill_gateway_page(SkillGateway *gateway, const char *id, uint64_t cursor, const char **text,
                                 size_t *length, uint64_t *next);

/* Applies time-outs that are due. The gateway's timer does this; call it after advancing a virtual clock. */
SKILL_API void skill_gateway_tick(SkillGateway *gateway);

SKILL_END

#endif
