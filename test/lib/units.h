/* SPDX-License-Identifier: MIT
 *
 * A small learned table for tests. It contains the tokens "unit0" to "unit299", which tests use as words of skills and
 * queries.
 */
#ifndef TEST_LIB_UNITS_H
#define TEST_LIB_UNITS_H

enum { UNITS = 300 };

/* Writes DIR/units.skt with vectors of the dimension that sketches have, all different. */
void units_write(const char *dir);

#endif
