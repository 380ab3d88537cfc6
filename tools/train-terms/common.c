/* SPDX-License-Identifier: MIT
 *
 * Allocation that ends the program on failure, and random numbers.
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

size_t rng_below(struct skill__random *rng, size_t bound) {
  return (size_t)(rng_unit(rng) * (double)bound);
}

double rng_unit(struct skill__random *rng) {
  return (double)(skill__random_next(rng) >> 11) * 0x1p-53;
}

/* A sum of twelve uniform numbers: close enough to normal, and independent of the last digits of libm. */
double rng_normal(struct skill__random *rng) {
  double sum = -6;
  for (int i = 0; i < 12; i++) sum += rng_unit(rng);
  return sum;
}

void rng_shuffle(struct skill__random *rng, uint32_t *items, size_t count) {
  for (size_t i = count; i > 1; i--) {
    size_t j = rng_below(rng, i);
    uint32_t swap = items[i - 1];
    items[i - 1] = items[j];
    items[j] = swap;
  }
}
