/* SPDX-License-Identifier: MIT
 *
 * Skills and queries for rank_bench. A query about the skill of a file uses words of its description and body, and a
 * few of another skill. All random choices use fixed seeds. An error ends the program.
 */
#include "bench/rank_set.h"

#include <ctype.h>
#include <fts.h>

#include "bench/bench.h"
#include "skillet/document.h"

struct set_file {
  char *path, *name, *text, *joined, *body;
};

/* --- generated ---------------------------------------------------------------------------------------------------- */

void set_generated(struct set *set, const struct corpus *corpus, uint32_t count) {
  *set = (struct set){.count = count, .corpus = corpus};
  struct set_item item;
  for (uint32_t i = 0; i < count; i++) {
    set_item(set, i, &item);
    set->bytes += (double)(strlen(item.name) + strlen(item.joined) + strlen(item.text));
  }
}

/* --- files -------------------------------------------------------------------------------------------------------- */

static char *copy(const char *text) {
  char *out = strdup(text ? text : "");
  BENCH_CHECK(out);
  return out;
}

static char *read_file(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  char *data = NULL;
  size_t room = 0;
  *length = 0;
  do {
    room = room ? 2 * room : 65536;
    data = realloc(data, room);
    BENCH_CHECK(data);
    *length += fread(data + *length, 1, room - *length, file);
  } while (*length == room);
  fclose(file);
  return data;
}

/* Description and when_to_use as one text, and tags as one line, so that every engine gets the same input. */
static void take(struct set_file *file, const SkillMetadata *metadata, const char *body) {
  size_t length = 1, room = strlen(metadata->description ? metadata->description : "") + 2;
  file->name = copy(metadata->name);
  file->text = malloc(room + strlen(metadata->when_to_use ? metadata->when_to_use : ""));
  BENCH_CHECK(file->text);
  sprintf(file->text, "%s\n%s", metadata->description ? metadata->description : "",
          metadata->when_to_use ? metadata->when_to_use : "");
  for (size_t i = 0; i < metadata->tags.count; i++) length += strlen(metadata->tags.items[i]) + 1;
  file->joined = calloc(1, length);
  BENCH_CHECK(file->joined);
  for (size_t i = 0; i < metadata->tags.count; i++)
    sprintf(file->joined + strlen(file->joined), "%s%s", i ? " " : "", metadata->tags.items[i]);
  file->body = copy(body);
}

static bool parse(struct set_file *file, const char *path, const char *folder) {
  size_t length = 0, body_length = 0;
  char *data = read_file(path, &length);
  SkillDocument *document = NULL;
  SkillDocumentOptions options = {.size = sizeof options, .path = path, .folder = folder};
  if (!data) return false;
  BENCH_CHECK(skill_document_parse(data, length, &options, &document, NULL) == 0);
  take(file, skill_document_metadata(document), skill_document_body(document, &body_length));
  file->path = copy(path);
  skill_document_free(document);
  free(data);
  return true;
}

static void free_file(struct set_file *file) {
  free(file->path);
  free(file->name);
  free(file->text);
  free(file->joined);
  free(file->body);
}

static int by_name(const void *a, const void *b) {
  const struct set_file *x = a, *y = b;
  int order = strcmp(x->name, y->name);
  return order ? order : strcmp(x->path, y->path);
}

static int by_path(const void *a, const void *b) {
  return strcmp(((const struct set_file *)a)->path, ((const struct set_file *)b)->path);
}

static void drop_doubles(struct set *set) {
  uint32_t kept = 0;
  qsort(set->files, set->count, sizeof *set->files, by_name);
  for (uint32_t i = 0; i < set->count; i++) {
    if (kept && strcmp(set->files[kept - 1].name, set->files[i].name) == 0)
      free_file(&set->files[i]);
    else
      set->files[kept++] = set->files[i];
  }
  set->count = kept;
  qsort(set->files, set->count, sizeof *set->files, by_path);
}

void set_folder(struct set *set, const char *folder) {
  char root[4096];
  char *roots[] = {root, NULL};
  size_t room = 0;
  snprintf(root, sizeof root, "%s", folder);
  *set = (struct set){.count = 0};
  FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
  BENCH_CHECK(tree);
  for (FTSENT *entry; (entry = fts_read(tree)) != NULL;) {
    if (entry->fts_info != FTS_F || strcmp(entry->fts_name, "SKILL.md") != 0) continue;
    if (set->count == room) {
      room = room ? 2 * room : 1024;
      set->files = realloc(set->files, room * sizeof *set->files);
      BENCH_CHECK(set->files);
    }
    set->count += parse(&set->files[set->count], entry->fts_path, entry->fts_parent->fts_name);
  }
  fts_close(tree);
  BENCH_CHECK(set->count > 0);
  drop_doubles(set);
  for (uint32_t i = 0; i < set->count; i++) {
    const struct set_file *file = &set->files[i];
    set->bytes += (double)(strlen(file->name) + strlen(file->joined) + strlen(file->text) + strlen(file->body));
  }
}

void set_free(struct set *set) {
  for (uint32_t i = 0; set->files && i < set->count; i++) free_file(&set->files[i]);
  free(set->files);
}

/* --- both --------------------------------------------------------------------------------------------------------- */

static void fill_generated(struct set_item *item) {
  struct corpus_skill *skill = &item->generated;
  item->name = skill->name;
  item->text = skill->text;
  item->joined = skill->tags;
  memcpy(item->split, skill->tags, sizeof item->split);
  for (char *tag = strtok(item->split, " "); tag && item->tag_count < SET_TAGS; tag = strtok(NULL, " "))
    item->tags[item->tag_count++] = tag;
}

void set_item(const struct set *set, uint32_t number, struct set_item *item) {
  item->tag_count = 0;
  item->body = NULL;
  if (!set->files) {
    corpus_skill(set->corpus, number, &item->generated);
    fill_generated(item);
    return;
  }
  const struct set_file *file = &set->files[number];
  item->name = file->name;
  item->text = file->text;
  item->joined = item->tags[0] = file->joined;
  item->tag_count = file->joined[0] != '\0';
  item->body = file->body;
}

uint32_t set_batch(const struct set *set, uint32_t number, struct set_item *items) {
  uint32_t count = 0;
  for (; count < SET_BATCH && number + count < set->count; count++) set_item(set, number + count, &items[count]);
  return count;
}

/* --- questions ---------------------------------------------------------------------------------------------------- */

/* Appends a word of `text`: the first one at or after a random position. Returns false if there is none. */
static bool add_word(uint64_t *state, const char *text, char *out, size_t *length) {
  size_t bytes = strlen(text), at = bytes ? corpus_below(state, (uint32_t)bytes) : 0;
  while (at < bytes && isalnum((unsigned char)text[at])) at++;
  while (at < bytes && !isalnum((unsigned char)text[at])) at++;
  size_t end = at;
  while (end < bytes && isalnum((unsigned char)text[end])) end++;
  if (end == at || end - at > 24) return false;
  *length +=
      (size_t)snprintf(out + *length, SET_QUESTION - *length, "%s%.*s", *length ? " " : "", (int)(end - at), text + at);
  return true;
}

static void ask_file(const struct set *set, uint64_t state, uint32_t target, char *out) {
  const struct set_file *file = &set->files[target];
  uint32_t words = 4 + corpus_below(&state, 17), share = 45 + corpus_below(&state, 26);
  size_t length = 0;
  out[0] = '\0';
  for (uint32_t tries = 0; tries < 200 && words && length + 32 < SET_QUESTION; tries++) {
    bool own = corpus_below(&state, 100) < share, body = corpus_below(&state, 3) == 0;
    const struct set_file *from = own ? file : &set->files[corpus_below(&state, set->count)];
    words -= add_word(&state, body ? from->body : from->text, out, &length);
  }
  if (!length) snprintf(out, SET_QUESTION, "%s", file->name);
}

struct question *set_questions(const struct set *set, size_t count) {
  struct question *questions = calloc(count + 1, sizeof *questions);
  BENCH_CHECK(questions);
  for (size_t q = 0; q < count; q++) {
    uint32_t target = (uint32_t)((q * 2654435761u + 12345) % set->count);
    questions[q].target = target;
    if (set->files)
      ask_file(set, 0xabcde + q * 104729, target, questions[q].text);
    else
      corpus_query(set->corpus, (uint32_t)q, target, questions[q].text, SET_QUESTION);
  }
  return questions;
}
