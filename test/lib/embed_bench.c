/* SPDX-License-Identifier: MIT
 *
 * See embed_bench.h.
 */
#include "lib/embed_bench.h"

#include <stdlib.h>
#include <string.h>

SkillEmbedderOptions embed_bench_options(struct embed_server *server) {
  SkillEmbedderOptions options = SKILL_EMBEDDER_OPTIONS_INIT;
  options.url = embed_server_url(server);
  options.model = "words";
  options.batch = 4;
  options.retry_ms = 1;
  return options;
}

int embed_bench_set_up(void **state) {
  struct embed_bench *bench = calloc(1, sizeof *bench);
  bench->server = embed_server_start();
  SkillEmbedderOptions options = embed_bench_options(bench->server);
  assert_int_equal(skill_embedder_openai(&options, &bench->embedder, NULL), 0);
  assert_int_equal(skill_fixture_new(&bench->fixture), 0);
  *state = bench;
  return 0;
}

int embed_bench_tear_down(void **state) {
  struct embed_bench *bench = *state;
  skill_embedder_free(bench->embedder);
  skill_fixture_free(bench->fixture);
  embed_server_stop(bench->server);
  free(bench);
  return 0;
}

SkillText embed_text(const char *text) {
  return (SkillText){text, strlen(text)};
}

int embed_words(SkillEmbedder *embedder, const char *const *words, size_t count, float **vectors, size_t *dims,
                SkillError *err) {
  SkillText texts[32];
  for (size_t i = 0; i < count; i++) texts[i] = embed_text(words[i]);
  return embedder->embed(embedder, SKILL_EMBED_SKILL, texts, count, vectors, dims, err);
}

const char *const embed_ten[10] = {"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"};
