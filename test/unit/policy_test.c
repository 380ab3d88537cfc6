/* SPDX-License-Identifier: MIT
 *
 * Policies: the five built-in ones, and a custom one.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/stage.h"
#include "loader/policy.h"

static const char *selected(const SkillPolicy *policy, const SkillSelectInput *input) {
  static char text[256];
  size_t chosen[64];
  size_t count = 0;
  text[0] = '\0';
  assert_int_equal(policy->select(policy, input, chosen, &count), 0);
  for (size_t i = 0; i < count; i++) {
    if (i) strcat(text, " ");
    strcat(text, input->candidates[chosen[i]].name);
  }
  return text;
}

static const SkillCandidate five[] = {
    {.name = "a", .score = 5.0, .l2_tokens = 60}, {.name = "b", .score = 4.5, .l2_tokens = 50},
    {.name = "c", .score = 4.2, .l2_tokens = 40}, {.name = "d", .score = 4.0, .l2_tokens = 10, .active = true},
    {.name = "e", .score = 1.0, .l2_tokens = 5},
};

static void relevance_takes_the_best_up_to_top_and_cap(void **state) {
  (void)state;
  SkillSelectInput input = {.candidates = five, .count = 5, .top = 3, .max_active = 10};
  assert_string_equal(selected(skill_policy_relevance(), &input), "a b c");
  input.max_active = 2;
  assert_string_equal(selected(skill_policy_relevance(), &input), "a b");
  input.count = 1;
  assert_string_equal(selected(skill_policy_relevance(), &input), "a");
  input.count = 0;
  assert_string_equal(selected(skill_policy_relevance(), &input), "");
}

static void sticky_replaces_an_active_skill_only_by_a_clearly_better_one(void **state) {
  (void)state;
  SkillSelectInput input = {.candidates = five, .count = 5, .top = 3, .max_active = 3};
  assert_string_equal(selected(skill_policy_sticky(), &input), "a b d");
  SkillCandidate far[4];
  memcpy(far, five, sizeof far);
  far[1].score = 5.0;
  far[2].score = 5.0; /* 1.25 times 4.0: clearly better */
  input.candidates = far;
  input.count = 4;
  assert_string_equal(selected(skill_policy_sticky(), &input), "a b c");
}

static void sticky_keeps_all_active_skills_that_are_nearly_as_good(void **state) {
  (void)state;
  SkillCandidate all[] = {
      {.name = "new", .score = 5.0},
      {.name = "x", .score = 4.5, .active = true},
      {.name = "y", .score = 4.4, .active = true},
      {.name = "z", .score = 4.3, .active = true},
  };
  SkillSelectInput input = {.candidates = all, .count = 4, .top = 3, .max_active = 3};
  assert_string_equal(selected(skill_policy_sticky(), &input), "x y z");
  all[0].score = 6.0;
  assert_string_equal(selected(skill_policy_sticky(), &input), "new x y");
}

static void budget_takes_the_greatest_total_within_the_tokens(void **state) {
  (void)state;
  SkillSelectInput input = {.candidates = five, .count = 5, .top = 3, .max_active = 10, .token_budget = 100};
  assert_string_equal(selected(skill_policy_budget(), &input), "b c d");
  input.token_budget = 55;
  assert_string_equal(selected(skill_policy_budget(), &input), "c d e");
  input.max_active = 2;
  assert_string_equal(selected(skill_policy_budget(), &input), "c d");
  input.token_budget = 4;
  assert_string_equal(selected(skill_policy_budget(), &input), "");
  input.token_budget = 0;
  assert_string_equal(selected(skill_policy_budget(), &input), "a b");
}

static void sticky_prefers_no_newcomer_to_a_better_one(void **state) {
  (void)state;
  SkillCandidate newcomers[] = {{.name = "a", .score = 5.0}, {.name = "b", .score = 4.9}, {.name = "c", .score = 4.8}};
  SkillSelectInput input = {.candidates = newcomers, .count = 3, .top = 2, .max_active = 2};
  assert_string_equal(selected(skill_policy_sticky(), &input), "a b");
}

static double best_by_trying_all(const SkillSelectInput *input) {
  double best = 0;
  for (unsigned set = 0; set < 1u << input->count; set++) {
    double score = 0;
    size_t tokens = 0;
    size_t pieces = 0;
    for (size_t i = 0; i < input->count; i++) {
      if (!(set >> i & 1)) continue;
      score += input->candidates[i].score;
      tokens += input->candidates[i].l2_tokens;
      pieces++;
    }
    if (tokens <= input->token_budget && pieces <= input->max_active && score > best) best = score;
  }
  return best;
}

static void budget_is_exact_on_random_catalogues(void **state) {
  (void)state;
  unsigned seed = 12345;
  for (unsigned round = 0; round < 200; round++) {
    SkillCandidate all[12];
    SkillSelectInput input = {.candidates = all, .count = 12, .max_active = 1 + round % 6, .token_budget = 100};
    for (size_t i = 0; i < 12; i++) {
      seed = seed * 1103515245u + 12345u;
      all[i] =
          (SkillCandidate){.name = "x", .score = 1 + (double)(seed >> 16 & 1023) / 64, .l2_tokens = seed >> 8 & 63};
    }
    size_t chosen[12];
    size_t count = 0;
    double score = 0;
    size_t tokens = 0;
    assert_int_equal(skill_policy_budget()->select(skill_policy_budget(), &input, chosen, &count), 0);
    for (size_t i = 0; i < count; i++) {
      score += all[chosen[i]].score;
      tokens += all[chosen[i]].l2_tokens;
    }
    assert_true(tokens <= 100 && count <= input.max_active);
    assert_true(score > best_by_trying_all(&input) - 1e-9);
  }
}

static void policies_are_found_by_name_and_listed_in_order(void **state) {
  (void)state;
  const SkillPolicy *const built_in[] = {skill_policy_relevance(), skill_policy_sticky(), skill_policy_budget(),
                                         skill_policy_all(), skill_policy_manual()};
  static const char *const names[] = {"relevance", "sticky", "budget", "all", "manual"};
  for (size_t i = 0; i < 5; i++) {
    assert_ptr_equal(skill_policy_at(i), built_in[i]);
    assert_ptr_equal(skill_policy_find(names[i]), built_in[i]);
    assert_string_equal(built_in[i]->name, names[i]);
  }
  assert_null(skill_policy_at(5));
  assert_null(skill_policy_find("none"));
  assert_null(skill_policy_find(NULL));
}

static void names_of_policies_are_written_as_one_list(void **state) {
  (void)state;
  char text[64];
  skill__policy_names(text, sizeof text);
  assert_string_equal(text, "relevance, sticky, budget, all or manual");
  skill__policy_names(text, 13);
  assert_string_equal(text, "relevance, s");
}

static void lru_passes_over_whoever_must_stay(void **state) {
  (void)state;
  const SkillPolicy *policy = skill_policy_relevance();
  SkillResident residents[] = {
      {.name = "p", .pinned = true}, {.name = "u", .in_use = true}, {.name = "w", .wanted = true}, {.name = "v"}};
  SkillVictimInput input = {residents, 4, "new", 0};
  size_t victim = 99;
  assert_int_equal(policy->victim(policy, &input, &victim), 0);
  assert_int_equal(victim, 3);
  input.count = 3;
  victim = 99;
  assert_int_equal(policy->victim(policy, &input, &victim), SKILL_EFULL);
  assert_int_equal(victim, 99);
}

static struct outcome query(struct stage *stage, const char *text) {
  struct outcome outcome = {0};
  assert_int_equal(skill_loader_activate_query(stage->loader, text, outcome_cb, &outcome, NULL, NULL), 0);
  stage_settle(stage->loader);
  assert_int_equal(outcome.calls, 1);
  return outcome;
}

static void use_policy(struct stage *stage, const SkillPolicy *policy) {
  stage->options.policy = policy;
  stage_reload(stage);
  assert_int_equal(stage_register(stage, "csv-profiler", "Profile the columns of a CSV table"), 0);
  assert_int_equal(stage_register(stage, "weather", "Tell the weather forecast"), 0);
  assert_int_equal(stage_register(stage, "translator", "Translate text between languages"), 0);
  assert_int_equal(stage_register(stage, "poet", "Write a poem"), 0);
}

static void manual_activates_nothing_and_says_so(void **state) {
  struct stage *stage = *state;
  use_policy(stage, skill_policy_manual());
  struct outcome outcome = query(stage, "weather forecast");
  assert_int_equal(outcome.count, 0);
  assert_non_null(strstr(outcome.reason, "manual"));
  assert_int_equal(stage_activate(stage, "poet").status, 0);
}

static void all_activates_every_skill_best_first_and_tells_what_did_not_fit(void **state) {
  struct stage *stage = *state;
  use_policy(stage, skill_policy_all());
  struct outcome outcome = query(stage, "weather forecast");
  assert_int_equal(outcome.count, 4);
  assert_string_equal(outcome.names[0], "weather");
  assert_int_equal(outcome.statuses[2], 0);
  assert_int_equal(outcome.statuses[3], SKILL_EFULL);
  stage->options.max_active = SIZE_MAX;
  stage_reload(stage);
  outcome = query(stage, "weather forecast");
  assert_int_equal(outcome.statuses[3], 0);
}

static void all_leaves_out_what_only_users_may_invoke(void **state) {
  struct stage *stage = *state;
  SkillDef def = {
      .metadata = {.name = "deploy", .description = "Deploy the weather forecast", .disable_model_invocation = true}};
  use_policy(stage, skill_policy_all());
  assert_int_equal(skill_registry_add(stage->registry, &def, NULL, NULL), 0);
  struct outcome outcome = query(stage, "weather forecast");
  assert_int_equal(outcome.count, 4);
  for (size_t i = 0; i < outcome.count; i++) assert_string_not_equal(outcome.names[i], "deploy");
  assert_int_equal(skill_loader_state(stage->loader, "deploy"), SKILL_STATE_LISTED);
}

static int expect_every_skill(const SkillPolicy *policy, const SkillSelectInput *input, size_t *chosen, size_t *count) {
  (void)policy;
  (void)chosen;
  assert_int_equal(input->count, 4);
  assert_string_equal(input->candidates[0].name, "weather");
  assert_true(input->candidates[0].score > 0);
  for (size_t i = 1; i < 4; i++) assert_true(input->candidates[i].score == 0 && input->candidates[i].fit == 0);
  *count = 0;
  return 0;
}

static void a_policy_for_every_skill_gets_the_others_without_a_score(void **state) {
  struct stage *stage = *state;
  SkillPolicy policy = {SKILL_POLICY_VERSION, SKILL_POLICY_EVERY, "every", NULL, expect_every_skill, NULL};
  use_policy(stage, &policy);
  struct outcome outcome = query(stage, "weather forecast");
  assert_int_equal(outcome.count, 0);
  assert_string_equal(outcome.reason, "the policy every selected none of 4 candidates");
  stage->options.policy = NULL;
  stage_reload(stage);
}

/* Selects only the second best result. */
static int second_best(const SkillPolicy *policy, const SkillSelectInput *input, size_t *chosen, size_t *count) {
  (void)policy;
  *count = input->count > 1;
  chosen[0] = 1;
  return 0;
}

static int name_in_user(const SkillPolicy *policy, const SkillVictimInput *input, size_t *victim) {
  for (size_t i = 0; i < input->count; i++) {
    if (strcmp(input->residents[i].name, policy->user)) continue;
    *victim = i;
    return 0;
  }
  return SKILL_EFULL;
}

static void a_policy_of_ones_own_decides_who_goes(void **state) {
  struct stage *stage = *state;
  char wanted[] = "b";
  SkillPolicy policy = {SKILL_POLICY_VERSION, 0, "mine", wanted, second_best, name_in_user};
  stage->options.policy = &policy;
  stage_reload(stage);
  stage_cast(stage, "a b c d e");
  stage_activate(stage, "a b c");
  assert_string_equal(stage_activate(stage, "d").evicted, "b");
  struct outcome outcome = stage_activate(stage, "e");
  assert_int_equal(outcome.status, SKILL_EFULL);
  assert_non_null(strstr(outcome.reasons[0], "at most 3 active"));
}

static void a_policy_cannot_evict_a_pinned_skill(void **state) {
  struct stage *stage = *state;
  char wanted[] = "a";
  SkillPolicy policy = {SKILL_POLICY_VERSION, 0, "mine", wanted, second_best, name_in_user};
  stage->options.policy = &policy;
  stage_reload(stage);
  stage_cast(stage, "a b c d");
  stage_activate(stage, "a b c");
  skill_loader_pin(stage->loader, "a", true);
  assert_int_equal(stage_activate(stage, "d").status, SKILL_EFULL);
  assert_int_equal(skill_loader_state(stage->loader, "a"), SKILL_STATE_ACTIVE);
}

static int beyond(const SkillPolicy *policy, const SkillVictimInput *input, size_t *victim) {
  (void)policy;
  *victim = input->count + 7;
  return 0;
}

static void a_victim_that_does_not_exist_is_none(void **state) {
  struct stage *stage = *state;
  SkillPolicy policy = {SKILL_POLICY_VERSION, 0, "mine", NULL, second_best, beyond};
  stage->options.policy = &policy;
  stage_reload(stage);
  stage_cast(stage, "a b c d");
  stage_activate(stage, "a b c");
  assert_int_equal(stage_activate(stage, "d").status, SKILL_EFULL);
  assert_string_equal(stage_active(stage->loader), "c b a");
}

static int out_of_range(const SkillPolicy *policy, const SkillSelectInput *input, size_t *chosen, size_t *count) {
  (void)policy;
  chosen[0] = input->count;
  *count = 1;
  return 0;
}

static int unwilling(const SkillPolicy *policy, const SkillSelectInput *input, size_t *chosen, size_t *count) {
  (void)policy;
  (void)input;
  (void)chosen;
  (void)count;
  return SKILL_EFAILED;
}

static void a_policy_that_fails_or_errs_fails_the_activation_and_nothing_else(void **state) {
  struct stage *stage = *state;
  SkillPolicy policy = {SKILL_POLICY_VERSION, 0, "odd", NULL, out_of_range, NULL};
  use_policy(stage, &policy);
  struct outcome outcome = query(stage, "weather");
  assert_int_equal(outcome.status, SKILL_EINVAL);
  assert_non_null(strstr(outcome.reason, "odd"));
  policy.select = unwilling;
  assert_int_equal(query(stage, "weather").status, SKILL_EFAILED);
  assert_int_equal(stage_activate(stage, "poet").status, 0);
  stage->options.policy = NULL;
  stage_reload(stage);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, stage_set_up, stage_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(relevance_takes_the_best_up_to_top_and_cap),
      cmocka_unit_test(sticky_replaces_an_active_skill_only_by_a_clearly_better_one),
      cmocka_unit_test(sticky_keeps_all_active_skills_that_are_nearly_as_good),
      cmocka_unit_test(sticky_prefers_no_newcomer_to_a_better_one),
      cmocka_unit_test(budget_takes_the_greatest_total_within_the_tokens),
      cmocka_unit_test(budget_is_exact_on_random_catalogues),
      cmocka_unit_test(policies_are_found_by_name_and_listed_in_order),
      cmocka_unit_test(names_of_policies_are_written_as_one_list),
      cmocka_unit_test(lru_passes_over_whoever_must_stay),
      TEST(manual_activates_nothing_and_says_so),
      TEST(all_activates_every_skill_best_first_and_tells_what_did_not_fit),
      TEST(all_leaves_out_what_only_users_may_invoke),
      TEST(a_policy_for_every_skill_gets_the_others_without_a_score),
      TEST(a_policy_of_ones_own_decides_who_goes),
      TEST(a_victim_that_does_not_exist_is_none),
      TEST(a_policy_cannot_evict_a_pinned_skill),
      TEST(a_policy_that_fails_or_errs_fails_the_activation_and_nothing_else),
  };
  return cmocka_run_group_tests_name("policy", tests, NULL, NULL);
}
