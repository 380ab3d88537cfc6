/* SPDX-License-Identifier: MIT
 *
 * skill_open: resolve, activate, and hand out the instructions. A skill that may not be seen is answered as if it were
 * not there. Fails where the skill is unknown, cannot be activated, or its body cannot be read.
 */
#include "agent/open.h"

#include <stdio.h>
#include <string.h>

#include "agent/through.h"
#include "model/offline.h"
#include "util/alloc.h"
#include "util/json.h"

enum { MOST_FILES = 20 };

struct opening {
  SkillAgent *agent;
  SkillToolCall *call;
  char *arguments; /* NULL: none */
  char name[SKILL_MAX_NAME + 1];
};

bool skill__opened_origin(const char *text, size_t length, char *buffer, size_t size) {
  static const char head[] = "Skill: ";
  if (length < sizeof head || memcmp(text, head, sizeof head - 1) != 0) return false;
  const char *name = text + sizeof head - 1;
  const char *end = memchr(name, '\n', length - (sizeof head - 1));
  if (!end) return false;
  int n = snprintf(buffer, size, "skill:%.*s", (int)(end - name), name);
  return n > 0 && (size_t)n < size;
}

/* --- the text -------------------------------------------------------------------------------------------------- */

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

/* By name where the request's list holds them, else by their descriptions. Whether there is one. */
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

/* The folder as it was configured: what a user recognises. */
static void put_folder(const Skill *skill, struct skill__buf *buf) {
  const char *path = skill_metadata(skill)->path;
  const char *slash = path ? strrchr(path, '/') : NULL;
  if (slash) skill__buf_printf(buf, "Folder: %.*s\n", (int)(slash - path), path);
}

/* Tools of recorded catalogues are known and cannot be called. */
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
  with.folder = skill__skill_folder(skill, folder, sizeof folder) ? folder : NULL;
  status = skill_substitute(text, length, &with, &filled, &length, &used);
  if (!status) skill__buf_add(buf, filled, length);
  if (!status && arguments && *arguments && !used) skill__buf_printf(buf, "\n\nArguments: %s\n", arguments);
  if (!status && !length) skill__buf_text(buf, instead_of_body(skill, callable));
  skill_free(filled);
  skill_free(text);
  return status ? skill_error_set(err, status, "the body of %s: %s", skill_name(skill), skill_strerror(status)) : 0;
}

int skill__open_text(SkillAgent *agent, const Skill *skill, const SkillActivationItem *item, const char *arguments,
                     bool repeat, char **out, size_t *length, SkillError *err) {
  struct skill__buf buf;
  const char *name = skill_name(skill);
  int status = 0;
  (void)item;
  skill__buf_init(&buf, SKILL_MAX_MESSAGE);
  if (repeat) {
    bool constant = agent->profile.offered == SKILL_TOOLS_CONSTANT; /* then they are described above as well */
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
  if (!status) status = skill__buf_status(&buf);
  char *text = status ? NULL : skill__buf_take(&buf, length);
  skill__buf_fini(&buf);
  if (!status && !text) status = SKILL_ENOMEM;
  if (!status) *out = text;
  return status ? skill_error_set(err, status, "%s", skill_strerror(status)) : 0;
}

/* --- the call -------------------------------------------------------------------------------------------------- */

static void tell_opened(SkillAgent *agent, const char *name, size_t tokens, bool repeat) {
  SkillEvent event = {.kind = SKILL_EVENT_OPENED, .skill = name, .tokens = tokens};
  event.reason = repeat ? "its instructions are in the context already" : "its instructions enter the context";
  skill__agent_emit(agent, &event);
}

static int keep_body(SkillAgent *agent, const char *name, const char *text, size_t length) {
  size_t name_size = strlen(name) + 1;
  struct skill__pending_body *body = skill__malloc(sizeof *body + name_size + length + 1);
  struct skill__pending_body **at = &agent->bodies;
  if (!body) return SKILL_ENOMEM;
  body->next = NULL;
  body->skill = memcpy(body + 1, name, name_size);
  body->text = memcpy((char *)(body + 1) + name_size, text, length + 1);
  body->length = length;
  while (*at) at = &(*at)->next;
  *at = body;
  return 0;
}

static void finish_opening(struct opening *opening, const SkillActivation *result) {
  SkillAgent *agent = opening->agent;
  SkillError why = SKILL_ERROR_INIT;
  const SkillActivationItem *item = result->count ? &result->items[0] : NULL;
  if (skill_tool_call_canceled(opening->call)) { /* nobody gets the text, so it is not in the context */
    skill__meta_finish(opening->call, SKILL_ECANCELED, "canceled");
    return;
  }
  if (result->status || !item) {
    skill__meta_finish(opening->call, result->status ? result->status : SKILL_EFAILED, "%s could not be activated: %s",
                       opening->name, item ? item->reason : "no reason given");
    return;
  }
  Skill *skill = skill_registry_find(agent->options.registry, opening->name);
  int status = skill ? skill__agent_offer_skill(agent, item->name, item->tools, item->tool_count) : SKILL_ENOENT;
  bool repeat = skill_loader_body_state(agent->loader, opening->name) == SKILL_BODY_IN_CONTEXT && !opening->arguments;
  char *text = NULL;
  size_t length = 0;
  if (!status) status = skill__open_text(agent, skill, item, opening->arguments, repeat, &text, &length, &why);
  if (status) {
    skill__meta_finish(opening->call, status, "%s cannot be opened: %s", opening->name,
                       why.code ? why.message : skill_strerror(status));
    return;
  }
  (void)skill_loader_set_body_state(agent->loader, opening->name, SKILL_BODY_IN_CONTEXT);
  char *last = skill__strdup(opening->name);
  if (last) {
    skill__free(agent->opened_last);
    agent->opened_last = last;
  }
  tell_opened(agent, opening->name, skill_tokens_count(agent->tokenizer, text, length), repeat);
  if (repeat || agent->profile.body == SKILL_BODY_IN_RESULT) {
    skill_tool_call_finish(opening->call, 0, text, length);
  } else if (keep_body(agent, opening->name, text, length)) {
    skill__meta_finish(opening->call, SKILL_ENOMEM, "out of memory");
  } else {
    skill__meta_finish(opening->call, 0, "Opened %s; its instructions follow.", opening->name);
  }
  skill_free(text);
}

static void on_open(ProgressiveSkillLoader *loader, const SkillActivation *result, void *user) {
  struct opening *opening = user;
  (void)loader;
  finish_opening(opening, result);
  skill__free(opening->arguments);
  skill__free(opening);
}

/* `args` as text: a string as it is, anything else as JSON. */
static char *read_arguments(const cJSON *args) {
  struct skill__buf buf;
  if (!args || cJSON_IsNull(args)) return NULL;
  if (cJSON_IsString(args)) return *args->valuestring ? skill__strdup(args->valuestring) : NULL;
  skill__buf_init(&buf, SKILL_MAX_ARGUMENTS);
  skill__json_print(&buf, args);
  char *text = skill__buf_take(&buf, NULL);
  skill__buf_fini(&buf);
  return text;
}

static void start_opening(SkillAgent *agent, SkillToolCall *call, const char *name, char *arguments) {
  SkillError why = SKILL_ERROR_INIT;
  struct opening *opening = skill__calloc(1, sizeof *opening);
  if (!opening) {
    skill__free(arguments);
    skill__meta_finish(call, SKILL_ENOMEM, "out of memory");
    return;
  }
  opening->agent = agent;
  opening->call = call;
  opening->arguments = arguments;
  snprintf(opening->name, sizeof opening->name, "%s", name);
  int status = skill_loader_activate(agent->loader, name, on_open, opening, NULL, &why);
  if (!status) {
    skill__agent_step_loader(agent);
    return;
  }
  skill__free(arguments);
  skill__free(opening);
  skill__meta_finish(call, status, "%s cannot be opened: %s", name, why.message);
}

void skill__open_call(SkillToolCall *call, const char *arguments_json, void *user) {
  SkillAgent *agent = user;
  SkillError why = SKILL_ERROR_INIT;
  cJSON *root = skill__meta_arguments(call, arguments_json);
  if (!root) return;
  const char *name = skill__json_string(root, "name");
  Skill *skill = name ? skill_registry_find(agent->options.registry, name) : NULL;
  if (!skill || !skill__agent_shows(agent, skill)) {
    char near[512];
    if (skill) {
      SkillEvent event = {.kind = SKILL_EVENT_DENIED, .skill = name, .reason = "opened though it may not be seen"};
      skill__agent_emit(agent, &event);
    }
    skill__agent_suggest(agent, name ? name : "", near, sizeof near);
    skill__meta_finish(call, SKILL_ENOENT, "There is no skill '%.200s'%s.", name ? name : "", near);
    cJSON_Delete(root);
    return;
  }
  char *arguments = read_arguments(cJSON_GetObjectItemCaseSensitive(root, "args"));
  if (skill_metadata(skill)->context == SKILL_CONTEXT_INLINE) {
    start_opening(agent, call, skill_name(skill), arguments);
  } else {
    int status = skill__agent_fork(agent, skill, arguments, call, &why);
    if (status) skill__meta_finish(call, status, "%s", why.message);
    skill__free(arguments);
  }
  cJSON_Delete(root);
}
