/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_TEMP_FIXTURE_H
#define TESTS_UNIT_TEMP_FIXTURE_H
/* A directory for a group of tests: cmocka_run_group_tests(tests, temp_setup, temp_teardown). */
#include "temp.h"
#include "unit.h"

static struct temp temp;

static inline int temp_setup(void **state __attribute__((unused)))
{
	temp_open(&temp);
	return 0;
}

static inline int temp_teardown(void **state __attribute__((unused)))
{
	temp_close(&temp);
	return 0;
}

#endif
