/* SPDX-License-Identifier: MIT
 *
 * skillet show: one skill with its fields, tools, body and files, or one of its files.
 *
 * For an unknown name similar names are printed. A name is only looked up among the skills; it never becomes a path.
 */
#include <string.h>
#include <unistd.h>

#include "cli/base/catalog.h"
#include "cli/base/describe.h"
#include "cli/commands.h"
#include "cli/show.h"
#include "skillet/sys/alloc.h"
#include "util/alloc.h"
#include "util/arena.h"
#include "util/json_out.h"

static const struct cli_usage usage = {
    "skillet show [OPTIONS] NAME [DIR…]",
    "Shows one skill: its front matter, tools, body and files. NAME is the name of the skill, or its path as list "
    "prints\n"
    "it. DIR is as for skillet list. --read PATH prints one of its files instead; --cursor and --max select a part of "
    "it.\n"
    "\n"
    "  skillet show weekly-plan examples/skills\n"
    "  skillet show pdf-ratios --read references/ratios.md examples/skills\n"
    "\n"
    "Exit status: 0; 1 if there is no such skill or file (similar names are printed); 3 if no DIR can be read."};

struct request {
  bool json;
  const char *read;
  size_t cursor;
  size_t max;
  struct cli_catalog_words words;
};

/* The skill to show. A shadowed skill is in its source only. */
struct subject {
  const SkillMetadata *metadata;
  SkillMetadata *copy;
  const Skill *skill;
  SkillSource *source;
};

struct files {
  struct skill__arena arena;
  SkillResource *items;
  size_t count, capacity;
};

/* --- finding ------------------------------------------------------------------------------------------------------ */

static bool find_by_path(const struct cli_catalog *catalog, const char *path, struct subject *out) {
  for (const Skill *skill = skill_registry_next(catalog->registry, NULL); skill;
       skill = skill_registry_next(catalog->registry, skill)) {
    const char *its = skill_metadata(skill)->path;
    if (its && !strcmp(its, path)) {
      *out = (struct subject){.metadata = skill_metadata(skill), .skill = skill};
      return true;
    }
  }
  for (size_t i = 0; i < catalog->count; i++) {
    SkillSource *source = catalog->sources[i];
    if (source->metadata && source->metadata(source, path, &out->copy, NULL) == 0) {
      out->metadata = out->copy;
      out->source = source;
      return true;
    }
  }
  return false;
}

static bool find_subject(const struct cli_catalog *catalog, const char *name, struct subject *out) {
  const Skill *skill = skill_registry_find(catalog->registry, name);
  *out = (struct subject){0};
  if (!skill) return find_by_path(catalog, name, out);
  *out = (struct subject){.metadata = skill_metadata(skill), .skill = skill};
  return true;
}

/* --- contents ----------------------------------------------------------------------------------------------------- */

static int add_file(const SkillResource *resource, void *user) {
  struct files *files = user;
  if (SKILL__GROW(files->items, files->capacity, files->count + 1)) return SKILL_ENOMEM;
  SkillResource *file = &files->items[files->count++];
  *file = *resource;
  file->path = skill__arena_strdup(&files->arena, resource->path);
  file->type = skill__arena_strdup(&files->arena, resource->type);
  return file->path && file->type ? 0 : SKILL_ENOMEM;
}

static int get_body(const struct subject *subject, char **text, size_t *length, SkillError *err) {
  if (subject->skill) return skill_body(subject->skill, text, length, err);
  return subject->source->body(subject->source, subject->metadata->path, text, length, err);
}

static int get_files(const struct subject *subject, struct files *files, SkillError *err) {
  int status = subject->skill
                   ? skill_resources(subject->skill, add_file, files, err)
                   : subject->source->resources(subject->source, subject->metadata->path, add_file, files, err);
  return status == SKILL_EUNSUPPORTED ? 0 : status;
}

static int get_page(const struct subject *subject, const struct request *request, SkillPage *page, SkillError *err) {
  if (subject->skill) {
    return skill_resource_read(subject->skill, request->read, request->cursor, request->max, page, err);
  }
  return subject->source->read(subject->source, subject->metadata->path, request->read, request->cursor, request->max,
                               page, err);
}

/* --- one file ----------------------------------------------------------------------------------------------------- */

static void add_base64(struct skill__buf *buf, const unsigned char *data, size_t length) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  skill__buf_char(buf, '"');
  for (size_t i = 0; i < length; i += 3) {
    size_t left = length - i;
    unsigned group = (unsigned)data[i] << 16;
    if (left > 1) group |= (unsigned)data[i + 1] << 8;
    if (left > 2) group |= data[i + 2];
    const char four[4] = {digits[group >> 18], digits[group >> 12 & 63], left > 1 ? digits[group >> 6 & 63] : '=',
                          left > 2 ? digits[group & 63] : '='};
    skill__buf_add(buf, four, 4);
  }
  skill__buf_char(buf, '"');
}

static int json_miss(struct cli *cli, const char *name, const char *const *near, size_t count) {
  struct skill__buf buf;
  skill__buf_init(&buf, 1 << 20);
  skill__json_open(&buf, NULL, "{");
  skill__json_add_text(&buf, "name", name);
  skill__json_add_bool(&buf, "found", false);
  skill__json_add_texts(&buf, "suggestions", near, count);
  skill__json_close(&buf, "}");
  int status = cli_print_json(cli, &buf);
  return status ? status : CLI_NO;
}

static int report_miss(struct cli *cli, const struct request *request, struct cli_catalog *catalog, const char *name) {
  const char *near[3];
  size_t count = skill_registry_suggest(catalog->registry, name, near, 3);
  cli_catalog_report_hidden(cli, "show", catalog->report);
  if (request->json) return json_miss(cli, name, near, count);
  fprintf(cli->err, "skillet show: there is no skill '%s' among %zu", name, skill_registry_count(catalog->registry));
  for (size_t i = 0; i < count; i++) {
    fputs(i ? ", " : "; near: ", cli->err);
    cli_tell(cli, near[i]);
  }
  fprintf(cli->err, "%s\n", count ? "" : "; skillet list prints their names");
  return CLI_NO;
}

static int print_page_json(struct cli *cli, const struct request *request, const SkillPage *page) {
  struct skill__buf buf;
  skill__buf_init(&buf, SIZE_MAX / 4);
  skill__json_open(&buf, NULL, "{");
  skill__json_add_text(&buf, "path", request->read);
  skill__json_add_text(&buf, "type", page->type);
  SKILL__JSON_SIZES(&buf, {"total", page->total}, {"cursor", request->cursor}, {"next", page->next});
  skill__json_add_text(&buf, "encoding", page->text ? "utf-8" : "base64");
  if (page->text) {
    skill__json_add_bytes(&buf, "data", page->data, page->length);
  } else {
    skill__json_open(&buf, "data", "");
    add_base64(&buf, (const unsigned char *)page->data, page->length);
  }
  skill__json_close(&buf, "}");
  return cli_print_json(cli, &buf);
}

/* Prints the whole file, or one page of it. */
static int print_file(struct cli *cli, struct request *request, const struct subject *subject) {
  bool whole = !request->max && !request->json;
  for (;;) {
    SkillPage page = {0};
    SkillError err = SKILL_ERROR_INIT;
    int status = get_page(subject, request, &page, &err);
    if (status) {
      int exit = cli_fail(cli, "show", &err);
      return status == SKILL_EINVAL ? CLI_NO : exit; /* no file, but a folder */
    }
    if (request->json) {
      status = print_page_json(cli, request, &page);
    } else if (!page.text && isatty(fileno(cli->out))) {
      fprintf(cli->err, "skillet show: '%s' is %s of %llu bytes; redirect the output to write it\n", request->read,
              page.type, (unsigned long long)page.total);
      status = CLI_NO;
    } else {
      cli_put(cli, page.data, page.length);
    }
    uint64_t next = page.next;
    skill_free(page.data);
    if (status || !whole || !next) return status;
    request->cursor = (size_t)next;
  }
}

/* --- the whole skill ---------------------------------------------------------------------------------------------- */

static int print_json(struct cli *cli, const SkillMetadata *metadata, const char *body, size_t length,
                      const struct files *files) {
  struct skill__buf buf;
  skill__buf_init(&buf, SIZE_MAX / 4);
  skill__json_open(&buf, NULL, "{");
  cli_describe_json(&buf, metadata);
  cli_describe_tools(&buf, metadata);
  skill__json_add_bytes(&buf, "body", body, length);
  skill__json_open(&buf, "resources", "[");
  for (size_t i = 0; i < files->count; i++) {
    skill__json_open(&buf, NULL, "{");
    skill__json_add_text(&buf, "path", files->items[i].path);
    skill__json_add_size(&buf, "size", files->items[i].size);
    skill__json_add_text(&buf, "type", files->items[i].type);
    skill__json_close(&buf, "}");
  }
  skill__json_close(&buf, "]}");
  return cli_print_json(cli, &buf);
}

static void print_text(struct cli *cli, const SkillMetadata *metadata, const char *body, const struct files *files) {
  show_head(cli, metadata);
  show_tools(cli, metadata);
  if (files->count) fprintf(cli->out, "\n%sfiles%s\n", cli_dim(cli), cli_plain(cli));
  for (size_t i = 0; i < files->count; i++) {
    const SkillResource *file = &files->items[i];
    fprintf(cli->out, "  %9llu  ", (unsigned long long)file->size);
    size_t used = 13 + cli_cut(cli, file->path, cli->columns > 40 ? cli->columns - 40 : 20);
    if (used + strlen(file->type) + 2 <= cli->columns) {
      fprintf(cli->out, "  %s%s%s", cli_dim(cli), file->type, cli_plain(cli));
    }
    fputc('\n', cli->out);
  }
  if (*body) fputc('\n', cli->out);
  show_body(cli, body);
}

static int print_subject(struct cli *cli, const struct request *request, const struct subject *subject) {
  struct files files = {0};
  SkillError err = SKILL_ERROR_INIT;
  char *body = NULL;
  size_t length = 0;
  int status = get_body(subject, &body, &length, &err);
  if (!status) status = get_files(subject, &files, &err);
  if (status) {
    status = cli_fail(cli, "show", &err);
  } else if (request->json) {
    status = print_json(cli, subject->metadata, body, length, &files);
  } else {
    print_text(cli, subject->metadata, body, &files);
  }
  skill_free(body);
  skill__arena_fini(&files.arena);
  skill__free(files.items);
  return status;
}

static int run(struct cli *cli, struct request *request, const struct cli_list *words) {
  struct cli_catalog_options options = {.ignore_body = true, .builtins = true, .one = true};
  struct cli_list dirs = {words->items + 1, words->count - 1, 0};
  struct cli_catalog catalog;
  struct subject subject = {0};
  int status = cli_catalog_words(cli, "show", &request->words, &options);
  if (status == -1) status = cli_catalog_open(cli, "show", &dirs, &options, &catalog);
  if (status != -1) return status;
  if (!find_subject(&catalog, words->items[0], &subject)) {
    status = report_miss(cli, request, &catalog, words->items[0]);
  } else {
    status = request->read ? print_file(cli, request, &subject) : print_subject(cli, request, &subject);
  }
  skill_metadata_free(subject.copy);
  cli_catalog_close(&catalog);
  return status;
}

int cmd_show(struct cli *cli, int argc, char **argv) {
  struct request request = {0};
  struct cli_list words = {0};
  const struct cli_option options[] = {
      {CLI_FLAG, 'j', "json", NULL, "print one JSON document", &request.json},
      {CLI_TEXT, 'r', "read", "PATH", "print this file of the skill instead", &request.read},
      {CLI_SIZE, 0, "cursor", "N", "start at this byte of the file", &request.cursor},
      {CLI_SIZE, 0, "max", "N", "print at most N bytes of the file", &request.max},
      CLI_CATALOG_OPTIONS(request.words),
  };
  int status = cli_parse(cli, &usage, options, sizeof options / sizeof *options, argc, argv, &words);
  if (status == -1 && !words.count) {
    fprintf(cli->err, "skillet show: name a skill; skillet list prints their names\n");
    status = CLI_USAGE;
  }
  if (status == -1) status = run(cli, &request, &words);
  cli_list_free(&words);
  return status;
}
