/* SPDX-License-Identifier: MIT
 *
 * Bans with typing errors. A ban may name a skill or tool that does not exist yet. But a name that matches nothing and
 * is one typing error away from an existing name is probably a mistake, and then that skill or tool is not banned.
 */
#include <string.h>

#include "cli/session/session.h"
#include "gateway/permission.h"
#include "util/near.h"

enum { LEAST = 4 }; /* characters: shorter names are near too many others */

struct ban {
  const char *name;
  bool fits;        /* it matches something */
  const char *near; /* an existing name, one typing error away */
};

static void look_at(struct ban *ban, const char *name) {
  ban->fits = ban->fits || skill__name_listed((SkillStrings){&ban->name, 1}, name, true);
  if (!ban->near && skill__near_typo(ban->name, name)) ban->near = name;
}

static void check(const struct cli_session *session, const char *key, const char *name, bool tools) {
  struct ban ban = {.name = name};
  const SkillRegistry *registry = session->catalog.registry;
  if (strlen(name) < LEAST) return;
  for (const Skill *skill = NULL; (skill = skill_registry_next(registry, skill)) != NULL && !ban.fits;) {
    const SkillMetadata *metadata = skill_metadata(skill);
    if (!tools) look_at(&ban, metadata->name);
    for (size_t i = 0; tools && i < metadata->tool_count; i++) look_at(&ban, metadata->tools[i].name);
  }
  if (ban.fits || !ban.near) return;
  FILE *err = session->cli->err;
  fprintf(err, "skillet %s: %s: there is no %s '", session->command, key, tools ? "tool" : "skill");
  cli_tell(session->cli, name);
  fputs("' here; did you mean ", err);
  cli_tell(session->cli, ban.near);
  fputs("?\n", err);
}

void cli_session_check_bans(const struct cli_session *session) {
  const SkillConfig *config = session->config;
  const SkillConfigAssistant *assistant = session->assistant;
  for (size_t i = 0; i < config->disabled_skills.count; i++) {
    check(session, "disabled_skills", config->disabled_skills.items[i], false);
  }
  for (size_t i = 0; i < config->disabled_tools.count; i++) {
    check(session, "disabled_tools", config->disabled_tools.items[i], true);
  }
  for (size_t i = 0; assistant && i < assistant->preference_count; i++) {
    const SkillPreference *preference = &assistant->preferences[i];
    if (preference->disabled) check(session, "skills of the assistant", preference->skill, false);
  }
}
