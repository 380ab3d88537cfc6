/* SPDX-License-Identifier: MIT
 *
 * Names of tools that providers accept; see tool_name.h.
 */
#include "model/tool_name.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static bool accepted(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/* FNV-1a of 32 bits. Recorded and saved conversations hold names that end with it, so it must not change. */
static uint32_t name_hash(const char *name) {
  uint32_t hash = 2166136261u;
  for (; *name; name++) hash = (hash ^ (unsigned char)*name) * 16777619u;
  return hash;
}

void skill__tool_name_fit(const char *name, bool distinct, char out[SKILL__TOOL_NAME]) {
  size_t used = 0;
  bool hashed = strlen(name) >= SKILL__TOOL_NAME;
  for (const char *p = name; *p && used < SKILL__TOOL_NAME - 1; p++) {
    bool ascii = (unsigned char)*p < 0x80;
    hashed = hashed || !ascii || (distinct && !accepted(*p));
    if (ascii) out[used++] = accepted(*p) ? *p : '_';
  }
  out[used] = '\0';
  if (used && !hashed) return;
  char tail[16];
  int length = snprintf(tail, sizeof tail, "%s%08x", used ? "_" : "tool_", (unsigned)name_hash(name));
  size_t most = SKILL__TOOL_NAME - 1 - (size_t)length;
  memcpy(out + (used < most ? used : most), tail, (size_t)length + 1);
}
