/* SPDX-License-Identifier: MIT
 *
 * Files named on the command line; see cli.h.
 */
#include <errno.h>
#include <string.h>

#include "cli/base/cli.h"

int cli_path_kind(const char *path) {
  SkillIo *io = skill_io_posix();
  SkillFileInfo info;
  return io->stat(io, SKILL_IO_CWD, path, SKILL_IO_FOLLOW, &info) ? -1 : (int)info.kind;
}

char *cli_read_file(const char *path, size_t most, size_t *length, SkillError *err) {
  FILE *file = fopen(path, "rb");
  struct skill__buf buf;
  char chunk[8192];
  size_t n;
  skill__buf_init(&buf, most);
  if (!file) {
    skill_error_set_at(err, SKILL_EIO, path, 0, 0, "cannot be read: %s", strerror(errno));
    return NULL;
  }
  while ((n = fread(chunk, 1, sizeof chunk, file)) > 0) skill__buf_add(&buf, chunk, n);
  int reason = ferror(file) ? errno : 0;
  bool failed = reason || skill__buf_status(&buf);
  fclose(file);
  char *text = failed ? NULL : skill__buf_take(&buf, length);
  skill__buf_fini(&buf);
  if (!text)
    skill_error_set_at(err, SKILL_EIO, path, 0, 0, "cannot be read: %s", reason ? strerror(reason) : "too large");
  return text;
}
