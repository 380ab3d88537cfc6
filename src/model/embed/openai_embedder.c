/* SPDX-License-Identifier: MIT
 *
 * SkillEmbedder for an OpenAI-compatible /v1/embeddings endpoint: batches, attempts, and strict checks of the reply.
 */
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "model/wire/key.h"
#include "model/wire/remote.h"
#include "net/http.h"
#include "net/url.h"
#include "skillet/embed.h"
#include "util/alloc.h"
#include "util/json.h"
#include "util/json_out.h"
#include "util/options.h"
#include "util/utf8.h"

enum { REPLY_MOST = 256 * 1024 * 1024, REQUEST_MOST = 64 * 1024 * 1024, BATCH_MOST = 2048, WAIT_MOST_MS = 60000 };

static const char bearer[] = "Authorization: Bearer ";

struct openai {
  SkillEmbedder base;
  struct skill__http_client *client;
  char *url, *model, *prefix[2], *name;
  char *authorization; /* a header that ends with the key; NULL: there is no key */
  size_t dimensions, batch, max_text;
  int timeout_ms, retry_ms;
  unsigned attempts;
};

/* One call of embed(). */
struct work {
  struct openai *self;
  SkillEmbedKind kind;
  const SkillText *texts;
  float *vectors; /* count x dims; allocated when the first reply shows dims */
  size_t count, dims;
};

/* --- request ---------------------------------------------------------------------------------------------------- */

static void add_text(struct skill__buf *body, const struct openai *self, SkillEmbedKind kind, SkillText text) {
  size_t length = text.length < self->max_text ? text.length : skill__utf8_floor(text.text, self->max_text);
  struct skill__buf whole;
  skill__buf_init(&whole, REQUEST_MOST);
  skill__buf_text(&whole, self->prefix[kind]);
  skill__buf_add(&whole, text.text, length);
  if (!whole.length) skill__buf_char(&whole, ' '); /* servers refuse empty texts */
  if (skill__buf_status(&whole)) body->status = skill__buf_status(&whole);
  skill__json_add_bytes(body, NULL, whole.data, whole.length);
  skill__buf_fini(&whole);
}

static void write_request(struct skill__buf *body, const struct work *work, size_t first, size_t count) {
  skill__json_open(body, NULL, "{");
  skill__json_add_text(body, "model", work->self->model);
  skill__json_add_text(body, "encoding_format", "float");
  if (work->self->dimensions) skill__json_add_size(body, "dimensions", work->self->dimensions);
  skill__json_open(body, "input", "[");
  for (size_t i = 0; i < count; i++) add_text(body, work->self, work->kind, work->texts[first + i]);
  skill__json_close(body, "]}");
}

static bool is_passing(int status, long http) {
  return status == SKILL_EREMOTE || status == SKILL_ETIMEDOUT || (!status && (http == 429 || http >= 500));
}

static int post_once(const struct openai *self, const struct skill__buf *body, struct skill__buf *reply,
                     struct skill__http_response *response, SkillError *err) {
  const char *headers[] = {"Content-Type: application/json", self->authorization, NULL};
  struct skill__http_post post = {
      .url = self->url,
      .headers = headers,
      .body = body->data,
      .length = body->length,
      .connect_timeout_ms = self->timeout_ms,
      .idle_timeout_ms = self->timeout_ms,
      .timeout_ms = self->timeout_ms,
  };
  SkillError why = SKILL_ERROR_INIT;
  skill__buf_clear(reply);
  int status = skill__http_wait(self->client, &post, reply, response, &why);
  const char *what = "cannot be reached";
  if (!status) return 0;
  if (status == SKILL_EIO) status = SKILL_EREMOTE;
  if (status == SKILL_ETIMEDOUT) what = "did not answer in time";
  if (status == SKILL_ELIMIT) what = "sent too long a reply";
  return skill_error_set(err, status, "the embedding server %s: %s", what, why.message);
}

/* Posts until the server gives something other than a passing failure, or the attempts are used up. An embedder blocks
 * while its server works, so it may block between attempts too. */
static int post_patiently(const struct openai *self, const struct skill__buf *body, struct skill__buf *reply,
                          long *http, SkillError *err) {
  int64_t wait = self->retry_ms;
  for (unsigned attempt = 1;; attempt++, wait *= 2) {
    struct skill__http_response response = {.retry_after_ms = -1};
    SkillError why = SKILL_ERROR_INIT;
    int status = post_once(self, body, reply, &response, &why);
    *http = response.status;
    if (!is_passing(status, *http) || attempt >= self->attempts) {
      return status ? skill_error_set(err, status, "%s", why.message) : 0;
    }
    int64_t pause = response.retry_after_ms > wait ? response.retry_after_ms : wait;
    (void)poll(NULL, 0, pause < WAIT_MOST_MS ? (int)pause : WAIT_MOST_MS);
  }
}

/* --- reply ------------------------------------------------------------------------------------------------------ */

static int bad_reply(SkillError *err, const char *what) {
  return skill_error_set(err, SKILL_EREMOTE, "the embedding server's reply is not what was asked for: %s", what);
}

static int read_vector(const cJSON *list, size_t dims, float *out, SkillError *err) {
  size_t i = 0;
  double square = 0;
  for (const cJSON *item = list->child; item; item = item->next) {
    if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble) || fabs(item->valuedouble) > 1e9) {
      return bad_reply(err, "a vector holds something that is no number");
    }
    if (i < dims) out[i] = (float)item->valuedouble;
    square += item->valuedouble * item->valuedouble;
    i++;
  }
  if (i != dims) return bad_reply(err, "vectors of different lengths");
  return square > 0 ? 0 : bad_reply(err, "a vector of zeros");
}

static int set_dims(struct work *work, const cJSON *embedding, SkillError *err) {
  size_t dims = (size_t)cJSON_GetArraySize(embedding);
  if (dims == 0 || dims > SKILL_EMBED_MAX_DIMS) return bad_reply(err, "an empty or much too long vector");
  work->vectors = skill__calloc(work->count, dims * sizeof *work->vectors);
  if (!work->vectors) return skill_error_set(err, SKILL_ENOMEM, "out of memory for %zu vectors", work->count);
  work->dims = dims;
  return 0;
}

/* Reads one member of "data". It belongs to the text number `index`; if that is missing, to the one at its position. */
static int read_item(struct work *work, const cJSON *item, size_t position, size_t first, size_t count, bool *seen,
                     SkillError *err) {
  const cJSON *embedding = cJSON_GetObjectItemCaseSensitive(item, "embedding");
  const cJSON *index = cJSON_GetObjectItemCaseSensitive(item, "index");
  double number = cJSON_IsNumber(index) ? index->valuedouble : (double)position;
  if (!cJSON_IsArray(embedding)) return bad_reply(err, "\"embedding\" is no list");
  if (!(number >= 0) || number >= (double)count || number != floor(number)) return bad_reply(err, "\"index\" is wrong");
  size_t at = (size_t)number;
  if (seen[at]) return bad_reply(err, "two vectors for one text");
  seen[at] = true;
  int status = work->vectors ? 0 : set_dims(work, embedding, err);
  return status ? status : read_vector(embedding, work->dims, work->vectors + (first + at) * work->dims, err);
}

static int read_reply(struct work *work, const struct skill__buf *reply, size_t first, size_t count, SkillError *err) {
  cJSON *root = NULL;
  SkillError why = SKILL_ERROR_INIT;
  bool *seen = skill__calloc(count, sizeof *seen);
  int status =
      seen ? skill__json_parse(reply->data ? reply->data : "", reply->length, NULL, &root, &why) : SKILL_ENOMEM;
  if (status == SKILL_EPARSE) {
    status = bad_reply(err, "no JSON");
  } else if (status) {
    skill_error_set(err, status, "out of memory for the reply");
  }
  const cJSON *data = cJSON_GetObjectItemCaseSensitive(root, "data");
  if (!status && !cJSON_IsArray(data)) status = bad_reply(err, "\"data\" is missing");
  if (!status && (size_t)cJSON_GetArraySize(data) != count) status = bad_reply(err, "as many vectors as texts are due");
  size_t position = 0;
  for (const cJSON *item = data ? data->child : NULL; item && !status; item = item->next) {
    status = read_item(work, item, position++, first, count, seen, err);
  }
  cJSON_Delete(root);
  skill__free(seen);
  return status;
}

static int refused(const struct openai *self, const struct skill__buf *reply, long http, SkillError *err) {
  SkillError why = SKILL_ERROR_INIT;
  cJSON *root = NULL;
  if (reply->length) (void)skill__json_parse(reply->data, reply->length, NULL, &root, NULL);
  (void)skill__remote_error(root, &why);
  cJSON_Delete(root);
  if (self->authorization) skill__key_scrub(self->authorization + sizeof bearer - 1, why.message);
  int status = SKILL_EREMOTE;
  if (http == 401 || http == 403) status = SKILL_EDENIED;
  if (http == 404) status = SKILL_ENOENT;
  return skill_error_set(err, status, "the embedding server answered %ld%s%s", http, why.message[0] ? ": " : "",
                         why.message);
}

/* --- the whole -------------------------------------------------------------------------------------------------- */

static int embed_range(struct work *work, size_t first, size_t count, SkillError *err) {
  struct skill__buf body, reply;
  skill__buf_init(&body, REQUEST_MOST);
  skill__buf_init(&reply, REPLY_MOST);
  write_request(&body, work, first, count);
  long http = 0;
  int status = skill__buf_status(&body);
  if (status) {
    skill_error_set(err, status, "the request to the embedding server is too large");
  } else {
    status = post_patiently(work->self, &body, &reply, &http, err);
  }
  bool halve = !status && (http == 400 || http == 413 || http == 422) && count > 1;
  if (!status && !halve) {
    status = http >= 200 && http < 300 ? read_reply(work, &reply, first, count, err)
                                       : refused(work->self, &reply, http, err);
  }
  skill__buf_fini(&reply);
  skill__buf_fini(&body);
  if (!halve) return status;
  status = embed_range(work, first, count / 2, err);
  return status ? status : embed_range(work, first + count / 2, count - count / 2, err);
}

static int embed(SkillEmbedder *base, SkillEmbedKind kind, const SkillText *texts, size_t count, float **vectors,
                 size_t *dims, SkillError *err) {
  struct work work = {.self = base->impl, .kind = kind, .texts = texts, .count = count};
  if (!count) return skill_error_set(err, SKILL_EINVAL, "no texts to embed");
  int status = 0;
  for (size_t first = 0; first < count && !status; first += work.self->batch) {
    size_t size = count - first < work.self->batch ? count - first : work.self->batch;
    status = embed_range(&work, first, size, err);
  }
  if (status) {
    skill__free(work.vectors);
    return status;
  }
  *vectors = work.vectors;
  *dims = work.dims;
  return 0;
}

static void release(SkillEmbedder *base) {
  struct openai *self = base->impl;
  void *all[] = {self->url, self->model, self->prefix[0], self->prefix[1], self->name};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) skill__free(all[i]);
  skill__key_forget(self->authorization);
  skill__http_client_free(self->client);
  skill__free(self);
}

/* Identifies comparable vectors: model, address, and every option that changes them. */
static char *name_of(const struct openai *self) {
  struct skill__buf buf;
  skill__buf_init(&buf, 4 * SKILL_MAX_PATH);
  skill__buf_printf(&buf, "%s@%s", self->model, self->url);
  if (self->dimensions) skill__buf_printf(&buf, " %zu dimensions", self->dimensions);
  if (*self->prefix[SKILL_EMBED_SKILL]) skill__buf_printf(&buf, " after \"%s\"", self->prefix[SKILL_EMBED_SKILL]);
  return skill__buf_take(&buf, NULL);
}

static char *authorization_of(const char *key) {
  size_t size = sizeof bearer + strlen(key);
  char *header = skill__malloc(size);
  if (header) snprintf(header, size, "%s%s", bearer, key);
  return header;
}

static char *copied(const char *text) {
  return skill__strdup(text ? text : "");
}

static void set_numbers(struct openai *self, const SkillEmbedderOptions *options) {
  self->dimensions = options->dimensions;
  self->batch = options->batch ? options->batch : 64;
  if (self->batch > BATCH_MOST) self->batch = BATCH_MOST;
  self->max_text = options->max_text ? options->max_text : 8000;
  self->timeout_ms = options->timeout_ms > 0 ? options->timeout_ms : 10000;
  self->retry_ms = options->retry_ms > 0 ? options->retry_ms : 250;
  self->attempts = options->attempts ? options->attempts : 3;
}

static int openai_new(const SkillEmbedderOptions *options, SkillEmbedder **out, SkillError *err) {
  if (!options->url || !options->model || !*options->model) {
    return skill_error_set(err, SKILL_EINVAL, "an embedder needs the address of a server and the name of a model");
  }
  if (strncmp(options->url, "http://", 7) != 0 && strncmp(options->url, "https://", 8) != 0) {
    return skill_error_set(err, SKILL_EINVAL, "%s: the address must begin with http:// or https://", options->url);
  }
  if (options->key && strpbrk(options->key, "\r\n")) {
    return skill_error_set(err, SKILL_EINVAL, "the embedding server's key holds a line end");
  }
  struct openai *self = skill__calloc(1, sizeof *self);
  if (!self) return skill_error_set(err, SKILL_ENOMEM, "out of memory for an embedder");
  self->base = (SkillEmbedder){SKILL_EMBEDDER_VERSION, NULL, self, embed, release};
  set_numbers(self, options);
  self->client = skill__http_client_new();
  self->url = skill__url_join(options->url, "/embeddings");
  self->model = copied(options->model);
  self->authorization = options->key ? authorization_of(options->key) : NULL;
  self->prefix[SKILL_EMBED_SKILL] = copied(options->skill_prefix);
  self->prefix[SKILL_EMBED_QUERY] = copied(options->query_prefix);
  bool whole = self->client && self->url && self->model && self->prefix[0] && self->prefix[1];
  self->name = whole ? name_of(self) : NULL;
  self->base.name = self->name;
  if (!self->name || (options->key && !self->authorization)) {
    release(&self->base);
    return skill_error_set(err, SKILL_ENOMEM, "out of memory for an embedder");
  }
  *out = &self->base;
  return 0;
}

int skill_embedder_openai(const SkillEmbedderOptions *options, SkillEmbedder **out, SkillError *err) {
  SkillEmbedderOptions given = SKILL_EMBEDDER_OPTIONS_INIT;
  int status = SKILL__OPTIONS(SkillEmbedderOptions, &given, options, err);
  return status ? status : openai_new(&given, out, err);
}
