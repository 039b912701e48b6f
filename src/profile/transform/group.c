/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile by file or by object: each function becomes the unit it is in, and everything else
 * follows. A call inside a unit is recursion of the unit, so its inclusive cost is the cost while
 * any of its functions is on the stack.
 */
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "profile/derive/cycle_costs.h"
#include "profile/model/model.h"
#include "profile/transform/by_part.h"
#include "profile/transform/scope_name.h"

struct grouping {
	const struct tl_profile *from;
	struct tl_profile *to;
	enum tl_profile_unit by;
	uint32_t *unit;    /* by function */
	uint32_t *context; /* by context */
	struct tl_cycle_costs cycles;
};

static const char *known_name(const char *name)
{
	return *name ? name : "(unknown)";
}

/* NULL without memory. */
static const char *scope_of(const struct grouping *g, const char *name)
{
	const char *begin;
	size_t size = tl_scope_name(name, g->by == TL_BY_NAMESPACE, &begin);

	return size ? tl_profile_intern(g->to, begin, size) : "(global)";
}

/* The unit that a function is in. */
static struct tl_function unit_of(const struct grouping *g, uint32_t function)
{
	const struct tl_function *f = &g->from->functions.list[function];
	struct tl_function unit = { .id = TL_NOWHERE };

	switch (g->by) {
	case TL_BY_FILE:
		unit.name = known_name(f->file);
		break;
	case TL_BY_OBJECT:
		unit.name = known_name(f->object);
		break;
	case TL_BY_CYCLE:
		/* Functions in no cycle are units of their own. */
		if (!g->cycles.count || g->cycles.of[function] == TL_NONE)
			return *f;
		unit.name = g->cycles.functions[g->cycles.of[function]].name;
		break;
	default:
		unit.name = scope_of(g, f->name);
	}
	return unit;
}

static int take_functions(struct grouping *g, struct tl_error *err)
{
	for (uint32_t f = 0; f < g->from->functions.table.count; f++) {
		struct tl_function unit = unit_of(g, f);
		int64_t number = unit.name ? tl_profile_put_function(g->to, &unit, err)
					   : tl_error_memory(err);

		if (number < 0)
			return (int)number;
		g->unit[f] = (uint32_t)number;
		if (f < g->from->durations.capacity && g->from->durations.list[f].calls &&
		    !tl_profile_add_latency(g->to, g->unit[f], TL_NONE,
					    &g->from->durations.list[f]))
			return tl_error_memory(err);
	}
	return 0;
}

static int take_parts(struct grouping *g, struct tl_error *err)
{
	int64_t number = 0;

	for (size_t i = 0; number >= 0 && i < g->from->parts.count; i++)
		number = tl_profile_put_part(g->to, &g->from->parts.list[i], err);
	return tl_profile_status(number);
}

/* Durations that the fold kept apart by part. */
static int take_locals(struct grouping *g, struct tl_error *err)
{
	for (size_t i = 0; i < g->from->part_functions.table.count; i++) {
		const struct tl_part_function *local = &g->from->part_functions.list[i];
		uint32_t number =
			tl_profile_part_function(g->to, g->unit[local->function], local->part);

		if (number == TL_NONE ||
		    !tl_latency_merge(&g->to->part_functions.list[number].latency, &local->latency,
				      g->to->durations.exact))
			return tl_error_memory(err);
	}
	return 0;
}

static int take_contexts(struct grouping *g, struct tl_error *err)
{
	for (uint32_t i = 0; i < g->from->contexts.table.count; i++) {
		const struct tl_context *c = &g->from->contexts.list[i];
		int64_t number =
			tl_profile_add_context(g->to, tl_profile_renumber(g->context, c->parent),
					       g->unit[c->function], c->part, err);

		if (number < 0)
			return (int)number;
		g->context[i] = (uint32_t)number;
		tl_profile_add_context_cost(g->to, g->context[i], c->calls,
					    tl_profile_context_self(g->from, i));
		tl_profile_add_unfinished(g->to, g->context[i], c->unfinished);
		tl_profile_add_cut(g->to, g->context[i], c->cut);
	}
	return take_locals(g, err);
}

static int take_sums(struct grouping *g, struct tl_error *err)
{
	int status = 0;

	for (uint32_t i = 0; status == 0 && i < g->from->lines.table.count; i++) {
		struct tl_cost_line line = { .function = g->unit[g->from->lines.list[i].function],
					     .part = g->from->lines.list[i].part };

		status = tl_profile_put_line(g->to, &line, tl_profile_line_cost(g->from, i), err);
	}
	for (uint32_t i = 0; status == 0 && i < g->from->arcs.table.count; i++) {
		struct tl_arc arc = g->from->arcs.list[i];

		arc.caller = tl_profile_renumber(g->unit, arc.caller);
		arc.callee = g->unit[arc.callee];
		arc.from = arc.to = (struct tl_position){ 0 };
		status = tl_profile_put_arc(g->to, &arc, tl_profile_arc_cost(g->from, i), err);
	}
	return status;
}

/* A unit is chosen when one of its functions is. */
static int take_choice(struct grouping *g, struct tl_error *err)
{
	if (!g->from->functions.chosen)
		return 0;
	g->to->functions.chosen =
		calloc(g->to->functions.table.count + 1, sizeof(*g->to->functions.chosen));
	if (!g->to->functions.chosen)
		return tl_error_memory(err);
	for (uint32_t f = 0; f < g->from->functions.table.count; f++)
		if (g->from->functions.chosen[f])
			g->to->functions.chosen[g->unit[f]] = true;
	return 0;
}

static int take_all(struct grouping *g, struct tl_error *err)
{
	int status;

	g->unit = malloc((g->from->functions.table.count + 1) * sizeof(*g->unit));
	g->context = malloc((g->from->contexts.table.count + 1) * sizeof(*g->context));
	if (!g->unit || !g->context ||
	    (g->by == TL_BY_CYCLE && !tl_cycle_costs_make(&g->cycles, g->from)))
		return tl_error_memory(err);
	status = take_parts(g, err);
	if (status == 0)
		status = take_functions(g, err);
	if (status == 0)
		status = g->from->contexts.table.count ? take_contexts(g, err) : take_sums(g, err);
	if (status == 0)
		status = tl_profile_finish(g->to, err);
	if (status != 0)
		return status;
	return take_choice(g, err);
}

int tl_profile_grouped(struct tl_profile **grouped, const struct tl_profile *profile,
		       enum tl_profile_unit by, struct tl_error *err)
{
	struct grouping g = { .from = profile, .by = by };
	int status;

	*grouped = NULL;
	if (by <= TL_BY_FUNCTION || by > TL_BY_CGROUP)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "functions cannot be grouped by that");
	status = tl_profile_make(&g.to, profile->format, profile->events, profile->event_count,
				 profile->frequency, err);
	if (status < 0)
		return status;
	g.to->call_count = profile->call_count;
	g.to->timed = profile->timed;
	g.to->estimated = profile->estimated;
	g.to->emulated = profile->emulated;
	g.to->durations.exact = profile->durations.exact;
	g.to->losses = profile->losses;
	status = by < TL_BY_PART ? take_all(&g, err)
				 : tl_profile_fill_by_part(g.to, profile, by == TL_BY_PART, err);
	tl_cycle_costs_free(&g.cycles);
	free(g.unit);
	free(g.context);
	if (status < 0) {
		tl_profile_free(g.to);
		return status;
	}
	*grouped = g.to;
	return 0;
}
