/* SPDX-License-Identifier: MIT
 *
 * The SkillIo of the fixture: every operation is counted, can be made to fail, and works on the in-memory tree with the
 * codes that skill_io_posix() would give.
 */
#include <string.h>

#include "util/alloc.h"
#include "util/fixture_tree.h"

static bool strikes(struct skill__fixture_fault *fault) {
  if (!fault->status) return false;
  if (fault->after) {
    fault->after--;
    return false;
  }
  return true;
}

/* Counts, calls the hook, and tells whether a fault is due. */
static int enter(SkillFixture *fixture, SkillFixtureOp op, const char *path) {
  fixture->counts.calls[op]++;
  if (fixture->hook) fixture->hook(fixture, op, path, fixture->hook_user);
  struct skill__fixture_fault *own = &fixture->faults[op];
  struct skill__fixture_fault *any = &fixture->faults[SKILL_FIXTURE_ANY];
  struct skill__fixture_fault *hit = strikes(own) ? own : strikes(any) ? any : NULL;
  if (!hit) return 0;
  int status = hit->status;
  if (!hit->forever) hit->status = 0;
  return status;
}

static struct skill__handle *handle_of(SkillFixture *fixture, intptr_t handle) {
  return &fixture->handles[handle];
}

static struct skill__fixture_node *folder_of(SkillFixture *fixture, intptr_t dir) {
  return dir == SKILL_IO_CWD ? fixture->root : handle_of(fixture, dir)->node;
}

static int open_handle(SkillFixture *fixture, struct skill__fixture_node *node, intptr_t *out) {
  size_t i = 0;
  size_t had = fixture->handle_capacity;
  while (i < had && fixture->handles[i].node) i++;
  if (i == had) {
    if (SKILL__GROW(fixture->handles, fixture->handle_capacity, had + 1)) return SKILL_ENOMEM;
    memset(fixture->handles + had, 0, (fixture->handle_capacity - had) * sizeof *fixture->handles);
  }
  node->references++;
  fixture->handles[i] = (struct skill__handle){node, NULL, 0};
  *out = (intptr_t)i;
  return 0;
}

static void close_handle(SkillFixture *fixture, intptr_t handle) {
  struct skill__handle *h = handle_of(fixture, handle);
  skill__free(h->shown);
  skill__fixture_node_release(h->node);
  *h = (struct skill__handle){0};
}

static void fill_info(SkillFileInfo *info, const struct skill__fixture_node *node) {
  *info = (SkillFileInfo){.kind = node->kind,
                          .size = node->size,
                          .mtime_ns = node->mtime_ns,
                          .ctime_ns = node->ctime_ns,
                          .dev = 1,
                          .ino = node->ino};
}

static int64_t fixture_now_ms(SkillIo *io) {
  return ((SkillFixture *)io->impl)->now_ms;
}

/* The same bytes in every run. */
static int fixture_random(SkillIo *io, void *buffer, size_t size) {
  SkillFixture *fixture = io->impl;
  int status = enter(fixture, SKILL_FIXTURE_RANDOM, NULL);
  for (size_t i = 0; !status && i < size; i++) {
    ((unsigned char *)buffer)[i] = (unsigned char)(skill__random_next(&fixture->random) >> 56);
  }
  return status;
}

static int open_path(SkillIo *io, SkillFixtureOp op, intptr_t at, const char *path, unsigned flags, SkillFileKind kind,
                     intptr_t *out, SkillFileInfo *info) {
  SkillFixture *fixture = io->impl;
  struct skill__fixture_node *node;
  int status = enter(fixture, op, path);
  if (!status && (flags & SKILL_IO_BENEATH)) {
    status = skill__fixture_node_beneath(folder_of(fixture, at), path, &node);
  } else if (!status) {
    status = skill__fixture_node_walk(fixture, folder_of(fixture, at), path, flags & SKILL_IO_FOLLOW, &node);
  }
  if (status) return status;
  if (node->kind == SKILL_FILE_LINK || node->denied) return SKILL_EDENIED;
  if (node->kind != kind) return SKILL_EINVAL;
  if (info) fill_info(info, node);
  return open_handle(fixture, node, out);
}

static int fixture_dir_open(SkillIo *io, intptr_t parent, const char *path, unsigned flags, intptr_t *dir) {
  return open_path(io, SKILL_FIXTURE_DIR_OPEN, parent, path, flags, SKILL_FILE_FOLDER, dir, NULL);
}

static int fixture_file_open(SkillIo *io, intptr_t dir, const char *path, unsigned flags, intptr_t *file,
                             SkillFileInfo *info) {
  return open_path(io, SKILL_FIXTURE_FILE_OPEN, dir, path, flags, SKILL_FILE_REGULAR, file, info);
}

static int fixture_dir_next(SkillIo *io, intptr_t dir, SkillDirEntry *entry) {
  SkillFixture *fixture = io->impl;
  int status = enter(fixture, SKILL_FIXTURE_DIR_NEXT, NULL);
  if (status) return status;
  struct skill__handle *handle = handle_of(fixture, dir);
  const struct skill__fixture_node *child = handle->node->children;
  for (size_t i = 0; child && i < handle->at; i++) child = child->next;
  if (!child) return 0;
  char *shown = skill__strdup(child->name);
  if (!shown) return SKILL_ENOMEM;
  skill__free(handle->shown);
  handle->shown = shown;
  handle->at++;
  *entry = (SkillDirEntry){.name = shown, .kind = child->kind, .ino = child->ino};
  return 1;
}

static int fixture_file_read(SkillIo *io, intptr_t file, uint64_t offset, void *buffer, size_t size, size_t *got) {
  SkillFixture *fixture = io->impl;
  int status = enter(fixture, SKILL_FIXTURE_FILE_READ, NULL);
  if (status) return status;
  const struct skill__fixture_node *node = handle_of(fixture, file)->node;
  uint64_t left = offset < node->size ? node->size - offset : 0;
  size_t n = left < size ? (size_t)left : size;
  if (n && node->data) memcpy(buffer, node->data + offset, n);
  if (n && !node->data) memset(buffer, 0, n);
  fixture->counts.bytes_read += n;
  *got = n;
  return 0;
}

static int fixture_file_info(SkillIo *io, intptr_t file, SkillFileInfo *info) {
  SkillFixture *fixture = io->impl;
  int status = enter(fixture, SKILL_FIXTURE_FILE_INFO, NULL);
  if (!status) fill_info(info, handle_of(fixture, file)->node);
  return status;
}

static void fixture_close(SkillIo *io, intptr_t handle) {
  close_handle(io->impl, handle);
}

static int fixture_stat(SkillIo *io, intptr_t dir, const char *path, unsigned flags, SkillFileInfo *info) {
  SkillFixture *fixture = io->impl;
  struct skill__fixture_node *node;
  int status = enter(fixture, SKILL_FIXTURE_STAT, path);
  if (!status)
    status = skill__fixture_node_walk(fixture, folder_of(fixture, dir), path, flags & SKILL_IO_FOLLOW, &node);
  if (!status) fill_info(info, node);
  return status;
}

/* Like a rename over the old file: the new one has another inode. */
static int fixture_file_write(SkillIo *io, intptr_t dir, const char *path, const void *data, size_t size) {
  SkillFixture *fixture = io->impl;
  struct skill__fixture_node *parent;
  struct skill__fixture_node *node;
  const char *name;
  int status = enter(fixture, SKILL_FIXTURE_FILE_WRITE, path);
  if (!status) status = skill__fixture_node_parent(fixture, folder_of(fixture, dir), path, &parent, &name);
  if (status) return status;
  if (parent->denied) return SKILL_EDENIED;
  struct skill__fixture_node *old = skill__fixture_node_child(parent, name, strlen(name));
  if (old && old->kind == SKILL_FILE_FOLDER) return SKILL_EINVAL;
  status = skill__fixture_node_make(fixture, parent, name, strlen(name), SKILL_FILE_REGULAR, &node);
  if (status) return status;
  status = skill__fixture_node_fill(fixture, node, size ? data : "", size);
  if (status) {
    skill__fixture_node_detach(fixture, node);
    return status;
  }
  if (old) skill__fixture_node_detach(fixture, old);
  fixture->counts.bytes_written += size;
  return 0;
}

static int fixture_link_read(SkillIo *io, intptr_t dir, const char *path, char *buffer, size_t size) {
  SkillFixture *fixture = io->impl;
  struct skill__fixture_node *node;
  int status = enter(fixture, SKILL_FIXTURE_LINK_READ, path);
  if (!status) status = skill__fixture_node_walk(fixture, folder_of(fixture, dir), path, false, &node);
  if (status) return status;
  if (node->kind != SKILL_FILE_LINK) return SKILL_EINVAL;
  if (node->size >= size) return SKILL_ELIMIT;
  memcpy(buffer, node->data, (size_t)node->size + 1);
  return 0;
}

void skill__fixture_table(SkillIo *io) {
  io->version = SKILL_IO_VERSION;
  io->now_ms = fixture_now_ms;
  io->random = fixture_random;
  io->dir_open = fixture_dir_open;
  io->dir_next = fixture_dir_next;
  io->dir_close = fixture_close;
  io->file_open = fixture_file_open;
  io->file_read = fixture_file_read;
  io->file_info = fixture_file_info;
  io->file_close = fixture_close;
  io->stat = fixture_stat;
  io->file_write = fixture_file_write;
  io->link_read = fixture_link_read;
}
