/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_VECTOR_LENGTHS_H
#define TL_XTRACE_VECTOR_LENGTHS_H
/*
 * The length of a thread's vectors (SVE) along its stream: snapshots have one for the whole file.
 * It is what prctl(PR_SVE_SET_VL, ...) set, and what execve() left of that; and where whole
 * registers are loaded or stored, it is theirs. The list of a stream is made in one walk, as far as
 * it is asked for, and kept with the trace.
 */
#include "xtrace/format/trace.h"

/* Extend the list of a stream to the end of the segment that has this offset. False: no memory. */
bool tl_xtrace_vector_lengths_until(struct tl_xtrace_trace *trace, uint32_t stream,
				    uint64_t offset);
/* What is told last before an offset; NULL: nothing. */
const struct tl_xtrace_length *tl_xtrace_vector_length_before(const struct tl_xtrace_trace *trace,
							      uint32_t stream, uint64_t offset);
/* The lengths that a thread had set when it made others, by 16 bytes from bit 0 on. */
uint32_t tl_xtrace_vector_lengths_passed(const struct tl_xtrace_trace *trace, uint32_t stream);

#endif
