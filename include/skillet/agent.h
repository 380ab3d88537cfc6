/* SPDX-License-Identifier: MIT
 *
 * SkillAgent: one conversation that asks a model, runs the tools it calls, and goes on until it stops calling.
 *
 * One kernel, skill_agent_turn(), serves every scene; a SkillProfile says what it may do. With tools off and one
 * iteration it takes a fast path: one request, no gateway, no loader, no child process.
 *
 * Driving. An agent lives on a SkillLoop: a host with libuv runs its own loop, one that polls steps the SkillLoop, and
 * skill_agent_run() blocks. For a user interface that must never wait, worker.h runs an agent on a thread of its own.
 *
 * Threads. An agent, its loop and its registry belong to one thread. Callbacks come on that thread, inside a step of
 * the loop; they may call skill_agent_cancel, skill_agent_decide and the getters, and from the end of a turn also
 * skill_agent_turn.
 */
#ifndef SKILLET_AGENT_H
#define SKILLET_AGENT_H

#include "skillet/context.h"
#include "skillet/gateway.h"
#include "skillet/hub.h"
#include "skillet/loader.h"
#include "skillet/model.h"

SKILL_BEGIN

typedef struct SkillAgent SkillAgent;

/* Where the body of an opened skill goes; never into the system prompt. */
typedef enum SkillBodyPlace {
  SKILL_BODY_IN_RESULT = 0, /* the result of skill_open */
  SKILL_BODY_IN_MESSAGE     /* a user message of its own after the results */
} SkillBodyPlace;

/* What `allowed-tools` of an opened skill means. */
typedef enum SkillAllowedTools {
  SKILL_ALLOWED_CEILING = 0, /* while the skill is the one opened last: other tools are refused, but for its own */
  SKILL_ALLOWED_GRANT        /* the tools it names need no approval */
} SkillAllowedTools;

/* skillet's own tools, with the names they have where a profile gives no other. */
#define SKILL_META_TOOL_MAP(X)                 \
  X(SEARCH, "skill_search")                    \
  X(OPEN, "skill_open")                        \
  X(READ, "skill_read")                        \
  X(RUN, "skill_run")                          \
  X(DESCRIBE, "tool_describe")                 \
  X(CALL_READ, "tool_call_read")               \
  X(CALL_WRITE, "tool_call_write")             \
  X(CALL_DESTRUCTIVE, "tool_call_destructive") \
  X(PAGE, "result_read")

typedef enum SkillMetaTool {
#define SKILL_X(id, name) SKILL_META_##id,
  SKILL_META_TOOL_MAP(SKILL_X)
#undef SKILL_X
      SKILL_META_COUNT
} SkillMetaTool;

#define SKILL_META_ROOM 16 /* length of arrays with one item for each of these tools; more may be added up to this */

/* The default name; static. */
SKILL_API const char *skill_meta_tool_name(SkillMetaTool which);

/* How the tools of skills reach the model. */
typedef enum SkillToolsOffered {
  SKILL_TOOLS_DIRECT = 0, /* those of active skills are appended to the request's tool list */
  SKILL_TOOLS_CONSTANT,   /* the list never changes: they are described in results and called by tool_call_… */
  SKILL_TOOLS_DEFERRED    /* those of all skills are left to the provider's own tool search; a model without
                           * SKILL_MODEL_TOOL_SEARCH gets them directly, and a `degraded` event says so */
} SkillToolsOffered;

/* Reads "direct", "constant" or "deferred"; false: it is none of them. */
SKILL_API bool skill_tools_offered_find(const char *name, SkillToolsOffered *out);

/* What an agent may do, and how. Strings are copied where a profile is taken. */
typedef struct SkillProfile {
  size_t size;        /* sizeof(SkillProfile) */
  SkillModel *model;  /* borrowed; NULL: the agent's */
  const char *system; /* system text; NULL: a short default; "": none */
  bool tools;         /* [true] offer tools and run them */
  bool skills;        /* [true] list, search and open skills */
  bool preactivate;   /* [false] rank each request and activate what the policy selects; docs/agent.md: its price */
  bool scripts;       /* [true] skill_run and typed tools backed by scripts */
  bool stream;        /* [true] */
  unsigned max_iterations; /* [16] model requests of one turn */
  unsigned max_calls;      /* [64] tool calls of one turn */
  size_t context_tokens;   /* [0] budget of a request; 0: the model's window less the answer, or 32,000 */
  size_t answer_tokens;    /* [0] most tokens of an answer; 0: the model's default */
  size_t listing_tokens;   /* [0] of the list of skills; 0: 2 % of context_tokens, from 1,000 to 8,000 */
  size_t retrieve_tokens;  /* [0] of retrieved passages a request gets; 0: 1/16 of context_tokens, from 200 to 2,000 */
  size_t compact_percent;  /* [80] compact the conversation when a request fills so much of its budget; 0: never */
  double temperature;      /* [-1] negative: the model's default */
  SkillBodyPlace body;
  SkillAllowedTools allowed;
  SkillApproval approval;
  int64_t call_timeout_ms; /* [0] of a tool call: the gateway's default */
  size_t result_bytes;     /* [0] cap of a result: the gateway's default */
  SkillToolsOffered offered;
  const char *names[SKILL_META_ROOM]; /* other names for skillet's own tools: 1 to 64 of [A-Za-z0-9_-], each once;
                                       * NULL: the default. The offline model knows the default ones only */
  unsigned fork_depth;                /* [2] skills that run as sub-agents, inside one another */
  size_t total_tokens;                /* [0] of a turn with all its forks, input and output; 0: no bound */
  int64_t total_ms;                   /* [0] time of a turn with all its forks; 0: no bound */
} SkillProfile;

#define SKILL_PROFILE_INIT                                                                                             \
  {                                                                                                                    \
    sizeof(SkillProfile), NULL, NULL, true, true, false, true, true, 16, 64, 0, 0, 0, 0, 80, -1, SKILL_BODY_IN_RESULT, \
        SKILL_ALLOWED_CEILING, SKILL_APPROVAL_DANGEROUS, 0, 0, SKILL_TOOLS_DIRECT,                                     \
        {NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL}, 2, 0, 0      \
  }

/* How a turn ended. */
typedef enum SkillTurnEnd {
  SKILL_TURN_ANSWERED = 0, /* the model stopped calling tools */
  SKILL_TURN_LIMIT,        /* iterations, calls, tokens or time ran out; `error` says which */
  SKILL_TURN_CANCELED,
  SKILL_TURN_FAILED
} SkillTurnEnd;

/* The result of a turn; borrowed until the callback returns. */
typedef struct SkillTurn {
  SkillTurnEnd end;
  int status;         /* 0, or the SKILL_E… code behind LIMIT, CANCELED or FAILED */
  const char *answer; /* the last text of the model; "" where there is none */
  size_t answer_length;
  SkillStop stop;
  SkillUsage usage; /* of all requests, with those of forks */
  size_t requests;  /* to models, with those of forks */
  size_t calls;     /* of tools, with those of forks */
  size_t forks;
  size_t prefix_tokens;     /* sum over the requests: beginning that equals the request before */
  size_t context_tokens;    /* sum over the requests: all of it, as skillet counts */
  size_t everything_tokens; /* the same had every skill been in the context with body and tools; 0: not asked for */
  bool exact;               /* the tokenizer counts exactly */
  const SkillError *error;  /* never NULL */
  const void *reserved[6];  /* 0 */
} SkillTurn;

typedef void (*SkillTurnCb)(SkillAgent *agent, const SkillTurn *turn, void *user);

/* What a host hears of a running agent. Each may be NULL. */
typedef struct SkillAgentEvents {
  SkillEventCb on_event;   /* every decision, those of forks too */
  SkillDeltaCb on_delta;   /* the streamed answer */
  SkillCallCb on_call;     /* a call's change of state */
  SkillCallCb on_approval; /* a call waits for skill_agent_decide, now or later; NULL: such calls are rejected */
  void (*on_message)(const SkillMessage *message, void *user); /* one was added to the conversation */
  void (*on_log)(const char *line, size_t length, void *user); /* the gateway's decision log */
  void *user;
} SkillAgentEvents;

typedef struct SkillAgentOptions {
  size_t size;                         /* sizeof(SkillAgentOptions) */
  SkillLoop *loop;                     /* borrowed for the agent's life */
  SkillRegistry *registry;             /* borrowed; NULL: an agent without skills */
  SkillModel *model;                   /* borrowed */
  const SkillProfile *profile;         /* copied; NULL: the default */
  const SkillPermissions *permissions; /* copied; NULL: everything is allowed */
  const SkillLoaderOptions *loader;    /* copied; NULL: the default. Its callbacks are replaced by the agent's */
  const SkillTool *tools;              /* the host's own, copied; offered in every request */
  size_t tool_count;
  SkillModelHub *models;              /* borrowed; may be NULL */
  SkillAgentHub *agents;              /* borrowed; may be NULL */
  SkillTokenizer *tokenizer;          /* borrowed; NULL: the model's, else the estimate */
  SkillIo *io;                        /* borrowed; NULL: skill_io_posix() */
  const SkillProcessOptions *process; /* for scripts; borrowed; NULL: defaults */
  const char *const *roots;           /* folders that the file tools may read, NULL-terminated; NULL: no file tools */
  const char *const *writable;        /* those of them that they may write below; NULL: none */
  const char *const *retrieve;        /* files, and folders of them, whose passages go with a request that they fit;
                                       * NULL-terminated; NULL: none. What changed is read again before a request */
  bool count_everything;              /* fill SkillTurn.everything_tokens; reads every body once */
  SkillAgentEvents events;            /* copied */
} SkillAgentOptions;

#define SKILL_AGENT_OPTIONS_INIT                                                                                      \
  {                                                                                                                   \
    sizeof(SkillAgentOptions), NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, \
        NULL, false, {                                                                                                \
      NULL, NULL, NULL, NULL, NULL, NULL, NULL                                                                        \
    }                                                                                                                 \
  }

/* Makes an agent with an empty conversation; owned: release with skill_agent_free. SKILL_EINVAL (options that lack
 * something, names of tools that cannot be used), SKILL_ENOMEM. */
SKILL_API int skill_agent_new(const SkillAgentOptions *options, SkillAgent **out, SkillError *err);

/* Cancels what runs without calling back, disposes its skills (waiting for them, at most the loader's time-out), and
 * frees. A tool's handler that still runs on another thread may see its skill disposed. NULL is ignored. */
SKILL_API void skill_agent_free(SkillAgent *agent);

/* Starts a turn: `text` is what the user says (`length` 0: strlen). "@NAME" in it names a skill or, below the roots,
 * a file explicitly: its text goes with the request. `cb` comes exactly once, in a step of the loop.
 * SKILL_EBUSY: a turn runs; SKILL_EINVAL, SKILL_ELIMIT, SKILL_ENOMEM: no callback. */
SKILL_API int skill_agent_turn(SkillAgent *agent, const char *text, size_t length, SkillTurnCb cb, void *user,
                               SkillError *err);

/* Goes on with a conversation that was loaded or interrupted: open calls are taken in again (those that may have run
 * before wait for approval unless they only read), then the model is asked. Errors as skill_agent_turn; SKILL_ENOENT:
 * there is nothing to go on with. */
SKILL_API int skill_agent_resume(SkillAgent *agent, SkillTurnCb cb, void *user, SkillError *err);

/* A turn from beginning to end, blocking: runs the loop. `answer` (may be NULL) is owned: release with skill_free;
 * `turn` (may be NULL) receives the numbers, its pointers are NULL. Returns 0 where the turn was answered, else what
 * skill_agent_turn returned or the turn's status. */
SKILL_API int skill_agent_run(SkillAgent *agent, const char *text, char **answer, SkillTurn *turn, SkillError *err);

/* Ends the running turn: its callback comes with SKILL_TURN_CANCELED, and the conversation is valid: open calls are
 * answered as canceled. SKILL_ENOENT: none runs. */
SKILL_API int skill_agent_cancel(SkillAgent *agent);

/* Decides on a call that awaits approval, of a fork too. `reason` (copied, may be NULL) is what the model is told where
 * it is refused. SKILL_ENOENT: no call of that id waits. */
SKILL_API int skill_agent_decide(SkillAgent *agent, const char *call_id, bool approve, const char *reason);

/* The i-th call that awaits approval, those of forks too; false: there are not so many. */
SKILL_API bool skill_agent_awaiting(const SkillAgent *agent, size_t index, SkillCallInfo *out);

/* Whether a turn runs: its callback has not come yet. */
SKILL_API bool skill_agent_busy(const SkillAgent *agent);

/* The conversation; borrowed until the agent is freed. While a turn runs it may be read and saved, not changed. */
SKILL_API SkillConversation *skill_agent_conversation(SkillAgent *agent);

/* Replaces the conversation, and frees the one before; taken on success. SKILL_EBUSY: a turn runs. SKILL_EINVAL: NULL.
 */
SKILL_API int skill_agent_set_conversation(SkillAgent *agent, SkillConversation *conversation);

/* Compacts the conversation now, as skill_context_compact does; `removed` (may be NULL) receives how many messages
 * went. SKILL_EBUSY: calls are open; SKILL_ENOMEM. The conversation is as it was then. */
SKILL_API int skill_agent_compact(SkillAgent *agent, size_t *removed, SkillError *err);

/* The agent's loader, or NULL where it has no registry; borrowed until the agent is freed. */
SKILL_API ProgressiveSkillLoader *skill_agent_loader(SkillAgent *agent);

/* The tools that the next request offers, in order; borrowed until the agent is stepped or changed. */
SKILL_API size_t skill_agent_tools(SkillAgent *agent, const SkillTool **tools);

/* Why skills are active or not: one line each on the last ranking and what became of it. Owned: release with
 * skill_free. SKILL_ENOMEM. */
SKILL_API int skill_agent_why(SkillAgent *agent, char **text);

SKILL_END

#endif
