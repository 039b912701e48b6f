/* SPDX-License-Identifier: Apache-2.0 */
/* The index of calls, asked. */
#include "scenario.h"

#include <tracelathe/tracelathe.h>

/* A window, a stack, and a call of each track. */
static int ask_track(struct tl_output *out, struct tl_call_cursor *cursor, size_t track,
		     const struct tl_call_track_info *info, struct tl_error *err)
{
	const struct tl_call_query query = { .size = sizeof(query),
					     .track = track,
					     .from = info->first,
					     .to = info->last + 1,
					     .pixels = 20 };
	struct tl_call_window window;
	struct tl_call_item item;
	int status = tl_call_cursor_window(cursor, &query, &window, sizeof(window), err);

	if (status == 0) {
		tl_output_write(out, window.items, window.count * sizeof(*window.items));
		status = tl_call_cursor_stack(cursor, track, info->first, &window, sizeof(window),
					      err);
	}
	if (status == 0)
		status = tl_call_cursor_next(cursor, track, 1, 0, &item, sizeof(item), err);
	return status < 0 ? status : 0;
}

int ask_index(struct tl_input *input, struct tl_output *out, struct tl_error *err)
{
	struct tl_call_index *index = NULL;
	struct tl_call_cursor *cursor = NULL;
	struct tl_call_track_info info;
	int status = tl_input_index(input, &index, err);

	if (status == 0)
		status = tl_call_cursor_open(&cursor, index, err);
	for (size_t i = 0; status == 0 && tl_call_index_track(index, i, &info, sizeof(info)) == 1;
	     i++)
		status = ask_track(out, cursor, i, &info, err);
	tl_call_cursor_close(cursor);
	tl_call_index_close(index);
	return status;
}
