/* SPDX-License-Identifier: MIT
 *
 * A directory source that reads files in memory.
 */
#ifndef TEST_LIB_PLACE_H
#define TEST_LIB_PLACE_H

#include "lib/check.h"
#include "lib/listing.h"
#include "skillet/source.h"
#include "skillet/sys/fixture.h"

struct place {
  SkillFixture *fixture;
  SkillDirectoryOptions options;
  SkillSource *source;
};

#define SKILL_TEXT(name, description) "---\nname: " name "\ndescription: " description "\n---\n\nBody of " name ".\n"

#define PLACE_TEST(name) cmocka_unit_test_setup_teardown(name, place_set_up, place_tear_down)

int place_set_up(void **state);
int place_tear_down(void **state); /* fails if a handle is still open */

void place_put(struct place *place, const char *path, const char *text);
void place_link(struct place *place, const char *path, const char *target);

/* Lists the folder "skills" with the options that were set before the first call. Free with listing_free. */
void place_scan(struct place *place, struct listing *listing);

/* Lists and compares the names, in order. */
void place_expect(struct place *place, const char *names);

#endif
