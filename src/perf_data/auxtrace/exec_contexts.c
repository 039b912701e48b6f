/* SPDX-License-Identifier: Apache-2.0 */
/* From switches and from the changes of maps to contexts (docs/formats/perf-data.md section 8). */
#include "perf_data/auxtrace/exec_contexts.h"

#include "perf_data/auxtrace/pt_info.h"

struct context_maker {
	const struct tl_perf_trace *trace;
	struct tl_perf_context_list *made;
	bool kernel; /* it is traced */
};

static bool is_same(const struct tl_perf_exec_context *a, const struct tl_perf_exec_context *b)
{
	return a->tid == b->tid && a->pid == b->pid && a->process == b->process &&
	       a->changes == b->changes && a->pokes == b->pokes;
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

/* Go on to the next epoch of the process, or to the next change of the kernel's code. */
static bool next_change(const struct context_maker *m, const struct tl_perf_process *p,
			struct tl_perf_exec_context *context)
{
	struct tl_perf_exec_context map = *context, poke = *context;
	const bool maps = p && tl_perf_map_next_epoch(p, &map.changes, &map.time_ns);
	const bool pokes =
		m->kernel && tl_perf_pokes_next(&m->trace->sys, &poke.pokes, &poke.time_ns);

	if (maps && (!pokes || map.time_ns <= poke.time_ns))
		*context = map;
	else
		*context = poke;
	return maps || pokes;
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
	int status;

	context.process = TL_NONE;
	if (context.pid != TL_PERF_KERNEL_PID)
		context.process = tl_perf_process_find(sys, context.pid);
	if (context.process != TL_NONE)
		p = &sys->processes.list[context.process];
	context.changes = p ? tl_perf_map_changes_at(p, context.time_ns) : 0;
	context.pokes = m->kernel ? tl_perf_pokes_at(sys, context.time_ns) : 0;
	status = add_context(m, context, err);
	while (status == 0 && next_change(m, p, &context) && context.time_ns < to_ns)
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

int tl_perf_context_list_make(struct tl_perf_context_list *contexts, const struct tl_perf_trace *t,
			      const struct tl_perf_aux_stream *stream, struct tl_error *err)
{
	const struct context_maker m = { t, contexts, tl_perf_kernel_is_traced(t) };
	const struct tl_perf_exec_context whole = { .pid = tl_perf_thread_pid(&t->sys, stream->tid),
						    .tid = stream->tid };

	if (stream->cpu != TL_PERF_NO_CPU)
		return add_switches(&m, stream->cpu, err);
	return add_thread(&m, whole, UINT64_MAX, err);
}
