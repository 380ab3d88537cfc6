/* SPDX-License-Identifier: MIT
 *
 * Checking what is sent against the official SDKs' types: literals in a TypeScript file, and the compiler's verdict.
 */
#ifndef TEST_LIB_TYPESCRIPT_H
#define TEST_LIB_TYPESCRIPT_H

#include <stdbool.h>
#include <stdio.h>

/* Whether `npm ci` has been run in test/npm. */
bool typescript_there(void);
/* Begins check.ts in the folder with imports of ChatCompletionCreateParams, ResponseCreateParams and
 * MessageCreateParams; the caller writes on and closes it. */
FILE *typescript_open(const char *dir);
/* Compiles it; 0: it fits. */
int typescript_check(const char *dir);
/* What the compiler said last. */
const char *typescript_said(void);

#endif
