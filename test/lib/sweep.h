/* SPDX-License-Identifier: MIT
 *
 * The allocation-failure sweep: runs a scenario with the n-th allocation failing, for every n. Each run is made twice:
 * with only that allocation failing, and with all later ones failing too.
 *
 * It covers skillet's allocator (skill_set_allocator), cJSON's (its hooks are set during a sweep) and, without
 * sanitizers, every malloc of the scenario's thread, which includes libyaml and other libraries but not libuv. Blocks
 * of skillet have guard bytes.
 */
#ifndef TEST_LIB_SWEEP_H
#define TEST_LIB_SWEEP_H

#include <stddef.h>

/* The scenario. It creates what it needs and does its work. It asserts that each failing call returned SKILL_ENOMEM and
 * left its outputs and the object unchanged, and frees everything. Returns 0 on success, or the error that it failed
 * with. cmocka's own output never fails. */
typedef int (*sweep_body)(void *user);

/* Runs `body` until a run has no failed allocation. Fails the test if a run returns anything but 0 or SKILL_ENOMEM,
 * fails without a failed allocation, leaks a block, or writes outside one. Returns the number of allocations of the run
 * without failures. */
size_t sweep_run(sweep_body body, void *user);

/* For the body: the number of allocations that have failed in this run. */
size_t sweep_failed(void);

/* For the body: disables further failures in this run, so that it can check that the object is still usable. */
void sweep_relent(void);

/* Before a run: libraries may leak in it. libyaml's yaml_parser_load and curl do when an allocation of theirs fails. */
void sweep_forgive_libraries(void);

/* For a tear-down: ends a sweep that a failed assertion interrupted, so that older blocks can be freed. */
void sweep_abandon(void);

/* Installs the counting allocator without failures, and removes it: for tests and benchmarks that assert a number of
 * allocations. */
void sweep_count_begin(void);
size_t sweep_count(void); /* allocations of skillet since the installation */
void sweep_count_end(void);

#endif
