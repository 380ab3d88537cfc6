/* SPDX-License-Identifier: MIT
 *
 * The checker: walks a value with a compiled schema; see schema.h. The first thing that does not fit ends it. Messages
 * are made only where somebody will read them: alternatives are tried without.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gateway/schema_internal.h"
#include "util/json.h"

/* The way to the value in hand. */
struct spot {
  const struct spot *up;
  const char *key; /* NULL: an index */
  size_t index;
};

struct check {
  struct skill__schema *schema;
  size_t steps;
  size_t depth;
  SkillError *err;  /* NULL while an alternative is tried */
  int fatal;        /* SKILL_ELIMIT or SKILL_ENOMEM: ends the whole check */
  const char *what; /* of which there was not enough */
};

static int check_node(struct check *c, const struct skill__node *node, const cJSON *value, const struct spot *at);

/* ---- messages ---- */

static void write_spot(struct skill__buf *buf, const struct spot *at) {
  if (!at) return;
  write_spot(buf, at->up);
  if (!at->key) {
    skill__buf_printf(buf, "/%zu", at->index);
    return;
  }
  skill__schema_pointer(buf, at->key);
}

/* A value in a few words: short ones as they are. */
static void describe(struct skill__buf *buf, const cJSON *value) {
  if (cJSON_IsObject(value)) {
    skill__buf_text(buf, "an object");
  } else if (cJSON_IsArray(value)) {
    skill__buf_printf(buf, "an array of %d", cJSON_GetArraySize(value));
  } else if (cJSON_IsString(value) && strlen(value->valuestring) > 60) {
    skill__buf_printf(buf, "a string of %zu bytes", strlen(value->valuestring));
  } else {
    skill__json_print(buf, value);
  }
}

static int misfit(struct check *c, const struct spot *at, const cJSON *value, const char *expected) {
  if (!c->err || c->err->code) return SKILL_EINVAL;
  struct skill__buf path;
  struct skill__buf got;
  skill__buf_init(&path, 300);
  skill__buf_init(&got, 300);
  write_spot(&path, at);
  if (value) describe(&got, value);
  int rc =
      skill_error_set(c->err, SKILL_EINVAL, "%s%.200s: expected %s%s%s", at ? "at " : "", at ? path.data : "arguments",
                      expected, value ? ", got " : "", value && got.data ? got.data : "");
  skill__buf_fini(&path);
  skill__buf_fini(&got);
  return rc;
}

static int misfit_number(struct check *c, const struct spot *at, const cJSON *value, const char *what, double bound) {
  char text[100];
  snprintf(text, sizeof text, "%s %.15g", what, bound);
  return misfit(c, at, value, text);
}

/* Ends the whole check; no alternative makes up for it. */
static int exceeded(struct check *c, const char *what) {
  if (!c->fatal) c->what = what;
  if (!c->fatal) c->fatal = SKILL_ELIMIT;
  return c->fatal;
}

/* ---- any type ---- */

static unsigned types_of(const cJSON *value) {
  if (cJSON_IsNull(value)) return SKILL__TYPE_NULL;
  if (cJSON_IsBool(value)) return SKILL__TYPE_BOOLEAN;
  if (cJSON_IsString(value)) return SKILL__TYPE_STRING;
  if (cJSON_IsArray(value)) return SKILL__TYPE_ARRAY;
  if (cJSON_IsObject(value)) return SKILL__TYPE_OBJECT;
  return floor(value->valuedouble) == value->valuedouble ? SKILL__TYPE_NUMBER | SKILL__TYPE_INTEGER
                                                         : SKILL__TYPE_NUMBER;
}

static int check_type(struct check *c, const struct skill__node *node, const cJSON *value, const struct spot *at) {
  static const char *const names[] = {"null",     "a boolean", "a number", "a whole number",
                                      "a string", "an array",  "an object"};
  if (!node->types || (node->types & types_of(value))) return 0;
  char text[160] = "";
  size_t count = sizeof names / sizeof *names;
  for (size_t k = 1; k <= count; k++) {
    size_t i = k % count; /* null comes last */
    if (!(node->types >> i & 1)) continue;
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", *text ? " or " : "", names[i]);
  }
  return misfit(c, at, value, text);
}

static int check_enum(struct check *c, const struct skill__node *node, const cJSON *value, const struct spot *at) {
  if (!node->options) return 0;
  for (const cJSON *item = node->options->child; item; item = item->next) {
    if (skill__schema_equal(item, value, &c->steps)) return 0;
  }
  if (!c->err) return SKILL_EINVAL;
  struct skill__buf text;
  skill__buf_init(&text, 300);
  skill__buf_text(&text, "one of ");
  skill__json_print(&text, node->options);
  int rc = misfit(c, at, value, text.data ? text.data : "one of the values listed");
  skill__buf_fini(&text);
  return rc;
}

static int check_const(struct check *c, const struct skill__node *node, const cJSON *value, const struct spot *at) {
  if (!node->constant || skill__schema_equal(node->constant, value, &c->steps)) return 0;
  if (!c->err) return SKILL_EINVAL;
  struct skill__buf text;
  skill__buf_init(&text, 300);
  skill__json_print(&text, node->constant);
  int rc = misfit(c, at, value, !text.status && text.data ? text.data : "the one value allowed");
  skill__buf_fini(&text);
  return rc;
}

/* ---- numbers and strings ---- */

/* Decimal fractions are not exact in binary: a thousand-millionth of the step passes. A quotient that has no room left
 * for a fraction is whole. */
static bool is_multiple(double number, double step) {
  return fabs(remainder(number, step)) <= step * 1e-9 ||
         (isfinite(number / step) && fabs(number / step) >= 9007199254740992.0);
}

static int check_number(struct check *c, const struct skill__node *node, const cJSON *value, const struct spot *at) {
  double number = value->valuedouble;
  if (node->minimum.set && number < node->minimum.value) {
    return misfit_number(c, at, value, "at least", node->minimum.value);
  }
  if (node->maximum.set && number > node->maximum.value) {
    return misfit_number(c, at, value, "at most", node->maximum.value);
  }
  if (node->above.set && number <= node->above.value)
    return misfit_number(c, at, value, "more than", node->above.value);
  if (node->below.set && number >= node->below.value)
    return misfit_number(c, at, value, "less than", node->below.value);
  if (node->multiple.set && !is_multiple(number, node->multiple.value)) {
    return misfit_number(c, at, value, "a multiple of", node->multiple.value);
  }
  return 0;
}

static int match(struct check *c, const pcre2_code *code, const char *text, bool *found) {
  struct skill__schema *schema = c->schema;
  int rc = pcre2_match(code, (PCRE2_SPTR)text, strlen(text), 0, 0, schema->data, schema->match);
  if (rc == PCRE2_ERROR_MATCHLIMIT || rc == PCRE2_ERROR_DEPTHLIMIT || rc == PCRE2_ERROR_HEAPLIMIT) {
    return exceeded(c, "pattern matching");
  }
  if (rc == PCRE2_ERROR_NOMEMORY) return c->fatal = SKILL_ENOMEM;
  *found = rc >= 0; /* text that is no UTF-8 matches nothing */
  return 0;
}

static size_t characters(const char *text) {
  size_t count = 0;
  for (; *text; text++) count += ((unsigned char)*text & 0xC0) != 0x80;
  return count;
}

static int check_string(struct check *c, const struct skill__node *node, const cJSON *value, const struct spot *at) {
  const char *text = value->valuestring;
  size_t length = node->min_length.set || node->max_length.set ? characters(text) : 0;
  if (node->min_length.set && length < node->min_length.value) {
    return misfit_number(c, at, value, "a string with a length of at least", (double)node->min_length.value);
  }
  if (node->max_length.set && length > node->max_length.value) {
    return misfit_number(c, at, value, "a string with a length of at most", (double)node->max_length.value);
  }
  if (node->pattern) {
    bool found = false;
    int rc = match(c, node->pattern, text, &found);
    if (rc) return rc;
    char expected[200];
    snprintf(expected, sizeof expected, "a string that matches %.150s", node->pattern_text);
    if (!found) return misfit(c, at, value, expected);
  }
  if (node->format && !node->format(text, strlen(text))) {
    char expected[100];
    snprintf(expected, sizeof expected, "a string of the format %.60s", node->format_name);
    return misfit(c, at, value, expected);
  }
  return 0;
}

/* ---- arrays ---- */

static int check_contains(struct check *c, const struct skill__node *node, const cJSON *value, const struct spot *at) {
  if (!node->contains) return 0;
  size_t least = node->min_contains.set ? node->min_contains.value : 1;
  size_t found = 0;
  SkillError *err = c->err;
  c->err = NULL;
  for (const cJSON *item = value->child; item && !c->fatal; item = item->next) {
    found += check_node(c, node->contains, item, at) == 0;
  }
  c->err = err;
  if (c->fatal) return c->fatal;
  if (found < least) return misfit_number(c, at, value, "fitting items, at least", (double)least);
  if (node->max_contains.set && found > node->max_contains.value) {
    return misfit_number(c, at, value, "fitting items, at most", (double)node->max_contains.value);
  }
  return 0;
}

static int check_unique(struct check *c, const struct skill__node *node, const cJSON *value, const struct spot *at) {
  for (const cJSON *a = node->unique ? value->child : NULL; a; a = a->next) {
    for (const cJSON *b = value->child; b != a; b = b->next) {
      if (skill__schema_equal(a, b, &c->steps)) return misfit(c, at, a, "no item twice");
    }
    if (c->steps == 0) return exceeded(c, "steps");
  }
  return 0;
}

static int check_array(struct check *c, const struct skill__node *node, const cJSON *value, const struct spot *at) {
  size_t count = (size_t)cJSON_GetArraySize(value);
  if (node->min_items.set && count < node->min_items.value) {
    return misfit_number(c, at, value, "items, at least", (double)node->min_items.value);
  }
  if (node->max_items.set && count > node->max_items.value) {
    return misfit_number(c, at, value, "items, at most", (double)node->max_items.value);
  }
  size_t i = 0;
  for (const cJSON *item = value->child; item; item = item->next, i++) {
    const struct skill__node *rule = i < node->prefix.count ? node->prefix.items[i] : node->items;
    struct spot spot = {at, NULL, i};
    int rc = rule ? check_node(c, rule, item, &spot) : 0;
    if (rc) return rc;
  }
  int rc = check_unique(c, node, value, at);
  return rc ? rc : check_contains(c, node, value, at);
}

/* ---- objects ---- */

static const struct skill__rule *find_rule(const struct skill__rules *rules, const char *name) {
  size_t low = 0;
  size_t high = rules->count;
  while (low < high) {
    size_t mid = low + (high - low) / 2;
    int order = strcmp(name, rules->items[mid].name);
    if (order == 0) return &rules->items[mid];
    if (order < 0) high = mid;
    if (order > 0) low = mid + 1;
  }
  return NULL;
}

static int check_names(struct check *c, const cJSON *required, const cJSON *value, const struct spot *at) {
  for (const cJSON *item = required ? required->child : NULL; item; item = item->next) {
    if (cJSON_GetObjectItemCaseSensitive(value, item->valuestring)) continue;
    char expected[200];
    snprintf(expected, sizeof expected, "the property \"%.150s\", which is missing", item->valuestring);
    return misfit(c, at, NULL, expected);
  }
  return 0;
}

static int check_extra(struct check *c, const struct skill__node *node, const cJSON *item, const struct spot *at) {
  if (!node->additional) return 0;
  if (!node->additional->refuses) return check_node(c, node->additional, item, at);
  struct skill__buf names;
  skill__buf_init(&names, 300);
  skill__buf_text(&names, node->properties.count ? "no such property; known are" : "no property at all");
  for (size_t i = 0; i < node->properties.count; i++) {
    skill__buf_printf(&names, "%s %s", i ? "," : "", node->properties.items[i].name);
  }
  int rc = misfit(c, at, NULL, names.data ? names.data : "no such property");
  skill__buf_fini(&names);
  return rc;
}

static int check_property(struct check *c, const struct skill__node *node, const cJSON *item, const struct spot *up) {
  struct spot at = {up, item->string, 0};
  const struct skill__rule *rule = find_rule(&node->properties, item->string);
  bool known = rule != NULL;
  int rc = rule ? check_node(c, rule->node, item, &at) : 0;
  for (size_t i = 0; !rc && i < node->patterns.count; i++) {
    bool found = false;
    rc = match(c, node->patterns.items[i].pattern, item->string, &found);
    if (rc || !found) continue;
    known = true;
    rc = check_node(c, node->patterns.items[i].node, item, &at);
  }
  if (!rc && node->property_names) {
    cJSON name;
    memset(&name, 0, sizeof name);
    name.type = cJSON_String;
    name.valuestring = item->string;
    rc = check_node(c, node->property_names, &name, &at);
  }
  return rc || known ? rc : check_extra(c, node, item, &at);
}

static int check_object(struct check *c, const struct skill__node *node, const cJSON *value, const struct spot *at) {
  size_t count = (size_t)cJSON_GetArraySize(value);
  int rc = check_names(c, node->required, value, at);
  if (rc) return rc;
  if (node->min_properties.set && count < node->min_properties.value) {
    return misfit_number(c, at, value, "properties, at least", (double)node->min_properties.value);
  }
  if (node->max_properties.set && count > node->max_properties.value) {
    return misfit_number(c, at, value, "properties, at most", (double)node->max_properties.value);
  }
  for (const cJSON *item = value->child; !rc && item; item = item->next) rc = check_property(c, node, item, at);
  for (size_t i = 0; !rc && i < node->dependent.count; i++) {
    const struct skill__rule *rule = &node->dependent.items[i];
    if (!cJSON_GetObjectItemCaseSensitive(value, rule->name)) continue;
    rc = rule->node ? check_node(c, rule->node, value, at) : check_names(c, rule->required, value, at);
  }
  return rc;
}

/* ---- combinations ---- */

/* Whether it fits, without a message. */
static bool fits(struct check *c, const struct skill__node *node, const cJSON *value, const struct spot *at) {
  SkillError *err = c->err;
  c->err = NULL;
  int rc = check_node(c, node, value, at);
  c->err = err;
  return rc == 0;
}

static int none_fits(struct check *c, const struct skill__nodes *nodes, const cJSON *value, const struct spot *at) {
  if (!c->err) return SKILL_EINVAL;
  SkillError first = SKILL_ERROR_INIT;
  SkillError *err = c->err;
  c->err = &first;
  check_node(c, nodes->items[0], value, at);
  c->err = err;
  char expected[400];
  snprintf(expected, sizeof expected, "one of %zu alternatives (of the first, %.300s)", nodes->count, first.message);
  return misfit(c, at, NULL, expected);
}

static int check_some(struct check *c, const struct skill__nodes *nodes, bool exactly_one, const cJSON *value,
                      const struct spot *at) {
  if (!nodes->count) return 0;
  size_t fitting = 0;
  for (size_t i = 0; i < nodes->count && (exactly_one || !fitting); i++) fitting += fits(c, nodes->items[i], value, at);
  if (c->fatal) return c->fatal;
  if (!fitting) return none_fits(c, nodes, value, at);
  return exactly_one && fitting > 1 ? misfit(c, at, value, "exactly one of several alternatives, but more fit") : 0;
}

static int check_if(struct check *c, const struct skill__node *node, const cJSON *value, const struct spot *at) {
  if (!node->if_node || (!node->then_node && !node->else_node)) return 0;
  bool holds = fits(c, node->if_node, value, at);
  if (c->fatal) return c->fatal;
  const struct skill__node *next = holds ? node->then_node : node->else_node;
  return next ? check_node(c, next, value, at) : 0;
}

static int check_combined(struct check *c, const struct skill__node *node, const cJSON *value, const struct spot *at) {
  int rc = node->ref ? check_node(c, node->ref, value, at) : 0;
  for (size_t i = 0; !rc && i < node->all.count; i++) rc = check_node(c, node->all.items[i], value, at);
  if (!rc) rc = check_some(c, &node->any, false, value, at);
  if (!rc) rc = check_some(c, &node->one, true, value, at);
  if (!rc && node->not_node) {
    bool fitting = fits(c, node->not_node, value, at);
    rc = c->fatal ? c->fatal : fitting ? misfit(c, at, value, "something that the schema's \"not\" does not cover") : 0;
  }
  return rc ? rc : check_if(c, node, value, at);
}

static int check_node(struct check *c, const struct skill__node *node, const cJSON *value, const struct spot *at) {
  if (c->fatal) return c->fatal;
  if (!skill__schema_spend(&c->steps)) return exceeded(c, "steps");
  if (node->refuses) return misfit(c, at, value, "nothing here");
  if (c->depth >= SKILL__SCHEMA_MAX_DEPTH) return exceeded(c, "depth");
  c->depth++;
  int rc = check_type(c, node, value, at);
  if (!rc) rc = check_enum(c, node, value, at);
  if (!rc) rc = check_const(c, node, value, at);
  if (!rc && cJSON_IsNumber(value)) rc = check_number(c, node, value, at);
  if (!rc && cJSON_IsString(value)) rc = check_string(c, node, value, at);
  if (!rc && cJSON_IsArray(value)) rc = check_array(c, node, value, at);
  if (!rc && cJSON_IsObject(value)) rc = check_object(c, node, value, at);
  if (!rc) rc = check_combined(c, node, value, at);
  c->depth--;
  return rc;
}

int skill__schema_check(struct skill__schema *schema, const cJSON *value, SkillError *err) {
  SkillError misfit = SKILL_ERROR_INIT;
  struct check c = {.schema = schema, .steps = SKILL__SCHEMA_MAX_STEPS, .err = &misfit};
  int rc = check_node(&c, schema->root, value, NULL);
  if (c.steps == 0) exceeded(&c, "steps"); /* a comparison that ran out of them proves nothing */
  if (c.what) {
    return skill_error_set(err, c.fatal, "arguments: checking them takes more %s than allowed; simplify the schema",
                           c.what);
  }
  if (c.fatal) return c.fatal;
  return rc ? skill_error_set(err, rc, "%s", misfit.message) : 0;
}
