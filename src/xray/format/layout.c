/* SPDX-License-Identifier: Apache-2.0 */
#include "xray/format/layout.h"

const struct tl_xray_metadata_kind tl_xray_metadata_kinds[TL_XRAY_MD_COUNT] = {
	/* "NewBuffer Records" */
	[TL_XRAY_MD_NEW_BUFFER] = { TL_XRAY_NEW_BUFFER, "new-buffer" },
	/* "EndOfBuffer Records" */
	[TL_XRAY_MD_END_OF_BUFFER] = { TL_XRAY_END_OF_BUFFER, "end-of-buffer" },
	/* "NewCPUId Records" */
	[TL_XRAY_MD_NEW_CPU] = { TL_XRAY_NEW_CPU, "new-cpu" },
	/* "TSCWrap Records" */
	[TL_XRAY_MD_TSC_WRAP] = { TL_XRAY_TSC_WRAP, "tsc-wrap" },
	/* "WallClockTime Records" */
	[TL_XRAY_MD_WALL_CLOCK] = { TL_XRAY_WALL_CLOCK, "wall-clock" },
	/* "CustomEventMarker Records" */
	[TL_XRAY_MD_CUSTOM_EVENT] = { TL_XRAY_CUSTOM_EVENT, "custom-event" },
	/* "CallArgument Records" */
	[TL_XRAY_MD_CALL_ARGUMENT] = { TL_XRAY_CALL_ARGUMENT, "call-argument" },
	[TL_XRAY_MD_BUFFER_EXTENTS] = { TL_XRAY_BUFFER_EXTENTS, "buffer-extents" }, /* 2.3 */
	[TL_XRAY_MD_TYPED_EVENT] = { TL_XRAY_TYPED_EVENT, "typed-event" },          /* 2.3 */
	[TL_XRAY_MD_PID] = { TL_XRAY_PID, "pid" },                                  /* 2.3 */
};

const char *tl_xray_kind_name(enum tl_xray_kind kind)
{
	for (unsigned i = 0; i < TL_XRAY_MD_COUNT; i++)
		if (tl_xray_metadata_kinds[i].kind == kind)
			return tl_xray_metadata_kinds[i].name;
	return kind == TL_XRAY_FUNCTION ? "function" : kind == TL_XRAY_LOST ? "lost" : "sample";
}

const char *tl_xray_action_name(enum tl_xray_action action)
{
	static const char *const names[] = { "enter", "exit", "tail-exit", "enter-arg" };

	return names[action];
}
