/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each record changes the tables of the recorded system or is counted, so that a sample meets the
 * maps and names of its own time.
 */
#include "perf_data/samples/pass.h"

#include "core/error.h"
#include "perf_data/container/branch.h"

/* ---- where a sample is counted ---- */

/* The last change of a process's maps that replaced earlier ones, as a number of changes. */
static size_t epoch_of(const struct tl_perf_process *process, size_t known)
{
	size_t at = process->count;

	while (at > known && process->changes[at - 1].kind == TL_PERF_CHANGE_MAP)
		at--;
	return at;
}

/* The number of the name that a thread has now; 0 is "". */
static uint32_t name_now(const struct tl_perf_thread *thread)
{
	return thread->count ? thread->comms[thread->count - 1].name : 0;
}

static bool is_mapped(const struct tl_perf_sample_pass *p, uint32_t process, size_t changes,
		      uint64_t ip)
{
	return tl_perf_map_find(&p->sys, process, changes, ip) != NULL;
}

/*
 * Whether the kernel was sampled in the middle of an exec: the maps are those of the new program
 * already, but the address that called the kernel is of the old one.
 */
static bool is_exec(const struct tl_perf_sample_pass *p, const struct tl_perf_stack_root *root)
{
	const struct tl_perf_process *process = &p->sys.processes.list[root->process];
	const struct tl_perf_call_chain *chain = &p->chain;
	uint64_t caller;

	if (!root->changes || process->changes[root->changes - 1].kind != TL_PERF_CHANGE_CLEAR ||
	    chain->count < 2 || !tl_perf_is_kernel_address(chain->list[chain->count - 2]))
		return false;
	caller = chain->list[chain->count - 1];
	return !tl_perf_is_kernel_address(caller) &&
	       !is_mapped(p, root->process, process->count, caller) &&
	       is_mapped(p, root->process, root->changes - 1, caller);
}

static bool find_root(struct tl_perf_sample_pass *p, const struct tl_perf_record *rec)
{
	const uint32_t pid = (uint32_t)rec->id.process, tid = (uint32_t)rec->id.thread;
	const struct tl_perf_stack_root *last =
		p->last_root == TL_NONE ? NULL : &p->stacks.roots[p->last_root];
	const uint32_t process = tl_perf_process_add(&p->sys, pid);
	const uint32_t thread = tl_perf_thread_add(&p->sys, pid, tid);
	struct tl_perf_stack_root root = { .process = process, .pid = pid, .tid = tid };

	if (process == TL_NONE || thread == TL_NONE)
		return false;
	root.comm = name_now(&p->sys.threads.list[thread]);
	root.changes = epoch_of(&p->sys.processes.list[process],
				last && last->process == process ? last->changes : 0);
	if (is_exec(p, &root))
		root.changes--;
	root.first_ns = root.last_ns = p->time_ns;
	p->last_root = tl_perf_stacks_root(&p->stacks, &root);
	return p->last_root != TL_NONE;
}

/* Count the stack in p->chain, which is of the latest root. */
static int count_stack(struct tl_perf_sample_pass *p, const struct tl_perf_record *rec,
		       uint32_t event, uint64_t period, struct tl_error *err)
{
	struct tl_perf_stack_root *root = &p->stacks.roots[p->last_root];
	uint32_t node;

	root->last_ns = p->time_ns;
	root->samples++;
	node = tl_perf_stacks_path(&p->stacks, p->last_root, p->chain.list, p->chain.count);
	if (!node || !tl_perf_stacks_count(&p->stacks, node, event, period))
		return tl_error_memory(err);
	p->last_node = node;
	p->events[event].samples++;
	p->samples++;
	if (!p->on_sample)
		return 0;
	return p->on_sample(p->arg, rec, event, period, node, err);
}

/* ---- groups ---- */

static bool same_counter(const void *context, const void *key, uint32_t number)
{
	const struct tl_perf_counter *list = context;

	return list[number].id == *(const uint64_t *)key;
}

/* What a counter has counted since it was read before. False without memory. */
static bool counted_since(struct tl_perf_counters *c, const struct tl_perf_read *read,
			  uint64_t *period)
{
	const uint64_t hash = tl_hash64(read->id);
	uint32_t number = tl_index_find(&c->by_id, hash, same_counter, c->list, &read->id);

	if (number == TL_NONE) {
		number = (uint32_t)c->count;
		if (!tl_grow(&c->list, &c->capacity, c->count + 1, sizeof(*c->list)) ||
		    !tl_index_add(&c->by_id, hash, number))
			return false;
		c->list[c->count++] = (struct tl_perf_counter){ read->id, 0 };
	}
	*period = read->value > c->list[number].value ? read->value - c->list[number].value : 0;
	c->list[number].value = read->value;
	return true;
}

/* Each counter of the group has its share of the sample: what it counted since the last one. */
static int count_group(struct tl_perf_sample_pass *p, const struct tl_perf_record *rec,
		       struct tl_error *err)
{
	int status = 0;

	for (uint64_t i = 0; status == 0 && i < rec->sample.read_count; i++) {
		const struct tl_perf_attr *attr;
		struct tl_perf_read read;
		uint64_t period;

		tl_perf_sample_read(rec, i, &read, sizeof(read));
		attr = tl_perf_attrs_find(p->reader, read.id);
		if (!attr)
			continue;
		if (!counted_since(&p->counters, &read, &period))
			return tl_error_memory(err);
		if (period)
			status = count_stack(p, rec, (uint32_t)(attr - p->reader->attrs.list),
					     period, err);
	}
	return status;
}

/* ---- branches ---- */

/* A branch is a stack of two: where it came from and, inside of that, where it went. */
static int count_branches(struct tl_perf_sample_pass *p, const struct tl_perf_record *rec,
			  struct tl_error *err)
{
	const uint32_t event = (uint32_t)(rec->attr - p->reader->attrs.list);
	/* Those of a call stack were no branches that were taken there. */
	const uint64_t count = tl_perf_recorded_calls(rec) ? 0 : rec->sample.branch_count;
	int status = 0;

	if (!tl_grow(&p->chain.list, &p->chain.capacity, 2, sizeof(*p->chain.list)))
		return tl_error_memory(err);
	for (uint64_t i = 0; status == 0 && i < count; i++) {
		const struct tl_perf_branch branch = tl_perf_branch_at(rec, i);

		if (!branch.from || !branch.to)
			continue;
		p->chain.count = 2;
		p->chain.list[0] = branch.to;
		p->chain.list[1] = branch.from;
		status = count_stack(p, rec, event, branch.mispredicted, err);
	}
	return status;
}

/* ---- samples ---- */

#define ATTR_FREQUENCY (1u << 10)
enum { READ_ID = 4, READ_GROUP = 8 };

static bool is_group(const struct tl_perf_record *rec)
{
	return rec->sample.read_count > 1 && rec->attr->read_format & READ_GROUP &&
	       rec->attr->read_format & READ_ID;
}

static bool is_periodless(const struct tl_perf_record *rec)
{
	return !(rec->attr->sample_type & TL_PERF_SAMPLE_PERIOD) &&
	       rec->attr->flags & ATTR_FREQUENCY;
}

static uint64_t period_of(const struct tl_perf_record *rec)
{
	if (rec->attr->sample_type & TL_PERF_SAMPLE_PERIOD)
		return rec->sample.period;
	/* With a frequency the period changes, and it was not recorded: a sample is all we know. */
	return is_periodless(rec) ? 1 : rec->attr->period;
}

static bool is_selected(const struct tl_perf_sample_pass *p, const struct tl_perf_record *rec)
{
	const struct tl_perf_sample_options *o = p->options;
	const double at = p->first_ns ? (double)(p->time_ns - p->first_ns) / 1e9 : 0;

	return (o->thread == TL_NOWHERE || o->thread == rec->id.thread) &&
	       (o->process == TL_NOWHERE || o->process == rec->id.process) &&
	       (o->cpu == TL_NOWHERE || o->cpu == rec->id.cpu) && at >= o->from_seconds &&
	       (o->to_seconds <= 0 || at < o->to_seconds);
}

static void note_losses(struct tl_perf_sample_losses *l, const struct tl_perf_record *rec)
{
	const uint64_t calls = tl_perf_recorded_calls(rec);

	l->periodless += is_periodless(rec) && !is_group(rec);
	l->branches += !calls && rec->sample.branch_count;
	if (calls > l->most_calls) {
		l->most_calls = calls;
		l->with_most_calls = 0;
	}
	l->with_most_calls += calls && calls == l->most_calls;
}

static bool know_event(struct tl_perf_sample_pass *p, size_t number)
{
	if (!tl_grow(&p->events, &p->event_capacity, number + 1, sizeof(*p->events)))
		return false;
	for (; p->event_count <= number; p->event_count++)
		p->events[p->event_count] = (struct tl_perf_sampled_event){ 0 };
	return true;
}

/* The thread of a record; NULL without memory. */
static struct tl_perf_away *away_of(struct tl_perf_sample_pass *p, const struct tl_perf_record *rec)
{
	const uint32_t thread =
		tl_perf_thread_add(&p->sys, (uint32_t)rec->id.process, (uint32_t)rec->id.thread);

	return thread == TL_NONE ? NULL : tl_perf_away_at(&p->off_cpu, thread);
}

/* A sample of sched:sched_switch is of the thread that is about to leave, and has its stack. */
static int note_leaving(struct tl_perf_sample_pass *p, const struct tl_perf_record *rec,
			struct tl_error *err)
{
	struct tl_perf_away *away;

	if (!rec->attr->name || strcmp(rec->attr->name, "sched:sched_switch") != 0)
		return 0;
	away = away_of(p, rec);
	if (!away)
		return tl_error_memory(err);
	if (!away->is_away) {
		away->has_stack = true;
		away->node = p->last_node;
	}
	return 0;
}

static int load_sample(struct tl_perf_sample_pass *p, const struct tl_perf_record *rec,
		       struct tl_error *err)
{
	int unwind, status = 0;

	/* Also of samples that the filters leave out: the file has samples all the same. */
	if (!know_event(p, p->reader->attrs.count - 1))
		return tl_error_memory(err);
	if (!p->first_ns)
		p->first_ns = p->time_ns;
	if (!is_selected(p, rec))
		return 0;
	if (!tl_perf_call_chain_of(&p->chain, rec))
		return tl_error_memory(err);
	if (p->options->branches)
		return find_root(p, rec) ? count_branches(p, rec, err) : tl_error_memory(err);
	p->losses.cut_stacks += p->chain.is_cut;
	note_losses(&p->losses, rec);
	unwind = tl_perf_unwind_begin(&p->unwinder, rec, &p->chain);
	if (unwind < 0 || !find_root(p, rec))
		return tl_error_memory(err);
	if (unwind)
		status = tl_perf_unwind(&p->unwinder, &p->stacks.roots[p->last_root], &p->chain,
					err);
	if (status < 0)
		return status;
	if (is_group(rec))
		return count_group(p, rec, err);
	status = count_stack(p, rec, (uint32_t)(rec->attr - p->reader->attrs.list), period_of(rec),
			     err);
	return status < 0 ? status : note_leaving(p, rec, err);
}

/* ---- times off the processors ---- */

/* The stack of a thread of which only its leaving is known. False without memory. */
static bool stack_without_sample(struct tl_perf_sample_pass *p, const struct tl_perf_record *rec,
				 struct tl_perf_away *away)
{
	if (!tl_grow(&p->chain.list, &p->chain.capacity, 1, sizeof(*p->chain.list)))
		return false;
	p->chain.count = 1;
	p->chain.list[0] = TL_PERF_OFF_CPU_IP;
	if (!find_root(p, rec))
		return false;
	away->node = tl_perf_stacks_path(&p->stacks, p->last_root, p->chain.list, 1);
	return away->node != 0;
}

/* Where a thread is again that was away: its time counts at the stack with which it left. */
static bool come_back(struct tl_perf_sample_pass *p, struct tl_perf_away *away)
{
	const uint64_t time = p->time_ns - away->since_ns;

	away->is_away = away->has_stack = false;
	p->off_cpu.switches++;
	return tl_perf_stacks_count(&p->stacks, away->node, TL_PERF_OFF_CPU_EVENT, time);
}

/* Thread 0 is what a processor runs that has nothing to do. */
static int load_switch(struct tl_perf_sample_pass *p, const struct tl_perf_record *rec,
		       struct tl_error *err)
{
	const uint32_t tid = (uint32_t)rec->id.thread;
	struct tl_perf_away *away;
	bool done = true;

	if (p->options->branches || rec->id.time_ns == TL_NOWHERE || !tid || tid == UINT32_MAX)
		return 0;
	away = away_of(p, rec);
	if (!away)
		return tl_error_memory(err);
	if (!(rec->misc & TL_PERF_MISC_OUT)) {
		done = !away->is_away || come_back(p, away);
	} else if (!away->is_away && is_selected(p, rec)) {
		away->is_away = true;
		away->since_ns = p->time_ns;
		done = away->has_stack || stack_without_sample(p, rec, away);
	}
	return done ? 0 : tl_error_memory(err);
}

/* ---- all others ---- */

static int load_map(struct tl_perf_sample_pass *p, const struct tl_perf_record *rec,
		    struct tl_error *err)
{
	return tl_perf_add_map_with_code(&p->sys, rec, p->time_ns, err);
}

static int load_comm(struct tl_perf_sample_pass *p, const struct tl_perf_record *rec,
		     struct tl_error *err)
{
	return tl_perf_add_comm(&p->sys, rec, p->time_ns, err);
}

static int load_fork(struct tl_perf_sample_pass *p, const struct tl_perf_record *rec,
		     struct tl_error *err)
{
	return tl_perf_add_fork(&p->sys, rec, p->time_ns, err);
}

static int load_lost(struct tl_perf_sample_pass *p, const struct tl_perf_record *rec,
		     struct tl_error *err)
{
	(void)err;
	p->losses.lost += rec->lost.count;
	return 0;
}

static int load_throttle(struct tl_perf_sample_pass *p, const struct tl_perf_record *rec,
			 struct tl_error *err)
{
	(void)rec;
	(void)err;
	p->losses.throttled++;
	return 0;
}

static int load_auxtrace_info(struct tl_perf_sample_pass *p, const struct tl_perf_record *rec,
			      struct tl_error *err)
{
	(void)err;
	p->has_intel_pt |= rec->auxtrace_info.type == TL_PERF_AUXTRACE_TYPE_INTEL_PT;
	return 0;
}

static const struct {
	uint32_t type;
	int (*load)(struct tl_perf_sample_pass *p, const struct tl_perf_record *rec,
		    struct tl_error *err);
} rows[] = {
	{ TL_PERF_SAMPLE, load_sample },
	{ TL_PERF_MMAP2, load_map },
	{ TL_PERF_MMAP, load_map },
	{ TL_PERF_SWITCH, load_switch },
	{ TL_PERF_SWITCH_CPU_WIDE, load_switch },
	{ TL_PERF_COMM, load_comm },
	{ TL_PERF_FORK, load_fork },
	{ TL_PERF_LOST, load_lost },
	{ TL_PERF_LOST_SAMPLES, load_lost },
	{ TL_PERF_THROTTLE, load_throttle },
	{ TL_PERF_AUXTRACE_INFO, load_auxtrace_info },
};

/* A record without a time holds from its place in the order on. */
static int load_record(struct tl_perf_sample_pass *p, const struct tl_perf_record *rec,
		       struct tl_error *err)
{
	int status;

	if (rec->id.time_ns != TL_NOWHERE && rec->id.time_ns > p->time_ns)
		p->time_ns = rec->id.time_ns;
	status = tl_perf_jit_advance(&p->sys, p->time_ns, err);
	for (size_t i = 0; status == 0 && i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].type == rec->type)
			return rows[i].load(p, rec, err);
	return status;
}

int tl_perf_sample_pass_run(struct tl_perf_sample_pass *p, struct tl_error *err)
{
	struct tl_perf_record rec;
	int status;

	p->last_root = TL_NONE;
	p->unwinder.sys = &p->sys;
	p->sys.reader = p->reader;
	p->unwinder.header = &p->reader->header;
	if (!tl_perf_stacks_begin(&p->stacks) || tl_names_add(&p->sys.names, "", 0) == TL_NONE)
		return tl_error_memory(err);
	while ((status = tl_perf_record_next(p->reader, &rec, err)) > 0) {
		status = load_record(p, &rec, err);
		if (status < 0)
			return status;
		if (p->has_intel_pt)
			return 1;
	}
	return status;
}

void tl_perf_sample_pass_free(struct tl_perf_sample_pass *p)
{
	tl_perf_unwinder_free(&p->unwinder);
	tl_perf_system_free(&p->sys);
	tl_perf_stacks_free(&p->stacks);
	tl_index_free(&p->counters.by_id);
	free(p->counters.list);
	free(p->off_cpu.list);
	free(p->events);
	free(p->chain.list);
}
