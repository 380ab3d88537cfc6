/* SPDX-License-Identifier: MIT
 *
 * What the gateway's files share: the call record, kept results, the guard against repeated failures.
 */
#ifndef SKILL_GATEWAY_INTERNAL_H
#define SKILL_GATEWAY_INTERNAL_H

#include "gateway/for_agent.h"
#include "gateway/permission.h"
#include "process/timer.h"
#include "skill/tool_call.h"
#include "util/buf.h"

enum {
  SKILL__KEPT_RESULTS = 16, /* results that can be paged */
  SKILL__GUARD_CALLS = 32,  /* distinct failing calls that are remembered */
  SKILL__REASON_SIZE = 640, /* bytes of a reason */
};
#define SKILL__KEPT_BYTES ((size_t)64 * 1024 * 1024) /* of all kept results; the oldest go first */

struct skill__call {
  struct SkillToolCall base; /* first: handlers get this */
  struct skill__post post;
  struct skill__call *next;
  SkillGateway *gateway; /* NULL: the gateway is gone */
  SkillLoop *loop;
  SkillTarget target; /* tool, skill and folder are copies in `memory` */
  SkillTool tool;
  SkillCallInfo info;
  char *memory; /* id, tool, skill, folder, arguments, schema */
  char reason[SKILL__REASON_SIZE];
  SkillCallCb done;
  void *user;
  SkillProcess *process;
  int64_t deadline_ms; /* -1: none */
  bool handed;         /* the handler was called */
  bool held;           /* the loader holds the skill in use */
  bool settled;        /* its end is decided; `done` is due */
  bool delivered;      /* `done` was called; the record waits for its handler only */
  uv_mutex_t lock;     /* over what follows */
  bool posted;
  bool finished; /* the handler has finished */
  int status;
  char *text; /* owned */
  size_t length;
};

struct skill__kept {
  char *id;
  char *text;
  size_t length;
};

struct skill__guarded {
  uint64_t hash;
  unsigned failures;
  uint64_t used; /* for replacing the one unused for longest */
};

struct SkillGateway {
  SkillGatewayOptions options;
  SkillPermissions *permissions;
  struct skill__timer *timer;
  struct skill__call *calls;   /* open, oldest first */
  struct skill__call *orphans; /* delivered, with a handler that still runs */
  struct skill__kept kept[SKILL__KEPT_RESULTS];
  size_t kept_next;
  size_t kept_bytes;
  struct skill__guarded guarded[SKILL__GUARD_CALLS];
  uint64_t guard_clock;
};

/* Decides whether the call may run: fills info.state (PENDING, AWAITING or REJECTED) and info.reason. */
void skill__gateway_admit(SkillGateway *gateway, struct skill__call *call);

/* Starts the handler or script. Non-zero: it did not start, and `err` says why. */
int skill__gateway_start(SkillGateway *gateway, struct skill__call *call, SkillError *err);

/* Cuts a finished call's text to the cap and keeps the whole for paging. 0 or SKILL_ENOMEM. */
int skill__gateway_cut(SkillGateway *gateway, struct skill__call *call);

/* The guard: what a call did, and how often the same one has failed in a row. */
void skill__gateway_note(SkillGateway *gateway, const SkillCallInfo *info, bool failed);
unsigned skill__gateway_failures(const SkillGateway *gateway, const SkillCallInfo *info);

/* Tells the state to on_state and to the decision log. */
void skill__gateway_tell(SkillGateway *gateway, const struct skill__call *call);

#endif
