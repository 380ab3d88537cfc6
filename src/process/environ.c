/* SPDX-License-Identifier: MIT
 *
 * Clean environments and command lines; see environ.h.
 */
#include "process/environ.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "skillet/process.h"
#include "util/alloc.h"

#define FALLBACK_PATH "/usr/local/bin:/usr/bin:/bin"

extern char **environ;

static char *reserve(struct skill__argv *argv, size_t length) {
  if (argv->status) return NULL;
  if (argv->count >= SKILL_PROCESS_MAX_ARGUMENTS || length >= SKILL_PROCESS_MAX_BYTES - argv->bytes) {
    argv->status = SKILL_ELIMIT;
    return NULL;
  }
  argv->status = SKILL__GROW(argv->items, argv->capacity, argv->count + 2);
  char *text = argv->status ? NULL : skill__arena_alloc(&argv->arena, length + 1);
  if (!text) {
    argv->status = SKILL_ENOMEM;
    return NULL;
  }
  argv->bytes += length + 1;
  argv->items[argv->count++] = text;
  argv->items[argv->count] = NULL;
  return text;
}

static void add(struct skill__argv *argv, const char *text, size_t length) {
  char *item = reserve(argv, length);
  if (item) memcpy(item, text, length);
}

void skill__argv_add(struct skill__argv *argv, const char *text) {
  if (text) add(argv, text, strlen(text));
}

void skill__argv_words(struct skill__argv *argv, const char *text) {
  for (text += strspn(text, " \t"); *text; text += strspn(text, " \t")) {
    size_t length = strcspn(text, " \t");
    add(argv, text, length);
    text += length;
  }
}

void skill__argv_joined(struct skill__argv *argv, const char *a, const char *b) {
  size_t length = strlen(a);
  char *item = reserve(argv, length + strlen(b));
  if (!item) return;
  snprintf(item, length + strlen(b) + 1, "%s%s", a, b);
}

void skill__argv_all(struct skill__argv *argv, const char *const *items) {
  for (; items && *items; items++) skill__argv_add(argv, *items);
}

void skill__argv_fini(struct skill__argv *argv) {
  skill__free(argv->items);
  skill__arena_fini(&argv->arena);
  memset(argv, 0, sizeof *argv);
}

static size_t name_length(const char *entry) {
  return strcspn(entry, "=");
}

/* Whether one of `names`, which may be entries themselves, has the name of `entry`. */
static bool listed(const char *entry, const char *const *names) {
  size_t length = name_length(entry);
  for (; names && *names; names++) {
    if (name_length(*names) == length && memcmp(*names, entry, length) == 0) return true;
  }
  return false;
}

void skill__environ_clean(struct skill__argv *env, const char *const *pass, const char *const *extra) {
  static const char *const always[] = {"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", NULL};
  for (char **entry = environ; entry && *entry; entry++) {
    bool wanted = listed(*entry, always) || strncmp(*entry, "LC_", 3) == 0 || listed(*entry, pass);
    if (wanted && strchr(*entry, '=') && !listed(*entry, extra)) skill__argv_add(env, *entry);
  }
  skill__argv_all(env, extra);
  if (!skill__environ_get(env, "PATH")) skill__argv_add(env, "PATH=" FALLBACK_PATH);
}

const char *skill__environ_get(const struct skill__argv *env, const char *name) {
  size_t length = strlen(name);
  for (size_t i = 0; i < env->count; i++) {
    if (strncmp(env->items[i], name, length) == 0 && env->items[i][length] == '=') return env->items[i] + length + 1;
  }
  return NULL;
}

static int executable(const char *path) {
  struct stat info;
  if (stat(path, &info) != 0) return SKILL_ENOENT;
  if (!S_ISREG(info.st_mode)) return SKILL_EDENIED;
  return access(path, X_OK) == 0 ? 0 : SKILL_EDENIED;
}

static int copy(const char *text, size_t length, const char *name, char *buffer, size_t size) {
  int wrote = snprintf(buffer, size, "%.*s%s%s", (int)length, text, length ? "/" : "", name);
  return wrote < 0 || (size_t)wrote >= size ? SKILL_ELIMIT : 0;
}

int skill__path_find(const char *name, const char *path, char *buffer, size_t size) {
  if (!*name) return SKILL_ENOENT;
  if (strchr(name, '/')) {
    int status = copy("", 0, name, buffer, size);
    return status ? status : executable(buffer);
  }
  int worst = SKILL_ENOENT;
  if (!path) path = FALLBACK_PATH;
  for (;;) {
    size_t length = strcspn(path, ":");
    /* An empty or relative entry would be below the working folder, which belongs to the skill: it is ignored. */
    if (length && length < size && path[0] == '/' && copy(path, length, name, buffer, size) == 0) {
      int status = executable(buffer);
      if (status == 0) return 0;
      if (status == SKILL_EDENIED) worst = status;
    }
    if (!path[length]) return worst;
    path += length + 1;
  }
}
