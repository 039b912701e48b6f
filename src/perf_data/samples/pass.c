/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each record changes the tables of the recorded system or is counted, so that a sample meets the
 * maps and names of its own time.
 */
#include "perf_data/samples/pass.h"

#include "core/arithmetic.h"
#include "core/error.h"
#include "perf_data/container/branch.h"
#include "perf_data/processes/guest_maps.h"
#include "perf_data/processes/guests.h"

/* ---- stacks ---- */

static void note_sample(struct tl_perf_sample_pass *p, uint32_t event)
{
	p->events.list[event].samples++;
	p->samples++;
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
	note_sample(p, event);
	if (!p->listener.on_sample)
		return 0;
	return p->listener.on_sample(p->listener.arg, rec, event, period, node, err);
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
	*period = tl_excess(read->value, c->list[number].value);
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

static void note_losses(struct tl_perf_sample_pass *p, const struct tl_perf_record *rec)
{
	struct tl_perf_sample_losses *l = &p->losses;
	const uint64_t calls = tl_perf_recorded_calls(rec);

	l->cut_stacks += p->chain.is_cut;
	l->periodless += is_periodless(rec) && !is_group(rec);
	l->branches += !calls && rec->sample.branch_count;
	l->host_callers += p->chain.left_out != 0;
	if (calls > l->most_calls) {
		l->most_calls = calls;
		l->with_most_calls = 0;
	}
	l->with_most_calls += calls && calls == l->most_calls;
}

static bool know_event(struct tl_perf_sample_pass *p, size_t number)
{
	if (!tl_grow(&p->events.list, &p->events.capacity, number + 1, sizeof(*p->events.list)))
		return false;
	for (; p->events.count <= number; p->events.count++)
		p->events.list[p->events.count] = (struct tl_perf_sampled_event){ 0 };
	return true;
}

/* Neighbours are alike, so that a share has few stacks more than its part of all. */
enum { SAMPLES_TOGETHER = 64 };

static bool is_of_share(struct tl_perf_sample_pass *p)
{
	const uint32_t shares = p->options->shares;

	return shares < 2 || p->met++ / SAMPLES_TOGETHER % shares == p->options->share;
}

/*
 * The thread of the machine that a sample is of, which has its id then, if the machine's own
 * records say which one its processor runs.
 */
static void find_guest(struct tl_perf_sample_pass *p, struct tl_perf_id *id, uint32_t machine)
{
	const struct tl_perf_guest *of = NULL;
	uint32_t process;
	const struct tl_perf_guest_processor *processor =
		tl_perf_guest_processor_of(&p->sys, (uint32_t)id->thread, &of);
	const struct tl_perf_guest_switch *now;

	if (!processor || of->process != machine || !processor->count)
		return;
	now = &processor->list[processor->count - 1];
	process = tl_perf_process_find_of(&p->sys, machine, now->pid);
	if (process != TL_NONE)
		p->guest.process = process;
	p->guest.tid = now->tid;
	p->guest.known = p->guest.process != TL_NONE;
	if (!p->guest.known)
		return;
	id->process = tl_perf_guest_id_in(&p->sys, machine, now->pid);
	id->thread = tl_perf_guest_id_in(&p->sys, machine, now->tid);
}

/* The virtual machine that a sample is of, if anything is known of what it has mapped. */
static int find_machine(struct tl_perf_sample_pass *p, struct tl_perf_record *rec,
			struct tl_error *err)
{
	uint32_t machine;
	size_t changes;
	int status;

	p->guest.known = false;
	status = tl_perf_guest_at(&p->sys, (uint32_t)rec->id.process, p->time_ns, &machine,
				  &changes, err);
	if (status == 0 && p->sys.processes.list[machine].count)
		p->guest.process = machine;
	if (status == 0)
		find_guest(p, &rec->id, machine);
	return status;
}

/* Count a sample that the filters let pass. */
static int count_sample(struct tl_perf_sample_pass *p, const struct tl_perf_record *rec,
			struct tl_error *err)
{
	int unwind, status = 0;

	if (!is_of_share(p)) {
		note_sample(p, (uint32_t)(rec->attr - p->reader->attrs.list));
		return 0;
	}
	p->losses.of_machines += p->guest.process == TL_NONE && tl_perf_is_of_guest(rec);
	if (!tl_perf_call_chain_of(&p->chain, rec, p->guest.process != TL_NONE))
		return tl_error_memory(err);
	if (p->options->branches)
		return tl_perf_sample_pass_root(p, rec) ? count_branches(p, rec, err)
							: tl_error_memory(err);
	note_losses(p, rec);
	unwind = tl_perf_unwind_begin(&p->unwinder, rec, &p->chain);
	if (unwind < 0 || !tl_perf_sample_pass_root(p, rec))
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
	return status < 0 ? status : tl_perf_note_leaving(p, rec, err);
}

/* A sample of a virtual machine, which is chosen with the process that runs that, too. */
static int load_guest_sample(struct tl_perf_sample_pass *p, const struct tl_perf_record *rec,
			     struct tl_error *err)
{
	struct tl_perf_record own = *rec;
	const int status = find_machine(p, &own, err);

	if (status < 0)
		return status;
	if (!tl_perf_sample_pass_selects(p, &rec->id) && !tl_perf_sample_pass_selects(p, &own.id))
		return 0;
	return count_sample(p, &own, err);
}

static int load_sample(struct tl_perf_sample_pass *p, const struct tl_perf_record *rec,
		       struct tl_error *err)
{
	const int status = tl_perf_note_switch(p, rec, err);

	if (status < 0)
		return status;
	/* Also of samples that the filters leave out: the file has samples all the same. */
	if (!know_event(p, p->reader->attrs.count - 1))
		return tl_error_memory(err);
	if (!p->first_ns)
		p->first_ns = p->time_ns;
	if (p->listener.switches_alone)
		return 0;
	if (tl_perf_is_of_guest(rec))
		return load_guest_sample(p, rec, err);
	return tl_perf_sample_pass_selects(p, &rec->id) ? count_sample(p, rec, err) : 0;
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

static int load_cgroup(struct tl_perf_sample_pass *p, const struct tl_perf_record *rec,
		       struct tl_error *err)
{
	return tl_error_unless_made(tl_perf_cgroups_add(&p->cgroups, &p->sys, rec), err);
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
	p->trace.type = rec->auxtrace_info.type;
	p->trace.has_intel_pt |= rec->auxtrace_info.type == TL_PERF_AUXTRACE_TYPE_INTEL_PT;
	return 0;
}

static int load_tracing_data(struct tl_perf_sample_pass *p, const struct tl_perf_record *rec,
			     struct tl_error *err)
{
	(void)rec;
	(void)err;
	p->off_cpu.tracepoint = tl_perf_sched_tracepoint_find(p->reader);
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
	{ TL_PERF_SWITCH, tl_perf_load_switch },
	{ TL_PERF_SWITCH_CPU_WIDE, tl_perf_load_switch },
	{ TL_PERF_HEADER_TRACING_DATA, load_tracing_data },
	{ TL_PERF_COMM, load_comm },
	{ TL_PERF_FORK, load_fork },
	{ TL_PERF_LOST, load_lost },
	{ TL_PERF_LOST_SAMPLES, load_lost },
	{ TL_PERF_THROTTLE, load_throttle },
	{ TL_PERF_CGROUP, load_cgroup },
	{ TL_PERF_AUXTRACE_INFO, load_auxtrace_info },
};

/* Whether the cost of a record depends on one before, which may be of another share. */
static bool has_shared_cost(const struct tl_perf_sample_pass *p, const struct tl_perf_record *rec)
{
	struct tl_perf_sched_switch tids;

	if (rec->type == TL_PERF_SWITCH || rec->type == TL_PERF_SWITCH_CPU_WIDE)
		return true;
	return rec->type == TL_PERF_SAMPLE &&
	       (is_group(rec) || tl_perf_sched_switch_of(&p->off_cpu.tracepoint, rec, &tids) ||
		(rec->attr->name && !strcmp(rec->attr->name, "sched:sched_switch")));
}

/* A record without a time holds from its place in the order on. */
static int load_record(struct tl_perf_sample_pass *p, const struct tl_perf_record *rec,
		       struct tl_error *err)
{
	int status;

	if (p->options->shares > 1 && has_shared_cost(p, rec))
		return tl_error_at(err, TL_UNSUPPORTED, rec->offset,
				   "groups of counters and times off the processors cannot be "
				   "shared out");
	if (rec->id.time_ns != TL_NOWHERE && rec->id.time_ns > p->time_ns)
		p->time_ns = rec->id.time_ns;
	p->guest.process = TL_NONE;
	status = tl_perf_jit_advance(&p->sys, p->time_ns, err);
	for (size_t i = 0; status == 0 && i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].type == rec->type)
			return rows[i].load(p, rec, err);
	return status;
}

struct tl_perf_sample_pass tl_perf_sample_pass_of(struct tl_perf_reader *reader,
						  const struct tl_perf_sample_options *options)
{
	struct tl_perf_sample_pass pass = { .reader = reader, .options = options };

	pass.sys.search = (struct tl_perf_file_search){
		.header = &reader->header,
		.build_ids = &reader->build_ids,
		.sysroot = options->sysroot,
		.build_id_dirs = options->build_id_dirs,
		.build_id_dir_count = options->build_id_dir_count,
		.programs = options->programs,
		.program_count = options->program_count,
		.debuginfod = options->debuginfod,
		.no_files = options->no_files,
		.guest_root = options->guest_root,
		.input = tl_source_name(reader->source),
		.shared_names = true,
	};
	return pass;
}

int tl_perf_sample_pass_run(struct tl_perf_sample_pass *p, struct tl_error *err)
{
	struct tl_perf_record rec;
	int status;

	p->last_root = p->guest.process = TL_NONE;
	p->unwinder.sys = &p->sys;
	p->sys.reader = p->reader;
	p->unwinder.header = &p->reader->header;
	p->off_cpu.tracepoint = tl_perf_sched_tracepoint_find(p->reader);
	if (!tl_perf_stacks_begin(&p->stacks) || tl_names_add(&p->sys.names, "", 0) == TL_NONE)
		return tl_error_memory(err);
	while ((status = tl_perf_record_next(p->reader, &rec, err)) > 0) {
		status = load_record(p, &rec, err);
		if (status < 0)
			return status;
		if (p->trace.has_intel_pt)
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
	tl_perf_cgroups_free(&p->cgroups);
	free(p->counters.list);
	free(p->off_cpu.list);
	free(p->events.list);
	free(p->chain.list);
}
