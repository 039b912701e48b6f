/* SPDX-License-Identifier: Apache-2.0 */
/* All records, once, by time: each goes to whoever keeps what it says. */
#include "perf_data/processes/trace.h"

enum { TYPE_TRACEPOINT = 2 };

struct load_pass {
	struct tl_perf_trace *trace;
	uint64_t time_ns; /* of the record; of the last one that had a time */
};

static int load_map(struct load_pass *g, const struct tl_perf_record *rec, struct tl_error *err)
{
	return tl_perf_add_map(g->trace, rec, g->time_ns, err);
}

static int load_comm(struct load_pass *g, const struct tl_perf_record *rec, struct tl_error *err)
{
	return tl_perf_add_comm(g->trace, rec, g->time_ns, err);
}

static int load_fork(struct load_pass *g, const struct tl_perf_record *rec, struct tl_error *err)
{
	return tl_perf_add_fork(g->trace, rec, g->time_ns, err);
}

static int load_aux(struct load_pass *g, const struct tl_perf_record *rec, struct tl_error *err)
{
	return tl_perf_add_aux_loss(g->trace, rec, g->time_ns, err);
}

static int load_auxtrace(struct load_pass *g, const struct tl_perf_record *rec,
			 struct tl_error *err)
{
	return tl_perf_add_aux_chunk(g->trace, rec, err);
}

static int load_pt_info(struct load_pass *g, const struct tl_perf_record *rec, struct tl_error *err)
{
	return tl_perf_add_pt_info(g->trace, rec, err);
}

static int load_time_conv(struct load_pass *g, const struct tl_perf_record *rec,
			  struct tl_error *err)
{
	struct tl_perf_pt_info *info = &g->trace->info;

	(void)err;
	/* AUXTRACE_INFO comes first, and its values are of the same processor. */
	if (info->time_mult || !rec->time_conv.zero_valid)
		return 0;
	info->time_shift = rec->time_conv.shift;
	info->time_mult = rec->time_conv.mult;
	info->time_zero = rec->time_conv.zero;
	return 0;
}

static int add_thread(struct tl_perf_trace *t, uint32_t pid, uint32_t tid, struct tl_error *err)
{
	return tl_perf_thread_add(t, pid, tid) == TL_NONE ? tl_error_memory(err) : 0;
}

/* The thread that runs when tracing begins. */
static int load_itrace_start(struct load_pass *g, const struct tl_perf_record *rec,
			     struct tl_error *err)
{
	int status = add_thread(g->trace, rec->thread.pid, rec->thread.tid, err);

	return status < 0 ? status
			  : tl_perf_add_switch(g->trace, g->time_ns, rec->id.cpu, rec->thread.pid,
					       rec->thread.tid, err);
}

static int load_switch(struct load_pass *g, const struct tl_perf_record *rec, struct tl_error *err)
{
	const bool out = rec->misc & TL_PERF_MISC_OUT;
	const uint32_t pid = (uint32_t)rec->id.process, tid = (uint32_t)rec->id.thread;

	if (rec->id.thread == TL_NOWHERE)
		return 0;
	/* A SWITCH record does not name the thread that comes; that thread is not traced. */
	return tl_perf_add_switch(g->trace, g->time_ns, rec->id.cpu, out ? 0 : pid, out ? 0 : tid,
				  err);
}

/* Who ran before the first switch, if nobody said so: it is put at the beginning. */
static int add_first_thread(struct tl_perf_trace *t, uint64_t cpu, uint32_t pid, uint32_t tid,
			    struct tl_error *err)
{
	return tl_perf_has_switches(t, cpu) ? 0 : tl_perf_add_switch(t, 0, cpu, pid, tid, err);
}

static int load_switch_cpu_wide(struct load_pass *g, const struct tl_perf_record *rec,
				struct tl_error *err)
{
	const bool out = rec->misc & TL_PERF_MISC_OUT;
	const uint32_t pid = (uint32_t)rec->id.process, tid = (uint32_t)rec->id.thread;
	int status;

	if (rec->id.thread == TL_NOWHERE)
		return 0;
	/* Out: the sample's own thread goes, the record's comes; in: the other way round. */
	status = add_first_thread(g->trace, rec->id.cpu, out ? pid : rec->thread.pid,
				  out ? tid : rec->thread.tid, err);
	if (status < 0)
		return status;
	return tl_perf_add_switch(g->trace, g->time_ns, rec->id.cpu, out ? rec->thread.pid : pid,
				  out ? rec->thread.tid : tid, err);
}

static uint32_t raw_word(const struct tl_perf_record *rec, unsigned at)
{
	return tl_get32s(rec->sample.raw + at, rec->swapped);
}

/* The tracepoint names threads; their processes are known from COMM and FORK records. */
static int load_sched_switch(struct load_pass *g, const struct tl_perf_record *rec,
			     struct tl_error *err)
{
	struct tl_perf_trace *t = g->trace;
	uint32_t next, prev;
	int status;

	if (rec->sample.raw_size < t->sched_next_pid + 4 ||
	    rec->sample.raw_size < t->sched_prev_pid + 4)
		return 0;
	next = raw_word(rec, t->sched_next_pid);
	prev = raw_word(rec, t->sched_prev_pid);
	status = add_first_thread(t, rec->id.cpu, TL_PERF_KERNEL_PID, prev, err);
	return status < 0 ? status
			  : tl_perf_add_switch(t, g->time_ns, rec->id.cpu, TL_PERF_KERNEL_PID, next,
					       err);
}

static int load_sample(struct load_pass *g, const struct tl_perf_record *rec, struct tl_error *err)
{
	const struct tl_perf_attr *attr = rec->attr;

	if (attr->type == TYPE_TRACEPOINT && attr->config == g->trace->sched_switch &&
	    rec->sample.raw)
		return load_sched_switch(g, rec, err);
	return rec->sample.aux_size ? tl_perf_add_sample_chunk(g->trace, rec, err) : 0;
}

/* ---- the tracepoint's own description ---- */

static const char *find_text(const char *from, const char *end, const char *text)
{
	return from ? memmem(from, (size_t)(end - from), text, strlen(text)) : NULL;
}

/* A number behind a text; TL_NOWHERE: the text is not there. */
static uint64_t number_behind(const char *from, const char *end, const char *text)
{
	const char *p = find_text(from, end, text);
	uint64_t value = 0;

	if (!p)
		return TL_NOWHERE;
	for (p += strlen(text); p < end && *p == ' '; p++)
		;
	for (; p < end && *p >= '0' && *p <= '9' && value < UINT32_MAX; p++)
		value = value * 10 + (uint64_t)(*p - '0');
	return value;
}

/*
 * TRACING_DATA holds the format files of the tracepoints as text: "name: sched_switch", "ID: 314",
 * and lines such as "field:pid_t next_pid; offset:56; size:4;" (section 8).
 */
static void find_sched_switch(struct tl_perf_trace *t)
{
	const char *data = (const char *)t->reader->tracing;
	const char *end = data ? data + t->reader->tracing_size : NULL;
	const char *name = find_text(data, end, "name: sched_switch\n"), *next, *prev;
	uint64_t id, next_at, prev_at;

	t->sched_switch = TL_NOWHERE;
	if (!name)
		return;
	id = number_behind(name, end, "ID:");
	prev = find_text(name, end, " prev_pid;");
	next = find_text(name, end, " next_pid;");
	next_at = next ? number_behind(next, end, "offset:") : TL_NOWHERE;
	prev_at = prev ? number_behind(prev, end, "offset:") : TL_NOWHERE;
	if (id == TL_NOWHERE || next_at > UINT16_MAX || prev_at > UINT16_MAX)
		return;
	t->sched_switch = id;
	t->sched_next_pid = (unsigned)next_at;
	t->sched_prev_pid = (unsigned)prev_at;
}

static int load_tracing_data(struct load_pass *g, const struct tl_perf_record *rec,
			     struct tl_error *err)
{
	(void)rec;
	(void)err;
	find_sched_switch(g->trace);
	return 0;
}

static const struct {
	uint32_t type;
	int (*take)(struct load_pass *g, const struct tl_perf_record *rec, struct tl_error *err);
} rows[] = {
	{ TL_PERF_SAMPLE, load_sample },
	{ TL_PERF_SWITCH, load_switch },
	{ TL_PERF_SWITCH_CPU_WIDE, load_switch_cpu_wide },
	{ TL_PERF_AUX, load_aux },
	{ TL_PERF_AUXTRACE, load_auxtrace },
	{ TL_PERF_MMAP, load_map },
	{ TL_PERF_MMAP2, load_map },
	{ TL_PERF_COMM, load_comm },
	{ TL_PERF_FORK, load_fork },
	{ TL_PERF_ITRACE_START, load_itrace_start },
	{ TL_PERF_AUXTRACE_INFO, load_pt_info },
	{ TL_PERF_TIME_CONV, load_time_conv },
	{ TL_PERF_HEADER_TRACING_DATA, load_tracing_data },
};

static int take(struct load_pass *g, const struct tl_perf_record *rec, struct tl_error *err)
{
	const uint64_t time_ns = rec->id.time_ns;
	const uint64_t latest = g->time_ns;
	int status = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].type != rec->type)
			continue;
		/*
		 * What has no time holds from where it stands; what perf wrote down beforehand has
		 * time 0.
		 */
		if (time_ns != TL_NOWHERE)
			g->time_ns = time_ns;
		status = rows[i].take(g, rec, err);
		if (g->time_ns < latest)
			g->time_ns = latest;
		break;
	}
	return status;
}

int tl_perf_load_records(struct tl_perf_trace *t, struct tl_error *err)
{
	struct load_pass g = { t, 0 };
	struct tl_perf_record rec;
	int status;

	find_sched_switch(t);
	while ((status = tl_perf_record_next(t->reader, &rec, err)) > 0) {
		status = take(&g, &rec, err);
		if (status < 0)
			return status;
	}
	return status;
}
