/* SPDX-License-Identifier: MIT
 *
 * SkillDense: the vectors of a catalogue. Items [0, ready) have a row in a matrix of unit vectors; those behind them
 * were added later and have only their text.
 */
#include "model/embed/dense.h"

#include <math.h>
#include <string.h>

#include "util/alloc.h"
#include "util/buf.h"
#include "util/options.h"

enum { SYNC_TEXTS = 1024, TEXT_MOST = 64 * 1024 };

/* --- the text of a skill ---------------------------------------------------------------------------------------- */

static void add_part(struct skill__buf *buf, const char *part, const char *end) {
  if (!part || !*part || buf->length > TEXT_MOST / 2) return;
  size_t length = strlen(part);
  skill__buf_add(buf, part, length < TEXT_MOST / 4 ? length : TEXT_MOST / 4);
  skill__buf_text(buf, end);
}

static char *text_of(const SkillMetadata *metadata, size_t *length) {
  struct skill__buf buf;
  skill__buf_init(&buf, 2 * TEXT_MOST);
  add_part(&buf, metadata->name, ": ");
  add_part(&buf, metadata->description, "\n");
  add_part(&buf, metadata->when_to_use, "\n");
  for (size_t i = 0; i < metadata->tool_count; i++) {
    add_part(&buf, metadata->tools[i].name, ": ");
    add_part(&buf, metadata->tools[i].description, "\n");
  }
  return skill__buf_take(&buf, length);
}

/* --- items ------------------------------------------------------------------------------------------------------ */

static void item_free(struct skill__dense_item *item) {
  if (!item) return;
  skill__free(item->name);
  skill__free(item->source);
  skill__free(item->text);
  skill__free(item);
}

static struct skill__dense_item *item_new(const SkillMetadata *metadata) {
  struct skill__dense_item *item = skill__calloc(1, sizeof *item);
  if (!item) return NULL;
  item->name = skill__strdup(metadata->name);
  item->source = skill__strdup(metadata->source);
  item->text = text_of(metadata, &item->length);
  item->unlisted = metadata->unlisted || metadata->disable_model_invocation;
  if (item->name && item->text && (item->source || !metadata->source)) return item;
  item_free(item);
  return NULL;
}

int skill_dense_new(SkillEmbedder *embedder, const SkillDenseOptions *options, SkillDense **out, SkillError *err) {
  if (!embedder || embedder->version != SKILL_EMBEDDER_VERSION) {
    return skill_error_set(err, SKILL_EINVAL, "the embedder is of another version than this library");
  }
  SkillDenseOptions given = SKILL_DENSE_OPTIONS_INIT;
  int status = SKILL__OPTIONS(SkillDenseOptions, &given, options, err);
  if (status) return status;
  SkillDense *dense = skill__calloc(1, sizeof *dense);
  if (!dense) return skill_error_set(err, SKILL_ENOMEM, "out of memory for the vectors of skills");
  dense->options = given;
  dense->embedder = embedder;
  if (!dense->options.io) dense->options.io = skill_io_posix();
  if (!(dense->options.weight > 0)) dense->options.weight = 1;
  if (!dense->options.pause_ms) dense->options.pause_ms = 30000;
  *out = dense;
  return 0;
}

void skill_dense_free(SkillDense *dense) {
  if (!dense) return;
  HASH_CLEAR(hh, dense->by_name);
  for (size_t i = 0; i < dense->count; i++) item_free(dense->items[i]);
  skill__free(dense->items);
  skill__free(dense->matrix);
  skill__free(dense);
}

struct skill__dense_item *skill__dense_find(const SkillDense *dense, const char *name) {
  struct skill__dense_item *item = NULL;
  HASH_FIND_STR(dense->by_name, name, item);
  return item;
}

int skill_dense_add(SkillDense *dense, const SkillMetadata *metadata, SkillError *err) {
  if (skill__dense_find(dense, metadata->name)) {
    return skill_error_set(err, SKILL_EEXISTS, "%s has its vector already", metadata->name);
  }
  struct skill__dense_item *item = NULL;
  bool added = false;
  if (!SKILL__GROW(dense->items, dense->capacity, dense->count + 1)) item = item_new(metadata);
  if (item) SKILL__HASH_ADD(dense->by_name, item, item->name, strlen(item->name), added);
  if (!added) {
    item_free(item);
    return skill_error_set(err, SKILL_ENOMEM, "out of memory for the vector of %s", metadata->name);
  }
  item->at = dense->count;
  dense->items[dense->count++] = item;
  return 0;
}

/* Moves the item at `from`, with its vector, to `to`. */
static void move_item(SkillDense *dense, size_t from, size_t to) {
  if (from == to) return;
  dense->items[to] = dense->items[from];
  dense->items[to]->at = to;
  if (from >= dense->ready) return;
  memcpy(dense->matrix + to * dense->dims, dense->matrix + from * dense->dims, dense->dims * sizeof *dense->matrix);
}

int skill_dense_remove(SkillDense *dense, const char *name) {
  struct skill__dense_item *item = skill__dense_find(dense, name);
  if (!item) return SKILL_ENOENT;
  size_t hole = item->at;
  if (hole < dense->ready) {
    move_item(dense, dense->ready - 1, hole);
    hole = --dense->ready;
  }
  move_item(dense, dense->count - 1, hole);
  dense->count--;
  HASH_DEL(dense->by_name, item);
  item_free(item);
  return 0;
}

/* --- embedding -------------------------------------------------------------------------------------------------- */

void skill__dense_unit(float *vector, size_t dims) {
  double square = 0;
  for (size_t i = 0; i < dims; i++) square += (double)vector[i] * (double)vector[i];
  float factor = square > 0 ? (float)(1 / sqrt(square)) : 0;
  for (size_t i = 0; i < dims; i++) vector[i] *= factor;
}

/* Vectors of another length come from another model: the existing ones are dropped. */
static void forget_vectors(SkillDense *dense) {
  dense->ready = 0;
  dense->dims = 0;
}

static int take_vectors(SkillDense *dense, const float *vectors, size_t count, size_t dims, SkillError *err) {
  if (dense->ready && dense->dims != dims) {
    forget_vectors(dense);
    return SKILL_EBUSY;
  }
  size_t need = (dense->ready + count) * dims;
  if (SKILL__GROW(dense->matrix, dense->cells, need)) {
    return skill_error_set(err, SKILL_ENOMEM, "out of memory for %zu vectors", dense->ready + count);
  }
  dense->dims = dims;
  float *rows = dense->matrix + dense->ready * dims;
  memcpy(rows, vectors, count * dims * sizeof *rows);
  for (size_t i = 0; i < count; i++) skill__dense_unit(rows + i * dims, dims);
  dense->ready += count;
  return 0;
}

static int sync_some(SkillDense *dense, SkillError *err) {
  size_t count = dense->count - dense->ready;
  if (count > SYNC_TEXTS) count = SYNC_TEXTS;
  SkillText *texts = skill__malloc(count * sizeof *texts);
  if (!texts) return skill_error_set(err, SKILL_ENOMEM, "out of memory for %zu texts", count);
  for (size_t i = 0; i < count; i++) {
    const struct skill__dense_item *item = dense->items[dense->ready + i];
    texts[i] = (SkillText){item->text, item->length};
  }
  float *vectors = NULL;
  size_t dims = 0;
  int status = dense->embedder->embed(dense->embedder, SKILL_EMBED_SKILL, texts, count, &vectors, &dims, err);
  if (!status) {
    status = take_vectors(dense, vectors, count, dims, err);
    skill__free(vectors);
  }
  skill__free(texts);
  return status;
}

int skill_dense_sync(SkillDense *dense, SkillError *err) {
  bool again = true; /* once, if the server has another model now */
  while (dense->ready < dense->count) {
    int status = sync_some(dense, err);
    if (status == SKILL_EBUSY && again) {
      again = false;
    } else if (status) {
      return status == SKILL_EBUSY ? skill_error_set(err, SKILL_EREMOTE, "the embedder's vectors change their length")
                                   : status;
    }
  }
  return 0;
}
