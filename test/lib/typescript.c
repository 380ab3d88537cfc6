/* SPDX-License-Identifier: MIT
 *
 * See typescript.h. A failed assertion fails the calling test.
 */
#include "lib/typescript.h"

#include <unistd.h>
#include <uv.h>

#include "lib/check.h"
#include "skillet/process.h"

#define NPM SKILLET_SOURCE_DIR "/test/npm"

static char output[16384];
static int exit_code;

static void on_compiled(const SkillProcessResult *result, void *user) {
  (void)user;
  exit_code = result->status ? result->status : result->exit_code;
  snprintf(output, sizeof output, "%s%s", result->out, result->err);
}

int typescript_check(const char *dir) {
  uv_loop_t loop;
  const char *argv[] = {"node",
                        NPM "/node_modules/typescript/lib/tsc.js",
                        "--noEmit",
                        "--strict",
                        "--skipLibCheck",
                        "--target",
                        "es2022",
                        "--module",
                        "nodenext",
                        "--moduleResolution",
                        "nodenext",
                        "check.ts",
                        NULL};
  SkillProcessOptions options = SKILL_PROCESS_OPTIONS_INIT;
  options.argv = argv;
  options.folder = dir;
  options.sandbox = SKILL_SANDBOX_OFF;
  options.limits.memory_bytes = (uint64_t)8 * 1024 * 1024 * 1024;
  exit_code = -1;
  assert_int_equal(uv_loop_init(&loop), 0);
  assert_int_equal(skill_process_start(&loop, &options, on_compiled, NULL, NULL, NULL), 0);
  uv_run(&loop, UV_RUN_DEFAULT);
  uv_loop_close(&loop);
  return exit_code;
}

const char *typescript_said(void) {
  return output;
}

bool typescript_there(void) {
  return access(NPM "/node_modules/typescript/lib/tsc.js", R_OK) == 0;
}

FILE *typescript_open(const char *dir) {
  char path[5000];
  snprintf(path, sizeof path, "%s/node_modules", dir);
  unlink(path);
  assert_int_equal(symlink(NPM "/node_modules", path), 0);
  snprintf(path, sizeof path, "%s/check.ts", dir);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(
      "import type { ChatCompletionCreateParams } from 'openai/resources/chat/completions';\n"
      "import type { ResponseCreateParams } from 'openai/resources/responses/responses';\n"
      "import type { MessageCreateParams } from '@anthropic-ai/sdk/resources/messages';\n",
      file);
  return file;
}
