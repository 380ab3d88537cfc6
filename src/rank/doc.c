/* SPDX-License-Identifier: MIT
 *
 * Metadata -> encoded skill, and back. Encoding fails only when memory is out; decoding cannot fail on what encoding
 * wrote.
 *
 * Layout: flags, name, source, tags; the ten lengths; the sequences NAME, TAGS, DESCRIPTION, WHEN, NOT_WHEN, the body's
 * bag; how many tools; then either the four tool sequences of the skill or those of each tool.
 */
#include "rank/doc.h"

#include <stdlib.h>
#include <string.h>

#include "rank/fields.h"
#include "util/alloc.h"

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

static void add_span(struct skill__buf *buf, const uint32_t *ids, size_t count) {
  skill__varint_add(buf, (uint32_t)count);
  for (size_t i = 0; i < count; i++) skill__varint_add(buf, ids[i]);
}

static int by_number(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

static void add_bag(struct skill__buf *buf, uint32_t *ids, size_t count) {
  size_t distinct = 0;
  if (count) qsort(ids, count, sizeof *ids, by_number);
  for (size_t i = 0; i < count; i++) distinct += i == 0 || ids[i] != ids[i - 1];
  skill__varint_add(buf, (uint32_t)distinct);
  uint32_t last = 0;
  for (size_t i = 0; i < count;) {
    size_t end = i + 1;
    while (end < count && ids[end] == ids[i]) end++;
    skill__varint_add(buf, ids[i] - last);
    skill__varint_add(buf, (uint32_t)(end - i));
    last = ids[i];
    i = end;
  }
}

static void add_tags(struct skill__buf *buf, const SkillMetadata *metadata) {
  skill__varint_add(buf, (uint32_t)metadata->tags.count);
  for (size_t i = 0; i < metadata->tags.count; i++) {
    const char *tag = metadata->tags.items[i] ? metadata->tags.items[i] : "";
    size_t length = strlen(tag);
    add_text(buf, tag, length);
    if (buf->status) return;
    char *copy = buf->data + buf->length - length - 1;
    for (size_t j = 0; j < length; j++)
      if (copy[j] >= 'A' && copy[j] <= 'Z') copy[j] |= 0x20;
  }
}

static void add_fields(struct skill__buf *buf, struct skill__index_fields *fields) {
  static const SkillRankField plain[] = {SKILL_RANK_NAME, SKILL_RANK_TAGS, SKILL_RANK_DESCRIPTION, SKILL_RANK_WHEN,
                                         SKILL_RANK_NOT_WHEN};
  static const SkillRankField tool[] = {SKILL_RANK_TOOLS, SKILL_RANK_TOOL_TEXT, SKILL_RANK_PARAMS,
                                        SKILL_RANK_PARAM_TEXT};
  for (size_t f = 0; f < SKILL_RANK_FIELD_COUNT; f++) skill__varint_add(buf, fields->length[f]);
  for (size_t i = 0; i < 5; i++) add_span(buf, fields->ids[plain[i]].ids, fields->ids[plain[i]].count);
  add_bag(buf, fields->ids[SKILL_RANK_BODY].ids, fields->ids[SKILL_RANK_BODY].count);
  skill__varint_add(buf, (uint32_t)fields->tool_count);
  if (fields->tool_count == 0) {
    for (size_t i = 0; i < 4; i++) add_span(buf, fields->ids[tool[i]].ids, fields->ids[tool[i]].count);
    return;
  }
  for (size_t t = 0; t < fields->tool_count; t++) {
    add_text(buf, fields->tools[t].name, strlen(fields->tools[t].name));
    for (size_t i = 0; i < 4; i++) {
      const uint32_t *all = fields->ids[tool[i]].ids;
      uint32_t start = fields->tools[t].start[i], end = fields->tools[t].end[i];
      add_span(buf, all ? all + start : NULL, end - start);
    }
  }
}

int skill__doc_encode(struct skill__buf *buf, struct skill__dict *dict, struct skill__analyzer *analyzer,
                      const SkillMetadata *metadata, const char *body, size_t body_length) {
  struct skill__index_fields fields;
  size_t start = buf->length;
  int status = skill__index_fields_read(&fields, dict, analyzer, metadata, body, body_length);
  if (!status) {
    bool hidden = metadata->unlisted || metadata->disable_model_invocation;
    skill__buf_char(buf, hidden ? SKILL__DOC_UNLISTED : 0);
    add_text(buf, metadata->name, strlen(metadata->name));
    skill__buf_char(buf, metadata->source != NULL);
    if (metadata->source) add_text(buf, metadata->source, strlen(metadata->source));
    add_tags(buf, metadata);
    add_fields(buf, &fields);
    status = buf->status;
  }
  if (status) {
    buf->length = start;
    buf->status = 0;
  }
  skill__index_fields_fini(&fields);
  return status;
}

/* --- decoding ---------------------------------------------------------------------------------------------------- */

static void skip(const uint8_t **at, uint32_t numbers) {
  const uint8_t *p = *at;
  while (numbers) numbers -= *p++ < 0x80;
  *at = p;
}

static void get_span(const uint8_t **at, struct skill__span *span) {
  span->count = skill__varint_get(at);
  span->ids = *at;
  skip(at, span->count);
}

const char *skill__doc_name(const uint8_t *at, size_t *length) {
  at++;
  return get_text(&at, length);
}

void skill__doc_decode(const uint8_t *at, struct skill__doc *doc) {
  size_t length = 0;
  doc->flags = *at++;
  doc->name = get_text(&at, &length);
  doc->source = *at++ ? get_text(&at, &length) : NULL;
  doc->tag_count = skill__varint_get(&at);
  doc->tags = at;
  for (uint32_t i = 0; i < doc->tag_count; i++) get_text(&at, &length);
  for (size_t f = 0; f < SKILL_RANK_FIELD_COUNT; f++) doc->length[f] = skill__varint_get(&at);
  memset(doc->field, 0, sizeof doc->field);
  get_span(&at, &doc->field[SKILL_RANK_NAME]);
  get_span(&at, &doc->field[SKILL_RANK_TAGS]);
  get_span(&at, &doc->field[SKILL_RANK_DESCRIPTION]);
  get_span(&at, &doc->field[SKILL_RANK_WHEN]);
  get_span(&at, &doc->field[SKILL_RANK_NOT_WHEN]);
  doc->body_distinct = skill__varint_get(&at);
  doc->field[SKILL_RANK_BODY].ids = at;
  doc->field[SKILL_RANK_BODY].count = doc->body_distinct;
  skip(&at, 2 * doc->body_distinct);
  doc->tool_count = skill__varint_get(&at);
  doc->tools = at;
  if (doc->tool_count) return;
  get_span(&at, &doc->field[SKILL_RANK_TOOLS]);
  get_span(&at, &doc->field[SKILL_RANK_TOOL_TEXT]);
  get_span(&at, &doc->field[SKILL_RANK_PARAMS]);
  get_span(&at, &doc->field[SKILL_RANK_PARAM_TEXT]);
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

const char *skill__doc_next_tag(const uint8_t **at, size_t *length) {
  return get_text(at, length);
}
