/* SPDX-License-Identifier: MIT
 *
 * Reads a catalogue: JSON lines, one skill each, or a recorded MCP tools/list, which is one skill with the name of its
 * file. A line that cannot be read becomes a diagnostic; the others are read.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "source/catalog.h"
#include "util/alloc.h"
#include "util/invisible.h"
#include "util/json.h"

enum {
  LINES_MAX = 1000 * 1000,      /* skills of one file; a note above */
  SCHEMA_MAX = 4 * 1024 * 1024, /* bytes of one tool's schema; the tool has none above */
  DERIVED_MAX = 400             /* bytes of a description made from tools */
};

/* --- reading values ----------------------------------------------------------------------------------------------- */

/* Copies a string member into the arena; absent: NULL and 0. 0 or SKILL_ENOMEM. */
static int copy_text(struct skill__catalog *catalog, const cJSON *object, const char *key, const char **out) {
  const char *text = skill__json_string(object, key);
  *out = text ? skill__arena_strdup(&catalog->arena, text) : NULL;
  return text && !*out ? SKILL_ENOMEM : 0;
}

static int copy_strings(struct skill__catalog *catalog, const cJSON *array, SkillStrings *out) {
  size_t count = 0;
  const cJSON *item;
  cJSON_ArrayForEach(item, array) count += cJSON_IsString(item) ? 1 : 0;
  if (!count) return 0;
  const char **items = skill__arena_alloc(&catalog->arena, count * sizeof *items);
  if (!items) return SKILL_ENOMEM;
  size_t i = 0;
  cJSON_ArrayForEach(item, array) {
    if (!cJSON_IsString(item)) continue;
    items[i] = skill__arena_strdup(&catalog->arena, item->valuestring);
    if (!items[i++]) return SKILL_ENOMEM;
  }
  *out = (SkillStrings){items, count};
  return 0;
}

static const cJSON *first_of(const cJSON *object, const char *a, const char *b, const char *c) {
  const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, a);
  if (!value) value = cJSON_GetObjectItemCaseSensitive(object, b);
  return value ? value : cJSON_GetObjectItemCaseSensitive(object, c);
}

static unsigned tool_flags(const cJSON *tool) {
  const cJSON *hints = cJSON_GetObjectItemCaseSensitive(tool, "annotations");
  unsigned flags = 0;
  if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(hints, "readOnlyHint"))) flags |= SKILL_TOOL_READ_ONLY;
  if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(hints, "destructiveHint"))) flags |= SKILL_TOOL_DANGEROUS;
  if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(hints, "idempotentHint"))) flags |= SKILL_TOOL_IDEMPOTENT;
  return flags;
}

static int copy_schema(struct skill__catalog *catalog, const cJSON *schema, const char **out) {
  if (!cJSON_IsObject(schema)) return 0;
  struct skill__buf buf;
  skill__buf_init(&buf, SCHEMA_MAX);
  skill__json_print(&buf, schema);
  int status = skill__buf_status(&buf);
  if (!status) *out = skill__arena_strndup(&catalog->arena, buf.data, buf.length);
  skill__buf_fini(&buf);
  if (status == SKILL_ELIMIT) return 0;
  return status || !*out ? SKILL_ENOMEM : 0;
}

/* A model reads these characters, people do not see them. */
static void check_visible(struct skill__catalog *catalog, const char *path, const char *what, const char *name,
                          const char *text) {
  uint32_t first = 0;
  size_t found = text ? skill__invisible_count(text, strlen(text), &first) : 0;
  if (!found) return;
  skill__notes_add(&catalog->notes, SKILL__NOTE_INVISIBLE, path,
                   "the %s '%.80s' has %zu invisible character%s, first U+%04X, that people cannot see", what, name,
                   found, found == 1 ? "" : "s", (unsigned)first);
}

static int read_tools(struct skill__catalog *catalog, const cJSON *array, const char *path, SkillMetadata *metadata) {
  size_t count = (size_t)cJSON_GetArraySize(array);
  if (!count) return 0;
  SkillTool *tools = skill__arena_alloc(&catalog->arena, count * sizeof *tools);
  if (!tools) return SKILL_ENOMEM;
  size_t used = 0;
  const cJSON *item;
  cJSON_ArrayForEach(item, array) {
    SkillTool *tool = &tools[used];
    int status = copy_text(catalog, item, "name", &tool->name);
    if (!status && (!tool->name || !tool->name[0])) {
      skill__notes_add(&catalog->notes, SKILL__NOTE_TOOL_WITHOUT_NAME, path, "a tool without a name is left out");
      continue;
    }
    if (!status) status = copy_text(catalog, item, "description", &tool->description);
    if (!status) {
      status = copy_schema(catalog, first_of(item, "input_schema", "inputSchema", "parameters"), &tool->input_schema);
    }
    if (status) return status;
    check_visible(catalog, path, "description of the tool", tool->name, tool->description);
    check_visible(catalog, path, "schema of the tool", tool->name, tool->input_schema);
    tool->flags = tool_flags(item);
    used++;
  }
  metadata->tools = tools;
  metadata->tool_count = used;
  return 0;
}

/* A description from the names of the tools, where none is written down. */
static int derive_description(struct skill__catalog *catalog, const char *server, SkillMetadata *metadata) {
  char text[DERIVED_MAX];
  size_t used = 0;
  int n = snprintf(text, sizeof text, "%s%s", server ? server : "Tools: ", server ? " - tools: " : "");
  used = (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
  for (size_t i = 0; i < metadata->tool_count; i++) {
    const char *name = metadata->tools[i].name;
    if (used + strlen(name) + 8 >= sizeof text) {
      used += (size_t)snprintf(text + used, sizeof text - used, " …");
      break;
    }
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? ", " : "", name);
  }
  metadata->description_derived = true;
  metadata->description = skill__arena_strdup(&catalog->arena, metadata->tool_count ? text : "");
  return metadata->description ? 0 : SKILL_ENOMEM;
}

static int add_item(struct skill__catalog *catalog, const struct skill__catalog_item *item) {
  const SkillMetadata *m = &item->metadata;
  check_visible(catalog, m->path, "name of the skill", m->name, m->name);
  check_visible(catalog, m->path, "description of the skill", m->name, m->description);
  check_visible(catalog, m->path, "when_to_use of the skill", m->name, m->when_to_use);
  return skill__catalog_add(catalog, item);
}

/* --- JSON lines --------------------------------------------------------------------------------------------------- */

static int read_skill(struct skill__catalog *catalog, const cJSON *object, const char *path) {
  struct skill__catalog_item item = {.metadata = {.path = path, .source = catalog->base.label}};
  SkillMetadata *m = &item.metadata;
  const struct {
    const char *key;
    const char **into;
  } texts[] = {{"name", &m->name},
               {"description", &m->description},
               {"version", &m->version},
               {"category", &m->category},
               {"license", &m->license},
               {"when_to_use", &m->when_to_use},
               {"when_not_to_use", &m->when_not_to_use},
               {"body", &item.body}};
  int status = 0;
  for (size_t i = 0; !status && i < sizeof texts / sizeof *texts; i++) {
    status = copy_text(catalog, object, texts[i].key, texts[i].into);
  }
  const char *mode = skill__json_string(object, "mode");
  if (mode && !strcmp(mode, "always")) m->mode = SKILL_MODE_ALWAYS;
  if (!status) status = copy_strings(catalog, cJSON_GetObjectItemCaseSensitive(object, "tags"), &m->tags);
  if (!status) status = copy_strings(catalog, cJSON_GetObjectItemCaseSensitive(object, "triggers"), &m->triggers);
  if (!status) status = read_tools(catalog, cJSON_GetObjectItemCaseSensitive(object, "tools"), path, m);
  if (!status && (!m->description || !m->description[0])) status = derive_description(catalog, NULL, m);
  return status ? status : add_item(catalog, &item);
}

static void note_line(struct skill__catalog *catalog, unsigned line, unsigned column, const char *message) {
  skill__notes_add_at(&catalog->notes, SKILL__NOTE_JSON_LINE, catalog->path, line, column, message);
}

static int read_line(struct skill__catalog *catalog, const char *text, size_t length, unsigned line) {
  SkillError err = SKILL_ERROR_INIT;
  cJSON *value = NULL;
  char place[32];
  int status = skill__json_parse(text, length, catalog->path, &value, &err);
  if (status) {
    if (status != SKILL_ENOMEM) note_line(catalog, line, err.column, err.message);
    return status == SKILL_ENOMEM ? status : catalog->notes.status;
  }
  const char *name = skill__json_string(value, "name");
  if (name && name[0]) {
    snprintf(place, sizeof place, ":%u", line);
    size_t head = strlen(catalog->path);
    char *path = skill__arena_alloc(&catalog->arena, head + strlen(place) + 1);
    if (path) {
      memcpy(path, catalog->path, head);
      memcpy(path + head, place, strlen(place) + 1);
    }
    status = path ? read_skill(catalog, value, path) : SKILL_ENOMEM;
  } else {
    note_line(catalog, line, 1, cJSON_IsObject(value) ? "the skill has no name" : "not a JSON object");
  }
  cJSON_Delete(value);
  return status ? status : catalog->notes.status;
}

static bool is_blank(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++) {
    if (text[i] != ' ' && text[i] != '\t' && text[i] != '\r') return false;
  }
  return true;
}

static int read_lines(struct skill__catalog *catalog, const char *text, size_t length) {
  unsigned line = 1;
  int status = 0;
  for (size_t at = 0; !status && at < length; line++) {
    const char *end = memchr(text + at, '\n', length - at);
    size_t size = end ? (size_t)(end - text) - at : length - at;
    if (!is_blank(text + at, size)) status = read_line(catalog, text + at, size, line);
    at += size + 1;
    if (catalog->count == LINES_MAX && at < length) {
      note_line(catalog, line, 1, "too many skills in one file; what comes after is not read");
      break;
    }
  }
  return status;
}

/* --- tools/list --------------------------------------------------------------------------------------------------- */

/* The tools of a recorded answer, whatever it is wrapped in; NULL: it is none. */
static const cJSON *find_tools(const cJSON *value) {
  const cJSON *result = cJSON_GetObjectItemCaseSensitive(value, "result");
  const cJSON *tools =
      cJSON_IsArray(value) ? value : cJSON_GetObjectItemCaseSensitive(result ? result : value, "tools");
  if (!cJSON_IsArray(tools)) return NULL;
  const cJSON *first = cJSON_GetArrayItem(tools, 0);
  return !first || skill__json_string(first, "name") ? tools : NULL;
}

static char *stem_of(struct skill__catalog *catalog) {
  const char *slash = strrchr(catalog->path, '/');
  const char *leaf = slash ? slash + 1 : catalog->path;
  const char *dot = strrchr(leaf, '.');
  return skill__arena_strndup(&catalog->arena, leaf, dot && dot > leaf ? (size_t)(dot - leaf) : strlen(leaf));
}

static int read_tool_list(struct skill__catalog *catalog, const cJSON *value, const cJSON *tools) {
  struct skill__catalog_item item = {.metadata = {.path = catalog->path, .source = catalog->base.label}};
  SkillMetadata *m = &item.metadata;
  const cJSON *server = first_of(value, "server", "serverInfo", "server_info");
  m->name = stem_of(catalog);
  int status = m->name ? read_tools(catalog, tools, catalog->path, m) : SKILL_ENOMEM;
  if (!status) status = copy_text(catalog, server, "version", &m->version);
  if (!status) status = copy_text(catalog, server, "description", &m->description);
  if (!status && !m->description) status = copy_text(catalog, value, "description", &m->description);
  if (!status) status = copy_text(catalog, value, "instructions", &item.body);
  const char *title = skill__json_string(server, "title");
  if (!title) title = skill__json_string(server, "name");
  if (!status && !m->description) status = derive_description(catalog, title, m);
  return status ? status : add_item(catalog, &item);
}

/* --- deciding which ----------------------------------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *end) {
  size_t length = strlen(text);
  size_t tail = strlen(end);
  return length >= tail && !strcasecmp(text + length - tail, end);
}

static int first_line_is_skill(const char *text, size_t length, bool *is) {
  const char *end = memchr(text, '\n', length);
  cJSON *value = NULL;
  int status = skill__json_parse(text, end ? (size_t)(end - text) : length, NULL, &value, NULL);
  *is = !status && skill__json_string(value, "name") != NULL;
  cJSON_Delete(value);
  return status == SKILL_ENOMEM ? status : 0;
}

static int read_text(struct skill__catalog *catalog, const char *text, size_t length, SkillError *err) {
  bool lines = ends_with(catalog->path, ".jsonl");
  int status = lines ? 0 : first_line_is_skill(text, length, &lines);
  if (status) return skill_error_set(err, status, "out of memory");
  if (lines) return read_lines(catalog, text, length);
  cJSON *value = NULL;
  status = skill__json_parse(text, length, catalog->path, &value, err);
  if (status) return status;
  const cJSON *tools = find_tools(value);
  if (tools) {
    status = read_tool_list(catalog, value, tools);
  } else {
    status = skill_error_set_at(err, SKILL_EPARSE, catalog->path, 1, 1,
                                "neither JSON lines of skills nor a tools/list: no \"tools\" array with names");
  }
  cJSON_Delete(value);
  return status;
}

/* --- the source ------------------------------------------------------------------------------------------------- */

static void catalog_free(SkillSource *base) {
  struct skill__catalog *catalog = base->impl;
  skill__arena_fini(&catalog->arena);
  skill__notes_fini(&catalog->notes);
  skill__free(catalog->items);
  skill__free(catalog->path);
  skill__free(catalog->label);
  skill__free(catalog);
}

int skill_source_catalog_new(const char *path, const char *label, const char *text, size_t length, SkillSource **out,
                             SkillError *err) {
  if (!path || !text) return skill_error_set(err, SKILL_EINVAL, "a catalogue needs a path and its text");
  struct skill__catalog *catalog = skill__calloc(1, sizeof *catalog);
  if (!catalog) return skill_error_set(err, SKILL_ENOMEM, "out of memory");
  catalog->path = skill__strdup(path);
  catalog->label = skill__strdup(label ? label : path);
  skill__catalog_init(catalog, catalog->label, catalog_free);
  int status = catalog->path && catalog->label ? read_text(catalog, text, length, err) : SKILL_ENOMEM;
  if (status) {
    catalog_free(&catalog->base);
    return skill_error_set(err, status, "%s", skill_strerror(status));
  }
  *out = &catalog->base;
  return 0;
}
