/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clocks: those below 64 are of the system, from 64 on each sequence has its own. A snapshot shows
 * several at one instant, by which one is turned into another.
 */
#include "perfetto/state.h"

enum { CLOCK_BOOTTIME = 6, FIRST_OF_SEQUENCE = 64, SNAPSHOT_CLOCKS = 64 };
enum { SNAPSHOT_CLOCK = 1 };
enum { CLOCK_ID = 1, CLOCK_TIMESTAMP = 2, CLOCK_INCREMENTAL = 3, CLOCK_MULTIPLIER = 4 };

static uint32_t owner(uint32_t sequence, uint64_t clock)
{
	return clock < FIRST_OF_SEQUENCE ? TL_NONE : sequence;
}

static struct tl_perfetto_clock *find(const struct tl_perfetto_state *s, uint32_t sequence,
				      uint64_t id)
{
	for (size_t i = s->clock_count; i-- > 0;)
		if (s->clocks[i].id == id && s->clocks[i].sequence == owner(sequence, id))
			return &s->clocks[i];
	return NULL;
}

static bool keep(struct tl_perfetto_state *s, const struct tl_perfetto_clock *clock)
{
	struct tl_perfetto_clock *known = find(s, clock->sequence, clock->id);

	if (!known) {
		if (!tl_grow(&s->clocks, &s->clock_capacity, s->clock_count + 1,
			     sizeof(*s->clocks)))
			return false;
		known = &s->clocks[s->clock_count++];
	}
	*known = *clock;
	return true;
}

static uint64_t to_ns(const struct tl_perfetto_clock *clock, uint64_t time)
{
	uint64_t ns;

	return __builtin_mul_overflow(time, clock->multiplier, &ns) ? UINT64_MAX : ns;
}

static bool read_clock(struct tl_cursor cur, uint32_t sequence, struct tl_perfetto_clock *clock)
{
	struct tl_wire_field field;
	const char *why;

	*clock = (struct tl_perfetto_clock){ .multiplier = 1 };
	while (tl_wire_next(&cur, &field, &why) == 1) {
		if (field.type != TL_WIRE_VARINT)
			continue;
		if (field.number == CLOCK_ID)
			clock->id = field.value;
		else if (field.number == CLOCK_TIMESTAMP)
			clock->last = field.value;
		else if (field.number == CLOCK_INCREMENTAL)
			clock->is_incremental = field.value;
		else if (field.number == CLOCK_MULTIPLIER && field.value)
			clock->multiplier = field.value;
	}
	clock->sequence = owner(sequence, clock->id);
	return clock->id;
}

bool tl_perfetto_snapshot(struct tl_perfetto_state *s, uint32_t sequence, struct tl_cursor cur)
{
	struct tl_perfetto_clock clocks[SNAPSHOT_CLOCKS];
	const struct tl_perfetto_clock *base = NULL;
	struct tl_wire_field field;
	const char *why;
	size_t count = 0;

	while (count < SNAPSHOT_CLOCKS && tl_wire_next(&cur, &field, &why) == 1)
		if (field.number == SNAPSHOT_CLOCK && field.type == TL_WIRE_BYTES &&
		    read_clock(field.bytes, sequence, &clocks[count]))
			count++;
	for (size_t i = 0; i < count; i++)
		if (clocks[i].id == CLOCK_BOOTTIME)
			base = &clocks[i];
	/* Without the trace's own clock, one that is known already tells the same. */
	for (size_t i = 0; !base && i < count; i++)
		if (find(s, sequence, clocks[i].id))
			base = &clocks[i];
	for (size_t i = 0; base && i < count; i++) {
		const struct tl_perfetto_clock *known = find(s, sequence, base->id);
		uint64_t now = to_ns(base, base->last);

		if (known && base->id != CLOCK_BOOTTIME)
			now += (uint64_t)known->shift;
		clocks[i].shift = (int64_t)(now - to_ns(&clocks[i], clocks[i].last));
	}
	for (size_t i = 0; base && i < count; i++)
		if (!keep(s, &clocks[i]))
			return false;
	return true;
}

bool tl_perfetto_time(struct tl_perfetto_state *s, uint32_t sequence, uint64_t id,
		      uint64_t timestamp, int64_t *ns)
{
	struct tl_perfetto_clock *clock = id ? find(s, sequence, id) : NULL;

	*ns = (int64_t)timestamp;
	if (!clock)
		return !id || id == CLOCK_BOOTTIME;
	if (clock->is_incremental)
		timestamp = clock->last += timestamp;
	*ns = (int64_t)(to_ns(clock, timestamp) + (uint64_t)clock->shift);
	return true;
}
