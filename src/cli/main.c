/* SPDX-License-Identifier: MIT
 *
 * The program: runs the command that the first word names.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/commands.h"
#include "util/near.h"

struct command {
  const char *name;
  const char *summary;
  cli_run *run;
};

static const struct command commands[] = {
#define X(name, summary) {#name, summary, cmd_##name},
    CLI_COMMANDS(X)
#undef X
        {NULL, NULL, NULL}};

static void setup(struct cli *cli) {
  memset(cli, 0, sizeof *cli);
  cli->out = stdout;
  cli->err = stderr;
  const char *no_colour = getenv("NO_COLOR");
  cli->terminal = isatty(STDOUT_FILENO);
  cli->colour = cli->terminal && !(no_colour && *no_colour);
  struct winsize size = {0};
  cli->columns = 80;
  if (cli->terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20) cli->columns = size.ws_col;
}

static void print_usage(FILE *to) {
  fputs(
      "usage: skillet COMMAND [OPTIONS] [ARGUMENTS]\n\n"
      "Manages thousands of skills and tools for an agent; only those in use cost context tokens.\n\n"
      "commands:\n",
      to);
  for (const struct command *c = commands; c->name; c++) fprintf(to, "  %-10s %s\n", c->name, c->summary);
  fputs(
      "\nskillet COMMAND --help describes a command. Exit status: 0 done; 1 done, and the answer is no; 2 wrong use;\n"
      "3 the input cannot be read; 4 something outside failed; 5 internal error.\n",
      to);
}

static const struct command *find_command(const char *name) {
  const struct command *c = commands;
  while (c->name && strcmp(name, c->name) != 0) c++;
  return c->name ? c : NULL;
}

static int no_command(struct cli *cli, const char *name) {
  struct skill__near near;
  char meant[300];
  skill__near_begin(&near, name, 3);
  for (const struct command *c = commands; c->name; c++) skill__near_offer(&near, c->name);
  skill__near_text(&near, "; did you mean ", "?", meant, sizeof meant);
  fprintf(cli->err, "skillet: there is no command '%s'%s\n", name, *meant ? meant : "; skillet --help lists them");
  return CLI_USAGE;
}

int main(int argc, char **argv) {
  struct cli cli;
  char help_option[] = "--help";
  char *help_of[] = {NULL, help_option, NULL};
  setup(&cli);
  if (argc < 2) {
    print_usage(cli.err);
    return CLI_USAGE;
  }
  bool help = !strcmp(argv[1], "help");
  if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || (help && argc == 2)) {
    print_usage(cli.out);
    return CLI_DONE;
  }
  if (!strcmp(argv[1], "--version")) {
    fprintf(cli.out, "skillet %s\n", skill_version());
    return CLI_DONE;
  }
  char *name = help_of[0] = argv[help ? 2 : 1];
  const struct command *c = find_command(name);
  if (!c) return no_command(&cli, name);
  int status = help ? c->run(&cli, 2, help_of) : c->run(&cli, argc - 1, argv + 1);
  return fflush(stdout) || ferror(stdout) ? CLI_OUTSIDE : status;
}
