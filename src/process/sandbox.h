/* SPDX-License-Identifier: MIT
 *
 * The bubblewrap command line around a child: read-only file system, private /tmp, /run and /dev, own process and IPC
 * namespaces, no network unless allowed, and the usual places of credentials hidden.
 */
#ifndef SKILL_PROCESS_SANDBOX_H
#define SKILL_PROCESS_SANDBOX_H

#include "process/environ.h"

/* The path of bwrap; NULL where the sandbox does not work, with the reason as skill_sandbox_works gives it. */
const char *skill__sandbox_program(const char **reason);

/* Appends bwrap's own arguments up to and with "--". `folder` (absolute) stays readable wherever it lies; `home` may
 * be NULL. */
void skill__sandbox_arguments(struct skill__argv *argv, const char *folder, const char *const *writable, bool network,
                              const char *home);

#endif
