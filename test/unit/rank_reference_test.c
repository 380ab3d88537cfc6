/* SPDX-License-Identifier: MIT
 *
 * The ranker against the naive reference: the same scores and fits for every skill, and the two-stage search against
 * the exhaustive one.
 */
#include "lib/reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/check.h"
#include "lib/labelled.h"
#include "rank/text/analyze.h"

enum { TOP = 5, WORST_REPORTED = 3 };
#define TABLE SKILLET_SOURCE_DIR "/data/terms.skt"
#define NEAR_ENOUGH 1e-6

static struct skill__terms *table;

static int open_table(void **state) {
  (void)state;
  return skill__terms_open(skill_io_posix(), TABLE, SKILL__ANALYZER_VERSION, &table, NULL);
}

static int close_table(void **state) {
  (void)state;
  skill__terms_free(table);
  return 0;
}

struct ranking {
  SkillScorer scorer;
  bool with_table;
};

static SkillRanker *make_ranker(struct ranking how, const struct reference_skill *skills, size_t count) {
  SkillRankerOptions options = SKILL_RANKER_OPTIONS_INIT;
  SkillRanker *ranker = NULL;
  options.scorer = how.scorer;
  options.table = how.with_table ? TABLE : "";
  assert_int_equal(skill_ranker_new(&options, &ranker, NULL), 0);
  for (size_t i = 0; i < count; i++) {
    const char *body = skills[i].body;
    assert_int_equal(skill_ranker_add(ranker, &skills[i].metadata, body, body ? strlen(body) : 0, NULL), 0);
  }
  return ranker;
}

static const SkillRankResult *result_of(const SkillRanking *ranking, const char *name) {
  for (size_t i = 0; i < ranking->count; i++)
    if (strcmp(ranking->results[i]->name, name) == 0) return ranking->results[i];
  return NULL;
}

/* The ranker adds in single precision. A score may be a small difference of large sums, so below .1 the difference is
 * absolute. */
static bool equal(double a, double b) {
  return fabs(a - b) <= NEAR_ENOUGH * fmax(.1, fmax(fabs(a), fabs(b)));
}

static unsigned compare(const SkillRanking *ranking, const struct reference_skill *skills,
                        const struct reference_score *want, size_t count, const char *text) {
  unsigned wrong = 0;
  for (size_t i = 0; i < count; i++) {
    const SkillRankResult *got = result_of(ranking, skills[i].metadata.name);
    if (!got && !want[i].found) continue;
    if (got && want[i].found && equal(got->score, want[i].score) && equal(got->fit, want[i].fit)) continue;
    if (wrong++ < WORST_REPORTED)
      fprintf(stderr, "\"%.60s\": %s: score %.9g fit %.9g, by the formulas %s %.9g %.9g\n", text,
              skills[i].metadata.name, got ? got->score : NAN, got ? got->fit : NAN, want[i].found ? "" : "none",
              want[i].score, want[i].fit);
  }
  return wrong;
}

static bool same_top(const SkillRanking *a, const SkillRanking *b) {
  size_t n = a->count < TOP ? a->count : TOP;
  if ((b->count < TOP ? b->count : TOP) != n) return false;
  for (size_t i = 0; i < n; i++)
    if (strcmp(a->results[i]->name, b->results[i]->name) != 0) return false;
  return true;
}

/* How many of the first of `a` are among the first of `b`. */
static size_t shared_top(const SkillRanking *a, const SkillRanking *b) {
  size_t count = 0;
  for (size_t i = 0; i < a->count && i < TOP; i++) {
    for (size_t k = 0; k < b->count && k < TOP; k++) count += !strcmp(a->results[i]->name, b->results[k]->name);
  }
  return count;
}

struct tally {
  unsigned queries, wrong;
  unsigned same; /* queries whose first results are equal in order */
  size_t shared, first;
};

/* One query: `ask` of the ranker, `text` of the reference. */
static void check_query(SkillRanker *ranker, struct reference *reference, const struct reference_skill *skills,
                        size_t count, const SkillQuery *ask, const struct reference_query *query, struct tally *tally) {
  struct reference_score *want = calloc(count + 1, sizeof *want);
  SkillRanking *exhaustive = NULL, *staged = NULL;
  SkillQuery all = *ask, two = *ask;
  all.exhaustive = true;
  all.floor = two.floor = -1;
  all.limit = count + 1;
  two.limit = TOP;
  reference_rank(reference, query, want);
  assert_int_equal(skill_ranker_query(ranker, &all, &exhaustive, NULL), 0);
  assert_int_equal(skill_ranker_query(ranker, &two, &staged, NULL), 0);
  tally->queries++;
  tally->wrong += compare(exhaustive, skills, want, count, query->text);
  tally->same += same_top(exhaustive, staged);
  tally->shared += shared_top(exhaustive, staged);
  tally->first += exhaustive->count < TOP ? exhaustive->count : TOP;
  skill_ranking_free(exhaustive);
  skill_ranking_free(staged);
  free(want);
}

static struct tally check(struct ranking how, const struct reference_skill *skills, size_t count, const char **queries,
                          size_t query_count) {
  struct tally tally = {0, 0, 0, 0, 0};
  SkillRanker *ranker = make_ranker(how, skills, count);
  struct reference *reference = reference_new(skills, count, how.with_table ? table : NULL, how.scorer);
  for (size_t i = 0; i < query_count; i++) {
    SkillQuery ask = {.size = sizeof(SkillQuery), .text = queries[i]};
    struct reference_query query = {.text = queries[i]};
    check_query(ranker, reference, skills, count, &ask, &query, &tally);
  }
  reference_free(reference);
  skill_ranker_free(ranker);
  return tally;
}

static const struct ranking ways[] = {
    {SKILL_SCORER_BM25F, false}, {SKILL_SCORER_BM25F, true}, {SKILL_SCORER_ADDITIVE, false}};
static const char *const way_names[] = {"words", "table", "additive"};

/* --- fixed catalogues --------------------------------------------------------------------------------------------- */

static const char schema[] =
    "{\"type\":\"object\",\"properties\":{\"city_name\":{\"type\":\"string\",\"description\":\"The city, or its "
    "airport\"},"
    "\"unit\":{\"enum\":[\"celsius\",\"fahrenheit\",3]},\"days\":{\"type\":\"array\",\"items\":{\"properties\":{"
    "\"date\":"
    "{\"description\":\"day of the "
    "forecast\"},\"more\":{\"properties\":{\"deep\":{\"properties\":{\"deepest\":{\"properties\":"
    "{\"unread\":{}}}}}}}}}}}}";

static const SkillTool weather_tools[] = {
    {.name = "current-weather", .description = "Weather of a city now", .input_schema = schema},
    {.name = "forecastDaily", .description = "Forecast for the next days, weather and wind", .input_schema = schema},
    {.name = "alerts", .description = "Storm warnings", .input_schema = "no schema"}};
static const SkillTool mail_tools[] = {{.name = "send", .description = "Sends an email with attachments"},
                                       {.name = "search_mail", .description = "Finds old emails"}};
static const SkillTool single_tool[] = {
    {.name = "pdf-merge", .description = "Joins PDF files", .input_schema = "{\"properties\":{\"files\":{}}}"}};
static const SkillTool other_tool[] = {{.name = "resize", .description = "Changes the size of an image"}};

static const char *const pdf_tags[] = {"PDF", "documents"}, *const image_tags[] = {"image processing", "photos"},
                         *const zh_tags[] = {"\u7ffb\u8bd1"};
static const char *const mail_triggers[] = {"write to somebody", "inbox"};

/* Those with several tools are last, so that a shorter catalogue has no groups. */
static const struct reference_skill fixed[] = {
    {{.name = "pdf-merge",
      .description = "Merges PDF files into one PDF file",
      .source = "team@1",
      .tags = {pdf_tags, 2},
      .tools = single_tool,
      .tool_count = 1},
     "# Merge\nMerge the files in the order given. Merge, then check the page count of the merged file."},
    {{.name = "imageResize",
      .description = "Resizes images and photos, keeps their ratio",
      .tags = {image_tags, 2},
      .category = "media",
      .tools = other_tool,
      .tool_count = 1},
     NULL},
    {{.name = "photo-cleaner",
      .description = "Cleans photos",
      .when_not_to_use = "Do not use it to resize images or photos, or to merge PDF files"},
     "Remove dust and scratches from scanned photos. Ask for the resolution before you begin."},
    {{.name = "translate",
      .description = "\u628a\u82f1\u6587\u6587\u4ef6\u7ffb\u8bd1\u6210\u4e2d\u6587",
      .tags = {zh_tags, 1}},
     NULL},
    {{.name = "git_log-reader",
      .description = "Reads the history of a GitHub repository",
      .when_to_use = "who changed a line"},
     "git log --follow shows the history of one file. Rebase before you read."},
    {{.name = "secret", .description = "Resizes images too, but is not listed", .unlisted = true}, NULL},
    {{.name = "deploy", .description = "Deploys the repository", .disable_model_invocation = true}, "merge and deploy"},
    {{.name = "weather", .description = "Weather for any city", .tools = weather_tools, .tool_count = 3},
     "Call alerts first."},
    {{.name = "mail",
      .description = "Email",
      .triggers = {mail_triggers, 2},
      .when_not_to_use = "weather alerts",
      .tools = mail_tools,
      .tool_count = 2},
     NULL},
};
enum { FIXED = sizeof fixed / sizeof *fixed, WITHOUT_GROUPS = FIXED - 2 };

static const char *fixed_queries[] = {
    "merge PDF files",
    "Please merge two PDF files into one PDF file, and then resize the images. Thanks.",
    "resize images",
    "resize images or photos",
    "image processing",
    "dust and scratches from scanned photos",
    "Remove dust and scratches from scanned photos; zorblax",
    "how do I remove the dust from scanned photos with a quantumbrush",
    "\u628a\u6587\u4ef6\u7ffb\u8bd1\u6210\u6cd5\u6587\u3002\u7136\u540e\u53d1\u90ae\u4ef6",
    "\u7ffb",
    "\u4f1a\u8bae\u8bb0\u5f55",
    "GitHub history",
    "who changed this line, github repository",
    "weather in Paris for the next days",
    "the WEATHER of today",
    "current weather of a city, in celsius. Storm? Also send an email with attachments",
    "weather weather weather alerts",
    "send a mail",
    "merge. files. photos. weather",
    "a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a "
    "a a a a "
    "a a mail pdf-merge translate",
    "a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a "
    "a a a a "
    "a mail pdf-merge translate",
    "- merge files\n- resize photos\n- wind",
    "Merge all of the \"PDF files\". Resize the images (or photos). The weather 'in a city'? Merge A. Photos",
    "pdf-merge",
    "PDF MERGE",
    "run pdf-merge, please",
    "use (imageResize) and git_log-reader.",
    "im",
    "we",
    "merge pdf files,\tthen resize images\talso tell the weather",
    "git log",
    "quantumbrush zorblax",
    "deepest unread",
    "fahrenheit or celsius",
    "",
    "the of and",
    "write to somebody: merge files, and resize images, then translate into English; finally deploy the repository",
    ("pdf pdf pdf files files merge merge of the history of a repository who changed the weather warnings storm wind "
     "forecast days attachments email translated photos ratio scratches resolution dust scanned order given page "
     "count"),
};
enum { FIXED_QUERIES = sizeof fixed_queries / sizeof *fixed_queries };

static void fixed_catalogues_score_as_the_formulas_say(void **state) {
  (void)state;
  static const size_t counts[] = {FIXED, WITHOUT_GROUPS, 1};
  for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
      assert_int_equal(check(ways[w], fixed, counts[i], fixed_queries, FIXED_QUERIES).wrong, 0);
}

/* The parts of an explanation add up to the score, but for what a name gives, at least 1, and for a sum of words below
 * 0, which counts as 0. */
static void check_explanation(const SkillRankResult *result) {
  double sum = 0, words = 0;
  for (size_t i = 0; i < result->term_count; i++) {
    const SkillRankTerm *term = result->terms[i];
    bool of_words = strcmp(term->field, "piece") != 0 && strcmp(term->field, "table") != 0;
    sum += term->score;
    words += of_words ? term->score : 0;
  }
  double rest = result->score - (words < 0 ? sum - words : sum);
  assert_true(fabs(rest) < 1e-4 || rest > 1 - 1e-4);
}

static void explanations_add_up_to_the_score(void **state) {
  (void)state;
  for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
    SkillRanker *ranker = make_ranker(ways[w], fixed, FIXED);
    for (size_t i = 0; i < FIXED_QUERIES; i++) {
      SkillQuery query = {
          .size = sizeof(SkillQuery), .text = fixed_queries[i], .floor = -1, .limit = FIXED, .explain = true};
      SkillRanking *ranking = NULL;
      assert_int_equal(skill_ranker_query(ranker, &query, &ranking, NULL), 0);
      for (size_t k = 0; k < ranking->count; k++) check_explanation(ranking->results[k]);
      skill_ranking_free(ranking);
    }
    skill_ranker_free(ranker);
  }
}

/* Queries of the search grammar, what they leave to rank, and the skills that meet their conditions. */
static struct filtered {
  const char *ask, *text;
  char shown[96];
  bool conditions;
} filtered[] = {
    {"+photos resize", "photos resize ", " imageResize photo-cleaner ", true},
    {"+\"PDF files\" merge", "PDF files merge ", " pdf-merge ", true},
    {"\"pdf files\" merge", "pdf files merge ", " pdf-merge ", true},
    {"-photos resize images", "resize images ", " pdf-merge translate git_log-reader weather mail ", true},
    {"-\"PDF file\" merge photos", "merge photos ", " imageResize photo-cleaner translate git_log-reader weather mail ",
     true},
    {"+merge photos", "merge photos ", " pdf-merge ", true}, /* one has it in when_not_to_use only */
    {"\"\u6587\u4ef6\"", "\u6587\u4ef6 ", " translate ", true},
    {"source:\"Team@1\"", "", " pdf-merge ", true},
    {"photos\r+merge", "photos merge ", " pdf-merge ", true},
    {"photos\t+merge", "photos merge ", " pdf-merge ", true},
    {"tag:PDF", "", " pdf-merge ", true},
    {"-tag:pdf merge photos", "merge photos ", " imageResize photo-cleaner translate git_log-reader weather mail ",
     true},
    {"+quantumbrush merge", "quantumbrush merge ", " ", true},
    {"-quantumbrush merge", "merge ", " pdf-merge imageResize photo-cleaner translate git_log-reader weather mail ",
     false},
    {"merge files", "merge files ", " pdf-merge imageResize photo-cleaner translate git_log-reader weather mail ",
     false},
};

static bool is_shown(void *user, const SkillMetadata *of) {
  char name[64];
  snprintf(name, sizeof name, " %s ", of->name);
  return strstr(user, name) != NULL;
}

static void filtered_catalogues_score_as_the_formulas_say(void **state) {
  (void)state;
  struct tally tally = {0, 0, 0, 0, 0};
  for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
    SkillRanker *ranker = make_ranker(ways[w], fixed, FIXED);
    struct reference *reference = reference_new(fixed, FIXED, ways[w].with_table ? table : NULL, ways[w].scorer);
    for (size_t i = 0; i < sizeof filtered / sizeof *filtered; i++) {
      SkillQuery ask = {.size = sizeof(SkillQuery), .text = filtered[i].ask, .grammar = true};
      struct reference_query query = {filtered[i].text, filtered[i].conditions, is_shown, filtered[i].shown};
      check_query(ranker, reference, fixed, FIXED, &ask, &query, &tally);
    }
    reference_free(reference);
    skill_ranker_free(ranker);
  }
  assert_int_equal(tally.wrong, 0);
}

/* --- random catalogues -------------------------------------------------------------------------------------------- */

static const char *const vocabulary[] = {
    "merge",        "file",         "files",   "photo",      "image",     "weather",  "city",          "send",
    "email",        "GitHub",       "git-log", "repository", "read_csv",  "table",    "translateText", "\u7ffb\u8bd1",
    "\u6587\u4ef6", "\u90ae\u4ef6", "\u53d1",  "zorblax",    "qix",       "storm",    "warning",       "report",
    "summary",      "PDFs",         "C++",     "node.js",    "caf\u00e9", "forecast", "invoice",       "calendar"};
static const char *const joints[] = {" ",  " ",      " ",  " ",      " ",    " ",     " ",
                                     ". ", ", and ", "; ", " then ", "\n- ", "\u3002"};
enum { WORDS = sizeof vocabulary / sizeof *vocabulary, JOINTS = sizeof joints / sizeof *joints };
enum { CATALOGUES = 12, SKILLS_MOST = 60, QUERIES = 12 };

static uint32_t random_state;

static size_t random_below(size_t count) {
  random_state = random_state * 1664525u + 1013904223u;
  return (random_state >> 8) % count;
}

/* Up to `most` words; NULL one time in three unless `always`. */
static const char *random_text(struct skill__arena *arena, size_t most, bool always) {
  char text[2048] = "";
  if (!always && random_below(3) == 0) return NULL;
  for (size_t n = 1 + random_below(most), i = 0; i < n; i++) {
    if (i) strcat(text, joints[random_below(JOINTS)]);
    /* squared: few words are common, most are rare */
    strcat(text, vocabulary[random_below(WORDS) * random_below(WORDS) / WORDS]);
  }
  return skill__arena_strdup(arena, text);
}

static const char *random_schema(struct skill__arena *arena) {
  char text[4096];
  if (random_below(2)) return NULL;
  snprintf(text, sizeof text, "{\"properties\":{\"%s\":{\"enum\":[\"%s\",\"%s\"]},\"%s\":{}}}",
           vocabulary[random_below(WORDS)], vocabulary[random_below(WORDS)], vocabulary[random_below(WORDS)],
           vocabulary[random_below(WORDS)]);
  return skill__arena_strdup(arena, text);
}

static void random_skill(struct skill__arena *arena, size_t number, bool groups, struct reference_skill *skill) {
  SkillMetadata *m = &skill->metadata;
  char name[128];
  snprintf(name, sizeof name, "%s-%s%zu", vocabulary[random_below(WORDS)], vocabulary[random_below(WORDS)], number);
  memset(skill, 0, sizeof *skill);
  m->name = skill__arena_strdup(arena, name);
  m->description = random_text(arena, 12, true);
  m->when_to_use = random_text(arena, 5, false);
  m->when_not_to_use = random_below(3) ? NULL : random_text(arena, 8, false);
  m->category = random_text(arena, 1, false);
  skill->body = random_below(2) ? NULL : random_text(arena, 40, false);
  SkillTool *tools = skill__arena_alloc(arena, 4 * sizeof *tools);
  memset(tools, 0, 4 * sizeof *tools);
  m->tools = tools;
  m->tool_count = random_below(groups ? 5 : 2);
  for (size_t i = 0; i < m->tool_count; i++)
    tools[i] = (SkillTool){.name = random_text(arena, 2, true),
                           .description = random_text(arena, 6, false),
                           .input_schema = random_schema(arena)};
}

/* The same scores whatever was removed, and with one segment or several. */
static void check_after_removals(struct ranking how, const struct reference_skill *skills, size_t count,
                                 const char **queries) {
  struct tally tally = {0, 0, 0, 0, 0};
  size_t kept = count / 2;
  SkillRanker *ranker = make_ranker(how, skills + kept, count - kept);
  struct reference *reference = reference_new(skills, kept, how.with_table ? table : NULL, how.scorer);
  for (size_t i = 0; i < count; i++) {
    SkillRankSnapshot *snapshot = NULL;
    if (i % 5 == 0) { /* closes a segment */
      assert_int_equal(skill_ranker_snapshot(ranker, &snapshot), 0);
      skill_rank_snapshot_release(snapshot);
    }
    const char *body = skills[i].body;
    if (i < kept)
      assert_int_equal(skill_ranker_add(ranker, &skills[i].metadata, body, body ? strlen(body) : 0, NULL), 0);
    else
      assert_int_equal(skill_ranker_remove(ranker, skills[i].metadata.name), 0);
  }
  for (size_t i = 0; i < QUERIES; i++) {
    SkillQuery ask = {.size = sizeof(SkillQuery), .text = queries[i]};
    struct reference_query query = {.text = queries[i]};
    check_query(ranker, reference, skills, kept, &ask, &query, &tally);
  }
  reference_free(reference);
  skill_ranker_free(ranker);
  assert_int_equal(tally.wrong, 0);
}

static void random_catalogues_score_as_the_formulas_say(void **state) {
  (void)state;
  for (size_t c = 0; c < CATALOGUES; c++) {
    struct skill__arena arena = {NULL};
    struct reference_skill skills[SKILLS_MOST];
    const char *queries[QUERIES];
    random_state = (uint32_t)c;
    size_t count = 1 + random_below(SKILLS_MOST);
    for (size_t i = 0; i < count; i++) random_skill(&arena, i, c % 3 != 0, &skills[i]);
    for (size_t i = 0; i < QUERIES; i++) queries[i] = random_text(&arena, i < QUERIES / 2 ? 4 : 20, true);
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
      assert_int_equal(check(ways[w], skills, count, queries, QUERIES).wrong, 0);
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) check_after_removals(ways[w], skills, count, queries);
    skill__arena_fini(&arena);
  }
}

/* --- labelled sets ------------------------------------------------------------------------------------------------ */

/* Some queries of a set, since the reference is slow. */
static void check_set(const char *folder, size_t most, struct tally *tallies) {
  struct labelled set;
  if (!labelled_read(&set, folder)) {
    print_message("skipped: no %s\n", folder);
    return;
  }
  size_t step = set.query_count / most + 1, count = 0;
  for (size_t i = 0; i < set.query_count; i += step) set.queries[count++] = set.queries[i];
  for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
    struct tally t = check(ways[w], set.skills, set.skill_count, set.queries, count);
    assert_int_equal(t.wrong, 0);
    tallies[w].queries += t.queries;
    tallies[w].same += t.same;
    tallies[w].shared += t.shared;
    tallies[w].first += t.first;
  }
  labelled_free(&set);
}

/* Without a table the first stage loses nothing. With one the spread of scores is estimated, which moves the weight of
 * the vectors and so the order of results that are close to each other: of the first five, 95 % are the same skills in
 * these sets (docs/ranking.md, "Two stages"). */
static void the_two_stage_search_finds_what_the_exhaustive_one_finds(const struct tally *tallies) {
  static const double least[] = {.99, .9, 1};
  for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
    const struct tally *t = &tallies[w];
    double share = (double)t->shared / (double)t->first;
    print_message("%s: %u queries; two stages find %.3f of the first five, all in their order for %u\n", way_names[w],
                  t->queries, share, t->same);
    assert_true(share >= least[w]);
  }
}

static void labelled_sets_score_as_the_formulas_say(void **state) {
  (void)state;
  struct tally tallies[3] = {{0, 0, 0, 0, 0}};
  check_set(SKILLET_TEST_DATA "/eval", 100, tallies);
  check_set(SKILLET_TEST_DATA "/eval-ja", 100, tallies);
  check_set(SKILLET_TEST_DATA "/eval-ko", 100, tallies);
  check_set(SKILLET_SHARED "/data/restbench", 40, tallies);
  check_set(SKILLET_SHARED "/data/livemcpbench", 10, tallies);
  check_set(SKILLET_SHARED "/data/mcpproxy-golden", 25, tallies);
  check_set(SKILLET_SHARED "/data/tooleyes", 40, tallies);
  the_two_stage_search_finds_what_the_exhaustive_one_finds(tallies);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fixed_catalogues_score_as_the_formulas_say),
      cmocka_unit_test(explanations_add_up_to_the_score),
      cmocka_unit_test(filtered_catalogues_score_as_the_formulas_say),
      cmocka_unit_test(random_catalogues_score_as_the_formulas_say),
      cmocka_unit_test(labelled_sets_score_as_the_formulas_say),
  };
  return cmocka_run_group_tests_name("rank_reference", tests, open_table, close_table);
}
