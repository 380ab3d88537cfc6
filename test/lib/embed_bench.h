/* SPDX-License-Identifier: MIT
 *
 * An embedder that sends requests to the loopback server, and an in-memory file system for its cache.
 */
#ifndef TEST_LIB_EMBED_BENCH_H
#define TEST_LIB_EMBED_BENCH_H

#include "lib/check.h"
#include "lib/embed_server.h"
#include "skillet/embed.h"
#include "skillet/sys/fixture.h"

struct embed_bench {
  struct embed_server *server;
  SkillEmbedder *embedder;
  SkillFixture *fixture;
  /* for ranking tests: the events that were reported */
  size_t degraded;
  int status;
  char reason[300];
};

#define EMBED_TEST(name) cmocka_unit_test_setup_teardown(name, embed_bench_set_up, embed_bench_tear_down)

int embed_bench_set_up(void **state);
int embed_bench_tear_down(void **state);

/* Batches of four texts; retries without waiting. */
SkillEmbedderOptions embed_bench_options(struct embed_server *server);

SkillText embed_text(const char *text);

/* Requests the vectors of `count` words, at most 32. */
int embed_words(SkillEmbedder *embedder, const char *const *words, size_t count, float **vectors, size_t *dims,
                SkillError *err);

extern const char *const embed_ten[10]; /* "one" to "ten" */

#endif
