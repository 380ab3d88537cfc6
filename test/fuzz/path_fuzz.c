/* SPDX-License-Identifier: MIT
 *
 * The path resolver on a folder in memory: for any links and any requested path, an opened file is below the root. Each
 * line of the input is "PATH -> TARGET", which creates a link, or a path to open. The first byte selects the policy for
 * links.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "skillet/sys/fixture.h"
#include "source/resolve.h"

enum { LINE_MAX_BYTES = 600, LINES_MAX = 40 };

static SkillFixture *make_place(void) {
  SkillFixture *fixture = NULL;
  FUZZ_CHECK(skill_fixture_new(&fixture) == 0);
  FUZZ_CHECK(skill_fixture_file(fixture, "root/skill/SKILL.md", "inside") == 0);
  FUZZ_CHECK(skill_fixture_file(fixture, "root/skill/a/b/c.txt", "inside") == 0);
  FUZZ_CHECK(skill_fixture_file(fixture, "root/other/d.txt", "inside") == 0);
  FUZZ_CHECK(skill_fixture_file(fixture, "secret", "outside") == 0);
  FUZZ_CHECK(skill_fixture_file(fixture, "root2/secret", "outside") == 0);
  return fixture;
}

/* Opens the path and checks its location. */
static void open_path(SkillIo *io, intptr_t root, SkillLinks links, const char *path) {
  const struct skill__resolve at = {io, root, links, "skill"};
  SkillError err = SKILL_ERROR_INIT;
  char text[16] = "";
  size_t got = 0;
  intptr_t handle;
  int status = skill__resolve_file(&at, path, &handle, &err);
  if (status) {
    FUZZ_CHECK(err.code == status && err.message[0]);
  } else {
    FUZZ_CHECK(io->file_read(io, handle, 0, text, sizeof text - 1, &got) == 0);
    FUZZ_CHECK(!strcmp(text, "inside"));
    io->file_close(io, handle);
  }
  if (skill__resolve_folder(&at, path, &handle, NULL) == 0) io->dir_close(io, handle);
}

static void one_line(SkillFixture *fixture, intptr_t root, SkillLinks links, char *line) {
  char *arrow = strstr(line, " -> ");
  if (!arrow) {
    open_path(skill_fixture_io(fixture), root, links, line);
    return;
  }
  char path[LINE_MAX_BYTES + 8] = "root/";
  *arrow = '\0';
  memcpy(path + 5, line, strlen(line) + 1);
  if (line[0] && arrow[4] && !strstr(path, "..")) skill_fixture_link(fixture, path, arrow + 4);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char line[LINE_MAX_BYTES + 1];
  intptr_t root;
  if (!size) return 0;
  SkillLinks links = data[0] & 1 ? SKILL_LINKS_NEVER : SKILL_LINKS_INSIDE;
  SkillFixture *fixture = make_place();
  SkillIo *io = skill_fixture_io(fixture);
  FUZZ_CHECK(io->dir_open(io, SKILL_IO_CWD, "root", 0, &root) == 0);
  size_t at = 1;
  for (size_t lines = 0; at < size && lines < LINES_MAX; lines++) {
    const uint8_t *end = memchr(data + at, '\n', size - at);
    size_t length = end ? (size_t)(end - data) - at : size - at;
    size_t kept = length < LINE_MAX_BYTES ? length : LINE_MAX_BYTES;
    memcpy(line, data + at, kept);
    line[kept] = '\0';
    one_line(fixture, root, links, line);
    at += length + 1;
  }
  io->dir_close(io, root);
  FUZZ_CHECK(skill_fixture_open_handles(fixture) == 0);
  skill_fixture_free(fixture);
  return 0;
}
