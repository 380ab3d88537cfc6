/* SPDX-License-Identifier: MIT
 *
 * The bubblewrap command line of a child: read-only file system, private /tmp, /run and /dev, own process and IPC
 * namespaces, no network unless allowed, and common locations of credentials hidden.
 */
#ifndef SKILL_PROCESS_SANDBOX_H
#define SKILL_PROCESS_SANDBOX_H

#include "process/environ.h"

/* The path of bwrap; NULL: the sandbox does not work, and *reason is that of skill_sandbox_works. */
const char *skill__sandbox_program(const char **reason);

/* Appends bwrap's own arguments, "--" included. `folder` (absolute) stays readable at any location; `home` may be
 * NULL. */
void skill__sandbox_arguments(struct skill__argv *argv, const char *folder, const char *const *writable, bool network,
                              const char *home);

#endif
