/* SPDX-License-Identifier: MIT
 *
 * Runs the program in a folder.
 */
#ifndef TEST_LIB_PROGRAM_H
#define TEST_LIB_PROGRAM_H

#include <cjson/cJSON.h>
#include <stddef.h>

/* Runs a line of sh and returns the exit status. `output` receives stdout; the test fails if it is too small. */
int program_shell(const char *line, char *output, size_t size);

/* Runs `skillet ARGUMENTS` (shell words) in `dir` and returns the exit status. *output (may be NULL) receives stdout,
 * owned: free. stderr is written to dir/stderr.txt. */
int program_run(const char *dir, const char *arguments, char **output);

/* The same, if stdout is one JSON document; owned: cJSON_Delete. Fails the test if it is not JSON. */
cJSON *program_json(const char *dir, const char *arguments, int want_status);

#endif
