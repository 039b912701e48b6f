/* SPDX-License-Identifier: Apache-2.0 */
/* The search for PSB, the only packet that can be found without decoding the bytes before it. */
#include "intel_pt/packets/layout.h"
#include "intel_pt/packets/packet.h"

bool tl_pt_is_psb(const uint8_t *pos, const uint8_t *end)
{
	const uint64_t pairs = UINT64_C(0x8202820282028202);

	return end - pos >= TL_PT_PSB_BYTES && tl_le64(pos) == pairs && tl_le64(pos + 8) == pairs;
}

/*
 * The first PSB at or behind `pos`. No other packet holds these 16 bytes, unless a payload of eight
 * bytes has the same pairs. Only every fifteenth byte is tested: wherever a PSB begins, one of its
 * bytes 02 or 82 is among them. It equals tl_pt_is_psb() at each byte in turn.
 */
const uint8_t *tl_pt_psb_forward(const uint8_t *pos, const uint8_t *end)
{
	while (end - pos >= TL_PT_PSB_BYTES) {
		const uint8_t *probe = pos + TL_PT_PSB_BYTES - 2;

		if (*probe != 0x02 && *probe != 0x82) {
			pos = probe + 1;
			continue;
		}
		for (; pos <= probe; pos++)
			if (tl_pt_is_psb(pos, end))
				return pos;
	}
	return NULL;
}

const uint8_t *tl_pt_psb_backward(const uint8_t *begin, const uint8_t *pos, const uint8_t *end)
{
	const uint8_t *run;

	do {
		if (pos == begin)
			return NULL;
		pos--;
	} while (*pos != 0x02 || !tl_pt_is_psb(pos, end));
	/*
	 * PSB right behind each other: count from the first of the pairs, so that the same PSB are
	 * found as by a search forward.
	 */
	for (run = pos; run - begin >= 2 && run[-2] == 0x02 && run[-1] == 0x82;)
		run -= 2;
	return run + (pos - run) / TL_PT_PSB_BYTES * TL_PT_PSB_BYTES;
}

/*
 * A packet that was cut short by the PSB behind it may have swallowed part of that PSB, so the
 * search begins as far back as one packet is long; but behind the PSB synchronised onto.
 */
const uint8_t *tl_pt_psb_after(const struct tl_pt_config *config, const uint8_t *sync,
			       const uint8_t *pos)
{
	const uint8_t *first = config->begin;

	if (pos) {
		first = pos - sync > TL_PT_PSB_BYTES - 1 ? pos - (TL_PT_PSB_BYTES - 1) : sync;
		if (tl_pt_is_psb(sync, config->end) && first - sync < TL_PT_PSB_BYTES)
			first = sync + TL_PT_PSB_BYTES;
	}
	return tl_pt_psb_forward(first, config->end);
}

size_t tl_pt_find_psbs(const struct tl_pt_config *config, uint64_t from, uint64_t *offsets,
		       size_t room)
{
	const uint8_t *pos = config->begin;
	size_t count = 0;

	if (from > (uint64_t)(config->end - pos))
		return 0;
	pos += from;
	while (count < room && (pos = tl_pt_psb_forward(pos, config->end)) != NULL) {
		offsets[count++] = (uint64_t)(pos - config->begin);
		pos += TL_PT_PSB_BYTES;
	}
	return count;
}
