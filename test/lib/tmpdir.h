/* SPDX-License-Identifier: MIT
 *
 * A temporary folder for one test, and files in it.
 */
#ifndef TEST_LIB_TMPDIR_H
#define TEST_LIB_TMPDIR_H

#include <stddef.h>

/* Creates an empty folder. Its path is valid until tmpdir_remove. A failure fails the test. */
char *tmpdir_make(void);
/* Removes the folder with its contents and frees the path. */
void tmpdir_remove(char *dir);
/* Writes dir/path and creates its folders. */
void tmpdir_write(const char *dir, const char *path, const char *text);
void tmpdir_write_bytes(const char *dir, const char *path, const void *data, size_t length);

#endif
