/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in a file; names and functions by them, also those that are lost. */
#include "profile/file/reading.h"

/* ---- numbers ---- */

bool tl_pfile_numbers_add(struct tl_pfile_numbers *numbers, uint64_t number, uint32_t element,
			  uint32_t count)
{
	struct tl_pfile_run *last = numbers->count ? &numbers->runs[numbers->count - 1] : NULL;

	if (last && number - last->first == last->count && element - last->element == last->count) {
		last->count += count;
		return true;
	}
	if (!tl_grow(&numbers->runs, &numbers->capacity, numbers->count + 1,
		     sizeof(*numbers->runs)))
		return false;
	numbers->runs[numbers->count++] = (struct tl_pfile_run){ number, count, element };
	return true;
}

uint32_t tl_pfile_numbers_search(const struct tl_pfile_numbers *numbers, uint64_t number)
{
	size_t low = 0, high = numbers->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct tl_pfile_run *run = &numbers->runs[middle];

		if (number < run->first)
			high = middle;
		else if (number - run->first < run->count)
			return run->element + (uint32_t)(number - run->first);
		else
			low = middle + 1;
	}
	return TL_NONE;
}

/* ---- what they stand for ---- */

bool tl_pfile_is_likely(const struct tl_pfile_reading *r, size_t rows, size_t bytes_each)
{
	enum { MOST = 64 };

	return rows <= r->reader->size / bytes_each * MOST;
}

void tl_pfile_take_losses(struct tl_losses *losses, const uint64_t *row)
{
	*losses = (struct tl_losses){
		.orphan_exits = row[0],
		.deduced_exits = row[1],
		.unfinished = row[2],
		.time_reversals = row[3],
		.gaps = row[4],
		.skipped_bytes = row[5],
		.skipped_records = row[6],
		.saturated = row[7],
		.left_calls = row[8],
		.gap_ends = row[9],
		.bridged = row[10],
		.uncertain = row[11],
	};
}

/* Without memory for it, rows of a lost function have none, and the reading ends. */
uint32_t tl_pfile_lost_function(struct tl_pfile_reading *r)
{
	static const struct tl_function lost = {
		.name = "[lost]", .object = "", .file = "", .id = TL_NOWHERE
	};

	if (r->lost_function == TL_NONE)
		r->lost_function =
			tl_cost_table_add(&r->profile->functions.table, &r->profile->functions.list,
					  &lost, sizeof(lost), 0);
	return r->lost_function;
}
