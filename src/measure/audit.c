/* SPDX-License-Identifier: MIT
 *
 * The trail of a benchmark: every request of the first conversations, part by part, so that anyone can check the sums.
 * Fails only through the buffer's status.
 */
#include "agent/meta_definitions.h"
#include "measure/bench.h"
#include "util/json_out.h"

static void put_part(const struct skill__audit *audit, const struct skill__ledger_part *part) {
  static const char *const names[] = {[SKILL__ID_META] = "meta_tool",
                                      [SKILL__ID_TOOLS] = "tools",
                                      [SKILL__ID_SYSTEM] = "system",
                                      [SKILL__ID_LISTING] = "listing",
                                      [SKILL__ID_BODY] = "body",
                                      [SKILL__ID_MESSAGE] = "message",
                                      [SKILL__ID_ALL_TOOLS] = "every_tool",
                                      [SKILL__ID_ALL_BODIES] = "every_body"};
  unsigned kind = (unsigned)(part->id >> 32);
  uint32_t number = (uint32_t)part->id;
  struct skill__buf *buf = audit->buf;
  skill__json_open(buf, NULL, "{");
  skill__json_add_text(buf, "part", names[kind]);
  skill__json_add_text(buf, "for", skill__part_name(part->kind));
  skill__json_add_size(buf, "tokens", part->tokens);
  if (kind == SKILL__ID_TOOLS || kind == SKILL__ID_BODY) {
    skill__json_add_text(buf, "skill", audit->world->skills[number].name);
  } else if (kind == SKILL__ID_META) {
    skill__json_add_text(buf, "tool", skill__meta_definition((SkillMetaTool)number)->name);
  } else if (kind == SKILL__ID_MESSAGE) {
    skill__json_add_size(buf, "number", number);
  }
  skill__json_close(buf, "}");
}

static void on_sent(void *user, const struct skill__strategy *strategy, size_t conversation, size_t turn,
                    const struct skill__outgoing *request, double cached) {
  const struct skill__audit *audit = user;
  struct skill__buf *buf = audit->buf;
  skill__json_open(buf, NULL, "{");
  skill__json_add_text(buf, "strategy", strategy->name);
  SKILL__JSON_SIZES(buf, {"conversation", conversation + 1}, {"turn", turn + 1},
                    {"tokens", skill__outgoing_tokens(request)}, {"cached", (uint64_t)cached});
  skill__json_open(buf, "parts", "[");
  for (size_t i = 0; i < request->count; i++) put_part(audit, &request->parts[i]);
  skill__json_close(buf, "]}\n");
}

struct skill__play_watch skill__audit_watch(struct skill__audit *audit) {
  return (struct skill__play_watch){.sent = on_sent, .user = audit};
}
