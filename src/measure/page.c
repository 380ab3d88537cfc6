/* SPDX-License-Identifier: MIT
 *
 * The benchmark's page: one HTML file without script, network or external fonts. Colours follow the reader's light or
 * dark setting; every chart has a table with the same figures, so nothing is told by colour or position alone. Writing
 * fails only through the buffer's status.
 */
#include "measure/page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "util/utf8.h"

void skill__page_text(struct skill__buf *buf, const char *text) {
  for (; text && *text; text++) {
    const char *entity = *text == '<'   ? "&lt;"
                         : *text == '>' ? "&gt;"
                         : *text == '&' ? "&amp;"
                         : *text == '"' ? "&quot;"
                                        : NULL;
    if (entity) {
      skill__buf_text(buf, entity);
    } else {
      skill__buf_char(buf, (unsigned char)*text < 0x20 ? ' ' : *text);
    }
  }
}

void skill__page_cut(struct skill__buf *buf, const char *text, size_t chars) {
  char head[1024];
  size_t length = strlen(text);
  size_t at = 0;
  for (size_t i = 0; i < chars && at < length; i++) {
    size_t step = skill__utf8_length(text + at, length - at);
    if (at + 4 >= sizeof head) break;
    at += step ? step : 1;
  }
  memcpy(head, text, at);
  head[at] = '\0';
  skill__page_text(buf, head);
  if (at < length) skill__buf_text(buf, "…");
}

const char *skill__page_number(char out[SKILL__PAGE_NUMBER], double number) {
  char digits[32];
  int length = snprintf(digits, sizeof digits, "%.0f", fabs(number));
  char *p = out;
  if (number <= -0.5) *p++ = '-';
  for (int i = 0; i < length; i++) {
    if (i && (length - i) % 3 == 0) *p++ = ',';
    *p++ = digits[i];
  }
  *p = '\0';
  return out;
}

const char *skill__page_short(char out[SKILL__PAGE_NUMBER], double number) {
  static const char *const units[] = {"", "k", "M", "G"};
  size_t unit = 0;
  while (fabs(number) >= 999.5 && unit < 3) {
    number /= 1000;
    unit++;
  }
  snprintf(out, SKILL__PAGE_NUMBER, fabs(number) < 9.95 && unit ? "%.1f%s" : "%.0f%s", number, units[unit]);
  return out;
}

const char *skill__page_class(const struct skill__strategy *strategy) {
  switch (strategy->kind) {
    case SKILL__STRATEGY_EVERYTHING:
      return "c-everything";
    case SKILL__STRATEGY_LISTING:
      return "c-listing";
    case SKILL__STRATEGY_SEARCH:
      return "c-search";
    case SKILL__STRATEGY_SKILLET:
    case SKILL__STRATEGY_AGENT:
      return "c-skillet";
    case SKILL__STRATEGY_ORACLE:
      return "c-oracle";
    default:
      return strategy->policy || strategy->select != strategy->max_active ? "c-policy" : "c-host";
  }
}

/* In two parts, for C promises no string above 4,095 bytes. */
static const char style[] =
    ":root{color-scheme:light dark;--bg:#fbfaf8;--card:#fff;--ink:#1d1f23;--soft:#5d636e;--line:#e3e0da;--grid:#ece9e3;"
    "--everything:#8a8f98;--listing:#2f6fd0;--search:#0b8a8f;--host:#c8651b;--policy:#8450c4;--skillet:#17803d;"
    "--oracle:#3c4048;--p0:#b6a13a;--p1:#2f6fd0;--p2:#0b8a8f;--p3:#17803d;--p4:#d0483f;--p5:#a9adb5}"
    "@media (prefers-color-scheme:dark){:root{--bg:#15171b;--card:#1d2026;--ink:#e9eaec;--soft:#a2a9b4;--line:#30343c;"
    "--grid:#2a2e35;--everything:#8f96a1;--listing:#75a7f5;--search:#45c3c6;--host:#f0975a;--policy:#bd94f0;"
    "--skillet:#5fd088;--oracle:#d7dae0;--p0:#d9c765;--p1:#75a7f5;--p2:#45c3c6;--p3:#5fd088;--p4:#f2827a;--p5:#6b717c}}"
    "*{box-sizing:border-box}body{margin:0;background:var(--bg);color:var(--ink);"
    "font:16px/1.55 system-ui,-apple-system,'Segoe UI','Noto Sans','Noto Sans CJK SC',sans-serif}"
    "main,header,footer{max-width:64rem;margin:0 auto;padding:0 1.25rem}header{padding-top:2.5rem}"
    "h1{font-size:1.9rem;line-height:1.2;margin:0 0 .4rem;letter-spacing:-.02em}h2{font-size:1.25rem;margin:0 0 .25rem}"
    "p{margin:.4rem 0}.soft{color:var(--soft)}section,.hero{background:var(--card);border:1px solid var(--line);"
    "border-radius:14px;padding:1.25rem;margin:1.25rem 0}.hero{display:grid;grid-template-columns:repeat(auto-fit,"
    "minmax(11rem,1fr));gap:1rem}.hero div b{display:block;font-size:2rem;line-height:1.15;letter-spacing:-.02em;"
    "color:var(--skillet);font-variant-numeric:tabular-nums}.hero div.bad b{color:var(--p4)}.hero div span{color:"
    "var(--soft);font-size:.9rem}figure{margin:1rem 0 0}.scroll{overflow-x:auto}.scroll:focus-visible,summary:"
    "focus-visible{outline:3px solid var(--listing);outline-offset:2px;border-radius:6px}svg{display:block;width:100%;"
    "min-width:34rem;height:auto}svg text{fill:var(--ink);font-size:12px}svg .axis{fill:var(--soft)}svg .grid{stroke:"
    "var(--grid);stroke-width:1}svg .label{font-weight:600;paint-order:stroke;stroke:var(--card);stroke-width:4px;"
    "stroke-linejoin:round}";

static const char style_charts[] =
    ".c-everything{--c:var(--everything)}.c-listing{--c:var(--listing)}.c-search{--c:var(--search)}.c-host{--c:"
    "var(--host)}.c-policy{--c:var(--policy)}.c-skillet{--c:var(--skillet)}.c-oracle{--c:var(--oracle)}"
    "svg .dot{fill:var(--c);stroke:var(--card);stroke-width:1.5}svg .path{fill:none;stroke:var(--c);stroke-width:2.25;"
    "stroke-linejoin:round}svg text.tint{fill:var(--c)}"
    "table{border-collapse:collapse;width:100%;font-size:.875rem;font-variant-numeric:tabular-nums}th,td{text-align:"
    "right;padding:.3rem .55rem;border-bottom:1px solid var(--line);white-space:nowrap}th:first-child,td:first-child"
    "{text-align:left}thead th{color:var(--soft);font-weight:600}tbody th{font-weight:600}td.wide{text-align:left;"
    "white-space:normal}tr.ours{background:color-mix(in srgb,var(--skillet) 11%,transparent)}"
    "details{margin-top:.75rem}summary{cursor:pointer;color:var(--soft);font-size:.9rem}"
    ".bars{display:grid;grid-template-columns:minmax(6rem,11rem) 1fr minmax(3.5rem,auto);gap:.3rem .75rem;align-items:"
    "center;font-size:.9rem}.bars>span{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}.bars .n{text-align:"
    "right;font-variant-numeric:tabular-nums;color:var(--soft)}.bar{display:flex;height:1.05rem;border-radius:4px;"
    "overflow:hidden;background:var(--grid)}.bar i{display:block;height:100%}"
    ".k0{background:var(--p0)}.k1{background:var(--p1)}.k2{background:var(--p2)}.k3{background:var(--p3)}.k4{"
    "background:"
    "repeating-linear-gradient(45deg,var(--p4) 0 5px,color-mix(in srgb,var(--p4) 60%,var(--card)) 5px 8px)}.k5"
    "{background:var(--p5)}.legend{display:flex;flex-wrap:wrap;gap:.2rem "
    "1rem;font-size:.85rem;color:var(--soft);margin:"
    ".6rem 0 0;padding:0;list-style:none}.legend i{display:inline-block;width:.8rem;height:.8rem;border-radius:3px;"
    "margin-right:.35rem;vertical-align:-.08rem}"
    ".time td{text-align:center;min-width:3.2rem;padding:.18rem}.time tbody "
    "th{text-align:left;max-width:14rem;overflow:"
    "hidden;text-overflow:ellipsis}.time .on{background:color-mix(in srgb,var(--skillet) 26%,transparent)}.time .idle"
    "{background:var(--grid)}.time .miss{background:color-mix(in srgb,var(--p4) 28%,transparent);font-weight:700}"
    "ol.said{margin:.5rem 0;padding-left:1.4rem;font-size:.9rem}ol.said b{color:var(--soft);font-weight:600}"
    "code{font:0.9em ui-monospace,'SF Mono',Menlo,monospace;background:var(--grid);padding:.1rem "
    ".35rem;border-radius:5px;"
    "overflow-wrap:anywhere}footer{padding-bottom:3rem;color:var(--soft);font-size:.9rem}"
    "@media "
    "(max-width:40rem){h1{font-size:1.5rem}section,.hero{padding:1rem;border-radius:10px}.bars{grid-template-columns:"
    "minmax(5rem,7rem) 1fr minmax(3rem,auto);gap:.3rem .5rem}}"
    "@media print{section,.hero{break-inside:avoid}}";

static void put_card(struct skill__buf *buf, bool bad, const char *big, const char *small) {
  skill__buf_printf(buf, "<div%s><b>%s</b><span>%s</span></div>", bad ? " class=\"bad\"" : "", big, small);
}

static void put_hero(const struct skill__bench *bench, struct skill__buf *buf) {
  const struct skill__result *ours = skill__bench_find(bench, "skillet");
  const struct skill__result *all = &bench->results[0];
  struct skill__figures f = skill__bench_figures(bench, ours);
  struct skill__figures e = skill__bench_figures(bench, all);
  char big[64], a[SKILL__PAGE_NUMBER], b[SKILL__PAGE_NUMBER], small[200];
  skill__buf_text(buf, "<div class=\"hero\">");
  snprintf(big, sizeof big, f.saved_equal >= 0.999 ? "%.2f %%" : "%.1f %%", f.saved_equal * 100);
  put_card(buf, f.saved_equal < 0, big,
           f.saved_equal < 0 ? "saved by skillet at equal recall: it loses here"
                             : "of the price saved by skillet at equal recall, with the prompt cache");
  snprintf(big, sizeof big, "%.1f %%", f.recall * 100);
  put_card(buf, false, big, "of the needed skills were there");
  snprintf(small, sizeof small, "tokens in the first request, instead of %s", skill__page_short(b, e.first));
  put_card(buf, false, skill__page_short(a, f.first), small);
  snprintf(small, sizeof small, "tokens sent in a conversation, instead of %s", skill__page_short(b, e.tokens));
  put_card(buf, false, skill__page_short(a, f.tokens), small);
  skill__buf_text(buf, "</div>");
}

static void put_header(const struct skill__bench *bench, struct skill__buf *buf) {
  const struct skill__world *w = bench->world;
  char a[SKILL__PAGE_NUMBER], b[SKILL__PAGE_NUMBER];
  skill__buf_text(buf, "<header><h1>What skills cost, and what it takes to find them</h1><p class=\"soft\">");
  skill__page_text(buf, bench->title);
  skill__buf_printf(buf, ": %s skills, %s tokens in all, counted by ", skill__page_number(a, (double)w->count),
                    skill__page_number(b, (double)(w->bodies + w->tools)));
  skill__page_text(buf, w->tokenizer->name);
  skill__buf_printf(buf, "%s. %zu conversations of %zu turns, made from %zu labelled requests%s.</p>",
                    w->tokenizer->exact ? "" : " (an estimate)", bench->talks->count, w->settings.turns,
                    bench->labels->count,
                    bench->labels->derived ? " that were made from the descriptions, so recall flatters" : "");
  put_hero(bench, buf);
  skill__buf_text(buf, "</header>");
}

static void put_losses(const struct skill__bench *bench, struct skill__buf *buf) {
  size_t losers = 0;
  skill__buf_text(buf, "<p>");
  for (size_t i = 1; i < bench->count; i++) {
    struct skill__figures f = skill__bench_figures(bench, &bench->results[i]);
    if (f.saved_equal >= 0) continue;
    skill__buf_text(buf, losers++ ? ", " : "<strong>Dearer than sending everything, at equal recall:</strong> ");
    skill__page_text(buf, bench->results[i].strategy->name);
  }
  skill__buf_text(buf, losers ? ".</p>" : "At equal recall no strategy is dearer than sending everything here.</p>");
}

static void put_method(const struct skill__bench *bench, struct skill__buf *buf) {
  const struct skill__settings *s = &bench->world->settings;
  skill__buf_text(buf, "<section aria-labelledby=\"how\"><h2 id=\"how\">How this was counted</h2>");
  put_losses(bench, buf);
  skill__buf_printf(buf,
                    "<p>Every request sends its whole context again. What repeats the beginning of the request before "
                    "is read from the cache at %g of a token, the rest is paid at %g; a prefix is forgotten after %g "
                    "minutes. Tools come first, then the system text, then messages, so tools that change break what "
                    "follows them.</p>",
                    s->cache_read, s->cache_write, (double)s->cache_ms / 60000);
  skill__buf_printf(buf,
                    "<p>At equal recall: a turn that lacked a skill is repeated with everything sent, and that is paid "
                    "too. The ranker, the loader, its policies and the listing are the real ones. No model runs: one "
                    "that sees the skill it needs is taken to open it, in %u of 100 cases a wrong one first, and to "
                    "overlook %u of 100 in a listing.</p>",
                    s->wrong_percent, s->overlook_percent);
  skill__buf_printf(buf,
                    "<p>Assumed for all alike: %zu tokens of system text, %zu for a call, %zu for its result, %zu for "
                    "an answer.</p><p>The same figures: <code>",
                    s->system_tokens, s->call_tokens, s->result_tokens, s->answer_tokens);
  skill__page_text(buf, bench->command);
  skill__buf_text(buf, "</code></p></section>");
}

void skill__bench_html(const struct skill__bench *bench, struct skill__buf *buf) {
  skill__buf_text(buf,
                  "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
                  "content=\"width=device-width,initial-scale=1\"><title>Token savings: ");
  skill__page_text(buf, bench->title);
  skill__buf_text(buf, "</title><style>");
  skill__buf_text(buf, style);
  skill__buf_text(buf, style_charts);
  skill__buf_text(buf, "</style></head><body>");
  put_header(bench, buf);
  skill__buf_text(buf, "<main>");
  skill__chart_savings(bench, buf);
  skill__chart_parts(bench, buf);
  skill__chart_turns(bench, buf);
  skill__chart_timeline(bench, "skillet", buf);
  skill__chart_timeline(bench, "agent-load-3", buf);
  skill__chart_policies(bench, buf);
  skill__chart_skills(bench, buf);
  put_method(bench, buf);
  skill__buf_text(buf, "</main><footer><p>Made by skillet " SKILL_VERSION ".</p></footer></body></html>\n");
}
