/* SPDX-License-Identifier: MIT
 *
 * Reads the values of fields: texts, lists, flags, and all keys without a field. Fails only if memory is out.
 */
#include "document/fields.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "document/field.h"
#include "util/alloc.h"
#include "util/utf8.h"

#define AT(member) offsetof(SkillMetadata, member)

/* --- texts ------------------------------------------------------------------------------------------------------- */

/* Every YAML reader gives the same text for 2 and 10, but not for 1.10, yes, 2024-05-01, 007 and ~. */
static bool reads_alike(const struct skill__value *value) {
  const char *s = value->text;
  return *s >= '1' && *s <= '9' && s[strspn(s, "0123456789")] == '\0' && strlen(s) < 16;
}

static bool misread(const struct skill__field *field, const struct skill__value *value) {
  bool names = field->offset == AT(name) || field->offset == AT(description);
  return skill__value_is_typed(value) && !skill__value_is_null(value) && (names || !reads_alike(value));
}

static int read_text(struct skill__fields *f, const struct skill__field *field, const struct skill__value *value) {
  const char *text = NULL;
  if (value->kind != SKILL__SCALAR) {
    skill__finding(f->findings, SKILL__VALUE_KIND, value->line, value->column,
                   "'%s' is a %s but must be a text: its parts are joined", field->key,
                   value->kind == SKILL__SEQUENCE ? "list" : "mapping");
    text = skill__fields_text(f, value);
  } else if (!skill__value_is_null(value)) {
    if (misread(field, value)) {
      skill__finding(f->findings, SKILL__SCALAR_TYPE, value->line, value->column,
                     "'%s: %s' is not text for every YAML reader: kept as written", field->key, value->text);
    }
    text = skill__fields_text(f, value);
  } else if (value->length) {
    skill__finding(f->findings, SKILL__SCALAR_TYPE, value->line, value->column, "'%s: %s' means no value", field->key,
                   value->text);
  }
  *(const char **)((char *)f->metadata + field->offset) = text && *text ? text : NULL;
  return f->findings->status;
}

/* `argument-hint: [file]` is a list for YAML; what its author means is the text with its brackets. */
static int read_hint(struct skill__fields *f, const struct skill__field *field, const struct skill__value *value) {
  if (value->kind != SKILL__SEQUENCE || !value->flow) return read_text(f, field, value);
  const char *items = skill__fields_text(f, value);
  size_t size = items ? strlen(items) + 3 : 0;
  char *text = items ? skill__arena_alloc(f->arena, size) : NULL;
  if (!text) return SKILL_ENOMEM;
  snprintf(text, size, "[%s]", items);
  *(const char **)((char *)f->metadata + field->offset) = text;
  return 0;
}

/* --- lists ------------------------------------------------------------------------------------------------------- */

static int read_items(struct skill__fields *f, const struct skill__value *value, SkillStrings *out) {
  size_t room = value->count < SKILL__LIST_MAX ? value->count : SKILL__LIST_MAX;
  const char **items = skill__arena_alloc(f->arena, (room + 1) * sizeof *items);
  if (!items) return SKILL_ENOMEM;
  size_t count = 0;
  for (const struct skill__value *child = value->first; child && count < room; child = child->next) {
    if (skill__value_is_null(child)) continue;
    const char *text = skill__fields_text(f, child);
    if (!text) return SKILL_ENOMEM;
    if (*text) items[count++] = text;
  }
  out->items = items;
  out->count = count;
  return 0;
}

static int read_list(struct skill__fields *f, const struct skill__field *field, const struct skill__value *value) {
  SkillStrings list = {NULL, 0};
  int status = 0;
  const struct skill__value *keywords = skill__value_get(value, "keywords"); /* triggers: {files: …, keywords: …} */
  if (keywords && keywords->kind != SKILL__MAPPING) value = keywords;
  if (value->kind == SKILL__SEQUENCE) {
    status = read_items(f, value, &list);
  } else if (value->kind == SKILL__MAPPING) {
    skill__finding(f->findings, SKILL__VALUE_KIND, value->line, value->column,
                   "'%s' is a mapping but must be a list: each entry is read as one item", field->key);
    const char *text = skill__fields_text(f, value);
    status = text ? skill__fields_split(f->arena, text, SKILL__SPLIT_PHRASES, &list) : SKILL_ENOMEM;
  } else if (!skill__value_is_null(value)) {
    enum skill__split split = field->kind == WORDS ? SKILL__SPLIT_WORDS : SKILL__SPLIT_PHRASES;
    status = skill__fields_split(f->arena, value->text, split, &list);
  }
  *(SkillStrings *)((char *)f->metadata + field->offset) = list;
  if (field->offset == AT(allowed_tools)) f->metadata->allowed_tools_set = true;
  return status;
}

/* --- flags and words ---------------------------------------------------------------------------------------------- */

static void unknown(struct skill__fields *f, const struct skill__field *field, const struct skill__value *value,
                    const char *known) {
  skill__finding(f->findings, SKILL__VALUE_UNKNOWN, value->line, value->column, "'%s: %.60s' is not a known value; %s",
                 field->key, value->kind == SKILL__SCALAR ? value->text : "…", known);
}

static int read_flag(struct skill__fields *f, const struct skill__field *field, const struct skill__value *value) {
  int yes = skill__value_boolean(value);
  if (yes < 0 && !skill__value_is_null(value)) unknown(f, field, value, "use true or false");
  bool set = field->kind == NOT_FLAG ? yes == 0 : yes == 1;
  *(bool *)((char *)f->metadata + field->offset) = set;
  return 0;
}

/* Lazy unless the value is exactly `always`. */
static int read_mode(struct skill__fields *f, const struct skill__field *field, const struct skill__value *value) {
  const char *text = value->kind == SKILL__SCALAR ? value->text : "";
  bool always = !strcmp(text, "always");
  f->metadata->mode = always ? SKILL_MODE_ALWAYS : SKILL_MODE_LAZY;
  if (!always && strcmp(text, "lazy") != 0) unknown(f, field, value, "use lazy or always; lazy is assumed");
  return 0;
}

static int read_context(struct skill__fields *f, const struct skill__field *field, const struct skill__value *value) {
  static const struct {
    const char *word;
    SkillContext context;
  } words[] = {{"inline", SKILL_CONTEXT_INLINE},
               {"fork", SKILL_CONTEXT_FORK},
               {"isolate", SKILL_CONTEXT_FORK},
               {"fork_with_context", SKILL_CONTEXT_FORK_WITH_HISTORY},
               {"fork-with-context", SKILL_CONTEXT_FORK_WITH_HISTORY}};
  const char *text = value->kind == SKILL__SCALAR ? value->text : "";
  f->metadata->context = SKILL_CONTEXT_INLINE;
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    if (strcmp(text, words[i].word) != 0) continue;
    f->metadata->context = words[i].context;
    return 0;
  }
  if (!skill__value_is_null(value))
    unknown(f, field, value, "use inline, fork or fork_with_context; inline is assumed");
  return 0;
}

/* --- keys without a field --------------------------------------------------------------------------------------- */

static int extra(struct skill__fields *f, const char *key, const struct skill__value *value,
                 enum skill__json_types types) {
  struct skill__buf buf;
  skill__buf_init(&buf, SKILL__VALUE_JSON_BYTES);
  skill__value_json(&buf, value, types);
  int status = skill__buf_status(&buf);
  const char *json = status ? NULL : skill__arena_strndup(f->arena, buf.data, buf.length);
  skill__buf_fini(&buf);
  if (status == SKILL_ELIMIT) {
    skill__finding(f->findings, SKILL__YAML_LIMIT, value->line, value->column, "'%.60s' is too large and is ignored",
                   key);
    return 0;
  }
  const char *copy = skill__arena_strdup(f->arena, key);
  if (!json || !copy) return SKILL_ENOMEM;
  for (size_t i = 0; i < f->metadata->extra_count; i++) {
    if (strcmp(f->extra[i].key, key) != 0) continue;
    f->extra[i].json = json;
    return 0;
  }
  if (SKILL__GROW(f->extra, f->extra_room, f->metadata->extra_count + 1)) return SKILL_ENOMEM;
  f->extra[f->metadata->extra_count++] = (SkillField){copy, json};
  return 0;
}

/* An entry of `metadata:` becomes metadata.KEY, one of a mapping in it metadata.KEY.KEY. Its scalars are texts, as the
 * specification says. Recursion is bounded by SKILL__YAML_DEPTH. */
static int flatten(struct skill__fields *f, const char *prefix, const struct skill__value *value) {
  if (value->kind != SKILL__MAPPING || !value->count) return extra(f, prefix, value, SKILL__JSON_TEXT);
  for (const struct skill__value *child = value->first; child; child = child->next) {
    struct skill__buf key;
    skill__buf_init(&key, SKILL__YAML_BYTES);
    skill__buf_printf(&key, "%s.", prefix);
    skill__fields_join(&key, child->key);
    int status = skill__buf_status(&key) ? SKILL_ENOMEM : flatten(f, key.data, child);
    skill__buf_fini(&key);
    if (status) return status;
  }
  return 0;
}

/* The specification has no keys for version, category, tags and triggers: many files have them under metadata. */
static int adopt(struct skill__fields *f, const struct skill__value *metadata, const bool *seen) {
  static const char *const keys[] = {"version", "category", "tags", "triggers"};
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    const struct skill__value *value = skill__value_get(metadata, keys[i]);
    const struct skill__field *field = skill__field_find(keys[i]);
    if (!value || seen[field - skill__field_table]) continue;
    if (field->kind != TEXT) {
      int status = read_list(f, field, value);
      if (status) return status;
    } else if (value->kind == SKILL__SCALAR && !skill__value_is_null(value)) {
      *(const char **)((char *)f->metadata + field->offset) = skill__fields_text(f, value);
    }
  }
  return 0;
}

/* --- entries ----------------------------------------------------------------------------------------------------- */

static int read_tools(struct skill__fields *f, const struct skill__field *field, const struct skill__value *value) {
  return skill__fields_are_tools(value) ? skill__fields_tools(f, value)
                                        : extra(f, field->key, value, SKILL__JSON_EXACT);
}

static int read_metadata(struct skill__fields *f, const struct skill__field *field, const struct skill__value *value) {
  return flatten(f, field->key, value);
}

typedef int reader(struct skill__fields *f, const struct skill__field *field, const struct skill__value *value);
static reader *const readers[] = {
    [TEXT] = read_text,   [HINT] = read_hint,         [PHRASES] = read_list, [WORDS] = read_list,
    [FLAG] = read_flag,   [NOT_FLAG] = read_flag,     [MODE] = read_mode,    [CONTEXT] = read_context,
    [TOOLS] = read_tools, [METADATA] = read_metadata,
};

const char *skill__fields_usual(const char *key) {
  const struct skill__field *field = skill__field_find(key);
  return field && !skill__field_usual(field, key) ? field->key : NULL;
}

bool skill__fields_misread(const char *key, const struct skill__value *value) {
  const struct skill__field *field = skill__field_find(key);
  return field && field->kind == TEXT && value->kind == SKILL__SCALAR && misread(field, value);
}

static bool repeated(const struct skill__value *root, const struct skill__value *entry) {
  for (const struct skill__value *other = root->first; other != entry; other = other->next) {
    if (other->key->kind == SKILL__SCALAR && !strcmp(other->key->text, entry->key->text)) return true;
  }
  return false;
}

/* Whether a later entry uses the usual spelling of the same key, which then wins. */
static bool outranked(const struct skill__value *root, const struct skill__value *entry,
                      const struct skill__field *field) {
  return strcmp(field->key, entry->key->text) != 0 && skill__value_get(root, field->key) != NULL;
}

static int read_entry(struct skill__fields *f, const struct skill__value *root, const struct skill__value *entry,
                      bool *seen) {
  const struct skill__value *key = entry->key;
  if (key->kind != SKILL__SCALAR) {
    skill__finding(f->findings, SKILL__VALUE_KIND, key->line, key->column,
                   "a key is a list or a mapping but must be a text: the entry is ignored");
    return 0;
  }
  if (repeated(root, entry)) {
    skill__finding(f->findings, SKILL__DUPLICATE_KEY, key->line, key->column,
                   "duplicate key '%.60s': the last one is used", key->text);
  }
  const struct skill__field *field = skill__field_find(key->text);
  if (f->findings->strict && (!field || !skill__field_specified(field))) {
    skill__finding(f->findings, SKILL__UNKNOWN_KEY, key->line, key->column,
                   "the specification does not define the key '%.60s'", key->text);
  }
  const char *meant = field ? NULL : skill__field_meant(key->text);
  if (meant) {
    skill__finding(f->findings, SKILL__KEY_TYPO, key->line, key->column, "unknown key '%s'; did you mean '%s'?",
                   key->text, meant);
  }
  if (!field) return extra(f, key->text, entry, SKILL__JSON_EXACT);
  if (!skill__field_usual(field, key->text)) {
    skill__finding(f->findings, SKILL__KEY_SPELLING, key->line, key->column, "'%s' is read as '%s'", key->text,
                   field->key);
  }
  if (outranked(root, entry, field)) return 0;
  f->places[field - skill__field_table] = (struct skill__place){entry->line, entry->column};
  seen[field - skill__field_table] = true;
  return readers[field->kind](f, field, entry);
}

int skill__fields_read(struct skill__fields *f, const struct skill__value *root) {
  bool seen[SKILL__FIELD_COUNT] = {false};
  int status = 0;
  for (const struct skill__value *entry = root->first; entry && !status; entry = entry->next) {
    status = read_entry(f, root, entry, seen);
  }
  const struct skill__value *metadata = skill__value_get(root, "metadata");
  if (!status && metadata) status = adopt(f, metadata, seen);
  f->named = f->metadata->name != NULL;
  f->described = f->metadata->description != NULL;
  f->metadata->extra = f->extra;
  return status ? status : f->findings->status;
}
