/* SPDX-License-Identifier: MIT
 *
 * What a test says to the fixture; see <skillet/sys/fixture.h>.
 */
#include <string.h>

#include "util/alloc.h"
#include "util/fixture_tree.h"

int skill_fixture_new(SkillFixture **out) {
  SkillFixture *fixture = skill__calloc(1, sizeof *fixture);
  if (!fixture) return SKILL_ENOMEM;
  int status = skill__fixture_node_make(fixture, NULL, "", 0, SKILL_FILE_FOLDER, &fixture->root);
  if (status) {
    skill__free(fixture);
    return status;
  }
  skill__fixture_table(&fixture->io);
  fixture->io.impl = fixture;
  *out = fixture;
  return 0;
}

void skill_fixture_free(SkillFixture *fixture) {
  if (!fixture) return;
  for (size_t i = 0; i < fixture->handle_capacity; i++) {
    if (!fixture->handles[i].node) continue;
    skill__free(fixture->handles[i].shown);
    skill__fixture_node_release(fixture->handles[i].node);
  }
  skill__free(fixture->handles);
  skill__fixture_node_detach(fixture, fixture->root);
  skill__free(fixture);
}

SkillIo *skill_fixture_io(SkillFixture *fixture) {
  return &fixture->io;
}

void skill_fixture_advance(SkillFixture *fixture, int64_t ms) {
  if (ms > 0) fixture->now_ms = ms > INT64_MAX - fixture->now_ms ? INT64_MAX : fixture->now_ms + ms;
}

int64_t skill_fixture_now(const SkillFixture *fixture) {
  return fixture->now_ms;
}

/* The node at `path`, made with the kind where there is none. A node made here and not wanted is the caller's. */
static int find_or_make(SkillFixture *fixture, const char *path, SkillFileKind kind, struct skill__fixture_node **node,
                        bool *made) {
  struct skill__fixture_node *parent;
  const char *name;
  int status = skill__fixture_node_parent(fixture, NULL, path, &parent, &name);
  if (status) return status;
  *node = skill__fixture_node_child(parent, name, strlen(name));
  *made = !*node;
  return *node ? 0 : skill__fixture_node_make(fixture, parent, name, strlen(name), kind, node);
}

int skill_fixture_bytes(SkillFixture *fixture, const char *path, const void *data, uint64_t size) {
  struct skill__fixture_node *node;
  bool made;
  int status = find_or_make(fixture, path, SKILL_FILE_REGULAR, &node, &made);
  if (status) return status;
  if (node->kind != SKILL_FILE_REGULAR) return SKILL_EINVAL;
  status = skill__fixture_node_fill(fixture, node, data, size);
  if (status && made) skill__fixture_node_detach(fixture, node);
  return status;
}

int skill_fixture_file(SkillFixture *fixture, const char *path, const char *text) {
  return skill_fixture_bytes(fixture, path, text, strlen(text));
}

int skill_fixture_folder(SkillFixture *fixture, const char *path) {
  struct skill__fixture_node *node;
  bool made;
  int status = find_or_make(fixture, path, SKILL_FILE_FOLDER, &node, &made);
  return status ? status : node->kind == SKILL_FILE_FOLDER ? 0 : SKILL_EINVAL;
}

int skill_fixture_link(SkillFixture *fixture, const char *path, const char *target) {
  struct skill__fixture_node *node;
  bool made;
  int status = find_or_make(fixture, path, SKILL_FILE_LINK, &node, &made);
  if (status) return status;
  if (!made) return SKILL_EEXISTS;
  status = skill__fixture_node_fill(fixture, node, target, strlen(target));
  if (status) skill__fixture_node_detach(fixture, node);
  return status;
}

int skill_fixture_fifo(SkillFixture *fixture, const char *path) {
  struct skill__fixture_node *node;
  bool made;
  int status = find_or_make(fixture, path, SKILL_FILE_OTHER, &node, &made);
  return status ? status : made ? 0 : SKILL_EEXISTS;
}

int skill_fixture_remove(SkillFixture *fixture, const char *path) {
  struct skill__fixture_node *node;
  int status = skill__fixture_node_walk(fixture, NULL, path, false, &node);
  if (status) return status;
  if (node == fixture->root) return SKILL_EINVAL;
  skill__fixture_node_detach(fixture, node);
  return 0;
}

static bool below(const struct skill__fixture_node *node, const struct skill__fixture_node *ancestor) {
  while (node && node != ancestor) node = node->parent;
  return node != NULL;
}

int skill_fixture_rename(SkillFixture *fixture, const char *from, const char *to) {
  struct skill__fixture_node *node;
  struct skill__fixture_node *parent;
  struct skill__fixture_node *moved;
  const char *name;
  int status = skill__fixture_node_walk(fixture, NULL, from, false, &node);
  if (!status) status = skill__fixture_node_parent(fixture, NULL, to, &parent, &name);
  if (status) return status;
  if (node == fixture->root || below(parent, node)) return SKILL_EINVAL;
  struct skill__fixture_node *old = skill__fixture_node_child(parent, name, strlen(name));
  if (old == node) return 0;
  /* A new node takes over what the old one has; open handles stay with the old one's bytes. */
  status = skill__fixture_node_make(fixture, parent, name, strlen(name), node->kind, &moved);
  if (status) return status;
  status = node->data ? skill__fixture_node_fill(fixture, moved, node->data, node->size) : 0;
  if (status) {
    skill__fixture_node_detach(fixture, moved);
    return status;
  }
  moved->size = node->size;
  moved->ino = node->ino;
  moved->mtime_ns = node->mtime_ns;
  moved->denied = node->denied;
  moved->children = node->children;
  node->children = NULL;
  for (struct skill__fixture_node *child = moved->children; child; child = child->next) child->parent = moved;
  if (old) skill__fixture_node_detach(fixture, old);
  skill__fixture_node_detach(fixture, node);
  return 0;
}

int skill_fixture_deny(SkillFixture *fixture, const char *path, bool denied) {
  struct skill__fixture_node *node;
  int status = skill__fixture_node_walk(fixture, NULL, path, false, &node);
  if (!status) node->denied = denied;
  return status;
}

const char *skill_fixture_read(SkillFixture *fixture, const char *path, size_t *size) {
  struct skill__fixture_node *node;
  if (skill__fixture_node_walk(fixture, NULL, path, true, &node) || node->kind != SKILL_FILE_REGULAR) return NULL;
  if (size) *size = (size_t)node->size;
  return node->data;
}

void skill_fixture_fail(SkillFixture *fixture, SkillFixtureOp op, size_t after, int status, bool forever) {
  fixture->faults[op] = (struct skill__fixture_fault){after, status, forever};
}

void skill_fixture_hook(SkillFixture *fixture, SkillFixtureHook hook, void *user) {
  fixture->hook = hook;
  fixture->hook_user = user;
}

SkillFixtureCounts skill_fixture_counts(const SkillFixture *fixture) {
  return fixture->counts;
}

void skill_fixture_reset_counts(SkillFixture *fixture) {
  memset(&fixture->counts, 0, sizeof fixture->counts);
}

size_t skill_fixture_open_handles(const SkillFixture *fixture) {
  size_t open = 0;
  for (size_t i = 0; i < fixture->handle_capacity; i++) open += fixture->handles[i].node != NULL;
  return open;
}
