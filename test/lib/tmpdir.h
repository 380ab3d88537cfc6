/* SPDX-License-Identifier: MIT
 *
 * A fresh folder for one test, and files in it.
 */
#ifndef TEST_LIB_TMPDIR_H
#define TEST_LIB_TMPDIR_H

#include <stddef.h>

/* Makes an empty folder; its path stays valid until tmpdir_remove. Fails the test when it cannot. */
char *tmpdir_make(void);
/* Removes the folder with all in it and frees the path. */
void tmpdir_remove(char *dir);
/* Writes dir/path, making folders. */
void tmpdir_write(const char *dir, const char *path, const char *text);
void tmpdir_write_bytes(const char *dir, const char *path, const void *data, size_t length);

#endif
