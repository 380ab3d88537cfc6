/* SPDX-License-Identifier: MIT
 *
 * The table of keys, and how a key as it is written finds its row. Nothing here fails.
 */
#include "document/field.h"

#include <stdio.h>
#include <string.h>

#include "skillet/skill.h"
#include "util/near.h"

#define AT(member) offsetof(SkillMetadata, member)
const struct skill__field skill__field_table[SKILL__FIELD_COUNT] = {
    {"name", "name", TEXT, AT(name)},
    {"description", "description", TEXT, AT(description)},
    {"version", "version", TEXT, AT(version)},
    {"license", "license", TEXT, AT(license)},
    {"license", "licence", TEXT, AT(license)},
    {"compatibility", "compatibility", TEXT, AT(compatibility)},
    {"category", "category", TEXT, AT(category)},
    {"id", "id", TEXT, AT(id)},
    {"when_to_use", "whentouse", TEXT, AT(when_to_use)},
    {"when_not_to_use", "whennottouse", TEXT, AT(when_not_to_use)},
    {"agent", "agent", TEXT, AT(agent)},
    {"model", "model", TEXT, AT(model)},
    {"argument-hint", "argumenthint", HINT, AT(argument_hint)},
    {"tags", "tags", WORDS, AT(tags)},
    {"tags", "tag", WORDS, AT(tags)},
    {"triggers", "triggers", PHRASES, AT(triggers)},
    {"triggers", "trigger", PHRASES, AT(triggers)},
    {"allowed-tools", "allowedtools", WORDS, AT(allowed_tools)},
    {"disallowed-tools", "disallowedtools", WORDS, AT(disallowed_tools)},
    {"paths", "paths", WORDS, AT(paths)},
    {"arguments", "arguments", WORDS, AT(arguments)},
    {"disable-model-invocation", "disablemodelinvocation", FLAG, AT(disable_model_invocation)},
    {"user-invocable", "userinvocable", NOT_FLAG, AT(not_user_invocable)},
    {"user-invocable", "userinvokable", NOT_FLAG, AT(not_user_invocable)},
    {"mode", "mode", MODE, AT(mode)},
    {"context", "context", CONTEXT, AT(context)},
    {"tools", "tools", TOOLS, AT(tools)},
    {"metadata", "metadata", METADATA, 0},
};

enum { KEY_SIZE = 32, TYPO_LEAST = 7 };

/* false: longer than any key. */
static bool fold(const char *key, char folded[KEY_SIZE]) {
  size_t n = 0;
  for (; *key; key++) {
    if (*key == '-' || *key == '_' || *key == ' ') continue;
    if (n + 1 == KEY_SIZE) return false;
    folded[n++] = *key >= 'A' && *key <= 'Z' ? (char)(*key + 32) : *key;
  }
  folded[n] = '\0';
  return true;
}

/* Short keys are left out: too many other words differ from them by one letter. */
const char *skill__field_meant(const char *key) {
  char folded[KEY_SIZE];
  if (!fold(key, folded) || strlen(folded) < TYPO_LEAST) return NULL;
  for (size_t i = 0; i < SKILL__FIELD_COUNT; i++) {
    if (skill__near_typo(folded, skill__field_table[i].folded)) return skill__field_table[i].key;
  }
  return NULL;
}

const struct skill__field *skill__field_find(const char *key) {
  char folded[KEY_SIZE];
  if (!fold(key, folded)) return NULL;
  for (size_t i = 0; i < SKILL__FIELD_COUNT; i++) {
    if (!strcmp(skill__field_table[i].folded, folded)) return &skill__field_table[i];
  }
  return NULL;
}

bool skill__field_usual(const struct skill__field *field, const char *key) {
  if (!strcmp(field->key, key)) return true;
  char other[64];
  snprintf(other, sizeof other, "%s", field->key);
  for (char *p = other; *p; p++) {
    *p = *p == '-' ? '_' : *p == '_' ? '-' : *p;
  }
  return !strcmp(other, key);
}

bool skill__field_specified(const struct skill__field *field) {
  static const char *const keys[] = {"name", "description", "license", "compatibility", "metadata", "allowed-tools"};
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    if (!strcmp(field->key, keys[i])) return true;
  }
  return false;
}
