/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_FOLDED_FRAMES_H
#define TL_FOLDED_FRAMES_H
/*
 * The frames of a stack's text and their numbers. The end of a frame is looked for and its bytes
 * are hashed in one pass over words; a slot of the table has the address of the name's text, so
 * that a frame that is known costs two places of memory.
 */
#include "foreign/stacks.h"

/* Bytes behind the end of a text that can be read (core/text/lines.h). */
enum { TL_FOLDED_SLACK = 8 };

struct tl_folded_slot {
	uint64_t first;   /* the first eight bytes of the text, or all of it and zeros */
	const char *text; /* that of the stacks' names; NULL: an empty slot */
	uint32_t size, hash, frame;
};

struct tl_folded_frames {
	struct tl_foreign_stacks *stacks;
	struct tl_folded_slot *slots;
	size_t mask, count; /* capacity - 1, 0: none yet */
};

void tl_folded_frames_free(struct tl_folded_frames *frames);

/*
 * The end of the frame that begins at `text`, before `end`, behind which TL_FOLDED_SLACK bytes can
 * be read: at a ';' or `end`. `*hash` is set; where it leads to is fetched.
 */
const uint8_t *tl_folded_frame_end(const struct tl_folded_frames *frames, const uint8_t *text,
				   const uint8_t *end, uint32_t *hash);
/*
 * The number of a frame among those of the stacks, added if it is new; TL_NONE without memory. One
 * without a name is that of "???". The text is at most that of a line, of which as much can be read
 * as above.
 */
uint32_t tl_folded_frame(struct tl_folded_frames *frames, const uint8_t *text, size_t size,
			 uint32_t hash);

#endif
