/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/landing_pads.h"

#include "symbols/eh_frame.h"

/*
 * The address of the FDE of the last function that begins at an address or before it, of those in
 * the table of .eh_frame_hdr: pairs of function and FDE, in order.
 */
static bool find_fde(const struct tl_section *index, uint64_t ip, uint64_t *found)
{
	struct tl_eh_table t = tl_eh_table_at(index, index->address);
	uint64_t version = tl_eh_take(&t, 1), frames = tl_eh_take(&t, 1),
		 counts = tl_eh_take(&t, 1), pairs = tl_eh_take(&t, 1);
	uint64_t count, low = 0, high, first;

	tl_eh_take_pointer(&t, (unsigned)frames, index->address);
	count = tl_eh_take_form(&t, (unsigned)counts);
	if (t.bad || version != 1 || counts == TL_EH_OMIT ||
	    pairs != (TL_EH_DATAREL | TL_EH_SDATA4))
		return false;
	first = tl_cursor_offset(&t.cur);
	high = tl_cursor_left(&t.cur) / 8;
	high = count < high ? count : high;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		tl_cursor_seek(&t.cur, first + middle * 8);
		if (tl_eh_take_pointer(&t, (unsigned)pairs, index->address) <= ip)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return false;
	tl_cursor_seek(&t.cur, first + (low - 1) * 8 + 4);
	*found = tl_eh_take_pointer(&t, (unsigned)pairs, index->address);
	return !t.bad;
}

static bool read_function(const struct tl_section *section, uint64_t address, uint64_t ip,
			  struct tl_eh_fde *fde)
{
	struct tl_eh_table frames = tl_eh_table_at(section, section->address), record;
	uint64_t common;
	struct tl_eh_cie cie;

	return !frames.bad && address >= section->address &&
	       tl_eh_record_at(&frames, address - section->address, &record) &&
	       tl_eh_is_fde(&record, &common) && tl_eh_read_cie(&frames, common, &cie) &&
	       tl_eh_read_fde(&record, &cie, fde) && fde->lsda && ip - fde->start < fde->size;
}

static bool find_pad(const struct tl_section *lsdas, const struct tl_eh_fde *fde, uint64_t ip,
		     uint64_t *pad)
{
	struct tl_eh_calls calls;
	struct tl_eh_call call;

	if (!tl_eh_calls_begin(&calls, lsdas, fde->lsda, fde->start))
		return false;
	while (tl_eh_calls_next(&calls, &call)) {
		if (ip - call.start >= call.size)
			continue;
		*pad = call.pad;
		return call.pad != 0;
	}
	return false;
}

bool tl_landing_pad(struct tl_binary *binary, uint64_t bias, uint64_t back, uint64_t *pad)
{
	struct tl_section index, frames, lsdas;
	/* The call's last byte: the byte behind it may belong to another call site. */
	uint64_t ip = back - bias - 1, at;
	struct tl_eh_fde fde;

	if (!tl_binary_section(binary, ".eh_frame_hdr", &index) ||
	    !tl_binary_section(binary, ".eh_frame", &frames) ||
	    !tl_binary_section(binary, ".gcc_except_table", &lsdas))
		return false;
	if (!index.data || !find_fde(&index, ip, &at) || !read_function(&frames, at, ip, &fde) ||
	    !find_pad(&lsdas, &fde, ip, pad))
		return false;
	*pad += bias;
	return true;
}
