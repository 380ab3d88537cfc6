/* SPDX-License-Identifier: MIT
 *
 * file_search: lines that contain a text, in the files below a granted folder. Links and names that begin with a dot
 * are skipped. What cannot be read is counted in the answer.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "agent/meta_tools.h"
#include "source/media.h"
#include "util/alloc.h"
#include "util/utf8.h"

enum {
  MOST_FILES = 5000,      /* that one search opens */
  MOST_MATCHES = 100,     /* that one search shows */
  MOST_DEPTH = 16,        /* folders below the start of a search */
  SEARCH_BYTES = 4 << 20, /* of one file; larger ones are skipped */
  MOST_BYTES = 256 << 20  /* that one search reads */
};

struct searching {
  SkillAgent *agent;
  const char *text;
  struct skill__buf out;
  size_t files, matches;
  uint64_t bytes;
  size_t unread; /* files and folders */
  int why;       /* the first of them */
};

/* Searches the whole file at once: the time is linear in its length for any text. */
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
  if (!status && small) status = skill__files_read_at(s->agent, file, 0, (size_t)info.size, &data, &got);
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

static void put_notes(struct searching *s) {
  if (!s->matches) skill__buf_printf(&s->out, "No line holds it, in %zu files.\n", s->files);
  if (s->matches >= MOST_MATCHES) skill__buf_text(&s->out, "[more lines match; search for something rarer]\n");
  if (s->unread) {
    skill__buf_printf(&s->out, "[%zu files or folders could not be read: %s]\n", s->unread, skill_strerror(s->why));
  }
  if (s->files >= MOST_FILES || s->bytes >= MOST_BYTES) {
    skill__buf_text(&s->out, "[too many files: not all were searched]\n");
  }
}

void skill__file_search(SkillAgent *agent, SkillToolCall *call, const cJSON *arguments) {
  const char *path = skill__meta_string(arguments, "path");
  struct searching s = {.agent = agent, .text = skill__meta_string(arguments, "text")};
  SkillError why = SKILL_ERROR_INIT;
  intptr_t dir = 0;
  int status = *s.text ? skill__files_open(agent, path, true, &dir, NULL, &why) : SKILL_EINVAL;
  if (status) {
    skill__meta_finish(call, status, "%s", why.code ? why.message : "'text' is what to look for");
    return;
  }
  skill__buf_init(&s.out, 1024 * 1024);
  search_folder(&s, dir, *path == '.' && !path[1] ? "" : path, 0);
  agent->io->dir_close(agent->io, dir);
  put_notes(&s);
  skill__meta_finish_buf(call, &s.out);
}
