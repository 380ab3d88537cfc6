/* SPDX-License-Identifier: MIT
 *
 * The report as JSON and as SARIF 2.1.0, which code hosts show beside the lines of a change.
 */
#include <string.h>

#include "cli/check/check.h"
#include "document/diagnostic.h"

static void add_pairs(struct skill__buf *buf, const struct check *check) {
  for (size_t i = 0; i < check->pair_count; i++) {
    skill__buf_text(buf, i ? ",{\"a\":" : "{\"a\":");
    skill__buf_json_text(buf, check->pairs[i].a);
    skill__buf_text(buf, ",\"b\":");
    skill__buf_json_text(buf, check->pairs[i].b);
    skill__buf_printf(buf, ",\"score\":%.3f}", check->pairs[i].score);
  }
}

int check_json(const struct check *check) {
  struct skill__buf buf;
  SkillSyncReport report = {.diagnostics = check->findings, .diagnostic_count = check->count};
  skill__buf_init(&buf, SIZE_MAX / 4);
  skill__buf_printf(&buf, "{\"skills\":%zu,\"diagnostics\":", skill_registry_count(check->catalog.registry));
  cli_catalog_json_diagnostics(&buf, &report);
  skill__buf_text(&buf, ",\"competing\":[");
  add_pairs(&buf, check);
  skill__buf_text(&buf, "]}");
  int status = cli_print_json(check->cli, &buf);
  skill__buf_fini(&buf);
  return status;
}

/* --- SARIF -------------------------------------------------------------------------------------------------------- */

static const char *sarif_level(SkillLevel level) {
  return level == SKILL_LEVEL_ERROR ? "error" : level == SKILL_LEVEL_WARNING ? "warning" : "note";
}

static void add_rule(struct skill__buf *buf, const char *code, const char *fix, SkillLevel level, bool first) {
  skill__buf_text(buf, first ? "{\"id\":" : ",{\"id\":");
  skill__buf_json_text(buf, code);
  skill__buf_text(buf, ",\"shortDescription\":{\"text\":");
  skill__buf_json_text(buf, code);
  skill__buf_text(buf, "},\"help\":{\"text\":");
  skill__buf_json_text(buf, fix);
  skill__buf_printf(buf, "},\"defaultConfiguration\":{\"level\":\"%s\"}}", sarif_level(level));
}

static void add_rules(struct skill__buf *buf, const struct check *check) {
  for (unsigned code = 0; code < SKILL__CODE_COUNT; code++) {
    enum skill__code c = (enum skill__code)code;
    add_rule(buf, skill__code_name(c), skill__code_fix(c), skill__code_level(c, check->strict), code == 0);
  }
  for (size_t i = 0; i < check->count; i++) { /* codes of discovery, once each */
    const SkillDiagnostic *d = &check->findings[i];
    bool known = skill__code_find(d->code) != SKILL__CODE_COUNT;
    for (size_t j = 0; j < i && !known; j++) known = !strcmp(check->findings[j].code, d->code);
    if (!known) add_rule(buf, d->code, d->fix, d->level, false);
  }
}

/* A path as a relative reference (RFC 3986): bytes other than these are percent-encoded. */
static void add_uri(struct skill__buf *buf, const char *path) {
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  skill__buf_char(buf, '"');
  if (path[0] == '/') skill__buf_text(buf, "file://");
  for (; *path; path++) {
    if (strchr(plain, *path)) {
      skill__buf_char(buf, *path);
    } else {
      skill__buf_printf(buf, "%%%02X", (unsigned char)*path);
    }
  }
  skill__buf_char(buf, '"');
}

static void add_result(struct skill__buf *buf, const SkillDiagnostic *d) {
  struct skill__buf text;
  skill__buf_init(&text, 4096);
  skill__buf_printf(&text, "%s; %s", d->message, d->fix);
  skill__buf_text(buf, "{\"ruleId\":");
  skill__buf_json_text(buf, d->code);
  skill__buf_printf(buf, ",\"level\":\"%s\",\"message\":{\"text\":", sarif_level(d->level));
  skill__buf_json_text(buf, text.data ? text.data : d->message);
  skill__buf_text(buf, "},\"locations\":[{\"physicalLocation\":{\"artifactLocation\":{\"uri\":");
  add_uri(buf, d->path ? d->path : "");
  skill__buf_printf(buf, "},\"region\":{\"startLine\":%u", d->line ? d->line : 1);
  if (d->column) skill__buf_printf(buf, ",\"startColumn\":%u", d->column);
  skill__buf_text(buf, "}}}]}");
  skill__buf_fini(&text);
}

int check_sarif(const struct check *check) {
  struct skill__buf buf;
  skill__buf_init(&buf, SIZE_MAX / 4);
  skill__buf_text(&buf,
                  "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{"
                  "\"columnKind\":\"unicodeCodePoints\",\"tool\":{\"driver\":{\"name\":\"skillet\",\"version\":");
  skill__buf_json_text(&buf, skill_version());
  skill__buf_text(&buf, ",\"rules\":[");
  add_rules(&buf, check);
  skill__buf_text(&buf, "]}},\"results\":[");
  for (size_t i = 0; i < check->count; i++) {
    if (i) skill__buf_char(&buf, ',');
    add_result(&buf, &check->findings[i]);
  }
  skill__buf_text(&buf, "]}]}");
  int status = cli_print_json(check->cli, &buf);
  skill__buf_fini(&buf);
  return status;
}
