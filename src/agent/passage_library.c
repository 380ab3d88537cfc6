/* SPDX-License-Identifier: MIT
 *
 * Files below configured places, in the order of their paths, so that the same files give the same sections. Links
 * inside folders are not followed, and names that begin with a dot are skipped. Fails only when memory is out.
 */
#include "agent/passage_library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context/sections.h"
#include "source/media.h"
#include "util/alloc.h"

struct gathering {
  struct skill__passage_library *into;
  SkillIo *io;
  int status;
};

/* --- gathering ------------------------------------------------------------------------------------------------- */

static void add_file(struct gathering *g, const char *path, const SkillFileInfo *info, bool follow) {
  struct skill__passage_library *library = g->into;
  if (library->file_count == SKILL__LIBRARY_FILES || info->size > SKILL__LIBRARY_FILE) {
    library->left_out++;
    return;
  }
  if (SKILL__GROW(library->files, library->file_capacity, library->file_count + 1)) g->status = SKILL_ENOMEM;
  char *copy = g->status ? NULL : skill__strdup(path);
  if (!copy) g->status = SKILL_ENOMEM;
  if (copy) library->files[library->file_count++] = (struct skill__library_file){copy, *info, follow, NULL, 0};
}

static void add_folder(struct gathering *g, intptr_t dir, const char *prefix, unsigned depth) {
  SkillDirEntry entry;
  while (!g->status && g->io->dir_next(g->io, dir, &entry) == 1) {
    char path[SKILL_MAX_PATH];
    SkillFileInfo info = {0};
    int n = snprintf(path, sizeof path, "%s/%s", prefix, entry.name);
    if (n < 0 || (size_t)n >= sizeof path || entry.name[0] == '.') continue;
    const char *name = path + strlen(prefix) + 1;
    intptr_t child = 0;
    if (g->io->stat(g->io, dir, name, 0, &info)) continue;
    if (info.kind == SKILL_FILE_REGULAR) add_file(g, path, &info, false);
    if (info.kind != SKILL_FILE_FOLDER || depth >= SKILL__LIBRARY_DEPTH) continue;
    if (g->io->dir_open(g->io, dir, name, 0, &child)) continue;
    add_folder(g, child, path, depth + 1);
    g->io->dir_close(g->io, child);
  }
}

static void add_place(struct gathering *g, const char *place) {
  SkillFileInfo info = {0};
  intptr_t dir = 0;
  char path[SKILL_MAX_PATH];
  size_t length = strlen(place);
  while (length > 1 && place[length - 1] == '/') length--;
  int n = snprintf(path, sizeof path, "%.*s", (int)length, place);
  bool fits = n > 0 && (size_t)n < sizeof path;
  bool there = fits && g->io->stat(g->io, SKILL_IO_CWD, path, SKILL_IO_FOLLOW, &info) == 0;
  if (there && info.kind == SKILL_FILE_REGULAR) {
    add_file(g, path, &info, true);
  } else if (there && g->io->dir_open(g->io, SKILL_IO_CWD, path, SKILL_IO_FOLLOW, &dir) == 0) {
    add_folder(g, dir, path, 1);
    g->io->dir_close(g->io, dir);
  } else if (!g->into->missing) {
    g->into->missing = place;
  }
}

static int by_path(const void *a, const void *b) {
  return strcmp(((const struct skill__library_file *)a)->path, ((const struct skill__library_file *)b)->path);
}

/* A file below two places counts once. */
static void drop_twins(struct skill__passage_library *library) {
  size_t kept = 0;
  for (size_t i = 0; i < library->file_count; i++) {
    struct skill__library_file *file = &library->files[i];
    if (kept && strcmp(library->files[kept - 1].path, file->path) == 0) {
      skill__free(file->path);
    } else {
      library->files[kept++] = *file;
    }
  }
  library->file_count = kept;
}

static int gather(struct skill__passage_library *into, SkillIo *io, const char *const *paths) {
  struct gathering g = {into, io, 0};
  for (size_t i = 0; paths[i] && !g.status; i++) add_place(&g, paths[i]);
  if (into->file_count) qsort(into->files, into->file_count, sizeof *into->files, by_path);
  if (!g.status) drop_twins(into);
  return g.status;
}

static bool same_files(const struct skill__passage_library *a, const struct skill__passage_library *b) {
  bool same = a->file_count == b->file_count && a->left_out == b->left_out;
  for (size_t i = 0; i < a->file_count && same; i++) {
    const SkillFileInfo *x = &a->files[i].info;
    const SkillFileInfo *y = &b->files[i].info;
    same = strcmp(a->files[i].path, b->files[i].path) == 0 && x->size == y->size && x->mtime_ns == y->mtime_ns &&
           x->ctime_ns == y->ctime_ns && x->dev == y->dev && x->ino == y->ino;
  }
  return same;
}

/* --- reading --------------------------------------------------------------------------------------------------- */

static int read_file(SkillIo *io, struct skill__library_file *file) {
  intptr_t handle = 0;
  size_t got = 0;
  if (io->file_open(io, SKILL_IO_CWD, file->path, file->follow ? SKILL_IO_FOLLOW : 0, &handle, NULL)) return 0;
  char *text = skill__malloc((size_t)file->info.size + 1);
  int failed = text ? io->file_read(io, handle, 0, text, (size_t)file->info.size, &got) : SKILL_ENOMEM;
  io->file_close(io, handle);
  if (!failed && skill__media_is_text(text, got, true)) {
    text[got] = '\0';
    file->text = text;
    file->length = got;
    return 0;
  }
  skill__free(text);
  return failed == SKILL_ENOMEM ? failed : 0;
}

static unsigned count_lines(const char *text, size_t from, size_t to) {
  unsigned lines = 0;
  for (size_t i = from; i < to; i++) lines += text[i] == '\n';
  return lines;
}

/* A section is indexed with the name of its file, which describes it too. */
static int index_section(struct skill__passage_library *library, size_t number) {
  const struct skill__library_section *section = &library->sections[number];
  const struct skill__library_file *file = &library->files[section->file];
  const char *text = file->text + section->from;
  size_t length = section->to - section->from;
  char name[32];
  const char *slash = strrchr(file->path, '/');
  SkillMetadata metadata = {.name = name, .when_to_use = slash ? slash + 1 : file->path};
  char *whole = skill__strndup(text, length);
  if (!whole) return SKILL_ENOMEM;
  snprintf(name, sizeof name, "%08zu", number);
  metadata.description = whole;
  int status = skill_ranker_add(library->ranker, &metadata, NULL, 0, NULL);
  skill__free(whole);
  return status;
}

static int cut_file(struct skill__passage_library *library, size_t index, struct skill__sections *cuts) {
  const struct skill__library_file *file = &library->files[index];
  unsigned line = 1;
  int status = file->text ? skill__sections_cut(file->text, file->length, cuts) : 0;
  for (size_t i = 0; file->text && i < cuts->count && !status; i++) {
    const struct skill__section *cut = &cuts->items[i];
    if (library->section_count == SKILL__LIBRARY_SECTIONS) break;
    if (SKILL__GROW(library->sections, library->section_capacity, library->section_count + 1)) return SKILL_ENOMEM;
    unsigned lines = count_lines(file->text, cut->from, cut->to);
    bool ended = lines && file->text[cut->to - 1] == '\n';
    library->sections[library->section_count++] =
        (struct skill__library_section){index, cut->from, cut->to, line, line + lines - ended};
    line += lines;
    status = index_section(library, library->section_count - 1);
  }
  return status;
}

static int make(struct skill__passage_library *library, SkillIo *io) {
  struct skill__sections cuts = {NULL, 0, 0};
  SkillRankerOptions options = SKILL_RANKER_OPTIONS_INIT;
  size_t bytes = 0;
  options.table = ""; /* the table was trained on descriptions of skills */
  int status = skill_ranker_new(&options, &library->ranker, NULL);
  for (size_t i = 0; i < library->file_count && !status; i++) {
    struct skill__library_file *file = &library->files[i];
    if (bytes + file->info.size > SKILL__LIBRARY_BYTES) {
      library->unread++;
      continue;
    }
    status = read_file(io, file);
    bytes += file->length;
    if (!status) status = cut_file(library, i, &cuts);
  }
  skill__sections_fini(&cuts);
  return status;
}

int skill__library_refresh(struct skill__passage_library *library, SkillIo *io, const char *const *paths,
                           bool *changed) {
  struct skill__passage_library fresh = {0};
  int status = gather(&fresh, io, paths);
  *changed = false;
  if (!status && library->made && same_files(library, &fresh)) {
    skill__library_fini(&fresh);
    return 0;
  }
  if (!status) status = make(&fresh, io);
  fresh.made = true;
  if (status) skill__library_fini(&fresh);
  skill__library_fini(library);
  *library = fresh;
  *changed = true;
  return status;
}

void skill__library_fini(struct skill__passage_library *library) {
  for (size_t i = 0; i < library->file_count; i++) {
    skill__free(library->files[i].path);
    skill__free(library->files[i].text);
  }
  skill__free(library->files);
  skill__free(library->sections);
  skill_ranker_free(library->ranker);
  *library = (struct skill__passage_library){0};
}
