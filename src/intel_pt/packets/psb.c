/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where packets can begin: PSB, the one pattern that can be found without reading what is before
 * it.
 */
#include "intel_pt/packets/layout.h"
#include "intel_pt/packets/packet.h"

bool tl_pt_is_psb(const uint8_t *pos, const uint8_t *end)
{
	const uint64_t pairs = UINT64_C(0x8202820282028202);

	return end - pos >= TL_PT_PSB_BYTES && tl_get64(pos) == pairs && tl_get64(pos + 8) == pairs;
}

/*
 * PSB is the one pattern of 16 bytes that no other packets make, if a payload of eight bytes is not
 * such pairs itself. Only every fifteenth byte need be looked at: one of the 82 of a PSB stands
 * there or beside it.
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
	 * Several PSB one behind the other: they are counted from the first pair of all, as one
	 * comes to them forward.
	 */
	for (run = pos; run - begin >= 2 && run[-2] == 0x02 && run[-1] == 0x82;)
		run -= 2;
	return run + (pos - run) / TL_PT_PSB_BYTES * TL_PT_PSB_BYTES;
}

/*
 * A packet that was cut short by the PSB behind it may have swallowed part of that PSB, so the
 * search goes back by what one packet can hold; but not onto the PSB synchronised onto.
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
