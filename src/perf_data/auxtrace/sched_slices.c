/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs: stream after stream, range after range, cut where thread or image change (section 8).
 */
#include "core/sized.h"
#include "perf_data/processes/trace.h"

/* ---- contexts ---- */

static int add_context(const struct tl_perf_trace *t, struct tl_perf_stream_walk *w,
		       struct tl_perf_exec_context context, struct tl_error *err)
{
	const struct tl_perf_exec_context *last =
		w->context_count ? &w->contexts[w->context_count - 1] : NULL;

	if (last && last->tid == context.tid && last->pid == context.pid &&
	    last->process == context.process && last->changes == context.changes)
		return 0;
	if (!tl_grow(&w->contexts, &w->context_capacity, w->context_count + 1,
		     sizeof(*w->contexts)))
		return tl_error_memory(err);
	/* Without a clock only order is known: what comes last holds for all. */
	if (!context.time_ns || !tl_perf_trace_tsc(t, context.time_ns, &context.tsc))
		context.tsc = 0;
	w->contexts[w->context_count++] = context;
	return 0;
}

/*
 * A thread has the processor from `from_ns` on, until `to_ns`: a context for each epoch of its
 * process.
 */
static int add_contexts(const struct tl_perf_trace *t, struct tl_perf_stream_walk *w,
			struct tl_perf_exec_context context, uint64_t to_ns, struct tl_error *err)
{
	const struct tl_perf_process *p;
	int status;

	context.process =
		context.pid == TL_PERF_KERNEL_PID ? TL_NONE : tl_perf_process_find(t, context.pid);
	p = context.process == TL_NONE ? NULL : &t->processes[context.process];
	context.changes = p ? tl_perf_map_changes_at(p, context.time_ns) : 0;
	status = add_context(t, w, context, err);
	while (status == 0 && p && tl_perf_map_next_epoch(p, &context.changes, &context.time_ns) &&
	       context.time_ns < to_ns)
		status = add_context(t, w, context, err);
	return status;
}

static bool kernel_is_traced(const struct tl_perf_trace *t)
{
	size_t count;
	const struct tl_perf_attr *attrs = tl_perf_attrs(t->reader, &count);

	for (size_t i = 0; i < count; i++)
		if (attrs[i].type == t->info.pmu_type &&
		    !(attrs[i].flags & TL_PERF_ATTR_EXCLUDE_KERNEL))
			return true;
	return false;
}

/* The only process there is, if there is only one; TL_PERF_KERNEL_PID: none, or several. */
static uint32_t only_process(const struct tl_perf_trace *t)
{
	uint32_t only = TL_PERF_KERNEL_PID;

	for (size_t i = 0; i < t->process_count; i++) {
		const struct tl_perf_process *p = &t->processes[i];

		if (p->pid == TL_PERF_KERNEL_PID || !p->pid || !p->count)
			continue;
		if (only != TL_PERF_KERNEL_PID)
			return TL_PERF_KERNEL_PID;
		only = p->pid;
	}
	return only;
}

static uint32_t pid_of_switch(const struct tl_perf_trace *t, const struct tl_perf_switch *s)
{
	return s->pid == TL_PERF_KERNEL_PID ? tl_perf_thread_pid(t, s->tid) : s->pid;
}

static int cpu_contexts(const struct tl_perf_trace *t, struct tl_perf_stream_walk *w,
			struct tl_error *err)
{
	const bool kernel = kernel_is_traced(t);
	struct tl_perf_exec_context last = { .pid = TL_PERF_KERNEL_PID };
	bool any = false;
	int status = 0;

	for (size_t i = 0; status == 0 && i < t->switch_count; i++) {
		const struct tl_perf_switch *s = &t->switches[i];

		/* The idle thread has no code of its own: without the kernel's it never runs. */
		if (s->cpu != w->stream->cpu || (!s->tid && !kernel))
			continue;
		if (any)
			status = add_contexts(t, w, last, s->time_ns, err);
		last = (struct tl_perf_exec_context){ .time_ns = s->time_ns,
						      .pid = pid_of_switch(t, s),
						      .tid = s->tid };
		any = true;
	}
	if (!any)
		last.tid = last.pid = only_process(t);
	return status < 0 ? status : add_contexts(t, w, last, UINT64_MAX, err);
}

static int make_contexts(const struct tl_perf_trace *t, struct tl_perf_stream_walk *w,
			 struct tl_error *err)
{
	const struct tl_perf_exec_context whole = { .pid = tl_perf_thread_pid(t, w->stream->tid),
						    .tid = w->stream->tid };

	w->contexts_made = true;
	return w->stream->cpu != TL_PERF_NO_CPU ? cpu_contexts(t, w, err)
						: add_contexts(t, w, whole, UINT64_MAX, err);
}

/* ---- the walk through a stream ---- */

struct handover {
	const struct tl_perf_trace *trace;
	const struct tl_perf_exec_context *goes, *comes;
};

static int owner(const void *arg, uint64_t ip)
{
	const struct handover *h = arg;
	const bool before = tl_perf_map_find(h->trace, h->goes->process, h->goes->changes, ip);
	const bool after = tl_perf_map_find(h->trace, h->comes->process, h->comes->changes, ip);

	return (int)after - (int)before;
}

static const uint8_t *range_end(const struct tl_perf_stream_walk *w)
{
	return w->range.data + w->range.size;
}

static int open_range(const struct tl_perf_trace *t, struct tl_perf_stream_walk *w,
		      struct tl_error *err)
{
	int status = tl_perf_aux_range_next(t, w, err);

	if (status <= 0)
		return status;
	if (!w->contexts_made)
		status = make_contexts(t, w, err);
	if (status < 0)
		return status;
	tl_perf_switch_scan_begin(&w->scan, t, w->range.data, range_end(w));
	w->first_tsc = tl_perf_switch_scan_first_time(&w->scan, range_end(w));
	w->context = 0;
	/*
	 * A range without any time is given to the last context: the end of a buffer holds what
	 * ran last.
	 */
	while (w->context + 1 < w->context_count &&
	       (!w->first_tsc || w->contexts[w->context + 1].tsc <= w->first_tsc))
		w->context++;
	w->config = t->config;
	w->config.begin = w->range.data;
	w->config.end = range_end(w);
	w->from = 0;
	w->open = true;
	w->given = false;
	return 1;
}

/* The context in effect at the scan's position; contexts in between had no packets. */
static size_t context_here(const struct tl_perf_stream_walk *w)
{
	size_t context = w->context + 1;

	while (context + 1 < w->context_count && w->contexts[context + 1].tsc <= w->scan.tsc)
		context++;
	return context;
}

/* Find the end of the next slice of the range. */
static void find_slice(const struct tl_perf_trace *t, struct tl_perf_stream_walk *w)
{
	const uint8_t *end = range_end(w), *at = end;

	for (;;) {
		if (w->context + 1 < w->context_count && w->first_tsc) {
			const struct handover h = { t, &w->contexts[w->context],
						    &w->contexts[w->context + 1] };

			at = tl_perf_switch_scan_to(&w->scan, end, h.comes->tsc, owner, &h);
		}
		w->next_context = at == end ? w->context : context_here(w);
		w->to = (uint64_t)(at - w->range.data);
		if (at == end || w->to > w->from)
			break;
		w->context = w->next_context;
		at = end;
	}
	w->start = w->contexts[w->context].tsc > w->first_tsc ? w->contexts[w->context].tsc
							      : w->first_tsc;
	w->pending = true;
}

/* 1: there is a slice; 0: the stream is at its end; negative. */
static int look_for_slice(const struct tl_perf_trace *t, struct tl_perf_stream_walk *w,
			  struct tl_error *err)
{
	while (!w->pending && !w->ended) {
		int status = w->open ? 1 : open_range(t, w, err);

		if (status < 0)
			return status;
		w->ended = !status;
		if (status)
			find_slice(t, w);
	}
	return w->pending;
}

/* ---- slices of all streams ---- */

static bool chosen(const struct tl_perf_trace *t, const struct tl_perf_sched_slice *slice)
{
	const struct tl_perf_trace_options *o = &t->options;

	return (o->process == TL_NOWHERE || o->process == slice->process) &&
	       (o->thread == TL_NOWHERE || o->thread == slice->thread) &&
	       (o->cpu == TL_NOWHERE || o->cpu == slice->cpu);
}

/* The thread's name when the slice began; without a clock, the last one. */
static const char *name_of(const struct tl_perf_trace *t, const struct tl_perf_stream_walk *w,
			   const struct tl_perf_exec_context *context)
{
	uint64_t ns;

	if (!w->start || !tl_perf_trace_ns(t, w->start, &ns))
		ns = UINT64_MAX;
	return tl_perf_thread_name_at(t, context->tid, ns);
}

static uint64_t file_offset(const struct tl_perf_trace *t, const uint8_t *data)
{
	const struct tl_perf_reader *r = t->reader;

	return data >= r->map && data < r->map + r->map_size ? (uint64_t)(data - r->map)
							     : TL_NOWHERE;
}

static int give_slice(struct tl_perf_trace *t, struct tl_perf_stream_walk *w,
		      struct tl_perf_sched_slice *slice, struct tl_error *err)
{
	const struct tl_perf_exec_context *context = &w->contexts[w->context];
	const bool known = context->pid != TL_PERF_KERNEL_PID,
		   per_thread = w->stream->cpu == TL_PERF_NO_CPU;
	struct tl_pt_asid asid;
	const int64_t space =
		tl_perf_address_space_add(t, context->process, context->changes, &asid, err);

	if (space < 0)
		return (int)space;
	*slice = (struct tl_perf_sched_slice){
		.stream = (uint64_t)(w->stream - t->streams),
		.process = known ? context->pid : TL_NOWHERE,
		.thread = known || per_thread ? context->tid : TL_NOWHERE,
		.cpu = per_thread ? TL_NOWHERE : w->stream->cpu,
		.command = known ? name_of(t, w, context) : "",
		.config = &w->config,
		.from = w->from,
		.to = w->to,
		.start_tsc = w->start,
		.buffer_offset = w->range.offset,
		.file_offset = file_offset(t, w->range.data),
		.continues = w->given,
		.gap = w->range.gap && !w->given,
		.image = t->image,
		.asid = asid,
		.space = (uint32_t)space,
	};
	slice->chosen = chosen(t, slice);
	w->from = w->to;
	w->context = w->next_context;
	w->given = true;
	w->open = w->to < w->range.size;
	w->pending = false;
	return 1;
}

static int begin_walks(struct tl_perf_trace *t, struct tl_error *err)
{
	if (t->walks)
		return 0;
	t->walks = tl_zeroed(t->stream_count, sizeof(*t->walks));
	if (!t->walks)
		return tl_error_memory(err);
	for (size_t i = 0; i < t->stream_count; i++)
		t->walks[i].stream = &t->streams[i];
	return 0;
}

static int slice_next(struct tl_perf_trace *t, struct tl_perf_sched_slice *slice,
		      struct tl_error *err)
{
	struct tl_perf_stream_walk *first = NULL;
	int status = begin_walks(t, err);

	for (size_t i = 0; status >= 0 && i < t->stream_count; i++) {
		struct tl_perf_stream_walk *w = &t->walks[i];

		status = look_for_slice(t, w, err);
		if (status > 0 && (!first || w->start < first->start))
			first = w;
	}
	if (status < 0)
		return tl_error_format(err, "perf", status);
	return first ? give_slice(t, first, slice, err) : 0;
}

int tl_perf_trace_next(struct tl_perf_trace *t, struct tl_perf_sched_slice *slice, size_t size,
		       struct tl_error *err)
{
	struct tl_perf_sched_slice ours;
	int status;

	if (size < sizeof(ours))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "the size of a struct tl_perf_sched_slice is too small");
	status = slice_next(t, &ours, err);
	if (status > 0)
		tl_copy_sized(slice, size, &ours, sizeof(ours));
	return status;
}

void tl_perf_walks_free(struct tl_perf_trace *t)
{
	for (size_t i = 0; t->walks && i < t->stream_count; i++) {
		tl_perf_aux_range_close(&t->walks[i].whole);
		free(t->walks[i].contexts);
	}
	free(t->walks);
	t->walks = NULL;
}

void tl_perf_trace_rewind(struct tl_perf_trace *t)
{
	tl_perf_walks_free(t);
}

/* What the loader added to the addresses of an object's file. */
static uint64_t bias_of(const struct tl_perf_object *o, const struct tl_perf_map_change *c)
{
	/* Maps begin at page boundaries, which may be before the segment itself. */
	const uint64_t end = c->page_offset + (c->end - c->start);
	uint64_t bias = c->start;

	if (o->kind == TL_PERF_OBJECT_KERNEL)
		return o->elf.core ? 0 : c->start - c->page_offset;
	for (size_t i = 0; i < o->elf.segment_count; i++) {
		const struct tl_perf_segment *segment = &o->elf.segments[i];

		if (segment->offset < end && segment->offset + segment->size > c->page_offset)
			bias = c->start - (segment->address - segment->offset + c->page_offset);
	}
	return bias;
}

int tl_perf_trace_find_mapping(const struct tl_perf_trace *t, uint32_t space, uint64_t ip,
			       struct tl_perf_mapping *mapping, size_t size)
{
	const struct tl_perf_map_change *c;
	const struct tl_perf_object *o;
	struct tl_perf_mapping found;

	if (space >= t->space_count)
		return TL_BAD_USAGE;
	c = tl_perf_map_find(t, t->spaces[space].process, t->spaces[space].changes, ip);
	if (!c)
		return 0;
	o = &t->objects[c->object];
	found = (struct tl_perf_mapping){
		.start = c->start,
		.end = c->end,
		.page_offset = c->page_offset,
		.path = t->names.names[o->path].text,
		.file = o->file,
		.reason = o->reason,
		.bias = bias_of(o, c),
	};
	return tl_give(mapping, size, sizeof(found), &found, sizeof(found)) < 0 ? TL_BAD_USAGE : 1;
}
