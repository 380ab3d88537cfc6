/* SPDX-License-Identifier: MIT
 *
 * Parts of skill_io_posix() that other code uses too, or tests.
 */
#ifndef SKILL_UTIL_IO_POSIX_H
#define SKILL_UTIL_IO_POSIX_H

#include "skillet/io.h"

/* Opens `path` below the descriptor `at`, one component at a time and without following links; `how` are the flags of
 * open(2) for the last component. Used for SKILL_IO_BENEATH if the kernel has no openat2; returns the same codes. */
int skill__io_open_steps(int at, const char *path, int how, int *fd);

/* The SKILL_E… of an errno. */
int skill__io_status(int error);

/* Writes all bytes; after a failure errno has the reason. */
int skill__io_write(int fd, const void *data, size_t size);

#endif
