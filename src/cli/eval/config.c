/* SPDX-License-Identifier: MIT
 *
 * A configuration of the ranker as one line of text: "scorer=bm25f table= body=off weight.name=2".
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/eval/eval.h"

static const char *const fields[] = {
#define SKILL_X(id, name) name,
    SKILL_RANK_FIELD_MAP(SKILL_X)
#undef SKILL_X
};

static int number(const char *value, double *out, SkillError *err) {
  char *end = NULL;
  double parsed = strtod(value, &end);
  if (end == value || *end || !isfinite(parsed))
    return skill_error_set(err, SKILL_EINVAL, "'%s' is not a number", value);
  *out = parsed;
  return 0;
}

static int set_field(double *values, const char *name, const char *value, SkillError *err) {
  for (size_t f = 0; f < SKILL_RANK_FIELD_COUNT; f++)
    if (strcmp(fields[f], name) == 0) return number(value, &values[f], err);
  char known[200];
  size_t used = 0;
  for (size_t f = 0; f < SKILL_RANK_FIELD_COUNT && used < sizeof known; f++)
    used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", f ? ", " : "", fields[f]);
  return skill_error_set(err, SKILL_EINVAL, "there is no field '%s'; there are %s", name, known);
}

static int set_switch(bool *off, const char *key, const char *value, SkillError *err) {
  *off = strcmp(value, "off") == 0;
  if (*off || strcmp(value, "on") == 0) return 0;
  return skill_error_set(err, SKILL_EINVAL, "%s is on or off, not '%s'", key, value);
}

static int set_scorer(struct eval_config *config, const char *value, SkillError *err) {
  bool additive = strcmp(value, "additive") == 0;
  if (!additive && strcmp(value, "bm25f"))
    return skill_error_set(err, SKILL_EINVAL, "there is no scorer '%s': bm25f or additive", value);
  config->ranker.scorer = additive ? SKILL_SCORER_ADDITIVE : SKILL_SCORER_BM25F;
  return 0;
}

static int set(struct eval_config *config, const char *key, const char *value, SkillError *err) {
  if (strcmp(key, "scorer") == 0) return set_scorer(config, value, err);
  if (strcmp(key, "table") == 0) {
    snprintf(config->table, sizeof config->table, "%s", value);
    config->ranker.table = config->table;
    return 0;
  }
  if (strcmp(key, "body") == 0) return set_switch(&config->ranker.ignore_body, key, value, err);
  if (strcmp(key, "dense") == 0) return set_switch(&config->dense_off, key, value, err);
  if (strcmp(key, "exhaustive") == 0) {
    bool off = false;
    int status = set_switch(&off, key, value, err);
    config->exhaustive = !off;
    return status;
  }
  if (strcmp(key, "floor") == 0) return number(value, &config->floor, err);
  if (strcmp(key, "k1") == 0) return number(value, &config->ranker.k1, err);
  if (strcmp(key, "k3") == 0) return number(value, &config->ranker.k3, err);
  if (strncmp(key, "weight.", 7) == 0) return set_field(config->ranker.weight, key + 7, value, err);
  if (strncmp(key, "b.", 2) == 0) return set_field(config->ranker.b, key + 2, value, err);
  if (strcmp(key, "b") == 0) {
    for (size_t f = 1; f < SKILL_RANK_FIELD_COUNT; f++) config->ranker.b[f] = config->ranker.b[0];
    int status = number(value, &config->ranker.b[0], err);
    for (size_t f = 1; f < SKILL_RANK_FIELD_COUNT; f++) config->ranker.b[f] = config->ranker.b[0];
    return status;
  }
  return skill_error_set(
      err, SKILL_EINVAL,
      "there is no setting '%s'; there are scorer, table, body, floor, exhaustive, dense, k1, k3, b, "
      "b.FIELD and weight.FIELD",
      key);
}

int eval_config_parse(struct eval_config *config, const char *text, SkillError *err) {
  while (text && *text) {
    char key[64], value[1024];
    size_t length = strcspn(text, ", \t\n"), name = 0;
    while (name < length && text[name] != '=') name++;
    if (length) {
      if (name == length || name >= sizeof key || length - name > sizeof value)
        return skill_error_set(err, SKILL_EINVAL, "'%.*s' should be key=value", (int)length, text);
      snprintf(key, sizeof key, "%.*s", (int)name, text);
      snprintf(value, sizeof value, "%.*s", (int)(length - name - 1), text + name + 1);
      int status = set(config, key, value, err);
      if (status) return status;
    }
    text += length + (text[length] != '\0');
  }
  return 0;
}
