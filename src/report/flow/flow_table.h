/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_REPORT_FLOW_FLOW_TABLE_H
#define TL_REPORT_FLOW_FLOW_TABLE_H
/* The comparison of two executions, to be written. */
#include <tracelathe/report.h>

struct tl_flow_table {
	const struct tl_flow *flow;
	struct tl_output *out;
	uint64_t rows; /* places shown of a stream at most */
};

void tl_flow_put_text(const struct tl_flow_table *table);
void tl_flow_put_csv(const struct tl_flow_table *table);
void tl_flow_put_json(const struct tl_flow_table *table);

#endif
