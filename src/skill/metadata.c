/* SPDX-License-Identifier: MIT
 *
 * Deep copies of metadata in one block, and the rules for names.
 *
 * The same walk runs twice: first without a block, to compute the size, then into the block.
 */
#include <stdalign.h>
#include <string.h>

#include "skillet/skill.h"
#include "util/alloc.h"
#include "util/utf8.h"

struct pack {
  char *base; /* NULL: only measure */
  size_t used;
};

static const size_t text_members[] = {
    offsetof(SkillMetadata, name),
    offsetof(SkillMetadata, description),
    offsetof(SkillMetadata, version),
    offsetof(SkillMetadata, license),
    offsetof(SkillMetadata, compatibility),
    offsetof(SkillMetadata, category),
    offsetof(SkillMetadata, id),
    offsetof(SkillMetadata, when_to_use),
    offsetof(SkillMetadata, agent),
    offsetof(SkillMetadata, when_not_to_use),
    offsetof(SkillMetadata, model),
    offsetof(SkillMetadata, argument_hint),
    offsetof(SkillMetadata, source),
    offsetof(SkillMetadata, path),
};

static const size_t list_members[] = {
    offsetof(SkillMetadata, tags),          offsetof(SkillMetadata, triggers),
    offsetof(SkillMetadata, allowed_tools), offsetof(SkillMetadata, disallowed_tools),
    offsetof(SkillMetadata, paths),         offsetof(SkillMetadata, arguments),
};

static void *pack_room(struct pack *pack, size_t size, size_t alignment) {
  pack->used = (pack->used + alignment - 1) / alignment * alignment;
  void *at = pack->base ? pack->base + pack->used : NULL;
  pack->used += size;
  return at;
}

static const char *pack_text(struct pack *pack, const char *text) {
  if (!text) return NULL;
  size_t size = strlen(text) + 1;
  char *copy = pack_room(pack, size, 1);
  if (copy) memcpy(copy, text, size);
  return copy;
}

static void pack_list(struct pack *pack, const SkillStrings *from, SkillStrings *to) {
  if (!from->items || !from->count) {
    if (to) *to = (SkillStrings){NULL, 0};
    return;
  }
  const char **items = pack_room(pack, from->count * sizeof *items, alignof(char *));
  for (size_t i = 0; i < from->count; i++) {
    const char *copy = pack_text(pack, from->items[i]);
    if (items) items[i] = copy;
  }
  if (to) *to = (SkillStrings){items, from->count};
}

static void pack_tools(struct pack *pack, const SkillMetadata *from, SkillMetadata *to) {
  size_t count = from->tools ? from->tool_count : 0;
  SkillTool *tools = count ? pack_room(pack, count * sizeof *tools, alignof(SkillTool)) : NULL;
  for (size_t i = 0; i < count; i++) {
    SkillTool tool = from->tools[i];
    tool.name = pack_text(pack, tool.name);
    tool.description = pack_text(pack, tool.description);
    tool.input_schema = pack_text(pack, tool.input_schema);
    tool.command = pack_text(pack, tool.command);
    if (tools) tools[i] = tool;
  }
  if (!to) return;
  to->tools = tools;
  to->tool_count = count;
}

static void pack_extra(struct pack *pack, const SkillMetadata *from, SkillMetadata *to) {
  size_t count = from->extra ? from->extra_count : 0;
  SkillField *extra = count ? pack_room(pack, count * sizeof *extra, alignof(SkillField)) : NULL;
  for (size_t i = 0; i < count; i++) {
    const char *key = pack_text(pack, from->extra[i].key);
    const char *json = pack_text(pack, from->extra[i].json);
    if (extra) extra[i] = (SkillField){key, json};
  }
  if (!to) return;
  to->extra = extra;
  to->extra_count = count;
}

static SkillMetadata *pack_all(struct pack *pack, const SkillMetadata *from) {
  SkillMetadata *to = pack_room(pack, sizeof *to, alignof(SkillMetadata));
  if (to) *to = *from;
  for (size_t i = 0; i < sizeof text_members / sizeof *text_members; i++) {
    size_t at = text_members[i];
    const char *text;
    memcpy(&text, (const char *)from + at, sizeof text);
    text = pack_text(pack, text);
    if (to) memcpy((char *)to + at, &text, sizeof text);
  }
  for (size_t i = 0; i < sizeof list_members / sizeof *list_members; i++) {
    SkillStrings list;
    memcpy(&list, (const char *)from + list_members[i], sizeof list);
    pack_list(pack, &list, to ? &list : NULL);
    if (to) memcpy((char *)to + list_members[i], &list, sizeof list);
  }
  pack_tools(pack, from, to);
  pack_extra(pack, from, to);
  return to;
}

int skill_metadata_copy(const SkillMetadata *metadata, SkillMetadata **out) {
  struct pack pack = {NULL, 0};
  pack_all(&pack, metadata);
  pack.base = skill__malloc(pack.used);
  if (!pack.base) return SKILL_ENOMEM;
  pack.used = 0;
  *out = pack_all(&pack, metadata);
  return 0;
}

void skill_metadata_free(SkillMetadata *metadata) {
  skill__free(metadata);
}

static bool control(uint32_t rune) {
  return rune < 0x20 || (rune >= 0x7f && rune < 0xa0) || rune == 0x2028 || rune == 0x2029;
}

int skill_name_check(const char *name, size_t length, SkillError *err) {
  if (!name || !length) return skill_error_set(err, SKILL_EINVAL, "the name is empty; give it at least one character");
  if (length > SKILL_MAX_NAME) {
    return skill_error_set(err, SKILL_ELIMIT, "the name has %zu bytes; at most %d are allowed", length, SKILL_MAX_NAME);
  }
  if (name[0] == '.' && (length == 1 || (length == 2 && name[1] == '.'))) {
    return skill_error_set(err, SKILL_EINVAL, "the name is \"%.*s\", which names a folder", (int)length, name);
  }
  for (size_t i = 0; i < length;) {
    uint32_t rune = 0;
    size_t step = skill__utf8_decode(name + i, length - i, &rune);
    if (!step) return skill_error_set(err, SKILL_EINVAL, "the name is not valid UTF-8 at byte %zu", i + 1);
    if (control(rune)) {
      return skill_error_set(err, SKILL_EINVAL, "the name has the control character U+%04X at byte %zu", (unsigned)rune,
                             i + 1);
    }
    if (rune == '/') return skill_error_set(err, SKILL_EINVAL, "the name has a '/' at byte %zu", i + 1);
    i += step;
  }
  return 0;
}
