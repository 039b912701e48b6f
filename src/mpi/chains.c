/* SPDX-License-Identifier: Apache-2.0 */
#include "mpi/chains.h"

#include <stdlib.h>

static const char no_memory[] = "tracelathe-mpi: out of memory\n";

/* What its worker waits for, or a negative status: it will not come. `bytes` is closed. */
static void answer(struct fleet_chains *c, struct work_unit *unit, int status, int bytes,
		   uint64_t size)
{
	const struct note note = { .kind = NOTE_CHAIN,
				   .to = unit->reader,
				   .life = unit->reader_life,
				   .status = status,
				   .size = size };

	unit->waits = WAITS_NOT;
	relay_send(c->relay, &note, bytes);
}

bool chains_drop(struct fleet_chains *c, uint32_t number)
{
	const struct work_unit share = c->units->list[number];
	bool ok = units_drop_shares(c->units, number);

	for (uint32_t i = 0; i < share.shares; i++) {
		struct work_unit *unit = &c->units->list[share.first + i];

		if (unit->waits)
			answer(c, unit, TL_UNSUPPORTED, -1, 0);
	}
	return ok;
}

/* Whether it is the first share of a chain of which some are not folded yet. */
static bool is_open_chain(const struct work_unit *first)
{
	bool open = false;

	if (!first->related || !first->chained || first->share || first->dropped)
		return false;
	for (uint32_t i = 0; i < first->shares; i++)
		open |= !first[i].kept;
	return open;
}

bool chains_break(struct fleet_chains *c)
{
	bool ok = true;

	for (uint32_t i = 0; i < c->units->count; i++)
		if (is_open_chain(&c->units->list[i]))
			ok &= chains_drop(c, i);
	return ok;
}

/* Everybody gets what all have found, as soon as all have. */
static const char *answer_all(struct fleet_chains *c, struct work_unit *first)
{
	struct run_place *places;
	bool ok = true;

	for (uint32_t i = 0; i < first->shares; i++)
		if (first[i].waits != WAITS_FOR_ALL)
			return NULL;
	places = malloc(first->shares * sizeof(*places));
	for (uint32_t i = 0; places && i < first->shares; i++)
		places[i] = first[i].found;
	for (uint32_t i = 0; i < first->shares; i++) {
		uint64_t size = 0;
		int copy = places ? fleet_copy(c->runs, c->settings, places, first->shares, &size)
				  : -1;

		ok &= copy >= 0;
		answer(c, &first[i], copy < 0 ? TL_NO_MEMORY : 0, copy, size);
	}
	free(places);
	return ok ? NULL : no_memory;
}

static const char *answer_before(struct fleet_chains *c, struct work_unit *unit)
{
	const struct run_place *told = &unit[-1].told;
	uint64_t size;
	int copy;

	if (unit->waits != WAITS_FOR_BEFORE || !told->size)
		return NULL;
	copy = fleet_copy(c->runs, c->settings, told, 1, &size);
	answer(c, unit, copy < 0 ? TL_NO_MEMORY : 0, copy, size);
	return copy < 0 ? no_memory : NULL;
}

static const char *take_kept(struct fleet_chains *c, struct work_unit *unit,
			     const struct note *note, int bytes)
{
	struct run_place *place = note->kind == NOTE_MEET ? &unit->found : &unit->told;
	const char *why =
		bytes < 0 ? no_memory : fleet_keep(c->runs, c->settings, bytes, note->size, place);

	if (why)
		return why;
	if (note->kind == NOTE_MEET) {
		unit->waits = WAITS_FOR_ALL;
		return answer_all(c, &c->units->list[unit->first]);
	}
	return unit->share + 1 < unit->shares ? answer_before(c, unit + 1) : NULL;
}

const char *chains_take(struct fleet_chains *c, struct work_unit *unit, const struct note *note,
			int bytes)
{
	if (!unit->related || !unit->chained)
		return NULL;
	if (unit->dropped) {
		if (note->kind != NOTE_TOLD)
			answer(c, unit, TL_UNSUPPORTED, -1, 0);
		return NULL;
	}
	if (note->kind != NOTE_BEFORE)
		return take_kept(c, unit, note, bytes);
	if (!unit->share)
		return NULL;
	unit->waits = WAITS_FOR_BEFORE;
	return answer_before(c, unit);
}
