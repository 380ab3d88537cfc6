/* SPDX-License-Identifier: MIT
 *
 * One interface to other search engines, for rank_bench.
 */
#ifndef BENCH_RANK_PEERS_H
#define BENCH_RANK_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct peer {
  const char *name;
  void *(*open)(void);
  void (*add)(void *db, uint32_t number, const char *name, const char *tags, const char *text, const char *body);
  void (*finish)(void *db);
  /* Fills `numbers` with the best skills and returns their number. */
  size_t (*query)(void *db, const char *text, uint32_t *numbers, size_t limit);
  void (*close)(void *db);
};

extern const struct peer peer_fts5;
#ifdef HAVE_XAPIAN
extern const struct peer peer_xapian;
#endif

#ifdef __cplusplus
}
#endif
#endif
