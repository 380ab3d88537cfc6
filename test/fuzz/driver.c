/* SPDX-License-Identifier: MIT
 *
 * Replays inputs without libFuzzer: each named file, or each file below a named folder. It also replays the first
 * halves of each file, so that truncated input is covered. Exits with 1 if a folder is empty, so that a moved corpus is
 * noticed.
 */
#include <ftw.h>
#include <string.h>

#include "fuzz/fuzz.h"

enum { INPUT_MAX = 16 * 1024 * 1024 };

static size_t replayed;

static void run(const char *bytes, size_t length) {
  uint8_t *exact =
      malloc(length + 1); /* a block of exactly this size, so that the sanitizer detects a read beyond it */
  FUZZ_CHECK(exact);
  memcpy(exact, bytes, length);
  LLVMFuzzerTestOneInput(exact, length);
  free(exact);
}

static int replay(const char *path, const struct stat *info, int kind, struct FTW *where) {
  (void)where;
  if (kind != FTW_F || info->st_size > INPUT_MAX) return 0;
  FILE *file = fopen(path, "rb");
  FUZZ_CHECK(file);
  char *bytes = malloc((size_t)info->st_size + 1);
  FUZZ_CHECK(bytes);
  size_t length = fread(bytes, 1, (size_t)info->st_size, file);
  fclose(file);
  for (size_t n = length;; n /= 2) {
    run(bytes, n);
    if (!n) break;
  }
  free(bytes);
  replayed++;
  return 0;
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    if (nftw(argv[i], replay, 16, FTW_PHYS) || !replayed) {
      fprintf(stderr, "%s: no input there\n", argv[i]);
      return 1;
    }
  }
  printf("%zu inputs replayed\n", replayed);
  return 0;
}
