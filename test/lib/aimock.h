/* SPDX-License-Identifier: MIT
 *
 * Runs @copilotkit/aimock, a mock model server by a third party, if `npm ci` has installed it in test/npm.
 */
#ifndef TEST_LIB_AIMOCK_H
#define TEST_LIB_AIMOCK_H

/* Starts the server with a file of answers from test/npm, on a free port. Returns "http://127.0.0.1:PORT/v1", valid
 * until the stop, or NULL if it is not installed. Only one server at a time. */
const char *aimock_start(const char *answers);
void aimock_stop(void);

#endif
