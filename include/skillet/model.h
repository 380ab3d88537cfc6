/* SPDX-License-Identifier: MIT
 *
 * SkillModel: a language model as a small versioned table of functions: one request in, deltas and one reply out.
 *
 * Implementing a model: `request` starts the work and returns 0. The model then reports through the call that it was
 * given: skill_model_call_delta() any number of times and skill_model_call_finish() exactly once, now or later, from
 * any thread. Callbacks of the caller run in the next step of the loop, never inside `request`.
 *
 * Using a model: skill_model_start() on a SkillLoop. Deltas and the completion are reported on the loop's thread.
 */
#ifndef SKILLET_MODEL_H
#define SKILLET_MODEL_H

#include "skillet/loop.h"
#include "skillet/message.h"
#include "skillet/skill.h"
#include "skillet/tokens.h"

SKILL_BEGIN

#define SKILL_MODEL_VERSION 1

typedef struct SkillModel SkillModel;
typedef struct SkillModelCall SkillModelCall; /* one running request; opaque */

enum {
  SKILL_MODEL_STREAMS = 1,     /* sends deltas when the request wants them */
  SKILL_MODEL_CACHE_MARKS = 2, /* honours SkillMessage.cache and SkillModelRequest.cache_tools */
  SKILL_MODEL_TOOL_SEARCH = 4, /* honours SkillModelRequest.deferred_from */
  SKILL_MODEL_NO_LLM = 8,      /* not a language model (offline, scripted): programs must say so with its answers */
};

typedef enum SkillToolChoice {
  SKILL_TOOL_CHOICE_AUTO = 0,
  SKILL_TOOL_CHOICE_NONE,
  SKILL_TOOL_CHOICE_REQUIRED /* a tool: any, or `choice_name` if it is set */
} SkillToolChoice;

/* One request. All of it is borrowed until `request` returns. */
typedef struct SkillModelRequest {
  size_t size; /* sizeof(SkillModelRequest) */
  const SkillMessage *messages;
  size_t message_count;
  const SkillTool *tools; /* name, description and input_schema are what a model sees */
  size_t tool_count;
  size_t deferred_from; /* tools from this index on may be left to the provider's tool search; tool_count: none */
  SkillToolChoice choice;
  const char *choice_name;
  size_t max_tokens;  /* of the answer; 0: the model's default */
  double temperature; /* negative: the model's default */
  bool stream;
  bool parallel_calls; /* an answer may contain several tool calls */
  bool cache_tools;    /* a provider's cache mark is useful after the tool list */
  const char *extra;   /* JSON object whose members are added to the body of the request; may be NULL */
} SkillModelRequest;

#define SKILL_MODEL_REQUEST_INIT \
  { sizeof(SkillModelRequest), NULL, 0, NULL, 0, 0, SKILL_TOOL_CHOICE_AUTO, NULL, 0, -1.0, true, true, false, NULL }

/* Cost of a request in model tokens, as the provider counts them. */
typedef struct SkillUsage {
  size_t input_tokens;       /* all input, cached or not */
  size_t output_tokens;      /* including reasoning */
  size_t cached_tokens;      /* part of input_tokens: read from the provider's cache */
  size_t cache_write_tokens; /* part of input_tokens: written to it */
  bool estimated;            /* the provider reported nothing; skillet counted */
  size_t reserved[2];        /* 0 */
} SkillUsage;

/* Adds `more` to `sum`. Sums that overflow become SIZE_MAX. */
SKILL_API void skill_usage_add(SkillUsage *sum, const SkillUsage *more);

typedef enum SkillStop {
  SKILL_STOP_END = 0, /* the answer is complete */
  SKILL_STOP_TOOLS,   /* it calls tools */
  SKILL_STOP_LENGTH,  /* max_tokens or the window was reached */
  SKILL_STOP_REFUSED, /* a content filter or a refusal */
  SKILL_STOP_OTHER
} SkillStop;

typedef enum SkillDeltaKind {
  SKILL_DELTA_TEXT = 0,       /* more of the answer */
  SKILL_DELTA_REASONING,      /* more of the visible reasoning */
  SKILL_DELTA_CALL,           /* a tool call begins: index, id, name */
  SKILL_DELTA_CALL_ARGUMENTS, /* more of the arguments of call `index` */
  SKILL_DELTA_RESTART         /* the request is sent again: discard the previous deltas; text: the reason */
} SkillDeltaKind;

/* One piece of a streamed answer; borrowed until the callback returns. */
typedef struct SkillDelta {
  SkillDeltaKind kind;
  const char *text; /* whole characters of UTF-8, not NUL-terminated */
  size_t length;
  size_t index;            /* calls: position of the call in the answer */
  const char *id;          /* SKILL_DELTA_CALL */
  const char *name;        /* SKILL_DELTA_CALL */
  const void *reserved[2]; /* 0 */
} SkillDelta;

/* The whole answer; borrowed until the callback returns, copied by skill_model_call_finish. */
typedef struct SkillReply {
  SkillMessage message; /* role assistant */
  SkillStop stop;
  SkillUsage usage;
  const char *model;       /* the name in the provider's answer; may be NULL */
  const char *request_id;  /* for enquiries to the provider; may be NULL */
  unsigned attempts;       /* 1: the first attempt succeeded */
  const void *reserved[4]; /* 0 */
} SkillReply;

struct SkillModel {
  uint32_t version;          /* SKILL_MODEL_VERSION */
  const char *name;          /* "openai:gpt-4.1-mini", "offline" … */
  const char *note;          /* one sentence to show to users, e.g. that it is not a language model; may be NULL */
  unsigned flags;            /* SKILL_MODEL_… */
  size_t window;             /* tokens of input and output together; 0: unknown */
  size_t max_output;         /* tokens of one answer; 0: unknown */
  SkillTokenizer *tokenizer; /* counts like this model; borrowed; NULL: unknown */
  void *impl;
  /* Starts a request. After an error nothing was started, and `call` must not be finished. */
  int (*request)(SkillModel *model, const SkillModelRequest *request, SkillModelCall *call, SkillError *err);
  /* Requests a stop; the call must still be finished soon, with SKILL_ECANCELED. Not called after the call was
   * finished. NULL: requests cannot be stopped. */
  void (*cancel)(SkillModel *model, SkillModelCall *call);
  /* Releases the model. No request is running then. */
  void (*free)(SkillModel *model);
};

/* Frees through the table; NULL is ignored. */
SKILL_API void skill_model_free(SkillModel *model);

/* --- implementing a model ----------------------------------------------------------------------------------- */

/* Returns the loop of the request; borrowed until the call is finished. */
SKILL_API SkillLoop *skill_model_call_loop(const SkillModelCall *call);

/* Stores and returns a pointer of the model for one request; not owned. On the thread that started the request. */
SKILL_API void skill_model_call_set_impl(SkillModelCall *call, void *impl);
SKILL_API void *skill_model_call_impl(const SkillModelCall *call);

/* Returns whether the request was canceled. Any thread. */
SKILL_API bool skill_model_call_canceled(const SkillModelCall *call);

/* Reports a part of the answer, which is copied. Any thread; never blocks. Without memory for it the call ends with
 * SKILL_ENOMEM. */
SKILL_API void skill_model_call_delta(SkillModelCall *call, const SkillDelta *delta);

/* Ends the request. `reply` is copied. For a negative `status` (SKILL_EREMOTE, SKILL_EIO, SKILL_ETIMEDOUT,
 * SKILL_ECANCELED, SKILL_ELIMIT: too long for the window, SKILL_EDENIED: key refused …) `message` gives the reason, and
 * `reply` may hold the part of the answer that had arrived. Any thread; never blocks. `call` must not be used
 * afterwards. */
SKILL_API void skill_model_call_finish(SkillModelCall *call, int status, const char *message, const SkillReply *reply);

/* --- using a model --------------------------------------------------------------------------------------------- */

/* Both run on the loop's thread inside a step: the deltas in order, and then the completion. */
typedef void (*SkillDeltaCb)(const SkillDelta *delta, void *user);
/* With a negative `status`, `reply` is NULL unless a part of an answer had arrived. `error` is never NULL. */
typedef void (*SkillReplyCb)(int status, const SkillReply *reply, const SkillError *error, void *user);

/* Starts a request on `model`, which must outlive it. `on_delta` may be NULL. `call` (may be NULL) is borrowed until
 * on_reply has run. SKILL_EINVAL, SKILL_ENOMEM, or the error of the model's `request`: no callback. */
SKILL_API int skill_model_start(SkillModel *model, SkillLoop *loop, const SkillModelRequest *request,
                                SkillDeltaCb on_delta, SkillReplyCb on_reply, void *user, SkillModelCall **call,
                                SkillError *err);

/* Cancels a request; on_reply still runs, once, with SKILL_ECANCELED unless the answer was complete. No delta is
 * reported after this. */
SKILL_API void skill_model_cancel(SkillModelCall *call);

/* --- models that need no network ------------------------------------------------------------------------------- */

/* Makes the scripted model, which answers turn by turn from the text of a JSON file, for tests and demonstrations;
 * docs/agent.md describes the format. `path` is for messages. Owned: release with skill_model_free. SKILL_EPARSE,
 * SKILL_EINVAL (with the position), SKILL_ENOMEM. */
SKILL_API int skill_model_script_new(const char *text, size_t length, const char *path, SkillModel **out,
                                     SkillError *err);

/* Makes the offline model. It is not a language model: it searches with skill_search, opens the best skill, calls one
 * of its tools with arguments that it finds in the request by the tool's schema, and answers from the result. If no
 * skill fits, the answer says so. Owned: release with skill_model_free. SKILL_ENOMEM. */
SKILL_API int skill_model_offline_new(SkillModel **out, SkillError *err);

SKILL_END

#endif
