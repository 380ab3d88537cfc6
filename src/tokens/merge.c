/* SPDX-License-Identifier: MIT
 *
 * Byte-pair merging. Short pieces, which nearly all are, use two arrays on the stack and scan for the lowest rank. Long
 * ones use a heap of pairs and a linked list of parts, so that a file without spaces costs no more per byte than
 * others.
 */
#include "tokens/merge.h"

#include "util/alloc.h"

enum { SHORT = 48 };

#define NONE SKILL__VOCAB_NONE

static size_t emit(uint32_t *ids, size_t room, size_t count, uint32_t id) {
  if (count < room) ids[count] = id;
  return count + 1;
}

static size_t merge_short(const struct skill__vocab *vocab, const unsigned char *piece, size_t length, uint32_t *ids,
                          size_t room) {
  uint32_t part[SHORT];
  uint32_t rank[SHORT + 1]; /* of the pair that begins at the part */
  size_t count = length;
  for (size_t i = 0; i < length; i++) {
    part[i] = vocab->single[piece[i]];
    rank[i] = i + 1 < length ? vocab->pairs2[(size_t)piece[i] << 8 | piece[i + 1]] : NONE;
  }
  while (count > 1) {
    size_t best = 0;
    uint32_t low = rank[0];
    for (size_t i = 1; i + 1 < count; i++) {
      if (rank[i] < low) {
        low = rank[i];
        best = i;
      }
    }
    if (low == NONE) break;
    part[best] = low;
    count--;
    for (size_t i = best + 1; i < count; i++) {
      part[i] = part[i + 1];
      rank[i] = rank[i + 1];
    }
    rank[best] = best + 1 < count ? skill__vocab_merge(vocab, low, part[best + 1]) : NONE;
    if (best) rank[best - 1] = skill__vocab_merge(vocab, part[best - 1], low);
  }
  for (size_t i = 0; i < count && i < room; i++) ids[i] = part[i];
  return count;
}

/* --- long pieces ------------------------------------------------------------------------------------------------- */

struct long_piece {
  const struct skill__vocab *vocab;
  uint64_t *heap; /* rank << 32 | part, lowest first; an entry is stale if its part has another rank now */
  size_t heap_count;
  uint32_t *part;
  uint32_t *rank;
  uint32_t *next; /* index of the next part; length: none */
  uint32_t *back;
  uint32_t length;
};

static void sift_down(struct long_piece *p, size_t at) {
  uint64_t *heap = p->heap;
  uint64_t value = heap[at];
  for (;;) {
    size_t child = 2 * at + 1;
    if (child >= p->heap_count) break;
    if (child + 1 < p->heap_count && heap[child + 1] < heap[child]) child++;
    if (heap[child] >= value) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = value;
}

static void push(struct long_piece *p, uint64_t value) {
  size_t at = p->heap_count++;
  while (at && p->heap[(at - 1) / 2] > value) {
    p->heap[at] = p->heap[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  p->heap[at] = value;
}

static uint64_t pop(struct long_piece *p) {
  uint64_t top = p->heap[0];
  p->heap[0] = p->heap[--p->heap_count];
  if (p->heap_count) sift_down(p, 0);
  return top;
}

static void set_rank(struct long_piece *p, uint32_t at) {
  uint32_t next = p->next[at];
  p->rank[at] = next < p->length ? skill__vocab_merge(p->vocab, p->part[at], p->part[next]) : NONE;
  if (p->rank[at] != NONE) push(p, (uint64_t)p->rank[at] << 32 | at);
}

static void fill(struct long_piece *p, const unsigned char *piece) {
  for (uint32_t i = 0; i < p->length; i++) {
    p->part[i] = p->vocab->single[piece[i]];
    p->next[i] = i + 1;
    p->back[i] = i - 1;
    p->rank[i] = i + 1 < p->length ? p->vocab->pairs2[(size_t)piece[i] << 8 | piece[i + 1]] : NONE;
    if (p->rank[i] != NONE) p->heap[p->heap_count++] = (uint64_t)p->rank[i] << 32 | i;
  }
  for (size_t i = p->heap_count / 2; i-- > 0;) sift_down(p, i);
}

static void merge_all(struct long_piece *p) {
  while (p->heap_count) {
    uint64_t top = pop(p);
    uint32_t at = (uint32_t)top;
    uint32_t rank = (uint32_t)(top >> 32);
    if (p->rank[at] != rank) continue;
    uint32_t gone = p->next[at];
    p->part[at] = rank;
    p->rank[gone] = NONE;
    p->next[at] = p->next[gone];
    if (p->next[at] < p->length) p->back[p->next[at]] = at;
    set_rank(p, at);
    if (at) set_rank(p, p->back[at]);
  }
}

/* Takes the longest token each time; used only without memory to merge by rank. */
static size_t greedy(const struct skill__vocab *vocab, const unsigned char *piece, size_t length, uint32_t *ids,
                     size_t room) {
  size_t count = 0;
  for (size_t at = 0; at < length;) {
    size_t take = length - at < vocab->longest ? length - at : vocab->longest;
    uint32_t id = NONE;
    for (; id == NONE && take > 1; take -= id == NONE) {
      id = skill__vocab_find(vocab, piece + at, take, skill__vocab_hash(piece + at, take));
    }
    count = emit(ids, room, count, id == NONE ? vocab->single[piece[at]] : id);
    at += take;
  }
  return count;
}

static size_t merge_long(const struct skill__vocab *vocab, const unsigned char *piece, size_t length, uint32_t *ids,
                         size_t room) {
  /* A merge removes one valid entry and adds at most two, so 2 n entries are enough. */
  size_t each = 2 * sizeof(uint64_t) + 4 * sizeof(uint32_t);
  uint64_t *block = length < UINT32_MAX ? skill__calloc(length, each) : NULL;
  if (!block) return greedy(vocab, piece, length, ids, room);
  uint32_t *words = (uint32_t *)(block + 2 * length);
  struct long_piece p = {.vocab = vocab,
                         .heap = block,
                         .part = words,
                         .rank = words + length,
                         .next = words + 2 * length,
                         .back = words + 3 * length,
                         .length = (uint32_t)length};
  fill(&p, piece);
  merge_all(&p);
  size_t count = 0;
  for (uint32_t i = 0; i < p.length; i = p.next[i]) count = emit(ids, room, count, p.part[i]);
  skill__free(block);
  return count;
}

size_t skill__merge(const struct skill__vocab *vocab, const unsigned char *piece, size_t length, uint32_t *ids,
                    size_t room) {
  return length <= SHORT ? merge_short(vocab, piece, length, ids, room) : merge_long(vocab, piece, length, ids, room);
}
