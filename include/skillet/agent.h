/* SPDX-License-Identifier: MIT
 *
 * SkillAgent: one conversation, which sends requests to a model and runs the tools that it calls until it stops
 * calling tools.
 *
 * One function, skill_agent_turn(), serves all uses; a SkillProfile says what a turn may do. With tools off and one
 * iteration a turn is a single request, without gateway, loader or child process.
 *
 * Running. An agent lives on a SkillLoop. A host with libuv runs its own loop, a host with another loop steps the
 * SkillLoop, and skill_agent_run() blocks. For a user interface that must never wait, worker.h runs an agent on its
 * own thread.
 *
 * Threads. An agent, its loop and its registry belong to one thread. Callbacks run on that thread, inside a step of
 * the loop. They may call skill_agent_cancel, skill_agent_decide and the functions that only read, and at the end of a
 * turn also skill_agent_turn.
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

/* Where the body of an opened skill is put; never in the system prompt. */
typedef enum SkillBodyPlace {
  SKILL_BODY_IN_RESULT = 0, /* the result of skill_open */
  SKILL_BODY_IN_MESSAGE     /* a separate user message after the results */
} SkillBodyPlace;

/* What `allowed-tools` of an opened skill means. */
typedef enum SkillAllowedTools {
  SKILL_ALLOWED_CEILING = 0, /* while the skill is the last one opened, only these tools and its own may be called */
  SKILL_ALLOWED_GRANT        /* the tools it names need no approval */
} SkillAllowedTools;

/* skillet's own tools, with their default names. */
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

/* Returns the default name. Static. */
SKILL_API const char *skill_meta_tool_name(SkillMetaTool which);

/* How the tools of skills are offered to the model. */
typedef enum SkillToolsOffered {
  SKILL_TOOLS_DIRECT = 0, /* the tools of active skills are appended to the request's tool list */
  SKILL_TOOLS_CONSTANT,   /* the list never changes: results describe tools, and tool_call_… calls them */
  SKILL_TOOLS_DEFERRED    /* the provider's tool search finds the tools of all skills. With a model without
                           * SKILL_MODEL_TOOL_SEARCH the same as DIRECT, and a `degraded` event says so */
} SkillToolsOffered;

/* Converts "direct", "constant" or "deferred". Returns false for any other text. */
SKILL_API bool skill_tools_offered_find(const char *name, SkillToolsOffered *out);

/* What an agent may do, and how. Defaults are in brackets. Functions that take a profile copy its strings. */
typedef struct SkillProfile {
  size_t size;        /* sizeof(SkillProfile) */
  SkillModel *model;  /* borrowed; NULL: the agent's model */
  const char *system; /* system text; NULL: a short default; "": none */
  bool tools;         /* [true] offer tools and run them */
  bool skills;        /* [true] list, search and open skills */
  bool preactivate;   /* [false] rank each request and activate what the policy selects; docs/agent.md has the cost */
  bool scripts;       /* [true] skill_run and typed tools backed by scripts */
  bool stream;        /* [true] */
  unsigned max_iterations; /* [16] requests to the model in one turn */
  unsigned max_calls;      /* [64] tool calls in one turn */
  size_t context_tokens;   /* [0] budget of a request; 0: the model's window minus the answer, or 32,000 */
  size_t answer_tokens;    /* [0] limit of an answer; 0: the model's default */
  size_t listing_tokens;   /* [0] limit of the list of skills; 0: 2 % of context_tokens, from 1,000 to 8,000 */
  size_t retrieve_tokens;  /* [0] limit of retrieved passages; 0: 1/16 of context_tokens, from 200 to 2,000 */
  size_t compact_percent;  /* [80] compact the conversation when a request uses so much of its budget; 0: never */
  double temperature;      /* [-1] negative: the model's default */
  SkillBodyPlace body;
  SkillAllowedTools allowed;
  SkillApproval approval;
  int64_t call_timeout_ms; /* [0] of a tool call; 0: the gateway's default */
  size_t result_bytes;     /* [0] limit of a result; 0: the gateway's default */
  SkillToolsOffered offered;
  const char *names[SKILL_META_ROOM]; /* names of skillet's own tools: 1 to 64 of [A-Za-z0-9_-], all different;
                                       * NULL: the default. The offline model knows only the defaults */
  unsigned fork_depth;                /* [2] nesting of skills that run as sub-agents */
  size_t total_tokens;                /* [0] limit of a turn with all forks, input and output; 0: none */
  int64_t total_ms;                   /* [0] time limit of a turn with all forks; 0: none */
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
  SKILL_TURN_LIMIT,        /* the limit of iterations, calls, tokens or time was reached; `error` says which */
  SKILL_TURN_CANCELED,
  SKILL_TURN_FAILED
} SkillTurnEnd;

/* The result of a turn. Its pointers are borrowed until the callback returns. */
typedef struct SkillTurn {
  SkillTurnEnd end;
  int status;         /* 0, or the SKILL_E… code that explains LIMIT, CANCELED or FAILED */
  const char *answer; /* the last text of the model, or "" */
  size_t answer_length;
  SkillStop stop;
  SkillUsage usage; /* of all requests, forks included */
  size_t requests;  /* to models, forks included */
  size_t calls;     /* of tools, forks included */
  size_t forks;
  size_t prefix_tokens;     /* sum over the requests: the beginning that equals the previous request */
  size_t context_tokens;    /* sum over the requests: their size as skillet counts it */
  size_t everything_tokens; /* the same if every skill were in the context with body and tools; 0: not counted */
  bool exact;               /* the token counts are exact */
  const SkillError *error;  /* never NULL */
  const void *reserved[6];  /* 0 */
} SkillTurn;

typedef void (*SkillTurnCb)(SkillAgent *agent, const SkillTurn *turn, void *user);

/* Callbacks of a running agent; each may be NULL. The struct is the last member of SkillAgentOptions, so both can
 * grow. */
typedef struct SkillAgentEvents {
  SkillEventCb on_event;   /* every decision, forks included */
  SkillDeltaCb on_delta;   /* the streamed answer */
  SkillCallCb on_call;     /* a call changed its state */
  SkillCallCb on_approval; /* a call awaits skill_agent_decide; NULL: such calls are rejected */
  void (*on_message)(const SkillMessage *message, void *user); /* was added to the conversation */
  void (*on_log)(const char *line, size_t length, void *user); /* the gateway's log of decisions */
  void *user;
} SkillAgentEvents;

typedef struct SkillAgentOptions {
  size_t size;                         /* sizeof(SkillAgentOptions) */
  SkillLoop *loop;                     /* required; borrowed until the agent is freed */
  SkillRegistry *registry;             /* borrowed; NULL: an agent without skills */
  SkillModel *model;                   /* borrowed; required unless the profile has one */
  const SkillProfile *profile;         /* copied; NULL: the defaults */
  const SkillPermissions *permissions; /* copied; NULL: everything is allowed */
  const SkillLoaderOptions *loader;    /* copied; NULL: the defaults. The agent replaces its callbacks */
  const SkillTool *tools;              /* of the host, copied; offered in every request */
  size_t tool_count;
  SkillModelHub *models;              /* borrowed; may be NULL */
  SkillAgentHub *agents;              /* borrowed; may be NULL */
  SkillTokenizer *tokenizer;          /* borrowed; NULL: the model's, or the estimate */
  SkillIo *io;                        /* borrowed; NULL: skill_io_posix() */
  const SkillProcessOptions *process; /* for scripts; borrowed; NULL: defaults */
  const char *const *roots;           /* folders that the file tools may read, NULL-terminated; NULL: no file tools */
  const char *const *writable;        /* which of them they may write to; NULL: none */
  const char *const *retrieve;        /* files and folders whose passages are added to a request that they match,
                                         NULL-terminated; NULL: none. Changed files are read again before a request */
  bool count_everything;              /* set SkillTurn.everything_tokens; reads every body once */
  SkillAgentEvents events;            /* copied */
} SkillAgentOptions;

#define SKILL_AGENT_OPTIONS_INIT                                                                                      \
  {                                                                                                                   \
    sizeof(SkillAgentOptions), NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, \
        NULL, false, {                                                                                                \
      NULL, NULL, NULL, NULL, NULL, NULL, NULL                                                                        \
    }                                                                                                                 \
  }

/* Makes an agent with an empty conversation. Owned: release with skill_agent_free. SKILL_EINVAL (a required option is
 * missing, names of tools are invalid), SKILL_ENOMEM. */
SKILL_API int skill_agent_new(const SkillAgentOptions *options, SkillAgent **out, SkillError *err);

/* Cancels what is running without callbacks, disposes the agent's skills (waits for them, at most for the loader's
 * time-out), and frees. A tool handler that is still running on another thread may find its skill disposed. NULL is
 * ignored. */
SKILL_API void skill_agent_free(SkillAgent *agent);

/* Starts a turn with the user's `text` (`length` 0: strlen). "@NAME" in it adds the text of a skill or, below the
 * roots, of a file to the request. `cb` runs exactly once, in a step of the loop. SKILL_EBUSY: a turn is running;
 * SKILL_EINVAL, SKILL_ELIMIT, SKILL_ENOMEM: no callback. */
SKILL_API int skill_agent_turn(SkillAgent *agent, const char *text, size_t length, SkillTurnCb cb, void *user,
                               SkillError *err);

/* Continues a conversation that was loaded or interrupted: open calls are run again (those that may have run before
 * need approval, unless they only read), and then the model is called. Errors as skill_agent_turn; SKILL_ENOENT: there
 * is nothing to continue. */
SKILL_API int skill_agent_resume(SkillAgent *agent, SkillTurnCb cb, void *user, SkillError *err);

/* Runs a turn to its end and blocks; runs the loop. `answer` (may be NULL) is owned: release with skill_free. `turn`
 * (may be NULL) receives the numbers; its pointers are NULL. Returns 0 if the model answered, else the error of
 * skill_agent_turn or the status of the turn. */
SKILL_API int skill_agent_run(SkillAgent *agent, const char *text, char **answer, SkillTurn *turn, SkillError *err);

/* Ends the running turn: its callback runs with SKILL_TURN_CANCELED, and open calls are answered as canceled, so that
 * the conversation is valid. SKILL_ENOENT: no turn is running. */
SKILL_API int skill_agent_cancel(SkillAgent *agent);

/* Approves or rejects a call that awaits approval, also of a fork. `reason` (copied, may be NULL) is given to the model
 * if the call is rejected. SKILL_ENOENT: no such call awaits approval. */
SKILL_API int skill_agent_decide(SkillAgent *agent, const char *call_id, bool approve, const char *reason);

/* Stores the i-th call that awaits approval, forks included, in *out. Returns false if there is none. */
SKILL_API bool skill_agent_awaiting(const SkillAgent *agent, size_t index, SkillCallInfo *out);

/* Returns whether a turn is running: its callback has not run. */
SKILL_API bool skill_agent_busy(const SkillAgent *agent);

/* Returns the conversation; borrowed until the agent is freed. While a turn is running it may be read and saved, not
 * changed. */
SKILL_API SkillConversation *skill_agent_conversation(SkillAgent *agent);

/* Replaces the conversation and frees the previous one; taken on success. SKILL_EBUSY: a turn is running. SKILL_EINVAL:
 * NULL. */
SKILL_API int skill_agent_set_conversation(SkillAgent *agent, SkillConversation *conversation);

/* Compacts the conversation now, as skill_context_compact does. `removed` (may be NULL) receives the number of removed
 * messages. SKILL_EBUSY: calls are open; SKILL_ENOMEM. */
SKILL_API int skill_agent_compact(SkillAgent *agent, size_t *removed, SkillError *err);

/* Returns the agent's loader, or NULL if it has no registry; borrowed until the agent is freed. */
SKILL_API ProgressiveSkillLoader *skill_agent_loader(SkillAgent *agent);

/* Stores the tools that the next request will offer, in order, and returns their number. Borrowed until the agent is
 * stepped or changed. */
SKILL_API size_t skill_agent_tools(SkillAgent *agent, const SkillTool **tools);

/* Describes why skills are active or not: one line for each skill of the last ranking. Owned: release with skill_free.
 * SKILL_ENOMEM. */
SKILL_API int skill_agent_why(SkillAgent *agent, char **text);

SKILL_END

#endif
