/* SPDX-License-Identifier: MIT
 *
 * Copies of messages, each in one block. Copying replaces invalid UTF-8 and NUL, so later code can rely on valid text.
 * The only error is SKILL_ENOMEM.
 */
#include "model/message.h"

#include <string.h>

#include "util/alloc.h"
#include "util/utf8.h"

static const char *const role_names[] = {"system", "user", "assistant", "tool"};

const char *skill_role_name(SkillRole role) {
  return (unsigned)role < 4 ? role_names[role] : "?";
}

bool skill__role_find(const char *name, SkillRole *role) {
  for (int i = 0; name && i < 4; i++) {
    if (strcmp(name, role_names[i]) != 0) continue;
    *role = (SkillRole)i;
    return true;
  }
  return false;
}

/* One block for a message and its texts. */
struct block {
  char *base; /* NULL: only measure */
  size_t used;
};

/* Bad bytes become U+FFFD. Returns the length of the copy. */
static size_t put_text(struct block *block, const char *text, size_t length) {
  size_t start = block->used;
  for (size_t i = 0; i < length;) {
    size_t n = text[i] ? skill__utf8_length(text + i, length - i) : 0;
    size_t size = n ? n : 3;
    if (block->base) memcpy(block->base + block->used, n ? text + i : "\xEF\xBF\xBD", size);
    block->used += size;
    i += n ? n : 1;
  }
  if (block->base) block->base[block->used] = '\0';
  return block->used++ - start;
}

static const char *put(struct block *block, const char *text) {
  size_t start = block->used;
  if (!text) return NULL;
  put_text(block, text, strlen(text));
  return block->base ? block->base + start : NULL;
}

static const char *put_always(struct block *block, const char *text) {
  return put(block, text ? text : "");
}

/* Fills `copy`, and if there is a block, the calls behind it. */
static void lay_out(struct block *block, SkillMessage *copy, const SkillMessage *message) {
  SkillCall *calls = (SkillCall *)(void *)(block->base ? block->base + sizeof *copy : NULL);
  *copy = *message;
  block->used = sizeof *copy + message->call_count * sizeof *calls;
  copy->text = block->base ? block->base + block->used : NULL;
  copy->text_length = put_text(block, message->text, message->text_length);
  copy->call_id = put(block, message->call_id);
  copy->name = put(block, message->name);
  copy->origin = put(block, message->origin);
  copy->extra = put(block, message->extra);
  copy->extra_from = put(block, message->extra_from);
  for (size_t i = 0; i < message->call_count; i++) {
    const SkillCall *call = &message->calls[i];
    SkillCall made = {put_always(block, call->id), put_always(block, call->name), put_always(block, call->arguments)};
    if (calls) calls[i] = made;
  }
  copy->calls = message->call_count ? calls : NULL;
}

int skill_message_copy(const SkillMessage *message, SkillMessage **out) {
  if (!message || !out) return SKILL_EINVAL;
  struct block block = {0};
  SkillMessage measured;
  lay_out(&block, &measured, message);
  block.base = skill__malloc(block.used);
  if (!block.base) return SKILL_ENOMEM;
  *out = (SkillMessage *)(void *)block.base;
  lay_out(&block, *out, message);
  return 0;
}
