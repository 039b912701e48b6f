/* SPDX-License-Identifier: Apache-2.0 */
#include "etm/packets/reader.h"

#include "core/arithmetic.h"
#include "core/cursor.h"

/* ---- bytes of one source ---- */

static void put_frame(struct tl_etm_reader *r, const struct tl_etm_frame *frame)
{
	struct tl_etm_window *w = &r->window;

	for (unsigned i = 0; i < frame->count; i++) {
		if (frame->ids[i] != r->id)
			continue;
		w->bytes[w->count] = frame->bytes[i];
		w->offsets[w->count++] = frame->offsets[i];
	}
}

/* Keep the bytes from `pos` on, and put more behind them. */
static void refill(struct tl_etm_reader *r)
{
	struct tl_etm_window *w = &r->window;
	const size_t at = (size_t)(r->pos - w->bytes), left = (size_t)(r->end - r->pos);
	struct tl_etm_frame frame;

	memmove(w->bytes, w->bytes + at, left);
	memmove(w->offsets, w->offsets + at, left * sizeof(w->offsets[0]));
	w->count = left;
	while (!w->is_last && TL_ETM_WINDOW - w->count >= TL_ETM_FRAME_DATA) {
		w->is_last = !tl_etm_frames_next(&w->frames, &frame);
		put_frame(r, &frame);
	}
	r->pos = w->bytes;
	r->end = w->bytes + w->count;
}

static bool has_more(const struct tl_etm_reader *r)
{
	return r->trace->is_framed && !r->window.is_last;
}

/* Where a byte stands in the trace; of the end of the bytes: that of the trace. */
static uint64_t offset_of(const struct tl_etm_reader *r, const uint8_t *pos)
{
	if (pos == r->end)
		return (uint64_t)(r->trace->end - r->trace->begin);
	if (!r->trace->is_framed)
		return (uint64_t)(pos - r->trace->begin);
	return r->window.offsets[pos - r->window.bytes];
}

/* Go to the next A-Sync, or to the end. The number of bytes before it. */
static uint64_t synchronise(struct tl_etm_reader *r)
{
	uint64_t passed = 0;

	for (;;) {
		const uint8_t *found = tl_etm_find_async(r->pos, r->end), *stop = r->end;

		/* Its zeros may end what is there. */
		if (!found && has_more(r))
			stop -= tl_min(r->end - r->pos, (ptrdiff_t)TL_ETM_ASYNC_BYTES - 1);
		stop = found ? found : stop;
		passed += (uint64_t)(stop - r->pos);
		r->pos = stop;
		if (found || !has_more(r))
			return passed;
		refill(r);
	}
}

/* ---- packets ---- */

void tl_etm_reader_begin(struct tl_etm_reader *r, const struct tl_etm_trace *trace, uint8_t id,
			 const struct tl_etm_config *config)
{
	/* All but the bytes of the window, which are written before they are read. */
	memset(r, 0, offsetof(struct tl_etm_reader, window.bytes));
	r->trace = trace;
	r->id = id;
	r->state.config = config;
	r->pos = trace->begin;
	r->end = trace->end;
	if (!trace->is_framed)
		return;
	tl_etm_frames_begin(&r->window.frames, trace->begin, trace->end);
	r->pos = r->end = r->window.bytes;
	refill(r);
}

/* Behind bytes that are no packet: an A-Sync may begin at any of them but the first. */
static enum tl_etm_read skip(struct tl_etm_reader *r, enum tl_etm_broken why)
{
	r->lost = (struct tl_etm_lost){ .why = why, .from = offset_of(r, r->pos), .bytes = 1 };
	r->pos++;
	r->lost.bytes += synchronise(r);
	r->lost.to = offset_of(r, r->pos);
	r->state = (struct tl_etm_state){ .config = r->state.config };
	return TL_ETM_LOST;
}

enum tl_etm_read tl_etm_reader_next(struct tl_etm_reader *r, struct tl_etm_packet *packet)
{
	int size;

	if (!r->synchronised)
		r->passed_bytes = synchronise(r);
	r->synchronised = true;
	if (r->end - r->pos < TL_ETM_MOST_BYTES && has_more(r))
		refill(r);
	if (r->pos == r->end)
		return TL_ETM_END;
	size = tl_etm_decode(packet, r->pos, r->end, &r->state);
	if (size == -TL_ETM_CUT) {
		r->is_cut = true;
		return TL_ETM_END;
	}
	if (size < 0)
		return skip(r, (enum tl_etm_broken) - size);
	r->offset = offset_of(r, r->pos);
	r->pos += size;
	r->packets++;
	r->bytes += (uint64_t)size;
	return TL_ETM_PACKET;
}

/* ---- sources ---- */

static bool has_async(const struct tl_etm_trace *trace)
{
	return tl_etm_find_async(trace->begin, trace->end);
}

/*
 * Which IDs have an A-Sync in frames. All are looked at together, as the bytes of a file that is no
 * such trace belong to nearly every ID.
 */
static void see_ids(const struct tl_etm_trace *trace, bool *seen)
{
	unsigned zeros[TL_ETM_NO_ID + 1] = { 0 };
	struct tl_etm_frames frames;
	struct tl_etm_frame frame;

	tl_etm_frames_begin(&frames, trace->begin, trace->end);
	while (tl_etm_frames_next(&frames, &frame))
		for (unsigned i = 0; i < frame.count; i++) {
			const uint8_t id = frame.ids[i], byte = frame.bytes[i];

			seen[id] |= byte == TL_ETM_ASYNC_END && zeros[id] >= TL_ETM_ASYNC_BYTES - 1;
			zeros[id] = byte ? 0 : zeros[id] + 1;
		}
}

size_t tl_etm_sources(const struct tl_etm_trace *trace, uint8_t *ids)
{
	bool seen[TL_ETM_NO_ID + 1] = { false };
	size_t count = 0;

	if (!trace->is_framed) {
		ids[0] = 0;
		return has_async(trace);
	}
	see_ids(trace, seen);
	for (uint8_t id = 1; id < TL_ETM_IDS; id++)
		if (seen[id])
			ids[count++] = id;
	return count;
}
