/* SPDX-License-Identifier: MIT
 *
 * JSON arguments as a command line. The input is a schema, a line with "---", and arguments. Nothing may crash. Each
 * item becomes one string, and no value that begins with '-' comes before a "--" without its option.
 */
#include <string.h>

#include "fuzz/fuzz.h"
#include "process/arguments.h"
#include "skillet/process.h"
#include "util/alloc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = size < 65536 ? skill__strndup((const char *)data, size) : NULL;
  char *line = text ? strstr(text, "\n---\n") : NULL;
  if (line) {
    *line = '\0';
    struct skill__argv argv = {0};
    struct skill__buf input;
    bool has_input = false;
    SkillError err = SKILL_ERROR_INIT;
    skill__buf_init(&input, SKILL_PROCESS_MAX_INPUT);
    int rc = skill__arguments_map(line + 5, text, &argv, &input, &has_input, &err);
    FUZZ_CHECK(rc == 0 || err.message[0]);
    for (size_t i = 0; rc == 0 && i < argv.count; i++) FUZZ_CHECK(argv.items[i] != NULL);
    skill__argv_fini(&argv);
    skill__buf_fini(&input);
  }
  skill__free(text);
  return 0;
}
