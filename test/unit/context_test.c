/* SPDX-License-Identifier: MIT
 *
 * The context compiler: properties over random conversations and budgets, passages of long texts, compaction.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context/origin.h"
#include "lib/check.h"
#include "model/message.h"
#include "skillet/context.h"
#include "skillet/sys/alloc.h"
#include "util/buf.h"

static uint64_t seed;
static uint32_t roll(uint32_t below) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(seed >> 33) % below;
}

/* --- budget ------------------------------------------------------------------------------------------------------- */

static void a_budget_is_divided_by_its_rules(void **state) {
  (void)state;
  for (seed = 1; seed < 4000; seed += 7) {
    uint64_t start = seed;
    SkillShare shares[12];
    size_t given[12];
    size_t more[12];
    size_t count = 1 + roll(12);
    for (size_t i = 0; i < count; i++) {
      shares[i] = (SkillShare){roll(500), roll(300), roll(4)};
    }
    size_t budget = roll(2500);
    size_t sum = skill_budget_allocate(shares, count, budget, given);
    size_t total = 0;
    for (size_t i = 0; i < count; i++) {
      size_t least = shares[i].least < shares[i].want ? shares[i].least : shares[i].want;
      assert_true(given[i] <= shares[i].want);
      assert_true(given[i] == 0 || given[i] >= least);
      total += given[i];
    }
    assert_int_equal(total, sum);
    assert_true(sum <= budget);
    /* Nothing is left over while a section that got something needs more. */
    for (size_t i = 0; i < count; i++) {
      if (given[i] && given[i] < shares[i].want) assert_int_equal(sum, budget);
    }
    /* A section of lower priority does not affect those of higher priority. */
    SkillShare fewer[12];
    size_t kept = 0;
    size_t index[12];
    for (size_t i = 0; i < count; i++) {
      if (shares[i].priority > 1) continue;
      index[kept] = i;
      fewer[kept++] = shares[i];
    }
    skill_budget_allocate(fewer, kept, budget, more);
    for (size_t i = 0; i < kept; i++) assert_int_equal(more[i], given[index[i]]);
    seed = start;
  }
}

/* --- random conversations ----------------------------------------------------------------------------------------- */

static void words(struct skill__buf *buf, size_t count) {
  static const char *const list[] = {"alpha",       "invoice", "\xE6\x9C\x88\xE6\x8A\xA5", "report", "12.5", "of",
                                     "\n\n# Part ", "."};
  skill__buf_clear(buf);
  for (size_t i = 0; i < count; i++) skill__buf_printf(buf, "%s ", list[roll(8)]);
  skill__buf_text(buf, "end");
}

static void add(SkillConversation *talk, SkillRole role, const char *origin, size_t length) {
  struct skill__buf buf;
  skill__buf_init(&buf, 1 << 20);
  words(&buf, length);
  SkillMessage message = {.role = role, .text = buf.data, .text_length = buf.length, .origin = origin};
  assert_int_equal(skill_conversation_add(talk, &message, NULL), 0);
  skill__buf_fini(&buf);
}

static void add_calls(SkillConversation *talk, size_t *ids, bool open) {
  char id[4][24];
  SkillCall calls[4];
  size_t count = 1 + roll(3);
  struct skill__buf buf;
  skill__buf_init(&buf, 1 << 20);
  for (size_t i = 0; i < count; i++) {
    snprintf(id[i], sizeof id[i], "c%zu", (*ids)++);
    calls[i] = (SkillCall){id[i], "convert", "{\"value\":1}"};
  }
  SkillMessage message = {.role = SKILL_ROLE_ASSISTANT, .calls = calls, .call_count = count};
  assert_int_equal(skill_conversation_add(talk, &message, NULL), 0);
  for (size_t i = count; i-- > (open ? 1 : 0);) { /* not in the order of the calls */
    words(&buf, roll(10) ? roll(60) : 400 + roll(900));
    char origin[32];
    snprintf(origin, sizeof origin, "skill:s%u", roll(3));
    SkillMessage result = {.role = SKILL_ROLE_TOOL, .call_id = id[i], .name = "convert", .text = buf.data};
    result.text_length = buf.length;
    result.origin = roll(5) ? NULL : origin;
    assert_int_equal(skill_conversation_add(talk, &result, NULL), 0);
  }
  skill__buf_fini(&buf);
}

static SkillConversation *random_talk(void) {
  SkillConversation *talk = NULL;
  size_t ids = 0;
  assert_int_equal(skill_conversation_new(&talk), 0);
  size_t turns = 1 + roll(14);
  for (size_t t = 0; t < turns; t++) {
    if (!roll(6)) add(talk, SKILL_ROLE_USER, roll(2) ? "mention:plan.md" : "mention:a.txt", roll(700));
    if (!roll(6)) add(talk, SKILL_ROLE_USER, "passages", roll(200));
    add(talk, SKILL_ROLE_USER, NULL, 1 + roll(40));
    for (size_t k = roll(3); k > 0; k--) add_calls(talk, &ids, false);
    if (t + 1 == turns && !roll(3)) {
      add_calls(talk, &ids, !roll(2));
    } else if (t + 1 < turns || roll(2)) {
      add(talk, SKILL_ROLE_ASSISTANT, NULL, roll(80));
    }
  }
  return talk;
}

static bool in_dropped(const SkillCompiled *c, const char *name) {
  for (size_t i = 0; i < c->dropped_count; i++) {
    if (strcmp(c->dropped[i], name) == 0) return true;
  }
  return false;
}

static bool has_origin(const SkillCompiled *c, const char *origin) {
  for (size_t i = 0; i < c->count; i++) {
    if (c->messages[i].origin && strcmp(c->messages[i].origin, origin) == 0) return true;
  }
  return false;
}

/* Every result follows the message of its call, in the order of the calls, and none is missing. */
static void check_pairs(const SkillCompiled *c) {
  for (size_t i = 0; i < c->count; i++) {
    const SkillMessage *message = &c->messages[i];
    if (message->role == SKILL_ROLE_TOOL) assert_true(i > 0);
    for (size_t k = 0; k < message->call_count; k++) {
      assert_true(i + 1 + k < c->count);
      assert_int_equal(c->messages[i + 1 + k].role, SKILL_ROLE_TOOL);
      assert_string_equal(c->messages[i + 1 + k].call_id, message->calls[k].id);
    }
    size_t after = i + 1 + message->call_count;
    if (message->role == SKILL_ROLE_ASSISTANT && after < c->count) {
      assert_int_not_equal(c->messages[after].role, SKILL_ROLE_TOOL);
    }
  }
}

static size_t recount(const SkillCompiled *c, SkillTokenizer *tokenizer) {
  size_t tokens = c->tool_tokens;
  for (size_t i = 0; i < c->count; i++) tokens += skill__message_tokens(tokenizer, &c->messages[i]);
  return tokens;
}

static void same(const SkillCompiled *a, const SkillCompiled *b) {
  struct skill__buf x;
  struct skill__buf y;
  skill__buf_init(&x, 1 << 26);
  skill__buf_init(&y, 1 << 26);
  for (size_t i = 0; i < a->count; i++) skill__message_print(&x, &a->messages[i]);
  for (size_t i = 0; i < b->count; i++) skill__message_print(&y, &b->messages[i]);
  assert_int_equal(x.length, y.length);
  if (x.length) assert_memory_equal(x.data, y.data, x.length);
  skill__buf_fini(&x);
  skill__buf_fini(&y);
}

static const SkillTool some_tools[] = {
    {.name = "convert", .description = "Converts a value.", .input_schema = "{\"type\":\"object\"}"},
    {.name = "plan", .description = "Plans a week.", .input_schema = "{\"type\":\"object\"}"}};

static void check_one(SkillConversation *talk, SkillTokenizer *tokenizer) {
  static const char body[] = "Always answer in JSON. Never in prose. Keys are lower case.";
  SkillAlways always = {"output-format", body, sizeof body - 1};
  SkillContextInput input = SKILL_CONTEXT_INPUT_INIT;
  input.system = "You are careful.";
  input.always = &always;
  input.always_count = 1;
  input.listing = "<available_skills>\n- convert: converts units\n- plan: plans weeks\n</available_skills>";
  input.conversation = talk;
  input.tools = some_tools;
  input.tool_count = 2;
  input.tokenizer = tokenizer;
  input.budget = roll(20) ? 250 + roll(3000) : 0;
  SkillCompiled *c = NULL;
  SkillCompiled *again = NULL;
  SkillError err = SKILL_ERROR_INIT;
  int status = skill_context_compile(&input, &c, &err);
  if (status) {
    assert_int_equal(status, SKILL_ELIMIT);
    assert_null(c);
    assert_non_null(strstr(err.message, "budget"));
    return;
  }
  assert_int_equal(c->tokens, recount(c, tokenizer));
  if (input.budget && c->tokens > input.budget) print_error("tokens %zu, budget %zu\n", c->tokens, input.budget);
  assert_true(!input.budget || c->tokens <= input.budget);
  check_pairs(c);
  /* Everything requested is present, or is reported as missing. */
  bool asked[2] = {false, false};
  static const char *const origins[] = {"mention:plan.md", "mention:a.txt"};
  size_t last_said = 0;
  for (size_t i = 0; i < skill_conversation_count(talk); i++) {
    const SkillMessage *message = skill_conversation_at(talk, i);
    for (int k = 0; k < 2; k++) asked[k] = asked[k] || (message->origin && !strcmp(message->origin, origins[k]));
    if (message->role == SKILL_ROLE_USER && !message->origin) last_said = i;
  }
  for (int k = 0; k < 2; k++) {
    if (asked[k]) assert_true(has_origin(c, origins[k]) || in_dropped(c, origins[k] + 8));
  }
  if (c->dropped_count && c->omitted) assert_true(has_origin(c, "omission"));
  bool request = false;
  for (size_t i = 0; i < c->count; i++) {
    request = request || strcmp(c->messages[i].text, skill_conversation_at(talk, last_said)->text) == 0;
  }
  assert_true(request);
  if (!input.budget) assert_int_equal(c->shortened, 0);
  assert_int_equal(skill_context_compile(&input, &again, NULL), 0);
  same(c, again);
  skill_compiled_free(c);
  skill_compiled_free(again);
}

static void a_compiled_context_keeps_its_promises(void **state) {
  (void)state;
  SkillTokenizer *exact = NULL;
  (void)skill_tokenizer_open("o200k_base", NULL, &exact, NULL);
  for (int i = 0; i < 120; i++) {
    seed = (uint64_t)i * 7919 + 1;
    SkillConversation *talk = random_talk();
    for (int k = 0; k < 3; k++) check_one(talk, skill_tokenizer_estimate());
    if (exact && i % 4 == 0) check_one(talk, exact);
    skill_conversation_free(talk);
  }
  skill_tokenizer_free(exact);
}

/* The beginning of a request stays the same for several turns, although the window over the history moves. */
static void a_sliding_history_moves_in_steps(void **state) {
  (void)state;
  SkillConversation *talk = NULL;
  SkillContextInput input = SKILL_CONTEXT_INPUT_INIT;
  char *before = NULL;
  size_t moved = 0;
  size_t turns = 0;
  seed = 5;
  assert_int_equal(skill_conversation_new(&talk), 0);
  input.conversation = talk;
  input.budget = 2000;
  for (int i = 0; i < 300; i++) {
    SkillCompiled *c = NULL;
    add(talk, SKILL_ROLE_USER, NULL, 5);
    assert_int_equal(skill_context_compile(&input, &c, NULL), 0);
    if (c->omitted) {
      char first[64];
      snprintf(first, sizeof first, "%zu", c->omitted);
      moved += before && strcmp(before, first) != 0;
      turns++;
      skill_free(before);
      before = strdup(first);
    }
    skill_compiled_free(c);
    add(talk, SKILL_ROLE_ASSISTANT, NULL, 5);
  }
  assert_true(turns > 100);
  assert_true(moved * 3 < turns * 2);
  skill_free(before);
  skill_conversation_free(talk);
}

static void cache_marks_end_the_stable_parts(void **state) {
  (void)state;
  SkillConversation *talk = NULL;
  SkillCompiled *c = NULL;
  assert_int_equal(skill_conversation_new(&talk), 0);
  add(talk, SKILL_ROLE_USER, NULL, 5);
  add(talk, SKILL_ROLE_ASSISTANT, NULL, 5);
  add(talk, SKILL_ROLE_USER, NULL, 5);
  SkillContextInput input = SKILL_CONTEXT_INPUT_INIT;
  input.system = "s";
  input.conversation = talk;
  assert_int_equal(skill_context_compile(&input, &c, NULL), 0);
  assert_int_equal(c->count, 4);
  assert_true(c->messages[0].cache && c->messages[2].cache && c->messages[3].cache);
  assert_false(c->messages[1].cache);
  skill_compiled_free(c);
  skill_conversation_free(talk);
}

/* --- passages ----------------------------------------------------------------------------------------------------- */

static void a_long_file_falls_back_to_its_best_passages(void **state) {
  (void)state;
  struct skill__buf buf;
  skill__buf_init(&buf, 1 << 20);
  for (int i = 0; i < 60; i++) {
    skill__buf_printf(&buf, "## Section %d\n\n", i);
    if (i == 41) skill__buf_text(&buf, "The zeppelin's mooring mast is inspected every Tuesday by two engineers.\n");
    for (int k = 0; k < 12; k++) skill__buf_text(&buf, "Ordinary sentences about filing cabinets and stationery. ");
    skill__buf_text(&buf, "\n\n");
  }
  char *out = NULL;
  size_t length = 0;
  assert_int_equal(skill_context_passages(buf.data, buf.length, "manual.md", "when is the zeppelin mast inspected?",
                                          NULL, 600, &out, &length, NULL),
                   0);
  assert_true(skill_tokens_count(NULL, out, length) <= 600);
  assert_non_null(strstr(out, "zeppelin"));
  assert_non_null(strstr(out, "sections of manual.md, those that fit"));
  assert_non_null(strstr(out, "[\xE2\x80\xA6]"));
  skill_free(out);
  /* No question, or no better part: the beginning is used. */
  assert_int_equal(skill_context_passages(buf.data, buf.length, NULL, NULL, NULL, 300, &out, &length, NULL), 0);
  assert_non_null(strstr(out, "Section 0"));
  skill_free(out);
  /* A text that fits is unchanged. */
  assert_int_equal(skill_context_passages("short", 5, NULL, "x", NULL, 300, &out, &length, NULL), 0);
  assert_string_equal(out, "short");
  skill_free(out);
  /* One very long line, and hardly any room. */
  assert_int_equal(skill_context_passages(buf.data, buf.length, NULL, "zeppelin", NULL, 50, &out, &length, NULL), 0);
  assert_true(skill_tokens_count(NULL, out, length) <= 60);
  skill_free(out);
  skill__buf_fini(&buf);
}

/* --- compaction --------------------------------------------------------------------------------------------------- */

static int compacted_skills;
static void on_event(const SkillEvent *event, void *user) {
  (void)user;
  compacted_skills += event->kind == SKILL_EVENT_COMPACTED && event->skill;
}

static void body(SkillConversation *talk, size_t number, const char *skill, size_t length) {
  char id[24];
  char origin[64];
  struct skill__buf buf;
  skill__buf_init(&buf, 1 << 20);
  words(&buf, length);
  snprintf(id, sizeof id, "b%zu", number);
  snprintf(origin, sizeof origin, "skill:%s", skill);
  SkillCall call = {id, "skill_open", "{}"};
  SkillMessage ask = {.role = SKILL_ROLE_ASSISTANT, .calls = &call, .call_count = 1};
  SkillMessage result = {
      .role = SKILL_ROLE_TOOL, .call_id = id, .text = buf.data, .text_length = buf.length, .origin = origin};
  assert_int_equal(skill_conversation_add(talk, &ask, NULL), 0);
  assert_int_equal(skill_conversation_add(talk, &result, NULL), 0);
  skill__buf_fini(&buf);
}

static void compaction_keeps_the_newest_bodies_within_its_limits(void **state) {
  (void)state;
  SkillConversation *talk = NULL;
  seed = 3;
  compacted_skills = 0;
  assert_int_equal(skill_conversation_new(&talk), 0);
  add(talk, SKILL_ROLE_USER, NULL, 5);
  body(talk, 1, "old", 800);
  body(talk, 2, "long", 3000);
  body(talk, 3, "new", 300);
  body(talk, 4, "long", 3000); /* opened again: only the latest counts */
  add(talk, SKILL_ROLE_ASSISTANT, NULL, 5);
  add(talk, SKILL_ROLE_USER, NULL, 5);
  SkillCompactOptions options = SKILL_COMPACT_OPTIONS_INIT;
  options.keep_tokens = 50;
  options.body_tokens = 1000;
  options.bodies_tokens = 2000;
  options.on_event = on_event;
  size_t removed = 0;
  assert_int_equal(skill_context_compact(talk, &options, &removed, NULL), 0);
  assert_true(removed >= 9);
  size_t tokens = 0;
  int seen_new = 0;
  int seen_long = 0;
  int seen_old = 0;
  for (size_t i = 0; i < skill_conversation_count(talk); i++) {
    const SkillMessage *message = skill_conversation_at(talk, i);
    if (!message->origin || strncmp(message->origin, "skill:", 6) != 0) continue;
    size_t n = skill__conversation_tokens(talk, i, NULL);
    assert_true(n <= 1010);
    tokens += n;
    seen_new += strcmp(message->origin, "skill:new") == 0;
    seen_long += strcmp(message->origin, "skill:long") == 0;
    seen_old += strcmp(message->origin, "skill:old") == 0;
  }
  assert_true(tokens <= 2020);
  assert_int_equal(seen_long, 1);
  assert_int_equal(seen_new, 1);
  assert_int_equal(seen_old, 0);
  assert_int_equal(compacted_skills, 1);
  const SkillMessage *summary = skill_conversation_at(talk, 0);
  assert_string_equal(summary->origin, "summary");
  assert_non_null(strstr(summary->text, "instructions of old went too"));
  assert_non_null(strstr(summary->text, "- called skill_open"));
  /* Nothing is left to compact, and a second compaction keeps the same messages. */
  assert_int_equal(skill_context_compact(talk, &options, &removed, NULL), 0);
  assert_int_equal(skill_conversation_open_calls(talk), 0);
  skill_conversation_free(talk);
}

static void compaction_waits_for_open_calls(void **state) {
  (void)state;
  SkillConversation *talk = NULL;
  size_t ids = 0;
  SkillCompactOptions options = SKILL_COMPACT_OPTIONS_INIT;
  assert_int_equal(skill_conversation_new(&talk), 0);
  add(talk, SKILL_ROLE_USER, NULL, 5);
  seed = 11;
  add_calls(talk, &ids, true);
  assert_int_equal(skill_context_compact(talk, &options, NULL, NULL), SKILL_EBUSY);
  skill_conversation_free(talk);
}

static void a_conversation_compacted_again_and_again_stays_small_and_valid(void **state) {
  (void)state;
  SkillConversation *talk = NULL;
  SkillCompactOptions options = SKILL_COMPACT_OPTIONS_INIT;
  size_t ids = 0;
  options.keep_tokens = 500;
  seed = 17;
  assert_int_equal(skill_conversation_new(&talk), 0);
  for (int i = 0; i < 300; i++) {
    add(talk, SKILL_ROLE_USER, NULL, 10);
    add_calls(talk, &ids, false);
    add(talk, SKILL_ROLE_ASSISTANT, NULL, 10);
    if (i % 10 == 9) assert_int_equal(skill_context_compact(talk, &options, NULL, NULL), 0);
  }
  assert_true(skill_conversation_count(talk) < 40);
  assert_true(skill_conversation_at(talk, 0)->text_length < 20000);
  skill_conversation_free(talk);
}

static void an_origin_has_a_kind_and_perhaps_a_name(void **state) {
  (void)state;
  static const struct {
    const char *origin;
    enum skill__origin kind;
    const char *name;
  } cases[] = {{NULL, SKILL__ORIGIN_NONE, NULL},
               {"mention:a:b", SKILL__ORIGIN_MENTION, "a:b"},
               {"skill:calc", SKILL__ORIGIN_SKILL, "calc"},
               {"tools:calc", SKILL__ORIGIN_TOOLS, "calc"},
               {"passages", SKILL__ORIGIN_PASSAGES, NULL},
               {"summary", SKILL__ORIGIN_SUMMARY, NULL},
               {"omission", SKILL__ORIGIN_OMISSION, NULL},
               {"skill", SKILL__ORIGIN_OTHER, NULL},
               {"skills:calc", SKILL__ORIGIN_OTHER, NULL},
               {"summary:x", SKILL__ORIGIN_OTHER, NULL},
               {"", SKILL__ORIGIN_OTHER, NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char buffer[SKILL__ORIGIN_SIZE];
    const char *name = NULL;
    assert_int_equal(skill__origin_read(cases[i].origin, &name), cases[i].kind);
    assert_true(name ? strcmp(name, cases[i].name) == 0 : !cases[i].name);
    if (name) assert_string_equal(skill__origin_write(cases[i].kind, name, buffer), cases[i].origin);
  }
  assert_true(skill__origin_is("skill:calc", SKILL__ORIGIN_SKILL, "calc"));
  assert_false(skill__origin_is("skill:calc", SKILL__ORIGIN_SKILL, "cal"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_origin_has_a_kind_and_perhaps_a_name),
      cmocka_unit_test(a_budget_is_divided_by_its_rules),
      cmocka_unit_test(a_compiled_context_keeps_its_promises),
      cmocka_unit_test(a_sliding_history_moves_in_steps),
      cmocka_unit_test(cache_marks_end_the_stable_parts),
      cmocka_unit_test(a_long_file_falls_back_to_its_best_passages),
      cmocka_unit_test(compaction_keeps_the_newest_bodies_within_its_limits),
      cmocka_unit_test(compaction_waits_for_open_calls),
      cmocka_unit_test(a_conversation_compacted_again_and_again_stays_small_and_valid),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
