/* SPDX-License-Identifier: MIT
 *
 * SkillDense: rankings by words and vectors together, and the results if the embedder or an allocation fails.
 */
#include <stdio.h>
#include <string.h>

#include "lib/embed_bench.h"
#include "lib/sweep.h"
#include "util/alloc.h"

static void count_degraded(const SkillEvent *event, void *user) {
  struct embed_bench *bench = user;
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

static int make_pair(struct embed_bench *bench, SkillDenseOptions options, struct pair *pair) {
  SkillRankerOptions ranker = SKILL_RANKER_OPTIONS_INIT;
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
    if (strcmp(ranking->results[i]->name, name) == 0) return true;
  }
  return false;
}

static void vectors_find_what_words_do_not_and_agree_with_what_they_do(void **state) {
  struct embed_bench *bench = *state;
  struct pair pair = {0};
  assert_int_equal(make_pair(bench, (SkillDenseOptions){0}, &pair), 0);
  SkillRanking *ranking =
      rank(&pair, (SkillQuery){.size = sizeof(SkillQuery), .text = "zebra pictures", .floor = -1, .explain = true});
  assert_string_equal(ranking->results[0]->name, "painter");
  assert_string_equal(ranking->scorer, "bm25f+dense");
  bool dense = false;
  for (size_t i = 0; i < ranking->results[0]->term_count; i++) {
    dense = dense || strcmp(ranking->results[0]->terms[i]->field, "dense") == 0;
  }
  assert_true(dense);
  assert_false(is_in(ranking, "secret"));
  skill_ranking_free(ranking);
  /* "for" and "with" are stop words for the index, but not for this model. */
  ranking = rank(&pair, (SkillQuery){.size = sizeof(SkillQuery), .text = "for", .floor = -1});
  assert_string_equal(ranking->results[0]->name, "cook");
  skill_ranking_free(ranking);
  assert_int_equal(bench->degraded, 0);
  free_pair(&pair);
}

static bool not_painter(const char *name, void *user) {
  (void)user;
  return strcmp(name, "painter") != 0;
}

static void filters_limit_and_offset_hold_for_fused_rankings(void **state) {
  struct embed_bench *bench = *state;
  struct pair pair = {0};
  assert_int_equal(make_pair(bench, (SkillDenseOptions){0}, &pair), 0);
  SkillRanking *ranking = rank(
      &pair, (SkillQuery){.size = sizeof(SkillQuery), .text = "zebra pictures", .floor = -1, .visible = not_painter});
  assert_false(is_in(ranking, "painter"));
  skill_ranking_free(ranking);
  /* Skills that the index excludes do not return through vectors. */
  static const char *const narrow[] = {"-pictures zebra", "zebra +bread", "\"recipes for\"", "select:cook zebra"};
  for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++) {
    ranking = rank(&pair, (SkillQuery){.size = sizeof(SkillQuery), .text = narrow[i], .grammar = true, .floor = -1});
    assert_false(is_in(ranking, "painter"));
    skill_ranking_free(ranking);
  }
  ranking = rank(&pair, (SkillQuery){.size = sizeof(SkillQuery), .text = "for", .grammar = true, .floor = -1});
  assert_string_equal(ranking->results[0]->name, "cook");
  skill_ranking_free(ranking);
  SkillRanking *all = rank(&pair, (SkillQuery){.size = sizeof(SkillQuery), .text = "and", .floor = -1});
  ranking = rank(&pair, (SkillQuery){.size = sizeof(SkillQuery), .text = "and", .floor = -1, .limit = 2, .offset = 1});
  assert_int_equal(ranking->count, 2);
  assert_int_equal(ranking->matched, all->count);
  assert_string_equal(ranking->results[0]->name, all->results[1]->name);
  assert_string_equal(ranking->results[1]->name, all->results[2]->name);
  skill_ranking_free(all);
  skill_ranking_free(ranking);
  ranking = rank(&pair, (SkillQuery){.size = sizeof(SkillQuery), .text = "xylophone", .floor = 0.9});
  assert_int_equal(ranking->count, 0);
  skill_ranking_free(ranking);
  free_pair(&pair);
}

static void a_failing_embedder_leaves_the_lexical_ranking_and_says_so(void **state) {
  struct embed_bench *bench = *state;
  struct pair pair = {0};
  assert_int_equal(make_pair(bench, (SkillDenseOptions){.pause_ms = 1000}, &pair), 0);
  embed_server_play(bench->server, (struct embed_play){.status = 503});
  SkillRanking *ranking = rank(&pair, (SkillQuery){.size = sizeof(SkillQuery), .text = "zebra pictures", .floor = -1});
  assert_string_equal(ranking->scorer, "bm25f");
  assert_string_equal(ranking->results[0]->name, "painter");
  skill_ranking_free(ranking);
  assert_int_equal(bench->degraded, 1);
  assert_int_equal(bench->status, SKILL_EREMOTE);
  assert_non_null(strstr(bench->reason, "503"));
  /* It is not used for a while, and then tried again. */
  embed_server_play(bench->server, (struct embed_play){0});
  ranking = rank(&pair, (SkillQuery){.size = sizeof(SkillQuery), .text = "zebra pictures", .floor = -1});
  assert_string_equal(ranking->scorer, "bm25f");
  assert_int_equal(embed_server_requests(bench->server), 0);
  assert_int_equal(bench->degraded, 2);
  skill_ranking_free(ranking);
  skill_fixture_advance(bench->fixture, 1001);
  ranking = rank(&pair, (SkillQuery){.size = sizeof(SkillQuery), .text = "zebra pictures", .floor = -1});
  assert_string_equal(ranking->scorer, "bm25f+dense");
  assert_int_equal(bench->degraded, 2);
  skill_ranking_free(ranking);
  free_pair(&pair);
}

static void skills_come_and_go_without_embedding_the_others_again(void **state) {
  struct embed_bench *bench = *state;
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
  SkillRanking *ranking = rank(&pair, (SkillQuery){.size = sizeof(SkillQuery), .text = "under corals", .floor = -1});
  assert_string_equal(ranking->results[0]->name, "diver");
  assert_false(is_in(ranking, "mailer"));
  assert_int_equal(embed_server_texts(bench->server), 2); /* the skill "diver" and the query */
  skill_ranking_free(ranking);
  /* Removes a skill that has not been embedded yet. */
  SkillMetadata late = {.name = "late", .description = "x"};
  assert_int_equal(skill_dense_add(pair.dense, &late, NULL), 0);
  assert_int_equal(skill_dense_remove(pair.dense, "late"), 0);
  ranking = rank(&pair, (SkillQuery){.size = sizeof(SkillQuery), .text = "roads", .floor = -1});
  assert_string_equal(ranking->results[0]->name, "driver");
  skill_ranking_free(ranking);
  free_pair(&pair);
}

/* --- lack of memory ----------------------------------------------------------------------------------------------- */

/* An embedder without a network, so that only allocations can fail. */
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
  struct embed_bench *bench = user;
  struct pair pair = {0};
  SkillEmbedder *cache = NULL;
  SkillRanking *ranking = NULL;
  SkillEmbedder *own = bench->embedder;
  int status = skill_embedder_cache(&letters, skill_fixture_io(bench->fixture), "/cache", &cache, NULL);
  bench->embedder = cache;
  if (!status) status = make_pair(bench, (SkillDenseOptions){.pause_ms = -1}, &pair);
  SkillQuery query = {.size = sizeof(SkillQuery), .text = "zebra", .floor = -1, .explain = true};
  if (!status) status = skill_dense_rank(pair.dense, pair.snapshot, &query, &ranking, NULL);
  assert_true((ranking != NULL) == (status == 0));
  if (!status && bench->degraded) status = bench->status; /* the lexical ranking was used */
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

int main(void) {
  const struct CMUnitTest tests[] = {
      EMBED_TEST(vectors_find_what_words_do_not_and_agree_with_what_they_do),
      EMBED_TEST(filters_limit_and_offset_hold_for_fused_rankings),
      EMBED_TEST(a_failing_embedder_leaves_the_lexical_ranking_and_says_so),
      EMBED_TEST(skills_come_and_go_without_embedding_the_others_again),
      EMBED_TEST(lack_of_memory_anywhere_leaves_everything_usable),
  };
  return cmocka_run_group_tests_name("embed_rank", tests, NULL, NULL);
}
