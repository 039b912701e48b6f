/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_OPEN_LLDB_PARTS_H
#define TL_OPEN_LLDB_PARTS_H
/*
 * Buffers of processors, taken apart into what each thread ran, by the switches beside them
 * (docs/formats/lldb-bundle.md).
 */
#include <tracelathe/intel_pt.h>

#include "intel_pt/code/program.h"
#include "open/lldb/bundle.h"

#define TL_LLDB_FOREIGN SIZE_MAX

/* Bytes [from, to) of a buffer, which one thread ran. */
struct tl_lldb_part {
	size_t buffer;
	uint64_t from, to, ticks; /* ticks of its begin, 0: unknown */
	uint64_t process, thread; /* TL_NOWHERE: unknown */
	size_t number;            /* of the process in the bundle; TL_LLDB_FOREIGN: in none */
	bool continues;           /* it is not the first of its buffer */
};

struct tl_lldb_parts {
	struct tl_lldb_part *list;
	size_t count, room;
};

/* A buffer of a processor, and the records of switches beside it. */
struct tl_lldb_traced {
	const struct tl_lldb_bundle *bundle;
	struct tl_pt_program *const *programs; /* by process */
	size_t buffer;
	const struct tl_pt_config *config;
	const uint8_t *switches;
	size_t switch_bytes;
};

/* Add the parts of a buffer, in the order of its bytes. 0 or negative. */
int tl_lldb_parts_add(struct tl_lldb_parts *parts, const struct tl_lldb_traced *traced,
		      struct tl_error *err);
/* By their begins; those of a buffer stay in order. */
void tl_lldb_parts_sort(struct tl_lldb_parts *parts);

#endif
