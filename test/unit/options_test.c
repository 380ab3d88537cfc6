/* SPDX-License-Identifier: MIT
 *
 * The `size` of option structs, at every function that takes one: wrong sizes are refused, and the struct of an older
 * version, which is smaller, works and gets the defaults of the members that it lacks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/check.h"
#include "skillet/agent.h"
#include "skillet/embed.h"
#include "skillet/provider.h"
#include "skillet/source.h"
#include "skillet/watch.h"
#include "skillet/worker.h"

struct place {
  SkillLoop *loop;
  SkillRegistry *registry;
  SkillModel *model;
  ProgressiveSkillLoader *loader;
  SkillRanker *ranker;
  SkillRankSnapshot *snapshot;
  SkillConversation *conversation;
  SkillError err;
};

static int none(SkillEmbedder *embedder, SkillEmbedKind kind, const SkillText *texts, size_t count, float **vectors,
                size_t *dims, SkillError *err) {
  (void)embedder, (void)kind, (void)texts, (void)count, (void)vectors, (void)dims, (void)err;
  return SKILL_EREMOTE;
}

static void close_embedder(SkillEmbedder *embedder) {
  (void)embedder;
}

static SkillEmbedder embedder = {SKILL_EMBEDDER_VERSION, "none", NULL, none, close_embedder};

/* --- the functions --------------------------------------------------------------------------------------------- */

static int registry(struct place *place, const void *options) {
  SkillRegistry *out = NULL;
  int status = skill_registry_new(options, &out, &place->err);
  skill_registry_free(out);
  return status;
}

static int registry_ranker(struct place *place, const void *options) {
  SkillRegistryOptions outer = SKILL_REGISTRY_OPTIONS_INIT;
  outer.ranker = options;
  return registry(place, &outer);
}

static int ranker(struct place *place, const void *options) {
  SkillRanker *out = NULL;
  int status = skill_ranker_new(options, &out, &place->err);
  skill_ranker_free(out);
  return status;
}

static int ranker_open(struct place *place, const void *options) {
  SkillRanker *out = NULL;
  int status = skill_ranker_open(options, "/nonexistent", 0, &out, &place->err);
  return status == SKILL_ENOENT ? 0 : status;
}

static int ranker_query(struct place *place, const void *query) {
  SkillRanking *out = NULL;
  int status = skill_ranker_query(place->ranker, query, &out, &place->err);
  skill_ranking_free(out);
  return status;
}

static int snapshot_query(struct place *place, const void *query) {
  SkillRanking *out = NULL;
  int status = skill_rank_query(place->snapshot, query, &out, &place->err);
  skill_ranking_free(out);
  return status;
}

static int loader_query(struct place *place, const void *query) {
  SkillRanking *out = NULL;
  int status = skill_loader_rank(place->loader, query, &out, &place->err);
  skill_ranking_free(out);
  return status;
}

static int dense_query(struct place *place, const void *query) {
  SkillDense *dense = NULL;
  SkillRanking *out = NULL;
  skill_dense_new(&embedder, NULL, &dense, NULL);
  int status = skill_dense_rank(dense, place->snapshot, query, &out, &place->err);
  skill_ranking_free(out);
  skill_dense_free(dense);
  return status;
}

static int dense(struct place *place, const void *options) {
  SkillDense *out = NULL;
  int status = skill_dense_new(&embedder, options, &out, &place->err);
  skill_dense_free(out);
  return status;
}

static int embedder_openai(struct place *place, const void *options) {
  SkillEmbedder *out = NULL;
  int status = skill_embedder_openai(options, &out, &place->err);
  skill_embedder_free(out);
  return status;
}

static int loader(struct place *place, const void *options) {
  ProgressiveSkillLoader *out = NULL;
  int status = skill_loader_new(place->registry, options, &out, &place->err);
  if (!status) skill_loader_close(out, NULL, NULL);
  if (!status) skill_loader_wait(out, 1000);
  skill_loader_free(out);
  return status;
}

static int source_of(SkillSource *source, int status) {
  skill_source_free(source);
  return status;
}

static int directory(struct place *place, const void *options) {
  SkillSource *out = NULL;
  int status = skill_source_directory_new(options, &out, &place->err);
  return source_of(out, status);
}

static int builtin(struct place *place, const void *options) {
  SkillSource *out = NULL;
  int status = skill_source_builtin_new(options, &out, &place->err);
  return source_of(out, status);
}

static int document(struct place *place, const void *options) {
  SkillDocument *out = NULL;
  int status = skill_document_parse("text", 4, options, &out, &place->err);
  skill_document_free(out);
  return status;
}

static int substitution(struct place *place, const void *with) {
  char *out = NULL;
  size_t length;
  int status = skill_substitute("text", 4, with, &out, &length, NULL);
  if (status) skill_error_set(&place->err, status, "SkillSubstitution: size: SKILL_..._INIT, this library knows");
  skill_free(out);
  return status;
}

static int gateway(struct place *place, const void *options) {
  SkillGateway *out = NULL;
  int status = skill_gateway_new(options, &out, &place->err);
  skill_gateway_free(out);
  return status;
}

static int gateway_permissions(struct place *place, const void *options) {
  SkillGatewayOptions outer = SKILL_GATEWAY_OPTIONS_INIT;
  outer.loop = place->loop;
  outer.permissions = options;
  return gateway(place, &outer);
}

static int agent(struct place *place, const void *options) {
  SkillAgent *out = NULL;
  int status = skill_agent_new(options, &out, &place->err);
  skill_agent_free(out);
  return status;
}

static SkillAgentOptions agent_options(const struct place *place) {
  SkillAgentOptions options = SKILL_AGENT_OPTIONS_INIT;
  options.loop = place->loop;
  options.model = place->model;
  return options;
}

static int agent_profile(struct place *place, const void *options) {
  SkillAgentOptions outer = agent_options(place);
  outer.profile = options;
  return agent(place, &outer);
}

static int agent_permissions(struct place *place, const void *options) {
  SkillAgentOptions outer = agent_options(place);
  outer.permissions = options;
  return agent(place, &outer);
}

static int agent_loader(struct place *place, const void *options) {
  SkillAgentOptions outer = agent_options(place);
  outer.loader = options;
  return agent(place, &outer);
}

static int hub_profile(struct place *place, const void *options) {
  SkillAgentHub *hub = NULL;
  skill_agent_hub_new(&hub);
  int status = skill_agent_hub_add(hub, "a", options);
  if (status) skill_error_set(&place->err, status, "SkillProfile: size: SKILL_..._INIT, this library knows");
  skill_agent_hub_free(hub);
  return status;
}

static int watcher(struct place *place, const void *options) {
  SkillWatcher *out = NULL;
  int status = skill_watcher_new(place->loop, place->registry, NULL, 0, options, &out, &place->err);
  skill_watcher_free(out);
  return status;
}

static int worker_make(SkillLoop *loop, const SkillAgentEvents *events, void *user, SkillAgent **out, SkillError *err) {
  struct place *place = user;
  SkillAgentOptions options = SKILL_AGENT_OPTIONS_INIT;
  options.loop = loop;
  options.model = place->model;
  options.events = *events;
  return skill_agent_new(&options, out, err);
}

static void worker_unmake(SkillAgent *made, void *user) {
  (void)user;
  skill_agent_free(made);
}

static int worker(struct place *place, const void *options) {
  SkillWorker *out = NULL;
  int status = skill_worker_start(options, &out, &place->err);
  skill_worker_stop(out);
  return status;
}

static int provider(struct place *place, const void *options) {
  SkillModel *out = NULL;
  int status = skill_model_openai_new(options, &out, &place->err);
  skill_model_free(out);
  return status;
}

static int provider_by_name(struct place *place, const void *options) {
  SkillModel *out = NULL;
  int status = skill_model_provider_new("ollama:small", options, &out, &place->err);
  skill_model_free(out);
  return status;
}

static void on_reply(int status, const SkillReply *reply, const SkillError *error, void *user) {
  (void)status, (void)reply, (void)error;
  *(bool *)user = true;
}

static int request(struct place *place, const void *options) {
  bool done = false;
  int status = skill_model_start(place->model, place->loop, options, NULL, on_reply, &done, NULL, &place->err);
  while (!status && !done) skill_loop_run_once(place->loop, 1000);
  return status;
}

static void on_process(const SkillProcessResult *result, void *user) {
  (void)result;
  *(bool *)user = true;
}

static int process(struct place *place, const void *options) {
  bool done = false;
  int status = skill_process_start(skill_loop_uv(place->loop), options, on_process, &done, NULL, &place->err);
  while (!status && !done) skill_loop_run_once(place->loop, 1000);
  return status;
}

static int script(struct place *place, const void *options) {
  int status = skill_script_start(skill_loop_uv(place->loop), options, NULL, on_process, NULL, NULL, &place->err);
  return status == SKILL_ENOENT ? 0 : status;
}

static int script_process(struct place *place, const void *options) {
  SkillScript outer = SKILL_SCRIPT_INIT;
  outer.folder = "/nonexistent";
  outer.command = "run.sh";
  int status = skill_script_start(skill_loop_uv(place->loop), &outer, options, on_process, NULL, NULL, &place->err);
  return status == SKILL_ENOENT ? 0 : status;
}

static int compile(struct place *place, const void *input) {
  SkillCompiled *out = NULL;
  int status = skill_context_compile(input, &out, &place->err);
  skill_compiled_free(out);
  return status;
}

static int compact(struct place *place, const void *options) {
  return skill_context_compact(place->conversation, options, NULL, &place->err);
}

/* --- the checks ------------------------------------------------------------------------------------------------ */

struct door {
  const char *type;
  int (*call)(struct place *place, const void *options);
  const void *options; /* complete and valid */
  size_t least;        /* a smaller size lacks what the call needs */
};

#define UP_TO(type, member) (offsetof(type, member) + sizeof(((type *)NULL)->member))

static size_t doors(struct place *place, struct door *out) {
  static const char *const argv[] = {"true", NULL};
  static SkillRegistryOptions registry_options = SKILL_REGISTRY_OPTIONS_INIT;
  static SkillRankerOptions ranker_options = SKILL_RANKER_OPTIONS_INIT;
  static SkillQuery query = SKILL_QUERY_INIT;
  static SkillDenseOptions dense_options = SKILL_DENSE_OPTIONS_INIT;
  static SkillEmbedderOptions embedder_options = SKILL_EMBEDDER_OPTIONS_INIT;
  static SkillLoaderOptions loader_options = SKILL_LOADER_OPTIONS_INIT;
  static SkillDirectoryOptions directory_options = SKILL_DIRECTORY_OPTIONS_INIT;
  static SkillBuiltinOptions builtin_options = SKILL_BUILTIN_OPTIONS_INIT;
  static SkillDocumentOptions document_options = SKILL_DOCUMENT_OPTIONS_INIT;
  static SkillSubstitution with = SKILL_SUBSTITUTION_INIT;
  static SkillGatewayOptions gateway_options = SKILL_GATEWAY_OPTIONS_INIT;
  static SkillPermissions permissions = SKILL_PERMISSIONS_INIT;
  static SkillProfile profile = SKILL_PROFILE_INIT;
  static SkillWatcherOptions watcher_options = SKILL_WATCHER_OPTIONS_INIT;
  static SkillWorkerOptions worker_options = SKILL_WORKER_OPTIONS_INIT;
  static SkillProviderOptions provider_options = SKILL_PROVIDER_OPTIONS_INIT;
  static SkillModelRequest model_request = SKILL_MODEL_REQUEST_INIT;
  static SkillProcessOptions process_options = SKILL_PROCESS_OPTIONS_INIT;
  static SkillScript script_options = SKILL_SCRIPT_INIT;
  static SkillContextInput input = SKILL_CONTEXT_INPUT_INIT;
  static SkillCompactOptions compact_options = SKILL_COMPACT_OPTIONS_INIT;
  static const SkillMessage message = {.role = SKILL_ROLE_USER, .text = "hello", .text_length = 5};
  static SkillAgentOptions whole_agent;
  query.text = "words";
  embedder_options.url = "http://127.0.0.1:1";
  embedder_options.model = "m";
  directory_options.path = "/nonexistent";
  gateway_options.loop = place->loop;
  worker_options = (SkillWorkerOptions){sizeof worker_options, worker_make, worker_unmake, NULL, place};
  provider_options.model = "m";
  model_request.messages = &message;
  model_request.message_count = 1;
  process_options.argv = argv;
  script_options.folder = "/nonexistent";
  script_options.command = "run.sh";
  input.conversation = place->conversation;
  whole_agent = agent_options(place);
  const struct door all[] = {
      {"SkillRegistryOptions", registry, &registry_options, 0},
      {"SkillRankerOptions", registry_ranker, &ranker_options, 0},
      {"SkillRankerOptions", ranker, &ranker_options, 0},
      {"SkillRankerOptions", ranker_open, &ranker_options, 0},
      {"SkillQuery", ranker_query, &query, UP_TO(SkillQuery, text)},
      {"SkillQuery", snapshot_query, &query, UP_TO(SkillQuery, text)},
      {"SkillQuery", loader_query, &query, UP_TO(SkillQuery, text)},
      {"SkillQuery", dense_query, &query, UP_TO(SkillQuery, text)},
      {"SkillDenseOptions", dense, &dense_options, 0},
      {"SkillEmbedderOptions", embedder_openai, &embedder_options, UP_TO(SkillEmbedderOptions, model)},
      {"SkillLoaderOptions", loader, &loader_options, 0},
      {"SkillDirectoryOptions", directory, &directory_options, UP_TO(SkillDirectoryOptions, path)},
      {"SkillBuiltinOptions", builtin, &builtin_options, 0},
      {"SkillDocumentOptions", document, &document_options, 0},
      {"SkillSubstitution", substitution, &with, 0},
      {"SkillGatewayOptions", gateway, &gateway_options, UP_TO(SkillGatewayOptions, loop)},
      {"SkillPermissions", gateway_permissions, &permissions, 0},
      {"SkillAgentOptions", agent, &whole_agent, UP_TO(SkillAgentOptions, model)},
      {"SkillProfile", agent_profile, &profile, 0},
      {"SkillPermissions", agent_permissions, &permissions, 0},
      {"SkillLoaderOptions", agent_loader, &loader_options, 0},
      {"SkillProfile", hub_profile, &profile, 0},
      {"SkillWatcherOptions", watcher, &watcher_options, 0},
      {"SkillWorkerOptions", worker, &worker_options, sizeof worker_options},
      {"SkillProviderOptions", provider, &provider_options, UP_TO(SkillProviderOptions, model)},
      {"SkillProviderOptions", provider_by_name, &provider_options, 0},
      {"SkillModelRequest", request, &model_request, UP_TO(SkillModelRequest, message_count)},
      {"SkillProcessOptions", process, &process_options, UP_TO(SkillProcessOptions, argv)},
      {"SkillScript", script, &script_options, UP_TO(SkillScript, command)},
      {"SkillProcessOptions", script_process, &process_options, 0},
      {"SkillContextInput", compile, &input, UP_TO(SkillContextInput, conversation)},
      {"SkillCompactOptions", compact, &compact_options, 0},
  };
  memcpy(out, all, sizeof all);
  return sizeof all / sizeof *all;
}

static void open_place(struct place *place) {
  memset(place, 0, sizeof *place);
  assert_int_equal(skill_loop_new(NULL, &place->loop, NULL), 0);
  assert_int_equal(skill_registry_new(NULL, &place->registry, NULL), 0);
  assert_int_equal(skill_model_offline_new(&place->model, NULL), 0);
  assert_int_equal(skill_loader_new(place->registry, NULL, &place->loader, NULL), 0);
  assert_int_equal(skill_ranker_new(NULL, &place->ranker, NULL), 0);
  assert_int_equal(skill_ranker_snapshot(place->ranker, &place->snapshot), 0);
  assert_int_equal(skill_conversation_new(&place->conversation), 0);
}

static void close_place(struct place *place) {
  skill_conversation_free(place->conversation);
  skill_rank_snapshot_release(place->snapshot);
  skill_ranker_free(place->ranker);
  skill_loader_close(place->loader, NULL, NULL);
  skill_loader_wait(place->loader, 1000);
  skill_loader_free(place->loader);
  skill_model_free(place->model);
  skill_registry_free(place->registry);
  skill_loop_free(place->loop);
}

/* Calls with the first `given` bytes of the options, in memory of exactly that size, which say `size`. */
static int call(struct place *place, const struct door *door, size_t given, size_t size) {
  void *copy = malloc(given);
  assert_non_null(copy);
  memcpy(copy, door->options, given);
  memcpy(copy, &size, sizeof size);
  skill_error_clear(&place->err);
  int status = door->call(place, copy);
  free(copy);
  return status;
}

static size_t size_of(const struct door *door) {
  return *(const size_t *)door->options;
}

static void a_wrong_size_is_refused_with_the_name_of_the_struct(void **state) {
  (void)state;
  struct place place;
  struct door all[64];
  open_place(&place);
  size_t count = doors(&place, all);
  for (size_t i = 0; i < count; i++) {
    size_t size = size_of(&all[i]);
    const size_t wrong[] = {0, 1, sizeof size, size - 1, size + 1, size + sizeof size, SIZE_MAX};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
      int status = call(&place, &all[i], size, wrong[k]);
      if (status != SKILL_EINVAL) fail_msg("%zu %s: size %zu gives %d", i, all[i].type, wrong[k], status);
      assert_non_null(strstr(place.err.message, all[i].type));
      bool newer = wrong[k] == size + sizeof size;
      assert_non_null(strstr(place.err.message, newer ? "this library knows" : "INIT"));
    }
  }
  close_place(&place);
}

static void the_struct_of_an_older_version_is_accepted(void **state) {
  (void)state;
  struct place place;
  struct door all[64];
  open_place(&place);
  size_t count = doors(&place, all);
  for (size_t i = 0; i < count; i++) {
    size_t least = all[i].least > sizeof(size_t) ? all[i].least : 2 * sizeof(size_t);
    for (size_t size = least; size <= size_of(&all[i]); size += sizeof(size_t)) {
      int status = call(&place, &all[i], size, size);
      if (status) fail_msg("%zu %s: size %zu gives %d, %s", i, all[i].type, size, status, place.err.message);
    }
  }
  close_place(&place);
}

static void members_that_an_older_version_lacks_have_their_defaults(void **state) {
  (void)state;
  SkillDirectoryOptions whole = SKILL_DIRECTORY_OPTIONS_INIT;
  SkillSource *source = NULL;
  whole.path = "/skills";
  whole.size = UP_TO(SkillDirectoryOptions, path);
  void *old = malloc(whole.size);
  assert_non_null(old);
  memcpy(old, &whole, whole.size);
  assert_int_equal(skill_source_directory_new(old, &source, NULL), 0);
  assert_string_equal(source->label, "/skills");
  skill_source_free(source);
  free(old);
}

static void permissions_that_cannot_be_read_allow_nothing(void **state) {
  (void)state;
  SkillPermissions permissions = {0};
  SkillMetadata metadata = {.name = "a", .mode = SKILL_MODE_ALWAYS};
  const char *why = NULL;
  assert_false(skill_permissions_skill(&permissions, "a", &why));
  assert_non_null(strstr(why, "SKILL_PERMISSIONS_INIT"));
  assert_false(skill_permissions_tool(&permissions, "t", NULL, &why));
  assert_int_equal(skill_permissions_mode(&permissions, &metadata), SKILL_MODE_ALWAYS);
  permissions.size = 2 * sizeof(size_t) + sizeof(SkillStrings);
  assert_true(skill_permissions_skill(&permissions, "a", NULL));
  assert_true(skill_permissions_tool(&permissions, "t", "a", NULL));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_wrong_size_is_refused_with_the_name_of_the_struct),
      cmocka_unit_test(the_struct_of_an_older_version_is_accepted),
      cmocka_unit_test(members_that_an_older_version_lacks_have_their_defaults),
      cmocka_unit_test(permissions_that_cannot_be_read_allow_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
