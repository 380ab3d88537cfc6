/* SPDX-License-Identifier: MIT
 *
 * SkillModel: a language model as one small versioned table of functions; request in, deltas and one reply out.
 *
 * Writing one: `request` starts the work and returns 0; the model then reports through the call it was given:
 * skill_model_call_delta() as often as it likes and skill_model_call_finish() exactly once, at once or later, from any
 * thread. It never runs a callback of the caller's inside `request`; the loop's next step does.
 *
 * Using one: skill_model_start() on a SkillLoop; deltas and the one completion come on the loop's thread.
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
  SKILL_MODEL_NO_LLM = 8,      /* no language model at all (offline, scripted): whoever shows answers must say so */
};

typedef enum SkillToolChoice {
  SKILL_TOOL_CHOICE_AUTO = 0,
  SKILL_TOOL_CHOICE_NONE,
  SKILL_TOOL_CHOICE_REQUIRED /* some tool, or `choice_name` where that is set */
} SkillToolChoice;

/* One request. All of it is borrowed until `request` returns. */
typedef struct SkillModelRequest {
  size_t size; /* sizeof(SkillModelRequest) */
  const SkillMessage *messages;
  size_t message_count;
  const SkillTool *tools; /* name, description and input_schema are what a model sees */
  size_t tool_count;
  size_t deferred_from; /* tools from this index on may be left to the provider's own tool search; tool_count: none */
  SkillToolChoice choice;
  const char *choice_name;
  size_t max_tokens;  /* of the answer; 0: the model's default */
  double temperature; /* negative: the model's default */
  bool stream;
  bool parallel_calls; /* more than one tool call in an answer is welcome */
  bool cache_tools;    /* the tool list is worth a provider's cache mark */
  const char *extra;   /* JSON object whose members are added to the request's body; may be NULL */
} SkillModelRequest;

#define SKILL_MODEL_REQUEST_INIT \
  { sizeof(SkillModelRequest), NULL, 0, NULL, 0, 0, SKILL_TOOL_CHOICE_AUTO, NULL, 0, -1.0, true, true, false, NULL }

/* What a request cost, in model tokens as the provider counts them. */
typedef struct SkillUsage {
  size_t input_tokens;       /* all of the input, cached or not */
  size_t output_tokens;      /* with reasoning */
  size_t cached_tokens;      /* of input_tokens: read from the provider's cache */
  size_t cache_write_tokens; /* of input_tokens: written to it */
  bool estimated;            /* the provider said nothing; skillet counted */
  size_t reserved[2];        /* 0 */
} SkillUsage;

/* Adds `more` to `sum`; saturates. */
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
  SKILL_DELTA_REASONING,      /* more of what the model shows of its reasoning */
  SKILL_DELTA_CALL,           /* a tool call begins: index, id, name */
  SKILL_DELTA_CALL_ARGUMENTS, /* more of the arguments of call `index` */
  SKILL_DELTA_RESTART         /* the request is tried again from its beginning: forget the deltas so far; text: why */
} SkillDeltaKind;

/* One piece of a streamed answer; borrowed until the callback returns. */
typedef struct SkillDelta {
  SkillDeltaKind kind;
  const char *text; /* whole characters of UTF-8, not NUL-terminated */
  size_t length;
  size_t index;            /* calls: which of the answer */
  const char *id;          /* SKILL_DELTA_CALL */
  const char *name;        /* SKILL_DELTA_CALL */
  const void *reserved[2]; /* 0 */
} SkillDelta;

/* The whole answer; borrowed until the callback returns, copied by skill_model_call_finish. */
typedef struct SkillReply {
  SkillMessage message; /* role assistant */
  SkillStop stop;
  SkillUsage usage;
  const char *model;       /* the name that the provider answered with; may be NULL */
  const char *request_id;  /* for whoever asks the provider's support; may be NULL */
  unsigned attempts;       /* 1: the first try succeeded */
  const void *reserved[4]; /* 0 */
} SkillReply;

struct SkillModel {
  uint32_t version;          /* SKILL_MODEL_VERSION */
  const char *name;          /* "openai:gpt-4.1-mini", "offline" … */
  const char *note;          /* one sentence that users are shown, e.g. that it is no language model; may be NULL */
  unsigned flags;            /* SKILL_MODEL_… */
  size_t window;             /* tokens of input and output together; 0: unknown */
  size_t max_output;         /* tokens of one answer; 0: unknown */
  SkillTokenizer *tokenizer; /* that counts as this model does; borrowed; NULL: none known */
  void *impl;
  /* Starts a request. Non-zero: nothing was started and `call` must not be finished. */
  int (*request)(SkillModel *model, const SkillModelRequest *request, SkillModelCall *call, SkillError *err);
  /* Asks to stop; the call must still be finished, soon (with SKILL_ECANCELED). Not called after the finish. May be
   * NULL: requests that cannot be stopped are finished whenever they end. */
  void (*cancel)(SkillModel *model, SkillModelCall *call);
  /* Releases the model. No request is running then. */
  void (*free)(SkillModel *model);
};

/* Frees through the table; NULL is ignored. */
SKILL_API void skill_model_free(SkillModel *model);

/* --- for whoever writes a model -------------------------------------------------------------------------------- */

/* The loop that the request runs on; borrowed until the finish. */
SKILL_API SkillLoop *skill_model_call_loop(const SkillModelCall *call);

/* A pointer of the model's own for one request; not owned. The thread that started the request. */
SKILL_API void skill_model_call_set_impl(SkillModelCall *call, void *impl);
SKILL_API void *skill_model_call_impl(const SkillModelCall *call);

/* Whether the user wants it stopped. Any thread. */
SKILL_API bool skill_model_call_canceled(const SkillModelCall *call);

/* Reports a piece; copied. Any thread; never blocks. A piece that finds no memory makes the call end with
 * SKILL_ENOMEM. */
SKILL_API void skill_model_call_delta(SkillModelCall *call, const SkillDelta *delta);

/* Ends the request; `reply` is copied, `message` says why not where `status` is negative (SKILL_EREMOTE, SKILL_EIO,
 * SKILL_ETIMEDOUT, SKILL_ECANCELED, SKILL_ELIMIT (too long for the window), SKILL_EDENIED (key refused) …); a reply may
 * come with a negative status and then holds what had arrived. Any thread; never blocks. The call is consumed. */
SKILL_API void skill_model_call_finish(SkillModelCall *call, int status, const char *message, const SkillReply *reply);

/* --- for whoever uses one -------------------------------------------------------------------------------------- */

/* Both come on the loop's thread inside one of its steps, deltas in order and all before the one completion. */
typedef void (*SkillDeltaCb)(const SkillDelta *delta, void *user);
/* `reply` is NULL where `status` is negative, unless a part of an answer had arrived; `error` is never NULL. */
typedef void (*SkillReplyCb)(int status, const SkillReply *reply, const SkillError *error, void *user);

/* Starts a request on `model`, which must outlive it. `on_delta` may be NULL. `call` (may be NULL) is borrowed until
 * on_reply. SKILL_EINVAL, SKILL_ENOMEM, or what the model's `request` returned: no callback comes. */
SKILL_API int skill_model_start(SkillModel *model, SkillLoop *loop, const SkillModelRequest *request,
                                SkillDeltaCb on_delta, SkillReplyCb on_reply, void *user, SkillModelCall **call,
                                SkillError *err);

/* Asks for the end; on_reply still comes, once, with SKILL_ECANCELED unless the answer was there already. No delta
 * comes after this. */
SKILL_API void skill_model_cancel(SkillModelCall *call);

/* --- models that need no network ------------------------------------------------------------------------------- */

/* The scripted model: answers turn after turn from a JSON file's text, for tests and demonstrations; docs/agent.md has
 * its format. `path` is for messages. SKILL_EPARSE, SKILL_EINVAL (with the place), SKILL_ENOMEM.
 * Owned: release with skill_model_free. */
SKILL_API int skill_model_script_new(const char *text, size_t length, const char *path, SkillModel **out,
                                     SkillError *err);

/* The embedded offline model. It is no language model: it searches with skill_search, opens the best skill, calls one
 * of its tools with arguments taken from the request by the tool's schema, and answers from the result; where nothing
 * fits it says so. Owned: release with skill_model_free. SKILL_ENOMEM. */
SKILL_API int skill_model_offline_new(SkillModel **out, SkillError *err);

SKILL_END

#endif
