/* SPDX-License-Identifier: Apache-2.0 */
/* Is this an xtrace file? The format has no magic number of its own, so the bytes have to make
 * sense as a whole. */
#include "core/arithmetic.h"
#include "core/cursor.h"
#include "xtrace/format/snapshot.h"

/* So many tokens make sure; a file with fewer has to be nothing but tokens. */
enum { ENOUGH_TOKENS = 64, LEAST_TOKENS = 2, WINDOW = 64 << 10 };

/* The tokens a stream begins with: instructions of one PC after another, ALLGPR where a core was
 * caught in between. */
static bool begins_like_stream(const struct tl_xtrace_tokens *tokens, const uint8_t *data,
			       size_t size)
{
	enum tl_xtrace_kind kind = (enum tl_xtrace_kind)tokens->kind[data[0]];
	uint64_t pc;

	if (kind == TL_XTRACE_ALLGPR || kind == TL_XTRACE_SVCRET)
		return true;
	if (kind == TL_XTRACE_INST)
		return size >= 5;
	if (kind != TL_XTRACE_PCINST || size < 13)
		return false;
	pc = tl_get64s(data + 1, TL_HOST_BIG_ENDIAN);
	return pc % 4 == 0 && (pc >> 52 == 0 || pc >> 52 == 0xfff);
}

static int probe_stream(const uint8_t *data, size_t size, uint32_t code_bits)
{
	struct tl_xtrace_layout layout = tl_xtrace_own_layout(0);
	struct tl_xtrace_tokens tokens;
	uint64_t extent, enough;

	layout.code_bits = code_bits;
	if (tl_xtrace_tokens_make(&tokens, &layout, NULL, NULL) < 0 ||
	    !begins_like_stream(&tokens, data, size))
		return 0;
	extent = tl_xtrace_parse_extent(&tokens, data, 0, size, WINDOW, NULL);
	enough = tl_xtrace_parse_extent(&tokens, data, 0, size, ENOUGH_TOKENS, NULL);
	if (extent > enough)
		return tokens.kind[data[0]] == TL_XTRACE_INST ? 55 : 75;
	/* A whole short stream, or one whose last token was cut. */
	if (extent > tl_xtrace_parse_extent(&tokens, data, 0, size, LEAST_TOKENS - 1, NULL) &&
	    size - extent < TL_XTRACE_MAX_FIXED)
		return 40;
	return extent == size || tokens.kind[data[0]] == TL_XTRACE_PCINST ? 15 : 0;
}

int tl_xtrace_probe(const uint8_t *data, size_t size)
{
	int snapshots, stream;

	if (!size)
		return 0;
	snapshots = tl_xtrace_probe_snapshots(data, size);
	stream = probe_stream(data, size, 5);
	if (stream < 40 && probe_stream(data, size, 4) > stream)
		stream = probe_stream(data, size, 4);
	return tl_max(snapshots, stream);
}
