/* SPDX-License-Identifier: Apache-2.0 */
/* Cachegrind profiles: lines by file, function and number; the sums by hand. */
#include "helper.h"

#include "profile/model/model.h"

#define HEAD "desc: Creator: tracelathe " TL_VERSION "\n"

static char *cachegrind(const struct tl_profile *profile, const char *command)
{
	const struct tl_export_options options = { .size = sizeof(options), .command = command };
	size_t size;

	return export_with("cachegrind", profile, &options, &size);
}

static void add_costs(struct tl_profile *profile, struct tl_cost_line line, int64_t ticks,
		      int64_t bytes)
{
	const int64_t costs[] = { ticks, bytes };

	assert_int_equal(tl_profile_put_line(profile, &line, costs, NULL), 0);
}

/*
 * "self cost by file, function and line, all parts together": the costs of one line at two
 * addresses and of two parts are one; a line without a file is in its function's file, an inlined
 * one in its own.
 */
TEST(lines_are_summed_by_place)
{
	struct tl_profile *profile = new_profile(0, 2);
	uint32_t f = add_function(profile, "", "f.c", "f", 3),
		 g = add_function(profile, "", "", "g\n", 0);
	uint32_t one = add_part(profile, 1, 1, ""), two = add_part(profile, 1, 2, "");
	char *text;

	add_line(profile, f, one, (struct tl_position){ .file = "", .line = 5 }, 10);
	add_line(profile, f, one, (struct tl_position){ .file = "i.h", .line = 9 }, 20);
	add_costs(profile,
		  (struct tl_cost_line){ .function = f,
					 .part = two,
					 .at = { .file = "f.c", .line = 5, .address = 0x10 } },
		  1, 6);
	add_line(profile, f, two, (struct tl_position){ .file = "f.c", .line = 4 }, -3);
	add_costs(profile,
		  (struct tl_cost_line){ .function = g, .part = one, .at = { .file = "" } }, 7, 8);
	finish(profile);
	text = cachegrind(profile, "a\nb");
	assert_string_equal(text, HEAD "cmd: a b\nevents: Ticks Bytes\n"
				       "fl=???\nfn=g \n0 7 8\n"
				       "fl=f.c\nfn=f\n4 -3 0\n5 11 6\n"
				       "fl=i.h\nfn=f\n9 20 0\n"
				       "summary: 35 14\n");
	free(text);
	tl_profile_free(profile);
}

/* The command is that of the first part, else that of the options; one file is named once. */
TEST(the_profile_knows_its_command)
{
	struct tl_profile *profile = new_profile(0, 1);
	uint32_t part = add_part(profile, 1, 1, "prog -x");
	char *text;

	add_line(profile, add_function(profile, "", "x.c", "b", 1), part,
		 (struct tl_position){ .file = "", .line = 1 }, 1);
	add_line(profile, add_function(profile, "", "x.c", "a", 2), part,
		 (struct tl_position){ .file = "", .line = 2 }, 2);
	finish(profile);
	text = cachegrind(profile, "other");
	assert_string_equal(text, HEAD "cmd: prog -x\nevents: Ticks\n"
				       "fl=x.c\nfn=a\n2 2\nfn=b\n1 1\nsummary: 3\n");
	free(text);
	tl_profile_free(profile);
	profile = new_profile(0, 1);
	finish(profile);
	text = cachegrind(profile, NULL);
	assert_string_equal(text, HEAD "cmd: ???\nevents: Ticks\nsummary: 0\n");
	free(text);
	tl_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_summed_by_place),
		cmocka_unit_test(the_profile_knows_its_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
