/* SPDX-License-Identifier: MIT
 *
 * The key of a provider: given, from the environment, or printed by a command, which runs on the loop when a key is
 * first needed. Keys are wiped when they are forgotten and appear in no message.
 */
#ifndef SKILL_MODEL_WIRE_KEY_H
#define SKILL_MODEL_WIRE_KEY_H

#include <pthread.h>
#include <uv.h>

#include "skillet/error.h"

struct skill__key {
  pthread_mutex_t lock; /* over `value`: models are used on several loops */
  bool locked;          /* the mutex exists */
  char *value;          /* given, or what the command printed */
  bool given;
  char *env;
  char *command;
};

struct skill__key_request; /* a command that runs */

enum { SKILL__KEY_LATER = 1 };

/* Any of the three may be NULL. 0 or SKILL_ENOMEM; call fini whatever it returns. */
int skill__key_init(struct skill__key *key, const char *value, const char *env, const char *command);
void skill__key_fini(struct skill__key *key);

/* `key` is borrowed until the callback returns, NULL where `status` is negative. */
typedef void (*skill__key_cb)(int status, const char *key, const char *message, void *user);

/* 0: *out is the key (owned: skill__key_forget), or NULL where there is none. SKILL__KEY_LATER: a command was started
 * and `cb` comes, once. Else an error, and no callback. */
int skill__key_get(struct skill__key *key, uv_loop_t *loop, char **out, skill__key_cb cb, void *user,
                   struct skill__key_request **request, SkillError *err);
void skill__key_cancel(struct skill__key_request *request); /* cb still comes */

/* `old` was refused: forgets it where a command can give another; false: there is no other. */
bool skill__key_renew(struct skill__key *key, const char *old);

/* Blots the key out of a message that a server may have echoed it into, also where the message's end cuts it. */
void skill__key_scrub(const char *key, char *message);

/* Wipes and frees; NULL is ignored. */
void skill__key_forget(char *value);

#endif
