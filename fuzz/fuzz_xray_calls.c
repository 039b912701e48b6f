/* SPDX-License-Identifier: Apache-2.0 */
/* Calls one by one: they nest, and are those of the profile, whatever the bytes. */
#include <tracelathe/xray.h>

#include "fuzz.h"
#include "parts.h"

#include "profile/model/unsized.h"
#include "timeline/calls/stream.h"
#include "timeline/index/index.h"
#include "xray/calls/source.h"

static const struct tl_xray_fold_options limits = {
	.size = sizeof(limits),
	.thread = TL_NOWHERE,
	.process = TL_NOWHERE,
	.cpu = TL_NOWHERE,
};

/* What all calls sum to, as a profile has it. */
struct call_sums {
	uint64_t calls, unfinished, cut, last_id;
};

static void add_call(struct call_sums *sums, const struct tl_call *call)
{
	FUZZ_MUST(call->start <= call->end);
	FUZZ_MUST(call->parent == TL_NOWHERE ? !call->depth : call->parent < call->id);
	FUZZ_MUST(call->id == sums->last_id++);
	if (call->flags & TL_CALL_LATE)
		return;
	sums->cut += (call->flags & TL_CALL_CUT) != 0;
	if (call->end == TL_NOWHERE)
		sums->unfinished++;
	else
		sums->calls++;
}

static void sum_profile(struct tl_xray_reader *reader, struct call_sums *sums)
{
	struct tl_profile *profile;
	struct tl_error err;

	if (tl_xray_fold(reader, NULL, &limits, &profile, &err))
		return;
	for (uint32_t i = 0; i < tl_profile_function_count(profile); i++) {
		struct tl_function_totals totals;

		tl_profile_totals_of(profile, i, TL_NONE, &totals);
		sums->calls += totals.calls;
		sums->unfinished += totals.unfinished;
		sums->cut += totals.cut;
	}
	tl_profile_free(profile);
}

static void compare(struct tl_xray_reader *reader, struct tl_calls *calls)
{
	struct call_sums listed = { 0 }, folded = { 0 };
	const struct tl_call *call;
	struct tl_error err;
	int status;

	while ((status = tl_calls_next(calls, &call, &err)) == 1)
		add_call(&listed, call);
	FUZZ_MUST(status == 0);
	sum_profile(reader, &folded);
	FUZZ_MUST(listed.calls == folded.calls && listed.unfinished == folded.unfinished &&
		  listed.cut == folded.cut);
}

/* A window of all has every call once, as it is or in a summary; at full zoom all as they are. */
static uint64_t count_items(struct tl_call_cursor *cursor, const struct tl_call_query *query)
{
	struct tl_call_window window;
	struct tl_error err;
	uint64_t calls = 0;

	FUZZ_MUST(tl_call_cursor_window(cursor, query, &window, sizeof(window), &err) == 0);
	for (size_t i = 0; i < window.count; i++) {
		const struct tl_call_item *item = &window.items[i];

		FUZZ_MUST(item->start <= item->end && item->depth < query->rows);
		FUZZ_MUST(window.pixel || !item->count);
		calls += item->count ? item->count : 1;
	}
	return calls;
}

static void look_at_index(struct tl_call_index *index)
{
	struct tl_call_query query = { .size = sizeof(query), .rows = TL_FRAME_ROWS };
	struct tl_call_track_info info;
	struct tl_call_cursor *cursor;
	struct tl_error err;

	if (tl_call_cursor_open(&cursor, index, &err))
		return;
	for (; tl_call_index_track(index, query.track, &info, sizeof(info)) == 1; query.track++) {
		uint64_t calls;

		query.to = TL_NOWHERE;
		query.pixels = 7;
		calls = count_items(cursor, &query);
		FUZZ_MUST(calls <= info.calls);
		query.from = info.first;
		query.to = info.last + 1;
		query.pixels = UINT32_MAX;
		if (info.calls && query.to - query.from < UINT32_MAX)
			FUZZ_MUST(count_items(cursor, &query) == calls);
		query.from = 0;
	}
	tl_call_cursor_close(cursor);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct tl_calls_options all = { .size = sizeof(all), .to = TL_NOWHERE };
	struct tl_call_source made;
	struct tl_source *source;
	struct tl_xray_reader *reader;
	struct tl_calls *calls;
	struct tl_call_index *index;
	struct tl_error err;

	exercise_chosen_by(data, size);
	if (tl_source_open_memory(&source, data, size, "fuzz", &err))
		return 0;
	if (!tl_xray_open(&reader, source, NULL, &err)) {
		if (exercise_does(0, 2) &&
		    !tl_xray_call_source(reader, NULL, &limits, NULL, NULL, &made, &err) &&
		    !tl_calls_open(&calls, &made, &all, &err)) {
			compare(reader, calls);
			tl_calls_close(calls);
		}
		if (exercise_does(1, 2) &&
		    !tl_xray_call_source(reader, NULL, &limits, NULL, NULL, &made, &err) &&
		    !tl_call_index_open(&index, &made, &err)) {
			look_at_index(index);
			tl_call_index_close(index);
		}
		tl_xray_close(reader);
	}
	tl_source_close(source);
	return 0;
}
