/* SPDX-License-Identifier: MIT
 *
 * Error codes to text, the detail record, and the version.
 */
#include "skillet/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *skill_version(void) {
  return SKILL_VERSION;
}

const char *skill_strerror(int code) {
  switch (code) {
    case SKILL_OK:
      return "success";
#define SKILL_X(name, value, text) \
  case SKILL_##name:               \
    return text;
      SKILL_ERROR_MAP(SKILL_X)
#undef SKILL_X
    default:
      return "unknown error";
  }
}

const char *skill_errname(int code) {
  switch (code) {
    case SKILL_OK:
      return "SKILL_OK";
#define SKILL_X(name, value, text) \
  case SKILL_##name:               \
    return "SKILL_" #name;
      SKILL_ERROR_MAP(SKILL_X)
#undef SKILL_X
    default:
      return "SKILL_?";
  }
}

SKILL_PRINTF(3, 0)
static void fill(SkillError *err, int code, const char *format, va_list args) {
  err->code = code;
  vsnprintf(err->message, sizeof err->message, format, args);
}

int skill_error_set(SkillError *err, int code, const char *format, ...) {
  if (!err || err->code) return code;
  va_list args;
  va_start(args, format);
  fill(err, code, format, args);
  va_end(args);
  return code;
}

int skill_error_set_at(SkillError *err, int code, const char *file, unsigned line, unsigned column, const char *format,
                       ...) {
  if (!err || err->code) return code;
  va_list args;
  va_start(args, format);
  fill(err, code, format, args);
  va_end(args);
  err->line = line;
  err->column = column;
  size_t length = file ? strlen(file) : 0;
  size_t skip = length >= sizeof err->file ? length - sizeof err->file + 1 : 0;
  memcpy(err->file, file ? file + skip : "", length - skip + 1);
  return code;
}

void skill_error_clear(SkillError *err) {
  if (err) memset(err, 0, sizeof *err);
}
