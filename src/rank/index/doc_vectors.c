/* SPDX-License-Identifier: MIT
 *
 * A skill's vector is the sum of its tokens' rows, each weighted by the token's saturated frequency in the fields.
 * Lengths are compared with fixed usual ones, not with the catalogue's, so that adding or removing other skills never
 * changes a vector. Fails only when memory is out.
 */
#include "rank/index/doc_vectors.h"

#include <string.h>

#include "rank/index/sign_sketch.h"
#include "rank/table/packed_vector.h"
#include "rank/weights.h"
#include "util/alloc.h"

enum {
  TOKENS = 4096,  /* distinct tokens of one text that count */
  REST_FROM = 256 /* skills of a segment from which the table's pages are given back to the system after use */
};

struct bag {
  uint32_t ids[TOKENS];
  float tf[TOKENS];
  uint32_t rows[TOKENS];
  float weights[TOKENS];
  uint16_t slots[TOKENS]; /* the place of each in slot_of */
  size_t count;
  uint32_t mask;     /* of the slots that a text of this length needs */
  uint16_t *slot_of; /* by token number: index + 1 */
};

enum { SLOTS = 8192, FEW_SLOTS = 512, FEW_TOKENS = 256 };

static void bag_add(struct bag *bag, uint32_t id, float tf) {
  uint32_t i = (id * 2654435761u) >> 19 & bag->mask;
  for (; bag->slot_of[i]; i = (i + 1) & bag->mask)
    if (bag->ids[bag->slot_of[i] - 1] == id) {
      bag->tf[bag->slot_of[i] - 1] += tf;
      return;
    }
  if (bag->count == TOKENS) return;
  bag->ids[bag->count] = id;
  bag->tf[bag->count] = tf;
  bag->slots[bag->count++] = (uint16_t)i;
  bag->slot_of[i] = (uint16_t)bag->count;
}

static void bag_field(struct bag *bag, const struct skill__span *span, size_t field, uint32_t length) {
  const struct skill__field_weight *share = &skill__field_weights[field];
  if (!span->count || share->vector <= 0) return;
  float tf = share->vector / (1 - SKILL__VECTOR_B + SKILL__VECTOR_B * (float)length / share->usual_length);
  for (struct skill__run run = skill__run_of(span); skill__run_next(&run);)
    for (uint32_t i = 0; i < run.count; i++) bag_add(bag, run.ids[i], tf);
}

static void bag_vector(struct bag *bag, const struct skill__dict *dict, const struct skill__terms *terms,
                       uint8_t *out) {
  float sum[SKILL__TERMS_MAX_DIMS];
  for (size_t i = 0; i < bag->count; i++) {
    bag->rows[i] = skill__dict_term(dict, bag->ids[i]).row;
    bag->weights[i] = (SKILL__VECTOR_K1 + 1) * bag->tf[i] / (bag->tf[i] + SKILL__VECTOR_K1);
  }
  skill__terms_sum(terms, bag->rows, bag->weights, bag->count, sum);
  skill__pack(sum, skill__terms_dims(terms), out);
  for (size_t i = 0; i < bag->count; i++) bag->slot_of[bag->slots[i]] = 0; /* few of many */
  bag->count = 0;
}

static void bag_skill(struct bag *bag, const struct skill__doc *doc) {
  size_t tokens = 0;
  for (size_t f = 0; f < SKILL_RANK_FIELD_COUNT; f++) tokens += f == SKILL_RANK_BODY ? 0 : doc->length[f];
  bag->mask = (tokens <= FEW_TOKENS ? FEW_SLOTS : SLOTS) - 1;
  for (size_t i = 0; i < SKILL__TEXT_FIELDS; i++) {
    SkillRankField f = skill__text_fields[i];
    bag_field(bag, &doc->field[f], f, doc->length[f]);
  }
  const uint8_t *at = doc->tools;
  for (uint32_t t = 0; t < doc->tool_count; t++) {
    struct skill__doc_tool tool;
    skill__doc_next_tool(&at, &tool);
    for (size_t i = 0; i < SKILL__TOOL_FIELDS; i++) {
      SkillRankField own = skill__tool_fields[i].tool, f = skill__tool_fields[i].skill;
      bag_field(bag, &tool.field[own], f, doc->length[f]);
    }
  }
}

static void bag_tool(struct bag *bag, const struct skill__doc *doc, const struct skill__doc_tool *tool) {
  uint32_t shared = doc->length[SKILL_RANK_NAME] + doc->length[SKILL_RANK_TAGS];
  bag_field(bag, &doc->field[SKILL_RANK_NAME], SKILL_RANK_TAGS, shared);
  bag_field(bag, &doc->field[SKILL_RANK_TAGS], SKILL_RANK_TAGS, shared);
  for (size_t i = 0; i < SKILL__TOOL_FIELDS; i++) {
    SkillRankField f = skill__tool_fields[i].tool;
    bag_field(bag, &tool->field[f], f, tool->field[f].count);
  }
}

/* First row of each skill; returns how many rows there are. */
static size_t lay_out(const struct skill__segment *segment, uint32_t *rows) {
  uint32_t next = 0;
  for (uint32_t i = 0; i < segment->count; i++) {
    struct skill__doc doc;
    skill__doc_decode(segment->blob + segment->at[i], &doc);
    rows[i] = next;
    next += 1 + doc.tool_count;
  }
  rows[segment->count] = next;
  return next;
}

/* Fills in the vectors of all skills and their tools. */
static void make_all(const struct skill__segment *segment, const struct skill__dict *dict,
                     const struct skill__terms *terms, struct bag *bag, uint8_t *out) {
  size_t size = skill__packed_size(skill__terms_dims(terms));
  for (uint32_t i = 0; i < segment->count; i++) {
    struct skill__doc doc;
    skill__doc_decode(segment->blob + segment->at[i], &doc);
    bag_skill(bag, &doc);
    bag_vector(bag, dict, terms, out);
    out += size;
    const uint8_t *at = doc.tools;
    for (uint32_t t = 0; t < doc.tool_count; t++, out += size) {
      struct skill__doc_tool tool;
      skill__doc_next_tool(&at, &tool);
      bag_tool(bag, &doc, &tool);
      bag_vector(bag, dict, terms, out);
    }
  }
}

/* Makes the sketches and leaves of the vectors what is not in them. */
static uint8_t *move_signs(uint8_t *vectors, size_t count, uint8_t *signs) {
  size_t size = skill__packed_size(SKILL__SKETCH_DIMS), rest = size - SKILL__SKETCH_BYTES;
  skill__sketch_make(vectors, count, signs);
  for (size_t row = 0; row < count; row++)
    memmove(vectors + row * rest, vectors + row * size + SKILL__SKETCH_BYTES, rest);
  uint8_t *smaller = skill__realloc(vectors, count * rest);
  return smaller ? smaller : vectors;
}

size_t skill__vector_size(const struct skill__segment *segment) {
  return skill__packed_size(segment->dims) - (segment->signs ? SKILL__SKETCH_BYTES : 0);
}

const uint8_t *skill__vector_at(const struct skill__segment *segment, size_t row, uint8_t *room) {
  size_t size = skill__vector_size(segment);
  const uint8_t *kept = segment->vectors + row * size;
  if (!segment->signs) return kept;
  skill__sketch_signs(segment->signs, row, room);
  memcpy(room + SKILL__SKETCH_BYTES, kept, size);
  return room;
}

void skill__vector_expect(const struct skill__segment *segment, size_t row) {
  enum { LINE = 64, BLOCK_BYTES = SKILL__SKETCH_BLOCK * SKILL__SKETCH_BYTES };
  __builtin_prefetch(segment->vectors + row * skill__vector_size(segment));
  const uint8_t *block = segment->signs ? segment->signs + row / SKILL__SKETCH_BLOCK * BLOCK_BYTES : NULL;
  for (size_t i = 0; block && i < BLOCK_BYTES; i += LINE) __builtin_prefetch(block + i);
}

int skill__vectors_make(struct skill__segment *segment, const struct skill__dict *dict,
                        const struct skill__terms *terms) {
  size_t dims = skill__terms_dims(terms);
  struct bag *bag = skill__calloc(1, sizeof *bag);
  uint16_t *slot_of = skill__calloc(SLOTS, sizeof *slot_of);
  uint32_t *rows = skill__malloc(((size_t)segment->count + 1) * sizeof *rows);
  size_t count = rows ? lay_out(segment, rows) : 0;
  uint8_t *vectors = skill__malloc(count * skill__packed_size(dims));
  bool sketched = skill__sketched(dims, count);
  uint8_t *signs = sketched ? skill__malloc(skill__sketch_size(count)) : NULL;
  int status = bag && slot_of && rows && vectors && (signs || !sketched) ? 0 : SKILL_ENOMEM;
  if (!status) {
    bag->slot_of = slot_of;
    make_all(segment, dict, terms, bag, vectors);
    if (signs) vectors = move_signs(vectors, count, signs);
    if (count == segment->count) skill__free(rows), rows = NULL;
    segment->rows = rows;
    segment->row_count = (uint32_t)count;
    segment->vectors = vectors;
    segment->signs = signs;
    segment->dims = (uint32_t)dims;
    if (segment->count >= REST_FROM) skill__terms_rest(terms);
  } else {
    skill__free(rows);
    skill__free(vectors);
    skill__free(signs);
  }
  skill__free(bag);
  skill__free(slot_of);
  return status;
}
