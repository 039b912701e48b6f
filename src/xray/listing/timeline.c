/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An XRay trace as a timeline: one thread after the other, each in time order. The fold's call
 * stack decides which frames an exit closes, so that the timeline nests as the profile does: exits
 * without an entry are left out, and a call that longjmp or an exception left ends where the fold
 * ends it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "profile/fold/fold.h"
#include "timeline/timeline.h"
#include "xray/profile/fold.h"
#include "xray/profile/caller_check.h"
#include "xray/listing/timeline.h"
#include "xray/map/map.h"

struct walk {
	struct tl_timeline *timeline;
	struct tl_xray_select *select;
	struct tl_fold fold;
	struct tl_xray_caller_check caller_check;
	const struct tl_xray_stream *stream;
	const struct tl_xray_clock *clock;
	uint32_t first_key; /* of the names of this log */
	/* Functions of the thread, as the fold numbers them, and of each the number of its name. */
	struct tl_xray_ids ids;
	uint32_t *name_of;
	size_t name_capacity;
	bool all_shown; /* nothing is chosen */
	bool *shown;    /* by depth of the open frames: whether the call is on the timeline */
	size_t capacity;
};

static bool in_window(const struct walk *w, const struct tl_xray_record *record)
{
	const struct tl_xray_fold_options *o = &w->select->limits;
	uint64_t ticks = tl_xray_clock_ticks(w->clock, record->tsc);

	return ticks >= o->from_ticks && (!o->to_ticks || ticks < o->to_ticks) &&
	       (o->cpu == TL_NOWHERE || o->cpu == record->cpu);
}

static struct tl_timeline_point point_of(const struct walk *w, const struct tl_xray_record *record)
{
	return (struct tl_timeline_point){ record->process, record->thread,
					   tl_xray_clock_ticks(w->clock, record->tsc) };
}

static void enter(struct walk *w, const struct tl_xray_record *record, uint32_t function)
{
	const struct tl_xray_function_name *name = &w->select->names.names[w->name_of[function]];
	struct tl_timeline_arg args[TL_XRAY_MAX_ARGS];
	static const char *const arg_names[TL_XRAY_MAX_ARGS] = {
		"arg0", "arg1", "arg2",  "arg3",  "arg4",  "arg5",  "arg6",  "arg7",
		"arg8", "arg9", "arg10", "arg11", "arg12", "arg13", "arg14", "arg15",
	};
	struct tl_timeline_point at = point_of(w, record);

	for (uint32_t i = 0; i < record->arg_count; i++)
		args[i] = (struct tl_timeline_arg){ .name = arg_names[i],
						    .kind = TL_ARG_NUMBER,
						    .number = record->args[i] };
	tl_timeline_enter(w->timeline, &at, w->first_key + w->name_of[function], name->name,
			  name->file, name->line, args, record->arg_count);
}

/* A call that was not shown when it began is not shown when it ends. */
static void leave_top(struct walk *w, const struct tl_xray_record *record)
{
	struct tl_timeline_point at = point_of(w, record);

	if (w->shown[tl_fold_depth(&w->fold)])
		tl_timeline_leave(w->timeline, &at);
	tl_fold_leave(&w->fold, tl_fold_top(&w->fold));
}

/* The fold's number of a function id; TL_NONE without memory. */
static uint32_t number_of(void *arg, uint32_t id)
{
	struct walk *w = arg;
	uint32_t number = tl_xray_ids_find(&w->ids, id), name;

	if (number != TL_NONE)
		return number;
	name = tl_xray_names_number(&w->select->names, id);
	number = tl_xray_ids_add(&w->ids, id);
	if (name == TL_NONE || number == TL_NONE ||
	    !tl_grow(&w->name_of, &w->name_capacity, number + (size_t)1, sizeof(*w->name_of)) ||
	    tl_fold_add_function(&w->fold) != number)
		return TL_NONE;
	w->name_of[number] = name;
	return number;
}

static bool enter_function(struct walk *w, const struct tl_xray_record *record, uint32_t function)
{
	bool shown = in_window(w, record) && w->select->names.names[w->name_of[function]].wanted;
	size_t depth;

	if (!tl_fold_enter(&w->fold, function) && !w->fold.no_memory) {
		size_t kept = tl_xray_frames_kept(&w->caller_check, &w->fold, function, w->stream,
						  number_of, w);

		while (tl_fold_depth(&w->fold) > kept)
			leave_top(w, record);
		tl_fold_enter_new(&w->fold, function);
	}
	depth = tl_fold_depth(&w->fold);
	if (w->fold.no_memory || w->caller_check.no_memory ||
	    !tl_grow(&w->shown, &w->capacity, depth + 1, sizeof(*w->shown)))
		return false;
	w->shown[depth] = shown;
	if (shown)
		enter(w, record, function);
	return true;
}

static int put_function(struct walk *w, const struct tl_xray_record *record, struct tl_error *err)
{
	uint32_t function = number_of(w, record->function);

	if (function == TL_NONE)
		return tl_error_memory(err);
	if (record->action == TL_XRAY_ENTER || record->action == TL_XRAY_ENTER_ARGS)
		return tl_error_unless_made(enter_function(w, record, function), err);
	if (tl_fold_is_open(&w->fold, function)) {
		while (tl_fold_top(&w->fold) != function)
			leave_top(w, record);
		leave_top(w, record);
	}
	return 0;
}

/*
 * Function records in a row, of functions that were met before: as put_function() of each, where
 * all calls are shown. A record that closes other frames than its own, or is not one of these, ends
 * the run.
 */
static void put_run(struct walk *w, struct tl_xray_stream *stream)
{
	const struct tl_xray_dialect *d = &stream->reader->dialect;
	const uint8_t argument = tl_xray_metadata_byte(d, TL_XRAY_MD_CALL_ARGUMENT);
	const uint8_t *p = stream->cur.pos, *end = stream->cur.end;
	struct tl_timeline *timeline = w->timeline;
	struct tl_track *track = tl_timeline_track(timeline, stream->process, stream->thread);
	struct tl_fold_hot hot = w->fold.hot;
	/* Whether a call is possible is asked of paths that are new, by the plain way. */
	const bool paths = w->fold.refuse_new_paths;

	for (; track && (size_t)(end - p) >= TL_XRAY_FUNCTION_BYTES; p += TL_XRAY_FUNCTION_BYTES) {
		const uint32_t word = tl_get32s(p, d->swap);
		const uint64_t tsc = stream->tsc + tl_get32s(p + 4, d->swap);
		const uint64_t ticks = tl_xray_clock_ticks(w->clock, tsc);
		const unsigned action = tl_xray_function_action(d->high_bits, word);
		const uint32_t id = tl_xray_function_id(d->high_bits, word);
		const struct tl_xray_function_name *name;
		uint32_t function;

		if (tl_xray_is_metadata(d->high_bits, *p) || id >= w->ids.small_count ||
		    !w->ids.small[id] || action > TL_XRAY_TAIL_EXIT ||
		    (p + TL_XRAY_FUNCTION_BYTES < end && p[TL_XRAY_FUNCTION_BYTES] == argument))
			break;
		function = w->ids.small[id] - 1;
		if (action != TL_XRAY_ENTER) {
			if (hot.top->function != function || hot.top <= hot.indexed)
				break;
			if (paths)
				tl_fold_hot_pop(&hot, &w->fold);
			else
				hot.top--;
			timeline->ops->leave(timeline, track, ticks);
		} else {
			const size_t depth = (size_t)(hot.top - w->fold.frames) + 1;

			if (depth >= w->capacity || hot.top == hot.last ||
			    !(paths ? tl_fold_hot_enter(&hot, &w->fold, function)
				    : tl_fold_hot_push(&hot, &w->fold, function)))
				break;
			w->shown[depth] = true;
			name = &w->select->names.names[w->name_of[function]];
			timeline->used = true;
			timeline->ops->enter(timeline, track, ticks,
					     w->first_key + w->name_of[function], name->name,
					     name->file, name->line, NULL, 0);
		}
		stream->tsc = tsc;
	}
	w->fold.hot = hot;
	stream->record += (uint64_t)(p - stream->cur.pos) / TL_XRAY_FUNCTION_BYTES;
	stream->cur.pos = p;
}

/* Its bytes, or what they mean; then the type of a typed event. */
static void put_event(struct walk *w, const struct tl_xray_record *record)
{
	struct tl_timeline_point at = point_of(w, record);
	struct tl_timeline_arg args[TL_XRAY_MOST_FIELDS + 1];
	bool typed = record->kind == TL_XRAY_TYPED_EVENT;
	struct tl_xray_event event;
	size_t count = 0;

	if (!in_window(w, record))
		return;
	if (tl_xray_decode_event(w->select->decoders, record, &event)) {
		memcpy(args, event.fields, event.count * sizeof(*args));
		count = event.count;
	} else {
		args[count++] = (struct tl_timeline_arg){ .name = "data",
							  .kind = TL_ARG_BYTES,
							  .data = record->payload,
							  .size = record->payload_size };
	}
	if (typed)
		args[count++] = (struct tl_timeline_arg){ .name = "type",
							  .kind = TL_ARG_NUMBER,
							  .number = record->event_type };
	if (!event.name)
		event.name = typed ? "typed event" : "custom event";
	tl_timeline_instant(w->timeline, &at, event.name, args, count);
}

static void put_migration(struct walk *w, const struct tl_xray_record *record)
{
	struct tl_timeline_point at = point_of(w, record);
	struct tl_timeline_arg cpu = { .name = "cpu",
				       .kind = TL_ARG_NUMBER,
				       .number = record->cpu };

	if (in_window(w, record))
		tl_timeline_instant(w->timeline, &at, "cpu migration", &cpu, 1);
}

static int walk_thread(struct walk *w, struct tl_xray_reader *reader,
		       const struct tl_xray_thread *thread, struct tl_error *err)
{
	struct tl_xray_record record;
	struct tl_xray_stream stream;
	bool on_cpu = false;
	uint16_t cpu = 0;
	int status = 0;

	tl_xray_stream_open(&stream, reader, reader->order, thread->begin, thread->end,
			    &reader->faults);
	w->stream = &stream;
	while (!tl_timeline_failed(w->timeline)) {
		if (w->all_shown && stream.block)
			put_run(w, &stream);
		status = tl_xray_stream_next(&stream, &record, err);
		if (status != 1)
			break;
		if (record.kind == TL_XRAY_FUNCTION) {
			status = put_function(w, &record, err);
			if (status < 0)
				break;
		} else if (record.kind == TL_XRAY_CUSTOM_EVENT ||
			   record.kind == TL_XRAY_TYPED_EVENT) {
			put_event(w, &record);
		} else if (record.kind == TL_XRAY_NEW_CPU) {
			if (on_cpu && cpu != record.cpu)
				put_migration(w, &record);
			on_cpu = true;
			cpu = record.cpu;
		}
	}
	tl_xray_stream_end(&stream);
	return tl_error_or_end(status);
}

static void name_thread(struct tl_timeline *timeline, const struct tl_xray_thread *thread)
{
	char name[32];

	if (thread->process)
		snprintf(name, sizeof(name), "process %d", (int)thread->process);
	else
		snprintf(name, sizeof(name), "unknown process");
	tl_timeline_name(timeline, thread->process, -1, name);
	snprintf(name, sizeof(name), "thread %d", (int)thread->thread);
	tl_timeline_name(timeline, thread->process, thread->thread, name);
}

static int walk_threads(struct walk *w, struct tl_xray_reader *reader,
			struct tl_xray_call_graph *call_graph, struct tl_error *err)
{
	int status = 0;

	for (size_t i = 0; status == 0 && i < reader->thread_count; i++) {
		const struct tl_xray_thread *thread = &reader->threads[i];

		if (!tl_xray_thread_wanted(&w->select->limits, thread))
			continue;
		name_thread(w->timeline, thread);
		if (!tl_fold_begin(&w->fold, 0, false))
			return tl_error_memory(err);
		w->caller_check =
			(struct tl_xray_caller_check){ .call_graph = call_graph, .ids = &w->ids };
		w->fold.refuse_new_paths = call_graph != NULL;
		status = walk_thread(w, reader, thread, err);
		tl_xray_caller_check_end(&w->caller_check);
		tl_fold_free(&w->fold);
		tl_xray_ids_free(&w->ids);
	}
	return status;
}

/*
 * With the program at hand, frames that an exception left are closed before the next call, as in a
 * profile.
 */
static int walk_all(struct walk *w, struct tl_xray_reader *reader, struct tl_error *err)
{
	struct tl_xray_map *map = w->select->names.map;
	bool known = map && map->binary;
	struct tl_xray_call_graph *call_graph = known ? tl_xray_call_graph_open(map) : NULL;
	int status;

	if (known && !call_graph)
		return tl_error_memory(err);
	w->all_shown = reader->info.mode == TL_XRAY_FDR && w->select->limits.cpu == TL_NOWHERE &&
		       !w->select->limits.from_ticks && !w->select->limits.to_ticks &&
		       !w->select->names.by_function && !w->select->names.by_object;
	status = walk_threads(w, reader, call_graph, err);
	if (status == 0 && call_graph && tl_xray_call_graph_short_of_memory(call_graph))
		status = tl_error_memory(err);
	tl_xray_call_graph_close(call_graph);
	return status;
}

int tl_xray_timeline_put(struct tl_xray_reader *reader, struct tl_xray_select *select,
			 const struct tl_xray_clock *clock, uint32_t first_key,
			 struct tl_timeline *timeline, struct tl_error *err)
{
	struct walk w = {
		.timeline = timeline, .select = select, .clock = clock, .first_key = first_key
	};
	int status;

	tl_xray_rewind(reader);
	status = walk_all(&w, reader, err);
	free(w.shown);
	free(w.name_of);
	return status;
}

int tl_xray_timeline(struct tl_xray_reader *reader, struct tl_xray_select *select,
		     struct tl_timeline *timeline, struct tl_error *err)
{
	const struct tl_xray_clock clock = tl_xray_own_clock(reader);
	int status;

	if (reader->info.mode == TL_XRAY_PROFILING)
		return tl_error_at(err, TL_UNSUPPORTED, 0, "a profile of sums has no timeline");
	status = tl_timeline_begin(timeline, reader->info.frequency, err);
	if (status < 0)
		return status;
	tl_timeline_origin(timeline, clock.first);
	return tl_xray_timeline_put(reader, select, &clock, 0, timeline, err);
}
