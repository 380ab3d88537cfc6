/* SPDX-License-Identifier: MIT
 *
 * A blocking request: an asynchronous one on a loop of its own.
 */
#include "net/http.h"

struct waiting {
  struct skill__buf *reply;
  struct skill__http_response *response;
  SkillError *err;
};

static int on_data(const struct skill__http_response *response, const char *data, size_t length, void *user) {
  struct waiting *waiting = user;
  (void)response;
  skill__buf_add(waiting->reply, data, length);
  return skill__buf_status(waiting->reply);
}

static void on_done(const struct skill__http_response *response, void *user) {
  struct waiting *waiting = user;
  if (response->error) skill_error_set(waiting->err, response->error, "%s", response->message);
  *waiting->response = *response;
  waiting->response->message = NULL;
}

int skill__http_wait(struct skill__http_client *client, const struct skill__http_post *post, struct skill__buf *reply,
                     struct skill__http_response *response, SkillError *err) {
  static const struct skill__http_handler handler = {on_data, on_done};
  struct waiting waiting = {reply, response, err};
  struct skill__http *http;
  uv_loop_t loop;
  if (uv_loop_init(&loop) != 0) return skill_error_set(err, SKILL_EIO, "no event loop can be made");
  int status = skill__http_start(client, &loop, post, &handler, &waiting, &http, err);
  uv_run(&loop, UV_RUN_DEFAULT);
  uv_loop_close(&loop);
  return status ? status : response->error;
}
