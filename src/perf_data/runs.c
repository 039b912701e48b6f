/* SPDX-License-Identifier: Apache-2.0 */
/* Runs: stream after stream, stretch after stretch, cut where thread or image change (section 8). */
#include "perf_data/trace.h"

/* ---- turns ---- */

static int add_turn(struct tl_perf_trace *t, struct perf_turn turn, struct tl_error *err)
{
	struct perf_walk *w = &t->walk;
	const struct perf_turn *last = w->turn_count ? &w->turns[w->turn_count - 1] : NULL;

	if (last && last->tid == turn.tid && last->pid == turn.pid && last->process == turn.process &&
	    last->changes == turn.changes)
		return 0;
	if (!tl_grow(&w->turns, &w->turn_capacity, w->turn_count + 1, sizeof(*w->turns)))
		return tl_error_memory(err);
	/* Without a clock only order is known: what comes last holds for all. */
	if (!turn.time_ns || !tl_perf_trace_tsc(t, turn.time_ns, &turn.tsc))
		turn.tsc = 0;
	w->turns[w->turn_count++] = turn;
	return 0;
}

/* A thread has the processor from `from_ns` on, until `to_ns`: a turn for each epoch of its process. */
static int add_turns(struct tl_perf_trace *t, uint32_t pid, uint32_t tid, uint64_t from_ns, uint64_t to_ns,
		     struct tl_error *err)
{
	const uint32_t process = pid == KERNEL_PID ? TL_NONE : tl_perf_find_process(t, pid);
	const struct perf_process *p = process == TL_NONE ? NULL : &t->processes[process];
	struct perf_turn turn = { .time_ns = from_ns, .pid = pid, .tid = tid, .process = process };
	int status;

	turn.changes = p ? tl_perf_changes_at(p, from_ns) : 0;
	status = add_turn(t, turn, err);
	while (status == 0 && p && tl_perf_next_epoch(p, &turn.changes, &turn.time_ns) && turn.time_ns < to_ns)
		status = add_turn(t, turn, err);
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

static int cpu_turns(struct tl_perf_trace *t, uint32_t cpu, struct tl_error *err)
{
	const bool kernel = kernel_is_traced(t);
	const struct perf_switch *last = NULL;
	int status = 0;

	for (size_t i = 0; status == 0 && i < t->switch_count; i++) {
		const struct perf_switch *s = &t->switches[i];

		/* The idle thread has no code of its own: without the kernel's it never runs. */
		if (s->cpu != cpu || (!s->tid && !kernel))
			continue;
		if (last)
			status = add_turns(t, pid_of_switch(t, last), last->tid, last->time_ns, s->time_ns, err);
		last = s;
	}
	if (status == 0 && last)
		status = add_turns(t, pid_of_switch(t, last), last->tid, last->time_ns, UINT64_MAX, err);
	if (status == 0 && !last) {
		const uint32_t pid = only_process(t);

		status = add_turns(t, pid, pid, 0, UINT64_MAX, err);
	}
	return status;
}

static int make_turns(struct tl_perf_trace *t, struct tl_error *err)
{
	struct perf_walk *w = &t->walk;
	const struct perf_stream *s = &t->streams[w->stream];

	if (w->turns_of == w->stream + 1)
		return 0;
	w->turn_count = 0;
	w->turns_of = w->stream + 1;
	if (s->cpu != UINT32_MAX)
		return cpu_turns(t, s->cpu, err);
	return add_turns(t, tl_perf_pid_of(t, s->tid), s->tid, 0, UINT64_MAX, err);
}

/* ---- the walk ---- */

static int whose(const void *arg, uint64_t ip)
{
	const struct tl_perf_trace *t = arg;
	const struct perf_turn *goes = &t->walk.turns[t->walk.turn], *comes = goes + 1;
	const bool before = tl_perf_find_map(t, goes->process, goes->changes, ip);
	const bool after = tl_perf_find_map(t, comes->process, comes->changes, ip);

	return (int)after - (int)before;
}

static const uint8_t *stretch_end(const struct perf_walk *w)
{
	return w->stretch.data + w->stretch.size;
}

static int open_stretch(struct tl_perf_trace *t, struct tl_error *err)
{
	struct perf_walk *w = &t->walk;
	int status = tl_perf_stretch_next(t, err);

	if (status <= 0)
		return status;
	status = make_turns(t, err);
	if (status < 0)
		return status;
	tl_perf_scan_begin(&w->scan, t, w->stretch.data, stretch_end(w));
	w->first_tsc = w->turn_count > 1 ? tl_perf_scan_first(&w->scan, stretch_end(w)) : 0;
	w->turn = 0;
	/* A stretch without any time is taken for the last turn's: what was recorded at the end was run. */
	while (w->turn + 1 < w->turn_count && (!w->first_tsc || w->turns[w->turn + 1].tsc <= w->first_tsc))
		w->turn++;
	w->from = 0;
	w->open = true;
	w->given = false;
	return 1;
}

static bool chosen(const struct tl_perf_trace *t, const struct tl_perf_run *run)
{
	const struct tl_perf_trace_options *o = &t->options;

	return (o->process == TL_NOWHERE || o->process == run->process) &&
	       (o->thread == TL_NOWHERE || o->thread == run->thread) && (o->cpu == TL_NOWHERE || o->cpu == run->cpu);
}

/* When the run began, as far as is known. */
static uint64_t run_time(const struct tl_perf_trace *t, const struct perf_turn *turn)
{
	uint64_t ns;

	if (t->walk.first_tsc && turn->tsc <= t->walk.first_tsc && tl_perf_trace_ns(t, t->walk.first_tsc, &ns))
		return ns;
	return turn->tsc || turn + 1 < t->walk.turns + t->walk.turn_count ? turn->time_ns : UINT64_MAX;
}

static int give(struct tl_perf_trace *t, uint64_t to, struct tl_perf_run *run, struct tl_error *err)
{
	struct perf_walk *w = &t->walk;
	const struct perf_stream *s = &t->streams[w->stream];
	const struct perf_turn *turn = &w->turns[w->turn];
	const bool known = turn->pid != KERNEL_PID;
	int status = tl_perf_use_image(t, turn->process, turn->changes, err);

	if (status < 0)
		return status;
	*run = (struct tl_perf_run){
		.stream = w->stream,
		.process = known ? turn->pid : TL_NOWHERE,
		.thread = known || s->cpu == UINT32_MAX ? turn->tid : TL_NOWHERE,
		.cpu = s->cpu == UINT32_MAX ? TL_NOWHERE : s->cpu,
		.command = known ? tl_perf_comm_at(t, turn->tid, run_time(t, turn)) : "",
		.config = t->config,
		.from = w->from,
		.to = to,
		.buffer_offset = w->stretch.offset,
		.continues = w->given,
		.gap = w->stretch.gap && !w->given,
		.image = t->image->image,
		.space = t->image->number,
		.space_process = turn->process,
		.space_changes = turn->changes,
	};
	run->config.begin = w->stretch.data;
	run->config.end = stretch_end(w);
	run->chosen = chosen(t, run);
	w->from = to;
	w->given = true;
	return 1;
}

/* Streams of processors and threads that no filter wants are not even decoded. */
static bool wanted(const struct tl_perf_trace *t)
{
	const struct perf_walk *w = &t->walk;
	const struct perf_stream *s = &t->streams[w->stream];
	const struct tl_perf_trace_options *o = &t->options;

	if (o->cpu != TL_NOWHERE && o->cpu != (s->cpu == UINT32_MAX ? TL_NOWHERE : s->cpu))
		return false;
	for (size_t i = w->turn; i < w->turn_count; i++)
		if ((o->process == TL_NOWHERE || o->process == w->turns[i].pid) &&
		    (o->thread == TL_NOWHERE || o->thread == w->turns[i].tid))
			return true;
	return false;
}

/* On to the turn that has come at the scan's place; others in between had no packets. */
static void take_turn(struct perf_walk *w)
{
	w->turn++;
	while (w->turn + 1 < w->turn_count && w->turns[w->turn + 1].tsc <= w->scan.tsc)
		w->turn++;
}

int tl_perf_trace_next(struct tl_perf_trace *t, struct tl_perf_run *run, struct tl_error *err)
{
	struct perf_walk *w = &t->walk;

	for (;;) {
		const uint8_t *end, *at;

		if (!w->open) {
			int status = open_stretch(t, err);

			if (status <= 0)
				return status;
			w->open = wanted(t);
			continue;
		}
		end = stretch_end(w);
		at = end;
		if (w->turn + 1 < w->turn_count && w->first_tsc)
			at = tl_perf_scan_to(&w->scan, end, w->turns[w->turn + 1].tsc, whose, t);
		if (at == end) {
			w->open = false;
			return give(t, w->stretch.size, run, err);
		}
		if ((uint64_t)(at - w->stretch.data) > w->from) {
			int status = give(t, (uint64_t)(at - w->stretch.data), run, err);

			take_turn(w);
			return status;
		}
		take_turn(w);
	}
}

void tl_perf_trace_rewind(struct tl_perf_trace *t)
{
	struct perf_walk *w = &t->walk;

	tl_perf_stretch_close(&w->whole);
	w->stretch = w->whole;
	w->stream = w->piece = w->used = 0;
	w->open = w->given = w->gap = false;
}

bool tl_perf_trace_place(struct tl_perf_trace *t, const struct tl_perf_run *run, uint64_t ip,
			 struct tl_perf_place *place)
{
	const struct perf_change *c = tl_perf_find_map(t, run->space_process, run->space_changes, ip);
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
