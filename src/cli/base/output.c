/* SPDX-License-Identifier: MIT
 *
 * Output: colours, cutting and wrapping by display columns, errors, JSON.
 */
#include <string.h>

#include "cli/base/cli.h"
#include "util/utf8.h"

static const char *escape(const struct cli *cli, const char *sequence) {
  return cli->colour ? sequence : "";
}

const char *cli_bold(const struct cli *cli) {
  return escape(cli, "\033[1m");
}
const char *cli_dim(const struct cli *cli) {
  return escape(cli, "\033[2m");
}
const char *cli_red(const struct cli *cli) {
  return escape(cli, "\033[31m");
}
const char *cli_yellow(const struct cli *cli) {
  return escape(cli, "\033[33m");
}
const char *cli_green(const struct cli *cli) {
  return escape(cli, "\033[32m");
}
const char *cli_plain(const struct cli *cli) {
  return escape(cli, "\033[0m");
}

const char *cli_level_colour(const struct cli *cli, SkillLevel level) {
  switch (level) {
    case SKILL_LEVEL_ERROR:
      return cli_red(cli);
    case SKILL_LEVEL_WARNING:
      return cli_yellow(cli);
    default:
      return cli_dim(cli);
  }
}

/* Characters that move the cursor or hide text must not reach a terminal. The joiners U+200C and U+200D are allowed:
 * Persian and emoji need them. */
static bool unsafe(uint32_t rune) {
  return rune < 0x20 || (rune >= 0x7f && rune < 0xa0) || rune == 0x200b || rune == 0x200e || rune == 0x200f ||
         (rune >= 0x2028 && rune <= 0x202e) || (rune >= 0x2066 && rune <= 0x2069) || rune == 0xfeff ||
         (rune >= 0xe0000 && rune <= 0xe007f);
}

static size_t put_rune(const struct cli *cli, const char *text, size_t length, size_t *columns) {
  uint32_t rune = 0;
  size_t n = skill__utf8_decode(text, length, &rune);
  if (!n || unsafe(rune)) {
    fputc(n ? ' ' : '?', cli->out);
    *columns = 1;
    return n ? n : 1;
  }
  fwrite(text, 1, n, cli->out);
  *columns = skill__utf8_columns(text, n);
  return n;
}

/* Length of the leading printable ASCII, one column each. */
static size_t plain_run(const char *text, size_t length) {
  size_t n = 0;
  while (n < length && text[n] >= 0x20 && text[n] < 0x7f) n++;
  return n;
}

/* Prints all of the text, with unsafe characters other than those in `allowed` as spaces. Returns the columns. */
static size_t put_safe(const struct cli *cli, const char *text, size_t length, const char *allowed) {
  size_t used = 0;
  for (size_t i = 0; i < length;) {
    size_t put = plain_run(text + i, length - i);
    if (!put && text[i] && strchr(allowed, text[i])) put = 1;
    if (put) {
      fwrite(text + i, 1, put, cli->out);
      i += put;
    } else {
      i += put_rune(cli, text + i, length - i, &put);
    }
    used += put;
  }
  return used;
}

void cli_put(const struct cli *cli, const char *text, size_t length) {
  if (cli->terminal) {
    put_safe(cli, text, length, "\n\t");
  } else {
    fwrite(text, 1, length, cli->out);
  }
}

size_t cli_cut(const struct cli *cli, const char *text, size_t columns) {
  size_t length = strlen(text);
  size_t used = 0;
  if (columns >= length || skill__utf8_columns(text, length) <= columns) return put_safe(cli, text, length, "");
  for (size_t i = 0; i < length;) {
    uint32_t rune = 0;
    size_t n = skill__utf8_decode(text + i, length - i, &rune);
    size_t width = n ? skill__utf8_columns(text + i, n) : 1;
    if (used + width + 1 > columns) {
      fputs("…", cli->out);
      return used + 1;
    }
    size_t put = 0;
    i += put_rune(cli, text + i, length - i, &put);
    used += put;
  }
  return used;
}

size_t cli_name(const struct cli *cli, const char *name, size_t width) {
  fputs(cli_bold(cli), cli->out);
  size_t used = cli_cut(cli, name, cli->terminal ? width : SIZE_MAX);
  if (used > width) width = used;
  fprintf(cli->out, "%s%*s", cli_plain(cli), (int)(width - used), "");
  return width;
}

void cli_wrap_from(const struct cli *cli, const char *text, size_t indent, size_t column) {
  bool begun = false; /* the line holds a word */
  while (*text) {
    size_t word = strcspn(text, " \n");
    size_t width = skill__utf8_columns(text, word);
    if (begun && column + 1 + width > cli->columns) {
      fprintf(cli->out, "\n%*s", (int)indent, "");
      column = indent;
    } else if (begun) {
      fputc(' ', cli->out);
      column++;
    }
    put_safe(cli, text, word, "");
    column += width;
    begun = true;
    text += word;
    while (*text == ' ' || *text == '\n') text++;
  }
  fputc('\n', cli->out);
}

void cli_wrap(const struct cli *cli, const char *text, size_t indent) {
  cli_wrap_from(cli, text, indent, indent);
}

void cli_field(const struct cli *cli, const char *key, size_t column, const char *value) {
  if (!value || !*value) return;
  fputs(cli_dim(cli), cli->out);
  size_t used = cli_cut(cli, key, SIZE_MAX);
  size_t blanks = used < column ? column - used : 1;
  fprintf(cli->out, "%s%*s", cli_plain(cli), (int)blanks, "");
  cli_wrap_from(cli, value, column, used + blanks);
}

void cli_field_list(const struct cli *cli, const char *key, size_t column, const SkillStrings *list) {
  struct skill__buf buf;
  skill__buf_init(&buf, 1 << 20);
  for (size_t i = 0; i < list->count; i++) skill__buf_printf(&buf, i ? ", %s" : "%s", list->items[i]);
  cli_field(cli, key, column, buf.data);
  skill__buf_fini(&buf);
}

void cli_tell(const struct cli *cli, const char *text) {
  struct cli there = *cli;
  there.out = cli->err;
  cli_cut(&there, text, SIZE_MAX);
}

static int exit_status_of(int status) {
  switch (status) {
    case SKILL_ENOENT:
      return CLI_NO;
    case SKILL_EINVAL:
      return CLI_USAGE;
    case SKILL_ENOMEM:
      return CLI_INTERNAL;
    case SKILL_EREMOTE:
    case SKILL_ETIMEDOUT:
    case SKILL_EFAILED:
      return CLI_OUTSIDE;
    default:
      return CLI_INPUT;
  }
}

int cli_fail(struct cli *cli, const char *command, const SkillError *err) {
  fprintf(cli->err, "skillet %s: ", command);
  if (err->file[0]) cli_tell(cli, err->file);
  if (err->file[0]) fputc(':', cli->err);
  if (err->file[0] && err->line) fprintf(cli->err, "%u:", err->line);
  if (err->file[0] && err->line && err->column) fprintf(cli->err, "%u:", err->column);
  if (err->file[0]) fputc(' ', cli->err);
  cli_tell(cli, err->message[0] ? err->message : skill_strerror(err->code));
  fputc('\n', cli->err);
  return exit_status_of(err->code);
}

int cli_print_json(struct cli *cli, struct skill__buf *buf) {
  int status = skill__buf_status(buf);
  if (status) {
    fprintf(cli->err, "skillet: %s\n", skill_strerror(status));
  } else {
    fprintf(cli->out, "%s\n", buf->data);
  }
  skill__buf_fini(buf);
  return status ? CLI_INTERNAL : CLI_DONE;
}
