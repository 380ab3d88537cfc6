/* SPDX-License-Identifier: MIT
 *
 * Language models over HTTP, and recording and replaying of any model.
 *
 * Three protocols cover most servers: OpenAI chat completions (OpenAI, Ollama, vLLM, llama.cpp, DeepSeek, Qwen,
 * OpenRouter …), OpenAI responses, and Anthropic messages. Answers come streamed or whole. A request that meets 408,
 * 409, 425, 429, 5xx, a dropped connection or a stream that breaks off is tried again with back-off, jitter and
 * Retry-After; what had been shown of a broken answer is taken back with SKILL_DELTA_RESTART.
 *
 * Errors: SKILL_EDENIED (401, 403), SKILL_ENOENT (404), SKILL_ELIMIT (the context is too long), SKILL_EINVAL (another
 * 4xx), SKILL_EREMOTE (429, 5xx, an answer that is not understood), SKILL_EIO (network), SKILL_ETIMEDOUT. Messages hold
 * what the server said, never a key.
 *
 * Threads: a model may be used on several loops at once; each request stays on its loop's thread.
 */
#ifndef SKILLET_PROVIDER_H
#define SKILLET_PROVIDER_H

#include "skillet/io.h"
#include "skillet/model.h"

SKILL_BEGIN

#define SKILL_MAX_REPLY (64 * 1024 * 1024) /* bytes of one answer as it comes; SKILL_ELIMIT above */

/* How to reach a model. Members that are NULL or 0 mean the default in brackets; everything is copied. */
typedef struct SkillProviderOptions {
  size_t size;                /* sizeof(SkillProviderOptions) */
  const char *model;          /* the name that is sent; required */
  const char *base_url;       /* up to and without "/chat/completions" and the like [the provider's own] */
  const char *key;            /* [from key_env, else from key_command, else none] */
  const char *key_env;        /* name of an environment variable [the provider's own, e.g. OPENAI_API_KEY] */
  const char *key_command;    /* run with sh -c when it is first needed and again after 401; prints the key */
  const char *const *headers; /* NULL-terminated "Name: value"; replace those of the same name */
  const char *proxy;          /* URL; "" none [the environment's, as curl reads it] */
  const char *extra;          /* JSON object whose members are added to every request's body */
  int64_t connect_timeout_ms; /* [10,000] */
  int64_t idle_timeout_ms;    /* without a byte [120,000] */
  int64_t timeout_ms;         /* of one try [600,000] */
  unsigned tries;             /* in all [5] */
  int64_t backoff_ms;         /* before the second try, doubled each time, times 0.5 to 1 by chance [500] */
  int64_t backoff_max_ms;     /* longest wait; a longer Retry-After ends the request [60,000] */
  size_t window;              /* tokens [unknown] */
  size_t max_output;          /* tokens of one answer [unknown; Anthropic: 8,192 are asked for] */
  SkillTokenizer *tokenizer;  /* borrowed for the model's life [none] */
  bool tool_search;           /* Anthropic: leave deferred tools to the provider's own tool search */
  SkillIo *io;                /* for randomness; borrowed for the model's life [skill_io_posix()] */
} SkillProviderOptions;

#define SKILL_PROVIDER_OPTIONS_INIT                                                                                    \
  {                                                                                                                    \
    sizeof(SkillProviderOptions), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0, NULL, false, \
        NULL                                                                                                           \
  }

/* A model behind one of the three protocols; nothing is sent before the first request. SKILL_EINVAL (options, `extra`
 * that is no JSON object), SKILL_ENOMEM. Owned: release with skill_model_free. */
SKILL_API int skill_model_openai_new(const SkillProviderOptions *options, SkillModel **out, SkillError *err);
SKILL_API int skill_model_responses_new(const SkillProviderOptions *options, SkillModel **out, SkillError *err);
SKILL_API int skill_model_anthropic_new(const SkillProviderOptions *options, SkillModel **out, SkillError *err);

/* A model by "PROVIDER:NAME": openai, responses, anthropic, and servers that speak chat completions at a known place
 * (ollama, vllm, llamacpp, lmstudio, deepseek, qwen, openrouter, groq, mistral, moonshot, zhipu, xai, gemini).
 * `options` (may be NULL) gives the rest; its `model` is not looked at. SKILL_EINVAL: no such provider. */
SKILL_API int skill_model_provider_new(const char *spec, const SkillProviderOptions *options, SkillModel **out,
                                       SkillError *err);

/* The i-th provider's name, or NULL at the end; static. */
SKILL_API const char *skill_provider_name(size_t index);

/* --- record and replay ---------------------------------------------------------------------------------------------
 */

/* Wraps `inner` (taken on success, left with the caller on failure): every finished request is appended to the file as
 * one JSON line with the messages, the tools' names, the deltas and the reply. The file is made readable for its owner
 * only; it holds no keys, but all that was said. SKILL_EIO, SKILL_ENOMEM. Owned: release with skill_model_free. */
SKILL_API int skill_model_record_new(SkillModel *inner, const char *path, SkillModel **out, SkillError *err);

/* Answers from such a recording, line after line. A request that differs from the recorded one fails with
 * SKILL_EREMOTE, naming the first message that differs; one past the end too. `path` is for messages (may be NULL).
 * SKILL_EPARSE (with the line), SKILL_ENOMEM. Owned: release with skill_model_free. */
SKILL_API int skill_model_replay_new(const char *text, size_t length, const char *path, SkillModel **out,
                                     SkillError *err);

SKILL_END

#endif
