/* SPDX-License-Identifier: Apache-2.0 */
/* From switches and from the changes of maps to contexts (docs/formats/perf-data.md section 8). */
#include "perf_data/auxtrace/exec_contexts.h"

#include "core/arithmetic.h"
#include "perf_data/auxtrace/pt_info.h"
#include "perf_data/processes/guests.h"

struct context_maker {
	const struct tl_perf_trace *trace;
	struct tl_perf_context_list *made;
	bool kernel; /* it is traced */
};

/* But for what its virtual machine runs. */
static bool same_host(const struct tl_perf_exec_context *a, const struct tl_perf_exec_context *b)
{
	return a->tid == b->tid && a->pid == b->pid && a->process == b->process &&
	       a->changes == b->changes && a->pokes == b->pokes;
}

static bool is_same(const struct tl_perf_exec_context *a, const struct tl_perf_exec_context *b)
{
	return same_host(a, b) && a->guest_tid == b->guest_tid && a->guest == b->guest &&
	       a->guest_changes == b->guest_changes && a->guest_pokes == b->guest_pokes;
}

static int add_context(const struct context_maker *m, struct tl_perf_exec_context context,
		       struct tl_error *err)
{
	struct tl_perf_context_list *made = m->made;

	if (made->count && is_same(&made->list[made->count - 1], &context))
		return 0;
	if (!tl_grow(&made->list, &made->capacity, made->count + 1, sizeof(*made->list)))
		return tl_error_memory(err);
	/* Without a clock only the order is known: the last context holds for the whole stream. */
	if (!context.time_ns ||
	    !tl_perf_pt_info_tsc(&m->trace->info, context.time_ns, &context.tsc))
		context.tsc = 0;
	made->list[made->count++] = context;
	return 0;
}

/* ---- what the thread's virtual machine runs ---- */

/* The processor that the thread runs, and its machine; NULL: none. */
struct run_processor {
	const struct tl_perf_guest_processor *processor;
	uint32_t machine; /* its number */
	const struct tl_perf_poke_table *pokes;
};

static struct run_processor run_of(const struct tl_perf_system *sys, uint32_t tid)
{
	const struct tl_perf_guest *guest = NULL;
	struct run_processor run = {
		.processor = tl_perf_guest_processor_of(sys, tid, &guest),
	};

	if (guest) {
		run.machine = guest->process;
		run.pokes = &guest->pokes;
	}
	return run;
}

static void set_guest(const struct context_maker *m, const struct run_processor *run,
		      struct tl_perf_exec_context *context)
{
	const struct tl_perf_system *sys = &m->trace->sys;
	const struct tl_perf_guest_processor *p = run->processor;
	const size_t count = p ? tl_perf_guest_switches_at(p, context->time_ns) : 0;
	uint32_t process;

	context->guest = context->guest_pid = context->guest_tid = TL_NONE;
	context->guest_changes = context->guest_pokes = 0;
	if (!p)
		return;
	context->guest = run->machine;
	context->guest_pokes = tl_perf_poke_table_at(run->pokes, context->time_ns);
	if (!count)
		return;
	context->guest_pid = p->list[count - 1].pid;
	context->guest_tid = p->list[count - 1].tid;
	process = tl_perf_process_find_of(sys, run->machine, context->guest_pid);
	/* Threads of the kernel alone have no maps of their own. */
	if (process == TL_NONE)
		return;
	context->guest = process;
	context->guest_changes =
		tl_perf_map_changes_at(&sys->processes.list[process], context->time_ns);
}

/*
 * Go on to the machine's next switch, or to the next epoch of the process that it runs, or the next
 * change of its kernel's code.
 */
static bool next_guest(const struct context_maker *m, const struct run_processor *run,
		       struct tl_perf_exec_context *context)
{
	const struct tl_perf_guest_processor *p = run->processor;
	const struct tl_perf_process *runs;
	size_t next, changes = context->guest_changes, pokes = context->guest_pokes;
	uint64_t switched = UINT64_MAX, mapped = UINT64_MAX, poked = UINT64_MAX;

	if (!p)
		return false;
	runs = &m->trace->sys.processes.list[context->guest];
	next = tl_perf_guest_switches_at(p, context->time_ns);
	if (next < p->count)
		switched = p->list[next].time_ns;
	if (runs->machine != TL_NONE)
		tl_perf_map_next_epoch(runs, &changes, &mapped);
	tl_perf_poke_table_next(run->pokes, &pokes, &poked);
	context->time_ns = tl_min(switched, mapped);
	context->time_ns = tl_min(context->time_ns, poked);
	if (switched == context->time_ns)
		set_guest(m, run, context);
	else if (mapped == context->time_ns)
		context->guest_changes = changes;
	else
		context->guest_pokes = pokes;
	return context->time_ns != UINT64_MAX;
}

/*
 * Go on to the next epoch of the process, or to the next change of the kernel's code, or of what
 * its virtual machine runs.
 */
static bool next_change(const struct context_maker *m, const struct tl_perf_process *p,
			const struct run_processor *run, struct tl_perf_exec_context *context)
{
	struct tl_perf_exec_context map = *context, poke = *context, guest = *context;
	const bool maps = p && tl_perf_map_next_epoch(p, &map.changes, &map.time_ns);
	const bool pokes =
		m->kernel && tl_perf_pokes_next(&m->trace->sys, &poke.pokes, &poke.time_ns);
	const bool guests = next_guest(m, run, &guest);

	if (guests && (!maps || guest.time_ns < map.time_ns) &&
	    (!pokes || guest.time_ns < poke.time_ns))
		*context = guest;
	else if (maps && (!pokes || map.time_ns <= poke.time_ns))
		*context = map;
	else
		*context = poke;
	return maps || pokes || guests;
}

/*
 * A thread has the processor from context.time_ns to `to_ns`: one context for each epoch of its
 * process in that time, and for each state of the kernel's code.
 */
static int add_thread(const struct context_maker *m, struct tl_perf_exec_context context,
		      uint64_t to_ns, struct tl_error *err)
{
	const struct tl_perf_system *sys = &m->trace->sys;
	const struct tl_perf_process *p = NULL;
	const struct run_processor run = run_of(sys, context.tid);
	int status;

	context.process = TL_NONE;
	if (context.pid != TL_PERF_KERNEL_PID)
		context.process = tl_perf_process_find(sys, context.pid);
	if (context.process != TL_NONE)
		p = &sys->processes.list[context.process];
	context.changes = p ? tl_perf_map_changes_at(p, context.time_ns) : 0;
	context.pokes = m->kernel ? tl_perf_pokes_at(sys, context.time_ns) : 0;
	set_guest(m, &run, &context);
	status = add_context(m, context, err);
	while (status == 0 && next_change(m, p, &run, &context) && context.time_ns < to_ns)
		status = add_context(m, context, err);
	return status;
}

bool tl_perf_kernel_is_traced(const struct tl_perf_trace *t)
{
	const struct tl_perf_attr *attr;

	for (size_t i = 0; (attr = tl_perf_attr_at(t->reader, i)); i++)
		if (attr->type == t->info.pmu_type && !(attr->flags & TL_PERF_ATTR_EXCLUDE_KERNEL))
			return true;
	return false;
}

/* The pid of the only process with maps; TL_PERF_KERNEL_PID: there is none, or several. */
static uint32_t only_process(const struct tl_perf_system *sys)
{
	uint32_t only = TL_PERF_KERNEL_PID;

	for (size_t i = 0; i < sys->processes.count; i++) {
		const struct tl_perf_process *p = &sys->processes.list[i];

		if (p->guest || p->pid == TL_PERF_KERNEL_PID || !p->pid || !p->count)
			continue;
		if (only != TL_PERF_KERNEL_PID)
			return TL_PERF_KERNEL_PID;
		only = p->pid;
	}
	return only;
}

static uint32_t pid_of_switch(const struct tl_perf_system *sys, const struct tl_perf_switch *s)
{
	return s->pid == TL_PERF_KERNEL_PID ? tl_perf_thread_pid(sys, s->tid) : s->pid;
}

/* A processor's stream: from switch to switch. */
static int add_switches(const struct context_maker *m, uint32_t cpu, struct tl_error *err)
{
	const struct tl_perf_system *sys = &m->trace->sys;
	struct tl_perf_exec_context last = { .pid = TL_PERF_KERNEL_PID };
	bool any = false;
	int status = 0;

	for (size_t i = 0; status == 0 && i < sys->switches.count; i++) {
		const struct tl_perf_switch *s = &sys->switches.list[i];

		/* The idle thread has no code in user space. */
		if (s->cpu != cpu || (!s->tid && !m->kernel))
			continue;
		if (any)
			status = add_thread(m, last, s->time_ns, err);
		last = (struct tl_perf_exec_context){ .time_ns = s->time_ns,
						      .pid = pid_of_switch(sys, s),
						      .tid = s->tid };
		any = true;
	}
	if (!any)
		last.tid = last.pid = only_process(sys);
	if (status < 0)
		return status;
	return add_thread(m, last, UINT64_MAX, err);
}

static void find_host_ends(const struct tl_perf_context_list *contexts)
{
	for (size_t i = contexts->count; i-- > 0;) {
		struct tl_perf_exec_context *c = &contexts->list[i];

		c->host_end =
			i + 1 < contexts->count && same_host(c, c + 1) ? c[1].host_end : i + 1;
	}
}

int tl_perf_context_list_make(struct tl_perf_context_list *contexts, const struct tl_perf_trace *t,
			      const struct tl_perf_aux_stream *stream, struct tl_error *err)
{
	const struct context_maker m = { t, contexts, tl_perf_kernel_is_traced(t) };
	const struct tl_perf_exec_context whole = { .pid = tl_perf_thread_pid(&t->sys, stream->tid),
						    .tid = stream->tid };

	const int status = stream->cpu == TL_PERF_NO_CPU ? add_thread(&m, whole, UINT64_MAX, err)
							 : add_switches(&m, stream->cpu, err);

	if (status == 0)
		find_host_ends(contexts);
	return status;
}
