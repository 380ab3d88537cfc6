/* SPDX-License-Identifier: MIT
 *
 * The benchmark's figures as JSON and CSV. The same figures give the same bytes. Writing fails only through the
 * buffer's status.
 */
#include <string.h>

#include "measure/bench.h"
#include "util/json_out.h"

static void put_settings(const struct skill__bench *bench, struct skill__buf *buf) {
  const struct skill__settings *s = &bench->world->settings;
  skill__json_open(buf, "settings", "{");
  SKILL__JSON_SIZES(buf, {"seed", s->seed}, {"conversations", bench->talks->count}, {"turns", s->turns},
                    {"system_tokens", s->system_tokens}, {"call_tokens", s->call_tokens},
                    {"result_tokens", s->result_tokens}, {"answer_tokens", s->answer_tokens}, {"results", s->results},
                    {"budget", s->budget}, {"wrong_percent", s->wrong_percent},
                    {"overlook_percent", s->overlook_percent});
  skill__json_addf(buf, "cache_read", "%g", s->cache_read);
  skill__json_addf(buf, "cache_write", "%g", s->cache_write);
  skill__json_add_size(buf, "cache_minutes", s->cache_minutes);
  skill__json_close(buf, "}");
}

static void put_catalogue(const struct skill__bench *bench, struct skill__buf *buf) {
  const struct skill__world *w = bench->world;
  skill__json_open(buf, "catalogue", "{");
  skill__json_add_text(buf, "title", bench->title);
  SKILL__JSON_SIZES(buf, {"skills", w->count}, {"body_tokens", w->bodies}, {"tool_tokens", w->tools},
                    {"listing_tokens", w->listing}, {"bounded_listing_tokens", w->bounded},
                    {"bounded_shown", w->bounded_shown});
  skill__json_close(buf, "}");
  skill__json_open(buf, "requests", "{");
  SKILL__JSON_SIZES(buf, {"count", bench->labels->count}, {"dropped", bench->labels->dropped});
  skill__json_add_bool(buf, "derived", bench->labels->derived);
  skill__json_close(buf, "}");
}

static void put_result(const struct skill__bench *bench, const struct skill__result *r, struct skill__buf *buf) {
  struct skill__figures f = skill__bench_figures(bench, r);
  double talks = (double)bench->talks->count;
  skill__json_open(buf, NULL, "{");
  skill__json_add_text(buf, "name", r->strategy->name);
  skill__json_add_text(buf, "title", r->strategy->title);
  SKILL__JSON_REALS(buf, {"recall", f.recall, 4}, {"all_loaded", f.all_loaded, 4}, {"first_request", f.first, 1},
                    {"largest_request", r->largest_request, 0}, {"requests", r->bill.requests / talks, 2},
                    {"tokens", f.tokens, 1}, {"cached_tokens", r->bill.cached / talks, 1}, {"price", f.price, 1},
                    {"output_tokens", r->bill.output / talks, 1}, {"tokens_at_equal_recall", f.equal_tokens, 1},
                    {"price_at_equal_recall", f.equal_price, 1});
  skill__json_open(buf, "saved", "{");
  SKILL__JSON_REALS(buf, {"tokens", f.saved_tokens, 4}, {"price", f.saved_price, 4},
                    {"at_equal_recall", f.saved_equal, 4});
  skill__json_close(buf, "}");
  SKILL__JSON_REALS(buf, {"prefix_kept", f.kept, 4}, {"prefix_kept_bytes", r->bill.kept_bytes / talks, 0});
  skill__json_open(buf, "parts", "{");
  for (size_t i = 0; i < SKILL__PART_KINDS; i++) {
    skill__json_add_real(buf, skill__part_name((enum skill__part_kind)i), r->bill.kinds[i] / talks, 1);
  }
  skill__json_close(buf, "}");
  SKILL__JSON_REALS(buf, {"hits", r->hits, 0}, {"inits", r->inits, 0}, {"evictions", r->evictions, 0},
                    {"expiries", r->expiries, 0}, {"hit_rate", f.hit_rate, 4});
  skill__json_open(buf, "turn_tokens", "[");
  for (size_t i = 0; i < bench->world->settings.turns; i++) {
    skill__json_add_real(buf, NULL, r->turn_tokens[i] / talks, 1);
  }
  skill__json_close(buf, "]}");
}

void skill__bench_json(const struct skill__bench *bench, struct skill__buf *buf) {
  const SkillTokenizer *tokenizer = bench->world->tokenizer;
  skill__json_open(buf, NULL, "{");
  skill__json_add_text(buf, "tokenizer", tokenizer->name);
  skill__json_add_bool(buf, "exact", tokenizer->exact);
  put_catalogue(bench, buf);
  put_settings(bench, buf);
  skill__json_open(buf, "strategies", "[");
  for (size_t i = 0; i < bench->count; i++) put_result(bench, &bench->results[i], buf);
  skill__json_close(buf, "]}");
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
