/* SPDX-License-Identifier: MIT
 *
 * The benchmark's figures as one HTML file: no script, no network, no fonts. Colours follow the reader's light or dark
 * setting, and every bar has its figure beside it, so nothing is shown by colour alone. Writing fails only through the
 * buffer's status.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/bench.h"
#include "util/alloc.h"
#include "util/number.h"
#include "util/utf8.h"

enum {
  MOST_SKILLS = 20,
  NAME_COLUMNS = 28, /* of a skill's name */
  ROW = 22,          /* height of a bar's row; units of the drawing */
  BAR_LEFT = 210,
  BAR_WIDTH = 440,
  BAR_END = 760
};

static const char style[] =
    ":root{color-scheme:light dark;--bg:#fff;--ink:#1d1f23;--soft:#5d636e;--line:#dedbd5;--good:#17803d;--bad:#c8362d;"
    "--k0:#b6a13a;--k1:#2f6fd0;--k2:#0b8a8f;--k3:#17803d;--k4:#c8362d;--k5:#a9adb5}"
    "@media (prefers-color-scheme:dark){:root{--bg:#17191d;--ink:#e9eaec;--soft:#a2a9b4;--line:#383c44;--good:#5fd088;"
    "--bad:#f2827a;--k0:#d9c765;--k1:#75a7f5;--k2:#45c3c6;--k3:#5fd088;--k4:#f2827a;--k5:#6b717c}}"
    "body{margin:0 auto;padding:1rem;max-width:62rem;background:var(--bg);color:var(--ink);"
    "font:16px/1.5 system-ui,'Noto Sans','Noto Sans CJK SC',sans-serif}"
    "h1{font-size:1.6rem}h2{font-size:1.2rem;margin:2rem 0 .3rem}p{margin:.4rem 0}.soft{color:var(--soft)}"
    ".wide{overflow-x:auto}svg{display:block;width:100%;min-width:36rem;height:auto}svg text{fill:var(--ink);"
    "font-size:13px}rect{fill:var(--k)}i{display:inline-block;width:.8em;height:.8em;background:var(--k)}.good{--k:var("
    "--good)}.bad{--k:var(--bad)}.k0{--k:var(--k0)}.k1{--k:var(--k1)}"
    ".k2{--k:var(--k2)}.k3{--k:var(--k3)}.k4{--k:var(--k4)}.k5{--k:var(--k5)}"
    "table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums;margin:.8rem 0}"
    "th,td{text-align:right;padding:.25rem .6rem;border-bottom:1px solid var(--line);white-space:nowrap}"
    "th:first-child{text-align:left}tr.ours th,tr.ours td{font-weight:700}"
    "code{overflow-wrap:anywhere}@media print{section{break-inside:avoid}}";

/* --- text, tables and bars ---------------------------------------------------------------------------------------- */

static void put_text(struct skill__buf *buf, const char *text) {
  static const char special[] = "<>&\"";
  static const char *const entities[] = {"&lt;", "&gt;", "&amp;", "&quot;"};
  for (; *text; text++) {
    const char *found = strchr(special, *text);
    if (found) {
      skill__buf_text(buf, entities[found - special]);
    } else {
      skill__buf_char(buf, (unsigned char)*text < 0x20 ? ' ' : *text);
    }
  }
}

/* A name, cut to what fits before a bar. */
static void put_name(struct skill__buf *buf, const char *name) {
  char head[NAME_COLUMNS * 4 + 4];
  size_t length = strlen(name);
  size_t at = 0;
  while (at < length && skill__utf8_columns(name, at) < NAME_COLUMNS && at + 4 < sizeof head) {
    size_t step = skill__utf8_length(name + at, length - at);
    at += step ? step : 1;
  }
  snprintf(head, sizeof head, "%.*s", (int)at, name);
  put_text(buf, head);
  if (at < length) skill__buf_text(buf, "…");
}

/* `columns` are the headings, with '|' between them. */
static void begin_table(struct skill__buf *buf, const char *columns) {
  skill__buf_text(buf, "<div class=\"wide\" tabindex=\"0\"><table><thead><tr>");
  while (*columns) {
    size_t length = strcspn(columns, "|");
    skill__buf_printf(buf, "<th scope=\"col\">%.*s</th>", (int)length, columns);
    columns += length + (columns[length] == '|');
  }
  skill__buf_text(buf, "</tr></thead><tbody>");
}

static void begin_row(struct skill__buf *buf, const struct skill__strategy *strategy) {
  bool ours = strategy->kind == SKILL__STRATEGY_SKILLET;
  skill__buf_printf(buf, "<tr%s><th scope=\"row\" title=\"%s\">%s</th>", ours ? " class=\"ours\"" : "", strategy->title,
                    strategy->name);
}

static void put_number(struct skill__buf *buf, double number) {
  char text[SKILL__NUMBER_SIZE];
  skill__buf_printf(buf, "<td>%s</td>", skill__number_text(text, number));
}

/* Two decimals where one would round to a hundred. */
static void put_percent(struct skill__buf *buf, double share) {
  skill__buf_printf(buf, share >= 0.999 && share < 1 ? "<td>%.2f&nbsp;%%</td>" : "<td>%.1f&nbsp;%%</td>", share * 100);
}

static void end_table(struct skill__buf *buf) {
  skill__buf_text(buf, "</tbody></table></div>");
}

static void begin_bars(struct skill__buf *buf, const char *label, size_t rows) {
  skill__buf_printf(buf,
                    "<div class=\"wide\" tabindex=\"0\"><svg viewBox=\"0 0 %d %zu\" role=\"img\" aria-label=\"%s\">",
                    BAR_END, rows * ROW, label);
}

/* The name before a row's bar. */
static void put_bar_name(struct skill__buf *buf, size_t row, const char *name) {
  skill__buf_printf(buf, "<text x=\"0\" y=\"%zu\">", row * ROW + 16);
  put_name(buf, name);
  skill__buf_text(buf, "</text>");
}

/* One part of a row's bar, behind the parts before it; `at` is where they end. */
static void put_bar(struct skill__buf *buf, size_t row, double *at, double share, const char *class, const char *what) {
  if (!(share > 0)) return;
  double width = fmin(share, 1) * BAR_WIDTH;
  skill__buf_printf(buf,
                    "<rect class=\"%s\" x=\"%.1f\" y=\"%zu\" width=\"%.1f\" height=\"%d\"><title>%s</title></rect>",
                    class, BAR_LEFT + *at, row * ROW + 3, width, ROW - 6, what);
  *at += width;
}

/* What the colours of the bars above mean. */
static void put_legend(struct skill__buf *buf, const char *const *classes, const char *const *words, size_t count) {
  skill__buf_text(buf, "<p class=\"soft\">");
  for (size_t i = 0; i < count; i++) skill__buf_printf(buf, "<i class=\"%s\"></i> %s &ensp;", classes[i], words[i]);
  skill__buf_text(buf, "</p>");
}

static void put_bar_figure(struct skill__buf *buf, size_t row, const char *figure) {
  skill__buf_printf(buf, "<text x=\"%d\" y=\"%zu\" text-anchor=\"end\">%s</text>", BAR_END, row * ROW + 16, figure);
}

static void end_bars(struct skill__buf *buf) {
  skill__buf_text(buf, "</svg></div>");
}

static void begin_section(struct skill__buf *buf, const char *id, const char *title, const char *text) {
  skill__buf_printf(buf, "<section aria-labelledby=\"%s\"><h2 id=\"%s\">%s</h2><p class=\"soft\">%s</p>", id, id, title,
                    text);
}

static void end_section(struct skill__buf *buf) {
  skill__buf_text(buf, "</section>");
}

/* --- sections ----------------------------------------------------------------------------------------------------- */

static void put_savings(const struct skill__bench *bench, struct skill__buf *buf) {
  begin_section(buf, "savings", "What each strategy saves",
                "The price of a conversation, with the prompt cache, against sending everything in every request. At "
                "equal recall: a turn that lacked a skill is repeated with everything sent, and that is paid too.");
  begin_bars(buf, "price saved at equal recall; the table below has the figures", bench->count);
  for (size_t i = 0; i < bench->count; i++) {
    double saved = skill__bench_figures(bench, &bench->results[i]).saved_equal;
    double at = 0;
    char figure[32];
    snprintf(figure, sizeof figure, saved < 0 ? "loses %.1f %%" : "%.1f %%", fabs(saved) * 100);
    put_bar_name(buf, i, bench->results[i].strategy->name);
    put_bar(buf, i, &at, fabs(saved), saved < 0 ? "bad" : "good", saved < 0 ? "costs more" : "saved");
    put_bar_figure(buf, i, figure);
  }
  end_bars(buf);
  begin_table(buf, "strategy|recall|all loaded|first request|tokens|price|prefix kept|saved|at equal recall");
  for (size_t i = 0; i < bench->count; i++) {
    struct skill__figures f = skill__bench_figures(bench, &bench->results[i]);
    begin_row(buf, bench->results[i].strategy);
    put_percent(buf, f.recall);
    put_percent(buf, f.all_loaded);
    put_number(buf, f.first);
    put_number(buf, f.tokens);
    put_number(buf, f.price);
    put_percent(buf, f.kept);
    put_percent(buf, f.saved_price);
    put_percent(buf, f.saved_equal);
    skill__buf_text(buf, "</tr>");
  }
  end_table(buf);
  end_section(buf);
}

/* The parts of a conversation in the order of enum skill__part_kind. */
static const char *const part_classes[SKILL__PART_KINDS] = {"k0", "k1", "k2", "k3", "k4", "k5"};
static const char *const part_words[SKILL__PART_KINDS] = {
    "meta-tool definitions", "listing", "calls to find skills", "skills needed", "skills not needed", "conversation"};

static void put_parts(const struct skill__bench *bench, struct skill__buf *buf) {
  double talks = (double)bench->talks->count;
  double most = 0;
  for (size_t i = 1; i < bench->count; i++) most = fmax(most, bench->results[i].bill.tokens);
  begin_section(buf, "parts", "What the tokens are for",
                "Tokens of one conversation, repeated sending counted, before any cache. Sending everything may leave "
                "the scale, which is that of the others.");
  begin_bars(buf, "tokens of a conversation by what they are for; the table below has the figures", bench->count);
  for (size_t i = 0; i < bench->count; i++) {
    const struct skill__result *r = &bench->results[i];
    char total[SKILL__NUMBER_SIZE];
    double at = 0;
    put_bar_name(buf, i, r->strategy->name);
    for (size_t k = 0; k < SKILL__PART_KINDS; k++) {
      double left = 1 - at / BAR_WIDTH;
      put_bar(buf, i, &at, most > 0 ? fmin(r->bill.kinds[k] / most, left) : 0, part_classes[k], part_words[k]);
    }
    put_bar_figure(buf, i, skill__number_text(total, r->bill.tokens / talks));
  }
  end_bars(buf);
  put_legend(buf, part_classes, part_words, SKILL__PART_KINDS);
  begin_table(buf, "strategy|meta-tools|listing|search|needed skills|other skills|conversation");
  for (size_t i = 0; i < bench->count; i++) {
    begin_row(buf, bench->results[i].strategy);
    for (size_t k = 0; k < SKILL__PART_KINDS; k++) put_number(buf, bench->results[i].bill.kinds[k] / talks);
    skill__buf_text(buf, "</tr>");
  }
  end_table(buf);
  end_section(buf);
}

static void put_turns(const struct skill__bench *bench, struct skill__buf *buf) {
  begin_section(buf, "turns", "Tokens sent per turn", "All requests of a turn together, mean over the conversations.");
  skill__buf_text(buf, "<div class=\"wide\" tabindex=\"0\"><table><thead><tr><th scope=\"col\">strategy</th>");
  size_t turns = bench->world->settings.turns;
  for (size_t t = 0; t < turns; t++) skill__buf_printf(buf, "<th scope=\"col\">%zu</th>", t + 1);
  skill__buf_text(buf, "</tr></thead><tbody>");
  for (size_t i = 0; i < bench->count; i++) {
    const struct skill__result *r = &bench->results[i];
    begin_row(buf, r->strategy);
    for (size_t t = 0; t < turns; t++) put_number(buf, r->turn_tokens[t] / (double)bench->talks->count);
    skill__buf_text(buf, "</tr>");
  }
  end_table(buf);
  end_section(buf);
}

static void put_policies(const struct skill__bench *bench, struct skill__buf *buf) {
  begin_section(buf, "policies", "What stays loaded from turn to turn",
                "A hit is a wanted skill that was loaded already. Every init and every eviction changes the tools, and "
                "with them the cached prefix of all that follows.");
  begin_table(buf, "policy|hit rate|inits|evictions|expired|prefix kept|recall");
  for (size_t i = 0; i < bench->count; i++) {
    const struct skill__result *r = &bench->results[i];
    struct skill__figures f = skill__bench_figures(bench, r);
    if (!r->strategy->max_active) continue;
    begin_row(buf, r->strategy);
    put_percent(buf, f.hit_rate);
    put_number(buf, r->inits);
    put_number(buf, r->evictions);
    put_number(buf, r->expiries);
    put_percent(buf, f.kept);
    put_percent(buf, f.recall);
    skill__buf_text(buf, "</tr>");
  }
  end_table(buf);
  end_section(buf);
}

static int by_l2(const void *a, const void *b) {
  const struct skill__world_skill *x = *(const struct skill__world_skill *const *)a;
  const struct skill__world_skill *y = *(const struct skill__world_skill *const *)b;
  size_t l2_x = x->body + x->tools;
  size_t l2_y = y->body + y->tools;
  if (l2_x != l2_y) return l2_x > l2_y ? -1 : 1;
  return strcmp(x->name, y->name);
}

static void put_skills(const struct skill__bench *bench, struct skill__buf *buf) {
  static const char *const classes[] = {"k3", "k1"};
  static const char *const words[] = {"instructions", "tools"};
  const struct skill__world *w = bench->world;
  const struct skill__world_skill **order = skill__calloc(w->count + 1, sizeof *order);
  size_t shown = w->count < MOST_SKILLS ? w->count : MOST_SKILLS;
  if (!order) {
    buf->status = SKILL_ENOMEM;
    return;
  }
  for (size_t i = 0; i < w->count; i++) order[i] = &w->skills[i];
  qsort(order, w->count, sizeof *order, by_l2);
  double most = shown ? (double)(order[0]->body + order[0]->tools) : 0;
  begin_section(buf, "skills", "The largest skills", "Tokens of instructions and tools once a skill is loaded.");
  begin_bars(buf, "tokens of the largest skills", shown);
  for (size_t i = 0; i < shown; i++) {
    char total[SKILL__NUMBER_SIZE];
    double at = 0;
    put_bar_name(buf, i, order[i]->name);
    put_bar(buf, i, &at, most > 0 ? (double)order[i]->body / most : 0, classes[0], words[0]);
    put_bar(buf, i, &at, most > 0 ? (double)order[i]->tools / most : 0, classes[1], words[1]);
    put_bar_figure(buf, i, skill__number_text(total, (double)(order[i]->body + order[i]->tools)));
  }
  end_bars(buf);
  put_legend(buf, classes, words, 2);
  end_section(buf);
  skill__free(order);
}

static void put_method(const struct skill__bench *bench, struct skill__buf *buf) {
  const struct skill__settings *s = &bench->world->settings;
  begin_section(buf, "how", "How this was counted",
                "The ranker, the loader, its policies and the listing are the real ones. No model runs.");
  skill__buf_printf(buf,
                    "<p>Every request sends its whole context again. What repeats the beginning of the request before "
                    "is read from the cache at %g of a token, the rest is paid at %g; a prefix is forgotten after %zu "
                    "minutes. Tools come first, then the system text, then messages.</p>",
                    s->cache_read, s->cache_write, s->cache_minutes);
  skill__buf_printf(
      buf,
      "<p>Assumed: a model that sees a skill it needs opens it, in %zu of 100 cases a wrong one first, and "
      "overlooks %zu of 100 in a listing. For all strategies: %zu tokens of system text, %zu for a call, "
      "%zu for its result, %zu for an answer.</p><p>The same figures again: <code>",
      s->wrong_percent, s->overlook_percent, s->system_tokens, s->call_tokens, s->result_tokens, s->answer_tokens);
  put_text(buf, bench->command ? bench->command : "");
  skill__buf_text(buf, "</code></p>");
  end_section(buf);
}

static void put_header(const struct skill__bench *bench, struct skill__buf *buf) {
  const struct skill__world *w = bench->world;
  struct skill__figures f = skill__bench_figures(bench, skill__bench_find(bench, "skillet"));
  struct skill__figures e = skill__bench_figures(bench, &bench->results[0]);
  char a[SKILL__NUMBER_SIZE], b[SKILL__NUMBER_SIZE], c[SKILL__NUMBER_SIZE], d[SKILL__NUMBER_SIZE];
  skill__buf_text(buf, "<h1>Token savings: ");
  put_text(buf, bench->title);
  skill__buf_printf(buf, "</h1><p>%s skills, %s tokens in all, counted by ", skill__number_text(a, (double)w->count),
                    skill__number_text(b, (double)(w->bodies + w->tools)));
  put_text(buf, w->tokenizer->name);
  skill__buf_printf(buf, "%s. %zu conversations of %zu turns, from %zu labelled requests%s.</p>",
                    w->tokenizer->exact ? "" : " (an estimate)", bench->talks->count, w->settings.turns,
                    bench->labels->count,
                    bench->labels->derived ? " that were made from the descriptions, so recall is too high" : "");
  skill__buf_printf(buf, "<p><strong>At equal recall skillet %s %.1f %% %s sending everything.</strong> ",
                    f.saved_equal < 0 ? "costs" : "saves", fabs(f.saved_equal) * 100,
                    f.saved_equal < 0 ? "more than" : "of the price of");
  skill__buf_printf(buf,
                    "%.1f %% of the needed skills were there. The first request has %s tokens instead of %s; all "
                    "requests of a conversation have %s instead of %s.</p>",
                    f.recall * 100, skill__number_text(a, f.first), skill__number_text(b, e.first),
                    skill__number_text(c, f.tokens), skill__number_text(d, e.tokens));
}

void skill__bench_html(const struct skill__bench *bench, struct skill__buf *buf) {
  skill__buf_text(buf,
                  "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
                  "content=\"width=device-width,initial-scale=1\"><title>Token savings: ");
  put_text(buf, bench->title);
  skill__buf_printf(buf, "</title><style>%s</style></head><body><main>", style);
  put_header(bench, buf);
  put_savings(bench, buf);
  put_parts(bench, buf);
  put_turns(bench, buf);
  put_policies(bench, buf);
  put_skills(bench, buf);
  put_method(bench, buf);
  skill__buf_text(buf, "</main><footer class=\"soft\">Made by skillet " SKILL_VERSION ".</footer></body></html>\n");
}
