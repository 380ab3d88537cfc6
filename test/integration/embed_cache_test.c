/* SPDX-License-Identifier: MIT
 *
 * The cache of vectors: texts are requested only once, and how a damaged or unwritable file is handled.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/embed_bench.h"

/* A cache with its own embedder. */
static SkillEmbedder *cached(struct embed_bench *bench) {
  SkillEmbedderOptions options = embed_bench_options(bench->server);
  SkillEmbedder *inner = NULL, *outer = NULL;
  assert_int_equal(skill_embedder_openai(&options, &inner, NULL), 0);
  assert_int_equal(skill_embedder_cache(inner, skill_fixture_io(bench->fixture), "/cache", &outer, NULL), 0);
  return outer;
}

static float cosine(const float *a, const float *b, size_t dims) {
  float product = 0, left = 0, right = 0;
  for (size_t i = 0; i < dims; i++) {
    product += a[i] * b[i];
    left += a[i] * a[i];
    right += b[i] * b[i];
  }
  return product / sqrtf(left * right);
}

/* Embeds with a new cache object. Returns the number of texts that the server received. */
static size_t through_cache(struct embed_bench *bench, size_t count, float **vectors, size_t *dims) {
  SkillEmbedder *embedder = cached(bench);
  size_t before = embed_server_texts(bench->server);
  assert_int_equal(embed_words(embedder, embed_ten, count, vectors, dims, NULL), 0);
  skill_embedder_free(embedder);
  assert_int_equal(skill_fixture_open_handles(bench->fixture), 0);
  return embed_server_texts(bench->server) - before;
}

static void the_cache_asks_once_for_each_text_and_gives_the_same_again(void **state) {
  struct embed_bench *bench = *state;
  float *first = NULL, *second = NULL, *direct = NULL;
  size_t dims = 0;
  assert_int_equal(through_cache(bench, 3, &first, &dims), 3);
  skill_free(first);
  assert_int_equal(through_cache(bench, 5, &first, &dims), 2);
  assert_int_equal(through_cache(bench, 5, &second, &dims), 0);
  assert_memory_equal(first, second, 5 * dims * sizeof *first);
  assert_int_equal(embed_words(bench->embedder, embed_ten, 5, &direct, &dims, NULL), 0);
  for (size_t i = 0; i < 5; i++) assert_true(cosine(first + i * dims, direct + i * dims, dims) > 0.9999F);
  skill_free(first);
  skill_free(second);
  skill_free(direct);
}

static const char *cache_path(struct embed_bench *bench) {
  static char path[128];
  SkillIo *io = skill_fixture_io(bench->fixture);
  intptr_t dir;
  SkillDirEntry entry;
  assert_int_equal(io->dir_open(io, SKILL_IO_CWD, "/cache", 0, &dir), 0);
  assert_int_equal(io->dir_next(io, dir, &entry), 1);
  snprintf(path, sizeof path, "/cache/%s", entry.name);
  io->dir_close(io, dir);
  return path;
}

static void a_damaged_cache_is_made_anew(void **state) {
  struct embed_bench *bench = *state;
  float *vectors = NULL;
  size_t dims = 0;
  assert_int_equal(through_cache(bench, 2, &vectors, &dims), 2);
  skill_free(vectors);
  size_t size = 0;
  char path[128];
  snprintf(path, sizeof path, "%s", cache_path(bench));
  const char *file = skill_fixture_read(bench->fixture, path, &size);
  char *copy = malloc(size);
  memcpy(copy, file, size);
  for (size_t i = 0; i < size; i += i < 48 ? 1 : 7) {
    copy[i] = (char)(copy[i] ^ 0x55);
    assert_int_equal(skill_fixture_bytes(bench->fixture, path, copy, size), 0);
    copy[i] = (char)(copy[i] ^ 0x55);
    assert_int_equal(through_cache(bench, 2, &vectors, &dims), 2);
    skill_free(vectors);
  }
  assert_int_equal(skill_fixture_bytes(bench->fixture, path, copy, size - 1), 0);
  assert_int_equal(through_cache(bench, 2, &vectors, &dims), 2);
  skill_free(vectors);
  free(copy);
}

static void a_cache_that_cannot_be_written_costs_nothing_else(void **state) {
  struct embed_bench *bench = *state;
  skill_fixture_fail(bench->fixture, SKILL_FIXTURE_FILE_WRITE, 0, SKILL_EDENIED, true);
  float *vectors = NULL;
  size_t dims = 0;
  assert_int_equal(through_cache(bench, 2, &vectors, &dims), 2);
  skill_free(vectors);
  assert_int_equal(through_cache(bench, 2, &vectors, &dims), 2);
  skill_free(vectors);
}

static void a_model_whose_vectors_change_length_is_asked_for_all_again(void **state) {
  struct embed_bench *bench = *state;
  float *vectors = NULL;
  size_t dims = 0;
  assert_int_equal(through_cache(bench, 2, &vectors, &dims), 2);
  skill_free(vectors);
  embed_server_play(bench->server, (struct embed_play){.dims = 16});
  assert_int_equal(through_cache(bench, 4, &vectors, &dims), 6); /* the two new ones, then all four */
  assert_int_equal(dims, 16);
  skill_free(vectors);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      EMBED_TEST(the_cache_asks_once_for_each_text_and_gives_the_same_again),
      EMBED_TEST(a_damaged_cache_is_made_anew),
      EMBED_TEST(a_cache_that_cannot_be_written_costs_nothing_else),
      EMBED_TEST(a_model_whose_vectors_change_length_is_asked_for_all_again),
  };
  return cmocka_run_group_tests_name("embed_cache", tests, NULL, NULL);
}
