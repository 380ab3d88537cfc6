/* SPDX-License-Identifier: MIT
 *
 * Recording: a model that wraps another one and writes each request and its outcome as one JSON line:
 *
 *   {"skillet":1,"request":{"messages":[…],"tools":[names]},"deltas":[[kind,index,text,id,name]…],
 *    "status":0,"error":"…","reply":{"message":{…},"stop":N,"usage":{…},"model":"…"}}
 *
 * A line is written as a whole when its request ends, so a crash loses at most the last one. If it cannot be written,
 * the request ends with SKILL_EIO: a recording with a gap would replay wrongly.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "model/message.h"
#include "model/tape/record.h"
#include "skillet/provider.h"
#include "util/alloc.h"
#include "util/io_posix.h"
#include "util/json_out.h"

struct recorder {
  SkillModel model; /* first: cast back */
  SkillModel *inner;
  pthread_mutex_t lock; /* for appending: requests of several loops may end at the same time */
  int fd;
};

/* One request: `inner` is the wrapped model's call, `outer` the caller's. */
struct taping {
  struct recorder *recorder;
  SkillModelCall *outer;
  SkillModelCall *inner;
  struct skill__buf line;
};

void skill__record_request(struct skill__buf *buf, const SkillModelRequest *request) {
  skill__json_open(buf, NULL, "{\"messages\":[");
  for (size_t i = 0; i < request->message_count; i++) skill__message_print(buf, &request->messages[i]);
  skill__json_close(buf, "]");
  skill__json_open(buf, "tools", "[");
  for (size_t i = 0; i < request->tool_count; i++) skill__json_add_text(buf, NULL, request->tools[i].name);
  skill__json_close(buf, "]}");
}

static void on_delta(const SkillDelta *delta, void *user) {
  struct taping *taping = user;
  struct skill__buf *line = &taping->line;
  skill__json_open(line, NULL, "[");
  skill__json_add_size(line, NULL, delta->kind);
  skill__json_add_size(line, NULL, delta->index);
  skill__json_add_bytes(line, NULL, delta->text ? delta->text : "", delta->length);
  skill__json_add_text(line, NULL, delta->id);
  skill__json_add_text(line, NULL, delta->name);
  skill__json_close(line, "]");
  skill_model_call_delta(taping->outer, delta);
}

static void add_reply(struct skill__buf *buf, const SkillReply *reply) {
  const SkillUsage *usage = &reply->usage;
  skill__json_open(buf, "reply", "{\"message\":");
  skill__message_print(buf, &reply->message);
  skill__json_add_size(buf, "stop", reply->stop);
  skill__json_open(buf, "usage", "{");
  SKILL__JSON_SIZES(buf, {"input", usage->input_tokens}, {"output", usage->output_tokens},
                    {"cached", usage->cached_tokens}, {"cache_write", usage->cache_write_tokens});
  skill__json_add_bool(buf, "estimated", usage->estimated);
  skill__json_close(buf, "}");
  skill__json_add_text(buf, "model", reply->model);
  skill__json_close(buf, "}");
}

/* Writes the line completely or not at all: half a line would make the recording unreadable. */
static int append(struct recorder *recorder, const struct skill__buf *line, SkillError *err) {
  pthread_mutex_lock(&recorder->lock);
  off_t end = lseek(recorder->fd, 0, SEEK_END);
  int status = end < 0 || skill__io_write(recorder->fd, line->data, line->length) ? SKILL_EIO : 0;
  if (status) skill_error_set(err, status, "the recording cannot be written: %s", strerror(errno));
  if (status && end >= 0 && ftruncate(recorder->fd, end) != 0) {
    skill_error_clear(err);
    skill_error_set(err, status, "the recording now ends with half a line: %s", strerror(errno));
  }
  pthread_mutex_unlock(&recorder->lock);
  return status;
}

static void on_reply(int status, const SkillReply *reply, const SkillError *error, void *user) {
  struct taping *taping = user;
  struct skill__buf *line = &taping->line;
  skill__json_close(line, "]");
  skill__json_addf(line, "status", "%d", status);
  skill__json_add_text(line, "error", error->message);
  if (reply) add_reply(line, reply);
  if (!reply) skill__json_add_raw(line, "reply", NULL);
  skill__json_close(line, "}\n");
  SkillError why = SKILL_ERROR_INIT;
  int written = skill__buf_status(line);
  if (written) skill_error_set(&why, written, "the recording cannot be written: %s", skill_strerror(written));
  if (!written) written = append(taping->recorder, line, &why);
  if (!status && written) status = written, error = &why;
  skill_model_call_finish(taping->outer, status, status ? error->message : NULL, reply);
  skill__buf_fini(line);
  skill__free(taping);
}

static int request(SkillModel *model, const SkillModelRequest *what, SkillModelCall *call, SkillError *err) {
  struct recorder *recorder = (struct recorder *)(void *)model;
  struct taping *taping = skill__calloc(1, sizeof *taping);
  if (!taping) return SKILL_ENOMEM;
  taping->recorder = recorder;
  taping->outer = call;
  skill__buf_init(&taping->line, SKILL_MAX_CONVERSATION);
  skill__json_open(&taping->line, NULL, "{\"skillet\":1,\"request\":");
  skill__record_request(&taping->line, what);
  skill__json_open(&taping->line, "deltas", "[");
  int status = skill__buf_status(&taping->line);
  skill_model_call_set_impl(call, taping);
  if (!status) {
    status = skill_model_start(recorder->inner, skill_model_call_loop(call), what, on_delta, on_reply, taping,
                               &taping->inner, err);
  }
  if (status) {
    skill__buf_fini(&taping->line);
    skill__free(taping);
  }
  return status;
}

static void cancel(SkillModel *model, SkillModelCall *call) {
  (void)model;
  struct taping *taping = skill_model_call_impl(call);
  if (taping) skill_model_cancel(taping->inner);
}

static void free_model(SkillModel *model) {
  struct recorder *recorder = (struct recorder *)(void *)model;
  skill_model_free(recorder->inner);
  pthread_mutex_destroy(&recorder->lock);
  close(recorder->fd);
  skill__free(recorder);
}

int skill_model_record_new(SkillModel *inner, const char *path, SkillModel **out, SkillError *err) {
  if (!inner || !path) return skill_error_set(err, SKILL_EINVAL, "a recording needs a model and a path");
  struct recorder *recorder = skill__calloc(1, sizeof *recorder);
  if (!recorder) return SKILL_ENOMEM;
  recorder->fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (recorder->fd < 0) {
    skill__free(recorder);
    return skill_error_set_at(err, SKILL_EIO, path, 0, 0, "the recording cannot be opened: %s", strerror(errno));
  }
  if (pthread_mutex_init(&recorder->lock, NULL) != 0) {
    close(recorder->fd);
    skill__free(recorder);
    return SKILL_ENOMEM;
  }
  recorder->inner = inner;
  recorder->model = *inner; /* name, note, flags, window, tokenizer */
  recorder->model.impl = NULL;
  recorder->model.request = request;
  recorder->model.cancel = cancel;
  recorder->model.free = free_model;
  *out = &recorder->model;
  return 0;
}
