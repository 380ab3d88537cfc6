/* SPDX-License-Identifier: MIT
 *
 * Running the program in a folder.
 */
#ifndef TEST_LIB_PROGRAM_H
#define TEST_LIB_PROGRAM_H

#include <cjson/cJSON.h>
#include <stddef.h>

/* Runs a line of sh; what it wrote to stdout is in `output`, which the test fails for being too small. The exit
 * status. */
int program_shell(const char *line, char *output, size_t size);

/* Runs `skillet ARGUMENTS` (shell words) in `dir`; *output (may be NULL) receives stdout, owned: free. The exit
 * status. stderr goes to dir/stderr.txt. */
int program_run(const char *dir, const char *arguments, char **output);

/* The same where stdout is one JSON document; owned: cJSON_Delete. Fails the test when it is none. */
cJSON *program_json(const char *dir, const char *arguments, int want_status);

#endif
