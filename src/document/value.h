/* SPDX-License-Identifier: MIT
 *
 * Front matter as a tree of texts, before types are assigned.
 *
 * Scalars keep their text and whether they were quoted, so `version: 1.10` stays "1.10". Lines (of the file) and
 * columns (in characters) are counted from 1. Everything is in an arena.
 */
#ifndef SKILL_DOCUMENT_VALUE_H
#define SKILL_DOCUMENT_VALUE_H

#include "skillet/error.h"
#include "util/arena.h"
#include "util/buf.h"

enum skill__value_kind { SKILL__SCALAR, SKILL__SEQUENCE, SKILL__MAPPING };

struct skill__value {
  enum skill__value_kind kind;
  bool plain;       /* scalar without quotes and not a block */
  bool flow;        /* collection in brackets */
  const char *text; /* scalar, NUL-terminated; may hold NUL bytes inside: see length */
  size_t length;
  const struct skill__value *key; /* of an entry in a mapping; NULL elsewhere */
  struct skill__value *first;     /* children, in file order */
  struct skill__value *last;
  struct skill__value *next;
  size_t count; /* of children */
  unsigned line;
  unsigned column;
  unsigned end_line;
};

enum {
  SKILL__YAML_DEPTH = 32,                   /* nested collections; an error above */
  SKILL__YAML_NODES = 10000,                /* nodes, those that aliases repeat included; an error above */
  SKILL__YAML_BYTES = 1024 * 1024,          /* bytes of scalars, those that aliases repeat included; an error above */
  SKILL__VALUE_JSON_BYTES = 8 * 1024 * 1024 /* bytes of one value as JSON */
};

/* How scalars without quotes become JSON. */
enum skill__json_types {
  SKILL__JSON_TEXT,  /* all strings; an empty plain scalar, ~ and null are null */
  SKILL__JSON_EXACT, /* true, false, null, and numbers whose text is exactly what JSON would print; the rest strings */
  SKILL__JSON_SCHEMA /* as EXACT, and every number that JSON can spell */
};

/* The value of the last entry with this key, or NULL. */
const struct skill__value *skill__value_get(const struct skill__value *mapping, const char *key);
void skill__value_append(struct skill__value *parent, struct skill__value *child);
/* Plain and empty, ~ or null. */
bool skill__value_is_null(const struct skill__value *value);
/* Plain and a boolean, number, date or null in YAML 1.1 or 1.2: readers disagree on its text. */
bool skill__value_is_typed(const struct skill__value *value);
/* 1 yes, 0 no, -1 neither. Quoted ones count too. */
int skill__value_boolean(const struct skill__value *value);
void skill__value_json(struct skill__buf *buf, const struct skill__value *value, enum skill__json_types types);

#endif
