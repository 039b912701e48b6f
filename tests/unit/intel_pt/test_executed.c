/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was executed, from one trace in several forms that are made in ways of their own: the edges
 * and the comparison of executions go from block to block, the list of all instructions from one to
 * the next. tests/golden/intel_pt/tiny.truth says how many there are: 2936.
 */
#include "recording.h"

#include "../temp_fixture.h"

enum { CODE_AT = 0x401000, CODE_BYTES = 0x283, INSTRUCTIONS = 2936 };

/* Of two addresses, how often the second came right behind the first. */
static uint32_t steps[CODE_BYTES][CODE_BYTES];

/* timed.pt with four bytes that are no packet, and the places that are lost by it. */
enum { DAMAGE_AT = 700, DAMAGES = 4 };

static const char *damaged(void)
{
	size_t size;
	char *bytes = temp_read(whole_path("intel_pt/timed.pt"), &size);
	const char *path;

	memset(bytes + DAMAGE_AT, 0xff, 4);
	path = temp_write(&temp, "damaged.pt", bytes, size);
	free(bytes);
	return path;
}

static struct tl_input *open_whole(const struct whole_input *whole)
{
	struct tl_input *input = NULL;
	struct tl_error err;

	assert_int_equal(tl_input_open(&input, whole->paths, 1, &whole->options, NULL, &err), 0);
	return input;
}

/* All that is written, as text for free(). */
static char *written(const struct whole_input *whole, const char *to)
{
	struct tl_input *input = open_whole(whole);
	struct tl_output *out;
	const char *bytes;
	size_t size;
	char *text;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	if (to)
		assert_in_range(tl_input_reencode(input, to, NULL, out, NULL), 0, 1);
	else
		assert_int_equal(tl_input_dump(input, TL_REPORT_TEXT, out, NULL), 0);
	bytes = tl_output_bytes(out, &size);
	text = strndup(bytes, size);
	tl_output_discard(out);
	tl_input_close(input);
	return text;
}

/* ---- edges ---- */

/* A line of the list: an address, or in brackets a place where instructions are missing. */
static unsigned count_steps(struct whole_input whole)
{
	unsigned last = CODE_BYTES, count = 0;
	char *text, *next;

	whole.options.dump.flags = TL_DUMP_INSTRUCTIONS | TL_DUMP_NO_TEXT;
	memset(steps, 0, sizeof(steps));
	text = written(&whole, NULL);
	for (char *line = text; *line; line = next) {
		const unsigned at = (unsigned)(strtoull(line, NULL, 16) - CODE_AT);

		next = strchr(line, '\n') + 1;
		if (*line == '[') {
			last = CODE_BYTES;
			continue;
		}
		assert_true(at < CODE_BYTES);
		if (last < CODE_BYTES)
			steps[last][at]++;
		last = at;
		count++;
	}
	free(text);
	return count;
}

/* "tiny,0x401003,,,,tiny,0x401005,,,,not-taken,1" */
static bool read_edge(const char *line, unsigned *from, unsigned *to, char kind[32],
		      unsigned *count)
{
	if (sscanf(line, "tiny,0x%x,,,,tiny,0x%x,,,,%31[^,],%u", from, to, kind, count) != 4)
		return false;
	*from -= CODE_AT;
	*to -= CODE_AT;
	return *from < CODE_BYTES && *to < CODE_BYTES;
}

/*
 * Each edge is as often in the list; and of an instruction that has one, all steps are edges. An
 * interrupt is between two instructions that also follow each other without one.
 */
static unsigned assert_edges(const struct whole_input *whole)
{
	char *text = written(whole, "edges"), kind[32];
	bool branches[CODE_BYTES] = { false };
	unsigned from, to, count, edges = 0;

	for (char *line = strchr(text, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
		assert_true(read_edge(line, &from, &to, kind, &count));
		assert_string_not_equal(kind, "async");
		if (steps[from][to] != count)
			fail_msg("%#x to %#x: %u times, not %u", CODE_AT + from, CODE_AT + to,
				 steps[from][to], count);
		branches[from] = true;
		steps[from][to] = 0;
		edges++;
	}
	for (from = 0; from < CODE_BYTES; from++)
		for (to = 0; branches[from] && to < CODE_BYTES; to++)
			assert_int_equal(steps[from][to], 0);
	free(text);
	return edges;
}

TEST(edges_are_steps_of_the_list)
{
	struct whole_input whole = recording(whole_path("intel_pt/tiny.pt"));

	assert_int_equal(count_steps(whole), INSTRUCTIONS);
	assert_true(assert_edges(&whole) > 40);
	whole = recording(whole_path("intel_pt/timed.pt"));
	assert_int_equal(count_steps(whole), INSTRUCTIONS);
	assert_true(assert_edges(&whole) > 40);
}

/* Nothing is counted across a place that is missing. */
TEST(edges_of_a_damaged_trace)
{
	struct whole_input whole = recording(damaged());

	assert_true(count_steps(whole) < INSTRUCTIONS);
	assert_true(assert_edges(&whole) > 40);
}

/* How often edges were taken, all of them. */
static unsigned taken(const struct whole_input *whole)
{
	char *text = written(whole, "edges"), kind[32];
	unsigned from, to, count, all = 0;

	for (char *line = strchr(text, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
		assert_true(read_edge(line, &from, &to, kind, &count));
		all += count;
	}
	free(text);
	return all;
}

/* The trace has 29 us. Of all windows together only steps over their ends may be missing. */
TEST(edges_of_windows)
{
	struct whole_input whole = recording(whole_path("intel_pt/timed.pt"));
	const unsigned all = taken(&whole);
	unsigned sum = 0;

	for (unsigned part = 0; part < 8; part++) {
		whole.options.filter.from_seconds = part * 4e-6;
		whole.options.filter.to_seconds = (part + 1) * 4e-6;
		sum += taken(&whole);
	}
	assert_in_range(sum, all - 8, all);
}

/* ---- the same execution ---- */

static int compare(const struct whole_input *before, const struct whole_input *after,
		   struct tl_flow_stream *stream)
{
	struct tl_input *inputs[] = { open_whole(before), open_whole(after) };
	struct tl_flow *flow = NULL;
	int status = tl_input_flow(inputs[0], inputs[1], NULL, &flow, NULL, NULL);

	if (status == 0) {
		assert_int_equal(tl_flow_stream_count(flow), 1);
		assert_int_equal(tl_flow_stream(flow, 0, stream, sizeof(*stream)), 0);
	}
	tl_flow_free(flow);
	tl_input_close(inputs[0]);
	tl_input_close(inputs[1]);
	return status;
}

/* The two recordings are of the same run, one with the times of its packets. */
TEST(two_traces_of_one_run)
{
	const struct whole_input timed = recording(whole_path("intel_pt/timed.pt"));
	const struct whole_input plain = recording(whole_path("intel_pt/tiny.pt"));
	struct tl_flow_stream stream;

	assert_int_equal(compare(&plain, &timed, &stream), 0);
	assert_int_equal(stream.instructions[0], INSTRUCTIONS);
	assert_int_equal(stream.instructions[1], INSTRUCTIONS);
	assert_int_equal(stream.common, INSTRUCTIONS);
	assert_int_equal(stream.differences, 0);
	assert_int_equal(stream.missing, 0);
	assert_true(stream.complete);
}

/* What is missing is no difference, and what is there is common. */
TEST(a_trace_with_missing_parts)
{
	struct whole_input timed = recording(whole_path("intel_pt/timed.pt"));
	struct whole_input harmed = recording(damaged());
	const unsigned there = count_steps(harmed);
	struct tl_flow_stream stream;

	assert_int_equal(compare(&timed, &harmed, &stream), 0);
	assert_int_equal(stream.instructions[0], INSTRUCTIONS);
	assert_int_equal(stream.instructions[1], there);
	assert_in_range(stream.missing, 1, DAMAGES);
	assert_int_equal(stream.differences, 0);
	assert_true(stream.common <= there);
	harmed.options.strict = true;
	assert_int_equal(compare(&timed, &harmed, &stream), TL_BAD_RECORD);
}

/* ---- without memory ---- */

static int write_edges(const void *input, struct tl_output *out)
{
	const struct whole_input *whole = input;
	struct tl_input *opened = NULL;
	int status = tl_input_open(&opened, whole->paths, 1, &whole->options, NULL, NULL);

	if (status == 0)
		status = tl_input_reencode(opened, "edges", NULL, out, NULL);
	tl_input_close(opened);
	return status > 0 ? 0 : status;
}

static int edges_step(const void *input, uint64_t *digest)
{
	return refuse_note_output(write_edges, input, digest);
}

static int flow_step(const void *input, uint64_t *digest)
{
	const struct whole_input *whole = input;
	struct tl_input *inputs[2] = { NULL, NULL };
	struct tl_flow_stream stream = { .common = 0 };
	struct tl_flow *flow = NULL;
	int status = 0;

	for (int i = 0; status == 0 && i < 2; i++)
		status =
			tl_input_open(&inputs[i], whole[i].paths, 1, &whole[i].options, NULL, NULL);
	if (status == 0)
		status = tl_input_flow(inputs[0], inputs[1], NULL, &flow, NULL, NULL);
	if (status == 0)
		status = tl_flow_stream(flow, 0, &stream, sizeof(stream));
	refuse_note_number(digest, (int64_t)stream.common);
	refuse_note_number(digest, (int64_t)stream.missing);
	tl_flow_free(flow);
	tl_input_close(inputs[0]);
	tl_input_close(inputs[1]);
	return status;
}

TEST(without_memory)
{
	const struct whole_input both[] = { recording(whole_path("intel_pt/timed.pt")),
					    recording(damaged()) };

	for (size_t i = 0; i < 2; i++)
		assert_true(refuse_each(edges_step, &both[i]) > 50);
	assert_true(refuse_each(flow_step, both) > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(edges_are_steps_of_the_list),
		cmocka_unit_test(edges_of_a_damaged_trace),
		cmocka_unit_test(edges_of_windows),
		cmocka_unit_test(two_traces_of_one_run),
		cmocka_unit_test(a_trace_with_missing_parts),
		cmocka_unit_test(without_memory),
	};

	return cmocka_run_group_tests_name("intel_pt executed", tests, temp_setup, temp_teardown);
}
