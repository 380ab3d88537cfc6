/* SPDX-License-Identifier: MIT
 *
 * Includes cmocka with the headers that it needs. Every test includes this header instead of cmocka's.
 */
#ifndef TEST_LIB_CHECK_H
#define TEST_LIB_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
