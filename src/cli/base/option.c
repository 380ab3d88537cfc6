/* SPDX-License-Identifier: MIT
 *
 * Option parsing. Options are allowed anywhere, with values as "--name VALUE", "--name=VALUE", "-n VALUE" or "-nVALUE".
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/cli.h"
#include "util/alloc.h"
#include "util/near.h"

int cli_list_add(struct cli_list *list, const char *item) {
  if (SKILL__GROW(list->items, list->capacity, list->count + 1)) return SKILL_ENOMEM;
  list->items[list->count++] = item;
  return 0;
}

void cli_list_free(struct cli_list *list) {
  skill__free(list->items);
  memset(list, 0, sizeof *list);
}

/* The help text of an option. A number that is set before parsing is the default. */
static void option_text(const struct cli_option *option, char *out, size_t size) {
  int used = snprintf(out, size, "%s", option->help);
  size_t left = used >= 0 && (size_t)used < size ? size - (size_t)used : 0;
  if (option->kind == CLI_SIZE && *(size_t *)option->target) {
    snprintf(out + used, left, " (default %zu)", *(size_t *)option->target);
  } else if (option->kind == CLI_REAL && *(double *)option->target != 0) {
    snprintf(out + used, left, " (default %g)", *(double *)option->target);
  }
}

static void print_option(struct cli *cli, const struct cli_option *option) {
  char left[64];
  char letter[8] = "    ";
  char text[600];
  if (option->letter) snprintf(letter, sizeof letter, "-%c, ", option->letter);
  snprintf(left, sizeof left, "%s--%s%s%s", letter, option->name, option->value ? " " : "",
           option->value ? option->value : "");
  fprintf(cli->out, strlen(left) > 26 ? "  %s\n%29s" : "  %-26s %s", left, "");
  option_text(option, text, sizeof text);
  cli_wrap(cli, text, 29);
}

/* Paragraphs are filled to the terminal's width; indented and empty lines stay as they are. */
static void print_text(struct cli *cli, const char *text) {
  while (*text) {
    size_t length = strcspn(text, "\n");
    bool filled = length && *text != ' ';
    while (filled && text[length] && !strchr(" \n", text[length + 1])) length += 1 + strcspn(text + length + 1, "\n");
    char *paragraph = filled ? skill__strndup(text, length) : NULL;
    if (paragraph)
      cli_wrap(cli, paragraph, 0);
    else
      fprintf(cli->out, "%.*s\n", (int)length, text);
    skill__free(paragraph);
    text += length + (text[length] == '\n');
  }
}

static int print_help(struct cli *cli, const struct cli_usage *usage, const struct cli_option *options, size_t count) {
  fprintf(cli->out, "usage: %s\n\n", usage->synopsis);
  print_text(cli, usage->text);
  fputs("\noptions:\n", cli->out);
  for (size_t i = 0; i < count; i++) print_option(cli, &options[i]);
  const struct cli_option help = {CLI_FLAG, 'h', "help", NULL, "print this and exit", NULL};
  print_option(cli, &help);
  return CLI_DONE;
}

static bool set_size(const char *value, size_t *target) {
  char *end = NULL;
  errno = 0;
  unsigned long long number = strtoull(value, &end, 10);
  if (errno || end == value || *end || *value == '-') return false;
  *target = (size_t)number;
  return true;
}

static bool set_real(const char *value, double *target) {
  char *end = NULL;
  double number = strtod(value, &end);
  if (end == value || *end || !isfinite(number)) return false;
  *target = number;
  return true;
}

static bool set_value(const struct cli_option *option, const char *value) {
  switch (option->kind) {
    case CLI_FLAG:
      *(bool *)option->target = true;
      return true;
    case CLI_TEXT:
      *(const char **)option->target = value;
      return true;
    case CLI_SIZE:
      return set_size(value, option->target);
    case CLI_REAL:
      return set_real(value, option->target);
    case CLI_LIST:
      return cli_list_add(option->target, value) == 0;
  }
  return false;
}

static const struct cli_option *find_option(const struct cli_option *options, size_t count, const char *word,
                                            const char **value) {
  *value = NULL;
  for (size_t i = 0; i < count; i++) {
    const struct cli_option *option = &options[i];
    if (word[1] != '-') {
      if (!option->letter || word[1] != option->letter) continue;
      if (option->kind == CLI_FLAG && word[2]) continue;
      *value = word[2] ? word + 2 : NULL;
      return option;
    }
    size_t length = strlen(option->name);
    if (strncmp(word + 2, option->name, length) != 0) continue;
    if (word[2 + length] == '=') *value = word + 3 + length;
    if (!word[2 + length] || *value) return option;
  }
  return NULL;
}

static int wrong(struct cli *cli, const char *command, const char *before, const char *word, const char *after) {
  fprintf(cli->err, "skillet %s: %s'%s'%s; see skillet %s --help\n", command, before, word, after, command);
  return CLI_USAGE;
}

/* A word of several letters after one dash is taken for a long option, too. */
static int unknown(struct cli *cli, const struct cli_option *options, size_t count, const char *command,
                   const char *word) {
  struct skill__near near;
  char name[SKILL__NEAR_LONGEST];
  const char *bare = word + 1 + (word[1] == '-');
  snprintf(name, sizeof name, "%.*s", (int)strcspn(bare, "="), bare);
  skill__near_begin(&near, name[0] && name[1] ? name : "", 1);
  for (size_t i = 0; i < count; i++) skill__near_offer(&near, options[i].name);
  skill__near_offer(&near, "help");
  if (!near.count) return wrong(cli, command, "unknown option ", word, "");
  fprintf(cli->err, "skillet %s: unknown option '%s'; did you mean --%s?\n", command, word, near.names[0]);
  return CLI_USAGE;
}

static int take_option(struct cli *cli, const struct cli_option *options, size_t count, int argc, char **argv, int *i) {
  const char *value = NULL;
  const struct cli_option *option = find_option(options, count, argv[*i], &value);
  if (!option) return unknown(cli, options, count, argv[0], argv[*i]);
  if (option->kind == CLI_FLAG && value) return wrong(cli, argv[0], "option ", argv[*i], " takes no value");
  if (option->kind != CLI_FLAG && !value) {
    if (*i + 1 >= argc) return wrong(cli, argv[0], "option ", argv[*i], " needs a value");
    value = argv[++*i];
  }
  if (!set_value(option, value)) {
    fprintf(cli->err, "skillet %s: --%s needs a %snumber, not '%s'\n", argv[0], option->name,
            option->kind == CLI_SIZE ? "whole " : "", value);
    return CLI_USAGE;
  }
  return -1;
}

int cli_parse(struct cli *cli, const struct cli_usage *usage, const struct cli_option *options, size_t count, int argc,
              char **argv, struct cli_list *rest) {
  bool ended = false;
  for (int i = 1; i < argc; i++) {
    bool option = !ended && argv[i][0] == '-' && argv[i][1];
    if (option && (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))) {
      return print_help(cli, usage, options, count);
    }
    if (option && !strcmp(argv[i], "--")) {
      ended = true;
      continue;
    }
    int status = -1;
    if (option) {
      status = take_option(cli, options, count, argc, argv, &i);
    } else if (cli_list_add(rest, argv[i])) {
      status = CLI_INTERNAL;
    }
    if (status >= 0) return status;
  }
  return -1;
}
