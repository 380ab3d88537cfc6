/* SPDX-License-Identifier: MIT
 *
 * Words and vectors in one score.
 */
#include "lib/check.h"

#include "rank/options.h"
#include "rank/query/search.h"

enum { CANDIDATES = 2 };

/* What the vectors weigh where the bodies of two skills hold so much of a known request. */
static double weight_of_vectors(double held, double told) {
  static struct skill__context context; /* large */
  struct skill__rank_candidate candidates[CANDIDATES] = {{.name = "words", .whole = 2, .cosine = .1},
                                                         {.name = "meaning", .whole = 1, .cosine = .6, .held = held}};
  struct skill__rank_shared shared = {.scorer = SKILL_SCORER_BM25F, .terms = (struct skill__terms *)&shared};
  SkillRankSnapshot snapshot = {.shared = &shared};
  struct skill__spread spread = {.words = 1, .vectors = .2};
  struct skill__fusion fusion;
  context.candidates = candidates;
  context.candidate_count = CANDIDATES;
  context.query.term_count = 4;
  context.query.known = 1;
  context.query.in_table = told;
  skill__fuse(&context, &snapshot, &spread, &fusion);
  assert_int_equal(context.candidate_count, CANDIDATES);
  context.candidates = NULL;
  return fusion.vectors;
}

static void vectors_count_half_where_a_body_holds_the_whole_request(void **state) {
  (void)state;
  double all = weight_of_vectors(0, 1);
  assert_true(all > 0);
  assert_float_equal(weight_of_vectors(1, 1), all / 2, 1e-12);
  assert_float_equal(weight_of_vectors(.5, 1), all * 3 / 4, 1e-12);
}

static void a_table_that_knows_little_of_the_request_says_less(void **state) {
  (void)state;
  assert_float_equal(weight_of_vectors(0, .8), weight_of_vectors(0, 1), 1e-12);
  assert_float_equal(weight_of_vectors(0, .4), weight_of_vectors(0, 1) / 2, 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vectors_count_half_where_a_body_holds_the_whole_request),
      cmocka_unit_test(a_table_that_knows_little_of_the_request_says_less),
  };
  return cmocka_run_group_tests_name("rank_fuse", tests, NULL, NULL);
}
