/* SPDX-License-Identifier: MIT
 *
 * A small embedding server for tests: loopback, a port of the system's choice, a thread of its own. A text's vector
 * counts its words by hash, so that texts that share words are near each other.
 */
#ifndef TEST_LIB_EMBED_SERVER_H
#define TEST_LIB_EMBED_SERVER_H

#include <stdbool.h>
#include <stddef.h>

struct embed_server;

/* What the server does with the requests to come; changed by embed_server_play. */
struct embed_play {
  const char *raw;   /* sent instead of vectors, as the body */
  int status;        /* HTTP status; 0: 200 */
  size_t fail_first; /* so many requests get `status`, and those after it are served well */
  size_t too_many;   /* more texts than this in a request get 400; 0: no bound */
  size_t dims;       /* of the vectors; 0: 24 */
  int delay_ms;      /* before each answer */
  bool drop;         /* closes the connection without an answer */
  bool backwards;    /* vectors in reverse order, told apart by `index` */
  bool short_of_one; /* one vector is missing */
};

struct embed_server *embed_server_start(void);
void embed_server_stop(struct embed_server *server);
void embed_server_play(struct embed_server *server, struct embed_play play);
const char *embed_server_url(const struct embed_server *server); /* ".../v1"; until stop */

/* Since the start or the last play. */
size_t embed_server_requests(struct embed_server *server);
size_t embed_server_texts(struct embed_server *server);
/* Whether the last request's body held the text, and its head the line. */
bool embed_server_saw(struct embed_server *server, const char *text);

#endif
