/* SPDX-License-Identifier: MIT
 *
 * The texts of a tool; see tool_text.h. A schema is parsed only if it may contain characters that do not show.
 */
#include "context/tool_text.h"

#include <string.h>

#include "context/listing.h"
#include "util/alloc.h"
#include "util/json.h"
#include "util/utf8.h"

static void put_shown(struct skill__buf *buf, const char *text) {
  size_t length = strlen(text);
  size_t step = 0;
  for (size_t i = 0; i < length; i += step) {
    uint32_t rune = 0xfffd;
    step = skill__utf8_decode(text + i, length - i, &rune);
    if (!step) skill__buf_text(buf, "\xef\xbf\xbd");
    if (step && (rune == '\n' || rune == '\t' || skill__shows(rune))) skill__buf_add(buf, text + i, step);
    if (!step) step = 1;
  }
}

const char *skill__clean_text(const char *text, struct skill__buf *room) {
  skill__buf_init(room, SIZE_MAX / 4);
  if (!text) return NULL;
  put_shown(room, text);
  if (skill__buf_status(room)) return NULL;
  return room->data ? room->data : "";
}

/* --- schemas --------------------------------------------------------------------------------------------------- */

/* Keys whose values are data, not schemas. */
static bool holds_values(const char *key) {
  static const char *const keys[] = {"const", "enum", "default", "examples", "example"};
  for (size_t i = 0; key && i < sizeof keys / sizeof *keys; i++) {
    if (strcmp(key, keys[i]) == 0) return true;
  }
  return false;
}

static bool is_prose(const cJSON *item) {
  return cJSON_IsString(item) && item->string &&
         (strcmp(item->string, "description") == 0 || strcmp(item->string, "title") == 0);
}

static int clean_prose(cJSON *item, bool *changed) {
  struct skill__buf room;
  const char *clean = skill__clean_text(item->valuestring, &room);
  int status = clean ? 0 : SKILL_ENOMEM;
  if (clean && strcmp(clean, item->valuestring) != 0) {
    *changed = true;
    if (!cJSON_SetValuestring(item, clean)) status = SKILL_ENOMEM;
  }
  skill__buf_fini(&room);
  return status;
}

/* The parser bounds the depth. */
static int clean_below(cJSON *parent, bool *changed) {
  int status = 0;
  for (cJSON *item = parent->child; item && !status; item = item->next) {
    if (holds_values(item->string)) continue;
    status = is_prose(item) ? clean_prose(item, changed) : clean_below(item, changed);
  }
  return status;
}

static bool may_hide(const char *schema) {
  size_t length = strlen(schema);
  return skill__utf8_ascii(schema, length) < length || strstr(schema, "\\u") || strstr(schema, "\\b") ||
         strstr(schema, "\\f") || strstr(schema, "\\r") || strchr(schema, 0x7f);
}

const char *skill__clean_schema(const char *schema, struct skill__buf *room) {
  cJSON *root = NULL;
  bool changed = false;
  skill__buf_init(room, SIZE_MAX / 4);
  if (!schema || !may_hide(schema)) return schema;
  int status = skill__json_parse(schema, strlen(schema), NULL, &root, NULL);
  if (!status) status = clean_below(root, &changed);
  if (!status && changed) skill__json_print(room, root);
  cJSON_Delete(root);
  if (status == SKILL_ENOMEM) room->status = status;
  if (skill__buf_status(room)) return NULL;
  return changed ? room->data : schema;
}
