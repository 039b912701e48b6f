/* SPDX-License-Identifier: Apache-2.0 */
/* What the tables need beside the profile itself: numbers, depths, losses, threads. */
#include <stdlib.h>

#include "core/arithmetic.h"
#include "core/memory.h"
#include "query/trace/trace.h"

/* ---- functions ---- */

static bool has_cost(const struct tl_profile *profile, const struct tl_function_totals *totals)
{
	for (uint32_t i = 0; i < tl_profile_event_count(profile); i++)
		if (totals->self[i] || totals->inclusive[i])
			return true;
	return false;
}

/* The functions that `report` has a row for. */
static bool is_shown(const struct tl_profile *profile, uint32_t function)
{
	struct tl_function_totals totals;

	if (tl_profile_function_totals(profile, function, TL_NONE, &totals, sizeof(totals)) < 0)
		return false;
	return (totals.calls || totals.unfinished || has_cost(profile, &totals)) &&
	       tl_profile_chosen(profile, function);
}

static int compare_numbers(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return tl_compare(a, b);
}

/*
 * Whether the trace numbers all its functions, each with a number of its own that fits. What stands
 * for functions that are lost has no number, and needs none where no row is about it.
 */
static bool has_own_numbers(const struct tl_profile *profile, uint64_t *numbers)
{
	uint32_t functions = tl_profile_function_count(profile);
	size_t count = 0;

	for (uint32_t i = 0; i < functions; i++) {
		uint64_t id = tl_profile_function(profile, i)->id;

		if (id == TL_NOWHERE && !is_shown(profile, i))
			continue;
		if (id > INT64_MAX)
			return false;
		numbers[count++] = id;
	}
	if (count)
		qsort(numbers, count, sizeof(*numbers), compare_numbers);
	for (size_t i = 1; i < count; i++)
		if (numbers[i] == numbers[i - 1])
			return false;
	return count || !functions;
}

/*
 * Functions are numbered as in the trace, so that what is read in other listings can be found, and
 * where it has no such numbers, from 0 in the order in which they were met.
 */
static bool number_functions(struct tl_query_trace *trace)
{
	uint32_t count = tl_profile_function_count(trace->profile);
	bool own;

	trace->folded.ids = tl_zeroed(count, sizeof(*trace->folded.ids));
	trace->folded.shown = tl_zeroed(count, sizeof(*trace->folded.shown));
	if (!trace->folded.ids || !trace->folded.shown)
		return false;
	own = trace->folded.own_numbers =
		has_own_numbers(trace->profile, (uint64_t *)trace->folded.ids);
	for (uint32_t i = 0; i < count; i++) {
		trace->folded.ids[i] =
			own ? (int64_t)tl_profile_function(trace->profile, i)->id : i;
		if (is_shown(trace->profile, i))
			trace->folded.shown[trace->folded.shown_count++] = i;
	}
	return true;
}

/* ---- contexts ---- */

static bool measure_depths(struct tl_query_trace *trace)
{
	uint32_t count = tl_profile_context_count(trace->profile);

	trace->folded.depths = tl_zeroed(count, sizeof(*trace->folded.depths));
	if (!trace->folded.depths)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t parent = tl_profile_context(trace->profile, i)->parent;

		trace->folded.depths[i] = parent == TL_NONE ? 0 : trace->folded.depths[parent] + 1;
	}
	return true;
}

/* ---- stacks ---- */

static bool has_samples(const struct tl_profile *profile, uint32_t context)
{
	const int64_t *self = tl_profile_context_self(profile, context);

	for (uint32_t i = 0; i < tl_profile_event_count(profile); i++)
		if (self[i])
			return true;
	return false;
}

static bool list_stacks(struct tl_query_trace *trace)
{
	struct tl_query_folded *f = &trace->folded;
	uint32_t count = tl_profile_context_count(trace->profile);
	uint64_t rows = 0;

	if (tl_profile_call_count(trace->profile) != TL_CALLS_NONE)
		return true;
	f->stacks = tl_zeroed(count, sizeof(*f->stacks));
	if (!f->stacks)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		if (!has_samples(trace->profile, i))
			continue;
		rows += f->depths[i] + 1;
		f->stacks[f->stack_count++] = (struct tl_query_stack){ i, rows };
	}
	return true;
}

/* ---- losses ---- */

/* Rows for what was lost in a part, or in none. */
static bool add_losses(struct tl_query_trace *trace, uint32_t part, const struct tl_losses *l)
{
	const struct tl_query_losses rows[] = {
		{ part, "orphan exits", l->orphan_exits },
		{ part, "deduced exits", l->deduced_exits },
		{ part, "unfinished calls", l->unfinished },
		{ part, "time reversals", l->time_reversals },
		{ part, "gaps", l->gaps },
		{ part, "skipped bytes", l->skipped_bytes },
		{ part, "skipped records", l->skipped_records },
		{ part, "saturated sums", l->saturated },
		{ part, "left calls", l->left_calls },
		{ part, "calls ended in gaps", l->gap_ends },
		{ part, "bridged calls", l->bridged },
		{ part, "uncertain calls", l->uncertain },
	};
	enum { KINDS = sizeof(rows) / sizeof(rows[0]) };

	if (!tl_grow(&trace->folded.lost, &trace->folded.lost_capacity,
		     trace->folded.lost_count + KINDS, sizeof(*trace->folded.lost)))
		return false;
	for (size_t i = 0; i < KINDS; i++)
		if (rows[i].count)
			trace->folded.lost[trace->folded.lost_count++] = rows[i];
	return true;
}

#define EACH_LOSS(APPLY)                                                                           \
	APPLY(orphan_exits)                                                                        \
	APPLY(deduced_exits)                                                                       \
	APPLY(unfinished)                                                                          \
	APPLY(time_reversals)                                                                      \
	APPLY(gaps)                                                                                \
	APPLY(skipped_bytes)                                                                       \
	APPLY(skipped_records)                                                                     \
	APPLY(saturated)                                                                           \
	APPLY(left_calls)                                                                          \
	APPLY(gap_ends)                                                                            \
	APPLY(bridged)                                                                             \
	APPLY(uncertain)

/* What a part lost is no loss of no part. */
static void subtract(struct tl_losses *from, const struct tl_losses *part)
{
#define SUBTRACT(member) from->member -= tl_min(part->member, from->member);
	EACH_LOSS(SUBTRACT)
#undef SUBTRACT
}

static bool list_losses(struct tl_query_trace *trace)
{
	struct tl_losses rest;
	bool ok = tl_profile_losses(trace->profile, &rest, sizeof(rest)) == 0;

	for (uint32_t i = 0; ok && i < tl_profile_part_count(trace->profile); i++) {
		const struct tl_losses *losses = &tl_profile_part(trace->profile, i)->losses;

		ok = add_losses(trace, i, losses);
		subtract(&rest, losses);
	}
	return ok && add_losses(trace, TL_NONE, &rest);
}

/* ---- threads ---- */

/* A row of `threads` while its parts are added up: `part` is the number of one. */
struct thread_part {
	struct tl_query_thread thread;
	uint32_t part;
};

static bool is_same_thread(const struct tl_query_thread *a, const struct tl_query_thread *b)
{
	return a->process == b->process && a->thread == b->thread;
}

/* Of one thread by their numbers, as the first one that has a name gives the thread its own. */
static int compare_thread_parts(const void *left, const void *right)
{
	const struct thread_part *a = left, *b = right;

	if (a->thread.process != b->thread.process)
		return tl_compare(a->thread.process, b->thread.process);
	if (a->thread.thread != b->thread.thread)
		return tl_compare(a->thread.thread, b->thread.thread);
	return tl_compare(a->part, b->part);
}

static bool is_timed(const struct tl_query_thread *thread)
{
	return thread->first || thread->last;
}

/* Add a part's row to that of its thread. */
static void join(struct tl_query_thread *thread, const struct tl_query_thread *more)
{
	if (is_timed(more) && (!is_timed(thread) || more->first < thread->first))
		thread->first = more->first;
	if (more->last > thread->last)
		thread->last = more->last;
	if (!*thread->name)
		thread->name = more->name;
	thread->records += more->records;
	thread->parts++;
}

static bool list_threads(struct tl_query_trace *trace)
{
	const uint32_t count = tl_profile_part_count(trace->profile);
	struct tl_query_thread *threads = tl_zeroed(count, sizeof(*threads));
	struct thread_part *parts = tl_zeroed(count, sizeof(*parts));
	size_t kept = 0;

	for (uint32_t i = 0; threads && parts && i < count; i++) {
		const struct tl_part *part = tl_profile_part(trace->profile, i);

		parts[i] = (struct thread_part){ { part->process, part->thread, part->command,
						   part->first_ticks, part->last_ticks,
						   part->records, 1 },
						 i };
	}
	if (threads && parts && count)
		qsort(parts, count, sizeof(*parts), compare_thread_parts);
	for (uint32_t i = 0; threads && parts && i < count; i++) {
		if (kept && is_same_thread(&threads[kept - 1], &parts[i].thread))
			join(&threads[kept - 1], &parts[i].thread);
		else
			threads[kept++] = parts[i].thread;
	}
	trace->folded.threads = threads;
	trace->folded.thread_count = kept;
	free(parts);
	return threads && parts;
}

bool tl_query_trace_prepare(struct tl_query_trace *trace)
{
	return number_functions(trace) && measure_depths(trace) && list_stacks(trace) &&
	       list_losses(trace) && list_threads(trace);
}

void tl_query_folded_free(struct tl_query_folded *folded)
{
	for (size_t i = 0; i < TL_QUERY_TABLE_COUNT; i++)
		for (size_t j = 0; j < 2; j++)
			tl_query_key_index_free(&folded->keys[i][j]);
	tl_query_key_index_free(&folded->by_address);
	free(folded->ids);
	free(folded->shown);
	free(folded->depths);
	free(folded->lost);
	free(folded->threads);
	free(folded->stacks);
}
