/* SPDX-License-Identifier: MIT
 *
 * The two drawn charts of the benchmark's page: savings against recall, and tokens per turn. Static SVG, each with a
 * title, and a table of its figures below.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "measure/page.h"

enum { WIDTH = 760, HEIGHT = 420, LEFT = 64, RIGHT = 116, TOP = 18, BOTTOM = 46, MOST_LABELS = 64 };

#define PLOT_W (WIDTH - LEFT - RIGHT)
#define PLOT_H (HEIGHT - TOP - BOTTOM)

static const char scroll[] =
    "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"chart, scrolls sideways on small screens\">";

/* --- labels that do not lie on each other --------------------------------------------------------------------------
 */

struct box {
  double x, y, w, h;
};

struct boxes {
  struct box items[MOST_LABELS];
  size_t count;
};

static bool overlaps(const struct boxes *boxes, struct box b) {
  for (size_t i = 0; i < boxes->count; i++) {
    const struct box *o = &boxes->items[i];
    if (b.x < o->x + o->w && o->x < b.x + b.w && b.y < o->y + o->h && o->y < b.y + b.h) return true;
  }
  return false;
}

static void occupy(struct boxes *boxes, struct box b) {
  if (boxes->count < MOST_LABELS) boxes->items[boxes->count++] = b;
}

/* Writes a label beside a point where there is room: right, left, above, below. Without room there is none; the point
 * keeps its title. */
static void put_label(struct skill__buf *buf, struct boxes *boxes, double x, double y, const char *text,
                      const char *class) {
  double w = 7.3 * (double)strlen(text);
  const struct box places[] = {
      {x + 9, y - 7, w, 14}, {x - 9 - w, y - 7, w, 14}, {x - w / 2, y - 24, w, 14}, {x - w / 2, y + 10, w, 14}};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    struct box b = places[i];
    if (overlaps(boxes, b) || b.x < LEFT || b.x + b.w > WIDTH || b.y < 0) continue;
    occupy(boxes, b);
    skill__buf_printf(buf, "<text class=\"label tint %s\" x=\"%.1f\" y=\"%.1f\">", class, b.x, b.y + 11);
    skill__page_text(buf, text);
    skill__buf_text(buf, "</text>");
    return;
  }
}

/* --- savings against recall ----------------------------------------------------------------------------------------
 */

/* How many times cheaper than everything, at equal recall or not; at least a hundredth. */
static double factor_of(const struct skill__bench *bench, const struct skill__result *r) {
  struct skill__figures f = skill__bench_figures(bench, r);
  double left = 1 - f.saved_price;
  return left > 0 ? 1 / left : 1;
}

struct scale {
  double low, high;  /* of log10(factor) */
  double recall_low; /* the left edge of the plot, 0..1 */
};

static struct scale scale_of(const struct skill__bench *bench) {
  struct scale s = {0, 0.5, 1};
  for (size_t i = 0; i < bench->count; i++) {
    double f = log10(factor_of(bench, &bench->results[i]));
    double recall = skill__result_recall(&bench->results[i]);
    if (f < s.low) s.low = f;
    if (f > s.high) s.high = f;
    if (recall < s.recall_low) s.recall_low = recall;
  }
  s.low = floor(s.low * 4) / 4;
  s.high = ceil(s.high * 4 + 0.3) / 4;
  s.recall_low = floor(s.recall_low * 10) / 10;
  if (s.recall_low > 0.8) s.recall_low = 0.8;
  return s;
}

static double x_at(const struct scale *s, double recall) {
  return LEFT + (recall - s->recall_low) / (1 - s->recall_low) * PLOT_W;
}

static double y_at(const struct scale *s, double factor) {
  return TOP + PLOT_H - (log10(factor) - s->low) / (s->high - s->low) * PLOT_H;
}

static void put_savings_axes(const struct scale *s, struct skill__buf *buf) {
  static const double ticks[] = {0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000};
  for (size_t i = 0; i < sizeof ticks / sizeof *ticks; i++) {
    if (log10(ticks[i]) < s->low - 1e-9 || log10(ticks[i]) > s->high + 1e-9) continue;
    double y = y_at(s, ticks[i]);
    skill__buf_printf(buf,
                      "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"%s/><text class=\"axis\" "
                      "text-anchor=\"end\" x=\"%d\" y=\"%.1f\">%g×</text>",
                      LEFT, LEFT + PLOT_W, y, y, ticks[i] == 1 ? " stroke-dasharray=\"5 4\"" : "", LEFT - 8, y + 4,
                      ticks[i]);
  }
  double step = s->recall_low < 0.5 ? 0.2 : 0.1;
  for (double recall = ceil(s->recall_low / step - 1e-9) * step; recall <= 1.0001; recall += step) {
    double x = x_at(s, recall);
    skill__buf_printf(buf,
                      "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/><text class=\"axis\" "
                      "text-anchor=\"middle\" x=\"%.1f\" y=\"%d\">%.0f %%</text>",
                      x, x, TOP, TOP + PLOT_H, x, TOP + PLOT_H + 18, recall * 100);
  }
  skill__buf_printf(buf,
                    "<text class=\"axis\" text-anchor=\"middle\" x=\"%d\" y=\"%d\">needed skills that were there"
                    "</text>",
                    LEFT + PLOT_W / 2, HEIGHT - 6);
}

/* Top-1 to top-10 are one strategy at ten settings: a line joins them. */
static void put_top_line(const struct skill__bench *bench, const struct scale *s, struct skill__buf *buf) {
  const char *move = "M";
  skill__buf_text(buf, "<path class=\"path c-host\" opacity=\".45\" d=\"");
  for (size_t i = 0; i < bench->count; i++) {
    const struct skill__result *r = &bench->results[i];
    if (r->strategy->kind != SKILL__STRATEGY_HOST || r->strategy->select != r->strategy->max_active) continue;
    skill__buf_printf(buf, "%s%.1f %.1f", move, x_at(s, skill__result_recall(r)), y_at(s, factor_of(bench, r)));
    move = "L";
  }
  skill__buf_text(buf, "\"/>");
}

static void put_point(const struct skill__bench *bench, const struct scale *s, const struct skill__result *r,
                      struct skill__buf *buf) {
  struct skill__figures f = skill__bench_figures(bench, r);
  bool ours = r->strategy->kind == SKILL__STRATEGY_SKILLET;
  skill__buf_printf(buf, "<circle class=\"dot %s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%d\"><title>",
                    skill__page_class(r->strategy), x_at(s, f.recall), y_at(s, factor_of(bench, r)), ours ? 9 : 6);
  skill__page_text(buf, r->strategy->name);
  skill__buf_printf(buf, ": %.1f %% recall, %.1f %% of the price saved (%s)</title></circle>", f.recall * 100,
                    f.saved_price * 100, r->strategy->title);
}

static void put_savings_labels(const struct skill__bench *bench, const struct scale *s, struct skill__buf *buf) {
  static const char *const first[] = {"skillet",   "everything",   "listing",  "search",       "oracle",
                                      "top-1",     "top-3",        "top-10",   "agent-load-3", "top-3-kept",
                                      "agent",     "agent-load-1", "lru-3of8", "top-1-kept",   "sticky-3",
                                      "budget-8k", "lru-1of3",     "top-5"};
  struct boxes boxes = {.count = 0};
  for (size_t i = 0; i < bench->count; i++) {
    const struct skill__result *r = &bench->results[i];
    double x = x_at(s, skill__result_recall(r));
    double y = y_at(s, factor_of(bench, r));
    occupy(&boxes, (struct box){x - 6, y - 6, 12, 12});
  }
  for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
    const struct skill__result *r = skill__bench_find(bench, first[i]);
    if (!r) continue;
    put_label(buf, &boxes, x_at(s, skill__result_recall(r)), y_at(s, factor_of(bench, r)), r->strategy->name,
              skill__page_class(r->strategy));
  }
}

static void put_savings_table(const struct skill__bench *bench, struct skill__buf *buf) {
  char a[SKILL__PAGE_NUMBER], b[SKILL__PAGE_NUMBER], c[SKILL__PAGE_NUMBER];
  skill__buf_text(buf,
                  "<details><summary>All figures as a table</summary><div class=\"scroll\" role=\"region\" "
                  "tabindex=\"0\" aria-label=\"table of strategies\"><table><thead><tr><th scope=\"col\">strategy</th>"
                  "<th scope=\"col\">recall</th><th scope=\"col\">all loaded</th><th scope=\"col\">first request</th>"
                  "<th scope=\"col\">tokens</th><th scope=\"col\">price</th><th scope=\"col\">prefix kept</th>"
                  "<th scope=\"col\">saved</th><th scope=\"col\">at equal recall</th></tr></thead><tbody>");
  for (size_t i = 0; i < bench->count; i++) {
    const struct skill__result *r = &bench->results[i];
    struct skill__figures f = skill__bench_figures(bench, r);
    bool ours = r->strategy->kind == SKILL__STRATEGY_SKILLET;
    skill__buf_printf(buf, "<tr%s><th scope=\"row\" title=\"", ours ? " class=\"ours\"" : "");
    skill__page_text(buf, r->strategy->title);
    skill__buf_printf(buf,
                      "\">%s</th><td>%.1f %%</td><td>%.1f %%</td><td>%s</td><td>%s</td><td>%s</td><td>%.1f %%</td>"
                      "<td>%.1f %%</td><td>%.1f %%</td></tr>",
                      r->strategy->name, f.recall * 100, f.all_loaded * 100, skill__page_number(a, f.first),
                      skill__page_number(b, f.tokens), skill__page_number(c, f.price), f.kept * 100,
                      f.saved_price * 100, f.saved_equal * 100);
  }
  skill__buf_text(buf, "</tbody></table></div></details>");
}

void skill__chart_savings(const struct skill__bench *bench, struct skill__buf *buf) {
  struct scale s = scale_of(bench);
  skill__buf_text(buf,
                  "<section aria-labelledby=\"savings\"><h2 id=\"savings\">Cheaper is easy; cheaper with the right "
                  "skills is not</h2><p class=\"soft\">How many times cheaper a conversation is than sending "
                  "everything, against how many of the needed skills were there. Up and to the right is better. Below "
                  "the dashed line a strategy costs more than it saves.</p><figure>");
  skill__buf_text(buf, scroll);
  skill__buf_printf(buf,
                    "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Savings against recall, one point for "
                    "each strategy; the table below has the figures\">",
                    WIDTH, HEIGHT);
  put_savings_axes(&s, buf);
  put_top_line(bench, &s, buf);
  for (size_t i = 0; i < bench->count; i++) put_point(bench, &s, &bench->results[i], buf);
  put_savings_labels(bench, &s, buf);
  skill__buf_text(buf, "</svg></div>");
  put_savings_table(bench, buf);
  skill__buf_text(buf, "</figure></section>");
}

/* --- tokens per turn ------------------------------------------------------------------------------------------------
 */

static const char *const series[] = {"everything", "listing",      "search",  "top-3", "top-3-kept",
                                     "agent",      "agent-load-3", "skillet", "oracle"};
enum { SERIES = sizeof series / sizeof *series };

static double turn_value(const struct skill__bench *bench, const struct skill__result *r, size_t turn) {
  return r->turn_tokens[turn] / (double)bench->talks->count;
}

/* The top of the scale: everything is left off where it would press the others to the floor. */
static double turn_top(const struct skill__bench *bench, bool *with_everything) {
  double most = 0;
  double everything = 0;
  for (size_t k = 0; k < SERIES; k++) {
    const struct skill__result *r = skill__bench_find(bench, series[k]);
    for (size_t t = 0; r && t < bench->world->settings.turns; t++) {
      double v = turn_value(bench, r, t);
      if (k == 0 && v > everything) everything = v;
      if (k > 0 && v > most) most = v;
    }
  }
  *with_everything = everything < 3 * most;
  return *with_everything && everything > most ? everything : most;
}

static double nice_step(double most) {
  double step = pow(10, floor(log10(most / 4 + 1e-9)));
  while (most / step > 6) step *= most / step > 12 ? 5 : 2;
  return step;
}

static double turn_x(const struct skill__bench *bench, size_t turn) {
  size_t last = bench->world->settings.turns > 1 ? bench->world->settings.turns - 1 : 1;
  return LEFT + (double)turn / (double)last * PLOT_W;
}

static void put_turn_axes(const struct skill__bench *bench, double top, struct skill__buf *buf) {
  char a[SKILL__PAGE_NUMBER];
  double step = nice_step(top);
  for (double v = 0; v <= top * 1.0001; v += step) {
    double y = TOP + PLOT_H - v / top * PLOT_H;
    skill__buf_printf(buf,
                      "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/><text class=\"axis\" "
                      "text-anchor=\"end\" x=\"%d\" y=\"%.1f\">%s</text>",
                      LEFT, LEFT + PLOT_W, y, y, LEFT - 8, y + 4, skill__page_short(a, v));
  }
  size_t turns = bench->world->settings.turns;
  for (size_t t = 0; t<turns; t += turns> 20 ? turns / 10 : 1) {
    skill__buf_printf(buf, "<text class=\"axis\" text-anchor=\"middle\" x=\"%.1f\" y=\"%d\">%zu</text>",
                      turn_x(bench, t), TOP + PLOT_H + 18, t + 1);
  }
  skill__buf_printf(buf, "<text class=\"axis\" text-anchor=\"middle\" x=\"%d\" y=\"%d\">turn</text>", LEFT + PLOT_W / 2,
                    HEIGHT - 6);
}

static void put_turn_path(const struct skill__bench *bench, const struct skill__result *r, double top,
                          struct skill__buf *buf) {
  skill__buf_printf(buf, "<path class=\"path %s\"%s d=\"", skill__page_class(r->strategy),
                    r->strategy->kind == SKILL__STRATEGY_ORACLE ? " stroke-dasharray=\"2 4\"" : "");
  for (size_t t = 0; t < bench->world->settings.turns; t++) {
    skill__buf_printf(buf, "%s%.1f %.1f", t ? "L" : "M", turn_x(bench, t),
                      TOP + PLOT_H - turn_value(bench, r, t) / top * PLOT_H);
  }
  skill__buf_text(buf, "\"><title>");
  skill__page_text(buf, r->strategy->title);
  skill__buf_text(buf, "</title></path>");
}

/* Names at the right ends, pushed apart where they would touch. */
static void put_turn_names(const struct skill__bench *bench, double top, bool with_everything, struct skill__buf *buf) {
  const struct skill__result *order[SERIES];
  double at[SERIES];
  size_t count = 0;
  size_t last = bench->world->settings.turns - 1;
  for (size_t k = with_everything ? 0 : 1; k < SERIES; k++) {
    const struct skill__result *r = skill__bench_find(bench, series[k]);
    if (!r) continue;
    double y = TOP + PLOT_H - turn_value(bench, r, last) / top * PLOT_H;
    size_t i = count++;
    for (; i > 0 && at[i - 1] > y; i--) {
      at[i] = at[i - 1];
      order[i] = order[i - 1];
    }
    at[i] = y;
    order[i] = r;
  }
  for (size_t i = 1; i < count; i++) {
    if (at[i] < at[i - 1] + 15) at[i] = at[i - 1] + 15;
  }
  double beyond = count ? at[count - 1] - (TOP + PLOT_H) : 0;
  for (size_t i = count; beyond > 0 && i-- > 0;) {
    at[i] -= beyond;
    if (i && at[i] - at[i - 1] >= 15) break;
  }
  for (size_t i = 0; i < count; i++) {
    skill__buf_printf(buf, "<text class=\"label tint %s\" x=\"%d\" y=\"%.1f\">", skill__page_class(order[i]->strategy),
                      LEFT + PLOT_W + 8, at[i] + 4);
    skill__page_text(buf, order[i]->strategy->name);
    skill__buf_text(buf, "</text>");
  }
}

static void put_turn_table(const struct skill__bench *bench, struct skill__buf *buf) {
  char a[SKILL__PAGE_NUMBER];
  size_t turns = bench->world->settings.turns;
  skill__buf_text(buf,
                  "<details><summary>Tokens per turn as a table</summary><div class=\"scroll\" role=\"region\" "
                  "tabindex=\"0\" aria-label=\"table of tokens per turn\"><table><thead><tr><th scope=\"col\">strategy"
                  "</th>");
  for (size_t t = 0; t < turns; t++) skill__buf_printf(buf, "<th scope=\"col\">%zu</th>", t + 1);
  skill__buf_text(buf, "</tr></thead><tbody>");
  for (size_t k = 0; k < SERIES; k++) {
    const struct skill__result *r = skill__bench_find(bench, series[k]);
    if (!r) continue;
    skill__buf_printf(buf, "<tr><th scope=\"row\">%s</th>", r->strategy->name);
    for (size_t t = 0; t < turns; t++) {
      skill__buf_printf(buf, "<td>%s</td>", skill__page_number(a, turn_value(bench, r, t)));
    }
    skill__buf_text(buf, "</tr>");
  }
  skill__buf_text(buf, "</tbody></table></div></details>");
}

void skill__chart_turns(const struct skill__bench *bench, struct skill__buf *buf) {
  bool with_everything = false;
  double top = turn_top(bench, &with_everything) * 1.05;
  char a[SKILL__PAGE_NUMBER];
  skill__buf_text(buf,
                  "<section aria-labelledby=\"turns\"><h2 id=\"turns\">Tokens sent per turn</h2><p class=\"soft\">All "
                  "requests of a turn together, mean over the conversations. A conversation grows, so every later turn "
                  "sends more.");
  if (!with_everything) {
    skill__buf_printf(buf, " Sending everything takes %s a turn: off this scale.",
                      skill__page_short(a, turn_value(bench, &bench->results[0], 0)));
  }
  skill__buf_text(buf, "</p><figure>");
  skill__buf_text(buf, scroll);
  skill__buf_printf(buf,
                    "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Tokens per turn by strategy; the table "
                    "below has the figures\">",
                    WIDTH, HEIGHT);
  if (top > 0) {
    put_turn_axes(bench, top, buf);
    for (size_t k = with_everything ? 0 : 1; k < SERIES; k++) {
      const struct skill__result *r = skill__bench_find(bench, series[k]);
      if (r) put_turn_path(bench, r, top, buf);
    }
    put_turn_names(bench, top, with_everything, buf);
  }
  skill__buf_text(buf, "</svg></div>");
  put_turn_table(bench, buf);
  skill__buf_text(buf, "</figure></section>");
}
