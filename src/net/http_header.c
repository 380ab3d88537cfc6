/* SPDX-License-Identifier: MIT
 *
 * The headers of a response that skillet uses. Values that cannot be read count as absent.
 */
#include "net/http_header.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

/* The value in the last response, after "100 Continue" and a proxy's answer; NULL: absent. */
static const char *value_of(CURL *easy, const char *name) {
  struct curl_header *header;
  return curl_easy_header(easy, name, 0, CURLH_HEADER, -1, &header) == CURLHE_OK ? header->value : NULL;
}

/* A number from 0 to below `limit`; -1: none. */
static double number(const char *text, double limit) {
  char *end;
  double value = text ? strtod(text, &end) : -1;
  return text && end != text && !*end && value >= 0 && value < limit ? value : -1;
}

static int64_t retry_after(CURL *easy) {
  double ms = number(value_of(easy, "retry-after-ms"), 1e12);
  if (ms >= 0) return (int64_t)ms;
  const char *text = value_of(easy, "retry-after");
  double seconds = number(text, 1e9);
  if (seconds >= 0) return (int64_t)(seconds * 1000);
  time_t then = text ? curl_getdate(text, NULL) : -1;
  time_t now = time(NULL);
  if (then == -1) return -1;
  return then > now ? (int64_t)(then - now) * 1000 : 0;
}

void skill__http_head(CURL *easy, struct skill__http_response *response) {
  const char *retry = value_of(easy, "x-should-retry");
  const char *type = value_of(easy, "content-type");
  const char *id = value_of(easy, "x-request-id");
  if (!id) id = value_of(easy, "request-id");
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &response->status);
  response->retry_after_ms = retry_after(easy);
  response->should_retry = retry ? strcasecmp(retry, "true") == 0 : -1;
  response->json = type && strncasecmp(type, "application/json", 16) == 0;
  if (id && strlen(id) < sizeof response->request_id) memcpy(response->request_id, id, strlen(id) + 1);
}
