/* SPDX-License-Identifier: Apache-2.0 */
/* How compressed data begin. */
#include <string.h>

#include "core/codecs/codecs.h"

static bool starts_with(const uint8_t *in, size_t size, const char *magic, size_t count)
{
	return size >= count && !memcmp(in, magic, count);
}

/*
 * Skippable frames: Zstandard (RFC 8878, section 3.1.2) and LZ4 share the magic numbers 0x184d2a50
 * .. 5f.
 */
static bool is_skippable(const uint8_t *in, size_t size)
{
	return size >= 4 && (in[0] & 0xf0) == 0x50 && !memcmp(in + 1, "\x2a\x4d\x18", 3);
}

bool tl_zstd_begins(const uint8_t *in, size_t size)
{
	return starts_with(in, size, "\x28\xb5\x2f\xfd", 4) || is_skippable(in, size);
}

bool tl_gzip_begins(const uint8_t *in, size_t size)
{
	return starts_with(in, size, "\x1f\x8b", 2);
}

bool tl_xz_begins(const uint8_t *in, size_t size)
{
	return starts_with(in, size,
			   "\xfd"
			   "7zXZ\0",
			   6);
}

bool tl_lz4_begins(const uint8_t *in, size_t size)
{
	return starts_with(in, size, "\x04\x22\x4d\x18", 4) || is_skippable(in, size);
}
