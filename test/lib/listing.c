/* SPDX-License-Identifier: MIT */
#include "lib/listing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/check.h"

static int take(const SkillMetadata *metadata, const char *body, size_t body_length, const SkillDiagnostic *diagnostics,
                size_t diagnostic_count, void *user) {
  struct listing *listing = user;
  if (metadata) {
    assert_true(listing->count < LISTING_MAX);
    assert_int_equal(skill_metadata_copy(metadata, &listing->skills[listing->count]), 0);
    listing->bodies[listing->count++] = body ? strndup(body, body_length) : NULL;
  }
  for (size_t i = 0; i < diagnostic_count && listing->note_count < LISTING_MAX; i++) {
    size_t n = listing->note_count++;
    snprintf(listing->notes[n].code, sizeof listing->notes[n].code, "%s", diagnostics[i].code);
    snprintf(listing->notes[n].path, sizeof listing->notes[n].path, "%s", diagnostics[i].path);
    snprintf(listing->notes[n].message, sizeof listing->notes[n].message, "%s", diagnostics[i].message);
    listing->notes[n].level = diagnostics[i].level;
  }
  return 0;
}

void listing_read(struct listing *listing, SkillSource *source, unsigned flags) {
  SkillError err = SKILL_ERROR_INIT;
  memset(listing, 0, sizeof *listing);
  assert_int_equal(source->list(source, flags, take, listing, &err), 0);
}

void listing_free(struct listing *listing) {
  for (size_t i = 0; i < listing->count; i++) {
    skill_metadata_free(listing->skills[i]);
    free(listing->bodies[i]);
  }
  memset(listing, 0, sizeof *listing);
}

const SkillMetadata *listing_find(const struct listing *listing, const char *name) {
  for (size_t i = 0; i < listing->count; i++) {
    if (!strcmp(listing->skills[i]->name, name)) return listing->skills[i];
  }
  return NULL;
}

bool listing_has(const struct listing *listing, const char *code, const char *path) {
  for (size_t i = 0; i < listing->note_count; i++) {
    if (!strcmp(listing->notes[i].code, code) && !strcmp(listing->notes[i].path, path)) return true;
  }
  return false;
}

const char *listing_names(const struct listing *listing, char *buffer, size_t size) {
  size_t used = 0;
  buffer[0] = '\0';
  for (size_t i = 0; i < listing->count && used < size; i++) {
    used += (size_t)snprintf(buffer + used, size - used, "%s%s", i ? "," : "", listing->skills[i]->name);
  }
  return buffer;
}
