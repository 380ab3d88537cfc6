/* SPDX-License-Identifier: MIT
 *
 * skill_registry_sync(): makes the registry equal to what the sources list, in one batch of changes.
 *
 * Everything that can fail (listing, choosing, reading bodies, writing the report) happens before the batch, which is
 * applied completely or not at all.
 */
#include <stdio.h>
#include <string.h>

#include "skill/registry_internal.h"
#include "source/candidate.h"
#include "source/directory.h"
#include "util/alloc.h"

struct sync {
  struct skill__gathering gathering;
  SkillDuplicates duplicates;
  struct skill__sync_candidate *by_name; /* first of each name */
  struct skill__change *changes;
  char **bodies; /* owned, one for each change; may be NULL */
  size_t count;
  size_t capacity;
  size_t body_capacity;
  SkillSyncReport report;
};

struct report {
  SkillSyncReport base;
  struct skill__notes notes;
};

/* --- duplicates --------------------------------------------------------------------------------------------------- */

static int index_names(struct sync *sync) {
  struct skill__gathering *g = &sync->gathering;
  for (size_t i = 0; i < g->count; i++) {
    struct skill__sync_candidate *candidate = g->items[i];
    struct skill__sync_candidate *first = NULL;
    bool ok = true;
    int status = skill__candidate_name(g, candidate);
    if (status) return status;
    HASH_FIND_STR(sync->by_name, candidate->name, first);
    if (first) {
      struct skill__sync_candidate *last = first;
      while (last->next_same) last = last->next_same;
      last->next_same = candidate;
    } else {
      SKILL__HASH_ADD(sync->by_name, candidate, candidate->name, strlen(candidate->name), ok);
    }
    if (!ok) return SKILL_ENOMEM;
  }
  return 0;
}

static bool same_file(const struct skill__sync_candidate *a, const struct skill__sync_candidate *b) {
  return (a->dev || a->ino) && a->dev == b->dev && a->ino == b->ino;
}

/* A file that is found twice, through links or two roots, is one skill: no note. */
static void drop_same_files(struct skill__sync_candidate *first) {
  for (struct skill__sync_candidate *a = first; a; a = a->next_same) {
    for (struct skill__sync_candidate *b = a->next_same; b && !a->lost; b = b->next_same) {
      if (!b->lost && same_file(a, b)) b->lost = true;
    }
  }
}

static void tell_loser(struct sync *sync, const struct skill__sync_candidate *loser, const char *winner) {
  struct skill__gathering *g = &sync->gathering;
  sync->report.shadowed++;
  skill__registry_emit(
      g->registry,
      (SkillEvent){
          .kind = SKILL_EVENT_SHADOWED, .skill = loser->name, .source = loser->source->label, .reason = winner});
}

static void shadow(struct sync *sync, struct skill__sync_candidate *loser, const struct skill__sync_candidate *winner) {
  bool same_root = loser->root == winner->root;
  loser->lost = true;
  skill__notes_add(&sync->gathering.notes, same_root ? SKILL__NOTE_SHADOWED_HERE : SKILL__NOTE_SHADOWED,
                   loser->metadata->path, "not loaded: the name '%s' is taken by %s", loser->name,
                   winner->metadata->path);
  tell_loser(sync, loser, winner->metadata->path);
}

static void refuse_all(struct sync *sync, struct skill__sync_candidate *first) {
  for (struct skill__sync_candidate *c = first; c; c = c->next_same) {
    const struct skill__sync_candidate *other = c == first ? first->next_same : first;
    if (c->lost) continue;
    c->lost = true;
    skill__notes_add(&sync->gathering.notes, SKILL__NOTE_DUPLICATE_NAME, c->metadata->path,
                     "not loaded: %s has the name '%s' too", other->metadata->path, c->name);
    tell_loser(sync, c, other->metadata->path);
  }
}

/* The last components of a label, as few as no other source's label ends with; '/' becomes ':'. */
static void short_label(const struct sync *sync, size_t root, char *out, size_t size) {
  const char *label = sync->gathering.sources[root]->label;
  size_t length = strlen(label);
  while (length > 1 && label[length - 1] == '/') length--;
  size_t begin = length;
  bool unique = false;
  while (begin && !unique) {
    begin--;
    while (begin && label[begin - 1] != '/') begin--;
    unique = true;
    for (size_t i = 0; i < sync->gathering.source_count; i++) {
      const char *other = sync->gathering.sources[i]->label;
      size_t n = strlen(other);
      while (n > 1 && other[n - 1] == '/') n--;
      size_t tail = length - begin;
      if (i != root && n >= tail && !memcmp(other + n - tail, label + begin, tail)) unique = false;
    }
  }
  snprintf(out, size, "%.*s", (int)(length - begin), label + begin);
  for (char *p = out; *p; p++) *p = *p == '/' ? ':' : *p;
}

static int rename_all(struct sync *sync, struct skill__sync_candidate *first) {
  char label[SKILL_MAX_NAME + 1];
  char name[SKILL_MAX_NAME * 2 + 4];
  for (struct skill__sync_candidate *c = first; c; c = c->next_same) {
    if (c->lost) continue;
    short_label(sync, c->root, label, sizeof label);
    snprintf(name, sizeof name, "%s@%s", c->name, label);
    for (struct skill__sync_candidate *other = first; other != c; other = other->next_same) {
      if (!c->lost && !other->lost && other->root == c->root) shadow(sync, c, other);
    }
    if (c->lost) continue;
    c->name = skill__arena_strdup(&sync->gathering.texts, name);
    if (!c->name) return SKILL_ENOMEM;
    if (skill_name_check(c->name, strlen(c->name), NULL)) {
      c->lost = true;
      skill__notes_add(&sync->gathering.notes, SKILL__NOTE_NAME_TOO_LONG, c->metadata->path,
                       "not loaded: '%s' is too long for a name", c->name);
    }
  }
  return 0;
}

/* The host program itself registered a skill with the name. */
static bool taken_by_host(struct sync *sync, struct skill__sync_candidate *first) {
  const SkillRegistry *registry = sync->gathering.registry;
  const Skill *skill = skill_registry_find(registry, first->name);
  bool leaving = skill__registry_removing(registry, first->name);
  if (!leaving && (!skill || skill->source)) return false;
  for (struct skill__sync_candidate *c = first; c; c = c->next_same) {
    if (c->lost) continue;
    c->lost = true;
    skill__notes_add(&sync->gathering.notes, SKILL__NOTE_SHADOWED_BY_HOST, c->metadata->path,
                     leaving ? "not loaded: a skill named '%s' is being removed"
                             : "not loaded: the program itself has a skill named '%s'",
                     c->name);
    tell_loser(sync, c, leaving ? "being removed" : "a skill of the program");
  }
  return true;
}

static int choose(struct sync *sync, struct skill__sync_candidate *first) {
  struct skill__sync_candidate *winner = NULL;
  size_t alive = 0;
  drop_same_files(first);
  if (taken_by_host(sync, first)) return 0;
  for (struct skill__sync_candidate *c = first; c; c = c->next_same) alive += !c->lost;
  if (alive < 2) return 0;
  if (sync->duplicates == SKILL_DUPLICATES_ERROR) {
    refuse_all(sync, first);
    return 0;
  }
  if (sync->duplicates == SKILL_DUPLICATES_NAMESPACE) return rename_all(sync, first);
  for (struct skill__sync_candidate *c = first; c; c = c->next_same) {
    bool later = winner && sync->duplicates == SKILL_DUPLICATES_LAST && c->root != winner->root;
    if (!c->lost && (!winner || later)) winner = c;
  }
  for (struct skill__sync_candidate *c = first; c; c = c->next_same) {
    if (!c->lost && c != winner) shadow(sync, c, winner);
  }
  return 0;
}

static int resolve_duplicates(struct sync *sync) {
  struct skill__sync_candidate *first;
  struct skill__sync_candidate *next;
  int status = 0;
  HASH_ITER(hh, sync->by_name, first, next) {
    if (!status) status = choose(sync, first);
  }
  HASH_CLEAR(hh, sync->by_name);
  sync->by_name = NULL;
  return status;
}

/* A name@label may be the name of another skill. */
static int check_renamed(struct sync *sync) {
  struct skill__gathering *g = &sync->gathering;
  for (size_t i = 0; i < g->count; i++) {
    struct skill__sync_candidate *candidate = g->items[i];
    struct skill__sync_candidate *other = NULL;
    bool ok = true;
    if (candidate->lost) continue;
    candidate->next_same = NULL;
    if (taken_by_host(sync, candidate)) continue;
    HASH_FIND_STR(sync->by_name, candidate->name, other);
    if (other) {
      shadow(sync, candidate, other);
    } else {
      SKILL__HASH_ADD(sync->by_name, candidate, candidate->name, strlen(candidate->name), ok);
    }
    if (!ok) return SKILL_ENOMEM;
  }
  return 0;
}

/* --- changes ------------------------------------------------------------------------------------------------------ */

static int add_change(struct sync *sync, Skill *old, Skill *fresh, char *body, size_t body_length) {
  if (SKILL__GROW(sync->changes, sync->capacity, sync->count + 1) ||
      SKILL__GROW(sync->bodies, sync->body_capacity, sync->count + 1)) {
    return SKILL_ENOMEM;
  }
  sync->changes[sync->count] = (struct skill__change){old, fresh, body, body_length};
  sync->bodies[sync->count++] = body;
  return 0;
}

/* The part of a body that is ranked, if the source did not return it with the list. */
static int body_of(struct sync *sync, struct skill__sync_candidate *candidate, char **body, size_t *length) {
  struct skill__directory *directory = skill__directory_of(candidate->source);
  *body = candidate->body;
  *length = candidate->body_length;
  candidate->body = NULL;
  if (*body || !directory || !sync->gathering.bodies) return 0;
  return skill__directory_list_body(directory, candidate->metadata->path, body, length);
}

static int register_candidate(struct sync *sync, struct skill__sync_candidate *candidate, Skill *old, SkillError *err) {
  SkillDef def = {.metadata = *candidate->metadata};
  Skill *fresh = NULL;
  char *body = NULL;
  size_t length = 0;
  int status = body_of(sync, candidate, &body, &length);
  def.metadata.name = candidate->name;
  def.body = body;
  if (!status) status = skill__skill_new(&def, candidate->source, &fresh, err);
  if (!status) {
    fresh->stamp = candidate->stamp;
    status = add_change(sync, old, fresh, body, length);
  }
  if (status) {
    skill__skill_release(fresh);
    skill__free(body);
    return status;
  }
  sync->report.added += !old;
  sync->report.changed += old != NULL;
  return 0;
}

static int plan(struct sync *sync, SkillError *err) {
  struct skill__gathering *g = &sync->gathering;
  for (size_t i = 0; i < g->count; i++) {
    struct skill__sync_candidate *candidate = g->items[i];
    if (candidate->lost) continue;
    Skill *old = skill_registry_find(g->registry, candidate->name);
    bool same = old && old->source == candidate->source && old->stamp == candidate->stamp &&
                !strcmp(old->metadata->path, candidate->metadata->path);
    sync->report.unchanged += same;
    if (old) old->mark = true;
    int status = same ? 0 : register_candidate(sync, candidate, old, err);
    if (status) return status;
  }
  return 0;
}

static bool source_failed(const struct skill__gathering *g, const SkillSource *source) {
  for (size_t i = 0; i < g->source_count; i++) {
    if (g->sources[i] == source) return g->failed[i];
  }
  return false;
}

/* Removes skills that no source lists any more, except those of a source that failed. */
static int plan_removals(struct sync *sync) {
  struct skill__gathering *g = &sync->gathering;
  int status = 0;
  for (Skill *skill = NULL; (skill = skill_registry_next(g->registry, skill)) != NULL;) {
    if (status || skill->mark || !skill->source) continue;
    if (source_failed(g, skill->source)) {
      sync->report.unchanged++;
      continue;
    }
    status = add_change(sync, skill, NULL, NULL, 0);
    sync->report.removed++;
  }
  return status;
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

static int make_report(struct sync *sync, SkillSyncReport **out) {
  struct report *report = skill__calloc(1, sizeof *report);
  if (!report) return SKILL_ENOMEM;
  report->base = sync->report;
  report->notes = sync->gathering.notes;
  memset(&sync->gathering.notes, 0, sizeof sync->gathering.notes);
  report->base.diagnostics = report->notes.items;
  report->base.diagnostic_count = report->notes.count;
  *out = &report->base;
  return 0;
}

static void sync_fini(struct sync *sync, bool applied) {
  for (size_t i = 0; i < sync->count; i++) {
    if (!applied) skill__skill_release(sync->changes[i].fresh);
    skill__free(sync->bodies[i]);
  }
  skill__free(sync->changes);
  skill__free(sync->bodies);
  if (sync->by_name) HASH_CLEAR(hh, sync->by_name);
  skill__gathering_fini(&sync->gathering);
}

static int run(struct sync *sync, SkillSyncReport **out, SkillError *err) {
  int status = skill__gather(&sync->gathering, err);
  if (!status) status = index_names(sync);
  sync->report.listed = sync->gathering.count;
  if (!status) status = resolve_duplicates(sync);
  if (!status && sync->duplicates == SKILL_DUPLICATES_NAMESPACE) status = check_renamed(sync);
  if (!status) status = plan(sync, err);
  if (!status) status = plan_removals(sync);
  for (Skill *skill = NULL; (skill = skill_registry_next(sync->gathering.registry, skill)) != NULL;)
    skill->mark = false;
  if (!status) status = sync->gathering.notes.status;
  if (!status && out) status = make_report(sync, out);
  if (!status) status = skill__registry_apply(sync->gathering.registry, sync->changes, sync->count, err);
  return status;
}

int skill_registry_sync(SkillRegistry *registry, SkillSource *const *sources, size_t count, SkillDuplicates duplicates,
                        SkillSyncReport **out, SkillError *err) {
  struct sync sync = {.gathering = {.registry = registry,
                                    .sources = sources,
                                    .source_count = count,
                                    .bodies = skill__registry_wants_body(registry)},
                      .duplicates = duplicates};
  SkillSyncReport *report = NULL;
  int status = run(&sync, out ? &report : NULL, err);
  SkillSyncReport counts = sync.report;
  sync_fini(&sync, status == 0);
  if (status) {
    skill_sync_report_free(report);
    return skill_error_set(err, status, "the skills could not be synchronised: %s", skill_strerror(status));
  }
  if (out) *out = report;
  if (counts.added + counts.changed + counts.removed) {
    skill__registry_emit(registry, (SkillEvent){.kind = SKILL_EVENT_RESCANNED, .count = counts.listed});
  }
  return 0;
}

void skill_sync_report_free(SkillSyncReport *base) {
  if (!base) return;
  struct report *report = (struct report *)base;
  skill__notes_fini(&report->notes);
  skill__free(report);
}
