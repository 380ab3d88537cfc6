/* SPDX-License-Identifier: MIT
 *
 * Reads pairs from a file, one per line: source, group, text and text, separated by tabs. Any other line ends the
 * program with a message that has the line number.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "train.h"
#include "util/alloc.h"
#include "util/hash.h"

enum { LINE_MOST = 65536, FIELDS = 4 };

/* How often a pair is used in one epoch. Otherwise thousands of variants of a hundred pairs would displace the rest. */
static const struct {
  const char *name;
  double weight;
} sources[] = {{"intent", 0.5}, {"task", 2}, {"api", 2}, {"call", 1}};

static struct source *source_of(struct pool *pool, const char *name) {
  for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
    if (strcmp(sources[i].name, name) == 0) return pool_source(pool, sources[i].name, sources[i].weight);
  }
  return NULL;
}

static void split(char *line, char *fields[FIELDS], const char *path, size_t number) {
  line[strcspn(line, "\n")] = '\0';
  fields[0] = line;
  for (size_t i = 1; i < FIELDS; i++) {
    fields[i] = strchr(fields[i - 1], '\t');
    if (!fields[i]) die("%s:%zu: four fields with tabs between are needed", path, number);
    *fields[i]++ = '\0';
  }
}

void mine_given(struct pool *pool, const char *path) {
  FILE *file = fopen(path, "r");
  if (!file) die("%s: cannot be opened", path);
  char *line = need(skill__malloc(LINE_MOST));
  for (size_t number = 1; fgets(line, LINE_MOST, file); number++) {
    char *fields[FIELDS];
    split(line, fields, path, number);
    struct source *source = source_of(pool, fields[0]);
    if (!source) die("%s:%zu: there is no source '%s'", path, number, fields[0]);
    size_t length = strlen(fields[1]);
    pool->group = length ? (uint32_t)skill__hash_bytes(fields[1], length) | 1 : 0;
    uint32_t a = pool_text(pool, (struct span){fields[2], strlen(fields[2])});
    uint32_t b = pool_text(pool, (struct span){fields[3], strlen(fields[3])});
    pool_pair(pool, source, a, b);
  }
  pool->group = 0;
  skill__free(line);
  fclose(file);
}
