/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Leaf by leaf: the calls that begin in a leaf are known when it is decoded, except the ends of
 * those that cross its end, which are in the frames of the track or, of deep ones, are searched.
 */
#include "timeline/calls/stream.h"

#include "core/error.h"
#include "core/sized.h"

/* What tl_calls_columns() gives, in one piece of memory, for as many calls as a leaf has had. */
struct call_arrays {
	void *memory;
	size_t capacity;
	const struct tl_leaf_call **picked;
	uint64_t *ids, *parents, *starts, *ends, *selves;
	uint32_t *depths, *functions;
	uint8_t *flags;
};

struct tl_calls {
	struct tl_call_tracks tracks;
	struct tl_calls_options window;
	uint64_t from, to; /* of the input's filter, within which each window is */
	struct tl_leaf_reader reader;
	struct tl_leaf_scan scan, other; /* of the present leaf, and of those that are searched */
	struct tl_leaf_call *deep;       /* of the present leaf, with their ends */
	size_t deep_capacity;
	size_t track, leaf; /* the next leaf */
	size_t call;        /* the next call of the present leaf */
	/* By depth: the id of the open call, or of the nearest told one around it. */
	uint64_t *ids;
	size_t id_capacity;
	uint64_t told;
	struct tl_call given;
	struct call_arrays arrays;
};

int tl_calls_open(struct tl_calls **calls, const struct tl_call_source *source,
		  const struct tl_calls_options *options, struct tl_error *err)
{
	struct tl_calls *c = calloc(1, sizeof(*c));
	int status;

	*calls = NULL;
	if (!c) {
		if (source->ops->close)
			source->ops->close(source->handle);
		return tl_error_memory(err);
	}
	tl_call_tracks_begin(&c->tracks, source, NULL);
	c->window = *options;
	c->from = options->from;
	c->to = options->to;
	c->reader.tracks = &c->tracks;
	status = source->ops->build(source->handle, &c->tracks, err);
	if (status < 0) {
		tl_calls_close(c);
		return status;
	}
	*calls = c;
	return 0;
}

int tl_calls_restart(struct tl_calls *calls, const struct tl_calls_options *options,
		     struct tl_error *err)
{
	struct tl_calls_options window = { .size = sizeof(window) };
	int status = options ? tl_take_options(&window, sizeof(window), TL_CALLS_OPTIONS_FIRST,
					       options, options->size, err)
			     : 0;

	if (status < 0)
		return status;
	if (window.from < calls->from)
		window.from = calls->from;
	if (!window.to || window.to > calls->to)
		window.to = calls->to;
	calls->window = window;
	calls->track = calls->leaf = calls->call = calls->scan.call_count = 0;
	calls->told = 0;
	return 0;
}

void tl_calls_close(struct tl_calls *calls)
{
	if (!calls)
		return;
	tl_leaf_reader_free(&calls->reader);
	tl_leaf_scan_free(&calls->scan);
	tl_leaf_scan_free(&calls->other);
	tl_call_tracks_free(&calls->tracks);
	free(calls->arrays.memory);
	free(calls->deep);
	free(calls->ids);
	free(calls);
}

bool tl_calls_any(const struct tl_calls *calls)
{
	return calls->tracks.count;
}

int tl_calls_info(const struct tl_calls *calls, struct tl_calls_info *info, size_t size)
{
	const struct tl_call_source *source = &calls->tracks.source;
	const struct tl_calls_info ours = { source->frequency, source->origin, source->clock,
					    source->numbered, source->profiled };

	return tl_give(info, size, TL_CALLS_INFO_FIRST, &ours, sizeof(ours));
}

int tl_calls_function(struct tl_calls *calls, uint32_t number, struct tl_call_function *function,
		      size_t size, struct tl_error *err)
{
	struct tl_call_source *source = &calls->tracks.source;
	struct tl_call_function ours = { .name = "" };
	int status = source->ops->function(source->handle, number, &ours, err);

	if (status < 0)
		return status;
	return tl_give(function, size, sizeof(ours), &ours, sizeof(ours));
}

/* ---- the ends of calls that cross the end of a leaf ---- */

static void take_frame(struct tl_leaf_call *call, const struct tl_call_frame *frame)
{
	call->end = frame->end;
	call->self = frame->self;
	call->flags = frame->flags;
}

static int end_deep(struct tl_calls *c, const struct tl_call_track *track, size_t leaf,
		    size_t first, struct tl_error *err)
{
	size_t count = c->scan.open_count - first;
	int status;

	if (!tl_grow(&c->deep, &c->deep_capacity, count, sizeof(*c->deep)))
		return tl_error_memory(err);
	for (size_t i = 0; i < count; i++)
		c->deep[i] = c->scan.calls[c->scan.open[first + i]];
	status = tl_find_ends(&c->reader, track, leaf, c->deep[0].depth, c->deep, count, &c->other,
			      err);
	for (size_t i = 0; status == 0 && i < count; i++)
		c->scan.calls[c->scan.open[first + i]] = c->deep[i];
	return status;
}

static int end_open_calls(struct tl_calls *c, const struct tl_call_track *track, size_t leaf,
			  struct tl_error *err)
{
	size_t i = 0;

	for (; i < c->scan.open_count; i++) {
		struct tl_leaf_call *call = &c->scan.calls[c->scan.open[i]];

		if (call->depth >= TL_FRAME_ROWS)
			return end_deep(c, track, leaf, i, err);
		take_frame(call, &track->frames[track->leaves[leaf].first_frame + i]);
	}
	return 0;
}

/* ---- the way through the leaves ---- */

static bool is_chosen(const struct tl_calls *c, const struct tl_call_track *track)
{
	return !c->window.one_track ||
	       ((c->window.any_process || c->window.process == track->process) &&
		c->window.thread == track->thread);
}

/*
 * Whether calls that begin in a leaf may be in the window. One that lies before it only matters if
 * calls of it are still open there.
 */
static bool is_needed(const struct tl_calls *c, const struct tl_call_track *track, size_t leaf)
{
	const struct tl_call_leaf *l = &track->leaves[leaf];
	uint32_t remain;

	if (l->ticks >= c->window.to)
		return false;
	if (tl_leaf_end_ticks(track, leaf) >= c->window.from)
		return true;
	remain = tl_leaf_end_depth(track, leaf);
	for (size_t i = leaf + 1; i < track->leaf_count && remain > l->lowest; i++) {
		if (tl_leaf_end_ticks(track, i) >= c->window.from)
			break;
		if (track->leaves[i].lowest < remain)
			remain = track->leaves[i].lowest;
	}
	return remain > l->lowest;
}

/* Go to the next leaf with calls. 1, 0: there is none, or negative. */
static int next_leaf(struct tl_calls *c, struct tl_error *err)
{
	c->call = c->scan.call_count = 0;
	while (c->track < c->tracks.count) {
		const struct tl_call_track *track = c->tracks.list[c->track];
		size_t leaf = c->leaf++;
		int status;

		if (leaf >= track->leaf_count || !is_chosen(c, track)) {
			c->track++;
			c->leaf = 0;
			continue;
		}
		if (!is_needed(c, track, leaf))
			continue;
		status = tl_leaf_read(&c->reader, track, leaf, &c->scan, err);
		if (status == 0)
			status = end_open_calls(c, track, leaf, err);
		if (status < 0)
			return status;
		return 1;
	}
	return 0;
}

/* ---- one call ---- */

/* Whether the filters let a function pass: 1, 0 or negative. */
static int is_wanted(struct tl_calls *c, uint32_t number, struct tl_error *err)
{
	struct tl_call_function function = { .wanted = true };
	const struct tl_call_source *source = &c->tracks.source;
	int status = source->filtered
			     ? source->ops->function(source->handle, number, &function, err)
			     : 0;

	if (status < 0)
		return status;
	return function.wanted;
}

static bool in_window(const struct tl_calls *c, const struct tl_leaf_call *call)
{
	return call->start < c->window.to && call->end >= c->window.from;
}

/* Number a call that begins. 1: it is told; 0: it is not; or negative. */
static int tell(struct tl_calls *c, const struct tl_leaf_call *call, uint64_t *id, uint64_t *parent,
		struct tl_error *err)
{
	int told;

	if (!in_window(c, call))
		return 0;
	if (call->depth >= c->id_capacity &&
	    !tl_grow(&c->ids, &c->id_capacity, (size_t)call->depth + 1, sizeof(*c->ids)))
		return tl_error_memory(err);
	*parent = call->depth ? c->ids[call->depth - 1] : TL_NOWHERE;
	c->ids[call->depth] = *parent;
	told = call->flags & TL_CALL_HIDDEN ? 0 : is_wanted(c, call->function, err);
	if (told == 1)
		c->ids[call->depth] = *id = c->told++;
	return told;
}

static int give(struct tl_calls *c, const struct tl_leaf_call *call, struct tl_error *err)
{
	const struct tl_call_track *track = c->tracks.list[c->track];
	uint64_t id = 0, parent = 0;
	int told = tell(c, call, &id, &parent, err);

	if (told != 1)
		return told;
	c->given = (struct tl_call){
		.id = id,
		.parent = parent,
		.process = track->process,
		.thread = track->thread,
		.start = call->start,
		.end = call->end,
		.self = call->self,
		.depth = call->depth,
		.function = call->function,
		.flags = call->flags,
	};
	return 1;
}

int tl_calls_next(struct tl_calls *calls, const struct tl_call **call, struct tl_error *err)
{
	for (;;) {
		int status;

		if (calls->call == calls->scan.call_count) {
			status = next_leaf(calls, err);
			if (status != 1)
				return status;
			continue;
		}
		status = give(calls, &calls->scan.calls[calls->call++], err);
		if (status == 0)
			continue;
		*call = &calls->given;
		return status;
	}
}

/* ---- calls by columns ---- */

enum { ARRAYS_BYTES = sizeof(void *) + 5 * sizeof(uint64_t) + 2 * sizeof(uint32_t) + 1 };

/* Room for so many calls. False without memory. */
static bool reserve(struct call_arrays *a, size_t count)
{
	if (count <= a->capacity)
		return true;
	if (!tl_grow(&a->memory, &a->capacity, count, ARRAYS_BYTES))
		return false;
	a->picked = a->memory;
	a->ids = (uint64_t *)(a->picked + a->capacity);
	a->parents = a->ids + a->capacity;
	a->starts = a->parents + a->capacity;
	a->ends = a->starts + a->capacity;
	a->selves = a->ends + a->capacity;
	a->depths = (uint32_t *)(a->selves + a->capacity);
	a->functions = a->depths + a->capacity;
	a->flags = (uint8_t *)(a->functions + a->capacity);
	return true;
}

/* The calls of the present leaf that are told. 1 or negative. */
static int pick(struct tl_calls *c, size_t *count, struct tl_error *err)
{
	struct call_arrays *a = &c->arrays;
	uint64_t id = 0, parent = 0;

	*count = 0;
	for (; c->call < c->scan.call_count; c->call++) {
		const struct tl_leaf_call *call = &c->scan.calls[c->call];
		int told = tell(c, call, &id, &parent, err);

		if (told < 0)
			return told;
		if (!told)
			continue;
		a->ids[*count] = id;
		a->parents[*count] = parent;
		a->picked[(*count)++] = call;
	}
	return 1;
}

/* A column at a time, so that each loop has one thing to do. */
static void fill(const struct call_arrays *a, unsigned wanted, size_t count)
{
#define FILL(bit, column, member)                                                                  \
	for (size_t i = 0; wanted & (bit) && i < count; i++)                                       \
	a->column[i] = a->picked[i]->member
	FILL(TL_CALL_STARTS, starts, start);
	FILL(TL_CALL_ENDS, ends, end);
	FILL(TL_CALL_SELVES, selves, self);
	FILL(TL_CALL_DEPTHS, depths, depth);
	FILL(TL_CALL_FUNCTIONS, functions, function);
	FILL(TL_CALL_FLAGS, flags, flags);
#undef FILL
}

static struct tl_call_columns columns_of(const struct tl_calls *c, unsigned wanted, size_t count)
{
	const struct tl_call_track *track = c->tracks.list[c->track];
	const struct call_arrays *a = &c->arrays;

	return (struct tl_call_columns){
		.count = count,
		.process = track->process,
		.thread = track->thread,
		.ids = wanted & TL_CALL_IDS ? a->ids : NULL,
		.parents = wanted & TL_CALL_IDS ? a->parents : NULL,
		.starts = wanted & TL_CALL_STARTS ? a->starts : NULL,
		.ends = wanted & TL_CALL_ENDS ? a->ends : NULL,
		.selves = wanted & TL_CALL_SELVES ? a->selves : NULL,
		.depths = wanted & TL_CALL_DEPTHS ? a->depths : NULL,
		.functions = wanted & TL_CALL_FUNCTIONS ? a->functions : NULL,
		.flags = wanted & TL_CALL_FLAGS ? a->flags : NULL,
	};
}

/* Go to the next leaf that has calls to tell, and pick them. 1, 0: there is none, or negative. */
static int next_picked(struct tl_calls *c, size_t *count, struct tl_error *err)
{
	int status = 1;

	for (*count = 0; status == 1 && !*count;) {
		if (c->call == c->scan.call_count)
			status = next_leaf(c, err);
		else if (!reserve(&c->arrays, c->scan.call_count - c->call))
			status = tl_error_memory(err);
		else
			status = pick(c, count, err);
	}
	return status;
}

int tl_calls_columns(struct tl_calls *calls, unsigned wanted, struct tl_call_columns *columns,
		     size_t size, struct tl_error *err)
{
	struct tl_call_columns ours;
	size_t count;
	int status;

	if (size < sizeof(ours))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "the struct of columns is too small: is its size right?");
	status = next_picked(calls, &count, err);
	if (status != 1)
		return status;
	fill(&calls->arrays, wanted, count);
	ours = columns_of(calls, wanted, count);
	tl_give(columns, size, sizeof(ours), &ours, sizeof(ours));
	return 1;
}
