/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the page shows beside a timeline: the instructions around a time, which are those that a
 * dump of the whole trace lists, and the gaps.
 */
#include "web_files.h"

static const char *source_path(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/tests/%s", getenv("TL_SOURCE_ROOT"), name);
	return path;
}

static void look_at_golden(struct looked_at *l, const char *name)
{
	look_at(l, source_path(name), NULL);
	wait_for_index(l);
}

/* ---- the listing of a whole trace ---- */

struct listing {
	struct tl_output *out;
	const char *lines[4096];
	size_t sizes[4096], count;
};

static void list_all(struct listing *list, const char *name)
{
	struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;
	const char *path = source_path(name), *end, *newline;
	struct tl_input *input;
	struct tl_error err;
	size_t size;

	options.dump.flags = TL_DUMP_INSTRUCTIONS;
	list->count = 0;
	assert_int_equal(tl_input_open(&input, &path, 1, &options, NULL, &err), 0);
	assert_int_equal(tl_output_open_memory(&list->out, NULL), 0);
	assert_true(tl_input_dump(input, TL_REPORT_JSON, list->out, &err) >= 0);
	tl_input_close(input);
	path = tl_output_bytes(list->out, &size);
	end = path + size;
	while (list->count < 4096 && (newline = memchr(path, '\n', (size_t)(end - path)))) {
		list->lines[list->count] = path;
		list->sizes[list->count++] = (size_t)(newline - path);
		path = newline + 1;
	}
}

/* The answer has lines `first` to before `end` of the listing, and no others. */
static void want_lines(struct tl_web_answer answer, const struct listing *list, size_t first,
		       size_t end, bool cut)
{
	static const char begin[] = "{\"lines\":[";
	const char *at = text_of(&answer);

	assert_int_equal(answer.code, 200);
	assert_true(end <= list->count);
	assert_memory_equal(at, begin, strlen(begin));
	at += strlen(begin);
	for (size_t i = first; i < end; i++) {
		assert_memory_equal(at, list->lines[i], list->sizes[i]);
		at += list->sizes[i];
		if (i + 1 < end)
			assert_int_equal(*at++, ',');
	}
	assert_string_equal(at, cut ? "],\"cut\":true}\n" : "],\"cut\":false}\n");
	tl_output_discard(answer.out);
}

/* ---- instructions ---- */

/* 20 before the one that is asked for, 200 in all, as far as there are any. */
TEST(a_trace_without_times_is_listed_by_number)
{
	static const char name[] = "golden/xtrace/xtrace.20260101000000.0.hint9.xinsndata.bin";
	static const struct {
		const char *at;
		size_t first, end;
	} rows[] = { { "0", 0, 200 }, { "20", 0, 200 }, { "21", 1, 201 }, { "100", 80, 280 } };
	static struct listing list;
	struct looked_at l;
	char last[16];

	list_all(&list, name);
	look_at_golden(&l, name);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		want_lines(ASK(&l, "/api/instructions", "tracks", "0", "at", rows[i].at, NULL),
			   &list, rows[i].first, rows[i].end, false);
	snprintf(last, sizeof(last), "%zu", list.count - 1);
	want_lines(ASK(&l, "/api/instructions", "tracks", "0", "at", last, NULL), &list,
		   list.count - 21, list.count, false);
	look_away(&l);
	tl_output_discard(list.out);
}

/*
 * All instructions of this trace have one time, so that the shortest window has them all; the page
 * gets 400.
 */
TEST(a_trace_with_times_is_listed_from_a_time_on)
{
	static const char name[] = "corpus/intel-pt/rec.time.perf.data";
	static struct listing list;
	struct looked_at l;

	list_all(&list, name);
	look_at_golden(&l, name);
	want_lines(ASK(&l, "/api/instructions", "tracks", "0", "at", "0", NULL), &list, 0, 400,
		   true);
	look_away(&l);
	tl_output_discard(list.out);
}

TEST(a_track_and_calls_are_needed)
{
	static const char asked[] = "{\"error\":\"a track and a time are needed\"}\n";
	struct looked_at l;
	char path[512];

	strcpy(path, temp_write(&temp, "spans.json", spans, strlen(spans)));
	look_at(&l, path, NULL);
	wait_for_index(&l);
	want_answer(ASK(&l, "/api/instructions", "at", "0", NULL), 400, asked);
	want_answer(ASK(&l, "/api/instructions", "tracks", "0,1", "at", "0", NULL), 400, asked);
	want_answer(ASK(&l, "/api/instructions", "tracks", "2", "at", "0", NULL), 400, asked);
	look_away(&l);
	strcpy(path, temp_write(&temp, "before.folded", stacks_before, strlen(stacks_before)));
	look_at(&l, path, NULL);
	wait_for_index(&l);
	for (unsigned i = 0; i < 2; i++)
		want_answer(ASK(&l, i ? "/api/gaps" : "/api/instructions", "tracks", "0", "at", "0",
				NULL),
			    422,
			    "{\"error\":\"this format does not hold calls one by one, in an order "
			    "of time\"}\n");
	look_away(&l);
}

/* The clock of this trace has no rate: a part of it by time cannot be cut out. */
TEST(ticks_of_an_unknown_rate_are_no_time)
{
	struct looked_at l;

	look_at_golden(&l, "golden/intel_pt/rec.time.pt");
	want_answer(ASK(&l, "/api/instructions", "tracks", "0", "at", "5", NULL), 422,
		    "{\"error\":\"the rate of the trace's clock is not known, so that no part of "
		    "it can be listed by time\"}\n");
	look_away(&l);
}

/* ---- gaps ---- */

/*
 * The second of three buffers of 112 bytes is zeroed from 0x88, behind the last record of the first
 * one at 1200, to 0x100, where the next one begins at 1400; the trace begins at 1000.
 */
TEST(gaps_are_told_with_their_times_and_bytes)
{
	struct looked_at l;
	char path[512];

	look_at_golden(&l, "golden/xray/gap-hole.xray");
	want_answer(ASK(&l, "/api/gaps", NULL), 200,
		    "{\"gaps\":[{\"track\":0,\"from\":200,\"to\":400,\"offset\":136,\"length\":120,"
		    "\"count\":1,\"text\":\"not the beginning of a buffer; went on at the next "
		    "one\"}],\"left_out\":0}\n");
	look_away(&l);
	strcpy(path, temp_write(&temp, "spans.json", spans, strlen(spans)));
	look_at(&l, path, NULL);
	wait_for_index(&l);
	want_answer(ASK(&l, "/api/gaps", NULL), 200, "{\"gaps\":[],\"left_out\":0}\n");
	look_away(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_trace_without_times_is_listed_by_number),
		cmocka_unit_test(a_trace_with_times_is_listed_from_a_time_on),
		cmocka_unit_test(a_track_and_calls_are_needed),
		cmocka_unit_test(ticks_of_an_unknown_rate_are_no_time),
		cmocka_unit_test(gaps_are_told_with_their_times_and_bytes),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
