/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a trace is cut: PSB, found forward and backward, parts by time, by the first call of a
 * function, and windows. Each is held against a search over all bytes, or all PSB, of the trace.
 */
#include <stdio.h>

#include "../walked.h"

#include "intel_pt/listing/function_filter.h"
#include "intel_pt/listing/scan.h"
#include "intel_pt/listing/slice.h"
#include "intel_pt/packets/packet.h"

/* ---- PSB ---- */

enum { BYTES = 400 };

static const uint8_t psb[16] = { PSB };

/* Bytes that are mostly pairs of a PSB, one of which may be odd. */
static void draw_bytes(uint8_t *bytes, uint32_t *seed)
{
	const unsigned odd = 4 + chance(seed, 60);

	for (size_t i = 0; i < BYTES; i++) {
		bytes[i] = i % 2 ? 0x82 : 0x02;
		if (!chance(seed, odd))
			bytes[i] = (const uint8_t[]){ 0x02, 0x82, 0, 0x23 }[chance(seed, 4)];
	}
	for (unsigned i = chance(seed, 5); i; i--) {
		const size_t at = chance(seed, BYTES - 17);

		memcpy(bytes + at, psb, 16);
	}
}

static bool is_psb(const uint8_t *bytes, size_t at)
{
	return at + 16 <= BYTES && !memcmp(bytes + at, psb, 16);
}

TEST(psbs_are_found_as_byte_by_byte)
{
	uint32_t seed = 1;

	for (unsigned round = 0; round < 400; round++) {
		uint8_t bytes[BYTES];
		const struct tl_pt_config config = { .size = sizeof(config),
						     .begin = bytes,
						     .end = bytes + BYTES };
		size_t listed[BYTES / 16], count = 0;

		draw_bytes(bytes, &seed);
		/* one behind the other from the beginning on */
		for (size_t at = 0; at < BYTES; at++)
			if (is_psb(bytes, at)) {
				listed[count++] = at;
				at += 15;
			}
		for (size_t from = 0; from <= BYTES; from++) {
			const uint8_t *found = tl_pt_psb_forward(bytes + from, bytes + BYTES);
			size_t first = from, last = count;

			while (first < BYTES && !is_psb(bytes, first))
				first++;
			assert_int_equal(tl_pt_is_psb(bytes + from, bytes + BYTES),
					 is_psb(bytes, from));
			assert_ptr_equal(found, first < BYTES ? bytes + first : NULL);
			assert_int_equal(tl_pt_psb_behind(&config, from), first);
			/* backward are the same ones as forward */
			found = tl_pt_psb_backward(bytes, bytes + from, bytes + BYTES);
			while (last && listed[last - 1] >= from)
				last--;
			assert_ptr_equal(found, last ? bytes + listed[last - 1] : NULL);
		}
		assert_null(tl_pt_psb_forward(bytes + BYTES - 15, bytes + BYTES));
	}
}

/*
 * "A packet that was cut short by the PSB behind it may have swallowed part of that PSB; but behind
 * the PSB synchronised onto."
 */
TEST(the_next_psb_may_have_begun)
{
	uint8_t bytes[100] = { 0 };
	const struct tl_pt_config config = { .size = sizeof(config),
					     .begin = bytes,
					     .end = bytes + sizeof(bytes) };

	memcpy(bytes + 10, psb, 16);
	memcpy(bytes + 40, psb, 16);
	memcpy(bytes + 60, psb, 16);
	assert_ptr_equal(tl_pt_psb_after(&config, NULL, NULL), bytes + 10);
	for (size_t at = 10; at < 90; at++) {
		/* from the first PSB on, or from none at 30 */
		const size_t wanted = at < 56 ? 40 : at < 76 ? 60 : 0;
		const uint8_t *found = tl_pt_psb_after(&config, bytes + 10, bytes + at);

		assert_ptr_equal(found, wanted ? bytes + wanted : NULL);
		if (at < 30)
			continue;
		found = tl_pt_psb_after(&config, bytes + 30, bytes + at);
		assert_ptr_equal(found, wanted ? bytes + wanted : NULL);
	}
	assert_ptr_equal(tl_pt_psb_after(&config, bytes + 40, bytes + 41), bytes + 60);
	assert_null(tl_pt_psb_after(&config, bytes + 60, bytes + 61));
}

/* ---- by time ---- */

enum { MOST_PSB = 30 };

struct timed {
	uint8_t bytes[MOST_PSB * 200];
	size_t size, count;
	/* of each PSB: where it is, and the time that holds behind it */
	size_t at[MOST_PSB];
	uint64_t time[MOST_PSB];
	struct tl_pt_config config;
};

static void put(struct timed *t, const uint8_t *bytes, size_t size)
{
	memcpy(t->bytes + t->size, bytes, size);
	t->size += size;
}

#define BYTES_OF(...) (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })
#define TSC_AT(n) 0x19, (uint8_t)(n), (uint8_t)((n) >> 8), (uint8_t)((n) >> 16), 0, 0, 0, 0

/* PSB+ that mostly have a time, some of which are ended by an overflow, and bytes between them. */
static void draw_timed(struct timed *t, uint32_t *seed, bool times)
{
	uint64_t time = 0;

	t->size = 0;
	t->count = 1 + chance(seed, MOST_PSB - 1);
	for (unsigned i = chance(seed, 30); i; i--)
		put(t, BYTES_OF(TNT1(1)));
	for (size_t i = 0; i < t->count; i++) {
		const bool timed = times && chance(seed, 5);

		if (timed)
			time += chance(seed, 3) ? 1 + chance(seed, 500) : 0;
		t->at[i] = t->size;
		t->time[i] = time;
		put(t, BYTES_OF(PSB));
		if (timed)
			put(t, BYTES_OF(TSC_AT(time)));
		if (chance(seed, 5))
			put(t, BYTES_OF(MODE_64, FUP(0x1000), PSBEND));
		else
			put(t, BYTES_OF(OVF));
		for (unsigned n = chance(seed, 40); n; n--)
			put(t, BYTES_OF(TNT2(1, 0)));
	}
	t->config = (struct tl_pt_config){ .size = sizeof(t->config),
					   .begin = t->bytes,
					   .end = t->bytes + t->size };
}

/*
 * "The smallest such part that holds all that ran in a window of time": from the last PSB at whose
 * time it has not begun, to the first one behind it at whose time it is over.
 */
static void wanted_part(const struct timed *t, uint64_t from, uint64_t to,
			struct tl_pt_byte_range *part)
{
	size_t first = 0, last;

	for (size_t i = 1; i < t->count; i++)
		if (t->time[i] <= from)
			first = i;
	for (last = first + 1; last < t->count; last++)
		if (to && t->time[last] >= to)
			break;
	part->from = t->at[first];
	part->to = last < t->count ? t->at[last] : t->size;
}

TEST(parts_hold_their_windows)
{
	static struct timed t;
	uint32_t seed = 2;

	for (unsigned round = 0; round < 300; round++) {
		uint64_t most;

		draw_timed(&t, &seed, true);
		most = t.time[t.count - 1];
		for (unsigned n = 0; n < 30; n++) {
			const uint64_t from = chance(&seed, (unsigned)most + 50);
			const uint64_t to = chance(&seed, 4)
						    ? from + 1 + chance(&seed, (unsigned)most + 50)
						    : 0;
			struct tl_pt_byte_range part, wanted;

			wanted_part(&t, from, to, &wanted);
			assert_int_equal(tl_pt_slice_time(&t.config, from, to, &part, NULL), 0);
			assert_int_equal(part.from, wanted.from);
			assert_int_equal(part.to, wanted.to);
		}
	}
}

TEST(the_first_time_of_a_trace)
{
	static struct timed t;
	uint32_t seed = 3;

	for (unsigned round = 0; round < 100; round++) {
		uint64_t first = 0, found = 77;
		size_t at = 0;

		draw_timed(&t, &seed, round % 2);
		while (at + 8 < t.size && t.bytes[at] != 0x19)
			at++;
		if (at + 8 < t.size)
			first = (uint64_t)(t.bytes[at + 1] | t.bytes[at + 2] << 8 |
					   t.bytes[at + 3] << 16);
		assert_int_equal(tl_pt_first_time(&t.config, &found, NULL), at + 8 < t.size);
		assert_int_equal(found, at + 8 < t.size ? first : 77);
	}
	/* no PSB, no time */
	t.config.begin = t.bytes + t.size - 10;
	t.config.end = t.bytes + t.size;
	assert_int_equal(tl_pt_first_time(&t.config, &(uint64_t){ 0 }, NULL), 0);
	assert_int_equal(
		tl_pt_slice_time(&t.config, 1, 2, &(struct tl_pt_byte_range){ 0, 0 }, NULL),
		TL_BAD_FORMAT);
}

/* ---- windows of a feed ---- */

TEST(windows_are_seconds_from_the_first_time)
{
	static struct timed traces[3];
	static struct walked none;
	static struct walked_feed feed;
	struct tl_pt_window window = { 7, 7 };
	struct tl_error err = { 0 };
	uint32_t seed = 4;
	uint64_t first = UINT64_MAX, found;

	open_walked(&feed);
	for (size_t i = 0; i < 3; i++) {
		struct tl_pt_trace_slice *slice = add_walked(&feed, &none, i, 0, 0);
		uint64_t time;

		draw_timed(&traces[i], &seed, i != 1);
		slice->config = traces[i].config;
		if (tl_pt_first_time(&slice->config, &time, NULL) == 1 && time < first)
			first = time;
	}
	/* a slice that continues has the bytes of the one before it */
	*add_walked(&feed, &none, 0, 0, 0) = feed.slices[0];
	feed.slices[3].continues = true;
	assert_int_equal(tl_pt_feed_first_time(&feed.feed, &found, NULL), 0);
	assert_int_equal(found, first);
	assert_int_equal(tl_pt_feed_window(&feed.feed, 0, 0, &window, NULL), 0);
	assert_int_equal(window.from + window.to, 0);
	assert_int_equal(tl_pt_feed_window(&feed.feed, 1, 2, &window, &err), TL_BAD_USAGE);
	assert_non_null(strstr(err.text, "no time in the trace"));
	feed.feed.timed = true;
	assert_int_equal(tl_pt_feed_window(&feed.feed, 1, 2, &window, &err), TL_BAD_USAGE);
	assert_non_null(strstr(err.text, "how long a tick is"));
	feed.feed.frequency = 1000;
	assert_int_equal(tl_pt_feed_window(&feed.feed, 0.25, 1.5, &window, NULL), 0);
	assert_int_equal(window.from, first + 250);
	assert_int_equal(window.to, first + 1500);
	assert_int_equal(tl_pt_feed_window(&feed.feed, -1, 0.001, &window, NULL), 0);
	assert_int_equal(window.from, 0);
	assert_int_equal(window.to, first + 1);
	assert_int_equal(tl_pt_feed_window(&feed.feed, 1e30, 0, &window, NULL), 0);
	assert_int_equal(window.from, UINT64_MAX);
	assert_int_equal(window.to, 0);
	feed.count = 0;
	assert_int_equal(tl_pt_feed_first_time(&feed.feed, &found, NULL), 0);
	assert_int_equal(found, UINT64_MAX);
	close_walked(&feed);
}

/* ---- by function ---- */

static void find(struct walked_feed *feed, const char *pattern, struct tl_pt_trigger *trigger,
		 int wanted)
{
	struct tl_pt_functions functions;

	tl_pt_functions_begin(&functions, &feed->feed);
	assert_int_equal(tl_pt_find_trigger(&feed->feed, &functions, pattern, trigger, NULL),
			 wanted);
	tl_pt_functions_end(&functions);
}

/*
 * The first PSB behind the first execution of a function's entry is the first that may end a part.
 */
TEST(a_function_is_found_where_it_is_entered)
{
	static struct walked w;
	static struct walked_feed feed;

	for (uint32_t seed = 1; seed < 12; seed++)
		for (unsigned f = 0; f < FUNCTIONS_WALKED; f++) {
			struct tl_pt_trigger trigger;
			char pattern[16];
			size_t step = 0, behind = 0;

			open_walked(&feed);
			walk(&w, seed, 400, 25, 90);
			add_walked(&feed, &w, 0, 0, w.size);
			while (step < w.count && w.steps[step] != walked_functions[f].entry)
				step++;
			snprintf(pattern, sizeof(pattern), "^%s$", walked_functions[f].name);
			find(&feed, pattern, &trigger, step < w.count);
			if (step < w.count) {
				/* it has read no further than up to the second PSB behind it */
				while (behind < w.psb_count && w.psbs[behind].step <= step)
					behind++;
				assert_false(trigger.timed);
				if (behind + 1 < w.psb_count)
					assert_true(trigger.offset <=
						    w.psbs[behind + 1].offset + 30);
				if (behind)
					assert_true(trigger.offset >= w.psbs[behind - 1].offset);
			}
			close_walked(&feed);
		}
}

TEST(patterns_that_find_nothing)
{
	static struct walked w;
	static struct walked_feed feed;
	struct tl_pt_trigger trigger = { 1, 1, true };
	struct tl_pt_window window;
	struct tl_error err = { 0 };

	open_walked(&feed);
	walk(&w, 1, 100, 0, 0);
	add_walked(&feed, &w, 0, 0, w.size);
	find(&feed, "nothing", &trigger, 0);
	assert_int_equal(trigger.offset + trigger.tsc + trigger.timed, 0);
	find(&feed, "(", &trigger, TL_BAD_USAGE);
	assert_int_equal(tl_pt_slice_before_call(&feed.feed, "a", 1, &window, &trigger, &err),
			 TL_BAD_USAGE);
	assert_non_null(strstr(err.text, "no time in the trace"));
	feed.feed.timed = true;
	assert_int_equal(tl_pt_slice_before_call(&feed.feed, "a", 1, &window, &trigger, &err),
			 TL_BAD_USAGE);
	assert_non_null(strstr(err.text, "how long a tick is"));
	feed.feed.frequency = 1000;
	assert_int_equal(tl_pt_slice_before_call(&feed.feed, "none", 1, &window, &trigger, &err),
			 TL_BAD_USAGE);
	assert_non_null(strstr(err.text, "no function of such a name"));
	close_walked(&feed);
}

/*
 * Of threads that come one after the other the earliest call counts: b is called at 900 in the
 * first one, at 300 in the second.
 */
TEST(the_earliest_call_counts)
{
	static const uint8_t late[] = { PSB,     TSC_AT(100), MODE_64,    FUP(0x1000), PSBEND,
					TNT1(0), TSC_AT(900), TNT2(0, 1), PGD_BARE };
	static const uint8_t early[] = { PSB,    TSC_AT(200), MODE_64,    FUP(0x1041),
					 PSBEND, TSC_AT(300), TNT2(0, 1), PGD_BARE };
	static const struct {
		const uint8_t *bytes;
		size_t size;
	} traces[] = { { late, sizeof(late) }, { early, sizeof(early) } };
	static struct walked none;
	static struct walked_feed feed;
	struct tl_pt_trigger trigger;
	struct tl_pt_window window;

	open_walked(&feed);
	feed.feed.timed = true;
	feed.feed.frequency = 1000;
	for (size_t i = 0; i < 2; i++) {
		struct tl_pt_trace_slice *slice = add_walked(&feed, &none, i, 0, traces[i].size);

		slice->config.begin = traces[i].bytes;
		slice->config.end = traces[i].bytes + traces[i].size;
	}
	find(&feed, "^b$", &trigger, 1);
	assert_true(trigger.timed);
	assert_int_equal(trigger.tsc, 300);
	assert_int_equal(tl_pt_slice_before_call(&feed.feed, "^b$", 0.1, &window, &trigger, NULL),
			 0);
	assert_int_equal(window.from, 200);
	assert_int_equal(window.to, 301);
	/* not before the beginning of time */
	assert_int_equal(tl_pt_slice_before_call(&feed.feed, "^b$", 5, &window, &trigger, NULL), 0);
	assert_int_equal(window.from, 0);
	close_walked(&feed);
}

/* ---- written ---- */

static void assert_written(struct walked_feed *feed, const struct tl_pt_window *window,
			   const struct tl_pt_trigger *trigger, const uint8_t *bytes, size_t size)
{
	struct tl_output *out;
	size_t seen_size;
	const void *seen;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_pt_slice_raw(&feed->feed, window, trigger, out, NULL), 0);
	seen = tl_output_bytes(out, &seen_size);
	assert_int_equal(seen_size, size);
	assert_memory_equal(seen, bytes, size);
	tl_output_discard(out);
}

TEST(parts_are_written)
{
	static struct timed t;
	static struct walked none;
	static struct walked_feed feed;
	uint32_t seed = 8;

	open_walked(&feed);
	add_walked(&feed, &none, 0, 0, 0);
	for (unsigned round = 0; round < 100; round++) {
		struct tl_pt_byte_range part, open;
		struct tl_pt_trigger trigger = { .timed = true };
		uint64_t most, end;

		draw_timed(&t, &seed, true);
		feed.slices[0].config = t.config;
		most = t.time[t.count - 1];

		const struct tl_pt_window window = { chance(&seed, (unsigned)most + 1),
						     1 + chance(&seed, (unsigned)most + 1) };

		wanted_part(&t, window.from, window.to, &part);
		assert_written(&feed, &window, NULL, t.bytes + part.from, part.to - part.from);
		/*
		 * with a trigger up to the first PSB behind it; if that is no part, all up to
		 * there
		 */
		trigger.offset = chance(&seed, (unsigned)t.size);
		wanted_part(&t, window.from, 0, &open);
		end = tl_pt_psb_behind(&t.config, trigger.offset);
		if (open.from >= end)
			open.from = 0;
		assert_written(&feed, &window, &trigger, t.bytes + open.from, end - open.from);
	}
	feed.count = 0;
	assert_written(&feed, &(struct tl_pt_window){ 0, 0 }, NULL, t.bytes, 0);
	close_walked(&feed);
}

/* ---- packet by packet ---- */

/* What is no packet is skipped up to the next PSB, and told. */
TEST(bytes_that_are_no_packets_are_skipped)
{
	static const uint8_t bytes[] = { PSB,  PSBEND, 0x05, 0x06, 0x06, PSB,
					 0x06, 0x05,   PSB,  0x06, 0x19, 0x01 };
	const struct tl_pt_config config = { .size = sizeof(config),
					     .begin = bytes,
					     .end = bytes + sizeof(bytes) };
	static const struct {
		enum tl_pt_packet_kind kind;
		uint64_t offset;
		uint64_t broken; /* TL_NOWHERE: none */
	} packets[] = {
		{ TL_PT_PKT_PSB, 0, TL_NOWHERE }, { TL_PT_PKT_PSBEND, 16, TL_NOWHERE },
		{ TL_PT_PKT_PSB, 21, 18 },        { TL_PT_PKT_TNT_8, 37, TL_NOWHERE },
		{ TL_PT_PKT_PSB, 39, 38 },        { TL_PT_PKT_TNT_8, 55, TL_NOWHERE },
	};

	for (int collect = 0; collect < 2; collect++) {
		struct tl_pt_faults faults = { 0 };
		struct tl_pt_packet packet;
		struct tl_pt_scan scan;

		assert_int_equal(tl_pt_scan_open(&scan, &config, collect ? &faults : NULL, NULL),
				 0);
		scan.base = 1000;
		for (size_t i = 0; i < COUNT(packets); i++) {
			assert_int_equal(tl_pt_scan_next(&scan, &packet, NULL), 1);
			assert_int_equal(packet.kind, packets[i].kind);
			assert_int_equal(scan.offset, packets[i].offset);
			assert_int_equal(scan.broken != TL_PT_OK, packets[i].broken != TL_NOWHERE);
			if (packets[i].broken != TL_NOWHERE)
				assert_int_equal(scan.broken_at, packets[i].broken);
		}
		assert_int_equal(tl_pt_scan_next(&scan, &packet, NULL), 0);
		assert_true(scan.cut_short);
		assert_int_equal(faults.count, collect ? 2 : 0);
		assert_int_equal(faults.skipped_bytes, collect ? 3 + 1 : 0);
		if (collect) {
			assert_int_equal(faults.list[0].from, 1018);
			assert_int_equal(faults.list[0].to, 1021);
			assert_int_equal(faults.list[1].from, 1038);
		}
		tl_pt_scan_close(&scan);
		tl_pt_faults_free(&faults);
	}
}

/* ---- chosen functions ---- */

TEST(functions_are_chosen_by_both_patterns)
{
	static const struct {
		const char *function, *object;
		bool accepted[4]; /* main and f of prog, f and g of lib */
	} cases[] = {
		{ NULL, NULL, { true, true, true, true } },
		{ "^f$", NULL, { false, true, true, false } },
		{ NULL, "lib", { false, false, true, true } },
		{ "^f$", "lib", { false, false, true, false } },
		{ "x", NULL, { false, false, false, false } },
	};
	static struct tl_pt_function list[] = {
		{ .name = "main", .object = "prog" },
		{ .name = "f", .object = "prog" },
		{ .name = "f", .object = "lib.so" },
		{ .name = "g", .object = "lib.so" },
	};
	const struct tl_pt_functions functions = { .list = list };
	struct tl_pt_function_filter filter;

	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_int_equal(tl_pt_function_filter_open(&filter, cases[i].function,
							    cases[i].object, NULL),
				 0);
		/* in any order, and again as it was */
		for (unsigned round = 0; round < 3; round++)
			for (uint32_t f = 0; f < 4; f++) {
				const uint32_t which = round ? 3 - f : f;

				assert_int_equal(
					tl_pt_function_filter_accepts(&filter, &functions, which),
					cases[i].accepted[which]);
			}
		tl_pt_function_filter_close(&filter);
	}
	for (int object = 0; object < 2; object++) {
		assert_int_equal(tl_pt_function_filter_open(&filter, object ? "a" : "(",
							    object ? "[" : "a", NULL),
				 TL_BAD_USAGE);
		tl_pt_function_filter_close(&filter);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(psbs_are_found_as_byte_by_byte),
		cmocka_unit_test(the_next_psb_may_have_begun),
		cmocka_unit_test(parts_hold_their_windows),
		cmocka_unit_test(the_first_time_of_a_trace),
		cmocka_unit_test(windows_are_seconds_from_the_first_time),
		cmocka_unit_test(a_function_is_found_where_it_is_entered),
		cmocka_unit_test(patterns_that_find_nothing),
		cmocka_unit_test(the_earliest_call_counts),
		cmocka_unit_test(parts_are_written),
		cmocka_unit_test(bytes_that_are_no_packets_are_skipped),
		cmocka_unit_test(functions_are_chosen_by_both_patterns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
