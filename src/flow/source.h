/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_FLOW_SOURCE_H
#define TL_FLOW_SOURCE_H
/* One stream of a trace (a thread, or a core) as blocks in the order of execution. */
#include <tracelathe/core.h>

#include "flow/blocks.h"

struct tl_flow_source {
	/*
	 * Append the next blocks to a list, some thousand at a time, with marks. 1: there may be
	 * more; 0: the trace is over; or a negative tl_status.
	 */
	int (*next)(void *arg, struct tl_flow_list *list, struct tl_error *err);
	/*
	 * Find the function of the code at an address, of a place that has none yet: few blocks are
	 * told, and debug information is slow to read. NULL: all places have theirs. False: no
	 * memory.
	 */
	bool (*name)(void *arg, uint64_t address, struct tl_flow_place *place);
	/* Ends the reading. 0 or TL_NO_MEMORY. */
	int (*close)(void *arg);
	void *arg;
	struct tl_flow_blocks *blocks; /* of the producer; grows with next() */
	uint64_t process, thread;      /* TL_NOWHERE: unknown */
};

#endif
