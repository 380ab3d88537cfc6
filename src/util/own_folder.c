/* SPDX-License-Identifier: MIT
 *
 * The folder this code was loaded from. With getenv in its two callers, the one place in the core that asks the
 * operating system something outside SkillIo; where the answer is unknown, nothing is found beside it.
 */
#include "util/own_folder.h"

#include <string.h>

#if defined(__unix__) || defined(__APPLE__)
#include <dlfcn.h>
#endif

void skill__own_folder(SkillIo *io, struct skill__buf *where) {
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
