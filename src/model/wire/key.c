/* SPDX-License-Identifier: MIT
 *
 * Keys of providers; see key.h.
 */
#include "model/wire/key.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "skillet/process.h"
#include "util/alloc.h"

enum { MAX_KEY = 8192, LEAST_KEY = 4, LEAST_PART = 8 };

struct skill__key_request {
  struct skill__key *key;
  SkillProcess *process;
  skill__key_cb cb;
  void *user;
};

/* The first line without blanks around it; false: it cannot be a key. */
static bool trim(const char *text, size_t length, const char **from, size_t *size) {
  while (length && (unsigned char)*text <= ' ') text++, length--;
  size_t n = 0;
  while (n < length && (unsigned char)text[n] >= ' ') n++;
  while (n && text[n - 1] == ' ') n--;
  *from = text;
  *size = n;
  return n > 0 && n <= MAX_KEY;
}

int skill__key_init(struct skill__key *key, const char *value, const char *env, const char *command) {
  key->locked = pthread_mutex_init(&key->lock, NULL) == 0;
  key->given = value != NULL;
  key->value = skill__strdup(value);
  key->env = skill__strdup(env);
  key->command = skill__strdup(command);
  bool all = key->locked && (key->value || !value) && (key->env || !env) && (key->command || !command);
  return all ? 0 : SKILL_ENOMEM;
}

void skill__key_fini(struct skill__key *key) {
  if (key->locked) pthread_mutex_destroy(&key->lock);
  skill__key_forget(key->value);
  skill__free(key->env);
  skill__free(key->command);
  memset(key, 0, sizeof *key);
}

void skill__key_forget(char *value) {
  if (value) explicit_bzero(value, strlen(value));
  skill__free(value);
}

void skill__key_scrub(const char *key, char *message) {
  size_t length = key ? strlen(key) : 0;
  if (length < LEAST_KEY) return;
  for (char *at = message; (at = strstr(at, key)) != NULL; at += 3) {
    memmove(at + 3, at + length, strlen(at + length) + 1);
    at[0] = at[1] = at[2] = '*';
  }
  size_t end = strlen(message);
  for (size_t n = length < end ? length : end; n >= LEAST_PART; n--) { /* the message may be cut inside the key */
    if (memcmp(message + end - n, key, n) != 0) continue;
    memcpy(message + end - n, "***", sizeof "***");
    return;
  }
}

bool skill__key_renew(struct skill__key *key, const char *old) {
  if (key->given || !key->command) return false;
  pthread_mutex_lock(&key->lock);
  if (key->value && old && strcmp(key->value, old) == 0) {
    skill__key_forget(key->value);
    key->value = NULL;
  }
  pthread_mutex_unlock(&key->lock);
  return true;
}

static void on_result(const SkillProcessResult *result, void *user) {
  struct skill__key_request *request = user;
  const char *from;
  size_t size;
  const char *why = NULL;
  int status = 0;
  char *value = NULL;
  if (result->status || result->exit_code != 0) {
    bool known = result->status == SKILL_ECANCELED || result->status == SKILL_ENOMEM;
    status = known ? result->status : SKILL_EDENIED;
    why = known ? result->message : "the command that prints the key failed; run it by hand to see why";
  } else if (!trim(result->out, result->out_length, &from, &size)) {
    status = SKILL_EDENIED;
    why = "the command that prints the key printed none";
  } else if (!(value = skill__strndup(from, size))) {
    status = SKILL_ENOMEM;
    why = "out of memory";
  }
  if (value) {
    pthread_mutex_lock(&request->key->lock);
    skill__key_forget(request->key->value);
    request->key->value = skill__strdup(value);
    pthread_mutex_unlock(&request->key->lock);
  }
  request->cb(status, value, why, request->user);
  skill__key_forget(value);
  skill__free(request);
}

/* Variables that password managers and agents need. */
static const char *const passed[] = {"GNUPGHOME",
                                     "GPG_TTY",
                                     "GPG_AGENT_INFO",
                                     "PASSWORD_STORE_DIR",
                                     "SSH_AUTH_SOCK",
                                     "XDG_RUNTIME_DIR",
                                     "XDG_CONFIG_HOME",
                                     "XDG_DATA_HOME",
                                     "DBUS_SESSION_BUS_ADDRESS",
                                     "DISPLAY",
                                     "WAYLAND_DISPLAY",
                                     "TERM",
                                     NULL};

static int run_command(struct skill__key *key, uv_loop_t *loop, skill__key_cb cb, void *user,
                       struct skill__key_request **out, SkillError *err) {
  struct skill__key_request *request = skill__calloc(1, sizeof *request);
  if (!request) return SKILL_ENOMEM;
  const char *argv[] = {"sh", "-c", key->command, NULL};
  SkillProcessOptions options = SKILL_PROCESS_OPTIONS_INIT;
  options.argv = argv;
  options.sandbox = SKILL_SANDBOX_OFF;
  options.pass_env = passed;
  request->key = key;
  request->cb = cb;
  request->user = user;
  int status = skill_process_start(loop, &options, on_result, request, &request->process, err);
  if (status) {
    skill__free(request);
    return status;
  }
  *out = request;
  return SKILL__KEY_LATER;
}

int skill__key_get(struct skill__key *key, uv_loop_t *loop, char **out, skill__key_cb cb, void *user,
                   struct skill__key_request **request, SkillError *err) {
  pthread_mutex_lock(&key->lock);
  const char *known = key->value;
  if (!known && key->env) known = getenv(key->env);
  size_t size = 0;
  if (known && !trim(known, strlen(known), &known, &size)) known = NULL; /* a line end would begin another header */
  char *copy = known ? skill__strndup(known, size) : NULL;
  pthread_mutex_unlock(&key->lock);
  if (known && !copy) return SKILL_ENOMEM;
  if (!known && key->command) return run_command(key, loop, cb, user, request, err);
  *out = copy;
  return 0;
}

void skill__key_cancel(struct skill__key_request *request) {
  skill_process_cancel(request->process);
}
