/* SPDX-License-Identifier: MIT
 *
 * See http_server.h.
 */
#include "lib/http_server.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/check.h"

#define MOST 64

struct http_server {
  struct http_reply replies[MOST];
  size_t count;
  size_t next; /* reply; the server's thread only */
  int listener;
  int wake[2];
  char url[64];
  pthread_t thread;
  pthread_mutex_t lock;
  char *requests[MOST];
  size_t request_count;
  size_t connections;
};

/* Waits until `fd` is readable. Returns false if the server must stop. */
static bool wait_for(struct http_server *server, int fd) {
  struct pollfd fds[2] = {{fd, POLLIN, 0}, {server->wake[0], POLLIN, 0}};
  while (poll(fds, 2, -1) < 0) continue;
  return !(fds[1].revents & POLLIN);
}

/* Reads one request with its body. Returns NULL if the client has closed the connection. */
static char *read_request(struct http_server *server, int fd) {
  size_t length = 0;
  size_t need = 0;
  size_t room = 32768;
  char *text = malloc(room + 1);
  while (text && wait_for(server, fd)) {
    ssize_t got = recv(fd, text + length, room - length, 0);
    if (got <= 0) break;
    length += (size_t)got;
    text[length] = '\0';
    if (length == room) text = realloc(text, (room *= 2) + 1);
    const char *end = strstr(text, "\r\n\r\n");
    if (!end) continue;
    const char *size = strcasestr(text, "\r\ncontent-length:");
    need = (size_t)(end - text) + 4 + (size && size < end ? strtoul(size + 17, NULL, 10) : 0);
    if (length >= need) return text;
  }
  free(text);
  return NULL;
}

static bool send_all(int fd, const char *data, size_t length, size_t piece) {
  while (length) {
    size_t size = piece && piece < length ? piece : length;
    ssize_t sent = send(fd, data, size, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    data += sent;
    length -= (size_t)sent;
    if (piece) usleep(200); /* so that the pieces are not joined on the way */
  }
  return true;
}

static void reset(int fd) {
  struct linger now = {1, 0};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

/* Returns false if the connection must be closed. */
static bool answer(struct http_server *server, int fd, const struct http_reply *reply) {
  char head[1024];
  size_t length = reply->body ? strlen(reply->body) : 0;
  const char *headers = reply->headers ? reply->headers : "Content-Type: text/event-stream\r\n";
  snprintf(head, sizeof head, "HTTP/1.1 %d X\r\n%sContent-Length: %zu\r\n\r\n", reply->status ? reply->status : 200,
           headers, length + (reply->drop || reply->reset || reply->hang ? 1000 : 0));
  bool ok = send_all(fd, head, strlen(head), 0) && send_all(fd, reply->body ? reply->body : "", length, reply->piece);
  if (reply->hang) {
    char rest[16];
    while (wait_for(server, fd) && recv(fd, rest, sizeof rest, 0) > 0) continue;
    return false;
  }
  if (reply->reset) reset(fd);
  return ok && !reply->drop && !reply->reset;
}

static void serve(struct http_server *server, int fd) {
  static const struct http_reply none = {
      .status = 599, .headers = "Content-Type: text/plain\r\n", .body = "no reply is left"};
  bool goes_on;
  do {
    char *request = read_request(server, fd);
    if (!request) return;
    pthread_mutex_lock(&server->lock);
    bool kept = server->request_count < MOST;
    if (kept) server->requests[server->request_count++] = request;
    pthread_mutex_unlock(&server->lock);
    if (!kept) free(request);
    const struct http_reply *reply = server->next < server->count ? &server->replies[server->next] : &none;
    if (!reply->again) server->next++;
    goes_on = answer(server, fd, reply);
  } while (goes_on);
}

static void *run(void *user) {
  struct http_server *server = user;
  while (wait_for(server, server->listener)) {
    int fd = accept(server->listener, NULL, NULL);
    if (fd < 0) continue;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int)); /* otherwise each reply waits for a delayed ACK */
    pthread_mutex_lock(&server->lock);
    server->connections++;
    pthread_mutex_unlock(&server->lock);
    serve(server, fd);
    close(fd);
  }
  return NULL;
}

struct http_server *http_server_start(const struct http_reply *replies, size_t count) {
  struct http_server *server = calloc(1, sizeof *server);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  assert_non_null(server);
  assert_true(count <= MOST);
  memcpy(server->replies, replies, count * sizeof *replies);
  server->count = count;
  server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  assert_true(server->listener >= 0);
  assert_int_equal(bind(server->listener, (struct sockaddr *)&address, size), 0);
  assert_int_equal(listen(server->listener, 16), 0);
  assert_int_equal(getsockname(server->listener, (struct sockaddr *)&address, &size), 0);
  assert_int_equal(pipe(server->wake), 0);
  snprintf(server->url, sizeof server->url, "http://127.0.0.1:%d", ntohs(address.sin_port));
  pthread_mutex_init(&server->lock, NULL);
  assert_int_equal(pthread_create(&server->thread, NULL, run, server), 0);
  return server;
}

const char *http_server_url(const struct http_server *server) {
  return server->url;
}

size_t http_server_requests(struct http_server *server) {
  pthread_mutex_lock(&server->lock);
  size_t count = server->request_count;
  pthread_mutex_unlock(&server->lock);
  return count;
}

const char *http_server_request(struct http_server *server, size_t index) {
  pthread_mutex_lock(&server->lock);
  const char *text = index < server->request_count ? server->requests[index] : "";
  pthread_mutex_unlock(&server->lock);
  return text;
}

size_t http_server_connections(struct http_server *server) {
  pthread_mutex_lock(&server->lock);
  size_t count = server->connections;
  pthread_mutex_unlock(&server->lock);
  return count;
}

void http_server_stop(struct http_server *server) {
  if (!server) return;
  assert_int_equal(write(server->wake[1], "x", 1), 1);
  pthread_join(server->thread, NULL);
  close(server->listener);
  close(server->wake[0]);
  close(server->wake[1]);
  for (size_t i = 0; i < server->request_count; i++) free(server->requests[i]);
  pthread_mutex_destroy(&server->lock);
  free(server);
}
