/* SPDX-License-Identifier: MIT
 *
 * Runs a scenario once for every system call that skillet makes, and lets the n-th call fail in the n-th run.
 *
 * The linker puts these wrappers between skillet and the C library (--wrap; test/CMakeLists.txt lists the tests), so
 * calls by libuv, curl and the C library itself are not affected. Calls of a child between vfork and exec count too.
 * Only the thread that runs the scenario is affected.
 */
#ifndef TEST_LIB_FAULTS_H
#define TEST_LIB_FAULTS_H

#include <stddef.h>

enum fault {
  FAULT_ERROR,     /* the call fails with an error that fits it, such as no space, no permission or no such file */
  FAULT_INTERRUPT, /* read, write and waitpid fail with EINTR; the others are not touched */
  FAULT_SHORT      /* read and write move one byte */
};

/* Runs `body` until a run reaches no fault. Returns the number of faults that were reached. The body creates what it
 * needs, does its work, asserts, and frees everything. */
size_t faults_run(enum fault fault, void (*body)(void *user), void *user);

/* For the body: the call that failed in this run, for example "pipe2"; NULL if none has failed yet. */
const char *faults_met(void);
/* For the body: no more faults in this run. */
void faults_relent(void);

/* For a tear-down: prints which fault a failed assertion belongs to, and ends the sweep. */
int faults_tear_down(void **state);

#endif
