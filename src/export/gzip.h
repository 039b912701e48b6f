/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_EXPORT_GZIP_H
#define TL_EXPORT_GZIP_H
/* A gzip member (RFC 1952) written to an output as its bytes come. */
#include <stdbool.h>
#include <stddef.h>

#include <zlib.h>

#include <tracelathe/core.h>

enum { TL_GZIP_BUFFER = 16 * 1024 };

struct tl_gzip {
	unsigned char buffer[TL_GZIP_BUFFER]; /* deflate() is slow to call for a few bytes */
	size_t used;
	z_stream stream;
	gz_header header;
	struct tl_output *out;
};

/*
 * False without memory: do not call tl_gzip_end() then. Otherwise tl_gzip_end() frees the memory.
 */
bool tl_gzip_begin(struct tl_gzip *gzip, struct tl_output *out);
void tl_gzip_put(struct tl_gzip *gzip, const void *data, size_t size);
void tl_gzip_end(struct tl_gzip *gzip);

#endif
