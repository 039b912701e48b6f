/* SPDX-License-Identifier: Apache-2.0 */
/* Names of code whose file has bytes and no symbols. */
#include "perf_data/auxtrace/trace.h"

/* ---- code made at run time ---- */

static bool is_copy(const struct tl_perf_system *sys, uint32_t object)
{
	const struct tl_perf_object *o = &sys->objects.list[object];

	if (!o->file || o->elf.segment_count || o->kind != TL_PERF_OBJECT_FILE)
		return false;
	for (size_t i = 0; i < sys->jits.count; i++)
		if (sys->jits.list[i].object == object)
			return false;
	return true;
}

/* The time from which on the space has had the maps that it has. */
static uint64_t begin_of(const struct tl_perf_trace *t, const struct tl_perf_address_space *in)
{
	const struct tl_perf_process *p = &t->sys.processes.list[in->process];
	size_t at = in->changes;

	while (at && p->changes[at - 1].kind == TL_PERF_CHANGE_MAP)
		at--;
	return at ? p->changes[at - 1].time_ns : 0;
}

static int find_compiled(struct tl_perf_trace *t, const struct tl_perf_address_space *in,
			 uint64_t ip, struct tl_perf_compiled_name *name, const char **why)
{
	struct tl_error err;
	const int status =
		tl_perf_compiled_find(&t->sys, in->process, ip, begin_of(t, in), name, &err);

	*why = tl_perf_compiled_why(&t->sys, in->process);
	if (!status && !*why)
		*why = "it was made at run time, and no list that its compiler left "
		       "(perf-PID.map, jit-PID.dump) names all of it";
	return status;
}

/* ---- the kernel ---- */

static bool is_kernel_memory(const struct tl_perf_system *sys, uint32_t object)
{
	const struct tl_perf_object *o = &sys->objects.list[object];

	return o->elf.core &&
	       (o->kind == TL_PERF_OBJECT_KERNEL || o->kind == TL_PERF_OBJECT_MODULE);
}

/* The names of the host's kernel, or of a virtual machine's. NULL: no memory. */
static struct tl_perf_kernel_names *names_of(struct tl_perf_trace *t, uint32_t guest)
{
	struct tl_perf_guest_names *all = &t->guest_names;

	if (guest == TL_NONE)
		return &t->kernel_names;
	if (!tl_grow(&all->list, &all->capacity, (size_t)guest + 1, sizeof(*all->list)))
		return NULL;
	for (; all->count <= guest; all->count++)
		all->list[all->count] = (struct tl_perf_kernel_names){ .read = false };
	return &all->list[guest];
}

static int find_in_kernel(struct tl_perf_trace *t, uint32_t guest, uint64_t ip,
			  struct tl_perf_compiled_name *name, const char **why)
{
	struct tl_perf_kernel_names *names = names_of(t, guest);
	const struct tl_named_range *range;
	struct tl_perf_object *kernel;
	struct tl_error err;
	uint32_t number;

	kernel = tl_perf_kernel_object(&t->sys, guest, &number);
	if (!names ||
	    (kernel && !names->read &&
	     tl_perf_kernel_names_read(&t->sys, kernel, &names->list, &names->why, &err) < 0))
		return TL_NO_MEMORY;
	names->read = true;
	range = tl_perf_kernel_names_find(&names->list, ip);
	if (!range) {
		*why = names->why ? names->why : "the list of the kernel's names lacks some of it";
		return 0;
	}
	*name = (struct tl_perf_compiled_name){ range->name, range->start };
	return 1;
}

int tl_perf_trace_listed_name(struct tl_perf_trace *t, uint32_t space, uint64_t ip,
			      struct tl_perf_compiled_name *name, const char **why)
{
	const struct tl_perf_address_space *in = &t->spaces.list[space];
	const struct tl_perf_map_change *c = tl_perf_address_space_find(&t->spaces, space, ip);

	*why = NULL;
	if (c && is_kernel_memory(&t->sys, c->object))
		return find_in_kernel(t, t->sys.objects.list[c->object].guest, ip, name, why);
	if (!c || in->in_guest || in->process == TL_NONE || !is_copy(&t->sys, c->object))
		return TL_UNSUPPORTED;
	return find_compiled(t, in, ip, name, why);
}
