/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executions that are drawn and written as traces, of each mode and version, in both byte orders,
 * in buffers of any size that take turns: shares, lists, timelines, records and what is written of
 * them again are told from the calls that were drawn.
 */
#define EXECUTION_NAMES "#1", "#2", "#3", "#4", "#5", "#6", "#7"

#include "folds.h"

#include "../execution.h"
#include "../told_timeline.h"

#include "timeline/calls/stream.h"
#include "xray/calls/source.h"
#include "xray/listing/timeline.h"
#include "xray/records/reader.h"

/* How a trace is written. */
struct form {
	unsigned mode, version;
	bool big;
};

static const struct form forms[] = {
	{ FDR, 5, false }, { FDR, 5, true },    { FDR, 4, false },  { FDR, 3, true },
	{ FDR, 3, false }, { BASIC, 3, false }, { BASIC, 3, true }, { FDR, 4, true },
};

enum { FORMS = sizeof(forms) / sizeof(forms[0]) };

/* Times that fit into 32 bits, that pass beyond these, and that are far behind them. */
static const int64_t first_ticks[] = { 1000, 4294960000, 90000000000 };

/* Of each step: the processor, and when its buffer begins. */
static unsigned cpus[2 * EXECUTION_CALLS + EXECUTION_MARKS];
static uint64_t begins[2 * EXECUTION_CALLS + EXECUTION_MARKS];

static int32_t process_of(unsigned thread)
{
	return thread < 2 ? 1 : 2;
}

static int32_t id_of(unsigned thread)
{
	return 11 + (int32_t)thread;
}

/* ---- writing ---- */

static struct bytes b;
static struct execution drawn;

/* The argument of a call, and the text of an event, are its number. */
static unsigned action_of(const struct execution_step *step, uint32_t *seed)
{
	if (step->kind == STEP_ENTER)
		return drawn.calls[step->number].odd ? ENTER_ARGS : ENTER;
	return chance(seed, 4) ? EXIT : TAIL_EXIT;
}

static void put_mark(const struct execution_step *step, uint64_t delta, unsigned cpu)
{
	const uint64_t text = '0' + step->number;

	/* Version 5 has the step from the record before, the others the time itself. */
	if (b.version == 5 && step->number % 2)
		put_typed(&b, (int32_t)delta, 7, &(const uint8_t){ (uint8_t)text }, 1);
	else
		put_custom(&b, b.version == 5 ? delta : (uint64_t)step->ticks, (uint16_t)cpu,
			   &(const uint8_t){ (uint8_t)text }, 1);
}

/* Steps [first, end) as a block, which begins with the time of the first one. */
static void put_block(uint32_t *seed, unsigned first, unsigned end)
{
	const unsigned thread = drawn.steps[first].thread;
	uint64_t base = (uint64_t)drawn.steps[first].ticks;
	const size_t start = begin_block(&b, process_of(thread), id_of(thread), base);
	unsigned cpu = 1;

	for (unsigned i = first; i < end; i++) {
		const struct execution_step *step = &drawn.steps[i];
		const uint64_t now = (uint64_t)step->ticks;

		if (chance(seed, 9) == 0)
			put_new_cpu(&b, (uint16_t)(cpu = chance(seed, 3)), base = now);
		if (chance(seed, 9) == 0)
			put_tsc_wrap(&b, base = now);
		cpus[i] = cpu;
		begins[i] = (uint64_t)drawn.steps[first].ticks;
		if (step->kind == STEP_MARK) {
			put_mark(step, now - base, cpu);
			base = b.version == 5 ? now : base;
			continue;
		}
		put_function(&b, action_of(step, seed), drawn.calls[step->number].frame + 1,
			     (uint32_t)(now - base));
		if (step->kind == STEP_ENTER && drawn.calls[step->number].odd)
			put_argument(&b, step->number);
		base = now;
	}
	end_block(&b, start);
}

static void put_basic_steps(uint32_t *seed, unsigned first, unsigned end)
{
	for (unsigned i = first; i < end; i++) {
		const struct execution_step *step = &drawn.steps[i];
		const struct execution_call *call = &drawn.calls[step->number];
		const int32_t thread = id_of(step->thread), process = process_of(step->thread);

		/* There are no events in this mode. */
		if (step->kind == STEP_MARK)
			continue;
		cpus[i] = chance(seed, 3);
		put_basic(&b, (uint8_t)cpus[i], action_of(step, seed), (int32_t)call->frame + 1,
			  (uint64_t)step->ticks, thread, process);
		if (step->kind == STEP_ENTER && call->odd)
			put_basic_argument(&b, (int32_t)call->frame + 1, thread, process,
					   step->number);
	}
}

/* Threads take turns, by blocks of up to so many steps. */
static void put_trace(const struct form *form, uint32_t *seed, unsigned most)
{
	unsigned at[EXECUTION_THREADS], ends[EXECUTION_THREADS], left = drawn.step_count;

	b.size = 0;
	b.big = b.high = form->big;
	put_header(&b, form->version, form->mode, 1000, 16384);
	for (unsigned thread = 0, i = 0; thread < EXECUTION_THREADS; thread++) {
		at[thread] = i;
		while (i < drawn.step_count && drawn.steps[i].thread == thread)
			i++;
		ends[thread] = i;
	}
	while (left) {
		const unsigned thread = chance(seed, EXECUTION_THREADS);
		unsigned end = at[thread] + 1 + chance(seed, most);

		if (at[thread] == ends[thread])
			continue;
		end = end < ends[thread] ? end : ends[thread];
		if (form->mode == FDR)
			put_block(seed, at[thread], end);
		else
			put_basic_steps(seed, at[thread], end);
		left -= end - at[thread];
		at[thread] = end;
	}
}

/* A drawing for each round, in another form. */
static const struct form *draw_trace(uint32_t *seed, unsigned round, unsigned count)
{
	const struct form *form = &forms[round % FORMS];

	execution_draw(&drawn, seed, count, first_ticks[round % 3]);
	put_trace(form, seed, 1 + round % 7 * 9);
	return form;
}

/* ---- profiles ---- */

static bool wants(const struct tl_xray_fold_options *options, unsigned thread)
{
	return (options->thread == TL_NOWHERE || options->thread == (uint64_t)id_of(thread)) &&
	       (options->process == TL_NOWHERE || options->process == (uint64_t)process_of(thread));
}

static int64_t end_of(const struct tl_xray_fold_options *options)
{
	return options->to_ticks ? (int64_t)options->to_ticks : INT64_MAX;
}

/* All threads that are wanted, and no other, in the order of their numbers. */
static void assert_profile(const struct tl_profile *profile,
			   const struct tl_xray_fold_options *options)
{
	uint32_t part = 0;

	for (unsigned thread = 0; thread < EXECUTION_THREADS; thread++) {
		struct path_sums wanted = { NULL, 0 };

		if (!wants(options, thread))
			continue;
		assert_int_equal(tl_profile_part(profile, part)->thread, id_of(thread));
		assert_int_equal(tl_profile_part(profile, part)->process, process_of(thread));
		execution_selves(&wanted, &drawn, thread, (int64_t)options->from_ticks,
				 end_of(options));
		path_sums_expect_profile(&wanted, profile, part++, 0, "a thread");
		path_sums_free(&wanted);
	}
	assert_int_equal(tl_profile_part_count(profile), part);
}

/* ---- shares ---- */

/* What all shares of a log have makes the whole, however many there are. */
TEST(shares_of_drawn_executions)
{
	uint32_t seed = 4;

	for (unsigned round = 0; round < 48; round++) {
		const unsigned shares = 2 + round % 4;
		struct path_sums wanted = { NULL, 0 }, have = { NULL, 0 };

		draw_trace(&seed, round, 10 + 4 * round);
		for (unsigned share = 0; share < shares; share++) {
			struct tl_xray_fold_options options = all;
			struct tl_profile *profile;

			options.share = share;
			options.shares = shares;
			profile = fold(&b, &options);
			path_sums_of_profile(&have, profile, TL_NONE, 0);
			tl_profile_free(profile);
		}
		for (unsigned thread = 0; thread < EXECUTION_THREADS; thread++)
			execution_selves(&wanted, &drawn, thread, 0, INT64_MAX);
		path_sums_expect(&have, &wanted, "shares");
		path_sums_free(&wanted);
		path_sums_free(&have);
	}
}

/* ---- the list of calls ---- */

static void assert_calls(const struct tl_xray_fold_options *options)
{
	const struct tl_calls_options every = { .size = sizeof(every), .to = UINT64_MAX };
	struct tl_call_function function;
	struct tl_call_source source;
	const struct tl_call *call;
	struct tl_calls *calls;
	struct trace t;

	open_trace(&t, &b, NULL);
	assert_int_equal(tl_xray_call_source(t.reader, NULL, options, NULL, NULL, &source, &t.err),
			 0);
	assert_int_equal(source.frequency, 1000);
	assert_int_equal(tl_calls_open(&calls, &source, &every, &t.err), 0);
	for (unsigned i = 0; i < drawn.count; i++) {
		const struct execution_call *wanted = &drawn.calls[i];

		if (!wants(options, wanted->thread))
			continue;
		assert_int_equal(tl_calls_next(calls, &call, &t.err), 1);
		assert_int_equal(call->start, wanted->begin);
		assert_int_equal(call->end, wanted->end);
		assert_int_equal(call->depth, wanted->depth);
		assert_int_equal(call->flags, 0);
		assert_int_equal(call->thread, id_of(wanted->thread));
		assert_int_equal(call->process, process_of(wanted->thread));
		assert_int_equal(tl_calls_function(calls, call->function, &function,
						   sizeof(function), &t.err),
				 0);
		assert_string_equal(function.name, execution_names[wanted->frame]);
		assert_int_equal(function.id, wanted->frame + 1);
	}
	assert_int_equal(tl_calls_next(calls, &call, &t.err), 0);
	tl_calls_close(calls);
	close_trace(&t);
}

TEST(lists_of_drawn_executions)
{
	uint32_t seed = 5;

	for (unsigned round = 0; round < 40; round++) {
		struct tl_xray_fold_options options = all;

		draw_trace(&seed, round, 1 + 5 * round);
		assert_calls(&options);
		options.process = 1;
		assert_calls(&options);
		options.thread = 12;
		assert_calls(&options);
	}
	/* more than a leaf of the index holds */
	draw_trace(&seed, 2, EXECUTION_CALLS / EXECUTION_THREADS);
	assert_calls(&all);
}

/* ---- timelines ---- */

static void tell_step(struct tl_output *out, const struct form *form,
		      const struct execution_step *step)
{
	const struct execution_call *call = &drawn.calls[step->number];

	if (step->kind == STEP_MARK && form->mode == BASIC)
		return;
	tl_put_format(out, "%s %d ",
		      step->kind == STEP_ENTER   ? "enter"
		      : step->kind == STEP_LEAVE ? "leave"
						 : "instant",
		      id_of(step->thread));
	tl_put_u64(out, (uint64_t)step->ticks);
	if (step->kind == STEP_ENTER)
		tl_put_format(out, " %s", execution_names[call->frame]);
	if (step->kind == STEP_ENTER && call->odd)
		tl_put_format(out, " arg0=%u", step->number);
	if (step->kind == STEP_MARK)
		tl_put_format(out, " %s event data=%c%s",
			      form->version == 5 && step->number % 2 ? "typed" : "custom",
			      '0' + (int)step->number,
			      form->version == 5 && step->number % 2 ? " type=7" : "");
	tl_put_char(out, '\n');
}

/* Lines that tell of another processor, which are no steps, are left out of a text. */
static char *without_migrations(const char *text)
{
	char *steps = malloc(strlen(text) + 1), *to = steps;

	assert_non_null(steps);
	for (const char *line = text; *line;) {
		const char *end = strchr(line, '\n') + 1;
		const char *found = strstr(line, "cpu migration");

		if (!found || found > end) {
			memcpy(to, line, (size_t)(end - line));
			to += end - line;
		}
		line = end;
	}
	*to = '\0';
	return steps;
}

/* The first record that is there. */
static uint64_t first_of(const struct form *form)
{
	int64_t first = INT64_MAX;

	for (unsigned i = 0; i < drawn.step_count; i++)
		if ((form->mode == FDR || drawn.steps[i].kind != STEP_MARK) &&
		    drawn.steps[i].ticks < first)
			first = drawn.steps[i].ticks;
	return (uint64_t)first;
}

static void assert_timeline(const struct form *form, const struct tl_xray_fold_options *options)
{
	struct tl_xray_select select = { .limits = *options };
	struct tl_timeline *timeline;
	struct tl_output *have, *wanted;
	unsigned before = EXECUTION_THREADS;
	struct trace t;
	char *steps;

	open_trace(&t, &b, NULL);
	assert_int_equal(tl_xray_names_begin(&select.names, NULL, NULL, NULL, NULL), 0);
	assert_int_equal(tl_output_open_memory(&have, NULL), 0);
	assert_int_equal(tl_output_open_memory(&wanted, NULL), 0);
	timeline = tl_timeline_new(&told_ops, have);
	assert_int_equal(tl_xray_timeline(t.reader, &select, timeline, &t.err), 0);
	assert_true(tl_timeline_finish(timeline, &t.err) >= 0);
	tl_put_text(wanted, "begin 1000\n");
	for (unsigned i = 0; i < drawn.step_count; i++) {
		const struct execution_step *step = &drawn.steps[i];
		const int process = process_of(step->thread), thread = id_of(step->thread);

		if (!wants(options, step->thread))
			continue;
		if (step->thread != before)
			tl_put_format(wanted, "name %d/-1 process %d\nname %d/%d thread %d\n",
				      process, process, process, thread, thread);
		before = step->thread;
		tell_step(wanted, form, step);
	}
	tl_put_text(wanted, "end, origin ");
	tl_put_u64(wanted, first_of(form));
	tl_put_char(wanted, '\n');
	steps = without_migrations(told_text(have));
	assert_string_equal(steps, told_text(wanted));
	free(steps);
	tl_output_discard(have);
	tl_output_discard(wanted);
	tl_xray_names_end(&select.names);
	close_trace(&t);
}

TEST(timelines_of_drawn_executions)
{
	uint32_t seed = 6;

	for (unsigned round = 0; round < 40; round++) {
		struct tl_xray_fold_options options = all;
		const struct form *form = draw_trace(&seed, round, 1 + 3 * round);

		assert_timeline(form, &options);
		options.thread = 11;
		assert_timeline(form, &options);
	}
}

/* ---- records ---- */

/* Each function record has its time, its processor and its place; and no rule is broken. */
TEST(records_of_drawn_executions)
{
	uint32_t seed = 7;

	for (unsigned round = 0; round < 40; round++) {
		const struct form *form = draw_trace(&seed, round, 1 + 3 * round);
		unsigned at[EXECUTION_THREADS] = { 0 }, seen = 0, wanted = 0;
		struct trace t;

		for (unsigned i = 0; i < drawn.step_count; i++)
			wanted += drawn.steps[i].kind != STEP_MARK || form->mode == FDR;
		load(&t, &b, NULL);
		for (size_t i = 0; i < t.count; i++) {
			const struct tl_xray_record *record = &t.records[i];
			const struct execution_step *step;
			unsigned thread = 0, *n;

			if (record->kind != TL_XRAY_FUNCTION &&
			    record->kind != TL_XRAY_CUSTOM_EVENT &&
			    record->kind != TL_XRAY_TYPED_EVENT)
				continue;
			while (id_of(thread) != record->thread)
				thread++;
			n = &at[thread];
			while (drawn.steps[*n].thread != thread ||
			       (form->mode == BASIC && drawn.steps[*n].kind == STEP_MARK))
				++*n;
			step = &drawn.steps[*n];
			assert_int_equal(record->process, process_of(thread));
			assert_int_equal(record->tsc, step->ticks);
			assert_int_equal(record->cpu, cpus[*n]);
			++*n;
			seen++;
			if (step->kind == STEP_MARK) {
				assert_int_equal(record->payload_size, 1);
				assert_int_equal(record->payload[0], '0' + step->number);
				continue;
			}
			assert_int_equal(record->kind, TL_XRAY_FUNCTION);
			assert_int_equal(record->function, drawn.calls[step->number].frame + 1);
			if (step->kind == STEP_ENTER)
				assert_int_equal(record->action, drawn.calls[step->number].odd
									 ? TL_XRAY_ENTER_ARGS
									 : TL_XRAY_ENTER);
			else
				assert_true(record->action == TL_XRAY_EXIT ||
					    record->action == TL_XRAY_TAIL_EXIT);
		}
		assert_int_equal(seen, wanted);
		close_trace(&t);
		open_trace(&t, &b, NULL);
		assert_int_equal(tl_xray_check(t.reader, NULL, NULL, &t.err), 0);
		close_trace(&t);
	}
}

/* ---- writing again ---- */

/* A trace in another form, with flags of its clock; what was written is the output's. */
static int write_again(const struct form *to, unsigned flags, const struct tl_xray_choice *choice,
		       struct tl_output **out, struct bytes *again)
{
	const struct tl_xray_writer_options options = {
		.size = sizeof(options),
		.mode = to->mode == FDR ? TL_XRAY_FDR : TL_XRAY_BASIC,
		.version = (uint16_t)to->version,
		.big_endian = to->big,
		.high_bits = to->big,
		.constant_tsc = flags & 1,
		.nonstop_tsc = flags >> 1 & 1,
		.frequency = 1000,
		.buffer_size = 1024,
	};
	struct trace t;
	int status;

	open_trace(&t, &b, NULL);
	assert_int_equal(tl_output_open_memory(out, NULL), 0);
	status = choice ? tl_xray_convert_some(t.reader, *out, &options, choice, &t.err)
			: tl_xray_convert(t.reader, *out, &options, &t.err);
	close_trace(&t);
	again->data = (uint8_t *)(uintptr_t)tl_output_bytes(*out, &again->size);
	return status;
}

/* Logs of basic mode have no events. */
static bool can_be_written(const struct form *form, const struct form *to)
{
	return form->mode == BASIC || to->mode == FDR || !drawn.mark_count;
}

/* "every function, argument and event record kept": in each other form the trace is the same. */
TEST(drawn_executions_are_written_again)
{
	unsigned written = 0, refused = 0;
	uint32_t seed = 8;

	for (unsigned round = 0; round < 8 * FORMS; round++) {
		const struct form *form = draw_trace(&seed, round, 5 + 3 * (round % 20)),
				  *to = &forms[round / FORMS];
		const bool possible = can_be_written(form, to);
		struct bytes again = { 0 };
		struct tl_profile *profile;
		struct tl_output *out;
		struct trace t, other;

		assert_int_equal(write_again(to, round % 4, NULL, &out, &again),
				 possible ? 0 : TL_UNSUPPORTED);
		*(possible ? &written : &refused) += 1;
		if (!possible) {
			tl_output_discard(out);
			continue;
		}
		profile = fold(&again, &all);
		assert_profile(profile, &all);
		tl_profile_free(profile);
		load(&t, &b, NULL);
		load(&other, &again, NULL);
		assert_int_equal(tl_xray_info(other.reader)->constant_tsc, round & 1);
		assert_int_equal(tl_xray_info(other.reader)->nonstop_tsc, round >> 1 & 1);
		for (unsigned kind = TL_XRAY_FUNCTION; kind <= TL_XRAY_TYPED_EVENT; kind++)
			if (kind == TL_XRAY_FUNCTION || kind == TL_XRAY_CALL_ARGUMENT ||
			    kind == TL_XRAY_CUSTOM_EVENT || kind == TL_XRAY_TYPED_EVENT)
				assert_int_equal(count_kind(&other, kind), count_kind(&t, kind));
		close_trace(&other);
		close_trace(&t);
		tl_output_discard(out);
	}
	assert_true(written > 30 && refused > 5);
}

/* ---- some of the records ---- */

static bool is_of_thread(void *arg, const struct tl_xray_record *record)
{
	return record->thread == *(const int32_t *)arg;
}

TEST(one_thread_is_written_alone)
{
	uint32_t seed = 9;

	for (unsigned round = 0; round < 3 * FORMS; round++) {
		const struct form *form = draw_trace(&seed, round, 5 + 3 * round);
		struct tl_xray_fold_options options = all;
		int32_t thread = id_of(round % EXECUTION_THREADS);
		uint64_t count = 0, records = 0;
		const struct tl_xray_choice choice = { .wanted = is_of_thread,
						       .arg = &thread,
						       .count = &count };
		struct bytes again = { 0 };
		struct tl_profile *profile;
		struct tl_output *out;

		for (unsigned i = 0; i < drawn.step_count; i++) {
			const struct execution_step *step = &drawn.steps[i];

			if (id_of(step->thread) != thread)
				continue;
			records += step->kind != STEP_MARK || form->mode == FDR;
			records += step->kind == STEP_ENTER && drawn.calls[step->number].odd;
		}
		assert_int_equal(write_again(form, 1, &choice, &out, &again), 0);
		assert_int_equal(count, records);
		options.thread = (uint64_t)thread;
		profile = fold(&again, &all);
		assert_profile(profile, &options);
		tl_profile_free(profile);
		tl_output_discard(out);
	}
}

static bool is_event(void *arg, const struct tl_xray_record *record)
{
	(void)arg;
	return record->kind == TL_XRAY_CUSTOM_EVENT || record->kind == TL_XRAY_TYPED_EVENT;
}

/*
 * "The wall clock of a buffer belongs to its first TSC": that of a buffer whose first records are
 * left out is later by as many ticks, of which one is a millisecond here. Buffers without an event
 * are left out.
 */
TEST(wall_clocks_move_with_the_first_record)
{
	uint32_t seed = 10;

	for (unsigned round = 0; round < 3 * FORMS; round++) {
		const struct form *form = draw_trace(&seed, round, 40);
		uint64_t count = 0, wall = 0;
		const struct tl_xray_choice choice = { .wanted = is_event, .count = &count };
		struct bytes again = { 0 };
		struct tl_output *out;
		unsigned events = 0;
		struct trace t;

		if (form->mode == BASIC)
			continue;
		assert_int_equal(write_again(form, 1, &choice, &out, &again), 0);
		assert_int_equal(count, drawn.mark_count);
		load(&t, &again, NULL);
		for (size_t i = 0; i < t.count; i++) {
			const struct tl_xray_record *record = &t.records[i];
			unsigned at = 0;

			if (record->kind == TL_XRAY_WALL_CLOCK)
				wall = record->value * 1000000 + record->microseconds;
			if (!is_event(NULL, record))
				continue;
			while (drawn.steps[at].kind != STEP_MARK ||
			       drawn.steps[at].number != (unsigned)(record->payload[0] - '0'))
				at++;
			assert_int_equal(record->tsc, drawn.steps[at].ticks);
			/* further events of a buffer have the clock of the first one */
			if (wall)
				assert_int_equal(wall, 5000250 + 1000 * (record->tsc - begins[at]));
			wall = 0;
			events++;
		}
		assert_int_equal(events, drawn.mark_count);
		close_trace(&t);
		tl_output_discard(out);
	}
	free_bytes(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_of_drawn_executions),
		cmocka_unit_test(lists_of_drawn_executions),
		cmocka_unit_test(timelines_of_drawn_executions),
		cmocka_unit_test(records_of_drawn_executions),
		cmocka_unit_test(drawn_executions_are_written_again),
		cmocka_unit_test(one_thread_is_written_alone),
		cmocka_unit_test(wall_clocks_move_with_the_first_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
