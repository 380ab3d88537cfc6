/* SPDX-License-Identifier: MIT
 *
 * SkillIo over the operating system. A file's handle is its descriptor; a folder's is a small struct with the
 * descriptor and, from the first dir_next on, a buffer of entries.
 *
 * Nothing here blocks on a FIFO or device: files are opened with O_NONBLOCK and refused by fstat unless regular. Each
 * function is as few system calls as the promise allows, since a scan of thousands of folders is nothing but these.
 */
#include "util/io_posix.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "util/alloc.h"

enum { ENTRY_BUFFER = 32768, FILE_FLAGS = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY };

struct folder {
  int fd;
  size_t at;
  size_t end;
  char *buffer; /* ENTRY_BUFFER bytes; NULL until dir_next */
};

int skill__io_status(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return SKILL_ENOENT;
    case EACCES:
    case EPERM:
    case EROFS:
      return SKILL_EDENIED;
    case ENOMEM:
      return SKILL_ENOMEM;
    case EMFILE:
    case ENFILE:
    case ENAMETOOLONG:
    case E2BIG:
      return SKILL_ELIMIT;
    case EINVAL:
    case EISDIR:
    case ENXIO:
    case ENODEV:
    case ELOOP:
      return SKILL_EINVAL;
    case EEXIST:
      return SKILL_EEXISTS;
    default:
      return SKILL_EIO;
  }
}

static int fd_of(intptr_t dir) {
  return dir == SKILL_IO_CWD ? AT_FDCWD : ((const struct folder *)dir)->fd;
}

static int64_t posix_now_ms(SkillIo *io) {
  (void)io;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int posix_random(SkillIo *io, void *buffer, size_t size) {
  (void)io;
  char *at = buffer;
  while (size) {
    ssize_t got = getrandom(at, size, 0);
    if (got < 0 && errno != EINTR) return SKILL_EIO;
    if (got < 0) continue;
    at += got;
    size -= (size_t)got;
  }
  return 0;
}

static SkillFileKind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return SKILL_FILE_REGULAR;
  if (S_ISDIR(mode)) return SKILL_FILE_FOLDER;
  return S_ISLNK(mode) ? SKILL_FILE_LINK : SKILL_FILE_OTHER;
}

static int64_t nanoseconds(struct timespec time) {
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void fill_info(SkillFileInfo *info, const struct stat *st) {
  info->kind = kind_of(st->st_mode);
  info->size = (uint64_t)st->st_size;
  info->mtime_ns = nanoseconds(st->st_mtim);
  info->ctime_ns = nanoseconds(st->st_ctim);
  info->dev = (uint64_t)st->st_dev;
  info->ino = (uint64_t)st->st_ino;
}

/* Why an open failed, where errno alone cannot tell a refused link from a wrong kind. Off the fast path. */
static int why_not_opened(int error, int at, const char *path, unsigned flags) {
  struct stat st;
  if ((error != ELOOP && error != ENOTDIR) || fstatat(at, path, &st, AT_SYMLINK_NOFOLLOW))
    return skill__io_status(error);
  if (S_ISLNK(st.st_mode)) return flags & SKILL_IO_FOLLOW ? SKILL_EINVAL : SKILL_EDENIED;
  return SKILL_EINVAL;
}

static int open_at(int at, const char *path, int how, unsigned flags, int *fd) {
  if (!(flags & SKILL_IO_FOLLOW)) how |= O_NOFOLLOW;
  do {
    *fd = openat(at, path, how);
  } while (*fd < 0 && errno == EINTR);
  return *fd < 0 ? why_not_opened(errno, at, path, flags) : 0;
}

int skill__io_open_steps(int at, const char *path, int how, int *fd) {
  int dir = at;
  for (;;) {
    char name[NAME_MAX + 1];
    size_t length = strcspn(path, "/");
    bool last = !path[length];
    if (!length || length > NAME_MAX || (length <= 2 && !strncmp(path, "..", length))) break;
    memcpy(name, path, length);
    name[length] = '\0';
    int status = open_at(dir, name, last ? how : O_PATH | O_DIRECTORY | O_CLOEXEC, 0, fd);
    if (dir != at) close(dir);
    if (status || last) return status;
    dir = *fd;
    path += length + 1;
  }
  if (dir != at) close(dir);
  return SKILL_EDENIED;
}

/* Kernels before 5.6, and sandboxes that do not know the call, take a step for each component instead. */
static int open_beneath(int at, const char *path, int how, int *fd) {
  struct open_how beneath = {.flags = (unsigned)how, .resolve = RESOLVE_BENEATH + RESOLVE_NO_SYMLINKS};
  do {
    *fd = (int)syscall(SYS_openat2, at, path, &beneath, sizeof beneath);
  } while (*fd < 0 && errno == EINTR);
  if (*fd >= 0) return 0;
  if (errno == ENOSYS || errno == EPERM || errno == EAGAIN) return skill__io_open_steps(at, path, how, fd);
  return errno == ELOOP || errno == EXDEV ? SKILL_EDENIED : skill__io_status(errno);
}

static int posix_dir_open(SkillIo *io, intptr_t parent, const char *path, unsigned flags, intptr_t *dir) {
  (void)io;
  struct folder *folder = skill__malloc(sizeof *folder);
  if (!folder) return SKILL_ENOMEM;
  *folder = (struct folder){0};
  int status = open_at(fd_of(parent), path, O_RDONLY | O_CLOEXEC | O_DIRECTORY, flags, &folder->fd);
  if (status) {
    skill__free(folder);
    return status;
  }
  *dir = (intptr_t)folder;
  return 0;
}

static int refill(struct folder *folder) {
  if (!folder->buffer && !(folder->buffer = skill__malloc(ENTRY_BUFFER))) return SKILL_ENOMEM;
  ssize_t got = getdents64(folder->fd, folder->buffer, ENTRY_BUFFER);
  if (got < 0) return skill__io_status(errno);
  folder->at = 0;
  folder->end = (size_t)got;
  return got > 0;
}

static SkillFileKind kind_of_entry(unsigned char type) {
  switch (type) {
    case DT_REG:
      return SKILL_FILE_REGULAR;
    case DT_DIR:
      return SKILL_FILE_FOLDER;
    case DT_LNK:
      return SKILL_FILE_LINK;
    case DT_UNKNOWN:
      return SKILL_FILE_UNKNOWN;
    default:
      return SKILL_FILE_OTHER;
  }
}

static bool self_or_parent(const char *name) {
  return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

static int posix_dir_next(SkillIo *io, intptr_t dir, SkillDirEntry *entry) {
  (void)io;
  struct folder *folder = (struct folder *)dir;
  for (;;) {
    if (folder->at == folder->end) {
      int status = refill(folder);
      if (status <= 0) return status;
    }
    const struct dirent64 *found = (const struct dirent64 *)(const void *)(folder->buffer + folder->at);
    folder->at += found->d_reclen;
    if (self_or_parent(found->d_name)) continue;
    *entry = (SkillDirEntry){.name = found->d_name, .kind = kind_of_entry(found->d_type), .ino = found->d_ino};
    return 1;
  }
}

static void posix_dir_close(SkillIo *io, intptr_t dir) {
  (void)io;
  struct folder *folder = (struct folder *)dir;
  close(folder->fd);
  skill__free(folder->buffer);
  skill__free(folder);
}

static int posix_file_open(SkillIo *io, intptr_t dir, const char *path, unsigned flags, intptr_t *file,
                           SkillFileInfo *info) {
  (void)io;
  struct stat st;
  int fd;
  int status = flags & SKILL_IO_BENEATH ? open_beneath(fd_of(dir), path, FILE_FLAGS, &fd)
                                        : open_at(fd_of(dir), path, FILE_FLAGS, flags, &fd);
  if (status) return status;
  if (fstat(fd, &st)) {
    status = skill__io_status(errno);
  } else if (!S_ISREG(st.st_mode)) {
    status = SKILL_EINVAL;
  }
  if (status) {
    close(fd);
    return status;
  }
  if (info) fill_info(info, &st);
  *file = fd;
  return 0;
}

static int posix_file_read(SkillIo *io, intptr_t file, uint64_t offset, void *buffer, size_t size, size_t *got) {
  (void)io;
  size_t done = 0;
  if (offset > INT64_MAX) return SKILL_EINVAL;
  while (done < size) {
    ssize_t n = pread((int)file, (char *)buffer + done, size - done, (off_t)(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return skill__io_status(errno);
    if (!n) break;
    done += (size_t)n;
  }
  *got = done;
  return 0;
}

static int posix_file_info(SkillIo *io, intptr_t file, SkillFileInfo *info) {
  (void)io;
  struct stat st;
  if (fstat((int)file, &st)) return skill__io_status(errno);
  fill_info(info, &st);
  return 0;
}

static void posix_file_close(SkillIo *io, intptr_t file) {
  (void)io;
  close((int)file);
}

static int posix_stat(SkillIo *io, intptr_t dir, const char *path, unsigned flags, SkillFileInfo *info) {
  (void)io;
  struct stat st;
  if (fstatat(fd_of(dir), path, &st, flags & SKILL_IO_FOLLOW ? 0 : AT_SYMLINK_NOFOLLOW)) return skill__io_status(errno);
  fill_info(info, &st);
  return 0;
}

int skill__io_write(int fd, const void *data, size_t size) {
  for (size_t done = 0; done < size;) {
    ssize_t n = write(fd, (const char *)data + done, size - done);
    if (n < 0 && errno != EINTR) return skill__io_status(errno);
    if (n > 0) done += (size_t)n;
  }
  return 0;
}

/* Makes the folders above the last component. `path` is changed and put back. */
static int make_folders(int at, char *path) {
  for (char *slash = path; (slash = strchr(slash, '/')); slash++) {
    if (slash == path) continue;
    *slash = '\0';
    int failed = mkdirat(at, path, 0777) && errno != EEXIST;
    int error = errno;
    *slash = '/';
    if (failed) return skill__io_status(error);
  }
  return 0;
}

static int write_beside(int at, const char *path, const char *temporary, const void *data, size_t size) {
  struct stat old;
  bool there = !fstatat(at, path, &old, AT_SYMLINK_NOFOLLOW) && S_ISREG(old.st_mode);
  /* What replaces a private file is private from its first byte on. */
  int fd = openat(at, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, there ? 0600 : 0666);
  if (fd < 0) return skill__io_status(errno);
  int status = skill__io_write(fd, data, size);
  if (!status && fsync(fd) && errno != EINVAL) status = skill__io_status(errno);
  /* An edited script stays executable; it does not stay setuid, since its text is another's. */
  if (!status && there) status = fchmod(fd, old.st_mode & 0777) ? skill__io_status(errno) : 0;
  if (close(fd) && !status) status = skill__io_status(errno);
  if (!status && renameat(at, temporary, at, path)) status = skill__io_status(errno);
  if (status) unlinkat(at, temporary, 0);
  return status;
}

static int posix_file_write(SkillIo *io, intptr_t dir, const char *path, const void *data, size_t size) {
  char full[SKILL_MAX_PATH + 1];
  char temporary[SKILL_MAX_PATH + 32];
  uint64_t mark = 0;
  size_t length = strlen(path);
  if (!length || path[length - 1] == '/') return SKILL_EINVAL;
  if (length > SKILL_MAX_PATH) return SKILL_ELIMIT;
  memcpy(full, path, length + 1);
  int status = make_folders(fd_of(dir), full);
  if (!status) status = posix_random(io, &mark, sizeof mark);
  if (status) return status;
  const char *name = strrchr(path, '/');
  size_t head = name ? (size_t)(name - path) + 1 : 0;
  snprintf(temporary, sizeof temporary, "%.*s.tmp-%016llx", (int)head, path, (unsigned long long)mark);
  return write_beside(fd_of(dir), path, temporary, data, size);
}

static int posix_link_read(SkillIo *io, intptr_t dir, const char *path, char *buffer, size_t size) {
  (void)io;
  if (!size) return SKILL_ELIMIT;
  ssize_t length = readlinkat(fd_of(dir), path, buffer, size);
  if (length < 0) return skill__io_status(errno);
  if ((size_t)length == size) return SKILL_ELIMIT;
  buffer[length] = '\0';
  return 0;
}

SkillIo *skill_io_posix(void) {
  static SkillIo io = {
      .version = SKILL_IO_VERSION,
      .now_ms = posix_now_ms,
      .random = posix_random,
      .dir_open = posix_dir_open,
      .dir_next = posix_dir_next,
      .dir_close = posix_dir_close,
      .file_open = posix_file_open,
      .file_read = posix_file_read,
      .file_info = posix_file_info,
      .file_close = posix_file_close,
      .stat = posix_stat,
      .file_write = posix_file_write,
      .link_read = posix_link_read,
  };
  return &io;
}
