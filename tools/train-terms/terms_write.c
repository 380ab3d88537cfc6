/* SPDX-License-Identifier: MIT
 *
 * Writes a file of learned terms: the trainer's last step. Rows are rounded to 8 or 4 bits; for 4 bits the scale is
 * the one of a few tried that loses least. Fails only for bad input or lack of memory.
 */
#include "train-terms/terms_write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rank/table/terms_file.h"
#include "util/alloc.h"

struct placed {
  uint64_t place; /* bucket and key in one number */
  const struct terms_entry *entry;
};

static int by_place(const void *a, const void *b) {
  uint64_t x = ((const struct placed *)a)->place;
  uint64_t y = ((const struct placed *)b)->place;
  return (x > y) - (x < y);
}

static void put_u32(unsigned char *p, uint32_t value) {
  for (int i = 0; i < 4; i++) p[i] = (unsigned char)(value >> 8 * i);
}

static void put_u64(unsigned char *p, uint64_t value) {
  put_u32(p, (uint32_t)value);
  put_u32(p + 4, (uint32_t)(value >> 32));
}

static unsigned char share_byte(double share) {
  if (!(share > 0)) return SKILL__TERMS_NO_SHARE;
  double steps = round(-log2(share) * SKILL__TERMS_SHARE_STEPS);
  return (unsigned char)(steps > SKILL__TERMS_NO_SHARE ? SKILL__TERMS_NO_SHARE : fmax(steps, 0));
}

/* Sum of squared errors of rounding `vector` with this scale. */
static double rounding_loss(const float *vector, size_t dims, double scale, double limit) {
  double loss = 0;
  for (size_t i = 0; i < dims; i++) {
    double value = round(vector[i] / scale);
    value = value > limit ? limit : value < -limit ? -limit : value;
    double error = vector[i] - value * scale;
    loss += error * error;
  }
  return loss;
}

static double best_scale(const float *vector, size_t dims, double limit) {
  double largest = 0;
  for (size_t i = 0; i < dims; i++) largest = fmax(largest, fabs((double)vector[i]));
  double best = largest / limit;
  if (!(best > 0) || limit > 7) return best;
  double least = rounding_loss(vector, dims, best, limit);
  for (int i = 1; i < 24; i++) {
    double scale = largest / limit * (1 - 0.025 * i);
    double loss = rounding_loss(vector, dims, scale, limit);
    if (loss < least) {
      least = loss;
      best = scale;
    }
  }
  return best;
}

static void put_row(unsigned char *values, unsigned char *scale_field, const float *vector, size_t dims,
                    unsigned bits) {
  double limit = bits == 8 ? 127 : 7;
  float scale = (float)best_scale(vector, dims, limit);
  uint32_t pattern;
  memcpy(&pattern, &scale, sizeof pattern);
  put_u32(scale_field, pattern);
  for (size_t i = 0; i < dims; i++) {
    double value = scale > 0 ? round(vector[i] / (double)scale) : 0;
    int rounded = (int)(value > limit ? limit : value < -limit ? -limit : value);
    if (bits == 8) {
      values[i] = (unsigned char)rounded;
    } else {
      size_t half = dims / 2;
      values[i % half] = (unsigned char)(values[i % half] | (rounded + 8) << (i < half ? 0 : 4));
    }
  }
}

/* Fills one index; SKILL_EINVAL where two tokens have one place or a bucket overflows. */
static int put_index(unsigned char *counts, unsigned char *keys, const struct placed *list, size_t count) {
  for (size_t i = 0; i < count; i++) {
    size_t bucket = (size_t)(list[i].place >> 32);
    if (i && list[i].place == list[i - 1].place) return SKILL_EINVAL;
    if (counts[bucket] == 255) return SKILL_EINVAL;
    counts[bucket]++;
    put_u32(keys + 4 * i, (uint32_t)list[i].place);
  }
  return 0;
}

static void put_header(unsigned char *data, const struct terms_spec *spec, size_t rows, size_t length) {
  memcpy(data, SKILL__TERMS_MAGIC, 8);
  put_u32(data + SKILL__TERMS_AT_VERSION, SKILL__TERMS_VERSION);
  put_u32(data + SKILL__TERMS_AT_ANALYZER, spec->analyzer);
  put_u32(data + SKILL__TERMS_AT_ROWS, (uint32_t)rows);
  put_u32(data + SKILL__TERMS_AT_SHARES, (uint32_t)(spec->count - rows));
  put_u32(data + SKILL__TERMS_AT_DIMS, spec->dims);
  put_u32(data + SKILL__TERMS_AT_BITS, spec->bits);
  put_u32(data + SKILL__TERMS_AT_DOCUMENTS, spec->documents);
  put_u64(data + SKILL__TERMS_AT_SIZE, length);
}

/* Orders the entries: those with a vector first, each group by place. Returns how many have one. */
static size_t place_entries(const struct terms_spec *spec, struct placed *list) {
  size_t rows = 0;
  size_t last = spec->count;
  for (size_t i = 0; i < spec->count; i++) {
    const struct terms_entry *entry = &spec->entries[i];
    uint64_t hash = skill__hash_bytes(entry->token, entry->length);
    struct placed placed = {(uint64_t)skill__terms_bucket(hash) << 32 | skill__terms_key(hash), entry};
    if (entry->vector) {
      list[rows++] = placed;
    } else {
      list[--last] = placed;
    }
  }
  qsort(list, rows, sizeof *list, by_place);
  qsort(list + rows, spec->count - rows, sizeof *list, by_place);
  return rows;
}

static int fill(unsigned char *data, const struct terms_spec *spec, const struct placed *list, size_t rows) {
  struct skill__terms_layout at = skill__terms_layout(rows, spec->count - rows, spec->dims, spec->bits);
  put_header(data, spec, rows, at.end);
  int status = put_index(data + at.row_counts, data + at.row_keys, list, rows);
  if (!status) status = put_index(data + at.share_counts, data + at.share_keys, list + rows, spec->count - rows);
  if (status) return status;
  for (size_t i = 0; i < spec->count; i++) data[at.share + i] = share_byte(list[i].entry->share);
  size_t row_bytes = (size_t)spec->dims * spec->bits / 8;
  for (size_t i = 0; i < rows; i++) {
    put_row(data + at.values + i * row_bytes, data + at.scale + 4 * i, list[i].entry->vector, spec->dims, spec->bits);
  }
  put_u64(data + SKILL__TERMS_AT_CHECKSUM, skill__checksum(data, at.end));
  return 0;
}

int terms_write(const struct terms_spec *spec, struct skill__buf *out) {
  if (spec->dims < 32 || spec->dims > SKILL__TERMS_MAX_DIMS || spec->dims % 32) return SKILL_EINVAL;
  if ((spec->bits != 4 && spec->bits != 8) || spec->count > SKILL__TERMS_MAX_TOKENS) return SKILL_EINVAL;
  unsigned char *data = NULL;
  int status = SKILL_ENOMEM;
  struct placed *list = skill__malloc(spec->count * sizeof *list);
  if (!list) goto out;
  size_t rows = place_entries(spec, list);
  size_t length = skill__terms_layout(rows, spec->count - rows, spec->dims, spec->bits).end;
  data = skill__calloc(length, 1);
  if (!data) goto out;
  status = fill(data, spec, list, rows);
  if (!status) {
    skill__buf_add(out, data, length);
    status = skill__buf_status(out);
  }
out:
  skill__free(data);
  skill__free(list);
  return status;
}
