/* SPDX-License-Identifier: MIT
 *
 * A loopback HTTP server on its own thread. It sends the replies of a script in order, in pieces of any size, and can
 * close the connection at any point.
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
  bool drop;    /* closes the connection before the announced length is sent */
  bool reset;   /* like drop, but with a reset: data already sent may be lost */
  bool hang;    /* after the body, sends nothing until the client closes */
  bool again;   /* also the reply to all later requests */
};

struct http_server;

/* Starts the server on a free port with a copy of the replies (at most 64; their strings are borrowed until the stop).
 * Requests after the last reply get status 599. A failure fails the test. */
struct http_server *http_server_start(const struct http_reply *replies, size_t count);
/* "http://127.0.0.1:PORT"; valid until the stop. */
const char *http_server_url(const struct http_server *server);
/* The number of requests (of the first 64), and the i-th with its headers; valid until the stop. */
size_t http_server_requests(struct http_server *server);
const char *http_server_request(struct http_server *server, size_t index);
/* The number of connections. */
size_t http_server_connections(struct http_server *server);
void http_server_stop(struct http_server *server);

#endif
