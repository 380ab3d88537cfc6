/* SPDX-License-Identifier: MIT
 *
 * create_skill; see creator.h. A failure becomes the error message of the call, written for the model that has to
 * correct its arguments. A file is written completely or not at all.
 */
#include "source/creator.h"

#include <stdio.h>
#include <string.h>

#include "util/alloc.h"
#include "util/json.h"

enum { DESCRIPTION_MAX = 1024, BODY_MAX = 256 * 1024, NAME_MAX_BYTES = 64 };

static const char schema[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"name\":{\"type\":\"string\",\"description\":\"Lower-case words and hyphens, at most 64 bytes\"},"
    "\"description\":{\"type\":\"string\",\"description\":\"What it does and when to use it, at most 1024 bytes\"},"
    "\"body\":{\"type\":\"string\",\"description\":\"The instructions as markdown, without front matter\"},"
    "\"tags\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"description\":\"Words it is also found by\"},"
    "\"mode\":{\"type\":\"string\",\"enum\":[\"lazy\",\"always\"],\"description\":\"lazy: opened when needed\"},"
    "\"form\":{\"type\":\"string\",\"enum\":[\"folder\",\"single\"],\"description\":\"NAME/SKILL.md or NAME.md\"},"
    "\"overwrite\":{\"type\":\"boolean\",\"description\":\"Replace a skill of that name\"}},"
    "\"required\":[\"name\",\"description\",\"body\"],\"additionalProperties\":false}";

struct request {
  const char *name;
  const char *description;
  const char *body;
  const cJSON *tags;
  bool always;
  bool single;
  bool overwrite;
};

static int check_name(const char *name, SkillError *err) {
  if (!name) return skill_error_set(err, SKILL_EINVAL, "name is missing");
  size_t length = strlen(name);
  int status = skill_name_check(name, length, err);
  if (status) return status;
  if (length > NAME_MAX_BYTES) return skill_error_set(err, SKILL_EINVAL, "name has more than %d bytes", NAME_MAX_BYTES);
  for (size_t i = 0; i < length; i++) {
    char c = name[i];
    bool edge = i == 0 || i + 1 == length;
    bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (unsigned char)c >= 0x80;
    if (word || (c == '-' && !edge && name[i - 1] != '-')) continue;
    return skill_error_set(err, SKILL_EINVAL,
                           "name must be lower-case words joined by single hyphens, like weekly-plan");
  }
  return 0;
}

static int read_request(const cJSON *arguments, struct request *out, SkillError *err) {
  *out = (struct request){.name = skill__json_string(arguments, "name"),
                          .description = skill__json_string(arguments, "description"),
                          .body = skill__json_string(arguments, "body"),
                          .tags = cJSON_GetObjectItemCaseSensitive(arguments, "tags"),
                          .overwrite = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(arguments, "overwrite"))};
  const char *mode = skill__json_string(arguments, "mode");
  const char *form = skill__json_string(arguments, "form");
  out->always = mode && !strcmp(mode, "always");
  out->single = form && !strcmp(form, "single");
  int status = check_name(out->name, err);
  if (status) return status;
  if (!out->description || !out->description[0] || strlen(out->description) > DESCRIPTION_MAX) {
    return skill_error_set(err, SKILL_EINVAL, "description must have 1 to %d bytes", DESCRIPTION_MAX);
  }
  if (!out->body || !out->body[0] || strlen(out->body) > BODY_MAX) {
    return skill_error_set(err, SKILL_EINVAL, "body must have 1 to %d bytes", BODY_MAX);
  }
  if (!strncmp(out->body, "---", 3)) {
    return skill_error_set(err, SKILL_EINVAL,
                           "body must not begin with front matter; it is written from the other fields");
  }
  return 0;
}

/* A JSON string is also a YAML double-quoted scalar. */
static void write_document(struct skill__buf *buf, const struct request *request) {
  skill__buf_text(buf, "---\nname: ");
  skill__buf_json_text(buf, request->name);
  skill__buf_text(buf, "\ndescription: ");
  skill__buf_json_text(buf, request->description);
  if (cJSON_IsArray(request->tags) && cJSON_GetArraySize(request->tags)) {
    bool first = true;
    const cJSON *tag;
    skill__buf_text(buf, "\ntags: [");
    cJSON_ArrayForEach(tag, request->tags) {
      if (!cJSON_IsString(tag)) continue;
      if (!first) skill__buf_text(buf, ", ");
      skill__buf_json_text(buf, tag->valuestring);
      first = false;
    }
    skill__buf_char(buf, ']');
  }
  if (request->always) skill__buf_text(buf, "\nmode: always");
  skill__buf_text(buf, "\n---\n\n");
  skill__buf_text(buf, request->body);
  if (request->body[strlen(request->body) - 1] != '\n') skill__buf_char(buf, '\n');
}

static int write_file(struct skill__creator *creator, const struct request *request, const char *path,
                      SkillError *err) {
  struct skill__buf buf;
  SkillFileInfo info;
  SkillIo *io = creator->io;
  intptr_t dir = SKILL_IO_CWD;
  char full[SKILL_MAX_PATH];
  skill__buf_init(&buf, (size_t)BODY_MAX * 4);
  write_document(&buf, request);
  int status = skill__buf_status(&buf);
  if (!status && snprintf(full, sizeof full, "%s/%s", creator->folder, path) >= (int)sizeof full) status = SKILL_ELIMIT;
  char *leaf = strrchr(full, '/');
  if (!status && !request->single) {
    *leaf = '\0';
    if (io->stat(io, dir, full, 0, &info) == 0 && info.kind != SKILL_FILE_FOLDER) {
      status = skill_error_set(err, SKILL_EDENIED, "%s is a link or a file, not a folder; choose another name", full);
    }
    *leaf = '/';
  }
  bool exists = !status && io->stat(io, dir, full, 0, &info) == 0;
  if (exists && (!request->overwrite || info.kind != SKILL_FILE_REGULAR)) {
    status = skill_error_set(err, SKILL_EEXISTS, "%s exists already; choose another name%s", path,
                             info.kind == SKILL_FILE_REGULAR ? ", or pass overwrite: true to replace it" : "");
  }
  if (!status) status = io->file_write(io, dir, full, buf.data, buf.length);
  if (status) skill_error_set(err, status, "%s cannot be written: %s", path, skill_strerror(status));
  skill__buf_fini(&buf);
  return status;
}

static int create(struct skill__creator *creator, const char *arguments_json, char *answer, size_t size,
                  SkillError *err) {
  cJSON *arguments = NULL;
  struct request request;
  char path[NAME_MAX_BYTES + 16];
  int status = skill__json_parse(arguments_json, strlen(arguments_json), NULL, &arguments, err);
  if (!status) status = read_request(arguments, &request, err);
  if (!status) {
    snprintf(path, sizeof path, request.single ? "%s.md" : "%s/SKILL.md", request.name);
    status = write_file(creator, &request, path, err);
  }
  if (!status) snprintf(answer, size, "Wrote %s/%s. The skill is found at the next scan.", creator->folder, path);
  cJSON_Delete(arguments);
  return status;
}

static void call(SkillToolCall *tool_call, const char *arguments_json, void *user) {
  SkillError err = SKILL_ERROR_INIT;
  char answer[SKILL_MAX_PATH + 128];
  int status = create(user, arguments_json, answer, sizeof answer, &err);
  const char *text = status ? err.message : answer;
  skill_tool_call_finish(tool_call, status, text, strlen(text));
}

SkillTool skill__creator_tool(struct skill__creator *creator) {
  return (SkillTool){.name = "create_skill",
                     .description = "Writes a new skill file that is found from the next scan on.",
                     .input_schema = schema,
                     .flags = SKILL_TOOL_DANGEROUS,
                     .call = call,
                     .user = creator};
}
