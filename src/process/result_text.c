/* SPDX-License-Identifier: MIT
 *
 * The text of a child's result for a model; see skill_process_result_text.
 */
#include "skillet/process.h"
#include "util/buf.h"

#define MAX_TEXT (512u * 1024 * 1024)

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
  skill__buf_clean(&buf, result->out, result->out_length);
  if (result->err_length) {
    line_end(&buf);
    skill__buf_text(&buf, "[standard error]\n");
    skill__buf_clean(&buf, result->err, result->err_length);
  }
  add_status(&buf, result);
  int written = skill__buf_finish(&buf, text, length);
  if (!written && status) *status = !result->status && result->exit_code != 0 ? SKILL_EFAILED : result->status;
  return written;
}
