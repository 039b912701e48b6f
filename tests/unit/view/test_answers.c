/* SPDX-License-Identifier: Apache-2.0 */
/* What the page gets for what it asks: every number is counted by hand from web_files.h. */
#include "web_files.h"

#include <zlib.h>

#define LOSSES(unfinished)                                                                         \
	"\"losses\":{\"orphan_exits\":0,\"deduced_exits\":0,\"unfinished\":" #unfinished           \
	",\"time_reversals\":0,\"gaps\":0,\"skipped_bytes\":0,\"skipped_records\":0,"              \
	"\"saturated\":0,\"left_calls\":0,\"gap_ends\":0,\"bridged\":0,\"uncertain\":0}"

static char spans_path[512], before_path[512], behind_path[512];

static void look_at_spans(struct looked_at *l)
{
	strcpy(spans_path, temp_write(&temp, "spans.json", spans, strlen(spans)));
	look_at(l, spans_path, NULL);
	wait_for_index(l);
}

static void look_at_stacks(struct looked_at *l)
{
	strcpy(before_path,
	       temp_write(&temp, "before.folded", stacks_before, strlen(stacks_before)));
	strcpy(behind_path,
	       temp_write(&temp, "behind.folded", stacks_behind, strlen(stacks_behind)));
	look_at(l, before_path, behind_path);
	wait_for_index(l);
}

/* ---- files ---- */

TEST(the_state_has_the_tracks_of_an_index)
{
	struct looked_at l;
	char bytes[64];

	look_at_spans(&l);
	snprintf(bytes, sizeof(bytes), "\"bytes\":%zu,\"done\":%zu,\"total\":%zu,", strlen(spans),
		 strlen(spans), strlen(spans));
	WANT_PARTS(ASK(&l, "/api/state", NULL), "{\"version\":\"", "\"files\":[{\"paths\":[\"",
		   "/spans.json\"],\"format\":\"chrome-trace\"", "\"written\":\"20", " UTC\"",
		   bytes,
		   "\"index\":\"ready\",\"frequency\":1000000000,\"origin\":0,\"clock\":\"ticks\","
		   "\"tracks\":[{\"process\":1,\"thread\":7,\"first\":0,\"last\":100000,"
		   "\"calls\":5,",
		   "},{\"process\":1,\"thread\":9,\"first\":5000,\"last\":20000,\"calls\":2,",
		   "}]}]}\n");
	look_away(&l);
}

TEST(a_profile_has_no_index_and_says_why)
{
	struct looked_at l;

	look_at_stacks(&l);
	WANT_PARTS(ASK(&l, "/api/state", NULL), "before.folded\"]", "\"format\":\"folded\"",
		   "\"index\":\"none\",\"why\":\"this format does not hold calls one by one",
		   "behind.folded\"]", "\"index\":\"none\"");
	want_answer(ASK(&l, "/api/stack", "tracks", "0", "at", "0", NULL), 422,
		    "{\"error\":\"this format does not hold calls one by one, in an order of "
		    "time\"}\n");
	look_away(&l);
}

TEST(info_is_followed_by_damage)
{
	static const char damaged[] = "main 10\nno count\nmain;work 5\n";
	struct looked_at l;
	char path[512];

	look_at_spans(&l);
	WANT_PARTS(ASK(&l, "/api/info", NULL), "{\"info\":{", "\"complete_events\":6",
		   "\"begin_events\":1", "\"threads\":2",
		   ",\"damaged_places\":0,\"skipped_bytes\":0,\"damage\":[]}\n");
	look_away(&l);
	strcpy(path, temp_write(&temp, "damaged.folded", damaged, strlen(damaged)));
	look_at(&l, path, NULL);
	WANT_PARTS(ASK(&l, "/api/info", NULL), ",\"damaged_places\":1,\"skipped_bytes\":9,",
		   "\"damage\":[{\"text\":\"", "\"remark\":false", ",\"offset\":8", ",\"length\":9",
		   ",\"path\":\"\"}]}\n");
	look_away(&l);
}

/* ---- profiles ---- */

TEST(a_profile_is_columns_of_functions_and_arcs)
{
	struct looked_at l;

	look_at_spans(&l);
	want_answer(ASK(&l, "/api/profile", NULL), 200,
		    "{\"format\":\"chrome-trace\",\"frequency\":1000000000,\"timed\":true,"
		    "\"estimated\":false,\"emulated\":false,\"first_event\":0,\"parts\":2,"
		    "\"functions_left_out\":0,\"arcs_left_out\":0,"
		    "\"events\":[{\"name\":\"Ticks\",\"long\":\"\",\"unit\":\"ticks\","
		    "\"total\":110000}]," LOSSES(
			    1) ",\n"
			       "\"functions\":{\"name\":[\"main\",\"work\",\"leaf\",\"open\"],"
			       "\"object\":[\"\",\"\",\"\",\"\"],\"file\":[\"\",\"\",\"\",\"\"],"
			       "\"line\":[0,0,0,0],"
			       "\"self\":[[60000,37000,13000,0]],"
			       "\"inclusive\":[[110000,50000,13000,0]],"
			       "\"calls\":[2,2,2,0],\"unfinished\":[0,0,0,1],\"cut\":[0,0,0,0],"
			       "\"durations\":[[2,10000,100000,100000,100000,100000,110000,1],"
			       "[2,20000,30000,30000,30000,30000,50000,1],"
			       "[2,5000,8000,8000,8000,8000,13000,1],null]},\n"
			       "\"arcs\":{\"caller\":[0,1],\"callee\":[1,2],\"calls\":[2,2],"
			       "\"inclusive\":[[50000,13000]]}}\n");
	/* a table of functions has no calls between them */
	WANT_PARTS(ASK(&l, "/api/profile", "table", "1", NULL), "\"arcs_left_out\":0,",
		   "\"self\":[[60000,37000,13000,0]],\"inclusive\":[[110000,50000,13000,0]]",
		   "[2,5000,8000,8000,8000,8000,13000,1],null]},\n\"arcs\":null}\n");
	/* 10 to 30 us: main runs on, work begins and does not end, leaf is whole */
	WANT_PARTS(ASK(&l, "/api/profile", "since", "0.00001", "until", "0.00003", NULL),
		   "\"self\":[[5000,12000,8000,0]],\"inclusive\":[[25000,20000,8000,0]]",
		   "\"calls\":[0,0,1,0]", "\"unfinished\":[2,1,0,1]");
	/* from the begin on: both mains, which are 40 us together */
	WANT_PARTS(ASK(&l, "/api/profile", "since", "0", "until", "0.00003", NULL),
		   "\"self\":[[20000,12000,8000,0]],\"inclusive\":[[40000,20000,8000,0]]");
	/* 10 to 30 us in ticks, and once more, which is kept */
	for (unsigned i = 0; i < 2; i++)
		WANT_PARTS(ASK(&l, "/api/profile", "from", "10000", "to", "30000", NULL),
			   "\"self\":[[5000,12000,8000", "\"inclusive\":[[25000,20000,8000");
	/* as a table first, which has no arcs for who asks for them then */
	WANT_PARTS(ASK(&l, "/api/profile", "from", "11000", "to", "30000", "table", "1", NULL),
		   "\"self\":[[4000,11000,8000", "\"arcs\":null}\n");
	WANT_PARTS(ASK(&l, "/api/profile", "from", "11000", "to", "30000", NULL),
		   "\"self\":[[4000,11000,8000", "\"arcs\":{\"caller\":[0,1]",
		   "\"inclusive\":[[19000,8000]]");
	/* others are not mixed up with it */
	WANT_PARTS(ASK(&l, "/api/profile", "from", "12000", "to", "30000", NULL),
		   "\"self\":[[3000,10000,8000");
	WANT_PARTS(ASK(&l, "/api/profile", "from", "10000", "to", "20000", NULL),
		   "\"self\":[[5000,2000,8000");
	WANT_PARTS(ASK(&l, "/api/profile", NULL), "\"self\":[[60000,37000,13000,0]]");
	look_away(&l);
}

TEST(more_windows_than_are_kept_are_made_anew)
{
	struct looked_at l;

	look_at_spans(&l);
	for (unsigned round = 0; round < 2; round++)
		for (unsigned end = 1; end <= TL_WEB_MOST_PROFILES + 3; end++) {
			char to[16], total[32];

			/* Main alone runs, on one thread. */
			snprintf(to, sizeof(to), "%u", end * 100);
			snprintf(total, sizeof(total), "\"total\":%u}", end * 100);
			WANT_PARTS(ASK(&l, "/api/profile", "from", "0", "to", to, NULL), total);
		}
	look_away(&l);
}

TEST(a_file_of_two_is_asked_by_its_number)
{
	struct looked_at l;

	look_at_stacks(&l);
	WANT_PARTS(ASK(&l, "/api/profile", NULL), "\"total\":100}",
		   "\"name\":[\"main\",\"work\",\"leaf\"]", "\"self\":[[10,40,50]]",
		   "\"inclusive\":[[100,60,50]]", "\"durations\":[null,null,null]",
		   "\"arcs\":{\"caller\":[0,0,1],\"callee\":[1,2,2]", "\"inclusive\":[[60,30,20]]");
	WANT_PARTS(ASK(&l, "/api/profile", "file", "1", NULL), "\"total\":85}",
		   "\"self\":[[10,50,20,5]],\"inclusive\":[[85,70,20,5]]");
	want_answer(ASK(&l, "/api/profile", "file", "2", NULL), 400,
		    "{\"error\":\"there is no such file\"}\n");
	look_away(&l);
}

/* ---- reports ---- */

TEST(differences_are_those_of_both_files)
{
	struct looked_at l;

	look_at_stacks(&l);
	WANT_PARTS(ASK(&l, "/api/diff", NULL), "\"before\":100,\"after\":85,\"change\":-15",
		   "{\"function\":\"leaf\"", "\"before\":50,\"after\":20,\"change\":-30",
		   "{\"function\":\"work\"", "\"before\":40,\"after\":50,\"change\":10",
		   "{\"function\":\"other<T>\"", "\"state\":\"new\"", "\"after\":5");
	WANT_PARTS(ASK(&l, "/api/diff", "inclusive", "1", NULL), "{\"function\":\"main\"",
		   "\"before\":100,\"after\":85", "{\"function\":\"work\"",
		   "\"before\":60,\"after\":70");
	WANT_PARTS(ASK(&l, "/api/flame", "baseline", "1", NULL), "before.folded", "\"diff\":true",
		   "\"total\":[85]", "\"baseline_total\":[100]",
		   "\"columns\":[\"after\",\"before\"]", "\"self\":[[10,50,20,5,10,40,20,30]]");
	WANT_PARTS(ASK(&l, "/api/flame", "file", "1", NULL), "behind.folded", "\"diff\":false",
		   "\"total\":[85]");
	look_away(&l);
	look_at_spans(&l);
	want_answer(ASK(&l, "/api/diff", NULL), 400,
		    "{\"error\":\"there is only one file, and nothing to compare it with\"}\n");
	want_answer(ASK(&l, "/api/flame", "baseline", "1", NULL), 400,
		    "{\"error\":\"there is only one file, and nothing to compare it with\"}\n");
	WANT_PARTS(ASK(&l, "/api/flame", NULL), "\"total\":[110000]",
		   "\"columns\":[\"thread 7\",\"thread 9\"]");
	look_away(&l);
}

/* The cost of what has no source is "unknown"; that of other functions "elsewhere". */
TEST(annotation_is_of_the_function_that_is_named)
{
	static const struct {
		const char *key, *value, *unknown, *elsewhere;
	} rows[] = {
		{ "name", "work", "\"unknown\":{\"Ticks\":37000}",
		  "\"elsewhere\":{\"Ticks\":73000}" },
		{ "name", "wor", "\"unknown\":{\"Ticks\":0}", "\"elsewhere\":{\"Ticks\":110000}" },
		/* a name is no expression */
		{ "name", "w.rk", "\"unknown\":{\"Ticks\":0}", "\"elsewhere\":{\"Ticks\":110000}" },
		{ "object", "", "\"unknown\":{\"Ticks\":110000}", "\"elsewhere\":{\"Ticks\":0}" },
		{ "object", "x", "\"unknown\":{\"Ticks\":0}", "\"elsewhere\":{\"Ticks\":110000}" },
	};
	struct looked_at l;

	look_at_spans(&l);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		WANT_PARTS(ASK(&l, "/api/annotate", rows[i].key, rows[i].value, NULL),
			   rows[i].unknown, rows[i].elsewhere);
	look_away(&l);
}

/*
 * A window may begin with the trace. In the first 30 us thread 7 runs all the time, and thread 9
 * main for 10; the trace of that ends as open begins.
 */
TEST(files_are_read_again_for_a_window)
{
	static const struct tl_web_asker nobody = { NULL, NULL };
	static const struct {
		struct tl_web_window window;
		int64_t total;
	} rows[] = {
		{ { .to = 30e-6 }, 40000 },
		{ { .from = 30e-6 }, 70000 },
		{ { .from = 10e-6, .to = 30e-6 }, 25000 },
		{ { .from = 0 }, 110000 },
	};
	struct looked_at l;

	look_at_spans(&l);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tl_input *input;
		struct tl_profile *profile;
		struct tl_error err;

		assert_int_equal(tl_web_document_reopen(&l.view->documents[0], &nobody,
							&rows[i].window, TL_DETAIL_FUNCTIONS,
							&input, &err),
				 0);
		assert_int_equal(tl_input_fold(input, &profile, &err), 0);
		assert_int_equal(tl_profile_total(profile)[0], rows[i].total);
		tl_profile_free(profile);
		tl_input_close(input);
	}
	look_away(&l);
}

/* ---- calls ---- */

TEST(a_stack_is_the_calls_around_a_time)
{
	struct looked_at l;

	look_at_spans(&l);
	want_answer(ASK(&l, "/api/stack", "tracks", "0", "at", "47000", NULL), 200,
		    "{\"calls\":[{\"track\":0,\"start\":0,\"end\":100000,\"self\":50000,"
		    "\"depth\":0,\"function\":0,\"flags\":0},"
		    "{\"track\":0,\"start\":40000,\"end\":70000,\"self\":25000,\"depth\":1,"
		    "\"function\":1,\"flags\":0},"
		    "{\"track\":0,\"start\":45000,\"end\":50000,\"self\":5000,\"depth\":2,"
		    "\"function\":2,\"flags\":0}]}\n");
	WANT_PARTS(ASK(&l, "/api/stack", "tracks", "1", "at", "25000", NULL),
		   "{\"calls\":[{\"track\":1,\"start\":20000,\"end\":-1,");
	want_answer(ASK(&l, "/api/stack", NULL), 400,
		    "{\"error\":\"a track and a time are needed\"}\n");
	want_answer(ASK(&l, "/api/stack", "tracks", "0,1", "at", "0", NULL), 400,
		    "{\"error\":\"a track and a time are needed\"}\n");
	look_away(&l);
}

TEST(the_call_before_and_behind_a_time_are_found)
{
	static const struct {
		const char *at, *back, *found;
	} rows[] = {
		{ "0", "0", "\"start\":10000,\"end\":30000," },
		{ "10001", "0", "\"start\":40000,\"end\":70000," },
		{ "39999", "1", "\"start\":10000,\"end\":30000," },
		{ "100000", "1", "\"start\":40000,\"end\":70000," },
		{ "40001", "0", "{\"call\":null}\n" },
		{ "9999", "1", "{\"call\":null}\n" },
	};
	struct looked_at l;

	look_at_spans(&l);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		WANT_PARTS(ASK(&l, "/api/find", "tracks", "0", "functions", "1", "at", rows[i].at,
			       "back", rows[i].back, NULL),
			   rows[i].found);
	want_answer(ASK(&l, "/api/find", "tracks", "0", "at", "0", NULL), 400,
		    "{\"error\":\"a function is needed\"}\n");
	WANT_PARTS(ASK(&l, "/api/names", "functions", "2,1", NULL),
		   "{\"functions\":[{\"name\":\"leaf\",\"object\":\"\",\"file\":\"\",\"line\":0},"
		   "{\"name\":\"work\"",
		   "}]}\n");
	look_away(&l);
}

/* Classes are eighths of powers of two: 20000 is in [18432, 20480), 30000 in [28672, 30720). */
TEST(durations_are_counted_by_class_and_the_slowest_are_first)
{
	struct looked_at l;

	look_at_spans(&l);
	want_answer(ASK(&l, "/api/durations", "name", "work", NULL), 200,
		    "{\"finished\":2,\"unfinished\":0,\"cut\":0,\"sum\":50000,"
		    "\"classes\":[[18432,20480,1],[28672,30720,1]],\"slowest\":["
		    "{\"process\":1,\"thread\":7,\"start\":40000,\"duration\":30000,"
		    "\"self\":25000,\"depth\":1},"
		    "{\"process\":1,\"thread\":7,\"start\":10000,\"duration\":20000,"
		    "\"self\":12000,\"depth\":1}]}\n");
	WANT_PARTS(ASK(&l, "/api/durations", "name", "open", NULL),
		   "{\"finished\":0,\"unfinished\":1,\"cut\":0,\"sum\":0,\"classes\":[],"
		   "\"slowest\":[]}\n");
	/* calls that overlap the window, without those that reach past its ends */
	WANT_PARTS(ASK(&l, "/api/durations", "name", "work", "from", "35000", "to", "75000", NULL),
		   "{\"finished\":1,", "\"sum\":30000");
	WANT_PARTS(ASK(&l, "/api/durations", "object", "x", NULL), "{\"finished\":0,");
	WANT_PARTS(ASK(&l, "/api/durations", "source", "", NULL), "{\"finished\":6,");
	look_away(&l);
}

/* ---- windows: little-endian columns (the head of answer_calls.c) ---- */

static uint64_t number_at(const uint8_t *bytes, size_t size)
{
	uint64_t value = 0;

	while (size--)
		value = value << 8 | bytes[size];
	return value;
}

static double real_at(const uint8_t *bytes)
{
	const uint64_t bits = number_at(bytes, 8);
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

TEST(a_window_is_columns_of_numbers)
{
	static const double starts[] = { 0, 10000, 12000 }, ends[] = { 100000, 30000, 20000 };
	struct tl_web_answer answer;
	const uint8_t *bytes;
	struct looked_at l;
	size_t size;

	look_at_spans(&l);
	answer = ASK(&l, "/api/window", "tracks", "0,1", "from", "0", "to", "35000", "pixels",
		     "1000", NULL);
	assert_int_equal(answer.code, 200);
	assert_string_equal(answer.type, "application/octet-stream");
	bytes = (const uint8_t *)tl_output_bytes(answer.out, &size);
	assert_memory_equal(bytes, "TLW1", 4);
	assert_int_equal(number_at(bytes + 4, 4), 2);
	assert_int_equal(number_at(bytes + 8, 4), 0);
	assert_int_equal(number_at(bytes + 12, 4), 3);
	assert_true(real_at(bytes + 16) == 35);
	for (size_t i = 0; i < 3; i++) {
		assert_true(real_at(bytes + 32 + 8 * i) == starts[i]);
		assert_true(real_at(bytes + 56 + 8 * i) == ends[i]);
		assert_true(real_at(bytes + 80 + 8 * i) == ends[i] - starts[i]);
		assert_int_equal(number_at(bytes + 104 + 4 * i, 4), i);
		assert_int_equal(number_at(bytes + 120 + 4 * i, 4), i);
		assert_int_equal(number_at(bytes + 136 + 4 * i, 4), 0);
		assert_int_equal(number_at(bytes + 152 + 4 * i, 4), 0);
	}
	/* columns of three numbers are filled up to eight bytes */
	assert_int_equal(number_at(bytes + 168, 4), 1);
	assert_int_equal(number_at(bytes + 172, 4), 2);
	assert_true(real_at(bytes + 192) == 5000 && real_at(bytes + 200) == 20000);
	assert_true(real_at(bytes + 208) == 15000 && real_at(bytes + 216) == -1);
	tl_output_discard(answer.out);
	want_answer(ASK(&l, "/api/window", NULL), 400, "{\"error\":\"no track is asked for\"}\n");
	look_away(&l);
}

/* ---- pages ---- */

/* ---- events without duration ---- */

#define INSTANT(name, at)                                                                          \
	"{\"ph\":\"i\",\"s\":\"t\",\"name\":\"" name "\",\"pid\":1,\"tid\":7,\"ts\":" #at "},\n"

TEST(events_of_a_window_come_by_track_and_time)
{
	static const char text[] = "[" INSTANT("late", 30) INSTANT("early", 20)
		SPAN("main", 7, 10, 90) "{\"ph\":\"i\",\"s\":\"t\",\"name\":\"early\",\"pid\":1,"
					"\"tid\":9,\"ts\":50}]\n";
	struct looked_at l;
	char path[512];

	strcpy(path, temp_write(&temp, "instants.json", text, strlen(text)));
	look_at(&l, path, NULL);
	wait_for_index(&l);
	want_answer(ASK(&l, "/api/events", NULL), 200,
		    "{\"names\":[\"\",\"early\",\"late\"],\"tracks\":["
		    "{\"process\":1,\"thread\":7,\"events\":2,\"last\":20000,\"marks\":["
		    "[10000,10000,1,1,{}],[20000,20000,1,2,{}]]},"
		    "{\"process\":1,\"thread\":9,\"events\":1,\"last\":40000,\"marks\":["
		    "[40000,40000,1,1,{}]]}],\"counters\":[],\"cell\":0,\"left_out\":0}\n");
	/* 20 us stands at the begin of the window, 50 us behind its end */
	WANT_PARTS(ASK(&l, "/api/events", "from", "10000", "to", "40000", NULL),
		   "\"marks\":[[10000,10000,1,1,{}],[20000,20000,1,2,{}]]}",
		   "\"last\":40000,\"marks\":[]}");
	WANT_PARTS(ASK(&l, "/api/events", "from", "10001", "to", "20001", NULL),
		   "\"marks\":[[20000,20000,1,2,{}]]}");
	look_away(&l);
}

/* 6,000 events, one each microsecond: more than a picture has, so that neighbours are one mark. */
TEST(events_beyond_what_a_picture_has_are_counted)
{
	enum { EVENTS = 6000, LINE = 96 };
	char *text = malloc((size_t)EVENTS * LINE + 2), path[512];
	size_t size = (size_t)sprintf(text, "[" SPAN("main", 7, 0, 6000));
	struct tl_web_answer answer;
	struct looked_at l;
	unsigned long total = 0, marks = 0, count;
	size_t bytes;
	const char *at, *end;

	for (unsigned i = 0; i < EVENTS; i++)
		size += (size_t)sprintf(text + size,
					"{\"ph\":\"i\",\"s\":\"t\",\"name\":\"e\",\"pid\":1,"
					"\"tid\":7,\"ts\":%u}%s",
					i, i + 1 < EVENTS ? "," : "]");
	strcpy(path, temp_write(&temp, "many.json", text, size));
	free(text);
	look_at(&l, path, NULL);
	wait_for_index(&l);
	answer = ASK(&l, "/api/events", "pixels", "100", NULL);
	assert_int_equal(answer.code, 200);
	at = tl_output_bytes(answer.out, &bytes);
	end = at + bytes;
	for (at = strstr(at, "\"marks\":[") + 8; at < end && *at != ']'; marks++) {
		assert_int_equal(sscanf(at + 1, "[%*u,%*u,%lu,1]", &count), 1);
		total += count;
		at = strchr(at + 2, ']') + 1;
	}
	assert_int_equal(total, EVENTS);
	assert_in_range(marks, 99, 101);
	tl_output_discard(answer.out);
	/* Those of a part are few enough to be each its own. */
	WANT_PARTS(ASK(&l, "/api/events", "from", "1000", "to", "3001", "pixels", "1", NULL),
		   "\"marks\":[[1000,1000,1,1,{}],[2000,2000,1,1,{}],[3000,3000,1,1,{}]]}",
		   "\"cell\":0");
	look_away(&l);
}

#define VALUE(name, at, key, value)                                                                \
	",{\"ph\":\"C\",\"pid\":1,\"name\":\"" name "\",\"ts\":" #at ",\"args\":{\"" key           \
	"\":" #value "}}"

/* A window has the values in it, and the one that a counter has where it begins. */
TEST(values_of_counters_are_told_by_window)
{
	static const char text[] =
		"[{\"ph\":\"X\",\"name\":\"main\",\"pid\":1,\"tid\":7,"
		"\"ts\":0,\"dur\":100}" VALUE("heap", 10, "value", 5)
			VALUE("heap", 30, "value", -7.5) VALUE("heap", 30, "value", 2)
				VALUE("zoo", 20, "cats", 3) "]";
	struct looked_at l;
	char path[512];

	strcpy(path, temp_write(&temp, "counters.json", text, strlen(text)));
	look_at(&l, path, NULL);
	wait_for_index(&l);
	want_answer(ASK(&l, "/api/events", NULL), 200,
		    "{\"names\":[\"\",\"heap\",\"zoo cats\"],\"tracks\":[],\"counters\":["
		    "{\"process\":1,\"thread\":-1,\"name\":1,\"last\":30000,\"least\":-7.5,"
		    "\"most\":5,\"values\":[[10000,10000,5,5,5],[30000,30000,-7.5,-7.5,-7.5],"
		    "[30000,30000,2,2,2]]},"
		    "{\"process\":1,\"thread\":-1,\"name\":2,\"last\":20000,\"least\":3,\"most\":3,"
		    "\"values\":[[20000,20000,3,3,3]]}],\"cell\":0,\"left_out\":0}\n");
	WANT_PARTS(ASK(&l, "/api/events", "from", "15000", "to", "30000", NULL),
		   "\"values\":[[10000,10000,5,5,5]]}", "\"values\":[[20000,20000,3,3,3]]}");
	WANT_PARTS(ASK(&l, "/api/events", "from", "1", "to", "10000", NULL), "\"values\":[]}",
		   "\"values\":[]}");
	look_away(&l);
}

/* 12,000 values, one each microsecond, from 0 up: neighbours are one value with its range. */
TEST(values_beyond_what_a_picture_has_keep_their_range)
{
	enum { VALUES = 12000, LINE = 96 };
	char *text = malloc((size_t)VALUES * LINE + 200), path[512];
	size_t size = (size_t)sprintf(text, "[{\"ph\":\"X\",\"name\":\"main\",\"pid\":1,"
					    "\"tid\":7,\"ts\":0,\"dur\":12000}");
	unsigned long from, to, least, most, last, next = 0;
	struct tl_web_answer answer;
	struct looked_at l;
	const char *at;

	for (unsigned i = 0; i < VALUES; i++)
		size += (size_t)sprintf(text + size,
					",{\"ph\":\"C\",\"pid\":1,\"name\":\"n\",\"ts\":%u,"
					"\"args\":{\"value\":%u}}",
					i, i);
	text[size++] = ']';
	strcpy(path, temp_write(&temp, "values.json", text, size));
	free(text);
	look_at(&l, path, NULL);
	wait_for_index(&l);
	answer = ASK(&l, "/api/events", "pixels", "60", NULL);
	at = strstr(text_of(&answer), "\"least\":0,\"most\":11999,\"values\":[");
	assert_non_null(at);
	for (at = strchr(at, '[') + 1; *at != ']'; at = strchr(at + 1, ']') + 1) {
		at += *at == ',';
		assert_int_equal(
			sscanf(at, "[%lu,%lu,%lu,%lu,%lu]", &from, &to, &least, &most, &last), 5);
		assert_int_equal(from, 1000 * next);
		assert_int_equal(least, next);
		assert_int_equal(to, 1000 * most);
		assert_int_equal(last, most);
		next = most + 1;
	}
	assert_int_equal(next, VALUES);
	tl_output_discard(answer.out);
	look_away(&l);
}

/* ---- files that change ---- */

static void replace_file(const char *path, const char *text, bool other)
{
	char made[600];
	FILE *file;

	snprintf(made, sizeof(made), "%s.new", path);
	file = fopen(other ? made : path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
	if (other)
		assert_int_equal(rename(made, path), 0);
}

TEST(files_that_change_are_told)
{
	struct looked_at l;
	char answer[2000];

#define CHANGED(path, change)                                                                      \
	(snprintf(answer, sizeof(answer), "{\"changes\":[{\"path\":\"%s\",\"change\":\"%s\"}]}\n", \
		  path, change),                                                                   \
	 answer)
	look_at_stacks(&l);
	want_answer(ASK(&l, "/api/changes", NULL), 200, "{\"changes\":[]}\n");
	replace_file(behind_path, "main 10\nmain;work 50\nmain;work;leaf 20\nmain;other<T> 55\n",
		     false);
	want_answer(ASK(&l, "/api/changes", NULL), 200, CHANGED(behind_path, "has grown"));
	replace_file(behind_path, "main 10\n", false);
	want_answer(ASK(&l, "/api/changes", NULL), 200, CHANGED(behind_path, "has become shorter"));
	/* As long as it was, with other bytes, a moment later. */
	usleep(20000);
	replace_file(behind_path, "main 11\nmain;work 50\nmain;work;leaf 20\nmain;other<T> 5\n",
		     false);
	want_answer(ASK(&l, "/api/changes", NULL), 200, CHANGED(behind_path, "was written to"));
	replace_file(behind_path, stacks_behind, true);
	want_answer(ASK(&l, "/api/changes", NULL), 200,
		    CHANGED(behind_path, "was replaced by another file"));
	assert_int_equal(unlink(behind_path), 0);
	want_answer(ASK(&l, "/api/changes", NULL), 200, CHANGED(behind_path, "is no longer there"));
	look_away(&l);
}

TEST(a_profile_has_no_events)
{
	struct looked_at l;

	look_at_stacks(&l);
	want_answer(ASK(&l, "/api/events", NULL), 422,
		    "{\"error\":\"this format does not hold calls one by one, in an order of "
		    "time\"}\n");
	look_away(&l);
}

TEST(there_is_one_page_and_no_other)
{
	struct tl_web_answer answer;
	struct looked_at l;

	look_at_stacks(&l);
	answer = ASK(&l, "/", NULL);
	assert_int_equal(answer.code, 200);
	assert_string_equal(answer.type, "text/html; charset=utf-8");
	tl_output_discard(answer.out);
	want_answer(ASK(&l, "/api/nothing", NULL), 404, "{\"error\":\"there is no such page\"}\n");
	look_away(&l);
}

static char *write_page(struct looked_at *l)
{
	struct tl_output *out;
	struct tl_error err;
	const char *bytes, *failed;
	size_t size;
	char *page;

	assert_int_equal(tl_output_open_memory(&out, &err), 0);
	assert_int_equal(tl_web_view_write(l->view, out, &failed, &err), 0);
	assert_null(failed);
	bytes = tl_output_bytes(out, &size);
	page = strndup(bytes, size);
	assert_non_null(page);
	assert_int_equal(strlen(page), size);
	tl_output_discard(out);
	return page;
}

/* Of two files the second one grows behind the opening: the page would be of none of its states. */
TEST(no_page_is_written_of_a_file_that_grows)
{
	struct tl_output *out;
	struct tl_error err;
	struct looked_at l;
	const char *failed;

	look_at_stacks(&l);
	assert_int_equal(tl_output_open_memory(&out, &err), 0);
	replace_file(behind_path, "main 10\nmain;work 50\nmain;work;leaf 20\nmain;other<T> 55\n",
		     false);
	assert_int_equal(tl_web_view_write(l.view, out, &failed, &err), TL_IO);
	assert_string_equal(err.text, "input changed while it was read");
	assert_string_equal(failed, behind_path);
	tl_output_discard(out);
	look_away(&l);
}

static const char *behind(const char *text, const char *part)
{
	const char *at = strstr(text, part);

	if (!at)
		fail_msg("no %s", part);
	return at + strlen(part);
}

TEST(a_page_without_a_server_has_the_answers_in_it)
{
	static const char *const addresses[] = {
		"{\"/api/state\":{\"version\":",    ",\"/api/info?file=0\":{\"info\":",
		",\"/api/info?file=1\":{\"info\":", ",\"/api/profile?file=0\":{\"format\":",
		",\"/api/profile?file=1\":{",       ",\"/api/flame?file=0\":{",
		",\"/api/flame?file=1\":{",         ",\"/api/diff?inclusive=0\":{",
		",\"/api/diff?inclusive=1\":{",     ",\"/api/flame?baseline=1&file=1\":{",
	};
	struct looked_at l;
	const char *at, *end;
	char *page;

	look_at_stacks(&l);
	page = write_page(&l);
	behind(page, "<meta http-equiv=\"Content-Security-Policy\" content=\"");
	at = behind(page, "<script id=\"answers\" type=\"application/json\">");
	end = strstr(at, "</script>");
	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++)
		at = behind(at, addresses[i]);
	assert_true(at < end);
	/* No '<' stands in it: "other<T>" is a name. */
	at = behind(page, "<script id=\"answers\" type=\"application/json\">");
	assert_ptr_equal(strchr(at, '<'), end);
	behind(at, "other\\u003cT>");
	free(page);
	look_away(&l);
	/* of one file: nothing to compare */
	look_at_spans(&l);
	page = write_page(&l);
	assert_null(strstr(page, "\"/api/diff?"));
	behind(page, ",\"/api/flame?file=0\":{");
	free(page);
	look_away(&l);
}

/* ---- calls in the page (view/web/enclosed.h) ---- */

static size_t from_base64(const char *text, uint8_t *bytes)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t bits = 0;
	size_t count = 0, size = 0;

	for (; strchr(digits, *text); text++) {
		bits = bits << 6 | (uint32_t)(strchr(digits, *text) - digits);
		if (++count % 4 != 1)
			bytes[size++] = (uint8_t)(bits >> (6 - 2 * ((count - 1) % 4)));
	}
	return size;
}

/* The numbers of a track, column by column. */
static void want_columns(const char *page, const char *id, const uint64_t *numbers, size_t count)
{
	uint8_t packed[4096], plain[4096], *at = plain + 16;
	uLongf size = sizeof(plain);
	size_t packed_size;
	char element[64];

	snprintf(element, sizeof(element), "<script id=\"%s\"", id);
	page = strchr(behind(page, element), '>') + 1;
	packed_size = from_base64(page, packed);
	assert_int_equal(uncompress(plain, &size, packed, packed_size), Z_OK);
	for (unsigned column = 0; column < 4; column++) {
		uint8_t *end = at + number_at(plain + 4 * column, 4);

		for (size_t i = 0; i < count; i++) {
			uint64_t value = 0;
			unsigned shift = 0;

			do
				value |= (uint64_t)(*at & 0x7f) << shift;
			while (shift += 7, *at++ & 0x80);
			assert_int_equal(value, numbers[column * count + i]);
		}
		assert_ptr_equal(at, end);
	}
	assert_ptr_equal(at, plain + size);
}

TEST(calls_are_columns_of_differences)
{
	/* start less the one before; duration and 1; depth less the one before; place */
	static const uint64_t seven[] = {
		0, 10000, 2000, 28000, 5000, 100001, 20001, 8001, 30001, 5001,
		0, 4,     4,    2,     4,    0,      1,     2,    1,     2,
	};
	static const uint64_t nine[] = { 5000, 15000, 10001, 0, 0, 0, 0, 3 };
	struct looked_at l;
	char *page;

	look_at_spans(&l);
	page = write_page(&l);
	want_columns(page, "calls-0-0", seven, 5);
	want_columns(page, "calls-0-1", nine, 2);
	behind(page,
	       "<script id=\"calls-0\" type=\"application/json\">{\"shortest\":0,"
	       "\"left_out\":0,\"functions\":[{\"name\":\"main\",\"object\":\"\",\"file\":\"\","
	       "\"line\":0},{\"name\":\"work\"");
	free(page);
	look_away(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_state_has_the_tracks_of_an_index),
		cmocka_unit_test(a_profile_has_no_index_and_says_why),
		cmocka_unit_test(info_is_followed_by_damage),
		cmocka_unit_test(a_profile_is_columns_of_functions_and_arcs),
		cmocka_unit_test(more_windows_than_are_kept_are_made_anew),
		cmocka_unit_test(a_file_of_two_is_asked_by_its_number),
		cmocka_unit_test(differences_are_those_of_both_files),
		cmocka_unit_test(annotation_is_of_the_function_that_is_named),
		cmocka_unit_test(files_are_read_again_for_a_window),
		cmocka_unit_test(a_stack_is_the_calls_around_a_time),
		cmocka_unit_test(the_call_before_and_behind_a_time_are_found),
		cmocka_unit_test(durations_are_counted_by_class_and_the_slowest_are_first),
		cmocka_unit_test(a_window_is_columns_of_numbers),
		cmocka_unit_test(events_of_a_window_come_by_track_and_time),
		cmocka_unit_test(events_beyond_what_a_picture_has_are_counted),
		cmocka_unit_test(values_of_counters_are_told_by_window),
		cmocka_unit_test(values_beyond_what_a_picture_has_keep_their_range),
		cmocka_unit_test(files_that_change_are_told),
		cmocka_unit_test(a_profile_has_no_events),
		cmocka_unit_test(there_is_one_page_and_no_other),
		cmocka_unit_test(no_page_is_written_of_a_file_that_grows),
		cmocka_unit_test(a_page_without_a_server_has_the_answers_in_it),
		cmocka_unit_test(calls_are_columns_of_differences),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
