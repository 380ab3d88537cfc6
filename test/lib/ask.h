/* SPDX-License-Identifier: MIT
 *
 * Sends requests of a provider model to the scripted loopback server and records the results. The results are globals,
 * which ask_set_up resets; only one model at a time.
 */
#ifndef TEST_LIB_ASK_H
#define TEST_LIB_ASK_H

#include <cjson/cJSON.h>

#include "lib/check.h"
#include "lib/http_server.h"
#include "skillet/provider.h"

#define JSON_HEAD "Content-Type: application/json\r\n"
#define EVENT(type, data) "event: " type "\ndata: " data "\n\n"
#define COUNT(array) (sizeof(array) / sizeof *(array))
#define ASK_TEST(name) cmocka_unit_test_setup_teardown(name, ask_set_up, ask_tear_down)

struct outcome {
  int calls;
  int status;
  char error[600];
  char deltas[8192]; /* abbreviated: text unchanged, <restart>, <reason:…>, <call N id name>, <N:arguments> */
  char text[8192];
  char made[4096]; /* id name arguments; */
  char extra[2048];
  SkillStop stop;
  SkillUsage usage;
  unsigned attempts;
};

extern struct outcome got;
extern struct http_server *ask_server;
extern SkillLoop *ask_loop;
extern SkillModel *ask_model;
extern SkillProviderOptions
    ask_options; /* options of a model "m" with a key and short waits; may be changed before ask_serve */

int ask_set_up(void **state);
int ask_tear_down(void **state);

typedef int (*ask_make)(const SkillProviderOptions *options, SkillModel **out, SkillError *err);

/* Starts the server with these replies and creates the model that sends requests to it. */
void ask_serve(ask_make make, const struct http_reply *replies, size_t count);

/* For requests that a test starts on another loop. The callbacks write `got`. */
void ask_on_delta(const SkillDelta *delta, void *user);
void ask_on_reply(int status, const SkillReply *reply, const SkillError *error, void *user);

/* Starts a request (with ask_hello if it has no messages); runs the loop until it ends; does both; does both with an
 * empty request. */
SkillModelCall *ask_start(SkillModelRequest *request);
void ask_finish(void);
void ask_for(SkillModelRequest *request);
void ask_plainly(bool stream);

/* The body of the i-th request that the server got, parsed; owned: cJSON_Delete. */
cJSON *ask_body(size_t index);
void ask_body_is(size_t index, const char *expected);

/* A conversation with every kind of message, and a request that sets every member. */
#define ASK_TOOLS 3
#define ASK_TALK 6
extern const SkillMessage ask_hello;
extern const SkillTool ask_tools[ASK_TOOLS];
extern const SkillCall ask_calls[2];
extern const SkillMessage ask_talk[ASK_TALK];
SkillModelRequest ask_long_request(void);

/* Complete streams of each protocol with text, reasoning, calls and usage; and a short one of chat completions. */
extern const char ask_chat_stream[];
extern const char ask_anthropic_stream[];
extern const char ask_responses_stream[];
extern const char ask_good_chat[];

#endif
