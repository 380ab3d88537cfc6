/* SPDX-License-Identifier: MIT
 *
 * Reading a whole file through SkillIo, bounded; see file.h. A file that shrinks while it is read is as long as what
 * was read.
 */
#include "util/file.h"

#include "util/alloc.h"

static int read_open(SkillIo *io, intptr_t file, uint64_t size, char **text, size_t *length) {
  char *data = skill__malloc((size_t)size + 1);
  if (!data) return SKILL_ENOMEM;
  size_t got = 0;
  int status = io->file_read(io, file, 0, data, (size_t)size, &got);
  if (status) {
    skill__free(data);
    return status;
  }
  data[got] = '\0';
  *text = data;
  *length = got;
  return 0;
}

int skill__file_load(SkillIo *io, const char *path, uint64_t most, char **text, size_t *length, SkillError *err) {
  SkillFileInfo info = {0};
  intptr_t file = -1;
  int status = io->file_open(io, SKILL_IO_CWD, path, SKILL_IO_FOLLOW, &file, &info);
  if (status == SKILL_EINVAL) {
    bool folder = !io->stat(io, SKILL_IO_CWD, path, SKILL_IO_FOLLOW, &info) && info.kind == SKILL_FILE_FOLDER;
    return skill_error_set_at(err, status, path, 0, 0, "cannot be read: it is %s",
                              folder ? "a folder" : "no regular file");
  }
  if (status) return skill_error_set_at(err, status, path, 0, 0, "cannot be read: %s", skill_strerror(status));
  if (info.size > most) {
    io->file_close(io, file);
    return skill_error_set_at(err, SKILL_ELIMIT, path, 0, 0, "has %llu bytes; at most %llu are read",
                              (unsigned long long)info.size, (unsigned long long)most);
  }
  status = read_open(io, file, info.size, text, length);
  io->file_close(io, file);
  return status ? skill_error_set_at(err, status, path, 0, 0, "cannot be read: %s", skill_strerror(status)) : 0;
}
