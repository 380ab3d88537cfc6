/* SPDX-License-Identifier: MIT
 *
 * Running the program; see program.h.
 */
#include "lib/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "lib/check.h"

int program_run(const char *dir, const char *arguments, char **output) {
  char command[8192];
  snprintf(command, sizeof command, "cd '%s' && '%s' %s 2>stderr.txt", dir, SKILLET_PROGRAM, arguments);
  FILE *pipe = popen(command, "r");
  assert_non_null(pipe);
  size_t length = 0;
  size_t room = 1 << 16;
  char *text = malloc(room);
  size_t got;
  while ((got = fread(text + length, 1, room - length - 1, pipe)) > 0) {
    length += got;
    if (room - length < 4096) text = realloc(text, room *= 2);
  }
  text[length] = '\0';
  int status = pclose(pipe);
  if (output) {
    *output = text;
  } else {
    free(text);
  }
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

cJSON *program_json(const char *dir, const char *arguments, int want_status) {
  char *text = NULL;
  assert_int_equal(program_run(dir, arguments, &text), want_status);
  cJSON *json = cJSON_Parse(text);
  if (!json) print_error("skillet %s printed:\n%s\n", arguments, text);
  free(text);
  assert_non_null(json);
  return json;
}
