/* SPDX-License-Identifier: MIT
 *
 * skill_document_parse: converts the text, finds and reads the front matter, fills the fields, applies the fallbacks
 * and checks the result. It fails only if memory is out, options are wrong or a prefix is too short.
 */
#include <string.h>

#include "document/derive.h"
#include "document/frontmatter.h"
#include "document/recover.h"
#include "document/text.h"
#include "document/validate.h"
#include "util/alloc.h"
#include "util/options.h"

struct SkillDocument {
  struct skill__arena arena;
  struct skill__findings findings;
  struct skill__fields fields;
  SkillMetadata metadata;
  char *text;
  size_t length;
  struct skill__layout layout;
  bool has_identity;
};

static int read_head(SkillDocument *d) {
  if (!d->layout.found) return 0;
  struct skill__value *root = NULL;
  size_t length = d->layout.head_length;
  if (length > SKILL_MAX_FRONTMATTER) {
    if (!skill__findings_have(&d->findings, SKILL__FRONTMATTER_SIZE)) {
      skill__finding(&d->findings, SKILL__FRONTMATTER_SIZE, d->layout.head_line, 1,
                     "the front matter has %zu bytes, above its size limit of 64 KiB: only the beginning is read",
                     length);
    }
    length = SKILL_MAX_FRONTMATTER;
    while (length && d->text[d->layout.head + length - 1] != '\n') length--;
  }
  int status =
      skill__recover_read(&d->arena, d->text + d->layout.head, length, d->layout.head_line, &d->findings, &root);
  return !status && root ? skill__fields_read(&d->fields, root) : status;
}

/* --- fallbacks --------------------------------------------------------------------------------------------------- */

static const char *body_of(const SkillDocument *d) {
  return d->text + d->layout.body;
}

static size_t body_length(const SkillDocument *d) {
  return d->layout.body_end - d->layout.body;
}

/* Takes the first of these that can be a name: the key `name`, the folder or file, the title. */
static int choose_name(SkillDocument *d, const SkillDocumentOptions *options) {
  SkillMetadata *m = &d->metadata;
  const char *name = NULL;
  int status = m->name ? skill__validate_usable(&d->fields, m->name, &name) : 0;
  d->fields.named = name != NULL;
  d->has_identity = d->fields.named;
  const char *place = options->kind == SKILL_DOCUMENT_SINGLE ? m->id : options->folder;
  if (!status && !name && place) status = skill__validate_usable(&d->fields, place, &name);
  const char *title = NULL;
  if (!status && !name) status = skill__derive_title(&d->arena, body_of(d), body_length(d), &title);
  if (!status && !name && title) status = skill__validate_usable(&d->fields, title, &name);
  if (status) return status;
  if (!d->fields.named && options->kind == SKILL_DOCUMENT_FOLDER && d->layout.found) {
    skill__finding(&d->findings, SKILL__NAME_MISSING, d->layout.head_line, 0, "the name is missing: '%.80s' is used",
                   name ? name : "unnamed");
  }
  m->name = name ? name : "unnamed";
  return 0;
}

static int default_description(SkillDocument *d) {
  struct skill__buf buf;
  skill__buf_init(&buf, 1024);
  skill__buf_printf(&buf, "Skill %s (it says nothing about itself)", d->metadata.name);
  int status = skill__buf_status(&buf);
  if (!status) d->metadata.description = skill__arena_strndup(&d->arena, buf.data, buf.length);
  skill__buf_fini(&buf);
  return status || !d->metadata.description ? SKILL_ENOMEM : 0;
}

static int choose_description(SkillDocument *d, const SkillDocumentOptions *options) {
  SkillMetadata *m = &d->metadata;
  if (m->description) return 0;
  if (options->describe_from_body) {
    int status = skill__derive_description(&d->arena, body_of(d), body_length(d), &m->description);
    if (status) return status;
  }
  m->description_derived = true;
  if (m->description) {
    skill__finding(&d->findings, SKILL__DESCRIPTION_DERIVED, d->layout.head_line, 0,
                   "the description is missing: the first paragraph of the body is used");
    return 0;
  }
  if (options->kind == SKILL_DOCUMENT_SINGLE) return default_description(d);
  m->description_derived = false;
  m->unlisted = true;
  if (d->layout.found) {
    skill__finding(&d->findings, SKILL__DESCRIPTION_MISSING, d->layout.head_line, 0,
                   "the description is missing: the skill can be opened by name, but is neither listed nor found");
  }
  return 0;
}

static void check_body(SkillDocument *d, const SkillDocumentOptions *options) {
  if (!body_length(d)) {
    if (!d->layout.found) {
      skill__finding(&d->findings, SKILL__EMPTY_FILE, 0, 0, "the file is empty");
    } else if (!options->prefix_only) {
      skill__finding(&d->findings, SKILL__BODY_EMPTY, 0, 0, "there are no instructions below the front matter");
    }
  } else if (!d->layout.found && options->kind == SKILL_DOCUMENT_FOLDER) {
    skill__finding(&d->findings, SKILL__NO_FRONTMATTER, 1, 1, "there is no front matter at the beginning of the file");
  }
}

/* Reports a second front matter at the start of the body: some converters put their own above the file's. */
static void check_double(SkillDocument *d) {
  struct skill__findings quiet = {.arena = &d->arena, .status = SKILL_ENOMEM}; /* ignores findings */
  struct skill__layout second;
  if (!d->layout.found || !body_length(d) || memcmp(body_of(d), "---", body_length(d) < 3 ? body_length(d) : 3) != 0) {
    return;
  }
  skill__layout_find(body_of(d), body_length(d), false, &second, &quiet);
  struct skill__line line = {.next = second.head};
  if (!second.found || !skill__line_next(body_of(d), body_length(d), &line) || !skill__line_key(&line)) return;
  unsigned number = d->layout.head_line;
  for (size_t i = d->layout.head; i < d->layout.body; i++) number += d->text[i] == '\n';
  skill__finding(&d->findings, SKILL__FENCE_DOUBLE, number, 1,
                 "a second front matter follows the first: it is left in the body and not read");
}

static int fill(SkillDocument *d, const SkillDocumentOptions *options) {
  SkillMetadata *m = &d->metadata;
  if (options->kind == SKILL_DOCUMENT_SINGLE && !m->id && options->stem) {
    m->id = skill__arena_strdup(&d->arena, options->stem);
    if (!m->id) return SKILL_ENOMEM;
  }
  bool described = m->description != NULL;
  int status = choose_name(d, options);
  if (!status) status = choose_description(d, options);
  d->has_identity |= described;
  if (status) return status;
  m->path = d->findings.path;
  check_body(d, options);
  check_double(d);
  if (skill__findings_have(&d->findings, SKILL__MULTIPART) && !options->describe_from_body) m->unlisted = true;
  if (d->layout.found) skill__validate(&d->fields, options->kind == SKILL_DOCUMENT_FOLDER ? options->folder : NULL);
  return 0;
}

/* --- entry ------------------------------------------------------------------------------------------------------- */

static int parse(SkillDocument *d, const char *text, size_t length, const SkillDocumentOptions *options,
                 SkillError *err) {
  d->findings.arena = &d->arena;
  d->findings.strict = options->strict;
  d->fields = (struct skill__fields){.arena = &d->arena, .findings = &d->findings, .metadata = &d->metadata};
  if (options->path && !(d->findings.path = skill__arena_strdup(&d->arena, options->path))) return SKILL_ENOMEM;
  int status = skill__text_convert(text, length, options->prefix_only, &d->findings, &d->text, &d->length);
  if (status) return status;
  skill__layout_find(d->text, d->length, options->prefix_only, &d->layout, &d->findings);
  if (d->layout.cut) {
    return skill_error_set_at(err, SKILL_ELIMIT, options->path, 1, 1,
                              "the front matter does not end within the %zu bytes given", length);
  }
  d->text[d->layout.body_end] = '\0';
  status = read_head(d);
  if (!status) status = fill(d, options);
  if (!status) status = d->findings.status;
  if (!status) skill__findings_sort(&d->findings);
  return status;
}

int skill_document_parse(const char *text, size_t length, const SkillDocumentOptions *options, SkillDocument **out,
                         SkillError *err) {
  SkillDocumentOptions given = SKILL_DOCUMENT_OPTIONS_INIT;
  int status = SKILL__OPTIONS(SkillDocumentOptions, &given, options, err);
  if (status) return status;
  if (!text && length) return skill_error_set(err, SKILL_EINVAL, "skill_document_parse: no text");
  SkillDocument *d = skill__calloc(1, sizeof *d);
  if (!d) return skill_error_set(err, SKILL_ENOMEM, "out of memory");
  status = parse(d, text ? text : "", length, &given, err);
  if (status) {
    skill_document_free(d);
    return skill_error_set(err, status, "%s", skill_strerror(status));
  }
  *out = d;
  return 0;
}

void skill_document_free(SkillDocument *document) {
  if (!document) return;
  skill__free(document->text);
  skill__free(document->fields.extra);
  skill__free(document->findings.items);
  skill__arena_fini(&document->arena);
  skill__free(document);
}

const SkillMetadata *skill_document_metadata(const SkillDocument *document) {
  return &document->metadata;
}

const char *skill_document_body(const SkillDocument *document, size_t *length) {
  if (length) *length = body_length(document);
  return body_of(document);
}

size_t skill_document_diagnostics(const SkillDocument *document, const SkillDiagnostic **out) {
  if (out) *out = document->findings.items;
  return document->findings.count;
}

bool skill_document_has_identity(const SkillDocument *document) {
  return document->has_identity;
}
