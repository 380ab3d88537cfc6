/* SPDX-License-Identifier: MIT
 *
 * A unified diff of two texts. Lines alike at both ends are set aside; what lies between is compared by the longest
 * common subsequence, or shown as one change where it is too long for that.
 */
#include <string.h>

#include "cli/check/check.h"
#include "util/alloc.h"

enum { CONTEXT = 3, TABLE_MAX = 4 * 1024 * 1024 };

struct text {
  const char **lines;
  size_t *lengths;
  size_t count;
  bool no_end; /* the last line has no line end */
};

/* One line of the diff: ' ', '-' or '+', and where it stands in both texts. */
struct step {
  char mark;
  size_t a, b;
};

struct script {
  struct step *steps;
  size_t count, room;
};

static int split(const char *data, size_t length, struct text *text) {
  size_t lines = 1;
  for (size_t i = 0; i < length; i++) lines += data[i] == '\n';
  text->lines = skill__calloc(lines, sizeof *text->lines);
  text->lengths = skill__calloc(lines, sizeof *text->lengths);
  if (!text->lines || !text->lengths) return SKILL_ENOMEM;
  text->no_end = length && data[length - 1] != '\n';
  for (size_t at = 0; at < length;) {
    const char *lf = memchr(data + at, '\n', length - at);
    size_t n = lf ? (size_t)(lf - data) - at : length - at;
    text->lines[text->count] = data + at;
    text->lengths[text->count++] = n;
    at += n + 1;
  }
  return 0;
}

static bool same(const struct text *a, size_t i, const struct text *b, size_t j) {
  bool end_a = i + 1 == a->count && a->no_end;
  bool end_b = j + 1 == b->count && b->no_end;
  return end_a == end_b && a->lengths[i] == b->lengths[j] && !memcmp(a->lines[i], b->lines[j], a->lengths[i]);
}

static int push(struct script *script, char mark, size_t a, size_t b) {
  if (SKILL__GROW(script->steps, script->room, script->count + 1)) return SKILL_ENOMEM;
  script->steps[script->count++] = (struct step){mark, a, b};
  return 0;
}

struct span {
  size_t a, a_end, b, b_end;
};

/* The longest common subsequence of the span, from its end. */
static int fill(const struct text *a, const struct text *b, const struct span *s, unsigned short **out) {
  size_t rows = s->a_end - s->a;
  size_t columns = s->b_end - s->b;
  *out = NULL;
  if ((rows + 1) * (columns + 1) > TABLE_MAX || rows > 60000 || columns > 60000) return 0;
  unsigned short *table = skill__calloc((rows + 1) * (columns + 1), sizeof *table);
  if (!table) return SKILL_ENOMEM;
  for (size_t i = rows; i-- > 0;) {
    for (size_t j = columns; j-- > 0;) {
      unsigned short down = table[(i + 1) * (columns + 1) + j];
      unsigned short right = table[i * (columns + 1) + j + 1];
      unsigned short diagonal = (unsigned short)(table[(i + 1) * (columns + 1) + j + 1] + 1);
      table[i * (columns + 1) + j] = same(a, s->a + i, b, s->b + j) ? diagonal : down > right ? down : right;
    }
  }
  *out = table;
  return 0;
}

static int walk(const struct text *a, const struct text *b, const struct span *s, const unsigned short *table,
                struct script *script) {
  size_t i = s->a;
  size_t j = s->b;
  size_t columns = s->b_end - s->b;
  int status = 0;
  while (!status && (i < s->a_end || j < s->b_end)) {
    size_t at = (i - s->a) * (columns + 1) + (j - s->b);
    if (i < s->a_end && j < s->b_end && table && same(a, i, b, j)) {
      status = push(script, ' ', i++, j++);
    } else if (i < s->a_end && (j == s->b_end || !table || table[at + columns + 1] >= table[at + 1])) {
      status = push(script, '-', i++, j);
    } else {
      status = push(script, '+', i, j++);
    }
  }
  return status;
}

static int compare(const struct text *a, const struct text *b, struct script *script) {
  struct span s = {0, a->count, 0, b->count};
  int status = 0;
  while (s.a < s.a_end && s.b < s.b_end && same(a, s.a, b, s.b) && !status) {
    status = push(script, ' ', s.a, s.b);
    s.a++;
    s.b++;
  }
  while (s.a_end > s.a && s.b_end > s.b && same(a, s.a_end - 1, b, s.b_end - 1)) {
    s.a_end--;
    s.b_end--;
  }
  unsigned short *table = NULL;
  if (!status) status = fill(a, b, &s, &table);
  if (!status) status = walk(a, b, &s, table, script);
  for (size_t i = s.a_end, j = s.b_end; i < a->count && !status; i++, j++) status = push(script, ' ', i, j);
  skill__free(table);
  return status;
}

/* --- hunks -------------------------------------------------------------------------------------------------------- */

static void print_line(struct cli *cli, const struct step *step, const struct text *a, const struct text *b) {
  const struct text *text = step->mark == '+' ? b : a;
  size_t at = step->mark == '+' ? step->b : step->a;
  const char *colour = step->mark == '+' ? cli_green(cli) : step->mark == '-' ? cli_red(cli) : "";
  fprintf(cli->out, "%s%c", colour, step->mark);
  cli_put(cli, text->lines[at], text->lengths[at]);
  fprintf(cli->out, "%s\n", *colour ? cli_plain(cli) : "");
  if (at + 1 == text->count && text->no_end) fputs("\\ No newline at end of file\n", cli->out);
}

static void print_hunk(struct cli *cli, const struct step *steps, size_t count, const struct text *a,
                       const struct text *b) {
  size_t left = 0;
  size_t right = 0;
  for (size_t i = 0; i < count; i++) {
    left += steps[i].mark != '+';
    right += steps[i].mark != '-';
  }
  fprintf(cli->out, "@@ -%zu,%zu +%zu,%zu @@\n", steps[0].a + (left > 0), left, steps[0].b + (right > 0), right);
  for (size_t i = 0; i < count; i++) print_line(cli, &steps[i], a, b);
}

static void print_hunks(struct cli *cli, const struct script *script, const struct text *a, const struct text *b) {
  size_t i = 0;
  while (i < script->count) {
    if (script->steps[i].mark == ' ') {
      i++;
      continue;
    }
    size_t start = i > CONTEXT ? i - CONTEXT : 0;
    size_t quiet = 0;
    size_t end = i;
    for (; end < script->count && quiet <= 2 * CONTEXT; end++) quiet = script->steps[end].mark == ' ' ? quiet + 1 : 0;
    if (quiet > CONTEXT) end -= quiet - CONTEXT;
    print_hunk(cli, script->steps + start, end - start, a, b);
    i = end;
  }
}

void check_diff(struct cli *cli, const char *path, const char *before, size_t before_length, const char *after,
                size_t after_length) {
  struct text a = {0};
  struct text b = {0};
  struct script script = {0};
  int status = split(before, before_length, &a);
  if (!status) status = split(after, after_length, &b);
  if (!status) status = compare(&a, &b, &script);
  bool changed = false;
  for (size_t i = 0; i < script.count; i++) changed |= script.steps[i].mark != ' ';
  if (!status && changed) {
    fprintf(cli->out, "%s--- ", cli_bold(cli));
    cli_put(cli, path, strlen(path));
    fputs("\n+++ ", cli->out);
    cli_put(cli, path, strlen(path));
    fprintf(cli->out, "%s\n", cli_plain(cli));
    print_hunks(cli, &script, &a, &b);
  }
  if (status) fprintf(cli->err, "skillet: %s\n", skill_strerror(status));
  skill__free(a.lines);
  skill__free(a.lengths);
  skill__free(b.lines);
  skill__free(b.lengths);
  skill__free(script.steps);
}
