/* SPDX-License-Identifier: MIT */
#include "lib/tmpdir.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/check.h"

char *tmpdir_make(void) {
  const char *base = getenv("TMPDIR");
  char path[512];
  snprintf(path, sizeof path, "%s/skillet-test-XXXXXX", base && *base ? base : "/tmp");
  assert_non_null(mkdtemp(path));
  char *copy = strdup(path);
  assert_non_null(copy);
  return copy;
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw) {
  (void)st;
  (void)flag;
  (void)ftw;
  return remove(path);
}

void tmpdir_remove(char *dir) {
  if (!dir) return;
  nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  free(dir);
}

void tmpdir_write(const char *dir, const char *path, const char *text) {
  tmpdir_write_bytes(dir, path, text, strlen(text));
}

void tmpdir_write_bytes(const char *dir, const char *path, const void *data, size_t length) {
  char full[4096];
  snprintf(full, sizeof full, "%s/%s", dir, path);
  for (char *p = full + strlen(dir) + 1; (p = strchr(p, '/')); p++) {
    *p = '\0';
    mkdir(full, 0777);
    *p = '/';
  }
  FILE *file = fopen(full, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, length, file), length);
  assert_int_equal(fclose(file), 0);
}
