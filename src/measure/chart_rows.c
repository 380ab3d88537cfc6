/* SPDX-License-Identifier: MIT
 *
 * The charts of the benchmark's page that are rows of text: bars, the activation timeline, policies. They wrap and
 * scale with the page, and read as tables and lists without style.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/page.h"
#include "util/alloc.h"

enum { MOST_SKILLS = 20, MOST_ROWS = 24 };

/* --- what the tokens are for -----------------------------------------------------------------------------------------
 */

static const char *const part_words[SKILL__PART_KINDS] = {"meta-tool definitions", "listing",
                                                          "calls to find skills",  "skills needed",
                                                          "skills not needed",     "the conversation"};

static void put_parts_row(const struct skill__bench *bench, const struct skill__result *r, double most,
                          struct skill__buf *buf) {
  char a[SKILL__PAGE_NUMBER];
  double talks = (double)bench->talks->count;
  bool ours = r->strategy->kind == SKILL__STRATEGY_SKILLET;
  skill__buf_printf(buf, "<span title=\"%s\">%s%s%s</span><div class=\"bar\" role=\"img\" aria-label=\"",
                    r->strategy->title, ours ? "<strong>" : "", r->strategy->name, ours ? "</strong>" : "");
  for (size_t k = 0; k < SKILL__PART_KINDS; k++) {
    if (r->bill.kinds[k] < 0.5) continue;
    skill__buf_printf(buf, "%s %s; ", part_words[k], skill__page_number(a, r->bill.kinds[k] / talks));
  }
  skill__buf_text(buf, "\">");
  for (size_t k = 0; k < SKILL__PART_KINDS; k++) {
    double share = most > 0 ? r->bill.kinds[k] / talks / most * 100 : 0;
    if (share < 0.05) continue;
    skill__buf_printf(buf, "<i class=\"k%zu\" style=\"width:%.2f%%\" title=\"%s: %s\"></i>", k, share, part_words[k],
                      skill__page_number(a, r->bill.kinds[k] / talks));
  }
  skill__buf_printf(buf, "</div><span class=\"n\">%s</span>", skill__page_short(a, r->bill.tokens / talks));
}

void skill__chart_parts(const struct skill__bench *bench, struct skill__buf *buf) {
  double talks = (double)bench->talks->count;
  double most = 0;
  char a[SKILL__PAGE_NUMBER];
  for (size_t i = 1; i < bench->count; i++) {
    if (bench->results[i].bill.tokens / talks > most) most = bench->results[i].bill.tokens / talks;
  }
  bool with_everything = bench->results[0].bill.tokens / talks < 3 * most;
  if (with_everything && bench->results[0].bill.tokens / talks > most) most = bench->results[0].bill.tokens / talks;
  skill__buf_text(
      buf,
      "<section aria-labelledby=\"parts\"><h2 id=\"parts\">What the tokens are for</h2><p class=\"soft\">Of "
      "one conversation, re-sends counted, before any cache.");
  if (!with_everything) {
    skill__buf_printf(buf, " Sending everything takes %s: off this scale.",
                      skill__page_short(a, bench->results[0].bill.tokens / talks));
  }
  skill__buf_text(buf, "</p><figure><div class=\"bars\">");
  for (size_t i = with_everything ? 0 : 1; i < bench->count; i++) put_parts_row(bench, &bench->results[i], most, buf);
  skill__buf_text(buf, "</div><ul class=\"legend\">");
  for (size_t k = 0; k < SKILL__PART_KINDS; k++) {
    skill__buf_printf(buf, "<li><i class=\"k%zu\"></i>%s</li>", k, part_words[k]);
  }
  skill__buf_text(buf, "</ul></figure></section>");
}

/* --- the timeline ----------------------------------------------------------------------------------------------------
 */

struct timeline {
  const struct skill__result *result;
  uint32_t rows[MOST_ROWS];
  size_t count;
  size_t more; /* skills that have no row */
};

static void add_row(struct timeline *timeline, uint32_t skill) {
  for (size_t i = 0; i < timeline->count; i++) {
    if (timeline->rows[i] == skill) return;
  }
  if (timeline->count < MOST_ROWS) {
    timeline->rows[timeline->count++] = skill;
  } else {
    timeline->more++;
  }
}

static unsigned flags_at(const struct skill__result *r, uint32_t skill, size_t turn) {
  for (size_t i = 0; i < r->moment_count; i++) {
    if (r->moments[i].skill == skill && r->moments[i].turn == turn) return r->moments[i].flags;
  }
  return 0;
}

static void put_cell(unsigned flags, struct skill__buf *buf) {
  const char *class = "";
  const char *sign = "";
  const char *says = "";
  bool loaded = flags & (SKILL__MOMENT_ACTIVE | SKILL__MOMENT_OPENED);
  if (flags & SKILL__MOMENT_NEEDED) {
    bool there = flags & SKILL__MOMENT_THERE;
    class = there ? "on" : "miss";
    sign = !there ? "✗" : flags & SKILL__MOMENT_OPENED ? "● opened" : flags & SKILL__MOMENT_STARTED ? "● loaded" : "●";
    says = there ? "needed and there" : "needed and missing";
  } else if (loaded) {
    class = "idle";
    sign = flags & SKILL__MOMENT_OPENED ? "○ opened" : flags & SKILL__MOMENT_STARTED ? "○ loaded" : "○";
    says = "there, not needed";
  } else if (flags & (SKILL__MOMENT_EVICTED | SKILL__MOMENT_EXPIRED)) {
    sign = flags & SKILL__MOMENT_EXPIRED ? "expired" : "evicted";
    says = "gone";
  }
  skill__buf_printf(buf, "<td class=\"%s\" title=\"%s\">%s</td>", class, says, sign);
}

static void put_said(const struct skill__talk *talk, struct skill__buf *buf) {
  skill__buf_text(buf, "<details><summary>What is said</summary><ol class=\"said\">");
  for (size_t t = 0; t < talk->count; t++) {
    skill__buf_printf(buf, "<li><b>%s:</b> ", skill__talk_kind_name(talk->turns[t].kind));
    skill__page_cut(buf, talk->turns[t].text, 160);
    skill__buf_text(buf, "</li>");
  }
  skill__buf_text(buf, "</ol></details>");
}

static void put_timeline_head(const struct skill__talk *talk, struct skill__buf *buf) {
  skill__buf_text(buf, "<table class=\"time\"><thead><tr><th scope=\"col\">skill</th>");
  for (size_t t = 0; t < talk->count; t++) {
    skill__buf_printf(buf, "<th scope=\"col\">%zu<br>%s</th>", t + 1, skill__talk_kind_name(talk->turns[t].kind));
  }
  skill__buf_text(buf, "</tr></thead><tbody>");
}

void skill__chart_timeline(const struct skill__bench *bench, const char *strategy, struct skill__buf *buf) {
  struct timeline timeline = {.result = skill__bench_find(bench, strategy)};
  const struct skill__talk *talk = &bench->talks->items[0];
  if (!timeline.result) return;
  for (size_t i = 0; i < timeline.result->moment_count; i++) add_row(&timeline, timeline.result->moments[i].skill);
  skill__buf_printf(buf,
                    "<section aria-labelledby=\"time-%s\"><h2 id=\"time-%s\">One conversation under “%s”</h2><p "
                    "class=\"soft\">● needed and there, ✗ needed and missing, ○ there for nothing.</p><figure>",
                    strategy, strategy, strategy);
  skill__buf_text(buf,
                  "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"timeline of skills by turn\">");
  put_timeline_head(talk, buf);
  for (size_t i = 0; i < timeline.count; i++) {
    skill__buf_text(buf, "<tr><th scope=\"row\">");
    skill__page_cut(buf, bench->world->skills[timeline.rows[i]].name, 40);
    skill__buf_text(buf, "</th>");
    for (size_t t = 0; t < talk->count; t++) put_cell(flags_at(timeline.result, timeline.rows[i], t), buf);
    skill__buf_text(buf, "</tr>");
  }
  skill__buf_text(buf, "</tbody></table></div>");
  if (timeline.more) skill__buf_printf(buf, "<p class=\"soft\">Some skills have no row here.</p>");
  put_said(talk, buf);
  skill__buf_text(buf, "</figure></section>");
}

/* --- cost by skill
 * ---------------------------------------------------------------------------------------------------- */

static size_t l2(const struct skill__world_skill *skill) {
  return skill->body + skill->tools;
}

static int by_l2(const void *a, const void *b) {
  const struct skill__world_skill *x = *(const struct skill__world_skill *const *)a;
  const struct skill__world_skill *y = *(const struct skill__world_skill *const *)b;
  if (l2(x) != l2(y)) return l2(x) > l2(y) ? -1 : 1;
  return strcmp(x->name, y->name);
}

static void put_skill_rows(const struct skill__world_skill **order, size_t count, struct skill__buf *buf) {
  char a[SKILL__PAGE_NUMBER];
  double most = count ? (double)l2(order[0]) : 0;
  for (size_t i = 0; i < count; i++) {
    const struct skill__world_skill *s = order[i];
    skill__buf_text(buf, "<span title=\"");
    skill__page_text(buf, s->name);
    skill__buf_text(buf, "\">");
    skill__page_cut(buf, s->name, 40);
    skill__buf_text(buf, "</span><div class=\"bar\" aria-hidden=\"true\">");
    skill__buf_printf(buf, "<i class=\"k3\" style=\"width:%.2f%%\" title=\"instructions\"></i>",
                      most > 0 ? (double)s->body / most * 100 : 0);
    skill__buf_printf(buf, "<i class=\"k1\" style=\"width:%.2f%%\" title=\"tools\"></i>",
                      most > 0 ? (double)s->tools / most * 100 : 0);
    skill__buf_printf(buf, "</div><span class=\"n\">%s</span>", skill__page_number(a, (double)l2(s)));
  }
}

void skill__chart_skills(const struct skill__bench *bench, struct skill__buf *buf) {
  const struct skill__world *w = bench->world;
  const struct skill__world_skill **order = skill__calloc(w->count + 1, sizeof *order);
  char a[SKILL__PAGE_NUMBER];
  if (!order) {
    buf->status = SKILL_ENOMEM;
    return;
  }
  for (size_t i = 0; i < w->count; i++) order[i] = &w->skills[i];
  qsort(order, w->count, sizeof *order, by_l2);
  size_t shown = w->count < MOST_SKILLS ? w->count : MOST_SKILLS;
  skill__buf_printf(
      buf,
      "<section aria-labelledby=\"skills\"><h2 id=\"skills\">Cost by skill</h2><p class=\"soft\">Tokens of "
      "the %s largest once they are loaded, instructions and tools.</p><figure><div class=\"bars\">",
      skill__page_number(a, (double)shown));
  put_skill_rows(order, shown, buf);
  skill__buf_text(buf,
                  "</div><ul class=\"legend\"><li><i class=\"k3\"></i>instructions</li><li><i class=\"k1\"></i>tools"
                  "</li></ul></figure></section>");
  skill__free(order);
}

/* --- policies
 * --------------------------------------------------------------------------------------------------------- */

void skill__chart_policies(const struct skill__bench *bench, struct skill__buf *buf) {
  char a[SKILL__PAGE_NUMBER], b[SKILL__PAGE_NUMBER], c[SKILL__PAGE_NUMBER];
  skill__buf_text(
      buf,
      "<section aria-labelledby=\"policies\"><h2 id=\"policies\">What stays loaded from turn to turn</h2><p "
      "class=\"soft\">A hit is a wanted skill that was there already. Every init and eviction changes the "
      "tools, and with them all of the prompt that follows.</p><div class=\"scroll\" role=\"region\" "
      "tabindex=\"0\" aria-label=\"table of policies\"><table><thead><tr><th scope=\"col\">policy</th><th "
      "scope=\"col\">hit rate</th><th scope=\"col\">inits</th><th scope=\"col\">evictions</th><th scope="
      "\"col\">expired</th><th scope=\"col\">prefix kept</th><th scope=\"col\">recall</th></tr></thead><tbody>");
  for (size_t i = 0; i < bench->count; i++) {
    const struct skill__result *r = &bench->results[i];
    struct skill__figures f = skill__bench_figures(bench, r);
    bool ours = r->strategy->kind == SKILL__STRATEGY_AGENT;
    if (!r->strategy->max_active) continue;
    skill__buf_printf(buf,
                      "<tr%s><th scope=\"row\" title=\"%s\">%s</th><td>%.1f %%</td><td>%s</td><td>%s</td><td>%s</td>"
                      "<td>%.1f %%</td><td>%.1f %%</td></tr>",
                      ours ? " class=\"ours\"" : "", r->strategy->title, r->strategy->name, f.hit_rate * 100,
                      skill__page_number(a, r->inits), skill__page_number(b, r->evictions),
                      skill__page_number(c, r->expiries), f.kept * 100, f.recall * 100);
  }
  skill__buf_text(buf, "</tbody></table></div></section>");
}
