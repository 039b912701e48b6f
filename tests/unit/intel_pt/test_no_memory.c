/* SPDX-License-Identifier: Apache-2.0 */
/* A raw trace where memory runs out: the whole result, or TL_NO_MEMORY and nothing kept. */
#include "recording.h"

static void refuse(struct whole_input whole, enum use use)
{
	whole.use = use;
	assert_true(refuse_each(whole_step, &whole) > 20);
}

TEST(folds)
{
	struct whole_input whole = recording(whole_path("intel_pt/timed.pt"));

	refuse(whole, USE_FOLD);
	whole.options.detail = TL_DETAIL_LINES;
	whole.options.per_thread = whole.options.exact = true;
	refuse(whole, USE_FOLD);
}

/* Without contexts. */
TEST(tables)
{
	struct whole_input whole = recording(whole_path("intel_pt/timed.pt"));

	whole.options.detail = TL_DETAIL_TABLE;
	refuse(whole, USE_FOLD);
}

/* Several threads decode; a thread that cannot be made is like memory that is not there. */
TEST(several_jobs)
{
	struct whole_input whole = recording(whole_path("intel_pt/tiny.pt"));

	whole.options.jobs = 3;
	refuse(whole, USE_FOLD);
}

TEST(listings)
{
	struct whole_input whole = recording(whole_path("intel_pt/timed.pt"));

	whole.options.filter.function = "^[a-m#]";
	whole.options.dump.flags = TL_DUMP_INSTRUCTIONS | TL_DUMP_EVENTS | TL_DUMP_BLOCKS;
	refuse(whole, USE_DUMP);
	whole.options.filter.function = NULL;
	whole.options.dump.flags = TL_DUMP_PACKETS;
	whole.form = TL_REPORT_JSON;
	refuse(whole, USE_DUMP);
	whole.options.dump.flags = TL_DUMP_CALLS;
	refuse(whole, USE_DUMP);
	refuse(whole, USE_INFO);
	refuse(whole, USE_CHECK);
}

TEST(calls)
{
	struct whole_input whole = recording(whole_path("intel_pt/timed.pt"));

	refuse(whole, USE_TIMELINE);
	refuse(whole, USE_INDEX);
	whole.options.filter.from_seconds = 1e-7;
	whole.options.filter.to_seconds = 1e-6;
	refuse(whole, USE_SLICE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folds),        cmocka_unit_test(tables),
		cmocka_unit_test(several_jobs), cmocka_unit_test(listings),
		cmocka_unit_test(calls),
	};

	return cmocka_run_group_tests_name("intel_pt no_memory", tests, NULL, NULL);
}
