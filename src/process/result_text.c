/* SPDX-License-Identifier: MIT
 *
 * The text of a child's result for a model; see skill_process_result_text.
 */
#include <string.h>

#include "skillet/process.h"
#include "util/buf.h"
#include "util/utf8.h"

#define MAX_TEXT (512u * 1024 * 1024)

/* Appends text; invalid UTF-8 and NUL become U+FFFD. */
static void add_clean(struct skill__buf *buf, const char *text, size_t length) {
  size_t start = 0;
  size_t i = 0;
  while (i < length) {
    size_t step = text[i] ? skill__utf8_length(text + i, length - i) : 0;
    if (step) {
      i += step;
      continue;
    }
    skill__buf_add(buf, text + start, i - start);
    skill__buf_text(buf, "\xef\xbf\xbd");
    start = ++i;
  }
  skill__buf_add(buf, text + start, length - start);
}

static void line_end(struct skill__buf *buf) {
  if (buf->length && buf->data[buf->length - 1] != '\n') skill__buf_char(buf, '\n');
}

static void add_status(struct skill__buf *buf, const SkillProcessResult *result) {
  if (result->status) {
    line_end(buf);
    skill__buf_printf(buf, "[%s after %.1f s", result->message, (double)result->elapsed_ms / 1000);
    if (result->exit_code > 0) skill__buf_printf(buf, "; exit status %d", result->exit_code);
    skill__buf_text(buf, "]\n");
  } else if (result->signal) {
    line_end(buf);
    skill__buf_printf(buf, "[ended by signal %d]\n", result->signal);
  } else if (result->exit_code != 0) {
    line_end(buf);
    skill__buf_printf(buf, "[exit status %d]\n", result->exit_code);
  } else if (buf->length == 0) {
    skill__buf_text(buf, "[no output]\n");
  }
}

int skill_process_result_text(const SkillProcessResult *result, char **text, size_t *length, int *status) {
  struct skill__buf buf;
  skill__buf_init(&buf, MAX_TEXT);
  add_clean(&buf, result->out, result->out_length);
  if (result->err_length) {
    line_end(&buf);
    skill__buf_text(&buf, "[standard error]\n");
    add_clean(&buf, result->err, result->err_length);
  }
  add_status(&buf, result);
  int written = skill__buf_status(&buf);
  if (!written) {
    *text = skill__buf_take(&buf, length);
    if (status) *status = !result->status && result->exit_code != 0 ? SKILL_EFAILED : result->status;
  }
  skill__buf_fini(&buf);
  return written;
}
