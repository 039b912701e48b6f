/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CORE_CODEC_H
#define TL_CORE_CODEC_H
/*
 * Decompressors behind one table: each expands a row of frames (members, streams), one call after
 * another.
 */
#include <tracelathe/core.h>

/* The bytes of one call; expand() moves both pointers on. */
struct tl_codec_io {
	const uint8_t *in;
	size_t in_left;
	uint8_t *out;
	size_t out_left;
	const char *text; /* why it failed, set with a negative result */
};

struct tl_codec {
	const char *name;
	bool zero_padding; /* NUL bytes may follow a frame */
	/* Whether a frame begins here: TL_CODEC_MAGIC bytes tell. */
	bool (*begins)(const uint8_t *in, size_t size);
	/* NULL without memory. */
	void *(*open)(void);
	/*
	 * 0: more is to come; 1: a frame is complete; a negative tl_status: the bytes before were
	 * put out.
	 */
	int (*expand)(void *state, struct tl_codec_io *io);
	void (*close)(void *state);
	/* Not NULL: this build cannot expand it, and this is why; the three above are NULL then. */
	const char *absent;
};

enum { TL_CODEC_MAGIC = 6 };

/* The codec of a file that begins with these bytes; NULL: it is not compressed. */
const struct tl_codec *tl_codec_find(const uint8_t *in, size_t size);

#endif
