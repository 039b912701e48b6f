/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_UNIT_H
#define TESTS_UNIT_UNIT_H
/* cmocka with the headers that it needs, and the head of a test without a fixture. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define TEST(name) static void name(void **state __attribute__((unused)))

#endif
