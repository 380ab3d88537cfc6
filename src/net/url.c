/* SPDX-License-Identifier: MIT
 *
 * Addresses of servers; see url.h.
 */
#include "net/url.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "util/alloc.h"

char *skill__url_join(const char *base, const char *path) {
  size_t length = strlen(base);
  size_t tail = strlen(path);
  while (length && base[length - 1] == '/') length--;
  if (length >= tail && memcmp(base + length - tail, path, tail) == 0) length -= tail;
  char *url = skill__malloc(length + tail + 1);
  if (url) snprintf(url, length + tail + 1, "%.*s%s", (int)length, base, path);
  return url;
}

static bool loopback(const char *host, size_t length) {
  if (length >= 4 && memcmp(host, "127.", 4) == 0) return strspn(host, "0123456789.") == length;
  return (length == 9 && strncasecmp(host, "localhost", 9) == 0) || (length == 5 && memcmp(host, "[::1]", 5) == 0);
}

bool skill__url_exposed(const char *url) {
  if (strncasecmp(url, "http://", 7) != 0) return false;
  const char *host = url + 7;
  size_t length = strcspn(host, "/?#");
  const char *at = memrchr(host, '@', length); /* name and password before the host */
  if (at) length -= (size_t)(at + 1 - host), host = at + 1;
  size_t end = *host == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":/?#");
  return !loopback(host, end < length ? end : length);
}
