/* SPDX-License-Identifier: MIT
 *
 * The example of docs/testing-policies.md: a custom policy, tested alone and in a loader, without a disk and without
 * sleeping.
 */
#include <skillet/skillet.h>
#include <skillet/sys/fixture.h>
#include <stdio.h>
#include <string.h>

#define CHECK(condition) \
  if (!(condition)) return printf("line %d: %s does not hold\n", __LINE__, #condition), 1

/* The policy: the three best, but nothing that alone costs more than `user` tokens; the largest skill leaves first,
 * unless it was used within the last minute. */
static int select_affordable(const SkillPolicy *policy, const SkillSelectInput *input, size_t *chosen, size_t *count) {
  size_t limit = *(const size_t *)policy->user;
  *count = 0;
  for (size_t i = 0; i < input->count && *count < input->top; i++) {
    if (input->candidates[i].l2_tokens <= limit) chosen[(*count)++] = i;
  }
  return 0;
}

static int evict_largest(const SkillPolicy *policy, const SkillVictimInput *input, size_t *victim) {
  size_t best = input->count;
  (void)policy;
  for (size_t i = 0; i < input->count; i++) {
    const SkillResident *r = &input->residents[i];
    if (r->pinned || r->in_use || r->wanted || input->now_ms - r->last_use_ms < 60 * 1000) continue;
    if (best == input->count || r->l2_tokens > input->residents[best].l2_tokens) best = i;
  }
  if (best == input->count) return SKILL_EFULL;
  *victim = best;
  return 0;
}

/* Alone: plain structs in, indices out. */
static int test_policy_alone(const SkillPolicy *policy) {
  const SkillCandidate candidates[] = {
      {.name = "huge", .score = 9, .l2_tokens = 5000},
      {.name = "small", .score = 8, .l2_tokens = 200},
  };
  SkillSelectInput select = {.candidates = candidates, .count = 2, .top = 3, .max_active = 3};
  size_t chosen[2], count, victim = 99;
  CHECK(policy->select(policy, &select, chosen, &count) == 0);
  CHECK(count == 1 && chosen[0] == 1);

  const SkillResident residents[] = {
      {.name = "old", .last_use_ms = 0, .l2_tokens = 10},
      {.name = "large", .last_use_ms = 1, .l2_tokens = 900},
      {.name = "fresh", .last_use_ms = 59 * 1000, .l2_tokens = 2000},
  };
  SkillVictimInput input = {.residents = residents, .count = 3, .incoming = "new", .now_ms = 61 * 1000};
  CHECK(policy->victim(policy, &input, &victim) == 0 && victim == 1);
  input.now_ms = 30 * 1000;
  CHECK(policy->victim(policy, &input, &victim) == SKILL_EFULL);
  return 0;
}

static void note(ProgressiveSkillLoader *loader, const SkillActivation *result, void *user) {
  (void)loader;
  snprintf(user, 32, "%s", result->evicted_count ? result->evicted[0] : result->status ? "full" : "none");
}

/* Activates one skill and says who was evicted for it. */
static const char *activate(ProgressiveSkillLoader *loader, const char *name) {
  static char evicted[32];
  skill_loader_activate(loader, name, note, evicted, NULL, NULL);
  while (skill_loader_timeout_ms(loader) == 0) skill_loader_step(loader);
  return evicted;
}

/* In a loader: skills in memory, a clock that moves only on request. */
static int test_policy_in_loader(const SkillPolicy *policy) {
  SkillFixture *fixture;
  CHECK(skill_fixture_new(&fixture) == 0);
  skill_fixture_file(fixture, "skills/a/SKILL.md", "---\nname: a\ndescription: The short one\n---\nBe brief.\n");
  skill_fixture_file(fixture, "skills/b/SKILL.md",
                     "---\nname: b\ndescription: The long one\n---\nTake your time and explain every single step.\n");
  skill_fixture_file(fixture, "skills/c/SKILL.md", "---\nname: c\ndescription: The newcomer\n---\nHello.\n");

  SkillRegistry *registry;
  SkillSource *source;
  ProgressiveSkillLoader *loader;
  SkillRegistryOptions registry_options = SKILL_REGISTRY_OPTIONS_INIT;
  registry_options.io = skill_fixture_io(fixture);
  SkillDirectoryOptions folder = SKILL_DIRECTORY_OPTIONS_INIT;
  folder.path = "skills";
  folder.io = skill_fixture_io(fixture);
  SkillLoaderOptions options = SKILL_LOADER_OPTIONS_INIT;
  options.max_active = 2;
  options.policy = policy;
  CHECK(skill_registry_new(&registry_options, &registry, NULL) == 0);
  CHECK(skill_source_directory_new(&folder, &source, NULL) == 0);
  CHECK(skill_registry_sync(registry, &source, 1, SKILL_DUPLICATES_FIRST, NULL, NULL) == 0);
  CHECK(skill_loader_new(registry, &options, &loader, NULL) == 0);

  CHECK(!strcmp(activate(loader, "a"), "none"));
  CHECK(!strcmp(activate(loader, "b"), "none"));
  CHECK(!strcmp(activate(loader, "c"), "full")); /* all were used within the last minute */
  skill_fixture_advance(fixture, 60 * 1000);     /* a minute passes in no time */
  CHECK(!strcmp(activate(loader, "c"), "b"));    /* the largest left */
  CHECK(skill_loader_state(loader, "a") == SKILL_STATE_ACTIVE);

  skill_loader_close(loader, NULL, NULL);
  skill_loader_wait(loader, -1);
  skill_loader_free(loader);
  skill_registry_free(registry);
  skill_source_free(source);
  CHECK(skill_fixture_open_handles(fixture) == 0);
  skill_fixture_free(fixture);
  return 0;
}

int main(void) {
  size_t limit = 1000;
  SkillPolicy policy = {SKILL_POLICY_VERSION, 0, "affordable", &limit, select_affordable, evict_largest};
  return test_policy_alone(&policy) || test_policy_in_loader(&policy);
}
