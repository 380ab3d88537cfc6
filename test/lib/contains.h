/* SPDX-License-Identifier: MIT
 *
 * What a text holds and does not hold; both texts are printed where that fails the test.
 */
#ifndef TEST_LIB_CONTAINS_H
#define TEST_LIB_CONTAINS_H

void has(const char *text, const char *part);
void lacks(const char *text, const char *part);

#endif
