/* SPDX-License-Identifier: MIT
 *
 * The cases of ../shared/fixtures that show only when an agent opens skills: errors that name the skill, who may open
 * what, bodies that are never run, and the mark that a body is in the context. Skipped where they are absent.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/check.h"
#include "skillet/agent.h"
#include "skillet/source.h"
#include "skillet/sys/alloc.h"

#define FIXTURES SKILLET_SHARED "/fixtures/"

struct world {
  SkillLoop *loop;
  SkillRegistry *registry;
  SkillSource *source;
  SkillModel *model;
  SkillAgent *agent;
};

static void open_world(struct world *w, const char *fixture, const char *script, SkillModelHub *models) {
  char path[1024];
  SkillDirectoryOptions folder = SKILL_DIRECTORY_OPTIONS_INIT;
  SkillAgentOptions options;
  SkillProfile profile;
  memset(w, 0, sizeof *w);
  snprintf(path, sizeof path, FIXTURES "%s/skills", fixture);
  folder.path = path;
  skill_agent_options_default(&options);
  skill_profile_default(&profile);
  profile.preactivate = false;
  assert_int_equal(skill_loop_new(NULL, &w->loop, NULL), 0);
  assert_int_equal(skill_registry_new(NULL, &w->registry, NULL), 0);
  assert_int_equal(skill_source_directory_new(&folder, &w->source, NULL), 0);
  assert_int_equal(skill_registry_sync(w->registry, &w->source, 1, SKILL_DUPLICATES_FIRST, NULL, NULL), 0);
  assert_int_equal(skill_model_script_new(script, strlen(script), NULL, &w->model, NULL), 0);
  options.loop = w->loop;
  options.registry = w->registry;
  options.model = w->model;
  options.profile = &profile;
  options.models = models;
  assert_int_equal(skill_agent_new(&options, &w->agent, NULL), 0);
}

static void close_world(struct world *w) {
  skill_agent_free(w->agent);
  skill_model_free(w->model);
  skill_loop_free(w->loop);
  skill_registry_free(w->registry);
  skill_source_free(w->source);
}

static void run(struct world *w, const char *text) {
  SkillError err = SKILL_ERROR_INIT;
  int status = skill_agent_run(w->agent, text, NULL, NULL, &err);
  if (status) print_error("%s\n", err.message);
  assert_int_equal(status, 0);
}

static const char *message(const struct world *w, size_t index) {
  return skill_conversation_at(skill_agent_conversation(w->agent), index)->text;
}

static void has(const char *text, const char *part) {
  if (!strstr(text, part)) print_error("'%s' is not in '%s'\n", part, text);
  assert_non_null(strstr(text, part));
}

static bool absent(void) {
  if (access(FIXTURES, R_OK) == 0) return false;
  print_message("no ../shared/fixtures here: skipped\n");
  return true;
}

#define OPEN(name) "{\"calls\":[{\"name\":\"skill_open\",\"arguments\":{\"name\":\"" name "\"}}]}"

static void case_076_an_unknown_model_names_the_skill(void **state) {
  (void)state;
  if (absent()) skip();
  struct world w;
  SkillModelHub *models = NULL;
  assert_int_equal(skill_model_hub_new(&models), 0);
  open_world(&w, "076-unknown-model-error-names-skill", "{\"turns\":[" OPEN("mod") ",{\"text\":\"x\"}]}", models);
  assert_int_equal(skill_model_hub_add(models, "small", w.model), 0);
  run(&w, "go");
  const SkillMetadata *mod = skill_metadata(skill_registry_find(w.registry, "mod"));
  if (mod->context != SKILL_CONTEXT_INLINE) {
    has(message(&w, 2), "mod");
    has(message(&w, 2), "model");
    has(message(&w, 2), "vendor.model-v9[1m]");
  } else {
    has(message(&w, 2), "Skill: mod"); /* an inline skill is opened all the same */
  }
  close_world(&w);
  skill_model_hub_free(models);
}

static void case_077_who_may_open_what(void **state) {
  (void)state;
  if (absent()) skip();
  struct world w;
  open_world(
      &w, "077-manual-only-flag",
      "{\"turns\":[{\"calls\":[{\"name\":\"skill_open\",\"arguments\":{\"name\":\"m1\"}},{\"name\":\"skill_open\","
      "\"arguments\":{\"name\":\"m2\"}},"
      "{\"name\":\"skill_open\",\"arguments\":{\"name\":\"m3\"}},{\"name\":\"skill_open\",\"arguments\":{\"name\":"
      "\"m4\"}}],"
      "\"expect\":{\"any\":[\"- m1\",\"- m3\"],\"never\":[\"- m2\",\"- m4\"]}},{\"text\":\"x\"},{\"text\":\"y\"}]}",
      NULL);
  run(&w, "go");
  has(message(&w, 2), "Skill: m1");
  has(message(&w, 3), "There is no skill 'm2'");
  has(message(&w, 4), "Skill: m3");
  has(message(&w, 5), "There is no skill 'm4'");
  run(&w, "@m1 @m2 @m3 @m4"); /* the user may name m1 and m2 */
  size_t mentions = 0;
  SkillConversation *talk = skill_agent_conversation(w.agent);
  for (size_t i = 0; i < skill_conversation_count(talk); i++) {
    const char *origin = skill_conversation_at(talk, i)->origin;
    if (!origin || strncmp(origin, "mention:", 8) != 0) continue;
    mentions++;
    assert_true(strcmp(origin, "mention:m1") == 0 || strcmp(origin, "mention:m2") == 0);
  }
  assert_int_equal(mentions, 2);
  close_world(&w);
}

static void case_079_nothing_in_a_body_is_run(void **state) {
  (void)state;
  if (absent()) skip();
  struct world w;
  open_world(&w, "079-command-output-injection-marker", "{\"turns\":[" OPEN("dyn") ",{\"text\":\"x\"}]}", NULL);
  run(&w, "go");
  has(message(&w, 2), "!`touch PWNED`");
  assert_int_not_equal(access("PWNED", F_OK), 0);
  assert_int_not_equal(access("PWNED2", F_OK), 0);
  assert_int_not_equal(access(FIXTURES "079-command-output-injection-marker/skills/dyn/PWNED", F_OK), 0);
  close_world(&w);
}

static void case_113_a_body_that_went_is_opened_in_full_again(void **state) {
  (void)state;
  if (absent()) skip();
  struct world w;
  open_world(&w, "113-ghost-loaded-state",
             "{\"turns\":[" OPEN("a") "," OPEN("a") ",{\"text\":\"x\"}," OPEN("a") ",{\"text\":\"y\"}]}", NULL);
  run(&w, "go");
  has(message(&w, 2), "Skill: a");
  has(message(&w, 4), "open already");
  SkillCompactOptions options = SKILL_COMPACT_OPTIONS_INIT;
  options.keep_tokens = 1;
  options.bodies_tokens = 1;
  options.loader = skill_agent_loader(w.agent);
  assert_int_equal(skill_conversation_add_text(skill_agent_conversation(w.agent), SKILL_ROLE_USER, "next", 0, NULL), 0);
  assert_int_equal(skill_context_compact(skill_agent_conversation(w.agent), &options, NULL, NULL), 0);
  run(&w, "again");
  SkillConversation *talk = skill_agent_conversation(w.agent);
  has(skill_conversation_at(talk, skill_conversation_count(talk) - 2)->text, "Skill: a");
  close_world(&w);
}

static void case_115_the_list_is_there_after_a_compaction(void **state) {
  (void)state;
  if (absent()) skip();
  struct world w;
  open_world(
      &w, "115-catalogue-lost-after-compaction",
      "{\"turns\":[{\"text\":\"x\",\"expect\":{\"any\":\"base\"}},{\"text\":\"y\",\"expect\":{\"any\":\"base\"}}]}",
      NULL);
  run(&w, "go");
  SkillCompactOptions options = SKILL_COMPACT_OPTIONS_INIT;
  options.keep_tokens = 1;
  assert_int_equal(skill_context_compact(skill_agent_conversation(w.agent), &options, NULL, NULL), 0);
  run(&w, "again");
  close_world(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(case_076_an_unknown_model_names_the_skill),
      cmocka_unit_test(case_077_who_may_open_what),
      cmocka_unit_test(case_079_nothing_in_a_body_is_run),
      cmocka_unit_test(case_113_a_body_that_went_is_opened_in_full_again),
      cmocka_unit_test(case_115_the_list_is_there_after_a_compaction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
