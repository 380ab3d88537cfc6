/* SPDX-License-Identifier: MIT
 *
 * Counts texts, and tools by their compact JSON, with any tokenizer. If memory is out, the parts of a tool are counted
 * separately, which is wrong by a token or two.
 */
#include <string.h>

#include "tokens/tokens.h"
#include "util/json_out.h"

/* Bytes of one tool's JSON; above, its parts are counted separately. */
#define MAX_TOOL_JSON ((size_t)64 * 1024 * 1024)

void skill_tokenizer_free(SkillTokenizer *tokenizer) {
  if (tokenizer && tokenizer->free) tokenizer->free(tokenizer);
}

size_t skill_tokens_count(SkillTokenizer *tokenizer, const char *text, size_t length) {
  if (!tokenizer) tokenizer = skill_tokenizer_estimate();
  return length ? tokenizer->count(tokenizer, text, length) : 0;
}

static void add_minified(struct skill__buf *buf, const char *json) {
  const char *start = json;
  bool quoted = false;
  const char *p = json;
  for (; *p; p++) {
    if (*p == '"') quoted = !quoted;
    if (quoted && *p == '\\' && p[1]) {
      p++;
    } else if (!quoted && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')) {
      skill__buf_add(buf, start, (size_t)(p - start));
      start = p + 1;
    }
  }
  skill__buf_add(buf, start, (size_t)(p - start));
}

void skill__tokens_tool_json(struct skill__buf *buf, const SkillTool *tool) {
  skill__json_open(buf, NULL, "{");
  skill__json_add_text(buf, "name", tool->name);
  if (tool->description) skill__json_add_text(buf, "description", tool->description);
  skill__json_open(buf, "input_schema", "");
  add_minified(buf, tool->input_schema ? tool->input_schema : "{}");
  skill__json_close(buf, "}");
}

static size_t count_text(SkillTokenizer *tokenizer, const char *text) {
  return text ? skill_tokens_count(tokenizer, text, strlen(text)) : 0;
}

size_t skill_tokens_tool(SkillTokenizer *tokenizer, const SkillTool *tool) {
  struct skill__buf buf;
  skill__buf_init(&buf, MAX_TOOL_JSON);
  skill__tokens_tool_json(&buf, tool);
  size_t tokens = 0;
  if (skill__buf_status(&buf)) {
    static const char frame[] = "{\"name\":\"\",\"description\":\"\",\"input_schema\":{}}";
    tokens = skill_tokens_count(tokenizer, frame, sizeof frame - 1) + count_text(tokenizer, tool->name) +
             count_text(tokenizer, tool->description) + count_text(tokenizer, tool->input_schema);
  } else {
    tokens = skill_tokens_count(tokenizer, buf.data, buf.length);
  }
  skill__buf_fini(&buf);
  return tokens;
}
