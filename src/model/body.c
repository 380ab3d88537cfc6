/* SPDX-License-Identifier: MIT
 *
 * Pieces of request bodies; see body.h. Schemas and arguments are JSON text already: they are checked by a scanner and
 * copied, never parsed and printed again, so a request with many tools costs little more than its bytes.
 */
#include "model/body.h"

#include <stdio.h>
#include <string.h>

#include "util/alloc.h"

#define MAX_NESTING 500

/* ---- names ---- */

static bool wire_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

void skill__wire_name(const char *name, char out[SKILL__WIRE_NAME]) {
  size_t length = strlen(name);
  bool fits = length > 0 && length <= 64;
  uint32_t sum = 2166136261u; /* FNV-1a */
  for (size_t i = 0; i < length; i++) {
    sum = (sum ^ (unsigned char)name[i]) * 16777619u;
    fits = fits && wire_char(name[i]);
  }
  if (fits) {
    memcpy(out, name, length + 1);
    return;
  }
  size_t keep = length < 55 ? length : 55;
  for (size_t i = 0; i < keep; i++) out[i] = wire_char(name[i]) ? name[i] : '_';
  snprintf(out + keep, SKILL__WIRE_NAME - keep, "_%08x", (unsigned)sum);
}

static uint64_t checksum(const char *id) {
  uint64_t sum = 14695981039346656037u; /* FNV-1a */
  for (; *id; id++) sum = (sum ^ (unsigned char)*id) * 1099511628211u;
  return sum;
}

static int remember_ids(struct skill__wire *wire, const SkillMessage *message) {
  if (SKILL__GROW(wire->ids, wire->id_capacity, wire->id_count + message->call_count)) return SKILL_ENOMEM;
  for (size_t i = 0; i < message->call_count; i++) wire->ids[wire->id_count++] = checksum(message->calls[i].id);
  return 0;
}

bool skill__wire_used(const struct skill__wire *wire, const char *id) {
  uint64_t sum = checksum(id);
  for (size_t i = 0; wire && i < wire->id_count; i++) {
    if (wire->ids[i] == sum) return true;
  }
  return false;
}

int skill__wire_remember(struct skill__wire *wire, const SkillModelRequest *request) {
  for (size_t i = 0; i < request->message_count; i++) {
    if (request->messages[i].call_count && remember_ids(wire, &request->messages[i])) return SKILL_ENOMEM;
  }
  for (size_t i = 0; i < request->tool_count; i++) {
    char sent[SKILL__WIRE_NAME];
    skill__wire_name(request->tools[i].name, sent);
    if (strcmp(sent, request->tools[i].name) == 0) continue;
    if (SKILL__GROW(wire->pairs, wire->capacity, wire->count + 1)) return SKILL_ENOMEM;
    struct skill__wire_pair *pair = &wire->pairs[wire->count];
    memcpy(pair->sent, sent, sizeof sent);
    pair->name = skill__strdup(request->tools[i].name);
    if (!pair->name) return SKILL_ENOMEM;
    wire->count++;
  }
  return 0;
}

void skill__wire_fini(struct skill__wire *wire) {
  for (size_t i = 0; i < wire->count; i++) skill__free(wire->pairs[i].name);
  skill__free(wire->pairs);
  skill__free(wire->ids);
  memset(wire, 0, sizeof *wire);
}

const char *skill__wire_find(const struct skill__wire *wire, const char *sent) {
  for (size_t i = 0; wire && i < wire->count; i++) {
    if (strcmp(wire->pairs[i].sent, sent) == 0) return wire->pairs[i].name;
  }
  return sent;
}

/* ---- a JSON scanner ---- */

struct scan {
  const char *p;
  const char *end;
  unsigned depth;
};

static void skip_blanks(struct scan *s) {
  while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\n' || *s->p == '\r')) s->p++;
}

static bool digits(struct scan *s) {
  const char *from = s->p;
  while (s->p < s->end && *s->p >= '0' && *s->p <= '9') s->p++;
  return s->p > from;
}

static bool scan_number(struct scan *s) {
  if (s->p < s->end && *s->p == '-') s->p++;
  if (s->p < s->end && *s->p == '0') {
    s->p++;
  } else if (!digits(s)) {
    return false;
  }
  if (s->p < s->end && *s->p == '.') {
    s->p++;
    if (!digits(s)) return false;
  }
  if (s->p < s->end && (*s->p == 'e' || *s->p == 'E')) {
    s->p++;
    if (s->p < s->end && (*s->p == '+' || *s->p == '-')) s->p++;
    if (!digits(s)) return false;
  }
  return true;
}

static bool scan_string(struct scan *s) {
  for (s->p++; s->p < s->end; s->p++) {
    unsigned char c = (unsigned char)*s->p;
    if (c == '"') {
      s->p++;
      return true;
    }
    if (c < 0x20) return false;
    if (c != '\\') continue;
    if (++s->p >= s->end || !strchr("\"\\/bfnrtu", *s->p) || !*s->p) return false;
    if (*s->p != 'u') continue;
    if (s->end - s->p < 5) return false;
    for (int i = 1; i <= 4; i++) {
      if (!s->p[i] || !strchr("0123456789abcdefABCDEF", s->p[i])) return false;
    }
    s->p += 4;
  }
  return false;
}

static bool scan_word(struct scan *s, const char *word) {
  size_t length = strlen(word);
  if ((size_t)(s->end - s->p) < length || memcmp(s->p, word, length) != 0) return false;
  s->p += length;
  return true;
}

static bool scan_value(struct scan *s);

static bool scan_nested(struct scan *s, char close) {
  if (++s->depth > MAX_NESTING) return false;
  s->p++;
  skip_blanks(s);
  if (s->p < s->end && *s->p == close) goto closed;
  for (;;) {
    if (close == '}') {
      skip_blanks(s);
      if (s->p >= s->end || *s->p != '"' || !scan_string(s)) return false;
      skip_blanks(s);
      if (s->p >= s->end || *s->p++ != ':') return false;
    }
    if (!scan_value(s)) return false;
    skip_blanks(s);
    if (s->p >= s->end) return false;
    if (*s->p == close) break;
    if (*s->p++ != ',') return false;
  }
closed:
  s->p++;
  s->depth--;
  return true;
}

static bool scan_value(struct scan *s) {
  skip_blanks(s);
  if (s->p >= s->end) return false;
  switch (*s->p) {
    case '{':
      return scan_nested(s, '}');
    case '[':
      return scan_nested(s, ']');
    case '"':
      return scan_string(s);
    case 't':
      return scan_word(s, "true");
    case 'f':
      return scan_word(s, "false");
    case 'n':
      return scan_word(s, "null");
    default:
      return scan_number(s);
  }
}

bool skill__body_json(const char *text, size_t length, bool object) {
  struct scan s = {text, text + length, 0};
  skip_blanks(&s);
  if (object && (s.p >= s.end || *s.p != '{')) return false;
  if (!scan_value(&s)) return false;
  skip_blanks(&s);
  return s.p == s.end;
}

/* ---- pieces ---- */

int skill__body_schema(struct skill__buf *buf, const SkillTool *tool, SkillError *err) {
  const char *schema = tool->input_schema;
  if (!schema) {
    skill__buf_text(buf, "{\"type\":\"object\",\"properties\":{}}");
    return 0;
  }
  size_t length = strlen(schema);
  if (!skill__body_json(schema, length, true)) {
    return skill_error_set(err, SKILL_EINVAL, "the input_schema of tool %.200s is no JSON object", tool->name);
  }
  skill__buf_add(buf, schema, length);
  return 0;
}

void skill__body_extra(struct skill__buf *buf, const char *extra) {
  if (!extra) return;
  const char *open = strchr(extra, '{');
  const char *close = strrchr(extra, '}');
  const char *p = open + 1;
  while (p < close && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r')) p++;
  if (p == close) return;
  skill__buf_char(buf, ',');
  skill__buf_add(buf, p, (size_t)(close - p));
}

void skill__body_temperature(struct skill__buf *buf, const SkillModelRequest *request) {
  if (!(request->temperature >= 0) || request->temperature > 100) return;
  /* Thousandths by hand: printf writes the locale's decimal point. */
  int thousandths = (int)(request->temperature * 1000 + 0.5);
  skill__buf_printf(buf, ",\"temperature\":%d.%03d", thousandths / 1000, thousandths % 1000);
}
