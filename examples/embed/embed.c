/* SPDX-License-Identifier: MIT
 *
 * The example of the README: activates the skills of a folder that fit a query.
 */
#include <skillet/skillet.h>
#include <stdio.h>

static void activated(ProgressiveSkillLoader *loader, const SkillActivation *got, void *user) {
  for (size_t i = 0; i < got->count; i++)
    printf("%s: %s, %zu tools\n", got->items[i]->name, got->items[i]->reason, got->items[i]->tool_count);
  (void)loader, (void)user;
}

int main(int argc, char **argv) {
  SkillDirectoryOptions folder = SKILL_DIRECTORY_OPTIONS_INIT;
  folder.path = argc > 1 ? argv[1] : "examples/skills";
  SkillRegistry *registry = NULL;
  SkillSource *source = NULL;
  ProgressiveSkillLoader *loader = NULL;
  SkillError err = SKILL_ERROR_INIT;
  if (skill_registry_new(NULL, &registry, &err) || skill_source_directory_new(&folder, &source, &err) ||
      skill_registry_sync(registry, &source, 1, SKILL_DUPLICATES_FIRST, NULL, &err) ||
      skill_loader_new(registry, NULL, &loader, &err) ||
      skill_loader_activate_query(loader, "convert miles to kilometres", activated, NULL, NULL, &err))
    return fprintf(stderr, "%s\n", err.message), 1;
  skill_loader_wait(loader, -1); /* or skill_loader_step() from your own event loop */
  skill_loader_close(loader, NULL, NULL);
  skill_loader_wait(loader, -1);
  skill_loader_free(loader);
  skill_registry_free(registry);
  skill_source_free(source);
  return 0;
}
