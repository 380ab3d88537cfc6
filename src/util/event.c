/* SPDX-License-Identifier: MIT
 *
 * Events to JSON, without allocating: an event may report that memory is exhausted.
 */
#include "skillet/event.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/utf8.h"

/* Counts everything, keeps what fits. */
struct sink {
  char *at;
  size_t size;
  size_t length;
};

const char *skill_event_name(SkillEventKind kind) {
  switch (kind) {
#define SKILL_X(id, name) \
  case SKILL_EVENT_##id:  \
    return name;
    SKILL_EVENT_MAP(SKILL_X)
#undef SKILL_X
  }
  return "unknown";
}

static void put(struct sink *sink, const char *text, size_t length) {
  if (sink->length < sink->size) {
    size_t room = sink->size - sink->length;
    memcpy(sink->at + sink->length, text, length < room ? length : room);
  }
  sink->length += length;
}

static void put_text(struct sink *sink, const char *text) {
  put(sink, text, strlen(text));
}

static void put_byte(struct sink *sink, unsigned char c) {
  char escape[8];
  if (c == '"' || c == '\\') {
    escape[0] = '\\';
    escape[1] = (char)c;
    put(sink, escape, 2);
  } else if (c < 0x20 || c == 0x7f) {
    put(sink, escape, (size_t)snprintf(escape, sizeof escape, "\\u%04x", c));
  } else {
    put(sink, (const char *)&c, 1);
  }
}

static void put_string(struct sink *sink, const char *key, const char *text) {
  if (!text) return;
  put_text(sink, ",\"");
  put_text(sink, key);
  put_text(sink, "\":\"");
  for (size_t length = strlen(text); length;) {
    size_t step = skill__utf8_length(text, length);
    if (step == 1) {
      put_byte(sink, (unsigned char)*text);
    } else if (step) {
      put(sink, text, step);
    } else {
      put_text(sink, "\xef\xbf\xbd");
      step = 1;
    }
    text += step;
    length -= step;
  }
  put_text(sink, "\"");
}

static void put_format(struct sink *sink, const char *format, ...) SKILL_PRINTF(2, 3);
static void put_format(struct sink *sink, const char *format, ...) {
  char text[96];
  va_list args;
  va_start(args, format);
  int length = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (length > 0) put(sink, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

/* The decimal point depends on the locale of the process; JSON's does not. */
static void put_score(struct sink *sink, double score) {
  char text[40];
  if (score == 0 || !isfinite(score)) return;
  snprintf(text, sizeof text, "%.6g", score);
  char *comma = strchr(text, ',');
  if (comma) *comma = '.';
  put_format(sink, ",\"score\":%s", text);
}

size_t skill_event_json(const SkillEvent *event, char *buffer, size_t size) {
  struct sink sink = {buffer, size ? size - 1 : 0, 0};
  put_format(&sink, "{\"event\":\"%s\",\"time_ms\":%lld", skill_event_name(event->kind), (long long)event->time_ms);
  put_string(&sink, "skill", event->skill);
  put_string(&sink, "tool", event->tool);
  put_string(&sink, "source", event->source);
  put_score(&sink, event->score);
  if (event->tokens) put_format(&sink, ",\"tokens\":%zu", event->tokens);
  if (event->count) put_format(&sink, ",\"count\":%zu", event->count);
  if (event->status) put_format(&sink, ",\"status\":%d", event->status);
  put_string(&sink, "reason", event->reason);
  put_text(&sink, "}");
  if (size) buffer[sink.length < size ? sink.length : size - 1] = '\0';
  return sink.length;
}
