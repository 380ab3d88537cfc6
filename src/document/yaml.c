/* SPDX-License-Identifier: MIT
 *
 * Builds a value tree from libyaml's events. Open collections are on a stack of fixed depth, so hostile nesting is an
 * error and cannot exhaust the C stack. An alias becomes a copy, and every copy counts against the limits, which stops
 * the "billion laughs" attack.
 */
#include "document/yaml.h"

#include <stdio.h>
#include <string.h>
#include <yaml.h>

enum { ANCHORS_MAX = 100 };

struct anchor {
  const char *name;
  const struct skill__value *value;
};

struct reader {
  struct skill__arena *arena;
  struct skill__yaml_error *error;
  unsigned first_line;
  struct skill__value *stack[SKILL__YAML_DEPTH];
  struct skill__value *pending_key[SKILL__YAML_DEPTH];
  size_t depth;
  size_t nodes;
  size_t bytes;
  struct anchor anchors[ANCHORS_MAX];
  size_t anchor_count;
  struct skill__value *root;
  int status;
};

static void fail(struct reader *r, yaml_mark_t mark, bool limit, const char *message) {
  if (r->status) return;
  r->status = SKILL_EPARSE;
  r->error->line = r->first_line + (unsigned)mark.line;
  r->error->column = (unsigned)mark.column + 1;
  r->error->limit = limit;
  snprintf(r->error->message, sizeof r->error->message, "%s", message);
}

static struct skill__value *make(struct reader *r, const yaml_event_t *event, enum skill__value_kind kind,
                                 size_t bytes) {
  if (++r->nodes > SKILL__YAML_NODES || (r->bytes += bytes) > SKILL__YAML_BYTES) {
    fail(r, event->start_mark, true, "the front matter expands to too many values");
    return NULL;
  }
  struct skill__value *value = skill__arena_alloc(r->arena, sizeof *value);
  if (!value) {
    r->status = SKILL_ENOMEM;
    return NULL;
  }
  value->kind = kind;
  value->line = r->first_line + (unsigned)event->start_mark.line;
  value->column = (unsigned)event->start_mark.column + 1;
  value->end_line = r->first_line + (unsigned)event->end_mark.line;
  return value;
}

/* Adds a node to the collection on top of the stack. */
static void place(struct reader *r, const yaml_event_t *event, struct skill__value *value) {
  if (!r->depth) {
    if (r->root) fail(r, event->start_mark, false, "a second value follows the first");
    r->root = value;
    return;
  }
  struct skill__value *parent = r->stack[r->depth - 1];
  struct skill__value **key = &r->pending_key[r->depth - 1];
  if (parent->kind == SKILL__MAPPING && !*key) {
    *key = value;
    return;
  }
  if (parent->kind == SKILL__MAPPING) {
    value->key = *key;
    *key = NULL;
  }
  skill__value_append(parent, value);
}

static void remember(struct reader *r, const yaml_event_t *event, const yaml_char_t *name,
                     const struct skill__value *value) {
  if (!name || r->status) return;
  if (r->anchor_count == ANCHORS_MAX) {
    fail(r, event->start_mark, true, "the front matter has more than 100 anchors");
    return;
  }
  const char *copy = skill__arena_strdup(r->arena, (const char *)name);
  if (!copy) r->status = SKILL_ENOMEM;
  r->anchors[r->anchor_count++] = (struct anchor){copy, value};
}

static void on_scalar(struct reader *r, const yaml_event_t *event) {
  struct skill__value *value = make(r, event, SKILL__SCALAR, event->data.scalar.length);
  if (!value) return;
  value->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
  value->length = event->data.scalar.length;
  value->text = skill__arena_strndup(r->arena, (const char *)event->data.scalar.value, value->length);
  if (!value->text) {
    r->status = SKILL_ENOMEM;
    return;
  }
  remember(r, event, event->data.scalar.anchor, value);
  place(r, event, value);
}

static void open_collection(struct reader *r, const yaml_event_t *event, enum skill__value_kind kind, bool flow,
                            const yaml_char_t *anchor) {
  if (r->depth == SKILL__YAML_DEPTH) {
    fail(r, event->start_mark, true, "the front matter is nested too deeply");
    return;
  }
  struct skill__value *value = make(r, event, kind, 0);
  if (!value) return;
  value->flow = flow;
  remember(r, event, anchor, value);
  place(r, event, value);
  r->pending_key[r->depth] = NULL;
  r->stack[r->depth++] = value;
}

static void close_collection(struct reader *r, const yaml_event_t *event) {
  struct skill__value *value = r->stack[--r->depth];
  value->end_line = r->first_line + (unsigned)event->end_mark.line;
}

static bool is_open(const struct reader *r, const struct skill__value *value) {
  for (size_t i = 0; i < r->depth; i++) {
    if (r->stack[i] == value) return true;
  }
  return false;
}

/* Recursion is bounded: a copied tree was built under the depth ceiling, and copies cannot nest without a new level. */
static struct skill__value *repeat(struct reader *r, const yaml_event_t *event, const struct skill__value *from) {
  struct skill__value *copy = make(r, event, from->kind, from->length);
  if (!copy) return NULL;
  copy->plain = from->plain;
  copy->flow = from->flow;
  copy->text = from->text;
  copy->length = from->length;
  for (const struct skill__value *child = from->first; child; child = child->next) {
    struct skill__value *again = repeat(r, event, child);
    if (!again) return NULL;
    again->key = child->key;
    skill__value_append(copy, again);
  }
  return copy;
}

static size_t height(const struct skill__value *value) {
  size_t most = 0;
  for (const struct skill__value *child = value->first; child; child = child->next) {
    size_t h = height(child);
    if (h > most) most = h;
  }
  return value->kind == SKILL__SCALAR ? 0 : most + 1;
}

static void on_alias(struct reader *r, const yaml_event_t *event) {
  const struct skill__value *target = NULL;
  for (size_t i = 0; i < r->anchor_count; i++) {
    if (!strcmp(r->anchors[i].name, (const char *)event->data.alias.anchor)) target = r->anchors[i].value;
  }
  if (!target) {
    fail(r, event->start_mark, false, "an alias (*) names no anchor (&)");
    return;
  }
  if (is_open(r, target)) {
    fail(r, event->start_mark, false, "an alias (*) is inside the value it repeats");
    return;
  }
  if (r->depth + height(target) > SKILL__YAML_DEPTH) {
    fail(r, event->start_mark, true, "the front matter is nested too deeply");
    return;
  }
  struct skill__value *copy = repeat(r, event, target);
  if (copy) place(r, event, copy);
}

static void on_event(struct reader *r, const yaml_event_t *event) {
  switch (event->type) {
    case YAML_SCALAR_EVENT:
      on_scalar(r, event);
      break;
    case YAML_SEQUENCE_START_EVENT:
      open_collection(r, event, SKILL__SEQUENCE, event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE,
                      event->data.sequence_start.anchor);
      break;
    case YAML_MAPPING_START_EVENT:
      open_collection(r, event, SKILL__MAPPING, event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE,
                      event->data.mapping_start.anchor);
      break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
      close_collection(r, event);
      break;
    case YAML_ALIAS_EVENT:
      on_alias(r, event);
      break;
    case YAML_DOCUMENT_START_EVENT:
      if (r->root) fail(r, event->start_mark, false, "a second YAML document follows the first");
      break;
    default:
      break;
  }
}

static void parser_failed(struct reader *r, const yaml_parser_t *parser) {
  if (parser->error == YAML_MEMORY_ERROR) {
    r->status = SKILL_ENOMEM;
    return;
  }
  yaml_mark_t mark = parser->problem_mark;
  if (parser->error == YAML_READER_ERROR) mark = parser->mark;
  fail(r, mark, false, parser->problem ? parser->problem : "not valid YAML");
}

int skill__yaml_read(struct skill__arena *arena, const char *text, size_t length, unsigned first_line,
                     struct skill__value **out, struct skill__yaml_error *error) {
  struct reader r = {.arena = arena, .error = error, .first_line = first_line};
  yaml_parser_t parser;
  if (!yaml_parser_initialize(&parser)) return SKILL_ENOMEM;
  yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
  bool done = false;
  while (!done && !r.status) {
    yaml_event_t event;
    if (!yaml_parser_parse(&parser, &event)) {
      parser_failed(&r, &parser);
      break;
    }
    on_event(&r, &event);
    done = event.type == YAML_STREAM_END_EVENT;
    yaml_event_delete(&event);
  }
  if (!r.status) *out = r.root;
  yaml_parser_delete(&parser);
  return r.status;
}
