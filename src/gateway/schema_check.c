/* SPDX-License-Identifier: MIT
 *
 * The checker: walks a value with a compiled schema; see schema.h. The first mismatch ends it. While alternatives are
 * tried no messages are written (`err` is NULL), since none of them would be reported.
 *
 * Every function returns 0, SKILL_EINVAL for a mismatch, or the fatal status. A fatal status is never turned into
 * "does not match": under `not` that would accept the value.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gateway/schema_internal.h"
#include "util/json.h"

/* The path to the value that is being checked, from the inside to the root; on the stack, for messages. */
struct spot {
  const struct spot *up;
  const char *key; /* NULL: an index */
  size_t index;
  const cJSON *value;
};

struct check {
  struct skill__schema *schema;
  size_t steps;
  size_t depth;
  SkillError *err;  /* NULL while an alternative is tried */
  int fatal;        /* SKILL_ELIMIT or SKILL_ENOMEM: ends the whole check */
  const char *what; /* which limit was exceeded */
};

static int check_node(struct check *c, const struct skill__schema_node *node, const struct spot *at);

/* ---- messages ---- */

static void write_spot(struct skill__buf *buf, const struct spot *at) {
  if (!at->up) return;
  write_spot(buf, at->up);
  if (at->key) {
    skill__schema_pointer(buf, at->key);
  } else {
    skill__buf_printf(buf, "/%zu", at->index);
  }
}

/* A value for a message: a short one as it is, a long one by its kind and size. */
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

/* `value`: what to show; NULL: nothing. */
static int say(struct check *c, const struct spot *at, const cJSON *value, const char *expected) {
  if (!c->err || c->err->code) return SKILL_EINVAL;
  struct skill__buf path;
  struct skill__buf got;
  skill__buf_init(&path, 300);
  skill__buf_init(&got, 300);
  write_spot(&path, at);
  if (value) describe(&got, value);
  skill_error_set(c->err, SKILL_EINVAL, "%s%.200s: expected %s%s%s", at->up ? "at " : "",
                  at->up ? path.data : "arguments", expected, value ? ", got " : "", value && got.data ? got.data : "");
  skill__buf_fini(&path);
  skill__buf_fini(&got);
  return SKILL_EINVAL;
}

static int misfit(struct check *c, const struct spot *at, const char *expected) {
  return say(c, at, at->value, expected);
}

static int misfit_number(struct check *c, const struct spot *at, const char *of, const char *what, double bound) {
  char text[100];
  snprintf(text, sizeof text, "%s%s %.15g", of, what, bound);
  return misfit(c, at, text);
}

/* `of` says what the number is, for the message; "": the value itself. */
static int check_range(struct check *c, const struct spot *at, double number, const char *of,
                       struct skill__schema_bound least, struct skill__schema_bound most) {
  if (least.set && number < least.value) return misfit_number(c, at, of, "at least", least.value);
  if (most.set && number > most.value) return misfit_number(c, at, of, "at most", most.value);
  return 0;
}

/* Ends the whole check, whatever other alternatives there are. */
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
  bool whole = floor(value->valuedouble) == value->valuedouble; /* 1.0 is an integer, as in JSON Schema */
  return whole ? SKILL__TYPE_NUMBER | SKILL__TYPE_INTEGER : SKILL__TYPE_NUMBER;
}

static int check_type(struct check *c, const struct skill__schema_node *node, const struct spot *at) {
  static const char *const names[] = {"null",     "a boolean", "a number", "a whole number",
                                      "a string", "an array",  "an object"};
  if (!node->types || (node->types & types_of(at->value))) return 0;
  char text[160] = "";
  size_t count = sizeof names / sizeof *names;
  for (size_t k = 1; k <= count; k++) {
    size_t i = k % count; /* null comes last */
    if (!(node->types >> i & 1)) continue;
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", *text ? " or " : "", names[i]);
  }
  return misfit(c, at, text);
}

static int check_enum(struct check *c, const struct skill__schema_node *node, const struct spot *at) {
  if (!node->options) return 0;
  for (const cJSON *item = node->options->child; item; item = item->next) {
    if (skill__schema_equal(item, at->value, &c->steps)) return 0;
  }
  if (!c->err) return SKILL_EINVAL;
  struct skill__buf text;
  skill__buf_init(&text, 300);
  skill__buf_text(&text, "one of ");
  skill__json_print(&text, node->options);
  int status = misfit(c, at, text.data ? text.data : "one of the values listed");
  skill__buf_fini(&text);
  return status;
}

static int check_const(struct check *c, const struct skill__schema_node *node, const struct spot *at) {
  if (!node->constant || skill__schema_equal(node->constant, at->value, &c->steps)) return 0;
  if (!c->err) return SKILL_EINVAL;
  struct skill__buf text;
  skill__buf_init(&text, 300);
  skill__json_print(&text, node->constant);
  int status = misfit(c, at, !text.status && text.data ? text.data : "the one value allowed");
  skill__buf_fini(&text);
  return status;
}

/* ---- numbers and strings ---- */

/* Decimal fractions are not exact in binary, so an error of 1e-9 of the step is allowed. A quotient of 2^53 or more is
 * whole: a double has no bits left for its fraction. */
static bool is_multiple(double number, double step) {
  return fabs(remainder(number, step)) <= step * 1e-9 ||
         (isfinite(number / step) && fabs(number / step) >= 9007199254740992.0);
}

static int check_number(struct check *c, const struct skill__schema_node *node, const struct spot *at) {
  double number = at->value->valuedouble;
  int status = check_range(c, at, number, "", node->minimum, node->maximum);
  if (status) return status;
  if (node->above.set && number <= node->above.value) {
    return misfit_number(c, at, "", "more than", node->above.value);
  }
  if (node->below.set && number >= node->below.value) {
    return misfit_number(c, at, "", "less than", node->below.value);
  }
  if (node->multiple.set && !is_multiple(number, node->multiple.value)) {
    return misfit_number(c, at, "", "a multiple of", node->multiple.value);
  }
  return 0;
}

static int match(struct check *c, const pcre2_code *code, const char *text, bool *found) {
  struct skill__schema *schema = c->schema;
  int status = pcre2_match(code, (PCRE2_SPTR)text, strlen(text), 0, 0, schema->data, schema->match);
  if (status == PCRE2_ERROR_MATCHLIMIT || status == PCRE2_ERROR_DEPTHLIMIT || status == PCRE2_ERROR_HEAPLIMIT) {
    return exceeded(c, "pattern matching");
  }
  if (status == PCRE2_ERROR_NOMEMORY) return c->fatal = SKILL_ENOMEM;
  *found = status >= 0; /* text that is not valid UTF-8 matches nothing */
  return 0;
}

static size_t characters(const char *text) {
  size_t count = 0;
  for (; *text; text++) count += ((unsigned char)*text & 0xC0) != 0x80;
  return count;
}

static int check_format(struct check *c, const struct skill__schema_format *format, const struct spot *at) {
  bool fits = !format->rule->check || format->rule->check(at->value->valuestring);
  int status = format->code ? match(c, format->code, at->value->valuestring, &fits) : 0;
  if (status || fits) return status;
  char expected[100];
  snprintf(expected, sizeof expected, "a string of the format %.60s", format->rule->name);
  return misfit(c, at, expected);
}

static int check_string(struct check *c, const struct skill__schema_node *node, const struct spot *at) {
  const char *text = at->value->valuestring;
  char expected[200];
  int status =
      check_range(c, at, (double)characters(text), "a string with a length of ", node->min_length, node->max_length);
  if (status) return status;
  if (node->pattern.code) {
    bool found = false;
    status = match(c, node->pattern.code, text, &found);
    if (status) return status;
    snprintf(expected, sizeof expected, "a string that matches %.150s", node->pattern.text);
    if (!found) return misfit(c, at, expected);
  }
  return node->format.rule ? check_format(c, &node->format, at) : 0;
}

/* ---- arrays ---- */

/* Whether it matches, without a message. The caller must look at c->fatal before it uses the answer. */
static bool fits(struct check *c, const struct skill__schema_node *node, const struct spot *at) {
  SkillError *err = c->err;
  c->err = NULL;
  int status = check_node(c, node, at);
  c->err = err;
  return status == 0;
}

static int check_contains(struct check *c, const struct skill__schema_node *node, const struct spot *at) {
  if (!node->contains) return 0;
  struct skill__schema_bound least = {1, true};
  if (node->min_contains.set) least = node->min_contains;
  size_t found = 0;
  for (const cJSON *item = at->value->child; item; item = item->next) {
    found += fits(c, node->contains, &(struct spot){.up = at, .value = item});
  }
  if (c->fatal) return c->fatal;
  return check_range(c, at, (double)found, "fitting items, ", least, node->max_contains);
}

/* Quadratic, so the steps bound it. */
static int check_unique(struct check *c, const struct skill__schema_node *node, const struct spot *at) {
  for (const cJSON *a = node->unique ? at->value->child : NULL; a; a = a->next) {
    for (const cJSON *b = at->value->child; b != a; b = b->next) {
      if (skill__schema_equal(a, b, &c->steps)) return say(c, at, a, "no item twice");
    }
    if (c->steps == 0) return exceeded(c, "steps");
  }
  return 0;
}

static int check_array(struct check *c, const struct skill__schema_node *node, const struct spot *at) {
  int status = check_range(c, at, cJSON_GetArraySize(at->value), "items, ", node->min_items, node->max_items);
  size_t i = 0;
  for (const cJSON *item = at->value->child; !status && item; item = item->next, i++) {
    const struct skill__schema_node *rule = i < node->prefix.count ? node->prefix.items[i] : node->items;
    struct spot spot = {at, NULL, i, item};
    status = rule ? check_node(c, rule, &spot) : 0;
  }
  if (!status) status = check_unique(c, node, at);
  return status ? status : check_contains(c, node, at);
}

/* ---- objects ---- */

static int compare_name(const void *name, const void *rule) {
  return strcmp(name, ((const struct skill__schema_rule *)rule)->name);
}

static const struct skill__schema_rule *find_rule(const struct skill__schema_rules *rules, const char *name) {
  return rules->count ? bsearch(name, rules->items, rules->count, sizeof *rules->items, compare_name) : NULL;
}

static int check_names(struct check *c, const cJSON *required, const struct spot *at) {
  for (const cJSON *item = required ? required->child : NULL; item; item = item->next) {
    if (cJSON_GetObjectItemCaseSensitive(at->value, item->valuestring)) continue;
    char expected[200];
    snprintf(expected, sizeof expected, "the property \"%.150s\", which is missing", item->valuestring);
    return say(c, at, NULL, expected);
  }
  return 0;
}

/* A property that no rule names. */
static int check_extra(struct check *c, const struct skill__schema_node *node, const struct spot *at) {
  if (!node->additional) return 0;
  if (!node->additional->refuses) return check_node(c, node->additional, at);
  struct skill__buf names;
  skill__buf_init(&names, 300);
  skill__buf_text(&names, node->properties.count ? "no such property; known are" : "no property at all");
  for (size_t i = 0; i < node->properties.count; i++) {
    skill__buf_printf(&names, "%s %s", i ? "," : "", node->properties.items[i].name);
  }
  int status = say(c, at, NULL, names.data ? names.data : "no such property");
  skill__buf_fini(&names);
  return status;
}

static int check_property(struct check *c, const struct skill__schema_node *node, const cJSON *item,
                          const struct spot *up) {
  struct spot at = {up, item->string, 0, item};
  const struct skill__schema_rule *rule = find_rule(&node->properties, item->string);
  bool known = rule != NULL;
  int status = rule ? check_node(c, rule->node, &at) : 0;
  for (size_t i = 0; !status && i < node->patterns.count; i++) {
    bool found = false;
    status = match(c, node->patterns.items[i].pattern, item->string, &found);
    if (status || !found) continue;
    known = true;
    status = check_node(c, node->patterns.items[i].node, &at);
  }
  if (!status && node->property_names) {
    cJSON name;
    memset(&name, 0, sizeof name);
    name.type = cJSON_String;
    name.valuestring = item->string;
    at.value = &name;
    status = check_node(c, node->property_names, &at);
    at.value = item;
  }
  return status || known ? status : check_extra(c, node, &at);
}

static int check_object(struct check *c, const struct skill__schema_node *node, const struct spot *at) {
  int status = check_names(c, node->required, at);
  if (!status) {
    status =
        check_range(c, at, cJSON_GetArraySize(at->value), "properties, ", node->min_properties, node->max_properties);
  }
  for (const cJSON *item = at->value->child; !status && item; item = item->next) {
    status = check_property(c, node, item, at);
  }
  for (size_t i = 0; !status && i < node->dependent.count; i++) {
    const struct skill__schema_rule *rule = &node->dependent.items[i];
    if (!cJSON_GetObjectItemCaseSensitive(at->value, rule->name)) continue;
    status = rule->node ? check_node(c, rule->node, at) : check_names(c, rule->required, at);
  }
  return status;
}

/* ---- combinations ---- */

/* The message of the first alternative is shown: schemas put the most common one first. */
static int none_fits(struct check *c, const struct skill__schema_nodes *nodes, const struct spot *at) {
  if (!c->err) return SKILL_EINVAL;
  SkillError first = SKILL_ERROR_INIT;
  SkillError *err = c->err;
  c->err = &first;
  check_node(c, nodes->items[0], at);
  c->err = err;
  char expected[400];
  snprintf(expected, sizeof expected, "one of %zu alternatives (of the first, %.300s)", nodes->count, first.message);
  return say(c, at, NULL, expected);
}

static int check_some(struct check *c, const struct skill__schema_nodes *nodes, bool exactly_one,
                      const struct spot *at) {
  if (!nodes->count) return 0;
  size_t fitting = 0;
  for (size_t i = 0; i < nodes->count && (exactly_one || !fitting); i++) fitting += fits(c, nodes->items[i], at);
  if (c->fatal) return c->fatal;
  if (!fitting) return none_fits(c, nodes, at);
  return exactly_one && fitting > 1 ? misfit(c, at, "exactly one of several alternatives, but more fit") : 0;
}

static int check_if(struct check *c, const struct skill__schema_node *node, const struct spot *at) {
  if (!node->if_node || (!node->then_node && !node->else_node)) return 0;
  bool holds = fits(c, node->if_node, at);
  if (c->fatal) return c->fatal;
  const struct skill__schema_node *next = holds ? node->then_node : node->else_node;
  return next ? check_node(c, next, at) : 0;
}

static int check_combined(struct check *c, const struct skill__schema_node *node, const struct spot *at) {
  int status = node->ref ? check_node(c, node->ref, at) : 0;
  for (size_t i = 0; !status && i < node->all.count; i++) status = check_node(c, node->all.items[i], at);
  if (!status) status = check_some(c, &node->any, false, at);
  if (!status) status = check_some(c, &node->one, true, at);
  if (!status && node->not_node) {
    bool fitting = fits(c, node->not_node, at);
    status = c->fatal;
    if (!status && fitting) status = misfit(c, at, "something that the schema's \"not\" does not cover");
  }
  return status ? status : check_if(c, node, at);
}

static int check_node(struct check *c, const struct skill__schema_node *node, const struct spot *at) {
  if (c->fatal) return c->fatal;
  if (!skill__schema_spend(&c->steps)) return exceeded(c, "steps");
  if (node->refuses) return misfit(c, at, "nothing here");
  if (c->depth >= SKILL__SCHEMA_MAX_DEPTH) return exceeded(c, "depth");
  c->depth++;
  int status = check_type(c, node, at);
  if (!status) status = check_enum(c, node, at);
  if (!status) status = check_const(c, node, at);
  if (!status && cJSON_IsNumber(at->value)) status = check_number(c, node, at);
  if (!status && cJSON_IsString(at->value)) status = check_string(c, node, at);
  if (!status && cJSON_IsArray(at->value)) status = check_array(c, node, at);
  if (!status && cJSON_IsObject(at->value)) status = check_object(c, node, at);
  if (!status) status = check_combined(c, node, at);
  c->depth--;
  return status;
}

int skill__schema_check(struct skill__schema *schema, const cJSON *value, SkillError *err) {
  SkillError misfit = SKILL_ERROR_INIT;
  struct check c = {.schema = schema, .steps = SKILL__SCHEMA_MAX_STEPS, .err = &misfit};
  int status = check_node(&c, schema->root, &(struct spot){.value = value});
  if (c.steps == 0) exceeded(&c, "steps"); /* a comparison that ran out of steps has no result */
  if (c.what) {
    return skill_error_set(err, c.fatal, "arguments: checking them takes more %s than allowed; simplify the schema",
                           c.what);
  }
  if (c.fatal) return c.fatal;
  return status ? skill_error_set(err, status, "%s", misfit.message) : 0;
}
