/* SPDX-License-Identifier: Apache-2.0 */
/* Compressed sections. */
#include <stdlib.h>

#include "core/codecs/zlib_bytes.h"
#include "core/codecs/zstd_blocks.h"
#include "symbols/dwarf/sections.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

/* Deflate expands at most 1,032-fold; a section that claims more is damaged or hostile. */
enum { MOST_RATIO = 1032, ALWAYS_ALLOWED = 1 << 20 };

static int expand_zlib(const struct tl_dwarf_bytes *in, uint8_t *out, size_t size)
{
	return tl_zlib_expand(in->cur.pos, tl_cursor_left(&in->cur), out, size);
}

static int expand_zstd(const struct tl_dwarf_bytes *in, uint8_t *out, size_t size)
{
	struct tl_zstd_blocks zstd = { 0 };
	int status = tl_zstd_expand(&zstd, in->cur.pos, tl_cursor_left(&in->cur), out, size);

	tl_zstd_blocks_free(&zstd);
	return status;
}

/* The header before the compressed bytes: their format (returned) and expanded size. */
static uint64_t read_header(const struct tl_elf *file, bool old, struct tl_dwarf_bytes *in,
			    uint64_t *size)
{
	uint64_t type = ELFCOMPRESS_ZLIB;

	if (old) {
		bool named = tl_dwarf_need(in, 4) && !memcmp(in->cur.pos, "ZLIB", 4);

		in->swap = !TL_HOST_BIG_ENDIAN;
		tl_dwarf_skip(in, 4);
		*size = tl_dwarf_take_word(in, 8);
		return named ? type : 0;
	}
	type = tl_dwarf_take_word(in, 4);
	tl_dwarf_skip(in, file->is_64bit ? 4 : 0);
	*size = tl_dwarf_take_word(in, tl_elf_word_size(file));
	tl_dwarf_skip(in, tl_elf_word_size(file));
	return type;
}

int tl_dwarf_inflate(const struct tl_elf *file, const uint8_t *stored, size_t size, bool old,
		     uint8_t **expanded, size_t *expanded_size, const char **text)
{
	struct tl_dwarf_bytes in = { .cur = tl_cursor_over(stored, size), .swap = file->swap };
	uint64_t wanted, type = read_header(file, old, &in, &wanted);
	int status = TL_UNSUPPORTED;

	*text = "a debug section is compressed by an unknown method";
	if (in.bad || (type != ELFCOMPRESS_ZLIB && type != ELFCOMPRESS_ZSTD))
		return status;
	*text = "a debug section claims to expand to more than its bytes can";
	if (wanted > ALWAYS_ALLOWED && (wanted - ALWAYS_ALLOWED) / MOST_RATIO > size)
		return TL_TOO_LARGE;
	/* More than a machine of 32 bits has addresses for is more than it has memory for. */
	if (wanted >= SIZE_MAX)
		return TL_NO_MEMORY;
	*expanded = malloc((size_t)wanted + 1);
	if (!*expanded)
		return TL_NO_MEMORY;
	*expanded_size = (size_t)wanted;
	status = (type == ELFCOMPRESS_ZLIB ? expand_zlib : expand_zstd)(&in, *expanded,
									(size_t)wanted);
	*text = "a compressed debug section is damaged";
	if (status == TL_UNSUPPORTED)
		*text = "a debug section is compressed with zstd, and this tracelathe was built "
			"without libzstd";
	if (status)
		free(*expanded);
	return status;
}
