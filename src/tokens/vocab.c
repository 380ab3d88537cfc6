/* SPDX-License-Identifier: MIT
 *
 * Maps a packed vocabulary. Everything is checked before use: the numbers in the header against the size of the file,
 * the checksum of all bytes, and what look-ups rely on (rising offsets, tables with a free slot). A damaged file is
 * SKILL_EPARSE.
 */
#include "tokens/vocab.h"

#include "util/hash.h"
#include "util/map.h"

static size_t aligned(size_t at) {
  return (at + 63) & ~(size_t)63;
}

struct skill__vocab_layout skill__vocab_layout(const struct skill__vocab_header *header) {
  struct skill__vocab_layout layout;
  layout.offsets = aligned(sizeof *header);
  layout.pairs2 = aligned(layout.offsets + ((size_t)header->tokens + 1) * sizeof(uint32_t));
  layout.index = aligned(layout.pairs2 + 65536 * sizeof(uint32_t));
  layout.bits = aligned(layout.index + SKILL__CLASS_BLOCKS);
  layout.pieces = aligned(layout.bits + (size_t)header->blocks * 256);
  layout.merges = aligned(layout.pieces + ((size_t)1 << header->piece_bits) * sizeof(uint64_t));
  layout.bytes = aligned(layout.merges + ((size_t)1 << header->merge_bits) * sizeof(uint64_t));
  layout.end = layout.bytes + (size_t)header->byte_count + 16;
  return layout;
}

static bool header_holds(const struct skill__vocab_header *header, size_t size) {
  return header->file_size == size && header->pattern <= SKILL__PATTERN_CL100K && header->tokens >= 256 &&
         header->tokens <= SKILL__VOCAB_MAX_TOKENS && header->longest >= 1 &&
         header->longest <= SKILL__VOCAB_MAX_PIECE && header->blocks >= 1 &&
         header->blocks <= SKILL__CLASS_MAX_DISTINCT && header->piece_bits <= 22 && header->merge_bits <= 22 &&
         header->tokens < (uint32_t)1 << header->piece_bits && header->tokens < (uint32_t)1 << header->merge_bits &&
         header->byte_count < size && memchr(header->name, 0, sizeof header->name) &&
         skill__vocab_layout(header).end == size;
}

static bool checksum_holds(const unsigned char *data, size_t size) {
  struct skill__vocab_header header;
  memcpy(&header, data, sizeof header);
  uint64_t want = header.checksum;
  header.checksum = 0;
  return (skill__checksum(&header, sizeof header) ^ skill__checksum(data + sizeof header, size - sizeof header)) ==
         want;
}

/* The bytes 0 to 255 must all be tokens, and every offset must lie within `bytes`; the checksum guards the rest. */
static bool usable(struct skill__vocab *vocab) {
  const struct skill__vocab_header *header = vocab->header;
  bool seen[256] = {false};
  size_t found = 0;
  uint32_t last = 0;
  uint32_t bad = vocab->offsets[0] != 0;
  for (uint32_t i = 1; i <= header->tokens; i++) {
    uint32_t now = vocab->offsets[i];
    bad |= now < last || now - last > header->longest;
    if (now - last == 1 && now <= header->byte_count) {
      unsigned char byte = vocab->bytes[last];
      found += !seen[byte];
      seen[byte] = true;
      vocab->single[byte] = i - 1;
    }
    last = now;
  }
  return !bad && last == header->byte_count && found == 256;
}

static void attach(struct skill__vocab *vocab, const unsigned char *data, size_t size) {
  const struct skill__vocab_header *header = (const void *)data;
  struct skill__vocab_layout layout = skill__vocab_layout(header);
  vocab->header = header;
  vocab->offsets = (const void *)(data + layout.offsets);
  vocab->pairs2 = (const void *)(data + layout.pairs2);
  vocab->classes.index = data + layout.index;
  vocab->classes.bits = data + layout.bits;
  vocab->pieces = (const void *)(data + layout.pieces);
  vocab->merges = (const void *)(data + layout.merges);
  vocab->bytes = data + layout.bytes;
  vocab->pattern = (enum skill__pattern)header->pattern;
  vocab->longest = header->longest;
  vocab->piece_shift = 64 - header->piece_bits;
  vocab->merge_shift = 64 - header->merge_bits;
  vocab->piece_mask = ((size_t)1 << header->piece_bits) - 1;
  vocab->merge_mask = ((size_t)1 << header->merge_bits) - 1;
  vocab->size = size;
}

static int check(const char *path, const unsigned char *data, size_t size, struct skill__vocab *out, SkillError *err) {
  const struct skill__vocab_header *header = (const void *)data;
  if (size < sizeof *header || memcmp(header->magic, SKILL__VOCAB_MAGIC, sizeof SKILL__VOCAB_MAGIC) != 0) {
    return skill_error_set_at(err, SKILL_EPARSE, path, 0, 0, "not a packed vocabulary");
  }
  if (header->version != SKILL__VOCAB_VERSION || header->endian != SKILL__VOCAB_ENDIAN) {
    return skill_error_set_at(err, SKILL_EPARSE, path, 0, 0,
                              "packed for another version or machine: run scripts/fetch-vocabulary.sh again");
  }
  struct skill__vocab vocab = {0};
  bool fine = header_holds(header, size) && checksum_holds(data, size);
  if (fine) attach(&vocab, data, size);
  if (!fine || !usable(&vocab)) {
    return skill_error_set_at(err, SKILL_EPARSE, path, 0, 0, "damaged: run scripts/fetch-vocabulary.sh again");
  }
  *out = vocab;
  return 0;
}

int skill__vocab_open(const char *path, struct skill__vocab *out, SkillError *err) {
  void *data = NULL;
  size_t size = 0;
  /* The checksum reads every page: reading all of them at once is faster than a page fault for each. */
  int status = skill__file_map(path, SKILL__VOCAB_MAX_BYTES, true, &data, &size, err);
  if (status) return status;
  status = check(path, data, size, out, err);
  if (status) skill__file_unmap(data, size);
  return status;
}

void skill__vocab_close(struct skill__vocab *vocab) {
  skill__file_unmap((void *)(uintptr_t)vocab->header, vocab->size);
  memset(vocab, 0, sizeof *vocab);
}
