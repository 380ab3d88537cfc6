/* SPDX-License-Identifier: MIT
 *
 * The pool of contexts: a few idle ones in atomic slots, so that threads that query at once need no lock. Fails only
 * when memory is out.
 */
#include "rank/query/context.h"

#include "util/alloc.h"

static void context_free(struct skill__context *context) {
  if (!context) return;
  skill__analyzer_free(context->analyzer);
  skill__buf_fini(&context->texts);
  skill__buf_fini(&context->words);
  skill__free(context->query.terms);
  skill__free(context->query.entries);
  skill__free(context->query.pairs);
  skill__free(context->query.first_pair);
  skill__free(context->query.sequence);
  skill__free(context->query.vectors);
  skill__free(context->acc);
  skill__free(context->candidates);
  skill__free(context->cosines);
  skill__free(context->counts);
  skill__free(context->lists);
  skill__free(context->hits);
  skill__free(context->sums.sums);
  skill__free(context->sums.seen);
  skill__free(context->sums.values);
  skill__free(context->distances);
  skill__free(context->near);
  skill__free(context);
}

void skill__contexts_free(struct skill__rank_shared *shared) {
  for (size_t i = 0; i < SKILL__CONTEXTS; i++) context_free(atomic_load(&shared->contexts[i]));
}

struct skill__context *skill__context_acquire(struct skill__rank_shared *shared) {
  for (size_t i = 0; i < SKILL__CONTEXTS; i++) {
    if (!atomic_load_explicit(&shared->contexts[i], memory_order_relaxed)) continue;
    struct skill__context *context = atomic_exchange_explicit(&shared->contexts[i], NULL, memory_order_acquire);
    if (context) return context;
  }
  struct skill__context *context = skill__calloc(1, sizeof *context);
  if (!context) return NULL;
  skill__buf_init(&context->texts, SIZE_MAX / 2);
  skill__buf_init(&context->words, SIZE_MAX / 2);
  if (skill__analyzer_new(&context->analyzer)) {
    context_free(context);
    return NULL;
  }
  return context;
}

void skill__context_release(struct skill__rank_shared *shared, struct skill__context *context) {
  for (size_t i = 0; i < SKILL__CONTEXTS; i++) {
    struct skill__context *empty = NULL;
    if (atomic_compare_exchange_strong_explicit(&shared->contexts[i], &empty, context, memory_order_release,
                                                memory_order_relaxed))
      return;
  }
  context_free(context);
}
