/* SPDX-License-Identifier: MIT
 *
 * "@NAME" in a request. A skill of that name is attached with its body, a file below the roots with its text; both as
 * messages of their own before the request. Fails for want of memory only: what cannot be read is left as it was said.
 */
#include "agent/meta_tools.h"

#include <stdio.h>
#include <string.h>

#include "context/origin.h"
#include "util/alloc.h"
#include "util/utf8.h"

enum { MOST_MENTIONS = 16, MOST_BYTES = 4 << 20 };

static bool ends_name(char c) {
  return !c || strchr(" \t\r\n\"'`,;!?()<>", c) != NULL;
}

/* The name after an '@' that begins a word; returns its length. A full stop at its end belongs to the sentence. */
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

static int add(SkillAgent *agent, const char *name, const char *text, size_t length, SkillError *err) {
  char origin[SKILL__ORIGIN_SIZE];
  SkillMessage message = {.role = SKILL_ROLE_USER, .text = text, .text_length = length};
  message.origin = skill__origin_write(SKILL__ORIGIN_MENTION, name, origin);
  return skill__agent_add_message(agent, &message, err);
}

/* What the user asked for and does not get is told to the model, which can tell the user. */
static int attach_nothing(SkillAgent *agent, const char *name, int why, SkillError *err) {
  char text[SKILL_MAX_PATH + 128];
  if (why == SKILL_ENOMEM) return skill_error_set(err, why, "out of memory");
  int n = snprintf(text, sizeof text, "%s was named, but cannot be read: %s", name, skill_strerror(why));
  return n > 0 && (size_t)n < sizeof text ? add(agent, name, text, (size_t)n, err) : 0;
}

static int attach_skill(SkillAgent *agent, const Skill *skill, SkillError *err) {
  char *text = NULL;
  size_t length = 0;
  int status = skill__open_text(agent, skill, NULL, false, &text, &length, NULL);
  if (status) return attach_nothing(agent, skill_name(skill), status, err);
  status = add(agent, skill_name(skill), text, length, err);
  size_t tokens = skill_tokens_count(agent->tokenizer, text, length);
  skill_free(text);
  if (!status && agent->loader)
    (void)skill_loader_set_body_state(agent->loader, skill_name(skill), SKILL_BODY_IN_CONTEXT);
  SkillEvent event = {
      .kind = SKILL_EVENT_OPENED, .skill = skill_name(skill), .tokens = tokens, .reason = "the user named it"};
  skill__agent_emit(agent, &event);
  return status;
}

static int attach_file(SkillAgent *agent, const char *path, SkillError *err) {
  char *text = NULL;
  size_t length = 0;
  int status = skill__files_read(agent, path, MOST_BYTES, &text, &length, NULL);
  if (status == SKILL_ENOENT || status == SKILL_EINVAL) return 0; /* some other word after an '@' */
  if (status) return attach_nothing(agent, path, status, err);
  struct skill__buf buf;
  skill__buf_init(&buf, SKILL_MAX_MESSAGE);
  skill__buf_printf(&buf, "File %s:\n", path);
  skill__buf_add(&buf, text, length);
  skill_free(text);
  status = skill__buf_status(&buf);
  if (!status) status = add(agent, path, buf.data, buf.length, err);
  skill__buf_fini(&buf);
  return status;
}

/* The user may name skills that the model may not see, unless they say that users may not. */
static Skill *nameable(SkillAgent *agent, const char *name) {
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
    Skill *skill = nameable(agent, name);
    if (skill) status = skill__agent_equip(agent, err);
    if (!status) status = skill ? attach_skill(agent, skill, err) : attach_file(agent, name, err);
    skill__free(name);
    count++;
  }
  return status;
}
