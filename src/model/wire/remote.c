/* SPDX-License-Identifier: MIT
 *
 * A model over HTTP: checks and copies its options. exchange.c runs its requests.
 */
#include "model/wire/remote.h"

#include <stdio.h>
#include <string.h>

#include "model/wire/exchange.h"
#include "net/url.h"
#include "util/alloc.h"
#include "util/options.h"

static void free_model(SkillModel *model) {
  struct skill__remote *remote = (struct skill__remote *)(void *)model;
  skill__http_client_free(remote->client);
  skill__key_fini(&remote->key);
  skill__argv_fini(&remote->headers);
  skill__free(remote->config.model);
  skill__free(remote->config.url);
  skill__free(remote->config.extra);
  skill__free(remote->label);
  skill__free(remote->proxy);
  skill__free(remote);
}

static char *label_of(const char *provider, const char *model) {
  size_t size = strlen(provider) + strlen(model) + 2;
  char *label = skill__malloc(size);
  if (label) snprintf(label, size, "%s:%s", provider, model);
  return label;
}

static int check(const struct skill__protocol *protocol, const SkillProviderOptions *options, SkillError *err) {
  if (!options->model || !*options->model) {
    return skill_error_set(err, SKILL_EINVAL, "%s: the options name no model", protocol->name);
  }
  if (options->extra && !skill__body_json(options->extra, strlen(options->extra), true)) {
    return skill_error_set(err, SKILL_EINVAL, "%s: extra is no JSON object", protocol->name);
  }
  for (const char *const *h = options->headers; h && *h; h++) {
    if (!strchr(*h, ':') || strpbrk(*h, "\r\n")) {
      return skill_error_set(err, SKILL_EINVAL, "%s: a header must be one line \"Name: value\"", protocol->name);
    }
  }
  return 0;
}

static void set_numbers(SkillProviderOptions *to, const SkillProviderOptions *from) {
  to->connect_timeout_ms = from->connect_timeout_ms > 0 ? from->connect_timeout_ms : 10000;
  to->idle_timeout_ms = from->idle_timeout_ms > 0 ? from->idle_timeout_ms : 120000;
  to->timeout_ms = from->timeout_ms > 0 ? from->timeout_ms : 600000;
  to->tries = from->tries ? from->tries : 5;
  to->backoff_ms = from->backoff_ms > 0 ? from->backoff_ms : 500;
  to->backoff_max_ms = from->backoff_max_ms > 0 ? from->backoff_max_ms : 60000;
  to->io = from->io ? from->io : skill_io_posix();
}

static int fill(struct skill__remote *remote, const struct skill__provider *provider,
                const SkillProviderOptions *options) {
  const struct skill__protocol *protocol = remote->protocol;
  struct skill__remote_config *config = &remote->config;
  config->own_service = !options->base_url && strcmp(provider->name, protocol->name) == 0;
  config->model = skill__strdup(options->model);
  config->url = skill__url_join(options->base_url ? options->base_url : provider->base_url, protocol->path);
  config->extra = skill__strdup(options->extra);
  config->max_output = options->max_output;
  config->tool_search = options->tool_search && (protocol->flags & SKILL_MODEL_TOOL_SEARCH);
  remote->label = label_of(provider->name, options->model);
  remote->proxy = skill__strdup(options->proxy);
  remote->client = skill__http_client_new();
  skill__argv_all(&remote->headers, options->headers);
  set_numbers(&remote->limits, options);
  int status = skill__key_init(&remote->key, options->key, options->key_env ? options->key_env : provider->key_env,
                               options->key_command);
  bool all = config->model && config->url && (config->extra || !options->extra) && remote->label &&
             (remote->proxy || !options->proxy) && remote->client && !remote->headers.status;
  return !status && !all ? SKILL_ENOMEM : status;
}

int skill__remote_new(const struct skill__provider *provider, const SkillProviderOptions *options, SkillModel **out,
                      SkillError *err) {
  const struct skill__protocol *protocol = provider->protocol;
  SkillProviderOptions given = SKILL_PROVIDER_OPTIONS_INIT;
  int status = SKILL__OPTIONS(SkillProviderOptions, &given, options, err);
  if (!status) status = check(protocol, &given, err);
  if (status) return status;
  struct skill__remote *remote = skill__calloc(1, sizeof *remote);
  if (!remote) return SKILL_ENOMEM;
  remote->protocol = protocol;
  status = fill(remote, provider, &given);
  if (status) {
    free_model(&remote->model);
    return status;
  }
  remote->model.version = SKILL_MODEL_VERSION;
  remote->model.name = remote->label;
  remote->model.note = skill__url_exposed(remote->config.url)
                           ? "requests and key go over plain http, readable on their way: use https"
                           : NULL;
  remote->model.flags = protocol->flags & ~(remote->config.tool_search ? 0u : (unsigned)SKILL_MODEL_TOOL_SEARCH);
  remote->model.window = given.window;
  remote->model.max_output = given.max_output;
  remote->model.tokenizer = given.tokenizer;
  remote->model.request = skill__exchange_request;
  remote->model.cancel = skill__exchange_cancel;
  remote->model.free = free_model;
  *out = &remote->model;
  return 0;
}
