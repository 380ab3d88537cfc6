/* SPDX-License-Identifier: MIT
 *
 * Mapped files; see map.h.
 */
#include "util/map.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/io_posix.h"

/* Opens without waiting for a writer of a FIFO. */
static int open_regular(const char *path, uint64_t most, int *fd, size_t *size, SkillError *err) {
  struct stat info;
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) {
    int status = skill__io_status(errno);
    return skill_error_set_at(err, status, path, 0, 0, "cannot be read: %s", skill_strerror(status));
  }
  int status = 0;
  if (fstat(file, &info) || !S_ISREG(info.st_mode) || info.st_size <= 0)
    status = skill_error_set_at(err, SKILL_EPARSE, path, 0, 0, "cannot be read: it is empty or no regular file");
  else if ((uint64_t)info.st_size > most)
    status = skill_error_set_at(err, SKILL_ELIMIT, path, 0, 0, "has %llu bytes; at most %llu are read",
                                (unsigned long long)info.st_size, (unsigned long long)most);
  if (status) {
    close(file);
    return status;
  }
  *fd = file;
  *size = (size_t)info.st_size;
  return 0;
}

int skill__file_map(const char *path, uint64_t most, bool whole, void **data, size_t *size, SkillError *err) {
  int fd = -1;
  size_t length = 0;
  int status = open_regular(path, most, &fd, &length, err);
  if (status) return status;
  int access = whole ? PROT_READ : PROT_READ | PROT_WRITE;
  void *mapped = mmap(NULL, length, access, MAP_PRIVATE | (whole ? MAP_POPULATE : 0), fd, 0);
  status = mapped == MAP_FAILED ? skill__io_status(errno) : 0;
  close(fd);
  if (status) return skill_error_set_at(err, status, path, 0, 0, "cannot be mapped: %s", skill_strerror(status));
  *data = mapped;
  *size = length;
  return 0;
}

void skill__file_unmap(void *data, size_t size) {
  if (data) munmap(data, size);
}

void skill__file_map_rest(void *data, size_t size) {
  madvise(data, size, MADV_DONTNEED);
}
