/* SPDX-License-Identifier: Apache-2.0 */
/* "What was wrong, and where. Filled once, at the failing byte." */
#include <errno.h>
#include <string.h>
#include "../unit.h"

#include "core/error.h"

TEST(an_error_holds_its_place)
{
	struct tl_error err;

	memset(&err, 0xff, sizeof(err));
	assert_int_equal(tl_error_in(&err, TL_BAD_RECORD, 48, 3, "what; kept"), TL_BAD_RECORD);
	assert_int_equal(err.status, TL_BAD_RECORD);
	assert_int_equal(err.offset, 48);
	assert_int_equal(err.record, 3);
	assert_string_equal(err.text, "what; kept");
	assert_int_equal(err.sys_errno, 0);
	assert_null(err.format);
}

TEST(an_error_may_have_no_record_and_no_place)
{
	struct tl_error err;

	assert_int_equal(tl_error_at(&err, TL_TRUNCATED, 5, "short"), TL_TRUNCATED);
	assert_int_equal(err.offset, 5);
	assert_true(err.record == TL_NOWHERE);
	assert_int_equal(tl_error_memory(&err), TL_NO_MEMORY);
	assert_true(err.offset == TL_NOWHERE);
}

TEST(a_system_error_keeps_errno)
{
	struct tl_error err;

	errno = ENOSPC;
	assert_int_equal(tl_error_system(&err, "cannot write"), TL_IO);
	assert_int_equal(err.status, TL_IO);
	assert_int_equal(err.sys_errno, ENOSPC);
	assert_true(err.offset == TL_NOWHERE);
}

/* "for a file that is another user's, or no regular one": the rule, and not the call that failed */
TEST(a_named_file_is_refused_by_a_rule)
{
	struct tl_error err;

	errno = EPERM;
	assert_int_equal(tl_error_named(&err, "cannot open", "not yours"), TL_IO);
	assert_string_equal(err.text, "not yours");
	assert_int_equal(err.sys_errno, 0);
	errno = ENOENT;
	assert_int_equal(tl_error_named(&err, "cannot open", "not yours"), TL_IO);
	assert_string_equal(err.text, "cannot open");
	assert_int_equal(err.sys_errno, ENOENT);
}

/* The room that knows the format adds it to failures, and leaves results alone. */
TEST(a_format_is_added_to_failures_only)
{
	struct tl_error err;

	tl_error_at(&err, TL_BAD_SIZE, 9, "too many");
	assert_int_equal(tl_error_format(&err, "xray", 1), 1);
	assert_int_equal(tl_error_format(&err, "xray", 0), 0);
	assert_null(err.format);
	assert_int_equal(tl_error_format(&err, "xray", TL_BAD_SIZE), TL_BAD_SIZE);
	assert_string_equal(err.format, "xray");
	assert_int_equal(err.offset, 9);
}

/* "the optional `struct tl_error *err`" */
TEST(nobody_needs_to_listen)
{
	assert_int_equal(tl_error_in(NULL, TL_BAD_RECORD, 1, 2, "x"), TL_BAD_RECORD);
	assert_int_equal(tl_error_at(NULL, TL_BAD_FORMAT, 1, "x"), TL_BAD_FORMAT);
	assert_int_equal(tl_error_system(NULL, "x"), TL_IO);
	assert_int_equal(tl_error_memory(NULL), TL_NO_MEMORY);
	assert_int_equal(tl_error_format(NULL, "xray", TL_IO), TL_IO);
}

/* "The name of a status": one each, for every number of the enum, and a word for others. */
TEST(every_status_has_a_name_of_its_own)
{
	for (int a = 0; a >= TL_TOO_LARGE; a--) {
		const char *name = tl_status_name((enum tl_status)a);

		assert_string_not_equal(name, "unknown status");
		for (int b = 0; b > a; b--)
			assert_string_not_equal(name, tl_status_name((enum tl_status)b));
	}
	assert_string_equal(tl_status_name((enum tl_status)(TL_TOO_LARGE - 1)), "unknown status");
	assert_string_equal(tl_status_name((enum tl_status)1), "unknown status");
	assert_string_equal(tl_version(), TL_VERSION);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_error_holds_its_place),
		cmocka_unit_test(an_error_may_have_no_record_and_no_place),
		cmocka_unit_test(a_system_error_keeps_errno),
		cmocka_unit_test(a_named_file_is_refused_by_a_rule),
		cmocka_unit_test(a_format_is_added_to_failures_only),
		cmocka_unit_test(nobody_needs_to_listen),
		cmocka_unit_test(every_status_has_a_name_of_its_own),
	};

	return cmocka_run_group_tests_name("core error", tests, NULL, NULL);
}
