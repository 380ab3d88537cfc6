/* SPDX-License-Identifier: MIT
 *
 * What the parts of the benchmark's page share.
 */
#ifndef SKILL_MEASURE_PAGE_H
#define SKILL_MEASURE_PAGE_H

#include "measure/bench.h"

enum { SKILL__PAGE_NUMBER = 40 };

/* Text with the characters that HTML gives a meaning escaped. NULL adds nothing. */
void skill__page_text(struct skill__buf *buf, const char *text);
/* At most `chars` characters of it, with "…" where more would follow. */
void skill__page_cut(struct skill__buf *buf, const char *text, size_t chars);

/* "12,345" */
const char *skill__page_number(char out[SKILL__PAGE_NUMBER], double number);
/* "12.3k", "4.5M": short, for axes and labels. */
const char *skill__page_short(char out[SKILL__PAGE_NUMBER], double number);

/* The CSS class of a strategy's colour: "c-everything", "c-listing" … */
const char *skill__page_class(const struct skill__strategy *strategy);

/* Charts; each writes one <figure> with a table of the same figures below it. */
void skill__chart_savings(const struct skill__bench *bench, struct skill__buf *buf);
void skill__chart_turns(const struct skill__bench *bench, struct skill__buf *buf);
void skill__chart_parts(const struct skill__bench *bench, struct skill__buf *buf);
void skill__chart_timeline(const struct skill__bench *bench, const char *strategy, struct skill__buf *buf);
void skill__chart_skills(const struct skill__bench *bench, struct skill__buf *buf);
void skill__chart_policies(const struct skill__bench *bench, struct skill__buf *buf);

#endif
