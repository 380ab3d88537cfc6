/* SPDX-License-Identifier: MIT
 *
 * Requests and bills; see ledger.h.
 */
#include "measure/ledger.h"

#include <string.h>

#include "skillet/error.h"
#include "util/alloc.h"

const char *skill__part_name(enum skill__part_kind kind) {
  static const char *const names[] = {
#define SKILL_X(id, name) [SKILL__PART_##id] = (name),
      SKILL__PART_MAP(SKILL_X)
#undef SKILL_X
  };
  return names[kind];
}

int skill__outgoing_add(struct skill__outgoing *request, uint64_t id, enum skill__part_kind kind, size_t tokens,
                        size_t bytes) {
  if (!tokens && !bytes) return 0;
  if (SKILL__GROW(request->parts, request->capacity, request->count + 1)) return SKILL_ENOMEM;
  request->parts[request->count++] = (struct skill__ledger_part){id, kind, tokens, bytes};
  return 0;
}

size_t skill__outgoing_tokens(const struct skill__outgoing *request) {
  size_t sum = 0;
  for (size_t i = 0; i < request->count; i++) sum += request->parts[i].tokens;
  return sum;
}

void skill__outgoing_fini(struct skill__outgoing *request) {
  skill__free(request->parts);
  memset(request, 0, sizeof *request);
}

int skill__ledger_send(struct skill__ledger *ledger, const struct skill__outgoing *request) {
  struct skill__bill *bill = &ledger->bill;
  struct skill__outgoing *last = &ledger->last;
  bool first = last->count == 0;
  bool same = true;
  if (SKILL__GROW(last->parts, last->capacity, request->count + 1)) return SKILL_ENOMEM;
  for (size_t i = 0; i < request->count; i++) {
    const struct skill__ledger_part *part = &request->parts[i];
    same = same && i < last->count && last->parts[i].id == part->id;
    bill->tokens += (double)part->tokens;
    bill->kinds[part->kind] += (double)part->tokens;
    if (same && !ledger->cold) bill->cached += (double)part->tokens;
    if (!first) bill->bytes += (double)part->bytes;
    if (same) bill->kept_bytes += (double)part->bytes;
  }
  if (request->count) memcpy(last->parts, request->parts, request->count * sizeof *request->parts);
  last->count = request->count;
  ledger->cold = false;
  bill->requests++;
  return 0;
}

void skill__ledger_restart(struct skill__ledger *ledger) {
  ledger->last.count = 0;
  ledger->cold = false;
}

void skill__ledger_fini(struct skill__ledger *ledger) {
  skill__outgoing_fini(&ledger->last);
}

void skill__bill_add(struct skill__bill *sum, const struct skill__bill *more) {
  sum->requests += more->requests;
  sum->tokens += more->tokens;
  sum->cached += more->cached;
  sum->bytes += more->bytes;
  sum->kept_bytes += more->kept_bytes;
  sum->output += more->output;
  for (size_t i = 0; i < SKILL__PART_KINDS; i++) sum->kinds[i] += more->kinds[i];
}
