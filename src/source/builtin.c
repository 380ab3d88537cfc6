/* SPDX-License-Identifier: MIT
 *
 * The two built-in skills: `output-format`, always on, and `skill-creator`, whose tool create_skill writes a new skill
 * below a folder that the host names. Without such a folder there is no tool.
 */
#include <string.h>

#include "skillet/io.h"
#include "skillet/source.h"
#include "source/catalog.h"
#include "source/creator.h"
#include "util/alloc.h"
#include "util/options.h"

static const char format_body[] =
    "# Output format\n"
    "\n"
    "- Answer in the language of the request.\n"
    "- Give the result first, then what it rests on. Leave out what was not asked for.\n"
    "- Figures carry their unit; say which of them are estimates.\n"
    "- Code, commands and file contents stand in fenced blocks with their language, complete enough to be used as "
    "they\n"
    "  are. Paths, names and options stand in backquotes.\n"
    "- A table only for what is compared along more than one property; otherwise sentences or a short list.\n"
    "- Say plainly what could not be done, and what you did instead.\n";

static const char creator_body[] =
    "# Writing a skill\n"
    "\n"
    "A skill is a folder with a SKILL.md: front matter that says when to use it, and a body that says how. The front\n"
    "matter is always in view of the agent, the body only once the skill is opened.\n"
    "\n"
    "1. Settle what the skill is for: one job, with two or three requests that should bring it up and one that should\n"
    "   not. If an existing skill nearly does it, say so instead of writing a second one.\n"
    "2. Name it with lower-case words and hyphens, 64 characters at most: `weekly-plan`, `csv-profile`.\n"
    "3. Write a description of one or two sentences, 1,024 characters at most: what it does, and \"Use when …\" with "
    "the\n"
    "   words people really say, in each language they use. It is what the skill is found by.\n"
    "4. Write the body as steps for a capable reader: what to ask for, what to do, what the result looks like, what\n"
    "   goes wrong. Under 500 lines; long tables and examples belong into files under `references/`.\n"
    "5. Write the file. With the tool `create_skill`, pass `name`, `description` and `body` (without front matter); "
    "it\n"
    "   refuses to replace a skill unless `overwrite` is true. Without the tool, give the user the finished file.\n"
    "6. Say where it was written. It is found at the next scan; check it with `skillet check`.\n";

static const char *const format_tags[] = {"format", "style", "answer"};
static const char *const creator_tags[] = {"skill", "create", "authoring", "技能", "创建"};

#define STRINGS(array) \
  { array, sizeof(array) / sizeof *(array) }

struct builtin {
  struct skill__catalog catalog; /* first: the source's impl */
  struct skill__creator creator;
  SkillTool tool;
};

static int add_skills(struct builtin *builtin) {
  const struct skill__catalog_item items[] = {
      {.metadata = {.name = "output-format",
                    .description = "How answers are laid out: result first, units, fenced code, plain words.",
                    .version = SKILL_VERSION,
                    .source = "built-in",
                    .path = "built-in/output-format",
                    .tags = STRINGS(format_tags),
                    .mode = SKILL_MODE_ALWAYS},
       .body = format_body},
      {.metadata = {.name = "skill-creator",
                    .description = "Writes a new skill or improves one: name, description, instructions and "
                                   "files. Use when asked to create, write, save or edit a skill. "
                                   "创建、编写或改进技能。",
                    .version = SKILL_VERSION,
                    .source = "built-in",
                    .path = "built-in/skill-creator",
                    .tags = STRINGS(creator_tags),
                    .tools = builtin->creator.folder ? &builtin->tool : NULL,
                    .tool_count = builtin->creator.folder ? 1 : 0},
       .body = creator_body},
  };
  int status = 0;
  for (size_t i = 0; !status && i < sizeof items / sizeof *items; i++) {
    status = skill__catalog_add(&builtin->catalog, &items[i]);
  }
  return status;
}

static void builtin_free(SkillSource *base) {
  struct builtin *builtin = base->impl;
  skill__free(builtin->catalog.items);
  skill__free(builtin->creator.folder);
  skill__free(builtin);
}

int skill_source_builtin_new(const SkillBuiltinOptions *options, SkillSource **out, SkillError *err) {
  SkillBuiltinOptions given = SKILL_BUILTIN_OPTIONS_INIT;
  int status = SKILL__OPTIONS(SkillBuiltinOptions, &given, options, err);
  if (status) return status;
  struct builtin *builtin = skill__calloc(1, sizeof *builtin);
  if (!builtin) return skill_error_set(err, SKILL_ENOMEM, "out of memory");
  skill__catalog_init(&builtin->catalog, "built-in", builtin_free);
  builtin->creator.io = given.io ? given.io : skill_io_posix();
  builtin->creator.folder = skill__strdup(given.folder);
  builtin->tool = skill__creator_tool(&builtin->creator);
  if ((given.folder && !builtin->creator.folder) || add_skills(builtin)) {
    builtin_free(&builtin->catalog.base);
    return skill_error_set(err, SKILL_ENOMEM, "out of memory");
  }
  *out = &builtin->catalog.base;
  return 0;
}
