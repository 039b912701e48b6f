/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles of other tools, read and folded where memory runs out. */
#include "../refuse.h"
#include "text.h"

#include "chrome_trace/chrome_trace.h"
#include "folded/folded.h"
#include "perf_script/perf_script.h"
#include "speedscope/speedscope.h"

struct sample {
	const struct tl_foreign_reader *reader;
	const char *text;
};

static const struct sample samples[] = {
	{ &tl_folded_reader, "a;b;c 1\na;b;d 2.5\nno count\nx y;z 7\n# rest\ne 1.00000000001\n" },
	{ &tl_speedscope_reader,
	  "{\"profiles\":[{\"type\":\"evented\",\"name\":\"T\\n\",\"unit\":\"seconds\",\"events\":["
	  "{\"type\":\"O\",\"frame\":0,\"at\":1},{\"type\":\"O\",\"frame\":1,\"at\":2.5},"
	  "{\"type\":\"C\",\"frame\":1,\"at\":3},{\"type\":\"C\",\"frame\":0,\"at\":2}]}],"
	  "\"shared\":{\"frames\":[{\"name\":\"f\",\"file\":\"a\",\"line\":3}]}}" },
	{ &tl_perf_script_reader,
	  "a b 1/2 [000] 5.5:  7 cycles:u: \n\t 1f f+0x1 (/x)\n  a.c:3\n\t 20 g (inlined)\n\n"
	  "a 3 6.5: faults: \n\t 1 h (y)\n\n  junk\n" },
	{ &tl_chrome_reader,
	  "[{\"ph\":\"M\",\"name\":\"thread_name\",\"tid\":1,\"args\":{\"name\":\"\\u0041\"}},"
	  "{\"ph\":\"X\",\"ts\":5,\"dur\":2,\"tid\":1,\"name\":\"in\"},{\"ph\":\"B\",\"ts\":7,"
	  "\"tid\":\"x\","
	  "\"name\":\"f\"},{\"ph\":\"X\",\"ts\":4,\"dur\":2,\"tid\":1,\"name\":\"out\"},{\"ph\":"
	  "\"C\"},{\"args\":{\"n\":1,\"o\":{\"l\":[true,\"x\"]}},\"ph\":\"i\",\"name\":"
	  "\"now\",\"ts\":5,\"tid\":1},"
	  "{\"ph\":\"E\",\"ts\":9,\"tid\":\"x\"},{\"ph\":\"E\",\"ts\":9},{\"ph\":oops}," },
	{ &tl_speedscope_reader,
	  "{\"shared\":{\"frames\":[{\"name\":\"f\"},{\"name\":\"g\"}]},\"profiles\":["
	  "{\"unit\":\"bytes\",\"type\":\"sampled\",\"samples\":[[0,1],[1],[oops]],"
	  "\"weights\":[1,2.5]},"
	  "{\"events\":[{\"type\":\"O\",\"frame\":0,\"at\":1},"
	  "{\"type\":\"C\",\"frame\":0,\"at\":2}]}]}" },
};

static int read_sample(const struct sample *sample, struct tl_foreign_options options,
		       uint64_t *digest)
{
	struct text t;
	int status;

	text_read_sized(&t, sample->reader, sample->text, strlen(sample->text), false, options);
	status = t.status;
	if (status == 0) {
		struct tl_output *out = NULL;
		const void *bytes;
		size_t size;

		status = tl_output_open_memory(&out, NULL);
		if (status == 0)
			status = tl_exporter_find("json")->write(t.profile, NULL, out, NULL);
		if (status == 0) {
			bytes = tl_output_bytes(out, &size);
			refuse_note(digest, bytes, size);
			refuse_note_number(digest, (int64_t)t.foreign.faults.count);
			status = tl_output_failed(out);
		}
		tl_output_discard(out);
	} else {
		assert_null(t.profile);
	}
	text_close(&t);
	return status;
}

static int read_step(const void *input, uint64_t *digest)
{
	struct tl_foreign_options options = text_options();

	options.arguments = true;
	return read_sample(input, options, digest);
}

/* Sums of functions alone. */
static int table_step(const void *input, uint64_t *digest)
{
	struct tl_foreign_options options = text_options();

	options.table = true;
	return read_sample(input, options, digest);
}

TEST(each_allocation_is_refused)
{
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		assert_true(refuse_each(read_step, &samples[i]) > 20);
	assert_true(refuse_each(table_step, &samples[0]) > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_allocation_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
