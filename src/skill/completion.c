/* SPDX-License-Identifier: MIT
 *
 * Completions and their mailbox; see completion.h. The only code of the core that other threads run.
 */
#include "skill/completion.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "skill/registry_internal.h"
#include "util/alloc.h"
#include "util/utf8.h"

/* References: one of the registry and one for each completion that is not finished. */
struct skill__mailbox {
  _Atomic(SkillCompletion *) head; /* newest first; `closed` once the registry is gone */
  atomic_size_t references;
  atomic_bool signalled; /* the descriptor was written to since the last drain */
  int fd;
};

/* The head of a mailbox whose registry was freed. */
static SkillCompletion closed;

/* The completions whose init or dispose function is on this thread's stack, innermost first. One that is finished
 * before its function returns needs no mailbox. */
struct frame {
  const SkillCompletion *completion;
  bool finished;
  struct frame *outer;
};
static _Thread_local struct frame *frames;

int skill__mailbox_new(struct skill__mailbox **out) {
  struct skill__mailbox *mailbox = skill__calloc(1, sizeof *mailbox);
  if (!mailbox) return SKILL_ENOMEM;
  mailbox->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (mailbox->fd < 0) {
    skill__free(mailbox);
    return errno == ENOMEM ? SKILL_ENOMEM : SKILL_ELIMIT;
  }
  atomic_init(&mailbox->references, 1);
  *out = mailbox;
  return 0;
}

static void mailbox_release(struct skill__mailbox *mailbox) {
  if (atomic_fetch_sub_explicit(&mailbox->references, 1, memory_order_acq_rel) > 1) return;
  close(mailbox->fd);
  skill__free(mailbox);
}

void skill__mailbox_close(struct skill__mailbox *mailbox) {
  SkillCompletion *left = atomic_exchange_explicit(&mailbox->head, &closed, memory_order_acq_rel);
  while (left) {
    SkillCompletion *next = left->next;
    skill__completion_free(left);
    left = next;
  }
  mailbox_release(mailbox);
}

int skill__mailbox_dup(const struct skill__mailbox *mailbox, int *fd) {
  int copy = fcntl(mailbox->fd, F_DUPFD_CLOEXEC, 3);
  if (copy < 0) return SKILL_ELIMIT;
  *fd = copy;
  return 0;
}

/* Write before setting `signalled`: a reader that sees the flag must find something to read, or the descriptor would
 * stay readable without a reason. */
void skill__mailbox_wake(struct skill__mailbox *mailbox) {
  uint64_t one = 1;
  ssize_t written;
  do {
    written = write(mailbox->fd, &one, sizeof one);
  } while (written < 0 && errno == EINTR);
  atomic_store_explicit(&mailbox->signalled, true, memory_order_release);
}

SkillCompletion *skill__mailbox_drain(struct skill__mailbox *mailbox) {
  if (atomic_load_explicit(&mailbox->signalled, memory_order_relaxed)) {
    uint64_t count;
    atomic_exchange_explicit(&mailbox->signalled, false, memory_order_acquire);
    while (read(mailbox->fd, &count, sizeof count) < 0 && errno == EINTR) {
    }
  }
  if (!atomic_load_explicit(&mailbox->head, memory_order_relaxed)) return NULL;
  SkillCompletion *newest = atomic_exchange_explicit(&mailbox->head, NULL, memory_order_acquire);
  SkillCompletion *oldest = NULL;
  while (newest) {
    SkillCompletion *next = newest->next;
    newest->next = oldest;
    oldest = newest;
    newest = next;
  }
  return oldest;
}

int skill__completion_new(SkillCompletion **out) {
  *out = skill__calloc(1, sizeof **out);
  return *out ? 0 : SKILL_ENOMEM;
}

void skill__completion_arm(SkillCompletion *completion, struct skill__mailbox *mailbox, Skill *skill, bool dispose) {
  atomic_fetch_add_explicit(&mailbox->references, 1, memory_order_relaxed);
  completion->mailbox = mailbox;
  completion->skill = skill__skill_retain(skill);
  completion->dispose = dispose;
}

bool skill__completion_run(SkillCompletion *completion, SkillInitCb start, void *user) {
  struct frame frame = {completion, false, frames};
  frames = &frame;
  start(completion->skill, completion, user);
  frames = frame.outer;
  return frame.finished;
}

void skill__completion_free(SkillCompletion *completion) {
  skill__skill_release(completion->skill);
  skill__free(completion);
}

static void fill(SkillCompletion *completion, int status, const char *message) {
  size_t length = message ? strlen(message) : 0;
  if (length >= sizeof completion->message) length = skill__utf8_floor(message, sizeof completion->message - 1);
  if (length) memcpy(completion->message, message, length);
  completion->message[length] = '\0';
  completion->status = status > 0 ? SKILL_EFAILED : status;
}

static bool finished_here(const SkillCompletion *completion) {
  for (struct frame *frame = frames; frame; frame = frame->outer) {
    if (frame->completion != completion) continue;
    frame->finished = true;
    return true;
  }
  return false;
}

void skill_completion_finish(SkillCompletion *completion, int status, const char *message) {
  if (atomic_exchange_explicit(&completion->state, SKILL__COMPLETION_FINISHED, memory_order_relaxed)) return;
  struct skill__mailbox *mailbox = completion->mailbox;
  fill(completion, status, message);
  if (!finished_here(completion)) {
    SkillCompletion *head = atomic_load_explicit(&mailbox->head, memory_order_relaxed);
    do {
      completion->next = head;
    } while (head != &closed && !atomic_compare_exchange_weak_explicit(&mailbox->head, &head, completion,
                                                                       memory_order_release, memory_order_relaxed));
    if (head == &closed) skill__completion_free(completion);
    if (!head) skill__mailbox_wake(mailbox);
  }
  mailbox_release(mailbox);
}
