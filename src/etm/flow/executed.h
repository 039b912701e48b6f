/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_ETM_FLOW_EXECUTED_H
#define TL_ETM_FLOW_EXECUTED_H
/* All sources of a file followed over the code, and what could not be followed. */
#include "etm/flow/streams.h"
#include "etm/packets/file.h"

struct tl_etm_executed {
	struct tl_etm_streams streams;
	struct tl_fault_list faults; /* in packets and in the flow */
	uint64_t gaps[TL_ETM_GAPS];
	uint64_t no_code; /* the first address without code */
	uint64_t lost_atoms;
};

/*
 * Follow the file, whose own faults stay as they are; `executed` is zero-filled but for
 * `faults.strict`, and is to be ended in any case. 0 or negative.
 */
int tl_etm_execute(struct tl_etm_executed *executed, const struct tl_etm_file *file,
		   tl_etm_code_fn *code, void *arg, struct tl_error *err);
void tl_etm_executed_end(struct tl_etm_executed *executed);

#endif
