/* SPDX-License-Identifier: MIT
 *
 * Local tools. Every path goes through the one resolver that no link leads out of; a path is relative to a granted
 * folder, or absolute and below one. Fails on what is outside, absent, too large or no text, and says which.
 */
#include "agent/file_tools.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "source/media.h"
#include "source/resolve.h"
#include "util/alloc.h"
#include "util/json.h"
#include "util/utf8.h"

enum {
  PAGE_BYTES = 24 * 1024,
  MOST_ENTRIES = 500,     /* of a listing */
  MOST_FILES = 5000,      /* that one search opens */
  MOST_MATCHES = 100,     /* that one search shows */
  MOST_DEPTH = 16,        /* folders below the start of a search */
  SEARCH_BYTES = 4 << 20, /* of a file that is searched; larger ones are skipped */
  MOST_BYTES = 256 << 20  /* that one search reads */
};

/* The part of `path` below the root, or NULL where it lies elsewhere. */
static const char *below(const char *root, const char *path) {
  size_t length = strlen(root);
  while (length > 1 && root[length - 1] == '/') length--;
  if (*path != '/') return path;
  if (strncmp(path, root, length) != 0) return NULL;
  if (path[length] == '/') return path + length + 1;
  return path[length] ? NULL : "";
}

static bool is_listed(const char *const *list, const char *item) {
  for (size_t i = 0; list && list[i]; i++) {
    if (strcmp(list[i], item) == 0) return true;
  }
  return false;
}

/* Opens a file or folder below the first root that has it. `root` (may be NULL) receives that root. */
static int open_path(SkillAgent *agent, const char *path, bool folder, intptr_t *handle, const char **root,
                     SkillError *err) {
  int status = SKILL_ENOENT;
  SkillError why = SKILL_ERROR_INIT;
  for (size_t i = 0; agent->options.roots && agent->options.roots[i]; i++) {
    const char *rel = below(agent->options.roots[i], path);
    struct skill__resolve at = {.io = agent->io, .links = SKILL_LINKS_INSIDE, .base = ""};
    if (!rel) continue;
    skill_error_clear(&why);
    status = agent->io->dir_open(agent->io, SKILL_IO_CWD, agent->options.roots[i], SKILL_IO_FOLLOW, &at.root);
    if (status == SKILL_ENOENT) continue;
    if (status) {
      skill_error_set(&why, status, "the folder %.200s cannot be opened", agent->options.roots[i]);
      break;
    }
    status = folder ? skill__resolve_folder(&at, rel, handle, &why) : skill__resolve_file(&at, rel, handle, &why);
    agent->io->dir_close(agent->io, at.root);
    if (!status && root) *root = agent->options.roots[i];
    if (status != SKILL_ENOENT) break;
  }
  if (!status) return 0;
  return skill_error_set(err, status, "%.200s: %s", path,
                         why.code ? why.message : "not below a folder that is granted");
}

static int read_at(SkillAgent *agent, intptr_t file, uint64_t cursor, size_t most, char **data, size_t *got) {
  char *buffer = skill__malloc(most + 1);
  if (!buffer) return SKILL_ENOMEM;
  int status = agent->io->file_read(agent->io, file, cursor, buffer, most, got);
  if (status) {
    skill__free(buffer);
    return status;
  }
  buffer[*got] = '\0';
  *data = buffer;
  return 0;
}

int skill__agent_read_file(SkillAgent *agent, const char *path, size_t most, char **text, size_t *length,
                           SkillError *err) {
  intptr_t file = 0;
  SkillFileInfo info = {0};
  int status = open_path(agent, path, false, &file, NULL, err);
  if (status) return status;
  status = agent->io->file_info(agent->io, file, &info);
  if (!status && info.size > most) {
    status = skill_error_set(err, SKILL_ELIMIT, "%.200s has %llu bytes; at most %zu are read", path,
                             (unsigned long long)info.size, most);
  }
  if (!status) status = read_at(agent, file, 0, (size_t)info.size + 1, text, length);
  agent->io->file_close(agent->io, file);
  if (!status && !skill__media_is_text(*text, *length, true)) {
    skill__free(*text);
    *text = NULL;
    status = skill_error_set(err, SKILL_EUNSUPPORTED, "%.200s is not text", path);
  }
  return status ? skill_error_set(err, status, "%.200s: %s", path, skill_strerror(status)) : 0;
}

/* --- file_read ------------------------------------------------------------------------------------------------- */

static uint64_t number(const cJSON *root, const char *key) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(root, key);
  if (!cJSON_IsNumber(item) || !(item->valuedouble > 0)) return 0;
  return item->valuedouble < 1e15 ? (uint64_t)item->valuedouble : (uint64_t)1e15; /* beyond any file's end */
}

static void read_page(SkillAgent *agent, SkillToolCall *call, const char *path, uint64_t cursor, intptr_t file) {
  SkillFileInfo info = {0};
  char *data = NULL;
  size_t got = 0;
  struct skill__buf buf;
  skill__buf_init(&buf, SKILL_MAX_MESSAGE);
  int status = agent->io->file_info(agent->io, file, &info);
  if (!status) status = read_at(agent, file, cursor, PAGE_BYTES, &data, &got);
  size_t shown = got;
  bool last = cursor + got >= info.size;
  if (!status && !last) shown = skill__utf8_floor(data, got);
  if (!status && !skill__media_is_text(data, got, last)) status = SKILL_EUNSUPPORTED;
  if (!status) skill__buf_add(&buf, data, shown);
  if (!status && !last) {
    unsigned long long next = cursor + shown;
    skill__buf_printf(&buf, "\n[%llu of %llu bytes; cursor %llu reads on]", next, (unsigned long long)info.size, next);
  }
  if (!status) status = skill__buf_status(&buf);
  if (status)
    skill__meta_finish(call, status, "%.300s: %s", path,
                       status == SKILL_EUNSUPPORTED ? "not text" : skill_strerror(status));
  if (!status) skill_tool_call_finish(call, 0, buf.data, buf.length);
  skill__buf_fini(&buf);
  skill__free(data);
}

static void read_call(SkillToolCall *call, const char *arguments_json, void *user) {
  SkillAgent *agent = user;
  cJSON *root = skill__meta_arguments(call, arguments_json);
  if (!root) return;
  const char *path = skill__json_string(root, "path");
  SkillError why = SKILL_ERROR_INIT;
  intptr_t file = 0;
  int status = open_path(agent, path ? path : "", false, &file, NULL, &why);
  if (status) {
    skill__meta_finish(call, status, "%s", why.message);
  } else {
    read_page(agent, call, path, number(root, "cursor"), file);
    agent->io->file_close(agent->io, file);
  }
  cJSON_Delete(root);
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

static void list_call(SkillToolCall *call, const char *arguments_json, void *user) {
  SkillAgent *agent = user;
  cJSON *root = skill__meta_arguments(call, arguments_json);
  if (!root) return;
  const char *path = skill__json_string(root, "path");
  SkillError why = SKILL_ERROR_INIT;
  intptr_t dir = 0;
  int status = open_path(agent, path ? path : "", true, &dir, NULL, &why);
  if (status) {
    skill__meta_finish(call, status, "%s", why.message);
  } else {
    struct skill__buf buf;
    skill__buf_init(&buf, 1024 * 1024);
    put_entries(agent, dir, &buf);
    status = skill__buf_status(&buf);
    skill_tool_call_finish(call, status, buf.data, buf.length);
    skill__buf_fini(&buf);
    agent->io->dir_close(agent->io, dir);
  }
  cJSON_Delete(root);
}

/* --- file_search ----------------------------------------------------------------------------------------------- */

struct searching {
  SkillAgent *agent;
  const char *text;
  struct skill__buf out;
  size_t files, matches;
  uint64_t bytes;
  size_t unread; /* files and folders */
  int why;       /* the first of them */
};

/* Looks for the text in all of the file at once, which takes time in proportion to its length whatever the text is. */
static void search_text(struct searching *s, const char *path, const char *text) {
  size_t line = 1;
  const char *begin = text; /* of that line */
  const char *hit = text;
  while (s->matches < MOST_MATCHES && (hit = strcasestr(hit, s->text)) != NULL) {
    for (const char *end; (end = memchr(begin, '\n', (size_t)(hit - begin))) != NULL; line++) begin = end + 1;
    size_t n = strcspn(begin, "\n");
    size_t shown = n > 200 ? skill__utf8_floor(begin, 200) : n;
    skill__buf_printf(&s->out, "%s:%zu: %.*s\n", path, line, (int)shown, begin);
    s->matches++;
    hit = begin + n + (begin[n] != 0);
  }
}

static void unread(struct searching *s, int why) {
  if (!s->unread++) s->why = why;
}

static void search_file(struct searching *s, intptr_t dir, const char *name, const char *path) {
  SkillIo *io = s->agent->io;
  SkillFileInfo info = {0};
  intptr_t file = 0;
  char *data = NULL;
  size_t got = 0;
  if (s->files++ >= MOST_FILES || s->bytes >= MOST_BYTES) return;
  int status = io->file_open(io, dir, name, 0, &file, NULL);
  if (status) {
    unread(s, status);
    return;
  }
  status = io->file_info(io, file, &info);
  bool small = info.size <= SEARCH_BYTES;
  if (!status && small) status = read_at(s->agent, file, 0, (size_t)info.size, &data, &got);
  s->bytes += got;
  if (!status && small && skill__media_is_text(data, got, true)) search_text(s, path, data);
  if (status) unread(s, status);
  skill__free(data);
  io->file_close(io, file);
}

static void search_folder(struct searching *s, intptr_t dir, const char *prefix, unsigned depth) {
  SkillIo *io = s->agent->io;
  SkillDirEntry entry;
  int status = 0;
  while (s->matches < MOST_MATCHES && s->files < MOST_FILES && (status = io->dir_next(io, dir, &entry)) == 1) {
    char name[SKILL_MAX_NAME + 1];
    char path[SKILL_MAX_PATH];
    SkillFileInfo info = {.kind = entry.kind};
    int n = snprintf(name, sizeof name, "%s", entry.name);
    int m = snprintf(path, sizeof path, "%s%s%s", prefix, *prefix ? "/" : "", entry.name);
    if (n < 0 || (size_t)n >= sizeof name || m < 0 || (size_t)m >= sizeof path || name[0] == '.') continue;
    int known = info.kind == SKILL_FILE_UNKNOWN ? io->stat(io, dir, name, 0, &info) : 0;
    intptr_t child = 0;
    if (!known && info.kind == SKILL_FILE_REGULAR) search_file(s, dir, name, path);
    bool deeper = !known && info.kind == SKILL_FILE_FOLDER && depth < MOST_DEPTH;
    if (deeper) known = io->dir_open(io, dir, name, 0, &child);
    if (known) unread(s, known);
    if (!deeper || known) continue;
    search_folder(s, child, path, depth + 1);
    io->dir_close(io, child);
  }
  if (status < 0) unread(s, status);
}

static void search_call(SkillToolCall *call, const char *arguments_json, void *user) {
  SkillAgent *agent = user;
  cJSON *root = skill__meta_arguments(call, arguments_json);
  if (!root) return;
  const char *path = skill__json_string(root, "path");
  const char *text = skill__json_string(root, "text");
  struct searching s = {.agent = agent, .text = text};
  SkillError why = SKILL_ERROR_INIT;
  intptr_t dir = 0;
  if (!path) path = "";
  int status = text && *text ? open_path(agent, path, true, &dir, NULL, &why) : SKILL_EINVAL;
  if (status) {
    skill__meta_finish(call, status, "%s", why.code ? why.message : "'text' is what to look for");
    cJSON_Delete(root);
    return;
  }
  skill__buf_init(&s.out, 1024 * 1024);
  search_folder(&s, dir, *path == '.' && !path[1] ? "" : path, 0);
  agent->io->dir_close(agent->io, dir);
  if (!s.matches) skill__buf_printf(&s.out, "No line holds it, in %zu files.\n", s.files);
  if (s.matches >= MOST_MATCHES) skill__buf_text(&s.out, "[more lines match; search for something rarer]\n");
  if (s.unread) {
    skill__buf_printf(&s.out, "[%zu files or folders could not be read: %s]\n", s.unread, skill_strerror(s.why));
  }
  if (s.files >= MOST_FILES || s.bytes >= MOST_BYTES) {
    skill__buf_text(&s.out, "[too many files: not all were searched]\n");
  }
  status = skill__buf_status(&s.out);
  skill_tool_call_finish(call, status, s.out.data, s.out.length);
  skill__buf_fini(&s.out);
  cJSON_Delete(root);
}

/* --- file_write ------------------------------------------------------------------------------------------------ */

/* The folder part is resolved, the file's own name must be a plain one: nothing is written through a link. */
static int write_file(SkillAgent *agent, const char *path, const char *text, SkillError *err) {
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  char folder[SKILL_MAX_PATH];
  intptr_t dir = 0;
  const char *root = NULL;
  size_t length = slash ? (size_t)(slash - path) : 0;
  if (slash == path) length = 1; /* right below the root */
  int n = snprintf(folder, sizeof folder, "%.*s", (int)length, path);
  if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || n < 0 || (size_t)n >= sizeof folder) {
    return skill_error_set(err, SKILL_EINVAL, "'%.200s' names no file", path);
  }
  int status = open_path(agent, folder, true, &dir, &root, err);
  if (status) return status;
  if (!is_listed(agent->options.writable, root)) {
    status = skill_error_set(err, SKILL_EDENIED, "%.200s: nothing may be written there", path);
  }
  if (!status) status = agent->io->file_write(agent->io, dir, name, text, strlen(text));
  agent->io->dir_close(agent->io, dir);
  return status ? skill_error_set(err, status, "%.200s: %s", path, skill_strerror(status)) : 0;
}

static void write_call(SkillToolCall *call, const char *arguments_json, void *user) {
  SkillAgent *agent = user;
  cJSON *root = skill__meta_arguments(call, arguments_json);
  if (!root) return;
  const char *path = skill__json_string(root, "path");
  const char *text = skill__json_string(root, "text");
  SkillError why = SKILL_ERROR_INIT;
  int status = write_file(agent, path ? path : "", text ? text : "", &why);
  if (status) skill__meta_finish(call, status, "%s", why.message);
  if (!status) skill__meta_finish(call, 0, "%s is written: %zu bytes.", path, strlen(text ? text : ""));
  cJSON_Delete(root);
}

/* --- the tools ------------------------------------------------------------------------------------------------- */

#define SCHEMA(properties, required) \
  "{\"type\":\"object\",\"properties\":{" properties "},\"required\":[" required "],\"additionalProperties\":false}"
#define READS (SKILL_TOOL_READ_ONLY | SKILL_TOOL_PARALLEL | SKILL_TOOL_IDEMPOTENT)

static const SkillTool tools[] = {
    {"file_read", "Reads a text file, in pages.",
     SCHEMA("\"path\":{\"type\":\"string\"},\"cursor\":{\"type\":\"integer\",\"minimum\":0}", "\"path\""), READS, NULL,
     read_call, NULL},
    {"file_list", "Lists a folder.", SCHEMA("\"path\":{\"type\":\"string\",\"description\":\"Empty for the top\"}", ""),
     READS, NULL, list_call, NULL},
    {"file_search", "Finds lines that hold a text, in all files below a folder.",
     SCHEMA("\"text\":{\"type\":\"string\",\"minLength\":1},\"path\":{\"type\":\"string\"}", "\"text\""), READS, NULL,
     search_call, NULL},
    {"file_write", "Writes a whole file.",
     SCHEMA("\"path\":{\"type\":\"string\"},\"text\":{\"type\":\"string\"}", "\"path\",\"text\""),
     SKILL_TOOL_DANGEROUS | SKILL_TOOL_IDEMPOTENT, NULL, write_call, NULL},
};

int skill__agent_offer_files(SkillAgent *agent) {
  static const struct skill__tool_role role = {.meta = SKILL__FILE_TOOL};
  int status = 0;
  if (!agent->options.roots || !agent->options.roots[0]) return 0;
  size_t count = sizeof tools / sizeof *tools;
  if (!agent->options.writable || !agent->options.writable[0]) count--;
  for (size_t i = 0; i < count && !status; i++) {
    SkillTool tool = tools[i];
    tool.user = agent;
    status = skill__tools_add(&agent->tools, &tool, &role, agent->tokenizer);
  }
  return status;
}
