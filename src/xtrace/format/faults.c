/* SPDX-License-Identifier: Apache-2.0 */
/* Damaged places: all are counted, the first ones listed. */
#include "core/error.h"
#include "core/memory.h"
#include "xtrace/format/trace.h"

enum { LISTED = 1000 };

int tl_xtrace_note_fault(struct tl_xtrace_faults *faults, const struct tl_xtrace_fault *fault,
			 struct tl_error *err)
{
	if (faults->listed < LISTED) {
		if (!tl_grow(&faults->list, &faults->capacity, faults->listed + 1,
			     sizeof(*faults->list)))
			return tl_error_memory(err);
		faults->list[faults->listed++] = *fault;
	}
	faults->count++;
	faults->skipped_bytes += fault->length;
	return 0;
}

void tl_xtrace_rewind(struct tl_xtrace_trace *trace)
{
	trace->faults.listed = trace->open_faults.listed;
	trace->faults.count = trace->open_faults.count;
	trace->faults.skipped_bytes = trace->open_faults.skipped_bytes;
}

const struct tl_xtrace_fault *tl_xtrace_faults(const struct tl_xtrace_trace *trace, size_t *listed,
					       uint64_t *count, uint64_t *skipped_bytes)
{
	*listed = trace->faults.listed;
	*count = trace->faults.count;
	*skipped_bytes = trace->faults.skipped_bytes;
	return trace->faults.list;
}
