/* SPDX-License-Identifier: MIT
 *
 * A hash table with open addressing. Entries and texts are in blocks of doubling size: the leading bit of a number
 * gives its block, and nothing ever moves. The writer publishes a slot with release order after its entry is complete;
 * readers load it with acquire order. A failure (out of memory) leaves the dictionary as it was.
 *
 * Not uthash, like the other tables of rank/: readers use this one without a lock while it grows, and it is saved to
 * disk as it is in memory. The tables of names (segment.c) are saved, too; those of a query and of the stem cache are
 * cleared or overwritten without freeing anything.
 */
#include "rank/index/dict.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "rank/text/token_hash.h"
#include "util/alloc.h"

enum { BLOCKS = 18, FIRST_ENTRIES = 1024, FIRST_TEXT = 16384, FIRST_SLOTS = 2048, TEXT_BLOCKS = 18, NO_SHARE = 255 };

struct entry {
  uint32_t text; /* offset over all text blocks */
  uint32_t hash;
  uint32_t row;
  uint8_t length;
  uint8_t share; /* 2^(-share/16); NO_SHARE: none */
};

enum { NUMBER_BITS = 27, NUMBER = (1 << NUMBER_BITS) - 1 };

/* A slot is a number + 1 and, above it, bits of the hash, so that few entries of other tokens are looked at. */
struct table {
  struct table *older; /* kept for readers that still use it */
  uint32_t mask;
  _Atomic uint32_t slots[];
};

struct skill__dict {
  const struct skill__terms *terms;
  _Atomic(struct table *) table;
  _Atomic(struct entry *) entries[BLOCKS];
  _Atomic(char *) texts[TEXT_BLOCKS];
  uint32_t count;
  uint32_t learned; /* tokens whose rows and shares are set */
  uint32_t text_used;
  size_t bytes;
  float shares[256]; /* the share of each value of entry.share */
};

/* Block k holds first << k items; the blocks before it hold first * (2^k - 1). */
static unsigned block_of(uint32_t index, uint32_t first, uint32_t *within) {
  uint32_t n = index / first + 1;
  unsigned k = 31u - (unsigned)__builtin_clz(n);
  *within = index - first * ((1u << k) - 1);
  return k;
}

static struct entry *entry_at(const struct skill__dict *dict, uint32_t id) {
  uint32_t within = 0;
  unsigned k = block_of(id, FIRST_ENTRIES, &within);
  return atomic_load_explicit(&dict->entries[k], memory_order_relaxed) + within;
}

static char *text_at(const struct skill__dict *dict, uint32_t offset) {
  uint32_t within = 0;
  unsigned k = block_of(offset, FIRST_TEXT, &within);
  return atomic_load_explicit(&dict->texts[k], memory_order_relaxed) + within;
}

static uint32_t tag_of(uint32_t code) {
  return code & ~(uint32_t)NUMBER;
}

static struct table *table_new(uint32_t slots) {
  struct table *table = skill__calloc(1, sizeof *table + slots * sizeof table->slots[0]);
  if (table) table->mask = slots - 1;
  return table;
}

int skill__dict_new(const struct skill__terms *terms, struct skill__dict **out) {
  struct skill__dict *dict = skill__calloc(1, sizeof *dict);
  struct table *table = table_new(FIRST_SLOTS);
  if (!dict || !table) {
    skill__free(dict);
    skill__free(table);
    return SKILL_ENOMEM;
  }
  dict->terms = terms;
  for (size_t i = 0; i < NO_SHARE; i++) dict->shares[i] = exp2f(-(float)i / 16);
  dict->bytes = sizeof *dict + sizeof *table + FIRST_SLOTS * sizeof(uint32_t);
  atomic_store(&dict->table, table);
  *out = dict;
  return 0;
}

static void free_tables(struct table *table) {
  while (table) {
    struct table *older = table->older;
    skill__free(table);
    table = older;
  }
}

void skill__dict_trim(struct skill__dict *dict) {
  struct table *table = atomic_load(&dict->table);
  for (const struct table *older = table->older; older; older = older->older)
    dict->bytes -= sizeof *older + ((size_t)older->mask + 1) * sizeof(uint32_t);
  free_tables(table->older);
  table->older = NULL;
}

void skill__dict_free(struct skill__dict *dict) {
  if (!dict) return;
  free_tables(atomic_load(&dict->table));
  for (size_t i = 0; i < BLOCKS; i++) skill__free(atomic_load(&dict->entries[i]));
  for (size_t i = 0; i < TEXT_BLOCKS; i++) skill__free(atomic_load(&dict->texts[i]));
  skill__free(dict);
}

static uint32_t find(const struct skill__dict *dict, const struct table *table, const char *text, size_t length,
                     uint32_t code) {
  for (uint32_t i = code & table->mask;; i = (i + 1) & table->mask) {
    uint32_t slot = atomic_load_explicit(&table->slots[i], memory_order_acquire);
    if (slot == 0) return SKILL__DICT_NONE;
    if ((slot ^ code) & ~(uint32_t)NUMBER) continue;
    uint32_t id = (slot & NUMBER) - 1;
    const struct entry *entry = entry_at(dict, id);
    if (entry->hash == code && entry->length == length && memcmp(text_at(dict, entry->text), text, length) == 0)
      return id;
  }
}

uint32_t skill__dict_find(const struct skill__dict *dict, const char *text, size_t length) {
  if (length == 0 || length > UINT8_MAX) return SKILL__DICT_NONE;
  return find(dict, atomic_load_explicit(&dict->table, memory_order_acquire), text, length,
              skill__token_hash(text, length));
}

static void put(struct table *table, uint32_t code, uint32_t id) {
  uint32_t i = code & table->mask;
  while (atomic_load_explicit(&table->slots[i], memory_order_relaxed)) i = (i + 1) & table->mask;
  atomic_store_explicit(&table->slots[i], tag_of(code) | (id + 1), memory_order_release);
}

static int grow(struct skill__dict *dict) {
  struct table *old = atomic_load_explicit(&dict->table, memory_order_relaxed);
  if (dict->count < (old->mask + 1) / 4 * 3) return 0;
  struct table *table = table_new((old->mask + 1) * 2);
  if (!table) return SKILL_ENOMEM;
  for (uint32_t id = 0; id < dict->count; id++) put(table, entry_at(dict, id)->hash, id);
  table->older = old;
  dict->bytes += sizeof *table + ((size_t)table->mask + 1) * sizeof(uint32_t);
  atomic_store_explicit(&dict->table, table, memory_order_release);
  return 0;
}

/* Makes sure that entry block and text block of the next token exist; sets where its text goes. */
static int room(struct skill__dict *dict, size_t length, uint32_t *text) {
  uint32_t within = 0;
  unsigned k = block_of(dict->count, FIRST_ENTRIES, &within);
  if (k >= BLOCKS || dict->count >= NUMBER - 1) return SKILL_ENOMEM;
  if (!atomic_load_explicit(&dict->entries[k], memory_order_relaxed)) {
    size_t size = ((size_t)FIRST_ENTRIES << k) * sizeof(struct entry);
    struct entry *block = skill__malloc(size);
    if (!block) return SKILL_ENOMEM;
    dict->bytes += size;
    atomic_store_explicit(&dict->entries[k], block, memory_order_release);
  }
  k = block_of(dict->text_used, FIRST_TEXT, &within);
  size_t size = (size_t)FIRST_TEXT << k;
  *text = dict->text_used;
  if (size - within < length) { /* does not fit: the next block; the gap is saved, too */
    memset(text_at(dict, dict->text_used), 0, size - within);
    *text += (uint32_t)(size - within);
    k++;
  }
  if (k >= TEXT_BLOCKS) return SKILL_ENOMEM;
  if (atomic_load_explicit(&dict->texts[k], memory_order_relaxed)) return 0;
  char *block = skill__malloc((size_t)FIRST_TEXT << k);
  if (!block) return SKILL_ENOMEM;
  dict->bytes += (size_t)FIRST_TEXT << k;
  atomic_store_explicit(&dict->texts[k], block, memory_order_release);
  return 0;
}

uint32_t skill__dict_intern(struct skill__dict *dict, const char *text, size_t length) {
  if (length == 0 || length > UINT8_MAX) return SKILL__DICT_NONE;
  uint32_t code = skill__token_hash(text, length);
  uint32_t id = find(dict, atomic_load_explicit(&dict->table, memory_order_relaxed), text, length, code);
  if (id != SKILL__DICT_NONE) return id;
  uint32_t offset = 0;
  if (grow(dict) || room(dict, length, &offset)) return SKILL__DICT_NONE;
  id = dict->count;
  memcpy(text_at(dict, offset), text, length);
  *entry_at(dict, id) = (struct entry){
      .text = offset, .hash = code, .row = SKILL__TERMS_NONE, .length = (uint8_t)length, .share = NO_SHARE};
  dict->text_used = offset + (uint32_t)length;
  dict->count++;
  put(atomic_load_explicit(&dict->table, memory_order_relaxed), code, id);
  return id;
}

void skill__dict_learn(struct skill__dict *dict) {
  enum { RUN = 64 };
  uint64_t hashes[RUN];
  struct skill__term found[RUN];
  while (dict->terms && dict->learned < dict->count) {
    uint32_t left = dict->count - dict->learned, run = left < RUN ? left : RUN;
    for (uint32_t i = 0; i < run; i++) {
      const struct entry *entry = entry_at(dict, dict->learned + i);
      hashes[i] = skill__terms_hash(text_at(dict, entry->text), entry->length);
    }
    skill__terms_find_all(dict->terms, hashes, run, found);
    for (uint32_t i = 0; i < run; i++) {
      struct entry *entry = entry_at(dict, dict->learned + i);
      double share = found[i].share > 0 ? -16 * log2((double)found[i].share) : NO_SHARE;
      entry->row = found[i].row;
      entry->share = (uint8_t)(share > NO_SHARE - 1 ? NO_SHARE : lround(share));
    }
    dict->learned += run;
  }
}

const char *skill__dict_text(const struct skill__dict *dict, uint32_t id, size_t *length) {
  const struct entry *entry = entry_at(dict, id);
  *length = entry->length;
  return text_at(dict, entry->text);
}

struct skill__term skill__dict_term(const struct skill__dict *dict, uint32_t id) {
  const struct entry *entry = entry_at(dict, id);
  return (struct skill__term){entry->row, dict->shares[entry->share]};
}

uint32_t skill__dict_count(const struct skill__dict *dict) {
  return dict->count;
}

size_t skill__dict_bytes(const struct skill__dict *dict) {
  return dict->bytes;
}

/* --- saving ------------------------------------------------------------------------------------------------------ */

struct saved {
  uint32_t count, text_used, slots, reserved;
};

static void pad(struct skill__buf *buf) {
  static const char zero[8] = {0};
  skill__buf_add(buf, zero, (8 - buf->length % 8) % 8);
}

/* How many of the items left are in block k. */
static uint32_t in_block(uint32_t left, uint32_t first, uint32_t k) {
  return left < first << k ? left : first << k;
}

void skill__dict_save(const struct skill__dict *dict, struct skill__buf *buf) {
  const struct table *table = atomic_load(&dict->table);
  struct saved saved = {dict->count, dict->text_used, table->mask + 1, 0};
  skill__buf_add(buf, &saved, sizeof saved);
  for (uint32_t from = 0, k = 0; from < dict->count; from += (uint32_t)FIRST_ENTRIES << k, k++) {
    uint32_t n = in_block(dict->count - from, FIRST_ENTRIES, k);
    skill__buf_add(buf, atomic_load(&dict->entries[k]), n * sizeof(struct entry));
  }
  for (uint32_t from = 0, k = 0; from < dict->text_used; from += (uint32_t)FIRST_TEXT << k, k++) {
    uint32_t n = in_block(dict->text_used - from, FIRST_TEXT, k);
    skill__buf_add(buf, atomic_load(&dict->texts[k]), n);
  }
  pad(buf);
  for (uint32_t i = 0; i <= table->mask; i++) {
    uint32_t slot = atomic_load_explicit(&table->slots[i], memory_order_relaxed);
    skill__buf_add(buf, &slot, sizeof slot);
  }
  pad(buf);
}

static int load_blocks(struct skill__dict *dict, const struct saved *saved, const uint8_t *entries,
                       const uint8_t *texts) {
  for (uint32_t from = 0, k = 0; from < saved->count; from += (uint32_t)FIRST_ENTRIES << k, k++) {
    uint32_t n = in_block(saved->count - from, FIRST_ENTRIES, k);
    struct entry *block = skill__malloc(((size_t)FIRST_ENTRIES << k) * sizeof *block);
    if (!block) return SKILL_ENOMEM;
    memcpy(block, entries + from * sizeof *block, n * sizeof *block);
    atomic_store(&dict->entries[k], block);
    dict->bytes += ((size_t)FIRST_ENTRIES << k) * sizeof *block;
  }
  for (uint32_t from = 0, k = 0; from < saved->text_used; from += (uint32_t)FIRST_TEXT << k, k++) {
    uint32_t n = in_block(saved->text_used - from, FIRST_TEXT, k);
    char *block = skill__malloc((size_t)FIRST_TEXT << k);
    if (!block) return SKILL_ENOMEM;
    memcpy(block, texts + from, n);
    atomic_store(&dict->texts[k], block);
    dict->bytes += (size_t)FIRST_TEXT << k;
  }
  return 0;
}

int skill__dict_load(struct skill__dict *dict, const uint8_t *data, size_t length, size_t *used) {
  struct saved saved;
  if (length < sizeof saved) return SKILL_EPARSE;
  memcpy(&saved, data, sizeof saved);
  size_t entries = sizeof saved, texts = entries + (size_t)saved.count * sizeof(struct entry);
  size_t slots = (texts + saved.text_used + 7) / 8 * 8, end = (slots + (size_t)saved.slots * 4 + 7) / 8 * 8;
  bool power = saved.slots && (saved.slots & (saved.slots - 1)) == 0;
  if (!power || saved.count >= saved.slots || saved.count >= NUMBER || end > length) return SKILL_EPARSE;
  struct table *table = table_new(saved.slots);
  if (!table) return SKILL_ENOMEM;
  for (uint32_t i = 0; i < saved.slots; i++) {
    uint32_t slot;
    memcpy(&slot, data + slots + i * sizeof slot, sizeof slot);
    atomic_store_explicit(&table->slots[i], slot, memory_order_relaxed);
  }
  table->older = atomic_load(&dict->table);
  atomic_store(&dict->table, table);
  dict->bytes += sizeof *table + saved.slots * sizeof(uint32_t);
  int status = load_blocks(dict, &saved, data + entries, data + texts);
  if (status) return status;
  dict->count = dict->learned = saved.count;
  dict->text_used = saved.text_used;
  *used = end;
  return 0;
}
