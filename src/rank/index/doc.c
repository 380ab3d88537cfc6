/* SPDX-License-Identifier: MIT
 *
 * Metadata -> encoded skill, and back. Encoding fails only when memory is out; decoding cannot fail on what encoding
 * wrote.
 *
 * Layout: flags, name, source if any, how many tools if several; a bitmap of the fields that are not empty; of each of
 * these its length and its tokens; then the tools, and the tags. Fields that come from several tools have a length
 * only.
 *
 * A tag is kept in lower case as the beginning of one of the tags' tokens and what differs from there: a byte with how
 * much of the token (5 bits, 0: none) and how much more (3 bits, 7: a number follows that says it), the token's place
 * in the field, and the rest. "Processing" is all of "process", and "ing".
 */
#include "rank/index/doc.h"

#include <string.h>

#include "rank/index/doc_fields.h"
#include "rank/index/sort_numbers.h"
#include "util/alloc.h"

enum { DOC_SOURCE = 2, DOC_TOOLS = 4 }; /* flags, beside those of doc.h */

static void add_text(struct skill__buf *buf, const char *text, size_t length) {
  skill__varint_add(buf, (uint32_t)length);
  skill__buf_add(buf, text, length);
  skill__buf_char(buf, '\0');
}

static const char *get_text(const uint8_t **at, size_t *length) {
  *length = skill__varint_get(at);
  const char *text = (const char *)*at;
  *at += *length + 1;
  return text;
}

/* --- encoding ---------------------------------------------------------------------------------------------------- */

static size_t ids_size(const uint32_t *ids, size_t count) {
  size_t bytes = 0;
  for (size_t i = 0; i < count; i++) bytes += skill__varint_size(ids[i]);
  return bytes;
}

static void add_numbers(struct skill__buf *buf, const uint32_t *ids, size_t count) {
  enum { RUN = 64 };
  uint8_t bytes[5 * RUN + SKILL__VARINT_ROOM];
  for (size_t from = 0; from < count; from += RUN) {
    size_t to = count - from < RUN ? count : from + RUN, length = 0;
    for (size_t i = from; i < to; i++) length += skill__varint_put(bytes + length, ids[i]);
    skill__buf_add(buf, bytes, length);
  }
}

int skill__doc_slack(struct skill__buf *buf) {
  static const char zeros[SKILL__VARINT_SLACK] = {0};
  size_t length = buf->length;
  skill__buf_add(buf, zeros, sizeof zeros);
  int status = buf->status;
  buf->length = length;
  buf->status = 0;
  return status;
}

/* Count, bytes, and the numbers; an empty span is the count 0 alone. */
static void add_span(struct skill__buf *buf, const uint32_t *ids, size_t count) {
  skill__varint_add(buf, (uint32_t)count);
  if (count) skill__varint_add(buf, (uint32_t)ids_size(ids, count));
  add_numbers(buf, ids, count);
}

/* The same for a bag: each number once, as the distance from the last, with how often it is there. */
static int add_bag(struct skill__buf *buf, struct skill__ids *ids, struct skill__ids *scratch) {
  size_t distinct = 0, count = ids->count;
  if (SKILL__GROW(scratch->ids, scratch->capacity, 2 * count)) return SKILL_ENOMEM;
  uint32_t *pairs = scratch->ids, last = 0;
  skill__sort_numbers(ids->ids, scratch->ids, count);
  for (size_t i = 0, end; i < count; i = end) {
    for (end = i + 1; end < count && ids->ids[end] == ids->ids[i];) end++;
    pairs[2 * distinct] = ids->ids[i] - last;
    pairs[2 * distinct++ + 1] = (uint32_t)(end - i);
    last = ids->ids[i];
  }
  skill__varint_add(buf, (uint32_t)distinct);
  if (distinct) skill__varint_add(buf, (uint32_t)ids_size(pairs, 2 * distinct));
  add_numbers(buf, pairs, 2 * distinct);
  return 0;
}

enum { TAG_REST_LONG = 7 };

static void add_tag(struct skill__buf *buf, const char *tag, struct skill__tag_stem stem) {
  size_t rest = strlen(tag) - stem.keep;
  skill__buf_char(buf, (char)(stem.keep << 3 | (rest < TAG_REST_LONG ? (int)rest : TAG_REST_LONG)));
  if (stem.keep) skill__buf_char(buf, (char)stem.place);
  if (rest >= TAG_REST_LONG) skill__varint_add(buf, (uint32_t)rest);
  skill__buf_add(buf, tag + stem.keep, rest);
  for (size_t i = 0; i < rest && !buf->status; i++) {
    char *c = buf->data + buf->length - rest + i;
    *c = skill__tag_lower(*c);
  }
}

static void add_tags(struct skill__buf *buf, const struct skill__index_fields *fields, const SkillMetadata *metadata) {
  skill__varint_add(buf, (uint32_t)metadata->tags.count);
  for (size_t i = 0; i < metadata->tags.count; i++)
    add_tag(buf, metadata->tags.items[i] ? metadata->tags.items[i] : "", fields->tags[i]);
}

static bool of_tools(size_t field) {
  return field >= SKILL_RANK_TOOLS && field <= SKILL_RANK_PARAM_TEXT;
}

static void add_tools(struct skill__buf *buf, const struct skill__index_fields *fields) {
  for (size_t t = 0; t < fields->tool_count; t++) {
    add_text(buf, fields->tools[t].name, strlen(fields->tools[t].name));
    for (size_t i = 0; i < 4; i++) {
      const uint32_t *all = fields->ids[SKILL_RANK_TOOLS + i].ids;
      uint32_t start = fields->tools[t].start[i], end = fields->tools[t].end[i];
      add_span(buf, all ? all + start : NULL, end - start);
    }
  }
}

static int add_fields(struct skill__buf *buf, struct skill__index_fields *fields) {
  uint32_t present = 0;
  if (fields->tool_count) skill__varint_add(buf, (uint32_t)fields->tool_count);
  for (size_t f = 0; f < SKILL_RANK_FIELD_COUNT; f++) present |= (uint32_t)(fields->length[f] > 0) << f;
  skill__varint_add(buf, present);
  for (size_t f = 0; f < SKILL_RANK_FIELD_COUNT; f++) {
    struct skill__ids *ids = &fields->ids[f];
    if (!ids->count) continue;
    if (f == SKILL_RANK_BODY) {
      skill__varint_add(buf, (uint32_t)ids->count);
      if (add_bag(buf, ids, &fields->scratch)) return SKILL_ENOMEM;
    } else if (fields->tool_count && of_tools(f)) {
      skill__varint_add(buf, (uint32_t)ids->count);
    } else {
      add_span(buf, ids->ids, ids->count);
    }
  }
  add_tools(buf, fields);
  return buf->status;
}

int skill__doc_encode(struct skill__buf *buf, struct skill__dict *dict, struct skill__analyzer *analyzer,
                      struct skill__index_fields *fields, const SkillMetadata *metadata, const char *body,
                      size_t body_length) {
  size_t start = buf->length;
  int status = skill__index_fields_read(fields, dict, analyzer, metadata, body, body_length);
  if (!status) {
    unsigned flags = metadata->unlisted || metadata->disable_model_invocation ? SKILL__DOC_UNLISTED : 0;
    flags |= (metadata->source ? DOC_SOURCE : 0u) | (fields->tool_count ? DOC_TOOLS : 0u);
    skill__buf_char(buf, (char)flags);
    add_text(buf, metadata->name, strlen(metadata->name));
    if (metadata->source) add_text(buf, metadata->source, strlen(metadata->source));
    status = add_fields(buf, fields);
    add_tags(buf, fields, metadata);
    if (!status) status = buf->status ? buf->status : skill__doc_slack(buf);
  }
  if (status) {
    buf->length = start;
    buf->status = 0;
  }
  return status;
}

/* --- decoding ---------------------------------------------------------------------------------------------------- */

static void get_span(const uint8_t **at, struct skill__span *span) {
  span->count = skill__varint_get(at);
  uint32_t bytes = span->count ? skill__varint_get(at) : 0;
  span->ids = *at;
  *at += bytes;
}

struct tag {
  size_t keep, rest;
  uint8_t place;
  const char *text; /* the rest */
};

static struct tag get_tag(const uint8_t **at) {
  uint8_t head = *(*at)++;
  struct tag tag = {head >> 3, head & TAG_REST_LONG, 0, NULL};
  if (tag.keep) tag.place = *(*at)++;
  if (tag.rest == TAG_REST_LONG) tag.rest = skill__varint_get(at);
  tag.text = (const char *)*at;
  *at += tag.rest;
  return tag;
}

const char *skill__doc_name(const uint8_t *at, size_t *length) {
  at++;
  return get_text(&at, length);
}

void skill__doc_decode(const uint8_t *at, struct skill__doc *doc) {
  size_t length = 0;
  memset(doc, 0, sizeof *doc);
  doc->flags = *at++;
  doc->name = get_text(&at, &length);
  doc->source = doc->flags & DOC_SOURCE ? get_text(&at, &length) : NULL;
  doc->tool_count = doc->flags & DOC_TOOLS ? skill__varint_get(&at) : 0;
  for (uint32_t present = skill__varint_get(&at); present; present &= present - 1) {
    size_t f = (size_t)__builtin_ctz(present);
    if (f == SKILL_RANK_BODY) {
      doc->length[f] = skill__varint_get(&at);
      get_span(&at, &doc->field[f]);
      doc->body_distinct = doc->field[f].count;
    } else if (doc->tool_count && of_tools(f)) {
      doc->length[f] = skill__varint_get(&at);
    } else {
      get_span(&at, &doc->field[f]);
      doc->length[f] = doc->field[f].count;
    }
  }
  doc->tools = at;
}

void skill__doc_next_tool(const uint8_t **at, struct skill__doc_tool *tool) {
  size_t length = 0;
  memset(tool->field, 0, sizeof tool->field);
  tool->name = get_text(at, &length);
  get_span(at, &tool->field[SKILL_RANK_NAME]);
  get_span(at, &tool->field[SKILL_RANK_DESCRIPTION]);
  get_span(at, &tool->field[SKILL_RANK_PARAMS]);
  get_span(at, &tool->field[SKILL_RANK_PARAM_TEXT]);
}

/* Whether `text`, whatever its case, is `stored`, which is in lower case. */
static bool folds_to(const char *text, const char *stored, size_t length) {
  size_t i = 0;
  while (i < length && skill__tag_lower(text[i]) == stored[i]) i++;
  return i == length;
}

static uint32_t token_at(const struct skill__span *span, size_t place) {
  const uint8_t *at = span->ids;
  for (size_t i = 0; i < place; i++) skill__varint_get(&at);
  return skill__varint_get(&at);
}

bool skill__doc_has_tag(const struct skill__doc *doc, const struct skill__dict *dict, const char *text, size_t length) {
  const uint8_t *at = doc->tools;
  struct skill__doc_tool tool;
  for (uint32_t i = 0; i < doc->tool_count; i++) skill__doc_next_tool(&at, &tool);
  for (uint32_t left = skill__varint_get(&at); left > 0; left--) {
    struct tag tag = get_tag(&at);
    size_t most = 0;
    if (tag.keep + tag.rest != length || !folds_to(text + tag.keep, tag.text, tag.rest)) continue;
    if (!tag.keep) return true;
    const char *token = skill__dict_text(dict, token_at(&doc->field[SKILL_RANK_TAGS], tag.place), &most);
    if (folds_to(text, token, tag.keep)) return true;
  }
  return false;
}
