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

/* The second half of the trace: its profile, and the calls of a function. */
static int ask_half(struct tl_input *input, struct tl_call_index *index, struct tl_output *out,
		    struct tl_error *err)
{
	struct tl_call_span span = { .size = sizeof(span) };
	struct tl_call_track_info info = { 0 };
	struct tl_call_search search;
	struct tl_profile *profile;
	int status;

	tl_call_index_track(index, 0, &info, sizeof(info));
	span.from = info.first + (info.last - info.first) / 2;
	status = tl_input_window(input, index, &span, &profile, err);
	if (status < 0)
		return status;
	tl_output_write(out, tl_profile_total(profile), sizeof(int64_t));
	tl_profile_free(profile);
	status = tl_input_search(input, index, &span, 1, 3, &search, sizeof(search), err);
	if (status == 0) {
		tl_output_write(out, &search.durations, sizeof(search.durations));
		tl_call_search_end(&search);
	}
	return status;
}

int ask_index(struct tl_input *input, const char *path, struct tl_output *out, struct tl_error *err)
{
	struct tl_call_index *index = NULL;
	struct tl_call_cursor *cursor = NULL;
	struct tl_call_track_info info;
	int status = path ? tl_input_index_kept(input, path, &index, NULL, err)
			  : tl_input_index(input, &index, err);

	if (status >= 0)
		status = tl_call_cursor_open(&cursor, index, err);
	for (size_t i = 0; status == 0 && tl_call_index_track(index, i, &info, sizeof(info)) == 1;
	     i++)
		status = ask_track(out, cursor, i, &info, err);
	if (status == 0)
		status = ask_half(input, index, out, err);
	tl_call_cursor_close(cursor);
	tl_call_index_close(index);
	return status;
}
