/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs: stream after stream, stretch after stretch, cut where thread or image change (section 8).
 */
#include "perf_data/trace.h"

/* ---- turns ---- */

static int add_turn(const struct tl_perf_trace *t, struct perf_walk *w, struct perf_turn turn,
		    struct tl_error *err)
{
	const struct perf_turn *last = w->turn_count ? &w->turns[w->turn_count - 1] : NULL;

	if (last && last->tid == turn.tid && last->pid == turn.pid &&
	    last->process == turn.process && last->changes == turn.changes)
		return 0;
	if (!tl_grow(&w->turns, &w->turn_capacity, w->turn_count + 1, sizeof(*w->turns)))
		return tl_error_memory(err);
	/* Without a clock only order is known: what comes last holds for all. */
	if (!turn.time_ns || !tl_perf_trace_tsc(t, turn.time_ns, &turn.tsc))
		turn.tsc = 0;
	w->turns[w->turn_count++] = turn;
	return 0;
}

/*
 * A thread has the processor from `from_ns` on, until `to_ns`: a turn for each epoch of its
 * process.
 */
static int add_turns(const struct tl_perf_trace *t, struct perf_walk *w, struct perf_turn turn,
		     uint64_t to_ns, struct tl_error *err)
{
	const struct perf_process *p;
	int status;

	turn.process = turn.pid == KERNEL_PID ? TL_NONE : tl_perf_find_process(t, turn.pid);
	p = turn.process == TL_NONE ? NULL : &t->processes[turn.process];
	turn.changes = p ? tl_perf_changes_at(p, turn.time_ns) : 0;
	status = add_turn(t, w, turn, err);
	while (status == 0 && p && tl_perf_next_epoch(p, &turn.changes, &turn.time_ns) &&
	       turn.time_ns < to_ns)
		status = add_turn(t, w, turn, err);
	return status;
}

static bool kernel_is_traced(const struct tl_perf_trace *t)
{
	size_t count;
	const struct tl_perf_attr *attrs = tl_perf_attrs(t->reader, &count);

	for (size_t i = 0; i < count; i++)
		if (attrs[i].type == t->info.pmu_type && !(attrs[i].flags & ATTR_EXCLUDE_KERNEL))
			return true;
	return false;
}

/* The only process there is, if there is only one; KERNEL_PID: none, or several. */
static uint32_t only_process(const struct tl_perf_trace *t)
{
	uint32_t only = KERNEL_PID;

	for (size_t i = 0; i < t->process_count; i++) {
		const struct perf_process *p = &t->processes[i];

		if (p->pid == KERNEL_PID || !p->pid || !p->count)
			continue;
		if (only != KERNEL_PID)
			return KERNEL_PID;
		only = p->pid;
	}
	return only;
}

static uint32_t pid_of_switch(const struct tl_perf_trace *t, const struct perf_switch *s)
{
	return s->pid == KERNEL_PID ? tl_perf_pid_of(t, s->tid) : s->pid;
}

static int cpu_turns(const struct tl_perf_trace *t, struct perf_walk *w, struct tl_error *err)
{
	const bool kernel = kernel_is_traced(t);
	struct perf_turn last = { .pid = KERNEL_PID };
	bool any = false;
	int status = 0;

	for (size_t i = 0; status == 0 && i < t->switch_count; i++) {
		const struct perf_switch *s = &t->switches[i];

		/* The idle thread has no code of its own: without the kernel's it never runs. */
		if (s->cpu != w->stream->cpu || (!s->tid && !kernel))
			continue;
		if (any)
			status = add_turns(t, w, last, s->time_ns, err);
		last = (struct perf_turn){ .time_ns = s->time_ns,
					   .pid = pid_of_switch(t, s),
					   .tid = s->tid };
		any = true;
	}
	if (!any)
		last.tid = last.pid = only_process(t);
	return status < 0 ? status : add_turns(t, w, last, UINT64_MAX, err);
}

static int make_turns(const struct tl_perf_trace *t, struct perf_walk *w, struct tl_error *err)
{
	const struct perf_turn whole = { .pid = tl_perf_pid_of(t, w->stream->tid),
					 .tid = w->stream->tid };

	w->turned = true;
	return w->stream->cpu != NO_CPU ? cpu_turns(t, w, err)
					: add_turns(t, w, whole, UINT64_MAX, err);
}

/* ---- the walk through a stream ---- */

struct handover {
	const struct tl_perf_trace *trace;
	const struct perf_turn *goes, *comes;
};

static int whose(const void *arg, uint64_t ip)
{
	const struct handover *h = arg;
	const bool before = tl_perf_find_map(h->trace, h->goes->process, h->goes->changes, ip);
	const bool after = tl_perf_find_map(h->trace, h->comes->process, h->comes->changes, ip);

	return (int)after - (int)before;
}

static const uint8_t *stretch_end(const struct perf_walk *w)
{
	return w->stretch.data + w->stretch.size;
}

static int open_stretch(const struct tl_perf_trace *t, struct perf_walk *w, struct tl_error *err)
{
	int status = tl_perf_stretch_next(t, w, err);

	if (status <= 0)
		return status;
	if (!w->turned)
		status = make_turns(t, w, err);
	if (status < 0)
		return status;
	tl_perf_scan_begin(&w->scan, t, w->stretch.data, stretch_end(w));
	w->first_tsc = tl_perf_scan_first(&w->scan, stretch_end(w));
	w->turn = 0;
	/*
	 * A stretch without any time is taken for the last turn's: what was recorded at the end was
	 * run.
	 */
	while (w->turn + 1 < w->turn_count &&
	       (!w->first_tsc || w->turns[w->turn + 1].tsc <= w->first_tsc))
		w->turn++;
	w->from = 0;
	w->open = true;
	w->given = false;
	return 1;
}

/* The turn that has come at the scan's place; others in between had no packets. */
static size_t turn_here(const struct perf_walk *w)
{
	size_t turn = w->turn + 1;

	while (turn + 1 < w->turn_count && w->turns[turn + 1].tsc <= w->scan.tsc)
		turn++;
	return turn;
}

/* Find the end of the next run of the stretch. */
static void find_run(const struct tl_perf_trace *t, struct perf_walk *w)
{
	const uint8_t *end = stretch_end(w), *at = end;

	for (;;) {
		if (w->turn + 1 < w->turn_count && w->first_tsc) {
			const struct handover h = { t, &w->turns[w->turn], &w->turns[w->turn + 1] };

			at = tl_perf_scan_to(&w->scan, end, h.comes->tsc, whose, &h);
		}
		w->next_turn = at == end ? w->turn : turn_here(w);
		w->to = (uint64_t)(at - w->stretch.data);
		if (at == end || w->to > w->from)
			break;
		w->turn = w->next_turn;
		at = end;
	}
	w->start = w->turns[w->turn].tsc > w->first_tsc ? w->turns[w->turn].tsc : w->first_tsc;
	w->pending = true;
}

/* 1: there is a run; 0: the stream is at its end; negative. */
static int look_for_run(const struct tl_perf_trace *t, struct perf_walk *w, struct tl_error *err)
{
	while (!w->pending && !w->ended) {
		int status = w->open ? 1 : open_stretch(t, w, err);

		if (status < 0)
			return status;
		w->ended = !status;
		if (status)
			find_run(t, w);
	}
	return w->pending;
}

/* ---- runs of all streams ---- */

static bool chosen(const struct tl_perf_trace *t, const struct tl_perf_run *run)
{
	const struct tl_perf_trace_options *o = &t->options;

	return (o->process == TL_NOWHERE || o->process == run->process) &&
	       (o->thread == TL_NOWHERE || o->thread == run->thread) &&
	       (o->cpu == TL_NOWHERE || o->cpu == run->cpu);
}

/* The thread's name when the run began; without a clock, the last one. */
static const char *name_of(const struct tl_perf_trace *t, const struct perf_walk *w,
			   const struct perf_turn *turn)
{
	uint64_t ns;

	if (!w->start || !tl_perf_trace_ns(t, w->start, &ns))
		ns = UINT64_MAX;
	return tl_perf_comm_at(t, turn->tid, ns);
}

static uint64_t file_offset(const struct tl_perf_trace *t, const uint8_t *data)
{
	const struct tl_perf_reader *r = t->reader;

	return data >= r->map && data < r->map + r->map_size ? (uint64_t)(data - r->map)
							     : TL_NOWHERE;
}

static int give(struct tl_perf_trace *t, struct perf_walk *w, struct tl_perf_run *run,
		struct tl_error *err)
{
	const struct perf_turn *turn = &w->turns[w->turn];
	const bool known = turn->pid != KERNEL_PID, per_thread = w->stream->cpu == NO_CPU;
	struct tl_pt_asid asid;
	const int64_t space = tl_perf_use_space(t, turn->process, turn->changes, &asid, err);

	if (space < 0)
		return (int)space;
	*run = (struct tl_perf_run){
		.stream = (uint64_t)(w->stream - t->streams),
		.process = known ? turn->pid : TL_NOWHERE,
		.thread = known || per_thread ? turn->tid : TL_NOWHERE,
		.cpu = per_thread ? TL_NOWHERE : w->stream->cpu,
		.command = known ? name_of(t, w, turn) : "",
		.config = t->config,
		.from = w->from,
		.to = w->to,
		.start_tsc = w->start,
		.buffer_offset = w->stretch.offset,
		.file_offset = file_offset(t, w->stretch.data),
		.continues = w->given,
		.gap = w->stretch.gap && !w->given,
		.image = t->image,
		.asid = asid,
		.space = (uint32_t)space,
	};
	run->config.begin = w->stretch.data;
	run->config.end = stretch_end(w);
	run->chosen = chosen(t, run);
	w->from = w->to;
	w->turn = w->next_turn;
	w->given = true;
	w->open = w->to < w->stretch.size;
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

int tl_perf_trace_next(struct tl_perf_trace *t, struct tl_perf_run *run, struct tl_error *err)
{
	struct perf_walk *first = NULL;
	int status = begin_walks(t, err);

	for (size_t i = 0; status >= 0 && i < t->stream_count; i++) {
		struct perf_walk *w = &t->walks[i];

		status = look_for_run(t, w, err);
		if (status > 0 && (!first || w->start < first->start))
			first = w;
	}
	if (status < 0)
		return tl_error_format(err, "perf", status);
	return first ? give(t, first, run, err) : 0;
}

void tl_perf_walks_free(struct tl_perf_trace *t)
{
	for (size_t i = 0; t->walks && i < t->stream_count; i++) {
		tl_perf_stretch_close(&t->walks[i].whole);
		free(t->walks[i].turns);
	}
	free(t->walks);
	t->walks = NULL;
}

void tl_perf_trace_rewind(struct tl_perf_trace *t)
{
	tl_perf_walks_free(t);
}

bool tl_perf_trace_place(struct tl_perf_trace *t, const struct tl_perf_run *run, uint64_t ip,
			 struct tl_perf_place *place)
{
	const struct perf_change *c = tl_perf_find_map(t, t->spaces[run->space].process,
						       t->spaces[run->space].changes, ip);
	const struct perf_object *o;

	if (!c)
		return false;
	o = &t->objects[c->object];
	*place = (struct tl_perf_place){
		.start = c->start,
		.end = c->end,
		.page_offset = c->page_offset,
		.path = t->names.names[o->path].text,
		.file = o->file,
		.why = o->reason,
		.bias = o->kind == OBJECT_KERNEL ? c->start - c->page_offset : c->start,
	};
	if (o->kind == OBJECT_KERNEL && o->elf.core)
		place->bias = 0;
	for (size_t i = 0; o->kind != OBJECT_KERNEL && i < o->elf.load_count; i++) {
		const struct perf_load *load = &o->elf.loads[i];
		/* Maps begin at page borders, which may be before the part itself. */
		const uint64_t at = c->page_offset + (c->end - c->start);

		if (load->offset < at && load->offset + load->size > c->page_offset)
			place->bias = c->start - (load->address - load->offset + c->page_offset);
	}
	return true;
}
