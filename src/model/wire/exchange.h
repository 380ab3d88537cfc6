/* SPDX-License-Identifier: MIT
 *
 * One request of a model over HTTP. exchange.c runs it, exchange_read.c reads what arrives.
 */
#ifndef SKILL_MODEL_WIRE_EXCHANGE_H
#define SKILL_MODEL_WIRE_EXCHANGE_H

#include "model/wire/key.h"
#include "model/wire/remote.h"
#include "net/http.h"
#include "net/sse.h"
#include "process/environ.h"

struct skill__remote {
  SkillModel model; /* first: cast back */
  const struct skill__protocol *protocol;
  struct skill__remote_config config;
  struct skill__http_client *client;
  struct skill__key key;
  struct skill__argv headers;
  char *label;
  char *proxy;
  SkillProviderOptions limits; /* numbers and io only */
};

struct skill__exchange {
  struct skill__remote *remote;
  SkillModelCall *call;
  uv_loop_t *loop;
  uv_timer_t timer;
  struct skill__http *http;
  struct skill__key_request *key_request;
  char *key;
  struct skill__argv headers;
  struct skill__buf body;
  struct skill__buf document; /* a complete answer, or the body of an error */
  size_t received;
  struct skill__sse sse;
  struct skill__wire wire;
  struct skill__answer answer;
  SkillError error;
  unsigned tries;
  bool refreshed; /* the key was renewed */
  bool canceled;
};

/* SkillModel.request and cancel. */
int skill__exchange_request(SkillModel *model, const SkillModelRequest *what, SkillModelCall *call, SkillError *err);
void skill__exchange_cancel(SkillModel *model, SkillModelCall *call);

/* Called with an event of the stream, and with a part of the response's body. An error ends the attempt. */
int skill__exchange_event(const char *event, const char *data, size_t length, void *user);
int skill__exchange_data(const struct skill__http_response *response, const char *data, size_t length, void *user);

/* Evaluates a finished attempt; 0: the answer is complete. */
int skill__exchange_judge(struct skill__exchange *x, const struct skill__http_response *response);

#endif
