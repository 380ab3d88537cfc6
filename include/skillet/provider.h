/* SPDX-License-Identifier: MIT
 *
 * Language models over HTTP, and recording and replaying of any model.
 *
 * Three protocols cover most servers: OpenAI chat completions (OpenAI, Ollama, vLLM, llama.cpp, DeepSeek, Qwen,
 * OpenRouter …), OpenAI responses, and Anthropic messages. Answers are streamed or whole. After 408, 409, 425, 429,
 * 5xx, a dropped connection or an incomplete stream the request is sent again with back-off, jitter and Retry-After;
 * SKILL_DELTA_RESTART withdraws the parts of an incomplete answer.
 *
 * Errors: SKILL_EDENIED (401, 403), SKILL_ENOENT (404), SKILL_ELIMIT (the context is too long), SKILL_EINVAL (another
 * 4xx), SKILL_EREMOTE (429, 5xx, an answer that is not understood), SKILL_EIO (network), SKILL_ETIMEDOUT. Messages
 * quote the server, never a key.
 *
 * Threads. A model may be used on several loops at once; each request stays on its loop's thread.
 */
#ifndef SKILLET_PROVIDER_H
#define SKILLET_PROVIDER_H

#include "skillet/io.h"
#include "skillet/model.h"

SKILL_BEGIN

#define SKILL_MAX_REPLY (64 * 1024 * 1024) /* bytes of one answer; above it SKILL_ELIMIT */

/* How to reach a model. NULL and 0 mean the default in brackets. Everything is copied. */
typedef struct SkillProviderOptions {
  size_t size;                /* sizeof(SkillProviderOptions) */
  const char *model;          /* the name that is sent; required */
  const char *base_url;       /* without "/chat/completions" and the like [the provider's] */
  const char *key;            /* [from key_env, else from key_command, else none] */
  const char *key_env;        /* name of an environment variable [the provider's, e.g. OPENAI_API_KEY] */
  const char *key_command;    /* run with sh -c when a key is first needed and again after 401; prints the key */
  const char *const *headers; /* NULL-terminated "Name: value"; replace headers of the same name */
  const char *proxy;          /* URL; "": none [from the environment, as in curl] */
  const char *extra;          /* JSON object whose members are added to the body of every request */
  int64_t connect_timeout_ms; /* [10,000] */
  int64_t idle_timeout_ms;    /* [120,000] without a received byte */
  int64_t timeout_ms;         /* [600,000] of one attempt */
  unsigned tries;             /* [5] attempts in all */
  int64_t backoff_ms;         /* [500] before the second attempt, doubled each time, multiplied by a random 0.5 to 1 */
  int64_t backoff_max_ms;     /* [60,000] longest wait; a longer Retry-After ends the request */
  size_t window;              /* tokens [unknown] */
  size_t max_output;          /* tokens of one answer [unknown; Anthropic: 8,192] */
  SkillTokenizer *tokenizer;  /* borrowed until the model is freed [none] */
  bool tool_search;           /* Anthropic: leave deferred tools to the provider's own tool search */
  SkillIo *io;                /* for randomness; borrowed until the model is freed [skill_io_posix()] */
} SkillProviderOptions;

#define SKILL_PROVIDER_OPTIONS_INIT                                                                                    \
  {                                                                                                                    \
    sizeof(SkillProviderOptions), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0, NULL, false, \
        NULL                                                                                                           \
  }

/* Makes a model for one of the three protocols; nothing is sent before the first request. Owned: release with
 * skill_model_free. SKILL_EINVAL (options, `extra` is not a JSON object), SKILL_ENOMEM. */
SKILL_API int skill_model_openai_new(const SkillProviderOptions *options, SkillModel **out, SkillError *err);
SKILL_API int skill_model_responses_new(const SkillProviderOptions *options, SkillModel **out, SkillError *err);
SKILL_API int skill_model_anthropic_new(const SkillProviderOptions *options, SkillModel **out, SkillError *err);

/* Makes a model from "PROVIDER:NAME": openai, responses, anthropic, and servers with chat completions at a known
 * address (ollama, vllm, llamacpp, lmstudio, deepseek, qwen, openrouter, groq, mistral, moonshot, zhipu, xai, gemini).
 * `options` (may be NULL) gives the rest; its `model` is ignored. Owned: release with skill_model_free. SKILL_EINVAL:
 * unknown provider. */
SKILL_API int skill_model_provider_new(const char *spec, const SkillProviderOptions *options, SkillModel **out,
                                       SkillError *err);

/* Returns the name of the i-th provider, or NULL at the end. Static. */
SKILL_API const char *skill_provider_name(size_t index);

/* --- record and replay ----------------------------------------------------------------------------------------- */

/* Wraps `inner`, which is taken on success: each finished request is appended to the file as one JSON line with the
 * messages, the names of the tools, the deltas and the reply. Only the owner can read the file. It contains no keys,
 * but the whole conversation. Owned: release with skill_model_free. SKILL_EIO, SKILL_ENOMEM. */
SKILL_API int skill_model_record_new(SkillModel *inner, const char *path, SkillModel **out, SkillError *err);

/* Makes a model that answers from such a recording, line by line. A request that differs from the recorded one, or
 * comes after the last one, fails with SKILL_EREMOTE; the message names the first difference. `path` is for messages
 * (may be NULL). Owned: release with skill_model_free. SKILL_EPARSE (with the line), SKILL_ENOMEM. */
SKILL_API int skill_model_replay_new(const char *text, size_t length, const char *path, SkillModel **out,
                                     SkillError *err);

SKILL_END

#endif
