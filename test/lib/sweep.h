/* SPDX-License-Identifier: MIT
 *
 * The allocation-failure sweep: runs a scenario with the n-th allocation failing, for every n, once with only that one
 * failing and once with all later ones too.
 *
 * Counted and failed are skillet's allocator (skill_set_allocator), cJSON's (its hooks are set while a sweep runs) and,
 * outside the sanitizers, every malloc of the scenario's thread but libuv's, which reaches libyaml and the others.
 * Blocks of skillet carry guard bytes.
 */
#ifndef TEST_LIB_SWEEP_H
#define TEST_LIB_SWEEP_H

#include <stddef.h>

/* The scenario. It makes what it needs, works, asserts that what failed said SKILL_ENOMEM, left its outputs untouched
 * and left the object usable, and frees everything. Returns 0 when the work was done or the negative code that it
 * failed with. No failure makes cmocka's own output fail. */
typedef int (*sweep_body)(void *user);

/* Runs `body` until a run sees no failed allocation. Fails the test when a run returns anything but 0 or SKILL_ENOMEM,
 * fails although memory did not, leaks a block, or writes beyond one. Returns how many allocations the clean run
 * makes. */
size_t sweep_run(sweep_body body, void *user);

/* For the body: how many allocations of this run have failed so far. */
size_t sweep_failed(void);

/* For the body: no more failures in this run, so that it can check that the object is still usable. */
void sweep_relent(void);

/* Before a run: libraries may leak in it. libyaml's yaml_parser_load and curl do when an allocation of theirs fails. */
void sweep_forgive_libraries(void);

/* For a tear-down: ends the sweep that a failed assertion jumped out of, so that what is older can be freed. */
void sweep_abandon(void);

/* Makes the counting allocator skillet's, without failures, and back: for tests and benchmarks that assert how many
 * allocations something makes. */
void sweep_count_begin(void);
size_t sweep_count(void); /* allocations of skillet since then */
void sweep_count_end(void);

#endif
