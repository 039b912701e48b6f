/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/file/layout.h"

const struct tl_pfile_layout tl_pfile_layouts[TL_PFILE_SECTIONS] = {
	[TL_PFILE_STRINGS] = { "strings", 0, 0, false }, /* rows of their own kind */
	/* frequency, flags, call count, format; losses of no part */
	[TL_PFILE_HEAD] = { "head", 0, 4 + TL_PFILE_LOSSES, false },
	/* name, long name, unit, formula */
	[TL_PFILE_EVENTS] = { "events", 0, 4, false },
	/* status, offset, length, record, text, format */
	[TL_PFILE_NOTES] = { "notes", 0, 6, false },
	/* object, file, name, id, line, address */
	[TL_PFILE_FUNCTIONS] = { "functions", 6, 0, false },
	/* process, number, thread, command, header; first and last ticks, records; losses */
	[TL_PFILE_PARTS] = { "parts", 5, 3 + TL_PFILE_LOSSES, false },
	/* above, part, function; calls, unfinished, cut */
	[TL_PFILE_CONTEXTS] = { "contexts", 3, 3, true },
	/* function, part, file, line, address, block */
	[TL_PFILE_LINES] = { "lines", 6, 0, true },
	/* caller, callee, part; file, line, address, block of the call; the same of the callee;
	 * calls */
	[TL_PFILE_ARCS] = { "arcs", 11, 1, true },
	/* function, target, part; place; place of the target; conditional; executed, taken */
	[TL_PFILE_JUMPS] = { "jumps", 12, 2, false },
	/* function, part; calls, sum, least, greatest, sums that did not fit, histogram */
	[TL_PFILE_DURATIONS] = { "durations", 2, 6, false },
	/* function, part, duration; calls that took so long */
	[TL_PFILE_SAMPLES] = { "samples", 3, 1, false },
	/* number before - number now */
	[TL_PFILE_FUNCTION_ORDER] = { "function order", 1, 0, false },
	[TL_PFILE_PART_ORDER] = { "part order", 1, 0, false },
	[TL_PFILE_CONTEXT_ORDER] = { "context order", 1, 0, false },
	[TL_PFILE_LINE_ORDER] = { "line order", 1, 0, false },
	[TL_PFILE_ARC_ORDER] = { "arc order", 1, 0, false },
	[TL_PFILE_JUMP_ORDER] = { "jump order", 1, 0, false },
	/* rows of the section with the number of the row */
	[TL_PFILE_END] = { "end", 0, 1, false },
	/* function, part; how many lines */
	[TL_PFILE_LINE_SUMS] = { "line sums", 2, 1, true },
	/* caller, callee, part; how many arcs, calls */
	[TL_PFILE_ARC_SUMS] = { "arc sums", 3, 2, true },
};
