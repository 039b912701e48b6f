/* SPDX-License-Identifier: Apache-2.0 */
#include "view/points/points.h"

#include <math.h>
#include <stdlib.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/output.h"

/* Texts of values are cut behind so many bytes: more is no label. */
enum { MOST_TEXT = 512 };

/* ---- gathering ---- */

static uint32_t add_track(struct tl_view_points *p, const struct tl_timeline_point *at)
{
	if (!tl_grow(&p->tracks, &p->track_capacity, p->track_count + 1, sizeof(*p->tracks)))
		return TL_NONE;
	p->tracks[p->track_count] =
		(struct tl_view_mark_track){ .process = at->process, .thread = at->thread };
	return (uint32_t)p->track_count++;
}

static bool is_track(const void *context, const void *key, uint32_t number)
{
	const struct tl_view_mark_track *track =
		&((const struct tl_view_points *)context)->tracks[number];
	const struct tl_timeline_point *at = key;

	return track->process == at->process && track->thread == at->thread;
}

static uint32_t track_of(struct tl_view_points *p, const struct tl_timeline_point *at)
{
	uint64_t hash = tl_hash_pair((uint64_t)at->process, (uint64_t)at->thread);
	uint32_t track = tl_index_find(&p->by_thread, hash, is_track, p, at);

	if (track != TL_NONE)
		return track;
	track = add_track(p, at);
	return track != TL_NONE && tl_index_add(&p->by_thread, hash, track) ? track : TL_NONE;
}

static bool add_mark(struct tl_view_points *p, const struct tl_view_mark *mark)
{
	if (mark->track == TL_NONE || mark->name == TL_NONE ||
	    !tl_grow(&p->marks, &p->capacity, p->count + 1, sizeof(*p->marks)))
		return false;
	p->marks[p->count++] = *mark;
	return true;
}

static bool take(void *arg, const struct tl_timeline_point *at, const char *name,
		 const struct tl_timeline_arg *args, size_t arg_count)
{
	struct tl_view_points *p = arg;
	struct tl_view_mark mark = {
		.ticks = tl_excess(at->ticks, p->origin),
		.values = TL_NOWHERE,
	};
	size_t begin, end;

	if (p->count == TL_VIEW_MOST_MARKS) {
		p->left_out++;
		return true;
	}
	tl_output_bytes(p->values, &begin);
	if (begin < TL_VIEW_MOST_VALUE_BYTES) {
		tl_timeline_put_args(p->values, args, arg_count, MOST_TEXT);
		tl_output_bytes(p->values, &end);
		mark.values = begin;
		mark.size = (uint32_t)(end - begin);
	}
	mark.name = tl_names_add(&p->names, name, strlen(name));
	mark.track = track_of(p, at);
	p->no_memory = !add_mark(p, &mark) || tl_output_failed(p->values);
	return !p->no_memory;
}

/* ---- counters ---- */

static bool is_counter(const void *context, const void *key, uint32_t number)
{
	const struct tl_view_counter *have =
		&((const struct tl_view_points *)context)->counters[number];
	const struct tl_view_counter *wanted = key;

	return have->process == wanted->process && have->thread == wanted->thread &&
	       have->name == wanted->name;
}

static uint32_t counter_of(struct tl_view_points *p, const struct tl_view_counter *wanted)
{
	uint64_t hash = tl_hash_pair(
		tl_hash_pair((uint64_t)wanted->process, (uint64_t)wanted->thread), wanted->name);
	uint32_t number = tl_index_find(&p->by_counter, hash, is_counter, p, wanted);

	if (number != TL_NONE)
		return number;
	number = (uint32_t)p->counter_count;
	if (!tl_grow(&p->counters, &p->counter_capacity, p->counter_count + 1, sizeof(*wanted)) ||
	    !tl_index_add(&p->by_counter, hash, number))
		return TL_NONE;
	p->counters[p->counter_count++] = *wanted;
	return number;
}

static bool take_value(void *arg, const struct tl_timeline_point *at, const char *name,
		       double value)
{
	struct tl_view_points *p = arg;
	const struct tl_view_counter wanted = {
		.process = at->process,
		.thread = at->thread,
		.name = tl_names_add(&p->names, name, strlen(name)),
		.least = INFINITY,
		.most = -INFINITY,
	};
	uint32_t number = wanted.name == TL_NONE ? TL_NONE : counter_of(p, &wanted);

	if (p->counted_count == TL_VIEW_MOST_COUNTED || !isfinite(value)) {
		p->left_out++;
		return true;
	}
	p->no_memory = number == TL_NONE || !tl_grow(&p->counted, &p->counted_capacity,
						     p->counted_count + 1, sizeof(*p->counted));
	if (p->no_memory)
		return false;
	p->counters[number].least = fmin(p->counters[number].least, value);
	p->counters[number].most = fmax(p->counters[number].most, value);
	p->counted[p->counted_count] = (struct tl_view_counted){
		.ticks = tl_excess(at->ticks, p->origin),
		.value = value,
		.counter = number,
		.order = (uint32_t)p->counted_count,
	};
	p->counted_count++;
	return true;
}

static int compare_counted(const void *a, const void *b)
{
	const struct tl_view_counted *x = a, *y = b;
	int order = tl_compare(x->counter, y->counter);

	if (!order)
		order = tl_compare(x->ticks, y->ticks);
	return order ? order : tl_compare(x->order, y->order);
}

static void sort_counted(struct tl_view_points *p)
{
	if (p->counted_count)
		qsort(p->counted, p->counted_count, sizeof(*p->counted), compare_counted);
	for (size_t i = 0; i < p->counted_count; i++) {
		struct tl_view_counter *counter = &p->counters[p->counted[i].counter];

		if (!counter->end)
			counter->begin = i;
		counter->end = i + 1;
	}
}

size_t tl_view_counted_at(const struct tl_view_points *points,
			  const struct tl_view_counter *counter, uint64_t ticks)
{
	size_t low = counter->begin, high = counter->end;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (points->counted[middle].ticks <= ticks)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* ---- gathered ---- */

/* What is at the same time stays in the order of the trace, which is that of the values. */
static int compare_marks(const void *a, const void *b)
{
	const struct tl_view_mark *x = a, *y = b;
	int order = tl_compare(x->track, y->track);

	if (!order)
		order = tl_compare(x->ticks, y->ticks);
	return order ? order : tl_compare(x->values, y->values);
}

static void sort_marks(struct tl_view_points *p)
{
	if (p->count)
		qsort(p->marks, p->count, sizeof(*p->marks), compare_marks);
	for (size_t i = 0; i < p->count; i++) {
		struct tl_view_mark_track *track = &p->tracks[p->marks[i].track];

		if (!track->end)
			track->begin = i;
		track->end = i + 1;
	}
}

static int gather(struct tl_input *input, struct tl_view_points *p, struct tl_error *err)
{
	int status = tl_output_open_memory(&p->values, err);

	if (status == 0)
		status = tl_input_points(input, take, take_value, p, err);
	/* A format that has no events has none. */
	if (status == TL_UNSUPPORTED && !p->count && !p->counted_count)
		status = 0;
	if (status == 0 && p->no_memory)
		status = tl_error_memory(err);
	if (status == 0) {
		sort_marks(p);
		sort_counted(p);
	}
	return status;
}

int tl_view_points_gather(struct tl_input *input, uint64_t origin, struct tl_view_points **points,
			  struct tl_error *err)
{
	struct tl_view_points *p = calloc(1, sizeof(*p));
	int status;

	*points = NULL;
	if (!p)
		return tl_error_memory(err);
	p->origin = origin;
	status = gather(input, p, err);
	if (status == 0)
		*points = p;
	else
		tl_view_points_free(p);
	return status;
}

/* ---- asked for ---- */

size_t tl_view_marks_from(const struct tl_view_points *points,
			  const struct tl_view_mark_track *track, uint64_t ticks)
{
	size_t low = track->begin, high = track->end;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (points->marks[middle].ticks < ticks)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void tl_view_points_free(struct tl_view_points *points)
{
	if (!points)
		return;
	tl_output_discard(points->values);
	tl_names_free(&points->names);
	tl_index_free(&points->by_thread);
	tl_index_free(&points->by_counter);
	free(points->counters);
	free(points->counted);
	free(points->tracks);
	free(points->marks);
	free(points);
}
