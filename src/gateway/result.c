/* SPDX-License-Identifier: MIT
 *
 * What remains of a call: its result, cut to the limit and kept for paging; its failures; its line in the decision log.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gateway/internal.h"
#include "util/alloc.h"
#include "util/hash.h"
#include "util/json_out.h"
#include "util/utf8.h"

static const char *const state_names[] = {
#define SKILL_X(id, name) name,
    SKILL_CALL_STATE_MAP(SKILL_X)
#undef SKILL_X
};

const char *skill_call_state_name(SkillCallState state) {
  return (unsigned)state < sizeof state_names / sizeof *state_names ? state_names[state] : "?";
}

/* --- paging ---------------------------------------------------------------------------------------------------- */

static void drop(SkillGateway *gateway, struct skill__gateway_kept *kept) {
  gateway->kept_bytes -= kept->length;
  skill__free(kept->id);
  skill__free(kept->text);
  *kept = (struct skill__gateway_kept){NULL, NULL, 0};
}

void skill__gateway_drop_kept(SkillGateway *gateway) {
  for (size_t i = 0; i < SKILL__KEPT_RESULTS; i++) drop(gateway, &gateway->kept[i]);
}

/* Takes `text`. The results form a ring: the oldest is replaced, and older ones are dropped until the bytes fit. */
static int keep(SkillGateway *gateway, const char *id, char *text, size_t length) {
  char *copy = skill__strdup(id);
  if (!copy) return SKILL_ENOMEM;
  struct skill__gateway_kept *slot = &gateway->kept[gateway->kept_next];
  drop(gateway, slot);
  for (size_t i = 1; i < SKILL__KEPT_RESULTS && gateway->kept_bytes + length > SKILL__KEPT_BYTES; i++) {
    drop(gateway, &gateway->kept[(gateway->kept_next + i) % SKILL__KEPT_RESULTS]);
  }
  *slot = (struct skill__gateway_kept){copy, text, length};
  gateway->kept_bytes += length;
  gateway->kept_next = (gateway->kept_next + 1) % SKILL__KEPT_RESULTS;
  return 0;
}

/* The memory limit leaves room for the line about the cut. */
int skill__gateway_cut(SkillGateway *gateway, struct skill__gateway_call *call) {
  size_t most = gateway->options.result_bytes;
  call->info.whole = call->length;
  if (call->length <= most) return 0;
  size_t shown = skill__utf8_floor(call->text, most);
  struct skill__buf buf;
  skill__buf_init(&buf, most + 1024);
  skill__buf_add(&buf, call->text, shown);
  skill__buf_printf(&buf, "\n[cut: the first %zu of %zu bytes", shown, call->length);
  const char *tool = gateway->options.page_tool;
  if (tool) skill__buf_printf(&buf, "; %s {\"id\":\"%.64s\",\"cursor\":%zu} reads on", tool, call->info.id, shown);
  skill__buf_char(&buf, ']');
  size_t length = 0;
  char *text = skill__buf_take(&buf, &length);
  if (!text || keep(gateway, call->info.id, call->text, call->length)) {
    skill__free(text);
    return SKILL_ENOMEM;
  }
  call->text = text;
  call->length = length;
  return 0;
}

int skill_gateway_page(SkillGateway *gateway, const char *id, uint64_t cursor, const char **text, size_t *length,
                       uint64_t *next) {
  for (size_t i = 0; i < SKILL__KEPT_RESULTS; i++) {
    const struct skill__gateway_kept *kept = &gateway->kept[i];
    if (!kept->id || strcmp(kept->id, id) != 0) continue;
    if (cursor > kept->length) return SKILL_EINVAL;
    size_t from = skill__utf8_floor(kept->text, (size_t)cursor);
    size_t room = gateway->options.result_bytes > 256 ? gateway->options.result_bytes - 128 : 128;
    size_t to = kept->length - from > room ? skill__utf8_floor(kept->text, from + room) : kept->length;
    *text = kept->text + from;
    *length = to - from;
    *next = to < kept->length ? to : 0;
    return 0;
  }
  return SKILL_ENOENT;
}

/* --- the guard ------------------------------------------------------------------------------------------------- */

/* 0 marks an unused place. A collision would reject a call that did not fail; at 64 bits it does not happen. */
static uint64_t call_hash(const SkillCallInfo *info) {
  uint64_t tool = skill__hash_bytes(info->tool, strlen(info->tool));
  uint64_t hash = tool * 31 + skill__hash_bytes(info->arguments, strlen(info->arguments));
  return hash ? hash : 1;
}

unsigned skill__gateway_failures(const SkillGateway *gateway, const SkillCallInfo *info) {
  uint64_t hash = call_hash(info);
  for (size_t i = 0; i < SKILL__GUARD_CALLS; i++) {
    if (gateway->guarded[i].hash == hash) return gateway->guarded[i].failures;
  }
  return 0;
}

/* A success forgets the failures of the same call. The place of the call that failed least recently is reused. */
void skill__gateway_note(SkillGateway *gateway, const SkillCallInfo *info, bool failed) {
  uint64_t hash = call_hash(info);
  struct skill__gateway_guarded *slot = &gateway->guarded[0];
  for (size_t i = 0; i < SKILL__GUARD_CALLS; i++) {
    struct skill__gateway_guarded *g = &gateway->guarded[i];
    if (g->hash == hash) {
      slot = g;
      break;
    }
    if (g->used < slot->used) slot = g;
  }
  if (!failed) {
    if (slot->hash == hash) *slot = (struct skill__gateway_guarded){0, 0, 0};
    return;
  }
  if (slot->hash != hash) *slot = (struct skill__gateway_guarded){hash, 0, 0};
  slot->failures++;
  slot->used = ++gateway->guard_clock;
}

/* --- reporting --------------------------------------------------------------------------------------------------- */

/* Arguments are logged once, with the first state, and cut: they may hold whole files. */
static void log_line(SkillGateway *gateway, const SkillCallInfo *info) {
  struct skill__buf buf;
  size_t shown = strlen(info->arguments);
  if (shown > 400) shown = skill__utf8_floor(info->arguments, 400);
  skill__buf_init(&buf, 64 * 1024);
  skill__json_open(&buf, NULL, "{");
  skill__json_addf(&buf, "time_ms", "%" PRId64, gateway->options.io->now_ms(gateway->options.io));
  skill__json_add_text(&buf, "id", info->id);
  skill__json_add_text(&buf, "tool", info->tool);
  if (info->skill) skill__json_add_text(&buf, "skill", info->skill);
  skill__json_add_text(&buf, "state", skill_call_state_name(info->state));
  if (info->reason) skill__json_add_text(&buf, "reason", info->reason);
  if (info->state == SKILL_CALL_PENDING) skill__json_add_bytes(&buf, "arguments", info->arguments, shown);
  if (info->status) skill__json_add_text(&buf, "status", skill_errname(info->status));
  if (info->finished_ms && info->running_ms) {
    skill__json_addf(&buf, "ran_ms", "%" PRId64, info->finished_ms - info->running_ms);
  }
  if (info->finished_ms) skill__json_add_size(&buf, "bytes", info->whole);
  skill__json_close(&buf, "}");
  if (!skill__buf_status(&buf)) gateway->options.on_log(buf.data, buf.length, gateway->options.user);
  skill__buf_fini(&buf);
}

void skill__gateway_report(SkillGateway *gateway, const struct skill__gateway_call *call) {
  if (gateway->options.on_log) log_line(gateway, &call->info);
  if (gateway->options.on_state) gateway->options.on_state(&call->info, gateway->options.user);
}
