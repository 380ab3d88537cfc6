/* SPDX-License-Identifier: MIT
 *
 * See place.h.
 */
#include "lib/place.h"

#include <stdlib.h>
#include <string.h>

int place_set_up(void **state) {
  struct place *place = calloc(1, sizeof *place);
  assert_non_null(place);
  assert_int_equal(skill_fixture_new(&place->fixture), 0);
  place->options = (SkillDirectoryOptions)SKILL_DIRECTORY_OPTIONS_INIT;
  place->options.path = "skills";
  place->options.io = skill_fixture_io(place->fixture);
  *state = place;
  return 0;
}

int place_tear_down(void **state) {
  struct place *place = *state;
  skill_source_free(place->source);
  assert_int_equal(skill_fixture_open_handles(place->fixture), 0);
  skill_fixture_free(place->fixture);
  free(place);
  return 0;
}

void place_put(struct place *place, const char *path, const char *text) {
  assert_int_equal(skill_fixture_file(place->fixture, path, text), 0);
}

void place_link(struct place *place, const char *path, const char *target) {
  assert_int_equal(skill_fixture_link(place->fixture, path, target), 0);
}

void place_scan(struct place *place, struct listing *listing) {
  SkillError err = SKILL_ERROR_INIT;
  if (!place->source) assert_int_equal(skill_source_directory_new(&place->options, &place->source, &err), 0);
  listing_read(listing, place->source, 0);
}

void place_expect(struct place *place, const char *names) {
  struct listing listing;
  char buffer[1024];
  place_scan(place, &listing);
  assert_string_equal(listing_names(&listing, buffer, sizeof buffer), names);
  listing_free(&listing);
}
