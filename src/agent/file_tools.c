/* SPDX-License-Identifier: MIT
 *
 * Tools that read, list and write files below the folders that the host granted, see file_access.c.
 */
#include "agent/meta_tools.h"

#include <stdio.h>
#include <string.h>

#include "source/media.h"
#include "util/alloc.h"
#include "util/utf8.h"

enum { PAGE_BYTES = 24 * 1024, MOST_ENTRIES = 500 /* of a listing */ };

static bool is_listed(const char *const *list, const char *item) {
  for (size_t i = 0; list && list[i]; i++) {
    if (strcmp(list[i], item) == 0) return true;
  }
  return false;
}

/* --- file_read ------------------------------------------------------------------------------------------------- */

static void read_page(SkillAgent *agent, SkillToolCall *call, const char *path, uint64_t cursor, intptr_t file) {
  SkillFileInfo info = {0};
  char *data = NULL;
  size_t got = 0;
  struct skill__buf buf;
  skill__buf_init(&buf, SKILL_MAX_MESSAGE);
  int status = agent->io->file_info(agent->io, file, &info);
  if (!status) status = skill__files_read_at(agent, file, cursor, PAGE_BYTES, &data, &got);
  size_t shown = got;
  bool last = cursor + got >= info.size;
  if (!status && !last) shown = skill__utf8_floor(data, got);
  if (!status && !skill__media_is_text(data, got, last)) status = SKILL_EUNSUPPORTED;
  if (!status) skill__buf_add(&buf, data, shown);
  if (!status && !last) {
    unsigned long long next = cursor + shown;
    skill__buf_printf(&buf, "\n[%llu of %llu bytes; cursor %llu reads on]", next, (unsigned long long)info.size, next);
  }
  skill__free(data);
  if (!status) {
    skill__meta_finish_buf(call, &buf);
    return;
  }
  skill__buf_fini(&buf);
  skill__meta_finish(call, status, "%.300s: %s", path,
                     status == SKILL_EUNSUPPORTED ? "not text" : skill_strerror(status));
}

static void read_file(SkillAgent *agent, SkillToolCall *call, const cJSON *arguments) {
  const char *path = skill__meta_string(arguments, "path");
  SkillError why = SKILL_ERROR_INIT;
  intptr_t file = 0;
  int status = skill__files_open(agent, path, false, &file, NULL, &why);
  if (status) {
    skill__meta_finish(call, status, "%s", why.message);
    return;
  }
  read_page(agent, call, path, skill__meta_number(arguments, "cursor", 0), file);
  agent->io->file_close(agent->io, file);
}

/* --- file_list ------------------------------------------------------------------------------------------------- */

static void put_entries(SkillAgent *agent, intptr_t dir, struct skill__buf *buf) {
  SkillDirEntry entry;
  size_t count = 0;
  int status;
  while ((status = agent->io->dir_next(agent->io, dir, &entry)) == 1) {
    SkillFileInfo info = {.kind = entry.kind};
    if (count++ >= MOST_ENTRIES) continue;
    int known = agent->io->stat(agent->io, dir, entry.name, 0, &info);
    bool folder = info.kind == SKILL_FILE_FOLDER;
    skill__buf_printf(buf, "%s%s", entry.name, folder ? "/" : "");
    if (known) skill__buf_printf(buf, "  [could not be read: %s]", skill_strerror(known));
    if (!known && !folder) skill__buf_printf(buf, "  %llu", (unsigned long long)info.size);
    skill__buf_char(buf, '\n');
  }
  if (status) skill__buf_printf(buf, "[the rest could not be read: %s]\n", skill_strerror(status));
  if (count > MOST_ENTRIES) skill__buf_printf(buf, "[%zu more]\n", count - MOST_ENTRIES);
  if (!count && !status) skill__buf_text(buf, "(empty)\n");
}

static void list_folder(SkillAgent *agent, SkillToolCall *call, const cJSON *arguments) {
  SkillError why = SKILL_ERROR_INIT;
  intptr_t dir = 0;
  struct skill__buf buf;
  int status = skill__files_open(agent, skill__meta_string(arguments, "path"), true, &dir, NULL, &why);
  if (status) {
    skill__meta_finish(call, status, "%s", why.message);
    return;
  }
  skill__buf_init(&buf, 1024 * 1024);
  put_entries(agent, dir, &buf);
  agent->io->dir_close(agent->io, dir);
  skill__meta_finish_buf(call, &buf);
}

/* --- file_write ------------------------------------------------------------------------------------------------ */

/* Resolves the folder; the file's own name must be a plain one, so nothing is written through a link. */
static int write_text(SkillAgent *agent, const char *path, const char *text, SkillError *err) {
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  char folder[SKILL_MAX_PATH];
  intptr_t dir = 0;
  const char *root = NULL;
  size_t length = slash ? (size_t)(slash - path) : 0;
  if (slash == path) length = 1; /* in the root itself */
  int n = snprintf(folder, sizeof folder, "%.*s", (int)length, path);
  if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || n < 0 || (size_t)n >= sizeof folder) {
    return skill_error_set(err, SKILL_EINVAL, "'%.200s' names no file", path);
  }
  int status = skill__files_open(agent, folder, true, &dir, &root, err);
  if (status) return status;
  if (!is_listed(agent->options.writable, root)) {
    status = skill_error_set(err, SKILL_EDENIED, "%.200s: nothing may be written there", path);
  }
  if (!status) status = agent->io->file_write(agent->io, dir, name, text, strlen(text));
  agent->io->dir_close(agent->io, dir);
  return status ? skill_error_set(err, status, "%.200s: %s", path, skill_strerror(status)) : 0;
}

static void write_file(SkillAgent *agent, SkillToolCall *call, const cJSON *arguments) {
  const char *path = skill__meta_string(arguments, "path");
  const char *text = skill__meta_string(arguments, "text");
  SkillError why = SKILL_ERROR_INIT;
  int status = write_text(agent, path, text, &why);
  if (status) skill__meta_finish(call, status, "%s", why.message);
  if (!status) skill__meta_finish(call, 0, "%s is written: %zu bytes.", path, strlen(text));
}

/* --- the tools ------------------------------------------------------------------------------------------------- */

#define SCHEMA(properties, required) \
  "{\"type\":\"object\",\"properties\":{" properties "},\"required\":[" required "],\"additionalProperties\":false}"
#define READS (SKILL_TOOL_READ_ONLY | SKILL_TOOL_PARALLEL | SKILL_TOOL_IDEMPOTENT)

static const struct {
  SkillTool tool;
  skill__own_handler handler;
} tools[] = {
    {{.name = "file_read",
      .description = "Reads a text file, in pages.",
      .input_schema =
          SCHEMA("\"path\":{\"type\":\"string\"},\"cursor\":{\"type\":\"integer\",\"minimum\":0}", "\"path\""),
      .flags = READS},
     read_file},
    {{.name = "file_list",
      .description = "Lists a folder.",
      .input_schema = SCHEMA("\"path\":{\"type\":\"string\",\"description\":\"Empty for the top\"}", ""),
      .flags = READS},
     list_folder},
    {{.name = "file_search",
      .description = "Finds lines that hold a text, in all files below a folder.",
      .input_schema =
          SCHEMA("\"text\":{\"type\":\"string\",\"minLength\":1},\"path\":{\"type\":\"string\"}", "\"text\""),
      .flags = READS},
     skill__file_search},
    {{.name = "file_write",
      .description = "Writes a whole file.",
      .input_schema = SCHEMA("\"path\":{\"type\":\"string\"},\"text\":{\"type\":\"string\"}", "\"path\",\"text\""),
      .flags = SKILL_TOOL_DANGEROUS | SKILL_TOOL_IDEMPOTENT},
     write_file},
};

int skill__agent_offer_files(SkillAgent *agent) {
  int status = 0;
  if (!agent->options.roots || !agent->options.roots[0]) return 0;
  size_t count = sizeof tools / sizeof *tools;
  _Static_assert(sizeof tools / sizeof *tools == SKILL__OWN_TOOLS - SKILL_META_COUNT, "a slot for each");
  if (!agent->options.writable || !agent->options.writable[0]) count--; /* the last one writes */
  for (size_t i = 0; i < count && !status; i++) {
    status = skill__agent_offer_own(agent, SKILL_META_COUNT + i, &tools[i].tool, SKILL__FILE_TOOL, tools[i].handler);
  }
  return status;
}
