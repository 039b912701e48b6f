/* SPDX-License-Identifier: Apache-2.0 */
/* What `dump` writes of a file of speedscope, by hand, which shows how each element is read. */
#include "../foreign/text.h"

#include "speedscope/speedscope.h"

#define FRAMES "\"shared\":{\"frames\":[{\"name\":\"a\"},{\"name\":\"b\"}]}"

static void expect_lines(const char *text, const char *lines, const char *json)
{
	assert_int_equal(text_expect_dump(&tl_speedscope_reader, text, false, lines), 0);
	assert_int_equal(text_expect_dump(&tl_speedscope_reader, text, true, json), 0);
}

TEST(samples_and_weights)
{
	expect_lines("{\"profiles\":[{\"samples\":[[0,1],[],[1]],\"weights\":[2.5,0,1e3]}]," FRAMES
		     "}",
		     "0x19 sample profile 0 frames 0;1\n0x1f sample profile 0 frames \n"
		     "0x22 sample profile 0 frames 1\n0x32 weight profile 0 weight 2.5\n"
		     "0x36 weight profile 0 weight 0\n0x38 weight profile 0 weight 1e3\n",
		     "{\"offset\":25,\"record\":\"sample\",\"profile\":0,\"frames\":[0,1]}\n"
		     "{\"offset\":31,\"record\":\"sample\",\"profile\":0,\"frames\":[]}\n"
		     "{\"offset\":34,\"record\":\"sample\",\"profile\":0,\"frames\":[1]}\n"
		     "{\"offset\":50,\"record\":\"weight\",\"profile\":0,\"weight\":2.5}\n"
		     "{\"offset\":54,\"record\":\"weight\",\"profile\":0,\"weight\":0}\n"
		     "{\"offset\":56,\"record\":\"weight\",\"profile\":0,\"weight\":1e3}\n");
}

TEST(events)
{
	expect_lines("{\"profiles\":[{\"events\":[{\"type\":\"O\",\"at\":1.25,\"frame\":0}]},\n"
		     "{\"events\":[{\"frame\":1,\"at\":-3,\"type\":\"C\"}]}]}",
		     "0x18 open profile 0 at 1.25 frame 0\n0x47 close profile 1 at -3 frame 1\n",
		     "{\"offset\":24,\"record\":\"open\",\"profile\":0,\"at\":1.25,\"frame\":0}\n"
		     "{\"offset\":71,\"record\":\"close\",\"profile\":1,\"at\":-3,\"frame\":1}\n");
}

/* An event that lacks something is none, and is not written. */
TEST(events_that_lack_something)
{
	static const char *const events[] = {
		"{\"type\":\"O\",\"frame\":0}",
		"{\"type\":\"O\",\"at\":1}",
		"{\"at\":1,\"frame\":0}",
		"{\"type\":\"X\",\"at\":1,\"frame\":0}",
		"{\"type\":\"OC\",\"at\":1,\"frame\":0}",
		"{\"type\":null,\"at\":1,\"frame\":0}",
		"{\"type\":{\"type\":\"O\"},\"at\":1,\"frame\":0}",
		"{\"type\":[\"O\"],\"at\":1,\"frame\":0}",
		"{\"type\":\"O\",\"at\":\"1\",\"frame\":0}",
		"{\"type\":\"O\",\"at\":[1],\"frame\":0}",
		"{\"type\":\"O\",\"at\":1,\"frame\":\"0\"}",
		"{\"type\":\"O\",\"at\":1,\"frame\":{}}",
		"{\"type\":\"O\",\"at\":1,\"frame\":-1}",
		"{\"type\":\"O\",\"at\":1,\"frame\":0.5}",
		"{\"type\":\"O\",\"at\":1,\"frame\":4294967294}",
		"{\"type\":\"O\",\"at\":1,\"frame\":0,\"frame\":null}",
		"{\"ty\":\"O\",\"a\":1,\"fr\":0}",
		"7",
		"\"O\"",
	};

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		char text[256];
		struct text t;

		snprintf(text, sizeof(text),
			 "{\"profiles\":[{\"events\":[%s,{\"type\":\"O\",\"at\":1,\"frame\":1},"
			 "{\"type\":\"C\",\"at\":5,\"frame\":1}]}]," FRAMES "}",
			 events[i]);
		text_read(&t, &tl_speedscope_reader, text);
		text_expect_stacks(&t, 0, "b 4\n");
		text_expect_fault(&t, 0, TL_BAD_RECORD, 24, 0,
				  "without a type O or C, a frame or a time");
		assert_int_equal(t.foreign.faults.list[0].length, strlen(events[i]));
		assert_string_equal(t.foreign.faults.list[0].rule, "event");
		text_expect_strict(&t, &tl_speedscope_reader, text, strlen(text));
		text_close(&t);
	}
}

/* The greatest number that a frame may have; the one that is none. */
TEST(numbers_of_frames)
{
	expect_lines("{\"profiles\":[{\"samples\":[[4294967293],[4294967294],[1e1],[x]]}]}",
		     "0x19 sample profile 0 frames 4294967293\n"
		     "0x26 sample profile 0 frames 4294967295\n0x33 sample profile 0 frames 10\n"
		     "0x39 sample profile 0 frames \n",
		     "{\"offset\":25,\"record\":\"sample\",\"profile\":0,\"frames\":[4294967293]}\n"
		     "{\"offset\":38,\"record\":\"sample\",\"profile\":0,\"frames\":[4294967295]}\n"
		     "{\"offset\":51,\"record\":\"sample\",\"profile\":0,\"frames\":[10]}\n"
		     "{\"offset\":57,\"record\":\"sample\",\"profile\":0,\"frames\":[]}\n");
}

/* What is no number has no frame, or no weight. */
TEST(values_of_other_kinds)
{
	expect_lines("{\"profiles\":[{\"samples\":[[\"0\",{\"a\":[1]},[2],null,1]],"
		     "\"weights\":[\"1\",[2],{},null,-4]}]}",
		     "0x19 sample profile 0 frames "
		     "4294967295;4294967295;4294967295;4294967295;1\n"
		     "0x40 weight profile 0 weight 0\n0x44 weight profile 0 weight 0\n"
		     "0x48 weight profile 0 weight 0\n0x4b weight profile 0 weight 0\n"
		     "0x50 weight profile 0 weight -4\n",
		     "{\"offset\":25,\"record\":\"sample\",\"profile\":0,\"frames\":[4294967295,"
		     "4294967295,4294967295,4294967295,1]}\n"
		     "{\"offset\":64,\"record\":\"weight\",\"profile\":0,\"weight\":0}\n"
		     "{\"offset\":68,\"record\":\"weight\",\"profile\":0,\"weight\":0}\n"
		     "{\"offset\":72,\"record\":\"weight\",\"profile\":0,\"weight\":0}\n"
		     "{\"offset\":75,\"record\":\"weight\",\"profile\":0,\"weight\":0}\n"
		     "{\"offset\":80,\"record\":\"weight\",\"profile\":0,\"weight\":-4}\n");
}

TEST(outputs_that_cannot_be_written)
{
	text_expect_dump_refused(&tl_speedscope_reader,
				 "{\"profiles\":[{\"samples\":[[0]]}]," FRAMES "}");
	text_expect_dump_refused(&tl_speedscope_reader, "{\"profiles\":[{\"weights\":[1]}]}");
	text_expect_dump_refused(
		&tl_speedscope_reader,
		"{\"profiles\":[{\"events\":[{\"type\":\"O\",\"at\":1,\"frame\":0}]}]}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_and_weights),
		cmocka_unit_test(events),
		cmocka_unit_test(events_that_lack_something),
		cmocka_unit_test(numbers_of_frames),
		cmocka_unit_test(values_of_other_kinds),
		cmocka_unit_test(outputs_that_cannot_be_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
