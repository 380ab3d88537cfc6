/* SPDX-License-Identifier: MIT
 *
 * Finds a packed vocabulary: in the folder that the caller names, else in $SKILLET_DATA/vocab, else next
 * to the program or library (vocab, share/skillet/vocab, ../share/skillet/vocab), else in the installed folder.
 */
#include <stdio.h>
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

int skill_tokenizer_open(const char *name, const char *folder, SkillTokenizer **out, SkillError *err) {
  if (!name || !*name || strchr(name, '/'))
    return skill_error_set(err, SKILL_EINVAL, "a vocabulary needs a name without '/'");
  struct skill__buf where;
  skill__buf_init(&where, SKILL_MAX_PATH);
  const char *data = getenv("SKILLET_DATA");
  int status = 0;
  if (folder) {
    skill__buf_printf(&where, "%s/%s" SKILL__VOCAB_SUFFIX, folder, name);
  } else if (data && *data) {
    skill__buf_printf(&where, "%s/vocab/%s" SKILL__VOCAB_SUFFIX, data, name);
  } else {
    char leaf[SKILL_MAX_PATH];
    snprintf(leaf, sizeof leaf, "vocab/%s" SKILL__VOCAB_SUFFIX, name);
    status = skill__data_find(skill_io_posix(), leaf, &where);
  }
  if (status != SKILL_ENOENT) status = try_path(&where, out, err); /* which reports a path that is too long */
  skill__buf_fini(&where);
  if (status == SKILL_ENOENT) {
    skill_error_set(err, status, "no packed vocabulary %s: run scripts/fetch-vocabulary.sh", name);
  }
  return status;
}
