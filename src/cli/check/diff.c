/* SPDX-License-Identifier: MIT
 *
 * A unified diff of two texts. After a difference the texts meet again at the pair of equal lines that skips the fewest
 * lines; that is not always the shortest diff, but needs no table.
 */
#include <string.h>

#include "cli/check/check.h"
#include "util/alloc.h"

enum { CONTEXT = 3, SKIP_MAX = 4000 /* lines of both texts that one difference may have */ };

struct text {
  const char *data;
  size_t *starts; /* of each line, and the end of the text */
  size_t count;
};

/* Lines of `a` that are replaced by lines of `b`. */
struct change {
  size_t a, a_end, b, b_end;
};

struct diff {
  struct text a, b;
  struct change *changes;
  size_t count, room;
};

static int split(const char *data, size_t length, struct text *text) {
  size_t lines = 2;
  for (size_t i = 0; i < length; i++) lines += data[i] == '\n';
  *text = (struct text){data, skill__calloc(lines, sizeof *text->starts), 0};
  if (!text->starts) return SKILL_ENOMEM;
  for (size_t at = 0; at < length;) {
    const char *end = memchr(data + at, '\n', length - at);
    at = end ? (size_t)(end - data) + 1 : length;
    text->starts[++text->count] = at;
  }
  return 0;
}

/* The bytes of a line, with its line end. */
static size_t line_length(const struct text *text, size_t line) {
  return text->starts[line + 1] - text->starts[line];
}

static bool same(const struct diff *diff, size_t a, size_t b) {
  if (a >= diff->a.count || b >= diff->b.count) return false;
  size_t length = line_length(&diff->a, a);
  return length == line_length(&diff->b, b) &&
         !memcmp(diff->a.data + diff->a.starts[a], diff->b.data + diff->b.starts[b], length);
}

/* The change that begins here: up to the nearest pair of equal lines, or to the ends. */
static struct change find_change(const struct diff *diff, size_t a, size_t b) {
  for (size_t skip = 1; skip <= SKIP_MAX; skip++) {
    for (size_t left = 0; left <= skip; left++) {
      if (same(diff, a + left, b + skip - left)) return (struct change){a, a + left, b, b + skip - left};
    }
  }
  return (struct change){a, diff->a.count, b, diff->b.count};
}

static int compare(struct diff *diff) {
  size_t a = 0;
  size_t b = 0;
  while (a < diff->a.count || b < diff->b.count) {
    if (same(diff, a, b)) {
      a++;
      b++;
      continue;
    }
    if (SKILL__GROW(diff->changes, diff->room, diff->count + 1)) return SKILL_ENOMEM;
    struct change change = find_change(diff, a, b);
    diff->changes[diff->count++] = change;
    a = change.a_end;
    b = change.b_end;
  }
  return 0;
}

static void print_lines(struct cli *cli, char mark, const char *colour, const struct text *text, size_t from,
                        size_t to) {
  for (size_t i = from; i < to; i++) {
    const char *line = text->data + text->starts[i];
    size_t length = line_length(text, i);
    bool ended = line[length - 1] == '\n';
    fprintf(cli->out, "%s%c", colour, mark);
    cli_put(cli, line, length - ended);
    fprintf(cli->out, "%s\n%s", *colour ? cli_plain(cli) : "", ended ? "" : "\\ No newline at end of file\n");
  }
}

/* Changes so near that their context lines meet. */
static void print_hunk(struct cli *cli, const struct diff *diff, const struct change *changes, size_t count) {
  const struct change *last = &changes[count - 1];
  size_t before = changes->a < CONTEXT ? changes->a : CONTEXT;
  size_t after = diff->a.count - last->a_end < CONTEXT ? diff->a.count - last->a_end : CONTEXT;
  size_t at = changes->a - before;
  size_t left = last->a_end + after - at;
  size_t right = last->b_end + after - (changes->b - before);
  fprintf(cli->out, "@@ -%zu,%zu +%zu,%zu @@\n", at + (left > 0), left, changes->b - before + (right > 0), right);
  for (size_t i = 0; i < count; i++) {
    print_lines(cli, ' ', "", &diff->a, at, changes[i].a);
    print_lines(cli, '-', cli_red(cli), &diff->a, changes[i].a, changes[i].a_end);
    print_lines(cli, '+', cli_green(cli), &diff->b, changes[i].b, changes[i].b_end);
    at = changes[i].a_end;
  }
  print_lines(cli, ' ', "", &diff->a, at, at + after);
}

static void print_diff(struct cli *cli, const char *path, const struct diff *diff) {
  fprintf(cli->out, "%s--- ", cli_bold(cli));
  cli_put(cli, path, strlen(path));
  fputs("\n+++ ", cli->out);
  cli_put(cli, path, strlen(path));
  fprintf(cli->out, "%s\n", cli_plain(cli));
  for (size_t i = 0; i < diff->count;) {
    size_t end = i + 1;
    while (end < diff->count && diff->changes[end].a - diff->changes[end - 1].a_end <= 2 * CONTEXT) end++;
    print_hunk(cli, diff, &diff->changes[i], end - i);
    i = end;
  }
}

void check_diff(struct cli *cli, const char *path, const char *before, size_t before_length, const char *after,
                size_t after_length) {
  struct diff diff = {.count = 0};
  int status = split(before, before_length, &diff.a);
  if (!status) status = split(after, after_length, &diff.b);
  if (!status) status = compare(&diff);
  if (!status && diff.count) print_diff(cli, path, &diff);
  if (status) fprintf(cli->err, "skillet: %s\n", skill_strerror(status));
  skill__free(diff.a.starts);
  skill__free(diff.b.starts);
  skill__free(diff.changes);
}
