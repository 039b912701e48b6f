/* SPDX-License-Identifier: Apache-2.0 */
/* The formats that can be read: one line each. */
#include "open/format.h"

const struct tl_format *const tl_format_table[] = {
	&tl_xray_format, &tl_callgrind_format, &tl_intel_pt_format,
	&tl_perf_format, &tl_xtrace_format,    NULL,
};

const struct tl_format_info *tl_trace_targets(void)
{
	static const struct tl_format_info targets[] = {
		{ "tarmac", "instructions, registers and accesses as Arm's Tarmac (text)" },
		{ "champsim", "instructions as ChampSim reads them (64 bytes each)" },
		{ "bbv", "basic-block vectors as SimPoint reads them (`analyze --bbv`)" },
		{ "jsonl", "instructions with their accesses, one JSON object a line" },
		{ NULL, NULL },
	};

	return targets;
}

const struct tl_format_info *tl_formats(void)
{
	static const struct tl_format_info formats[] = {
		TL_XRAY_INFO, TL_CALLGRIND_INFO, TL_INTEL_PT_INFO,
		TL_PERF_INFO, TL_XTRACE_INFO,    { NULL, NULL },
	};

	return formats;
}
