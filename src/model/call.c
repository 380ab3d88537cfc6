/* SPDX-License-Identifier: MIT
 *
 * One running model request. The model reports deltas and the end from any thread; they are queued and delivered on the
 * loop's thread. If memory runs out, the request ends with SKILL_ENOMEM.
 */
#include <stdatomic.h>
#include <string.h>

#include "process/loop.h"
#include "skillet/model.h"
#include "util/alloc.h"
#include "util/options.h"

struct delta_node {
  struct delta_node *next;
  SkillDelta delta;
};

struct SkillModelCall {
  struct skill__post post; /* first: cast back */
  SkillLoop *loop;
  SkillModel *model;
  void *impl;
  SkillDeltaCb on_delta;
  SkillReplyCb on_reply;
  void *user;
  atomic_bool canceled;
  uv_mutex_t lock; /* protects all members below */
  struct delta_node *head;
  struct delta_node *tail;
  bool posted;
  bool finished;
  bool lost; /* a delta was dropped: out of memory */
  bool has_reply;
  int status;
  SkillError error;
  SkillReply reply;
  SkillMessage *message; /* reply.message's block */
  char *names;           /* reply.model and reply.request_id */
};

void skill_model_free(SkillModel *model) {
  if (model && model->free) model->free(model);
}

static size_t sum(size_t a, size_t b) {
  return a > SIZE_MAX - b ? SIZE_MAX : a + b;
}

void skill_usage_add(SkillUsage *total, const SkillUsage *more) {
  total->input_tokens = sum(total->input_tokens, more->input_tokens);
  total->output_tokens = sum(total->output_tokens, more->output_tokens);
  total->cached_tokens = sum(total->cached_tokens, more->cached_tokens);
  total->cache_write_tokens = sum(total->cache_write_tokens, more->cache_write_tokens);
  total->estimated = total->estimated || more->estimated;
}

SkillLoop *skill_model_call_loop(const SkillModelCall *call) {
  return call->loop;
}

void skill_model_call_set_impl(SkillModelCall *call, void *impl) {
  call->impl = impl;
}

void *skill_model_call_impl(const SkillModelCall *call) {
  return call->impl;
}

bool skill_model_call_canceled(const SkillModelCall *call) {
  return atomic_load(&call->canceled);
}

static void free_call(SkillModelCall *call) {
  for (struct delta_node *node = call->head; node;) {
    struct delta_node *next = node->next;
    skill__free(node);
    node = next;
  }
  skill__free(call->message);
  skill__free(call->names);
  uv_mutex_destroy(&call->lock);
  skill__free(call);
}

static struct delta_node *copy_delta(const SkillDelta *delta) {
  size_t texts = skill__text_size(delta->id) + skill__text_size(delta->name);
  struct delta_node *node = skill__malloc(sizeof *node + delta->length + 1 + texts);
  if (!node) return NULL;
  char *at = (char *)(node + 1);
  node->next = NULL;
  node->delta = *delta;
  node->delta.text = at;
  if (delta->length) memcpy(at, delta->text, delta->length);
  at += delta->length;
  *at++ = '\0';
  node->delta.id = skill__text_put(&at, delta->id);
  node->delta.name = skill__text_put(&at, delta->name);
  return node;
}

/* The completion comes last and frees the call. */
static void deliver(struct skill__post *post) {
  SkillModelCall *call = (SkillModelCall *)(void *)post;
  uv_mutex_lock(&call->lock);
  struct delta_node *node = call->head;
  call->head = call->tail = NULL;
  call->posted = false;
  bool finished = call->finished;
  uv_mutex_unlock(&call->lock);
  while (node) {
    struct delta_node *next = node->next;
    if (call->on_delta && !atomic_load(&call->canceled)) call->on_delta(&node->delta, call->user);
    skill__free(node);
    node = next;
  }
  if (!finished) return;
  skill__loop_release(call->loop);
  call->on_reply(call->status, call->has_reply ? &call->reply : NULL, &call->error, call->user);
  free_call(call);
}

/* Call with the lock held. True: the caller must post after unlocking and must not use the call afterwards. */
static bool want_post(SkillModelCall *call) {
  bool post = !call->posted;
  call->posted = true;
  return post;
}

void skill_model_call_delta(SkillModelCall *call, const SkillDelta *delta) {
  if (!call->on_delta || atomic_load(&call->canceled)) return;
  struct delta_node *node = copy_delta(delta);
  uv_mutex_lock(&call->lock);
  if (!node) call->lost = true;
  if (node && call->tail) call->tail->next = node;
  if (node && !call->head) call->head = node;
  if (node) call->tail = node;
  bool post = node && want_post(call);
  uv_mutex_unlock(&call->lock);
  if (post) skill__loop_post(call->loop, &call->post);
}

static int copy_reply(SkillModelCall *call, const SkillReply *reply) {
  size_t names = skill__text_size(reply->model) + skill__text_size(reply->request_id);
  int status = skill_message_copy(&reply->message, &call->message);
  if (!status && names && !(call->names = skill__malloc(names))) status = SKILL_ENOMEM;
  if (status) return status;
  char *at = call->names;
  call->reply = *reply;
  call->reply.message = *call->message;
  call->reply.model = skill__text_put(&at, reply->model);
  call->reply.request_id = skill__text_put(&at, reply->request_id);
  return 0;
}

void skill_model_call_finish(SkillModelCall *call, int status, const char *message, const SkillReply *reply) {
  uv_mutex_lock(&call->lock);
  if (reply && copy_reply(call, reply) == 0) {
    call->has_reply = true;
  } else if (reply && !status) { /* an earlier error is reported, not this one */
    status = SKILL_ENOMEM;
    message = NULL;
  }
  if (call->lost && !status) {
    status = SKILL_ENOMEM;
    call->reply.message.calls = NULL; /* calls of a failed answer are not run */
    call->reply.message.call_count = 0;
  }
  if (!status && !call->has_reply) status = SKILL_EREMOTE, message = "the model ended without an answer";
  if (atomic_load(&call->canceled) && status) status = SKILL_ECANCELED;
  if (status) skill_error_set(&call->error, status, "%s", message && *message ? message : skill_strerror(status));
  call->status = status;
  call->finished = true;
  bool post = want_post(call);
  uv_mutex_unlock(&call->lock);
  if (post) skill__loop_post(call->loop, &call->post);
}

static int check_model(const SkillModel *model, SkillError *err) {
  if (!model || model->version != SKILL_MODEL_VERSION || !model->request) {
    return skill_error_set(err, SKILL_EINVAL, "no model, or one made for another version of skillet");
  }
  return 0;
}

int skill_model_start(SkillModel *model, SkillLoop *loop, const SkillModelRequest *request, SkillDeltaCb on_delta,
                      SkillReplyCb on_reply, void *user, SkillModelCall **out, SkillError *err) {
  SkillModelRequest given = SKILL_MODEL_REQUEST_INIT;
  int status = check_model(model, err);
  if (!status) status = SKILL__OPTIONS(SkillModelRequest, &given, request, err);
  if (status) return status;
  if (!loop || !on_reply || !request) {
    return skill_error_set(err, SKILL_EINVAL, "a model call needs a loop, a request and on_reply");
  }
  SkillModelCall *call = skill__calloc(1, sizeof *call);
  if (!call) return skill_error_set(err, SKILL_ENOMEM, "out of memory");
  if (uv_mutex_init(&call->lock)) {
    skill__free(call);
    return skill_error_set(err, SKILL_ENOMEM, "out of memory");
  }
  atomic_init(&call->canceled, false);
  call->post.fn = deliver;
  call->loop = loop;
  call->model = model;
  call->on_delta = on_delta;
  call->on_reply = on_reply;
  call->user = user;
  skill__loop_hold(loop);
  status = model->request(model, &given, call, err);
  if (!status) {
    if (out) *out = call;
    return 0;
  }
  skill__loop_release(loop);
  free_call(call);
  return skill_error_set(err, status, "%s: %s", model->name ? model->name : "model", skill_strerror(status));
}

void skill_model_cancel(SkillModelCall *call) {
  if (!call || atomic_exchange(&call->canceled, true)) return;
  uv_mutex_lock(&call->lock);
  bool finished = call->finished;
  uv_mutex_unlock(&call->lock);
  if (!finished && call->model->cancel) call->model->cancel(call->model, call);
}
