/* SPDX-License-Identifier: MIT
 *
 * SkillGateway: the one door through which a tool call passes: permission, arguments, approval, run, result.
 *
 * A call is pending → (awaiting approval) → running → success, error, aborted or rejected. Whatever cannot be decided
 * is refused: a tool that is not known, arguments that cannot be read or do not fit the schema, a schema that cannot
 * be checked, an approval that nobody can give.
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

/* What one assistant wants of one skill. */
typedef struct SkillPreference {
  const char *skill;
  bool disabled;
  bool mode_set; /* `mode` overrides the skill's own */
  SkillMode mode;
  const void *reserved[2]; /* 0 */
} SkillPreference;

/* Two layers: the global lists beat everything, the assistant's preferences come next. Names of skills and tools are
 * compared after they were resolved; what is disabled is so in any spelling that reads the same: case of the letters,
 * full width, combined or not, invisible characters. A list item may end with '*'. All members are borrowed by the call
 * that the struct is passed to, which copies them. */
typedef struct SkillPermissions {
  size_t size; /* sizeof(SkillPermissions) */
  SkillStrings disabled_skills;
  SkillStrings disabled_tools;
  SkillStrings allowed_skills; /* where allowed_skills_set: no other */
  SkillStrings allowed_tools;  /* where allowed_tools_set: no other; skillet's own meta-tools need not be named */
  bool allowed_skills_set;
  bool allowed_tools_set;
  const SkillPreference *preferences;
  size_t preference_count;
} SkillPermissions;

#define SKILL_PERMISSIONS_INIT \
  { sizeof(SkillPermissions), {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, false, false, NULL, 0 }

/* Whether the skill of that exact name may be seen and used. `why` (may be NULL) receives a static clause when not. */
SKILL_API bool skill_permissions_skill(const SkillPermissions *permissions, const char *name, const char **why);
/* The same for a tool; `skill` is its skill, or NULL. */
SKILL_API bool skill_permissions_tool(const SkillPermissions *permissions, const char *tool, const char *skill,
                                      const char **why);
/* The mode that holds for the assistant: its preference, else the skill's own. */
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

/* Returns "pending", "awaiting" …; static. */
SKILL_API const char *skill_call_state_name(SkillCallState state);

/* Which calls wait for a decision. */
typedef enum SkillApproval {
  SKILL_APPROVAL_DANGEROUS = 0, /* tools marked dangerous */
  SKILL_APPROVAL_ALL,           /* whatever is not marked read-only */
  SKILL_APPROVAL_NONE,          /* none: the host vouches for its tools */
} SkillApproval;

/* One call as the gateway sees it; borrowed until the callback returns. */
typedef struct SkillCallInfo {
  const char *id;
  const char *tool;      /* the tool's own name */
  const char *skill;     /* whose it is; NULL: the host's or skillet's own */
  const char *arguments; /* as the model wrote them */
  SkillCallState state;
  const char *reason; /* one clause: why it waits, was rejected, failed; NULL */
  bool dangerous;
  bool sandboxed;          /* a script: it ran confined */
  int64_t pending_ms;      /* when it came in, by the SkillIo's clock */
  int64_t awaiting_ms;     /* 0: it did not wait */
  int64_t running_ms;      /* 0: it did not run */
  int64_t finished_ms;     /* 0: not yet */
  int status;              /* 0, or a SKILL_E… code once it has finished */
  const char *text;        /* result or error message for the model; NULL before the end */
  size_t length;           /* bytes of `text` */
  size_t whole;            /* bytes that the result had before it was cut to the cap */
  const void *reserved[8]; /* 0 */
} SkillCallInfo;

/* Called at each change of state, on the loop's thread, and (for `done`) once at the end. */
typedef void (*SkillCallCb)(const SkillCallInfo *call, void *user);

typedef struct SkillGatewayOptions {
  size_t size;                         /* sizeof(SkillGatewayOptions) */
  SkillLoop *loop;                     /* borrowed for the gateway's life */
  SkillIo *io;                         /* borrowed; NULL: skill_io_posix() */
  ProgressiveSkillLoader *loader;      /* borrowed; its skills are held in use while their tools run; may be NULL */
  const SkillPermissions *permissions; /* copied; NULL: everything is allowed */
  SkillApproval approval;
  bool nobody_decides;                /* what would wait is rejected: there is nobody to ask */
  int64_t call_timeout_ms;            /* 0: 120,000; negative: none */
  size_t result_bytes;                /* cap of a result; 0: 32 KiB; the rest can be read in pages */
  const char *page_tool;              /* borrowed; the tool that a cut result names for its other pages; NULL: none */
  unsigned same_failures;             /* after so many failures of one same call it is refused; 0: 3 */
  const SkillProcessOptions *process; /* for scripts: limits, environment, sandbox; borrowed; NULL: defaults */
  SkillCallCb on_state;               /* NULL: none */
  void (*on_log)(const char *line, size_t length,
                 void *user); /* the decision log: one JSON object a line, no line end */
  void *user;                 /* handed to on_state and on_log */
} SkillGatewayOptions;

typedef struct SkillGateway SkillGateway;

#define SKILL_GATEWAY_OPTIONS_INIT                                                                                   \
  {                                                                                                                  \
    sizeof(SkillGatewayOptions), NULL, NULL, NULL, NULL, SKILL_APPROVAL_DANGEROUS, false, 0, 0, NULL, 0, NULL, NULL, \
        NULL, NULL                                                                                                   \
  }

/* Makes a gateway; owned: release with skill_gateway_free. SKILL_EINVAL, SKILL_ENOMEM. */
SKILL_API int skill_gateway_new(const SkillGatewayOptions *options, SkillGateway **out, SkillError *err);

/* Aborts what is open without calling back, and frees. A handler that still runs may finish its call later; the loop
 * must live until then. NULL is ignored. */
SKILL_API void skill_gateway_free(SkillGateway *gateway);

/* The target of a call, as the caller resolved it. All borrowed until the call's end. */
typedef struct SkillTarget {
  const SkillTool *tool;   /* NULL: there is no such tool; the call is rejected and `known` may help the model */
  const char *skill;       /* whose it is; NULL: the host's or skillet's own */
  const char *folder;      /* for tool->command: the skill's folder, absolute */
  bool own;                /* one of skillet's meta-tools: a list of allowed tools need not name it */
  bool untimed;            /* no time-out: it waits for what has limits of its own */
  bool granted;            /* no approval needed, whatever the tool's flags say */
  bool distrust;           /* approval needed, whatever they say (it may have run before a restart) */
  const char *hint;        /* for a call of a tool that is not there: what to do instead; may be NULL */
  const char *refused;     /* the caller's own reason to reject a call of this tool; NULL: none */
  const void *reserved[4]; /* 0 */
} SkillTarget;

/* Takes a call in. `done` comes exactly once, in a later step of the loop. `call` is copied.
 * SKILL_EEXISTS: a call of that id is open; SKILL_ENOMEM: no callback. */
SKILL_API int skill_gateway_call(SkillGateway *gateway, const SkillTarget *target, const SkillCall *call,
                                 SkillCallCb done, void *user, SkillError *err);

/* Decides on a call that awaits approval. SKILL_ENOENT: none of that id does. `reason` (copied) may be NULL. */
SKILL_API int skill_gateway_decide(SkillGateway *gateway, const char *id, bool approve, const char *reason);

/* Aborts one open call, or with NULL all; their `done` comes. Returns how many. */
SKILL_API size_t skill_gateway_abort(SkillGateway *gateway, const char *id, const char *reason);

/* The i-th open call, oldest first; false: there are not so many. */
SKILL_API bool skill_gateway_open(const SkillGateway *gateway, size_t index, SkillCallInfo *out);

/* One page of a result that was cut: from byte `cursor`. SKILL_ENOENT: none is kept under that id (the latest 16 are).
 * `text` is borrowed until the next call on the gateway; `next` is the cursor of the following page, 0 at the end. */
SKILL_API int skill_gateway_page(SkillGateway *gateway, const char *id, uint64_t cursor, const char **text,
                                 size_t *length, uint64_t *next);

/* Applies time-outs that are due. The gateway's own timer does so; call it after moving a virtual clock. */
SKILL_API void skill_gateway_tick(SkillGateway *gateway);

SKILL_END

#endif
