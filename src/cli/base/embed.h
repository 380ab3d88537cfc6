/* SPDX-License-Identifier: MIT
 *
 * Options of the commands that rank: an embedding endpoint that is used beside words and table.
 */
#ifndef SKILL_CLI_EMBED_H
#define SKILL_CLI_EMBED_H

#include "cli/base/cli.h"
#include "skillet/embed.h"

/* As given; NULL or 0: not given. CLI_EMBED_OPTIONS(words) is their part of an option table. */
struct cli_embed_words {
  const char *url, *model, *cache, *query_prefix, *skill_prefix;
  double weight;
};

#define CLI_EMBED_OPTIONS(words)                                                                                       \
  {CLI_TEXT, 0, "embed-url", "URL", "OpenAI-compatible embeddings, e.g. http://127.0.0.1:11434/v1", &(words).url},     \
      {CLI_TEXT, 0, "embed-model", "NAME", "their model; the key is $SKILLET_EMBED_KEY", &(words).model},              \
      {CLI_TEXT, 0, "embed-cache", "DIR", "where vectors are kept (~/.cache/skillet); \"\": nowhere", &(words).cache}, \
      {CLI_TEXT, 0, "embed-query-prefix", "TEXT", "what the model expects before a query", &(words).query_prefix},     \
      {CLI_TEXT, 0, "embed-skill-prefix", "TEXT", "what it expects before a skill", &(words).skill_prefix}, {          \
    CLI_REAL, 0, "embed-weight", "X", "weight of vectors against words and table (1)", &(words).weight                 \
  }

struct cli_embed {
  SkillEmbedder *embedder;   /* NULL: not wanted */
  SkillDenseOptions options; /* for skill_dense_new */
  struct cli *cli;
  const char *command;
  bool reported; /* its first failure */
};

/* Makes the embedder for the options, none without --embed-url. -1, or an exit status after a message. `embed` must not
 * move while a SkillDense uses its options. */
int cli_embed_open(struct cli *cli, const char *command, const struct cli_embed_words *words, struct cli_embed *embed);
void cli_embed_close(struct cli_embed *embed);

/* skill_ranker_query() on the registry's ranker, with vectors if `embed` has an embedder. */
int cli_embed_rank(struct cli_embed *embed, SkillRegistry *registry, const SkillQuery *query, SkillRanking **out,
                   SkillError *err);

#endif
