/* SPDX-License-Identifier: MIT
 *
 * System calls that fail in turn: runs a scenario with the n-th call that skillet makes failing, for every n.
 *
 * The linker puts these between skillet and the C library (--wrap; test/CMakeLists.txt has the list of tests), so that
 * libuv, curl and the C library itself are left alone. A child's calls between vfork and exec count too. One thread at
 * a time: the one that runs the scenario.
 */
#ifndef TEST_LIB_FAULTS_H
#define TEST_LIB_FAULTS_H

#include <stddef.h>

enum fault {
  FAULT_ERROR,     /* the call fails as it does where there is no room, no permission, or nothing of the kind */
  FAULT_INTERRUPT, /* read, write and waitpid fail with EINTR; the others are not touched */
  FAULT_SHORT      /* read and write move one byte */
};

/* Runs `body` until a run meets no fault; returns how many it met. The body makes what it needs, works, asserts, and
 * frees everything. */
size_t faults_run(enum fault fault, void (*body)(void *user), void *user);

/* For the body: the call that failed in this run, e.g. "pipe2"; NULL: none has yet. */
const char *faults_met(void);
/* For the body: no more faults in this run. */
void faults_relent(void);

/* For a tear-down: says which fault a failed assertion was about, and ends it. */
int faults_tear_down(void **state);

#endif
