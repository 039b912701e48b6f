/* SPDX-License-Identifier: Apache-2.0 */
/* Heads of buffers in the bytes of an FDR log. */
#include "xray/records/fdr_buffers.h"

#include <string.h>

#include "core/arithmetic.h"

bool tl_xray_is_kind(const struct tl_xray_reader *r, uint64_t at, enum tl_xray_metadata kind)
{
	const uint8_t *p = NULL;

	if (at < r->size && r->size - at >= TL_XRAY_METADATA_BYTES)
		p = tl_xray_look(r, at, TL_XRAY_METADATA_BYTES);
	return p && *p == tl_xray_metadata_byte(&r->dialect, kind);
}

bool tl_xray_is_buffer(const struct tl_xray_reader *r, uint64_t at)
{
	return tl_xray_is_kind(r, at, TL_XRAY_MD_NEW_BUFFER) &&
	       tl_xray_is_kind(r, at + TL_XRAY_METADATA_BYTES, TL_XRAY_MD_WALL_CLOCK);
}

uint64_t tl_xray_extents_end(const struct tl_xray_reader *r, uint64_t at)
{
	const uint8_t *p = tl_xray_look(r, at, TL_XRAY_METADATA_BYTES);
	uint64_t size = p ? tl_get64s(p + 1, r->dialect.swap) : 0;

	if (size > UINT64_MAX - at - TL_XRAY_METADATA_BYTES)
		return UINT64_MAX;
	return at + TL_XRAY_METADATA_BYTES + size;
}

/* What is searched at once: its pages are given back before the search goes on. */
enum { SEARCHED = 4 << 20 };

/* The first place from `at` on that has a byte, or the end; pages before it are given back. */
static uint64_t find_byte(const struct tl_xray_reader *r, uint64_t at, uint8_t byte)
{
	while (at < r->size) {
		size_t size = SEARCHED;
		const uint8_t *from = tl_xray_look_on(r, at, &size);
		const uint8_t *hit = from ? memchr(from, byte, size) : NULL;

		if (!from)
			break;
		if (hit)
			return at + (uint64_t)(hit - from);
		tl_source_release(r->source, at, size);
		at += size;
	}
	return r->size;
}

struct tl_xray_buffer_head tl_xray_next_head(const struct tl_xray_reader *r, uint64_t from)
{
	uint8_t first = tl_xray_metadata_byte(&r->dialect, TL_XRAY_MD_NEW_BUFFER);
	uint64_t at = from, released = from;

	while ((at = find_byte(r, at, first)) < r->size) {
		uint64_t extents;

		if (at - released > SEARCHED) {
			tl_source_release(r->source, released, at - released);
			released = at;
		}
		if (!tl_xray_is_buffer(r, at)) {
			at++;
			continue;
		}
		extents = at - TL_XRAY_METADATA_BYTES;
		if (r->dialect.version > 1 && at >= from + TL_XRAY_METADATA_BYTES &&
		    tl_xray_is_kind(r, extents, TL_XRAY_MD_BUFFER_EXTENTS))
			return (struct tl_xray_buffer_head){ extents,
							     tl_xray_extents_end(r, extents), true,
							     true };
		return (struct tl_xray_buffer_head){ at, UINT64_MAX, true, false };
	}
	return (struct tl_xray_buffer_head){ .start = r->size };
}
