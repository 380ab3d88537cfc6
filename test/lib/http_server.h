/* SPDX-License-Identifier: MIT
 *
 * A loopback HTTP server on a thread of its own that answers what a test tells it, one reply after the other, in pieces
 * as small as it is told, and can drop the connection anywhere.
 */
#ifndef TEST_LIB_HTTP_SERVER_H
#define TEST_LIB_HTTP_SERVER_H

#include <stdbool.h>
#include <stddef.h>

struct http_reply {
  int status;          /* 0: 200 */
  const char *headers; /* lines that end in \r\n; NULL: a Content-Type of text/event-stream */
  const char *body;
  size_t piece; /* bytes of one write; 0: all in one */
  bool drop;    /* the connection is closed before the length that was announced */
  bool reset;   /* as drop, but reset: what was sent may be lost on the way */
  bool hang;    /* after the body nothing more comes until the client goes */
  bool again;   /* every later request gets it too */
};

struct http_server;

/* Starts it on a free port with a copy of the replies (at most 64; their strings are borrowed until the stop); further
 * requests than replies get status 599. Fails the test when it cannot. */
struct http_server *http_server_start(const struct http_reply *replies, size_t count);
/* "http://127.0.0.1:PORT"; valid until the stop. */
const char *http_server_url(const struct http_server *server);
/* How many requests came (of the first 64), and the i-th with its head; valid until the stop. */
size_t http_server_requests(struct http_server *server);
const char *http_server_request(struct http_server *server, size_t index);
/* How many connections were made. */
size_t http_server_connections(struct http_server *server);
void http_server_stop(struct http_server *server);

#endif
