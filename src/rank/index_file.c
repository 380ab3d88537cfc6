/* SPDX-License-Identifier: MIT
 *
 * The index as one file. It contains the arrays as they are in memory, so opening it is a check and some pointers. It
 * is valid for this kind of machine and this version; any other file is refused with SKILL_EPARSE and the caller builds
 * the index again. The checksum finds damage; it does not resist an attacker: keep the file where only you can write.
 */
#include <stdio.h>
#include <string.h>

#include "rank/index/doc_vectors.h"
#include "rank/index/sign_sketch.h"
#include "rank/options.h"
#include "rank/ranker.h"
#include "rank/table/packed_vector.h"
#include "util/alloc.h"
#include "util/hash.h"
#include "util/map.h"
#include "util/options.h"

#define STORE_MAGIC "SKILLIDX"
#define STORE_VERSION 8u
#define STORE_MAX ((size_t)64 << 30)

struct header {
  char magic[8];
  uint32_t version, analyzer, pointer_order, parts;
  uint64_t options, stamp, size, checksum;
  uint32_t skills, tools, groups, tokens;
  uint64_t length[SKILL_RANK_FIELD_COUNT], tool_length[SKILL_RANK_FIELD_COUNT];
};

/* Sizes of one segment's arrays, in their order in the file. */
struct part_header {
  uint32_t count, live, name_mask, dims, rows, terms;
  uint64_t blob, postings;
  uint32_t hidden, dead; /* whether there are bitmaps */
  uint32_t listed;       /* whether the numbers of tokens are listed */
  uint32_t reserved;
};

/* A hash of everything, apart from the skills, that changes an index: weights, analysis, learned table. */
static uint64_t options_hash(const struct skill__rank_shared *shared) {
  double numbers[2 * SKILL_RANK_FIELD_COUNT + 6] = {0};
  memcpy(numbers, shared->weight, sizeof shared->weight);
  memcpy(numbers + SKILL_RANK_FIELD_COUNT, shared->b, sizeof shared->b);
  double *rest = numbers + 2 * SKILL_RANK_FIELD_COUNT;
  rest[0] = shared->k1;
  rest[1] = shared->scorer;
  rest[2] = shared->ignore_body;
  rest[3] = shared->terms ? (double)skill__terms_rows(shared->terms) : -1;
  rest[4] = shared->terms ? (double)skill__terms_dims(shared->terms) : -1;
  rest[5] = shared->terms ? (double)skill__terms_documents(shared->terms) : -1;
  return skill__checksum(numbers, sizeof numbers);
}

static void put(struct skill__buf *buf, const void *data, size_t size) {
  static const char zero[8] = {0};
  if (data) skill__buf_add(buf, data, size);
  skill__buf_add(buf, zero, (8 - buf->length % 8) % 8);
}

static size_t bitmap_size(uint32_t count) {
  return ((size_t)count + 63) / 64 * sizeof(uint64_t);
}

/* --- saving ------------------------------------------------------------------------------------------------------- */

static void put_part(struct skill__buf *buf, const struct skill__rank_part *part) {
  const struct skill__segment *s = part->segment;
  const struct skill__postings *p = &s->postings;
  uint64_t postings = p->terms ? p->start[p->terms] : 0;
  struct part_header header = {.count = s->count,
                               .live = part->live,
                               .name_mask = s->name_mask,
                               .dims = s->dims,
                               .rows = s->row_count,
                               .terms = p->terms,
                               .blob = s->at[s->count],
                               .postings = postings,
                               .hidden = s->hidden != NULL,
                               .dead = part->dead != NULL,
                               .listed = p->ids != NULL};
  put(buf, &header, sizeof header);
  put(buf, s->blob, header.blob);
  put(buf, s->at, (s->count + 1ul) * sizeof *s->at);
  put(buf, s->names, (s->name_mask + 1ul) * sizeof *s->names);
  put(buf, s->rows, s->rows ? (s->count + 1ul) * sizeof *s->rows : 0);
  put(buf, s->vectors, s->row_count ? s->row_count * skill__vector_size(s) : 0);
  put(buf, s->signs, s->signs ? skill__sketch_size(s->row_count) : 0);
  put(buf, s->hidden, s->hidden ? bitmap_size(s->count) : 0);
  put(buf, part->dead ? part->dead->bits : NULL, part->dead ? bitmap_size(s->count) : 0);
  put(buf, p->ids, p->ids ? p->terms * sizeof *p->ids : 0);
  put(buf, p->start, (p->terms + 1ul) * sizeof *p->start);
  put(buf, p->docs, postings * sizeof *p->docs);
  put(buf, p->impacts, postings);
  put(buf, p->most, p->terms);
  put(buf, p->square, p->terms);
}

static void put_all(const SkillRanker *ranker, uint64_t stamp, struct skill__buf *buf) {
  const struct skill__stats *stats = &ranker->stats;
  struct header header = {.version = STORE_VERSION,
                          .analyzer = SKILL__ANALYZER_VERSION,
                          .pointer_order = 0x01020304,
                          .parts = (uint32_t)ranker->part_count,
                          .options = options_hash(ranker->shared),
                          .stamp = stamp,
                          .skills = stats->skills,
                          .tools = stats->tools,
                          .groups = stats->groups,
                          .tokens = skill__dict_count(ranker->shared->dict)};
  memcpy(header.magic, STORE_MAGIC, sizeof header.magic);
  memcpy(header.length, stats->length, sizeof header.length);
  memcpy(header.tool_length, stats->tool_length, sizeof header.tool_length);
  put(buf, &header, sizeof header);
  skill__dict_save(ranker->shared->dict, buf);
  for (uint32_t id = 0; id < header.tokens; id++) {
    struct skill__df df = skill__stats_df(stats, id);
    skill__buf_add(buf, &df, sizeof df);
  }
  for (size_t i = 0; i < ranker->part_count; i++) put_part(buf, &ranker->parts[i]);
  if (buf->status) return;
  header.size = buf->length;
  memcpy(buf->data, &header, sizeof header);
  header.checksum = skill__checksum(buf->data, buf->length);
  memcpy(buf->data, &header, sizeof header);
}

/* Writes a temporary file in the same folder and renames it, so that no reader sees half of it. file_write creates the
 * temporary file exclusively and follows no link. The folder must exist. */
static int write_file(const char *path, const struct skill__buf *buf, SkillError *err) {
  SkillIo *io = skill_io_posix();
  char folder[SKILL_MAX_PATH + 1];
  const char *slash = strrchr(path, '/');
  intptr_t dir = SKILL_IO_CWD;
  snprintf(folder, sizeof folder, "%.*s", slash && slash != path ? (int)(slash - path) : 1, path);
  int status = slash ? io->dir_open(io, SKILL_IO_CWD, folder, SKILL_IO_FOLLOW, &dir) : 0;
  if (!status) status = io->file_write(io, dir, slash ? slash + 1 : path, buf->data, buf->length);
  if (slash && dir != SKILL_IO_CWD) io->dir_close(io, dir);
  if (!status) return 0;
  int reported = status == SKILL_ENOMEM ? status : SKILL_EIO;
  return skill_error_set_at(err, reported, path, 0, 0, "cannot be written: %s", skill_strerror(status));
}

int skill_ranker_save(SkillRanker *ranker, const char *path, uint64_t stamp, SkillError *err) {
  struct skill__buf buf;
  if (strlen(path) > SKILL_MAX_PATH) return skill_error_set(err, SKILL_ELIMIT, "index: the path is too long");
  skill__buf_init(&buf, STORE_MAX);
  int status = skill__ranker_ready(ranker, NULL);
  if (!status) status = skill__ranker_merge(ranker);
  if (!status) {
    put_all(ranker, stamp, &buf);
    status = buf.status;
  }
  status =
      status ? skill_error_set_at(err, status, path, 0, 0, "%s", skill_strerror(status)) : write_file(path, &buf, err);
  skill__buf_fini(&buf);
  return status;
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

struct cursor {
  const uint8_t *data;
  size_t at, size;
  bool bad;
};

static const void *take(struct cursor *cursor, size_t size) {
  const void *here = cursor->data + cursor->at;
  if (cursor->bad || size > cursor->size - cursor->at) {
    cursor->bad = true;
    return NULL;
  }
  cursor->at += size;
  cursor->at = (cursor->at + 7) / 8 * 8;
  if (cursor->at > cursor->size) cursor->at = cursor->size;
  return here;
}

static void take_vectors(struct skill__segment *s, uint32_t rows, struct cursor *cursor) {
  s->row_count = rows;
  if (rows > s->count) s->rows = take(cursor, (s->count + 1ul) * sizeof *s->rows);
  size_t size = rows ? skill__packed_size(s->dims) : 0;
  if (skill__sketched(s->dims, rows)) size -= SKILL__SKETCH_BYTES;
  s->vectors = take(cursor, rows * size);
  if (skill__sketched(s->dims, rows)) s->signs = take(cursor, skill__sketch_size(rows));
}

static int take_part(SkillRanker *ranker, struct skill__map *map, struct cursor *cursor) {
  const struct part_header *header = take(cursor, sizeof *header);
  if (!header || header->count > SKILL__SEGMENT_SKILLS || header->blob > SKILL__SEGMENT_MAX_BYTES) return SKILL_EPARSE;
  struct skill__segment *s = skill__calloc(1, sizeof *s);
  if (!s) return SKILL_ENOMEM;
  atomic_store(&s->refs, 1);
  s->map = map;
  atomic_fetch_add_explicit(&map->refs, 1, memory_order_relaxed);
  s->count = header->count;
  s->name_mask = header->name_mask;
  s->dims = header->dims;
  s->blob = take(cursor, header->blob);
  s->at = take(cursor, (s->count + 1ul) * sizeof *s->at);
  s->names = take(cursor, (s->name_mask + 1ul) * sizeof *s->names);
  take_vectors(s, header->rows, cursor);
  s->hidden = take(cursor, header->hidden ? bitmap_size(s->count) : 0);
  const uint64_t *dead = take(cursor, header->dead ? bitmap_size(s->count) : 0);
  struct skill__postings *p = &s->postings;
  p->terms = header->terms;
  if (header->listed) p->ids = take(cursor, p->terms * sizeof *p->ids);
  p->start = take(cursor, (p->terms + 1ul) * sizeof *p->start);
  p->docs = take(cursor, header->postings * sizeof *p->docs);
  p->impacts = take(cursor, header->postings);
  p->most = take(cursor, p->terms);
  p->square = take(cursor, p->terms);
  if (!header->hidden) s->hidden = NULL;
  struct skill__rank_part *part = &ranker->parts[ranker->part_count++];
  *part = (struct skill__rank_part){s, NULL, header->live};
  if (cursor->bad) return SKILL_EPARSE;
  s->bytes = header->blob + header->postings * 3;
  for (uint32_t doc = 0; header->dead && doc < s->count; doc++) {
    if (!(dead[doc / 64] >> (doc % 64) & 1)) continue;
    if (skill__dead_mark(&part->dead, s->count, doc)) return SKILL_ENOMEM;
  }
  return 0;
}

static int take_all(SkillRanker *ranker, struct skill__map *map, const struct header *header) {
  struct cursor cursor = {map->data, sizeof *header, map->size, false};
  size_t used = 0;
  struct skill__doc none = {.flags = 0};
  int status = skill__dict_load(ranker->shared->dict, cursor.data + cursor.at, cursor.size - cursor.at, &used);
  if (status) return status;
  take(&cursor, used);
  status = skill__stats_prepare(&ranker->stats, &ranker->seen, header->tokens, &none);
  const struct skill__df *df = take(&cursor, header->tokens * sizeof *df);
  if (status || !df) return status ? status : SKILL_EPARSE;
  for (uint32_t id = 0; id < header->tokens; id++)
    ranker->stats.blocks[id / SKILL__DF_BLOCK]->df[id % SKILL__DF_BLOCK] = df[id];
  ranker->stats.skills = header->skills;
  ranker->stats.tools = header->tools;
  ranker->stats.groups = header->groups;
  memcpy(ranker->stats.length, header->length, sizeof header->length);
  memcpy(ranker->stats.tool_length, header->tool_length, sizeof header->tool_length);
  for (uint32_t i = 0; i < header->parts && !status; i++) status = take_part(ranker, map, &cursor);
  return status;
}

/* The checksum is computed with its own field zero. The mapping is private: writing that zero does not change the file.
 */
static int check(struct skill__map *map, const struct skill__rank_shared *shared, uint64_t stamp,
                 struct header *header) {
  if (map->size < sizeof *header) return SKILL_EPARSE;
  memcpy(header, map->data, sizeof *header);
  bool known = memcmp(header->magic, STORE_MAGIC, sizeof header->magic) == 0 && header->version == STORE_VERSION &&
               header->analyzer == SKILL__ANALYZER_VERSION && header->pointer_order == 0x01020304;
  if (!known || header->size != map->size || header->options != options_hash(shared) || header->stamp != stamp ||
      header->parts > SKILL__SEGMENTS_MAX)
    return SKILL_EPARSE;
  ((struct header *)map->data)->checksum = 0;
  return skill__checksum(map->data, map->size) == header->checksum ? 0 : SKILL_EPARSE;
}

static int map_file(const char *path, struct skill__map **out, SkillError *err) {
  struct skill__map *map = skill__calloc(1, sizeof *map);
  if (!map) return skill_error_set(err, SKILL_ENOMEM, "out of memory for %s", path);
  int status = skill__file_map(path, STORE_MAX, false, &map->data, &map->size, err);
  if (status) {
    skill__free(map);
    return status;
  }
  atomic_store(&map->refs, 1);
  *out = map;
  return 0;
}

int skill_ranker_open(const SkillRankerOptions *options, const char *path, uint64_t stamp, SkillRanker **out,
                      SkillError *err) {
  SkillRanker *ranker = NULL;
  struct skill__map *map = NULL;
  struct header header;
  SkillRankerOptions given = SKILL_RANKER_OPTIONS_INIT;
  int status = SKILL__OPTIONS(SkillRankerOptions, &given, options, err);
  if (!status) status = map_file(path, &map, err);
  if (status) return status;
  status = skill_ranker_new(&given, &ranker, err);
  if (!status) status = check(map, ranker->shared, stamp, &header);
  if (!status) status = take_all(ranker, map, &header);
  skill__map_release(map);
  if (!status) {
    *out = ranker;
    return 0;
  }
  skill_ranker_free(ranker);
  const char *why = status == SKILL_EPARSE ? "is damaged, or was made by another version, with other settings or from "
                                             "other skills: build the index anew"
                                           : skill_strerror(status);
  return skill_error_set_at(err, status, path, 0, 0, "%s", why);
}
