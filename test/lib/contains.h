/* SPDX-License-Identifier: MIT
 *
 * Assertions that a text contains, or does not contain, another. A failure prints both.
 */
#ifndef TEST_LIB_CONTAINS_H
#define TEST_LIB_CONTAINS_H

void has(const char *text, const char *part);
void lacks(const char *text, const char *part);

#endif
