/* SPDX-License-Identifier: MIT
 *
 * Reads lines, with editing and history on a terminal.
 */
#ifndef SKILL_CLI_LINE_H
#define SKILL_CLI_LINE_H

struct cli_line;

/* NULL: out of memory. */
struct cli_line *cli_line_open(const char *program);
void cli_line_close(struct cli_line *line); /* saves the history; NULL is ignored */

/* The next line with its end, valid until the next call; NULL at the end of the input. */
const char *cli_line_read(struct cli_line *line, const char *prompt);

#endif
