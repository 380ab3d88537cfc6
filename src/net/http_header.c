/* SPDX-License-Identifier: MIT
 *
 * What is wanted of a response's head. Lines that are not understood are as if they were not there.
 */
#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "net/http.h"

/* The value of a header line where the name is `name`; NULL otherwise. */
static const char *value_of(const char *line, size_t length, const char *name, size_t *size) {
  size_t n = strlen(name);
  if (length <= n || line[n] != ':' || strncasecmp(line, name, n) != 0) return NULL;
  const char *value = line + n + 1;
  const char *end = line + length;
  while (value < end && (*value == ' ' || *value == '\t')) value++;
  while (end > value && (end[-1] == '\r' || end[-1] == '\n' || end[-1] == ' ')) end--;
  *size = (size_t)(end - value);
  return value;
}

static bool copy_value(const char *line, size_t length, const char *name, char *out, size_t size) {
  size_t n;
  const char *value = value_of(line, length, name, &n);
  if (!value || n >= size) return false;
  memcpy(out, value, n);
  out[n] = '\0';
  return true;
}

/* Seconds, or a date; negative and unreadable ones are as if they were not there. */
static int64_t retry_after(const char *text) {
  char *end;
  double seconds = strtod(text, &end);
  if (end != text && !*end) return seconds >= 0 && seconds < 1e9 ? (int64_t)(seconds * 1000) : -1;
  time_t then = curl_getdate(text, NULL);
  time_t now = time(NULL);
  if (then == (time_t)-1) return -1;
  return then > now ? (int64_t)(then - now) * 1000 : 0;
}

void skill__http_header(struct skill__http_response *response, const char *data, size_t length) {
  char text[128];
  if (length > 5 && strncmp(data, "HTTP/", 5) == 0) { /* a new head, after 100-continue or a proxy's */
    response->retry_after_ms = -1;
    response->should_retry = -1;
    response->json = false;
  } else if (copy_value(data, length, "retry-after-ms", text, sizeof text)) {
    char *end;
    double ms = strtod(text, &end);
    if (end != text && !*end && ms >= 0 && ms < 1e12) response->retry_after_ms = (int64_t)ms;
  } else if (copy_value(data, length, "retry-after", text, sizeof text)) {
    if (response->retry_after_ms < 0) response->retry_after_ms = retry_after(text);
  } else if (copy_value(data, length, "x-should-retry", text, sizeof text)) {
    response->should_retry = strcasecmp(text, "true") == 0;
  } else if (copy_value(data, length, "content-type", text, sizeof text)) {
    response->json = strncasecmp(text, "application/json", 16) == 0;
  } else if (copy_value(data, length, "x-request-id", text, sizeof text) ||
             copy_value(data, length, "request-id", text, sizeof text)) {
    memcpy(response->request_id, text, sizeof text);
  }
}
