/* SPDX-License-Identifier: MIT
 *
 * JSON Schema for the arguments of tool calls: compile once, check many times.
 *
 * The subset of drafts 2020-12 and 07 that docs/schema.md lists. A keyword outside it is refused in strict mode and
 * ignored otherwise. No value is coerced. References stay inside the document; cycles are allowed. Depth, steps and
 * pattern matching are bounded, and a schema or value that exceeds a bound is refused.
 *
 * Threads: one schema belongs to one thread at a time.
 */
#ifndef SKILL_GATEWAY_SCHEMA_H
#define SKILL_GATEWAY_SCHEMA_H

#include <cjson/cJSON.h>

#include "skillet/error.h"

#define SKILL__SCHEMA_MAX_TEXT (1024 * 1024) /* bytes of a schema; refused above */
#define SKILL__SCHEMA_MAX_NODES 20000        /* subschemas; refused above */
#define SKILL__SCHEMA_MAX_DEPTH 200          /* nesting of a schema, and of checking (values times references) */
#define SKILL__SCHEMA_MAX_STEPS 1000000      /* subschemas applied and values compared in one check */

struct skill__schema;

/* Compiles the text of a schema; `name` (a tool's, may be NULL) is for messages. SKILL_EPARSE (no JSON), SKILL_EINVAL
 * (no schema: the message has the keyword's JSON pointer), SKILL_EUNSUPPORTED (strict: a keyword outside the subset;
 * always: a reference that leaves the document), SKILL_ELIMIT, SKILL_ENOMEM. Owned: release with skill__schema_free. */
int skill__schema_compile(const char *text, size_t length, const char *name, bool strict, struct skill__schema **out,
                          SkillError *err);
void skill__schema_free(struct skill__schema *schema);

/* Checks a value. SKILL_EINVAL: it does not match; the message has the place (a JSON pointer), what was expected, and
 * the value; SKILL_ELIMIT: a bound was exceeded; SKILL_ENOMEM. */
int skill__schema_check(struct skill__schema *schema, const cJSON *value, SkillError *err);

/* Parses and checks: SKILL_EPARSE where the text is no JSON, holds a key twice, or a number no double can hold.
 * `out` (may be NULL) receives the value; owned: release with cJSON_Delete. */
int skill__schema_check_text(struct skill__schema *schema, const char *text, size_t length, cJSON **out,
                             SkillError *err);

#endif
