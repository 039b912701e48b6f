/* SPDX-License-Identifier: Apache-2.0 */
#include "gmon/propagate.h"

#include "core/wide.h"
#include "profile/derive/cycles.h"

struct flow {
	struct tl_profile *profile;
	struct tl_cycles cycles;
	int64_t *total;  /* by component: costs of each event */
	uint64_t *calls; /* by component: from outside */
	uint32_t *order; /* arcs, sorted by the component of their callee */
	size_t *first;   /* by component: its place in `order` */
};

static uint32_t component_of(const struct flow *f, uint32_t function)
{
	return f->cycles.of[function];
}

static bool is_outside(const struct flow *f, const struct tl_arc *arc)
{
	return arc->caller == TL_NONE ||
	       component_of(f, arc->caller) != component_of(f, arc->callee);
}

static void sum_lines(struct flow *f)
{
	struct tl_profile *p = f->profile;

	for (size_t i = 0; i < p->lines.table.count; i++)
		tl_profile_add_costs(p,
				     f->total + (size_t)component_of(f, p->lines.list[i].function) *
							p->event_count,
				     p->lines.table.cost + i * p->event_count);
}

static void sort_arcs(struct flow *f)
{
	const struct tl_profile *p = f->profile;
	size_t at = 0;

	for (size_t i = 0; i < p->arcs.table.count; i++)
		f->first[component_of(f, p->arcs.list[i].callee) + 1]++;
	for (size_t c = 0; c < f->cycles.count; c++)
		f->first[c + 1] += f->first[c];
	for (size_t i = p->arcs.table.count; i-- > 0;) {
		at = --f->first[component_of(f, p->arcs.list[i].callee) + 1];
		f->order[at] = (uint32_t)i;
	}
}

static int64_t share(int64_t cost, uint64_t part, uint64_t whole)
{
	return whole ? tl_scale(cost, part, whole) : 0;
}

/* What is rounded off is the last caller's, so that callers have all of it. */
static void divide(struct flow *f, uint32_t component, size_t from, size_t to)
{
	struct tl_profile *p = f->profile;
	const int64_t *total = f->total + (size_t)component * p->event_count;
	uint64_t calls = 0, done = 0;

	for (size_t i = from; i < to; i++)
		if (is_outside(f, &p->arcs.list[f->order[i]]))
			tl_add_count(&calls, p->arcs.list[f->order[i]].calls, &p->losses.saturated);
	for (size_t i = from; i < to; i++) {
		const struct tl_arc *arc = &p->arcs.list[f->order[i]];
		int64_t *cost = p->arcs.table.cost + (size_t)f->order[i] * p->event_count;

		if (!is_outside(f, arc) || arc->calls > calls - done)
			continue;
		for (uint32_t e = 0; e < p->event_count; e++)
			cost[e] = share(total[e], done + arc->calls, calls) -
				  share(total[e], done, calls);
		done += arc->calls;
		if (arc->caller != TL_NONE)
			tl_profile_add_costs(
				p, f->total + (size_t)component_of(f, arc->caller) * p->event_count,
				cost);
	}
}

/* Components are numbered from the callees up: what they cost is known when they are reached. */
static void divide_all(struct flow *f)
{
	for (uint32_t c = 0; c < f->cycles.count; c++)
		divide(f, c, f->first[c + 1],
		       c + 1 < f->cycles.count ? f->first[c + 2] : f->profile->arcs.table.count);
}

_Bool tl_gmon_propagate(struct tl_profile *profile)
{
	struct flow f = { .profile = profile };
	bool done = false;

	if (!tl_cycles_find(&f.cycles, profile))
		return false;
	f.total = tl_zeroed((size_t)f.cycles.count * profile->event_count, sizeof(*f.total));
	f.order = tl_zeroed(profile->arcs.table.count, sizeof(*f.order));
	f.first = tl_zeroed((size_t)f.cycles.count + 2, sizeof(*f.first));
	if (f.total && f.order && f.first) {
		sum_lines(&f);
		sort_arcs(&f);
		divide_all(&f);
		done = true;
	}
	free(f.total);
	free(f.order);
	free(f.first);
	tl_cycles_free(&f.cycles);
	return done;
}
