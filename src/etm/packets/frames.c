/* SPDX-License-Identifier: Apache-2.0 */
#include "etm/packets/frames.h"

#include "core/arithmetic.h"
#include "core/cursor.h"

enum {
	SYNC_BYTES = 4,
	HALF_SYNC_BYTES = 2,
	AUXILIARY = TL_ETM_FRAME_BYTES - 1, /* the byte with the lowest bits of the even ones */
	SEARCHED = 64 * 1024,               /* for the first synchronisation */
};

/* ff ff ff 7f, between frames. */
static bool is_sync(const uint8_t *pos, const uint8_t *end)
{
	return end - pos >= SYNC_BYTES && tl_le32(pos) == 0x7fffffff;
}

/* ff 7f, anywhere where an even byte may stand: ID 7f is no source's. */
static bool is_half_sync(const uint8_t *pos, const uint8_t *end)
{
	return end - pos >= HALF_SYNC_BYTES && tl_le16(pos) == 0x7fff;
}

static const uint8_t *find_sync(const uint8_t *pos, const uint8_t *end)
{
	for (; end - pos >= SYNC_BYTES; pos++)
		if (is_sync(pos, end))
			return pos;
	return NULL;
}

void tl_etm_frames_begin(struct tl_etm_frames *frames, const uint8_t *begin, const uint8_t *end)
{
	const uint8_t *sync = find_sync(begin, begin + tl_min(end - begin, (ptrdiff_t)SEARCHED));

	*frames = (struct tl_etm_frames){
		.begin = begin,
		.pos = sync ? sync : begin,
		.end = end,
		.id = TL_ETM_NO_ID,
	};
}

/*
 * Gather the bytes of a frame, without half synchronisations between them, and where each of them
 * stands. How many there are: fewer than a frame's where it is cut short.
 */
static unsigned gather(struct tl_etm_frames *f, uint8_t bytes[TL_ETM_FRAME_BYTES],
		       uint64_t offsets[TL_ETM_FRAME_BYTES])
{
	unsigned count = 0;

	while (count < TL_ETM_FRAME_BYTES && f->pos < f->end && !is_sync(f->pos, f->end)) {
		if (count % 2 == 0 && is_half_sync(f->pos, f->end)) {
			f->pos += HALF_SYNC_BYTES;
			continue;
		}
		offsets[count] = (uint64_t)(f->pos - f->begin);
		bytes[count++] = *f->pos++;
	}
	return count;
}

static void put(struct tl_etm_frame *frame, uint8_t byte, uint8_t id, uint64_t offset)
{
	frame->bytes[frame->count] = byte;
	frame->ids[frame->count] = id;
	frame->offsets[frame->count++] = offset;
}

/* An even byte is data, or an ID if its bit 0 is set; what is behind it is data. */
static void take_pair(struct tl_etm_frames *f, struct tl_etm_frame *frame, const uint8_t *bytes,
		      const uint64_t *offsets, unsigned at)
{
	const unsigned low = bytes[AUXILIARY] >> at / 2 & 1;
	const uint8_t before = f->id;
	const bool is_id = bytes[at] & 1;

	if (is_id)
		f->id = bytes[at] >> 1;
	else
		put(frame, (uint8_t)(bytes[at] | low), f->id, offsets[at]);
	/* The auxiliary bit of an ID says that the byte behind it is the source's before. */
	if (at + 1 < AUXILIARY)
		put(frame, bytes[at + 1], is_id && low ? before : f->id, offsets[at + 1]);
}

bool tl_etm_frames_next(struct tl_etm_frames *f, struct tl_etm_frame *frame)
{
	uint8_t bytes[TL_ETM_FRAME_BYTES];
	uint64_t offsets[TL_ETM_FRAME_BYTES];
	unsigned count;

	frame->count = 0;
	do {
		while (is_sync(f->pos, f->end))
			f->pos += SYNC_BYTES;
		if (f->pos == f->end)
			return false;
		count = gather(f, bytes, offsets);
		if (count < TL_ETM_FRAME_BYTES)
			f->cut_bytes += count;
	} while (count < TL_ETM_FRAME_BYTES);
	for (unsigned at = 0; at < AUXILIARY; at += 2)
		take_pair(f, frame, bytes, offsets, at);
	return true;
}
