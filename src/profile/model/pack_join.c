/* SPDX-License-Identifier: Apache-2.0 */
/* Two packs into one: threads make packs of their own. */
#include "core/arithmetic.h"
#include "profile/model/pack.h"

static bool join_runs(struct tl_pack *pack, const struct tl_pack *other)
{
	bool ok = other->run_count < UINT32_MAX - pack->run_count &&
		  tl_grow(&pack->runs, &pack->run_capacity, pack->run_count + other->run_count,
			  sizeof(*pack->runs));

	for (size_t i = 0; ok && i < other->run_count; i++) {
		const struct tl_pack_run *run = &other->runs[i];

		ok = tl_index_add(&pack->by_part, tl_hash_pair(run->function, run->part),
				  (uint32_t)pack->run_count);
		pack->runs[pack->run_count++] = *run;
	}
	return ok;
}

static bool join_files(struct tl_pack *pack, const struct tl_pack *other)
{
	if (!tl_grow(&pack->files, &pack->file_capacity, other->file_words, sizeof(*pack->files)))
		return false;
	for (; pack->file_words < other->file_words; pack->file_words++)
		pack->files[pack->file_words] = 0;
	for (size_t i = 0; i < other->file_words; i++)
		pack->files[i] |= other->files[i];
	return true;
}

/* What cannot be told from a sum that does not fit any more is told by `large`. */
static void join_sums(struct tl_pack *pack, const struct tl_pack *other)
{
	pack->large |= tl_pack_is_large(pack) || tl_pack_is_large(other);
	for (size_t i = 0; i < other->part_count && !pack->large; i++)
		for (uint32_t e = 0; e < other->sums[i].count; e++)
			pack->sums[i].costs[e] += other->sums[i].costs[e];
	for (uint32_t e = 0; e < other->event_count && !pack->large; e++)
		pack->sizes[e] += other->sizes[e];
	pack->counts += pack->large ? 0 : other->counts;
}

bool tl_pack_join(struct tl_pack *pack, struct tl_pack *other)
{
	if (!join_runs(pack, other) || !join_files(pack, other))
		return false;
	join_sums(pack, other);
	pack->next = tl_max(pack->next, other->next);
	pack->end = tl_max(pack->end, other->end);
	pack->addresses |= other->addresses;
	pack->blocks |= other->blocks;
	pack->negative |= other->negative;
	tl_arena_join(&pack->arena, &other->arena);
	other->run_count = 0;
	return true;
}
