/* SPDX-License-Identifier: MIT
 *
 * Costs of skills: whether skillet pays, stored counts, and memory failures.
 */
#include <stdio.h>
#include <string.h>

#include "lib/measure_stage.h"
#include "lib/sweep.h"
#include "measure/cost.h"
#include "skillet/sys/alloc.h"
#include "skillet/sys/fixture.h"
#include "tokens/count_cache.h"

/* --- cost --------------------------------------------------------------------------------------------------------- */

static void cost_tells_whether_it_pays(void **state) {
  (void)state;
  static const size_t budgets[] = {45, 2000, 0};
  struct skill__cost_options options = {
      .budgets = budgets, .budget_count = 3, .budget = 45, .max_active = 3, .resources = true};
  SkillRegistry *small = measure_registry_of(0);
  SkillRegistry *large = measure_registry_of(9000);
  struct skill__cost a, b;
  assert_int_equal(skill__cost_measure(small, &options, &a, NULL), 0);
  assert_int_equal(skill__cost_measure(large, &options, &b, NULL), 0);
  assert_false(a.verdict.saves);
  assert_true(b.verdict.saves);
  assert_true(b.verdict.open_at_par > 3 && b.verdict.open_at_par < MEASURE_SKILLS);
  assert_int_equal(a.count, MEASURE_SKILLS);
  assert_string_equal(a.skills[0].name, "calendar-skill");
  assert_int_equal(a.skills[0].l2, a.skills[0].tools);
  assert_int_equal(b.skills[0].l2, b.skills[0].tools + b.skills[0].body);
  assert_int_equal(a.listings[2].hidden, 0);
  assert_true(a.listings[0].hidden > 0 && a.listings[0].tokens <= 45);
  options.budget = 61;
  assert_int_equal(skill__cost_measure(small, &options, &a, NULL), SKILL_EINVAL);
  skill__cost_free(&a);
  skill__cost_free(&b);
  skill_registry_free(small);
  skill_registry_free(large);
}

/* --- remembered counts ------------------------------------------------------------------------------------------ */

/* The estimate, which counts its calls. */
static size_t counted;

static size_t count_call(SkillTokenizer *tokenizer, const char *text, size_t length) {
  (void)tokenizer;
  counted++;
  return skill_tokens_count(NULL, text, length);
}

static SkillTokenizer *counting(void) {
  static SkillTokenizer table;
  table = *skill_tokenizer_estimate();
  table.count = count_call;
  counted = 0;
  return &table;
}

static void counts_are_found_again_by_content(void **state) {
  (void)state;
  SkillFixture *fixture = NULL;
  assert_int_equal(skill_fixture_new(&fixture), 0);
  SkillIo *io = skill_fixture_io(fixture);
  static char text[2000];
  memset(text, 'a', sizeof text);
  for (size_t i = 7; i < sizeof text; i += 7) text[i] = ' ';
  size_t want = skill_tokens_count(NULL, text, sizeof text);
  for (int run = 0; run < 2; run++) {
    SkillTokenizer *cache = NULL;
    assert_int_equal(skill__count_cache_open(counting(), io, "/cache/c.bin", &cache), 0);
    assert_int_equal(skill_tokens_count(cache, text, sizeof text), want);
    assert_int_equal(skill_tokens_count(cache, text, sizeof text), want);
    assert_int_equal(counted, run ? 0 : 1);
    assert_int_equal(skill_tokens_count(cache, text, 100), skill_tokens_count(NULL, text, 100));
    assert_int_equal(counted, run ? 1 : 2); /* a short text is not remembered */
    assert_int_equal(skill__count_cache_save(cache), 0);
    skill_tokenizer_free(cache);
  }
  text[1000] ^= 1;
  SkillTokenizer *cache = NULL;
  assert_int_equal(skill__count_cache_open(counting(), io, "/cache/c.bin", &cache), 0);
  skill_tokens_count(cache, text, sizeof text);
  assert_int_equal(counted, 1);
  skill_tokenizer_free(cache);
  skill_fixture_free(fixture);
}

static void a_damaged_cache_is_an_empty_one(void **state) {
  (void)state;
  SkillFixture *fixture = NULL;
  assert_int_equal(skill_fixture_new(&fixture), 0);
  SkillIo *io = skill_fixture_io(fixture);
  static char text[3000];
  memset(text, 'b', sizeof text);
  SkillTokenizer *cache = NULL;
  assert_int_equal(skill__count_cache_open(skill_tokenizer_estimate(), io, "/c", &cache), 0);
  skill_tokens_count(cache, text, sizeof text);
  assert_int_equal(skill__count_cache_save(cache), 0);
  skill_tokenizer_free(cache);
  size_t size = 0;
  const char *saved = skill_fixture_read(fixture, "/c", &size);
  assert_true(size > 56);
  char copy[256];
  memcpy(copy, saved, size);
  for (size_t at = 0; at < size; at += 5) {
    copy[at] ^= 4;
    assert_int_equal(skill_fixture_bytes(fixture, "/c", copy, size), 0);
    copy[at] ^= 4;
    assert_int_equal(skill__count_cache_open(counting(), io, "/c", &cache), 0);
    assert_int_equal(skill_tokens_count(cache, text, sizeof text), skill_tokens_count(NULL, text, sizeof text));
    if (counted != 1) fail_msg("a flipped bit at byte %zu went unnoticed", at);
    skill_tokenizer_free(cache);
  }
  skill_fixture_free(fixture);
}

/* --- memory ----------------------------------------------------------------------------------------------------- */

static int make_three(SkillRegistry **out) {
  int status = skill_registry_new(NULL, out, NULL);
  for (size_t i = 0; !status && i < 3; i++) {
    SkillTool tool = {.name = "go", .description = "Goes.", .input_schema = "{\"type\":\"object\"}"};
    const char *const names[] = {"invoice-skill", "weather-skill", "travel-skill"};
    SkillDef def = {.metadata = {.name = names[i], .description = names[i], .tools = &tool, .tool_count = 1},
                    .body = "Words of a body."};
    status = skill_registry_add(*out, &def, NULL, NULL);
  }
  return status;
}

static int measure_registry(SkillRegistry *registry) {
  static const size_t budgets[] = {45, 0};
  struct skill__cost_options options = {.budgets = budgets, .budget_count = 2, .budget = 45, .max_active = 3};
  struct skill__settings settings;
  struct skill__cost cost = {0};
  struct skill__world world = {0};
  struct skill__labels labels = {0};
  struct skill__talks talks = {0};
  skill__settings_default(&settings);
  settings.turns = 1;
  int status = skill__cost_measure(registry, &options, &cost, NULL);
  if (status) assert_null(cost.skills);
  if (!status) status = skill__world_make(registry, NULL, &settings, NULL, NULL, &world);
  if (!status) status = skill__labels_derive(registry, 1, 2, &labels);
  if (!status) status = skill__talks_make(&labels, 1, 1, 1, &talks);
  size_t count = 0;
  const struct skill__strategy *table = skill__bench_strategies(&count);
  for (size_t i = 0; !status && i < count; i += 11) {
    struct skill__result result;
    status = skill__strategy_play(&world, &talks, &table[i], NULL, &result, NULL);
    skill__result_fini(&result);
  }
  skill__talks_fini(&talks);
  skill__labels_fini(&labels);
  if (world.skills) skill__world_fini(&world);
  skill__cost_free(&cost);
  return status;
}

/* Figures may be smaller if a body could not be read because memory was exhausted. Nothing crashes and nothing
 * leaks. */
static int measure_three(void *user) {
  (void)user;
  SkillRegistry *registry = NULL;
  int status = make_three(&registry);
  if (!status) status = measure_registry(registry);
  assert_int_equal(skill_registry_free(registry), 0);
  return status;
}

static void memory_that_runs_out_leaves_nothing_behind(void **state) {
  (void)state;
  assert_true(sweep_run(measure_three, NULL) > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cost_tells_whether_it_pays),
      cmocka_unit_test(counts_are_found_again_by_content),
      cmocka_unit_test(a_damaged_cache_is_an_empty_one),
      cmocka_unit_test(memory_that_runs_out_leaves_nothing_behind),
  };
  return cmocka_run_group_tests_name("measure_cost", tests, NULL, NULL);
}
