/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_PROFILE_GAPS_H
#define TL_XRAY_PROFILE_GAPS_H
/*
 * Gaps between the records of a thread: where they are, and what the records behind one say of the
 * frames before it (profile/fold/fold.h, "gap").
 *
 * A hole in a file may be a buffer of any thread. It is one of a thread's gaps for certain when the
 * log has one thread only, or when the damaged buffer itself says whose it is. Else a thread is
 * taken to have the gap when its records do not fit together without: when the exits behind it do
 * not close the frames before it, one by one.
 */
#include "profile/fold/fold.h"
#include "xray/records/reader.h"

enum tl_xray_gap_kind { TL_XRAY_NO_GAP, TL_XRAY_MAYBE_GAP, TL_XRAY_GAP };

/* What stands between the block of a stream that was read last and the next one. */
enum tl_xray_gap_kind tl_xray_gap_ahead(const struct tl_xray_stream *stream);

/* What is looked for ahead: the first three say how far; and what was found. */
enum { TL_XRAY_MOST_EXITS = 1 << 20 }; /* a stack that is deeper is none */

struct tl_xray_ahead {
	uint32_t first; /* a function whose frame is open already, TL_NONE: none */
	size_t most_exits;
	uint64_t most_records;
	uint32_t *exits; /* functions of the exits that close no frame opened behind the gap */
	size_t count, capacity;
	uint64_t tsc; /* of the first record with a time */
	bool any;     /* there is one */
	bool to_end;  /* no further gap, and no end of what was asked for */
};

/* The number of a function id; TL_NONE without memory. */
typedef uint32_t tl_xray_number_fn(void *arg, uint32_t id);

/*
 * Look at the records from the stream's position on. The stream stays where it is. Free
 * ahead->exits. Negative: no memory.
 */
int tl_xray_look_ahead(const struct tl_xray_stream *stream, tl_xray_number_fn *number, void *arg,
		       struct tl_xray_ahead *ahead, struct tl_error *err);

#endif
