/* SPDX-License-Identifier: MIT
 *
 * The schema compiler: one table of keywords, each with the function that reads its value; see schema.h.
 * Subschemas are remembered by their place in the document, so a reference meets the node that is being built and a
 * cycle needs no special care.
 */
#include "gateway/schema.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gateway/schema_internal.h"
#include "util/hash.h"
#include "util/json.h"

#define NOTE_MAX 4096

struct place {
  const cJSON *key;
  struct skill__node *node;
  UT_hash_handle hh;
};

/* A step on the way to the keyword in hand, for messages. */
struct step {
  const struct step *up;
  const char *key;
};

struct compiler {
  struct skill__schema *schema;
  struct place *places;
  size_t nodes;
  size_t depth;
  bool strict;
  bool siblings_ignored; /* drafts up to 07: nothing beside $ref counts */
  SkillError *err;
};

typedef int (*keyword_fn)(struct compiler *c, struct skill__node *node, const cJSON *value, const struct step *at);

static int compile_node(struct compiler *c, const cJSON *value, const struct step *at, struct skill__node **out);

/* ---- messages ---- */

static void write_path(struct skill__buf *buf, const struct step *at) {
  if (!at) return;
  write_path(buf, at->up);
  skill__buf_char(buf, '/');
  for (const char *p = at->key; *p; p++) {
    if (*p == '~' || *p == '/') {
      skill__buf_text(buf, *p == '~' ? "~0" : "~1");
    } else {
      skill__buf_char(buf, *p);
    }
  }
}

static int refuse(struct compiler *c, int code, const struct step *at, const char *what) {
  struct skill__buf path;
  skill__buf_init(&path, 4096);
  write_path(&path, at);
  const char *name = c->schema->name;
  int rc = skill_error_set(c->err, code, "%s%sschema at %.200s: %s", name ? name : "", name ? ": " : "",
                           path.length ? path.data : "its root", what);
  skill__buf_fini(&path);
  return rc;
}

static int remark(struct compiler *c, const struct step *at, const char *what) {
  if (c->strict) return refuse(c, SKILL_EUNSUPPORTED, at, what);
  struct skill__buf *note = &c->schema->note;
  if (note->length > NOTE_MAX - 512) return 0; /* the first few tell enough */
  if (note->length) skill__buf_text(note, ", ");
  write_path(note, at);
  return note->status == SKILL_ENOMEM ? SKILL_ENOMEM : 0;
}

/* ---- small readers ---- */

static int read_number(struct compiler *c, const cJSON *value, const struct step *at, struct skill__number *out) {
  if (!cJSON_IsNumber(value) || !isfinite(value->valuedouble))
    return refuse(c, SKILL_EINVAL, at, "it must be a number");
  out->value = value->valuedouble;
  out->set = true;
  return 0;
}

static int read_size(struct compiler *c, const cJSON *value, const struct step *at, struct skill__size *out) {
  double number = cJSON_IsNumber(value) ? value->valuedouble : -1;
  if (!(number >= 0) || number > 1e15 || floor(number) != number) {
    return refuse(c, SKILL_EINVAL, at, "it must be a whole number of at least 0");
  }
  out->value = (size_t)number;
  out->set = true;
  return 0;
}

static int read_strings(struct compiler *c, const cJSON *value, const struct step *at) {
  if (!cJSON_IsArray(value)) return refuse(c, SKILL_EINVAL, at, "it must be a list of strings");
  for (const cJSON *item = value->child; item; item = item->next) {
    if (!cJSON_IsString(item)) return refuse(c, SKILL_EINVAL, at, "it must be a list of strings");
  }
  return 0;
}

static int read_pattern(struct compiler *c, const char *text, const struct step *at, pcre2_code **out) {
  struct skill__schema *schema = c->schema;
  /* NOLINTNEXTLINE(bugprone-sizeof-expression): a list of pointers */
  if (SKILL__GROW(schema->codes, schema->code_capacity, schema->code_count + 1)) return SKILL_ENOMEM;
  uint32_t options = PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_ALT_BSUX | PCRE2_ALLOW_EMPTY_CLASS |
                     PCRE2_MATCH_UNSET_BACKREF | PCRE2_NEVER_BACKSLASH_C;
  int error;
  PCRE2_SIZE offset;
  pcre2_code *code = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, options, &error, &offset, schema->compile);
  if (!code) {
    if (error == PCRE2_ERROR_HEAP_FAILED) return SKILL_ENOMEM;
    char why[200];
    char message[300];
    pcre2_get_error_message(error, (PCRE2_UCHAR *)why, sizeof why);
    snprintf(message, sizeof message, "the pattern is wrong at byte %zu: %s", (size_t)offset, why);
    return refuse(c, SKILL_EINVAL, at, message);
  }
  schema->codes[schema->code_count++] = code;
  *out = code;
  return 0;
}

static int read_nodes(struct compiler *c, const cJSON *value, const struct step *at, struct skill__nodes *out) {
  int count = cJSON_IsArray(value) ? cJSON_GetArraySize(value) : 0;
  if (count == 0) return refuse(c, SKILL_EINVAL, at, "it must be a list of at least one schema");
  /* NOLINTNEXTLINE(bugprone-sizeof-expression): a list of pointers */
  struct skill__node **items = skill__arena_alloc(&c->schema->arena, (size_t)count * sizeof *items);
  if (!items) return SKILL_ENOMEM;
  size_t i = 0;
  for (const cJSON *item = value->child; item; item = item->next) {
    char index[32];
    snprintf(index, sizeof index, "%zu", i);
    struct step step = {at, index};
    int rc = compile_node(c, item, &step, &items[i++]);
    if (rc) return rc;
  }
  out->items = items;
  out->count = i;
  return 0;
}

/* An object of named schemas; `rule` fills in what each name means. */
static int read_rules(struct compiler *c, const cJSON *value, const struct step *at, struct skill__rules *out,
                      bool patterns) {
  if (!cJSON_IsObject(value)) return refuse(c, SKILL_EINVAL, at, "it must be an object of schemas");
  size_t count = (size_t)cJSON_GetArraySize(value);
  struct skill__rule *items = skill__arena_alloc(&c->schema->arena, (count + out->count + 1) * sizeof *items);
  if (!items) return SKILL_ENOMEM;
  if (out->count) memcpy(items, out->items, out->count * sizeof *items);
  size_t n = out->count;
  for (const cJSON *item = value->child; item; item = item->next, n++) {
    struct step step = {at, item->string};
    items[n].name = item->string;
    int rc = patterns ? read_pattern(c, item->string, &step, &items[n].pattern) : 0;
    if (!rc && !patterns && cJSON_IsArray(item)) { /* a dependency on names */
      items[n].required = item;
      rc = read_strings(c, item, &step);
    } else if (!rc) {
      rc = compile_node(c, item, &step, &items[n].node);
    }
    if (rc) return rc;
  }
  out->items = items;
  out->count = n;
  return 0;
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const struct skill__rule *)a)->name, ((const struct skill__rule *)b)->name);
}

/* ---- references ---- */

static int hex(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

/* One token of a JSON pointer in a URI fragment, unescaped; false: it does not fit. */
static bool token(const char **pointer, char *out, size_t size) {
  const char *p = *pointer;
  size_t n = 0;
  while (*p && *p != '/') {
    char c = *p++;
    if (c == '%' && hex(p[0]) >= 0 && hex(p[1]) >= 0) {
      c = (char)(hex(p[0]) * 16 + hex(p[1]));
      p += 2;
    }
    if (c == '~' && (*p == '0' || *p == '1')) c = *p++ == '0' ? '~' : '/';
    if (n + 1 >= size) return false;
    out[n++] = c;
  }
  out[n] = '\0';
  *pointer = p;
  return true;
}

static const cJSON *by_pointer(const cJSON *root, const char *pointer) {
  while (root && *pointer == '/') {
    char name[1024];
    pointer++;
    if (!token(&pointer, name, sizeof name)) return NULL;
    if (cJSON_IsArray(root)) {
      char *end;
      long index = strtol(name, &end, 10);
      root = *name && !*end && index >= 0 && index < 100000 ? cJSON_GetArrayItem(root, (int)index) : NULL;
    } else {
      root = cJSON_GetObjectItemCaseSensitive(root, name);
    }
  }
  return root;
}

/* The subschema that carries this $anchor (or, in older drafts, the $id "#name"). */
static const cJSON *by_anchor(const cJSON *value, const char *name, unsigned depth) {
  const char *anchor = skill__json_string(value, "$anchor");
  const char *id = skill__json_string(value, "$id");
  if (anchor && strcmp(anchor, name) == 0) return value;
  if (id && id[0] == '#' && strcmp(id + 1, name) == 0) return value;
  for (const cJSON *item = depth ? value->child : NULL; item; item = item->next) {
    const cJSON *found = by_anchor(item, name, depth - 1);
    if (found) return found;
  }
  return NULL;
}

static int read_ref(struct compiler *c, struct skill__node *node, const cJSON *value, const struct step *at) {
  if (!cJSON_IsString(value)) return refuse(c, SKILL_EINVAL, at, "it must be a string");
  const char *text = value->valuestring;
  const char *id = skill__json_string(c->schema->document, "$id");
  size_t base = id ? strcspn(id, "#") : 0;
  if (base && strncmp(text, id, base) == 0 && (text[base] == '#' || !text[base])) text += base;
  if (*text && *text != '#') {
    return refuse(c, SKILL_EUNSUPPORTED, at, "the reference leaves the document; put the schema under $defs");
  }
  const char *fragment = *text ? text + 1 : text;
  const cJSON *target = !*fragment || *fragment == '/' ? by_pointer(c->schema->document, fragment)
                                                       : by_anchor(c->schema->document, fragment, 100);
  if (!target) return refuse(c, SKILL_EINVAL, at, "the reference leads nowhere");
  return compile_node(c, target, at, &node->ref);
}

/* ---- keywords ---- */

static const char *const type_names[] = {"null", "boolean", "number", "integer", "string", "array", "object"};

static unsigned type_bit(const cJSON *value) {
  for (size_t i = 0; cJSON_IsString(value) && i < sizeof type_names / sizeof *type_names; i++) {
    if (strcmp(value->valuestring, type_names[i]) == 0) return 1u << i;
  }
  return 0;
}

static int read_type(struct compiler *c, struct skill__node *node, const cJSON *value, const struct step *at) {
  const cJSON *item = cJSON_IsArray(value) ? value->child : value;
  unsigned types = 0;
  for (; item; item = cJSON_IsArray(value) ? item->next : NULL) {
    unsigned bit = type_bit(item);
    if (!bit) return refuse(c, SKILL_EINVAL, at, "a type is null, boolean, number, integer, string, array or object");
    types |= bit;
  }
  if (!types) return refuse(c, SKILL_EINVAL, at, "it names no type");
  node->types = types;
  return 0;
}

static int read_enum(struct compiler *c, struct skill__node *node, const cJSON *value, const struct step *at) {
  if (!cJSON_IsArray(value)) return refuse(c, SKILL_EINVAL, at, "it must be a list");
  node->options = value;
  return 0;
}

static int read_const(struct compiler *c, struct skill__node *node, const cJSON *value, const struct step *at) {
  (void)c;
  (void)at;
  node->constant = value;
  return 0;
}

static int read_multiple(struct compiler *c, struct skill__node *node, const cJSON *value, const struct step *at) {
  int rc = read_number(c, value, at, &node->multiple);
  if (!rc && !(node->multiple.value > 0)) rc = refuse(c, SKILL_EINVAL, at, "it must be greater than 0");
  return rc;
}

static int read_text_pattern(struct compiler *c, struct skill__node *node, const cJSON *value, const struct step *at) {
  if (!cJSON_IsString(value)) return refuse(c, SKILL_EINVAL, at, "it must be a string");
  node->pattern_text = value->valuestring;
  return read_pattern(c, value->valuestring, at, &node->pattern);
}

static int read_format(struct compiler *c, struct skill__node *node, const cJSON *value, const struct step *at) {
  if (!cJSON_IsString(value)) return refuse(c, SKILL_EINVAL, at, "it must be a string");
  bool annotation = false;
  node->format = skill__schema_format(value->valuestring, &annotation);
  node->format_name = value->valuestring;
  return node->format || annotation ? 0 : remark(c, at, "this format is not known");
}

static int read_items(struct compiler *c, struct skill__node *node, const cJSON *value, const struct step *at) {
  if (!cJSON_IsArray(value)) return compile_node(c, value, at, &node->items);
  return cJSON_GetArraySize(value) ? read_nodes(c, value, at, &node->prefix) : 0;
}

static int read_unique(struct compiler *c, struct skill__node *node, const cJSON *value, const struct step *at) {
  if (!cJSON_IsBool(value)) return refuse(c, SKILL_EINVAL, at, "it must be true or false");
  node->unique = cJSON_IsTrue(value);
  return 0;
}

static int read_required(struct compiler *c, struct skill__node *node, const cJSON *value, const struct step *at) {
  node->required = value;
  return read_strings(c, value, at);
}

static int read_properties(struct compiler *c, struct skill__node *node, const cJSON *value, const struct step *at) {
  for (const cJSON *item = cJSON_IsObject(value) ? value->child : NULL; item; item = item->next) {
    if (!cJSON_IsArray(item)) continue;
    struct step step = {at, item->string};
    return refuse(c, SKILL_EINVAL, &step, "a schema is an object, true or false");
  }
  int rc = read_rules(c, value, at, &node->properties, false);
  if (!rc) qsort(node->properties.items, node->properties.count, sizeof *node->properties.items, by_name);
  return rc;
}

static int read_patterns(struct compiler *c, struct skill__node *node, const cJSON *value, const struct step *at) {
  return read_rules(c, value, at, &node->patterns, true);
}

static int read_dependent(struct compiler *c, struct skill__node *node, const cJSON *value, const struct step *at) {
  return read_rules(c, value, at, &node->dependent, false);
}

/* Definitions are compiled so that a mistake in one is told, even where nothing refers to it. */
static int read_definitions(struct compiler *c, struct skill__node *node, const cJSON *value, const struct step *at) {
  (void)node;
  struct skill__rules rules = {NULL, 0};
  return read_rules(c, value, at, &rules, false);
}

static int read_nothing(struct compiler *c, struct skill__node *node, const cJSON *value, const struct step *at) {
  (void)c;
  (void)node;
  (void)value;
  (void)at;
  return 0;
}

static int read_id(struct compiler *c, struct skill__node *node, const cJSON *value, const struct step *at) {
  (void)node;
  if (!cJSON_IsString(value)) return refuse(c, SKILL_EINVAL, at, "it must be a string");
  bool root = at->up == NULL;
  return root || value->valuestring[0] == '#' ? 0 : remark(c, at, "a document inside the document is not supported");
}

#define NUMBER(member)                                                                                         \
  static int read_##member(struct compiler *c, struct skill__node *n, const cJSON *v, const struct step *at) { \
    return read_number(c, v, at, &n->member);                                                                  \
  }
#define SIZE(member)                                                                                           \
  static int read_##member(struct compiler *c, struct skill__node *n, const cJSON *v, const struct step *at) { \
    return read_size(c, v, at, &n->member);                                                                    \
  }
#define NODE(member)                                                                                           \
  static int read_##member(struct compiler *c, struct skill__node *n, const cJSON *v, const struct step *at) { \
    return compile_node(c, v, at, &n->member);                                                                 \
  }
#define NODES(member)                                                                                          \
  static int read_##member(struct compiler *c, struct skill__node *n, const cJSON *v, const struct step *at) { \
    return read_nodes(c, v, at, &n->member);                                                                   \
  }
NUMBER(minimum)
NUMBER(maximum)
NUMBER(above)
NUMBER(below)
SIZE(min_length)
SIZE(max_length)
SIZE(min_items)
SIZE(max_items)
SIZE(min_properties)
SIZE(max_properties)
SIZE(min_contains)
SIZE(max_contains)
NODE(contains)
NODE(additional)
NODE(property_names)
NODE(not_node)
NODE(if_node)
NODE(then_node)
NODE(else_node)
NODES(prefix)
NODES(all)
NODES(any)
NODES(one)

struct keyword {
  const char *name;
  keyword_fn read;
};

static const struct keyword keywords[] = {
    {"type", read_type},
    {"properties", read_properties},
    {"required", read_required},
    {"description", read_nothing},
    {"items", read_items},
    {"enum", read_enum},
    {"additionalProperties", read_additional},
    {"default", read_nothing},
    {"title", read_nothing},
    {"$ref", read_ref},
    {"anyOf", read_any},
    {"oneOf", read_one},
    {"allOf", read_all},
    {"not", read_not_node},
    {"if", read_if_node},
    {"then", read_then_node},
    {"else", read_else_node},
    {"const", read_const},
    {"minimum", read_minimum},
    {"maximum", read_maximum},
    {"exclusiveMinimum", read_above},
    {"exclusiveMaximum", read_below},
    {"multipleOf", read_multiple},
    {"minLength", read_min_length},
    {"maxLength", read_max_length},
    {"pattern", read_text_pattern},
    {"format", read_format},
    {"prefixItems", read_prefix},
    {"minItems", read_min_items},
    {"maxItems", read_max_items},
    {"uniqueItems", read_unique},
    {"contains", read_contains},
    {"minContains", read_min_contains},
    {"maxContains", read_max_contains},
    {"patternProperties", read_patterns},
    {"propertyNames", read_property_names},
    {"minProperties", read_min_properties},
    {"maxProperties", read_max_properties},
    {"dependentRequired", read_dependent},
    {"dependentSchemas", read_dependent},
    {"dependencies", read_dependent},
    {"$defs", read_definitions},
    {"definitions", read_definitions},
    {"$schema", read_nothing},
    {"$id", read_id},
    {"$anchor", read_nothing},
    {"$comment", read_nothing},
    {"examples", read_nothing},
    {"example", read_nothing},
    {"deprecated", read_nothing},
    {"readOnly", read_nothing},
    {"writeOnly", read_nothing},
    {"contentEncoding", read_nothing},
    {"contentMediaType", read_nothing},
    {"contentSchema", read_nothing},
};

static keyword_fn reader_of(const char *name) {
  if (strncmp(name, "x-", 2) == 0) return read_nothing;
  for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
    if (strcmp(keywords[i].name, name) == 0) return keywords[i].read;
  }
  return NULL;
}

/* additionalItems counts only beside an array of items; it is read after the table, since it depends on another. */
static int read_rest(struct compiler *c, struct skill__node *node, const cJSON *object, const struct step *at) {
  const cJSON *rest = cJSON_GetObjectItemCaseSensitive(object, "additionalItems");
  struct step step = {at, "additionalItems"};
  if (!rest || !cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(object, "items"))) return 0;
  return compile_node(c, rest, &step, &node->items);
}

static int read_object(struct compiler *c, struct skill__node *node, const cJSON *object, const struct step *at) {
  const cJSON *ref = c->siblings_ignored ? cJSON_GetObjectItemCaseSensitive(object, "$ref") : NULL;
  if (ref) {
    struct step step = {at, "$ref"};
    return read_ref(c, node, ref, &step);
  }
  for (const cJSON *item = object->child; item; item = item->next) {
    struct step step = {at, item->string};
    if (strcmp(item->string, "additionalItems") == 0) continue;
    keyword_fn read = reader_of(item->string);
    int rc = read ? read(c, node, item, &step) : remark(c, &step, "this keyword is not supported");
    if (rc) return rc;
  }
  return read_rest(c, node, object, at);
}

static int remember(struct compiler *c, const cJSON *value, struct skill__node *node) {
  struct place *place = skill__arena_alloc(&c->schema->arena, sizeof *place);
  if (!place) return SKILL_ENOMEM;
  bool added;
  place->key = value;
  place->node = node;
  /* NOLINTNEXTLINE(bugprone-sizeof-expression): the key is the pointer itself */
  SKILL__HASH_ADD(c->places, place, &place->key, sizeof place->key, added);
  return added ? 0 : SKILL_ENOMEM;
}

static int compile_node(struct compiler *c, const cJSON *value, const struct step *at, struct skill__node **out) {
  struct place *known;
  /* NOLINTNEXTLINE(bugprone-sizeof-expression): the key is the pointer itself */
  HASH_FIND(hh, c->places, &value, sizeof value, known);
  if (known) {
    *out = known->node;
    return 0;
  }
  if (!cJSON_IsObject(value) && !cJSON_IsBool(value)) {
    return refuse(c, SKILL_EINVAL, at, "a schema is an object, true or false");
  }
  if (c->depth >= SKILL__SCHEMA_MAX_DEPTH || c->nodes >= SKILL__SCHEMA_MAX_NODES) {
    return refuse(c, SKILL_ELIMIT, at, "the schema is nested too deeply or has too many parts");
  }
  struct skill__node *node = skill__arena_alloc(&c->schema->arena, sizeof *node);
  if (!node) return SKILL_ENOMEM;
  int rc = remember(c, value, node);
  if (rc) return rc;
  c->nodes++;
  c->depth++;
  node->refuses = cJSON_IsFalse(value);
  if (cJSON_IsObject(value)) rc = read_object(c, node, value, at);
  c->depth--;
  if (!rc) *out = node;
  return rc;
}

/* ---- the whole ---- */

static void *pcre_malloc(PCRE2_SIZE size, void *user) {
  (void)user;
  return skill__malloc(size);
}

static void pcre_free(void *p, void *user) {
  (void)user;
  skill__free(p);
}

static int prepare(struct skill__schema *schema, const char *name) {
  skill__buf_init(&schema->note, NOTE_MAX);
  schema->general = pcre2_general_context_create(pcre_malloc, pcre_free, NULL);
  if (!schema->general) return SKILL_ENOMEM;
  schema->compile = pcre2_compile_context_create(schema->general);
  schema->match = pcre2_match_context_create(schema->general);
  schema->data = pcre2_match_data_create(1, schema->general);
  schema->name = skill__strdup(name);
  if (!schema->compile || !schema->match || !schema->data || (name && !schema->name)) return SKILL_ENOMEM;
  pcre2_set_compile_extra_options(schema->compile, PCRE2_EXTRA_ALT_BSUX);
  pcre2_set_max_pattern_length(schema->compile, 4096);
  pcre2_set_parens_nest_limit(schema->compile, 100);
  pcre2_set_match_limit(schema->match, 100000);
  pcre2_set_depth_limit(schema->match, 1000);
  pcre2_set_heap_limit(schema->match, 1024);
  return 0;
}

void skill__schema_free(struct skill__schema *schema) {
  if (!schema) return;
  for (size_t i = 0; i < schema->code_count; i++) pcre2_code_free(schema->codes[i]);
  skill__free(schema->codes);
  pcre2_match_data_free(schema->data);
  pcre2_match_context_free(schema->match);
  pcre2_compile_context_free(schema->compile);
  pcre2_general_context_free(schema->general);
  skill__arena_fini(&schema->arena);
  skill__buf_fini(&schema->note);
  cJSON_Delete(schema->document);
  skill__free(schema->name);
  skill__free(schema);
}

const char *skill__schema_note(const struct skill__schema *schema) {
  return schema->note.length ? schema->note.data : NULL;
}

static bool old_draft(const cJSON *document) {
  const char *uri = skill__json_string(document, "$schema");
  return uri && (strstr(uri, "draft-04") || strstr(uri, "draft-06") || strstr(uri, "draft-07"));
}

int skill__schema_compile(const char *text, size_t length, const char *name, bool strict, struct skill__schema **out,
                          SkillError *err) {
  if (length > SKILL__SCHEMA_MAX_TEXT) {
    return skill_error_set(err, SKILL_ELIMIT, "%s: a schema of %zu bytes is more than %d", name ? name : "schema",
                           length, SKILL__SCHEMA_MAX_TEXT);
  }
  struct skill__schema *schema = skill__calloc(1, sizeof *schema);
  if (!schema) return SKILL_ENOMEM;
  struct compiler c = {.schema = schema, .strict = strict, .err = err};
  int rc = prepare(schema, name);
  if (!rc) rc = skill__json_parse(text, length, name, &schema->document, err);
  if (!rc) {
    c.siblings_ignored = old_draft(schema->document);
    rc = compile_node(&c, schema->document, NULL, &schema->root);
  }
  HASH_CLEAR(hh, c.places);
  if (rc) {
    skill__schema_free(schema);
    return rc;
  }
  *out = schema;
  return 0;
}
