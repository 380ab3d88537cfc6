/* SPDX-License-Identifier: MIT
 *
 * Looks at running processes through /proc: how many belong to a session, what memory they hold. Where there is no
 * /proc the answer is "unknown", and only the kernel's own limits hold.
 */
#ifndef SKILL_PROCESS_GROUP_H
#define SKILL_PROCESS_GROUP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct skill__group {
  unsigned tasks;    /* processes and threads */
  uint64_t resident; /* bytes, shared pages counted in each */
};

/* Sums up the session; false: unknown. Costs some 10 us for each process of the machine. */
bool skill__group_scan(pid_t session, struct skill__group *out);

/* Sends `signal` to every process of the session that has left the leader's own group. */
void skill__group_signal_strays(pid_t session, int signal);

/* Processes and threads of the whole machine, cheaply; 0: unknown. */
unsigned skill__group_machine_tasks(void);

/* Processes and threads that this user runs; looked up again after five seconds; 0: unknown. Any thread. */
unsigned skill__group_user_tasks(void);

#endif
