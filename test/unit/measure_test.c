/* SPDX-License-Identifier: MIT
 *
 * The savings benchmark: the ledger, labelled requests, conversations, strategies, output.
 */
#include <stdio.h>
#include <string.h>

#include "lib/measure_stage.h"
#include "skillet/sys/alloc.h"

/* --- the ledger --------------------------------------------------------------------------------------------------- */

static void send_parts(struct skill__ledger *ledger, const uint64_t *ids, size_t count) {
  struct skill__outgoing request = {0};
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(skill__outgoing_add(&request, ids[i], SKILL__PART_TALK, 10 * (size_t)ids[i], 100), 0);
  }
  assert_int_equal(skill__ledger_send(ledger, &request), 0);
  skill__outgoing_fini(&request);
}

static void only_the_common_beginning_is_read_from_the_cache(void **state) {
  (void)state;
  struct skill__ledger ledger = {0};
  send_parts(&ledger, (uint64_t[]){1, 2, 3}, 3);
  assert_true(ledger.bill.tokens == 60 && ledger.bill.cached == 0);
  send_parts(&ledger, (uint64_t[]){1, 2, 3, 4}, 4);
  assert_true(ledger.bill.tokens == 160 && ledger.bill.cached == 60);
  /* 3 and 4 repeat, but after something new */
  send_parts(&ledger, (uint64_t[]){1, 5, 3, 4}, 4);
  assert_true(ledger.bill.tokens == 290 && ledger.bill.cached == 70);
  assert_true(ledger.bill.bytes == 800 && ledger.bill.kept_bytes == 400);
  ledger.cold = true;
  send_parts(&ledger, (uint64_t[]){1, 5, 3, 4}, 4);
  assert_true(ledger.bill.cached == 70 && ledger.bill.kept_bytes == 800);
  send_parts(&ledger, (uint64_t[]){1}, 1);
  assert_true(ledger.bill.cached == 80);
  skill__ledger_restart(&ledger);
  send_parts(&ledger, (uint64_t[]){1}, 1);
  assert_true(ledger.bill.cached == 80 && ledger.bill.requests == 6);
  skill__ledger_fini(&ledger);
}

/* --- labels and conversations ------------------------------------------------------------------------------------- */

static void labels_keep_what_the_catalogue_has(void **state) {
  (void)state;
  struct measure_stage stage;
  measure_stage_open(&stage, 100);
  assert_int_equal(stage.labels.count, 4);
  assert_int_equal(stage.labels.dropped, 1);
  assert_int_equal(stage.labels.items[1].group_count, 2);
  assert_int_equal(stage.labels.items[2].group_count, 1);
  assert_int_equal(stage.labels.items[2].groups[0].count, 2);
  measure_stage_close(&stage);
}

static void a_bad_line_is_named(void **state) {
  (void)state;
  struct measure_stage stage;
  measure_stage_open(&stage, 100);
  struct skill__labels labels;
  SkillError err = SKILL_ERROR_INIT;
  const char *bad = "{\"query\":\"x\",\"relevant\":[\"photo-skill\"]}\n{\"query\":}\n";
  assert_int_equal(skill__labels_read(bad, strlen(bad), "q.jsonl", stage.world.names, &labels, &err), SKILL_EPARSE);
  assert_int_equal(err.line, 2);
  assert_string_equal(err.file, "q.jsonl");
  skill__labels_fini(&labels);
  measure_stage_close(&stage);
}

static void conversations_follow_the_rules_and_repeat_with_the_seed(void **state) {
  (void)state;
  struct measure_stage stage;
  measure_stage_open(&stage, 100);
  struct skill__talks again, other;
  assert_int_equal(skill__talks_make(&stage.labels, 7, 400, 6, &again), 0);
  assert_int_equal(skill__talks_make(&stage.labels, 7, 400, 6, &other), 0);
  size_t kinds[SKILL__TALK_KINDS] = {0};
  for (size_t i = 0; i < 400; i++) {
    for (size_t t = 0; t < 6; t++) {
      const struct skill__talk_turn *turn = &again.items[i].turns[t];
      assert_ptr_equal(turn->text, other.items[i].turns[t].text);
      kinds[turn->kind]++;
      assert_true((turn->kind == SKILL__TALK_FIRST) == (t == 0));
      if (turn->kind == SKILL__TALK_ECHO) assert_ptr_equal(turn->label, turn[-1].label);
      if (t) assert_in_range(turn->pause_ms, 60000, 60 * 60000);
    }
  }
  /* Of 2,000 later turns, 20 % are echoes, plus the follow-ups that found no other request. */
  assert_in_range(kinds[SKILL__TALK_ECHO], 400, 1000);
  assert_in_range(kinds[SKILL__TALK_CHANGE], 600, 800);
  assert_in_range(kinds[SKILL__TALK_RETURN], 220, 380);
  skill__talks_fini(&again);
  skill__talks_fini(&other);
  measure_stage_close(&stage);
}

static void derived_requests_name_one_skill_each(void **state) {
  (void)state;
  struct measure_stage stage;
  measure_stage_open(&stage, 100);
  struct skill__labels labels;
  assert_int_equal(skill__labels_derive(stage.registry, 3, 5, &labels), 0);
  assert_int_equal(labels.count, 5);
  assert_true(labels.derived);
  for (size_t i = 0; i < labels.count; i++) {
    assert_int_equal(labels.items[i].group_count, 1);
    assert_string_equal(labels.items[i].id, stage.world.skills[labels.items[i].groups[0].skills[0]].name);
  }
  skill__labels_fini(&labels);
  assert_int_equal(skill__labels_derive(stage.registry, 3, 100, &labels), 0);
  assert_int_equal(labels.count, MEASURE_SKILLS);
  skill__labels_fini(&labels);
  measure_stage_close(&stage);
}

/* --- strategies --------------------------------------------------------------------------------------------------- */

static struct skill__bench run_bench(const struct measure_stage *stage) {
  struct skill__bench bench;
  SkillError err = SKILL_ERROR_INIT;
  int status = skill__bench_run(&stage->world, &stage->labels, &stage->talks, NULL, NULL, NULL, &bench, &err);
  if (status) fail_msg("%s", err.message);
  bench.title = "a <small> catalogue";
  bench.command = "skillet bench tokens \"x\" & y";
  return bench;
}

/* Computed again from the conversations alone: two requests a turn, each with everything and the whole history. */
static void sending_everything_costs_what_the_sums_say(void **state) {
  (void)state;
  struct measure_stage stage;
  measure_stage_open(&stage, 4000);
  struct skill__bench bench = run_bench(&stage);
  const struct skill__settings *s = &stage.world.settings;
  size_t fixed = stage.world.bodies + stage.world.tools + s->system_tokens;
  double sum = 0;
  for (size_t i = 0; i < stage.talks.count; i++) {
    size_t said = 0;
    for (size_t t = 0; t < stage.talks.items[i].count; t++) {
      const char *text = stage.talks.items[i].turns[t].text;
      said += skill_tokens_count(NULL, text, strlen(text)) + 4;
      sum += (double)(fixed + said);
      said += s->call_tokens + 8 + s->result_tokens + 4;
      sum += (double)(fixed + said);
      said += s->answer_tokens + 4;
    }
  }
  const struct skill__result *all = skill__bench_find(&bench, "everything");
  assert_true(all->bill.tokens == sum);
  assert_true(all->bill.requests == (double)(2 * 12 * 6));
  assert_true(skill__bench_figures(&bench, all).recall == 1.0);
  skill__bench_fini(&bench);
  measure_stage_close(&stage);
}

static void the_oracle_has_everything_it_needs_for_the_least(void **state) {
  (void)state;
  struct measure_stage stage;
  measure_stage_open(&stage, 8000);
  struct skill__bench bench = run_bench(&stage);
  struct skill__figures oracle = skill__bench_figures(&bench, skill__bench_find(&bench, "oracle"));
  struct skill__figures skillet = skill__bench_figures(&bench, skill__bench_find(&bench, "skillet"));
  struct skill__figures everything = skill__bench_figures(&bench, skill__bench_find(&bench, "everything"));
  assert_true(oracle.recall == 1.0 && oracle.all_loaded == 1.0);
  assert_true(oracle.price < skillet.price && skillet.price < everything.price);
  assert_true(everything.saved_price == 0 && everything.saved_equal == 0);
  assert_true(skillet.equal_price >= skillet.price);
  for (size_t i = 0; i < bench.count; i++) {
    struct skill__figures f = skill__bench_figures(&bench, &bench.results[i]);
    double kinds = 0;
    for (size_t k = 0; k < SKILL__PART_KINDS; k++) kinds += bench.results[i].bill.kinds[k];
    assert_true(kinds == bench.results[i].bill.tokens);
    assert_true(f.recall >= 0 && f.recall <= 1 && f.kept >= 0 && f.kept <= 1);
    assert_true(bench.results[i].bill.cached <= bench.results[i].bill.tokens);
  }
  skill__bench_fini(&bench);
  measure_stage_close(&stage);
}

static void small_tools_are_dearer_through_skillet(void **state) {
  (void)state;
  struct measure_stage stage;
  measure_stage_open(&stage, 0);
  struct skill__bench bench = run_bench(&stage);
  struct skill__figures f = skill__bench_figures(&bench, skill__bench_find(&bench, "skillet"));
  assert_true(f.saved_price < 0);
  skill__bench_fini(&bench);
  measure_stage_close(&stage);
}

static void policies_differ_in_what_they_keep(void **state) {
  (void)state;
  struct measure_stage stage;
  measure_stage_open(&stage, 1000);
  struct skill__bench bench = run_bench(&stage);
  const struct skill__result *top = skill__bench_find(&bench, "top-3");
  const struct skill__result *kept = skill__bench_find(&bench, "lru-3of8");
  const struct skill__result *timed = skill__bench_find(&bench, "lru-3of8-5min");
  assert_true(kept->evictions <= top->evictions);
  assert_true(top->expiries == 0 && kept->expiries == 0);
  assert_true(timed->expiries > 0);
  assert_true(timed->inits >= kept->inits);
  assert_true(skill__bench_figures(&bench, kept).recall >= skill__bench_figures(&bench, top).recall);
  skill__bench_fini(&bench);
  measure_stage_close(&stage);
}

static char *write_out(const struct skill__bench *bench,
                       void (*writer)(const struct skill__bench *, struct skill__buf *)) {
  struct skill__buf buf;
  skill__buf_init(&buf, (size_t)1 << 24);
  writer(bench, &buf);
  char *text = skill__buf_take(&buf, NULL);
  assert_non_null(text);
  return text;
}

static void the_same_settings_give_the_same_bytes(void **state) {
  (void)state;
  void (*const writers[])(const struct skill__bench *, struct skill__buf *) = {skill__bench_json, skill__bench_csv,
                                                                               skill__bench_html};
  struct measure_stage stage, other;
  measure_stage_open(&stage, 1000);
  measure_stage_open(&other, 1000);
  struct skill__bench first = run_bench(&stage);
  struct skill__bench second = run_bench(&other);
  for (size_t i = 0; i < 3; i++) {
    char *a = write_out(&first, writers[i]);
    char *b = write_out(&second, writers[i]);
    assert_string_equal(a, b);
    skill_free(a);
    skill_free(b);
  }
  skill__bench_fini(&first);
  skill__bench_fini(&second);
  measure_stage_close(&stage);
  measure_stage_close(&other);
}

static void the_page_stands_alone_and_escapes_what_it_shows(void **state) {
  (void)state;
  struct measure_stage stage;
  measure_stage_open(&stage, 1000);
  struct skill__bench bench = run_bench(&stage);
  char *page = write_out(&bench, skill__bench_html);
  assert_null(strstr(page, "<script"));
  assert_null(strstr(page, "http"));
  assert_null(strstr(page, "nan"));
  assert_non_null(strstr(page, "a &lt;small&gt; catalogue"));
  assert_non_null(strstr(page, "&quot;x&quot; &amp; y"));
  static const char *const parts[] = {"id=\"savings\"",           "id=\"parts\"",  "id=\"turns\"",
                                      "id=\"policies\"",          "id=\"skills\"", "id=\"how\"",
                                      "prefers-color-scheme:dark"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) assert_non_null(strstr(page, parts[i]));
  skill_free(page);
  skill__bench_fini(&bench);
  measure_stage_close(&stage);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(only_the_common_beginning_is_read_from_the_cache),
      cmocka_unit_test(labels_keep_what_the_catalogue_has),
      cmocka_unit_test(a_bad_line_is_named),
      cmocka_unit_test(conversations_follow_the_rules_and_repeat_with_the_seed),
      cmocka_unit_test(derived_requests_name_one_skill_each),
      cmocka_unit_test(sending_everything_costs_what_the_sums_say),
      cmocka_unit_test(the_oracle_has_everything_it_needs_for_the_least),
      cmocka_unit_test(small_tools_are_dearer_through_skillet),
      cmocka_unit_test(policies_differ_in_what_they_keep),
      cmocka_unit_test(the_same_settings_give_the_same_bytes),
      cmocka_unit_test(the_page_stands_alone_and_escapes_what_it_shows),
  };
  return cmocka_run_group_tests_name("measure", tests, NULL, NULL);
}
