/* SPDX-License-Identifier: MIT
 *
 * The cost of a turn before the request is sent: compiling the context of 200 messages and 50 tools and printing the
 * request body. The comparison is cJSON printing the same body from an existing tree.
 */
#include <cjson/cJSON.h>
#include <string.h>

#include "bench/bench.h"
#include "model/wire/remote.h"
#include "skillet/context.h"
#include "skillet/sys/alloc.h"

enum { MESSAGES = 200, TOOLS = 50 };

struct state {
  SkillConversation *talk;
  SkillTool tools[TOOLS];
  char names[TOOLS][32];
  size_t tool_tokens;
  cJSON *tree; /* of the same body */
  size_t length;
  char listing[12000];
};

static const char schema[] =
    "{\"type\":\"object\",\"properties\":{\"path\":{\"type\":\"string\",\"description\":\"File to read\"},"
    "\"limit\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":500},\"mode\":{\"type\":\"string\","
    "\"enum\":[\"fast\",\"exact\"]}},\"required\":[\"path\"],\"additionalProperties\":false}";
static const char words[] =
    "The report names three causes: a late delivery, a wrong label \"B-12\", and a scale that was not calibrated.\n"
    "Each of them has an owner and a date; 你好, the second is still open.\n";

static void add(SkillConversation *talk, SkillMessage message) {
  BENCH_CHECK(skill_conversation_add(talk, &message, NULL) == 0);
}

static void make_talk(struct state *s) {
  char text[1200];
  size_t unit = sizeof words - 1;
  BENCH_CHECK(skill_conversation_new(&s->talk) == 0);
  for (size_t i = 0; i < sizeof text; i++) text[i] = words[i % unit];
  for (int i = 0; i < MESSAGES / 4; i++) {
    char id[24];
    snprintf(id, sizeof id, "call_%d", i);
    SkillCall call = {id, "tool_7", "{\"path\":\"reports/q3.csv\",\"limit\":20}"};
    add(s->talk, (SkillMessage){.role = SKILL_ROLE_USER, .text = text, .text_length = unit});
    add(s->talk, (SkillMessage){.role = SKILL_ROLE_ASSISTANT, .calls = &call, .call_count = 1});
    add(s->talk, (SkillMessage){.role = SKILL_ROLE_TOOL, .call_id = id, .text = text, .text_length = unit * 6});
    add(s->talk, (SkillMessage){.role = SKILL_ROLE_ASSISTANT, .text = text, .text_length = unit * 2});
  }
}

static void make_tools(struct state *s) {
  for (int i = 0; i < TOOLS; i++) {
    snprintf(s->names[i], sizeof s->names[i], "tool_%d", i);
    s->tools[i] = (SkillTool){.name = s->names[i], .description = words, .input_schema = schema};
    s->tool_tokens += skill_tokens_tool(NULL, &s->tools[i]);
  }
  for (int i = 0; i < 100; i++) {
    size_t used = strlen(s->listing);
    snprintf(s->listing + used, sizeof s->listing - used, "- skill-%d: Does one thing for reports and tables.\n", i);
  }
}

static void turn(struct state *s, struct skill__buf *buf, size_t budget) {
  static char model[] = "bench";
  static char url[] = "http://localhost";
  SkillContextInput input = SKILL_CONTEXT_INPUT_INIT;
  SkillModelRequest request = SKILL_MODEL_REQUEST_INIT;
  SkillCompiled *compiled = NULL;
  struct skill__remote_config config = {.model = model, .url = url};
  input.system = words;
  input.listing = s->listing;
  input.conversation = s->talk;
  input.tools = s->tools;
  input.tool_count = TOOLS;
  input.tool_tokens = s->tool_tokens;
  input.budget = budget;
  BENCH_CHECK(skill_context_compile(&input, &compiled, NULL) == 0);
  BENCH_CHECK(!budget || compiled->tokens <= budget);
  request.messages = compiled->messages;
  request.message_count = compiled->count;
  request.tools = s->tools;
  request.tool_count = request.deferred_from = TOOLS;
  skill__buf_clear(buf);
  BENCH_CHECK(skill__protocol_openai.body(&config, &request, buf, NULL) == 0);
  BENCH_CHECK(skill__buf_status(buf) == 0);
  skill_compiled_free(compiled);
}

static void ours(void *arg, size_t count) {
  struct skill__buf buf;
  skill__buf_init(&buf, SIZE_MAX / 4);
  for (size_t i = 0; i < count; i++) turn(arg, &buf, 0);
  BENCH_CHECK(buf.length == ((struct state *)arg)->length);
  skill__buf_fini(&buf);
}

static void squeezed(void *arg, size_t count) {
  struct skill__buf buf;
  skill__buf_init(&buf, SIZE_MAX / 4);
  for (size_t i = 0; i < count; i++) turn(arg, &buf, 20000);
  skill__buf_fini(&buf);
}

static void peer(void *arg, size_t count) {
  struct state *s = arg;
  for (size_t i = 0; i < count; i++) {
    char *text = cJSON_PrintUnformatted(s->tree);
    BENCH_CHECK(text && strlen(text) > s->length / 2);
    cJSON_free(text);
  }
}

int main(void) {
  static struct state s;
  struct skill__buf buf;
  skill__buf_init(&buf, SIZE_MAX / 4);
  make_talk(&s);
  make_tools(&s);
  turn(&s, &buf, 0);
  s.length = buf.length;
  s.tree = cJSON_ParseWithLength(buf.data, buf.length);
  BENCH_CHECK(s.tree != NULL);
  printf("a turn of %d messages and %d tools, %zu KiB of body\n\n", MESSAGES, TOOLS, s.length / 1024);
  struct bench_result all = bench_compare(ours, &s, peer, &s, 20, bench_rounds(15));
  struct bench_result cut = bench_compare(squeezed, &s, peer, &s, 20, bench_rounds(15));
  bench_title("compile and print a turn", "cJSON_PrintUnformatted of the same body");
  bench_row("all of it", all, 3);
  bench_row("at a budget of 20,000 tokens", cut, 3);
  cJSON_Delete(s.tree);
  skill_conversation_free(s.talk);
  skill__buf_fini(&buf);
  return 0;
}
