/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile has up to a million arcs with a vector of costs each, so that both finding those that
 * the other one has and copying the new ones, whose pages have to be cleared, is done by two
 * threads: the numbers of new arcs follow from how many there are before. Arcs of one profile
 * differ, and stay different with other numbers, so that no two are added to the same one.
 */
#include "callgrind/profile/joined_arcs.h"

#include <string.h>

#include "core/pool.h"

enum { TASKS = 2 };

struct joining {
	struct tl_profile *to;
	const struct tl_profile *from;
	const struct tl_callgrind_numbers *numbers;
	const char *empty;
	uint32_t *found; /* number in `to`, by number in `from`; TL_NONE: it is new */
	size_t had;      /* arcs of `to` */
	size_t fresh[TASKS];
	uint64_t saturated[TASKS];
};

static size_t begin_of(const struct joining *j, size_t task)
{
	return j->from->arcs.table.count * task / TASKS;
}

static struct tl_arc arc_of(const struct joining *j, size_t number)
{
	struct tl_arc arc = j->from->arcs.list[number];

	arc.caller = j->numbers->functions[arc.caller];
	arc.callee = j->numbers->functions[arc.callee];
	arc.part = tl_profile_renumber(j->numbers->parts, arc.part);
	arc.from.file = arc.to.file = j->empty;
	return arc;
}

static int find(void *arg, size_t task)
{
	struct joining *j = arg;

	for (size_t i = begin_of(j, task); i < begin_of(j, task + 1); i++) {
		const struct tl_arc arc = arc_of(j, i);

		j->found[i] = tl_profile_find_arc(j->to, &arc);
		j->fresh[task] += j->found[i] == TL_NONE;
	}
	return 0;
}

static bool make_room(struct joining *j)
{
	struct tl_profile_arcs *arcs = &j->to->arcs;
	size_t count = j->had;

	for (size_t task = 0; task < TASKS; task++)
		count += j->fresh[task];
	if (count >= TL_NONE ||
	    !tl_grow(&arcs->list, &arcs->table.capacity, count, sizeof(*arcs->list)) ||
	    !tl_grow(&arcs->table.cost, &arcs->table.cost_capacity, count * j->to->event_count,
		     sizeof(*arcs->table.cost)))
		return false;
	arcs->table.count = count;
	return true;
}

static void add(const struct joining *j, size_t number, size_t from, uint64_t *saturated)
{
	const uint32_t count = j->from->event_count;
	const int64_t *costs = j->from->arcs.table.cost + from * count;
	int64_t *row = j->to->arcs.table.cost + number * j->to->event_count;

	for (uint32_t i = 0; i < count; i++)
		tl_add_cost(&row[j->numbers->events[i]], costs[i], saturated);
}

static int place(void *arg, size_t task)
{
	struct joining *j = arg;
	struct tl_profile_arcs *arcs = &j->to->arcs;
	const size_t row = j->to->event_count * sizeof(*arcs->table.cost);
	size_t next = j->had + (task ? j->fresh[0] : 0);

	for (size_t i = begin_of(j, task); i < begin_of(j, task + 1); i++) {
		size_t number = j->found[i];

		if (number == TL_NONE) {
			number = next++;
			arcs->list[number] = arc_of(j, i);
			memset(arcs->table.cost + number * j->to->event_count, 0, row);
		} else {
			tl_add_count(&arcs->list[number].calls, j->from->arcs.list[i].calls,
				     &j->saturated[task]);
		}
		add(j, number, i, &j->saturated[task]);
	}
	return 0;
}

bool tl_callgrind_join_arcs(struct tl_profile *to, const struct tl_profile *from,
			    const struct tl_callgrind_numbers *numbers)
{
	struct joining j = {
		.to = to, .from = from, .numbers = numbers, .had = to->arcs.table.count
	};
	bool ok;

	if (!from->arcs.table.count)
		return true;
	j.empty = tl_profile_text(to, "");
	j.found = malloc(from->arcs.table.count * sizeof(*j.found));
	ok = j.empty && j.found && tl_pool_run(TASKS, TASKS, find, &j) == 0 && make_room(&j) &&
	     tl_pool_run(TASKS, TASKS, place, &j) == 0;
	for (size_t task = 0; task < TASKS; task++)
		to->losses.saturated += j.saturated[task];
	free(j.found);
	return ok;
}
