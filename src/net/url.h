/* SPDX-License-Identifier: MIT
 *
 * Addresses of servers.
 */
#ifndef SKILL_NET_URL_H
#define SKILL_NET_URL_H

#include <stdbool.h>

/* `base` without trailing slashes, followed by `path`, which begins with '/', unless it ends with that already. Owned:
 * skill_free. NULL: out of memory. */
char *skill__url_join(const char *base, const char *path);

/* Whether what is sent there can be read on its way: plain http to another machine. */
bool skill__url_exposed(const char *url);

#endif
