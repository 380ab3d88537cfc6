/* SPDX-License-Identifier: MIT
 *
 * Reads folders of SKILL.md files. Every readable file becomes a document; an unreadable one is reported on stderr and
 * left out.
 */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "skillet/document.h"
#include "train.h"
#include "util/alloc.h"
#include "util/hash.h"

/* --- held-out names --------------------------------------------------------------------------------------------- */

struct name {
  UT_hash_handle hh;
  char key[];
};

struct names {
  struct name *head;
};

void name_key(const char *name, char *out, size_t size) {
  size_t n = 0;
  for (; *name && n + 1 < size; name++) {
    char c = *name >= 'A' && *name <= 'Z' ? (char)(*name + 32) : *name;
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (unsigned char)c >= 128) out[n++] = c;
  }
  out[n] = '\0';
}

static void names_add(struct names *names, const char *line) {
  char key[256];
  name_key(line, key, sizeof key);
  struct name *found = NULL;
  HASH_FIND_STR(names->head, key, found);
  if (found || !*key) return;
  struct name *name = need(skill__malloc(sizeof *name + sizeof key));
  memcpy(name->key, key, sizeof key);
  bool added = false;
  SKILL__HASH_ADD(names->head, name, name->key, strlen(name->key), added);
  if (!added) die("out of memory");
}

struct names *names_read(const char *path) {
  struct names *names = need(skill__calloc(1, sizeof *names));
  if (!path) return names;
  FILE *file = fopen(path, "r");
  if (!file) die("%s: cannot be opened", path);
  char line[512];
  while (fgets(line, sizeof line, file)) names_add(names, line);
  fclose(file);
  return names;
}

bool names_hold(const struct names *names, const char *name) {
  char key[256];
  name_key(name, key, sizeof key);
  struct name *found = NULL;
  HASH_FIND_STR(names->head, key, found);
  return found != NULL;
}

void names_free(struct names *names) {
  struct name *name, *next;
  HASH_ITER(hh, names->head, name, next) {
    HASH_DEL(names->head, name);
    skill__free(name);
  }
  skill__free(names);
}

/* --- documents ---------------------------------------------------------------------------------------------------- */

static struct {
  char **items;
  size_t count, capacity;
} paths; /* nftw passes no user pointer to its callback */

static int visit(const char *path, const struct stat *info, int kind, struct FTW *where) {
  (void)info;
  if (kind != FTW_F || strcmp(path + where->base, "SKILL.md") != 0) return 0;
  GROW(paths.items, paths.capacity, paths.count + 1);
  paths.items[paths.count++] = need(skill__strdup(path));
  return 0;
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *read_file(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  char *text = need(skill__malloc(SKILL_MAX_FILE));
  *length = fread(text, 1, SKILL_MAX_FILE - 1, file);
  text[*length] = '\0';
  fclose(file);
  return text;
}

/* Copies the n-th folder from the end of a path. */
static char *folder_of(const char *path, int up) {
  const char *end = path + strlen(path);
  const char *begin = end;
  for (int i = 0; i <= up; i++) {
    end = begin > path ? begin - (i > 0) : begin;
    begin = end;
    while (begin > path && begin[-1] != '/') begin--;
  }
  return need(skill__strndup(begin, (size_t)(end - begin)));
}

static void add_document(struct corpus *corpus, const char *path, const char *text, size_t length) {
  struct document document = {0};
  document.folder = folder_of(path, 1);
  SkillDocumentOptions options = {.size = sizeof options, .path = path, .folder = document.folder};
  SkillDocument *parsed = NULL;
  if (skill_document_parse(text, length, &options, &parsed, NULL)) {
    skill__free(document.folder);
    return;
  }
  const SkillMetadata *metadata = skill_document_metadata(parsed);
  size_t body_length = 0;
  const char *body = skill_document_body(parsed, &body_length);
  const char *description = metadata->description && !metadata->description_derived ? metadata->description : "";
  document.name = need(skill__strdup(metadata->name && *metadata->name ? metadata->name : document.folder));
  document.description = need(skill__strdup(description));
  document.body = need(skill__strndup(body, body_length < BODY_MOST ? body_length : BODY_MOST));
  const char *target = *document.description ? document.description : document.body;
  document.chinese = text_is_chinese((struct span){target, strlen(target)});
  skill_document_free(parsed);
  GROW(corpus->items, corpus->capacity, corpus->count + 1);
  corpus->items[corpus->count++] = document;
}

struct seen {
  uint64_t sum;
  UT_hash_handle hh;
};

/* Whether the text is new; remembers it. */
static bool is_new(struct seen **seen, const char *text, size_t length) {
  uint64_t sum = skill__checksum(text, length);
  struct seen *found = NULL;
  HASH_FIND(hh, *seen, &sum, sizeof sum, found);
  if (found) return false;
  struct seen *entry = need(skill__malloc(sizeof *entry));
  entry->sum = sum;
  bool added = false;
  SKILL__HASH_ADD(*seen, entry, &entry->sum, sizeof entry->sum, added);
  if (!added) die("out of memory");
  return true;
}

static bool is_held_out(const struct names *held_out, const char *path) {
  char *folder = folder_of(path, 1);
  bool held = names_hold(held_out, folder);
  skill__free(folder);
  return held;
}

void corpus_add(struct corpus *corpus, const char *folder, const struct names *held_out) {
  static struct seen *seen;
  if (nftw(folder, visit, 64, FTW_PHYS)) die("%s: the folder cannot be read", folder);
  qsort(paths.items, paths.count, sizeof *paths.items, by_text);
  for (size_t i = 0; i < paths.count; i++) {
    size_t length = 0;
    char *text = read_file(paths.items[i], &length);
    if (!text) {
      fprintf(stderr, "train-terms: %s: cannot be read, left out\n", paths.items[i]);
    } else if (is_held_out(held_out, paths.items[i])) {
      corpus->skipped++;
    } else if (is_new(&seen, text, length)) {
      size_t before = corpus->count;
      add_document(corpus, paths.items[i], text, length);
      if (corpus->count > before && names_hold(held_out, corpus->items[before].name)) {
        corpus->count--; /* its few strings are not freed */
        corpus->skipped++;
      }
    }
    skill__free(text);
    skill__free(paths.items[i]);
  }
  paths.count = 0;
}

void corpus_free(struct corpus *corpus) {
  for (size_t i = 0; i < corpus->count; i++) {
    struct document *d = &corpus->items[i];
    skill__free(d->name);
    skill__free(d->folder);
    skill__free(d->description);
    skill__free(d->body);
  }
  skill__free(corpus->items);
  *corpus = (struct corpus){0};
}
