/* SPDX-License-Identifier: MIT
 *
 * Lines over libedit; without a terminal, lines of standard input. The history is in $XDG_STATE_HOME/skillet/history or
 * ~/.local/state/skillet/history, which only the user can read. If that cannot be written, there is no history.
 */
#include "cli/session/line.h"

#include <histedit.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/buf.h"
#include "util/user_path.h"

enum { HISTORY_LINES = 1000, PATH_SIZE = 4096, MOST_BYTES = 1 << 20 };

struct cli_line {
  EditLine *edit; /* NULL: no terminal */
  History *history;
  const char *prompt;
  struct skill__buf plain; /* a line from no terminal */
  char path[PATH_SIZE];
};

static char *prompt_of(EditLine *edit) {
  struct cli_line *line = NULL;
  el_get(edit, EL_CLIENTDATA, &line);
  return (char *)(uintptr_t)(line && line->prompt ? line->prompt : "");
}

static void make_folders(char *path) {
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    (void)mkdir(path, 0700);
    *slash = '/';
  }
}

struct cli_line *cli_line_open(const char *program) {
  struct cli_line *line = skill__calloc(1, sizeof *line);
  HistEvent event;
  if (line) skill__buf_init(&line->plain, MOST_BYTES);
  if (!line || !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) return line;
  line->edit = el_init(program, stdin, stdout, stderr);
  line->history = history_init();
  if (!line->edit || !line->history) {
    cli_line_close(line);
    return NULL;
  }
  if (skill__user_path("XDG_STATE_HOME", ".local/state", "history", line->path, sizeof line->path)) {
    make_folders(line->path);
  }
  history(line->history, &event, H_SETSIZE, HISTORY_LINES);
  history(line->history, &event, H_SETUNIQUE, 1);
  if (line->path[0]) history(line->history, &event, H_LOAD, line->path);
  el_set(line->edit, EL_CLIENTDATA, line);
  el_set(line->edit, EL_PROMPT, prompt_of);
  el_set(line->edit, EL_EDITOR, "emacs");
  el_set(line->edit, EL_SIGNAL, 1);
  el_set(line->edit, EL_HIST, history, line->history);
  el_source(line->edit, NULL);
  return line;
}

static const char *read_plain(struct cli_line *line) {
  int c;
  skill__buf_clear(&line->plain);
  while ((c = getc(stdin)) != EOF) {
    skill__buf_char(&line->plain, (char)c);
    if (c == '\n') break;
  }
  return line->plain.length && !skill__buf_status(&line->plain) ? line->plain.data : NULL;
}

const char *cli_line_read(struct cli_line *line, const char *prompt) {
  int count = 0;
  HistEvent event;
  if (!line->edit) return read_plain(line);
  line->prompt = prompt;
  const char *text = el_gets(line->edit, &count);
  if (!text || count <= 0) return NULL;
  if (text[0] != '\n' && prompt[0] == '>') history(line->history, &event, H_ENTER, text);
  return text;
}

void cli_line_close(struct cli_line *line) {
  HistEvent event;
  if (!line) return;
  if (line->history && line->path[0]) {
    mode_t before = umask(0077);
    history(line->history, &event, H_SAVE, line->path);
    umask(before);
  }
  if (line->history) history_end(line->history);
  if (line->edit) el_end(line->edit);
  skill__buf_fini(&line->plain);
  skill__free(line);
}
