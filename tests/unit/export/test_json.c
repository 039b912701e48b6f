/* SPDX-License-Identifier: Apache-2.0 */
/* The two machine forms of a whole profile: JSON and CSV. */
#include "helper.h"

#include "profile/model/unsized.h"

static char *jq(const char *filter, const char *text)
{
	char command[512] = "jq -c '";

	need_program("jq");
	strcat(strcat(command, filter), "'");
	return pipe_through(command, text, strlen(text));
}

static void assert_jq(const char *text, const char *filter, const char *expected)
{
	char *seen = jq(filter, text);

	assert_string_equal(seen, expected);
	free(seen);
}

/*
 * Everything of the model under its name; "things refer to each other by number from 0; what is not
 * known is null"
 */
TEST(members)
{
	struct tl_profile *profile = small_profile(1000000000);
	char *text = export_text("json", profile);

	assert_jq(text, "[.format, .frequency, .timed, .total]",
		  "[\"test\",1000000000,false,[65]]\n");
	assert_jq(text, ".events",
		  "[{\"name\":\"Ticks\",\"long_name\":\"Clock "
		  "Ticks\",\"unit\":\"ticks\",\"formula\":\"\"}]\n");
	assert_jq(text, "[.parts[] | [.process, .thread, .number, .command, .losses.orphan_exits]]",
		  "[[1,2,null,\"prog\",0]]\n");
	assert_jq(text,
		  "[.functions[] | [.name, .object, .file, .line, .id, .address, .calls, .self, "
		  ".inclusive]]",
		  "[[\"main\",\"prog\",\"main.c\",10,null,null,1,[10],[65]],"
		  "[\"a\",\"prog\",\"a.c\",20,null,null,2,[20],[50]],"
		  "[\"b\",\"lib.so\",\"b.c\",30,null,null,4,[35],[35]]]\n");
	assert_jq(text, "[.contexts[] | [.parent, .function, .part, .calls, .self, .inclusive]]",
		  "[[null,0,0,1,[10],[65]],[0,1,0,2,[20],[50]],[1,2,0,3,[30],[30]],[0,2,0,1,[5],[5]"
		  "]]\n");
	assert_jq(text,
		  "[.arcs[] | [.caller, .callee, .part, .from.line, .to.file, .calls, .inclusive]]",
		  "[[0,1,null,10,\"a.c\",2,[50]],[1,2,null,20,\"b.c\",3,[30]],[0,2,null,10,\"b.c\","
		  "1,[5]]]\n");
	assert_jq(text, "[.lines[] | [.function, .at.file, .at.line, .self]]",
		  "[[0,\"main.c\",10,[10]],[1,\"a.c\",20,[20]],[2,\"b.c\",30,[35]]]\n");
	assert_jq(text, "[.jumps, .losses.saturated]", "[[],0]\n");
	free(text);
	tl_profile_free(profile);
}

/* "Numbers keep all their digits, addresses are hexadecimal strings"; names need escaping */
TEST(extremes)
{
	struct tl_profile *profile = new_profile(0, 1);
	uint32_t f = add_function(profile, "", "a\\b", "f\"\n\xff", 0);
	struct tl_position at = { .file = "", .line = 1, .address = UINT64_MAX, .block = 16 };
	struct tl_jump jump = { .function = f,
				.target = f,
				.part = TL_NONE,
				.from = at,
				.to = at,
				.executed = UINT64_MAX,
				.taken = 3,
				.conditional = true };
	char *text;

	add_line(profile, f, TL_NONE, at, INT64_MIN);
	assert_int_equal(tl_profile_put_jump(profile, &jump, NULL), 0);
	finish(profile);
	text = export_text("json", profile);
	assert_contains(text, "\"total\":[-9223372036854775808]}\n");
	assert_contains(text, "\"at\":{\"file\":\"\",\"line\":1,\"address\":\"0xffffffffffffffff\","
			      "\"block\":\"0x10\"},"
			      "\"self\":[-9223372036854775808]}");
	assert_contains(text,
			"\"executed\":18446744073709551615,\"taken\":3,\"conditional\":true}");
	assert_contains(text,
			"{\"name\":\"f\\\"\\n\xef\xbf\xbd\",\"object\":\"\",\"file\":\"a\\\\b\",");
	assert_jq(text, "[.frequency, (.jumps | length)]", "[null,1]\n");
	free(text);
	tl_profile_free(profile);
}

TEST(empty_profile)
{
	struct tl_profile *profile = new_profile(0, 1);
	char *text;

	finish(profile);
	text = export_text("json", profile);
	assert_jq(text, "[.parts, .functions, .contexts, .arcs, .lines, .jumps, .total]",
		  "[[],[],[],[],[],[],[0]]\n");
	free(text);
	tl_profile_free(profile);
}

/*
 * "function,object,file,line,id (empty where unknown), then for each event E: E:self,E:inclusive;
 * calls"; "for timed traces min,..." only. RFC 4180 quoting. Sorted by self cost.
 */
TEST(csv_table)
{
	struct tl_profile *profile = new_profile(0, 2);
	uint32_t part = add_part(profile, 1, 1, ""), top;
	char *text;

	top = add_context(profile, TL_NONE, add_function(profile, "o", "x.c", "f(int, \"a\")", 7),
			  part, 1, 5);
	add_context(profile, top, add_function(profile, "", "", "g", 0), part, 3, 9);
	finish(profile);
	text = export_text("csv", profile);
	assert_string_equal(text, "function,object,file,line,id,Ticks:self,Ticks:inclusive,Bytes:"
				  "self,Bytes:inclusive,calls\n"
				  "g,,,,,9,9,0,0,3\n"
				  "\"f(int, \"\"a\"\")\",o,x.c,7,,5,14,0,0,1\n");
	free(text);
	tl_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members),
		cmocka_unit_test(extremes),
		cmocka_unit_test(empty_profile),
		cmocka_unit_test(csv_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
