/* SPDX-License-Identifier: MIT
 *
 * Data files next to the code that was loaded. With getenv in its two callers, the one place in the core that asks the
 * operating system something outside SkillIo; where the answer is unknown, nothing is found beside it.
 */
#include "util/own_folder.h"

#include <string.h>

#if defined(__unix__) || defined(__APPLE__)
#include <dlfcn.h>
#endif

/* Appends the folder of this library or program with a final slash, or nothing if it is unknown. */
static void own_folder(SkillIo *io, struct skill__buf *where) {
  const char *own = NULL;
#if defined(__unix__) || defined(__APPLE__)
  static const char anchor = 0;
  Dl_info info;
  if (dladdr(&anchor, &info)) own = info.dli_fname;
#endif
  char link[SKILL_MAX_PATH];
  /* A program that was found through PATH only knows its name, so the kernel is asked. */
  if ((!own || !strchr(own, '/')) && !io->link_read(io, SKILL_IO_CWD, "/proc/self/exe", link, sizeof link)) own = link;
  const char *slash = own ? strrchr(own, '/') : NULL;
  if (slash) skill__buf_add(where, own, (size_t)(slash - own) + 1);
}

static int there(SkillIo *io, const struct skill__buf *where) {
  SkillFileInfo info;
  if (skill__buf_status(where)) return skill__buf_status(where);
  int status = io->stat(io, SKILL_IO_CWD, where->data, SKILL_IO_FOLLOW, &info);
  return status || info.kind != SKILL_FILE_REGULAR ? SKILL_ENOENT : 0;
}

int skill__data_find(SkillIo *io, const char *leaf, struct skill__buf *where) {
  static const char *const beside[] = {"", "share/skillet/", "../share/skillet/"};
  int status = SKILL_ENOENT;
  for (size_t i = 0; i < sizeof beside / sizeof *beside && status == SKILL_ENOENT; i++) {
    skill__buf_clear(where);
    own_folder(io, where);
    if (!where->length) break;
    skill__buf_printf(where, "%s%s", beside[i], leaf);
    status = there(io, where);
  }
  if (status != SKILL_ENOENT) return status;
  skill__buf_clear(where);
  skill__buf_printf(where, SKILLET_DATA_DIR "/%s", leaf);
  return there(io, where);
}
