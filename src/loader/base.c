/* SPDX-License-Identifier: MIT
 *
 * What every file of the loader uses: its clock, its events, and what the host's options say of a skill.
 */
#include <string.h>

#include "loader/loader_internal.h"

int64_t skill__loader_now(const ProgressiveSkillLoader *loader) {
  return loader->io->now_ms(loader->io);
}

int64_t skill__loader_after(const ProgressiveSkillLoader *loader, int64_t ms) {
  int64_t now_ms = skill__loader_now(loader);
  if (ms <= 0) return INT64_MAX;
  return ms > INT64_MAX - now_ms ? INT64_MAX : now_ms + ms;
}

void skill__loader_emit(ProgressiveSkillLoader *loader, SkillEvent event) {
  if (!loader->options.on_event) return;
  event.time_ms = skill__loader_now(loader);
  loader->options.on_event(&event, loader->options.event_user);
}

bool skill__loader_visible(const ProgressiveSkillLoader *loader, const char *name) {
  return !loader->options.visible || loader->options.visible(name, loader->options.user);
}

/* Without the host's function: four bytes of English are about one token. */
size_t skill__loader_l2_tokens(const ProgressiveSkillLoader *loader, const Skill *skill) {
  if (loader->options.l2_tokens) return loader->options.l2_tokens(skill, loader->options.user);
  size_t bytes = skill->body_length;
  for (size_t i = 0; i < skill->metadata->tool_count; i++) {
    const SkillTool *tool = &skill->metadata->tools[i];
    bytes += strlen(tool->name) + (tool->description ? strlen(tool->description) : 0);
    bytes += tool->input_schema ? strlen(tool->input_schema) : 0;
  }
  return (bytes + 3) / 4;
}

/* A step checks `due` itself before it returns, so within one the descriptor need not become readable. */
void skill__loader_due(ProgressiveSkillLoader *loader) {
  if (!loader->watcher.due && !loader->stepping) skill__mailbox_wake(skill__registry_mailbox(loader->registry));
  loader->watcher.due = true;
}
