/* SPDX-License-Identifier: MIT
 *
 * The reference's queries and scores. See docs/ranking.md for each formula.
 */
#include "lib/reference.h"

#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "lib/check.h"
#include "lib/reference_internal.h"
#include "rank/table/terms_simd.h"

enum { NAME_WORDS = 64 };
static const double B = .95, K1 = 1.2, K3 = 1;

void reference_free_query(struct reference *r) {
  free(r->query.ids);
  for (size_t v = 0; v < r->view_count; v++) {
    free(r->views[v].terms);
    free(r->views[v].q);
    free(r->views[v].plain);
  }
  r->query = (struct field){NULL, 0, 0};
  r->query_terms = 0;
  r->view_count = 0;
}

/* --- the query ---------------------------------------------------------------------------------------------------- */

static double sat(double x, double k) {
  return x * (k + 1) / (x + k);
}

static bool known(const struct token *t) {
  return t->df > 0 || t->tdf > 0;
}

static double idf_of(double n, double in) {
  return log(1 + (n - in + .5) / (in + .5));
}

static void rarity(const struct reference *r, struct token *t) {
  double n = (double)r->skill_count, prior = r->terms ? fmin(1000, n) : 0, share = (double)t->term.share;
  t->idf = idf_of(n + prior, t->df + prior * share);
  t->tool_idf = r->groups > 0 ? idf_of(r->tools + prior, t->tdf + prior * share) : t->idf;
  double documents = r->terms ? (double)skill__terms_documents(r->terms) : 0;
  t->rarity = r->terms ? idf_of(documents, share * documents) : t->idf;
}

static double count_in(const uint32_t *ids, size_t count, uint32_t id) {
  double times = 0;
  for (size_t i = 0; i < count; i++) times += ids[i] == id;
  return times;
}

static void add_view(struct reference *r, size_t from, size_t to) {
  struct view *view = &r->views[r->view_count++];
  *view = (struct view){malloc((to - from + 1) * sizeof *view->terms),
                        malloc((to - from + 1) * sizeof *view->q),
                        malloc((to - from + 1) * sizeof *view->plain),
                        0,
                        {{0}, 0}};
  uint32_t rows[TERMS];
  float plain[TERMS], unit = 0;
  for (size_t i = from; i < to; i++) {
    const struct token *t = r->tokens[r->query.ids[i]];
    if (count_in(view->terms, view->count, t->id) > 0) continue;
    double q = sat(count_in(r->query.ids + from, to - from, t->id), K3);
    rows[view->count] = t->term.row;
    plain[view->count] = (float)q;
    view->q[view->count] = t->single ? q / 2 : q;
    view->terms[view->count++] = t->id;
  }
  if (r->terms) unit = skill__terms_vector(r->terms, rows, plain, view->count, view->vector.values);
  view->vector.unit = (double)unit;
}

/* Bytes of a cut at `at`, or 0. */
static size_t cut_at(const char *text, size_t at) {
  static const char pattern[] =
      "^(\n|[.?!;:]+([ \t-\r]|$)|\u3002|\uff1f|\uff01|\uff1b|[ \t-\r]+[-*][ \t-\r]|"
      ",?[ \t-\r]+(and then|then|also|additionally|furthermore|moreover|finally|lastly|"
      "after that|as well as|and also|next|plus)[ \t-\r]|,[ \t-\r]+and[ \t-\r])";
  static regex_t cut;
  static bool ready;
  regmatch_t match;
  if (!ready) assert_int_equal(regcomp(&cut, pattern, REG_EXTENDED | REG_ICASE), 0);
  ready = true;
  if (regexec(&cut, text + at, 1, &match, 0)) return 0;
  size_t n = (size_t)match.rm_eo;
  if (text[at] == '\n' || (unsigned char)text[at] >= 0x80) return n;
  if (!strchr(".?!;:", text[at])) return n - 1; /* the blank behind it stays */
  const char *before = at ? text + at - 1 : " ";
  bool closed = strchr("abcdefghijklmnopqrstuvwxyz0123456789)\"'", *before) != NULL;
  return closed ? strspn(text + at, ".?!;:") : 0;
}

static size_t distinct(const struct reference *r, size_t from) {
  size_t count = 0;
  for (size_t i = from; i < r->query.count; i++) count += count_in(r->query.ids + from, i - from, r->query.ids[i]) <= 0;
  return count;
}

/* Terms beyond the first so many are ignored. */
static int query_token(void *user, const char *text, size_t length, unsigned flags) {
  struct reading *reading = user;
  struct reference *r = reading->r;
  reference_token(user, text, length, flags);
  if (count_in(r->query.ids, r->query.count - 1, r->query.ids[r->query.count - 1]) > 0) return 0;
  if (r->query_terms == TERMS)
    r->query.count--;
  else
    r->query_terms++;
  return 0;
}

static void read_piece(struct reference *r, const char *text, size_t length, size_t *from, size_t *count) {
  struct reading reading = {r, &r->query};
  size_t start = r->query.count;
  assert_int_equal(skill__analyze(r->analyzer, text, length, query_token, &reading), 0);
  if (r->query.count == start || (*count && distinct(r, start) < 2)) return; /* nothing, or joins the one before */
  from[(*count)++] = start;
}

static void read_query(struct reference *r, const char *text) {
  size_t length = strnlen(text, SKILL_MAX_QUERY), start = 0, pieces = 0, cuts = 0, from[PIECES + 1];
  reference_free_query(r);
  for (size_t at = 0, n; at < length && cuts + 1 < PIECES; at += n ? n : 1) {
    n = cut_at(text, at);
    if (!n) continue;
    cuts += at > start;
    read_piece(r, text + start, at - start, from, &pieces);
    start = at + n;
  }
  read_piece(r, text + start, length - start, from, &pieces);
  for (size_t i = 0; i < r->query.count; i++) rarity(r, r->tokens[r->query.ids[i]]);
  add_view(r, 0, r->query.count);
  from[pieces] = r->query.count;
  for (size_t i = 0; i < pieces && pieces > 1; i++) add_view(r, from[i], from[i + 1]);
  double all = 0, in_words = 0, in_table = 0;
  r->ceiling = 0;
  for (size_t i = 0; i < r->views[0].count; i++) {
    const struct token *t = r->tokens[r->views[0].terms[i]];
    all += t->rarity;
    in_words += known(t) ? t->rarity : 0;
    in_table += t->term.row != SKILL__TERMS_NONE ? t->rarity : 0;
    r->ceiling += r->views[0].q[i] * t->idf * (K1 + 1) * (r->groups > 0 ? 1.6 : 1);
  }
  r->known = all > 0 ? in_words / all : 0;
  r->told = all > 0 ? in_table / all : 0;
}

/* --- vectors ----------------------------------------------------------------------------------------------------- */

static double cosine(const struct reference *r, const struct vector *a, const struct vector *b) {
  return (double)skill__terms_dot_plain(a->values, b->values, skill__terms_dims(r->terms)) * a->unit * b->unit;
}

static double near_view(const struct reference *r, const struct skill *skill, const struct view *view) {
  double own = cosine(r, &view->vector, &skill->whole.vector), best = -1;
  for (size_t i = 0; i < skill->tool_count; i++) best = fmax(best, cosine(r, &view->vector, &skill->tools[i].vector));
  return fmax(0, skill->tool_count ? (own + best) / 2 : own);
}

static double near_query(const struct reference *r, const struct skill *skill) {
  double whole = near_view(r, skill, &r->views[0]), best = r->view_count == 1 ? whole : 0;
  for (size_t v = 1; v < r->view_count; v++) best = fmax(best, near_view(r, skill, &r->views[v]));
  return (whole + best) / 2;
}

/* --- words -------------------------------------------------------------------------------------------------------- */

static double norm(double w, double length, double mean) {
  return w / (1 - B + B * length / mean);
}

static double frequency(const struct reference *r, const struct skill *skill, uint32_t id) {
  double x = 0;
  for (size_t f = 0; f < NOT_WHEN; f++) {
    const struct field *field = &skill->whole.field[f];
    x += norm(reference_weight[f], field->length, r->mean[f]) * count_in(field->ids, field->count, id);
  }
  return x;
}

static double tool_frequency(const struct reference *r, const struct skill *skill, const struct document *tool,
                             uint32_t id) {
  const struct field *name = &skill->whole.field[NAME], *tags = &skill->whole.field[TAGS];
  double x = norm(1, name->length + tags->length, r->tool_mean[TAGS]) *
             (count_in(name->ids, name->count, id) + count_in(tags->ids, tags->count, id));
  for (size_t k = 0; k < TOOL_FIELDS; k++) {
    size_t f = reference_tool_fields[k];
    const struct field *field = &tool->field[f];
    x += norm(reference_weight[f], field->length, r->tool_mean[f]) * count_in(field->ids, field->count, id);
  }
  return x;
}

/* Words of the skill, or of one of its tools. */
static double sum_words(const struct reference *r, const struct skill *skill, const struct document *tool,
                        const struct view *view) {
  double sum = 0;
  for (size_t i = 0; i < view->count; i++) {
    const struct token *t = r->tokens[view->terms[i]];
    if (!known(t)) continue;
    double x = tool ? tool_frequency(r, skill, tool, t->id) : frequency(r, skill, t->id);
    sum += view->q[i] * (tool ? t->tool_idf : t->idf) * sat(x, K1);
  }
  return sum;
}

static double coverage(const struct reference *r, const struct skill *skill, const struct view *view) {
  double held = 0, all = 0;
  for (size_t i = 0; i < view->count; i++) {
    const struct token *t = r->tokens[view->terms[i]];
    double part = known(t) ? view->q[i] * t->idf : 0;
    all += part;
    held += count_in(skill->whole.field[BODY].ids, skill->whole.field[BODY].count, t->id) > 0 ? part : 0;
  }
  return all > 0 ? pow(held / all, 4) : 0;
}

static double sum_body(const struct reference *r, const struct skill *skill, const struct view *view) {
  const struct field *body = &skill->whole.field[BODY];
  double sum = 0;
  for (size_t i = 0; i < view->count; i++) {
    double y = count_in(body->ids, body->count, view->terms[i]) / (.25 + .75 * body->length / r->mean[BODY]);
    sum += view->q[i] * r->tokens[view->terms[i]]->idf * sat(y, 1.2);
  }
  return .5 * coverage(r, skill, view) * sum;
}

/* Words, the best tool and the body. */
static double sum_view(const struct reference *r, const struct skill *skill, const struct view *view) {
  double words = sum_words(r, skill, NULL, view), best = skill->tool_count ? 0 : words;
  for (size_t i = 0; i < skill->tool_count; i++) best = fmax(best, sum_words(r, skill, &skill->tools[i], view));
  return words + (r->groups > 0 ? .6 : 0) * best + sum_body(r, skill, view);
}

static double count_pair(const uint32_t *ids, size_t count, uint32_t a, uint32_t b) {
  double times = 0;
  for (size_t i = 1; i < count; i++) times += ids[i - 1] == a && ids[i] == b;
  return times;
}

static double sum_pairs(const struct reference *r, const struct skill *skill) {
  const uint32_t *ids = r->query.ids;
  double sum = 0, most = log(1 + ((double)r->skill_count - .5) / 1.5);
  for (size_t i = 1; i < r->query.count; i++) {
    const struct token *a = r->tokens[ids[i - 1]], *b = r->tokens[ids[i]];
    if (!known(a) || !known(b) || count_pair(ids, i, a->id, b->id) > 0) continue;
    double x = 0;
    for (size_t f = 0; f < BODY; f++) {
      const struct field *field = &skill->whole.field[f];
      x += norm(reference_weight[f], field->length, r->mean[f]) * count_pair(field->ids, field->count, a->id, b->id);
    }
    sum += sat(count_pair(ids, r->query.count, a->id, b->id), K3) * fmin(a->idf + b->idf, most) * sat(x, K1);
  }
  return .2 * sum;
}

static double sum_against(const struct reference *r, const struct skill *skill) {
  const struct field *field = &skill->whole.field[NOT_WHEN];
  double sum = 0;
  for (size_t i = 0; i < r->views[0].count; i++) {
    const struct token *t = r->tokens[r->views[0].terms[i]];
    double x = norm(1, field->length, r->mean[NOT_WHEN]) * count_in(field->ids, field->count, t->id);
    sum += known(t) ? r->views[0].q[i] * t->idf * sat(x, K1) : 0;
  }
  return .5 * sum;
}

static double additive(const struct reference *r, const struct skill *skill) {
  static const double of[] = {2, 1, .5};
  double sum = 0;
  for (size_t i = 0; i < r->views[0].count; i++)
    for (size_t f = 0; f <= SKILL_RANK_DESCRIPTION; f++)
      sum += count_in(skill->whole.field[f].ids, skill->whole.field[f].count, r->views[0].terms[i]) > 0 ? of[f] : 0;
  return sum;
}

/* --- names -------------------------------------------------------------------------------------------------------- */

/* Small letters, one '-' for separators between words, none at the ends. */
static void plain_name(const char *text, size_t length, char *out) {
  size_t n = 0;
  for (size_t i = 0; i < length; i++) {
    bool separator = strchr(" \t\n\v\f\r-_.:/", text[i]) != NULL;
    if (!separator) out[n++] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] | 0x20 : text[i]);
    if (separator && n && out[n - 1] != '-') out[n++] = '-';
  }
  out[n && out[n - 1] == '-' ? n - 1 : n] = 0;
}

static bool looks_like_name(const char *text, size_t length) {
  for (size_t i = 1; i + 1 < length; i++)
    if (strchr("-_.:/", text[i]) || (text[i] >= 'A' && text[i] <= 'Z' && text[i - 1] >= 'a' && text[i - 1] <= 'z'))
      return true;
  return false;
}

static int tier_of(const struct reference *r, const char *text, const char *name, double score) {
  char *asked = malloc(strlen(text) + 1), *own = malloc(strlen(name) + 1);
  plain_name(text, strlen(text), asked);
  plain_name(name, strlen(name), own);
  bool begins = strlen(text) >= 2 && strncmp(own, asked, strlen(asked)) == 0 && (score > 0 || r->known <= 0);
  int tier = strcmp(asked, own) == 0 && *asked ? 3 : begins;
  size_t words = 0;
  for (const char *at = text + strspn(text, " \t\n\r"); *at && tier < 2 && words++ < NAME_WORDS;
       at += strspn(at, " \t\n\r")) {
    const char *end = at + strcspn(at, " \t\n\r"), *stop = end;
    while (stop > at && strchr(",.;:!?)\"'`", stop[-1])) stop--;
    while (at < stop && strchr("(\"'`", *at)) at++;
    plain_name(at, (size_t)(stop - at), asked);
    if (stop - at >= 3 && looks_like_name(at, (size_t)(stop - at)) && strcmp(asked, own) == 0) tier = 2;
    at = end;
  }
  free(asked);
  free(own);
  return tier;
}

/* --- together ----------------------------------------------------------------------------------------------------- */

struct parts {
  double whole, piece, cosine, held;
  int tier;
  bool shown;
};

static struct parts score_skill(const struct reference *r, const struct skill *skill, const char *text) {
  struct parts p = {0, 0, 0, 0, 0, true};
  if (r->additive) {
    p.whole = additive(r, skill);
  } else {
    double whole = sum_view(r, skill, &r->views[0]);
    p.whole = fmax(0, whole + sum_pairs(r, skill) - sum_against(r, skill));
    p.piece = r->view_count == 1 ? whole : 0;
    for (size_t v = 1; v < r->view_count; v++) p.piece = fmax(p.piece, sum_view(r, skill, &r->views[v]));
    p.held = coverage(r, skill, &r->views[0]);
    p.cosine = r->terms ? near_query(r, skill) : 0;
  }
  p.tier = tier_of(r, text, skill->metadata->name, p.whole);
  return p;
}

static double deviation(double n, double sum, double square) {
  return n > 0 ? sqrt(fmax(0, square / n - sum / n * (sum / n))) : 0;
}

/* The weight of the best piece and of the cosine. */
static void weigh(const struct reference *r, const struct parts *parts, double *m, double *v) {
  double n = 0, top = 0, piece = 0, held = 0, w1 = 0, w2 = 0, c1 = 0, c2 = 0;
  for (size_t i = 0; i < r->skill_count; i++) {
    top = fmax(top, parts[i].whole);
    piece = fmax(piece, parts[i].piece);
    held = fmax(held, parts[i].held);
  }
  *m = piece > 0 ? .25 * top / piece : 0;
  for (size_t i = 0; i < r->skill_count; i++) {
    double w = parts[i].whole + *m * parts[i].piece, c = parts[i].cosine;
    n += parts[i].shown;
    w1 += w;
    w2 += w * w;
    c1 += c;
    c2 += c * c;
  }
  double words = deviation(n, w1, w2), vectors = deviation(n, c1, c2), terms = (double)r->views[0].count;
  double share = .7 * fmin(1, sqrt(20 / terms)) * fmin(1, r->told / .8) * (1 - .5 * held);
  *v = vectors > 0 ? share * (words > 0 ? words : 1) / vectors : 0;
}

static double fit_of(const struct reference *r, const struct parts *p) {
  double covered = r->ceiling > 0 ? p->whole / r->ceiling : 0;
  double words = r->known + 2.2 * covered;
  double both = p->cosine * (1 + .15 * (1 - r->known)) + .3 * r->known + covered;
  if (r->additive) return p->whole > 0;
  return r->terms ? both / (both + .9) : words / (words + .55);
}

void reference_rank(struct reference *r, const struct reference_query *query, struct reference_score *scores) {
  struct parts *parts = calloc(r->skill_count + 1, sizeof *parts);
  double m = 0, v = 0, best = 0, top = 0;
  read_query(r, query->text);
  for (size_t i = 0; i < r->skill_count; i++) {
    const SkillMetadata *of = r->skills[i].metadata;
    bool shown = !of->unlisted && !of->disable_model_invocation && (!query->shown || query->shown(query->user, of));
    if (shown) parts[i] = score_skill(r, &r->skills[i], query->text);
  }
  if (r->terms) weigh(r, parts, &m, &v);
  for (size_t i = 0; i < r->skill_count; i++) {
    const struct parts *p = &parts[i];
    double score = (r->terms ? r->known : 1) * (p->whole + m * p->piece) + v * p->cosine;
    double fit = query->conditions && r->views[0].count == 0 ? 1 : fit_of(r, p);
    scores[i] = (struct reference_score){score, fit, p->shown && (score > 0 || p->tier || fit >= 1)};
    if (scores[i].found) top = fmax(top, score);
    if (scores[i].found) best = fmax(best, fit);
  }
  for (size_t i = 0; i < r->skill_count; i++) {
    struct reference_score *s = &scores[i];
    if (top > 0 && s->score > 0) s->fit = fmax(s->fit, best * sqrt(s->score / top));
    if (parts[i].tier == 1) s->fit = fmax(s->fit, .5);
    if (parts[i].tier > 1) s->fit = 1;
    s->score += parts[i].tier * (top + 1);
  }
  free(parts);
}
