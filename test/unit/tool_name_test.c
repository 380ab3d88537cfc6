/* SPDX-License-Identifier: MIT
 *
 * Names of tools as providers accept them.
 */
#include <string.h>

#include "lib/check.h"
#include "model/tool_name.h"

#define X60 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

static void names_become_acceptable(void **state) {
  (void)state;
  static const struct {
    const char *name, *fit, *distinct;
  } cases[] = {
      {"get_weather-2", "get_weather-2", "get_weather-2"},
      {"get weather", "get_weather", "get_weather_f7ed9c23"},
      {"file/读", "file__eed848be", "file__eed848be"},
      {"查询", "tool_4f4e184e", "tool_4f4e184e"},
      {"", "tool_811c9dc5", "tool_811c9dc5"},
      {X60 "1234", X60 "1234", X60 "1234"},
      {X60 "12345", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx_a05eb808",
       "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx_a05eb808"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char out[SKILL__TOOL_NAME];
    char again[SKILL__TOOL_NAME];
    skill__tool_name_fit(cases[i].name, false, out);
    assert_string_equal(out, cases[i].fit);
    skill__tool_name_fit(out, true, again); /* what the agent made passes the protocols unchanged */
    assert_string_equal(again, out);
    skill__tool_name_fit(cases[i].name, true, out);
    assert_string_equal(out, cases[i].distinct);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_become_acceptable),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
