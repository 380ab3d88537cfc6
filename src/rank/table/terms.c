/* SPDX-License-Identifier: MIT
 *
 * Opens a file of learned terms and finds tokens in it. Files of skill_io_posix() are mapped (util/map.h describes how
 * to replace such a file), those of another SkillIo are read. Any contradiction in the file gives SKILL_EPARSE and no
 * table. Bytes that change after the check give wrong vectors, never a read outside the file.
 */
#include "rank/table/terms.h"

#include <math.h>
#include <string.h>

#include "rank/table/terms_data.h"
#include "rank/table/terms_file.h"
#include "util/alloc.h"
#include "util/file.h"
#include "util/map.h"

static uint64_t u64_at(const unsigned char *p) {
  return skill__terms_u32(p) | (uint64_t)skill__terms_u32(p + 4) << 32;
}

static size_t padded(size_t size) {
  return (size + SKILL__TERMS_ALIGN - 1) / SKILL__TERMS_ALIGN * SKILL__TERMS_ALIGN;
}

struct skill__terms_layout skill__terms_layout(size_t rows, size_t shares, size_t dims, unsigned bits) {
  struct skill__terms_layout at;
  at.row_counts = padded(SKILL__TERMS_HEADER);
  at.row_keys = at.row_counts + SKILL__TERMS_BUCKETS;
  at.share_counts = at.row_keys + padded(4 * rows);
  at.share_keys = at.share_counts + SKILL__TERMS_BUCKETS;
  at.share = at.share_keys + padded(4 * shares);
  at.scale = at.share + padded(rows + shares);
  at.values = at.scale + padded(4 * rows);
  at.end = at.values + padded(rows * dims * bits / 8);
  return at;
}

/* Reads the header's numbers and checks them against each other and the length. */
static int check_header(const unsigned char *data, size_t length, uint32_t analyzer, struct skill__terms *terms,
                        const char **why) {
  *why = "is cut short or is no table of terms";
  if (length < SKILL__TERMS_HEADER || memcmp(data, SKILL__TERMS_MAGIC, 8) != 0) return SKILL_EPARSE;
  *why = "is of another version of the format; make it again with scripts/train-terms";
  if (skill__terms_u32(data + SKILL__TERMS_AT_VERSION) != SKILL__TERMS_VERSION) return SKILL_EPARSE;
  terms->rows = skill__terms_u32(data + SKILL__TERMS_AT_ROWS);
  terms->shares = skill__terms_u32(data + SKILL__TERMS_AT_SHARES);
  terms->dims = skill__terms_u32(data + SKILL__TERMS_AT_DIMS);
  terms->bits = skill__terms_u32(data + SKILL__TERMS_AT_BITS);
  terms->documents = skill__terms_u32(data + SKILL__TERMS_AT_DOCUMENTS);
  *why = "is damaged: its header does not add up";
  if (terms->rows > SKILL__TERMS_MAX_TOKENS || terms->shares > SKILL__TERMS_MAX_TOKENS) return SKILL_EPARSE;
  if (terms->dims < 32 || terms->dims > SKILL__TERMS_MAX_DIMS || terms->dims % 32) return SKILL_EPARSE;
  if (terms->bits != 4 && terms->bits != 8) return SKILL_EPARSE;
  struct skill__terms_layout at = skill__terms_layout(terms->rows, terms->shares, terms->dims, terms->bits);
  if (at.end != length || u64_at(data + SKILL__TERMS_AT_SIZE) != length) return SKILL_EPARSE;
  for (size_t i = SKILL__TERMS_AT_ZERO; i < SKILL__TERMS_AT_SIZE; i++) {
    if (data[i]) return SKILL_EPARSE;
  }
  *why = "was made for other tokens than this library makes; make it again with scripts/train-terms";
  if (analyzer && skill__terms_u32(data + SKILL__TERMS_AT_ANALYZER) != analyzer) return SKILL_EPARSE;
  return 0;
}

/* The checksum is computed with its own field zero. */
static bool checksum_holds(unsigned char *data, size_t length) {
  unsigned char *field = data + SKILL__TERMS_AT_CHECKSUM;
  uint64_t stored = u64_at(field);
  memset(field, 0, 8);
  return skill__checksum(data, length) == stored;
}

/* Adds up the counts; false if their sum is not `total`. */
static bool open_index(struct skill__terms_index *index, const unsigned char *counts, const unsigned char *keys,
                       size_t total) {
  uint32_t sum = 0;
  for (size_t i = 0; i < SKILL__TERMS_BUCKETS; i++) {
    if (i % SKILL__TERMS_GROUP == 0) index->first[i / SKILL__TERMS_GROUP] = sum;
    sum += counts[i];
  }
  index->counts = counts;
  index->keys = keys;
  index->total = sum;
  return sum == total;
}

static bool open_sections(struct skill__terms *terms) {
  const unsigned char *data = terms->data;
  struct skill__terms_layout at = skill__terms_layout(terms->rows, terms->shares, terms->dims, terms->bits);
  if (!open_index(&terms->row_index, data + at.row_counts, data + at.row_keys, terms->rows)) return false;
  if (!open_index(&terms->share_index, data + at.share_counts, data + at.share_keys, terms->shares)) return false;
  terms->share = data + at.share;
  terms->scale = data + at.scale;
  terms->values = data + at.values;
  for (uint32_t i = 0; i < terms->rows; i++)
    if (!isfinite(skill__terms_scale(terms, i))) return false;
  for (size_t i = 0; i < SKILL__TERMS_NO_SHARE; i++) terms->share_of[i] = exp2f(-(float)i / SKILL__TERMS_SHARE_STEPS);
  return true;
}

/* Takes `data` on success: a mapping, or memory of skill__malloc. */
static int adopt(unsigned char *data, size_t length, bool mapped, const char *file, uint32_t analyzer,
                 struct skill__terms **out, SkillError *err) {
  struct skill__terms head = {0};
  const char *why = NULL;
  int status = check_header(data, length, analyzer, &head, &why);
  if (status) return skill_error_set_at(err, status, file, 0, 0, "the table of terms %s", why);
  if (!checksum_holds(data, length)) {
    return skill_error_set_at(err, SKILL_EPARSE, file, 0, 0, "the table of terms is damaged: its checksum is wrong");
  }
  struct skill__terms *terms = skill__malloc(sizeof *terms);
  if (!terms) return skill_error_set(err, SKILL_ENOMEM, "out of memory for the table of terms");
  *terms = head; /* share_of[SKILL__TERMS_NO_SHARE] stays 0 */
  terms->data = data;
  terms->length = length;
  terms->mapped = mapped;
  if (!open_sections(terms)) {
    skill__free(terms);
    return skill_error_set_at(err, SKILL_EPARSE, file, 0, 0, "the table of terms is damaged: its sections do not fit");
  }
  skill__terms_rest(terms); /* the check touched every page */
  *out = terms;
  return 0;
}

int skill__terms_parse(const void *data, size_t length, const char *file, uint32_t analyzer, struct skill__terms **out,
                       SkillError *err) {
  if (length > SKILL__TERMS_MAX_BYTES) return skill_error_set(err, SKILL_ELIMIT, "the table of terms is too large");
  unsigned char *copy = skill__malloc(length);
  if (!copy) return skill_error_set(err, SKILL_ENOMEM, "out of memory for the table of terms");
  if (length) memcpy(copy, data, length);
  int status = adopt(copy, length, false, file, analyzer, out, err);
  if (status) skill__free(copy);
  return status;
}

static int open_mapped(const char *path, uint32_t analyzer, struct skill__terms **out, SkillError *err) {
  void *data = NULL;
  size_t length = 0;
  int status = skill__file_map(path, SKILL__TERMS_MAX_BYTES, false, &data, &length, err);
  if (status) return status;
  status = adopt(data, length, true, path, analyzer, out, err);
  if (status) skill__file_unmap(data, length);
  return status;
}

int skill__terms_open(SkillIo *io, const char *path, uint32_t analyzer, struct skill__terms **out, SkillError *err) {
  if (io == skill_io_posix()) return open_mapped(path, analyzer, out, err);
  char *data = NULL;
  size_t length = 0;
  int status = skill__file_load(io, path, SKILL__TERMS_MAX_BYTES, &data, &length, err);
  if (status) return status;
  status = adopt((unsigned char *)data, length, false, path, analyzer, out, err);
  if (status) skill__free(data);
  return status;
}

void skill__terms_free(struct skill__terms *terms) {
  if (!terms) return;
  if (terms->mapped)
    skill__file_unmap(terms->data, terms->length);
  else
    skill__free(terms->data);
  skill__free(terms);
}

void skill__terms_rest(const struct skill__terms *terms) {
  if (terms->mapped) skill__file_map_rest(terms->data, terms->length);
}

size_t skill__terms_dims(const struct skill__terms *terms) {
  return terms->dims;
}

size_t skill__terms_rows(const struct skill__terms *terms) {
  return terms->rows;
}

size_t skill__terms_documents(const struct skill__terms *terms) {
  return terms->documents;
}

/* --- finding ------------------------------------------------------------------------------------------------------ */

/* Keys of one bucket. */
struct keys {
  uint32_t from, to;
};

static struct keys keys_of(const struct skill__terms_index *index, uint64_t hash) {
  uint32_t bucket = skill__terms_bucket(hash), at = bucket / SKILL__TERMS_GROUP, first = index->first[at];
  for (uint32_t i = at * SKILL__TERMS_GROUP; i < bucket; i++) first += index->counts[i];
  uint32_t end = first + index->counts[bucket];
  return (struct keys){first, end < index->total ? end : index->total};
}

static uint32_t look_up(const struct skill__terms_index *index, struct keys keys, uint64_t hash) {
  uint32_t key = skill__terms_key(hash);
  for (uint32_t i = keys.from; i < keys.to; i++)
    if (skill__terms_u32(index->keys + 4 * (size_t)i) == key) return i;
  return SKILL__TERMS_NONE;
}

static struct skill__term term_of(const struct skill__terms *terms, struct keys rows, struct keys shares,
                                  uint64_t hash) {
  struct skill__term term = {look_up(&terms->row_index, rows, hash), 0};
  if (term.row != SKILL__TERMS_NONE) {
    term.share = terms->share_of[terms->share[term.row]];
    return term;
  }
  uint32_t rare = look_up(&terms->share_index, shares, hash);
  if (rare != SKILL__TERMS_NONE) term.share = terms->share_of[terms->share[terms->rows + rare]];
  return term;
}

uint64_t skill__terms_hash(const char *token, size_t length) {
  return skill__hash_bytes(token, length);
}

struct skill__term skill__terms_find(const struct skill__terms *terms, const char *token, size_t length) {
  uint64_t hash = skill__terms_hash(token, length);
  return term_of(terms, keys_of(&terms->row_index, hash), keys_of(&terms->share_index, hash), hash);
}

static void expect_counts(const struct skill__terms_index *index, uint64_t hash) {
  __builtin_prefetch(index->counts + skill__terms_bucket(hash) / SKILL__TERMS_GROUP * SKILL__TERMS_GROUP);
}

static struct keys expect_keys(const struct skill__terms_index *index, uint64_t hash) {
  struct keys keys = keys_of(index, hash);
  __builtin_prefetch(index->keys + 4 * (size_t)keys.from);
  return keys;
}

void skill__terms_find_all(const struct skill__terms *terms, const uint64_t *hashes, size_t count,
                           struct skill__term *out) {
  enum { RUN = 16 };
  struct keys rows[RUN], shares[RUN];
  for (size_t from = 0; from < count; from += RUN) {
    size_t run = count - from < RUN ? count - from : RUN;
    for (size_t i = 0; i < run; i++) {
      expect_counts(&terms->row_index, hashes[from + i]);
      expect_counts(&terms->share_index, hashes[from + i]);
    }
    for (size_t i = 0; i < run; i++) {
      rows[i] = expect_keys(&terms->row_index, hashes[from + i]);
      shares[i] = expect_keys(&terms->share_index, hashes[from + i]);
    }
    for (size_t i = 0; i < run; i++) out[from + i] = term_of(terms, rows[i], shares[i], hashes[from + i]);
  }
}
