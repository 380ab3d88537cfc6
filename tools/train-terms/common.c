/* SPDX-License-Identifier: MIT
 *
 * Memory or the end, and random numbers.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "train.h"
#include "util/alloc.h"

void die(const char *format, ...) {
  va_list args;
  va_start(args, format);
  fputs("train-terms: ", stderr);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  exit(3);
}

void *need(void *p) {
  if (!p) die("out of memory");
  return p;
}

void *grown(void *array, size_t *capacity, size_t count, size_t size) {
  array = skill__grow(array, capacity, count, size);
  if (*capacity < count) die("out of memory");
  return array;
}

uint64_t rng_next(struct rng *rng) {
  uint64_t z = rng->state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

size_t rng_below(struct rng *rng, size_t bound) {
  return (size_t)(rng_unit(rng) * (double)bound);
}

double rng_unit(struct rng *rng) {
  return (double)(rng_next(rng) >> 11) * 0x1p-53;
}

/* A sum of twelve uniform numbers: near enough to normal, and free of libm's last digits. */
double rng_normal(struct rng *rng) {
  double sum = -6;
  for (int i = 0; i < 12; i++) sum += rng_unit(rng);
  return sum;
}

void rng_shuffle(struct rng *rng, uint32_t *items, size_t count) {
  for (size_t i = count; i > 1; i--) {
    size_t j = rng_below(rng, i);
    uint32_t swap = items[i - 1];
    items[i - 1] = items[j];
    items[j] = swap;
  }
}
