/* SPDX-License-Identifier: MIT
 *
 * What all commands share: exit statuses, option parsing, output. A command is a file cmd_NAME.c with one function of
 * type cli_run, and a row in commands.h.
 */
#ifndef SKILL_CLI_CLI_H
#define SKILL_CLI_CLI_H

#include <stdio.h>

#include "skillet/skillet.h"
#include "util/buf.h"

enum {
  CLI_DONE = 0,    /* done */
  CLI_NO = 1,      /* done, and the answer is no: nothing found, findings in check */
  CLI_USAGE = 2,   /* wrong use of the command line */
  CLI_INPUT = 3,   /* the input cannot be read */
  CLI_OUTSIDE = 4, /* something outside failed: model, server, child process */
  CLI_INTERNAL = 5 /* a fault of skillet, or out of memory */
};

struct cli {
  FILE *out;
  FILE *err;
  bool terminal;  /* `out` is a terminal */
  bool colour;    /* and NO_COLOR is not set */
  size_t columns; /* width of the terminal; 80 if there is none */
};

/* argv[0] is the command's name. Returns an exit status. */
typedef int cli_run(struct cli *cli, int argc, char **argv);

/* --- options ------------------------------------------------------------------------------------------------------ */

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
  const char *value; /* name of the value in the help; NULL for flags */
  const char *help;
  void *target; /* bool, const char *, size_t, double or struct cli_list, by kind; its number is the default */
};

struct cli_usage {
  const char *synopsis; /* "skillet list [OPTIONS] [DIR…]" */
  const char *text;     /* description with examples; paragraphs are wrapped, indented lines are not */
};

/* Parses options anywhere among the words, up to "--". Adds the other words to `rest`, in order. Returns -1, or an exit
 * status: CLI_DONE after --help, CLI_USAGE after a message. */
int cli_parse(struct cli *cli, const struct cli_usage *usage, const struct cli_option *options, size_t count, int argc,
              char **argv, struct cli_list *rest);
int cli_list_add(struct cli_list *list, const char *item); /* 0 or SKILL_ENOMEM */
void cli_list_free(struct cli_list *list);

/* --- output ------------------------------------------------------------------------------------------------------- */

/* Escape sequences of colours; "" if colours are off. */
const char *cli_bold(const struct cli *cli);
const char *cli_dim(const struct cli *cli);
const char *cli_red(const struct cli *cli);
const char *cli_yellow(const struct cli *cli);
const char *cli_green(const struct cli *cli);
const char *cli_plain(const struct cli *cli); /* ends a colour */
const char *cli_level_colour(const struct cli *cli, SkillLevel level);

/* Prints text on one line, cut to `columns` with "…", unsafe characters as spaces. Returns the columns it took. */
size_t cli_cut(const struct cli *cli, const char *text, size_t columns);
/* Prints a name in bold, padded to `width`; on a terminal cut to it. Returns the columns. */
size_t cli_name(const struct cli *cli, const char *name, size_t width);
/* Prints text as it is; on a terminal, characters that move the cursor or hide text become spaces. */
void cli_put(const struct cli *cli, const char *text, size_t length);
/* Prints text on stderr, unsafe characters as spaces. For every text of foreign origin, paths and names too. */
void cli_tell(const struct cli *cli, const char *text);
/* Prints text wrapped at words, each line after the first indented. */
void cli_wrap(const struct cli *cli, const char *text, size_t indent);
/* The same if the first `column` columns of the first line are taken. */
void cli_wrap_from(const struct cli *cli, const char *text, size_t indent, size_t column);
/* Prints a field: the key, and from `column` on the value, wrapped. Nothing if the value is NULL or "". */
void cli_field(const struct cli *cli, const char *key, size_t column, const char *value);
/* The same for "a, b, c". */
void cli_field_list(const struct cli *cli, const char *key, size_t column, const SkillStrings *list);

/* Prints "skillet COMMAND: file:line:column: message" to stderr and returns the exit status that fits the code. */
int cli_fail(struct cli *cli, const char *command, const SkillError *err);

/* Prints the buffer and a line end to `out`, and frees it. CLI_DONE, or CLI_INTERNAL if writing the buffer failed. */
int cli_print_json(struct cli *cli, struct skill__buf *buf);

/* --- files -------------------------------------------------------------------------------------------------------- */

/* The SkillFileKind of what the path names, links followed; -1 if it does not exist. */
int cli_path_kind(const char *path);

/* Reads a whole file of at most `most` bytes, which may be a pipe. NULL on failure. Owned: release with skill_free. */
char *cli_read_file(const char *path, size_t most, size_t *length, SkillError *err);

#endif
