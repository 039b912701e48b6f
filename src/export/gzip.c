/* SPDX-License-Identifier: Apache-2.0 */
#include "export/gzip.h"

#include <string.h>

#include "core/arithmetic.h"
#include "core/output.h"

enum { GZIP_WINDOW = 15 + 16 }; /* zlib: the largest window, in a gzip wrapper */
enum { MEMORY_LEVEL = 8 };      /* zlib's default */
/* RFC 1952, 2.3.1: no host in the header, no time: the same bytes everywhere. */
enum { UNKNOWN_SYSTEM = 255 };

bool tl_gzip_begin(struct tl_gzip *gzip, struct tl_output *out)
{
	gzip->used = 0;
	gzip->stream = (z_stream){ 0 };
	gzip->header = (gz_header){ .os = UNKNOWN_SYSTEM };
	gzip->out = out;
	/*
	 * Varints hardly repeat: the default level takes several times as long to find little more.
	 */
	if (deflateInit2(&gzip->stream, Z_BEST_SPEED, Z_DEFLATED, GZIP_WINDOW, MEMORY_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return false;
	deflateSetHeader(&gzip->stream, &gzip->header);
	return true;
}

/*
 * Deflate the buffer; with Z_FINISH to the end of the member. With room for output neither can
 * fail.
 */
static void deflate_buffer(struct tl_gzip *gzip, int flush)
{
	int status;

	gzip->stream.next_in = gzip->buffer;
	gzip->stream.avail_in = (uInt)gzip->used;
	do {
		char *room = tl_output_room(gzip->out, TL_OUTPUT_ROOM);

		gzip->stream.next_out = (Bytef *)room;
		gzip->stream.avail_out = TL_OUTPUT_ROOM;
		status = deflate(&gzip->stream, flush);
		tl_output_advance(gzip->out, (char *)gzip->stream.next_out);
	} while (flush == Z_FINISH ? status == Z_OK : gzip->stream.avail_in > 0);
	gzip->used = 0;
}

void tl_gzip_put(struct tl_gzip *gzip, const void *data, size_t size)
{
	const char *bytes = data;

	while (size) {
		size_t left = TL_GZIP_BUFFER - gzip->used, some = tl_min(size, left);

		memcpy(gzip->buffer + gzip->used, bytes, some);
		gzip->used += some;
		bytes += some;
		size -= some;
		if (gzip->used == TL_GZIP_BUFFER)
			deflate_buffer(gzip, Z_NO_FLUSH);
	}
}

void tl_gzip_end(struct tl_gzip *gzip)
{
	deflate_buffer(gzip, Z_FINISH);
	deflateEnd(&gzip->stream);
}
