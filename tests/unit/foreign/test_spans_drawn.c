/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls over time that are drawn as a tree, and put in any order, as begins and ends or whole: what
 * becomes of them on a timeline, in a list, in a profile, in a table and as stacks is told from the
 * tree, where each call knows the one around it.
 */
#include "path_sums.h"

#include "../execution.h"
#include "../told_timeline.h"

#include "foreign/span_calls.h"
#include "timeline/calls/stream.h"

/* Threads 11 and 12 of process 1, thread 13 of process 2. */
static int64_t process_of(unsigned thread)
{
	return thread < 2 ? 1 : 2;
}

/* ---- the file ---- */

static const struct tl_foreign_reader nobody = { .format = "drawn" };

/* Frame i is "a", "b", ...; odd ones are of "lib", and the third one has a file. */
static void add_frames(struct tl_foreign_file *file)
{
	const uint32_t lib = tl_names_add(&file->stacks.names, "lib", 3),
		       source = tl_names_add(&file->stacks.names, "c.c", 3);

	for (unsigned i = 0; i < EXECUTION_FRAMES; i++) {
		const char name = (char)('a' + i);
		const struct tl_foreign_frame frame = {
			.name = tl_names_add(&file->stacks.names, &name, 1),
			.object = i % 2 ? lib : 0,
			.file = i == 2 ? source : 0,
			.line = i == 2 ? 42 : 0,
		};

		assert_int_equal(tl_foreign_stacks_frame(&file->stacks, &frame), i);
	}
}

/* Mark i says as many things as i has below 4: a number, a real one, a text. */
static void add_mark(struct tl_foreign_file *file, struct tl_foreign_thread *thread, unsigned mark,
		     int64_t ticks)
{
	const struct tl_foreign_argument said[] = {
		{ .name = tl_names_add(&file->stacks.names, "n", 1),
		  .kind = TL_FOREIGN_WHOLE,
		  .whole = -(int64_t)mark },
		{ .name = tl_names_add(&file->stacks.names, "r", 1),
		  .kind = TL_FOREIGN_REAL,
		  .real = mark + 0.5 },
		{ .name = tl_names_add(&file->stacks.names, "t", 1),
		  .kind = TL_FOREIGN_TEXT,
		  .text = tl_names_add(&file->stacks.names, "text", mark % 4) },
	};

	assert_true(
		tl_foreign_spans_add(thread, ticks, TL_FOREIGN_INSTANT, mark % EXECUTION_FRAMES));
	if (mark % 4)
		assert_true(tl_foreign_payload_add(&file->spans, thread, said, mark % 4));
}

static void add_step(struct tl_foreign_file *file, const struct execution *d,
		     const struct execution_step *step)
{
	const struct execution_call *call = &d->calls[step->number];
	const uint32_t number =
		tl_foreign_spans_thread(&file->spans, process_of(step->thread), 11 + step->thread);
	struct tl_foreign_thread *thread = &file->spans.threads[number];

	if (step->kind == STEP_MARK)
		add_mark(file, thread, step->number, step->ticks);
	else if (step->kind == STEP_ENTER)
		assert_true(tl_foreign_spans_add(thread, call->begin,
						 call->odd ? (uint64_t)(call->end - call->begin)
							   : TL_FOREIGN_BEGIN,
						 call->frame));
	else if (!call->odd)
		/* Every other end does not say of what it is one. */
		assert_true(tl_foreign_spans_add(thread, call->end, TL_FOREIGN_END,
						 step->number % 2 ? call->frame : TL_NONE));
}

/* On the heap, as the source of its calls wants it. Steps come in any order. */
static struct tl_foreign_file *make_file(const struct execution *d, uint32_t *seed,
					 const struct tl_foreign_options *options)
{
	static unsigned order[2 * EXECUTION_CALLS + EXECUTION_MARKS];
	struct tl_foreign_file *file = malloc(sizeof(*file));
	struct tl_foreign_thread *alone;
	uint32_t number;

	assert_non_null(file);
	assert_true(tl_foreign_begin(file, &nobody, options));
	file->frequency = 1000;
	add_frames(file);
	/* In the order of their numbers; the second one has a name, and so has process 2. */
	for (unsigned i = 0; i < EXECUTION_THREADS; i++)
		assert_int_equal(tl_foreign_spans_thread(&file->spans, process_of(i), 11 + i), i);
	file->spans.threads[1].command = tl_names_add(&file->stacks.names, "worker", 6);
	number = tl_foreign_spans_thread(&file->spans, 2, TL_FOREIGN_PROCESS);
	alone = &file->spans.threads[number];
	alone->command = tl_names_add(&file->stacks.names, "prog", 4);
	chance_order(seed, order, d->step_count);
	for (unsigned i = 0; i < d->step_count; i++)
		add_step(file, d, &d->steps[order[i]]);
	return file;
}

static void end_file(struct tl_foreign_file *file)
{
	tl_foreign_end(file);
	free(file);
}

/* ---- what is chosen ---- */

struct choice {
	unsigned from, to; /* milliseconds from the first step on, which are ticks; to 0: no end */
	uint32_t depth;    /* 0: all */
	const char *function, *object;
	bool accepted[EXECUTION_FRAMES];
	uint64_t process, thread;
};

#define ALL true, true, true, true, true, true, true

static const struct choice choices[] = {
	{ 0, 0, 0, NULL, NULL, { ALL }, TL_NOWHERE, TL_NOWHERE },
	{ 40, 0, 0, NULL, NULL, { ALL }, TL_NOWHERE, TL_NOWHERE },
	{ 0, 300, 0, NULL, NULL, { ALL }, 1, TL_NOWHERE },
	{ 77, 401, 3, NULL, NULL, { ALL }, TL_NOWHERE, TL_NOWHERE },
	{ 0, 0, 1, NULL, NULL, { ALL }, TL_NOWHERE, 12 },
	{ 0, 0, 2, "^[bd]$", NULL, { false, true, false, true }, TL_NOWHERE, TL_NOWHERE },
	{ 9, 500, 0, NULL, "lib", { false, true, false, true, false, true }, 2, 13 },
	{ 0, 0, 4, "[a-d]", "^$", { true, false, true }, TL_NOWHERE, TL_NOWHERE },
	{ 0, 0, 0, NULL, NULL, { ALL }, 2, 11 },
};

enum { CHOICES = sizeof(choices) / sizeof(choices[0]) };

static struct tl_foreign_options options_of(const struct choice *c)
{
	return (struct tl_foreign_options){ .process = c->process,
					    .thread = c->thread,
					    .from_seconds = c->from / 1000.0,
					    .to_seconds = c->to / 1000.0,
					    .function = c->function,
					    .object = c->object };
}

static bool wants_thread(const struct choice *c, unsigned thread)
{
	return (c->process == TL_NOWHERE || c->process == (uint64_t)process_of(thread)) &&
	       (c->thread == TL_NOWHERE || c->thread == 11 + thread);
}

static bool in_window(const struct execution *d, const struct choice *c, int64_t ticks)
{
	const int64_t passed = ticks - d->least;

	return passed >= c->from && (!c->to || passed < c->to);
}

/* ---- timelines ---- */

/* Depths count the shown calls around a call alone. */
static bool is_shown(const struct execution *d, const struct choice *c, int number, unsigned *depth)
{
	const struct execution_call *call = &d->calls[number];
	unsigned around = 0;

	if (call->around >= 0 && is_shown(d, c, call->around, &around))
		around++;
	*depth = around;
	return in_window(d, c, call->begin) && c->accepted[call->frame] &&
	       (!c->depth || around < c->depth);
}

static void tell_mark(struct tl_output *out, const struct execution *d,
		      const struct execution_step *at)
{
	static const char *const texts[] = { "", "t", "te", "tex" };
	const int n = (int)at->number;

	tl_put_format(out, "instant %d %d %c", 11 + (int)at->thread,
		      (int)(at->ticks + (int64_t)d->base), 'a' + n % EXECUTION_FRAMES);
	if (n % 4 > 0)
		tl_put_format(out, " n=%d", -n);
	if (n % 4 > 1)
		tl_put_format(out, " r=%d.5", n);
	if (n % 4 > 2)
		tl_put_format(out, " t=%s", texts[n % 4]);
	tl_put_char(out, '\n');
}

static void tell_step(struct tl_output *out, const struct execution *d, const struct choice *c,
		      const struct execution_step *at)
{
	const int ticks = (int)(at->ticks + (int64_t)d->base), thread = 11 + (int)at->thread;
	const struct execution_call *call = &d->calls[at->number];
	unsigned depth;

	if (at->kind == STEP_MARK) {
		if (in_window(d, c, at->ticks))
			tell_mark(out, d, at);
	} else if (!is_shown(d, c, (int)at->number, &depth)) {
		return;
	} else if (at->kind == STEP_LEAVE) {
		tl_put_format(out, "leave %d %d\n", thread, ticks);
	} else {
		tl_put_format(out, "enter %d %d %c%s\n", thread, ticks, 'a' + (int)call->frame,
			      call->frame == 2 ? " (c.c:42)" : "");
	}
}

/* The process is named where a thread without calls may say so: with the first filter alone. */
static void tell(struct tl_output *out, const struct execution *d, const struct choice *c)
{
	unsigned before = EXECUTION_THREADS;

	tl_put_text(out, "begin 1000\n");
	if ((c->process == TL_NOWHERE || c->process == 2) && c->thread == TL_NOWHERE)
		tl_put_text(out, "name 2/-1 prog\n");
	for (unsigned i = 0; i < d->step_count; i++) {
		const unsigned thread = d->steps[i].thread;

		if (!wants_thread(c, thread))
			continue;
		if (thread == 1 && before != 1)
			tl_put_text(out, "name 1/12 worker\n");
		before = thread;
		tell_step(out, d, c, &d->steps[i]);
	}
	tl_put_format(out, "end, origin %d\n", (int)d->origin);
}

static void assert_timeline(const struct execution *d, const struct choice *c, uint32_t *seed)
{
	const struct tl_foreign_options options = options_of(c);
	struct tl_foreign_file *file = make_file(d, seed, &options);
	struct tl_timeline *timeline;
	struct tl_output *have, *wanted;

	assert_int_equal(tl_output_open_memory(&have, NULL), 0);
	assert_int_equal(tl_output_open_memory(&wanted, NULL), 0);
	timeline = tl_timeline_new(&told_ops, have);
	assert_non_null(timeline);
	assert_int_equal(tl_foreign_timeline(file, c->depth, timeline, NULL), 0);
	assert_true(tl_timeline_finish(timeline, NULL) >= 0);
	tell(wanted, d, c);
	assert_string_equal(told_text(have), told_text(wanted));
	assert_int_equal(file->faults.count, 0);
	tl_output_discard(have);
	tl_output_discard(wanted);
	end_file(file);
}

static struct execution drawn;

/* Times before the origin of time are moved to it, so that the first of them is 0. */
static const int64_t first_ticks[] = { 1000, 0, -500, -100000 };

/* Each choice of `rounds` drawings, of which each has more calls than the one before. */
static void each_choice(unsigned rounds, unsigned first, unsigned more,
			void (*assert_choice)(const struct execution *, const struct choice *,
					      uint32_t *))
{
	uint32_t seed = rounds;

	for (unsigned round = 0; round < rounds; round++)
		for (unsigned i = 0; i < CHOICES; i++) {
			execution_draw(&drawn, &seed, first + more * round, first_ticks[round % 4]);
			assert_choice(&drawn, &choices[i], &seed);
		}
}

TEST(timelines_of_drawn_calls)
{
	each_choice(40, 3, 1, assert_timeline);
}

/* ---- counters ---- */

/*
 * Values of two counters, in any order: they come counter by counter, by time, those of one time in
 * the order of the input. A value before the first call is at the begin of the timeline.
 */
TEST(counters_come_in_the_order_of_time)
{
	static const char begins[] = "begin 1000\nenter 1 %d a\nleave 1 %d\n"
				     "counter -1 %d x 1\ncounter -1 %d x 2\ncounter -1 %d x 3\n"
				     "counter -1 %d x 4\ncounter 1 %d y 5\ncounter -1 %d y 6\n"
				     "end, origin %d\n";
	static const int64_t firsts[] = { 100, -100 };

	for (unsigned i = 0; i < 2; i++) {
		const int64_t first = firsts[i], base = first < 0 ? -first : 0, at = first + base;
		const struct tl_foreign_options options = text_options();
		struct tl_foreign_file file;
		struct tl_timeline *timeline;
		struct tl_output *out;
		uint32_t x, y, z;
		char wanted[512];

		assert_true(tl_foreign_begin(&file, &nobody, &options));
		file.frequency = 1000;
		add_frames(&file);
		tl_foreign_spans_thread(&file.spans, 1, 1);
		assert_true(tl_foreign_spans_add(&file.spans.threads[0], first, 50, 0));
		x = tl_foreign_counter(&file.counters, 1, TL_FOREIGN_PROCESS,
				       tl_names_add(&file.stacks.names, "x", 1));
		y = tl_foreign_counter(&file.counters, 1, 1,
				       tl_names_add(&file.stacks.names, "y", 1));
		z = tl_foreign_counter(&file.counters, -7, TL_FOREIGN_PROCESS,
				       tl_names_add(&file.stacks.names, "y", 1));
		assert_true(x != y && y != z && x != z);
		assert_int_equal(tl_foreign_counter(&file.counters, 1, 1,
						    tl_names_add(&file.stacks.names, "y", 1)),
				 y);
		assert_true(tl_foreign_counters_add(&file.counters, y, first + 7, 5));
		assert_true(tl_foreign_counters_add(&file.counters, x, first + 20, 3));
		assert_true(tl_foreign_counters_add(&file.counters, z, first, 6));
		assert_true(tl_foreign_counters_add(&file.counters, x, first + 20, 4));
		assert_true(tl_foreign_counters_add(&file.counters, x, first + 10, 2));
		/* before the first call: only below zero is there no such time */
		assert_true(tl_foreign_counters_add(&file.counters, x, first - 30, 1));
		assert_int_equal(tl_output_open_memory(&out, NULL), 0);
		timeline = tl_timeline_new(&told_ops, out);
		assert_int_equal(tl_foreign_timeline(&file, 0, timeline, NULL), 0);
		assert_int_equal(tl_timeline_finish(timeline, NULL), 0);
		snprintf(wanted, sizeof(wanted), begins, (int)at, (int)at + 50,
			 first < 0 ? 0 : (int)at - 30, (int)at + 10, (int)at + 20, (int)at + 20,
			 (int)at + 7, (int)at, (int)at);
		assert_string_equal(told_text(out), wanted);
		tl_output_discard(out);
		tl_foreign_end(&file);
	}
}

/* ---- the list of calls ---- */

/* Thread by thread, by begin; filters take calls away, and leave depths as they are. */
static void assert_calls(const struct execution *d, const struct choice *c, uint32_t *seed)
{
	const struct tl_calls_options all = { .size = sizeof(all), .to = UINT64_MAX };
	const struct tl_foreign_options options = options_of(c);
	struct tl_call_source source;
	struct tl_call_function f;
	const struct tl_call *call;
	struct tl_calls *calls;

	assert_int_equal(tl_foreign_call_source(make_file(d, seed, &options), &source, NULL), 0);
	assert_int_equal(source.origin, d->origin);
	assert_int_equal(source.filtered, c->function || c->object);
	assert_int_equal(tl_calls_open(&calls, &source, &all, NULL), 0);
	for (unsigned i = 0; i < d->count; i++) {
		const struct execution_call *wanted = &d->calls[i];
		int64_t self = wanted->end - wanted->begin;

		if (!wants_thread(c, wanted->thread) || !c->accepted[wanted->frame])
			continue;
		assert_int_equal(tl_calls_next(calls, &call, NULL), 1);
		assert_int_equal(call->start, (uint64_t)wanted->begin + d->base);
		assert_int_equal(call->end, (uint64_t)wanted->end + d->base);
		assert_int_equal(call->depth, wanted->depth);
		assert_int_equal(call->process, process_of(wanted->thread));
		assert_int_equal(call->thread, 11 + wanted->thread);
		assert_int_equal(call->flags, 0);
		for (unsigned n = i + 1; n < d->count && d->calls[n].depth > wanted->depth; n++)
			if (d->calls[n].around == (int)i)
				self -= d->calls[n].end - d->calls[n].begin;
		assert_int_equal(call->self, self);
		assert_int_equal(tl_calls_function(calls, call->function, &f, sizeof(f), NULL), 0);
		assert_int_equal(f.name[0], 'a' + wanted->frame);
		assert_string_equal(f.object, wanted->frame % 2 ? "lib" : "");
		assert_int_equal(f.line, wanted->frame == 2 ? 42 : 0);
	}
	assert_int_equal(tl_calls_next(calls, &call, NULL), 0);
	tl_calls_close(calls);
}

/* Leaves hold 8192 steps: each thread of the last round has 10000. */
TEST(lists_of_drawn_calls)
{
	uint32_t seed = 2;

	each_choice(12, 1, 5, assert_calls);
	execution_draw(&drawn, &seed, EXECUTION_CALLS / EXECUTION_THREADS, -7);
	assert_calls(&drawn, &choices[0], &seed);
}

/* ---- profiles ---- */

static void add_selves(struct path_sums *sums, const struct execution *d, const struct choice *c,
		       unsigned thread)
{
	if (wants_thread(c, thread))
		execution_selves(sums, d, thread, d->least + c->from,
				 c->to ? d->least + c->to : INT64_MAX);
}

/* Each part of the profile is a thread; those that a filter takes away are none. */
static void assert_profile(const struct execution *d, const struct choice *c, uint32_t *seed)
{
	const struct tl_foreign_options options = options_of(c);
	struct tl_foreign_file *file;
	struct tl_foreign_options per_thread = options;
	struct tl_profile *profile;
	uint32_t part = 0;

	per_thread.per_thread = true;
	file = make_file(d, seed, &per_thread);
	assert_int_equal(tl_foreign_fold(file, &profile, NULL), 0);
	assert_int_equal(tl_profile_frequency(profile), 1000);
	for (unsigned thread = 0; thread < EXECUTION_THREADS; thread++) {
		struct path_sums wanted = { NULL, 0 };

		if (!wants_thread(c, thread))
			continue;
		assert_int_equal(tl_profile_part(profile, part)->process, process_of(thread));
		assert_int_equal(tl_profile_part(profile, part)->thread, 11 + thread);
		assert_string_equal(tl_profile_part(profile, part)->command,
				    thread == 1 ? "worker" : "");
		add_selves(&wanted, d, c, thread);
		path_sums_expect_profile(&wanted, profile, part++, 0, "a thread");
		path_sums_free(&wanted);
	}
	assert_int_equal(tl_profile_part_count(profile), part);
	tl_profile_free(profile);
	end_file(file);
}

TEST(profiles_of_drawn_calls)
{
	each_choice(12, 2, 4, assert_profile);
}

/* Calls without a frequency are no times, and have no window. */
TEST(calls_without_times_have_no_window)
{
	const struct tl_foreign_options options = { .process = TL_NOWHERE,
						    .thread = TL_NOWHERE,
						    .from_seconds = 1 };
	struct tl_foreign_file *file;
	struct tl_profile *profile = NULL;
	struct tl_error err;
	uint32_t seed = 4;

	execution_draw(&drawn, &seed, 5, 0);
	file = make_file(&drawn, &seed, &options);
	file->frequency = 0;
	assert_int_equal(tl_foreign_fold(file, &profile, &err), TL_BAD_USAGE);
	assert_non_null(strstr(err.text, "no times to choose by"));
	assert_null(profile);
	file->options.from_seconds = 0;
	assert_int_equal(tl_foreign_fold(file, &profile, &err), 0);
	assert_string_equal(tl_profile_event(profile, 0)->name, "weight");
	tl_profile_free(profile);
	end_file(file);
}

/* ---- tables of functions ---- */

static void assert_table(const struct execution *d, const struct choice *c,
			 const struct tl_profile *profile)
{
	for (unsigned frame = 0; frame < EXECUTION_FRAMES; frame++) {
		struct tl_function_totals totals;
		uint64_t calls = 0;
		int64_t self = 0, inclusive = 0;

		for (unsigned i = 0; i < d->count; i++) {
			const struct execution_call *call = &d->calls[i];
			const int64_t length = call->end - call->begin;

			if (!wants_thread(c, call->thread))
				continue;
			if (call->around >= 0 && d->calls[call->around].frame == frame)
				self -= length;
			if (call->frame != frame)
				continue;
			calls++;
			self += length;
			inclusive += execution_is_outermost(d, i) ? length : 0;
		}
		assert_int_equal(tl_profile_function_totals(profile, frame, TL_NONE, &totals,
							    sizeof(totals)),
				 0);
		assert_int_equal(tl_profile_function(profile, frame)->name[0], 'a' + frame);
		assert_int_equal(totals.calls, calls);
		assert_int_equal(totals.self[0], self);
		assert_int_equal(totals.inclusive[0], inclusive);
	}
}

/* With call paths and without; the first and the last step of each thread are its part's. */
TEST(tables_of_drawn_calls)
{
	uint32_t seed = 6;

	for (unsigned round = 0; round < 24; round++) {
		const struct choice *c = &choices[round % 2 ? 0 : 4];
		struct tl_foreign_options options = options_of(c);

		execution_draw(&drawn, &seed, 2 + 6 * round, first_ticks[round % 4]);
		for (unsigned flat = 0; flat < 2; flat++) {
			struct tl_foreign_file *file;
			struct tl_profile *profile;
			uint32_t part = 0;

			options.table = flat;
			file = make_file(&drawn, &seed, &options);
			assert_int_equal(tl_foreign_fold(file, &profile, NULL), 0);
			assert_int_equal(tl_profile_flat(profile), flat);
			assert_table(&drawn, c, profile);
			for (unsigned thread = 0; thread < EXECUTION_THREADS; thread++) {
				int64_t first = INT64_MAX, last = INT64_MIN;
				uint64_t records = 0;

				if (!wants_thread(c, thread))
					continue;
				for (unsigned i = 0; i < drawn.step_count; i++) {
					const struct execution_step *at = &drawn.steps[i];

					if (at->thread != thread || at->kind == STEP_MARK)
						continue;
					first = records ? first : at->ticks;
					last = at->ticks;
					records++;
				}
				assert_int_equal(tl_profile_part(profile, part)->records, records);
				assert_int_equal(tl_profile_part(profile, part)->first_ticks,
						 first + (int64_t)drawn.base);
				assert_int_equal(tl_profile_part(profile, part++)->last_ticks,
						 last + (int64_t)drawn.base);
			}
			tl_profile_free(profile);
			end_file(file);
		}
	}
}

/* An end without a begin is a record of its thread, whose first time it may be. */
TEST(ends_without_begins_have_their_times)
{
	for (unsigned flat = 0; flat < 2; flat++) {
		struct tl_foreign_options options = text_options();
		struct tl_foreign_thread *thread;
		struct tl_foreign_file file;
		struct tl_profile *profile;
		const struct tl_part *part;

		options.table = flat;
		assert_true(tl_foreign_begin(&file, &nobody, &options));
		add_frames(&file);
		assert_int_equal(tl_foreign_spans_thread(&file.spans, 1, 1), 0);
		thread = &file.spans.threads[0];
		assert_true(tl_foreign_spans_add(thread, -10, TL_FOREIGN_END, 0));
		assert_true(tl_foreign_spans_add(thread, -5, 4, 1));
		assert_true(tl_foreign_spans_add(thread, 3, TL_FOREIGN_END, 1));
		assert_int_equal(tl_foreign_fold(&file, &profile, NULL), 0);
		part = tl_profile_part(profile, 0);
		assert_int_equal(part->first_ticks, 0);
		assert_int_equal(part->last_ticks, 13);
		assert_int_equal(part->records, 4);
		assert_int_equal(part->losses.orphan_exits, 2);
		assert_int_equal(tl_profile_total(profile)[0], 4);
		assert_int_equal(file.faults.count, 1);
		tl_profile_free(profile);
		tl_foreign_end(&file);
	}
}

/* ---- stacks ---- */

/* Calls become costs of one event of a part, beside what the part has already. */
TEST(drawn_calls_as_stacks)
{
	uint32_t seed = 7;

	for (unsigned round = 0; round < 24; round++) {
		const struct tl_foreign_options options = options_of(&choices[0]);
		struct tl_foreign_walk met = { 0 };
		struct tl_foreign_file *file;
		struct tl_profile *profile;
		uint32_t event, root;

		execution_draw(&drawn, &seed, 2 + 4 * round, first_ticks[round % 4]);
		file = make_file(&drawn, &seed, &options);
		tl_foreign_stacks_event(&file->stacks, "samples", 7, "");
		event = tl_foreign_stacks_event(&file->stacks, "time", 4, "ticks");
		for (unsigned thread = 0; thread < EXECUTION_THREADS; thread++) {
			const struct tl_foreign_part part = { .process = 5, .thread = thread };

			assert_int_equal(tl_foreign_stacks_part(&file->stacks, &part), thread);
			root = tl_foreign_stacks_child(&file->stacks, 0, thread);
			assert_true(tl_foreign_stacks_count(
				&file->stacks, tl_foreign_stacks_child(&file->stacks, root, 0), 0,
				100 + thread));
			assert_int_equal(
				tl_foreign_spans_as_stacks(file, thread, thread, event, &met, NULL),
				0);
		}
		assert_int_equal(met.cut + met.orphans + met.overlaps + met.open, 0);
		assert_int_equal(tl_foreign_fold_stacks(file, &profile, NULL), 0);
		assert_int_equal(tl_profile_part_count(profile), EXECUTION_THREADS);
		for (unsigned thread = 0; thread < EXECUTION_THREADS; thread++) {
			struct path_sums wanted = { NULL, 0 }, samples = { NULL, 0 };

			add_selves(&wanted, &drawn, &choices[0], thread);
			path_sums_add(&samples, "a", 100 + thread);
			path_sums_expect_profile(&samples, profile, thread, 0, "samples");
			path_sums_expect_profile(&wanted, profile, thread, event, "time");
			path_sums_free(&wanted);
			path_sums_free(&samples);
		}
		tl_profile_free(profile);
		end_file(file);
	}
}

/* ---- names and numbers ---- */

/* A frame of a name alone has one number, however it is asked for, also behind many names. */
TEST(frames_of_names)
{
	enum { NAMES = 5000 };
	struct tl_foreign_stacks s;
	uint32_t frames[NAMES];
	char name[16];

	assert_true(tl_foreign_stacks_begin(&s));
	for (unsigned pass = 0; pass < 2; pass++)
		for (unsigned i = 0; i < NAMES; i++) {
			const int size = snprintf(name, sizeof(name), "f%u", i * 7919 % NAMES);
			const uint32_t frame = tl_foreign_stacks_named(&s, name, (size_t)size);
			const struct tl_foreign_frame alone = {
				.name = tl_names_add(&s.names, name, (size_t)size)
			};

			if (!pass)
				frames[i] = frame;
			assert_int_equal(frame, pass ? frames[i] : i);
			assert_int_equal(tl_foreign_stacks_of_name(&s, alone.name), frame);
			assert_int_equal(tl_foreign_stacks_frame(&s, &alone), frame);
			assert_string_equal(s.names.names[s.frames[frame].name].text, name);
		}
	assert_int_equal(s.frame_count, NAMES);
	tl_foreign_stacks_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(timelines_of_drawn_calls),
		cmocka_unit_test(counters_come_in_the_order_of_time),
		cmocka_unit_test(lists_of_drawn_calls),
		cmocka_unit_test(profiles_of_drawn_calls),
		cmocka_unit_test(calls_without_times_have_no_window),
		cmocka_unit_test(tables_of_drawn_calls),
		cmocka_unit_test(ends_without_begins_have_their_times),
		cmocka_unit_test(drawn_calls_as_stacks),
		cmocka_unit_test(frames_of_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
