/* SPDX-License-Identifier: MIT
 *
 * Tokenizers and counts; see tokens.h.
 */
#include "cli/base/tokens.h"

#include <string.h>
#include <unistd.h>

#include "tokens/count_cache.h"

static void add_cache(struct cli_tokenizer *tokenizer) {
  char path[SKILL_MAX_PATH];
  if (!skill__count_cache_path(tokenizer->exact->name, path, sizeof path)) return;
  if (skill__count_cache_open(tokenizer->exact, skill_io_posix(), path, &tokenizer->cache)) return;
  tokenizer->use = tokenizer->cache;
}

int cli_tokenizer_open(struct cli *cli, const char *command, const char *name, bool remember,
                       struct cli_tokenizer *out) {
  SkillError err = SKILL_ERROR_INIT;
  *out = (struct cli_tokenizer){.use = skill_tokenizer_estimate()};
  if (name && !strcmp(name, "estimate")) return -1;
  int status = skill_tokenizer_open(name ? name : "o200k_base", NULL, &out->exact, &err);
  if (status == SKILL_ENOENT && !name) {
    fprintf(cli->err, "skillet %s: counts are estimates (~); run scripts/fetch-vocabulary.sh for exact counts\n",
            command);
    return -1;
  }
  if (status == SKILL_ENOENT && strcmp(name, "o200k_base") != 0 && strcmp(name, "cl100k_base") != 0) {
    fprintf(cli->err, "skillet %s: there is no tokenizer '%s'; use o200k_base, cl100k_base or estimate\n", command,
            name);
    return CLI_USAGE;
  }
  if (status) {
    int exit_status = cli_fail(cli, command, &err);
    return exit_status == CLI_NO ? CLI_INPUT : exit_status;
  }
  out->use = out->exact;
  if (remember) add_cache(out);
  return -1;
}

void cli_tokenizer_close(struct cli_tokenizer *tokenizer) {
  if (tokenizer->cache) skill__count_cache_save(tokenizer->cache);
  skill_tokenizer_free(tokenizer->cache);
  skill_tokenizer_free(tokenizer->exact);
  *tokenizer = (struct cli_tokenizer){NULL, NULL, NULL};
}

const char *cli_count(char out[CLI_COUNT_SIZE], double number, const SkillTokenizer *tokenizer) {
  bool estimated = tokenizer && !tokenizer->exact;
  out[0] = '~';
  skill__number_text(out + estimated, number);
  return out;
}

void cli_progress(struct cli *cli, const char *what, size_t done, size_t total) {
  if (total < 200 || !isatty(STDERR_FILENO)) return;
  bool step = done == 1 || done * 100 / total != (done - 1) * 100 / total;
  if (done >= total) {
    fputs("\r\033[K", cli->err);
  } else if (step) {
    fprintf(cli->err, "\r%s: %zu of %zu", what, done, total);
  }
  fflush(cli->err);
}

void cli_bar(const struct cli *cli, double value, double most, size_t width) {
  static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  double cells = most > 0 ? value / most * (double)width : 0;
  if (cells < 0) cells = 0;
  if (cells > (double)width) cells = (double)width;
  size_t parts = (size_t)(cells * 8 + 0.5);
  if (!parts && value > 0) parts = 1;
  fputs(cli_green(cli), cli->out);
  for (size_t i = 0; i < parts / 8; i++) fputs("█", cli->out);
  fputs(eighths[parts % 8], cli->out);
  fputs(cli_plain(cli), cli->out);
}
