/* SPDX-License-Identifier: MIT
 *
 * "~" and variables in paths; see expand.h. Fails without touching anything but `out`.
 */
#include "util/expand.h"

#include <string.h>

enum { NAME_MAX_BYTES = 255 };

struct expansion {
  const char *text; /* for messages */
  skill__variable_fn variable;
  char *out;
  size_t used;
  size_t size;
  SkillError *err;
};

static int add(struct expansion *to, const char *text, size_t length) {
  if (length >= to->size - to->used) {
    return skill_error_set(to->err, SKILL_ELIMIT, "'%.200s' is too long a path once it is expanded", to->text);
  }
  memcpy(to->out + to->used, text, length);
  to->used += length;
  to->out[to->used] = '\0';
  return 0;
}

static int add_variable(struct expansion *to, const char *name, size_t length) {
  char copy[NAME_MAX_BYTES + 1];
  const char *value = NULL;
  if (length <= NAME_MAX_BYTES) {
    memcpy(copy, name, length);
    copy[length] = '\0';
    value = to->variable(copy);
  }
  if (value && *value) return add(to, value, strlen(value));
  return skill_error_set(to->err, SKILL_EINVAL, "'%.200s': the variable %.*s is not set; set it, or write $$ for a $",
                         to->text, (int)length, name);
}

static size_t name_length(const char *text) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  return text[0] >= '0' && text[0] <= '9' ? 0 : strspn(text, letters);
}

/* `*at` points at '$'; on return it points past the variable name. */
static int add_dollar(struct expansion *to, const char **at) {
  const char *p = *at + 1;
  bool braces = *p == '{';
  size_t length = name_length(p + braces);
  if (*p == '$' || (!braces && !length)) {
    *at = p + (*p == '$');
    return add(to, "$", 1);
  }
  if (braces && (!length || p[1 + length] != '}')) {
    return skill_error_set(to->err, SKILL_EINVAL, "'%.200s': ${ needs a name and a }; write $$ for a $", to->text);
  }
  *at = p + length + (braces ? 2 : 0);
  return add_variable(to, p + braces, length);
}

static bool is_home(const char *text) {
  return text[0] == '~' && (text[1] == '/' || !text[1]);
}

int skill__expand(const char *text, skill__variable_fn variable, char *out, size_t size, SkillError *err) {
  struct expansion to = {text, variable, out, 0, size, err};
  const char *at = text;
  int status = add(&to, "", 0);
  if (!status && is_home(text)) {
    status = add_variable(&to, "HOME", 4);
    at++;
  }
  while (!status && *at) {
    size_t plain = strcspn(at, "$");
    status = add(&to, at, plain);
    at += plain;
    if (!status && *at) status = add_dollar(&to, &at);
  }
  return status;
}

bool skill__expandable(const char *text) {
  return is_home(text) || strchr(text, '$') != NULL;
}
