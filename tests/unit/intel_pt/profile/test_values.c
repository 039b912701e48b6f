/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a trace says beside its flow, on a timeline: ratios of clocks, PTWRITE, power. Expected
 * texts are those of Chrome's format for the packets that the test writes.
 */
#include "folded_trace.h"

#include <tracelathe/export.h>

#include "intel_pt/listing/timeline.h"

#define CBR(ratio) 0x02, 0x03, (ratio), 0
#define PTW_IP_32(n) 0x02, 0x92, (n) & 0xff, (n) >> 8 & 0xff, (n) >> 16 & 0xff, (n) >> 24 & 0xff
/* Bits 15:12 the state, 11:8 the sub-state; PWRX: bits 3:0 the deepest, 7:4 the last state. */
#define PWRE(state, sub_state) 0x02, 0x22, 0, (state) << 4 | (sub_state)
#define PWRX(last, deepest, why) 0x02, 0xa2, (last) << 4 | (deepest), (why), 0, 0, 0

/* The lines of values and of instants, without those of calls and names. */
static void assert_lines(uint64_t from, uint64_t to, const char *wanted)
{
	struct tl_pt_timeline_options drawn = { .fold = options };
	const struct tl_pt_feed feed = {
		.next = feed_next,
		.rewind = feed_rewind,
		.mapping = feed_place,
		.timed = timed,
		.frequency = 1000000,
	};
	struct tl_timeline *timeline = NULL;
	struct tl_output *out = NULL;
	char text[4096] = "";
	const char *line;
	char *copy;
	size_t size;

	drawn.fold.from_ticks = from;
	drawn.fold.to_ticks = to;
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_timeline_open(&timeline, "chrome", out, NULL), 0);
	assert_int_equal(tl_pt_timeline(&feed, &drawn, &faults, timeline, NULL), 0);
	assert_true(tl_timeline_finish(timeline, NULL) >= 0);
	line = tl_output_bytes(out, &size);
	copy = strndup(line, size);
	assert_non_null(copy);
	for (line = copy; (line = strstr(line, "\"ph\":\"")); line++)
		if (line[6] == 'C' || line[6] == 'i')
			strncat(text, line + 6, strcspn(line, "\n") - 6);
	free(copy);
	assert_string_equal(text, wanted);
	tl_output_discard(out);
}

#define SAID                                                                                       \
	PSB, TSC(100), CBR(32), MODE_64, FUP(MAIN), PSBEND, RETURN, PTW_IP_32(0x1234),             \
		FUP(MAIN + 5), TSC(180), CBR(40), TIP(MAIN), RETURN, TSC(260), PWRE(6, 1),         \
		TSC(280), PWRX(6, 7, 1), TSC(300), CBR(40), TIP(MAIN), PGD_BARE

/* A tick is a microsecond. A ratio that is told again is no new value. */
TEST(ratios_values_and_power_over_time)
{
	timed = true;
	SLICE(5, SAID);
	assert_lines(0, 0,
		     "C\",\"ts\":0.000,\"name\":\"core:bus ratio\",\"args\":{\"thread 5\":32}},"
		     "i\",\"ts\":0.000,\"s\":\"t\",\"name\":\"ptwrite\",\"args\":{\"value\":"
		     "\"0x1234\",\"ip\":\"0x1005\"}},"
		     "C\",\"ts\":0.000,\"name\":\"ptwrite\",\"args\":{\"thread 5\":4660}},"
		     "C\",\"ts\":80.000,\"name\":\"core:bus ratio\",\"args\":{\"thread 5\":40}},"
		     "i\",\"ts\":160.000,\"s\":\"t\",\"name\":\"power "
		     "entry\",\"args\":{\"state\":6,\"sub_state\":1,\"hw\":0}},"
		     "C\",\"ts\":160.000,\"name\":\"C-state\",\"args\":{\"thread 5\":6}},"
		     "i\",\"ts\":180.000,\"s\":\"t\",\"name\":\"power "
		     "exit\",\"args\":{\"last\":6,\"deepest\":7,\"interrupt\":1,\"store\":0,"
		     "\"autonomous\":0}},"
		     "C\",\"ts\":180.000,\"name\":\"C-state\",\"args\":{\"thread 5\":0}},");
}

/* Of a window only what is in it. */
TEST(a_window_of_values)
{
	timed = true;
	SLICE(5, SAID);
	assert_lines(270, 290,
		     "i\",\"ts\":180.000,\"s\":\"t\",\"name\":\"power "
		     "exit\",\"args\":{\"last\":6,\"deepest\":7,\"interrupt\":1,\"store\":0,"
		     "\"autonomous\":0}},"
		     "C\",\"ts\":180.000,\"name\":\"C-state\",\"args\":{\"thread 5\":0}}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(ratios_values_and_power_over_time),
		CASE(a_window_of_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
