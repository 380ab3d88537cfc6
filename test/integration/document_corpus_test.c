/* SPDX-License-Identifier: MIT
 *
 * Documents from real files: ../shared/corpus/sample, the folders that $SKILLET_CORPUS names (separated by ':'), and
 * always the project's own cases and example skills.
 *
 * Three properties are checked for every SKILL.md. A file that holds a name or a heading loads with a description. If
 * the front matter is valid YAML, every field equals the result of libyaml's own loader (yaml_parser_load, which shares
 * no code with the reader under test). Whatever the scanner for plain front matter reads, libyaml's events give too,
 * including positions.
 */
#include <ctype.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <yaml.h>

#include "document/frontmatter.h"
#include "document/plain.h"
#include "document/yaml.h"
#include "lib/check.h"
#include "lib/value_equal.h"
#include "util/json.h"
#include "util/utf8.h"

static struct { size_t files, valid, plain, fields, described; } totals;

static const char *current; /* the current file, for messages */

static void different(const char *key, const char *got, const char *want) {
  print_error("%s: '%s' is <%s>, libyaml's loader gives <%s>\n", current, key, got ? got : "(none)",
              want ? want : "(none)");
  fail();
}

/* --- libyaml's document against the metadata ---------------------------------------------------------------------- */

static const char *scalar_text(const yaml_node_t *node) {
  return node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

static bool is_plain(const yaml_node_t *node) {
  return node->type == YAML_SCALAR_NODE && node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
}

static bool is_null(const yaml_node_t *node) {
  static const char *const words[] = {"", "~", "null", "Null", "NULL"};
  for (size_t i = 0; is_plain(node) && i < sizeof words / sizeof words[0]; i++) {
    if (!strcmp(scalar_text(node), words[i])) return true;
  }
  return false;
}

static char *trimmed(const char *text) {
  while (isspace((unsigned char)*text)) text++;
  size_t n = strlen(text);
  while (n && isspace((unsigned char)text[n - 1])) n--;
  return strndup(text, n);
}

static void compare_text(const char *key, const char *got, const yaml_node_t *node) {
  char *want = trimmed(scalar_text(node));
  bool none = is_null(node) || !*want;
  if (none ? got != NULL : (!got || strcmp(got, want) != 0)) different(key, got, none ? NULL : want);
  totals.fields++;
  free(want);
}

static void compare_list(yaml_document_t *document, const char *key, const SkillStrings *got, const yaml_node_t *node) {
  size_t n = 0;
  for (yaml_node_item_t *i = node->data.sequence.items.start; i < node->data.sequence.items.top; i++) {
    const yaml_node_t *item = yaml_document_get_node(document, *i);
    if (item->type != YAML_SCALAR_NODE) return; /* an item that is a mapping becomes a text; the cases cover it */
    char *want = trimmed(scalar_text(item));
    if (!is_null(item) && *want) {
      if (n >= got->count || strcmp(got->items[n], want) != 0)
        different(key, n < got->count ? got->items[n] : NULL, want);
      n++;
    }
    free(want);
  }
  if (n != got->count) different(key, "more items", NULL);
  totals.fields++;
}

static void compare_json(yaml_document_t *document, const char *key, const cJSON *got, const yaml_node_t *node,
                         const char *raw) {
  if (node->type == YAML_SCALAR_NODE) {
    const char *want = scalar_text(node);
    totals.fields++;
    if (cJSON_IsString(got)) {
      if (strcmp(got->valuestring, want) != 0) different(key, got->valuestring, want);
    } else if (cJSON_IsNull(got)) {
      if (!is_null(node)) different(key, "null", want);
    } else if (!is_plain(node) || (raw && strcmp(raw, want) != 0)) {
      different(key, raw, want);
    }
    return;
  }
  const cJSON *child = got->child;
  if (node->type == YAML_SEQUENCE_NODE) {
    if (!cJSON_IsArray(got)) different(key, "no array", "a sequence");
    for (yaml_node_item_t *i = node->data.sequence.items.start; i < node->data.sequence.items.top; i++) {
      if (!child) different(key, "fewer items", "more");
      compare_json(document, key, child, yaml_document_get_node(document, *i), NULL);
      child = child->next;
    }
  } else {
    if (!cJSON_IsObject(got)) different(key, "no object", "a mapping");
    for (yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top; p++) {
      const char *name = scalar_text(yaml_document_get_node(document, p->key));
      if (!child || (name && strcmp(child->string, name) != 0)) different(key, child ? child->string : NULL, name);
      compare_json(document, key, child, yaml_document_get_node(document, p->value), NULL);
      child = child->next;
    }
  }
  if (child) different(key, "more members", "fewer");
}

static void compare_extra(yaml_document_t *document, const SkillMetadata *m, const char *key, const yaml_node_t *node) {
  for (size_t i = 0; i < m->extra_count; i++) {
    if (strcmp(m->extra[i].key, key) != 0) continue;
    cJSON *json = cJSON_Parse(m->extra[i].json);
    assert_non_null(json);
    compare_json(document, key, json, node, m->extra[i].json);
    cJSON_Delete(json);
    return;
  }
  different(key, NULL, "an entry");
}

static void compare_metadata(yaml_document_t *document, const SkillMetadata *m, const char *prefix,
                             const yaml_node_t *node) {
  if (node->type != YAML_MAPPING_NODE || node->data.mapping.pairs.start == node->data.mapping.pairs.top) {
    compare_extra(document, m, prefix, node);
    return;
  }
  for (yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top; p++) {
    const char *name = scalar_text(yaml_document_get_node(document, p->key));
    if (!name) continue;
    char key[8192];
    snprintf(key, sizeof key, "%s.%s", prefix, name);
    compare_metadata(document, m, key, yaml_document_get_node(document, p->value));
  }
}

struct known {
  const char *key;
  const char *text;
  const SkillStrings *list;
  bool elsewhere; /* has its own reader: flags, hints, tools */
};

static void compare_entry(yaml_document_t *document, const SkillMetadata *m, const char *key, const yaml_node_t *node) {
  const struct known table[] = {{"description", m->description_derived ? NULL : m->description, NULL, false},
                                {"version", m->version, NULL, false},
                                {"license", m->license, NULL, false},
                                {"compatibility", m->compatibility, NULL, false},
                                {"category", m->category, NULL, false},
                                {"id", m->id, NULL, false},
                                {"when_to_use", m->when_to_use, NULL, false},
                                {"agent", m->agent, NULL, false},
                                {"model", m->model, NULL, false},
                                {"argument-hint", m->argument_hint, NULL, false},
                                {"tags", NULL, &m->tags, false},
                                {"triggers", NULL, &m->triggers, false},
                                {"allowed-tools", NULL, &m->allowed_tools, false},
                                {"disallowed-tools", NULL, &m->disallowed_tools, false},
                                {"paths", NULL, &m->paths, false},
                                {"arguments", NULL, &m->arguments, false},
                                {"name", NULL, NULL, true},
                                {"metadata", NULL, NULL, true}};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    if (strcmp(table[i].key, key) != 0) continue;
    if (table[i].list) {
      if (node->type == YAML_SEQUENCE_NODE) compare_list(document, key, table[i].list, node);
    } else if (!table[i].elsewhere && node->type == YAML_SCALAR_NODE) {
      compare_text(key, table[i].text, node);
    } else if (!strcmp(key, "metadata")) {
      compare_metadata(document, m, key, node);
    } else if (!strcmp(key, "name") && node->type == YAML_SCALAR_NODE &&
               skill_name_check(m->name, strlen(m->name), NULL) == 0 && !strchr(scalar_text(node), '/') &&
               strlen(scalar_text(node)) < SKILL_MAX_NAME && !is_null(node) && *scalar_text(node)) {
      compare_text(key, m->name, node);
    }
    return;
  }
  for (size_t i = 0; i < m->extra_count; i++) {
    if (!strcmp(m->extra[i].key, key)) compare_extra(document, m, key, node);
  }
}

static bool repeated_later(yaml_document_t *document, const yaml_node_t *root, const yaml_node_pair_t *pair) {
  const char *key = scalar_text(yaml_document_get_node(document, pair->key));
  for (const yaml_node_pair_t *p = pair + 1; key && p < root->data.mapping.pairs.top; p++) {
    const char *other = scalar_text(yaml_document_get_node(document, p->key));
    if (other && !strcmp(other, key)) return true;
  }
  return false;
}

static void compare_with_loader(const char *head, size_t length, const SkillMetadata *m) {
  yaml_parser_t parser;
  yaml_document_t document;
  assert_true(yaml_parser_initialize(&parser));
  yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&parser, (const unsigned char *)head, length);
  if (yaml_parser_load(&parser, &document)) {
    const yaml_node_t *root = yaml_document_get_root_node(&document);
    if (root && root->type == YAML_MAPPING_NODE) {
      totals.valid++;
      for (yaml_node_pair_t *p = root->data.mapping.pairs.start; p < root->data.mapping.pairs.top; p++) {
        const char *key = scalar_text(yaml_document_get_node(&document, p->key));
        if (key && !repeated_later(&document, root, p)) {
          compare_entry(&document, m, key, yaml_document_get_node(&document, p->value));
        }
      }
    }
    yaml_document_delete(&document);
  }
  yaml_parser_delete(&parser);
}

/* --- files -------------------------------------------------------------------------------------------------------- */

static void compare_scanners(const char *head, size_t length) {
  struct skill__arena arena = {0};
  struct skill__value *fast = NULL;
  struct skill__value *full = NULL;
  struct skill__yaml_error error;
  if (skill__plain_read(&arena, head, length, 2, &fast) == 1) {
    totals.plain++;
    if (skill__yaml_read(&arena, head, length, 2, &full, &error) || !value_equal(fast, full, true)) {
      print_error("%s: the scanner and libyaml differ\n", current);
      fail();
    }
  }
  skill__arena_fini(&arena);
}

/* Repairs and control characters: the file is not read as it is. */
static bool broken_told(const SkillDocument *document) {
  const SkillDiagnostic *items = NULL;
  size_t count = skill_document_diagnostics(document, &items);
  for (size_t i = 0; i < count; i++) {
    if (!strcmp(items[i].code, "control-character")) return true;
    if (!strncmp(items[i].code, "yaml-", 5) && strcmp(items[i].code, "yaml-comment") != 0) return true;
  }
  return false;
}

static void check_text(const char *text, size_t length, const char *folder) {
  SkillDocumentOptions options = {
      .size = sizeof options, .path = current, .folder = folder, .describe_from_body = true};
  SkillDocument *document = NULL;
  assert_int_equal(skill_document_parse(text, length, &options, &document, NULL), 0);
  const SkillMetadata *m = skill_document_metadata(document);
  size_t body = 0;
  skill_document_body(document, &body);
  if (!m->description && (body || skill_document_has_identity(document))) {
    print_error("%s: loads without a description\n", current);
    fail();
  }
  totals.described += m->description != NULL;
  struct skill__findings quiet = {.status = -1};
  struct skill__layout layout;
  bool plain_bytes =
      skill__utf8_valid(text, length) == length && !memchr(text, '\r', length) && !memchr(text, '\0', length);
  if (plain_bytes) {
    skill__layout_find(text, length, false, &layout, &quiet);
    if (layout.found && layout.head_length <= SKILL_MAX_FRONTMATTER) {
      compare_scanners(text + layout.head, layout.head_length);
      if (!broken_told(document)) compare_with_loader(text + layout.head, layout.head_length, m);
    }
  }
  skill_document_free(document);
}

static int visit(const char *path, const struct stat *info, int kind, struct FTW *where) {
  const char *leaf = path + where->base;
  if (kind != FTW_F || strcasecmp(leaf, "skill.md") != 0 || info->st_size > SKILL_MAX_FILE) return 0;
  char folder[4096];
  snprintf(folder, sizeof folder, "%.*s", where->base ? where->base - 1 : 0, path);
  const char *slash = strrchr(folder, '/');
  FILE *file = fopen(path, "rb");
  if (!file) return 0;
  char *text = malloc((size_t)info->st_size + 1);
  size_t length = fread(text, 1, (size_t)info->st_size, file);
  fclose(file);
  current = path;
  totals.files++;
  char *lf = malloc(length + 1); /* the reader handles line ends, libyaml's loader does not */
  size_t n = 0;
  for (size_t i = 0; i < length; i++) {
    if (text[i] != '\r' || i + 1 == length || text[i + 1] != '\n') lf[n++] = text[i];
  }
  size_t mark = n >= 3 && !memcmp(lf, "\xef\xbb\xbf", 3) ? 3 : 0;
  check_text(lf + mark, n - mark, slash ? slash + 1 : folder);
  free(lf);
  free(text);
  return 0;
}

static void walk(const char *folder) {
  memset(&totals, 0, sizeof totals);
  nftw(folder, visit, 64, FTW_PHYS);
  print_message(
      "%s: %zu files, %zu load with a description, %zu valid YAML, %zu fields equal libyaml's loader's, "
      "%zu read by the plain scanner\n",
      folder, totals.files, totals.described, totals.valid, totals.fields, totals.plain);
}

static void our_own_files_read_as_libyaml_reads_them(void **state) {
  (void)state;
  walk(SKILLET_TEST_DATA "/document");
  assert_true(totals.files > 70 && totals.valid > 30 && totals.fields > 100);
  walk(SKILLET_SOURCE_DIR "/examples/skills");
}

static void real_files_read_as_libyaml_reads_them(void **state) {
  (void)state;
  size_t files = 0;
  walk(SKILLET_SHARED "/corpus/sample");
  files += totals.files;
  const char *more = getenv("SKILLET_CORPUS");
  char *list = more ? strdup(more) : NULL;
  for (char *rest = list, *folder = rest ? strsep(&rest, ":") : NULL; folder; folder = strsep(&rest, ":")) {
    walk(folder);
    assert_true(totals.files > 0);
    files += totals.files;
  }
  free(list);
  if (!files) {
    print_message("no ../shared/corpus/sample here and no $SKILLET_CORPUS: skipped\n");
    skip();
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(our_own_files_read_as_libyaml_reads_them),
      cmocka_unit_test(real_files_read_as_libyaml_reads_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
