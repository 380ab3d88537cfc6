/* SPDX-License-Identifier: MIT
 *
 * The learned table: a vector for each of some ten thousand tokens, and how common many more tokens are in skills at
 * large. It is one optional file made by scripts/train-terms; docs/terms.md tells where its contents come from.
 * Without it ranking works on words alone.
 *
 * A text's vector is the weighted sum of its tokens' rows, and two texts are compared by cosine: no service, no model
 * run, some dozens of row additions. Tokens are those of analyze.h; the file says which version of it made them.
 *
 * The file, little-endian, no compression, sections in this order and each padded to 16 bytes:
 *
 *   header     72 bytes: "SKILTERM", u32 version, u32 analyzer, u32 rows, u32 shares, u32 dims, u32 bits (4 or 8),
 *              u32 documents, 5 x u32 zero, u64 file size, u64 checksum of the file with this field zero
 *   row keys   u8[65536] how many rows have a key in each bucket, then u32[rows] keys, ascending by (bucket, key)
 *   share keys the same for the tokens that have only a share
 *   share      u8[rows + shares]: the token is in 2^(-share/16) of the documents; 255: it was not counted
 *   scale      f32[rows]
 *   values     rows x dims values; 8 bits: two's complement; 4 bits: value + 8, dimension i in the low and
 *              i + dims/2 in the high half of byte i of a row. Times scale they are the vector.
 *
 * A token's bucket is bits 48-63 of skill__hash_bytes() of its text and its key bits 16-47, so that two tokens
 * share an entry once in some billions. A loaded table never changes: any number of threads may use it.
 */
#ifndef SKILL_RANK_TABLE_TERMS_H
#define SKILL_RANK_TABLE_TERMS_H

#include "skillet/error.h"
#include "skillet/io.h"
#include "util/buf.h"

#define SKILL__TERMS_VERSION 1
#define SKILL__TERMS_FILE "terms.skt"
#define SKILL__TERMS_NONE UINT32_MAX

enum {
  SKILL__TERMS_MAX_DIMS = 512,                /* a multiple of 32 */
  SKILL__TERMS_MAX_TOKENS = 4 * 1024 * 1024,  /* rows and shares together */
  SKILL__TERMS_MAX_BYTES = 1024 * 1024 * 1024 /* of the file; refused above */
};

struct skill__terms;

/* --- the file --------------------------------------------------------------------------------------------------- */

/* Maps the table at `path`, or reads it where `io` is not skill_io_posix(). Owned: release with skill__terms_free.
 * SKILL_ENOENT and other codes of `io`; SKILL_EPARSE: damaged, of another version or made for other tokens than
 * `analyzer` (0: any); SKILL_ELIMIT, SKILL_ENOMEM. */
int skill__terms_open(SkillIo *io, const char *path, uint32_t analyzer, struct skill__terms **out, SkillError *err);

/* The same from memory, which is copied. `file` is for messages. */
int skill__terms_parse(const void *data, size_t length, const char *file, uint32_t analyzer, struct skill__terms **out,
                       SkillError *err);
void skill__terms_free(struct skill__terms *terms);

/* Gives back the pages of a mapped table that were only needed for what is over, as after indexing many skills: those
 * that are needed come again by themselves. Any thread may use the table meanwhile. */
void skill__terms_rest(const struct skill__terms *terms);

/* Finds the table and opens it. `path` NULL: $SKILLET_DATA/terms.skt where that variable is set and not empty; else
 * beside the program or library that holds this function, in share/skillet beside it and one folder up, and in the
 * data folder of the installation: the first file that exists is the one, and if it cannot be used no other is tried.
 * `path` "": SKILL_ENOENT without looking. The path that was used is in `where` (may be NULL). */
int skill__terms_locate(SkillIo *io, const char *path, uint32_t analyzer, struct skill__terms **out,
                        struct skill__buf *where, SkillError *err);

/* --- tokens ----------------------------------------------------------------------------------------------------- */

size_t skill__terms_dims(const struct skill__terms *terms);
size_t skill__terms_rows(const struct skill__terms *terms);
size_t skill__terms_documents(const struct skill__terms *terms); /* what shares were counted on */

/* What the table knows of a token. `row` is SKILL__TERMS_NONE where it has no vector, `share` (0..1) is 0 where the
 * token was too rare to be listed. */
struct skill__term {
  uint32_t row;
  float share;
};
struct skill__term skill__terms_find(const struct skill__terms *terms, const char *token, size_t length);

/* Where a token would be in the table. */
uint64_t skill__terms_hash(const char *token, size_t length);

/* The same for many, by their hashes: memory is asked for all of them at once. */
void skill__terms_find_all(const struct skill__terms *terms, const uint64_t *hashes, size_t count,
                           struct skill__term *out);

/* --- vectors ---------------------------------------------------------------------------------------------------- */

/* sum += weight * row. `sum` has dims floats, `row` < rows. */
void skill__terms_add(const struct skill__terms *terms, uint32_t row, float weight, float *sum);

/* Rounds a sum to dims bytes and returns the factor that makes them a unit vector; 0 where the sum is 0 (or not
 * finite), and then all bytes are 0. */
float skill__terms_round(const float *sum, size_t dims, int8_t *out);

/* The sum of a whole text: rows that are SKILL__TERMS_NONE add nothing; and the same, rounded. */
void skill__terms_sum(const struct skill__terms *terms, const uint32_t *rows, const float *weights, size_t count,
                      float *sum);
float skill__terms_vector(const struct skill__terms *terms, const uint32_t *rows, const float *weights, size_t count,
                          int8_t *out);

/* A text as skill__terms_scan wants it. */
struct skill__terms_query {
  const int8_t *vector;
  float unit; /* as skill__terms_round returned it */
};

/* cosine[q * stride + i] = of query q and row i of `matrix` (count x dims bytes, `units` as skill__terms_round returned
 * them; stride at least count). One pass over the matrix for all queries; exact integer sums, so every machine gives
 * the same numbers. */
void skill__terms_scan(const int8_t *matrix, const float *units, size_t count, size_t dims,
                       const struct skill__terms_query *queries, size_t query_count, float *cosine, size_t stride);

#endif
