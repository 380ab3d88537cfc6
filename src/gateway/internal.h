/* SPDX-License-Identifier: MIT
 *
 * What the gateway's files share: the call record, kept results, the guard against repeated failures.
 *
 * Everything belongs to the loop's thread, except what `lock` protects: a handler may finish its call on any thread. It
 * then posts the record to the loop, and on_post() in gateway.c does the rest.
 */
#ifndef SKILL_GATEWAY_INTERNAL_H
#define SKILL_GATEWAY_INTERNAL_H

#include "gateway/for_agent.h"
#include "gateway/permission.h"
#include "process/timer.h"
#include "skill/tool_call.h"
#include "util/buf.h"

enum {
  SKILL__KEPT_RESULTS = 16,      /* results that can be paged */
  SKILL__GUARD_CALLS = 32,       /* distinct failing calls that are remembered */
  SKILL__CALL_REASON_SIZE = 640, /* bytes of a reason */
};
#define SKILL__KEPT_BYTES ((size_t)64 * 1024 * 1024) /* of all kept results; the oldest go first */

struct skill__gateway_call {
  struct SkillToolCall base; /* first: handlers get this */
  struct skill__post post;
  struct skill__gateway_call *next;
  SkillGateway *gateway; /* NULL: the gateway was freed */
  SkillLoop *loop;
  SkillTarget target; /* tool, skill and folder are copies in `memory` */
  SkillTool tool;
  SkillCallInfo info;
  char *memory; /* id, tool, skill, folder, arguments, schema */
  char reason[SKILL__CALL_REASON_SIZE];
  SkillCallCb done;
  void *user;
  SkillProcess *process;
  int64_t deadline_ms; /* -1: none */
  bool handed;         /* the handler was called */
  bool held;           /* the loader holds the skill in use */
  bool settled;        /* its end was decided without the handler: rejected, timed out or aborted */
  bool delivered;      /* `done` was called; the record waits only for its handler */
  uv_mutex_t lock;     /* protects the members below */
  bool posted;         /* in the loop's queue: on_post() will run */
  bool finished;       /* the handler has finished */
  int status;
  char *text; /* owned */
  size_t length;
};

struct skill__gateway_kept {
  char *id;
  char *text;
  size_t length;
};

struct skill__gateway_guarded {
  uint64_t hash;
  unsigned failures;
  uint64_t used; /* the guard's clock at its last failure; the smallest one is replaced */
};

struct SkillGateway {
  SkillGatewayOptions options;
  SkillPermissions *permissions;
  struct skill__timer *timer;
  struct skill__gateway_call *calls;   /* open, oldest first */
  struct skill__gateway_call *orphans; /* delivered, with a handler that still runs */
  struct skill__gateway_kept kept[SKILL__KEPT_RESULTS];
  size_t kept_next;
  size_t kept_bytes;
  struct skill__gateway_guarded guarded[SKILL__GUARD_CALLS];
  uint64_t guard_clock;
};

/* Decides whether the call may run: sets info.state (PENDING, AWAITING or REJECTED) and info.reason. */
void skill__gateway_admit(SkillGateway *gateway, struct skill__gateway_call *call);

/* Starts the handler or script. SKILL_EUNSUPPORTED: the tool has neither; else why the script did not start. */
int skill__gateway_start(SkillGateway *gateway, struct skill__gateway_call *call, SkillError *err);

/* Cuts a finished call's text to the cap and keeps the whole for paging. 0 or SKILL_ENOMEM. */
int skill__gateway_cut(SkillGateway *gateway, struct skill__gateway_call *call);

/* The guard: records the result of a call, and returns how often the same call has failed in a row. */
void skill__gateway_note(SkillGateway *gateway, const SkillCallInfo *info, bool failed);
unsigned skill__gateway_failures(const SkillGateway *gateway, const SkillCallInfo *info);

/* Passes the state to the decision log and to on_state, which may abort the call. */
void skill__gateway_report(SkillGateway *gateway, const struct skill__gateway_call *call);

#endif
