/* SPDX-License-Identifier: MIT
 *
 * Scripts of folder skills: which file, who interprets it, what command line; see skill_script_start.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/arguments.h"
#include "skillet/process.h"
#include "util/alloc.h"

struct interpreter {
  const char *extension;
  const char *program;
};

static const struct interpreter interpreters[] = {
    {".py", "python3"}, {".sh", "sh"},     {".bash", "bash"}, {".js", "node"}, {".mjs", "node"},
    {".cjs", "node"},   {".rb", "ruby"},   {".pl", "perl"},   {".php", "php"}, {".lua", "lua"},
    {".r", "Rscript"},  {".R", "Rscript"}, {".ps1", "pwsh"},  {".awk", "awk"},
};

struct script {
  char path[SKILL_MAX_PATH]; /* below the folder, or "./" and that */
  char head[256];            /* the file's first line */
  bool executable;
};

/* ---- finding the file ---- */

static int explain_open(const char *path, size_t length, bool link, int error, SkillError *err) {
  if (link) {
    return skill_error_set(err, SKILL_EDENIED, "%.*s is a link, or lies behind one; scripts must be files of the skill",
                           (int)length, path);
  }
  if (error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG) return SKILL_ENOENT;
  int code = error == EACCES ? SKILL_EDENIED : SKILL_EIO;
  return skill_error_set(err, code, "%.*s: %s", (int)length, path, strerror(error));
}

static bool is_link(int dir, const char *name) {
  struct stat info;
  return fstatat(dir, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode);
}

/* The next component of [*at, end) into `name`, which is empty at the end. */
static bool component(const char **at, const char *end, char name[NAME_MAX + 1]) {
  while (*at < end && **at == '/') ++*at;
  size_t size = strcspn(*at, "/");
  if (size > (size_t)(end - *at)) size = (size_t)(end - *at);
  if (size > NAME_MAX) return false;
  memcpy(name, *at, size);
  name[size] = '\0';
  *at += size;
  while (*at < end && **at == '/') ++*at;
  return true;
}

/* Opens one component after the other, so that no link is followed and nothing above the folder can be named.
 * SKILL_ENOENT without a message: there is no such file. */
static int open_below(const char *folder, const char *path, size_t length, int *out, SkillError *err) {
  const char *at = path;
  const char *end = path + length;
  int dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (dir < 0) return skill_error_set(err, SKILL_ENOENT, "the skill's folder %s: %s", folder, strerror(errno));
  for (;;) {
    char name[NAME_MAX + 1];
    if (!component(&at, end, name) || !*name) break;
    bool last = at >= end;
    int flags = last ? O_RDONLY | O_NONBLOCK : O_PATH | O_DIRECTORY;
    int next = openat(dir, name, flags | O_NOFOLLOW | O_CLOEXEC);
    int error = errno;
    bool link = next < 0 && is_link(dir, name);
    close(dir);
    if (next < 0) return explain_open(path, length, link, error, err);
    dir = next;
    if (!last) continue;
    *out = next;
    return 0;
  }
  close(dir);
  return SKILL_ENOENT;
}

static bool leads_out(const char *path, size_t length) {
  if (length && path[0] == '/') return true;
  for (size_t i = 0; i < length;) {
    size_t size = strcspn(path + i, "/");
    if (size > length - i) size = length - i;
    if (size == 2 && path[i] == '.' && path[i + 1] == '.') return true;
    i += size + 1;
  }
  return false;
}

/* Looks at `length` bytes of the command as a path. 0, SKILL_ENOENT (no such file), else an error that is final. */
static int look(const char *folder, const char *command, size_t length, struct script *script, SkillError *err) {
  if (length == 0 || length >= sizeof script->path - 2) {
    return skill_error_set(err, SKILL_EINVAL, "a script's path has 1 to %d bytes", SKILL_MAX_PATH - 3);
  }
  if (leads_out(command, length)) {
    return skill_error_set(err, SKILL_EDENIED, "%.*s leads out of the skill's folder", (int)length, command);
  }
  int fd = -1;
  int rc = open_below(folder, command, length, &fd, err);
  if (rc) return rc;
  struct stat info;
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    close(fd);
    return skill_error_set(err, SKILL_EDENIED, "%.*s is not a regular file", (int)length, command);
  }
  ssize_t got = read(fd, script->head, sizeof script->head - 1);
  close(fd);
  script->head[got > 0 ? got : 0] = '\0';
  script->executable = (info.st_mode & 0111) != 0;
  snprintf(script->path, sizeof script->path, "%s%.*s", command[0] == '-' ? "./" : "", (int)length, command);
  return 0;
}

/* The whole command as a path first, since names may hold blanks; then its first word. */
static int find(const SkillScript *script, struct script *found, const char **rest, SkillError *err) {
  size_t length = strlen(script->command);
  *rest = script->command + length;
  int rc = look(script->folder, script->command, length, found, err);
  if (rc != SKILL_ENOENT || (err && err->code)) return rc;
  size_t word = strcspn(script->command, " \t");
  if (word < length) {
    *rest = script->command + word;
    rc = look(script->folder, script->command, word, found, err);
  }
  if (rc != SKILL_ENOENT) return rc;
  return skill_error_set(err, SKILL_ENOENT, "the skill has no script %.*s", (int)word, script->command);
}

/* ---- running it ---- */

/* "#!interpreter [one argument]", as the kernel reads it; a carriage return at the end is an editor's. */
static bool shebang(struct script *script, char **program, char **argument) {
  char *line = script->head;
  if (strncmp(line, "#!", 2) != 0) return false;
  line[strcspn(line, "\r\n")] = '\0';
  line += 2 + strspn(line + 2, " \t");
  size_t length = strcspn(line, " \t");
  char *rest = line + length;
  if (*rest) *rest++ = '\0';
  rest += strspn(rest, " \t");
  for (size_t end = strlen(rest); end && strchr(" \t", rest[end - 1]);) rest[--end] = '\0';
  *program = line;
  *argument = *rest ? rest : NULL;
  return length > 0;
}

static const char *by_extension(const char *path) {
  const char *dot = strrchr(path, '.');
  for (size_t i = 0; dot && i < sizeof interpreters / sizeof *interpreters; i++) {
    if (strcmp(dot, interpreters[i].extension) == 0) return interpreters[i].program;
  }
  return NULL;
}

static int add_interpreter(struct script *script, struct skill__argv *argv, SkillError *err) {
  char *program = NULL;
  char *argument = NULL;
  const char *fallback = by_extension(script->path);
  if (shebang(script, &program, &argument) && (!fallback || access(program, X_OK) == 0)) {
    skill__argv_add(argv, program);
    skill__argv_add(argv, argument);
    skill__argv_add(argv, script->path);
  } else if (fallback) {
    skill__argv_add(argv, fallback);
    skill__argv_add(argv, script->path);
  } else if (script->executable) {
    skill__argv_joined(argv, strchr(script->path, '/') ? "" : "./", script->path);
  } else {
    return skill_error_set(err, SKILL_EUNSUPPORTED,
                           "%.200s: no \"#!\" line and no known extension says what runs it; add \"#!/usr/bin/env …\"",
                           script->path);
  }
  return 0;
}

static void add_words(struct skill__argv *argv, const char *text) {
  for (text += strspn(text, " \t"); *text; text += strspn(text, " \t")) {
    size_t length = strcspn(text, " \t");
    skill__argv_addn(argv, text, length);
    text += length;
  }
}

static void environment(const SkillScript *script, const SkillProcessOptions *options, struct skill__argv *env) {
  if (options) skill__argv_all(env, options->env);
  skill__argv_joined(env, "SKILL_DIR=", script->folder);
  if (script->skill) skill__argv_joined(env, "SKILL_NAME=", script->skill);
}

static int check(const SkillScript *script, const SkillProcessOptions *options, SkillError *err) {
  if (!script || script->size != sizeof *script || !script->command || !script->folder || script->folder[0] != '/') {
    return skill_error_set(err, SKILL_EINVAL, "a script needs a command and the absolute path of the skill's folder");
  }
  if (options && options->size != sizeof *options) {
    return skill_error_set(err, SKILL_EINVAL, "SkillProcessOptions of another size: start from its INIT macro");
  }
  return 0;
}

int skill_script_start(struct uv_loop_s *loop, const SkillScript *script, const SkillProcessOptions *options,
                       SkillProcessCb cb, void *user, SkillProcess **out, SkillError *err) {
  int rc = check(script, options, err);
  if (rc) return rc;
  SkillError local = SKILL_ERROR_INIT;
  if (!err) err = &local;
  struct script found;
  struct skill__argv argv = {0};
  struct skill__argv env = {0};
  struct skill__buf input;
  bool has_input = false;
  const char *rest;
  skill__buf_init(&input, SKILL_PROCESS_MAX_INPUT);
  rc = find(script, &found, &rest, err);
  if (!rc) rc = add_interpreter(&found, &argv, err);
  if (rc) goto out;
  add_words(&argv, rest);
  rc = skill__arguments_map(script->arguments_json, script->input_schema, &argv, &input, &has_input, err);
  environment(script, options, &env);
  if (!rc) rc = argv.status ? argv.status : env.status;
  if (rc) goto out;
  SkillProcessOptions all = SKILL_PROCESS_OPTIONS_INIT;
  if (options) all = *options;
  all.argv = (const char *const *)argv.items;
  all.folder = script->folder;
  all.input = has_input ? (input.data ? input.data : "") : NULL;
  all.input_length = input.length;
  all.env = (const char *const *)env.items;
  rc = skill_process_start(loop, &all, cb, user, out, err);
out:
  skill__argv_fini(&argv);
  skill__argv_fini(&env);
  skill__buf_fini(&input);
  return rc;
}
