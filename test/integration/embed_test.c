/* SPDX-License-Identifier: MIT
 *
 * SkillEmbedder with a loopback server that answers correctly, slowly, wrongly or not at all.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/embed_bench.h"

static void texts_go_out_in_batches_and_vectors_come_back_in_order(void **state) {
  struct embed_bench *bench = *state;
  float *plain = NULL, *backwards = NULL;
  size_t dims = 0;
  assert_int_equal(embed_words(bench->embedder, embed_ten, 10, &plain, &dims, NULL), 0);
  assert_int_equal(dims, 24);
  assert_int_equal(embed_server_requests(bench->server), 3);
  assert_int_equal(embed_server_texts(bench->server), 10);
  embed_server_play(bench->server, (struct embed_play){.backwards = true});
  assert_int_equal(embed_words(bench->embedder, embed_ten, 10, &backwards, &dims, NULL), 0);
  assert_memory_equal(plain, backwards, 10 * dims * sizeof *plain);
  skill_free(plain);
  skill_free(backwards);
}

static void the_request_carries_model_key_prefix_and_dimensions(void **state) {
  struct embed_bench *bench = *state;
  SkillEmbedderOptions options = embed_bench_options(bench->server);
  options.key = "sk-secret";
  options.query_prefix = "query: ";
  options.dimensions = 24;
  SkillEmbedder *embedder = NULL;
  assert_int_equal(skill_embedder_openai(&options, &embedder, NULL), 0);
  SkillText text = embed_text("say \"hi\"");
  float *vectors = NULL;
  size_t dims = 0;
  assert_int_equal(embedder->embed(embedder, SKILL_EMBED_QUERY, &text, 1, &vectors, &dims, NULL), 0);
  assert_true(embed_server_saw(bench->server, "POST /v1/embeddings "));
  assert_true(embed_server_saw(bench->server, "Authorization: Bearer sk-secret\r\n"));
  assert_true(embed_server_saw(bench->server, "\"model\":\"words\""));
  assert_true(embed_server_saw(bench->server, "\"dimensions\":24"));
  assert_true(embed_server_saw(bench->server, "\"query: say \\\"hi\\\"\""));
  assert_null(strstr(embedder->name, "secret"));
  skill_free(vectors);
  skill_embedder_free(embedder);
}

static void long_texts_are_cut_between_characters(void **state) {
  struct embed_bench *bench = *state;
  SkillEmbedderOptions options = embed_bench_options(bench->server);
  options.max_text = 4;
  SkillEmbedder *embedder = NULL;
  assert_int_equal(skill_embedder_openai(&options, &embedder, NULL), 0);
  const char *words[] = {"a\xe4\xb8\xad\xe6\x96\x87", ""};
  float *vectors = NULL;
  size_t dims = 0;
  assert_int_equal(embed_words(embedder, words, 2, &vectors, &dims, NULL), 0);
  assert_true(embed_server_saw(bench->server, "[\"a\xe4\xb8\xad\",\" \"]"));
  skill_free(vectors);
  skill_embedder_free(embedder);
}

static void a_server_that_fails_for_a_moment_is_asked_again(void **state) {
  struct embed_bench *bench = *state;
  static const int passing[] = {500, 502, 503, 429};
  for (size_t i = 0; i < sizeof passing / sizeof *passing; i++) {
    embed_server_play(bench->server, (struct embed_play){.status = passing[i], .fail_first = 2});
    float *vectors = NULL;
    size_t dims = 0;
    assert_int_equal(embed_words(bench->embedder, embed_ten, 2, &vectors, &dims, NULL), 0);
    assert_int_equal(embed_server_requests(bench->server), 3);
    skill_free(vectors);
  }
}

struct refusal {
  struct embed_play play;
  int status;
  size_t requests;
  const char *says;
};

static void failures_are_told_apart_and_leave_nothing(void **state) {
  struct embed_bench *bench = *state;
  static const struct refusal cases[] = {
      {{.status = 500}, SKILL_EREMOTE, 3, "500: the server's own words"},
      {{.status = 401}, SKILL_EDENIED, 1, "401"},
      {{.status = 404, .raw = "<html>"}, SKILL_ENOENT, 1, "404"},
      {{.drop = true}, SKILL_EREMOTE, 3, "cannot be reached"},
      {{.raw = "not json"}, SKILL_EREMOTE, 1, "no JSON"},
      {{.raw = ""}, SKILL_EREMOTE, 1, "no JSON"},
      {{.raw = "{}"}, SKILL_EREMOTE, 1, "\"data\" is missing"},
      {{.short_of_one = true}, SKILL_EREMOTE, 1, "as many vectors as texts"},
      {{.raw = "{\"data\":[{\"embedding\":[1,2]},{\"embedding\":[1]}]}"}, SKILL_EREMOTE, 1, "different lengths"},
      {{.raw = "{\"data\":[{\"embedding\":[1,2]},{\"embedding\":[1,\"x\"]}]}"}, SKILL_EREMOTE, 1, "no number"},
      {{.raw = "{\"data\":[{\"embedding\":[1,2]},{\"embedding\":[1,1e999]}]}"}, SKILL_EREMOTE, 1, "no number"},
      {{.raw = "{\"data\":[{\"embedding\":[0,0]},{\"embedding\":[1,2]}]}"}, SKILL_EREMOTE, 1, "zeros"},
      {{.raw = "{\"data\":[{\"embedding\":[]},{\"embedding\":[]}]}"}, SKILL_EREMOTE, 1, "empty"},
      {{.raw = "{\"data\":[{\"index\":0,\"embedding\":[1]},{\"index\":0,\"embedding\":[1]}]}"},
       SKILL_EREMOTE,
       1,
       "two"},
      {{.raw = "{\"data\":[{\"index\":7,\"embedding\":[1]},{\"index\":0,\"embedding\":[1]}]}"},
       SKILL_EREMOTE,
       1,
       "index"},
      {{.raw = "{\"data\":[{\"embedding\":\"base64\"},{}]}"}, SKILL_EREMOTE, 1, "no list"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    embed_server_play(bench->server, cases[i].play);
    float *vectors = NULL;
    size_t dims = 0;
    SkillError err = SKILL_ERROR_INIT;
    assert_int_equal(embed_words(bench->embedder, embed_ten, 2, &vectors, &dims, &err), cases[i].status);
    assert_null(vectors);
    assert_int_equal(embed_server_requests(bench->server), cases[i].requests);
    assert_non_null(strstr(err.message, cases[i].says));
  }
}

static void a_batch_that_is_too_large_for_the_server_is_halved(void **state) {
  struct embed_bench *bench = *state;
  float *expected = NULL, *halved = NULL;
  size_t dims = 0;
  assert_int_equal(embed_words(bench->embedder, embed_ten, 4, &expected, &dims, NULL), 0);
  embed_server_play(bench->server, (struct embed_play){.too_many = 1});
  assert_int_equal(embed_words(bench->embedder, embed_ten, 4, &halved, &dims, NULL), 0);
  assert_memory_equal(expected, halved, 4 * dims * sizeof *expected);
  assert_int_equal(embed_server_requests(bench->server), 7);
  skill_free(expected);
  skill_free(halved);
}

static void a_slow_server_is_given_up_in_time(void **state) {
  struct embed_bench *bench = *state;
  SkillEmbedderOptions options = embed_bench_options(bench->server);
  options.timeout_ms = 40;
  options.attempts = 1;
  SkillEmbedder *embedder = NULL;
  assert_int_equal(skill_embedder_openai(&options, &embedder, NULL), 0);
  embed_server_play(bench->server, (struct embed_play){.delay_ms = 60000});
  float *vectors = NULL;
  size_t dims = 0;
  SkillError err = SKILL_ERROR_INIT;
  assert_int_equal(embed_words(embedder, embed_ten, 1, &vectors, &dims, &err), SKILL_ETIMEDOUT);
  assert_non_null(strstr(err.message, "in time"));
  skill_embedder_free(embedder);
}

static void wrong_options_are_refused(void **state) {
  struct embed_bench *bench = *state;
  SkillEmbedder *embedder = NULL;
  static const char *const urls[] = {NULL, "", "ftp://x/v1", "file:///etc/passwd", "localhost:80"};
  for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
    SkillEmbedderOptions options = embed_bench_options(bench->server);
    options.url = urls[i];
    assert_int_equal(skill_embedder_openai(&options, &embedder, NULL), SKILL_EINVAL);
  }
  SkillEmbedderOptions options = embed_bench_options(bench->server);
  options.model = "";
  assert_int_equal(skill_embedder_openai(&options, &embedder, NULL), SKILL_EINVAL);
  assert_null(embedder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      EMBED_TEST(texts_go_out_in_batches_and_vectors_come_back_in_order),
      EMBED_TEST(the_request_carries_model_key_prefix_and_dimensions),
      EMBED_TEST(long_texts_are_cut_between_characters),
      EMBED_TEST(a_server_that_fails_for_a_moment_is_asked_again),
      EMBED_TEST(failures_are_told_apart_and_leave_nothing),
      EMBED_TEST(a_batch_that_is_too_large_for_the_server_is_halved),
      EMBED_TEST(a_slow_server_is_given_up_in_time),
      EMBED_TEST(wrong_options_are_refused),
  };
  return cmocka_run_group_tests_name("embed", tests, NULL, NULL);
}
