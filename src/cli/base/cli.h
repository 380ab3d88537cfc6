/* SPDX-License-Identifier: MIT
 *
 * What every command shares: exit statuses, option parsing, output. A command is one file cmd_NAME.c with one function
 * of type cli_run, listed in commands.h.
 */
#ifndef SKILL_CLI_CLI_H
#define SKILL_CLI_CLI_H

#include <stdio.h>

#include "skillet/skillet.h"
#include "util/buf.h"

enum {
  CLI_DONE = 0,    /* done */
  CLI_NO = 1,      /* done, and the answer is no: nothing found, findings in check */
  CLI_USAGE = 2,   /* wrong use */
  CLI_INPUT = 3,   /* the input cannot be read */
  CLI_OUTSIDE = 4, /* something outside failed: model, server, child process */
  CLI_INTERNAL = 5 /* a fault of skillet's own, or no memory */
};

struct cli {
  FILE *out;
  FILE *err;
  bool terminal;  /* `out` is one */
  bool colour;    /* it is, and NO_COLOR is not set */
  size_t columns; /* width to fit; 80 where it is unknown */
};

/* argv[0] is the command's name. Returns an exit status. */
typedef int cli_run(struct cli *cli, int argc, char **argv);

/* --- options ---------------------------------------------------------------------------------------------------- */

enum cli_option_kind { CLI_FLAG, CLI_TEXT, CLI_SIZE, CLI_REAL, CLI_LIST };

struct cli_list {
  const char **items;
  size_t count;
  size_t capacity;
};

struct cli_option {
  enum cli_option_kind kind;
  char letter;       /* 0: none */
  const char *name;  /* without the dashes */
  const char *value; /* what the help calls the value; NULL for flags */
  const char *help;
  void *target; /* bool, const char *, size_t, double or struct cli_list, by kind */
};

struct cli_usage {
  const char *synopsis; /* "skillet list [OPTIONS] [DIR…]" */
  const char *text;     /* paragraphs that say what it does, with examples */
};

/* Reads options anywhere among the words; "--" ends them. `rest` receives the other words, in order.
 * Returns -1 to go on, or an exit status: 0 after --help, CLI_USAGE after a message. */
int cli_parse(struct cli *cli, const struct cli_usage *usage, const struct cli_option *options, size_t count, int argc,
              char **argv, struct cli_list *rest);
int cli_list_add(struct cli_list *list, const char *item); /* 0 or SKILL_ENOMEM */
void cli_list_free(struct cli_list *list);

/* --- output ----------------------------------------------------------------------------------------------------- */

/* Colours; each returns "" where colours are off. */
const char *cli_bold(const struct cli *cli);
const char *cli_dim(const struct cli *cli);
const char *cli_red(const struct cli *cli);
const char *cli_yellow(const struct cli *cli);
const char *cli_green(const struct cli *cli);
const char *cli_plain(const struct cli *cli); /* ends a colour */

/* Prints text on one line cut to `columns` with "…"; control characters are shown as spaces. Returns the columns. */
size_t cli_cut(const struct cli *cli, const char *text, size_t columns);
/* Prints text as it is, but on a terminal characters that would move the cursor or hide text as spaces. */
void cli_put(const struct cli *cli, const char *text, size_t length);
/* Prints text on stderr, control characters as spaces: for what a stranger may have written, paths and names too. */
void cli_tell(const struct cli *cli, const char *text);
/* Prints text wrapped at words, each line after the first indented. */
void cli_wrap(const struct cli *cli, const char *text, size_t indent);
/* The same where `column` columns of the first line are taken. */
void cli_wrap_from(const struct cli *cli, const char *text, size_t indent, size_t column);
/* Prints a field: the key, and from `column` on the value, wrapped. Nothing if the value is NULL or "". */
void cli_field(const struct cli *cli, const char *key, size_t column, const char *value);
/* The same for "a, b, c". */
void cli_field_list(const struct cli *cli, const char *key, size_t column, const SkillStrings *list);

/* Prints "skillet COMMAND: file:line:column: message" to stderr and returns the exit status that fits the code. */
int cli_fail(struct cli *cli, const char *command, const SkillError *err);

/* Prints the buffer and a line end to `out`, and frees it. CLI_DONE, or CLI_INTERNAL if writing the buffer failed. */
int cli_print_json(struct cli *cli, struct skill__buf *buf);

#endif
