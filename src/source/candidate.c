/* SPDX-License-Identifier: MIT
 *
 * Lists the sources; see candidate.h.
 */
#include "source/candidate.h"

#include <stdio.h>
#include <string.h>

#include "document/metadata_hash.h"
#include "source/directory.h"
#include "util/alloc.h"
#include "util/utf8.h"

/* --- listing ------------------------------------------------------------------------------------------------------ */

static struct skill__sync_candidate *add(struct skill__gathering *gathering, size_t root) {
  if (SKILL__GROW(gathering->items, gathering->capacity, gathering->count + 1)) return NULL;
  struct skill__sync_candidate *candidate = skill__calloc(1, sizeof *candidate);
  if (!candidate) return NULL;
  candidate->root = root;
  candidate->source = gathering->sources[root];
  gathering->items[gathering->count++] = candidate;
  return candidate;
}

/* A directory's entries stay where they are until its next scan, so nothing is copied. */
static int gather_directory(struct skill__gathering *gathering, size_t root, struct skill__directory *directory,
                            SkillError *err) {
  int status = skill__directory_scan(directory, err);
  if (status) return status;
  for (size_t i = 0; i < directory->count; i++) {
    const struct skill__scan_entry *entry = directory->entries[i];
    skill__notes_copy(&gathering->notes, entry->notes.items, entry->notes.count);
    if (!entry->metadata) continue;
    struct skill__sync_candidate *candidate = add(gathering, root);
    if (!candidate) return SKILL_ENOMEM;
    candidate->metadata = entry->metadata;
    candidate->stamp = entry->version;
    candidate->dev = entry->info.dev;
    candidate->ino = entry->info.ino;
  }
  skill__notes_copy(&gathering->notes, directory->notes.items, directory->notes.count);
  return gathering->notes.status;
}

struct listing {
  struct skill__gathering *gathering;
  size_t root;
};

static int take_listed(const SkillMetadata *metadata, const char *body, size_t body_length,
                       const SkillDiagnostic *diagnostics, size_t diagnostic_count, void *user) {
  const struct listing *listing = user;
  struct skill__gathering *gathering = listing->gathering;
  skill__notes_copy(&gathering->notes, diagnostics, diagnostic_count);
  if (!metadata) return gathering->notes.status;
  struct skill__sync_candidate *candidate = add(gathering, listing->root);
  if (!candidate || skill_metadata_copy(metadata, &candidate->copy)) return SKILL_ENOMEM;
  candidate->metadata = candidate->copy;
  candidate->body_length = body ? body_length : 0;
  candidate->stamp = skill__hash_add(skill__metadata_hash(metadata), body ? body : "", candidate->body_length);
  if (body && !(candidate->body = skill__strndup(body, body_length))) return SKILL_ENOMEM;
  return gathering->notes.status;
}

static void drop_from(struct skill__gathering *gathering, size_t count) {
  while (gathering->count > count) {
    struct skill__sync_candidate *candidate = gathering->items[--gathering->count];
    skill_metadata_free(candidate->copy);
    skill__free(candidate->body);
    skill__free(candidate);
  }
}

static int gather_one(struct skill__gathering *gathering, size_t root) {
  SkillSource *source = gathering->sources[root];
  struct skill__directory *directory = skill__directory_of(source);
  struct listing listing = {gathering, root};
  SkillError cause = SKILL_ERROR_INIT;
  size_t before = gathering->count;
  int status = directory ? gather_directory(gathering, root, directory, &cause)
                         : source->list(source, gathering->bodies ? SKILL_LIST_BODY : 0, take_listed, &listing, &cause);
  if (!status || status == SKILL_ENOMEM) return status;
  drop_from(gathering, before);
  gathering->failed[root] = true;
  skill__notes_add(&gathering->notes, SKILL__NOTE_SOURCE_FAILED, source->label,
                   "cannot be listed: %s; its last known skills are kept",
                   cause.message[0] ? cause.message : skill_strerror(status));
  return gathering->notes.status;
}

int skill__gather(struct skill__gathering *gathering, SkillError *err) {
  int status = 0;
  gathering->failed = skill__calloc(gathering->source_count + 1, sizeof *gathering->failed);
  if (!gathering->failed) status = SKILL_ENOMEM;
  for (size_t i = 0; !status && i < gathering->source_count; i++) status = gather_one(gathering, i);
  return status ? skill_error_set(err, status, "no memory to list the skills") : 0;
}

void skill__gathering_fini(struct skill__gathering *gathering) {
  drop_from(gathering, 0);
  skill__free(gathering->items);
  skill__free(gathering->failed);
  skill__notes_fini(&gathering->notes);
  skill__arena_fini(&gathering->texts);
}

/* --- names -------------------------------------------------------------------------------------------------------- */

int skill__candidate_name(struct skill__gathering *gathering, struct skill__sync_candidate *candidate) {
  const char *name = candidate->metadata->name;
  size_t length = strlen(name);
  candidate->name = name;
  if (skill_name_check(name, length, NULL) == 0) return 0;
  if (length > SKILL_MAX_NAME) length = skill__utf8_floor(name, SKILL_MAX_NAME);
  char *usable = skill__arena_strndup(&gathering->texts, name, length);
  if (!usable) return SKILL_ENOMEM;
  for (size_t i = 0; i < length;) {
    uint32_t rune = 0;
    size_t n = skill__utf8_decode(usable + i, length - i, &rune);
    if (!n || rune < 0x20 || rune == '/' || rune == 0x7f || (rune >= 0x80 && rune < 0xa0)) {
      memset(usable + i, '_', n ? n : 1);
    }
    i += n ? n : 1;
  }
  if (skill_name_check(usable, length, NULL)) usable = skill__arena_strdup(&gathering->texts, "unnamed");
  if (!usable) return SKILL_ENOMEM;
  candidate->name = usable;
  skill__notes_add(&gathering->notes, SKILL__NOTE_NAME_CHANGED, candidate->metadata->path,
                   "its name cannot be used as it is written; the skill is listed as '%s'", usable);
  return gathering->notes.status;
}
