/* SPDX-License-Identifier: MIT
 *
 * Files below the folders that the host granted. A path is relative to a granted folder, or absolute and below one; the
 * resolver follows no link out of it. Fails if a file is outside, absent, too large or not text, and says which.
 */
#include <string.h>

#include "agent/meta_tools.h"
#include "source/media.h"
#include "source/resolve.h"
#include "util/alloc.h"

/* The part of `path` below the root, or NULL if it is not below it. */
static const char *below(const char *root, const char *path) {
  size_t length = strlen(root);
  while (length > 1 && root[length - 1] == '/') length--;
  if (*path != '/') return path;
  if (strncmp(path, root, length) != 0) return NULL;
  if (path[length] == '/') return path + length + 1;
  return path[length] ? NULL : "";
}

int skill__files_open(SkillAgent *agent, const char *path, bool folder, intptr_t *handle, const char **root,
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

int skill__files_read_at(SkillAgent *agent, intptr_t file, uint64_t cursor, size_t most, char **data, size_t *got) {
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

int skill__files_read(SkillAgent *agent, const char *path, size_t most, char **text, size_t *length, SkillError *err) {
  intptr_t file = 0;
  SkillFileInfo info = {0};
  int status = skill__files_open(agent, path, false, &file, NULL, err);
  if (status) return status;
  status = agent->io->file_info(agent->io, file, &info);
  if (!status && info.size > most) {
    status = skill_error_set(err, SKILL_ELIMIT, "%.200s has %llu bytes; at most %zu are read", path,
                             (unsigned long long)info.size, most);
  }
  if (!status) status = skill__files_read_at(agent, file, 0, (size_t)info.size + 1, text, length);
  agent->io->file_close(agent->io, file);
  if (!status && !skill__media_is_text(*text, *length, true)) {
    skill__free(*text);
    *text = NULL;
    status = skill_error_set(err, SKILL_EUNSUPPORTED, "%.200s is not text", path);
  }
  return status ? skill_error_set(err, status, "%.200s: %s", path, skill_strerror(status)) : 0;
}
