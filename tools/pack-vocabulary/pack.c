/* SPDX-License-Identifier: MIT
 *
 * Packs a rank file (lines of "BASE64 RANK") into the file that the exact tokenizer maps: see src/tokens/vocab.h.
 *
 *   pack-vocabulary NAME PATTERN RANKS OUTPUT      PATTERN is o200k or cl100k
 *
 * A tool of the set-up only. Ranks must be 0, 1, 2 … without a gap, and every single byte must have one. The output is
 * written to a temporary file and renamed. Exit status: 0 success, 1 the input is not such a file or the output cannot
 * be written, 2 usage error.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pack-vocabulary/classes.h"
#include "tokens/vocab.h"
#include "util/hash.h"

struct packer {
  struct skill__vocab_header header;
  unsigned char *bytes;
  uint32_t *offsets;
  uint32_t *pairs2;
  uint64_t *pieces;
  uint64_t *merges;
  uint8_t index[SKILL__CLASS_BLOCKS];
  uint8_t bits[SKILL__CLASS_MAX_DISTINCT * 256];
  struct skill__vocab vocab; /* a view of the tables above, for look-ups during packing */
};

static int fail(const char *what, const char *file, size_t line) {
  if (line) {
    fprintf(stderr, "pack-vocabulary: %s:%zu: %s\n", file, line, what);
  } else {
    fprintf(stderr, "pack-vocabulary: %s: %s\n", file, what);
  }
  return 1;
}

static int digit(int c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Decodes up to a space. Returns the number of bytes written, or 0 if the text is not Base64. */
static size_t decode(const char **text, unsigned char *out) {
  const char *p = *text;
  size_t length = 0;
  uint32_t word = 0;
  int bits = 0;
  for (; digit((unsigned char)*p) >= 0; p++) {
    word = word << 6 | (uint32_t)digit((unsigned char)*p);
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      out[length++] = (unsigned char)(word >> bits);
    }
  }
  while (*p == '=') p++;
  *text = p;
  return *p == ' ' ? length : 0;
}

static int read_ranks(struct packer *packer, const char *file) {
  FILE *in = fopen(file, "r");
  if (!in) return fail(strerror(errno), file, 0);
  char line[4 * SKILL__VOCAB_MAX_PIECE];
  size_t tokens = 0;
  size_t at = 0;
  const char *wrong = NULL;
  while (!wrong && fgets(line, sizeof line, in)) {
    const char *p = line;
    size_t length = decode(&p, packer->bytes + at);
    char *end = NULL;
    unsigned long rank = length ? strtoul(p, &end, 10) : 0;
    if (!length || end == p || (*end && *end != '\n' && *end != '\r')) wrong = "not \"BASE64 RANK\"";
    if (!wrong && rank != tokens) wrong = "ranks must be 0, 1, 2 … without a gap";
    if (!wrong && length > SKILL__VOCAB_MAX_PIECE) wrong = "the token is too long";
    if (!wrong && tokens == SKILL__VOCAB_MAX_TOKENS) wrong = "too many tokens";
    if (wrong) break;
    packer->offsets[tokens++] = (uint32_t)at;
    at += length;
    if (length > packer->header.longest) packer->header.longest = (uint32_t)length;
    if (at > SKILL__VOCAB_MAX_BYTES - sizeof line) wrong = "too many bytes";
  }
  fclose(in);
  if (wrong) return fail(wrong, file, tokens + 1);
  packer->offsets[tokens] = (uint32_t)at;
  packer->header.tokens = (uint32_t)tokens;
  packer->header.byte_count = at;
  return 0;
}

static size_t token_length(const struct packer *packer, uint32_t token) {
  return packer->offsets[token + 1] - packer->offsets[token];
}

static const unsigned char *token_bytes(const struct packer *packer, uint32_t token) {
  return packer->bytes + packer->offsets[token];
}

/* The smallest table that is less than half full. */
static uint32_t table_bits(uint32_t count) {
  uint32_t bits = 1;
  while ((uint64_t)1 << bits < (uint64_t)count * 2) bits++;
  return bits;
}

static void view(struct packer *packer) {
  struct skill__vocab *vocab = &packer->vocab;
  vocab->offsets = packer->offsets;
  vocab->pairs2 = packer->pairs2;
  vocab->pieces = packer->pieces;
  vocab->merges = packer->merges;
  vocab->bytes = packer->bytes;
  vocab->longest = packer->header.longest;
  vocab->piece_shift = 64 - packer->header.piece_bits;
  vocab->merge_shift = 64 - packer->header.merge_bits;
  vocab->piece_mask = ((size_t)1 << packer->header.piece_bits) - 1;
  vocab->merge_mask = ((size_t)1 << packer->header.merge_bits) - 1;
}

static int add_pieces(struct packer *packer, const char *file) {
  for (uint32_t token = 0; token < packer->header.tokens; token++) {
    const unsigned char *p = token_bytes(packer, token);
    size_t length = token_length(packer, token);
    uint64_t hash = skill__vocab_hash(p, length);
    if (skill__vocab_find(&packer->vocab, p, length, hash) != SKILL__VOCAB_NONE) {
      return fail("a token appears twice", file, token + 1);
    }
    size_t slot = hash >> packer->vocab.piece_shift;
    while (packer->pieces[slot]) slot = (slot + 1) & packer->vocab.piece_mask;
    packer->pieces[slot] = hash << 32 | (token + 1);
    if (length == 1) packer->vocab.single[*p] = token;
    if (length == 2) packer->pairs2[(size_t)p[0] << 8 | p[1]] = token;
  }
  for (size_t byte = 0; byte < 256; byte++) {
    unsigned char c = (unsigned char)byte;
    if (skill__vocab_find(&packer->vocab, &c, 1, skill__vocab_hash(&c, 1)) == SKILL__VOCAB_NONE) {
      return fail("a byte is missing: every single byte must be a token", file, 0);
    }
  }
  return 0;
}

static void add_merge(struct packer *packer, uint32_t left, uint32_t right, uint32_t token) {
  uint64_t pair = (uint64_t)left << 18 | right;
  size_t slot = skill__vocab_merge_slot(pair, packer->vocab.merge_shift);
  while (packer->merges[slot] != UINT64_MAX) slot = (slot + 1) & packer->vocab.merge_mask;
  packer->merges[slot] = pair << 18 | token;
}

static uint32_t find_joined(const struct packer *packer, const unsigned char *p, size_t length) {
  return skill__vocab_find(&packer->vocab, p, length, skill__vocab_hash(p, length));
}

/* Merges the token's bytes until two parts are left, and stores that pair. Pairs are looked up by their bytes, not in
 * the table that is being built. Tokens that merging never reaches are only found as whole pieces. */
static bool add_last_merge(struct packer *packer, uint32_t token) {
  const unsigned char *p = token_bytes(packer, token);
  size_t start[SKILL__VOCAB_MAX_PIECE + 1]; /* of each part; then the end */
  size_t parts = token_length(packer, token);
  for (size_t i = 0; i <= parts; i++) start[i] = i;
  while (parts > 2) {
    uint32_t low = SKILL__VOCAB_NONE;
    size_t best = 0;
    for (size_t i = 0; i + 1 < parts; i++) {
      uint32_t rank = find_joined(packer, p + start[i], start[i + 2] - start[i]);
      if (rank < low) {
        low = rank;
        best = i;
      }
    }
    if (low == SKILL__VOCAB_NONE) return false;
    memmove(start + best + 1, start + best + 2, (parts - best - 1) * sizeof *start);
    parts--;
  }
  if (parts < 2) return true;
  uint32_t left = find_joined(packer, p, start[1]);
  uint32_t right = find_joined(packer, p + start[1], start[2] - start[1]);
  add_merge(packer, left, right, token);
  return true;
}

static int write_padded(FILE *out, const void *data, size_t size, size_t next, size_t *at) {
  static const char zeros[64];
  size_t padding = next - *at - size;
  *at = next;
  return fwrite(data, 1, size, out) == size && fwrite(zeros, 1, padding, out) == padding ? 0 : 1;
}

static int write_sections(struct packer *packer, FILE *out) {
  struct skill__vocab_header *h = &packer->header;
  struct skill__vocab_layout l = skill__vocab_layout(h);
  size_t at = 0;
  return write_padded(out, h, sizeof *h, l.offsets, &at) ||
         write_padded(out, packer->offsets, (h->tokens + 1) * sizeof(uint32_t), l.pairs2, &at) ||
         write_padded(out, packer->pairs2, 65536 * sizeof(uint32_t), l.index, &at) ||
         write_padded(out, packer->index, SKILL__CLASS_BLOCKS, l.bits, &at) ||
         write_padded(out, packer->bits, (size_t)h->blocks * 256, l.pieces, &at) ||
         write_padded(out, packer->pieces, sizeof(uint64_t) << h->piece_bits, l.merges, &at) ||
         write_padded(out, packer->merges, sizeof(uint64_t) << h->merge_bits, l.bytes, &at) ||
         write_padded(out, packer->bytes, h->byte_count, l.end, &at);
}

static int seal(struct packer *packer, const char *path) {
  size_t size = (size_t)packer->header.file_size;
  unsigned char *all = malloc(size);
  FILE *in = fopen(path, "rb");
  int status = !all || !in || fread(all, 1, size, in) != size;
  if (in) fclose(in);
  if (!status) {
    size_t head = sizeof packer->header;
    packer->header.checksum = skill__checksum(all, head) ^ skill__checksum(all + head, size - head);
    FILE *out = fopen(path, "r+b");
    status = !out || fwrite(&packer->header, head, 1, out) != 1;
    if (out && fclose(out)) status = 1;
  }
  free(all);
  return status;
}

static int write_file(struct packer *packer, const char *path) {
  char scratch[4096];
  if ((size_t)snprintf(scratch, sizeof scratch, "%s.part", path) >= sizeof scratch) return fail("too long", path, 0);
  packer->header.file_size = skill__vocab_layout(&packer->header).end;
  FILE *out = fopen(scratch, "wb");
  if (!out) return fail(strerror(errno), scratch, 0);
  int status = write_sections(packer, out);
  if (fclose(out)) status = 1;
  if (!status) status = seal(packer, scratch);
  if (!status && rename(scratch, path)) status = 1;
  if (status) remove(scratch);
  return status ? fail("cannot be written", path, 0) : 0;
}

static int pack(struct packer *packer, const char *ranks, const char *output) {
  struct skill__vocab_header *header = &packer->header;
  if (read_ranks(packer, ranks)) return 1;
  header->piece_bits = table_bits(header->tokens);
  header->merge_bits = table_bits(header->tokens);
  packer->pieces = calloc((size_t)1 << header->piece_bits, sizeof *packer->pieces);
  packer->merges = malloc(sizeof *packer->merges << header->merge_bits);
  if (!packer->pieces || !packer->merges) return fail("out of memory", output, 0);
  memset(packer->merges, 0xff, sizeof *packer->merges << header->merge_bits);
  memset(packer->pairs2, 0xff, 65536 * sizeof *packer->pairs2);
  header->blocks = (uint32_t)classes_build(packer->index, packer->bits);
  view(packer);
  if (add_pieces(packer, ranks)) return 1;
  size_t unreachable = 0;
  for (uint32_t token = 0; token < header->tokens; token++) unreachable += !add_last_merge(packer, token);
  if (write_file(packer, output)) return 1;
  printf("%s: %u tokens, %zu of them only as whole pieces, %zu bytes\n", output, header->tokens, unreachable,
         (size_t)header->file_size);
  return 0;
}

int main(int argc, char **argv) {
  struct packer *packer = calloc(1, sizeof *packer);
  bool o200k = argc == 5 && !strcmp(argv[2], "o200k");
  if (argc != 5 || (!o200k && strcmp(argv[2], "cl100k") != 0) || strlen(argv[1]) >= sizeof packer->header.name) {
    fprintf(stderr, "usage: pack-vocabulary NAME o200k|cl100k RANKS OUTPUT\n");
    free(packer);
    return 2;
  }
  int status = 1;
  if (packer) {
    memcpy(packer->header.magic, SKILL__VOCAB_MAGIC, sizeof SKILL__VOCAB_MAGIC);
    snprintf(packer->header.name, sizeof packer->header.name, "%s", argv[1]);
    packer->header.endian = SKILL__VOCAB_ENDIAN;
    packer->header.version = SKILL__VOCAB_VERSION;
    packer->header.pattern = o200k ? SKILL__PATTERN_O200K : SKILL__PATTERN_CL100K;
    packer->bytes = calloc(1, SKILL__VOCAB_MAX_BYTES + 16);
    packer->offsets = calloc(SKILL__VOCAB_MAX_TOKENS + 1, sizeof *packer->offsets);
    packer->pairs2 = calloc(65536, sizeof *packer->pairs2);
  }
  if (packer && packer->bytes && packer->offsets && packer->pairs2) {
    status = pack(packer, argv[3], argv[4]);
  } else {
    fail("out of memory", argv[4], 0);
  }
  if (packer) {
    free(packer->bytes);
    free(packer->offsets);
    free(packer->pairs2);
    free(packer->pieces);
    free(packer->merges);
  }
  free(packer);
  return status;
}
