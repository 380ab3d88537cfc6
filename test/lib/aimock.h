/* SPDX-License-Identifier: MIT
 *
 * Runs @copilotkit/aimock, a server of model answers that others wrote, where `npm ci` has installed it in test/npm.
 */
#ifndef TEST_LIB_AIMOCK_H
#define TEST_LIB_AIMOCK_H

/* Starts it with a file of answers in test/npm, on a port that it chooses. "http://127.0.0.1:PORT/v1", valid until the
 * stop; NULL: it is not installed. One at a time. */
const char *aimock_start(const char *answers);
void aimock_stop(void);

#endif
