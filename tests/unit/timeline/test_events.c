/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stream of events on tracks, with a format that writes down what it is told: drawn events
 * reach the track of their process and thread; times, values as JSON, packed numbers, pieces in
 * the spool and gaps are those of plain computations.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../chance.h"
#include "../unit.h"

#include "timeline/calls/gaps.h"
#include "timeline/calls/spool.h"
#include "timeline/calls/steps.h"
#include "timeline/timeline.h"

/* ---- a format that writes everything down ---- */

enum { EVENTS = 3000, ROUNDS = 60, PROCESSES = 6, THREADS = 80 };

enum kind { NAMED, ENTERED, LEFT, HAPPENED, VALUE };

struct event {
	enum kind kind;
	int64_t process, thread;
	uint32_t track, key, line;
	uint64_t ticks;
	const char *name, *file;
	double value;
	size_t args;
};

struct told {
	struct tl_timeline timeline;
	struct event events[EVENTS];
	size_t count;
	bool ended;
};

struct told_track {
	struct tl_track track;
	unsigned freed, seen;
};

static unsigned freed_tracks, freed_timelines, ended;
static struct event last_told[EVENTS];
static size_t last_count;

static struct event *write_down(struct tl_timeline *timeline, const struct tl_track *track,
				enum kind kind, uint64_t ticks)
{
	struct told *t = (struct told *)timeline;
	struct event *e = &t->events[t->count++];

	assert_true(t->count <= EVENTS);
	/* memory behind the track's head is the format's, and zero at first */
	((struct told_track *)(uintptr_t)track)->seen++;
	*e = (struct event){ .kind = kind,
			     .process = track->process,
			     .thread = track->thread,
			     .track = track->number,
			     .ticks = ticks };
	return e;
}

static bool told_begin(struct tl_timeline *timeline)
{
	return timeline->frequency != 13;
}

static void told_name(struct tl_timeline *timeline, struct tl_track *track, const char *name)
{
	write_down(timeline, track, NAMED, 0)->name = name;
}

static void told_enter(struct tl_timeline *timeline, struct tl_track *track, uint64_t ticks,
		       uint32_t name_key, const char *name, const char *file, uint32_t line,
		       const struct tl_timeline_arg *args, size_t arg_count)
{
	struct event *e = write_down(timeline, track, ENTERED, ticks);

	(void)args;
	e->key = name_key;
	e->name = name;
	e->file = file;
	e->line = line;
	e->args = arg_count;
}

static void told_leave(struct tl_timeline *timeline, struct tl_track *track, uint64_t ticks)
{
	write_down(timeline, track, LEFT, ticks);
}

static void told_instant(struct tl_timeline *timeline, struct tl_track *track, uint64_t ticks,
			 const char *name, const struct tl_timeline_arg *args, size_t arg_count)
{
	struct event *e = write_down(timeline, track, HAPPENED, ticks);

	(void)args;
	e->name = name;
	e->args = arg_count;
}

static void told_counter(struct tl_timeline *timeline, struct tl_track *track, uint64_t ticks,
			 const char *name, double value)
{
	struct event *e = write_down(timeline, track, VALUE, ticks);

	e->name = name;
	e->value = value;
}

static void told_end(struct tl_timeline *timeline)
{
	(void)timeline;
	ended++;
}

static void told_free_track(struct tl_track *track)
{
	assert_true(((struct told_track *)track)->seen > 0);
	freed_tracks++;
}

static void told_free(struct tl_timeline *timeline)
{
	const struct told *t = (struct told *)timeline;

	memcpy(last_told, t->events, t->count * sizeof(t->events[0]));
	last_count = t->count;
	freed_timelines++;
}

static const struct tl_timeline_ops told_ops = {
	.size = sizeof(struct told),
	.track_size = sizeof(struct told_track),
	.begin = told_begin,
	.name = told_name,
	.enter = told_enter,
	.leave = told_leave,
	.instant = told_instant,
	.counter = told_counter,
	.end = told_end,
	.free_track = told_free_track,
	.free = told_free,
};

/* ---- drawn events ---- */

static const char *const words[] = { "a", "b", "main", "" };

static struct event draw_event(uint32_t *seed)
{
	/* threads whose places in a small table are the same: multiples of 64 */
	static const int64_t strides[] = { 1, 64, 320, INT64_C(1) << 40 };
	struct event e = { .kind = (enum kind)chance(seed, 5),
			   .process = (int64_t)chance(seed, PROCESSES) - 1,
			   .ticks = chance_bits(seed) >> chance(seed, 64),
			   .name = words[chance(seed, 4)] };

	e.thread = (int64_t)chance(seed, THREADS) * strides[chance(seed, 4)];
	if (chance(seed, 10) == 0)
		e.thread = -1 - (int64_t)chance(seed, 3);
	if (e.kind == ENTERED) {
		e.key = chance(seed, 9);
		e.file = words[chance(seed, 4)];
		e.line = chance(seed, 3);
		e.args = chance(seed, 3);
	}
	if (e.kind == HAPPENED)
		e.args = chance(seed, 3);
	if (e.kind == VALUE)
		e.value = (double)chance(seed, 100) / 4;
	return e;
}

static void tell(struct tl_timeline *timeline, const struct event *e)
{
	static const struct tl_timeline_arg args[2] = { { .name = "x" }, { .name = "y" } };
	const struct tl_timeline_point at = { e->process, e->thread, e->ticks };

	switch (e->kind) {
	case NAMED:
		tl_timeline_name(timeline, e->process, e->thread, e->name);
		break;
	case ENTERED:
		tl_timeline_enter(timeline, &at, e->key, e->name, e->file, e->line, args, e->args);
		break;
	case LEFT:
		tl_timeline_leave(timeline, &at);
		break;
	case HAPPENED:
		tl_timeline_instant(timeline, &at, e->name, args, e->args);
		break;
	default:
		tl_timeline_counter(timeline, &at, e->name, e->value);
	}
}

/* Tracks by their numbers, which are "in the order of first use". */
struct plain_tracks {
	int64_t process[EVENTS], thread[EVENTS];
	uint32_t count;
};

static uint32_t number_of(struct plain_tracks *t, int64_t process, int64_t thread)
{
	for (uint32_t i = 0; i < t->count; i++)
		if (t->process[i] == process && t->thread[i] == thread)
			return i;
	t->process[t->count] = process;
	t->thread[t->count] = thread;
	return t->count++;
}

TEST(drawn_events_reach_their_tracks)
{
	uint32_t seed = 1;

	for (unsigned round = 0; round < ROUNDS; round++) {
		struct tl_timeline *timeline = tl_timeline_new(&told_ops, NULL);
		static struct plain_tracks tracks;
		const unsigned count = chance(&seed, EVENTS);
		static struct event events[EVENTS];
		bool used = false;

		tracks.count = 0;
		freed_tracks = freed_timelines = ended = 0;
		assert_non_null(timeline);
		assert_int_equal(tl_timeline_begin(timeline, round % 2 ? 1000 : 0, NULL), 0);
		assert_int_equal(timeline->clock_known, round % 2);
		assert_int_equal(timeline->frequency, round % 2 ? 1000 : 1000000000);
		tl_timeline_origin(timeline, 77 + round);
		assert_int_equal(timeline->origin, 77 + round);
		for (unsigned i = 0; i < count; i++) {
			events[i] = draw_event(&seed);
			tell(timeline, &events[i]);
			used |= events[i].kind != NAMED && events[i].kind != LEFT;
		}
		assert_false(tl_timeline_failed(timeline));
		/* "0, 1 if there was no call, no instant and no value" */
		assert_int_equal(tl_timeline_finish(timeline, NULL), !used);
		assert_int_equal(ended, 1);
		assert_int_equal(freed_timelines, 1);
		assert_int_equal(last_count, count);
		for (unsigned i = 0; i < count; i++) {
			const struct event *e = &events[i], *have = &last_told[i];
			/* the track of a process has no thread, whatever negative number it is */
			const int64_t thread = e->thread < 0 ? -1 : e->thread;

			assert_int_equal(have->kind, e->kind);
			assert_true(have->process == e->process);
			assert_true(have->thread == thread);
			assert_int_equal(have->track, number_of(&tracks, e->process, thread));
			assert_true(have->ticks == (e->kind == NAMED ? 0 : e->ticks));
			if (e->kind != LEFT)
				assert_string_equal(have->name, e->name);
			assert_int_equal(have->key, e->key);
			assert_int_equal(have->line, e->line);
			assert_true(have->file == e->file);
			assert_int_equal(have->args, e->args);
			assert_true(have->value == e->value);
		}
		assert_int_equal(freed_tracks, tracks.count);
	}
}

/* A format that cannot begin has no memory; nothing is told to it, and it is freed. */
TEST(a_format_that_cannot_begin)
{
	struct tl_timeline *timeline = tl_timeline_new(&told_ops, NULL);
	const struct tl_timeline_point at = { 1, 2, 3 };

	freed_timelines = ended = 0;
	assert_int_equal(tl_timeline_begin(timeline, 13, NULL), TL_NO_MEMORY);
	assert_true(tl_timeline_failed(timeline));
	tl_timeline_leave(timeline, &at);
	tl_timeline_counter(timeline, &at, "c", 1);
	tl_timeline_instant(timeline, &at, "i", NULL, 0);
	tl_timeline_enter(timeline, &at, 0, "f", "", 0, NULL, 0);
	tl_timeline_name(timeline, 1, 2, "n");
	assert_int_equal(tl_timeline_finish(timeline, NULL), TL_NO_MEMORY);
	assert_int_equal(ended, 0);
	assert_int_equal(freed_timelines, 1);
	assert_int_equal(last_count, 0);
	/* one that was never begun is not ended */
	timeline = tl_timeline_new(&told_ops, NULL);
	assert_int_equal(tl_timeline_finish(timeline, NULL), 1);
	assert_int_equal(ended, 0);
	assert_int_equal(freed_timelines, 2);
}

/* ---- times ---- */

/* "Exact down to a picosecond": ticks * 10^12 / frequency by long division, a digit at a time. */
TEST(ticks_as_seconds_by_long_division)
{
	static const uint64_t frequencies[] = {
		1,
		3,
		1000,
		24000000,
		999999999,
		1000000000,
		2600000000,
		UINT64_C(18446744073),
		UINT64_C(18446744074),
		UINT64_C(1) << 40,
		UINT64_MAX,
	};
	uint32_t seed = 2;

	for (unsigned round = 0; round < 20000; round++) {
		const uint64_t frequency = frequencies[chance(&seed, 11)],
			       ticks = chance_bits(&seed) >> chance(&seed, 64);
		const struct tl_time have = tl_ticks_time(frequency, ticks);
		uint64_t rest = ticks % frequency, ns = 0, ps = 0, all;

		assert_true(have.seconds == ticks / frequency);
		for (int digit = 0; digit < 12; digit++) {
			/* rest * 10 / frequency without a number of more than 64 bits */
			uint64_t sum = 0;
			unsigned times = 0;

			for (int i = 0; i < 10; i++) {
				if (sum >= frequency - rest) {
					sum -= frequency - rest;
					times++;
				} else {
					sum += rest;
				}
			}
			rest = sum;
			*(digit < 9 ? &ns : &ps) = *(digit < 9 ? &ns : &ps) * 10 + times;
		}
		assert_int_equal(have.ns, ns);
		assert_int_equal(have.ps, ps);
		/* "Nanoseconds; UINT64_MAX if they do not fit." */
		if (__builtin_mul_overflow(ticks / frequency, 1000000000, &all) ||
		    __builtin_add_overflow(all, ns, &all))
			continue;
		if (ticks / frequency < UINT64_MAX / 1000000000)
			assert_true(tl_ticks_ns(frequency, ticks) == all);
		else
			assert_true(frequency == 1000000000 ||
				    tl_ticks_ns(frequency, ticks) == UINT64_MAX);
	}
	assert_true(tl_ticks_ns(1, UINT64_MAX) == UINT64_MAX);
	assert_true(tl_ticks_ns(1000000000, UINT64_MAX) == UINT64_MAX);
}

/* ---- values as JSON ---- */

static void put_plain(char *to, const struct tl_timeline_arg *a, size_t most)
{
	switch (a->kind) {
	case TL_ARG_NUMBER:
		sprintf(to, "%" PRIu64, a->number);
		break;
	case TL_ARG_SIGNED:
		sprintf(to, "%" PRId64, (int64_t)a->number);
		break;
	case TL_ARG_HEX:
		sprintf(to, "\"0x%" PRIx64 "\"", a->number);
		break;
	case TL_ARG_REAL:
		sprintf(to, "%g", a->real);
		break;
	default:
		if (a->size <= most)
			sprintf(to, "\"%.*s\"", (int)a->size, (const char *)a->data);
		else
			sprintf(to, "\"%.*s ... (%zu bytes)\"", (int)most, (const char *)a->data,
				a->size);
	}
}

/* "texts and bytes behind so many bytes are cut, which the text then says" */
TEST(drawn_values_as_json)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	uint32_t seed = 3;

	for (unsigned round = 0; round < 4000; round++) {
		struct tl_timeline_arg args[5];
		const size_t count = chance(&seed, 6), most = chance(&seed, 30);
		char wanted[1024] = "{";
		struct tl_output *out;
		const char *have;
		size_t size;

		for (size_t i = 0; i < count; i++) {
			args[i] = (struct tl_timeline_arg){
				.name = words[chance(&seed, 4)],
				.kind = (enum tl_timeline_arg_kind)chance(&seed, 6),
				.number = chance_bits(&seed) >> chance(&seed, 64),
				.data = letters + chance(&seed, 6),
				.size = chance(&seed, 30),
				.real = (double)chance(&seed, 1000) / 8,
			};
			sprintf(wanted + strlen(wanted), "%s\"%s\":", i ? "," : "", args[i].name);
			put_plain(wanted + strlen(wanted), &args[i], most);
		}
		strcat(wanted, "}");
		assert_int_equal(tl_output_open_memory(&out, NULL), 0);
		tl_timeline_put_args(out, args, count, most);
		have = tl_output_bytes(out, &size);
		assert_int_equal(size, strlen(wanted));
		assert_memory_equal(have, wanted, size);
		tl_output_discard(out);
	}
}

/* ---- bytes that are kept ---- */

/* Numbers, bytes and texts behind each other, read back in the same order. */
TEST(packed_values_come_back)
{
	enum { VALUES = 200 };
	uint32_t seed = 4;

	for (unsigned round = 0; round < 200; round++) {
		struct tl_packed packed = { 0 };
		uint64_t numbers[VALUES];
		struct tl_cursor cur;
		uint64_t value;

		for (unsigned i = 0; i < VALUES; i++) {
			numbers[i] = chance_bits(&seed) >> chance(&seed, 64);
			if (i % 3 == 0)
				assert_true(tl_pack_number(&packed, numbers[i]));
			else if (i % 3 == 1)
				assert_true(tl_pack_bytes(&packed, &numbers[i], numbers[i] % 9));
			else
				assert_true(tl_pack_text(&packed, words[numbers[i] % 4]));
		}
		cur = tl_cursor_over(packed.bytes, packed.size);
		for (unsigned i = 0; i < VALUES; i++) {
			if (i % 3 == 0) {
				assert_true(tl_get_varint(&cur, &value));
				assert_true(value == numbers[i]);
			} else if (i % 3 == 1) {
				assert_memory_equal(cur.pos, &numbers[i], numbers[i] % 9);
				cur.pos += numbers[i] % 9;
			} else {
				/* a text is told with its end */
				const char *word = words[numbers[i] % 4];

				assert_true(tl_get_varint(&cur, &value));
				assert_int_equal(value, strlen(word) + 1);
				assert_string_equal((const char *)cur.pos, word);
				cur.pos += value;
			}
		}
		assert_int_equal(tl_cursor_left(&cur), 0);
		free(packed.bytes);
	}
}

/* Steps of any times, of which each begins at or behind the one before, behind other bytes. */
TEST(drawn_steps_come_back)
{
	enum { STEPS = 120 };
	uint32_t seed = 5;

	for (unsigned round = 0; round < 400; round++) {
		struct tl_steps steps = { 0 }, back = { 0 };
		struct tl_packed packed = { 0 };
		const unsigned count = chance(&seed, STEPS);
		uint64_t base = chance(&seed, 1000), now = base;

		for (unsigned i = 0; i < count; i++) {
			const uint64_t passed = chance_bits(&seed) >> (1 + chance(&seed, 63));
			const bool end = chance(&seed, 2);

			now += passed < (UINT64_MAX - now) / 2 ? passed : 0;
			tl_steps_put(&steps,
				     (struct tl_step){
					     .ticks = now,
					     .function = end ? 0
							     : (uint32_t)(chance_bits(&seed) >>
									  (32 + chance(&seed, 32))),
					     .end = end,
					     .flags = (uint8_t)chance(&seed, 8) });
		}
		assert_true(tl_pack_number(&packed, 5));
		assert_true(tl_steps_pack(&steps, base, &packed));
		assert_true(tl_steps_unpack(&back, base, packed.bytes + 1, packed.size - 1));
		assert_int_equal(back.count, count);
		for (unsigned i = 0; i < count; i++) {
			assert_true(back.list[i].ticks == steps.list[i].ticks);
			assert_int_equal(back.list[i].function, steps.list[i].function);
			assert_int_equal(back.list[i].end, steps.list[i].end);
			assert_int_equal(back.list[i].flags, steps.list[i].flags);
		}
		free(packed.bytes);
		free(steps.list);
		free(back.list);
	}
}

/* Pieces of all sizes in a spool, whose memory is bounded; what is left of each can be read. */
TEST(drawn_pieces_in_a_spool)
{
	enum { PIECES = 90, LARGEST = 3 << 20, MEMORY = 8 << 20 };
	static const size_t piece_sizes[] = { 0, 1, 100, 70000, 1 << 20, LARGEST };
	uint8_t *bytes = malloc(LARGEST), *back = malloc(LARGEST);
	uint64_t offsets[PIECES], all = 0;
	size_t sizes[PIECES];
	struct tl_spool spool;
	uint32_t seed = 6;

	assert_true(bytes && back);
	tl_spool_begin(&spool);
	for (unsigned i = 0; i < PIECES; i++) {
		sizes[i] = piece_sizes[chance(&seed, 6)];
		memset(bytes, (int)(i + 1), sizes[i]);
		assert_int_equal(tl_spool_add(&spool, bytes, sizes[i], &offsets[i], NULL), 0);
		assert_true(offsets[i] == all);
		all += sizes[i];
		assert_true(tl_spool_size(&spool) == all);
		/* what would be more than is kept is in the file by then */
		assert_true(spool.used <= MEMORY);
		assert_true(all <= MEMORY ? spool.fd < 0 : spool.fd >= 0);
	}
	assert_true(all > 3 * MEMORY);
	for (unsigned i = 0; i < 300; i++) {
		const unsigned piece = chance(&seed, PIECES);
		const uint64_t left = tl_spool_left(&spool, offsets[piece]);

		assert_true(left >= sizes[piece]);
		assert_int_equal(tl_spool_read(&spool, offsets[piece], back, sizes[piece], NULL),
				 0);
		for (size_t n = 0; n < sizes[piece]; n += 997)
			assert_int_equal(back[n], (uint8_t)(piece + 1));
		/* one byte more than is left is no piece */
		if (left < LARGEST)
			assert_int_equal(
				tl_spool_read(&spool, offsets[piece], back, (size_t)left + 1, NULL),
				TL_BAD_SIZE);
	}
	tl_spool_free(&spool);
	free(bytes);
	free(back);
}

/* Gaps become one with their neighbours where there are too many: sums and borders stay. */
TEST(drawn_gaps_are_joined_in_their_order)
{
	uint32_t seed = 7;

	for (unsigned count = 1; count < 5 * TL_MOST_GAPS; count = count * 3 + 5) {
		struct tl_call_gaps gaps = { 0 };
		uint64_t now = 0, length = 0, all = 0, last = 0;

		for (unsigned i = 0; i < count; i++) {
			struct tl_call_gap gap = { .from = now += chance(&seed, 10),
						   .offset = i,
						   .length = chance(&seed, 100),
						   .count = 1,
						   .text = "lost" };

			gap.to = gap.from + chance(&seed, 30);
			last = gap.to > last ? gap.to : last;
			length += gap.length;
			assert_true(tl_call_gaps_add(&gaps, &gap));
			assert_in_range(gaps.count, 1, TL_MOST_GAPS);
		}
		if (count <= TL_MOST_GAPS)
			assert_int_equal(gaps.count, count);
		for (size_t i = 0; i < gaps.count; i++) {
			const struct tl_call_gap *g = &gaps.list[i];

			/* of the first of them; those before are as many as were told before */
			assert_int_equal(g->offset, all);
			assert_true(g->from <= g->to && g->count >= 1);
			assert_true(!i || g->from >= gaps.list[i - 1].from);
			length -= g->length;
			all += g->count;
			if (g->to > last)
				fail_msg("a gap ends behind all that were told");
		}
		assert_int_equal(all, count);
		assert_int_equal(length, 0);
		tl_call_gaps_free(&gaps);
		assert_null(gaps.list);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drawn_events_reach_their_tracks),
		cmocka_unit_test(a_format_that_cannot_begin),
		cmocka_unit_test(ticks_as_seconds_by_long_division),
		cmocka_unit_test(drawn_values_as_json),
		cmocka_unit_test(packed_values_come_back),
		cmocka_unit_test(drawn_steps_come_back),
		cmocka_unit_test(drawn_pieces_in_a_spool),
		cmocka_unit_test(drawn_gaps_are_joined_in_their_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
