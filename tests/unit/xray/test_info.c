/* SPDX-License-Identifier: Apache-2.0 */
/* The facts of a trace. Expected numbers are counted in the records that the test writes. */
#include "bytes.h"

#include "core/output.h"
#include "xray/listing/select.h"

/* The facts as JSON, terminated; for free(). */
static char *facts(const struct bytes *b)
{
	struct tl_output *out;
	const char *text;
	struct trace t;
	char *copy;
	size_t size;

	open_trace(&t, b, NULL);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_xray_describe(t.reader, true, out, &t.err), 0);
	text = tl_output_bytes(out, &size);
	copy = strndup(text, size);
	assert_non_null(copy);
	tl_output_discard(out);
	close_trace(&t);
	return copy;
}

static void has(const char *json, const char *fact)
{
	if (!strstr(json, fact))
		fail_msg("no %s in %s", fact, json);
}

TEST(header_threads_records_and_damage)
{
	struct bytes b = { 0 };
	size_t start;
	char *json;

	put_header(&b, 5, FDR, 1000, 16384);
	start = begin_block(&b, 1, 2, 100);
	put_function(&b, ENTER_ARGS, 5, 0);
	put_argument(&b, 255);
	put_function(&b, EXIT, 5, 30);
	put_new_cpu(&b, 3, 900); /* not the time of a function */
	end_block(&b, start);
	put_repeat(&b, 0, 24);
	start = begin_block(&b, 1, 3, 200);
	put_function(&b, ENTER, 5, 0);
	put_function(&b, TAIL_EXIT, 5, 50);
	put_function(&b, 6, 5, 0); /* no such action: 8 bytes are lost */
	end_block(&b, start);
	json = facts(&b);
	has(json, "\"format\":\"xray\"");
	has(json, "\"mode\":\"fdr\"");
	has(json, "\"version\":5");
	has(json, "\"endianness\":\"little\"");
	has(json, "\"constant_tsc\":true");
	has(json, "\"cycle_frequency\":1000");
	has(json, "\"buffer_size\":16384");
	/* Two heads of 5, 4 and 2 function or argument records more, and a NewCPUId. */
	has(json, "\"records\":16");
	has(json, "\"new-buffer\":2");
	has(json, "\"new-cpu\":3");
	has(json, "\"call-argument\":1");
	has(json, "\"function_records_by_action\":{\"enter\":1,\"exit\":1,\"tail-exit\":1,"
		  "\"enter-arg\":1}");
	has(json, "\"first_tsc\":100");
	has(json, "\"last_tsc\":250");
	has(json, "\"seconds\":0.15");
	has(json, "\"buffers\":2");
	has(json, "\"threads\":2");
	has(json, "{\"process\":1,\"thread\":2,\"buffers\":1,\"function_records\":2,"
		  "\"first_tsc\":100,\"last_tsc\":130,\"seconds\":0.03}");
	has(json, "{\"process\":1,\"thread\":3,\"buffers\":1,\"function_records\":2,"
		  "\"first_tsc\":200,\"last_tsc\":250,\"seconds\":0.05}");
	has(json, "\"damaged_places\":2");
	has(json, "\"skipped_bytes\":32");
	/* Behind the header of 32: the first block has 16 + 4 * 16 + 8 + 16 + 8 + 16 bytes. */
	has(json, "\"damage\":[{\"offset\":160,\"length\":24,");
	free(json);
	free_bytes(&b);
}

TEST(a_profile_of_sums)
{
	static const int32_t path[] = { 4, 0 };
	struct bytes b = { 0 };
	size_t start;
	char *json;

	put_profiling_header(&b, 12345, 77);
	start = begin_samples(&b, 0, 9);
	put_sample(&b, path, 2, 100);
	end_samples(&b, start);
	json = facts(&b);
	has(json, "\"mode\":\"profiling\"");
	has(json, "\"timestamp\":12345");
	has(json, "\"process\":77");
	has(json, "\"records\":1");
	has(json, "\"sample\":1");
	has(json, "{\"process\":77,\"thread\":9,\"blocks\":1,\"paths\":1}");
	has(json, "\"damaged_places\":0");
	has(json, "\"skipped_bytes\":0");
	assert_null(strstr(json, "\"damage\":"));
	assert_null(strstr(json, "cycle_frequency"));
	free(json);
	free_bytes(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(header_threads_records_and_damage),
		cmocka_unit_test(a_profile_of_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
