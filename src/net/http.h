/* SPDX-License-Identifier: MIT
 *
 * HTTP POST requests: libcurl's multi interface on a libuv loop. Only http.c and http_header.c use curl.
 *
 * A client keeps connections between requests, also of different loops, but no handles of a loop. A request closes its
 * handles before it reports its end.
 */
#ifndef SKILL_NET_HTTP_H
#define SKILL_NET_HTTP_H

#include <uv.h>

#include "util/buf.h"

struct skill__http_client;
struct skill__http; /* one request */

/* Owned: release with skill__http_client_free when no request is running. NULL: out of memory, or no curl. Any thread.
 */
struct skill__http_client *skill__http_client_new(void);
void skill__http_client_free(struct skill__http_client *client);

struct skill__http_post {
  const char *url;
  const char *const *headers; /* NULL-terminated "Name: value" */
  const char *body;           /* borrowed until on_done */
  size_t length;
  const char *proxy; /* NULL: the environment's; "": none */
  int64_t connect_timeout_ms;
  int64_t idle_timeout_ms;
  int64_t timeout_ms;
};

/* A response without its body. */
struct skill__http_response {
  int error;              /* 0, SKILL_EIO, SKILL_ETIMEDOUT, SKILL_ECANCELED, SKILL_ENOMEM, or the error of on_data */
  const char *message;    /* one clause about the error; borrowed */
  long status;            /* HTTP status; 0: none came */
  int64_t retry_after_ms; /* -1: none was given */
  int should_retry;       /* x-should-retry: 1 true, 0 false, -1 absent */
  bool json;              /* the content is application/json */
  char request_id[128];
};

struct skill__http_handler {
  /* A part of the body; an error ends the request. `response` has status and headers. */
  int (*on_data)(const struct skill__http_response *response, const char *data, size_t length, void *user);
  /* The end: called once, never inside start. The request is freed afterwards. */
  void (*on_done)(const struct skill__http_response *response, void *user);
};

/* Starts a request. If it fails, no callback comes. SKILL_EINVAL (URL), SKILL_ENOMEM, SKILL_EIO. */
int skill__http_start(struct skill__http_client *client, uv_loop_t *loop, const struct skill__http_post *post,
                      const struct skill__http_handler *handler, void *user, struct skill__http **out, SkillError *err);

/* Ends it with SKILL_ECANCELED; on_done is still called. Must not be called inside on_data. */
void skill__http_cancel(struct skill__http *http);

/* Sends and blocks until the response is complete: its body is appended to `reply`; *response has no message. Errors as
 * skill__http_start and skill__http_response.error. */
int skill__http_wait(struct skill__http_client *client, const struct skill__http_post *post, struct skill__buf *reply,
                     struct skill__http_response *response, SkillError *err);

#endif
