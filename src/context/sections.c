/* SPDX-License-Identifier: MIT
 *
 * Cuts text into sections; see sections.h. Fails only when memory is out.
 */
#include "context/sections.h"

#include <stdbool.h>
#include <string.h>

#include "skillet/error.h"
#include "util/alloc.h"
#include "util/utf8.h"

enum {
  SECTION_BYTES = 700, /* a section ends at the first gap after so many bytes */
  SECTION_MOST = 2400  /* and here at the latest */
};

static int add(struct skill__sections *sections, size_t from, size_t to) {
  if (to <= from) return 0;
  if (SKILL__GROW(sections->items, sections->capacity, sections->count + 1)) return SKILL_ENOMEM;
  sections->items[sections->count++] = (struct skill__section){from, to};
  return 0;
}

int skill__sections_cut(const char *text, size_t length, struct skill__sections *out) {
  size_t from = 0;
  bool fenced = false;
  out->count = 0;
  for (size_t at = 0; at < length && out->count + 1 < SKILL__MOST_SECTIONS;) {
    const char *stop = memchr(text + at, '\n', length - at);
    size_t end = stop ? (size_t)(stop - text) + 1 : length;
    bool fence = end - at >= 3 && memcmp(text + at, "```", 3) == 0;
    bool heading = !fenced && text[at] == '#';
    bool gap = !fenced && end - at == 1 && at - from >= SECTION_BYTES;
    if (fence) fenced = !fenced;
    while (end - from > SECTION_MOST) { /* for very long lines too */
      size_t most = skill__utf8_floor(text, from + SECTION_MOST);
      size_t to = heading || at <= from || at > most ? most : at;
      if (add(out, from, to)) return SKILL_ENOMEM;
      from = to;
    }
    if ((heading || gap) && at > from) {
      if (add(out, from, at)) return SKILL_ENOMEM;
      from = at;
    }
    at = end;
  }
  return add(out, from, length);
}

void skill__sections_fini(struct skill__sections *sections) {
  skill__free(sections->items);
  *sections = (struct skill__sections){NULL, 0, 0};
}
