/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public calls that fill a struct or an array of the caller, whose elements have the caller's
 * size (packets/sized.h). Inside the library their unsized forms are called.
 */
#include "intel_pt/blocks/decoder.h"
#include "intel_pt/packets/sized.h"
#include "core/arithmetic.h"

enum { AT_ONCE = 64 };

int tl_pt_decoder_block_next(struct tl_pt_decoder *decoder, struct tl_pt_block *block, size_t size)
{
	struct tl_pt_block ours;

	if (size == sizeof(*block))
		return tl_pt_next_block(decoder, block);
	if (!block || size < sizeof(*block))
		return -TL_PT_INVALID;
	return tl_pt_give_sized(tl_pt_next_block(decoder, &ours), block, size, &ours, sizeof(ours));
}

/*
 * Fill blocks of another size than ours from a small array. Fewer than were asked for: an event or
 * an error comes next, and `*status` is that at their end.
 */
static int64_t give_blocks(struct tl_pt_decoder *decoder, unsigned char *blocks, size_t size,
			   size_t max, int *status)
{
	struct tl_pt_block ours[AT_ONCE];
	int64_t done = 0, count;
	size_t want;

	do {
		want = tl_min(max - (size_t)done, AT_ONCE);
		count = tl_pt_next_blocks(decoder, ours, want, status);
		for (int64_t i = 0; i < count; i++, blocks += size)
			tl_copy_sized(blocks, size, &ours[i], sizeof(ours[i]));
		done += tl_max(0, count);
	} while (count == (int64_t)want && (size_t)done < max && !(*status & TL_PT_EVENT_PENDING));
	return done ? done : count;
}

int64_t tl_pt_decoder_blocks(struct tl_pt_decoder *decoder, struct tl_pt_block *blocks, size_t size,
			     size_t max, int *status)
{
	if (size == sizeof(*blocks))
		return tl_pt_next_blocks(decoder, blocks, max, status);
	if (!blocks || size < sizeof(*blocks) || !max)
		return -TL_PT_INVALID;
	return give_blocks(decoder, (unsigned char *)blocks, size, max, status);
}

int tl_pt_decoder_insn_next(struct tl_pt_decoder *decoder, struct tl_pt_insn *insn, size_t size)
{
	struct tl_pt_insn ours;

	if (size == sizeof(*insn))
		return tl_pt_next_insn(decoder, insn);
	if (!insn || size < sizeof(*insn))
		return -TL_PT_INVALID;
	return tl_pt_give_sized(tl_pt_next_insn(decoder, &ours), insn, size, &ours, sizeof(ours));
}

int tl_pt_decoder_event_next(struct tl_pt_decoder *decoder, struct tl_pt_event *event, size_t size)
{
	struct tl_pt_event ours;

	if (!event || size < sizeof(*event))
		return -TL_PT_INVALID;
	return tl_pt_give_sized(tl_pt_next_event(decoder, &ours), event, size, &ours, sizeof(ours));
}

int tl_pt_decoder_resync(struct tl_pt_decoder *decoder, struct tl_pt_event *lost, size_t size)
{
	struct tl_pt_event ours;
	int status;

	if (!lost)
		return tl_pt_resync(decoder, NULL);
	if (size < sizeof(*lost))
		return -TL_PT_INVALID;
	tl_take(&ours, sizeof(ours), lost, size);
	status = tl_pt_resync(decoder, &ours);
	tl_copy_sized(lost, size, &ours, sizeof(ours));
	return status;
}

int tl_pt_decoder_nodes(struct tl_pt_decoder *decoder, struct tl_pt_node_batch *batch, size_t size)
{
	struct tl_pt_node_batch ours;
	int status;

	if (!batch || size < sizeof(*batch))
		return -TL_PT_INVALID;
	tl_take(&ours, sizeof(ours), batch, size);
	status = tl_pt_next_nodes(decoder, &ours);
	tl_copy_sized(batch, size, &ours, sizeof(ours));
	return status;
}

int tl_pt_decoder_node_insns(struct tl_pt_decoder *decoder, uint32_t node, size_t first,
			     struct tl_pt_node_insn *insns, size_t size, size_t max)
{
	struct tl_pt_node_insn ours[AT_ONCE];
	unsigned char *to = (unsigned char *)insns;
	int count;

	if (size == sizeof(*insns))
		return tl_pt_node_insns(decoder, node, first, insns, max);
	if (!insns || size < sizeof(*insns))
		return -TL_PT_INVALID;
	count = tl_pt_node_insns(decoder, node, first, ours, tl_min(max, AT_ONCE));
	for (int i = 0; i < count; i++, to += size)
		tl_copy_sized(to, size, &ours[i], sizeof(ours[i]));
	return count;
}
