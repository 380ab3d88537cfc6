/* SPDX-License-Identifier: MIT
 *
 * A cache of counts; see count_cache.h. The file: "SKCOUNT1", the tokenizer's name in 32 bytes, a u64 number of
 * entries, a u64 checksum of them, then entries of 16 bytes. Any other file is an empty
 * cache; no error of the cache makes counting fail.
 */
#include "tokens/count_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/file.h"
#include "util/hash.h"
#include "util/user_path.h"

struct entry {
  uint64_t hash; /* checksum of the text; 0 is stored as 1 */
  uint32_t length;
  uint32_t tokens;
};

struct file_header {
  char magic[8];
  char name[32];
  uint64_t count;
  uint64_t checksum;
};

struct count_cache {
  SkillTokenizer table;
  SkillTokenizer *inner;
  SkillIo *io;
  struct entry *slots; /* open addressing, hash 0: free */
  size_t capacity;     /* a power of two, or 0 */
  size_t count;
  bool dirty;
  char path[SKILL_MAX_PATH];
};

static const char magic[8] = "SKCOUNT1";

static struct entry *slot_of(struct entry *slots, size_t capacity, uint64_t hash, uint32_t length) {
  size_t at = (size_t)hash & (capacity - 1);
  while (slots[at].hash && (slots[at].hash != hash || slots[at].length != length)) at = (at + 1) & (capacity - 1);
  return &slots[at];
}

static bool make_room(struct count_cache *self) {
  if (self->count * 2 < self->capacity) return true;
  if (self->count >= SKILL__COUNT_CACHE_MAX) return false;
  size_t capacity = self->capacity ? self->capacity * 2 : 1024;
  struct entry *slots = skill__calloc(capacity, sizeof *slots);
  if (!slots) return false;
  for (size_t i = 0; i < self->capacity; i++) {
    const struct entry *old = &self->slots[i];
    if (old->hash) *slot_of(slots, capacity, old->hash, old->length) = *old;
  }
  skill__free(self->slots);
  self->slots = slots;
  self->capacity = capacity;
  return true;
}

static void remember(struct count_cache *self, const struct entry *entry) {
  if (!make_room(self)) return;
  struct entry *slot = slot_of(self->slots, self->capacity, entry->hash, entry->length);
  self->count += !slot->hash;
  *slot = *entry;
}

static size_t cache_count(SkillTokenizer *tokenizer, const char *text, size_t length) {
  struct count_cache *self = tokenizer->impl;
  if (length < SKILL__COUNT_CACHE_FLOOR || length > UINT32_MAX) return self->inner->count(self->inner, text, length);
  struct entry entry = {skill__checksum(text, length), (uint32_t)length, 0};
  if (!entry.hash) entry.hash = 1;
  if (self->capacity) {
    const struct entry *slot = slot_of(self->slots, self->capacity, entry.hash, entry.length);
    if (slot->hash) return slot->tokens;
  }
  entry.tokens = (uint32_t)self->inner->count(self->inner, text, length);
  self->dirty = true;
  remember(self, &entry);
  return entry.tokens;
}

static size_t cache_encode(SkillTokenizer *tokenizer, const char *text, size_t length, uint32_t *ids, size_t room) {
  struct count_cache *self = tokenizer->impl;
  return self->inner->encode(self->inner, text, length, ids, room);
}

static void cache_free(SkillTokenizer *tokenizer) {
  struct count_cache *self = tokenizer->impl;
  skill__free(self->slots);
  skill__free(self);
}

static void take_entries(struct count_cache *self, const unsigned char *data, size_t size) {
  struct file_header header;
  if (size < sizeof header) return;
  memcpy(&header, data, sizeof header);
  const unsigned char *entries = data + sizeof header;
  char name[sizeof header.name] = {0};
  snprintf(name, sizeof name, "%s", self->inner->name);
  bool fine = !memcmp(header.magic, magic, sizeof magic) && !memcmp(header.name, name, sizeof name) &&
              header.count <= SKILL__COUNT_CACHE_MAX && size - sizeof header == header.count * sizeof(struct entry) &&
              skill__checksum(entries, size - sizeof header) == header.checksum;
  for (size_t i = 0; fine && i < header.count; i++) {
    struct entry entry;
    memcpy(&entry, entries + i * sizeof entry, sizeof entry);
    if (entry.hash) remember(self, &entry);
  }
}

static void load(struct count_cache *self) {
  size_t most = sizeof(struct file_header) + SKILL__COUNT_CACHE_MAX * sizeof(struct entry);
  char *data = NULL;
  size_t length = 0;
  if (skill__file_load(self->io, self->path, most, &data, &length, NULL)) return;
  take_entries(self, (unsigned char *)data, length);
  skill__free(data);
}

int skill__count_cache_open(SkillTokenizer *inner, SkillIo *io, const char *path, SkillTokenizer **out) {
  struct count_cache *self = skill__calloc(1, sizeof *self);
  if (!self) return SKILL_ENOMEM;
  self->inner = inner;
  self->io = io;
  snprintf(self->path, sizeof self->path, "%s", path);
  self->table = (SkillTokenizer){.version = SKILL_TOKENIZER_VERSION,
                                 .name = inner->name,
                                 .exact = inner->exact,
                                 .threadsafe = false,
                                 .impl = self,
                                 .count = cache_count,
                                 .encode = inner->encode ? cache_encode : NULL,
                                 .free = cache_free};
  load(self);
  *out = &self->table;
  return 0;
}

int skill__count_cache_save(SkillTokenizer *cache) {
  struct count_cache *self = cache->impl;
  if (!self->dirty) return 0;
  struct file_header header = {{0}, {0}, self->count, 0};
  size_t size = sizeof header + self->count * sizeof(struct entry);
  unsigned char *data = skill__calloc(1, size);
  if (!data) return SKILL_ENOMEM;
  size_t at = sizeof header;
  for (size_t i = 0; i < self->capacity; i++) {
    if (!self->slots[i].hash) continue;
    memcpy(data + at, &self->slots[i], sizeof(struct entry));
    at += sizeof(struct entry);
  }
  memcpy(header.magic, magic, sizeof magic);
  snprintf(header.name, sizeof header.name, "%s", self->inner->name);
  header.checksum = skill__checksum(data + sizeof header, size - sizeof header);
  memcpy(data, &header, sizeof header);
  int status = self->io->file_write(self->io, SKILL_IO_CWD, self->path, data, size);
  if (!status) self->dirty = false;
  skill__free(data);
  return status;
}

bool skill__count_cache_path(const char *name, char *path, size_t size) {
  char leaf[256];
  snprintf(leaf, sizeof leaf, "tokens-%s.bin", name);
  return !strchr(name, '/') && skill__user_path("XDG_CACHE_HOME", ".cache", leaf, path, size);
}
