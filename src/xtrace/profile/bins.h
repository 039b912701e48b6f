/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_BINS_H
#define TL_XTRACE_BINS_H
/*
 * A profile whose parts are intervals, exception levels or tasks instead of streams. Where another
 * one begins, the contexts that were counted in since the last such place are added to the part
 * that ends there, and count from 0 again.
 */
#include <tracelathe/xtrace.h>

#include "xtrace/profile/call_stack.h"

struct tl_xtrace_bin {
	uint64_t interval, key; /* as in marks */
	uint32_t part;          /* of the profile */
	int64_t instructions;
};

/* A context in the profile, for the bin in which it was needed last. */
struct tl_xtrace_binned_context {
	uint32_t bin; /* plus 1; 0: none */
	uint32_t number;
};

/* Of a stream. Zero-filled is the beginning. */
struct tl_xtrace_bins {
	uint64_t interval, key; /* the present bin; interval 0: nothing counts */
	bool keyed;             /* the key is known */
	uint32_t unnamed;       /* plus 1: a bin of which the key will be the first one told */
	struct tl_xtrace_bin *list;
	size_t count, capacity;
	struct tl_index index;
	struct tl_xtrace_binned_context *contexts; /* by context of the stack */
	size_t context_capacity;
	uint32_t *functions; /* in the profile, plus 1, by function; 0: not there yet */
	size_t function_capacity;
	uint32_t *path; /* from a context up to one that is there */
	size_t path_capacity;
};

struct tl_xtrace_fold;

/* Contexts of the present bin are added to the profile, and another one begins. */
int tl_xtrace_bins_mark(struct tl_xtrace_fold *fold, const struct tl_xtrace_stack_mark *mark,
			struct tl_error *err);
/* The stream has ended, and its calls have been closed. */
int tl_xtrace_bins_end(struct tl_xtrace_fold *fold, struct tl_error *err);
void tl_xtrace_bins_free(struct tl_xtrace_bins *bins);

#endif
