/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of speedscope that are cut, that have bytes which are other ones, or whose parts are not of
 * their form: what is kept, and where the fault is.
 */
#include "../foreign/chance.h"

#include "speedscope/speedscope.h"

#define FRAMES "\"shared\":{\"frames\":[{\"name\":\"a\"},{\"name\":\"b\",\"file\":\"b.c\"}]}"
#define SAMPLED(samples, weights)                                                                  \
	"{\"type\":\"sampled\",\"unit\":\"none\",\"samples\":" samples ",\"weights\":" weights "}"

/* ---- prefixes ---- */

enum { SAMPLES = 8 };

/* Weights first, so that each sample that is whole has one: powers of two. */
TEST(every_prefix_of_samples)
{
	char text[512];
	size_t ends[SAMPLES], begins[SAMPLES];
	char *to =
		text + sprintf(text, "{" FRAMES ",\"profiles\":[{\"unit\":\"bytes\",\"weights\":["
				     "1,2,4,8,16,32,64,128],\"samples\":[");

	for (int i = 0; i < SAMPLES; i++) {
		to += sprintf(to, "%s", i ? "," : "");
		begins[i] = (size_t)(to - text);
		to += sprintf(to, "[0,%d]", i % 2);
		ends[i] = (size_t)(to - text);
	}
	strcpy(to, "]}],\"x\":{}}");
	for (size_t cut = begins[0]; cut <= strlen(text); cut++) {
		unsigned whole = 0;
		int64_t costs[2] = { 0, 0 };
		struct path_sums wanted = { NULL, 0 };
		struct text t;

		for (; whole < SAMPLES && ends[whole] <= cut; whole++)
			costs[whole % 2] += 1 << whole;
		path_sums_add(&wanted, "a;a", costs[0]);
		path_sums_add(&wanted, "a;b", costs[1]);
		text_read_sized(&t, &tl_speedscope_reader, text, cut, false, text_options());
		assert_int_equal(t.status, 0);
		path_sums_expect_profile(&wanted, t.profile, TL_NONE, 0, text);
		path_sums_free(&wanted);
		if (cut < strlen(text)) {
			const struct tl_foreign_fault *fault = &t.foreign.faults.list[0];

			/* A text that ends is told before what its profile lacks then. */
			for (size_t i = 0; i < t.foreign.faults.listed; i++)
				if (t.foreign.faults.list[i].status == TL_TRUNCATED)
					fault = &t.foreign.faults.list[i];
			assert_int_equal(fault->status, TL_TRUNCATED);
			assert_int_equal(fault->offset, cut);
		} else {
			assert_int_equal(t.foreign.faults.count, 0);
		}
		text_close(&t);
	}
}

/* Calls that were open at the cut are unfinished; the time up to the last event is theirs. */
TEST(every_prefix_of_events)
{
	/* a from 0 to 100, b inside of it from 10 to 30 and from 50 to 90. */
	static const struct {
		int frame, at;
		char type;
	} events[] = { { 0, 0, 'O' },  { 1, 10, 'O' }, { 1, 30, 'C' },
		       { 1, 50, 'O' }, { 1, 90, 'C' }, { 0, 100, 'C' } };
	static const int64_t a[] = { 0, 0, 10, 10, 30, 30, 40 }, b[] = { 0, 0, 0, 20, 20, 60, 60 };
	char text[1024];
	size_t ends[6];
	char *to = text + sprintf(text, "{" FRAMES ",\"profiles\":[{\"unit\":\"nanoseconds\","
					"\"events\":[");

	for (int i = 0; i < 6; i++) {
		to += sprintf(to, "%s{\"type\":\"%c\",\"frame\":%d,\"at\":%d}", i ? "," : "",
			      events[i].type, events[i].frame, events[i].at);
		ends[i] = (size_t)(to - text);
	}
	strcpy(to, "]}]}");
	for (size_t cut = ends[0]; cut <= strlen(text); cut++) {
		struct path_sums wanted = { NULL, 0 };
		unsigned whole = 0;
		struct text t;

		while (whole < 6 && ends[whole] <= cut)
			whole++;
		path_sums_add(&wanted, "a", a[whole]);
		path_sums_add(&wanted, "a;b", b[whole]);
		text_read_sized(&t, &tl_speedscope_reader, text, cut, false, text_options());
		assert_int_equal(t.status, 0);
		path_sums_expect_profile(&wanted, t.profile, TL_NONE, 0, text);
		assert_int_equal(text_fact(&t, "events"), whole);
		assert_int_equal(t.foreign.faults.count, cut < strlen(text));
		text_expect_strict(&t, &tl_speedscope_reader, text, cut);
		path_sums_free(&wanted);
		text_close(&t);
	}
}

/* ---- bytes that are other ones ---- */

/*
 * Of a byte in a sample those before it are kept, and what is behind it, or has no weight then:
 * each sample has a frame of its own, so that its weight is known. What a byte makes of the one
 * sample, or of a sample and the one behind it, is theirs alone.
 */
TEST(a_byte_of_a_sample_is_another_one)
{
	static const char weights[] = "[1,2,4,8,16,32,64,128]";
	uint32_t seed = 20261128;
	char text[1024], *first;

	sprintf(text,
		"{\"shared\":{\"frames\":[{\"name\":\"a\"},{\"name\":\"b\"},{\"name\":\"c\"},"
		"{\"name\":\"d\"},{\"name\":\"e\"},{\"name\":\"f\"},{\"name\":\"g\"},"
		"{\"name\":\"h\"}]},\"profiles\":[{\"unit\":\"none\",\"weights\":%s,\"samples\":["
		"[0,0],[1,1],[2,2],[3,3],[4,4],[5,5],[6,6],[7,7]]}]}",
		weights);
	first = strstr(text, "[0,0]");
	for (unsigned run = 0; run < 6000; run++) {
		const unsigned number = chance(&seed, SAMPLES - 1);
		char *at = first + 6 * number + chance(&seed, 6);
		const char was = *at;
		struct path_sums have = { NULL, 0 };
		struct text t;

		*at = (char)chance(&seed, 256);
		text_read(&t, &tl_speedscope_reader, text);
		if (!*at) {
			/* A text that ends there. */
			*at = was;
			text_close(&t);
			continue;
		}
		assert_int_equal(t.status, 0);
		path_sums_of_profile(&have, t.profile, TL_NONE, 0);
		for (unsigned i = 0; i < SAMPLES; i++) {
			char path[4] = { (char)('a' + i), ';', (char)('a' + i), '\0' };
			int64_t weight = path_sums_find(&have, path);

			if (i < number && weight != 1 << i)
				fail_msg("sample %u has %d in %s", i, (int)weight, text);
			/* one frame more or less of the sample itself may make another's path */
			if (i > number)
				weight &= ~(INT64_C(3) << number);
			if (i > number && weight && weight != 1 << i)
				fail_msg("sample %u has %d in %s", i, (int)weight, text);
		}
		/* What is missing is told. */
		if (tl_profile_total(t.profile)[0] != 255)
			assert_true(t.foreign.faults.count > 0);
		path_sums_free(&have);
		text_close(&t);
		*at = was;
	}
}

static void expect_paths(const char *form, const char *samples, const char *weights, int64_t a,
			 int64_t b)
{
	struct path_sums have = { NULL, 0 };
	char text[512];
	struct text t;

	sprintf(text, form, samples, weights);
	text_read(&t, &tl_speedscope_reader, text);
	assert_int_equal(t.status, 0);
	path_sums_of_profile(&have, t.profile, TL_NONE, 0);
	if (path_sums_find(&have, "a;a") != a || path_sums_find(&have, "a;b") != b)
		fail_msg("%d and %d: %s", (int)path_sums_find(&have, "a;a"),
			 (int)path_sums_find(&have, "a;b"), text);
	path_sums_free(&have);
	text_close(&t);
}

/* Samples and weights of which some have none, by the paths that they have then. */
TEST(weights_stay_with_their_samples)
{
	static const struct {
		const char *samples, *weights;
		int64_t a, b; /* of a;a and a;b */
	} cases[] = {
		{ "[[0,0],[0,1],[0,1]]", "[1,2,4]", 1, 6 },
		/* the second one is no list, and has no number then */
		{ "[[0,0],x0,0],[0,1]]", "[1,2,4]", 1, 4 },
		{ "[[0,0],[0,x],[0,1]]", "[1,2,4]", 1, 4 },
		/* reading goes on at the next "],[" */
		{ "[x,[0,0],[0,1]]", "[1,2,4]", 0, 4 },
		/* between two faults nothing is known */
		{ "[[0,0],x,[0,0],[0,0],x,[0,1],[0,1]]", "[1,2,4,8,16,32,64]", 1, 64 },
		/* the comma alone: but reading goes on at the next "],[" */
		{ "[[0,0],[0,0]x[0,1],[0,1]]", "[1,2,4,8]", 3, 8 },
		/* the weights are not all there: those behind the fault have none */
		{ "[[0,0],x,[0,1],[0,1]]", "[1,2,4,x]", 1, 0 },
		{ "[[0,0],x,[0,1],[0,1]]", "[1]", 1, 0 },
		{ "[[0,0],[0,0],x,[0,1],[0,1]]", "[1]", 1, 0 },
		/* without a fault pairs go as far as they go */
		{ "[[0,0],[0,1]]", "[1,2,4]", 1, 2 },
		{ "[[0,0],[0,1],[0,1]]", "[1,2]", 1, 2 },
	};
	static const char *const orders[] = {
		"{" FRAMES ",\"profiles\":[{\"unit\":\"none\",\"samples\":%s,\"weights\":%s}]}",
		"{" FRAMES ",\"profiles\":[{\"unit\":\"none\",\"weights\":%2$s,\"samples\":%1$s}]}",
	};

	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++)
		/* behind weights that end with a fault nothing more is read */
		if (i % 2 == 0 || !strchr(cases[i / 2].weights, 'x'))
			expect_paths(orders[i % 2], cases[i / 2].samples, cases[i / 2].weights,
				     cases[i / 2].a, cases[i / 2].b);
	/*
	 * behind the last x there is no sample: how many were lost is not known, nor whose weight
	 * 8 is
	 */
	expect_paths(orders[1], "[[0,0],x,[0,1],[0,1],x]", "[1,2,4,8]", 1, 0);
}

/* What a damaged profile lacks is told before its damage, which is what ends a strict reading. */
static void expect_strictly_one_of(const struct text *t, const char *text, size_t size)
{
	bool found = false;
	struct text strict;

	text_read_sized(&strict, &tl_speedscope_reader, text, size, true, text_options());
	for (size_t i = 0; i < t->foreign.faults.listed; i++)
		found |= t->foreign.faults.list[i].offset == strict.error.offset &&
			 t->foreign.faults.list[i].status == strict.status &&
			 !strcmp(t->foreign.faults.list[i].text, strict.error.text);
	assert_int_equal(found, text_first_fault(t) != NULL);
	if (!found)
		assert_int_equal(strict.status, t->status);
	text_close(&strict);
}

/* Any byte: whatever it says, the reading ends, and strictly as the first fault says. */
TEST(any_byte_is_another_one)
{
	static const char text[] = "{\"$schema\":\"x\"," FRAMES ",\"profiles\":[" SAMPLED(
		"[[0],[0,1]]",
		"[1,2.5]") ","
			   "{\"type\":\"evented\",\"unit\":\"seconds\",\"name\":\"T\",\"events\":["
			   "{\"type\":\"O\",\"frame\":0,\"at\":1},{\"type\":\"C\",\"frame\":0,"
			   "\"at\":2.5}]}]}";
	uint32_t seed = 8;
	char copy[sizeof(text)];

	for (unsigned run = 0; run < 12000; run++) {
		struct text t;

		memcpy(copy, text, sizeof(text));
		for (unsigned n = 1 + chance(&seed, 2); n; n--)
			copy[chance(&seed, sizeof(text) - 1)] = (char)chance(&seed, 256);
		text_read_sized(&t, &tl_speedscope_reader, copy, sizeof(text) - 1, false,
				text_options());
		assert_true(t.status == 0 || t.status == TL_BAD_FORMAT);
		expect_strictly_one_of(&t, copy, sizeof(text) - 1);
		text_close(&t);
	}
}

/* ---- forms ---- */

static void expect_one_fault(const char *text, const char *stacks, const char *at, uint64_t record,
			     const char *words)
{
	struct text t;

	text_read(&t, &tl_speedscope_reader, text);
	text_expect_stacks(&t, 0, stacks);
	assert_int_equal(t.foreign.faults.count, 1);
	text_expect_fault(&t, 0, TL_BAD_RECORD, (uint64_t)(strstr(text, at) - text), record, words);
	text_expect_strict(&t, &tl_speedscope_reader, text, strlen(text));
	text_close(&t);
}

TEST(weights_that_are_none)
{
	static const char *const weights[] = { "\"2\"", "null", "{\"a\":2}", "[2]", "true" };

	for (size_t i = 0; i < sizeof(weights) / sizeof(weights[0]); i++) {
		char text[512];

		snprintf(text, sizeof(text),
			 "{" FRAMES ",\"profiles\":[" SAMPLED("[[0],[0],[1]]", "[1,%s,4]") "]}",
			 weights[i]);
		expect_one_fault(text, "a 1\nb 4\n", strstr(text, "1,") + 2, 1,
				 "a weight is no number; its sample was left out");
	}
}

/* "More samples than weights, or the other way round: pairs as far as they go, and told." */
TEST(more_of_the_one_than_of_the_other)
{
	static const char *const words = "not as many weights as samples: those without the other";

	expect_one_fault("{" FRAMES ",\"profiles\":[" SAMPLED("[[0],[1],[0]]", "[1,2]") "]}",
			 "a 1\nb 2\n", "{\"type\"", 0, words);
	expect_one_fault("{" FRAMES ",\"profiles\":[" SAMPLED("[[0],[1]]", "[1,2,4]") "]}",
			 "a 1\nb 2\n", "{\"type\"", 0, words);
	expect_one_fault("{" FRAMES
			 ",\"profiles\":[" SAMPLED("[[0]]", "[1]") "," SAMPLED("[[1]]", "[]") "]}",
			 "a 1\n", "{\"type\":\"sampled\",\"unit\":\"none\",\"samples\":[[1]]", 1,
			 words);
}

TEST(profiles_that_are_none)
{
	static const char *const profiles[] = { "7", "\"x\"", "[[0]]", "null" };

	for (size_t i = 0; i < sizeof(profiles) / sizeof(profiles[0]); i++) {
		char text[512];

		snprintf(text, sizeof(text),
			 "{" FRAMES ",\"profiles\":[%s," SAMPLED("[[0]]", "[1]") "]}", profiles[i]);
		expect_one_fault(text, "a 1\n", strstr(text, "\"profiles\":[") + 12, 0,
				 "a profile is no object; left it out");
	}
	expect_one_fault("{" FRAMES ",\"profiles\":[" SAMPLED("[[0]]", "[1]") ",{\"name\":\"x\"}]}",
			 "a 1\n", "{\"name\":\"x\"}", 1,
			 "neither a sampled nor an evented profile; left it out");
}

/* A profile that is left out is no thread, but has its number. */
TEST(profiles_keep_their_numbers)
{
	static const char text[] =
		"{" FRAMES
		",\"profiles\":[{}," SAMPLED("[[0]]", "[1]") ",5," SAMPLED("[[1]]", "[2]") "]}";
	struct text t;

	text_read(&t, &tl_speedscope_reader, text);
	text_expect_stacks(&t, 0, "a 1\nb 2\n");
	assert_int_equal(text_fact(&t, "profiles"), 3);
	assert_int_equal(t.foreign.faults.count, 2);
	text_close(&t);
}

/* "An unknown unit: values as they are, and told." */
TEST(unknown_units)
{
	static const char *const list[] = {
		"\"hours\"",   "\"\"",       "7", "null", "{\"unit\":\"bytes\"}",
		"[\"bytes\"]", "\"Seconds\""
	};

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		char text[512];
		struct text t;

		snprintf(text, sizeof(text),
			 "{" FRAMES
			 ",\"profiles\":[{\"samples\":[[0]],\"weights\":[3],\"unit\":%s}]}",
			 list[i]);
		text_read(&t, &tl_speedscope_reader, text);
		text_expect_stacks(&t, 0, "a 3\n");
		assert_string_equal(tl_profile_event(t.profile, 0)->name, "weight");
		assert_int_equal(t.foreign.faults.count, 1);
		text_expect_fault(
			&t, 0, TL_BAD_RECORD, t.foreign.faults.list[0].offset, 0,
			"a unit that the format does not have; its values count as they are");
		assert_string_equal(t.foreign.faults.list[0].rule, "unit");
		assert_in_range(t.foreign.faults.list[0].offset,
				(size_t)(strstr(text, "\"unit\"") - text) + 6,
				(size_t)(strstr(text, "\"unit\"") - text) + 7);
		text_expect_strict(&t, &tl_speedscope_reader, text, strlen(text));
		text_close(&t);
	}
}

/* What a profile says it is counts more than what it has. */
TEST(types_of_profiles)
{
	static const struct {
		const char *members, *stacks;
	} cases[] = {
		{ "\"type\":\"sampled\"", "a 5\n" },
		{ "\"type\":\"evented\"", "b 7\n" },
		/* Both: the events. */
		{ "\"x\":1", "b 7\n" },
		{ "\"type\":\"other\"", "b 7\n" },
		{ "\"type\":7", "b 7\n" },
		{ "\"type\":[\"sampled\"]", "b 7\n" },
		{ "\"type\":\"sampled\",\"type\":\"evented\"", "b 7\n" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[512];
		struct text t;

		snprintf(text, sizeof(text),
			 "{" FRAMES ",\"profiles\":[{\"unit\":\"nanoseconds\",\"samples\":[[0]],"
			 "\"weights\":[5],\"events\":[{\"type\":\"O\",\"frame\":1,\"at\":0},"
			 "{\"type\":\"C\",\"frame\":1,\"at\":7}],%s}]}",
			 cases[i].members);
		text_read(&t, &tl_speedscope_reader, text);
		text_expect_stacks(&t, 0, cases[i].stacks);
		assert_int_equal(t.foreign.faults.count, 0);
		text_close(&t);
	}
}

/* Lists that are none are as if they were not there. */
TEST(lists_of_other_kinds)
{
	static const char *const texts[] = {
		"{" FRAMES ",\"profiles\":{\"a\":[1]}}",
		"{" FRAMES ",\"profiles\":7}",
		"{\"shared\":[1],\"profiles\":[]}",
		"{\"shared\":7}",
		"{\"shared\":{\"frames\":{\"name\":\"a\"}}}",
		"{\"shared\":{\"frames\":\"a\",\"x\":[{}]}}",
		"{}",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct text t;

		text_read(&t, &tl_speedscope_reader, texts[i]);
		assert_int_equal(t.status, 0);
		assert_int_equal(tl_profile_context_count(t.profile), 0);
		assert_int_equal(t.foreign.faults.count, 0);
		assert_int_equal(text_fact(&t, "profiles"), 0);
		text_close(&t);
	}
	expect_one_fault("{" FRAMES ",\"profiles\":[{\"samples\":{\"a\":1},\"weights\":7}," SAMPLED(
				 "[[0]]", "[1]") "]}",
			 "a 1\n", "{\"samples\":{", 0, "neither a sampled nor an evented profile");
}

/* Lines of frames: whole numbers above zero that 32 bits hold. */
TEST(lines_of_frames)
{
	static const struct {
		const char *member;
		uint32_t line;
	} cases[] = {
		{ "\"line\":7", 7 },
		{ "\"line\":4294967295", UINT32_MAX },
		{ "\"line\":4294967296", 0 },
		{ "\"line\":-1", 0 },
		{ "\"line\":0", 0 },
		{ "\"line\":\"7\"", 0 },
		{ "\"line\":null", 0 },
		{ "\"line\":{\"line\":7}", 0 },
		{ "\"row\":7", 0 },
		{ "\"lines\":[7]", 0 },
		{ "\"line\":3,\"col\":{\"line\":9}", 3 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[512];
		struct text t;

		snprintf(text, sizeof(text),
			 "{\"shared\":{\"frames\":[{%s,\"name\":\"a\",\"file\":\"a.c\"}]},"
			 "\"profiles\":[" SAMPLED("[[0]]", "[1]") "]}",
			 cases[i].member);
		text_read(&t, &tl_speedscope_reader, text);
		text_expect_stacks(&t, 0, "a 1\n");
		assert_int_equal(tl_profile_function(t.profile, 0)->line, cases[i].line);
		assert_string_equal(tl_profile_function(t.profile, 0)->file, "a.c");
		assert_int_equal(t.foreign.faults.count, 0);
		text_close(&t);
	}
}

/* "A number of a frame that the file does not have: a function `???`", of events and samples. */
TEST(frames_that_the_file_does_not_have)
{
	static const char *const lists[] = {
		"{\"unit\":\"nanoseconds\",\"events\":[{\"type\":\"O\",\"frame\":0,\"at\":0},"
		"{\"type\":\"O\",\"frame\":7,\"at\":1},{\"type\":\"C\",\"frame\":7,\"at\":3},"
		"{\"type\":\"O\",\"frame\":9,\"at\":3},{\"type\":\"C\",\"frame\":9,\"at\":6},"
		"{\"type\":\"C\",\"frame\":0,\"at\":6}]}",
		"{\"unit\":\"nanoseconds\",\"samples\":[[0],[0,7],[0,9]],\"weights\":[1,2,3]}",
	};

	for (size_t i = 0; i < 2; i++) {
		char text[512];
		struct text t;

		snprintf(text, sizeof(text), "{" FRAMES ",\"profiles\":[%s]}", lists[i]);
		text_read(&t, &tl_speedscope_reader, text);
		text_expect_stacks(&t, 0, "a 1\na;??? 5\n");
		assert_int_equal(t.foreign.faults.count, 1);
		text_expect_fault(
			&t, 0, TL_BAD_RECORD, TL_NOWHERE, TL_NOWHERE,
			"frames up to number 9 are used, the file has 2: others are shown "
			"as ???");
		text_close(&t);
	}
}

/* "Only evented profiles of one kind of unit: a trace"; of two kinds: stacks. */
TEST(events_of_two_kinds_of_unit)
{
#define CALL(unit, frame, length)                                                                  \
	"{\"unit\":\"" unit "\",\"events\":[{\"type\":\"O\",\"frame\":" #frame                     \
	",\"at\":1},{\"type\":\"C\",\"frame\":" #frame ",\"at\":" #length "}]}"
	struct text t;

	text_read(&t, &tl_speedscope_reader,
		  "{" FRAMES ",\"profiles\":[" CALL("seconds", 0, 3) "," CALL("bytes", 1, 6) "]}");
	assert_int_equal(tl_profile_event_count(t.profile), 2);
	text_expect_stacks(&t, 0, "a 2000000000\n");
	text_expect_stacks(&t, 1, "b 5\n");
	assert_int_equal(t.foreign.frequency, 1000000000);
	assert_int_equal(t.foreign.spans.count, 0);
	text_close(&t);
	text_read(&t, &tl_speedscope_reader,
		  "{" FRAMES ",\"profiles\":[" CALL("none", 0, 3) "," CALL("none", 1, 6) "]}");
	assert_int_equal(tl_profile_event_count(t.profile), 1);
	assert_int_equal(t.foreign.frequency, 0);
	assert_int_equal(t.foreign.spans.count, 2);
	text_expect_stacks(&t, 0, "a 2\nb 5\n");
	text_close(&t);
}

/* Bytes with decimals: of samples they are counted in smaller units, of events they are rounded. */
TEST(decimals_that_are_no_time)
{
	struct text t;

	text_read(&t, &tl_speedscope_reader,
		  "{" FRAMES ",\"profiles\":[{\"unit\":\"bytes\",\"samples\":[[0],[1]],"
		  "\"weights\":[1.0625,2]}]}");
	text_expect_stacks(&t, 0, "a 1062500\nb 2000000\n");
	assert_int_equal(t.foreign.faults.count, 1);
	text_expect_fault(&t, 0, TL_OK, TL_NOWHERE, TL_NOWHERE,
			  "some costs of bytes have decimals: all are counted in 1/1000000 of it");
	text_close(&t);
	text_read(&t, &tl_speedscope_reader,
		  "{" FRAMES ",\"profiles\":[" CALL("bytes", 0, 3.5) "]}");
	text_expect_stacks(&t, 0, "a 3\n");
	assert_int_equal(t.foreign.faults.count, 1);
	text_expect_fault(&t, 0, TL_BAD_RECORD, TL_NOWHERE, TL_NOWHERE,
			  "1 costs have more decimals or digits than are kept: they were rounded");
	text_close(&t);
	/* Less than a nanosecond: to the nearest one, which is no fault of events. */
	text_read(&t, &tl_speedscope_reader,
		  "{" FRAMES ",\"profiles\":[" CALL("nanoseconds", 0, 3.75) "]}");
	text_expect_stacks(&t, 0, "a 3\n");
	assert_int_equal(t.foreign.faults.count, 0);
	text_close(&t);
}

/* "Sampled profiles have no times to choose by." */
TEST(windows_of_time)
{
	struct tl_foreign_options options = text_options();
	static const char samples[] = "{" FRAMES ",\"profiles\":[" SAMPLED("[[0]]", "[1]") "]}";
	static const char events[] = "{" FRAMES ",\"profiles\":[" CALL("seconds", 0, 9) "]}";
	struct text t;

	options.from_seconds = 2;
	text_read_sized(&t, &tl_speedscope_reader, samples, strlen(samples), false, options);
	assert_int_equal(t.status, TL_BAD_USAGE);
	text_close(&t);
	text_read_sized(&t, &tl_speedscope_reader, events, strlen(events), false, options);
	text_expect_stacks(&t, 0, "a 6000000000\n");
	text_close(&t);
}

static void expect_probe(const char *text, int sure)
{
	assert_int_equal(tl_speedscope_probe((const uint8_t *)text, strlen(text)), sure);
}

TEST(probing)
{
	expect_probe("\xef\xbb\xbf\r\n\t {\"profiles\":[{}],\"shared\":{}}", 70);
	expect_probe("{\"profiles\":[{}]}", 0);
	expect_probe("{\"shared\":{}}", 0);
	expect_probe("{\"shared\":{\"frames\":[{}", 50);
	expect_probe("{\"frames\":[{\"type\":\"evented\"", 50);
	expect_probe("{\"frames\":[{\"type\":\"sampled\"", 50);
	expect_probe("{\"frames\":[{}", 0);
	expect_probe("{\"type\":\"sampled\",\"t\":\"evented\"", 0);
	expect_probe("[{\"profiles\":[{}],\"shared\":{}}", 0);
	expect_probe(" ", 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_prefix_of_samples),
		cmocka_unit_test(every_prefix_of_events),
		cmocka_unit_test(a_byte_of_a_sample_is_another_one),
		cmocka_unit_test(weights_stay_with_their_samples),
		cmocka_unit_test(any_byte_is_another_one),
		cmocka_unit_test(weights_that_are_none),
		cmocka_unit_test(more_of_the_one_than_of_the_other),
		cmocka_unit_test(profiles_that_are_none),
		cmocka_unit_test(profiles_keep_their_numbers),
		cmocka_unit_test(unknown_units),
		cmocka_unit_test(types_of_profiles),
		cmocka_unit_test(lists_of_other_kinds),
		cmocka_unit_test(lines_of_frames),
		cmocka_unit_test(frames_that_the_file_does_not_have),
		cmocka_unit_test(events_of_two_kinds_of_unit),
		cmocka_unit_test(decimals_that_are_no_time),
		cmocka_unit_test(windows_of_time),
		cmocka_unit_test(probing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
