/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_EXECUTED_EXECUTED_H
#define TL_INTEL_PT_EXECUTED_EXECUTED_H
/* One thread of a feed as blocks in the order of execution (flow/source.h). */
#include "flow/source.h"
#include "intel_pt/profile/faults.h"

struct tl_pt_executed_options {
	uint64_t thread, process, cpu; /* TL_NOWHERE: any */
	unsigned jobs;
	bool strict; /* stop at the first fault */
};

/*
 * The thread of a number, from 0 in the order in which they run first; no two sources of one feed
 * at a time. `salt`: see tl_flow_blocks_begin(). 1; 0: there is no such thread; or a negative
 * tl_status.
 */
int tl_pt_executed(const struct tl_pt_feed *feed, const struct tl_pt_executed_options *options,
		   struct tl_pt_faults *faults, size_t number, uint64_t salt,
		   struct tl_flow_source *source, struct tl_error *err);

#endif
