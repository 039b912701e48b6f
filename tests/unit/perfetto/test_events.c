/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What packets of a Perfetto trace say of events: names, tracks, times, and what is missing
 * (docs/formats/perfetto.md, sections 1 to 3). Expected times are counted by hand.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include "packets.h"

/* An event of a track, with a name if there is one. */
static void put_event(struct bytes *b, unsigned type, uint64_t track, const char *name,
		      uint64_t time)
{
	struct bytes inner = { .size = 0 }, event = { .size = 0 };

	number(&event, 9, type);
	number(&event, 11, track);
	if (name)
		put_text(&event, 23, name);
	message(&inner, 11, &event);
	put_packet(b, 1, 0, time, &inner);
}

static void put_thread(struct bytes *b, uint64_t uuid, uint64_t process, uint64_t thread,
		       const char *name)
{
	struct bytes inner = { .size = 0 }, track = { .size = 0 }, part = { .size = 0 };

	number(&track, 1, uuid);
	number(&part, 1, process);
	number(&part, 2, thread);
	if (name)
		put_text(&part, 5, name);
	message(&track, 4, &part);
	message(&inner, 60, &track);
	message(b, 1, &inner);
}

/* A track of a name below another one; `process` 0: it has none of its own. */
static void put_track(struct bytes *b, uint64_t uuid, uint64_t parent, const char *name,
		      unsigned name_field, uint64_t process, const char *process_name)
{
	struct bytes inner = { .size = 0 }, track = { .size = 0 }, part = { .size = 0 };

	number(&track, 1, uuid);
	if (parent)
		number(&track, 5, parent);
	if (name)
		put_text(&track, name_field, name);
	if (process) {
		number(&part, 1, process);
		if (process_name)
			put_text(&part, 6, process_name);
		message(&track, 3, &part);
	}
	message(&inner, 60, &track);
	message(b, 1, &inner);
}

/* ---- what was read ---- */

/* Each thread on a line: "PROCESS/THREAD COMMAND", then its spans: the name, "." an end, "!" an
 * instant, and the time. */
static void list(const struct tl_foreign_file *f, char *to, size_t size)
{
	const struct tl_foreign_stacks *s = &f->stacks;
	size_t used = 0;

	*to = '\0';
	for (size_t i = 0; i < f->spans.count; i++) {
		const struct tl_foreign_thread *t = &f->spans.threads[i];

		used += (size_t)snprintf(to + used, size - used,
					 "%" PRId64 "/%" PRId64 " %s:", t->process, t->thread,
					 s->names.names[t->command].text);
		for (size_t n = 0; n < t->count; n++) {
			const struct tl_foreign_span *span = &t->spans[n];
			const char *name =
				span->frame == TL_NONE
					? "."
					: s->names.names[s->frames[span->frame].name].text;

			used += (size_t)snprintf(to + used, size - used, " %s%s@%" PRId64, name,
						 span->duration == TL_FOREIGN_INSTANT ? "!" : "",
						 span->ticks);
			assert_int_equal(span->duration == TL_FOREIGN_END, *name == '.');
		}
		used += (size_t)snprintf(to + used, size - used, "\n");
		assert_true(used < size);
	}
}

static void expect_with(const struct bytes *b, struct tl_foreign_options options,
			const char *wanted)
{
	struct tl_foreign_file f;
	char have[1024];

	assert_int_equal(read_with(&f, b, options), 0);
	list(&f, have, sizeof(have));
	assert_string_equal(have, wanted);
	assert_int_equal(f.faults.count, 0);
	tl_foreign_end(&f);
}

static void expect(const struct bytes *b, const char *wanted)
{
	expect_with(b, everything(), wanted);
}

/* What is said beside the spans, in one text "RULE WORDS". */
static void expect_said(const struct bytes *b, const char *spans, const char *rule,
			enum tl_status status, const char *words)
{
	struct tl_foreign_file f;
	char have[1024];

	assert_int_equal(read_with(&f, b, everything()), 0);
	list(&f, have, sizeof(have));
	assert_string_equal(have, spans);
	assert_int_equal(f.faults.count, 1);
	assert_string_equal(f.faults.list[0].rule, rule);
	assert_int_equal(f.faults.list[0].status, status);
	/* A count is the begin: one that went below zero ends with the same digits. */
	if (*words >= '0' && *words <= '9')
		assert_int_equal(strncmp(f.faults.list[0].text, words, strlen(words)), 0);
	assert_non_null(strstr(f.faults.list[0].text, words));
	tl_foreign_end(&f);
}

/* ---- tracks ---- */

/* "Tracks with a thread are that thread ... several tracks of one thread are one." */
TEST(threads_of_tracks)
{
	struct bytes b = { .size = 0 };

	put_event(&b, BEGIN, 7, "a", 10);
	put_event(&b, BEGIN, 8, "b", 20);
	put_event(&b, END, 8, NULL, 30);
	put_event(&b, END, 7, NULL, 40);
	put_event(&b, INSTANT, 9, "now", 50);
	put_thread(&b, 7, 100, 101, "worker");
	put_thread(&b, 8, 100, 101, NULL);
	put_thread(&b, 9, 100, 102, NULL);
	expect(&b, "100/101 worker: a@10 .@40 b@20 .@30\n100/102 : now!@50\n");
}

/* "Other tracks ... in the process of the nearest track around them that has one." */
TEST(tracks_that_are_no_thread)
{
	struct bytes b = { .size = 0 };

	put_track(&b, 1, 0, NULL, 2, 55, "prog");
	put_track(&b, 2, 1, "queue", 2, 0, NULL);
	put_track(&b, 3, 2, "static", 10, 0, NULL);
	put_track(&b, 4, 99, "lost", 2, 0, NULL);
	for (uint64_t track = 1; track <= 5; track++)
		put_event(&b, INSTANT, track, "x", track);
	expect(&b, "55/2147483648 prog: x!@1\n55/2147483649 queue: x!@2\n"
		   "55/2147483650 static: x!@3\n0/2147483651 lost: x!@4\n0/2147483652 : x!@5\n");
}

/* A track around itself has no process, and its search has an end. */
TEST(tracks_around_each_other)
{
	struct bytes b = { .size = 0 };

	put_track(&b, 1, 2, "one", 2, 0, NULL);
	put_track(&b, 2, 1, "two", 2, 0, NULL);
	put_event(&b, INSTANT, 1, "x", 1);
	expect(&b, "0/2147483648 one: x!@1\n");
}

/* A thread is more than the process that its track may have beside it. */
TEST(a_thread_beside_a_process)
{
	struct bytes b = { .size = 0 };

	put_event(&b, INSTANT, 7, "x", 1);
	put_thread(&b, 7, 100, 101, "worker");
	put_track(&b, 7, 0, NULL, 2, 55, "prog");
	expect(&b, "100/101 worker: x!@1\n");
}

TEST(filters_of_threads)
{
	static const struct {
		uint64_t process, thread;
		const char *spans;
	} cases[] = {
		{ 100, TL_NOWHERE, "100/101 : a!@1\n" },
		{ TL_NOWHERE, 101, "100/101 : a!@1\n200/101 : b!@2\n" },
		{ 200, 101, "200/101 : b!@2\n" },
		{ 200, 100, "" },
	};
	struct bytes b = { .size = 0 };

	put_event(&b, INSTANT, 7, "a", 1);
	put_event(&b, INSTANT, 8, "b", 2);
	put_thread(&b, 7, 100, 101, NULL);
	put_thread(&b, 8, 200, 101, NULL);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_foreign_options options = everything();

		options.process = cases[i].process;
		options.thread = cases[i].thread;
		expect_with(&b, options, cases[i].spans);
	}
}

/* Of a thread_descriptor (44): the sequence's events without a track; their times count on in us.
 */
TEST(threads_of_old_traces)
{
	struct bytes b = { .size = 0 }, inner = { .size = 0 }, part = { .size = 0 };

	number(&part, 1, 100);
	number(&part, 2, 101);
	put_text(&part, 5, "old");
	number(&part, 6, 3);
	message(&inner, 44, &part);
	put_packet(&b, 1, 0, 0, &inner);
	for (unsigned i = 0; i < 2; i++) {
		number(&part, 9, i ? END : BEGIN);
		number(&part, 1, 4);
		if (!i)
			put_text(&part, 23, "a");
		message(&inner, 11, &part);
		put_packet(&b, 1, 0, 999, &inner);
	}
	number(&part, 9, INSTANT);
	number(&part, 16, 20);
	put_text(&part, 23, "x");
	message(&inner, 11, &part);
	put_packet(&b, 1, 0, 999, &inner);
	expect(&b, "100/101 old: a@7000 .@11000 x!@20000\n");
}

/* ---- names ---- */

static void put_interned(struct bytes *inner, uint64_t iid, const char *name, const char *file,
			 uint64_t line)
{
	struct bytes texts = { .size = 0 }, text = { .size = 0 };

	number(&text, 1, iid);
	put_text(&text, 2, name);
	message(&texts, 2, &text);
	number(&text, 1, iid);
	put_text(&text, 2, file);
	number(&text, 4, line);
	message(&texts, 4, &text);
	message(inner, 12, &texts);
}

static void put_interned_event(struct bytes *b, uint64_t sequence, uint64_t iid, uint64_t time)
{
	struct bytes inner = { .size = 0 }, event = { .size = 0 };

	number(&event, 9, INSTANT);
	number(&event, 10, iid);
	number(&event, 34, iid);
	number(&event, 11, 1);
	message(&inner, 11, &event);
	put_packet(b, sequence, NEEDS_STATE, time, &inner);
}

static void put_cleared(struct bytes *b, uint64_t sequence, uint64_t iid, const char *name,
			const char *file, uint64_t line)
{
	struct bytes inner = { .size = 0 };

	put_interned(&inner, iid, name, file, line);
	put_packet(b, sequence, CLEARED, 0, &inner);
}

/* "Interned texts are the sequence's. The flag 1 clears them"; an id again has the new text. */
TEST(interned_names_are_those_of_their_sequence)
{
	struct bytes b = { .size = 0 }, inner = { .size = 0 };
	struct tl_foreign_file f;
	char have[256];

	put_cleared(&b, 1, 5, "one", "1.c", 11);
	put_cleared(&b, 2, 5, "two", "2.c", 22);
	put_interned_event(&b, 1, 5, 1);
	put_interned_event(&b, 2, 5, 2);
	put_interned(&inner, 5, "three", "3.c", 33);
	put_packet(&b, 1, 0, 0, &inner);
	put_interned_event(&b, 1, 5, 3);
	put_cleared(&b, 1, 6, "four", "4.c", 44);
	put_interned_event(&b, 1, 6, 4);
	assert_int_equal(read_with(&f, &b, everything()), 0);
	list(&f, have, sizeof(have));
	assert_string_equal(have, "0/2147483648 : one!@1 two!@2 three!@3 four!@4\n");
	assert_int_equal(f.faults.count, 0);
	for (uint32_t i = 0; i < 4; i++) {
		static const char *const files[] = { "1.c", "2.c", "3.c", "4.c" };
		const struct tl_foreign_frame *frame = &f.stacks.frames[i];

		assert_string_equal(f.stacks.names.names[frame->file].text, files[i]);
		assert_int_equal(frame->line, 11 * (i + 1));
	}
	tl_foreign_end(&f);
}

TEST(names_that_are_missing)
{
	struct bytes b = { .size = 0 }, inner = { .size = 0 };

	put_cleared(&b, 1, 5, "one", "1.c", 11);
	put_packet(&b, 1, CLEARED, 0, &inner);
	put_interned_event(&b, 1, 5, 1);
	put_interned_event(&b, 1, 5, 2);
	expect_said(&b, "0/2147483648 : [unnamed]!@1 [unnamed]!@2\n", "name", TL_BAD_RECORD,
		    "2 events whose names");
	b.size = 0;
	put_event(&b, INSTANT, 1, NULL, 3);
	expect(&b, "0/2147483648 : [unnamed]!@3\n");
}

/* "Events with the flag 2 depend on them: where nothing was cleared before ... passed over." */
TEST(events_without_their_state)
{
	struct bytes b = { .size = 0 };

	put_interned_event(&b, 3, 5, 1);
	put_cleared(&b, 1, 5, "one", "1.c", 11);
	put_interned_event(&b, 3, 5, 2);
	put_interned_event(&b, 1, 5, 3);
	expect_said(&b, "0/2147483648 : one!@3\n", "state", TL_BAD_RECORD, "2 events that depend");
}

/* Field 41 clears as the flag does. */
TEST(another_way_to_clear)
{
	struct bytes b = { .size = 0 }, inner = { .size = 0 };

	put_interned(&inner, 5, "one", "1.c", 11);
	number(&inner, 41, 1);
	put_packet(&b, 1, 0, 0, &inner);
	put_interned_event(&b, 1, 5, 3);
	expect(&b, "0/2147483648 : one!@3\n");
}

/* Defaults are those of the track; an event's own is more, and clearing takes them. */
TEST(tracks_of_defaults)
{
	struct bytes b = { .size = 0 }, inner = { .size = 0 }, part = { .size = 0 };
	struct bytes event = { .size = 0 };

	number(&event, 11, 7);
	message(&part, 11, &event);
	message(&inner, 59, &part);
	put_packet(&b, 1, CLEARED, 0, &inner);
	for (unsigned i = 1; i <= 3; i++) {
		number(&event, 9, INSTANT);
		put_text(&event, 23, "x");
		if (i == 2)
			number(&event, 11, 8);
		message(&inner, 11, &event);
		put_packet(&b, 1, i == 3 ? CLEARED : 0, i, &inner);
	}
	put_thread(&b, 7, 1, 7, NULL);
	put_thread(&b, 8, 1, 8, NULL);
	put_thread(&b, 0, 1, 9, NULL);
	expect(&b, "1/7 : x!@1\n1/8 : x!@2\n1/9 : x!@3\n");
}

/* ---- counters ---- */

/* A track of a counter below another one; `incremental`: values are changes. */
static void put_counter_track(struct bytes *b, uint64_t uuid, uint64_t parent, const char *name,
			      uint64_t multiplier, bool incremental)
{
	struct bytes inner = { .size = 0 }, track = { .size = 0 }, part = { .size = 0 };

	number(&track, 1, uuid);
	number(&track, 5, parent);
	if (name)
		put_text(&track, 2, name);
	if (multiplier)
		number(&part, 4, multiplier);
	if (incremental)
		number(&part, 5, 1);
	message(&track, 8, &part);
	message(&inner, 60, &track);
	message(b, 1, &inner);
}

/* A whole value, or with `real` one of floating point. */
static void put_value(struct bytes *b, uint64_t track, int64_t value, const double *real,
		      uint64_t time)
{
	struct bytes inner = { .size = 0 }, event = { .size = 0 };

	number(&event, 9, COUNTER);
	number(&event, 11, track);
	if (real) {
		put_varint(&event, 44 * 8 + 1);
		uint64_t bits;

		memcpy(&bits, real, sizeof(bits));
		for (unsigned i = 0; i < sizeof(bits); i++)
			event.data[event.size++] = (uint8_t)(bits >> 8 * i);
	} else {
		number(&event, 30, (uint64_t)value);
	}
	message(&inner, 11, &event);
	put_packet(b, 1, 0, time, &inner);
}

static void expect_counters(struct tl_foreign_file *f, const char *wanted)
{
	struct tl_foreign_counters *c = &f->counters;
	char have[1024] = "";
	size_t used = 0;

	tl_foreign_counters_sort(c);
	for (size_t i = 0; i < c->value_count; i++) {
		const struct tl_foreign_counter *of = &c->list[c->values[i].counter];

		used += (size_t)snprintf(have + used, sizeof(have) - used,
					 "%" PRId64 "/%" PRId64 " %s@%" PRId64 "=%g\n", of->process,
					 of->thread == TL_FOREIGN_PROCESS ? -1 : of->thread,
					 f->stacks.names.names[of->name].text, c->values[i].ticks,
					 c->values[i].value);
	}
	assert_string_equal(have, wanted);
}

/*
 * CounterDescriptor: "unit_multiplier: ... the value should be multiplied by it"; "is_incremental:
 * the values are deltas". A counter is of the thread or process around its track, wherever that is
 * described.
 */
TEST(values_of_counters)
{
	const double half = 0.5;
	struct bytes b = { .size = 0 };
	struct tl_foreign_file f;

	put_event(&b, INSTANT, 7, "x", 1);
	put_value(&b, 20, -3, NULL, 30);
	put_value(&b, 20, 4, NULL, 20);
	put_counter_track(&b, 20, 7, "depth", 0, false);
	put_counter_track(&b, 21, 5, "bytes", 1024, true);
	put_value(&b, 21, 2, NULL, 10);
	put_value(&b, 21, -1, NULL, 11);
	put_counter_track(&b, 22, 99, NULL, 0, false);
	put_value(&b, 22, 0, &half, 12);
	put_thread(&b, 7, 100, 101, "worker");
	put_track(&b, 5, 0, NULL, 2, 55, "prog");
	assert_int_equal(read_with(&f, &b, everything()), 0);
	expect_counters(&f, "100/101 depth@20=4\n100/101 depth@30=-3\n"
			    "55/-1 bytes@10=2048\n55/-1 bytes@11=1024\n0/-1 [unnamed]@12=0.5\n");
	tl_foreign_end(&f);
}

/* ---- other events ---- */

TEST(events_that_are_no_calls)
{
	struct bytes b = { .size = 0 };

	put_event(&b, INSTANT, 1, "x", 1);
	put_event(&b, COUNTER, 1, NULL, 2);
	put_event(&b, COUNTER, 1, NULL, 3);
	expect_said(&b, "0/2147483648 : x!@1\n", "counter", TL_OK, "2 values of counters");
	b.size = 0;
	put_event(&b, INSTANT, 1, "x", 1);
	put_event(&b, 5, 1, NULL, 2);
	put_event(&b, 0, 1, NULL, 3);
	put_event(&b, 6, 1, NULL, 3);
	expect_said(&b, "0/2147483648 : x!@1\n", "type", TL_OK, "3 events of other types");
}

TEST(packets_that_were_dropped)
{
	struct bytes b = { .size = 0 }, inner = { .size = 0 };

	put_event(&b, INSTANT, 1, "x", 1);
	number(&inner, 42, 1);
	message(&b, 1, &inner);
	number(&inner, 42, 0);
	message(&b, 1, &inner);
	expect_said(&b, "0/2147483648 : x!@1\n", "dropped", TL_TRUNCATED, "1 times");
}

/* ---- clocks ---- */

struct clock {
	uint64_t id, time;
	bool incremental;
	uint64_t unit;
};

static void put_snapshot(struct bytes *b, uint64_t sequence, const struct clock *clocks,
			 size_t count)
{
	struct bytes inner = { .size = 0 }, snapshot = { .size = 0 }, clock = { .size = 0 };

	for (size_t i = 0; i < count; i++) {
		number(&clock, 1, clocks[i].id);
		number(&clock, 2, clocks[i].time);
		number(&clock, 3, clocks[i].incremental);
		if (clocks[i].unit)
			number(&clock, 4, clocks[i].unit);
		message(&snapshot, 1, &clock);
	}
	message(&inner, 6, &snapshot);
	put_packet(b, sequence, 0, 0, &inner);
}

static void put_timed(struct bytes *b, uint64_t sequence, uint64_t clock, uint64_t time)
{
	struct bytes inner = { .size = 0 }, event = { .size = 0 };

	number(&event, 9, INSTANT);
	number(&event, 11, 1);
	put_text(&event, 23, "x");
	message(&inner, 11, &event);
	if (clock)
		number(&inner, 58, clock);
	put_packet(b, sequence, 0, time, &inner);
}

/* "A timestamp of another clock is moved by the last snapshot before it." */
TEST(clocks_are_moved_by_snapshots)
{
	static const struct clock first[] = { { 6, 1000, false, 0 }, { 3, 100, false, 0 } };
	static const struct clock second[] = { { 3, 200, false, 0 }, { 6, 1500, false, 0 } };
	/* Without the trace's clock, one that is known says the same: 3 is 1300 behind. */
	static const struct clock third[] = { { 1, 7, false, 0 }, { 3, 300, false, 0 } };
	struct bytes b = { .size = 0 };

	put_snapshot(&b, 1, first, 2);
	put_timed(&b, 1, 3, 150);
	put_timed(&b, 2, 3, 160);
	put_timed(&b, 1, 6, 170);
	put_timed(&b, 1, 0, 180);
	put_snapshot(&b, 1, second, 2);
	put_timed(&b, 1, 3, 250);
	put_snapshot(&b, 1, third, 2);
	put_timed(&b, 1, 1, 10);
	expect(&b, "0/2147483648 : x!@1050 x!@1060 x!@170 x!@180 x!@1550 x!@1603\n");
}

/* "Clocks with increments and multipliers count on from their snapshot"; from 64 on they are the
 * sequence's. */
TEST(clocks_of_sequences)
{
	static const struct clock one[] = { { 6, 1000, false, 0 }, { 64, 5, true, 10 } };
	static const struct clock two[] = { { 6, 2000, false, 0 }, { 64, 9, false, 100 } };
	struct bytes b = { .size = 0 };

	put_snapshot(&b, 1, one, 2);
	put_snapshot(&b, 2, two, 2);
	put_timed(&b, 1, 64, 3);
	put_timed(&b, 1, 64, 4);
	put_timed(&b, 2, 64, 10);
	put_timed(&b, 2, 64, 12);
	expect(&b, "0/2147483648 : x!@1030 x!@1070 x!@2100 x!@2300\n");
}

/* Clock 64 is the default of sequence 1, which has no snapshot here. */
TEST(clocks_without_a_snapshot)
{
	struct bytes b = { .size = 0 }, inner = { .size = 0 }, part = { .size = 0 };

	number(&part, 58, 65);
	message(&inner, 59, &part);
	put_packet(&b, 1, 0, 0, &inner);
	put_timed(&b, 1, 0, 3);
	put_timed(&b, 1, 3, 4);
	put_timed(&b, 1, 6, 5);
	put_timed(&b, 2, 0, 6);
	expect_said(&b, "0/2147483648 : x!@3 x!@4 x!@5 x!@6\n", "clock", TL_BAD_RECORD,
		    "2 events of a clock");
}

/* ---- compressed packets ---- */

static void put_compressed(struct bytes *b, const struct bytes *packets, size_t cut)
{
	struct bytes inner = { .size = 0 };
	uint8_t packed[2048];
	uLongf size = sizeof(packed);

	assert_int_equal(compress(packed, &size, packets->data, packets->size), Z_OK);
	block(&inner, 50, packed, size - cut);
	message(b, 1, &inner);
}

TEST(compressed_packets)
{
	struct bytes b = { .size = 0 }, packets = { .size = 0 }, outer = { .size = 0 };

	put_event(&packets, INSTANT, 1, "x", 1);
	put_event(&packets, INSTANT, 1, "y", 2);
	put_compressed(&b, &packets, 0);
	put_event(&b, INSTANT, 1, "z", 3);
	expect(&b, "0/2147483648 : x!@1 y!@2 z!@3\n");
	b.size = 0;
	put_compressed(&b, &packets, 1);
	expect_said(&b, "0/2147483648 : x!@1 y!@2\n", "compressed", TL_BAD_RECORD, "damaged");
	b.size = 0;
	put_compressed(&outer, &packets, 0);
	put_event(&outer, INSTANT, 1, "z", 3);
	put_compressed(&b, &outer, 0);
	expect_said(&b, "0/2147483648 : z!@3\n", "compressed", TL_UNSUPPORTED, "inside of");
	b.size = 0;
	put_event(&b, INSTANT, 1, "z", 3);
	packets.size--;
	put_compressed(&b, &packets, 0);
	expect_said(&b, "0/2147483648 : z!@3 x!@1\n", "packet", TL_TRUNCATED, "cut");
}

/* ---- info and dump ---- */

static uint64_t fact(const struct tl_foreign_file *f, const char *name)
{
	for (unsigned i = 0; i < f->fact_count; i++)
		if (!strcmp(f->facts[i].name, name))
			return f->facts[i].value;
	fail_msg("no fact %s", name);
	return 0;
}

static void put_all_kinds(struct bytes *b)
{
	static const struct clock clock = { 6, 1, false, 0 };
	struct bytes inner = { .size = 0 };

	put_event(b, INSTANT, 1, "x", 1);
	put_thread(b, 7, 100, 101, NULL);
	put_snapshot(b, 2, &clock, 1);
	put_cleared(b, 3, 5, "one", "1.c", 11);
	put_event(b, COUNTER, 1, NULL, 2);
	number(&inner, 900, 1);
	message(b, 1, &inner);
}

TEST(packets_are_counted)
{
	struct bytes b = { .size = 0 };
	struct tl_foreign_file f;

	put_all_kinds(&b);
	assert_int_equal(read_with(&f, &b, everything()), 0);
	assert_int_equal(f.records, 6);
	assert_int_equal(fact(&f, "packets"), 6);
	assert_int_equal(fact(&f, "track_events"), 2);
	assert_int_equal(fact(&f, "counter_values"), 1);
	assert_int_equal(fact(&f, "other_packets"), 1);
	/* Sequence 0 is that of packets without one. */
	assert_int_equal(fact(&f, "sequences"), 4);
	assert_int_equal(fact(&f, "tracks"), 2);
	tl_foreign_end(&f);
	b.size = 0;
	assert_int_equal(read_with(&f, &b, everything()), TL_BAD_FORMAT);
	tl_foreign_end(&f);
}

static void expect_dump(const struct bytes *b, bool json, const char *const *words, size_t count)
{
	struct tl_foreign_options options = everything();
	struct tl_foreign_file f;
	struct tl_output *out;
	size_t size, lines = 0;
	const char *text;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	options.dump = out;
	options.json = json;
	assert_int_equal(read_with(&f, b, options), 0);
	tl_foreign_end(&f);
	tl_output_write(out, "", 1);
	text = tl_output_bytes(out, &size);
	for (; *text; text = strchr(text, '\n') + 1, lines++) {
		assert_true(lines < count);
		assert_non_null(strstr(text, words[lines]));
		assert_true(strstr(text, words[lines]) < strchr(text, '\n'));
	}
	assert_int_equal(lines, count);
	tl_output_discard(out);
}

/* "`dump` has a line a packet." */
TEST(packets_are_listed)
{
	static const char *const text[] = {
		"0x00000000 track_event timestamp 1 trusted_packet_sequence_id 1",
		" track_descriptor timestamp 0 trusted_packet_sequence_id 0",
		" clock_snapshot timestamp 0 trusted_packet_sequence_id 2",
		" interned_data timestamp 0 trusted_packet_sequence_id 3",
		" track_event timestamp 2 trusted_packet_sequence_id 1",
		" other timestamp 0 trusted_packet_sequence_id 0",
	};
	static const char *const json[] = {
		("{\"offset\":0,\"record\":\"track_event\",\"timestamp\":1,"
		 "\"trusted_packet_sequence_id\":1}"),
		"\"record\":\"track_descriptor\"",
		"\"record\":\"clock_snapshot\"",
		"\"record\":\"interned_data\"",
		"\"record\":\"track_event\",\"timestamp\":2",
		"\"record\":\"other\"",
	};
	static const char *const packed[] = { "compressed_packets", "track_event" };
	struct bytes b = { .size = 0 }, packets = { .size = 0 };

	put_all_kinds(&b);
	expect_dump(&b, false, text, 6);
	expect_dump(&b, true, json, 6);
	b.size = 0;
	put_event(&packets, INSTANT, 1, "x", 1);
	put_compressed(&b, &packets, 0);
	expect_dump(&b, true, packed, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_of_tracks),
		cmocka_unit_test(tracks_that_are_no_thread),
		cmocka_unit_test(tracks_around_each_other),
		cmocka_unit_test(a_thread_beside_a_process),
		cmocka_unit_test(filters_of_threads),
		cmocka_unit_test(threads_of_old_traces),
		cmocka_unit_test(interned_names_are_those_of_their_sequence),
		cmocka_unit_test(names_that_are_missing),
		cmocka_unit_test(events_without_their_state),
		cmocka_unit_test(another_way_to_clear),
		cmocka_unit_test(tracks_of_defaults),
		cmocka_unit_test(values_of_counters),
		cmocka_unit_test(events_that_are_no_calls),
		cmocka_unit_test(packets_that_were_dropped),
		cmocka_unit_test(clocks_are_moved_by_snapshots),
		cmocka_unit_test(clocks_of_sequences),
		cmocka_unit_test(clocks_without_a_snapshot),
		cmocka_unit_test(compressed_packets),
		cmocka_unit_test(packets_are_counted),
		cmocka_unit_test(packets_are_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
