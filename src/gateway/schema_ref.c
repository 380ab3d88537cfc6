/* SPDX-License-Identifier: MIT
 *
 * References of JSON Schema: a JSON pointer or an anchor inside the document. A reference that leaves the document, or
 * has no target, is refused: nothing is ever fetched.
 */
#include <stdlib.h>
#include <string.h>

#include "gateway/schema_compile.h"
#include "util/json.h"

static int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = (char)(c | 0x20); /* lower case */
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* One token of a JSON pointer in a URI fragment, unescaped; false: it is longer than `size`. Percent signs are decoded
 * first: "%7E1" is "~1", and so a slash. */
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

int skill__schema_ref(struct skill__schema_compiler *c, const cJSON *value, const struct skill__schema_step *at,
                      void *member) {
  if (!cJSON_IsString(value)) return skill__schema_refuse(c, SKILL_EINVAL, at, "it must be a string");
  const char *text = value->valuestring;
  const char *id = skill__json_string(c->schema->document, "$id");
  size_t base = id ? strcspn(id, "#") : 0;
  if (base && strncmp(text, id, base) == 0 && (text[base] == '#' || !text[base])) text += base;
  if (*text && *text != '#') {
    return skill__schema_refuse(c, SKILL_EUNSUPPORTED, at,
                                "the reference leaves the document; put the schema under $defs");
  }
  const char *fragment = *text ? text + 1 : text;
  const cJSON *document = c->schema->document;
  bool pointer = !*fragment || *fragment == '/';
  const cJSON *target = pointer ? by_pointer(document, fragment) : by_anchor(document, fragment, 100);
  if (!target) return skill__schema_refuse(c, SKILL_EINVAL, at, "the reference has no target");
  return skill__schema_node(c, target, at, member);
}
