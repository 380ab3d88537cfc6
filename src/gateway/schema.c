/* SPDX-License-Identifier: MIT
 *
 * The schema compiler: the walk over the document; see schema.h. The keywords are read in schema_keywords.c.
 * Subschemas are remembered by their place in the document, so a reference finds a node that is still being read, and
 * cycles need no special case.
 */
#include "gateway/schema.h"

#include <string.h>

#include "gateway/schema_compile.h"
#include "util/alloc.h"
#include "util/hash.h"
#include "util/json.h"

/* One for each subschema that was read. The key is its address in the document. */
struct skill__schema_place {
  const cJSON *key;
  struct skill__schema_node *node;
  UT_hash_handle hh;
};

/* ---- messages ---- */

void skill__schema_pointer(struct skill__buf *buf, const char *key) {
  skill__buf_char(buf, '/');
  for (const char *p = key; *p; p++) {
    if (*p == '~' || *p == '/') {
      skill__buf_text(buf, *p == '~' ? "~0" : "~1");
    } else {
      skill__buf_char(buf, *p);
    }
  }
}

static void write_path(struct skill__buf *buf, const struct skill__schema_step *at) {
  if (!at) return;
  write_path(buf, at->up);
  skill__schema_pointer(buf, at->key);
}

int skill__schema_refuse(struct skill__schema_compiler *c, int status, const struct skill__schema_step *at,
                         const char *what) {
  struct skill__buf path;
  skill__buf_init(&path, 4096);
  write_path(&path, at);
  const char *name = c->schema->name;
  skill_error_set(c->err, status, "%s%sschema at %.200s: %s", name ? name : "", name ? ": " : "",
                  path.length ? path.data : "its root", what);
  skill__buf_fini(&path);
  return status;
}

int skill__schema_unsupported(struct skill__schema_compiler *c, const struct skill__schema_step *at, const char *what) {
  return c->strict ? skill__schema_refuse(c, SKILL_EUNSUPPORTED, at, what) : 0;
}

/* additionalItems has an effect only beside an array of items, so it is read last. */
static int read_object(struct skill__schema_compiler *c, struct skill__schema_node *node, const cJSON *object,
                       const struct skill__schema_step *at) {
  const cJSON *ref = c->siblings_ignored ? cJSON_GetObjectItemCaseSensitive(object, "$ref") : NULL;
  const cJSON *rest = NULL;
  if (ref) return skill__schema_ref(c, ref, &(struct skill__schema_step){at, "$ref"}, &node->ref);
  for (const cJSON *item = object->child; item; item = item->next) {
    struct skill__schema_step step = {at, item->string};
    if (strcmp(item->string, "additionalItems") == 0) {
      rest = item;
      continue;
    }
    int status = skill__schema_keyword(c, node, item, &step);
    if (status) return status;
  }
  if (!rest || !cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(object, "items"))) return 0;
  return skill__schema_node(c, rest, &(struct skill__schema_step){at, "additionalItems"}, &node->items);
}

static int remember(struct skill__schema_compiler *c, const cJSON *value, struct skill__schema_node *node) {
  struct skill__schema_place *place = skill__arena_alloc(&c->schema->arena, sizeof *place);
  if (!place) return SKILL_ENOMEM;
  bool added;
  place->key = value;
  place->node = node;
  /* NOLINTNEXTLINE(bugprone-sizeof-expression): the key is the pointer itself */
  SKILL__HASH_ADD(c->places, place, &place->key, sizeof place->key, added);
  return added ? 0 : SKILL_ENOMEM;
}

int skill__schema_node(struct skill__schema_compiler *c, const cJSON *value, const struct skill__schema_step *at,
                       struct skill__schema_node **out) {
  struct skill__schema_place *known;
  /* NOLINTNEXTLINE(bugprone-sizeof-expression): the key is the pointer itself */
  HASH_FIND(hh, c->places, &value, sizeof value, known);
  if (known) {
    *out = known->node;
    return 0;
  }
  if (!cJSON_IsObject(value) && !cJSON_IsBool(value)) {
    return skill__schema_refuse(c, SKILL_EINVAL, at, "a schema is an object, true or false");
  }
  if (c->depth >= SKILL__SCHEMA_MAX_DEPTH || c->nodes >= SKILL__SCHEMA_MAX_NODES) {
    return skill__schema_refuse(c, SKILL_ELIMIT, at, "the schema is nested too deeply or has too many parts");
  }
  struct skill__schema_node *node = skill__arena_alloc(&c->schema->arena, sizeof *node);
  if (!node) return SKILL_ENOMEM;
  int status = remember(c, value, node);
  if (status) return status;
  c->nodes++;
  c->depth++;
  node->refuses = cJSON_IsFalse(value);
  if (cJSON_IsObject(value)) status = read_object(c, node, value, at);
  c->depth--;
  if (!status) *out = node;
  return status;
}

static void *pcre_malloc(PCRE2_SIZE size, void *user) {
  (void)user;
  return skill__malloc(size);
}

static void pcre_free(void *p, void *user) {
  (void)user;
  skill__free(p);
}

/* PCRE2 is bounded: a pattern comes from a skill, and matching must not stall or exhaust the host. */
static int prepare(struct skill__schema *schema, const char *name) {
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
  cJSON_Delete(schema->document);
  skill__free(schema->name);
  skill__free(schema);
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
  struct skill__schema_compiler c = {.schema = schema, .strict = strict, .err = err};
  int status = prepare(schema, name);
  if (!status) status = skill__json_parse(text, length, name, &schema->document, err);
  if (!status) {
    c.siblings_ignored = old_draft(schema->document);
    status = skill__schema_node(&c, schema->document, NULL, &schema->root);
  }
  HASH_CLEAR(hh, c.places);
  if (status) {
    skill__schema_free(schema);
    return status;
  }
  *out = schema;
  return 0;
}
