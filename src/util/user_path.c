/* SPDX-License-Identifier: MIT
 *
 * Files that the program keeps for its user; see user_path.h.
 */
#include "util/user_path.h"

#include <stdio.h>
#include <stdlib.h>

bool skill__user_path(const char *variable, const char *below_home, const char *leaf, char *out, size_t size) {
  const char *folder = getenv(variable);
  const char *home = getenv("HOME");
  int length = -1;
  if (folder && *folder == '/') {
    length = snprintf(out, size, "%s/skillet/%s", folder, leaf);
  } else if (home && *home) {
    length = snprintf(out, size, "%s/%s/skillet/%s", home, below_home, leaf);
  }
  if (length > 0 && (size_t)length < size) return true;
  *out = '\0';
  return false;
}
