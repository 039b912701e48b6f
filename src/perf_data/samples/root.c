/* SPDX-License-Identifier: Apache-2.0 */
/* Which records of a pass count, and of what they are: the root of their stacks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perf_data/processes/guests.h"
#include "perf_data/samples/pass.h"

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

/*
 * "NAME [guest:PID]", a name; where no record says what the virtual machine ran, its label. TL_NONE
 * without memory.
 */
static uint32_t name_in_machine(struct tl_perf_sample_pass *p)
{
	const char *label = tl_perf_guest_label(&p->sys, p->guest.process), *name = "";
	uint32_t number;
	char *text;

	if (p->guest.known)
		name = tl_perf_thread_name_of(&p->sys,
					      tl_perf_guest_machine(&p->sys, p->guest.process),
					      p->guest.tid, p->time_ns);
	if (!*name)
		return tl_names_add(&p->sys.names, label, strlen(label));
	if (asprintf(&text, "%s %s", name, label) < 0)
		return TL_NONE;
	number = tl_names_add(&p->sys.names, text, strlen(text));
	free(text);
	return number;
}

/* Who ran, and by which name. False without memory. */
static bool find_process(struct tl_perf_sample_pass *p, struct tl_perf_stack_root *root)
{
	uint32_t thread;

	if (p->guest.process != TL_NONE) {
		root->process = p->guest.process;
		root->comm = name_in_machine(p);
		return root->comm != TL_NONE;
	}
	root->process = tl_perf_process_add(&p->sys, (uint32_t)root->pid);
	thread = tl_perf_thread_add(&p->sys, (uint32_t)root->pid, (uint32_t)root->tid);
	if (root->process == TL_NONE || thread == TL_NONE)
		return false;
	root->comm = name_now(&p->sys.threads.list[thread]);
	return true;
}

bool tl_perf_sample_pass_root(struct tl_perf_sample_pass *p, const struct tl_perf_record *rec)
{
	const struct tl_perf_stack_root *last =
		p->last_root == TL_NONE ? NULL : &p->stacks.roots[p->last_root];
	struct tl_perf_stack_root root = { .pid = rec->id.process, .tid = rec->id.thread };

	root.cgroup = tl_perf_cgroups_of(&p->cgroups, &p->sys, rec);
	if (root.cgroup == TL_NONE || !find_process(p, &root))
		return false;
	root.changes = epoch_of(&p->sys.processes.list[root.process],
				last && last->process == root.process ? last->changes : 0);
	if (is_exec(p, &root))
		root.changes--;
	root.first_ns = root.last_ns = p->time_ns;
	p->last_root = tl_perf_stacks_root(&p->stacks, &root);
	return p->last_root != TL_NONE;
}

bool tl_perf_sample_pass_selects(const struct tl_perf_sample_pass *p, const struct tl_perf_id *id)
{
	const struct tl_perf_sample_options *o = p->options;
	const double at = p->first_ns ? (double)(p->time_ns - p->first_ns) / 1e9 : 0;

	return (o->thread == TL_NOWHERE || o->thread == id->thread) &&
	       (o->process == TL_NOWHERE || o->process == id->process) &&
	       (o->cpu == TL_NOWHERE || o->cpu == id->cpu) && at >= o->from_seconds &&
	       (o->to_seconds <= 0 || at < o->to_seconds);
}
