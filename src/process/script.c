/* SPDX-License-Identifier: MIT
 *
 * Scripts of folder skills: finds the file, its interpreter and the command line; see skill_script_start.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "process/arguments.h"
#include "process/process.h"
#include "skillet/process.h"
#include "source/resolve.h"
#include "util/options.h"

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
  char path[SKILL_MAX_PATH + 2]; /* "./", then the path below the folder */
  char head[256];                /* the file's first line */
  intptr_t file;                 /* open */
  struct skill__expect expect;
};

/* ---- finding the file ---- */

/* Opens the first `length` bytes of the command as a path, through the resolver of resources, and reads the first line.
 * The file stays open until the start is complete, so that its inode number cannot be reused. */
static int look(const char *folder, const char *command, size_t length, struct script *script, SkillError *err) {
  if (length >= SKILL_MAX_PATH) return skill_error_set(err, SKILL_ELIMIT, "the path of the script is too long");
  SkillIo *io = skill_io_posix();
  SkillFileInfo info;
  char *path = script->path + 2;
  size_t got = 0;
  intptr_t root;
  int status = io->dir_open(io, SKILL_IO_CWD, folder, SKILL_IO_FOLLOW, &root);
  if (status) return skill_error_set(err, status, "the skill's folder %s: %s", folder, skill_strerror(status));
  memcpy(path, command, length);
  path[length] = '\0';
  const struct skill__resolve at = {io, root, SKILL_LINKS_INSIDE, ""};
  status = skill__resolve_file(&at, path, &script->file, err);
  io->dir_close(io, root);
  if (status) return status;
  status = io->file_read(io, script->file, 0, script->head, sizeof script->head - 1, &got);
  if (!status) status = io->file_info(io, script->file, &info);
  if (status) {
    io->file_close(io, script->file);
    return skill_error_set(err, status, "%s: %s", path, skill_strerror(status));
  }
  script->head[got] = '\0';
  script->expect = (struct skill__expect){path, info.dev, info.ino, false};
  return 0;
}

/* Tries the whole command as a path first, since names may contain blanks; then its first word. */
static int find(const SkillScript *script, struct script *found, const char **rest, SkillError *err) {
  SkillError whole = SKILL_ERROR_INIT;
  size_t length = strlen(script->command);
  size_t word = strcspn(script->command, " \t");
  *rest = script->command + length;
  int as_path = look(script->folder, script->command, length, found, word < length ? &whole : err);
  if (!as_path || word == length) return as_path;
  *rest = script->command + word;
  int status = look(script->folder, script->command, word, found, err);
  if (status != SKILL_ENOENT || as_path == SKILL_ENOENT) return status;
  skill_error_clear(err);
  return skill_error_set(err, as_path, "%s", whole.message);
}

/* ---- running it ---- */

/* "#!interpreter [one argument]", as the kernel reads it; a carriage return at the end is ignored. */
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

static bool executable(const SkillScript *script, const char *path) {
  char full[2 * SKILL_MAX_PATH];
  int length = snprintf(full, sizeof full, "%s/%s", script->folder, path);
  return length > 0 && (size_t)length < sizeof full && access(full, X_OK) == 0;
}

static int add_interpreter(const SkillScript *what, struct script *script, struct skill__argv *argv, SkillError *err) {
  char *program = NULL;
  char *argument = NULL;
  const char *path = script->expect.path;
  const char *named = path[0] == '-' ? script->path : path;
  const char *fallback = by_extension(path);
  if (shebang(script, &program, &argument) && (!fallback || access(program, X_OK) == 0)) {
    skill__argv_add(argv, program);
    skill__argv_add(argv, argument);
    skill__argv_add(argv, named);
  } else if (fallback) {
    bool awk = strcmp(fallback, "awk") == 0; /* its first word would be a program, later ones options */
    skill__argv_add(argv, fallback);
    if (awk) skill__argv_add(argv, "-f");
    skill__argv_add(argv, named);
    if (awk) skill__argv_add(argv, "--");
  } else if (executable(what, path)) {
    skill__argv_add(argv, strchr(path, '/') ? path : script->path);
    script->expect.run = true;
  } else {
    return skill_error_set(err, SKILL_EUNSUPPORTED,
                           "%.200s: no \"#!\" line and no known extension says what runs it; add \"#!/usr/bin/env …\"",
                           path);
  }
  return 0;
}

static void environment(const SkillScript *script, const SkillProcessOptions *options, struct skill__argv *env) {
  skill__argv_all(env, options->env);
  skill__argv_joined(env, "SKILL_DIR=", script->folder);
  if (script->skill) skill__argv_joined(env, "SKILL_NAME=", script->skill);
}

static int start(struct uv_loop_s *loop, const SkillScript *script, const SkillProcessOptions *options,
                 SkillProcessCb cb, void *user, SkillProcess **out, SkillError *err) {
  SkillError local = SKILL_ERROR_INIT;
  if (!err) err = &local;
  struct script found;
  struct skill__argv argv = {0};
  struct skill__argv env = {0};
  struct skill__buf input;
  bool has_input = false;
  const char *rest;
  skill__buf_init(&input, SKILL_PROCESS_MAX_INPUT);
  memcpy(found.path, "./", 2);
  found.file = -1;
  int status = find(script, &found, &rest, err);
  if (!status) status = add_interpreter(script, &found, &argv, err);
  if (status) goto out;
  skill__argv_words(&argv, rest);
  status = skill__arguments_map(script->arguments_json, script->input_schema, &argv, &input, &has_input, err);
  environment(script, options, &env);
  if (!status) status = argv.status ? argv.status : env.status;
  if (status) goto out;
  SkillProcessOptions all = *options;
  all.argv = (const char *const *)argv.items;
  all.folder = script->folder;
  all.input = has_input ? (input.data ? input.data : "") : NULL;
  all.input_length = input.length;
  all.env = (const char *const *)env.items;
  status = skill__process_start(loop, &all, &found.expect, cb, user, out, err);
out:
  if (found.file >= 0) skill_io_posix()->file_close(skill_io_posix(), found.file);
  skill__argv_fini(&argv);
  skill__argv_fini(&env);
  skill__buf_fini(&input);
  return status;
}

int skill_script_start(struct uv_loop_s *loop, const SkillScript *script, const SkillProcessOptions *options,
                       SkillProcessCb cb, void *user, SkillProcess **out, SkillError *err) {
  SkillScript given = SKILL_SCRIPT_INIT;
  SkillProcessOptions limits = SKILL_PROCESS_OPTIONS_INIT;
  int status = SKILL__OPTIONS(SkillScript, &given, script, err);
  if (!status) status = SKILL__OPTIONS(SkillProcessOptions, &limits, options, err);
  if (status) return status;
  if (!given.command || !given.folder || given.folder[0] != '/') {
    return skill_error_set(err, SKILL_EINVAL, "a script needs a command and the absolute path of the skill's folder");
  }
  return start(loop, &given, &limits, cb, user, out, err);
}
