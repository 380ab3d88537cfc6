/* SPDX-License-Identifier: MIT
 *
 * The life of a call. Each call has one record. Its end is decided once (a result, a rejection, a time-out, an abort)
 * and reported in a later step of the loop, never from within the function that caused it. A handler cannot be stopped:
 * the record of one that is still running after the end was reported becomes an orphan, and is freed when it finishes.
 */
#include <stdio.h>
#include <string.h>

#include "gateway/internal.h"
#include "util/alloc.h"
#include "util/options.h"

static int64_t now(const SkillGateway *gateway) {
  return gateway->options.io->now_ms(gateway->options.io);
}

/* --- records --------------------------------------------------------------------------------------------------- */

/* The caller's texts are borrowed only during the call of skill_gateway_call(), and a call outlives it. */
static bool copy_texts(struct skill__gateway_call *call, const SkillTarget *target, const SkillCall *asked) {
  static const SkillTool none;
  const SkillTool *tool = target->tool ? target->tool : &none;
  const char *arguments = asked->arguments && *asked->arguments ? asked->arguments : "{}";
  const char *name = tool->name ? tool->name : asked->name;
  size_t size = skill__text_size(asked->id) + skill__text_size(name) + skill__text_size(arguments) +
                skill__text_size(target->skill) + skill__text_size(target->folder) +
                skill__text_size(tool->input_schema) + skill__text_size(tool->command) +
                skill__text_size(target->hint) + skill__text_size(target->refused);
  char *at = call->memory = skill__malloc(size);
  if (!at) return false;
  call->info.id = skill__text_put(&at, asked->id);
  call->info.tool = skill__text_put(&at, name);
  call->info.arguments = skill__text_put(&at, arguments);
  call->info.skill = skill__text_put(&at, target->skill);
  call->target = *target;
  call->target.skill = call->info.skill;
  call->target.folder = skill__text_put(&at, target->folder);
  call->target.hint = skill__text_put(&at, target->hint);
  call->target.refused = skill__text_put(&at, target->refused);
  call->tool = *tool;
  call->tool.name = call->info.tool;
  call->tool.description = NULL;
  call->tool.input_schema = skill__text_put(&at, tool->input_schema);
  call->tool.command = skill__text_put(&at, tool->command);
  call->info.dangerous = (tool->flags & SKILL_TOOL_DANGEROUS) != 0;
  return true;
}

static void free_call(struct skill__gateway_call *call) {
  uv_mutex_destroy(&call->lock);
  skill__free(call->text);
  skill__free(call->memory);
  skill__free(call);
}

static void unlink_call(struct skill__gateway_call **list, struct skill__gateway_call *call) {
  while (*list && *list != call) list = &(*list)->next;
  if (*list) *list = call->next;
}

/* While a handler runs, its skill must not be evicted or disposed. */
static void release_skill(struct skill__gateway_call *call) {
  if (call->held && call->gateway) (void)skill_loader_unuse(call->gateway->options.loader, call->info.skill);
  call->held = false;
}

/* Frees the record, or makes it an orphan if its handler or the loop's queue still refers to it. */
static void let_go(struct skill__gateway_call *call) {
  uv_mutex_lock(&call->lock);
  bool running = call->handed && !call->finished;
  bool queued = call->posted;
  uv_mutex_unlock(&call->lock);
  call->delivered = true;
  if (running || queued) {
    if (!call->gateway) return;
    call->next = call->gateway->orphans;
    call->gateway->orphans = call;
    return;
  }
  release_skill(call);
  skill__loop_release(call->loop);
  free_call(call);
}

/* One timer serves all calls: it is set for the earliest deadline. */
static void arm(SkillGateway *gateway) {
  int64_t first = -1;
  for (struct skill__gateway_call *call = gateway->calls; call; call = call->next) {
    if (call->info.state != SKILL_CALL_RUNNING || call->deadline_ms < 0 || call->settled) continue;
    if (first < 0 || call->deadline_ms < first) first = call->deadline_ms;
  }
  int64_t wait = -1;
  if (first >= 0) wait = first > now(gateway) ? first - now(gateway) : 0;
  skill__timer_set(gateway->timer, wait);
}

/* --- the end of a call ----------------------------------------------------------------------------------------- */

/* At most one place in the queue for each record. */
static void post_call(struct skill__gateway_call *call) {
  uv_mutex_lock(&call->lock);
  bool queued = call->posted;
  call->posted = true;
  uv_mutex_unlock(&call->lock);
  if (!queued) skill__loop_post(call->loop, &call->post);
}

/* The handler or script is asked to stop; its result is ignored. */
static void decide_end(struct skill__gateway_call *call, SkillCallState state, int status, const char *reason) {
  call->settled = true;
  call->info.state = state;
  call->info.status = status;
  if (reason != call->reason) snprintf(call->reason, sizeof call->reason, "%s", reason);
  call->info.reason = call->reason;
  atomic_store(&call->base.canceled, true);
  if (call->process) skill_process_cancel(call->process);
  post_call(call);
}

/* A failure without text gets the text of its status, so that the model never receives an empty error. */
static void take_result(SkillGateway *gateway, struct skill__gateway_call *call) {
  bool failed = call->status != 0;
  call->info.state = failed ? SKILL_CALL_ERROR : SKILL_CALL_SUCCESS;
  call->info.status = call->status;
  if (!failed && skill__gateway_cut(gateway, call)) {
    call->info.state = SKILL_CALL_ERROR;
    call->info.status = SKILL_ENOMEM;
  }
  call->info.text = call->text ? call->text : "";
  call->info.length = call->text ? call->length : 0;
  if (call->info.status && !call->info.length) {
    call->info.text = skill_strerror(call->info.status);
    call->info.length = strlen(call->info.text);
  }
  if (failed) call->info.reason = skill_strerror(call->info.status);
}

static void run_ready(SkillGateway *gateway);

static void deliver(SkillGateway *gateway, struct skill__gateway_call *call) {
  if (call->settled) {
    call->info.text = call->reason;
    call->info.length = strlen(call->reason);
    call->info.whole = call->info.length;
  } else {
    take_result(gateway, call);
  }
  call->info.finished_ms = now(gateway);
  bool failed = call->info.state == SKILL_CALL_ERROR;
  if (failed || call->info.state == SKILL_CALL_SUCCESS) skill__gateway_note(gateway, &call->info, failed);
  unlink_call(&gateway->calls, call);
  skill__gateway_report(gateway, call);
  call->done(&call->info, call->user);
}

/* The handler has finished, or the end was decided, or both; the loop's thread. */
static void on_post(struct skill__post *post) {
  struct skill__gateway_call *call =
      (struct skill__gateway_call *)(void *)((char *)post - offsetof(struct skill__gateway_call, post));
  uv_mutex_lock(&call->lock);
  call->posted = false;
  bool running = call->handed && !call->finished;
  uv_mutex_unlock(&call->lock);
  SkillGateway *gateway = call->gateway;
  if (!running) release_skill(call);
  if (call->delivered) { /* an orphan */
    if (running) return;
    if (gateway) unlink_call(&gateway->orphans, call);
    skill__loop_release(call->loop);
    free_call(call);
    return;
  }
  if (running && !call->settled) return;
  deliver(gateway, call);
  let_go(call);
  run_ready(gateway);
}

/* --- running --------------------------------------------------------------------------------------------------- */

static void run_one(SkillGateway *gateway, struct skill__gateway_call *call) {
  SkillError why = SKILL_ERROR_INIT;
  int64_t limit = gateway->options.call_timeout_ms;
  call->info.state = SKILL_CALL_RUNNING;
  call->info.running_ms = now(gateway);
  call->deadline_ms = limit < 0 || call->target.untimed ? -1 : call->info.running_ms + limit;
  if (gateway->options.loader && call->info.skill && !call->target.own) {
    call->held = skill_loader_use(gateway->options.loader, call->info.skill) == 0;
  }
  skill__gateway_report(gateway, call);
  if (call->settled) return; /* the state callback may have aborted it */
  int status = skill__gateway_start(gateway, call, &why);
  if (status) decide_end(call, SKILL_CALL_ERROR, status, why.message);
}

/* Calls run in order of arrival. One may overtake earlier calls, or run beside them, only if it and all earlier open
 * calls are marked PARALLEL. A call that awaits approval counts as running: the user's answer may take long, and calls
 * that depend on it must not pass. */
static void run_ready(SkillGateway *gateway) {
  bool busy = false;   /* an earlier call runs or awaits approval */
  bool serial = false; /* an earlier open call is not PARALLEL */
  for (struct skill__gateway_call *call = gateway->calls; call; call = call->next) {
    bool parallel = (call->tool.flags & SKILL_TOOL_PARALLEL) != 0;
    bool waits = call->info.state == SKILL_CALL_AWAITING;
    if (call->settled) continue;
    if (call->info.state == SKILL_CALL_PENDING && !serial && (parallel || !busy)) run_one(gateway, call);
    busy = busy || call->info.state == SKILL_CALL_RUNNING || waits;
    serial = serial || !parallel;
  }
  arm(gateway);
}

static struct skill__gateway_call *find_open(const SkillGateway *gateway, const char *id) {
  for (struct skill__gateway_call *call = gateway->calls; call; call = call->next) {
    if (!call->settled && strcmp(call->info.id, id) == 0) return call;
  }
  return NULL;
}

static void append(SkillGateway *gateway, struct skill__gateway_call *call) {
  struct skill__gateway_call **at = &gateway->calls;
  while (*at) at = &(*at)->next;
  *at = call;
}

static void begin(SkillGateway *gateway, struct skill__gateway_call *call) {
  call->info.state = SKILL_CALL_PENDING;
  call->info.pending_ms = now(gateway);
  skill__gateway_report(gateway, call);
  if (call->settled) return; /* the state callback may have aborted it */
  skill__gateway_admit(gateway, call);
  if (call->info.state == SKILL_CALL_REJECTED) {
    decide_end(call, SKILL_CALL_REJECTED, call->status, call->reason);
  } else if (call->info.state == SKILL_CALL_AWAITING) {
    call->info.awaiting_ms = now(gateway);
    skill__gateway_report(gateway, call);
  }
}

int skill_gateway_call(SkillGateway *gateway, const SkillTarget *target, const SkillCall *asked, SkillCallCb done,
                       void *user, SkillError *err) {
  if (!asked || !asked->id || !asked->name || !done || !target) {
    return skill_error_set(err, SKILL_EINVAL, "a call needs an id, a name, a target and a callback");
  }
  if (find_open(gateway, asked->id)) return skill_error_set(err, SKILL_EEXISTS, "the call %s is open", asked->id);
  struct skill__gateway_call *call = skill__calloc(1, sizeof *call);
  if (!call) return skill_error_set(err, SKILL_ENOMEM, "out of memory");
  if (!copy_texts(call, target, asked) || uv_mutex_init(&call->lock)) {
    skill__free(call->memory);
    skill__free(call);
    return skill_error_set(err, SKILL_ENOMEM, "out of memory");
  }
  atomic_init(&call->base.canceled, false);
  call->post.fn = on_post;
  call->gateway = gateway;
  call->loop = gateway->options.loop;
  call->done = done;
  call->user = user;
  call->deadline_ms = -1;
  skill__loop_hold(call->loop);
  append(gateway, call);
  begin(gateway, call);
  run_ready(gateway);
  return 0;
}

int skill_gateway_decide(SkillGateway *gateway, const char *id, bool approve, const char *reason) {
  struct skill__gateway_call *call = find_open(gateway, id);
  if (!call || call->info.state != SKILL_CALL_AWAITING) return SKILL_ENOENT;
  if (approve) {
    call->info.state = SKILL_CALL_PENDING;
    snprintf(call->reason, sizeof call->reason, "approved%s%.400s", reason ? ": " : "", reason ? reason : "");
    call->info.reason = call->reason;
    run_ready(gateway);
  } else {
    char text[SKILL__CALL_REASON_SIZE];
    snprintf(text, sizeof text, "the user did not approve this call%s%.400s", reason ? ": " : "", reason ? reason : "");
    decide_end(call, SKILL_CALL_REJECTED, SKILL_EDENIED, text);
  }
  return 0;
}

size_t skill_gateway_abort(SkillGateway *gateway, const char *id, const char *reason) {
  size_t count = 0;
  for (struct skill__gateway_call *call = gateway->calls; call; call = call->next) {
    if (call->settled || (id && strcmp(call->info.id, id) != 0)) continue;
    decide_end(call, SKILL_CALL_ABORTED, SKILL_ECANCELED, reason ? reason : "canceled");
    count++;
  }
  return count;
}

bool skill_gateway_open(const SkillGateway *gateway, size_t index, SkillCallInfo *out) {
  for (const struct skill__gateway_call *call = gateway->calls; call; call = call->next) {
    if (call->settled || index--) continue;
    *out = call->info;
    return true;
  }
  return false;
}

void skill_gateway_tick(SkillGateway *gateway) {
  int64_t time = now(gateway);
  for (struct skill__gateway_call *call = gateway->calls; call; call = call->next) {
    bool due = call->info.state == SKILL_CALL_RUNNING && call->deadline_ms >= 0 && time >= call->deadline_ms;
    if (!due || call->settled) continue;
    char text[160];
    snprintf(text, sizeof text, "timed out: no result after %lld ms", (long long)(time - call->info.running_ms));
    decide_end(call, SKILL_CALL_ERROR, SKILL_ETIMEDOUT, text);
  }
  arm(gateway);
}

static void on_timer(void *arg) {
  skill_gateway_tick(arg);
}

/* --- creating and freeing ---------------------------------------------------------------------------------------- */

int skill_gateway_new(const SkillGatewayOptions *options, SkillGateway **out, SkillError *err) {
  SkillGatewayOptions given = SKILL_GATEWAY_OPTIONS_INIT;
  SkillPermissions permissions = SKILL_PERMISSIONS_INIT;
  int status = SKILL__OPTIONS(SkillGatewayOptions, &given, options, err);
  if (!status) status = SKILL__OPTIONS(SkillPermissions, &permissions, given.permissions, err);
  if (status) return status;
  if (!given.loop) return skill_error_set(err, SKILL_EINVAL, "a gateway needs a loop");
  SkillGateway *gateway = skill__calloc(1, sizeof *gateway);
  if (!gateway) return skill_error_set(err, SKILL_ENOMEM, "out of memory");
  gateway->options = given;
  SkillGatewayOptions *o = &gateway->options;
  if (!o->io) o->io = skill_io_posix();
  if (!o->call_timeout_ms) o->call_timeout_ms = 120000;
  if (!o->result_bytes) o->result_bytes = (size_t)32 * 1024;
  if (!o->same_failures) o->same_failures = 3;
  gateway->permissions = skill__permissions_copy(&permissions);
  gateway->timer = skill__timer_new(given.loop, on_timer, gateway);
  o->permissions = gateway->permissions;
  if (!gateway->permissions || !gateway->timer) {
    skill_gateway_free(gateway);
    return skill_error_set(err, SKILL_ENOMEM, "out of memory");
  }
  *out = gateway;
  return 0;
}

/* Orphans stay in memory until their handlers finish; they only lose their gateway. */
void skill_gateway_free(SkillGateway *gateway) {
  if (!gateway) return;
  while (gateway->calls) {
    struct skill__gateway_call *call = gateway->calls;
    gateway->calls = call->next;
    atomic_store(&call->base.canceled, true);
    if (call->process) skill_process_cancel(call->process);
    release_skill(call);
    call->gateway = NULL;
    let_go(call);
  }
  for (struct skill__gateway_call *call = gateway->orphans; call; call = call->next) {
    release_skill(call);
    call->gateway = NULL;
  }
  skill__gateway_drop_kept(gateway);
  skill__timer_free(gateway->timer);
  skill__free(gateway->permissions);
  skill__free(gateway);
}
