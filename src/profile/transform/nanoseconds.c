/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ticks of a file's clock in nanoseconds: files of machines whose clocks differ have a sum then.
 * What is rounded is what everything else is a sum of, so that the sums are exact, and the same
 * whatever else is added to them later.
 */
#include "profile/transform/nanoseconds.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/wide.h"
#include "profile/model/model.h"

struct conversion {
	const struct tl_profile *from;
	struct tl_profile *to;
	int64_t *cost; /* a vector of converted costs */
};

bool tl_profile_has_other_clock(const struct tl_profile *profile)
{
	return tl_profile_has_ticks(profile) && profile->frequency != TL_NANOSECONDS;
}

static const int64_t *convert(struct conversion *c, const int64_t *cost)
{
	for (uint32_t e = 0; e < c->from->event_count; e++) {
		bool beyond = false;

		c->cost[e] = cost[e];
		if (!strcmp(c->from->events[e].unit, "ticks"))
			c->cost[e] = tl_scale_nearest(cost[e], TL_NANOSECONDS, c->from->frequency,
						      &beyond);
		c->to->losses.saturated += beyond;
	}
	return c->cost;
}

static uint64_t time_of(const struct conversion *c, uint64_t ticks)
{
	return tl_scale_unsigned_nearest(ticks, TL_NANOSECONDS, c->from->frequency);
}

/* ---- functions and parts, which keep their numbers ---- */

/* Durations of a function, in `part` (TL_NONE: in all). */
static bool take_durations(struct conversion *c, uint32_t function, uint32_t part,
			   const struct tl_latencies *latencies)
{
	struct tl_latencies converted = TL_LATENCIES_NONE;
	struct tl_profile *to = c->to;
	uint32_t local;
	bool ok;

	if (!latencies->calls)
		return true;
	ok = tl_latency_scale(&converted, latencies, TL_NANOSECONDS, c->from->frequency);
	if (ok && part == TL_NONE) {
		ok = tl_profile_move_latency(to, function, TL_NONE, &converted);
	} else if (ok) {
		local = tl_profile_part_function(to, function, part);
		ok = local != TL_NONE && tl_latency_move(&to->part_functions.list[local].latency,
							 &converted, to->durations.exact);
	}
	tl_latency_free(&converted);
	return ok;
}

static int take_functions(struct conversion *c, struct tl_error *err)
{
	const struct tl_profile *from = c->from;

	for (uint32_t f = 0; f < from->functions.table.count; f++) {
		int64_t number = tl_profile_put_function(c->to, &from->functions.list[f], err);

		if (number < 0)
			return (int)number;
		if (f < from->durations.capacity &&
		    !take_durations(c, f, TL_NONE, &from->durations.list[f]))
			return tl_error_memory(err);
	}
	return 0;
}

static int take_parts(struct conversion *c, struct tl_error *err)
{
	int64_t number = 0;

	for (size_t i = 0; number >= 0 && i < c->from->parts.count; i++) {
		struct tl_part part = c->from->parts.list[i];

		part.first_ticks = time_of(c, part.first_ticks);
		part.last_ticks = time_of(c, part.last_ticks);
		number = tl_profile_put_part(c->to, &part, err);
	}
	return tl_profile_status(number);
}

static int take_part_durations(struct conversion *c, struct tl_error *err)
{
	for (size_t i = 0; i < c->from->part_functions.table.count; i++) {
		const struct tl_part_function *local = &c->from->part_functions.list[i];

		if (!take_durations(c, local->function, local->part, &local->latency))
			return tl_error_memory(err);
	}
	return 0;
}

static int take_notes(struct conversion *c, struct tl_error *err)
{
	for (size_t i = 0; i < c->from->notes.count; i++)
		if (!tl_profile_add_note(c->to, &c->from->notes.list[i]))
			return tl_error_memory(err);
	return 0;
}

/* ---- costs ---- */

static int take_contexts(struct conversion *c, struct tl_error *err)
{
	const struct tl_profile *from = c->from;

	for (uint32_t i = 0; i < from->contexts.table.count; i++) {
		const struct tl_context *context = &from->contexts.list[i];
		int64_t number = tl_profile_append_context(c->to, context->parent,
							   context->function, context->part, err);

		if (number < 0)
			return (int)number;
		tl_profile_add_context_cost(c->to, (uint32_t)number, context->calls,
					    convert(c, tl_profile_context_self(from, i)));
		tl_profile_add_unfinished(c->to, (uint32_t)number, context->unfinished);
		tl_profile_add_cut(c->to, (uint32_t)number, context->cut);
	}
	return 0;
}

static bool is_entry(const struct tl_profile *profile, uint32_t function,
		     const struct tl_position *at)
{
	const struct tl_function *f = &profile->functions.list[function];

	return !strcmp(f->file, at->file) && f->line == at->line && f->address == at->address &&
	       !at->block;
}

/*
 * Whether lines and arcs follow from the call stacks, as tl_profile_finish() makes them. In a
 * profile file they stand beside these.
 */
static bool follow_from_contexts(const struct tl_profile *p)
{
	bool follow = p->contexts.table.count && !p->jumps.table.count;

	if (p->sums.only || p->sums.derived)
		return true;
	for (uint32_t i = 0; follow && i < p->lines.table.count; i++) {
		const struct tl_cost_line *line = &p->lines.list[i];

		follow = line->part == TL_NONE && is_entry(p, line->function, &line->at);
	}
	for (uint32_t i = 0; follow && i < p->arcs.table.count; i++) {
		const struct tl_arc *arc = &p->arcs.list[i];

		follow = arc->part == TL_NONE && arc->caller != TL_NONE &&
			 is_entry(p, arc->caller, &arc->from) && is_entry(p, arc->callee, &arc->to);
	}
	return follow;
}

static int take_lines(struct conversion *c, struct tl_error *err)
{
	const struct tl_profile *from = c->from;
	int status = 0;

	for (uint32_t i = 0; status == 0 && i < from->lines.table.count; i++)
		status = tl_profile_put_line(c->to, &from->lines.list[i],
					     convert(c, tl_profile_line_cost(from, i)), err);
	for (uint32_t i = 0; status == 0 && i < from->arcs.table.count; i++)
		status = tl_profile_put_arc(c->to, &from->arcs.list[i],
					    convert(c, tl_profile_arc_cost(from, i)), err);
	for (uint32_t i = 0; status == 0 && i < from->jumps.table.count; i++)
		status = tl_profile_put_jump(c->to, &from->jumps.list[i], err);
	return status;
}

static int take_costs(struct conversion *c, struct tl_error *err)
{
	int status = take_contexts(c, err);

	if (status == 0 && !follow_from_contexts(c->from))
		status = take_lines(c, err);
	return status;
}

/* ---- the whole ---- */

static int take_all(struct conversion *c, struct tl_error *err)
{
	static int (*const steps[])(struct conversion *c, struct tl_error *err) = {
		take_functions, take_parts, take_costs, take_part_durations, take_notes,
	};
	int status = 0;

	for (size_t i = 0; status == 0 && i < sizeof(steps) / sizeof(steps[0]); i++)
		status = steps[i](c, err);
	if (status != 0)
		return status;
	return tl_profile_finish(c->to, err);
}

static int make(struct conversion *c, struct tl_error *err)
{
	const struct tl_profile *from = c->from;
	int status = tl_profile_make(&c->to, from->format, from->events, from->event_count,
				     TL_NANOSECONDS, err);

	if (status < 0)
		return status;
	c->to->call_count = from->call_count;
	c->to->timed = from->timed;
	c->to->estimated = from->estimated;
	c->to->emulated = from->emulated;
	c->to->durations.exact = from->durations.exact;
	c->to->sums.only = from->sums.only;
	c->to->sums.by_part = from->sums.by_part;
	c->to->losses = from->losses;
	c->cost = malloc((from->event_count + (size_t)1) * sizeof(*c->cost));
	return tl_error_unless_made(c->cost, err);
}

int tl_profile_in_nanoseconds(struct tl_profile **converted, const struct tl_profile *profile,
			      struct tl_error *err)
{
	struct conversion c = { .from = profile };
	int status;

	*converted = NULL;
	if (!profile->frequency)
		return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				   "the input does not say how long a tick is, so that its times "
				   "cannot be in nanoseconds");
	status = make(&c, err);
	if (status == 0)
		status = take_all(&c, err);
	free(c.cost);
	if (status < 0) {
		tl_profile_free(c.to);
		return status;
	}
	*converted = c.to;
	return 0;
}
