/* SPDX-License-Identifier: MIT
 *
 * Filling arguments: what a property may hold (type, enum, format, range, the words of its name and description) is
 * matched with what the request names. Strong signs are used first ("rate: 4.5", an enum's word, a date for a date);
 * what is left goes by order. Nothing is made up: a required property without a value is reported as missing.
 */
#include "model/offline/fill.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "model/offline/phrase.h"
#include "model/offline/property.h"
#include "util/alloc.h"

struct filler {
  const char *text;
  size_t length;
  struct skill__entity entities[SKILL__MAX_ENTITIES];
  size_t entity_count;
  struct skill__property properties[SKILL__MAX_PROPERTIES];
  size_t property_count;
};

static void take(struct skill__property *property, struct skill__entity *entity) {
  property->value = entity->text;
  property->value_length = entity->length;
  property->from_request = true;
  if (entity->kind == SKILL__ENTITY_NUMBER) property->number = entity->number;
  entity->used = true;
}

static void take_span(struct filler *filler, struct skill__property *property, struct skill__span span) {
  property->value = filler->text + span.from;
  property->value_length = span.to - span.from;
  property->from_request = true;
  for (size_t i = 0; i < filler->entity_count; i++) {
    struct skill__entity *entity = &filler->entities[i];
    if (entity->from >= span.from && entity->to <= span.to) entity->used = true;
  }
}

/* --- the passes, strongest sign first -------------------------------------------------------------------------- */

static void fill_enums(struct filler *filler) {
  for (size_t i = 0; i < filler->property_count; i++) {
    struct skill__property *property = &filler->properties[i];
    const cJSON *item;
    size_t longest = 0;
    if (property->value || !property->values) continue;
    cJSON_ArrayForEach(item, property->values) {
      if (!cJSON_IsString(item) || strlen(item->valuestring) <= longest) continue;
      if (!skill__phrase_holds(filler->text, filler->length, item->valuestring)) continue;
      longest = strlen(item->valuestring);
      property->value = item->valuestring;
      property->value_length = longest;
      property->from_request = true;
    }
  }
}

static void fill_booleans(struct filler *filler) {
  for (size_t i = 0; i < filler->property_count; i++) {
    struct skill__property *property = &filler->properties[i];
    struct skill__span at;
    if (property->value || property->type != SKILL__TYPE_BOOLEAN) continue;
    if (!skill__phrase_find(filler->text, filler->length, property->words, &at)) continue;
    bool no = skill__phrase_negated(filler->text, filler->length, at);
    property->value = no ? "false" : "true";
    property->value_length = no ? 5 : 4;
    property->from_request = true;
  }
}

/* "rate: 4.5", "years = 30", "amount is $250,000", "path assets/orders.csv": the name stands before the value. */
static void fill_named(struct filler *filler) {
  for (size_t i = 0; i < filler->property_count; i++) {
    struct skill__property *property = &filler->properties[i];
    struct skill__span name;
    size_t after;
    bool marked;
    if (property->value || property->type == SKILL__TYPE_BOOLEAN) continue;
    if (!skill__phrase_find(filler->text, filler->length, property->words, &name)) continue;
    after = skill__phrase_after_name(filler->text, filler->length, name.to, &marked);
    for (size_t k = 0; k < filler->entity_count; k++) {
      struct skill__entity *entity = &filler->entities[k];
      if (entity->used || entity->from != after || !skill__property_accepts(property, entity)) continue;
      take(property, entity);
      break;
    }
    if (property->value || !marked || property->type != SKILL__TYPE_STRING || property->values) continue;
    struct skill__span word = skill__phrase_until_stop(filler->text, filler->length, after);
    if (word.to > word.from && !property->whole) take_span(filler, property, word);
  }
}

static void fill_kind(struct filler *filler, enum skill__entity_kind kind) {
  for (size_t i = 0; i < filler->property_count; i++) {
    struct skill__property *property = &filler->properties[i];
    if (property->value || !skill__property_wants(property, kind)) continue;
    for (size_t k = 0; k < filler->entity_count; k++) {
      struct skill__entity *entity = &filler->entities[k];
      if (entity->used || entity->kind != kind || !skill__property_accepts(property, entity)) continue;
      take(property, entity);
      break;
    }
  }
}

static bool takes_numbers(const struct skill__property *property) {
  return property->type == SKILL__TYPE_NUMBER || property->type == SKILL__TYPE_INTEGER;
}

static bool best_number(struct filler *filler, struct skill__property **property, struct skill__entity **entity) {
  double best = 0;
  for (size_t i = 0; i < filler->property_count; i++) {
    for (size_t k = 0; k < filler->entity_count; k++) {
      struct skill__property *p = &filler->properties[i];
      struct skill__entity *e = &filler->entities[k];
      if (p->value || e->used || e->kind != SKILL__ENTITY_NUMBER || !takes_numbers(p)) continue;
      if (!skill__property_accepts(p, e)) continue;
      double score = skill__property_number_score(p, e, filler->text);
      if (score <= best) continue;
      best = score;
      *property = p;
      *entity = e;
    }
  }
  return best > 0;
}

/* Numbers go to the property whose words they stand with; then, in order, to required ones. */
static void fill_numbers(struct filler *filler) {
  struct skill__property *property = NULL;
  struct skill__entity *entity = NULL;
  while (best_number(filler, &property, &entity)) take(property, entity);
  for (size_t i = 0; i < filler->property_count; i++) {
    struct skill__property *p = &filler->properties[i];
    for (size_t k = 0; takes_numbers(p) && p->required && !p->value && k < filler->entity_count; k++) {
      struct skill__entity *e = &filler->entities[k];
      if (!e->used && e->kind == SKILL__ENTITY_NUMBER && skill__property_accepts(p, e)) take(p, e);
    }
  }
}

/* "26.2 miles to kilometres", "from A to B", "5 英里换算成公里". */
static void fill_from_to(struct filler *filler) {
  struct skill__property *from = NULL;
  struct skill__property *to = NULL;
  struct skill__span spans[2];
  for (size_t i = 0; i < filler->property_count; i++) {
    struct skill__property *property = &filler->properties[i];
    if (property->value || property->type != SKILL__TYPE_STRING || property->values) continue;
    if (property->role == SKILL__ROLE_FROM && !from) from = property;
    if (property->role == SKILL__ROLE_TO && !to) to = property;
  }
  if (!to) return;
  if (!skill__phrase_from_to(filler->text, filler->length, filler->entities, filler->entity_count, spans)) return;
  if (spans[1].to > spans[1].from) take_span(filler, to, spans[1]);
  if (from && spans[0].to > spans[0].from) take_span(filler, from, spans[0]);
}

static void fill_lists(struct filler *filler) {
  for (size_t i = 0; i < filler->property_count; i++) {
    struct skill__property *property = &filler->properties[i];
    if (property->value || property->type != SKILL__TYPE_ARRAY) continue;
    for (size_t k = 0; k < filler->entity_count; k++) {
      struct skill__entity *entity = &filler->entities[k];
      bool fits = property->items_number ? entity->kind == SKILL__ENTITY_NUMBER : entity->kind != SKILL__ENTITY_NUMBER;
      if (!fits || entity->used) continue;
      property->list[property->list_count++] = entity;
      entity->used = true;
      if (property->list_count == SKILL__MAX_ENTITIES) break;
    }
    property->from_request = property->list_count > 0;
  }
}

/* A property that takes free text gets what follows a colon; a required one else the request itself. */
static void fill_texts(struct filler *filler) {
  struct skill__span after = skill__phrase_after_colon(filler->text, filler->length);
  for (size_t i = 0; i < filler->property_count; i++) {
    struct skill__property *property = &filler->properties[i];
    if (property->value || property->type != SKILL__TYPE_STRING || !property->whole) continue;
    if (after.to > after.from) {
      take_span(filler, property, after);
      after.to = after.from;
    } else if (property->required) {
      take_span(filler, property, (struct skill__span){0, filler->length});
    }
  }
}

/* A required string that nothing fitted takes a quotation, or the one thing that is left over. */
static void fill_rest(struct filler *filler) {
  for (size_t i = 0; i < filler->property_count; i++) {
    struct skill__property *property = &filler->properties[i];
    if (property->value || !property->required || property->type != SKILL__TYPE_STRING || property->has_default)
      continue;
    for (size_t k = 0; k < filler->entity_count && !property->value; k++) {
      struct skill__entity *entity = &filler->entities[k];
      if (!entity->used && skill__property_accepts(property, entity)) take(property, entity);
    }
  }
}

/* --- the result ------------------------------------------------------------------------------------------------ */

static void put_value(struct skill__buf *buf, const struct skill__property *property) {
  if (property->list_count) {
    skill__buf_char(buf, '[');
    for (size_t i = 0; i < property->list_count; i++) {
      if (i) skill__buf_char(buf, ',');
      if (property->items_number) skill__buf_add(buf, property->list[i]->text, property->list[i]->length);
      if (!property->items_number) skill__buf_json(buf, property->list[i]->text, property->list[i]->length);
    }
    skill__buf_char(buf, ']');
  } else if (!property->from_request) {
    skill__json_print(buf, property->fallback);
  } else if (property->type == SKILL__TYPE_STRING) {
    skill__buf_json(buf, property->value, property->value_length);
  } else {
    skill__buf_add(buf, property->value, property->value_length);
  }
}

static void put_missing(struct skill__fill *out, const char *name) {
  size_t used = strlen(out->missing);
  snprintf(out->missing + used, sizeof out->missing - used, "%s%s", used ? ", " : "", name);
}

static void put_all(struct filler *filler, struct skill__buf *buf, struct skill__fill *out) {
  bool first = true;
  skill__buf_char(buf, '{');
  for (size_t i = 0; i < filler->property_count; i++) {
    struct skill__property *property = &filler->properties[i];
    bool fallback = !property->from_request && property->required && property->fallback;
    out->taken += property->from_request;
    out->defaults += fallback;
    if (!property->from_request && !fallback) {
      if (property->required) put_missing(out, property->name);
      continue;
    }
    if (!first) skill__buf_char(buf, ',');
    first = false;
    skill__buf_json_text(buf, property->name);
    skill__buf_char(buf, ':');
    put_value(buf, property);
  }
  skill__buf_char(buf, '}');
}

static void run_passes(struct filler *filler) {
  fill_enums(filler);
  fill_named(filler);
  fill_kind(filler, SKILL__ENTITY_DATE);
  fill_kind(filler, SKILL__ENTITY_URL);
  fill_kind(filler, SKILL__ENTITY_EMAIL);
  fill_kind(filler, SKILL__ENTITY_FILE);
  fill_kind(filler, SKILL__ENTITY_JSON);
  fill_kind(filler, SKILL__ENTITY_CODE);
  fill_numbers(filler);
  fill_from_to(filler);
  fill_kind(filler, SKILL__ENTITY_QUOTED);
  fill_lists(filler);
  fill_texts(filler);
  fill_booleans(filler);
  fill_rest(filler);
}

int skill__fill(const char *schema, const char *request, size_t length, struct skill__fill *out) {
  cJSON *root = NULL;
  memset(out, 0, sizeof *out);
  if (schema && skill__json_parse(schema, strlen(schema), NULL, &root, NULL) == SKILL_ENOMEM) return SKILL_ENOMEM;
  struct filler *filler = skill__calloc(1, sizeof *filler);
  struct skill__buf buf;
  skill__buf_init(&buf, 4 * 1024 * 1024);
  if (!filler) goto out;
  filler->text = request;
  filler->length = length;
  filler->entity_count = skill__entities_find(request, length, filler->entities);
  filler->property_count = skill__properties_read(root, filler->properties, SKILL__MAX_PROPERTIES);
  run_passes(filler);
  put_all(filler, &buf, out);
  for (size_t i = 0; i < filler->entity_count; i++) out->unused += !filler->entities[i].used;
  out->json = skill__buf_take(&buf, NULL);

out:
  skill__buf_fini(&buf);
  skill__free(filler);
  cJSON_Delete(root);
  return out->json ? 0 : SKILL_ENOMEM;
}
