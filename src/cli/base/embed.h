/* SPDX-License-Identifier: MIT
 *
 * The options by which commands that rank use an embedding endpoint beside words and table.
 */
#ifndef SKILL_CLI_EMBED_H
#define SKILL_CLI_EMBED_H

#include "cli/base/cli.h"
#include "skillet/embed.h"

/* As text the user gave; NULL or false: not given. Put CLI_EMBED_OPTIONS(words) into the command's option table. */
struct cli_embed_words {
  const char *url, *model, *cache, *query_prefix, *skill_prefix;
  double weight;
  bool rrf;
};

#define CLI_EMBED_OPTIONS(words)                                                                                       \
  {CLI_TEXT, 0, "embed-url", "URL", "OpenAI-compatible embeddings, e.g. http://127.0.0.1:11434/v1", &(words).url},     \
      {CLI_TEXT, 0, "embed-model", "NAME", "its model; the key is taken from $SKILLET_EMBED_KEY", &(words).model},     \
      {CLI_TEXT, 0, "embed-cache", "DIR", "where vectors are kept (~/.cache/skillet); \"\": nowhere", &(words).cache}, \
      {CLI_TEXT,                                                                                                       \
       0,                                                                                                              \
       "embed-query-prefix",                                                                                           \
       "TEXT",                                                                                                         \
       "put before queries, where the model wants it",                                                                 \
       &(words).query_prefix},                                                                                         \
      {CLI_TEXT, 0, "embed-skill-prefix", "TEXT", "put before skills", &(words).skill_prefix},                         \
      {CLI_REAL, 0, "embed-weight", "X", "of vectors against words and table (1)", &(words).weight}, {                 \
    CLI_FLAG, 0, "embed-rrf", NULL, "fuse by reciprocal ranks instead of scores", &(words).rrf                         \
  }

struct cli_embed {
  SkillEmbedder *embedder;   /* NULL: none is wanted */
  SkillDenseOptions options; /* for skill_dense_new */
  struct cli *cli;
  const char *command;
  bool told; /* that it failed; said once */
};

/* Makes the embedder that the words ask for; without an --embed-url there is none. -1 to go on, or an exit status after
 * a message. `embed` must stay where it is while a SkillDense uses its options. */
int cli_embed_open(struct cli *cli, const char *command, const struct cli_embed_words *words, struct cli_embed *embed);
void cli_embed_close(struct cli_embed *embed);

/* skill_ranker_query on the registry's ranker, with vectors where `embed` has an embedder. */
int cli_embed_rank(struct cli_embed *embed, SkillRegistry *registry, const SkillQuery *query, SkillRanking **out,
                   SkillError *err);

#endif
