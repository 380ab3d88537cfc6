/* SPDX-License-Identifier: MIT
 *
 * See aimock.h.
 */
#include "lib/aimock.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/check.h"

#define NPM SKILLET_SOURCE_DIR "/test/npm"

static pid_t server;
static FILE *output; /* stays open: the server keeps writing to it */
static char url[64];

static void become_server(const char *answers, int out) {
  char path[512];
  snprintf(path, sizeof path, NPM "/%s", answers);
  dup2(out, 1);
  dup2(out, 2);
  execl(NPM "/node_modules/.bin/llmock", "llmock", "-p", "0", "-f", path, "--strict", "-c", "7", (char *)NULL);
  _exit(127);
}

const char *aimock_start(const char *answers) {
  int fd[2];
  if (access(NPM "/node_modules/.bin/llmock", X_OK) != 0) return NULL;
  assert_int_equal(pipe(fd), 0);
  server = fork();
  if (server == 0) become_server(answers, fd[1]);
  close(fd[1]);
  output = fdopen(fd[0], "r");
  char line[512];
  url[0] = '\0';
  while (output && !url[0] && fgets(line, sizeof line, output)) {
    const char *at = strstr(line, "http://127.0.0.1:");
    if (at) snprintf(url, sizeof url, "%.*s/v1", (int)strcspn(at, " \n"), at);
  }
  if (url[0]) return url;
  aimock_stop();
  return NULL;
}

void aimock_stop(void) {
  if (server > 0) {
    kill(server, SIGKILL);
    waitpid(server, NULL, 0);
  }
  server = 0;
  if (output) fclose(output);
  output = NULL;
}
