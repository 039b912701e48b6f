/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_DATA_LISTING_PEBS_LIST_H
#define TL_PERF_DATA_LISTING_PEBS_LIST_H
#include "perf_data/auxtrace/trace.h"

struct tl_output;

/* Which samples are listed: in seconds from the first packet with a time; 0 and 0: all. */
struct tl_perf_pebs_window {
	double from_seconds, to_seconds; /* `to_seconds` 0: to the end */
};

/*
 * Samples that the processor wrote into the trace (PEBS: BBP, BIP and BEP packets), in the order of
 * the trace's slices: "time" (ns), "process", "thread", "cpu", "event", "period", "ip", "address",
 * "latency" and "registers", as a JSON object a line or as text. What a sample lacks is left out.
 *
 * A sample that is cut off, and one whose counter has no event, is a fault of the reader. The trace
 * is rewound before.
 *
 * @return the number of samples; TL_UNSUPPORTED: there is none, and no event of the file has any
 */
int64_t tl_perf_pebs_list(struct tl_perf_trace *trace, const struct tl_perf_pebs_window *window,
			  bool json, struct tl_output *out, struct tl_error *err);

#endif
