/* SPDX-License-Identifier: MIT
 *
 * The report as JSON and as SARIF 2.1.0, which code hosts show beside the lines of a change.
 */
#include <string.h>

#include "cli/check/check.h"
#include "document/diagnostic.h"
#include "util/json_out.h"

static void add_pairs(struct skill__buf *buf, const struct check *check) {
  skill__json_open(buf, "competing", "[");
  for (size_t i = 0; i < check->pair_count; i++) {
    skill__json_open(buf, NULL, "{");
    skill__json_add_text(buf, "a", check->pairs[i].a);
    skill__json_add_text(buf, "b", check->pairs[i].b);
    skill__json_add_real(buf, "score", check->pairs[i].score, 3);
    skill__json_close(buf, "}");
  }
  skill__json_close(buf, "]");
}

int check_json(const struct check *check) {
  struct skill__buf buf;
  SkillSyncReport report = {.diagnostics = check->findings, .diagnostic_count = check->count};
  skill__buf_init(&buf, SIZE_MAX / 4);
  skill__json_open(&buf, NULL, "{");
  skill__json_add_size(&buf, "skills", skill_registry_count(check->catalog.registry));
  cli_catalog_json_diagnostics(&buf, &report);
  add_pairs(&buf, check);
  skill__json_close(&buf, "}");
  return cli_print_json(check->cli, &buf);
}

/* --- SARIF -------------------------------------------------------------------------------------------------------- */

static const char *sarif_level(SkillLevel level) {
  static const char *const names[] = {
      [SKILL_LEVEL_ERROR] = "error", [SKILL_LEVEL_WARNING] = "warning", [SKILL_LEVEL_INFO] = "note"};
  return names[level];
}

static void add_message(struct skill__buf *buf, const char *key, const char *text) {
  skill__json_open(buf, key, "{");
  skill__json_add_text(buf, "text", text);
  skill__json_close(buf, "}");
}

static void add_rule(struct skill__buf *buf, const char *code, const char *fix, SkillLevel level) {
  skill__json_open(buf, NULL, "{");
  skill__json_add_text(buf, "id", code);
  add_message(buf, "shortDescription", code);
  add_message(buf, "help", fix);
  skill__json_open(buf, "defaultConfiguration", "{");
  skill__json_add_text(buf, "level", sarif_level(level));
  skill__json_close(buf, "}}");
}

static void add_rules(struct skill__buf *buf, const struct check *check) {
  skill__json_open(buf, "rules", "[");
  for (unsigned code = 0; code < SKILL__CODE_COUNT; code++) {
    enum skill__code c = (enum skill__code)code;
    add_rule(buf, skill__code_name(c), skill__code_fix(c), skill__code_level(c, check->strict));
  }
  for (size_t i = 0; i < check->count; i++) { /* codes of discovery, once each */
    const SkillDiagnostic *d = &check->findings[i];
    bool known = skill__code_find(d->code) != SKILL__CODE_COUNT;
    for (size_t j = 0; j < i && !known; j++) known = !strcmp(check->findings[j].code, d->code);
    if (!known) add_rule(buf, d->code, d->fix, d->level);
  }
  skill__json_close(buf, "]");
}

/* A path as a relative reference (RFC 3986): bytes other than these are percent-encoded. */
static void add_uri(struct skill__buf *buf, const char *path) {
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  skill__json_open(buf, "uri", path[0] == '/' ? "\"file://" : "\"");
  for (; *path; path++) skill__buf_printf(buf, strchr(plain, *path) ? "%c" : "%%%02X", (unsigned char)*path);
  skill__buf_char(buf, '"');
}

static void add_result(struct skill__buf *buf, const SkillDiagnostic *d) {
  struct skill__buf text;
  skill__buf_init(&text, 4096);
  skill__buf_printf(&text, "%s; %s", d->message, d->fix);
  skill__json_open(buf, NULL, "{");
  skill__json_add_text(buf, "ruleId", d->code);
  skill__json_add_text(buf, "level", sarif_level(d->level));
  add_message(buf, "message", text.data ? text.data : d->message);
  skill__json_open(buf, "locations", "[{\"physicalLocation\":{\"artifactLocation\":{");
  add_uri(buf, d->path ? d->path : "");
  skill__json_close(buf, "}");
  skill__json_open(buf, "region", "{");
  skill__json_add_size(buf, "startLine", d->line ? d->line : 1);
  if (d->column) skill__json_add_size(buf, "startColumn", d->column);
  skill__json_close(buf, "}}}]}");
  skill__buf_fini(&text);
}

int check_sarif(const struct check *check) {
  struct skill__buf buf;
  skill__buf_init(&buf, SIZE_MAX / 4);
  skill__json_open(&buf, NULL, "{");
  skill__json_add_text(&buf, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
  skill__json_add_text(&buf, "version", "2.1.0");
  skill__json_open(&buf, "runs", "[{");
  skill__json_add_text(&buf, "columnKind", "unicodeCodePoints");
  skill__json_open(&buf, "tool", "{\"driver\":{");
  skill__json_add_text(&buf, "name", "skillet");
  skill__json_add_text(&buf, "version", skill_version());
  add_rules(&buf, check);
  skill__json_close(&buf, "}}");
  skill__json_open(&buf, "results", "[");
  for (size_t i = 0; i < check->count; i++) add_result(&buf, &check->findings[i]);
  skill__json_close(&buf, "]}]}");
  return cli_print_json(check->cli, &buf);
}
