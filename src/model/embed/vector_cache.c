/* SPDX-License-Identifier: MIT
 *
 * Vectors of skills on disk: one file for each embedder, read at the first use and rewritten after each call that adds
 * a vector. The key of a record is two hashes of the text, so a changed description has another record.
 *
 * The file, little-endian: "SKILVECS", u32 version, u32 dims, u64 checksum of all that follows; then records of two u64
 * hashes, one f32 scale and dims signed bytes.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "skillet/embed.h"
#include "util/alloc.h"
#include "util/buf.h"
#include "util/file.h"
#include "util/hash.h"

enum { VERSION = 1, HEADER = 24, RECORD_HEAD = 20, FILE_MOST = 1024 * 1024 * 1024 };
static const char magic[8] = "SKILVECS";

struct record {
  UT_hash_handle hh;
  uint64_t key[2];
  float scale;
  int8_t values[];
};

struct cache {
  SkillEmbedder base;
  SkillEmbedder *inner;
  SkillIo *io;
  char *path;
  struct record *records;
  size_t dims; /* 0: no record yet */
  bool loaded;
};

static void drop_all(struct cache *cache) {
  struct record *record, *next;
  HASH_ITER(hh, cache->records, record, next) {
    HASH_DEL(cache->records, record);
    skill__free(record);
  }
  cache->dims = 0;
}

static void key_of(SkillText text, uint64_t key[2]) {
  key[0] = skill__hash_bytes(text.text, text.length);
  key[1] = skill__checksum(text.text, text.length);
}

static struct record *find(const struct cache *cache, const uint64_t key[2]) {
  struct record *record = NULL;
  HASH_FIND(hh, cache->records, key, sizeof record->key, record);
  return record;
}

/* Adds a record. NULL: out of memory; the text is then requested again next time. */
static struct record *add(struct cache *cache, const uint64_t key[2]) {
  struct record *record = skill__calloc(1, sizeof *record + cache->dims);
  if (!record) return NULL;
  memcpy(record->key, key, sizeof record->key);
  bool added = false;
  SKILL__HASH_ADD(cache->records, record, record->key, sizeof record->key, added);
  if (added) return record;
  skill__free(record);
  return NULL;
}

/* --- the file --------------------------------------------------------------------------------------------------- */

static uint64_t get(const unsigned char *p, size_t bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes; i++) value |= (uint64_t)p[i] << 8 * i;
  return value;
}

static void put(struct skill__buf *buf, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) skill__buf_char(buf, (char)(value >> 8 * i));
}

/* Reads the file unless any part of it is damaged. */
static void read_records(struct cache *cache, const unsigned char *data, size_t length) {
  if (length < HEADER || memcmp(data, magic, sizeof magic) != 0 || get(data + 8, 4) != VERSION) return;
  size_t dims = (size_t)get(data + 12, 4);
  size_t record_size = RECORD_HEAD + dims;
  if (dims == 0 || dims > SKILL_EMBED_MAX_DIMS || (length - HEADER) % record_size) return;
  if (get(data + 16, 8) != skill__checksum(data + HEADER, length - HEADER)) return;
  cache->dims = dims;
  for (const unsigned char *p = data + HEADER; p < data + length; p += record_size) {
    uint64_t key[2] = {get(p, 8), get(p + 8, 8)};
    struct record *record = find(cache, key) ? NULL : add(cache, key);
    if (!record) continue;
    uint32_t bits = (uint32_t)get(p + 16, 4);
    memcpy(&record->scale, &bits, sizeof bits);
    if (!isfinite(record->scale)) record->scale = 0;
    memcpy(record->values, p + RECORD_HEAD, dims);
  }
}

static void load(struct cache *cache) {
  if (cache->loaded) return;
  cache->loaded = true;
  char *data = NULL;
  size_t length = 0;
  if (skill__file_load(cache->io, cache->path, FILE_MOST, &data, &length, NULL)) return;
  read_records(cache, (unsigned char *)data, length);
  skill__free(data);
}

static void save(struct cache *cache) {
  struct skill__buf body;
  skill__buf_init(&body, FILE_MOST);
  skill__buf_add(&body, magic, sizeof magic);
  put(&body, VERSION, 4);
  put(&body, cache->dims, 4);
  put(&body, 0, 8);
  for (struct record *record = cache->records; record; record = record->hh.next) {
    put(&body, record->key[0], 8);
    put(&body, record->key[1], 8);
    uint32_t bits;
    memcpy(&bits, &record->scale, sizeof bits);
    put(&body, bits, 4);
    skill__buf_add(&body, record->values, cache->dims);
  }
  if (!skill__buf_status(&body)) {
    uint64_t sum = skill__checksum(body.data + HEADER, body.length - HEADER);
    for (size_t i = 0; i < 8; i++) body.data[16 + i] = (char)(sum >> 8 * i);
    /* A cache that cannot be written is not an error. */
    (void)cache->io->file_write(cache->io, SKILL_IO_CWD, cache->path, body.data, body.length);
  }
  skill__buf_fini(&body);
}

/* --- embedding -------------------------------------------------------------------------------------------------- */

static void store(struct record *record, const float *vector, size_t dims) {
  float largest = 0;
  for (size_t i = 0; i < dims; i++) largest = fmaxf(largest, fabsf(vector[i]));
  record->scale = largest / 127;
  for (size_t i = 0; i < dims; i++) {
    record->values[i] = record->scale > 0 ? (int8_t)lrintf(vector[i] / record->scale) : 0;
  }
}

/* New vectors are rounded too, so that the first run ranks like the second. */
static void fetch(const struct record *record, float *vector, size_t dims) {
  for (size_t i = 0; i < dims; i++) vector[i] = record->scale * (float)record->values[i];
}

struct fresh {
  SkillText *texts; /* that have no record */
  size_t *places;   /* their indices in the caller's list */
  size_t count;
  float *vectors;
  size_t dims;
};

static int ask(struct cache *cache, const SkillText *texts, size_t count, struct fresh *fresh, SkillError *err) {
  fresh->texts = skill__malloc(count * sizeof *fresh->texts);
  fresh->places = skill__malloc(count * sizeof *fresh->places);
  if (!fresh->texts || !fresh->places) return skill_error_set(err, SKILL_ENOMEM, "out of memory for %zu texts", count);
  for (size_t i = 0; i < count; i++) {
    uint64_t key[2];
    key_of(texts[i], key);
    if (find(cache, key)) continue;
    fresh->texts[fresh->count] = texts[i];
    fresh->places[fresh->count++] = i;
  }
  if (!fresh->count) return 0;
  return cache->inner->embed(cache->inner, SKILL_EMBED_SKILL, fresh->texts, fresh->count, &fresh->vectors, &fresh->dims,
                             err);
}

static int answer(struct cache *cache, const SkillText *texts, size_t count, struct fresh *fresh, float **out,
                  SkillError *err) {
  size_t dims = cache->dims;
  float *vectors = skill__calloc(count, dims * sizeof *vectors);
  if (!vectors) return skill_error_set(err, SKILL_ENOMEM, "out of memory for %zu vectors", count);
  for (size_t i = 0; i < fresh->count; i++) {
    uint64_t key[2];
    key_of(fresh->texts[i], key);
    struct record *record = find(cache, key) ? NULL : add(cache, key);
    const float *vector = fresh->vectors + i * dims;
    if (record) store(record, vector, dims);
    memcpy(vectors + fresh->places[i] * dims, vector, dims * sizeof *vector); /* used if there is no record */
  }
  for (size_t i = 0; i < count; i++) {
    uint64_t key[2];
    key_of(texts[i], key);
    const struct record *record = find(cache, key);
    if (record) fetch(record, vectors + i * dims, dims);
  }
  *out = vectors;
  return 0;
}

static int embed(SkillEmbedder *base, SkillEmbedKind kind, const SkillText *texts, size_t count, float **vectors,
                 size_t *dims, SkillError *err) {
  struct cache *cache = base->impl;
  if (kind == SKILL_EMBED_QUERY) return cache->inner->embed(cache->inner, kind, texts, count, vectors, dims, err);
  load(cache);
  struct fresh fresh = {0};
  int status = ask(cache, texts, count, &fresh, err);
  if (!status && fresh.count && cache->dims && fresh.dims != cache->dims) {
    /* The server has another model now: all vectors are requested again. */
    drop_all(cache);
    skill__free(fresh.texts);
    skill__free(fresh.places);
    skill__free(fresh.vectors);
    fresh = (struct fresh){0};
    status = ask(cache, texts, count, &fresh, err);
  }
  if (!status && fresh.count) cache->dims = fresh.dims;
  if (!status) status = answer(cache, texts, count, &fresh, vectors, err);
  if (!status) *dims = cache->dims;
  if (!status && fresh.count) save(cache);
  skill__free(fresh.texts);
  skill__free(fresh.places);
  skill__free(fresh.vectors);
  return status;
}

static void release(SkillEmbedder *base) {
  struct cache *cache = base->impl;
  drop_all(cache);
  skill_embedder_free(cache->inner);
  skill__free(cache->path);
  skill__free(cache);
}

static char *path_in(const char *folder, const char *name) {
  struct skill__buf buf;
  skill__buf_init(&buf, SKILL_MAX_PATH);
  uint64_t id = skill__hash_bytes(name, strlen(name));
  skill__buf_printf(&buf, "%s/embeddings-%08lx%08lx.skv", folder, (unsigned long)(id >> 32),
                    (unsigned long)(id & 0xffffffff));
  return skill__buf_take(&buf, NULL);
}

int skill_embedder_cache(SkillEmbedder *inner, SkillIo *io, const char *folder, SkillEmbedder **out, SkillError *err) {
  struct cache *cache = skill__calloc(1, sizeof *cache);
  char *path = cache ? path_in(folder, inner->name) : NULL;
  if (!path) {
    skill__free(cache);
    return skill_error_set(err, SKILL_ENOMEM, "out of memory for a cache of vectors");
  }
  *cache = (struct cache){.inner = inner, .io = io ? io : skill_io_posix(), .path = path};
  cache->base = (SkillEmbedder){SKILL_EMBEDDER_VERSION, inner->name, cache, embed, release};
  *out = &cache->base;
  return 0;
}

void skill_embedder_free(SkillEmbedder *embedder) {
  if (embedder) embedder->free(embedder);
}
