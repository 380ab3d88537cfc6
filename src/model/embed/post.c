/* SPDX-License-Identifier: MIT
 *
 * The embedder's use of libcurl: no redirects (a key must not travel), http and https only, one time limit for the
 * whole request.
 */
#include "model/embed/post.h"

#include <curl/curl.h>
#include <string.h>

static size_t receive(char *data, size_t size, size_t count, void *user) {
  struct skill__buf *reply = user;
  skill__buf_add(reply, data, size * count);
  return skill__buf_status(reply) ? 0 : size * count;
}

static struct curl_slist *add_header(struct curl_slist *list, const char *text, bool *ok) {
  struct curl_slist *longer = *ok ? curl_slist_append(list, text) : NULL;
  *ok = longer != NULL;
  return longer ? longer : list;
}

static struct curl_slist *headers_of(const struct skill__post *post, bool *ok) {
  struct curl_slist *list = add_header(NULL, "Content-Type: application/json", ok);
  list = add_header(list, "Expect:", ok);
  if (!post->key) return list;
  struct skill__buf line;
  skill__buf_init(&line, 16384);
  skill__buf_printf(&line, "Authorization: Bearer %s", post->key);
  if (skill__buf_status(&line)) *ok = false;
  list = add_header(list, line.data, ok);
  skill__buf_fini(&line);
  return list;
}

static bool set_options(CURL *curl, const struct skill__post *post, struct curl_slist *headers, char *message,
                        struct skill__buf *reply) {
  CURLcode code = curl_easy_setopt(curl, CURLOPT_URL, post->url);
  if (!code) code = curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  if (!code) code = curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
  if (!code) code = curl_easy_setopt(curl, CURLOPT_POSTFIELDS, post->body);
  if (!code) code = curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)post->length);
  if (!code) code = curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)post->timeout_ms);
  if (!code) code = curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  if (!code) code = curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "");
  if (!code) code = curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, message);
  if (!code) code = curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, receive);
  if (!code) code = curl_easy_setopt(curl, CURLOPT_WRITEDATA, reply);
  return code == CURLE_OK;
}

static int failure(CURLcode code, const struct skill__buf *reply, const char *message, SkillError *err) {
  const char *why = *message ? message : curl_easy_strerror(code);
  int lost = skill__buf_status(reply);
  if (lost) {
    return skill_error_set(err, lost, "the reply of the embedding server %s",
                           lost == SKILL_ENOMEM ? "finds no memory" : "is too large");
  }
  if (code == CURLE_OPERATION_TIMEDOUT) {
    return skill_error_set(err, SKILL_ETIMEDOUT, "the embedding server did not answer in time: %s", why);
  }
  if (code == CURLE_OUT_OF_MEMORY) return skill_error_set(err, SKILL_ENOMEM, "out of memory for a request");
  return skill_error_set(err, SKILL_EREMOTE, "the embedding server cannot be reached: %s", why);
}

int skill__post(const struct skill__post *post, struct skill__buf *reply, long *status, long *wait_ms,
                SkillError *err) {
  CURL *curl = curl_easy_init();
  char message[CURL_ERROR_SIZE] = "";
  bool ok = true;
  struct curl_slist *headers = headers_of(post, &ok);
  int result = SKILL_ENOMEM;
  if (!curl || !ok || !set_options(curl, post, headers, message, reply)) {
    skill_error_set(err, result, "out of memory for a request");
    goto out;
  }
  CURLcode code = curl_easy_perform(curl);
  if (code) {
    result = failure(code, reply, message, err);
    goto out;
  }
  curl_off_t wait = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, status);
  curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &wait);
  *wait_ms = wait > 3600 ? 3600000 : (long)wait * 1000;
  result = 0;
out:
  curl_slist_free_all(headers);
  if (curl) curl_easy_cleanup(curl);
  return result;
}
