/* SPDX-License-Identifier: MIT
 *
 * A directory source's root and its entries.
 */
#include <stdlib.h>
#include <string.h>

#include "source/directory.h"
#include "source/resolve.h"

SkillIo *skill__directory_io(const struct skill__directory *source) {
  return source->options.io ? source->options.io : skill_io_posix();
}

/* A configured root may be a link: the user chose it. */
int skill__directory_root(struct skill__directory *source, intptr_t *root, SkillError *err) {
  SkillIo *io = skill__directory_io(source);
  const char *path = source->base_path[0] ? source->base_path : ".";
  int status = io->dir_open(io, SKILL_IO_CWD, path, SKILL_IO_FOLLOW, root);
  if (!status) return 0;
  return skill_error_set_at(err, status, path, 0, 0, "the folder cannot be opened: %s", skill_strerror(status));
}

static int compare_rel(const void *rel, const void *entry) {
  return strcmp(rel, (*(struct skill__scan_entry *const *)entry)->rel);
}

struct skill__scan_entry *skill__directory_find(const struct skill__directory *source, const char *rel, size_t *hint) {
  if (hint && *hint < source->count && !strcmp(source->by_rel[*hint]->rel, rel)) return source->by_rel[(*hint)++];
  struct skill__scan_entry **found =
      source->count ? bsearch(rel, source->by_rel, source->count, sizeof *source->by_rel, compare_rel) : NULL;
  if (found && hint) *hint = (size_t)(found - source->by_rel) + 1;
  return found ? *found : NULL;
}

int skill__directory_open(struct skill__directory *source, const char *rel, intptr_t *file, SkillError *err) {
  SkillIo *io = skill__directory_io(source);
  intptr_t root;
  int status = skill__directory_root(source, &root, err);
  if (status) return status;
  SkillLinks links = source->only ? SKILL_LINKS_ANYWHERE : source->options.links;
  const struct skill__resolve at = {io, root, links, ""};
  status = skill__resolve_file(&at, rel, file, err);
  io->dir_close(io, root);
  return status;
}
