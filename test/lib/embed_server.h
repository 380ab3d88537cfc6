/* SPDX-License-Identifier: MIT
 *
 * A small embedding server for tests, on a free loopback port and its own thread. The vector of a text counts its words
 * by hash, so texts with common words are near each other.
 */
#ifndef TEST_LIB_EMBED_SERVER_H
#define TEST_LIB_EMBED_SERVER_H

#include <stdbool.h>
#include <stddef.h>

struct embed_server;

/* How the server handles the next requests; embed_server_play changes it. */
struct embed_play {
  const char *raw;   /* sent instead of vectors, as the body */
  int status;        /* HTTP status; 0: 200 */
  size_t fail_first; /* this many requests get `status`; later ones succeed */
  size_t too_many;   /* a request with more texts gets 400; 0: no limit */
  size_t dims;       /* of the vectors; 0: 24 */
  int delay_ms;      /* before each answer */
  bool drop;         /* closes the connection without an answer */
  bool backwards;    /* vectors in reverse order, identified by `index` */
  bool short_of_one; /* one vector is missing */
};

struct embed_server *embed_server_start(void);
void embed_server_stop(struct embed_server *server);
void embed_server_play(struct embed_server *server, struct embed_play play);
const char *embed_server_url(const struct embed_server *server); /* ".../v1"; until stop */

/* Counts since the start or the last embed_server_play. */
size_t embed_server_requests(struct embed_server *server);
size_t embed_server_texts(struct embed_server *server);
/* Whether the last request's body contained the text, and its headers the line. */
bool embed_server_saw(struct embed_server *server, const char *text);

#endif
