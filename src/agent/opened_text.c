/* SPDX-License-Identifier: MIT
 *
 * The text that a model gets of an opened skill: a head of lines, then the body. Fails if the body cannot be read.
 */

#include <stdio.h>
#include <string.h>

#include "agent/meta_tools.h"
#include "model/offline/offline.h"
#include "util/json.h"

enum { MOST_FILES = 20 };

bool skill__opened_origin(const char *text, size_t length, char *buffer) {
  static const char head[] = "Skill: ";
  if (length < sizeof head || memcmp(text, head, sizeof head - 1) != 0) return false;
  const char *begin = text + sizeof head - 1;
  const char *end = memchr(begin, '\n', length - (sizeof head - 1));
  char name[SKILL_MAX_NAME + 1];
  if (!end || (size_t)(end - begin) >= sizeof name) return false;
  snprintf(name, sizeof name, "%.*s", (int)(end - begin), begin);
  skill__origin_write(SKILL__ORIGIN_SKILL, name, buffer);
  return true;
}

struct files {
  struct skill__buf read;
  struct skill__buf run;
  size_t count, more;
};

static int on_file(const SkillResource *resource, void *user) {
  struct files *files = user;
  if (files->count == MOST_FILES) {
    files->more++;
    return 0;
  }
  files->count++;
  bool script = strncmp(resource->path, "scripts/", 8) == 0;
  struct skill__buf *buf = script ? &files->run : &files->read;
  if (buf->length) skill__buf_text(buf, ", ");
  skill__buf_text(buf, resource->path);
  if (!script && resource->size >= 10240) {
    skill__buf_printf(buf, " (%llu KiB)", (unsigned long long)resource->size / 1024);
  }
  return 0;
}

static void put_files(SkillAgent *agent, const Skill *skill, struct skill__buf *buf) {
  struct files files = {.count = 0};
  skill__buf_init(&files.read, 64 * 1024);
  skill__buf_init(&files.run, 64 * 1024);
  int status = skill_resources(skill, on_file, &files, NULL);
  if (!status || status == SKILL_EIO) {
    const char *read = skill__meta_name(agent, SKILL_META_READ);
    const char *run = skill__meta_name(agent, SKILL_META_RUN);
    if (files.read.length) skill__buf_printf(buf, "Files (%s): %s\n", read, files.read.data);
    if (files.run.length && agent->profile.scripts) skill__buf_printf(buf, "Scripts (%s): %s\n", run, files.run.data);
    if (files.more) skill__buf_printf(buf, "and %zu more files\n", files.more);
  }
  if (status && status != SKILL_EUNSUPPORTED) {
    skill__buf_printf(buf, "%siles could not be read: %s\n", files.count ? "More f" : "Its f", skill_strerror(status));
  }
  skill__buf_fini(&files.read);
  skill__buf_fini(&files.run);
}

/* Names the tools if the request's list has them, else describes them. Returns whether there is one. */
static bool put_tools(SkillAgent *agent, const char *skill, struct skill__buf *buf) {
  bool first = true;
  if (agent->profile.offered == SKILL_TOOLS_CONSTANT) return skill__describe_tools(agent, skill, buf) > 0;
  for (size_t i = 0; i < agent->tools.count; i++) {
    const struct skill__tool_entry *entry = &agent->tools.entries[i];
    if (!entry->skill || !entry->live || entry->hidden || strcmp(entry->skill, skill) != 0) continue;
    skill__buf_printf(buf, "%s%s", first ? "Tools: " : ", ", entry->tool.name);
    first = false;
  }
  if (!first && agent->deferring) skill__buf_text(buf, " (the tool search finds them by name)");
  if (!first) skill__buf_char(buf, '\n');
  return !first;
}

/* The folder as it was configured, which a user recognises. */
static void put_folder(const Skill *skill, struct skill__buf *buf) {
  const char *path = skill_metadata(skill)->path;
  const char *slash = path ? strrchr(path, '/') : NULL;
  if (slash) skill__buf_printf(buf, "Folder: %.*s\n", (int)(slash - path), path);
}

/* Tools of recorded catalogues are listed but cannot be called. */
static const char *instead_of_body(const Skill *skill, bool callable) {
  if (callable) return SKILL__NO_INSTRUCTIONS ": use its tools.)";
  return skill_metadata(skill)->tool_count ? SKILL__NO_INSTRUCTIONS
             ", and the tools that it names cannot be called here.)"
                                           : SKILL__NO_INSTRUCTIONS ".)";
}

static int put_body(const Skill *skill, const char *arguments, bool callable, struct skill__buf *buf, SkillError *err) {
  char *text = NULL;
  char *filled = NULL;
  size_t length = 0;
  bool used = false;
  char folder[SKILL_MAX_PATH];
  SkillSubstitution with = SKILL_SUBSTITUTION_INIT;
  int status = skill_body(skill, &text, &length, err);
  if (status) return status;
  with.arguments = arguments;
  with.names = skill_metadata(skill)->arguments;
  with.folder = skill__skill_folder(skill, folder) ? folder : NULL;
  status = skill_substitute(text, length, &with, &filled, &length, &used);
  if (!status) skill__buf_add(buf, filled, length);
  if (!status && arguments && *arguments && !used) skill__buf_printf(buf, "\n\nArguments: %s\n", arguments);
  if (!status && !length) skill__buf_text(buf, instead_of_body(skill, callable));
  skill_free(filled);
  skill_free(text);
  return status ? skill_error_set(err, status, "the body of %s: %s", skill_name(skill), skill_strerror(status)) : 0;
}

int skill__open_text(SkillAgent *agent, const Skill *skill, const char *arguments, bool repeat, char **out,
                     size_t *length, SkillError *err) {
  struct skill__buf buf;
  const char *name = skill_name(skill);
  int status = 0;
  skill__buf_init(&buf, SKILL_MAX_MESSAGE);
  if (repeat) {
    bool constant = agent->profile.offered == SKILL_TOOLS_CONSTANT; /* then the descriptions are above too */
    skill__buf_printf(&buf, "%s is open already; its instructions are above.\n", name);
    if (!constant) (void)put_tools(agent, name, &buf);
  } else {
    skill__buf_printf(&buf, "Skill: %s\n", name);
    put_folder(skill, &buf);
    bool callable = put_tools(agent, name, &buf);
    put_files(agent, skill, &buf);
    skill__buf_char(&buf, '\n');
    status = put_body(skill, arguments, callable, &buf, err);
  }
  if (status) buf.status = status;
  status = skill__buf_finish(&buf, out, length);
  return status ? skill_error_set(err, status, "%s", skill_strerror(status)) : 0;
}
