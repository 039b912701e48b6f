/* SPDX-License-Identifier: Apache-2.0 */
/* A second pass over the records, whose nodes have the numbers that they had in the fold. */
#include "perf_data/listing/sample_timeline.h"

#include <inttypes.h>
#include <string.h>
#include <tracelathe/timeline.h>

#include "core/error.h"
#include "perf_data/samples/event_names.h"
#include "perf_data/samples/pass.h"
#include "perf_data/samples/remarks.h"
#include "profile/model/model.h"

/* A track: one thread. */
struct drawn_thread {
	int64_t pid, tid;
	const char *name;          /* the last one that it had; NULL: unknown */
	bool is_begun, is_running; /* on the timeline */
	/* By event: what its counter has counted in samples of this thread. */
	uint64_t *counted;
	size_t counted_capacity;
};

struct sample_drawing {
	struct tl_perf_sample_pass pass;
	const struct tl_perf_sample_contexts *contexts;
	const struct tl_profile *profile;
	struct tl_timeline *timeline;
	struct drawn_thread *threads;
	size_t count, capacity;
	struct tl_index index;
	uint64_t untimed; /* samples without a time */
	bool has_begun;
};

/* ---- threads ---- */

static bool same_thread(const void *context, const void *key, uint32_t number)
{
	const struct drawn_thread *list = context, *wanted = key;

	return list[number].pid == wanted->pid && list[number].tid == wanted->tid;
}

/* The kernel has -1 for what it does not know; a track has a number that is not negative. */
static int64_t track_id(uint64_t id)
{
	return id == UINT32_MAX || id == TL_NOWHERE ? 0 : (int64_t)id;
}

/* The track of a thread; NULL without memory. */
static struct drawn_thread *find_thread(struct sample_drawing *d, uint64_t pid, uint64_t tid)
{
	const struct drawn_thread wanted = { .pid = track_id(pid), .tid = track_id(tid) };
	const uint64_t hash = tl_hash_pair((uint64_t)wanted.pid, (uint64_t)wanted.tid);
	uint32_t number = tl_index_find(&d->index, hash, same_thread, d->threads, &wanted);

	if (number != TL_NONE)
		return &d->threads[number];
	if (!tl_grow(&d->threads, &d->capacity, d->count + 1, sizeof(*d->threads)) ||
	    !tl_index_add(&d->index, hash, (uint32_t)d->count))
		return NULL;
	d->threads[d->count] = wanted;
	return &d->threads[d->count++];
}

/* A thread may change its name; that of its last part is what it became. */
static bool name_threads(struct sample_drawing *d)
{
	for (uint32_t i = 0; i < tl_profile_part_count(d->profile); i++) {
		const struct tl_part *part = tl_profile_part(d->profile, i);
		struct drawn_thread *t = find_thread(d, part->process, part->thread);

		if (!t)
			return false;
		t->name = part->command;
	}
	return true;
}

/* Where something is put on the track of a thread now. */
static struct tl_timeline_point begin_point(struct sample_drawing *d, struct drawn_thread *t)
{
	const struct tl_timeline_point at = { t->pid, t->tid, d->pass.time_ns };

	if (!d->has_begun)
		tl_timeline_origin(d->timeline, at.ticks);
	d->has_begun = true;
	if (t->is_begun)
		return at;
	t->is_begun = true;
	if (!t->name)
		t->name = tl_perf_thread_name_at(&d->pass.sys, (uint32_t)t->tid, at.ticks);
	if (*t->name) {
		if (t->pid == t->tid)
			tl_timeline_name(d->timeline, t->pid, -1, t->name);
		tl_timeline_name(d->timeline, t->pid, t->tid, t->name);
	}
	return at;
}

/* ---- what is drawn ---- */

static const struct tl_function *function_of(const struct sample_drawing *d, uint32_t node)
{
	const uint32_t context = node < d->contexts->count ? d->contexts->list[node] : TL_NONE;
	const uint32_t function =
		context == TL_NONE ? TL_NONE : tl_profile_context(d->profile, context)->function;

	if (function == TL_NONE || !tl_profile_chosen(d->profile, function))
		return NULL;
	return tl_profile_function(d->profile, function);
}

/* A counter that was read with a sample: its value is what it has counted so far. */
static bool put_counted(struct sample_drawing *d, struct drawn_thread *t, uint32_t event,
			uint64_t period)
{
	const size_t had = t->counted_capacity;
	char room[TL_PERF_EVENT_NAME_ROOM];
	struct tl_timeline_point at;

	if (!tl_grow(&t->counted, &t->counted_capacity, (size_t)event + 1, sizeof(*t->counted)))
		return false;
	memset(t->counted + had, 0, (t->counted_capacity - had) * sizeof(*t->counted));
	t->counted[event] += period;
	at = begin_point(d, t);
	tl_timeline_counter(d->timeline, &at,
			    tl_perf_event_name(&d->pass.reader->attrs.list[event], room),
			    (double)t->counted[event]);
	return true;
}

static int put_sample(void *arg, const struct tl_perf_record *rec, uint32_t event, uint64_t period,
		      uint32_t node, struct tl_error *err)
{
	struct sample_drawing *d = arg;
	const struct tl_function *function = function_of(d, node);
	struct tl_timeline_arg args[3] = { { .name = "period", .number = period } };
	struct tl_timeline_point at;
	struct drawn_thread *t;
	char room[TL_PERF_EVENT_NAME_ROOM];
	size_t count = 1;

	if (!function && !rec->sample.read_count)
		return 0;
	if (rec->id.time_ns == TL_NOWHERE) {
		d->untimed++;
		return 0;
	}
	t = find_thread(d, rec->id.process, rec->id.thread);
	if (!t || (rec->sample.read_count && !put_counted(d, t, event, period)))
		return tl_error_memory(err);
	if (!function)
		return 0;
	args[count++] = (struct tl_timeline_arg){
		.name = "function",
		.kind = TL_ARG_TEXT,
		.data = function->name,
		.size = strlen(function->name),
	};
	if (rec->id.cpu != TL_NOWHERE)
		args[count++] = (struct tl_timeline_arg){ .name = "cpu", .number = rec->id.cpu };
	at = begin_point(d, t);
	tl_timeline_instant(d->timeline, &at,
			    tl_perf_event_name(&d->pass.reader->attrs.list[event], room), args,
			    count);
	return 0;
}

static bool put_switch(void *arg, const struct tl_perf_sample_switch *what)
{
	const struct tl_timeline_arg cpu = { .name = "cpu", .number = what->cpu };
	struct sample_drawing *d = arg;
	struct drawn_thread *t = find_thread(d, what->pid, what->tid);
	struct tl_timeline_point at;

	if (!t)
		return false;
	/* It came before the recording began, or its leaving is missing. */
	if (!what->comes && !t->is_running)
		return true;
	at = begin_point(d, t);
	if (t->is_running)
		tl_timeline_leave(d->timeline, &at);
	t->is_running = what->comes;
	if (what->comes)
		tl_timeline_enter(d->timeline, &at, 0, "running", "", 0, &cpu,
				  what->cpu != TL_NOWHERE);
	return true;
}

/* ---- the whole ---- */

static int draw(struct sample_drawing *d, struct tl_perf_sample_remarks *remarks,
		struct tl_error *err)
{
	int status = name_threads(d) ? tl_timeline_begin(d->timeline, 1000000000, err)
				     : tl_error_memory(err);

	if (status == 0)
		status = tl_perf_sample_pass_run(&d->pass, err);
	if (status < 0 || !d->untimed)
		return status;
	if (!d->has_begun)
		return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				   "these samples have no times (`perf record -T` records them), "
				   "so no timeline can be made of them");
	return tl_error_unless_made(
		tl_perf_sample_remark(
			remarks, "%" PRIu64 " samples have no time and are not on the timeline",
			d->untimed),
		err);
}

int tl_perf_samples_draw(struct tl_perf_reader *reader,
			 const struct tl_perf_sample_options *options,
			 const struct tl_perf_sample_contexts *contexts,
			 const struct tl_profile *profile, struct tl_perf_sample_remarks *remarks,
			 struct tl_timeline *timeline, struct tl_error *err)
{
	struct sample_drawing d = {
		.pass = tl_perf_sample_pass_of(reader, options),
		.contexts = contexts,
		.profile = profile,
		.timeline = timeline,
	};
	int status;

	d.pass.listener.on_sample = put_sample;
	d.pass.listener.on_switch = put_switch;
	d.pass.listener.arg = &d;
	status = draw(&d, remarks, err);
	tl_perf_sample_pass_free(&d.pass);
	tl_index_free(&d.index);
	for (size_t i = 0; i < d.count; i++)
		free(d.threads[i].counted);
	free(d.threads);
	return status;
}
