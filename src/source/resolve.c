/* SPDX-License-Identifier: MIT
 *
 * The path resolver; see resolve.h. A walk keeps an open handle for each folder between the root and its place. ".." in
 * a link's text pops a handle: the operating system is never asked for a parent, which a concurrent rename could have
 * changed. A failed walk closes all its handles.
 */
#include "source/resolve.h"

#include <string.h>

#include "util/alloc.h"

struct walk {
  const struct skill__resolve *at;
  intptr_t dirs[SKILL__RESOLVE_MAX_PARTS + 1]; /* [0] is the root, borrowed */
  size_t depth;
  unsigned links;
  unsigned opened; /* components opened in all: bounds the work of links that expand to long paths */
  SkillError *err;
  const char *path; /* for messages */
};

static int refuse(struct walk *walk, int status, const char *why) {
  return skill_error_set(walk->err, status, "'%s': %s", walk->path, why);
}

static void pop(struct walk *walk) {
  SkillIo *io = walk->at->io;
  io->dir_close(io, walk->dirs[walk->depth--]);
}

static void close_all(struct walk *walk) {
  while (walk->depth) pop(walk);
}

static const char *cause_of(int status) {
  switch (status) {
    case SKILL_ENOENT:
      return "there is no such file";
    case SKILL_EINVAL:
      return "not a regular file, but a folder, FIFO or device";
    case SKILL_EDENIED:
      return "permission denied";
    default:
      return skill_strerror(status);
  }
}

static int failed(struct walk *walk, int status, const char *part) {
  if (strcmp(walk->path, part) == 0) return refuse(walk, status, cause_of(status));
  return skill_error_set(walk->err, status, "'%s': %s (at '%s')", walk->path, cause_of(status), part);
}

/* --- before anything is opened ---------------------------------------------------------------------------------- */

/* Copies `path` without ".", ".." and double slashes to `out`; refuses one that leaves its start. */
static int normalise(struct walk *walk, const char *path, char *out) {
  size_t length = strlen(path);
  if (length >= SKILL_MAX_PATH) return refuse(walk, SKILL_ELIMIT, "the path is too long");
  if (path[0] == '/') return refuse(walk, SKILL_EDENIED, "paths are relative to the skill's folder");
  if (memchr(path, '\\', length)) return refuse(walk, SKILL_EDENIED, "use '/' between folders, not a backslash");
  size_t used = 0;
  for (const char *p = path; *p;) {
    size_t n = strcspn(p, "/");
    if (n == 2 && p[0] == '.' && p[1] == '.') {
      if (!used) return refuse(walk, SKILL_EDENIED, "the path leaves the skill's folder");
      while (used && out[used - 1] != '/') used--;
      if (used) used--;
    } else if (n && !(n == 1 && p[0] == '.')) {
      if (used) out[used++] = '/';
      memcpy(out + used, p, n);
      used += n;
    }
    p += n;
    while (*p == '/') p++;
  }
  out[used] = '\0';
  return 0;
}

/* --- walking ---------------------------------------------------------------------------------------------------- */

/* `part` of the innermost folder is a link: puts its text before the rest of the path. */
static int expand_link(struct walk *walk, const char *part, char *rest) {
  SkillIo *io = walk->at->io;
  char text[SKILL_MAX_PATH];
  if (walk->at->links == SKILL_LINKS_NEVER) return refuse(walk, SKILL_EDENIED, "symbolic links are not followed here");
  if (++walk->links > SKILL__RESOLVE_MAX_LINKS)
    return refuse(walk, SKILL_ELIMIT, "too many symbolic links, or a cycle");
  int status = io->link_read(io, walk->dirs[walk->depth], part, text, sizeof text);
  if (status) return failed(walk, status, part);
  if (text[0] == '/') return refuse(walk, SKILL_EDENIED, "a symbolic link leaves the root");
  size_t have = strlen(text);
  size_t more = strlen(rest);
  if (have + 1 + more >= SKILL_MAX_PATH) return refuse(walk, SKILL_ELIMIT, "the path is too long");
  if (more) {
    memmove(rest + have + 1, rest, more + 1);
    rest[have] = '/';
  } else {
    rest[have] = '\0';
  }
  memcpy(rest, text, have);
  return 0;
}

static bool is_link(struct walk *walk, const char *part) {
  SkillIo *io = walk->at->io;
  SkillFileInfo info;
  return io->stat(io, walk->dirs[walk->depth], part, 0, &info) == 0 && info.kind == SKILL_FILE_LINK;
}

/* Cuts the first component off `rest`. */
static void take_part(char *rest, char *part) {
  size_t n = strcspn(rest, "/");
  memcpy(part, rest, n);
  part[n] = '\0';
  while (rest[n] == '/') n++;
  memmove(rest, rest + n, strlen(rest + n) + 1);
}

/* Opens `part` in the folder on top. 0: opened; 1: it was a link, now expanded into `rest`. */
static int open_part(struct walk *walk, const char *part, char *rest, bool file, intptr_t *out) {
  SkillIo *io = walk->at->io;
  bool follow = walk->at->links == SKILL_LINKS_ANYWHERE;
  unsigned flags = follow ? SKILL_IO_FOLLOW : 0;
  intptr_t top = walk->dirs[walk->depth];
  if (++walk->opened > SKILL__RESOLVE_MAX_PARTS * 4) return refuse(walk, SKILL_ELIMIT, "the path is too long");
  int status = file ? io->file_open(io, top, part, flags, out, NULL) : io->dir_open(io, top, part, flags, out);
  if (!status) return 0;
  if (!follow && status != SKILL_ENOENT && is_link(walk, part)) {
    status = expand_link(walk, part, rest);
    return status ? status : 1;
  }
  return failed(walk, status, part);
}

static int enter(struct walk *walk, const char *part, char *rest) {
  if (!part[0] || !strcmp(part, ".")) return 0;
  if (!strcmp(part, "..")) { /* only from a link's text: the caller's path is normalised */
    if (!walk->depth) return refuse(walk, SKILL_EDENIED, "a symbolic link leaves the root");
    pop(walk);
    return 0;
  }
  if (walk->depth == SKILL__RESOLVE_MAX_PARTS) return refuse(walk, SKILL_ELIMIT, "too many folders deep");
  intptr_t dir;
  int status = open_part(walk, part, rest, false, &dir);
  if (status == 0) walk->dirs[++walk->depth] = dir;
  return status < 0 ? status : 0;
}

/* Enters all of `rest` but, for a file, its last component, which is opened. */
static int follow(struct walk *walk, char *rest, intptr_t *file) {
  char *part = skill__malloc(SKILL_MAX_PATH);
  if (!part) return refuse(walk, SKILL_ENOMEM, "out of memory");
  int status = 0;
  while (!status && *rest) {
    take_part(rest, part);
    if (file && !*rest) {
      bool named = part[0] && strcmp(part, ".") != 0 && strcmp(part, "..") != 0;
      status = named ? open_part(walk, part, rest, true, file) : refuse(walk, SKILL_EINVAL, "it is a folder");
      if (status == 0) break;
      if (status == 1) status = 0; /* a link: `rest` holds the way to its target */
    } else {
      status = enter(walk, part, rest);
    }
  }
  skill__free(part);
  return status;
}

static int resolve(const struct skill__resolve *at, const char *path, intptr_t *file, intptr_t *dir, SkillError *err) {
  struct walk walk = {.at = at, .err = err, .path = path};
  walk.dirs[0] = at->root;
  char *rest = skill__malloc(SKILL_MAX_PATH * 2);
  if (!rest) return refuse(&walk, SKILL_ENOMEM, "out of memory");
  int status = normalise(&walk, path, rest + SKILL_MAX_PATH);
  if (status) goto out;
  if (file && !rest[SKILL_MAX_PATH]) {
    status = refuse(&walk, SKILL_EINVAL, "the path is empty; name a file of the skill");
    goto out;
  }
  size_t base = strlen(at->base);
  if (base + 1 + strlen(rest + SKILL_MAX_PATH) >= SKILL_MAX_PATH) {
    status = refuse(&walk, SKILL_ELIMIT, "the path is too long");
    goto out;
  }
  memcpy(rest, at->base, base);
  if (base) rest[base++] = '/';
  memmove(rest + base, rest + SKILL_MAX_PATH, strlen(rest + SKILL_MAX_PATH) + 1);
  status = follow(&walk, rest, file);
  if (!status && dir) {
    *dir = walk.depth ? walk.dirs[walk.depth--] : SKILL_IO_CWD;
    if (*dir == SKILL_IO_CWD) status = at->io->dir_open(at->io, at->root, ".", 0, dir);
    if (status) failed(&walk, status, ".");
  }
out:
  close_all(&walk);
  skill__free(rest);
  return status;
}

int skill__resolve_file(const struct skill__resolve *at, const char *path, intptr_t *file, SkillError *err) {
  return resolve(at, path, file, NULL, err);
}

int skill__resolve_folder(const struct skill__resolve *at, const char *path, intptr_t *dir, SkillError *err) {
  return resolve(at, path, NULL, dir, err);
}
