/* SPDX-License-Identifier: MIT
 *
 * Where the table of terms is looked for: the path that the caller names, else $SKILLET_DATA, else beside the program
 * or library, else that of the installation.
 */
#include <stdlib.h>
#include <string.h>

#include "rank/table/terms.h"
#include "util/own_folder.h"

static int search(SkillIo *io, uint32_t analyzer, struct skill__terms **out, struct skill__buf *where,
                  SkillError *err) {
  int status = skill__data_find(io, SKILL__TERMS_FILE, where);
  if (status == SKILL_ENOENT) {
    return skill_error_set(err, status, "no table of terms beside the library or installed");
  }
  if (status) return skill_error_set(err, status, "the path of the table of terms is too long");
  return skill__terms_open(io, where->data, analyzer, out, err);
}

int skill__terms_locate(SkillIo *io, const char *path, uint32_t analyzer, struct skill__terms **out,
                        struct skill__buf *where, SkillError *err) {
  struct skill__buf own;
  skill__buf_init(&own, SKILL_MAX_PATH);
  if (!where) where = &own;
  skill__buf_clear(where);
  const char *data_dir = getenv("SKILLET_DATA");
  int status;
  if (path && !*path) {
    status = skill_error_set(err, SKILL_ENOENT, "no table of terms is wanted");
  } else if (path || (data_dir && *data_dir)) {
    if (path) skill__buf_text(where, path);
    if (!path) skill__buf_printf(where, "%s/%s", data_dir, SKILL__TERMS_FILE);
    status = skill__buf_status(where);
    if (!status) status = skill__terms_open(io, where->data, analyzer, out, err);
  } else {
    status = search(io, analyzer, out, where, err);
  }
  skill__buf_fini(&own);
  return status;
}
