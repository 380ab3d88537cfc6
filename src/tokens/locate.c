/* SPDX-License-Identifier: MIT
 *
 * Finds a packed vocabulary: in the folder that the caller names, else in $SKILLET_DATA/vocab, else in
 * share/skillet/vocab next to the program or library or one folder up, else in the installed folder.
 */
#include <stdlib.h>
#include <string.h>

#include "skillet/io.h"
#include "tokens/tokens.h"
#include "tokens/vocab.h"
#include "util/own_folder.h"

static int try_path(const struct skill__buf *where, SkillTokenizer **out, SkillError *err) {
  SkillIo *io = skill_io_posix();
  SkillFileInfo info;
  if (skill__buf_status(where)) return skill_error_set(err, skill__buf_status(where), "the path of the vocabulary");
  if (io->stat(io, SKILL_IO_CWD, where->data, SKILL_IO_FOLLOW, &info)) return SKILL_ENOENT;
  return skill__bytepair_open(where->data, out, err);
}

static int search(const char *name, SkillTokenizer **out, struct skill__buf *where, SkillError *err) {
  static const char *const beside[] = {"share/skillet/", "../share/skillet/"};
  int status = SKILL_ENOENT;
  for (size_t i = 0; i < sizeof beside / sizeof *beside && status == SKILL_ENOENT; i++) {
    skill__buf_clear(where);
    skill__own_folder(skill_io_posix(), where);
    if (!where->length) break;
    skill__buf_printf(where, "%svocab/%s" SKILL__VOCAB_SUFFIX, beside[i], name);
    status = try_path(where, out, err);
  }
  if (status != SKILL_ENOENT) return status;
  skill__buf_clear(where);
  skill__buf_printf(where, SKILLET_DATA_DIR "/vocab/%s" SKILL__VOCAB_SUFFIX, name);
  return try_path(where, out, err);
}

int skill_tokenizer_open(const char *name, const char *folder, SkillTokenizer **out, SkillError *err) {
  if (!name || !*name || strchr(name, '/'))
    return skill_error_set(err, SKILL_EINVAL, "a vocabulary needs a name without '/'");
  struct skill__buf where;
  skill__buf_init(&where, SKILL_MAX_PATH);
  const char *data = getenv("SKILLET_DATA");
  int status;
  if (folder) {
    skill__buf_printf(&where, "%s/%s" SKILL__VOCAB_SUFFIX, folder, name);
    status = try_path(&where, out, err);
  } else if (data && *data) {
    skill__buf_printf(&where, "%s/vocab/%s" SKILL__VOCAB_SUFFIX, data, name);
    status = try_path(&where, out, err);
  } else {
    status = search(name, out, &where, err);
  }
  skill__buf_fini(&where);
  if (status == SKILL_ENOENT) {
    skill_error_set(err, status, "no packed vocabulary %s: run scripts/fetch-vocabulary.sh", name);
  }
  return status;
}
