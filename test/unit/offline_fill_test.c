/* SPDX-License-Identifier: MIT
 *
 * Fills arguments from requests in English and Chinese: a table of schemas, requests and expected results.
 */
#include <string.h>

#include "lib/check.h"
#include "model/offline/fill.h"
#include "skillet/sys/alloc.h"

#define STRING(name) "\"" name "\":{\"type\":\"string\"}"
#define NUMBER(name) "\"" name "\":{\"type\":\"number\"}"
#define OBJECT(properties, required) "{\"type\":\"object\",\"properties\":{" properties "},\"required\":[" required "]}"

static const char convert[] = OBJECT(
    "\"value\":{\"type\":\"number\",\"description\":\"The quantity to convert\"},"
    "\"from\":{\"type\":\"string\",\"description\":\"Unit of the value, such as mile, kg, F, cup\"},"
    "\"to\":{\"type\":\"string\",\"description\":\"Unit wanted, such as km, lb, C, ml\"}",
    "\"value\",\"from\",\"to\"");
static const char loan[] = OBJECT(
    "\"amount\":{\"type\":\"number\",\"description\":\"Amount borrowed\",\"exclusiveMinimum\":0},"
    "\"rate\":{\"type\":\"number\",\"description\":\"Nominal annual interest rate in "
    "percent\",\"minimum\":0,\"maximum\":100},"
    "\"years\":{\"type\":\"number\",\"description\":\"Term in years\",\"exclusiveMinimum\":0,\"maximum\":100}",
    "\"amount\",\"rate\",\"years\"");
static const char dates[] = OBJECT(
    "\"start\":{\"type\":\"string\",\"format\":\"date\"},"
    "\"end\":{\"type\":\"string\",\"format\":\"date\"}",
    "\"start\",\"end\"");
static const char date_add[] = OBJECT(
    "\"start\":{\"type\":\"string\",\"format\":\"date\"},"
    "\"days\":{\"type\":\"integer\",\"description\":\"Days to add\"}",
    "\"start\",\"days\"");
static const char csv[] = OBJECT(
    "\"path\":{\"type\":\"string\",\"description\":\"CSV file\",\"default\":\"assets/orders.csv\"},"
    "\"delimiter\":{\"type\":\"string\",\"enum\":[\",\",\";\",\"|\"]}",
    "\"path\"");
static const char sum[] = OBJECT(
    "\"path\":{\"type\":\"string\",\"description\":\"File\",\"default\":\"SKILL.md\"},"
    "\"algorithm\":{\"type\":\"string\",\"enum\":[\"sha256\",\"sha512\"],\"default\":\"sha256\"}",
    "\"path\"");
static const char query[] = OBJECT(
    "\"file\":{\"type\":\"string\",\"description\":\"JSON file\"},"
    "\"path\":{\"type\":\"string\",\"description\":\"Path such as users[*].name\"}",
    "\"file\"");
static const char text[] = OBJECT(STRING("text"), "\"text\"");
static const char plan[] =
    OBJECT(STRING("tasks") ",\"hours_per_day\":{\"type\":\"number\",\"default\":6}", "\"tasks\"");
static const char weather[] =
    OBJECT(STRING("city") ",\"units\":{\"type\":\"string\",\"enum\":[\"metric\",\"imperial\"]}", "\"city\"");
static const char translate[] = OBJECT(STRING("text") "," STRING("target_language"), "\"text\",\"target_language\"");
static const char log_top[] = OBJECT(
    "\"path\":{\"type\":\"string\",\"description\":\"Log file\",\"default\":\"a.log\"},"
    "\"top\":{\"type\":\"integer\",\"default\":5,\"minimum\":1,\"maximum\":50}",
    "\"path\"");

static const struct {
  const char *schema;
  const char *request;
  const char *json;
  const char *missing;
} cases[] = {
    {convert, "convert 26.2 miles to kilometres", "{\"value\":26.2,\"from\":\"miles\",\"to\":\"kilometres\"}", ""},
    {convert, "How many kilometres are in 26.2 miles?", "{\"value\":26.2,\"from\":\"miles\",\"to\":\"kilometres\"}",
     ""},
    {convert, "How many kilometres are 26.2 miles?", "{\"value\":26.2,\"from\":\"miles\",\"to\":\"kilometres\"}", ""},
    {convert, "5 英里等于多少公里？", "{\"value\":5,\"from\":\"英里\",\"to\":\"公里\"}", ""},
    {convert, "convert from 3.5k miles to km", "{\"value\":3500,\"from\":\"miles\",\"to\":\"km\"}", ""},
    {convert, "what is 98.6 degrees Fahrenheit in Celsius, please?",
     "{\"value\":98.6,\"from\":\"Fahrenheit\",\"to\":\"Celsius\"}", ""},
    {convert, "Convert 1,250.5 square feet into square metres.",
     "{\"value\":1250.5,\"from\":\"square feet\",\"to\":\"square metres\"}", ""},
    {convert, "100 km/h to mph", "{\"value\":100,\"from\":\"km/h\",\"to\":\"mph\"}", ""},
    {convert, "5 英里换算成公里", "{\"value\":5,\"from\":\"英里\",\"to\":\"公里\"}", ""},
    {convert, "把35英里转换为公里", "{\"value\":35,\"from\":\"英里\",\"to\":\"公里\"}", ""},
    {convert, "-40 F to C", "{\"value\":-40,\"from\":\"F\",\"to\":\"C\"}", ""},
    {convert, "convert miles", "{}", "value, from, to"},
    {loan, "monthly payment for a $250,000 loan at 4.5% over 30 years", "{\"amount\":250000,\"rate\":4.5,\"years\":30}",
     ""},
    {loan, "30-year mortgage, 300k, 6.25 percent interest", "{\"amount\":300000,\"rate\":6.25,\"years\":30}", ""},
    {loan, "rate: 3.9, years = 15, amount is 120000", "{\"amount\":120000,\"rate\":3.9,\"years\":15}", ""},
    {loan, "贷款50万元，年利率4.1%，20年，每月还多少？", "{\"amount\":500000,\"rate\":4.1,\"years\":20}", ""},
    {loan, "a loan of $9,000 at 5%", "{\"amount\":9000,\"rate\":5}", "years"},
    {dates, "how many days between 2026-03-01 and 2026-12-24?", "{\"start\":\"2026-03-01\",\"end\":\"2026-12-24\"}",
     ""},
    {dates, "from March 1, 2026 to 24 Dec 2026", "{\"start\":\"2026-03-01\",\"end\":\"2026-12-24\"}", ""},
    {dates, "2026年3月1日到2026年12月24日有多少天", "{\"start\":\"2026-03-01\",\"end\":\"2026-12-24\"}", ""},
    {dates, "days from 3/1/2026 until 24.12.2026", "{\"start\":\"2026-03-01\",\"end\":\"2026-12-24\"}", ""},
    {dates, "days until 2026-02-31", "{}", "start, end"},
    {date_add, "what date is 45 days after 2026-03-01", "{\"start\":\"2026-03-01\",\"days\":45}", ""},
    {csv, "profile sales/q3.csv; thanks", "{\"path\":\"sales/q3.csv\"}", ""},
    {csv, "what is in this CSV?", "{\"path\":\"assets/orders.csv\"}", ""},
    {csv, "分析订单.csv的数据", "{\"path\":\"分析订单.csv\"}", ""},
    {csv, "请分析orders.csv，谢谢", "{\"path\":\"orders.csv\"}", ""},
    {sum, "sha512 of ~/Downloads/debian.iso", "{\"path\":\"~/Downloads/debian.iso\",\"algorithm\":\"sha512\"}", ""},
    {query, "get users[*].name from assets/team.json", "{\"file\":\"assets/team.json\",\"path\":\"users[*].name\"}",
     ""},
    {text, "count the words in \"to be or not to be\"", "{\"text\":\"to be or not to be\"}", ""},
    {text, "统计字数：春眠不觉晓，处处闻啼鸟。", "{\"text\":\"春眠不觉晓，处处闻啼鸟。\"}", ""},
    {text, "统计“床前明月光”的字数", "{\"text\":\"床前明月光\"}", ""},
    {text, "don't count this", "{\"text\":\"don't count this\"}", ""},
    {plan, "plan my week: report 6h by Wed; email 1h", "{\"tasks\":\"report 6h by Wed; email 1h\"}", ""},
    {weather, "weather, city: Oslo, metric", "{\"city\":\"Oslo\",\"units\":\"metric\"}", ""},
    {weather, "city \"New York\"", "{\"city\":\"New York\"}", ""},
    {weather, "what is the weather like?", "{}", "city"},
    {translate, "translate \"good morning\" to French", "{\"text\":\"good morning\",\"target_language\":\"French\"}",
     ""},
    {translate, "translate 'it's time to go' to French",
     "{\"text\":\"it's time to go\",\"target_language\":\"French\"}", ""},
    {log_top, "version 1.2.3 of app.log, top 8", "{\"path\":\"app.log\",\"top\":8}", ""},
    {log_top, "top 80 of https://x.org/a.log", "{\"path\":\"https://x.org/a.log\"}", ""},
    {"not a schema", "anything 5", "{}", ""},
    {NULL, "", "{}", ""},
};

static void requests_fill_arguments(void **state) {
  (void)state;
  size_t failed = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct skill__offline_fill fill;
    assert_int_equal(skill__offline_fill(cases[i].schema, cases[i].request, &fill), 0);
    if (strcmp(fill.json, cases[i].json) != 0 || strcmp(fill.missing, cases[i].missing) != 0) {
      print_error("%s\n  want %s missing '%s'\n  have %s missing '%s'\n", cases[i].request, cases[i].json,
                  cases[i].missing, fill.json, fill.missing);
      failed++;
    }
    skill_free(fill.json);
  }
  assert_int_equal(failed, 0);
}

static void the_score_counts_what_is_used_and_what_is_not(void **state) {
  (void)state;
  struct skill__offline_fill fill;
  const char *request = "days after 2026-03-01: 45, and by the way 7 and \"blue\"";
  assert_int_equal(skill__offline_fill(date_add, request, &fill), 0);
  assert_float_equal(fill.score, 2 - 2 * 0.75, 1e-9); /* two taken, two unused */
  skill_free(fill.json);
  assert_int_equal(skill__offline_fill(csv, "profile it", &fill), 0);
  assert_float_equal(fill.score, -0.25, 1e-9); /* one default */
  skill_free(fill.json);
}

static void random_requests_give_valid_objects(void **state) {
  (void)state;
  static const char *const bits[] = {"26.2 ",
                                     "miles ",
                                     "to ",
                                     "\"",
                                     "'",
                                     "\xE4\xB8\x87",
                                     "$",
                                     "-",
                                     "%",
                                     "2026-01-",
                                     "/",
                                     ".csv ",
                                     "{",
                                     "[",
                                     "\xFF",
                                     "from ",
                                     "\xE4\xB8\x89\xE5\x8D\x81",
                                     ":",
                                     "=",
                                     "1e9",
                                     "(",
                                     "@x.y ",
                                     "\n"};
  static const char *const schemas[] = {convert, loan, dates, csv, query, weather, text, translate};
  unsigned seed = 7;
  for (int i = 0; i < 3000; i++) {
    char request[256] = "";
    for (int k = 0; k < 12; k++) {
      seed = seed * 1103515245u + 12345u;
      strncat(request, bits[(seed >> 16) % (sizeof bits / sizeof *bits)], sizeof request - strlen(request) - 1);
    }
    struct skill__offline_fill fill;
    const char *schema = schemas[(size_t)i % (sizeof schemas / sizeof *schemas)];
    assert_int_equal(skill__offline_fill(schema, request, &fill), 0);
    assert_int_equal(fill.json[0], '{');
    assert_int_equal(fill.json[strlen(fill.json) - 1], '}');
    skill_free(fill.json);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(requests_fill_arguments),
      cmocka_unit_test(the_score_counts_what_is_used_and_what_is_not),
      cmocka_unit_test(random_requests_give_valid_objects),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
