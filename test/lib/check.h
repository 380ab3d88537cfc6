/* SPDX-License-Identifier: MIT
 *
 * cmocka with what it needs included first; every test includes this and nothing of cmocka's.
 */
#ifndef TEST_LIB_CHECK_H
#define TEST_LIB_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
