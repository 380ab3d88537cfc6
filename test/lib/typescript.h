/* SPDX-License-Identifier: MIT
 *
 * Checks requests against the types of the official SDKs: writes them as literals in a TypeScript file and compiles it.
 */
#ifndef TEST_LIB_TYPESCRIPT_H
#define TEST_LIB_TYPESCRIPT_H

#include <stdbool.h>
#include <stdio.h>

/* Whether `npm ci` has been run in test/npm. */
bool typescript_there(void);
/* Starts check.ts in the folder with imports of ChatCompletionCreateParams, ResponseCreateParams and
 * MessageCreateParams. The caller writes the rest and closes the file. */
FILE *typescript_open(const char *dir);
/* Compiles the file. Returns 0 if the types match. */
int typescript_check(const char *dir);
/* The last output of the compiler. */
const char *typescript_said(void);

#endif
