/* SPDX-License-Identifier: MIT
 *
 * See measure_stage.h.
 */
#include "lib/measure_stage.h"

#include <stdio.h>
#include <string.h>

#include "lib/check.h"

static const char *const subjects[MEASURE_SKILLS] = {"invoice", "weather", "calendar", "photo",
                                                     "travel",  "recipe",  "chess",    "music"};
SkillRegistry *measure_registry_of(size_t body_bytes) {
  SkillRegistry *registry = NULL;
  static char body[20000];
  memset(body, 'x', sizeof body);
  for (size_t i = 8; i < sizeof body; i += 8) body[i] = ' ';
  body[body_bytes] = '\0';
  assert_int_equal(skill_registry_new(NULL, &registry, NULL), 0);
  for (size_t i = 0; i < MEASURE_SKILLS; i++) {
    char name[32], description[80], tool[32];
    snprintf(name, sizeof name, "%s-skill", subjects[i]);
    snprintf(description, sizeof description, "Works with every kind of %s.", subjects[i]);
    snprintf(tool, sizeof tool, "%s_do", subjects[i]);
    SkillTool tools[] = {{.name = tool, .description = description, .input_schema = "{\"type\":\"object\"}"}};
    SkillDef def = {.metadata = {.name = name, .description = description, .tools = tools, .tool_count = 1},
                    .body = body_bytes ? body : NULL};
    assert_int_equal(skill_registry_add(registry, &def, NULL, NULL), 0);
  }
  return registry;
}

static const char queries[] =
    "{\"id\":\"a\",\"query\":\"write the invoice\",\"relevant\":[\"invoice-skill\"]}\n"
    "\n"
    "{\"id\":\"b\",\"query\":\"weather for the travel\",\"relevant\":[\"weather-skill\",\"travel-skill\"]}\n"
    "{\"id\":\"c\",\"query\":\"a "
    "photo\",\"relevant_groups\":[[\"nobody\",\"photo-skill\",\"music-skill\"],[\"nobody\"]]}\n"
    "{\"id\":\"d\",\"query\":\"nothing\",\"relevant\":[\"nobody\"]}\n"
    "{\"id\":\"e\",\"query\":\"another invoice\",\"relevant\":[\"invoice-skill\"]}\n";

void measure_stage_open(struct measure_stage *stage, size_t body_bytes) {
  struct skill__settings settings;
  skill__settings_default(&settings);
  settings.conversations = 12;
  stage->registry = measure_registry_of(body_bytes);
  assert_int_equal(skill__world_make(stage->registry, NULL, &settings, NULL, NULL, &stage->world), 0);
  assert_int_equal(skill__labels_read(queries, strlen(queries), "q", stage->world.names, &stage->labels, NULL), 0);
  assert_int_equal(skill__talks_make(&stage->labels, 1, 12, 6, &stage->talks), 0);
}

void measure_stage_close(struct measure_stage *stage) {
  skill__talks_fini(&stage->talks);
  skill__labels_fini(&stage->labels);
  skill__world_fini(&stage->world);
  assert_int_equal(skill_registry_free(stage->registry), 0);
}
