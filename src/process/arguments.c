/* SPDX-License-Identifier: MIT
 *
 * JSON arguments -> command line; see arguments.h. Values are not interpreted: each becomes one item of argv. A value
 * that begins with '-' cannot be taken for an option: an option is then written --name=value, and "--" precedes
 * positional values.
 */
#include "process/arguments.h"

#include <string.h>

#include "skillet/process.h"
#include "util/alloc.h"
#include "util/json.h"

#define MAX_POSITIONS 64

struct mapping {
  const cJSON *schema;     /* may be NULL */
  const cJSON *properties; /* may be NULL */
  const cJSON *object;
  const cJSON *position[MAX_POSITIONS]; /* values by x-position - 1 */
  size_t positions;                     /* the highest used */
  struct skill__argv *argv;
  struct skill__buf *input;
  bool has_input;
  SkillError *err;
};

static const cJSON *rule_of(const struct mapping *mapping, const char *key) {
  return mapping->properties ? cJSON_GetObjectItemCaseSensitive(mapping->properties, key) : NULL;
}

/* A string as it is, anything else as compact JSON. changed_number() has refused integers that cJSON cannot hold. */
static void value_text(struct skill__buf *buf, const cJSON *value) {
  if (cJSON_IsString(value)) {
    skill__buf_text(buf, value->valuestring);
  } else {
    skill__json_print(buf, value);
  }
}

/* Appends an option; `flag` "": the value alone. */
static int add_value(struct mapping *mapping, const char *flag, const cJSON *value) {
  struct skill__buf text;
  skill__buf_init(&text, SKILL_PROCESS_MAX_BYTES);
  skill__buf_text(&text, flag);
  if (strncmp(flag, "--", 2) == 0) skill__buf_char(&text, '=');
  size_t start = text.length;
  value_text(&text, value);
  skill__buf_add(&text, "", 0);
  int status = skill__buf_status(&text);
  if (!status && *flag && text.data[start] == '-') {
    skill__argv_add(mapping->argv, text.data);
  } else if (!status) {
    if (*flag) skill__argv_add(mapping->argv, flag);
    skill__argv_add(mapping->argv, text.data + start);
  }
  skill__buf_fini(&text);
  return status;
}

/* The items of an array, or the value itself. */
static int add_values(struct mapping *mapping, const char *flag, const cJSON *value) {
  int status = 0;
  bool list = cJSON_IsArray(value);
  for (const cJSON *item = list ? value->child : value; !status && item; item = list ? item->next : NULL) {
    status = add_value(mapping, flag, item);
  }
  return status;
}

static int option(struct mapping *mapping, const char *key, const cJSON *rule, const cJSON *value) {
  char name[SKILL_MAX_NAME + 3];
  const char *flag = rule ? skill__json_string(rule, "x-flag") : NULL;
  if (!flag) {
    size_t length = strlen(key);
    if (length == 0 || length > SKILL_MAX_NAME) {
      return skill_error_set(mapping->err, SKILL_EINVAL, "an argument's name has %zu bytes; 1 to %d are possible",
                             length, SKILL_MAX_NAME);
    }
    name[0] = name[1] = '-';
    memcpy(name + 2, key, length + 1);
    flag = name;
  }
  if (cJSON_IsNull(value) || cJSON_IsFalse(value)) return 0;
  if (cJSON_IsTrue(value)) {
    skill__argv_add(mapping->argv, flag);
    return 0;
  }
  return add_values(mapping, flag, value);
}

/* Sends the value to standard input, remembers it for its position, or appends it as an option. */
static int place(struct mapping *mapping, const cJSON *value) {
  const char *key = value->string ? value->string : "";
  const cJSON *rule = rule_of(mapping, key);
  const cJSON *position = cJSON_GetObjectItemCaseSensitive(rule, "x-position");
  if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(rule, "x-stdin"))) {
    if (mapping->has_input) {
      return skill_error_set(mapping->err, SKILL_EINVAL, "the schema sends more than one argument to standard input");
    }
    mapping->has_input = true;
    value_text(mapping->input, value);
    return 0;
  }
  if (!position) return option(mapping, key, rule, value);
  double at = cJSON_IsNumber(position) ? position->valuedouble : 0;
  if (!(at >= 1 && at <= MAX_POSITIONS) || mapping->position[(size_t)at - 1]) {
    return skill_error_set(mapping->err, SKILL_EINVAL,
                           "x-position of %.100s must be a number from 1 to %d that no other argument has", key,
                           MAX_POSITIONS);
  }
  if (cJSON_IsNull(value)) return 0;
  mapping->position[(size_t)at - 1] = value;
  if ((size_t)at > mapping->positions) mapping->positions = (size_t)at;
  return 0;
}

static bool starts_with_dash(const cJSON *value) {
  if (cJSON_IsNumber(value)) return value->valuedouble < 0;
  if (cJSON_IsString(value)) return value->valuestring[0] == '-';
  for (const cJSON *item = cJSON_IsArray(value) ? value->child : NULL; item; item = item->next) {
    if (starts_with_dash(item)) return true;
  }
  return false;
}

static int positions(struct mapping *mapping) {
  bool guarded = false;
  for (size_t i = 0; i < mapping->positions && !guarded; i++) {
    if (mapping->position[i] && starts_with_dash(mapping->position[i])) {
      skill__argv_add(mapping->argv, "--");
      guarded = true;
    }
  }
  for (size_t i = 0; i < mapping->positions; i++) {
    const cJSON *value = mapping->position[i];
    if (!value) {
      return skill_error_set(mapping->err, SKILL_EINVAL,
                             "the argument at position %zu is missing, but a later one is given", i + 1);
    }
    int status = add_values(mapping, "", value);
    if (status) return status;
  }
  return 0;
}

static bool changed_number(const cJSON *value) {
  bool nested = cJSON_IsObject(value) || cJSON_IsArray(value);
  for (const cJSON *item = nested ? value->child : NULL; item; item = item->next) {
    if (changed_number(item)) return true;
  }
  return cJSON_IsNumber(value) && (value->valuedouble > 9007199254740992.0 || value->valuedouble < -9007199254740992.0);
}

static int check_twice(const struct mapping *mapping) {
  for (const cJSON *a = mapping->object->child; a; a = a->next) {
    for (const cJSON *b = mapping->object->child; b != a; b = b->next) {
      if (strcmp(a->string, b->string) == 0) {
        return skill_error_set(mapping->err, SKILL_EPARSE, "the argument %.100s is given twice", a->string);
      }
    }
  }
  return 0;
}

/* In the schema's order, so that the command line does not depend on the order of the model's keys; then the rest. */
static int map_object(struct mapping *mapping) {
  int status = check_twice(mapping);
  const char *whole = mapping->schema ? skill__json_string(mapping->schema, "x-arguments") : NULL;
  if (!status && whole && strcmp(whole, "stdin") == 0) {
    mapping->has_input = true;
    skill__json_print(mapping->input, mapping->object);
    return 0;
  }
  if (!status && whole && strcmp(whole, "options") != 0) {
    status = skill_error_set(mapping->err, SKILL_EINVAL, "x-arguments is \"%.50s\"; it can be \"options\" or \"stdin\"",
                             whole);
  }
  const cJSON *known = mapping->properties ? mapping->properties->child : NULL;
  for (; !status && known; known = known->next) {
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(mapping->object, known->string);
    if (value) status = place(mapping, value);
  }
  for (const cJSON *value = mapping->object->child; !status && value; value = value->next) {
    if (!rule_of(mapping, value->string)) status = place(mapping, value);
  }
  return status ? status : positions(mapping);
}

/* cJSON ends a string at an escaped NUL: the value would lose its tail. */
static bool has_nul(const char *json) {
  for (const char *p = json; (p = strchr(p, '\\')) != NULL; p += 2) {
    if (strncmp(p, "\\u0000", 6) == 0) return true;
    if (!p[1]) break;
  }
  return false;
}

int skill__arguments_map(const char *json, const char *schema, struct skill__argv *argv, struct skill__buf *input,
                         bool *has_input, SkillError *err) {
  struct mapping mapping = {.argv = argv, .input = input, .err = err};
  cJSON *rules = NULL;
  cJSON *value = NULL;
  int status = 0;
  if (schema) status = skill__json_parse(schema, strlen(schema), "input_schema", &rules, err);
  if (!status && json) status = skill__json_parse(json, strlen(json), "arguments", &value, err);
  if (status || !json) goto out;
  mapping.schema = rules;
  mapping.properties = cJSON_GetObjectItemCaseSensitive(rules, "properties");
  mapping.object = value;
  if (has_nul(json)) {
    status = skill_error_set(err, SKILL_EINVAL, "an argument holds a NUL character, which no command line can carry");
  } else if (changed_number(value)) {
    status = skill_error_set(err, SKILL_EINVAL, "an argument holds a number beyond 2^53; send it as a string");
  } else if (cJSON_IsObject(value)) {
    status = map_object(&mapping);
  } else if (cJSON_IsArray(value)) {
    status = add_values(&mapping, "", value);
  } else {
    status = skill_error_set(err, SKILL_EPARSE, "arguments must be a JSON object or an array");
  }
  if (!status) status = skill__buf_status(input);
  if (!status && argv->status) {
    status =
        skill_error_set(err, argv->status, "the arguments do not fit on a command line; send them to standard input");
  }
  if (!status) *has_input = mapping.has_input;
out:
  cJSON_Delete(rules);
  cJSON_Delete(value);
  return status;
}
