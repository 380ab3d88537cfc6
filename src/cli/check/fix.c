/* SPDX-License-Identifier: MIT
 *
 * skillet check --fix: prints safe fixes as a unified diff; with --write changes the files.
 */
#include "document/fix.h"
#include "cli/check/check.h"
#include "util/alloc.h"
#include "util/file.h"

struct totals {
  size_t files, findings, failed;
};

static int write_file(struct check *check, const char *path, const char *text, size_t length) {
  SkillIo *io = skill_io_posix();
  SkillFileInfo info;
  int status = io->stat(io, SKILL_IO_CWD, path, 0, &info);
  if (!status && info.kind != SKILL_FILE_REGULAR)
    status = SKILL_EDENIED; /* a link: replacing it would not change its target */
  if (!status) status = io->file_write(io, SKILL_IO_CWD, path, text, length);
  if (status) {
    fprintf(check->cli->err, "skillet check: %s: not written: %s\n", path,
            status == SKILL_EDENIED ? "a link, or no permission" : skill_strerror(status));
  }
  return status;
}

static int fix_file(struct check *check, const struct check_file *file, bool write, struct totals *totals) {
  char *text = NULL;
  char *fixed = NULL;
  size_t length = 0;
  size_t fixed_length = 0;
  size_t before = 0;
  size_t after = 0;
  int status = skill__file_load(skill_io_posix(), file->path, SKILL_MAX_FILE, &text, &length, NULL);
  if (status) return status == SKILL_ENOMEM ? status : 0;
  status = skill__fix(text, length, &file->options, &fixed, &fixed_length, &before, &after);
  if (!status && fixed) {
    check_diff(check->cli, file->path, text, length, fixed, fixed_length);
    totals->files++;
    totals->findings += before - after;
    if (write && write_file(check, file->path, fixed, fixed_length)) totals->failed++;
  }
  skill__free(text);
  skill_free(fixed);
  return status;
}

int check_fix(struct check *check, bool write) {
  struct totals totals = {0};
  for (size_t i = 0; i < check->file_count; i++) {
    if (fix_file(check, &check->files[i], write, &totals)) return CLI_INTERNAL;
  }
  size_t left = check_count(check, SKILL_LEVEL_ERROR) + check_count(check, SKILL_LEVEL_WARNING);
  if (!totals.files) {
    fprintf(check->cli->err, "nothing can be fixed safely; skillet check shows the findings\n");
    return left ? CLI_NO : CLI_DONE;
  }
  fprintf(check->cli->err, "%zu file%s, %zu finding%s %s\n", totals.files, totals.files == 1 ? "" : "s",
          totals.findings, totals.findings == 1 ? "" : "s",
          write ? "fixed" : "would be fixed; --fix --write changes the files");
  if (totals.failed) return CLI_OUTSIDE;
  return write && totals.findings >= left ? CLI_DONE : CLI_NO;
}
