/* SPDX-License-Identifier: Apache-2.0 */
/* One row of the table of differences: its change of an event, its state. */
#include "report/diff/diff_table.h"

int64_t tl_diff_change(const struct tl_diff_row *row, uint32_t event)
{
	int64_t change;

	if (__builtin_sub_overflow(row->after[event], row->before[event], &change))
		return row->after[event] < 0 ? INT64_MIN : INT64_MAX;
	return change;
}

bool tl_diff_changed(const struct tl_diff_row *row, const uint32_t *events, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t event = events ? events[i] : i;

		if (row->before[event] != row->after[event])
			return true;
	}
	return false;
}

const char *tl_diff_state(const struct tl_diff *diff, const struct tl_diff_row *row)
{
	if (!row->in_before)
		return "new";
	if (!row->in_after)
		return "gone";
	if (row->calls_before != row->calls_after ||
	    tl_diff_changed(row, NULL, tl_diff_event_count(diff)))
		return "changed";
	return "same";
}
