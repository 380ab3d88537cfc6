/* SPDX-License-Identifier: MIT
 *
 * One blocking POST over libcurl.
 */
#ifndef SKILL_MODEL_EMBED_POST_H
#define SKILL_MODEL_EMBED_POST_H

#include "util/buf.h"

struct skill__post {
  const char *url;
  const char *key; /* bearer token; may be NULL */
  const char *body;
  size_t length;
  int timeout_ms;
};

/* Sends and receives. 0: *status is the HTTP status and `reply` its body, *wait_ms what Retry-After asks for (0: none).
 * SKILL_ETIMEDOUT, SKILL_EREMOTE (no connection, broken off), SKILL_ELIMIT (the reply exceeds its buffer),
 * SKILL_ENOMEM. */
int skill__post(const struct skill__post *post, struct skill__buf *reply, long *status, long *wait_ms, SkillError *err);

#endif
