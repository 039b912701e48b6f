/* SPDX-License-Identifier: Apache-2.0 */
#include "helper.h"

/*
 * "$schema, shared.frames, one sampled profile per part with samples and weights; unit nanoseconds
 * when the frequency is known; total weight = self sum of the part". At 1 GHz a tick is a
 * nanosecond.
 */
TEST(one_profile_per_part)
{
	struct tl_profile *profile = small_profile(1000000000);
	char *text = export_text("speedscope", profile);

	assert_string_equal(text,
			    "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
			    "\"exporter\":\"tracelathe " TL_VERSION
			    "\",\"name\":\"tracelathe\",\"activeProfileIndex\":0,\n"
			    "\"shared\":{\"frames\":[\n"
			    "{\"name\":\"main\",\"file\":\"main.c\",\"line\":10},\n"
			    "{\"name\":\"a\",\"file\":\"a.c\",\"line\":20},\n"
			    "{\"name\":\"b\",\"file\":\"b.c\",\"line\":30}]},\n"
			    "\"profiles\":[\n"
			    "{\"type\":\"sampled\",\"name\":\"prog "
			    "(2)\",\"unit\":\"nanoseconds\",\"startValue\":0,\n"
			    "\"samples\":[\n[0],\n[0,1],\n[0,1,2],\n[0,2]],\n"
			    "\"weights\":[10,20,30,5],\n"
			    "\"endValue\":65}]}\n");
	free(text);
	tl_profile_free(profile);
}

/* As another reader of JSON sees it: odd names, two threads, one of them silent, no clock. */
TEST(two_threads_without_clock)
{
	struct tl_profile *profile = new_profile(0, 1);
	uint32_t one = add_part(profile, 1, 7, "a\"b"),
		 f = add_function(profile, "", "x\\", "f\"\n\t\xff", 0);
	char *text, *seen;

	need_program("jq");
	add_part(profile, 1, 8, "");
	add_context(profile, TL_NONE, f, one, 1, 100);
	finish(profile);
	text = export_text("speedscope", profile);
	seen = pipe_through("jq -c '[.shared.frames, [.profiles[] | [.name, .unit, .samples, "
			    ".weights, .endValue]]]'",
			    text, strlen(text));
	assert_string_equal(
		seen,
		"[[{\"name\":\"f\\\"\\n\\t\xef\xbf\xbd\",\"file\":\"x\\\\\"}],"
		"[[\"a\\\"b (7)\",\"none\",[[0]],[100],100],[\"thread 8\",\"none\",[],[],0]]]\n");
	free(seen);
	free(text);
	tl_profile_free(profile);
}

/* "the sum of the results is the conversion of the sum": 3 x 1 tick at 3 GHz is 1 ns, not 0 */
TEST(fractions_are_carried)
{
	struct tl_profile *profile = new_profile(3000000000, 1);
	uint32_t part = add_part(profile, 1, 7, "");
	char *text;

	for (int i = 0; i < 3; i++)
		add_context(profile, TL_NONE,
			    add_function(profile, "", "",
					 i == 0   ? "f"
					 : i == 1 ? "g"
						  : "h",
					 0),
			    part, 1, 1);
	finish(profile);
	text = export_text("speedscope", profile);
	assert_contains(text, "\"weights\":[0,0,1],\n\"endValue\":1}");
	free(text);
	tl_profile_free(profile);
}

/*
 * Without call stacks: a stack of one frame a line. Weights below zero have no meaning and are left
 * out.
 */
TEST(lines_without_contexts)
{
	struct tl_profile *profile = new_profile(0, 2);
	uint32_t f = add_function(profile, "", "f.c", "f", 0);
	struct tl_export_options second = { .size = sizeof(second), .event = 1, .command = "cmd" };
	size_t size;
	char *text;

	add_line(profile, f, TL_NONE, (struct tl_position){ .file = "f.c", .line = 1 }, 5);
	add_line(profile, f, TL_NONE, (struct tl_position){ .file = "f.c", .line = 2 }, -6);
	finish(profile);
	text = export_text("speedscope", profile);
	assert_contains(
		text, "{\"type\":\"sampled\",\"name\":\"all\",\"unit\":\"none\",\"startValue\":0,\n"
		      "\"samples\":[\n[0]],\n\"weights\":[5],\n\"endValue\":5}]}\n");
	free(text);
	text = export_with("speedscope", profile, &second, &size);
	assert_contains(text, "\"name\":\"cmd\",");
	assert_contains(text, "\"unit\":\"bytes\",\"startValue\":0,\n\"samples\":[],\n\"weights\":["
			      "],\n\"endValue\":0}]}\n");
	free(text);
	tl_profile_free(profile);
}

/* A chain is walked without recursion, its path written once. */
TEST(deep_chain)
{
	struct tl_profile *profile = new_profile(0, 1);
	uint32_t part = add_part(profile, 1, 1, ""), f = add_function(profile, "", "", "f", 0),
		 at = TL_NONE;
	struct tl_export_options whole = { .size = sizeof(whole), .most_depth = UINT32_MAX };
	size_t size;
	char *text;

	for (int i = 1; i <= 100000; i++)
		at = add_context(profile, at, f, part, 1, i == 100000 ? 42 : 0);
	finish(profile);
	text = export_with("speedscope", profile, &whole, &size);
	assert_in_range(strlen(text), 200000, 200400);
	assert_contains(text, "0,0]],\n\"weights\":[42],\n\"endValue\":42}]}\n");
	free(text);
	tl_profile_free(profile);
}

TEST(empty_profile)
{
	struct tl_profile *profile = new_profile(0, 1);
	char *text;

	finish(profile);
	text = export_text("speedscope", profile);
	assert_contains(text,
			"\"frames\":[]},\n\"profiles\":[\n{\"type\":\"sampled\",\"name\":\"all\",");
	free(text);
	tl_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_profile_per_part),
		cmocka_unit_test(two_threads_without_clock),
		cmocka_unit_test(fractions_are_carried),
		cmocka_unit_test(lines_without_contexts),
		cmocka_unit_test(deep_chain),
		cmocka_unit_test(empty_profile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
