/* SPDX-License-Identifier: MIT
 *
 * See embed_server.h. Connections are served one at a time and closed after one answer.
 */
#include "lib/embed_server.h"

#include <arpa/inet.h>
#include <cjson/cJSON.h>
#include <ctype.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum { REQUEST_MOST = 4 * 1024 * 1024, DIMS = 24 };

struct embed_server {
  int listener;
  int wake[2]; /* a byte in it ends the thread */
  pthread_t thread;
  pthread_mutex_t lock;
  struct embed_play play;
  size_t requests, texts;
  char url[64];
  char *request;
};

static void send_all(int connection, const char *data, size_t length) {
  while (length) {
    ssize_t sent = send(connection, data, length, MSG_NOSIGNAL);
    if (sent <= 0) return;
    data += sent;
    length -= (size_t)sent;
  }
}

static void respond(int connection, int status, const char *body) {
  char head[200];
  int n =
      snprintf(head, sizeof head,
               "HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n",
               status, strlen(body));
  send_all(connection, head, (size_t)n);
  send_all(connection, body, strlen(body));
}

/* Counts the words of the text in `dims` buckets. */
static cJSON *vector_of(const char *text, size_t dims) {
  double *sums = calloc(dims, sizeof *sums);
  sums[0] = 0.1; /* no text gives a zero vector */
  for (const char *p = text; *p;) {
    unsigned long hash = 5381;
    const char *begin = p;
    while (isalnum((unsigned char)*p)) hash = hash * 33 + (unsigned long)tolower((unsigned char)*p++);
    if (p > begin) sums[hash % dims] += 1;
    if (*p && p == begin) p++;
  }
  cJSON *list = cJSON_CreateDoubleArray(sums, (int)dims);
  free(sums);
  return list;
}

static char *answer_to(const struct embed_play *play, const cJSON *input) {
  cJSON *root = cJSON_CreateObject();
  cJSON *data = cJSON_AddArrayToObject(root, "data");
  int count = cJSON_GetArraySize(input);
  for (int i = 0; i < count - (play->short_of_one ? 1 : 0); i++) {
    int which = play->backwards ? count - 1 - i : i;
    cJSON *item = cJSON_CreateObject();
    cJSON_AddNumberToObject(item, "index", which);
    cJSON_AddItemToObject(item, "embedding",
                          vector_of(cJSON_GetArrayItem(input, which)->valuestring, play->dims ? play->dims : DIMS));
    cJSON_AddItemToArray(data, item);
  }
  char *text = cJSON_PrintUnformatted(root);
  cJSON_Delete(root);
  return text;
}

/* Reads one request. Returns the start of the body, or NULL. */
static char *receive(struct embed_server *server, int connection) {
  size_t have = 0;
  char *body = NULL;
  size_t need = SIZE_MAX;
  while (have < need && have + 1 < REQUEST_MOST) {
    ssize_t got = recv(connection, server->request + have, REQUEST_MOST - 1 - have, 0);
    if (got <= 0) return NULL;
    have += (size_t)got;
    server->request[have] = '\0';
    if (body || !(body = strstr(server->request, "\r\n\r\n"))) continue;
    body += 4;
    const char *length = strcasestr(server->request, "content-length:");
    need = (size_t)(body - server->request) + (length ? strtoul(length + 15, NULL, 10) : 0);
  }
  return body;
}

static void serve(struct embed_server *server, int connection) {
  pthread_mutex_lock(&server->lock);
  char *body = receive(server, connection);
  struct embed_play play = server->play;
  size_t number = ++server->requests;
  cJSON *root = body ? cJSON_Parse(body) : NULL;
  const cJSON *input = cJSON_GetObjectItemCaseSensitive(root, "input");
  size_t texts = (size_t)cJSON_GetArraySize(input);
  server->texts += texts;
  pthread_mutex_unlock(&server->lock);
  if (play.delay_ms) {
    struct pollfd wake = {server->wake[0], POLLIN, 0};
    poll(&wake, 1, play.delay_ms);
  }
  bool fails = play.status && (!play.fail_first || number <= play.fail_first);
  if (play.drop || !body) {
    cJSON_Delete(root);
    return;
  }
  if (fails) {
    respond(connection, play.status, play.raw ? play.raw : "{\"error\":{\"message\":\"the server's own words\"}}");
  } else if (play.too_many && texts > play.too_many) {
    respond(connection, 400, "{\"error\":\"too many\"}");
  } else if (play.raw) {
    respond(connection, 200, play.raw);
  } else {
    char *text = answer_to(&play, input);
    respond(connection, 200, text);
    free(text);
  }
  cJSON_Delete(root);
}

static void *run(void *arg) {
  struct embed_server *server = arg;
  for (;;) {
    struct pollfd fds[2] = {{server->listener, POLLIN, 0}, {server->wake[0], POLLIN, 0}};
    if (poll(fds, 2, -1) < 0) continue;
    if (fds[1].revents) return NULL;
    int connection = accept(server->listener, NULL, NULL);
    if (connection < 0) continue;
    serve(server, connection);
    close(connection);
  }
}

struct embed_server *embed_server_start(void) {
  struct embed_server *server = calloc(1, sizeof *server);
  server->request = calloc(1, REQUEST_MOST);
  server->listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t length = sizeof address;
  if (bind(server->listener, (struct sockaddr *)&address, length) || listen(server->listener, 16)) abort();
  getsockname(server->listener, (struct sockaddr *)&address, &length);
  snprintf(server->url, sizeof server->url, "http://127.0.0.1:%d/v1", ntohs(address.sin_port));
  if (pipe(server->wake) || pthread_mutex_init(&server->lock, NULL)) abort();
  if (pthread_create(&server->thread, NULL, run, server)) abort();
  return server;
}

void embed_server_stop(struct embed_server *server) {
  if (!server) return;
  if (write(server->wake[1], "x", 1) != 1) abort();
  pthread_join(server->thread, NULL);
  close(server->listener);
  close(server->wake[0]);
  close(server->wake[1]);
  pthread_mutex_destroy(&server->lock);
  free(server->request);
  free(server);
}

void embed_server_play(struct embed_server *server, struct embed_play play) {
  pthread_mutex_lock(&server->lock);
  server->play = play;
  server->requests = server->texts = 0;
  pthread_mutex_unlock(&server->lock);
}

const char *embed_server_url(const struct embed_server *server) {
  return server->url;
}

size_t embed_server_requests(struct embed_server *server) {
  pthread_mutex_lock(&server->lock);
  size_t count = server->requests;
  pthread_mutex_unlock(&server->lock);
  return count;
}

size_t embed_server_texts(struct embed_server *server) {
  pthread_mutex_lock(&server->lock);
  size_t count = server->texts;
  pthread_mutex_unlock(&server->lock);
  return count;
}

bool embed_server_saw(struct embed_server *server, const char *text) {
  pthread_mutex_lock(&server->lock);
  bool saw = strstr(server->request, text) != NULL;
  pthread_mutex_unlock(&server->lock);
  return saw;
}
