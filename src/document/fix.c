/* SPDX-License-Identifier: MIT
 *
 * Mending a file; see fix.h. The result is read again and thrown away unless it says the same with fewer findings, so
 * a fault in here can leave a file as it is and no worse.
 */
#include "document/fix.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "document/frontmatter.h"
#include "document/recover.h"
#include "document/text.h"
#include "document/validate.h"
#include "document/yaml.h"
#include "util/alloc.h"
#include "util/buf.h"
#include "util/utf8.h"

enum { EDITS_MAX = 200 };

struct edit {
  size_t at, length; /* in the head */
  char text[SKILL_MAX_NAME];
};

struct fixer {
  struct skill__arena arena;
  struct skill__findings findings;
  const SkillDocumentOptions *options;
  struct skill__layout layout;
  char *text;
  size_t length;
  struct skill__buf head;
  struct skill__buf out;
  struct edit *edits;
  size_t edit_count;
  bool crlf, bom;
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

static void add_edit(struct fixer *f, const struct skill__value *value, const char *quote, const char *text) {
  if (f->edit_count == EDITS_MAX || strlen(text) + 3 > SKILL_MAX_NAME) return;
  struct edit *edit = &f->edits[f->edit_count++];
  edit->at = offset_of(&f->head, value->line, value->column);
  edit->length = value->length;
  snprintf(edit->text, sizeof edit->text, "%s%s%s", quote, text, quote);
}

static bool stands_at(const struct fixer *f, const struct skill__value *value) {
  size_t at = offset_of(&f->head, value->line, value->column);
  return value->plain && value->line == value->end_line && at + value->length <= f->head.length &&
         !memcmp(f->head.data + at, value->text, value->length);
}

static void collect_edits(struct fixer *f, const struct skill__value *root) {
  for (const struct skill__value *entry = root->first; entry; entry = entry->next) {
    if (entry->key->kind != SKILL__SCALAR) continue;
    const char *usual = skill__fields_usual(entry->key->text);
    if (usual && !skill__value_get(root, usual) && stands_at(f, entry->key)) add_edit(f, entry->key, "", usual);
    if (skill__fields_misread(entry->key->text, entry) && stands_at(f, entry)) add_edit(f, entry, "\"", entry->text);
  }
}

static int apply_edits(struct fixer *f) {
  struct skill__buf edited;
  skill__buf_init(&edited, 4 * SKILL_MAX_FRONTMATTER);
  size_t done = 0;
  for (size_t i = 0; i < f->edit_count; i++) { /* entries are in file order, keys before values */
    const struct edit *edit = &f->edits[i];
    if (edit->at < done) continue;
    skill__buf_add(&edited, f->head.data + done, edit->at - done);
    skill__buf_text(&edited, edit->text);
    done = edit->at + edit->length;
  }
  skill__buf_add(&edited, f->head.data + done, f->head.length - done);
  skill__buf_fini(&f->head);
  f->head = edited;
  return skill__buf_status(&edited);
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

/* The head as YAML that reads as the file was understood. 1 where that cannot be written. */
static int make_head(struct fixer *f) {
  struct skill__yaml_error error;
  struct skill__value *root = NULL;
  int status = skill__recover_mended(&f->arena, f->text + f->layout.head, f->layout.head_length, &f->head);
  if (!status) status = skill__yaml_read(&f->arena, f->head.data, f->head.length, 1, &root, &error);
  if (status == SKILL_EPARSE || (!status && root && root->kind != SKILL__MAPPING)) return 1;
  if (!status && root) {
    collect_edits(f, root);
    status = apply_edits(f);
  }
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

/* What stood before the front matter and belongs to the text: headings and comments. */
static void add_before(struct fixer *f) {
  struct skill__line line = {0};
  bool any = false;
  while (skill__line_next(f->text, f->layout.head, &line)) {
    bool heading = line.length && line.text[0] == '#' && line.next < f->layout.head;
    bool comment = line.length > 3 && !memcmp(line.text, "<!--", 4);
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

/* The file's own line ends and mark again. */
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
  f->edits = skill__calloc(EDITS_MAX, sizeof *f->edits);
  if (!f->edits) return SKILL_ENOMEM;
  status = make_head(f);
  if (!status) status = compose(f);
  return status ? status : restore_form(f);
}

/* --- proof -------------------------------------------------------------------------------------------------------- */

static bool same_text(const char *a, const char *b) {
  return a == b || (a && b && !strcmp(a, b));
}

static bool same_list(const SkillStrings *a, const SkillStrings *b) {
  if (a->count != b->count) return false;
  for (size_t i = 0; i < a->count; i++) {
    if (!same_text(a->items[i], b->items[i])) return false;
  }
  return true;
}

static bool same_tools(const SkillMetadata *a, const SkillMetadata *b) {
  if (a->tool_count != b->tool_count) return false;
  for (size_t i = 0; i < a->tool_count; i++) {
    const SkillTool *x = &a->tools[i];
    const SkillTool *y = &b->tools[i];
    if (!same_text(x->name, y->name) || !same_text(x->description, y->description) || x->flags != y->flags ||
        !same_text(x->input_schema, y->input_schema) || !same_text(x->command, y->command)) {
      return false;
    }
  }
  return true;
}

static bool same_extra(const SkillMetadata *a, const SkillMetadata *b) {
  if (a->extra_count != b->extra_count) return false;
  for (size_t i = 0; i < a->extra_count; i++) {
    if (!same_text(a->extra[i].key, b->extra[i].key) || !same_text(a->extra[i].json, b->extra[i].json)) return false;
  }
  return true;
}

static bool same_metadata(const SkillMetadata *a, const SkillMetadata *b) {
  static const size_t texts[] = {offsetof(SkillMetadata, name),     offsetof(SkillMetadata, description),
                                 offsetof(SkillMetadata, version),  offsetof(SkillMetadata, license),
                                 offsetof(SkillMetadata, category), offsetof(SkillMetadata, compatibility),
                                 offsetof(SkillMetadata, id),       offsetof(SkillMetadata, when_to_use),
                                 offsetof(SkillMetadata, agent),    offsetof(SkillMetadata, when_not_to_use),
                                 offsetof(SkillMetadata, model),    offsetof(SkillMetadata, argument_hint)};
  static const size_t lists[] = {offsetof(SkillMetadata, tags),          offsetof(SkillMetadata, triggers),
                                 offsetof(SkillMetadata, allowed_tools), offsetof(SkillMetadata, disallowed_tools),
                                 offsetof(SkillMetadata, paths),         offsetof(SkillMetadata, arguments)};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    const char *x = *(const char *const *)((const char *)a + texts[i]);
    const char *y = *(const char *const *)((const char *)b + texts[i]);
    if (!same_text(x, y)) return false;
  }
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
    if (!same_list((const SkillStrings *)(const void *)((const char *)a + lists[i]),
                   (const SkillStrings *)(const void *)((const char *)b + lists[i]))) {
      return false;
    }
  }
  return a->mode == b->mode && a->context == b->context && a->not_user_invocable == b->not_user_invocable &&
         a->disable_model_invocation == b->disable_model_invocation && a->allowed_tools_set == b->allowed_tools_set &&
         same_tools(a, b) && same_extra(a, b);
}

static bool ends_with_body(const SkillDocument *now, const SkillDocument *then) {
  size_t a = 0;
  size_t b = 0;
  const char *new_body = skill_document_body(now, &a);
  const char *old_body = skill_document_body(then, &b);
  return a >= b && !memcmp(new_body + a - b, old_body, b);
}

/* Whether the mended file reads as the old one did and has fewer findings. */
static int prove(const struct fixer *f, const char *bytes, size_t length, size_t *before, size_t *after) {
  SkillDocument *then = NULL;
  SkillDocument *now = NULL;
  int status = skill_document_parse(bytes, length, f->options, &then, NULL);
  if (!status) *before = *after = skill_document_diagnostics(then, NULL);
  if (!status && f->out.length) status = skill_document_parse(f->out.data, f->out.length, f->options, &now, NULL);
  if (!status && now) {
    *after = skill_document_diagnostics(now, NULL);
    bool better = *after < *before && ends_with_body(now, then) &&
                  same_metadata(skill_document_metadata(now), skill_document_metadata(then));
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
  char *mended = NULL;
  if (status == 0) {
    mended = skill__buf_take(&f.out, out_length);
    if (!mended) status = SKILL_ENOMEM;
  }
  if (status == 1) *after = *before;
  if (status >= 0) *out = mended;
  skill__buf_fini(&f.out);
  skill__buf_fini(&f.head);
  skill__free(f.edits);
  skill__free(f.text);
  skill__free(f.findings.items);
  skill__arena_fini(&f.arena);
  return status < 0 ? status : 0;
}
