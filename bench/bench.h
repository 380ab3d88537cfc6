/* SPDX-License-Identifier: MIT
 *
 * Shared by all benchmarks: a clock, a fair comparison, a table, and checks that end the program.
 *
 * Use bench_compare for comparisons: it runs both sides in turn, so that other load on the machine affects both, and
 * takes the fastest round of each. SKILLET_BENCH_ROUNDS sets the number of rounds. Times are printed and never
 * asserted; results are asserted and not printed.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Ends the program with status 1 if a result is wrong; also works with NDEBUG. */
#define BENCH_CHECK(condition)                                                                    \
  do {                                                                                            \
    if (!(condition)) {                                                                           \
      fprintf(stderr, "%s:%d: wrong result: %s does not hold\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                                    \
    }                                                                                             \
  } while (0)

/* Makes the compiler assume that the value is used. */
#define BENCH_KEEP(value) __asm__ volatile("" : : "g"(value) : "memory")

static inline uint64_t bench_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline int bench_order(const void *a, const void *b) {
  double x = *(const double *)a;
  double y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The q-quantile (0.5: median, 0 and 1: extremes); sorts `values`. */
static inline double bench_quantile(double *values, size_t count, double q) {
  qsort(values, count, sizeof *values, bench_order);
  return values[(size_t)(q * (double)(count - 1) + 0.5)];
}

static inline size_t bench_rounds(size_t usual) {
  const char *text = getenv("SKILLET_BENCH_ROUNDS");
  unsigned long wanted = text ? strtoul(text, NULL, 10) : 0;
  return wanted ? (size_t)wanted : usual;
}

/* One round of one side: does the work `count` times. */
typedef void (*bench_side)(void *state, size_t count);

struct bench_result {
  double ours;  /* nanoseconds per operation, fastest round */
  double peer;  /* the same */
  double ratio; /* ours / peer */
};

static inline double bench_round(bench_side side, void *state, size_t count) {
  uint64_t begin = bench_now_ns();
  side(state, count);
  return (double)(bench_now_ns() - begin) / (double)count;
}

static inline struct bench_result bench_compare(bench_side ours, void *our_state, bench_side peer, void *peer_state,
                                                size_t count, size_t rounds) {
  struct bench_result best = {0, 0, 0};
  for (size_t i = 0; i <= rounds; i++) {
    double a = bench_round(ours, our_state, count);
    double b = bench_round(peer, peer_state, count);
    if (!i) continue; /* the first round warms the caches */
    if (i == 1 || a < best.ours) best.ours = a;
    if (i == 1 || b < best.peer) best.peer = b;
  }
  best.ratio = best.ours / best.peer;
  return best;
}

/* A table: `what` is measured, `against` is the comparison, and `goal` is the upper limit for the ratio (0: none). */
static inline void bench_title(const char *what, const char *against) {
  printf("%s\n%-36s %12s %12s %8s %8s   against %s\n", what, "", "ours", "peer", "ratio", "goal", against);
}

static inline void bench_time(char *out, size_t size, double ns) {
  const char *unit = ns < 1e3 ? "ns" : ns < 1e6 ? "us" : ns < 1e9 ? "ms" : "s";
  double scale = ns < 1e3 ? 1 : ns < 1e6 ? 1e3 : ns < 1e9 ? 1e6 : 1e9;
  snprintf(out, size, "%.1f %s", ns / scale, unit);
}

static inline void bench_row(const char *label, struct bench_result result, double goal) {
  char ours[32];
  char peer[32];
  char limit[32] = "";
  bench_time(ours, sizeof ours, result.ours);
  bench_time(peer, sizeof peer, result.peer);
  if (goal > 0) snprintf(limit, sizeof limit, "< %.2f", goal);
  printf("%-36s %12s %12s %8.2f %8s%s\n", label, ours, peer, result.ratio, limit,
         goal > 0 && result.ratio > goal ? "   above the goal" : "");
}

#endif
