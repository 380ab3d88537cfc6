/* SPDX-License-Identifier: MIT
 *
 * The reader of the table of terms. The input is a header, and bytes that are repeated to fill the file, so that inputs
 * stay small. Size and checksum are corrected, because a fuzzer cannot guess them. An accepted file must be safe to
 * use.
 */
#include <math.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "rank/table/terms_file.h"

enum { FILE_MOST = 1024 * 1024 };

static uint32_t field(const uint8_t *header, size_t at) {
  return (uint32_t)header[at] | (uint32_t)header[at + 1] << 8 | (uint32_t)header[at + 2] << 16 |
         (uint32_t)header[at + 3] << 24;
}

static void put(uint8_t *header, size_t at, uint64_t value) {
  for (size_t i = 0; i < 8; i++) header[at + i] = (uint8_t)(value >> 8 * i);
}

/* The size of the file that the header describes, or 0 if it would be too large. */
static size_t size_of(const uint8_t *header) {
  uint32_t rows = field(header, SKILL__TERMS_AT_ROWS), shares = field(header, SKILL__TERMS_AT_SHARES);
  uint32_t dims = field(header, SKILL__TERMS_AT_DIMS), bits = field(header, SKILL__TERMS_AT_BITS);
  if (rows > 4096 || shares > 4096 || dims > 1024 || bits > 64) return 0;
  size_t size = skill__terms_layout(rows, shares, dims, bits).end;
  return size <= FILE_MOST ? size : 0;
}

/* Fills the sections. Only the buckets that the first bytes of the pattern name get counts. */
static void fill(uint8_t *file, size_t size, const uint8_t *data, size_t length) {
  for (size_t i = SKILL__TERMS_HEADER; i < size; i++)
    file[i] = data[SKILL__TERMS_HEADER + i % (length - SKILL__TERMS_HEADER)];
  uint32_t counts[2] = {field(file, SKILL__TERMS_AT_ROWS), field(file, SKILL__TERMS_AT_SHARES)};
  struct skill__terms_layout at =
      skill__terms_layout(counts[0], counts[1], field(file, SKILL__TERMS_AT_DIMS), field(file, SKILL__TERMS_AT_BITS));
  size_t starts[2] = {at.row_counts, at.share_counts};
  if (data[SKILL__TERMS_HEADER] & 1) return; /* sometimes unchanged */
  for (int k = 0; k < 2; k++) {
    if (starts[k] + SKILL__TERMS_BUCKETS > size) continue;
    memset(file + starts[k], 0, SKILL__TERMS_BUCKETS);
    for (uint32_t i = 0; i < counts[k]; i++) file[starts[k] + (i * 977U) % SKILL__TERMS_BUCKETS]++;
  }
}

static void use(const struct skill__terms *terms) {
  float sum[SKILL__TERMS_MAX_DIMS] = {0};
  int8_t vector[SKILL__TERMS_MAX_DIMS];
  for (uint32_t row = 0; row < skill__terms_rows(terms); row++) skill__terms_add(terms, row, 1, sum);
  float unit = skill__terms_round(sum, skill__terms_dims(terms), vector);
  FUZZ_CHECK(isfinite(unit) && unit >= 0);
  char token[8];
  for (int i = 0; i < 200; i++) {
    int n = snprintf(token, sizeof token, "t%d", i);
    struct skill__term term = skill__terms_find(terms, token, (size_t)n);
    FUZZ_CHECK(term.row == SKILL__TERMS_NONE || term.row < skill__terms_rows(terms));
    FUZZ_CHECK(term.share >= 0 && term.share <= 1);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct skill__terms *terms = NULL;
  int status = skill__terms_parse(data, size, "input", 0, &terms, NULL);
  FUZZ_CHECK(status == SKILL_EPARSE && !terms); /* too small for a complete file */
  if (size <= SKILL__TERMS_HEADER) return 0;
  size_t length = size_of(data);
  if (!length) return 0;
  uint8_t *file = calloc(1, length);
  FUZZ_CHECK(file);
  memcpy(file, data, SKILL__TERMS_HEADER);
  fill(file, length, data, size);
  put(file, SKILL__TERMS_AT_SIZE, length);
  put(file, SKILL__TERMS_AT_CHECKSUM, 0);
  put(file, SKILL__TERMS_AT_CHECKSUM, skill__checksum(file, length));
  status = skill__terms_parse(file, length, "input", 0, &terms, NULL);
  FUZZ_CHECK(status == 0 || status == SKILL_EPARSE);
  if (!status) use(terms);
  skill__terms_free(terms);
  free(file);
  return 0;
}
