/* SPDX-License-Identifier: Apache-2.0 */
#include "insn_log/reading.h"

int tl_insn_log_broken(struct tl_insn_log_reading *r, const char *text, struct tl_error *err)
{
	const uint64_t offset = tl_lines_offset(&r->lines);
	const struct tl_foreign_fault fault = {
		"line",          TL_BAD_RECORD, text, offset, tl_lines_passed(&r->lines) - offset,
		r->lines.number,
	};

	return tl_foreign_broken(&r->log->faults, &fault, err);
}
