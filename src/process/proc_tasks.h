/* SPDX-License-Identifier: MIT
 *
 * Counts the processes of a session and their memory, from /proc. Without /proc the result is "unknown", and only the
 * kernel's limits apply.
 */
#ifndef SKILL_PROCESS_PROC_TASKS_H
#define SKILL_PROCESS_PROC_TASKS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct skill__tasks {
  unsigned tasks;    /* processes and threads */
  uint64_t resident; /* bytes, shared pages counted in each */
};

/* Counts the session; false: unknown. Costs about 10 us for each process of the machine. */
bool skill__tasks_scan(pid_t session, struct skill__tasks *out);

/* Sends `signal` to every process of the session that has left the leader's group. */
void skill__tasks_signal_strays(pid_t session, int signal);

/* Processes and threads of the whole machine, cheaply; 0: unknown. */
unsigned skill__tasks_of_machine(void);

/* Processes and threads of this user, cached for five seconds; 0: unknown. Any thread. */
unsigned skill__tasks_of_user(void);

#endif
