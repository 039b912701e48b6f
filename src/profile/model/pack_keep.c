/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a profile file into a pack, as they are. */
#include <string.h>

#include "core/arithmetic.h"
#include "profile/model/pack.h"

enum {
	READ_AHEAD = 16, /* bytes behind rows, which may be read with them */
	LEAST_ROOM = 64 << 10,
	MOST_ROOM = 8 << 20, /* is worth large pages */
};

/* Room is made for as much as was kept before. False without memory. */
static bool make_room(struct tl_pack *pack, struct tl_pack_room *room, size_t size)
{
	const size_t least = tl_max(size, (size_t)LEAST_ROOM);
	const size_t usual = tl_min(room->kept, (size_t)MOST_ROOM);

	if (size <= room->left)
		return true;
	room->left = tl_max(least, usual);
	room->at = tl_arena_alloc(&pack->arena, room->left);
	return room->at;
}

const uint8_t *tl_pack_keep(struct tl_pack *pack, struct tl_pack_room *room, const uint8_t *bytes,
			    size_t size)
{
	uint8_t *kept;

	if (!make_room(pack, room, size + READ_AHEAD))
		return NULL;
	kept = room->at;
	memcpy(kept, bytes, size);
	memset(kept + size, 0, READ_AHEAD);
	room->at += size + READ_AHEAD;
	room->left -= size + READ_AHEAD;
	room->kept += size + READ_AHEAD;
	return kept;
}

/* What all items have together; none of these sums can exceed 64 bits before it is large. */
static void weigh(struct tl_pack *pack, uint64_t *to, const uint64_t *sums, uint64_t calls)
{
	uint64_t all;

	if (pack->large)
		return;
	pack->counts += calls;
	all = pack->counts;
	for (uint32_t e = 0; e < pack->event_count; e++) {
		to[e] += sums[e];
		all |= to[e];
	}
	pack->large = all >= TL_PACK_LARGE;
}

static struct tl_pack_rows *copy_rows(struct tl_pack *pack, const struct tl_pack_rows *rows,
				      const uint64_t *sums)
{
	const size_t bytes = pack->event_count * sizeof(*sums);
	struct tl_pack_rows *copy = tl_arena_alloc(&pack->arena, sizeof(*copy));
	uint64_t *own = NULL;

	if (!copy)
		return NULL;
	*copy = *rows;
	copy->next = NULL;
	copy->sums = NULL;
	if (rows->kind != TL_PACK_LINE)
		return copy;
	own = tl_arena_alloc(&pack->arena, bytes);
	if (!own)
		return NULL;
	memcpy(own, sums, bytes);
	copy->sums = own;
	return copy;
}

bool tl_pack_add_rows(struct tl_pack *pack, uint32_t function, uint32_t part,
		      const struct tl_pack_rows *rows, const struct tl_pack_rows_sums *sums)
{
	const bool line = rows->kind == TL_PACK_LINE;
	struct tl_pack_rows *copy;
	struct tl_pack_run *run;

	if (!tl_pack_in_any_order(pack, function, part))
		return false;
	run = &pack->runs[pack->run_of[function]];
	copy = copy_rows(pack, rows, sums->costs);
	if (!copy)
		return false;
	if (run->last_rows)
		run->last_rows->next = copy;
	else
		run->rows = copy;
	run->last_rows = copy;
	run->counts[rows->kind] += rows->count;
	run->bytes += rows->bytes;
	pack->end = tl_max(pack->end, rows->origin->end);
	pack->addresses = pack->addresses || sums->addresses;
	pack->blocks = pack->blocks || sums->blocks;
	weigh(pack, line ? (uint64_t *)pack->sums[part].costs : pack->sizes, sums->costs,
	      sums->calls);
	return true;
}
