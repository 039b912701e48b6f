/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/landing_pads.h"

#include "symbols/eh_frame.h"

static bool read_function(const struct tl_eh_table *frames, uint64_t address, uint64_t ip,
			  struct tl_eh_fde *fde)
{
	struct tl_eh_table record;
	uint64_t common;
	struct tl_eh_cie cie;

	return !frames->bad && address >= frames->address &&
	       tl_eh_record_at(frames, address - frames->address, &record) &&
	       tl_eh_is_fde(&record, &common) && tl_eh_read_cie(frames, common, &cie) &&
	       tl_eh_read_fde(&record, &cie, fde) && ip - fde->start < fde->size;
}

static bool find_pad(const struct tl_section *lsdas, const struct tl_eh_fde *fde, uint64_t ip,
		     uint64_t *pad)
{
	struct tl_eh_calls calls;
	struct tl_eh_call call;

	if (!tl_eh_calls_begin(&calls, lsdas, fde))
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
	const bool is_32bit = !tl_binary_is_64bit(binary);
	struct tl_section hdr, section, lsdas;
	struct tl_eh_table index, frames;
	/* The call's last byte: the byte behind it may belong to another call site. */
	uint64_t ip = back - bias - 1, at;
	struct tl_eh_fde fde;

	if (!tl_binary_section(binary, ".eh_frame_hdr", &hdr) ||
	    !tl_binary_section(binary, ".eh_frame", &section) ||
	    !tl_binary_section(binary, ".gcc_except_table", &lsdas))
		return false;
	index = tl_eh_table_at(&hdr, hdr.address, is_32bit);
	frames = tl_eh_table_at(&section, section.address, is_32bit);
	if (index.bad || !tl_eh_find(&index, ip, &at) || !read_function(&frames, at, ip, &fde) ||
	    !find_pad(&lsdas, &fde, ip, pad))
		return false;
	*pad += bias;
	return true;
}
