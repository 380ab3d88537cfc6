/* SPDX-License-Identifier: MIT
 *
 * The benchmark's figures as JSON and CSV. The same figures give the same bytes. Writing fails only through the
 * buffer's status.
 */
#include <string.h>

#include "measure/bench.h"

static void put_settings(const struct skill__bench *bench, struct skill__buf *buf) {
  const struct skill__settings *s = &bench->world->settings;
  skill__buf_printf(
      buf,
      "\"settings\":{\"seed\":%llu,\"conversations\":%zu,\"turns\":%zu,\"system_tokens\":%zu,"
      "\"call_tokens\":%zu,\"result_tokens\":%zu,\"answer_tokens\":%zu,\"results\":%zu,\"budget\":%zu,"
      "\"wrong_percent\":%u,\"overlook_percent\":%u,\"cache_read\":%g,\"cache_write\":%g,\"cache_minutes\":%g}",
      (unsigned long long)s->seed, bench->talks->count, s->turns, s->system_tokens, s->call_tokens, s->result_tokens,
      s->answer_tokens, s->results, s->budget, s->wrong_percent, s->overlook_percent, s->cache_read, s->cache_write,
      (double)s->cache_ms / 60000);
}

static void put_catalogue(const struct skill__bench *bench, struct skill__buf *buf) {
  const struct skill__world *w = bench->world;
  skill__buf_text(buf, "\"catalogue\":{\"title\":");
  skill__buf_json_text(buf, bench->title);
  skill__buf_printf(buf,
                    ",\"skills\":%zu,\"body_tokens\":%zu,\"tool_tokens\":%zu,\"listing_tokens\":%zu,"
                    "\"bounded_listing_tokens\":%zu,\"bounded_shown\":%zu},\"requests\":{\"count\":%zu,\"dropped\":%zu,"
                    "\"derived\":%s}",
                    w->count, w->bodies, w->tools, w->listing, w->bounded, w->bounded_shown, bench->labels->count,
                    bench->labels->dropped, bench->labels->derived ? "true" : "false");
}

static void put_result(const struct skill__bench *bench, const struct skill__result *r, struct skill__buf *buf) {
  struct skill__figures f = skill__bench_figures(bench, r);
  double talks = (double)bench->talks->count;
  skill__buf_text(buf, "{\"name\":");
  skill__buf_json_text(buf, r->strategy->name);
  skill__buf_text(buf, ",\"title\":");
  skill__buf_json_text(buf, r->strategy->title);
  skill__buf_printf(buf,
                    ",\"recall\":%.4f,\"all_loaded\":%.4f,\"first_request\":%.1f,\"largest_request\":%.0f,"
                    "\"requests\":%.2f,\"tokens\":%.1f,\"cached_tokens\":%.1f,\"price\":%.1f,\"output_tokens\":%.1f,"
                    "\"tokens_at_equal_recall\":%.1f,\"price_at_equal_recall\":%.1f,"
                    "\"saved\":{\"tokens\":%.4f,\"price\":%.4f,\"at_equal_recall\":%.4f},\"prefix_kept\":%.4f,"
                    "\"prefix_kept_bytes\":%.0f",
                    f.recall, f.all_loaded, f.first, r->largest_request, r->bill.requests / talks, f.tokens,
                    r->bill.cached / talks, f.price, r->bill.output / talks, f.equal_tokens, f.equal_price,
                    f.saved_tokens, f.saved_price, f.saved_equal, f.kept, r->bill.kept_bytes / talks);
  skill__buf_text(buf, ",\"parts\":{");
  for (size_t i = 0; i < SKILL__PART_KINDS; i++) {
    skill__buf_printf(buf, "%s\"%s\":%.1f", i ? "," : "", skill__part_name((enum skill__part_kind)i),
                      r->bill.kinds[i] / talks);
  }
  skill__buf_printf(buf, "},\"hits\":%.0f,\"inits\":%.0f,\"evictions\":%.0f,\"expiries\":%.0f,\"hit_rate\":%.4f",
                    r->hits, r->inits, r->evictions, r->expiries, f.hit_rate);
  skill__buf_text(buf, ",\"turn_tokens\":[");
  for (size_t i = 0; i < bench->world->settings.turns; i++) {
    skill__buf_printf(buf, "%s%.1f", i ? "," : "", r->turn_tokens[i] / talks);
  }
  skill__buf_text(buf, "]}");
}

void skill__bench_json(const struct skill__bench *bench, struct skill__buf *buf) {
  const SkillTokenizer *tokenizer = bench->world->tokenizer;
  skill__buf_text(buf, "{\"tokenizer\":");
  skill__buf_json_text(buf, tokenizer->name);
  skill__buf_printf(buf, ",\"exact\":%s,", tokenizer->exact ? "true" : "false");
  put_catalogue(bench, buf);
  skill__buf_char(buf, ',');
  put_settings(bench, buf);
  skill__buf_text(buf, ",\"strategies\":[");
  for (size_t i = 0; i < bench->count; i++) {
    if (i) skill__buf_char(buf, ',');
    put_result(bench, &bench->results[i], buf);
  }
  skill__buf_text(buf, "]}");
}

void skill__bench_csv(const struct skill__bench *bench, struct skill__buf *buf) {
  skill__buf_text(buf,
                  "strategy,recall,all_loaded,first_request,tokens,cached_tokens,price,output_tokens,"
                  "price_at_equal_recall,saved_tokens,saved_price,saved_at_equal_recall,prefix_kept,hits,inits,"
                  "evictions,expiries,hit_rate");
  for (size_t i = 0; i < SKILL__PART_KINDS; i++) {
    skill__buf_printf(buf, ",%s", skill__part_name((enum skill__part_kind)i));
  }
  skill__buf_text(buf, ",requests\n");
  double talks = (double)bench->talks->count;
  for (size_t i = 0; i < bench->count; i++) {
    const struct skill__result *r = &bench->results[i];
    struct skill__figures f = skill__bench_figures(bench, r);
    skill__buf_printf(buf, "%s,%.4f,%.4f,%.1f,%.1f,%.1f,%.1f,%.1f,%.1f,%.4f,%.4f,%.4f,%.4f,%.0f,%.0f,%.0f,%.0f,%.4f",
                      r->strategy->name, f.recall, f.all_loaded, f.first, f.tokens, r->bill.cached / talks, f.price,
                      r->bill.output / talks, f.equal_price, f.saved_tokens, f.saved_price, f.saved_equal, f.kept,
                      r->hits, r->inits, r->evictions, r->expiries, f.hit_rate);
    for (size_t k = 0; k < SKILL__PART_KINDS; k++) skill__buf_printf(buf, ",%.1f", r->bill.kinds[k] / talks);
    skill__buf_printf(buf, ",%.2f\n", r->bill.requests / talks);
  }
}
