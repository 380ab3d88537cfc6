/* SPDX-License-Identifier: MIT
 *
 * A small learned table for tests: it knows the tokens "unit0" to "unit299", which are skills' and queries' words then.
 */
#ifndef TEST_LIB_UNITS_H
#define TEST_LIB_UNITS_H

enum { UNITS = 300 };

/* Writes DIR/units.skt, with vectors of as many dimensions as have sketches, none like another. */
void units_write(const char *dir);

#endif
