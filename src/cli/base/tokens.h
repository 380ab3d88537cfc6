/* SPDX-License-Identifier: MIT
 *
 * For commands that count tokens: the tokenizer with its cache of counts, and how counts are printed.
 */
#ifndef SKILL_CLI_TOKENS_H
#define SKILL_CLI_TOKENS_H

#include "cli/base/cli.h"
#include "util/number.h"

struct cli_tokenizer {
  SkillTokenizer *use; /* count with this */
  SkillTokenizer *exact;
  SkillTokenizer *cache;
};

/* Opens `name` ("o200k_base", "cl100k_base", "estimate"; NULL: o200k_base, or the estimate without its vocabulary).
 * `remember`: cache counts of long texts in the user's cache folder. -1, or an exit status after a message. */
int cli_tokenizer_open(struct cli *cli, const char *command, const char *name, bool remember,
                       struct cli_tokenizer *out);
/* Saves new counts; a cache that cannot be written is not an error. */
void cli_tokenizer_close(struct cli_tokenizer *tokenizer);

enum { CLI_COUNT_SIZE = SKILL__NUMBER_SIZE + 1 };

/* "12,345", with a leading "~" if the tokenizer is not exact. Returns `out`. */
const char *cli_count(char out[CLI_COUNT_SIZE], double number, const SkillTokenizer *tokenizer);

/* Shows the progress of a long count on a terminal's stderr, and clears the line at the end. */
void cli_progress(struct cli *cli, const char *what, size_t done, size_t total);

/* Prints a bar of at most `width` columns for `value` of `most`. */
void cli_bar(const struct cli *cli, double value, double most, size_t width);

#endif
