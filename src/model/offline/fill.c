/* SPDX-License-Identifier: MIT
 *
 * Filling arguments: the properties of the schema are matched with the values of the request. Strong evidence is used
 * first ("rate: 4.5", a word of an enum, a date for a date); what is left is assigned in order. Nothing is invented: a
 * required property without a value is reported as missing.
 */
#include "model/offline/fill.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "model/offline/property.h"
#include "skillet/message.h"
#include "util/alloc.h"

#define FROM "from|source|origin|src"
#define TO "to|target|destination|dest|into"

enum { MAX_PROPERTIES = 48 }; /* of one tool; more are ignored */
enum { NO_EVIDENCE = -4, SOME_EVIDENCE = 1, STRONG_EVIDENCE = 4 };

struct filler {
  const char *request;
  struct skill__offline_span after_colon; /* "plan my week: …"; empty once it was taken */
  struct skill__offline_value values[SKILL__OFFLINE_MAX_VALUES];
  size_t value_count;
  struct skill__offline_property properties[MAX_PROPERTIES];
  size_t property_count;
  int argument; /* of the running pass: a kind of value, or the least evidence */
};

static void take(struct skill__offline_property *property, struct skill__offline_value *value) {
  property->value = value->text;
  property->value_length = value->length;
  value->used = true;
}

static void take_span(struct filler *filler, struct skill__offline_property *property, struct skill__offline_span at) {
  property->value = at.from;
  property->value_length = (size_t)(at.to - at.from);
  for (size_t i = 0; i < filler->value_count; i++) {
    struct skill__offline_value *value = &filler->values[i];
    if (value->at.from >= at.from && value->at.to <= at.to) value->used = true;
  }
}

/* --- phrases --------------------------------------------------------------------------------------------------- */

static struct skill__offline_span trim(struct skill__offline_span at) {
  for (size_t n = 1; n && at.from < at.to;) {
    n = skill__offline_match(at.from, " |\n|the |a |an |degrees |degree ");
    at.from += n;
  }
  while (at.to > at.from && strchr(" \n?.", at.to[-1])) at.to--;
  return at;
}

static struct skill__offline_span until_stop(const char *from) {
  static const char stops[] = ",|;|?|!|\n|. |，|。|？|；|！| and | please| for me| with | using | if ";
  const char *to = skill__offline_find(from, stops, NULL);
  return trim((struct skill__offline_span){from, to ? to : from + strlen(from)});
}

/* The rest of the request after the first colon that is no part of a time, an address or a drive. */
static struct skill__offline_span rest_after_colon(const char *request) {
  const char *end = request + strlen(request);
  const char *at = request;
  if (!skill__offline_find(request, ": |:\n|：", &at)) at = end;
  while (at < end && strchr(" \n", *at)) at++;
  while (end > at && strchr(" \n", end[-1])) end--;
  return (struct skill__offline_span){at, end};
}

/* "how many B are in [number] A": A and B. */
static bool how_many(const char *request, const char *number, const char *unit, struct skill__offline_span spans[2]) {
  const char *from;
  if (!skill__offline_find_word(request, "how many|how much", &from) || from > number) return false;
  const char *to = skill__offline_find(from, " is | are | in | do | does | equals ", NULL);
  spans[0] = until_stop(unit);
  spans[1] = trim((struct skill__offline_span){from, to && to < number ? to : number});
  return spans[1].from < spans[1].to && spans[0].from < spans[0].to;
}

/* "[number] A to B", "[number] A 换算成 B": A, which may be empty, and B. */
static bool from_to(const struct filler *filler, struct skill__offline_span spans[2]) {
  static const char links[] = " to | into | in |换算成|换算为|转换成|转换为|换成|转成|等于多少|是多少|到";
  const struct skill__offline_value *first = filler->value_count ? filler->values : NULL;
  const char *start = first ? first->at.to : filler->request;
  const char *after;
  bool number = first && first->kind == SKILL__OFFLINE_NUMBER;
  if (number && how_many(filler->request, first->at.from, start, spans)) return true;
  const char *link = skill__offline_find(start, links, &after);
  if (!link) return false;
  spans[0] = trim((struct skill__offline_span){number ? start : link, link});
  spans[1] = until_stop(after);
  return spans[1].from < spans[1].to;
}

/* --- passes: each looks at one property that has no value yet --------------------------------------------------- */

static void fill_enum(struct filler *filler, struct skill__offline_property *property) {
  const cJSON *item;
  cJSON_ArrayForEach(item, property->values) {
    const char *word = cJSON_IsString(item) ? item->valuestring : "";
    if (ispunct((unsigned char)*word)) continue; /* "," need not mean the choice "," */
    if (strlen(word) <= property->value_length || !skill__offline_find_word(filler->request, word, NULL)) continue;
    property->value = word;
    property->value_length = strlen(word);
  }
}

/* The property's name in front of the value: "rate: 4.5", "amount is $250,000", "path assets/orders.csv". */
static void fill_named(struct filler *filler, struct skill__offline_property *property) {
  const char *at;
  if (property->values || !skill__offline_find_word(filler->request, property->words, &at)) return;
  at += strspn(at, " ");
  size_t mark = skill__offline_match(at, ":|=|：");
  bool marked = mark > 0;
  if (!marked && skill__offline_named(property, FROM "|" TO)) return; /* "from 5 miles": the 5 is no unit */
  at += marked ? mark : skill__offline_match(at, "is |of |为|是");
  at += strspn(at, " ");
  at += skill__offline_match(at, "$|€|£|¥|￥");
  for (size_t i = 0; i < filler->value_count; i++) {
    struct skill__offline_value *value = &filler->values[i];
    if (value->used || value->at.from != at || !skill__offline_accepts(property, value)) continue;
    take(property, value);
    return;
  }
  struct skill__offline_span words = until_stop(at);
  bool free = property->type == SKILL__OFFLINE_STRING && !property->prose;
  if (marked && free && words.from < words.to) take_span(filler, property, words);
}

static void fill_kind(struct filler *filler, struct skill__offline_property *property) {
  for (size_t i = 0; i < filler->value_count; i++) {
    struct skill__offline_value *value = &filler->values[i];
    if (value->used || (int)value->kind != filler->argument || !skill__offline_accepts(property, value)) continue;
    if (skill__offline_wants(property, value->kind)) take(property, value);
    if (property->value) return;
  }
}

/* The number with the most evidence, at least the argument. With NO_EVIDENCE a required property takes the next number
 * that it may hold. */
static void fill_number(struct filler *filler, struct skill__offline_property *property) {
  struct skill__offline_value *best = NULL;
  double most = 0;
  if (!skill__offline_is_number(property) || (filler->argument == NO_EVIDENCE && !property->required)) return;
  for (size_t i = 0; i < filler->value_count; i++) {
    struct skill__offline_value *value = &filler->values[i];
    if (value->used || !skill__offline_accepts(property, value)) continue;
    double evidence = skill__offline_evidence(property, value);
    if (evidence < filler->argument || (best && evidence <= most)) continue;
    best = value;
    most = evidence;
  }
  if (best) take(property, best);
}

static void fill_from_to(struct filler *filler, struct skill__offline_property *property) {
  struct skill__offline_span spans[2];
  bool to = skill__offline_named(property, TO);
  if (property->type != SKILL__OFFLINE_STRING || property->values) return;
  if ((!to && !skill__offline_named(property, FROM)) || !from_to(filler, spans)) return;
  if (spans[to].from < spans[to].to) take_span(filler, property, spans[to]);
}

/* Prose takes what follows a colon; if it is required, otherwise the request itself. */
static void fill_prose(struct filler *filler, struct skill__offline_property *property) {
  struct skill__offline_span *rest = &filler->after_colon;
  if (!property->prose) return;
  if (rest->from < rest->to) {
    take_span(filler, property, *rest);
    rest->from = rest->to;
  } else if (property->required) {
    property->value = filler->request;
    property->value_length = strlen(filler->request);
  }
}

static void run(struct filler *filler, void (*pass)(struct filler *, struct skill__offline_property *), int argument) {
  filler->argument = argument;
  for (size_t i = 0; i < filler->property_count; i++) {
    if (!filler->properties[i].value) pass(filler, &filler->properties[i]);
  }
}

static void run_passes(struct filler *filler) {
  run(filler, fill_enum, 0);
  run(filler, fill_named, 0);
  run(filler, fill_kind, SKILL__OFFLINE_DATE);
  run(filler, fill_kind, SKILL__OFFLINE_FILE);
  run(filler, fill_kind, SKILL__OFFLINE_DATA_PATH);
  run(filler, fill_number, STRONG_EVIDENCE);
  run(filler, fill_number, SOME_EVIDENCE);
  run(filler, fill_number, NO_EVIDENCE);
  run(filler, fill_from_to, 0);
  run(filler, fill_kind, SKILL__OFFLINE_QUOTED);
  run(filler, fill_prose, 0);
}

/* --- the result ------------------------------------------------------------------------------------------------ */

static void put_property(struct skill__buf *buf, const struct skill__offline_property *property) {
  skill__buf_text(buf, buf->length > 1 ? "," : "");
  skill__buf_json_text(buf, property->name);
  skill__buf_char(buf, ':');
  if (!property->value) {
    skill__json_print(buf, property->fallback);
  } else if (property->type == SKILL__OFFLINE_STRING) {
    skill__buf_json(buf, property->value, property->value_length);
  } else {
    skill__buf_add(buf, property->value, property->value_length);
  }
}

static void put_arguments(const struct filler *filler, struct skill__buf *buf, struct skill__offline_fill *out) {
  skill__buf_char(buf, '{');
  for (size_t i = 0; i < filler->property_count; i++) {
    const struct skill__offline_property *property = &filler->properties[i];
    bool fallback = !property->value && property->required && property->fallback;
    size_t used = strlen(out->missing);
    if (property->value) out->score += 1;
    if (fallback) out->score -= 0.25;
    if (property->value || fallback) {
      put_property(buf, property);
    } else if (property->required) {
      snprintf(out->missing + used, sizeof out->missing - used, "%s%s", used ? ", " : "", property->name);
    }
  }
  skill__buf_char(buf, '}');
}

int skill__offline_fill(const char *schema, const char *request, struct skill__offline_fill *out) {
  cJSON *root = NULL;
  struct skill__buf buf;
  memset(out, 0, sizeof *out);
  if (schema && skill__json_parse(schema, strlen(schema), NULL, &root, NULL) == SKILL_ENOMEM) return SKILL_ENOMEM;
  struct filler *filler = skill__calloc(1, sizeof *filler);
  skill__buf_init(&buf, SKILL_MAX_ARGUMENTS);
  if (filler) {
    filler->request = request;
    filler->after_colon = rest_after_colon(request);
    filler->value_count = skill__offline_values(request, filler->values);
    filler->property_count = skill__offline_properties(root, filler->properties, MAX_PROPERTIES);
    run_passes(filler);
    put_arguments(filler, &buf, out);
    for (size_t i = 0; i < filler->value_count; i++) out->score -= filler->values[i].used ? 0 : 0.75;
    out->json = skill__buf_take(&buf, NULL);
  }
  skill__buf_fini(&buf);
  skill__free(filler);
  cJSON_Delete(root);
  return out->json ? 0 : SKILL_ENOMEM;
}
