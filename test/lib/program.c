/* SPDX-License-Identifier: MIT
 *
 * See program.h.
 */
#include "lib/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "lib/check.h"

static FILE *start(const char *line) {
  FILE *pipe = popen(line, "r");
  assert_non_null(pipe);
  return pipe;
}

static int end(FILE *pipe) {
  int status = pclose(pipe);
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

int program_shell(const char *line, char *output, size_t size) {
  FILE *pipe = start(line);
  size_t length = fread(output, 1, size, pipe);
  if (length == size) fail_msg("more than %zu bytes come of: %s", size - 1, line);
  output[length] = '\0';
  return end(pipe);
}

int program_run(const char *dir, const char *arguments, char **output) {
  char command[8192];
  snprintf(command, sizeof command, "cd '%s' && '%s' %s 2>stderr.txt", dir, SKILLET_PROGRAM, arguments);
  FILE *pipe = start(command);
  size_t length = 0;
  size_t room = 1 << 16;
  char *text = malloc(room);
  size_t got;
  while ((got = fread(text + length, 1, room - length - 1, pipe)) > 0) {
    length += got;
    if (room - length < 4096) text = realloc(text, room *= 2);
  }
  text[length] = '\0';
  if (output) {
    *output = text;
  } else {
    free(text);
  }
  return end(pipe);
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
