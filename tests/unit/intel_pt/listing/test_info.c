/* SPDX-License-Identifier: Apache-2.0 */
/* What `info` says of a trace, against counts by hand of its packets. */
#include <stdlib.h>

#include "../stream.h"

#include "core/output.h"

#include "intel_pt/listing/info.h"

static void want_facts(const uint8_t *trace, size_t size, const char *const *facts, size_t count)
{
	const struct tl_pt_config config = { .size = sizeof(config),
					     .begin = trace,
					     .end = trace + size };
	struct tl_pt_faults faults = { .count = 0 };
	struct tl_output *out;
	struct tl_error err;
	const char *text;
	size_t length;

	assert_int_equal(tl_output_open_memory(&out, &err), 0);
	assert_int_equal(tl_pt_describe(&config, &faults, true, out, &err), 0);
	text = tl_output_bytes(out, &length);
	for (size_t i = 0; i < count; i++)
		if (!strstr(text, facts[i]))
			fail_msg("no %s in %s", facts[i], text);
	tl_output_discard(out);
	tl_pt_faults_free(&faults);
}

#define FACTS(trace, ...)                                                                          \
	want_facts(trace, sizeof(trace), (const char *const[]){ __VA_ARGS__ },                     \
		   sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *))

/* The first time is that of the first TSC, the last the greatest. */
TEST(times_are_the_first_and_the_greatest)
{
	static const uint8_t trace[] = { PSB,      TSC(500), PSBEND,   TSC(700), TNT_T,
					 TSC(900), TNT_N,    TSC(800), 0 };

	FACTS(trace, "\"timed\":true", "\"first_tsc\":500", "\"last_tsc\":900", "\"ticks\":400",
	      "\"tsc\":4", "\"outcomes\":2", "\"damaged_places\":0");
}

TEST(packets_are_counted_by_kind_and_mode)
{
	/* PSBs at 3, 3 + 16 + 2 + 3 and 20 behind that */
	static const uint8_t trace[] = { 0,      0,      0,      PSB,        PSBEND,
					 MODE64, TNT_T,  PSB,    MODE32,     PSBEND,
					 PSB,    PSBEND, MODE64, TNT_TTNTNN, 0 };

	FACTS(trace, "\"bytes_before_the_first_psb\":3", "\"psbs\":3",
	      "\"least_bytes_from_psb_to_psb\":20", "\"most_bytes_from_psb_to_psb\":21",
	      "\"outcomes\":7", "\"timed\":false", "\"32_bit\":1", "\"64_bit\":2", "\"tnt.8\":2",
	      "\"psbend\":3", "\"mode\":3");
}

TEST(damage_is_counted)
{
	static const uint8_t trace[] = { PSB, PSBEND, 0x05, 0x05, 0x05, PSB, PSBEND };

	FACTS(trace, "\"psbs\":2", "\"damaged_places\":1", "\"damaged_bytes\":3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_the_first_and_the_greatest),
		cmocka_unit_test(packets_are_counted_by_kind_and_mode),
		cmocka_unit_test(damage_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
