/* SPDX-License-Identifier: Apache-2.0 */
/* What grew by more than a limit: the gate of a build. */
#include <math.h>

#include "core/error.h"
#include "core/sized.h"
#include "report/diff/diff_table.h"

/* By how many percent a cost grew; what was nothing before grew without bound. */
static double growth_of(int64_t before, int64_t after)
{
	if (after <= before)
		return 0;
	if (before <= 0)
		return INFINITY;
	return 100 * ((double)after - (double)before) / (double)before;
}

static void pass_row(struct tl_diff_gate *gate, const struct tl_diff_row *row, uint32_t event,
		     double percent)
{
	double growth = growth_of(row->before[event], row->after[event]);

	if (!(growth > percent))
		return;
	gate->count++;
	if (growth > gate->worst_percent || !gate->worst) {
		gate->worst_percent = growth;
		gate->worst = row->function->name;
		gate->worst_event = event;
	}
}

static void pass_events(struct tl_diff_gate *gate, const struct tl_diff_table *table,
			double percent)
{
	for (uint32_t i = 0; i < table->event_count; i++) {
		uint32_t event = table->events[i];
		double growth = growth_of(tl_diff_total(table->diff, false)[event],
					  tl_diff_total(table->diff, true)[event]);

		gate->total_grew |= growth > percent;
		gate->total_percent = fmax(gate->total_percent, growth);
		for (size_t row = 0; row < table->count; row++)
			pass_row(gate, &table->rows[row], event, percent);
	}
}

int tl_report_diff_gate(const struct tl_diff *diff, const struct tl_report_options *options,
			double percent, struct tl_diff_gate *gate, size_t size,
			struct tl_error *err)
{
	struct tl_diff_table table;
	struct tl_diff_gate passed = { .total_grew = false };
	int status = tl_diff_table_make(&table, diff, options, err);

	if (status == 0)
		pass_events(&passed, &table, percent);
	tl_diff_table_free(&table);
	if (status == 0 && tl_give(gate, size, sizeof(passed), &passed, sizeof(passed)) < 0)
		status = tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				     "a struct of a size that no release had");
	return status;
}
