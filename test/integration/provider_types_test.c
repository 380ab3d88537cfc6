/* SPDX-License-Identifier: MIT
 *
 * Checks request bodies with the providers' own published types: requests are written to a TypeScript file as literals
 * of the parameter types of the official SDKs, and the TypeScript compiler checks them. An unknown member is an error
 * too. Skipped if `npm ci` has not been run in test/npm.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/check.h"
#include "lib/http_server.h"
#include "lib/tmpdir.h"
#include "lib/typescript.h"
#include "skillet/provider.h"

#define SHAPES 6

typedef int (*make_fn)(const SkillProviderOptions *options, SkillModel **out, SkillError *err);

static const SkillTool tools[] = {
    {.name = "get",
     .description = "Gets it",
     .input_schema = "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"}},\"required\":[\"a\"]}"},
    {.name = "a name/that cannot be sent"},
    {.name = "later", .description = "Deferred"},
};

static const SkillCall calls[] = {{"c1", "get", "{\"a\":1}"}, {"c2", "a name/that cannot be sent", "{broken"}};

static const SkillMessage talk[] = {
    {.role = SKILL_ROLE_SYSTEM, .text = "be good", .text_length = 7, .cache = true},
    {.role = SKILL_ROLE_USER, .text = "hi", .text_length = 2},
    {.role = SKILL_ROLE_ASSISTANT, .text = "let me", .text_length = 6, .calls = calls, .call_count = 2},
    {.role = SKILL_ROLE_TOOL, .text = "42", .text_length = 2, .call_id = "c1", .name = "get"},
    {.role = SKILL_ROLE_TOOL, .text = "no", .text_length = 2, .call_id = "c2", .error = true},
    {.role = SKILL_ROLE_ASSISTANT, .calls = calls, .call_count = 0, .text = "so", .text_length = 2},
    {.role = SKILL_ROLE_SYSTEM, .text = "remember", .text_length = 8},
    {.role = SKILL_ROLE_USER, .text = "and now", .text_length = 7, .cache = true},
};

/* The n-th shape of a request. */
static SkillModelRequest shape(int n, bool temperature) {
  SkillModelRequest request = SKILL_MODEL_REQUEST_INIT;
  request.messages = n == 0 ? &talk[1] : talk;
  request.message_count = n == 0 ? 1 : sizeof talk / sizeof *talk;
  request.tools = tools;
  request.tool_count = n == 0 ? 0 : sizeof tools / sizeof *tools;
  request.deferred_from = n == 5 ? 2 : request.tool_count;
  request.stream = n % 2 == 0;
  request.max_tokens = n == 0 ? 0 : 200;
  request.temperature = n == 2 && temperature ? 0.7 : -1;
  request.parallel_calls = n != 3;
  request.cache_tools = n >= 2;
  request.choice = n == 3 ? SKILL_TOOL_CHOICE_REQUIRED : n == 4 ? SKILL_TOOL_CHOICE_NONE : SKILL_TOOL_CHOICE_AUTO;
  request.choice_name = n == 3 ? "get" : NULL;
  return request;
}

static int replies_seen;

static void on_reply(int status, const SkillReply *reply, const SkillError *error, void *user) {
  (void)status;
  (void)reply;
  (void)error;
  (void)user;
  replies_seen++;
}

/* Sends every shape to a server that rejects it, and writes the request as a literal of the type. */
static void write_literals(FILE *file, make_fn make, const char *type, const char *prefix) {
  struct http_reply replies[SHAPES];
  for (int n = 0; n < SHAPES; n++) replies[n] = (struct http_reply){.status = 418, .headers = "", .body = "{}"};
  struct http_server *server = http_server_start(replies, SHAPES);
  SkillLoop *loop;
  assert_int_equal(skill_loop_new(NULL, &loop, NULL), 0);
  SkillProviderOptions options = SKILL_PROVIDER_OPTIONS_INIT;
  options.model = "gpt-4.1-mini";
  options.key = "k";
  options.proxy = "";
  options.base_url = http_server_url(server);
  options.tool_search = true;
  SkillModel *model;
  assert_int_equal(make(&options, &model, NULL), 0);
  for (int n = 0; n < SHAPES; n++) {
    /* Anthropic's current types have no temperature; it is sent only if a host sets one, for older models. */
    SkillModelRequest request = shape(n, make != skill_model_anthropic_new);
    replies_seen = 0;
    assert_int_equal(skill_model_start(model, loop, &request, NULL, on_reply, NULL, NULL, NULL), 0);
    while (!replies_seen) skill_loop_run_once(loop, 1000);
    const char *body = strstr(http_server_request(server, (size_t)n), "\r\n\r\n");
    assert_non_null(body);
    fprintf(file, "export const %s%d: %s = %s;\n", prefix, n, type, body + 4);
  }
  skill_model_free(model);
  skill_loop_free(loop);
  http_server_stop(server);
}

static void every_body_fits_the_types_of_the_official_sdks(void **state) {
  (void)state;
  char *dir = tmpdir_make();
  FILE *file = typescript_open(dir);
  write_literals(file, skill_model_openai_new, "ChatCompletionCreateParams", "chat");
  write_literals(file, skill_model_responses_new, "ResponseCreateParams", "responses");
  write_literals(file, skill_model_anthropic_new, "MessageCreateParams", "messages");
  fclose(file);
  int rc = typescript_check(dir);
  if (rc) print_error("%s\n", typescript_said());
  assert_int_equal(rc, 0);
  tmpdir_remove(dir);
}

static void a_body_that_does_not_fit_is_noticed(void **state) {
  (void)state;
  char *dir = tmpdir_make();
  FILE *file = typescript_open(dir);
  fputs(
      "export const a: ChatCompletionCreateParams = {\"model\":\"m\",\"messages\":[],\"not_a_member\":1};\n"
      "export const b: MessageCreateParams = {\"model\":\"m\",\"messages\":[]};\n",
      file);
  fclose(file);
  assert_int_not_equal(typescript_check(dir), 0);
  assert_non_null(strstr(typescript_said(), "not_a_member"));
  assert_non_null(strstr(typescript_said(), "max_tokens"));
  tmpdir_remove(dir);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_body_fits_the_types_of_the_official_sdks),
      cmocka_unit_test(a_body_that_does_not_fit_is_noticed),
  };
  if (!typescript_there()) {
    printf("skipped: the providers' SDKs are not installed; run `npm ci` in test/npm\n");
    return 77;
  }
  return cmocka_run_group_tests_name("provider types", tests, NULL, NULL);
}
