/* SPDX-License-Identifier: MIT
 *
 * See options.h.
 */
#include "util/options.h"

#include <string.h>

int skill__options_read(void *to, size_t known, const void *from, const char *type, SkillError *err) {
  size_t size;
  if (!from) return 0;
  memcpy(&size, from, sizeof size);
  if (size > known && size % sizeof size == 0) {
    return skill_error_set(err, SKILL_EINVAL,
                           "%s: size is %zu, but this library knows %zu: it is older than its header", type, size,
                           known);
  }
  if (size > known || size <= sizeof size || size % sizeof size) {
    return skill_error_set(err, SKILL_EINVAL, "%s: size is %zu: initialise the struct with its SKILL_..._INIT macro",
                           type, size);
  }
  memcpy(to, from, size);
  memcpy(to, &known, sizeof known);
  return 0;
}

void skill__options_write(void *to, size_t known, const void *from) {
  size_t size;
  memcpy(&size, to, sizeof size);
  size_t copied = size < known ? size : known;
  if (copied > sizeof size) memcpy((char *)to + sizeof size, (const char *)from + sizeof size, copied - sizeof size);
}
