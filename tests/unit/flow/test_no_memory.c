/* SPDX-License-Identifier: Apache-2.0 */
/* The comparison of executions where memory runs out. */
#include "../refuse.h"
#include "streams.h"

#include <tracelathe/report.h>

static int write_json(const void *input, struct tl_output *out)
{
	const struct tl_report_options options = { .size = sizeof(options),
						   .form = TL_REPORT_JSON };

	return tl_report_flow(input, &options, out, NULL);
}

static int compare_step(const void *input, uint64_t *digest)
{
	const struct tl_flow_options options = { .size = sizeof(options), .meet = 3 };
	struct stream streams[2] = {
		{ .text = "mAaC0=CB<b>bxuvwabcdefgh|ijklmnopq", .step = 9, .object = "p" },
		{ .text = "mAaC0=CBbyuvwabcdefghijklmnuuopq", .step = 9, .object = "p" },
	};
	struct tl_flow *flow;
	int failed, status;

	(void)input;
	status = stream_compare(streams, &options, &flow, &failed, NULL);
	if (status == 0)
		status = refuse_note_output(write_json, flow, digest);
	tl_flow_free(flow);
	return status;
}

TEST(comparing)
{
	assert_true(refuse_each(compare_step, NULL) > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(comparing) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
