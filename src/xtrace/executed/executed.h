/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_EXECUTED_EXECUTED_H
#define TL_XTRACE_EXECUTED_EXECUTED_H
/* One stream of a trace as blocks in the order of execution (flow/source.h). */
#include "flow/source.h"
#include "xtrace/parts/select.h"

struct tl_binary;

struct tl_xtrace_executed_options {
	struct tl_binary *const *binaries; /* for names and objects */
	size_t binary_count;
	uint64_t id; /* only this thread or core, TL_NOWHERE: any */
};

/*
 * The stream of a number, from 0, among those that are chosen and not empty. Number 0 forgets what
 * earlier passes found (tl_xtrace_rewind()). `salt`: see tl_flow_blocks_begin(). 1; 0: there is no
 * such stream; or a negative tl_status.
 */
int tl_xtrace_executed(struct tl_xtrace_trace *trace,
		       const struct tl_xtrace_executed_options *options, size_t number,
		       uint64_t salt, struct tl_flow_source *source, struct tl_error *err);

#endif
