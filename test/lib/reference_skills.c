/* SPDX-License-Identifier: MIT
 *
 * The reference's catalogue: fields, vectors and counts of skills. See docs/ranking.md, "Fields", "The catalogue" and
 * "Vectors".
 */
#include <stdlib.h>
#include <string.h>

#include "lib/check.h"
#include "lib/reference_internal.h"
#include "rank/table/packed_vector.h"
#include "util/json.h"

const double reference_weight[FIELDS] = {3, 1, 1, 1, 1, 0, .5, .8, .1, 1};
static const float vector_weight[FIELDS] = {1, .3f, 1, 1, .5f, .3f, .15f, .15f},
                   usual[FIELDS] = {3, 3, 25, 25, 10, 80, 8, 40, 1, 1};
const SkillRankField reference_tool_fields[TOOL_FIELDS] = {NAME, SKILL_RANK_DESCRIPTION, SKILL_RANK_PARAMS,
                                                           SKILL_RANK_PARAM_TEXT};

/* --- reading skills ----------------------------------------------------------------------------------------------- */

int reference_token(void *user, const char *text, size_t length, unsigned flags) {
  struct reading *reading = user;
  struct reference *r = reading->r;
  struct token *found = NULL;
  HASH_FIND(hh, r->by_text, text, (unsigned)length, found);
  if (!found) {
    bool skill__hash_ok = true;
    found = calloc(1, sizeof *found);
    memcpy(found->text, text, length);
    found->id = (uint32_t)r->token_count;
    found->single = flags & SKILL__TOKEN_SINGLE;
    found->term.row = SKILL__TERMS_NONE;
    if (r->terms) found->term = skill__terms_find(r->terms, text, length);
    HASH_ADD_KEYPTR(hh, r->by_text, found->text, (unsigned)length, found);
    r->tokens = realloc(r->tokens, (r->token_count + 1) * sizeof *r->tokens);
    r->tokens[r->token_count++] = found;
    assert_true(skill__hash_ok);
  }
  struct field *into = reading->into;
  into->ids = realloc(into->ids, (into->count + 1) * sizeof *into->ids);
  into->ids[into->count++] = found->id;
  into->length += 1;
  return 0;
}

static void read_text(struct reference *r, struct field *into, const char *text) {
  struct reading reading = {r, into};
  if (text) assert_int_equal(skill__analyze(r->analyzer, text, strlen(text), reference_token, &reading), 0);
}

static void read_schema(struct reference *r, struct document *into, const cJSON *schema, int depth) {
  const cJSON *property = NULL, *value = NULL;
  if (depth == 4) return;
  cJSON_ArrayForEach(property, cJSON_GetObjectItemCaseSensitive(schema, "properties")) {
    read_text(r, &into->field[SKILL_RANK_PARAMS], property->string);
    read_text(r, &into->field[SKILL_RANK_PARAM_TEXT], skill__json_string(property, "description"));
    int values = 0;
    cJSON_ArrayForEach(value, cJSON_GetObjectItemCaseSensitive(property, "enum")) if (values++ < 20)
        read_text(r, &into->field[SKILL_RANK_PARAM_TEXT], cJSON_GetStringValue(value));
    read_schema(r, into, property, depth + 1);
    read_schema(r, into, cJSON_GetObjectItemCaseSensitive(property, "items"), depth + 1);
  }
}

static void append(struct field *into, const struct field *from) {
  into->ids = realloc(into->ids, (into->count + from->count + 1) * sizeof *into->ids);
  if (from->count) memcpy(into->ids + into->count, from->ids, from->count * sizeof *into->ids);
  into->count += from->count;
  into->length += from->length;
  into->ids[into->count++] = BREAK;
}

/* The tool as a document of its own; its fields are also the skill's. */
static void read_tool(struct reference *r, struct document *tool, struct document *whole, const char *name,
                      const char *description, const char *schema) {
  cJSON *json = schema ? cJSON_Parse(schema) : NULL;
  read_text(r, &tool->field[NAME], name);
  read_text(r, &tool->field[SKILL_RANK_DESCRIPTION], description);
  read_schema(r, tool, json, 0);
  cJSON_Delete(json);
  append(&whole->field[SKILL_RANK_TOOLS], &tool->field[NAME]);
  append(&whole->field[SKILL_RANK_TOOL_TEXT], &tool->field[SKILL_RANK_DESCRIPTION]);
  append(&whole->field[SKILL_RANK_PARAMS], &tool->field[SKILL_RANK_PARAMS]);
  append(&whole->field[SKILL_RANK_PARAM_TEXT], &tool->field[SKILL_RANK_PARAM_TEXT]);
}

static void free_document(struct document *document) {
  for (size_t f = 0; f < FIELDS; f++) free(document->field[f].ids);
}

static void read_skill(struct reference *r, const struct reference_skill *from, struct skill *skill) {
  const SkillMetadata *m = &from->metadata;
  struct field *field = skill->whole.field;
  skill->metadata = m;
  read_text(r, &field[NAME], m->name);
  for (size_t i = 0; i < m->tags.count; i++) read_text(r, &field[TAGS], m->tags.items[i]);
  read_text(r, &field[TAGS], m->category);
  read_text(r, &field[SKILL_RANK_DESCRIPTION], m->description);
  read_text(r, &field[SKILL_RANK_WHEN], m->when_to_use);
  for (size_t i = 0; i < m->triggers.count; i++) read_text(r, &field[SKILL_RANK_WHEN], m->triggers.items[i]);
  read_text(r, &field[NOT_WHEN], m->when_not_to_use);
  read_text(r, &field[BODY], from->body);
  skill->tools = calloc(m->tool_count + 1, sizeof *skill->tools);
  for (size_t i = 0; i < m->tool_count; i++) {
    const char *name = m->tools[i].name, *description = m->tools[i].description;
    bool only = m->tool_count == 1;
    if (only && name && strstr(m->name, name)) name = NULL;
    if (only && description && m->description && strcmp(description, m->description) == 0) description = NULL;
    read_tool(r, &skill->tools[i], &skill->whole, name, description, m->tools[i].input_schema);
  }
  if (m->tool_count > 1)
    skill->tool_count = m->tool_count;
  else
    free_document(&skill->tools[0]);
}

/* --- vectors ------------------------------------------------------------------------------------------------------ */

struct bag {
  uint32_t ids[VECTOR_TOKENS], rows[VECTOR_TOKENS];
  float x[VECTOR_TOKENS];
  size_t count;
};

static void bag_field(struct reference *r, struct bag *bag, const struct field *field, size_t f, double length) {
  float w = vector_weight[f] / (.5f + .5f * (float)length / usual[f]);
  for (size_t i = 0; i < field->count && vector_weight[f] > 0; i++) {
    size_t at = 0;
    if (field->ids[i] == BREAK) continue;
    while (at < bag->count && bag->ids[at] != field->ids[i]) at++;
    if (at == VECTOR_TOKENS) continue;
    if (at == bag->count) {
      bag->ids[at] = field->ids[i];
      bag->rows[at] = r->tokens[field->ids[i]]->term.row;
      bag->x[bag->count++] = 0;
    }
    bag->x[at] += w;
  }
}

static void make_vector(struct reference *r, struct bag *bag, struct vector *out) {
  float sum[DIMS], unit;
  uint8_t packed[DIMS];
  for (size_t i = 0; i < bag->count; i++) bag->x[i] = 4 * bag->x[i] / (bag->x[i] + 3);
  skill__terms_sum(r->terms, bag->rows, bag->x, bag->count, sum);
  skill__pack(sum, skill__terms_dims(r->terms), packed);
  skill__unpack_plain(packed, 1, skill__terms_dims(r->terms), out->values, &unit);
  out->unit = (double)unit;
  bag->count = 0;
}

static void make_vectors(struct reference *r, struct skill *skill) {
  static struct bag bag;
  struct field *field = skill->whole.field;
  /* In the ranker's order: sums of floats depend on it, and rounding on them. */
  for (size_t f = 0; f < (skill->tool_count ? SKILL_RANK_TOOLS : BODY); f++)
    bag_field(r, &bag, &field[f], f, field[f].length);
  for (size_t i = 0; i < skill->tool_count; i++)
    for (size_t k = 0, f = SKILL_RANK_TOOLS; k < TOOL_FIELDS; k++, f++)
      bag_field(r, &bag, &skill->tools[i].field[reference_tool_fields[k]], f, field[f].length);
  make_vector(r, &bag, &skill->whole.vector);
  for (size_t i = 0; i < skill->tool_count; i++) {
    double length = field[NAME].length + field[TAGS].length;
    bag_field(r, &bag, &field[NAME], TAGS, length);
    bag_field(r, &bag, &field[TAGS], TAGS, length);
    for (size_t k = 0; k < TOOL_FIELDS; k++) {
      const struct field *own = &skill->tools[i].field[reference_tool_fields[k]];
      bag_field(r, &bag, own, reference_tool_fields[k], own->length);
    }
    make_vector(r, &bag, &skill->tools[i].vector);
  }
}

/* --- the catalogue ------------------------------------------------------------------------------------------------ */

/* Counts each token of the field once for each stamp. */
static void count_tokens(struct reference *r, const struct field *field, bool skill, bool tool) {
  for (size_t i = 0; i < field->count; i++) {
    struct token *t = field->ids[i] == BREAK ? NULL : r->tokens[field->ids[i]];
    if (!t || t->seen == r->stamp) continue;
    t->seen = r->stamp;
    t->df += skill;
    t->tdf += tool;
  }
}

static void count_skill(struct reference *r, const struct skill *skill) {
  const struct field *field = skill->whole.field;
  double shared = field[NAME].length + field[TAGS].length;
  r->stamp++;
  for (size_t f = 0; f < FIELDS; f++) {
    r->mean[f] += field[f].length;
    if (reference_weight[f] > 0 && f != NOT_WHEN && (!r->additive || f <= SKILL_RANK_DESCRIPTION))
      count_tokens(r, &field[f], true, skill->tool_count == 0);
  }
  r->groups += skill->tool_count > 0;
  r->tools += skill->tool_count ? (double)skill->tool_count : 1;
  r->tool_mean[TAGS] += shared * (skill->tool_count ? (double)skill->tool_count : 1);
  for (size_t k = 0; k < TOOL_FIELDS && !skill->tool_count; k++)
    r->tool_mean[reference_tool_fields[k]] += field[reference_tool_fields[k]].length;
  for (size_t i = 0; i < skill->tool_count; i++) {
    r->stamp++;
    count_tokens(r, &field[NAME], false, true);
    count_tokens(r, &field[TAGS], false, true);
    for (size_t k = 0; k < TOOL_FIELDS; k++) {
      count_tokens(r, &skill->tools[i].field[reference_tool_fields[k]], false, true);
      r->tool_mean[reference_tool_fields[k]] += skill->tools[i].field[reference_tool_fields[k]].length;
    }
  }
}

struct reference *reference_new(const struct reference_skill *skills, size_t count, const struct skill__terms *terms,
                                SkillScorer scorer) {
  struct reference *r = calloc(1, sizeof *r);
  r->additive = scorer == SKILL_SCORER_ADDITIVE;
  r->terms = r->additive ? NULL : terms;
  r->skills = calloc(count + 1, sizeof *r->skills);
  r->skill_count = count;
  assert_int_equal(skill__analyzer_new(&r->analyzer), 0);
  for (size_t i = 0; i < count; i++) {
    read_skill(r, &skills[i], &r->skills[i]);
    if (r->terms) make_vectors(r, &r->skills[i]);
    count_skill(r, &r->skills[i]);
  }
  for (size_t f = 0; f < FIELDS; f++) {
    r->mean[f] = r->mean[f] > 0 ? r->mean[f] / (double)count : 1;
    r->tool_mean[f] = r->tool_mean[f] > 0 ? r->tool_mean[f] / r->tools : 1;
  }
  return r;
}

void reference_free(struct reference *r) {
  reference_free_query(r);
  HASH_CLEAR(hh, r->by_text);
  for (size_t i = 0; i < r->token_count; i++) free(r->tokens[i]);
  for (size_t i = 0; i < r->skill_count; i++) {
    for (size_t t = 0; t < r->skills[i].tool_count; t++) free_document(&r->skills[i].tools[t]);
    free(r->skills[i].tools);
    free_document(&r->skills[i].whole);
  }
  free(r->skills);
  free(r->tokens);
  skill__analyzer_free(r->analyzer);
  free(r);
}
