/* SPDX-License-Identifier: MIT
 *
 * Options -> an embedder with a cache. The first failure of its server is reported on stderr, and ranking continues
 * without it.
 */
#include "cli/base/embed.h"

#include <stdlib.h>

#include "util/user_path.h"

static void on_event(const SkillEvent *event, void *user) {
  struct cli_embed *embed = user;
  if (embed->reported || event->kind != SKILL_EVENT_DEGRADED) return;
  embed->reported = true;
  fprintf(embed->cli->err, "skillet %s: ranked without embeddings: ", embed->command);
  cli_tell(embed->cli, event->reason); /* a server may have written it */
  fputc('\n', embed->cli->err);
}

static int open_embedder(const struct cli_embed_words *words, SkillEmbedder **out, SkillError *err) {
  SkillEmbedderOptions options = SKILL_EMBEDDER_OPTIONS_INIT;
  options.url = words->url;
  options.model = words->model;
  options.query_prefix = words->query_prefix;
  options.skill_prefix = words->skill_prefix;
  options.key = getenv("SKILLET_EMBED_KEY");
  if (options.key && !*options.key) options.key = NULL;
  SkillEmbedder *plain = NULL;
  int status = skill_embedder_openai(&options, &plain, err);
  if (status) return status;
  char usual[SKILL_MAX_PATH];
  const char *folder = words->cache; /* "": no cache */
  if (!folder) {
    skill__user_path("XDG_CACHE_HOME", ".cache", "", usual, sizeof usual);
    folder = usual;
  }
  if (*folder) status = skill_embedder_cache(plain, NULL, folder, out, err);
  if (!*folder) *out = plain;
  if (status) skill_embedder_free(plain);
  return status;
}

int cli_embed_open(struct cli *cli, const char *command, const struct cli_embed_words *words, struct cli_embed *embed) {
  *embed = (struct cli_embed){.cli = cli, .command = command};
  if (!words->url) {
    if (!words->model) return -1;
    fprintf(cli->err, "skillet %s: --embed-model needs --embed-url\n", command);
    return CLI_USAGE;
  }
  embed->options = (SkillDenseOptions){.size = sizeof embed->options, .weight = words->weight, .on_event = on_event};
  embed->options.user = embed;
  SkillError err = SKILL_ERROR_INIT;
  if (!open_embedder(words, &embed->embedder, &err)) return -1;
  cli_fail(cli, command, &err);
  return err.code == SKILL_EINVAL ? CLI_USAGE : CLI_INTERNAL;
}

void cli_embed_close(struct cli_embed *embed) {
  skill_embedder_free(embed->embedder);
  embed->embedder = NULL;
}

int cli_embed_rank(struct cli_embed *embed, SkillRegistry *registry, const SkillQuery *query, SkillRanking **out,
                   SkillError *err) {
  SkillRanker *ranker = skill_registry_ranker(registry);
  if (!embed->embedder) return skill_ranker_query(ranker, query, out, err);
  SkillDense *dense = NULL;
  SkillRankSnapshot *snapshot = NULL;
  int status = skill_dense_new(embed->embedder, &embed->options, &dense, err);
  for (Skill *skill = NULL; !status && (skill = skill_registry_next(registry, skill));) {
    status = skill_dense_add(dense, skill_metadata(skill), err);
  }
  if (!status && skill_ranker_snapshot(ranker, &snapshot)) status = skill_error_set(err, SKILL_ENOMEM, "out of memory");
  if (!status) status = skill_dense_rank(dense, snapshot, query, out, err);
  skill_rank_snapshot_release(snapshot);
  skill_dense_free(dense);
  return status;
}
