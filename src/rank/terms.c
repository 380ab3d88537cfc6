/* SPDX-License-Identifier: MIT
 *
 * Reads a file of learned terms and looks tokens up in it. The file is read into memory and not mapped: it is a few
 * megabytes, its checksum touches every byte anyway, and a mapped file that somebody cuts short kills the process.
 * Whatever does not add up gives SKILL_EPARSE and no table.
 */
#include "rank/terms.h"

#include <math.h>
#include <string.h>

#include "rank/terms_data.h"
#include "rank/terms_file.h"
#include "util/alloc.h"
#include "util/file.h"

static uint32_t u32_at(const unsigned char *p) {
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t u64_at(const unsigned char *p) {
  return u32_at(p) | (uint64_t)u32_at(p + 4) << 32;
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
  if (u32_at(data + SKILL__TERMS_AT_VERSION) != SKILL__TERMS_VERSION) return SKILL_EPARSE;
  terms->rows = u32_at(data + SKILL__TERMS_AT_ROWS);
  terms->shares = u32_at(data + SKILL__TERMS_AT_SHARES);
  terms->dims = u32_at(data + SKILL__TERMS_AT_DIMS);
  terms->bits = u32_at(data + SKILL__TERMS_AT_BITS);
  terms->documents = u32_at(data + SKILL__TERMS_AT_DOCUMENTS);
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
  if (analyzer && u32_at(data + SKILL__TERMS_AT_ANALYZER) != analyzer) return SKILL_EPARSE;
  return 0;
}

/* The checksum is taken with its own field zero. */
static bool checksum_holds(unsigned char *data, size_t length) {
  unsigned char *field = data + SKILL__TERMS_AT_CHECKSUM;
  uint64_t told = u64_at(field);
  memset(field, 0, 8);
  return skill__checksum(data, length) == told;
}

/* Turns counts into first positions; false where they do not make `total`. */
static bool open_index(struct skill__terms_index *index, const unsigned char *counts, const unsigned char *keys,
                       size_t total) {
  uint32_t sum = 0;
  for (size_t i = 0; i < SKILL__TERMS_BUCKETS; i++) {
    index->first[i] = sum;
    sum += counts[i];
  }
  index->first[SKILL__TERMS_BUCKETS] = sum;
  index->keys = keys;
  return sum == total;
}

static bool open_sections(struct skill__terms *terms) {
  const unsigned char *data = terms->data;
  struct skill__terms_layout at = skill__terms_layout(terms->rows, terms->shares, terms->dims, terms->bits);
  if (!open_index(&terms->row_index, data + at.row_counts, data + at.row_keys, terms->rows)) return false;
  if (!open_index(&terms->share_index, data + at.share_counts, data + at.share_keys, terms->shares)) return false;
  terms->share = data + at.share;
  terms->values = data + at.values;
  for (size_t i = 0; i < terms->rows; i++) {
    uint32_t bits = u32_at(data + at.scale + 4 * i);
    memcpy(&terms->scale[i], &bits, sizeof bits);
    if (!isfinite(terms->scale[i])) return false;
  }
  for (size_t i = 0; i < 256; i++) terms->share_of[i] = exp2f(-(float)i / SKILL__TERMS_SHARE_STEPS);
  return true;
}

/* Takes `data` (skill__malloc) on success. */
static int adopt(unsigned char *data, size_t length, const char *file, uint32_t analyzer, struct skill__terms **out,
                 SkillError *err) {
  struct skill__terms head = {0};
  const char *why = NULL;
  int status = check_header(data, length, analyzer, &head, &why);
  if (status) return skill_error_set_at(err, status, file, 0, 0, "the table of terms %s", why);
  if (!checksum_holds(data, length)) {
    return skill_error_set_at(err, SKILL_EPARSE, file, 0, 0, "the table of terms is damaged: its checksum is wrong");
  }
  struct skill__terms *terms = skill__malloc(sizeof *terms + head.rows * sizeof(float));
  if (!terms) return skill_error_set(err, SKILL_ENOMEM, "out of memory for the table of terms");
  *terms = head;
  terms->data = data;
  if (!open_sections(terms)) {
    skill__free(terms);
    return skill_error_set_at(err, SKILL_EPARSE, file, 0, 0, "the table of terms is damaged: its sections do not fit");
  }
  *out = terms;
  return 0;
}

int skill__terms_parse(const void *data, size_t length, const char *file, uint32_t analyzer, struct skill__terms **out,
                       SkillError *err) {
  if (length > SKILL__TERMS_MAX_BYTES) return skill_error_set(err, SKILL_ELIMIT, "the table of terms is too large");
  unsigned char *copy = skill__malloc(length);
  if (!copy) return skill_error_set(err, SKILL_ENOMEM, "out of memory for the table of terms");
  if (length) memcpy(copy, data, length);
  int status = adopt(copy, length, file, analyzer, out, err);
  if (status) skill__free(copy);
  return status;
}

int skill__terms_open(SkillIo *io, const char *path, uint32_t analyzer, struct skill__terms **out, SkillError *err) {
  char *data = NULL;
  size_t length = 0;
  int status = skill__file_load(io, path, SKILL__TERMS_MAX_BYTES, &data, &length, err);
  if (status) return status;
  status = adopt((unsigned char *)data, length, path, analyzer, out, err);
  if (status) skill__free(data);
  return status;
}

void skill__terms_free(struct skill__terms *terms) {
  if (!terms) return;
  skill__free(terms->data);
  skill__free(terms);
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

static uint32_t look_up(const struct skill__terms_index *index, uint64_t hash) {
  uint32_t bucket = skill__terms_bucket(hash);
  uint32_t key = skill__terms_key(hash);
  for (uint32_t i = index->first[bucket]; i < index->first[bucket + 1]; i++) {
    if (u32_at(index->keys + 4 * (size_t)i) == key) return i;
  }
  return SKILL__TERMS_NONE;
}

struct skill__term skill__terms_find(const struct skill__terms *terms, const char *token, size_t length) {
  uint64_t hash = skill__hash_bytes(token, length);
  struct skill__term term = {look_up(&terms->row_index, hash), 0};
  if (term.row != SKILL__TERMS_NONE) {
    term.share = terms->share_of[terms->share[term.row]];
    return term;
  }
  uint32_t rare = look_up(&terms->share_index, hash);
  if (rare != SKILL__TERMS_NONE) term.share = terms->share_of[terms->share[terms->rows + rare]];
  return term;
}
