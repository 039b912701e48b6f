/* SPDX-License-Identifier: Apache-2.0 */
/* Names and functions by their numbers in a file, also those that are lost. */
#include "profile/file/reading.h"

const char *tl_pfile_string(const struct tl_pfile_reading *r, uint64_t number)
{
	const struct tl_names *names = r->profile ? &r->profile->names : &r->names;
	uint32_t element = tl_pfile_number(&r->strings, number);

	return element == TL_NONE ? "[lost]" : names->names[element].text;
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
uint32_t tl_pfile_function(struct tl_pfile_reading *r, uint64_t number)
{
	static const struct tl_function lost = {
		.name = "[lost]", .object = "", .file = "", .id = TL_NOWHERE
	};
	uint32_t element = tl_pfile_number(&r->functions, number);

	if (element != TL_NONE)
		return element;
	if (r->lost_function == TL_NONE)
		r->lost_function =
			tl_cost_table_add(&r->profile->functions.table, &r->profile->functions.list,
					  &lost, sizeof(lost), 0);
	return r->lost_function;
}
