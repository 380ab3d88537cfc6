/* SPDX-License-Identifier: MIT
 *
 * Compaction: the older part of a conversation becomes one summary, followed by the latest bodies of opened skills. A
 * new list is made and swapped in at the end, so a failure changes nothing.
 */
#include <stdio.h>
#include <string.h>

#include "context/message_groups.h"
#include "context/origin.h"
#include "skillet/context.h"
#include "util/alloc.h"
#include "util/buf.h"
#include "util/options.h"
#include "util/utf8.h"

enum { KEEP_TOKENS = 4000, BODY_TOKENS = 5000, BODIES_TOKENS = 25000, DIGEST_LINES = 60, LINE_BYTES = 160 };

struct body {
  size_t message;
  const char *name;
  size_t tokens; /* that it keeps; 0: it is dropped */
};

struct compacting {
  SkillConversation *talk;
  SkillCompactOptions options;
  struct skill__message_group *groups;
  size_t group_count;
  size_t cut; /* groups before this one are dropped */
  struct body *bodies;
  size_t body_count;
};

/* --- what is dropped -------------------------------------------------------------------------------------------- */

static void find_cut(struct compacting *c) {
  size_t kept = 0;
  c->cut = c->group_count;
  while (c->cut > 0) {
    const struct skill__message_group *group = &c->groups[c->cut - 1];
    bool must = group->current;
    if (!must && kept + group->tokens > c->options.keep_tokens) break;
    kept += group->tokens;
    c->cut--;
  }
}

/* The message of the group that has the body. */
static size_t body_message(const SkillConversation *talk, const struct skill__message_group *group) {
  for (size_t i = group->from; i < group->to; i++) {
    if (skill__origin_is(skill_conversation_at(talk, i)->origin, SKILL__ORIGIN_SKILL, group->name)) return i;
  }
  return group->from;
}

/* The newest bodies first, within the limit of each and the limit of all. */
static int choose_bodies(struct compacting *c) {
  size_t left = c->options.bodies_tokens;
  c->bodies = skill__calloc(c->cut ? c->cut : 1, sizeof *c->bodies);
  if (!c->bodies) return SKILL_ENOMEM;
  for (size_t i = c->cut; i-- > 0;) {
    const struct skill__message_group *group = &c->groups[i];
    if (group->kind != SKILL__GROUP_BODY) continue;
    struct body *body = &c->bodies[c->body_count++];
    body->message = body_message(c->talk, group);
    body->name = group->name;
    size_t whole = skill__conversation_tokens(c->talk, body->message, c->options.tokenizer);
    size_t want = whole < c->options.body_tokens ? whole : c->options.body_tokens;
    body->tokens = want <= left ? want : 0;
    left -= body->tokens;
  }
  return 0;
}

/* --- the summary ----------------------------------------------------------------------------------------------- */

static void put_line(struct skill__buf *buf, const char *who, const char *text, size_t length) {
  size_t line = 0;
  while (line < length && text[line] != '\n') line++;
  size_t cut = line > LINE_BYTES ? skill__utf8_floor(text, LINE_BYTES) : line;
  skill__buf_printf(buf, "- %s: ", who);
  skill__buf_add(buf, text, cut);
  skill__buf_text(buf, cut < length ? "\xE2\x80\xA6\n" : "\n");
}

static void digest_message(struct skill__buf *buf, const SkillMessage *message) {
  const char *name = NULL;
  enum skill__origin origin = skill__origin_read(message->origin, &name);
  bool user = message->role == SKILL_ROLE_USER;
  if (user && origin == SKILL__ORIGIN_NONE) put_line(buf, "asked", message->text, message->text_length);
  if (user && origin == SKILL__ORIGIN_MENTION) put_line(buf, "attached", name, strlen(name));
  if (message->role != SKILL_ROLE_ASSISTANT) return;
  if (message->text_length) put_line(buf, "answered", message->text, message->text_length);
  for (size_t i = 0; i < message->call_count; i++) {
    char who[96];
    snprintf(who, sizeof who, "called %.80s", message->calls[i].name);
    put_line(buf, who, message->calls[i].arguments, strlen(message->calls[i].arguments));
  }
}

static void write_summary(struct compacting *c, struct skill__buf *buf) {
  size_t last = c->cut ? c->groups[c->cut - 1].to : 0;
  skill__buf_printf(buf, "[Summary of %zu earlier messages, which are no longer here.]\n", last);
  if (c->options.summary) {
    skill__buf_text(buf, c->options.summary);
    skill__buf_char(buf, '\n');
  } else {
    size_t first = last > DIGEST_LINES ? last - DIGEST_LINES : 0;
    for (size_t i = 0; i < last; i++) {
      const SkillMessage *message = skill_conversation_at(c->talk, i);
      bool summary = skill__origin_is(message->origin, SKILL__ORIGIN_SUMMARY, NULL);
      if (summary) skill__buf_add(buf, message->text, message->text_length < 4000 ? message->text_length : 4000);
      if (!summary && i >= first) digest_message(buf, message);
    }
  }
  for (size_t i = 0; i < c->body_count; i++) {
    if (c->bodies[i].tokens) continue;
    skill__buf_printf(buf, "[The instructions of %s went too; open it again when they are needed.]\n",
                      c->bodies[i].name);
  }
}

/* --- the new list ---------------------------------------------------------------------------------------------- */

static int add_body(struct compacting *c, SkillConversation *fresh, const struct body *body) {
  const SkillMessage *old = skill_conversation_at(c->talk, body->message);
  char *text = NULL;
  size_t length = 0;
  int status = skill_context_passages(old->text, old->text_length, body->name, NULL, c->options.tokenizer, body->tokens,
                                      &text, &length, NULL);
  if (status) return status;
  SkillMessage message = {.role = SKILL_ROLE_USER, .text = text, .text_length = length, .origin = old->origin};
  status = skill_conversation_add(fresh, &message, NULL);
  skill_free(text);
  return status;
}

static int make_fresh(struct compacting *c, SkillConversation **out) {
  struct skill__buf buf;
  skill__buf_init(&buf, SKILL_MAX_MESSAGE);
  write_summary(c, &buf);
  SkillMessage summary = {.role = SKILL_ROLE_USER, .text = buf.data, .text_length = buf.length};
  summary.origin = skill__origin_text(SKILL__ORIGIN_SUMMARY);
  int status = skill__buf_status(&buf);
  if (!status) status = skill_conversation_new(out);
  if (!status) status = skill_conversation_add(*out, &summary, NULL);
  for (size_t i = c->body_count; i-- > 0 && !status;) { /* oldest first, as they came */
    if (c->bodies[i].tokens) status = add_body(c, *out, &c->bodies[i]);
  }
  size_t from = c->cut < c->group_count ? c->groups[c->cut].from : skill_conversation_count(c->talk);
  for (size_t i = from; i < skill_conversation_count(c->talk) && !status; i++) {
    status = skill_conversation_add(*out, skill_conversation_at(c->talk, i), NULL);
  }
  skill__buf_fini(&buf);
  return status;
}

static void report(const struct compacting *c, size_t removed, size_t tokens) {
  for (size_t i = 0; i < c->body_count; i++) {
    const struct body *body = &c->bodies[i];
    SkillBodyState state = body->tokens ? SKILL_BODY_IN_CONTEXT : SKILL_BODY_COMPACTED;
    if (c->options.loader) (void)skill_loader_set_body_state(c->options.loader, body->name, state);
    SkillEvent event = {.kind = SKILL_EVENT_COMPACTED, .skill = body->name};
    event.reason = "its body no longer fits beside newer ones";
    if (!body->tokens && c->options.on_event) c->options.on_event(&event, c->options.user);
  }
  SkillEvent event = {.kind = SKILL_EVENT_COMPACTED, .count = removed, .tokens = tokens};
  event.reason = "older messages became a summary";
  if (c->options.on_event) c->options.on_event(&event, c->options.user);
}

static void defaults(SkillCompactOptions *options) {
  if (!options->keep_tokens) options->keep_tokens = KEEP_TOKENS;
  if (!options->body_tokens) options->body_tokens = BODY_TOKENS;
  if (!options->bodies_tokens) options->bodies_tokens = BODIES_TOKENS;
}

int skill_context_compact(SkillConversation *conversation, const SkillCompactOptions *options, size_t *removed,
                          SkillError *err) {
  SkillConversation *fresh = NULL;
  struct compacting c = {.talk = conversation, .options = SKILL_COMPACT_OPTIONS_INIT};
  int status = SKILL__OPTIONS(SkillCompactOptions, &c.options, options, err);
  if (status) return status;
  if (!conversation) return skill_error_set(err, SKILL_EINVAL, "there is no conversation to compact");
  if (skill_conversation_open_calls(conversation)) {
    return skill_error_set(err, SKILL_EBUSY, "calls are open; compact when they have their results");
  }
  defaults(&c.options);
  status = skill__groups_make(conversation, c.options.tokenizer, &c.groups, &c.group_count);
  if (status) goto out;
  find_cut(&c);
  if (removed) *removed = 0;
  bool nothing = c.cut == 0 || (c.cut == 1 && c.groups[0].kind == SKILL__GROUP_SUMMARY);
  if (nothing) goto out;
  status = choose_bodies(&c);
  if (!status) status = make_fresh(&c, &fresh);
  if (status) goto out;
  size_t gone = c.groups[c.cut - 1].to;
  size_t tokens = 0;
  for (size_t i = 0; i < c.cut; i++) tokens += c.groups[i].tokens;
  report(&c, gone, tokens);
  skill__conversation_swap(conversation, fresh);
  if (removed) *removed = gone;

out:
  skill_conversation_free(fresh);
  skill__free(c.bodies);
  skill__free(c.groups);
  return status ? skill_error_set(err, status, "not compacted: %s", skill_strerror(status)) : 0;
}
