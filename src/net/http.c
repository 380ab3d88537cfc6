/* SPDX-License-Identifier: MIT
 *
 * libcurl on libuv; see http.h. curl requests sockets to watch and a timer; both are handles of the request's loop and
 * closed with the request. Idle connections stay in the multi handle, which returns to the client's pool.
 */
#include "net/http.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/http_header.h"
#include "util/alloc.h"

#define POOL 8 /* multi handles that are kept */

struct skill__http_client {
  pthread_mutex_t lock;
  CURLM *idle[POOL];
  size_t count;
};

struct watch {
  uv_poll_t poll;
  struct skill__http *http;
  struct watch *next;
  curl_socket_t fd;
};

struct skill__http {
  struct skill__http_client *client;
  CURLM *multi;
  CURL *easy;
  struct curl_slist *headers;
  uv_loop_t *loop;
  uv_timer_t timer;
  struct watch *watches;
  unsigned handles; /* open or closing */
  struct skill__http_handler handler;
  void *user;
  struct skill__http_response response;
  char message[CURL_ERROR_SIZE];
  int data_error;
  bool added;
  bool ended;
  bool unwatched; /* out of memory for watching a socket */
  bool spoilt;    /* the multi handle has failed and must not be reused */
};

/* ---- the client ---- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool usable;

static void global(void) {
  usable = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

struct skill__http_client *skill__http_client_new(void) {
  pthread_once(&once, global);
  struct skill__http_client *client = usable ? skill__calloc(1, sizeof *client) : NULL;
  if (client && pthread_mutex_init(&client->lock, NULL) != 0) {
    skill__free(client);
    return NULL;
  }
  return client;
}

void skill__http_client_free(struct skill__http_client *client) {
  if (!client) return;
  for (size_t i = 0; i < client->count; i++) curl_multi_cleanup(client->idle[i]);
  pthread_mutex_destroy(&client->lock);
  skill__free(client);
}

static CURLM *take(struct skill__http_client *client) {
  pthread_mutex_lock(&client->lock);
  CURLM *multi = client->count ? client->idle[--client->count] : NULL;
  pthread_mutex_unlock(&client->lock);
  return multi ? multi : curl_multi_init();
}

static void give_back(struct skill__http_client *client, CURLM *multi) {
  curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, NULL);
  curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, NULL);
  pthread_mutex_lock(&client->lock);
  bool kept = client->count < POOL;
  if (kept) client->idle[client->count++] = multi;
  pthread_mutex_unlock(&client->lock);
  if (!kept) curl_multi_cleanup(multi);
}

/* ---- the end ---- */

static void release(struct skill__http *http) {
  if (http->added) curl_multi_remove_handle(http->multi, http->easy);
  curl_easy_cleanup(http->easy);
  curl_slist_free_all(http->headers);
  if (http->multi && http->spoilt) curl_multi_cleanup(http->multi);
  if (http->multi && !http->spoilt) give_back(http->client, http->multi);
  skill__free(http);
}

static void on_closed(uv_handle_t *handle) {
  struct skill__http *http = handle->data;
  if ((uv_handle_t *)&http->timer != handle) skill__free(handle); /* a watch, whose first member it is */
  if (--http->handles > 0 || !http->ended) return;
  struct skill__http_handler handler = http->handler;
  void *user = http->user;
  struct skill__http_response response = http->response;
  char message[CURL_ERROR_SIZE];
  memcpy(message, http->message, sizeof message);
  response.message = message;
  release(http);
  handler.on_done(&response, user);
}

static void close_watch(struct skill__http *http, struct watch *watch) {
  for (struct watch **at = &http->watches; *at; at = &(*at)->next) {
    if (*at != watch) continue;
    *at = watch->next;
    break;
  }
  uv_close((uv_handle_t *)&watch->poll, on_closed);
}

static void finish(struct skill__http *http) {
  if (http->ended) return;
  http->ended = true;
  curl_multi_remove_handle(http->multi, http->easy);
  http->added = false;
  while (http->watches) { /* idle connections are not watched */
    curl_multi_assign(http->multi, http->watches->fd, NULL);
    close_watch(http, http->watches);
  }
  uv_close((uv_handle_t *)&http->timer, on_closed);
}

static int code_of(CURLcode result) {
  switch (result) {
    case CURLE_OK:
      return 0;
    case CURLE_OPERATION_TIMEDOUT:
      return SKILL_ETIMEDOUT;
    case CURLE_OUT_OF_MEMORY:
      return SKILL_ENOMEM;
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
      return SKILL_EINVAL;
    default:
      return SKILL_EIO;
  }
}

static void check_done(struct skill__http *http) {
  CURLMsg *message;
  int left;
  while (!http->ended && (message = curl_multi_info_read(http->multi, &left)) != NULL) {
    if (message->msg != CURLMSG_DONE || message->easy_handle != http->easy) continue;
    CURLcode result = message->data.result;
    skill__http_head(http->easy, &http->response);
    http->response.error = http->data_error ? http->data_error : code_of(result);
    if (result != CURLE_OK && !http->message[0]) {
      strncpy(http->message, curl_easy_strerror(result), sizeof http->message - 1);
    }
    finish(http);
  }
}

/* ---- curl on the loop ---- */

static void act(struct skill__http *http, curl_socket_t fd, int flags) {
  int running;
  if (http->ended) return;
  CURLMcode code = curl_multi_socket_action(http->multi, fd, flags, &running);
  http->spoilt = http->spoilt || code != CURLM_OK;
  check_done(http);
  if ((code == CURLM_OK && !http->unwatched) || http->ended) return;
  /* curl gave up the whole multi handle: it will neither report the transfer nor set its timer again. */
  http->response.error = http->unwatched || code == CURLM_OUT_OF_MEMORY ? SKILL_ENOMEM : SKILL_EIO;
  snprintf(http->message, sizeof http->message, "%s", curl_multi_strerror(code ? code : CURLM_OUT_OF_MEMORY));
  finish(http);
}

static void on_ready(uv_poll_t *poll, int status, int events) {
  struct watch *watch = (struct watch *)(void *)poll;
  int flags = (status < 0 ? CURL_CSELECT_ERR : 0) | (events & UV_READABLE ? CURL_CSELECT_IN : 0) |
              (events & UV_WRITABLE ? CURL_CSELECT_OUT : 0);
  act(watch->http, watch->fd, flags);
}

static void on_timeout(uv_timer_t *timer) {
  act(timer->data, CURL_SOCKET_TIMEOUT, 0);
}

static struct watch *watch_new(struct skill__http *http, curl_socket_t fd) {
  struct watch *watch = skill__calloc(1, sizeof *watch);
  if (!watch || uv_poll_init_socket(http->loop, &watch->poll, fd) != 0) {
    skill__free(watch);
    return NULL;
  }
  watch->poll.data = http;
  watch->http = http;
  watch->fd = fd;
  watch->next = http->watches;
  http->watches = watch;
  http->handles++;
  return watch;
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *user, void *mine) {
  (void)easy;
  struct skill__http *http = user;
  struct watch *watch = mine;
  if (what == CURL_POLL_REMOVE) {
    if (watch) {
      curl_multi_assign(http->multi, fd, NULL);
      close_watch(http, watch);
    }
    return 0;
  }
  if (!watch) {
    watch = watch_new(http, fd);
    if (!watch) { /* -1 would end all connections of the multi handle; act() ends only this request */
      http->unwatched = true;
      return 0;
    }
    curl_multi_assign(http->multi, fd, watch);
  }
  int events = (what & CURL_POLL_IN ? UV_READABLE : 0) | (what & CURL_POLL_OUT ? UV_WRITABLE : 0);
  uv_poll_start(&watch->poll, events, on_ready);
  return 0;
}

static int on_timer_wanted(CURLM *multi, long timeout_ms, void *user) {
  (void)multi;
  struct skill__http *http = user;
  if (http->ended) return 0;
  if (timeout_ms < 0) {
    uv_timer_stop(&http->timer);
  } else {
    uv_timer_start(&http->timer, on_timeout, (uint64_t)timeout_ms, 0);
  }
  return 0;
}

/* ---- the response ---- */

static size_t on_data(char *data, size_t size, size_t count, void *user) {
  struct skill__http *http = user;
  size_t length = size * count;
  if (!http->response.status) skill__http_head(http->easy, &http->response);
  http->data_error = http->handler.on_data(&http->response, data, length, http->user);
  return http->data_error ? 0 : length;
}

/* ---- starting ---- */

static bool add_headers(struct skill__http *http, const char *const *headers) {
  for (; headers && *headers; headers++) {
    struct curl_slist *longer = curl_slist_append(http->headers, *headers);
    if (!longer) return false;
    http->headers = longer;
  }
  /* No waiting for "100 Continue": many servers never send it. */
  struct curl_slist *longer = curl_slist_append(http->headers, "Expect:");
  if (longer) http->headers = longer;
  return longer != NULL;
}

static bool set_options(struct skill__http *http, const struct skill__http_post *post) {
  CURL *easy = http->easy;
  long idle = post->idle_timeout_ms > 1000 ? (long)(post->idle_timeout_ms / 1000) : 1;
  bool ok = curl_easy_setopt(easy, CURLOPT_URL, post->url) == CURLE_OK;
  ok = ok && curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK;
  ok = ok && curl_easy_setopt(easy, CURLOPT_POST, 1L) == CURLE_OK;
  ok = ok && curl_easy_setopt(easy, CURLOPT_POSTFIELDS, post->body) == CURLE_OK;
  ok = ok && curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)post->length) == CURLE_OK;
  ok = ok && curl_easy_setopt(easy, CURLOPT_HTTPHEADER, http->headers) == CURLE_OK;
  ok = ok && curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_data) == CURLE_OK;
  ok = ok && curl_easy_setopt(easy, CURLOPT_WRITEDATA, http) == CURLE_OK;
  ok = ok && curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, http->message) == CURLE_OK;
  ok = ok && curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L) == CURLE_OK;
  ok = ok && curl_easy_setopt(easy, CURLOPT_USERAGENT, "skillet/" SKILL_VERSION) == CURLE_OK;
  ok = ok && curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)post->connect_timeout_ms) == CURLE_OK;
  ok = ok && curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)post->timeout_ms) == CURLE_OK;
  ok = ok && curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L) == CURLE_OK;
  ok = ok && curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, idle) == CURLE_OK;
  if (post->proxy) ok = ok && curl_easy_setopt(easy, CURLOPT_PROXY, post->proxy) == CURLE_OK;
  return ok;
}

static bool attach(struct skill__http *http) {
  CURLM *multi = http->multi;
  bool ok = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket) == CURLM_OK;
  ok = ok && curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, http) == CURLM_OK;
  ok = ok && curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timer_wanted) == CURLM_OK;
  return ok && curl_multi_setopt(multi, CURLMOPT_TIMERDATA, http) == CURLM_OK;
}

static void on_timer_closed_unused(uv_handle_t *handle) {
  release(handle->data);
}

int skill__http_start(struct skill__http_client *client, uv_loop_t *loop, const struct skill__http_post *post,
                      const struct skill__http_handler *handler, void *user, struct skill__http **out,
                      SkillError *err) {
  struct skill__http *http = skill__calloc(1, sizeof *http);
  if (!http) return SKILL_ENOMEM;
  http->client = client;
  http->loop = loop;
  http->handler = *handler;
  http->user = user;
  http->response.retry_after_ms = -1;
  http->response.should_retry = -1;
  http->multi = take(client);
  http->easy = curl_easy_init();
  if (!http->multi || !http->easy || !add_headers(http, post->headers) || !set_options(http, post) || !attach(http)) {
    release(http);
    return skill_error_set(err, SKILL_ENOMEM, "out of memory for a request");
  }
  uv_update_time(loop);
  uv_timer_init(loop, &http->timer);
  http->timer.data = http;
  http->handles = 1;
  CURLMcode added = curl_multi_add_handle(http->multi, http->easy);
  http->added = added == CURLM_OK;
  if (!http->added) {
    uv_close((uv_handle_t *)&http->timer, on_timer_closed_unused);
    return skill_error_set(err, added == CURLM_OUT_OF_MEMORY ? SKILL_ENOMEM : SKILL_EIO,
                           "the request cannot be started: %s", curl_multi_strerror(added));
  }
  *out = http;
  return 0;
}

void skill__http_cancel(struct skill__http *http) {
  if (!http || http->ended) return;
  http->response.error = SKILL_ECANCELED;
  memcpy(http->message, "canceled", sizeof "canceled");
  finish(http);
}
