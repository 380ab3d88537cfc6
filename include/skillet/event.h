/* SPDX-License-Identifier: MIT
 *
 * Events: every decision is reported to one callback, with names, numbers and the reason.
 */
#ifndef SKILLET_EVENT_H
#define SKILLET_EVENT_H

#include "skillet/base.h"

SKILL_BEGIN

/* X(id, name). The name is used in JSON lines. */
#define SKILL_EVENT_MAP(X)            \
  X(DISCOVERED, "discovered")         \
  X(SHADOWED, "shadowed")             \
  X(PARSE_WARNING, "parse-warning")   \
  X(REGISTERED, "registered")         \
  X(UNREGISTERED, "unregistered")     \
  X(RANKED, "ranked")                 \
  X(ACTIVATING, "activating")         \
  X(ACTIVATED, "activated")           \
  X(HIT, "hit")                       \
  X(INIT_FAILED, "init-failed")       \
  X(DEACTIVATED, "deactivated")       \
  X(DISPOSE_FAILED, "dispose-failed") \
  X(EVICTED, "evicted")               \
  X(EXPIRED, "expired")               \
  X(NOT_ACTIVATED, "not-activated")   \
  X(DENIED, "denied")                 \
  X(SEARCHED, "searched")             \
  X(OPENED, "opened")                 \
  X(READ, "read")                     \
  X(RETRIEVED, "retrieved")           \
  X(FORKED, "forked")                 \
  X(COMPACTED, "compacted")           \
  X(MODEL_REQUEST, "model-request")   \
  X(MODEL_REPLY, "model-reply")       \
  X(TOOL_STATE, "tool-state")         \
  X(PREFIX, "prefix")                 \
  X(RESCANNED, "rescanned")           \
  X(DEGRADED, "degraded")

typedef enum SkillEventKind {
#define SKILL_X(id, name) SKILL_EVENT_##id,
  SKILL_EVENT_MAP(SKILL_X)
#undef SKILL_X
} SkillEventKind;

/* One event. Its pointers are borrowed until the callback returns. Unused members are NULL or 0. */
typedef struct SkillEvent {
  SkillEventKind kind;
  int64_t time_ms;         /* by the clock of the SkillIo */
  const char *skill;       /* the skill concerned */
  const char *tool;        /* the tool concerned */
  const char *source;      /* the source or root concerned */
  const char *reason;      /* one clause */
  int status;              /* 0 or a SKILL_E… code */
  double score;            /* rank score */
  size_t tokens;           /* number of model tokens concerned */
  size_t count;            /* a number: of results, of skills, or a place in a ranking */
  const void *reserved[8]; /* 0 */
} SkillEvent;

/* Runs on the thread of the object that emits the event, and must not call functions of that object. */
typedef void (*SkillEventCb)(const SkillEvent *event, void *user);

/* Returns the name of a kind, e.g. "activated"; static. */
SKILL_API const char *skill_event_name(SkillEventKind kind);

/* Writes the event as one JSON object, without a line end and without unused members, to `buffer`. As snprintf does,
 * returns the length of the whole text and cuts it to `size`. */
SKILL_API size_t skill_event_json(const SkillEvent *event, char *buffer, size_t size);

SKILL_END

#endif
