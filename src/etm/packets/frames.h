/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_ETM_PACKETS_FRAMES_H
#define TL_ETM_PACKETS_FRAMES_H
/*
 * Frames of the CoreSight formatter, which puts the bytes of several sources into one trace
 * (docs/formats/etm.md, 2): 16 bytes, of which seven are data, eight are data or the ID of the
 * source from there on, and the last one has the lowest bits of those eight.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	TL_ETM_FRAME_BYTES = 16,
	TL_ETM_FRAME_DATA = 15, /* bytes of data in a frame at most */
	TL_ETM_NO_ID = 0x7f,    /* before the first ID */
	TL_ETM_IDS = 0x70,      /* IDs of trace sources are 01 to 6f */
};

struct tl_etm_frames {
	const uint8_t *begin, *pos, *end;
	uint8_t id;
	uint64_t cut_bytes; /* of frames that a synchronisation or the end cuts short */
};

/* The data of one frame: bytes with their sources, and where in the trace they stand. */
struct tl_etm_frame {
	unsigned count;
	uint8_t bytes[TL_ETM_FRAME_DATA], ids[TL_ETM_FRAME_DATA];
	uint64_t offsets[TL_ETM_FRAME_DATA];
};

/* Begin at the first frame synchronisation, or at `begin` if there is none near it. */
void tl_etm_frames_begin(struct tl_etm_frames *frames, const uint8_t *begin, const uint8_t *end);
/* The next frame; false: there is none. */
bool tl_etm_frames_next(struct tl_etm_frames *frames, struct tl_etm_frame *frame);

#endif
