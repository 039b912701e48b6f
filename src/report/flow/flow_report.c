/* SPDX-License-Identifier: Apache-2.0 */
/* The comparison of two executions: in the form that is asked for. */
#include "core/sized.h"
#include "report/flow/flow_table.h"

enum { TEXT_ROWS = 20 };

/* The first version of the options ended there. */
#define OPTIONS_FIRST TL_SIZE_UP_TO(struct tl_report_options, all)

int tl_report_flow(const struct tl_flow *flow, const struct tl_report_options *options,
		   struct tl_output *out, struct tl_error *err)
{
	struct tl_report_options taken = { .size = sizeof(taken) };
	struct tl_flow_table table = { .flow = flow, .out = out };
	int status = options ? tl_take_options(&taken, sizeof(taken), OPTIONS_FIRST, options,
					       options->size, err)
			     : 0;

	if (status < 0)
		return status;
	table.rows = taken.top;
	if (!table.rows)
		table.rows = taken.form == TL_REPORT_TEXT && !taken.all ? TEXT_ROWS : UINT64_MAX;
	if (taken.form == TL_REPORT_CSV)
		tl_flow_put_csv(&table);
	else if (taken.form == TL_REPORT_JSON)
		tl_flow_put_json(&table);
	else
		tl_flow_put_text(&table);
	return 0;
}
