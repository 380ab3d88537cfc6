/* SPDX-License-Identifier: MIT
 *
 * Runs the cases in test/data/document. Each folder holds one file as people write it; expect.json is what skillet must
 * read from it.
 *
 * A case holds SKILL.md, or NAME.md for a single-file skill. The folder's name without the leading number is the name
 * of the skill's folder. fixed.txt, if present, is the result of skillet check --fix. Each case is read again with CR
 * LF line ends and with a byte-order mark, which must change nothing. It is also cut off at every byte, which must give
 * a document or a request for more input, and no fault. With UPDATE_EXPECTED=1 in the environment the test rewrites the
 * expectations; look at the difference before you commit it.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "document/fix.h"
#include "lib/check.h"
#include "lib/document_json.h"
#include "skillet/document.h"
#include "skillet/sys/alloc.h"

struct sample {
  char dir[4096];
  char file[4400];
  char stem[256];
  char *text;
  size_t length;
  SkillDocumentOptions options;
};

static char *read_file(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  char *text = malloc(1 << 20);
  *length = fread(text, 1, (1 << 20) - 1, file);
  text[*length] = '\0';
  fclose(file);
  return text;
}

static const char *after_number(const char *name) {
  const char *dash = strchr(name, '-');
  return dash ? dash + 1 : name;
}

static void open_sample(struct sample *s, const char *name) {
  memset(s, 0, sizeof *s);
  snprintf(s->dir, sizeof s->dir, SKILLET_TEST_DATA "/document/%s", name);
  s->options = (SkillDocumentOptions){.size = sizeof s->options, .path = "SKILL.md", .folder = after_number(name)};
  DIR *dir = opendir(s->dir);
  assert_non_null(dir);
  for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
    size_t n = strlen(entry->d_name);
    if (n < 4 || strcmp(entry->d_name + n - 3, ".md") != 0) continue;
    snprintf(s->file, sizeof s->file, "%s/%s", s->dir, entry->d_name);
    if (!strcmp(entry->d_name, "SKILL.md")) continue;
    snprintf(s->stem, sizeof s->stem, "%.*s", (int)(n - 3), entry->d_name);
    s->options.kind = SKILL_DOCUMENT_SINGLE;
    s->options.folder = NULL;
    s->options.stem = s->stem;
  }
  closedir(dir);
  s->options.describe_from_body = strstr(name, "from-body") != NULL;
  s->options.strict = strstr(name, "strict") != NULL;
  s->text = read_file(s->file, &s->length);
  assert_non_null(s->text);
}

static cJSON *parse_json(const char *text, size_t length, const SkillDocumentOptions *options) {
  SkillDocument *document = NULL;
  assert_int_equal(skill_document_parse(text, length, options, &document, NULL), 0);
  cJSON *json = document_json(document);
  skill_document_free(document);
  return json;
}

static void fail_different(const char *name, const char *what, const cJSON *got, const cJSON *want) {
  char *a = cJSON_Print(got);
  char *b = cJSON_Print(want);
  print_error("%s (%s)\ngot:  %s\nwant: %s\n", name, what, a, b);
  free(a);
  free(b);
  fail();
}

static void check_expectation(const struct sample *s, const char *name, const cJSON *got) {
  char path[4400];
  snprintf(path, sizeof path, "%s/expect.json", s->dir);
  if (getenv("UPDATE_EXPECTED")) {
    FILE *file = fopen(path, "wb");
    char *text = cJSON_Print(got);
    assert_non_null(file);
    fprintf(file, "%s\n", text);
    fclose(file);
    free(text);
    return;
  }
  size_t length = 0;
  char *text = read_file(path, &length);
  assert_non_null(text);
  cJSON *want = cJSON_Parse(text);
  if (!cJSON_Compare(got, want, true)) fail_different(name, "expect.json", got, want);
  cJSON_Delete(want);
  free(text);
}

/* The result of --fix is fixed.txt. Without that file, --fix changes nothing. */
static void check_fix(const struct sample *s, const char *name) {
  char path[4400];
  char *out = NULL;
  size_t length = 0;
  size_t before = 0;
  size_t after = 0;
  snprintf(path, sizeof path, "%s/fixed.txt", s->dir);
  assert_int_equal(skill__fix(s->text, s->length, &s->options, &out, &length, &before, &after), 0);
  assert_true(out ? after < before : after == before);
  if (out && getenv("UPDATE_EXPECTED")) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fwrite(out, 1, length, file);
    fclose(file);
  }
  size_t want_length = 0;
  char *want = read_file(path, &want_length);
  if (!out != !want || (out && (length != want_length || memcmp(out, want, length) != 0))) {
    print_error("%s: --fix makes\n%s\n", name, out ? out : "nothing");
    fail();
  }
  free(want);
  skill_free(out);
}

static void check_crlf(const struct sample *s, const char *name, const cJSON *want) {
  char *text = malloc(s->length * 2 + 4);
  size_t length = 0;
  memcpy(text, "\xef\xbb\xbf", 3);
  length = 3;
  for (size_t i = 0; i < s->length; i++) {
    if (s->text[i] == '\n') text[length++] = '\r';
    text[length++] = s->text[i];
  }
  cJSON *got = parse_json(text, length, &s->options);
  if (!cJSON_Compare(got, want, true)) fail_different(name, "with CR LF and a byte-order mark", got, want);
  cJSON_Delete(got);
  free(text);
}

static void check_cut(const struct sample *s) {
  SkillDocumentOptions options = s->options;
  for (int prefix = 0; prefix < 2; prefix++) {
    options.prefix_only = prefix;
    for (size_t n = 0; n <= s->length; n++) {
      char *exact = malloc(n + 1); /* a copy of exactly this size, so that the sanitizer detects a read beyond it */
      memcpy(exact, s->text, n);
      SkillDocument *document = NULL;
      int status = skill_document_parse(exact, n, &options, &document, NULL);
      free(exact);
      assert_true(status == 0 || (prefix && status == SKILL_ELIMIT));
      if (status == 0) assert_non_null(skill_document_metadata(document)->name);
      skill_document_free(document);
    }
  }
}

static bool has_marks_of_its_own(const struct sample *s) {
  return memchr(s->text, '\r', s->length) || memchr(s->text, '\0', s->length) ||
         (s->length && (unsigned char)s->text[0] >= 0xef);
}

static void run_case(void **state) {
  const char *name = *state;
  struct sample s;
  open_sample(&s, name);
  cJSON *got = parse_json(s.text, s.length, &s.options);
  check_expectation(&s, name, got);
  if (!has_marks_of_its_own(&s) && !strstr(name, "bytes")) check_crlf(&s, name, got);
  check_fix(&s, name);
  check_cut(&s);
  cJSON_Delete(got);
  free(s.text);
}

static int is_case(const struct dirent *entry) {
  return entry->d_name[0] >= '0' && entry->d_name[0] <= '9';
}

int main(void) {
  struct dirent **entries = NULL;
  int count = scandir(SKILLET_TEST_DATA "/document", &entries, is_case, alphasort);
  if (count <= 0) return 1;
  struct CMUnitTest *tests = calloc((size_t)count, sizeof *tests);
  for (int i = 0; i < count; i++) {
    tests[i] =
        (struct CMUnitTest){.name = entries[i]->d_name, .test_func = run_case, .initial_state = entries[i]->d_name};
  }
  int failed = _cmocka_run_group_tests("document cases", tests, (size_t)count, NULL, NULL);
  for (int i = 0; i < count; i++) free(entries[i]);
  free(entries);
  free(tests);
  return failed;
}
