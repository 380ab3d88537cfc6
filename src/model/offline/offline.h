/* SPDX-License-Identifier: MIT
 *
 * How the offline model reads what skill_open answers, and what it makes of instructions it cannot follow.
 */
#ifndef SKILL_MODEL_OFFLINE_OFFLINE_H
#define SKILL_MODEL_OFFLINE_OFFLINE_H

#include "util/buf.h"

/* What skill_open's answer says instead of a body, or begins to say. */
#define SKILL__NO_INSTRUCTIONS "(This skill has no instructions"

/* The parts of skill_open's answer: "Tools: a, b" in its head, the body after the first empty line. */
struct skill__opened {
  const char *tools;
  size_t tools_length;
  const char *body;
  size_t body_length;
};

void skill__offline_read_opened(const char *text, size_t length, struct skill__opened *out);

/* The member "name" of a call's arguments, cut to fit; "" where there is none. */
int skill__offline_name(const char *arguments, char *out, size_t size);

/* How many words of `words` (names and plain text) stand in the request; each once. `words` may be NULL. */
double skill__offline_overlap(const char *request, size_t length, const char *words);

/* Appends the first steps of instructions: list items, or else the first lines; at most eight. */
void skill__offline_outline(struct skill__buf *buf, const char *body, size_t length);

#endif
