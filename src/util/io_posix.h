/* SPDX-License-Identifier: MIT
 *
 * What of skill_io_posix() can be tried alone.
 */
#ifndef SKILL_UTIL_IO_POSIX_H
#define SKILL_UTIL_IO_POSIX_H

#include "skillet/io.h"

/* Opens `path` below the descriptor `at` one component after the other, each without following a link; `how` are
 * open(2)'s flags for the last. What SKILL_IO_BENEATH does where the kernel has no openat2; the same codes. */
int skill__io_open_steps(int at, const char *path, int how, int *fd);

#endif
