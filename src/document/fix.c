/* SPDX-License-Identifier: MIT
 *
 * Corrects a file; see fix.h. The result is read again and discarded unless it says the same with fewer findings, so a
 * fault in this file cannot damage a skill.
 */
#include "document/fix.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "document/frontmatter.h"
#include "document/metadata_hash.h"
#include "document/recover.h"
#include "document/text.h"
#include "document/validate.h"
#include "document/yaml.h"
#include "util/alloc.h"
#include "util/buf.h"
#include "util/utf8.h"

struct fixer {
  struct skill__arena arena;
  struct skill__findings findings;
  const SkillDocumentOptions *options;
  struct skill__layout layout;
  char *text;
  size_t length;
  struct skill__buf head;
  struct skill__buf out;
  bool crlf, bom;
};

/* The front matter with some scalars replaced, in file order. */
struct editor {
  const struct skill__buf *head;
  struct skill__buf out;
  size_t done; /* bytes of head that are in out */
};

/* --- edits of single values and keys ------------------------------------------------------------------------------ */

static size_t offset_of(const struct skill__buf *head, unsigned line, unsigned column) {
  size_t at = 0;
  for (unsigned n = 1; n < line && at < head->length; at++) n += head->data[at] == '\n';
  for (unsigned c = 1; c < column && at < head->length; c++) {
    size_t step = skill__utf8_length(head->data + at, head->length - at);
    at += step ? step : 1;
  }
  return at;
}

static bool is_at(const struct fixer *f, const struct skill__value *value) {
  size_t at = offset_of(&f->head, value->line, value->column);
  return value->plain && value->line == value->end_line && at + value->length <= f->head.length &&
         !memcmp(f->head.data + at, value->text, value->length);
}

/* Replaces the text of a scalar; copies what is between it and the last one. */
static void replace(struct editor *e, const struct skill__value *value, const char *quote, const char *text) {
  size_t at = offset_of(e->head, value->line, value->column);
  if (at < e->done) return;
  skill__buf_add(&e->out, e->head->data + e->done, at - e->done);
  skill__buf_printf(&e->out, "%s%s%s", quote, text, quote);
  e->done = at + value->length;
}

/* Gives keys their usual spelling and quotes values that other readers take for numbers, dates or booleans. */
static int edit_entries(struct fixer *f, const struct skill__value *root) {
  struct editor e = {.head = &f->head};
  skill__buf_init(&e.out, f->head.max);
  for (const struct skill__value *entry = root->first; entry; entry = entry->next) {
    if (entry->key->kind != SKILL__SCALAR) continue;
    const char *usual = skill__fields_usual(entry->key->text);
    if (usual && !skill__value_get(root, usual) && is_at(f, entry->key)) replace(&e, entry->key, "", usual);
    if (skill__fields_misread(entry->key->text, entry) && is_at(f, entry)) replace(&e, entry, "\"", entry->text);
  }
  skill__buf_add(&e.out, f->head.data + e.done, f->head.length - e.done);
  skill__buf_fini(&f->head);
  f->head = e.out;
  return skill__buf_status(&f->head);
}

/* --- head and file ------------------------------------------------------------------------------------------------ */

static bool name_is_missing(const struct skill__value *root) {
  const struct skill__value *name = root ? skill__value_get(root, "name") : NULL;
  return !name || (name->kind == SKILL__SCALAR && (skill__value_is_null(name) || !name->length));
}

static int add_name(struct fixer *f) {
  const char *folder = f->options->kind == SKILL_DOCUMENT_FOLDER ? f->options->folder : NULL;
  if (!folder || skill__validate_name(folder)) return 0;
  struct skill__buf named;
  skill__buf_init(&named, 4 * SKILL_MAX_FRONTMATTER);
  skill__buf_printf(&named, "name: %s\n", folder);
  skill__buf_add(&named, f->head.data, f->head.length);
  skill__buf_fini(&f->head);
  f->head = named;
  return skill__buf_status(&named);
}

/* Writes the front matter as valid YAML that means the same. 1: that is not possible. */
static int make_head(struct fixer *f) {
  struct skill__yaml_error error;
  struct skill__value *root = NULL;
  int status = skill__recover_mended(&f->arena, f->text + f->layout.head, f->layout.head_length, &f->head);
  if (!status) status = skill__yaml_read(&f->arena, f->head.data, f->head.length, 1, &root, &error);
  if (status == SKILL_EPARSE || (!status && root && root->kind != SKILL__MAPPING)) return 1;
  if (!status && root) status = edit_entries(f, root);
  if (!status && name_is_missing(root) && !(root && skill__value_get(root, "name"))) status = add_name(f);
  return status;
}

static bool layout_is_right(const struct fixer *f) {
  static const enum skill__code wrong[] = {SKILL__FENCE_POSITION, SKILL__FENCE_CODE, SKILL__FENCE_OPEN,
                                           SKILL__FENCE_MISSING,  SKILL__FENCE_FORM, SKILL__MULTIPART};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    if (skill__findings_have(&f->findings, wrong[i])) return false;
  }
  return true;
}

/* Adds the headings and comments before the front matter: they belong to the body. */
static void add_before(struct fixer *f) {
  struct skill__line line = {0};
  bool any = false;
  while (skill__line_next(f->text, f->layout.head, &line)) {
    bool heading = line.length && line.text[0] == '#' && line.next < f->layout.head;
    bool comment = skill__line_begins(&line, "<!--");
    any |= heading || comment;
    if (!any || skill__findings_have(&f->findings, SKILL__MULTIPART)) continue;
    if (line.length == 3 && !memcmp(line.text, "---", 3)) continue;
    skill__buf_add(&f->out, line.text, line.length);
    skill__buf_char(&f->out, '\n');
  }
}

static int compose(struct fixer *f) {
  size_t head_end = f->layout.head + f->layout.head_length;
  if (layout_is_right(f)) {
    skill__buf_add(&f->out, f->text, f->layout.head);
    skill__buf_add(&f->out, f->head.data, f->head.length);
    skill__buf_add(&f->out, f->text + head_end, f->length - head_end);
  } else {
    skill__buf_text(&f->out, "---\n");
    skill__buf_add(&f->out, f->head.data, f->head.length);
    skill__buf_text(&f->out, f->head.length && f->head.data[f->head.length - 1] != '\n' ? "\n---\n\n" : "---\n\n");
    add_before(f);
    skill__buf_add(&f->out, f->text + f->layout.body, f->layout.body_end - f->layout.body);
  }
  return skill__buf_status(&f->out);
}

/* Restores the line ends and the byte-order mark of the file. */
static int restore_form(struct fixer *f) {
  if (!f->crlf && !f->bom) return 0;
  struct skill__buf formed;
  skill__buf_init(&formed, SIZE_MAX / 2);
  if (f->bom) skill__buf_text(&formed, "\xef\xbb\xbf");
  for (size_t i = 0; i < f->out.length; i++) {
    if (f->crlf && f->out.data[i] == '\n') skill__buf_char(&formed, '\r');
    skill__buf_char(&formed, f->out.data[i]);
  }
  skill__buf_fini(&f->out);
  f->out = formed;
  return skill__buf_status(&formed);
}

static int build(struct fixer *f, const char *bytes, size_t length) {
  const char *lf = memchr(bytes, '\n', length);
  f->crlf = lf && lf > bytes && lf[-1] == '\r';
  f->bom = length >= 3 && !memcmp(bytes, "\xef\xbb\xbf", 3);
  f->findings.arena = &f->arena;
  int status = skill__text_convert(bytes, length, false, &f->findings, &f->text, &f->length);
  if (status) return status;
  bool guessed = skill__findings_have(&f->findings, SKILL__ENCODING_GBK) ||
                 skill__findings_have(&f->findings, SKILL__ENCODING_LATIN1) ||
                 skill__findings_have(&f->findings, SKILL__ENCODING_BROKEN);
  skill__layout_find(f->text, f->length, false, &f->layout, &f->findings);
  if (guessed || !f->layout.found || f->layout.head_length > SKILL_MAX_FRONTMATTER) return 1;
  status = make_head(f);
  if (!status) status = compose(f);
  return status ? status : restore_form(f);
}

/* --- proof -------------------------------------------------------------------------------------------------------- */

/* Whether the skill is listed is left out: removing an upload envelope changes it. */
static uint64_t what_it_says(const SkillDocument *document) {
  SkillMetadata metadata = *skill_document_metadata(document);
  metadata.unlisted = metadata.description_derived = false;
  return skill__metadata_hash(&metadata);
}

static bool ends_with_body(const SkillDocument *now, const SkillDocument *then) {
  size_t a = 0;
  size_t b = 0;
  const char *new_body = skill_document_body(now, &a);
  const char *old_body = skill_document_body(then, &b);
  return a >= b && !memcmp(new_body + a - b, old_body, b);
}

/* 0 if the new file says the same and has fewer findings; 1 if not; SKILL_ENOMEM. */
static int prove(const struct fixer *f, const char *bytes, size_t length, size_t *before, size_t *after) {
  SkillDocument *then = NULL;
  SkillDocument *now = NULL;
  int status = skill_document_parse(bytes, length, f->options, &then, NULL);
  if (!status) *before = *after = skill_document_diagnostics(then, NULL);
  if (!status && f->out.length) status = skill_document_parse(f->out.data, f->out.length, f->options, &now, NULL);
  if (!status && now) {
    *after = skill_document_diagnostics(now, NULL);
    bool better = *after < *before && ends_with_body(now, then) && what_it_says(now) == what_it_says(then);
    status = better ? 0 : 1;
  } else if (!status) {
    status = 1;
  }
  skill_document_free(then);
  skill_document_free(now);
  return status;
}

int skill__fix(const char *bytes, size_t length, const SkillDocumentOptions *options, char **out, size_t *out_length,
               size_t *before, size_t *after) {
  struct fixer f = {.options = options};
  skill__buf_init(&f.head, 4 * SKILL_MAX_FRONTMATTER);
  skill__buf_init(&f.out, SIZE_MAX / 2);
  int status = build(&f, bytes, length);
  if (status == 1) skill__buf_clear(&f.out);
  if (status >= 0) status = prove(&f, bytes, length, before, after);
  char *fixed = NULL;
  if (status == 0) {
    fixed = skill__buf_take(&f.out, out_length);
    if (!fixed) status = SKILL_ENOMEM;
  }
  if (status == 1) *after = *before;
  if (status >= 0) *out = fixed;
  skill__buf_fini(&f.out);
  skill__buf_fini(&f.head);
  skill__free(f.text);
  skill__free(f.findings.items);
  skill__arena_fini(&f.arena);
  return status < 0 ? status : 0;
}
