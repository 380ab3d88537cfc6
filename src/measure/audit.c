/* SPDX-License-Identifier: MIT
 *
 * The trail of a benchmark: every request of the first conversations, part by part, so that its sums can be checked
 * by anybody. Fails only through the buffer's status.
 */
#include "measure/bench.h"
#include "measure/meta_tools.h"

static void put_part(const struct skill__audit *audit, const struct skill__part *part) {
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
  skill__buf_printf(buf, "{\"part\":\"%s\",\"for\":\"%s\",\"tokens\":%zu", names[kind], skill__part_name(part->kind),
                    part->tokens);
  if (kind == SKILL__ID_TOOLS || kind == SKILL__ID_BODY) {
    skill__buf_text(buf, ",\"skill\":");
    skill__buf_json_text(buf, audit->world->skills[number].name);
  } else if (kind == SKILL__ID_META) {
    skill__buf_text(buf, ",\"tool\":");
    skill__buf_json_text(buf, skill__meta_tool((SkillMetaTool)number)->name);
  } else if (kind == SKILL__ID_MESSAGE) {
    skill__buf_printf(buf, ",\"number\":%u", number);
  }
  skill__buf_char(buf, '}');
}

static void on_sent(void *user, const struct skill__strategy *strategy, size_t conversation, size_t turn,
                    const struct skill__outgoing *request, double cached) {
  const struct skill__audit *audit = user;
  struct skill__buf *buf = audit->buf;
  skill__buf_printf(buf,
                    "{\"strategy\":\"%s\",\"conversation\":%zu,\"turn\":%zu,\"tokens\":%zu,\"cached\":%.0f,"
                    "\"parts\":[",
                    strategy->name, conversation + 1, turn + 1, skill__outgoing_tokens(request), cached);
  for (size_t i = 0; i < request->count; i++) {
    if (i) skill__buf_char(buf, ',');
    put_part(audit, &request->parts[i]);
  }
  skill__buf_text(buf, "]}\n");
}

struct skill__watch skill__audit_watch(struct skill__audit *audit) {
  return (struct skill__watch){.sent = on_sent, .user = audit};
}
