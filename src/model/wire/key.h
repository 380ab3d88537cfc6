/* SPDX-License-Identifier: MIT
 *
 * The key of a provider: given, from the environment, or printed by a command, which runs on the loop when a key is
 * first needed. Keys are wiped before they are freed, and no message contains them.
 */
#ifndef SKILL_MODEL_WIRE_KEY_H
#define SKILL_MODEL_WIRE_KEY_H

#include <pthread.h>
#include <uv.h>

#include "skillet/error.h"

struct skill__key {
  pthread_mutex_t lock; /* protects `value`: models are used on several loops */
  bool locked;          /* the mutex exists */
  char *value;          /* given, or what the command printed */
  bool given;
  char *env;
  char *command;
};

struct skill__key_request; /* a running command */

enum { SKILL__KEY_LATER = 1 };

/* Any of the three may be NULL. 0 or SKILL_ENOMEM; call fini in either case. */
int skill__key_init(struct skill__key *key, const char *value, const char *env, const char *command);
void skill__key_fini(struct skill__key *key);

/* `key` is borrowed until the callback returns; NULL if `status` is negative. */
typedef void (*skill__key_cb)(int status, const char *key, const char *message, void *user);

/* 0: *out is the key (owned: skill__key_forget), or NULL if there is none. SKILL__KEY_LATER: a command was started and
 * `cb` will be called once. Negative: an error, and no callback. */
int skill__key_get(struct skill__key *key, uv_loop_t *loop, char **out, skill__key_cb cb, void *user,
                   struct skill__key_request **request, SkillError *err);
void skill__key_cancel(struct skill__key_request *request); /* cb is still called */

/* Call when `old` was refused. True: a command can print another key, and `old` was dropped. */
bool skill__key_renew(struct skill__key *key, const char *old);

/* Replaces the key by "***" in a message that may quote it, even if the end of the message cuts the key. */
void skill__key_scrub(const char *key, char *message);

/* Wipes and frees; NULL is ignored. */
void skill__key_forget(char *value);

#endif
