/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/share/dependences.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS = 1 << 12, GRANULE = 3 };

/* Of the numbers of 8 bytes; what is stored over the end of the addresses goes on at 0. */
static const uint64_t highest = UINT64_MAX >> GRANULE;

/* tl_a64_operands() is asked once for most opcodes. */
struct tl_xtrace_operand_slot {
	uint32_t opcode;
	bool known;
	struct tl_a64_operands operands;
};

static const struct tl_a64_operands *operands_of(struct tl_xtrace_dependences *d, uint32_t opcode)
{
	struct tl_xtrace_operand_slot *slot = &d->slots[(opcode * 0x9e3779b1u) >> 20];

	if (!slot->known || slot->opcode != opcode)
		*slot = (struct tl_xtrace_operand_slot){ opcode, true, tl_a64_operands(opcode) };
	return &slot->operands;
}

/* ---- what was read ---- */

static void count_distance(struct tl_xtrace_distances *distances, uint64_t distance)
{
	unsigned bucket = 63 - (unsigned)__builtin_clzll(distance);

	distances->buckets[bucket < TL_XTRACE_DISTANCES ? bucket : TL_XTRACE_DISTANCES - 1]++;
}

/* Instructions have numbers from 1; windows follow each other. */
static uint64_t window_of(uint64_t number, unsigned window)
{
	return (number - 1) / tl_xtrace_window(window);
}

static void wait_for(struct tl_xtrace_dependences *d, const struct tl_xtrace_producer *made)
{
	for (unsigned w = 0; w < TL_XTRACE_WINDOWS; w++)
		if (window_of(made->number, w) == window_of(d->instructions, w) &&
		    made->depth[w] > d->depth[w])
			d->depth[w] = made->depth[w];
}

static void read_register(struct tl_xtrace_dependences *d, unsigned reg)
{
	const struct tl_xtrace_producer *made = &d->made[reg];

	d->registers.reads++;
	if (!made->number) {
		d->registers.unknown++;
		return;
	}
	count_distance(&d->registers, d->instructions - made->number);
	wait_for(d, made);
}

/* A load waits for all that made its bytes; its distance is that to the last of them. */
static void read_memory(struct tl_xtrace_dependences *d, uint64_t first, uint64_t count)
{
	uint64_t nearest = 0;

	for (uint64_t i = 0; i < count; i++) {
		uint32_t id = tl_xtrace_address_id_find(&d->ids, (first + i) & highest);

		if (id == TL_NONE)
			continue;
		if (d->memory_made[id].number > nearest)
			nearest = d->memory_made[id].number;
		wait_for(d, &d->memory_made[id]);
	}
	d->memory.reads++;
	if (nearest)
		count_distance(&d->memory, d->instructions - nearest);
	else
		d->memory.unknown++;
}

/* ---- the end of an instruction ---- */

static bool make_memory(struct tl_xtrace_dependences *d, uint64_t at,
			const struct tl_xtrace_producer *made)
{
	uint32_t before = d->ids.count, id;

	if (!tl_grow(&d->memory_made, &d->memory_room, (size_t)before + 1, sizeof(*d->memory_made)))
		return false;
	id = tl_xtrace_address_id_add(&d->ids, at);
	if (id == TL_NONE)
		return false;
	d->memory_made[id] = *made;
	return true;
}

static bool finish(struct tl_xtrace_dependences *d)
{
	struct tl_xtrace_producer made = { .number = d->instructions };
	bool good = true;

	if (!d->open)
		return true;
	d->open = false;
	for (unsigned w = 0; w < TL_XTRACE_WINDOWS; w++) {
		made.depth[w] = (uint16_t)(d->depth[w] + 1);
		if (made.depth[w] > d->longest[w])
			d->longest[w] = made.depth[w];
	}
	for (unsigned i = 0; i < d->operands.write_count; i++)
		d->made[d->operands.writes[i]] = made;
	for (size_t i = 0; good && i < d->stored_count; i++)
		good = make_memory(d, d->stored[i], &made);
	return good;
}

static void end_windows(struct tl_xtrace_dependences *d, bool all)
{
	for (unsigned w = 0; w < TL_XTRACE_WINDOWS; w++)
		if (all || d->instructions % tl_xtrace_window(w) == 0) {
			d->chains[w] += d->longest[w];
			d->longest[w] = 0;
		}
}

/* ---- the way of a stream ---- */

bool tl_xtrace_dependences_step(struct tl_xtrace_dependences *d, uint32_t opcode)
{
	if (!finish(d))
		return false;
	end_windows(d, false);
	d->instructions++;
	d->open = true;
	d->stored_count = 0;
	d->operands = *operands_of(d, opcode);
	memset(d->depth, 0, sizeof(d->depth));
	for (unsigned i = 0; i < d->operands.read_count; i++)
		read_register(d, d->operands.reads[i]);
	return true;
}

bool tl_xtrace_dependences_access(struct tl_xtrace_dependences *d, bool store, uint64_t address,
				  uint64_t size)
{
	uint64_t first = address >> GRANULE, last = (address + size - 1) >> GRANULE;
	uint64_t count = ((last - first) & highest) + 1;

	if (!d->open)
		return true;
	if (!store) {
		read_memory(d, first, count);
		return true;
	}
	if (!tl_grow(&d->stored, &d->stored_room, d->stored_count + (size_t)count,
		     sizeof(*d->stored)))
		return false;
	for (uint64_t i = 0; i < count; i++)
		d->stored[d->stored_count++] = (first + i) & highest;
	return true;
}

bool tl_xtrace_dependences_end(struct tl_xtrace_dependences *d)
{
	bool good = finish(d);

	end_windows(d, true);
	return good;
}

/* ---- beginning and end ---- */

bool tl_xtrace_dependences_begin(struct tl_xtrace_dependences *d)
{
	d->slots = tl_zeroed(SLOTS, sizeof(*d->slots));
	return d->slots;
}

void tl_xtrace_dependences_free(struct tl_xtrace_dependences *d)
{
	tl_xtrace_address_ids_free(&d->ids);
	free(d->memory_made);
	free(d->stored);
	free(d->slots);
}
