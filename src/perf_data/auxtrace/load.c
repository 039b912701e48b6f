/* SPDX-License-Identifier: Apache-2.0 */
/* One time-ordered pass over all records; each is dispatched to the table it updates. */
#include "perf_data/auxtrace/trace.h"
#include "perf_data/processes/guests.h"
#include "perf_data/processes/sched_tracepoint.h"

struct load_pass {
	struct tl_perf_trace *trace;
	struct tl_perf_system *sys; /* of the trace */
	uint64_t time_ns;           /* of the record; without one, of the last that had a time */
	struct tl_perf_sched_tracepoint tracepoint;
};

/* ---- processes ---- */

static int load_map(struct load_pass *p, const struct tl_perf_record *rec, struct tl_error *err)
{
	return tl_perf_add_map_with_code(p->sys, rec, p->time_ns, err);
}

static int load_comm(struct load_pass *p, const struct tl_perf_record *rec, struct tl_error *err)
{
	return tl_perf_add_comm(p->sys, rec, p->time_ns, err);
}

static int load_fork(struct load_pass *p, const struct tl_perf_record *rec, struct tl_error *err)
{
	return tl_perf_add_fork(p->sys, rec, p->time_ns, err);
}

static int load_poke(struct load_pass *p, const struct tl_perf_record *rec, struct tl_error *err)
{
	return tl_perf_add_poke(p->sys, rec, p->time_ns, err);
}

/* ---- switches ---- */

/* The thread that runs when tracing begins. */
static int load_itrace_start(struct load_pass *p, const struct tl_perf_record *rec,
			     struct tl_error *err)
{
	const uint32_t pid = rec->thread.pid, tid = rec->thread.tid;

	if (tl_perf_thread_add(p->sys, pid, tid) == TL_NONE)
		return tl_error_memory(err);
	return tl_perf_add_switch(p->sys, p->time_ns, rec->id.cpu, pid, tid, err);
}

static int load_switch(struct load_pass *p, const struct tl_perf_record *rec, struct tl_error *err)
{
	uint32_t pid = (uint32_t)rec->id.process, tid = (uint32_t)rec->id.thread;

	if (tl_perf_is_of_guest(rec))
		return tl_perf_guest_add_switch(p->sys, rec, p->time_ns, err);
	if (rec->id.thread == TL_NOWHERE)
		return 0;
	/* A SWITCH record out does not name the thread that comes; that thread is not traced. */
	if (rec->misc & TL_PERF_MISC_OUT)
		pid = tid = 0;
	return tl_perf_add_switch(p->sys, p->time_ns, rec->id.cpu, pid, tid, err);
}

/* A thread that is switched out ran from the beginning, unless a record said another one did. */
static int add_first_thread(struct tl_perf_system *sys, uint64_t cpu, uint32_t pid, uint32_t tid,
			    struct tl_error *err)
{
	if (tl_perf_has_switches(sys, cpu))
		return 0;
	return tl_perf_add_switch(sys, 0, cpu, pid, tid, err);
}

/* Out: the thread of the trailer goes, that of the record comes; in: the other way round. */
static int load_switch_cpu_wide(struct load_pass *p, const struct tl_perf_record *rec,
				struct tl_error *err)
{
	const struct tl_perf_thread_fields own = { (uint32_t)rec->id.process,
						   (uint32_t)rec->id.thread };
	struct tl_perf_thread_fields goes = rec->thread, comes = own;
	int status;

	if (tl_perf_is_of_guest(rec))
		return tl_perf_guest_add_switch(p->sys, rec, p->time_ns, err);
	if (rec->id.thread == TL_NOWHERE)
		return 0;
	if (rec->misc & TL_PERF_MISC_OUT) {
		goes = own;
		comes = rec->thread;
	}
	status = add_first_thread(p->sys, rec->id.cpu, goes.pid, goes.tid, err);
	if (status < 0)
		return status;
	return tl_perf_add_switch(p->sys, p->time_ns, rec->id.cpu, comes.pid, comes.tid, err);
}

/* The tracepoint names threads; their processes are known from COMM and FORK records. */
static int load_sched_switch(struct load_pass *p, const struct tl_perf_record *rec,
			     struct tl_perf_sched_switch tids, struct tl_error *err)
{
	int status = add_first_thread(p->sys, rec->id.cpu, TL_PERF_KERNEL_PID, tids.previous, err);

	if (status < 0)
		return status;
	return tl_perf_add_switch(p->sys, p->time_ns, rec->id.cpu, TL_PERF_KERNEL_PID, tids.next,
				  err);
}

/* ---- AUX data, and AUX records about them ---- */

static int load_sample(struct load_pass *p, const struct tl_perf_record *rec, struct tl_error *err)
{
	struct tl_perf_sched_switch tids;

	if (tl_perf_sched_switch_of(&p->tracepoint, rec, &tids))
		return load_sched_switch(p, rec, tids, err);
	if (!rec->sample.aux_size)
		return 0;
	return tl_perf_add_sample_chunk(&p->trace->aux, rec, err);
}

static int load_aux(struct load_pass *p, const struct tl_perf_record *rec, struct tl_error *err)
{
	return tl_perf_add_aux_loss(&p->trace->aux, rec, p->time_ns, err);
}

static int load_auxtrace(struct load_pass *p, const struct tl_perf_record *rec,
			 struct tl_error *err)
{
	return tl_perf_add_aux_chunk(&p->trace->aux, rec, err);
}

static int load_pt_info(struct load_pass *p, const struct tl_perf_record *rec, struct tl_error *err)
{
	return tl_perf_add_pt_info(p->trace, rec, err);
}

static int load_time_conv(struct load_pass *p, const struct tl_perf_record *rec,
			  struct tl_error *err)
{
	struct tl_perf_pt_info *info = &p->trace->info;

	(void)err;
	/* AUXTRACE_INFO comes first, and its values are of the same processor. */
	if (info->time_mult || !rec->time_conv.zero_valid)
		return 0;
	info->time_shift = rec->time_conv.shift;
	info->time_mult = rec->time_conv.mult;
	info->time_zero = rec->time_conv.zero;
	return 0;
}

static int load_output_event(struct load_pass *p, const struct tl_perf_record *rec,
			     struct tl_error *err)
{
	struct tl_perf_output_events *outputs = &p->trace->outputs;

	if (!rec->attr)
		return 0;
	if (!tl_grow(&outputs->list, &outputs->capacity, outputs->count + 1,
		     sizeof(*outputs->list)))
		return tl_error_memory(err);
	outputs->list[outputs->count++] = (struct tl_perf_output_event){
		.time_ns = p->time_ns,
		.cpu = rec->id.cpu,
		.thread = rec->id.thread,
		.counter = rec->output.hw_id,
		.event = (size_t)(rec->attr - p->trace->reader->attrs.list),
	};
	return 0;
}

static int load_tracing_data(struct load_pass *p, const struct tl_perf_record *rec,
			     struct tl_error *err)
{
	(void)rec;
	(void)err;
	p->tracepoint = tl_perf_sched_tracepoint_find(p->trace->reader);
	return 0;
}

/* ---- the pass ---- */

static const struct {
	uint32_t type;
	int (*load)(struct load_pass *p, const struct tl_perf_record *rec, struct tl_error *err);
} rows[] = {
	{ TL_PERF_SAMPLE, load_sample },
	{ TL_PERF_SWITCH, load_switch },
	{ TL_PERF_SWITCH_CPU_WIDE, load_switch_cpu_wide },
	{ TL_PERF_AUX, load_aux },
	{ TL_PERF_AUX_OUTPUT_HW_ID, load_output_event },
	{ TL_PERF_AUXTRACE, load_auxtrace },
	{ TL_PERF_MMAP, load_map },
	{ TL_PERF_MMAP2, load_map },
	{ TL_PERF_COMM, load_comm },
	{ TL_PERF_FORK, load_fork },
	{ TL_PERF_TEXT_POKE, load_poke },
	{ TL_PERF_ITRACE_START, load_itrace_start },
	{ TL_PERF_AUXTRACE_INFO, load_pt_info },
	{ TL_PERF_TIME_CONV, load_time_conv },
	{ TL_PERF_HEADER_TRACING_DATA, load_tracing_data },
};

/*
 * A record without a time holds from its place in the order on. Records that perf synthesized at
 * the start have time 0; the time of the pass does not go back for them.
 */
static int load_record(struct load_pass *p, const struct tl_perf_record *rec, struct tl_error *err)
{
	const uint64_t latest = p->time_ns;
	int status = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].type != rec->type)
			continue;
		if (rec->id.time_ns != TL_NOWHERE)
			p->time_ns = rec->id.time_ns;
		status = tl_perf_jit_advance(p->sys, p->time_ns, err);
		if (status == 0)
			status = rows[i].load(p, rec, err);
		if (p->time_ns < latest)
			p->time_ns = latest;
		break;
	}
	return status;
}

int tl_perf_load_records(struct tl_perf_trace *t, struct tl_error *err)
{
	struct load_pass p = { .trace = t,
			       .sys = &t->sys,
			       .tracepoint = tl_perf_sched_tracepoint_find(t->reader) };
	struct tl_perf_record rec;
	int status;

	p.sys->reader = t->reader;
	while ((status = tl_perf_record_next(t->reader, &rec, err)) > 0) {
		status = load_record(&p, &rec, err);
		if (status < 0)
			return status;
	}
	if (status < 0)
		return status;
	return tl_perf_jit_advance(p.sys, UINT64_MAX, err);
}
