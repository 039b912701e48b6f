/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_PARTS_SELECT_H
#define TL_XTRACE_PARTS_SELECT_H
/* Which part of a trace an operation is about. */
#include "xtrace/format/trace.h"

struct tl_xtrace_select {
	uint64_t id; /* only streams of this thread or core; TL_NOWHERE: any */
	/* instructions by number, the second not among them; TL_NOWHERE: no end */
	uint64_t from_ordinal, to_ordinal;
	uint64_t from_pc, to_pc;
	uint32_t from_snapshot,
		to_snapshot;         /* from the first one to before the second; 0, TL_NONE: all */
	uint64_t from_time, to_time; /* TIME from one to before another; 0, TL_NOWHERE: all */
	bool by_stream;              /* one stream after the other, also where TIME orders them */
	unsigned jobs;
	bool exact; /* info: count distinct PCs, too */
};

/* All of it. */
extern const struct tl_xtrace_select tl_xtrace_everything;

static inline bool tl_xtrace_selects_stream(const struct tl_xtrace_select *select,
					    const struct tl_xtrace_stream *stream)
{
	return select->id == TL_NOWHERE || select->id == stream->info.id;
}

/* The one stream of that thread or core (TL_NOWHERE: there is but one). */
int tl_xtrace_one_stream(const struct tl_xtrace_trace *trace, uint64_t id, uint32_t *stream,
			 struct tl_error *err);

#endif
