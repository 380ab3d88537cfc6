/* SPDX-License-Identifier: MIT
 *
 * Reading /proc; see proc_tasks.h.
 */
#include "process/proc_tasks.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Members of /proc/PID/stat. */
struct task {
  pid_t pid;
  pid_t group;
  pid_t session;
  uid_t user;
  unsigned threads;
  uint64_t pages;
};

typedef bool (*task_fn)(const struct task *task, void *user); /* false: stop */

static size_t read_small(int dir, const char *path, char *buffer, size_t size, uid_t *user) {
  int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  struct stat info;
  if (user && fstat(fd, &info) == 0) *user = info.st_uid;
  ssize_t got = read(fd, buffer, size - 1);
  close(fd);
  if (got <= 0) return 0;
  buffer[got] = '\0';
  return (size_t)got;
}

/* The program's name is in brackets and may contain any character: fields are counted from the last bracket. */
static bool parse(const char *text, struct task *task) {
  const char *p = strrchr(text, ')');
  if (!p || p[1] != ' ') return false;
  char state;
  int ppid;
  int group;
  int session;
  long threads;
  long pages;
  /* state ppid pgrp session tty tpgid flags minflt cminflt majflt cmajflt utime stime cutime cstime priority nice
   * num_threads itrealvalue starttime vsize rss */
  int n = sscanf(p + 2, "%c %d %d %d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld %*d %*u %*u %ld", &state,
                 &ppid, &group, &session, &threads, &pages);
  if (n != 6) return false;
  task->group = group;
  task->session = session;
  task->threads = threads > 0 ? (unsigned)threads : 1;
  task->pages = pages > 0 ? (uint64_t)pages : 0;
  return true;
}

static bool each(task_fn fn, void *user) {
  DIR *dir = opendir("/proc");
  if (!dir) return false;
  struct dirent *entry;
  bool any = false;
  while ((entry = readdir(dir)) != NULL) {
    char *end;
    long pid = strtol(entry->d_name, &end, 10);
    if (*end || pid <= 0) continue;
    char path[64];
    char text[1024];
    struct task task = {0};
    task.pid = (pid_t)pid;
    snprintf(path, sizeof path, "%ld/stat", pid);
    if (!read_small(dirfd(dir), path, text, sizeof text, &task.user) || !parse(text, &task)) continue;
    any = true;
    if (!fn(&task, user)) break;
  }
  closedir(dir);
  return any;
}

struct sum {
  pid_t session;
  uid_t user;
  int signal;
  struct skill__tasks group;
};

static bool add_session(const struct task *task, void *user) {
  struct sum *sum = user;
  if (task->session != sum->session) return true;
  sum->group.tasks += task->threads;
  sum->group.resident += task->pages;
  return true;
}

bool skill__tasks_scan(pid_t session, struct skill__tasks *out) {
  struct sum sum = {session, 0, 0, {0, 0}};
  if (!each(add_session, &sum)) return false;
  long page = sysconf(_SC_PAGESIZE);
  sum.group.resident *= page > 0 ? (uint64_t)page : 4096;
  *out = sum.group;
  return true;
}

static bool signal_stray(const struct task *task, void *user) {
  const struct sum *sum = user;
  if (task->session == sum->session && task->group != sum->session) kill(task->pid, sum->signal);
  return true;
}

void skill__tasks_signal_strays(pid_t session, int signal) {
  struct sum sum = {session, 0, signal, {0, 0}};
  each(signal_stray, &sum);
}

unsigned skill__tasks_of_machine(void) {
  char text[128];
  unsigned total = 0;
  if (!read_small(AT_FDCWD, "/proc/loadavg", text, sizeof text, NULL)) return 0;
  return sscanf(text, "%*s %*s %*s %*u/%u", &total) == 1 ? total : 0;
}

static bool add_user(const struct task *task, void *user) {
  struct sum *sum = user;
  if (task->user == sum->user) sum->group.tasks += task->threads;
  return true;
}

unsigned skill__tasks_of_user(void) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static struct timespec then;
  static unsigned known;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  pthread_mutex_lock(&lock);
  if (!known || now.tv_sec - then.tv_sec >= 5) {
    struct sum sum = {0, geteuid(), 0, {0, 0}};
    known = each(add_user, &sum) ? sum.group.tasks : 0;
    then = now;
  }
  unsigned tasks = known;
  pthread_mutex_unlock(&lock);
  return tasks;
}
