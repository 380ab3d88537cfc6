/* SPDX-License-Identifier: MIT
 *
 * The fixture's file tree, shared by what tests write (fixture.c) and what skillet reads (fixture_io.c).
 */
#ifndef SKILL_UTIL_FIXTURE_TREE_H
#define SKILL_UTIL_FIXTURE_TREE_H

#include "skillet/sys/fixture.h"
#include "util/random.h"

/* Freed when it is neither in the tree nor open. */
struct skill__fixture_node {
  char *name;
  SkillFileKind kind;
  char *data; /* a file's bytes, a link's target; NULL: zero bytes */
  uint64_t size;
  uint64_t ino;
  int64_t mtime_ns;
  int64_t ctime_ns;
  bool denied;
  size_t references;
  struct skill__fixture_node *parent;
  struct skill__fixture_node *children; /* in the order of their making */
  struct skill__fixture_node *next;
};

struct skill__handle {
  struct skill__fixture_node *node; /* NULL: free */
  char *shown;                      /* name that dir_next handed out last */
  size_t at;                        /* children already shown */
};

struct skill__fixture_fault {
  size_t after;
  int status;
  bool forever;
};

struct SkillFixture {
  SkillIo io;
  struct skill__fixture_node *root;
  int64_t now_ms;
  int64_t serial; /* makes every change's time different */
  uint64_t next_ino;
  struct skill__random random;
  struct skill__handle *handles;
  size_t handle_capacity;
  struct skill__fixture_fault faults[SKILL_FIXTURE_OP_COUNT + 1];
  SkillFixtureCounts counts;
  SkillFixtureHook hook;
  void *hook_user;
};

/* Walks `path` from `from` (NULL: the root). The last component's link is followed with `follow`.
 * SKILL_ENOENT, SKILL_EINVAL (links in a circle), SKILL_EDENIED (a folder on the way may not be opened). */
int skill__fixture_node_walk(SkillFixture *fixture, struct skill__fixture_node *from, const char *path, bool follow,
                             struct skill__fixture_node **out);

/* The same without any link or ".." on the way: SKILL_EDENIED. */
int skill__fixture_node_beneath(struct skill__fixture_node *from, const char *path, struct skill__fixture_node **out);

/* Makes the missing folders above the last component; stores the folder and the component in `path`. */
int skill__fixture_node_parent(SkillFixture *fixture, struct skill__fixture_node *from, const char *path,
                               struct skill__fixture_node **parent, const char **name);

struct skill__fixture_node *skill__fixture_node_child(const struct skill__fixture_node *folder, const char *name,
                                                      size_t length);
int skill__fixture_node_make(SkillFixture *fixture, struct skill__fixture_node *parent, const char *name, size_t length,
                             SkillFileKind kind, struct skill__fixture_node **out);
int skill__fixture_node_fill(SkillFixture *fixture, struct skill__fixture_node *node, const void *data, uint64_t size);
void skill__fixture_node_detach(SkillFixture *fixture,
                                struct skill__fixture_node *node); /* and frees what no handle holds */
void skill__fixture_node_release(struct skill__fixture_node *node);

void skill__fixture_table(SkillIo *io); /* the functions of fixture_io.c */

#endif
