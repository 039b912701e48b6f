/* SPDX-License-Identifier: Apache-2.0 */
/* Context switches in a pass over samples (off_cpu.h). */
#include "core/error.h"
#include "perf_data/processes/guests.h"
#include "perf_data/samples/pass.h"

/* ---- what both sources do ---- */

/* The thread of an id; NULL without memory. */
static struct tl_perf_away *away_of(struct tl_perf_sample_pass *p, const struct tl_perf_id *id)
{
	const uint32_t thread =
		tl_perf_thread_add(&p->sys, (uint32_t)id->process, (uint32_t)id->thread);

	return thread == TL_NONE ? NULL : tl_perf_away_at(&p->off_cpu, thread);
}

/* Tell of a switch that the filters let pass. False without memory. */
static bool tell(struct tl_perf_sample_pass *p, const struct tl_perf_id *id, bool comes)
{
	const struct tl_perf_sample_switch what = { (uint32_t)id->process, (uint32_t)id->thread,
						    id->cpu, comes };

	/* A thread that left is off, whether its leaving is chosen or not. */
	if (!p->listener.on_switch || (comes && !tl_perf_sample_pass_selects(p, id)))
		return true;
	return p->listener.on_switch(p->listener.arg, &what);
}

/* Where a thread is again that was away: its time counts at the stack with which it left. */
static bool come_back(struct tl_perf_sample_pass *p, struct tl_perf_away *away)
{
	const uint64_t time = p->time_ns - away->since_ns;

	away->is_away = away->has_stack = false;
	p->off_cpu.switches++;
	return tl_perf_stacks_count(&p->stacks, away->node, TL_PERF_OFF_CPU_EVENT, time);
}

/* Thread 0 is what a processor without work runs; the kernel has -1 for one that ended. */
static bool is_thread(uint32_t tid)
{
	return tid && tid != UINT32_MAX;
}

/* ---- SWITCH records ---- */

/* The stack of a thread of which only its leaving is known. False without memory. */
static bool stack_without_sample(struct tl_perf_sample_pass *p, const struct tl_perf_record *rec,
				 struct tl_perf_away *away)
{
	if (!tl_grow(&p->chain.list, &p->chain.capacity, 1, sizeof(*p->chain.list)))
		return false;
	p->chain.count = 1;
	p->chain.list[0] = TL_PERF_OFF_CPU_IP;
	if (!tl_perf_sample_pass_root(p, rec))
		return false;
	away->node = tl_perf_stacks_path(&p->stacks, p->last_root, p->chain.list, 1);
	return away->node != 0;
}

int tl_perf_load_switch(struct tl_perf_sample_pass *p, const struct tl_perf_record *rec,
			struct tl_error *err)
{
	const bool comes = !(rec->misc & TL_PERF_MISC_OUT);
	struct tl_perf_away *away;
	bool done = true;

	if (tl_perf_is_of_guest(rec))
		return tl_perf_guest_add_switch(&p->sys, rec, p->time_ns, err);
	if (p->options->branches || rec->id.time_ns == TL_NOWHERE ||
	    !is_thread((uint32_t)rec->id.thread))
		return 0;
	away = away_of(p, &rec->id);
	if (!away || !tell(p, &rec->id, comes))
		return tl_error_memory(err);
	if (comes) {
		done = !away->is_away || come_back(p, away);
	} else if (!away->is_away && tl_perf_sample_pass_selects(p, &rec->id)) {
		away->is_away = true;
		away->since_ns = p->time_ns;
		done = away->has_stack || stack_without_sample(p, rec, away);
	}
	return tl_error_unless_made(done, err);
}

/* ---- samples of sched:sched_switch ---- */

/* Whether SWITCH records say the same, and say it of all threads. */
static bool has_switch_records(const struct tl_perf_sample_pass *p)
{
	enum { CONTEXT_SWITCH = 1 << 26 };

	for (size_t i = 0; i < p->reader->attrs.count; i++)
		if (p->reader->attrs.list[i].flags & CONTEXT_SWITCH)
			return true;
	return false;
}

/* Whether a sample is what tells of a switch. */
static bool is_switch(const struct tl_perf_sample_pass *p, const struct tl_perf_record *rec,
		      struct tl_perf_sched_switch *tids)
{
	return tl_perf_sched_switch_of(&p->off_cpu.tracepoint, rec, tids) &&
	       rec->id.time_ns != TL_NOWHERE && !p->options->branches && !has_switch_records(p);
}

/* Who a thread is that the tracepoint names by its number only. */
static struct tl_perf_id named(const struct tl_perf_sample_pass *p,
			       const struct tl_perf_record *rec, uint32_t tid)
{
	struct tl_perf_id id = rec->id;

	id.process = tl_perf_thread_pid(&p->sys, tid);
	id.thread = tid;
	return id;
}

static bool next_comes(struct tl_perf_sample_pass *p, const struct tl_perf_record *rec,
		       uint32_t tid)
{
	const struct tl_perf_id next = named(p, rec, tid);
	struct tl_perf_away *away = away_of(p, &next);

	return away && tell(p, &next, true) && (!away->is_away || come_back(p, away));
}

int tl_perf_note_switch(struct tl_perf_sample_pass *p, const struct tl_perf_record *rec,
			struct tl_error *err)
{
	struct tl_perf_sched_switch tids;
	struct tl_perf_id previous;

	if (!is_switch(p, rec, &tids))
		return 0;
	previous = named(p, rec, tids.previous);
	if (is_thread(tids.previous) && !tell(p, &previous, false))
		return tl_error_memory(err);
	if (is_thread(tids.next) && !next_comes(p, rec, tids.next))
		return tl_error_memory(err);
	return 0;
}

static void leave(struct tl_perf_sample_pass *p, struct tl_perf_away *away)
{
	p->off_cpu.unreturned += away->is_away;
	*away = (struct tl_perf_away){ .is_away = true,
				       .node = p->last_node,
				       .since_ns = p->time_ns };
}

int tl_perf_note_leaving(struct tl_perf_sample_pass *p, const struct tl_perf_record *rec,
			 struct tl_error *err)
{
	struct tl_perf_sched_switch tids;
	struct tl_perf_id id = rec->id;
	struct tl_perf_away *away;
	bool switches = is_switch(p, rec, &tids);

	if (!switches && (!rec->attr->name || strcmp(rec->attr->name, "sched:sched_switch") != 0))
		return 0;
	/* The kernel calls a thread -1 that is about to end, but that may still come back. */
	if (switches)
		id = named(p, rec, tids.previous);
	away = away_of(p, &id);
	if (!away)
		return tl_error_memory(err);
	if (switches && is_thread(tids.previous))
		leave(p, away);
	if (!switches && !away->is_away) {
		away->has_stack = true;
		away->node = p->last_node;
	}
	return 0;
}
