/* SPDX-License-Identifier: Apache-2.0 */
/* Which logs belong together: tests/differential/fleet.py has logs of programs that fork. */
#include "../unit.h"

#include <tracelathe/open.h>

#include "../refuse.h"

enum { LOGS = 6 };

/* 0 and 3 share mark 7, 3 and 5 mark 9: so 0 and 5 belong together, too. 2 was never added. */
static int group(uint32_t chiefs[LOGS])
{
	static const struct {
		uint32_t log;
		uint64_t marks[2];
	} added[] = { { 5, { 9, 100 } }, { 0, { 7, 101 } }, { 1, { 102, 102 } },
		      { 3, { 9, 7 } },   { 4, { 103, 0 } }, { 77, { 103, 0 } } };
	struct tl_kin *kin;
	int status = tl_kin_open(&kin, NULL);

	for (size_t i = 0; status == 0 && i < sizeof(added) / sizeof(added[0]); i++)
		status = tl_kin_add(kin, added[i].log, added[i].marks, 2, NULL);
	if (status == 0)
		tl_kin_group(kin, chiefs, LOGS);
	tl_kin_close(kin);
	return status;
}

TEST(logs_that_others_connect_belong_together)
{
	uint32_t chiefs[LOGS];

	assert_int_equal(group(chiefs), 0);
	assert_int_equal(chiefs[0], chiefs[3]);
	assert_int_equal(chiefs[0], chiefs[5]);
	assert_int_equal(chiefs[1], 1);
	assert_int_equal(chiefs[2], 2);
	/* 77 is a number that was not asked for. */
	assert_int_equal(chiefs[4], 4);
	assert_true(chiefs[0] != 1 && chiefs[0] != 2 && chiefs[0] != 4);
}

TEST(nobody_is_no_kin)
{
	struct tl_kin *kin;

	assert_int_equal(tl_kin_open(&kin, NULL), 0);
	assert_int_equal(tl_kin_add(kin, 0, NULL, 0, NULL), 0);
	tl_kin_group(kin, NULL, 0);
	tl_kin_close(kin);
	tl_kin_close(NULL);
}

static int step(const void *input __attribute__((unused)), uint64_t *digest)
{
	uint32_t chiefs[LOGS];
	int status = group(chiefs);

	if (status == 0)
		refuse_note(digest, chiefs, sizeof(chiefs));
	return status;
}

TEST(without_memory)
{
	assert_true(refuse_each(step, NULL) >= 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(logs_that_others_connect_belong_together),
		cmocka_unit_test(nobody_is_no_kin),
		cmocka_unit_test(without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
