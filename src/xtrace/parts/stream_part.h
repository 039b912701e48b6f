/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_PARTS_STREAM_PART_H
#define TL_XTRACE_PARTS_STREAM_PART_H
/* The part of a stream that is asked for (struct tl_xtrace_part), and intervals of it. */
#include "xtrace/format/trace.h"

/* The part is not all of a stream. */
bool tl_xtrace_part_chosen(const struct tl_xtrace_part *part);

/*
 * The numbers of its instructions, of whatever level: from `*first` to before `*end` (TL_NOWHERE:
 * the end of the stream). The stream is walked over if snapshots or TIME choose. 0; TL_BAD_USAGE:
 * there is no such snapshot, or no TIME.
 */
int tl_xtrace_part_range(struct tl_xtrace_trace *trace, const struct tl_xtrace_stream *stream,
			 const struct tl_xtrace_part *part, uint64_t *first, uint64_t *end,
			 struct tl_error *err);

/* Where another interval begins. */
struct tl_xtrace_place {
	uint64_t offset;      /* of the first token of an instruction */
	uint64_t instruction; /* its number */
	uint64_t interval;    /* from 1 on; 0: the part has ended */
};

/* Of a stream, in its order. Before the first one nothing counts. */
struct tl_xtrace_places {
	struct tl_xtrace_place *list;
	size_t count, capacity;
};

/* Find the places of a part, in intervals of so many instructions (0: one), by a walk. */
int tl_xtrace_part_places(struct tl_xtrace_trace *trace, const struct tl_xtrace_stream *stream,
			  const struct tl_xtrace_part *part, uint64_t interval,
			  struct tl_xtrace_places *places, struct tl_error *err);
void tl_xtrace_places_free(struct tl_xtrace_places *places);

#endif
