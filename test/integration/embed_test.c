/* SPDX-License-Identifier: MIT
 *
 * SkillEmbedder and SkillDense against a server on the loopback that answers well, slowly, wrongly or not at all.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/check.h"
#include "lib/embed_server.h"
#include "lib/sweep.h"
#include "skillet/embed.h"
#include "skillet/sys/fixture.h"
#include "util/alloc.h"

struct bench {
  struct embed_server *server;
  SkillEmbedder *embedder;
  SkillFixture *fixture;
  size_t degraded;
  int status;
  char reason[300];
};

static SkillEmbedderOptions options_for(struct embed_server *server) {
  SkillEmbedderOptions options = SKILL_EMBEDDER_OPTIONS_INIT;
  options.url = embed_server_url(server);
  options.model = "words";
  options.batch = 4;
  options.retry_ms = 1;
  return options;
}

static int setup(void **state) {
  struct bench *bench = calloc(1, sizeof *bench);
  bench->server = embed_server_start();
  SkillEmbedderOptions options = options_for(bench->server);
  assert_int_equal(skill_embedder_openai(&options, &bench->embedder, NULL), 0);
  assert_int_equal(skill_fixture_new(&bench->fixture), 0);
  *state = bench;
  return 0;
}

static int teardown(void **state) {
  struct bench *bench = *state;
  skill_embedder_free(bench->embedder);
  skill_fixture_free(bench->fixture);
  embed_server_stop(bench->server);
  free(bench);
  return 0;
}

static SkillText text_of(const char *text) {
  return (SkillText){text, strlen(text)};
}

static int embed(SkillEmbedder *embedder, const char *const *words, size_t count, float **vectors, size_t *dims,
                 SkillError *err) {
  SkillText texts[32];
  for (size_t i = 0; i < count; i++) texts[i] = text_of(words[i]);
  return embedder->embed(embedder, SKILL_EMBED_SKILL, texts, count, vectors, dims, err);
}

static const char *const ten[] = {"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"};

static void texts_go_out_in_batches_and_vectors_come_back_in_order(void **state) {
  struct bench *bench = *state;
  float *plain = NULL, *backwards = NULL;
  size_t dims = 0;
  assert_int_equal(embed(bench->embedder, ten, 10, &plain, &dims, NULL), 0);
  assert_int_equal(dims, 24);
  assert_int_equal(embed_server_requests(bench->server), 3);
  assert_int_equal(embed_server_texts(bench->server), 10);
  embed_server_play(bench->server, (struct embed_play){.backwards = true});
  assert_int_equal(embed(bench->embedder, ten, 10, &backwards, &dims, NULL), 0);
  assert_memory_equal(plain, backwards, 10 * dims * sizeof *plain);
  skill_free(plain);
  skill_free(backwards);
}

static void the_request_carries_model_key_prefix_and_dimensions(void **state) {
  struct bench *bench = *state;
  SkillEmbedderOptions options = options_for(bench->server);
  options.key = "sk-secret";
  options.query_prefix = "query: ";
  options.dimensions = 24;
  SkillEmbedder *embedder = NULL;
  assert_int_equal(skill_embedder_openai(&options, &embedder, NULL), 0);
  SkillText text = text_of("say \"hi\"");
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
  struct bench *bench = *state;
  SkillEmbedderOptions options = options_for(bench->server);
  options.max_text = 4;
  SkillEmbedder *embedder = NULL;
  assert_int_equal(skill_embedder_openai(&options, &embedder, NULL), 0);
  const char *words[] = {"a\xe4\xb8\xad\xe6\x96\x87", ""};
  float *vectors = NULL;
  size_t dims = 0;
  assert_int_equal(embed(embedder, words, 2, &vectors, &dims, NULL), 0);
  assert_true(embed_server_saw(bench->server, "[\"a\xe4\xb8\xad\",\" \"]"));
  skill_free(vectors);
  skill_embedder_free(embedder);
}

static void a_server_that_fails_for_a_moment_is_asked_again(void **state) {
  struct bench *bench = *state;
  static const int passing[] = {500, 502, 503, 429};
  for (size_t i = 0; i < sizeof passing / sizeof *passing; i++) {
    embed_server_play(bench->server, (struct embed_play){.status = passing[i], .fail_first = 2});
    float *vectors = NULL;
    size_t dims = 0;
    assert_int_equal(embed(bench->embedder, ten, 2, &vectors, &dims, NULL), 0);
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
  struct bench *bench = *state;
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
    assert_int_equal(embed(bench->embedder, ten, 2, &vectors, &dims, &err), cases[i].status);
    assert_null(vectors);
    assert_int_equal(embed_server_requests(bench->server), cases[i].requests);
    assert_non_null(strstr(err.message, cases[i].says));
  }
}

static void a_batch_that_is_too_large_for_the_server_is_halved(void **state) {
  struct bench *bench = *state;
  float *expected = NULL, *halved = NULL;
  size_t dims = 0;
  assert_int_equal(embed(bench->embedder, ten, 4, &expected, &dims, NULL), 0);
  embed_server_play(bench->server, (struct embed_play){.too_many = 1});
  assert_int_equal(embed(bench->embedder, ten, 4, &halved, &dims, NULL), 0);
  assert_memory_equal(expected, halved, 4 * dims * sizeof *expected);
  assert_int_equal(embed_server_requests(bench->server), 7);
  skill_free(expected);
  skill_free(halved);
}

static void a_slow_server_is_given_up_in_time(void **state) {
  struct bench *bench = *state;
  SkillEmbedderOptions options = options_for(bench->server);
  options.timeout_ms = 40;
  options.attempts = 1;
  SkillEmbedder *embedder = NULL;
  assert_int_equal(skill_embedder_openai(&options, &embedder, NULL), 0);
  embed_server_play(bench->server, (struct embed_play){.delay_ms = 60000});
  float *vectors = NULL;
  size_t dims = 0;
  SkillError err = SKILL_ERROR_INIT;
  assert_int_equal(embed(embedder, ten, 1, &vectors, &dims, &err), SKILL_ETIMEDOUT);
  assert_non_null(strstr(err.message, "in time"));
  skill_embedder_free(embedder);
}

static void wrong_options_are_refused(void **state) {
  struct bench *bench = *state;
  SkillEmbedder *embedder = NULL;
  static const char *const urls[] = {NULL, "", "ftp://x/v1", "file:///etc/passwd", "localhost:80"};
  for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
    SkillEmbedderOptions options = options_for(bench->server);
    options.url = urls[i];
    assert_int_equal(skill_embedder_openai(&options, &embedder, NULL), SKILL_EINVAL);
  }
  SkillEmbedderOptions options = options_for(bench->server);
  options.model = "";
  assert_int_equal(skill_embedder_openai(&options, &embedder, NULL), SKILL_EINVAL);
  assert_null(embedder);
}

/* --- cache ------------------------------------------------------------------------------------------------------ */

/* A cache over an embedder of its own. */
static SkillEmbedder *cached(struct bench *bench) {
  SkillEmbedderOptions options = options_for(bench->server);
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

/* Embeds through a fresh cache object; returns how many texts the server saw. */
static size_t through_cache(struct bench *bench, size_t count, float **vectors, size_t *dims) {
  SkillEmbedder *embedder = cached(bench);
  size_t before = embed_server_texts(bench->server);
  assert_int_equal(embed(embedder, ten, count, vectors, dims, NULL), 0);
  skill_embedder_free(embedder);
  assert_int_equal(skill_fixture_open_handles(bench->fixture), 0);
  return embed_server_texts(bench->server) - before;
}

static void the_cache_asks_once_for_each_text_and_gives_the_same_again(void **state) {
  struct bench *bench = *state;
  float *first = NULL, *second = NULL, *direct = NULL;
  size_t dims = 0;
  assert_int_equal(through_cache(bench, 3, &first, &dims), 3);
  skill_free(first);
  assert_int_equal(through_cache(bench, 5, &first, &dims), 2);
  assert_int_equal(through_cache(bench, 5, &second, &dims), 0);
  assert_memory_equal(first, second, 5 * dims * sizeof *first);
  assert_int_equal(embed(bench->embedder, ten, 5, &direct, &dims, NULL), 0);
  for (size_t i = 0; i < 5; i++) assert_true(cosine(first + i * dims, direct + i * dims, dims) > 0.9999F);
  skill_free(first);
  skill_free(second);
  skill_free(direct);
}

static const char *cache_path(struct bench *bench) {
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
  struct bench *bench = *state;
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
  struct bench *bench = *state;
  skill_fixture_fail(bench->fixture, SKILL_FIXTURE_FILE_WRITE, 0, SKILL_EDENIED, true);
  float *vectors = NULL;
  size_t dims = 0;
  assert_int_equal(through_cache(bench, 2, &vectors, &dims), 2);
  skill_free(vectors);
  assert_int_equal(through_cache(bench, 2, &vectors, &dims), 2);
  skill_free(vectors);
}

static void a_model_whose_vectors_change_length_is_asked_for_all_again(void **state) {
  struct bench *bench = *state;
  float *vectors = NULL;
  size_t dims = 0;
  assert_int_equal(through_cache(bench, 2, &vectors, &dims), 2);
  skill_free(vectors);
  embed_server_play(bench->server, (struct embed_play){.dims = 16});
  assert_int_equal(through_cache(bench, 4, &vectors, &dims), 6); /* the two new ones, then all four */
  assert_int_equal(dims, 16);
  skill_free(vectors);
}

/* --- ranking ---------------------------------------------------------------------------------------------------- */

static void count_degraded(const SkillEvent *event, void *user) {
  struct bench *bench = user;
  assert_int_equal(event->kind, SKILL_EVENT_DEGRADED);
  bench->degraded++;
  bench->status = event->status;
  snprintf(bench->reason, sizeof bench->reason, "%s", event->reason);
}

static const SkillMetadata skills[] = {
    {.name = "mailer", .description = "sends letters"},
    {.name = "painter", .description = "draws pictures with zebra colours"},
    {.name = "cook", .description = "recipes for dinner"},
    {.name = "gardener", .description = "plants and flowers"},
    {.name = "driver", .description = "roads and traffic"},
    {.name = "tailor", .description = "clothes and cloth"},
    {.name = "baker", .description = "bread and cake"},
    {.name = "singer", .description = "songs and choirs"},
    {.name = "secret", .description = "zebra only for users", .disable_model_invocation = true},
};
enum { SKILLS = sizeof skills / sizeof *skills };

struct pair {
  SkillRanker *ranker;
  SkillRankSnapshot *snapshot;
  SkillDense *dense;
};

static int make_pair(struct bench *bench, SkillDenseOptions options, struct pair *pair) {
  SkillRankerOptions ranker;
  skill_ranker_options_default(&ranker);
  ranker.table = "";
  options.size = sizeof options;
  options.on_event = count_degraded;
  options.user = bench;
  options.io = skill_fixture_io(bench->fixture);
  int status = skill_ranker_new(&ranker, &pair->ranker, NULL);
  if (!status) status = skill_dense_new(bench->embedder, &options, &pair->dense, NULL);
  for (size_t i = 0; i < SKILLS && !status; i++) {
    status = skill_ranker_add(pair->ranker, &skills[i], NULL, 0, NULL);
    if (!status) status = skill_dense_add(pair->dense, &skills[i], NULL);
  }
  return status ? status : skill_ranker_snapshot(pair->ranker, &pair->snapshot);
}

static void free_pair(struct pair *pair) {
  skill_dense_free(pair->dense);
  skill_rank_snapshot_release(pair->snapshot);
  skill_ranker_free(pair->ranker);
}

static SkillRanking *rank(struct pair *pair, SkillQuery query) {
  SkillRanking *ranking = NULL;
  assert_int_equal(skill_dense_rank(pair->dense, pair->snapshot, &query, &ranking, NULL), 0);
  return ranking;
}

static bool is_in(const SkillRanking *ranking, const char *name) {
  for (size_t i = 0; i < ranking->count; i++) {
    if (strcmp(ranking->results[i].name, name) == 0) return true;
  }
  return false;
}

static void vectors_find_what_words_do_not_and_agree_with_what_they_do(void **state) {
  struct bench *bench = *state;
  for (int fusion = SKILL_FUSION_SCORES; fusion <= SKILL_FUSION_RRF; fusion++) {
    struct pair pair = {0};
    assert_int_equal(make_pair(bench, (SkillDenseOptions){.fusion = (SkillFusion)fusion}, &pair), 0);
    SkillRanking *ranking = rank(&pair, (SkillQuery){.text = "zebra pictures", .floor = -1, .explain = true});
    assert_string_equal(ranking->results[0].name, "painter");
    assert_string_equal(ranking->scorer, "bm25f+dense");
    bool dense = false;
    for (size_t i = 0; i < ranking->results[0].term_count; i++) {
      dense = dense || strcmp(ranking->results[0].terms[i].field, "dense") == 0;
    }
    assert_true(dense);
    assert_false(is_in(ranking, "secret"));
    skill_ranking_free(ranking);
    /* "for" and "with" are stop words to the index, not to this model. */
    ranking = rank(&pair, (SkillQuery){.text = "for", .floor = -1});
    assert_string_equal(ranking->results[0].name, "cook");
    skill_ranking_free(ranking);
    assert_int_equal(bench->degraded, 0);
    free_pair(&pair);
  }
}

static bool not_painter(const char *name, void *user) {
  (void)user;
  return strcmp(name, "painter") != 0;
}

static void filters_limit_and_offset_hold_for_fused_rankings(void **state) {
  struct bench *bench = *state;
  struct pair pair = {0};
  assert_int_equal(make_pair(bench, (SkillDenseOptions){0}, &pair), 0);
  SkillRanking *ranking = rank(&pair, (SkillQuery){.text = "zebra pictures", .floor = -1, .visible = not_painter});
  assert_false(is_in(ranking, "painter"));
  skill_ranking_free(ranking);
  /* What the index does not let through, vectors do not bring back. */
  static const char *const narrow[] = {"-pictures zebra", "zebra +bread", "\"recipes for\"", "select:cook zebra"};
  for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++) {
    ranking = rank(&pair, (SkillQuery){.text = narrow[i], .grammar = true, .floor = -1});
    assert_false(is_in(ranking, "painter"));
    skill_ranking_free(ranking);
  }
  ranking = rank(&pair, (SkillQuery){.text = "for", .grammar = true, .floor = -1});
  assert_string_equal(ranking->results[0].name, "cook");
  skill_ranking_free(ranking);
  SkillRanking *all = rank(&pair, (SkillQuery){.text = "and", .floor = -1});
  ranking = rank(&pair, (SkillQuery){.text = "and", .floor = -1, .limit = 2, .offset = 1});
  assert_int_equal(ranking->count, 2);
  assert_int_equal(ranking->matched, all->count);
  assert_string_equal(ranking->results[0].name, all->results[1].name);
  assert_string_equal(ranking->results[1].name, all->results[2].name);
  skill_ranking_free(all);
  skill_ranking_free(ranking);
  ranking = rank(&pair, (SkillQuery){.text = "xylophone", .floor = 0.9});
  assert_int_equal(ranking->count, 0);
  skill_ranking_free(ranking);
  free_pair(&pair);
}

static void a_failing_embedder_leaves_the_lexical_ranking_and_says_so(void **state) {
  struct bench *bench = *state;
  struct pair pair = {0};
  assert_int_equal(make_pair(bench, (SkillDenseOptions){.pause_ms = 1000}, &pair), 0);
  embed_server_play(bench->server, (struct embed_play){.status = 503});
  SkillRanking *ranking = rank(&pair, (SkillQuery){.text = "zebra pictures", .floor = -1});
  assert_string_equal(ranking->scorer, "bm25f");
  assert_string_equal(ranking->results[0].name, "painter");
  skill_ranking_free(ranking);
  assert_int_equal(bench->degraded, 1);
  assert_int_equal(bench->status, SKILL_EREMOTE);
  assert_non_null(strstr(bench->reason, "503"));
  /* It is left alone for a while, and then asked again. */
  embed_server_play(bench->server, (struct embed_play){0});
  ranking = rank(&pair, (SkillQuery){.text = "zebra pictures", .floor = -1});
  assert_string_equal(ranking->scorer, "bm25f");
  assert_int_equal(embed_server_requests(bench->server), 0);
  assert_int_equal(bench->degraded, 2);
  skill_ranking_free(ranking);
  skill_fixture_advance(bench->fixture, 1001);
  ranking = rank(&pair, (SkillQuery){.text = "zebra pictures", .floor = -1});
  assert_string_equal(ranking->scorer, "bm25f+dense");
  assert_int_equal(bench->degraded, 2);
  skill_ranking_free(ranking);
  free_pair(&pair);
}

static void skills_come_and_go_without_embedding_the_others_again(void **state) {
  struct bench *bench = *state;
  struct pair pair = {0};
  assert_int_equal(make_pair(bench, (SkillDenseOptions){0}, &pair), 0);
  assert_int_equal(skill_dense_sync(pair.dense, NULL), 0);
  embed_server_play(bench->server, (struct embed_play){0});
  assert_int_equal(skill_dense_remove(pair.dense, "mailer"), 0);
  assert_int_equal(skill_dense_remove(pair.dense, "mailer"), SKILL_ENOENT);
  assert_int_equal(skill_ranker_remove(pair.ranker, "mailer"), 0);
  SkillMetadata diver = {.name = "diver", .description = "corals under water"};
  assert_int_equal(skill_dense_add(pair.dense, &diver, NULL), 0);
  assert_int_equal(skill_dense_add(pair.dense, &diver, NULL), SKILL_EEXISTS);
  SkillRanking *ranking = rank(&pair, (SkillQuery){.text = "under corals", .floor = -1});
  assert_string_equal(ranking->results[0].name, "diver");
  assert_false(is_in(ranking, "mailer"));
  assert_int_equal(embed_server_texts(bench->server), 2); /* the diver and the query */
  skill_ranking_free(ranking);
  /* Removing one that is not embedded yet. */
  SkillMetadata late = {.name = "late", .description = "x"};
  assert_int_equal(skill_dense_add(pair.dense, &late, NULL), 0);
  assert_int_equal(skill_dense_remove(pair.dense, "late"), 0);
  ranking = rank(&pair, (SkillQuery){.text = "roads", .floor = -1});
  assert_string_equal(ranking->results[0].name, "driver");
  skill_ranking_free(ranking);
  free_pair(&pair);
}

/* --- lack of memory --------------------------------------------------------------------------------------------- */

/* An embedder without a network, so that lack of memory is all that can fail. */
static int count_letters(SkillEmbedder *embedder, SkillEmbedKind kind, const SkillText *texts, size_t count,
                         float **vectors, size_t *dims, SkillError *err) {
  (void)embedder;
  (void)kind;
  float *all = skill__calloc(count * 26, sizeof *all);
  if (!all) return skill_error_set(err, SKILL_ENOMEM, "no memory");
  for (size_t i = 0; i < count; i++) {
    for (size_t c = 0; c < texts[i].length; c++) {
      char letter = texts[i].text[c];
      if (letter >= 'a' && letter <= 'z') all[i * 26 + (size_t)(letter - 'a')] += 1;
    }
  }
  *vectors = all;
  *dims = 26;
  return 0;
}

static void nothing_to_free(SkillEmbedder *embedder) {
  (void)embedder;
}

static SkillEmbedder letters = {SKILL_EMBEDDER_VERSION, "letters", NULL, count_letters, nothing_to_free};

static int rank_with_letters(void *user) {
  struct bench *bench = user;
  struct pair pair = {0};
  SkillEmbedder *cache = NULL;
  SkillRanking *ranking = NULL;
  SkillEmbedder *own = bench->embedder;
  int status = skill_embedder_cache(&letters, skill_fixture_io(bench->fixture), "/cache", &cache, NULL);
  bench->embedder = cache;
  if (!status) status = make_pair(bench, (SkillDenseOptions){.fusion = SKILL_FUSION_RRF, .pause_ms = -1}, &pair);
  SkillQuery query = {.text = "zebra", .floor = -1, .explain = true};
  if (!status) status = skill_dense_rank(pair.dense, pair.snapshot, &query, &ranking, NULL);
  assert_true((ranking != NULL) == (status == 0));
  if (!status && bench->degraded) status = bench->status; /* the lexical ranking stood in */
  bench->degraded = 0;
  skill_ranking_free(ranking);
  free_pair(&pair);
  skill_embedder_free(cache);
  skill_fixture_remove(bench->fixture, "/cache");
  bench->embedder = own;
  return status;
}

static void lack_of_memory_anywhere_leaves_everything_usable(void **state) {
  assert_true(sweep_run(rank_with_letters, *state) > 30);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      CASE(texts_go_out_in_batches_and_vectors_come_back_in_order),
      CASE(the_request_carries_model_key_prefix_and_dimensions),
      CASE(long_texts_are_cut_between_characters),
      CASE(a_server_that_fails_for_a_moment_is_asked_again),
      CASE(failures_are_told_apart_and_leave_nothing),
      CASE(a_batch_that_is_too_large_for_the_server_is_halved),
      CASE(a_slow_server_is_given_up_in_time),
      CASE(wrong_options_are_refused),
      CASE(the_cache_asks_once_for_each_text_and_gives_the_same_again),
      CASE(a_damaged_cache_is_made_anew),
      CASE(a_cache_that_cannot_be_written_costs_nothing_else),
      CASE(a_model_whose_vectors_change_length_is_asked_for_all_again),
      CASE(vectors_find_what_words_do_not_and_agree_with_what_they_do),
      CASE(filters_limit_and_offset_hold_for_fused_rankings),
      CASE(a_failing_embedder_leaves_the_lexical_ranking_and_says_so),
      CASE(skills_come_and_go_without_embedding_the_others_again),
      CASE(lack_of_memory_anywhere_leaves_everything_usable),
  };
  return cmocka_run_group_tests_name("embed", tests, NULL, NULL);
}
