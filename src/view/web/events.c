/* SPDX-License-Identifier: Apache-2.0 */
#include "view/web/events.h"

#include <math.h>
#include <stdlib.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/output.h"

/* Texts of values are cut behind so many bytes: more is no label. */
enum { MOST_TEXT = 512 };

/* ---- gathering ---- */

static uint32_t add_track(struct tl_web_events *e, const struct tl_timeline_point *at)
{
	if (!tl_grow(&e->tracks, &e->track_capacity, e->track_count + 1, sizeof(*e->tracks)))
		return TL_NONE;
	e->tracks[e->track_count] =
		(struct tl_web_event_track){ .process = at->process, .thread = at->thread };
	return (uint32_t)e->track_count++;
}

static bool is_track(const void *context, const void *key, uint32_t number)
{
	const struct tl_web_event_track *track =
		&((const struct tl_web_events *)context)->tracks[number];
	const struct tl_timeline_point *at = key;

	return track->process == at->process && track->thread == at->thread;
}

static uint32_t track_of(struct tl_web_events *e, const struct tl_timeline_point *at)
{
	uint64_t hash = tl_hash_pair((uint64_t)at->process, (uint64_t)at->thread);
	uint32_t track = tl_index_find(&e->by_thread, hash, is_track, e, at);

	if (track != TL_NONE)
		return track;
	track = add_track(e, at);
	return track != TL_NONE && tl_index_add(&e->by_thread, hash, track) ? track : TL_NONE;
}

static bool add_mark(struct tl_web_events *e, const struct tl_web_mark *mark)
{
	if (mark->track == TL_NONE || mark->name == TL_NONE ||
	    !tl_grow(&e->marks, &e->capacity, e->count + 1, sizeof(*e->marks)))
		return false;
	e->marks[e->count++] = *mark;
	return true;
}

static bool take(void *arg, const struct tl_timeline_point *at, const char *name,
		 const struct tl_timeline_arg *args, size_t arg_count)
{
	struct tl_web_events *e = arg;
	struct tl_web_mark mark = {
		.ticks = tl_excess(at->ticks, e->origin),
		.values = TL_NOWHERE,
	};
	size_t begin, end;

	if (e->count == TL_WEB_MOST_MARKS) {
		e->left_out++;
		return true;
	}
	tl_output_bytes(e->values, &begin);
	if (begin < TL_WEB_MOST_VALUE_BYTES) {
		tl_timeline_put_args(e->values, args, arg_count, MOST_TEXT);
		tl_output_bytes(e->values, &end);
		mark.values = begin;
		mark.size = (uint32_t)(end - begin);
	}
	mark.name = tl_names_add(&e->names, name, strlen(name));
	mark.track = track_of(e, at);
	e->no_memory = !add_mark(e, &mark) || tl_output_failed(e->values);
	return !e->no_memory;
}

/* ---- counters ---- */

static bool is_counter(const void *context, const void *key, uint32_t number)
{
	const struct tl_web_counter *have =
		&((const struct tl_web_events *)context)->counters[number];
	const struct tl_web_counter *wanted = key;

	return have->process == wanted->process && have->thread == wanted->thread &&
	       have->name == wanted->name;
}

static uint32_t counter_of(struct tl_web_events *e, const struct tl_web_counter *wanted)
{
	uint64_t hash = tl_hash_pair(
		tl_hash_pair((uint64_t)wanted->process, (uint64_t)wanted->thread), wanted->name);
	uint32_t number = tl_index_find(&e->by_counter, hash, is_counter, e, wanted);

	if (number != TL_NONE)
		return number;
	number = (uint32_t)e->counter_count;
	if (!tl_grow(&e->counters, &e->counter_capacity, e->counter_count + 1, sizeof(*wanted)) ||
	    !tl_index_add(&e->by_counter, hash, number))
		return TL_NONE;
	e->counters[e->counter_count++] = *wanted;
	return number;
}

static bool take_value(void *arg, const struct tl_timeline_point *at, const char *name,
		       double value)
{
	struct tl_web_events *e = arg;
	const struct tl_web_counter wanted = {
		.process = at->process,
		.thread = at->thread,
		.name = tl_names_add(&e->names, name, strlen(name)),
		.least = INFINITY,
		.most = -INFINITY,
	};
	uint32_t number = wanted.name == TL_NONE ? TL_NONE : counter_of(e, &wanted);

	if (e->counted_count == TL_WEB_MOST_COUNTED || !isfinite(value)) {
		e->left_out++;
		return true;
	}
	e->no_memory = number == TL_NONE || !tl_grow(&e->counted, &e->counted_capacity,
						     e->counted_count + 1, sizeof(*e->counted));
	if (e->no_memory)
		return false;
	e->counters[number].least = fmin(e->counters[number].least, value);
	e->counters[number].most = fmax(e->counters[number].most, value);
	e->counted[e->counted_count] = (struct tl_web_counted){
		.ticks = tl_excess(at->ticks, e->origin),
		.value = value,
		.counter = number,
		.order = (uint32_t)e->counted_count,
	};
	e->counted_count++;
	return true;
}

static int compare_counted(const void *a, const void *b)
{
	const struct tl_web_counted *x = a, *y = b;
	int order = tl_compare(x->counter, y->counter);

	if (!order)
		order = tl_compare(x->ticks, y->ticks);
	return order ? order : tl_compare(x->order, y->order);
}

static void sort_counted(struct tl_web_events *e)
{
	if (e->counted_count)
		qsort(e->counted, e->counted_count, sizeof(*e->counted), compare_counted);
	for (size_t i = 0; i < e->counted_count; i++) {
		struct tl_web_counter *counter = &e->counters[e->counted[i].counter];

		if (!counter->end)
			counter->begin = i;
		counter->end = i + 1;
	}
}

size_t tl_web_counted_at(const struct tl_web_events *events, const struct tl_web_counter *counter,
			 uint64_t ticks)
{
	size_t low = counter->begin, high = counter->end;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (events->counted[middle].ticks <= ticks)
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
	const struct tl_web_mark *x = a, *y = b;
	int order = tl_compare(x->track, y->track);

	if (!order)
		order = tl_compare(x->ticks, y->ticks);
	return order ? order : tl_compare(x->values, y->values);
}

static void sort_marks(struct tl_web_events *e)
{
	if (e->count)
		qsort(e->marks, e->count, sizeof(*e->marks), compare_marks);
	for (size_t i = 0; i < e->count; i++) {
		struct tl_web_event_track *track = &e->tracks[e->marks[i].track];

		if (!track->end)
			track->begin = i;
		track->end = i + 1;
	}
}

static int gather(struct tl_web_document *document, const struct tl_web_asker *asker,
		  struct tl_web_events *e, struct tl_error *err)
{
	const struct tl_web_window all = { 0 };
	struct tl_input *input = NULL;
	int status = tl_output_open_memory(&e->values, err);

	if (status == 0)
		status = tl_web_document_reopen(document, asker, &all, TL_DETAIL_FUNCTIONS, &input,
						err);
	if (status == 0)
		status = tl_input_points(input, take, take_value, e, err);
	tl_input_close(input);
	/* A format that has no events has none. */
	if (status == TL_UNSUPPORTED && !e->count && !e->counted_count)
		status = 0;
	if (status == 0 && e->no_memory)
		status = tl_error_memory(err);
	if (status == 0) {
		sort_marks(e);
		sort_counted(e);
	}
	return status;
}

/* ---- asked for ---- */

static int make(struct tl_web_document *document, const struct tl_web_asker *asker, uint64_t origin,
		struct tl_error *err)
{
	struct tl_web_events *e = calloc(1, sizeof(*e));
	int status;

	if (!e)
		return tl_error_memory(err);
	e->origin = origin;
	status = gather(document, asker, e, err);
	if (status == 0)
		document->events = e;
	else
		tl_web_events_free(e);
	return status;
}

int tl_web_events_get(struct tl_web_document *document, const struct tl_web_asker *asker,
		      const struct tl_web_events **events, struct tl_error *err)
{
	struct tl_call_index *index = tl_web_document_index(document, err);
	struct tl_calls_info info = { 0 };
	int status = 0;

	if (!index)
		return err->status;
	tl_call_index_info(index, &info, sizeof(info));
	pthread_mutex_lock(&document->noting);
	if (!document->events)
		status = make(document, asker, info.origin, err);
	*events = document->events;
	pthread_mutex_unlock(&document->noting);
	return status;
}

size_t tl_web_events_from(const struct tl_web_events *events,
			  const struct tl_web_event_track *track, uint64_t ticks)
{
	size_t low = track->begin, high = track->end;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (events->marks[middle].ticks < ticks)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void tl_web_events_free(struct tl_web_events *events)
{
	if (!events)
		return;
	tl_output_discard(events->values);
	tl_names_free(&events->names);
	tl_index_free(&events->by_thread);
	tl_index_free(&events->by_counter);
	free(events->counters);
	free(events->counted);
	free(events->tracks);
	free(events->marks);
	free(events);
}
