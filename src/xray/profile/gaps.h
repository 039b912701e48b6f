/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_PROFILE_GAPS_H
#define TL_XRAY_PROFILE_GAPS_H
/*
 * Gaps between the records of a thread: their places, and the evidence of the records behind a gap
 * about the frames before it (profile/fold/fold.h, "gap").
 *
 * Bytes without records may have been a buffer of any thread. They are certainly a gap of a thread
 * if the log has only that thread, or if the damaged buffer names it. Otherwise a thread is assumed
 * to have the gap if its records contradict each other without one: if the exits behind it do not
 * close the frames before it one by one.
 */
#include "profile/fold/fold.h"
#include "xray/records/reader.h"

enum tl_xray_gap_kind { TL_XRAY_NO_GAP, TL_XRAY_MAYBE_GAP, TL_XRAY_GAP };

/* The gap between the last block that the stream has read and the next one; *gap NULL: none. */
enum tl_xray_gap_kind tl_xray_gap_ahead(const struct tl_xray_stream *stream,
					const struct tl_xray_gap **gap);

/* The first three members limit the search, the others are its result. */
enum { TL_XRAY_MOST_EXITS = 1 << 20 }; /* a deeper stack is not plausible */

struct tl_xray_ahead {
	uint32_t first; /* a function with an open frame, TL_NONE: none */
	size_t most_exits;
	uint64_t most_records;
	uint32_t *exits; /* functions of exits whose frames were opened before the gap */
	size_t count, capacity;
	uint64_t tsc; /* that of the first record with a time */
	bool any;     /* there is one */
	bool to_end;  /* the search ended neither at another gap nor at a limit */
};

/* The number of a function id; TL_NONE without memory. */
typedef uint32_t tl_xray_number_fn(void *arg, uint32_t id);

/*
 * Search the records from the position of a copy of the stream on. Free ahead->exits. Negative: no
 * memory.
 */
int tl_xray_look_ahead(const struct tl_xray_stream *stream, tl_xray_number_fn *number, void *arg,
		       struct tl_xray_ahead *ahead, struct tl_error *err);

#endif
