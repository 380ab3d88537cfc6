/* SPDX-License-Identifier: MIT
 *
 * Stores what a source lists, so that a test can inspect it.
 */
#ifndef TEST_LIB_LISTING_H
#define TEST_LIB_LISTING_H

#include "skillet/source.h"

enum { LISTING_MAX = 64 };

struct listing {
  SkillMetadata *skills[LISTING_MAX];
  char *bodies[LISTING_MAX];
  size_t count;
  struct {
    char code[64];
    char path[512];
    char message[512];
    SkillLevel level;
  } notes[LISTING_MAX];
  size_t note_count;
};

/* Lists the source. Fails the test if the source fails. Free with listing_free. */
void listing_read(struct listing *listing, SkillSource *source, unsigned flags);
void listing_free(struct listing *listing);

/* The skill of that name, or NULL. */
const SkillMetadata *listing_find(const struct listing *listing, const char *name);
/* Whether a diagnostic with that code and path was reported. */
bool listing_has(const struct listing *listing, const char *code, const char *path);
/* All names in order, with commas. */
const char *listing_names(const struct listing *listing, char *buffer, size_t size);

#endif
