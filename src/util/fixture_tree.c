/* SPDX-License-Identifier: MIT
 *
 * The in-memory tree behind the fixture: walking, making and removing. Fails only if out of memory, or with the errors
 * that a file system would give.
 */
#include "util/fixture_tree.h"

#include <string.h>

#include "util/alloc.h"

enum { MAX_LINKS = 40 };

static void touch(SkillFixture *fixture, struct skill__fixture_node *node) {
  node->mtime_ns = fixture->now_ms * 1000000 + ++fixture->serial;
  node->ctime_ns = node->mtime_ns;
}

void skill__fixture_node_release(struct skill__fixture_node *node) {
  if (--node->references) return;
  skill__free(node->data);
  skill__free(node->name);
  skill__free(node);
}

static void unlink_child(struct skill__fixture_node *node) {
  struct skill__fixture_node **link = &node->parent->children;
  while (*link != node) link = &(*link)->next;
  *link = node->next;
  node->next = NULL;
  node->parent = NULL;
}

void skill__fixture_node_detach(SkillFixture *fixture, struct skill__fixture_node *node) {
  while (node->children) skill__fixture_node_detach(fixture, node->children);
  if (node->parent) {
    touch(fixture, node->parent);
    unlink_child(node);
  }
  skill__fixture_node_release(node);
}

struct skill__fixture_node *skill__fixture_node_child(const struct skill__fixture_node *folder, const char *name,
                                                      size_t length) {
  for (struct skill__fixture_node *child = folder->children; child; child = child->next) {
    if (!strncmp(child->name, name, length) && !child->name[length]) return child;
  }
  return NULL;
}

int skill__fixture_node_make(SkillFixture *fixture, struct skill__fixture_node *parent, const char *name, size_t length,
                             SkillFileKind kind, struct skill__fixture_node **out) {
  struct skill__fixture_node *node = skill__calloc(1, sizeof *node);
  if (!node) return SKILL_ENOMEM;
  node->name = skill__strndup(name, length);
  if (!node->name) {
    skill__free(node);
    return SKILL_ENOMEM;
  }
  node->kind = kind;
  node->ino = ++fixture->next_ino;
  node->references = 1;
  touch(fixture, node);
  if (parent) {
    struct skill__fixture_node **link = &parent->children;
    while (*link) link = &(*link)->next;
    *link = node;
    node->parent = parent;
    touch(fixture, parent);
  }
  *out = node;
  return 0;
}

int skill__fixture_node_fill(SkillFixture *fixture, struct skill__fixture_node *node, const void *data, uint64_t size) {
  char *copy = NULL;
  if (data) {
    copy = skill__strndup(data, (size_t)size);
    if (!copy) return SKILL_ENOMEM;
  }
  skill__free(node->data);
  node->data = copy;
  node->size = size;
  touch(fixture, node);
  return 0;
}

static size_t component(const char **path) {
  while (**path == '/') ++*path;
  return strcspn(*path, "/");
}

static bool last_component(const char *rest) {
  return !rest[strspn(rest, "/")];
}

static int walk(SkillFixture *fixture, struct skill__fixture_node *from, const char *path, bool follow, int *links,
                struct skill__fixture_node **out) {
  struct skill__fixture_node *node = *path == '/' || !from ? fixture->root : from;
  if (!*path) return SKILL_ENOENT;
  for (size_t length; (length = component(&path)); path += length) {
    if (node->kind != SKILL_FILE_FOLDER) return SKILL_ENOENT;
    if (node->denied) return SKILL_EDENIED;
    if (length == 1 && *path == '.') continue;
    if (length == 2 && !memcmp(path, "..", 2)) {
      if (node->parent) node = node->parent;
      continue;
    }
    struct skill__fixture_node *child = skill__fixture_node_child(node, path, length);
    if (!child) return SKILL_ENOENT;
    if (child->kind == SKILL_FILE_LINK && (follow || !last_component(path + length))) {
      if (++*links > MAX_LINKS) return SKILL_EINVAL;
      int status = walk(fixture, node, child->data, true, links, &child);
      if (status) return status;
    }
    node = child;
  }
  *out = node;
  return 0;
}

int skill__fixture_node_walk(SkillFixture *fixture, struct skill__fixture_node *from, const char *path, bool follow,
                             struct skill__fixture_node **out) {
  int links = 0;
  return walk(fixture, from, path, follow, &links, out);
}

int skill__fixture_node_beneath(struct skill__fixture_node *from, const char *path, struct skill__fixture_node **out) {
  struct skill__fixture_node *node = from;
  if (!*path) return SKILL_ENOENT;
  if (*path == '/') return SKILL_EDENIED;
  for (size_t length; (length = component(&path)); path += length) {
    if (length <= 2 && !memcmp(path, "..", length)) return SKILL_EDENIED;
    if (node->kind == SKILL_FILE_LINK || node->denied) return SKILL_EDENIED;
    if (node->kind != SKILL_FILE_FOLDER) return SKILL_ENOENT;
    node = skill__fixture_node_child(node, path, length);
    if (!node) return SKILL_ENOENT;
  }
  *out = node;
  return 0;
}

static int enter_or_make(SkillFixture *fixture, struct skill__fixture_node **folder, const char *name, size_t length) {
  struct skill__fixture_node *child = skill__fixture_node_child(*folder, name, length);
  if (length == 1 && *name == '.') return 0;
  if (length == 2 && !memcmp(name, "..", 2)) {
    if ((*folder)->parent) *folder = (*folder)->parent;
    return 0;
  }
  if (!child) return skill__fixture_node_make(fixture, *folder, name, length, SKILL_FILE_FOLDER, folder);
  if (child->kind == SKILL_FILE_LINK) {
    int status = skill__fixture_node_walk(fixture, *folder, child->data, true, &child);
    if (status) return status;
  }
  if (child->kind != SKILL_FILE_FOLDER) return SKILL_EINVAL;
  *folder = child;
  return 0;
}

int skill__fixture_node_parent(SkillFixture *fixture, struct skill__fixture_node *from, const char *path,
                               struct skill__fixture_node **parent, const char **name) {
  struct skill__fixture_node *folder = *path == '/' || !from ? fixture->root : from;
  for (;;) {
    size_t length = component(&path);
    if (!length) return SKILL_EINVAL;
    if (!path[length]) break;
    int status = enter_or_make(fixture, &folder, path, length);
    if (status) return status;
    path += length;
  }
  *parent = folder;
  *name = path;
  return 0;
}
