/* SPDX-License-Identifier: MIT
 *
 * "@NAME" in a request attaches the body of that skill, or the text of that file below the roots, as a message before
 * the request. Fails only when memory is out or the conversation is full: what cannot be read is reported to the model.
 */
#include "agent/meta_tools.h"

#include <stdio.h>
#include <string.h>

#include "util/alloc.h"
#include "util/utf8.h"

enum { MOST_MENTIONS = 16, MOST_BYTES = 4 << 20 };

static bool ends_name(char c) {
  return !c || strchr(" \t\r\n\"'`,;!?()<>", c) != NULL;
}

/* The length of the name after an '@' that begins a word. A full stop at its end belongs to the sentence. */
static size_t name_at(const char *text, const char *at) {
  size_t n = 0;
  if (*at != '@') return 0;
  if (at > text && !ends_name(at[-1]) && (unsigned char)at[-1] < 0x80) return 0; /* an address */
  while (!ends_name(at[1 + n])) {
    uint32_t rune = 0;
    size_t step = skill__utf8_decode(at + 1 + n, strlen(at + 1 + n), &rune);
    if (!step || (rune >= 0x3000 && rune <= 0x303F) || (rune >= 0xFF00 && rune <= 0xFF20)) break; /* wide marks */
    n += step;
  }
  while (n && (at[n] == '.' || at[n] == ':')) n--;
  return n < SKILL_MAX_PATH ? n : 0;
}

/* The model learns that a mention could not be read, and can tell the user. */
static int attach_nothing(SkillAgent *agent, const char *name, int why, SkillError *err) {
  char text[SKILL_MAX_PATH + 128];
  if (why == SKILL_ENOMEM) return skill_error_set(err, why, "out of memory");
  int n = snprintf(text, sizeof text, "%s was named, but cannot be read: %s", name, skill_strerror(why));
  if (n < 0 || (size_t)n >= sizeof text) return 0;
  return skill__agent_add_text(agent, SKILL__ORIGIN_MENTION, name, text, (size_t)n, err);
}

static int attach_skill(SkillAgent *agent, const Skill *skill, SkillError *err) {
  char *text = NULL;
  size_t length = 0;
  int status = skill__open_text(agent, skill, NULL, false, &text, &length, NULL);
  if (status) return attach_nothing(agent, skill_name(skill), status, err);
  status = skill__agent_add_text(agent, SKILL__ORIGIN_MENTION, skill_name(skill), text, length, err);
  size_t tokens = skill_tokens_count(agent->tokenizer, text, length);
  skill_free(text);
  if (!status && agent->loader)
    (void)skill_loader_set_body_state(agent->loader, skill_name(skill), SKILL_BODY_IN_CONTEXT);
  SkillEvent event = {.kind = SKILL_EVENT_OPENED, .skill = skill_name(skill), .tokens = tokens};
  event.reason = "the user named it";
  skill__agent_emit(agent, &event);
  return status;
}

static int attach_file(SkillAgent *agent, const char *path, SkillError *err) {
  char *text = NULL;
  size_t length = 0;
  int status = skill__files_read(agent, path, MOST_BYTES, &text, &length, NULL);
  if (status == SKILL_ENOENT || status == SKILL_EINVAL) return 0; /* not a file: an address, a user */
  if (status) return attach_nothing(agent, path, status, err);
  struct skill__buf buf;
  skill__buf_init(&buf, SKILL_MAX_MESSAGE);
  skill__buf_printf(&buf, "File %s:\n", path);
  skill__buf_add(&buf, text, length);
  skill_free(text);
  status = skill__buf_status(&buf);
  if (!status) status = skill__agent_add_text(agent, SKILL__ORIGIN_MENTION, path, buf.data, buf.length, err);
  skill__buf_fini(&buf);
  return status;
}

/* Users may mention skills that the model may not know of, but not those that forbid it. */
static Skill *find_mentioned(SkillAgent *agent, const char *name) {
  Skill *skill = agent->options.registry ? skill_registry_find(agent->options.registry, name) : NULL;
  if (!skill || skill_metadata(skill)->not_user_invocable || !skill__agent_allows(agent, name, NULL)) return NULL;
  return skill;
}

int skill__agent_attach(SkillAgent *agent, const char *text, SkillError *err) {
  int status = 0;
  size_t count = 0;
  for (const char *at = strchr(text, '@'); at && count < MOST_MENTIONS && !status; at = strchr(at + 1, '@')) {
    size_t n = name_at(text, at);
    if (!n) continue;
    char *name = skill__strndup(at + 1, n);
    if (!name) return skill_error_set(err, SKILL_ENOMEM, "out of memory");
    Skill *skill = find_mentioned(agent, name);
    if (skill) status = skill__agent_equip(agent, err);
    if (!status) status = skill ? attach_skill(agent, skill, err) : attach_file(agent, name, err);
    skill__free(name);
    count++;
  }
  return status;
}
