/* SPDX-License-Identifier: MIT
 *
 * Models over HTTP: the common part (keys, attempts, time-outs, streams) and what each protocol adds to it.
 */
#ifndef SKILL_MODEL_WIRE_REMOTE_H
#define SKILL_MODEL_WIRE_REMOTE_H

#include <cjson/cJSON.h>

#include "model/wire/answer.h"
#include "skillet/provider.h"

/* The options that protocols use; strings are not NULL unless stated. */
struct skill__remote_config {
  char *model;
  char *url;
  char *extra; /* may be NULL */
  size_t max_output;
  bool tool_search;
  bool own_service; /* the server is the one that defined the protocol */
};

/* One protocol. Functions that read an answer return 0 or an error with a message in `err`; after SKILL_EREMOTE the
 * request is tried again. */
struct skill__protocol {
  const char *name;           /* "openai" */
  const char *path;           /* "/chat/completions" */
  const char *key_header;     /* "Authorization: Bearer " or "x-api-key: " */
  const char *const *headers; /* NULL-terminated; always sent */
  unsigned flags;             /* SKILL_MODEL_… */
  /* Appends the request's body. */
  int (*body)(const struct skill__remote_config *config, const SkillModelRequest *request, struct skill__buf *buf,
              SkillError *err);
  /* Reads one event of a stream; `event` may be "". */
  int (*event)(struct skill__answer *answer, const char *event, const cJSON *data, SkillError *err);
  /* Reads a complete answer. */
  int (*document)(struct skill__answer *answer, const cJSON *data, SkillError *err);
};

/* A service that speaks a protocol. */
struct skill__provider {
  const char *name;
  const struct skill__protocol *protocol;
  const char *base_url; /* default */
  const char *key_env;  /* default */
};

/* Makes a model of the provider. */
int skill__remote_new(const struct skill__provider *provider, const SkillProviderOptions *options, SkillModel **out,
                      SkillError *err);

/* Reads {"error":{"message","type","code"}} or {"error":"…"}: sets `err` and returns its status; 0: no error. */
int skill__remote_error(const cJSON *data, SkillError *err);

extern const struct skill__protocol skill__protocol_openai;
extern const struct skill__protocol skill__protocol_responses;
extern const struct skill__protocol skill__protocol_anthropic;

#endif
