/* SPDX-License-Identifier: Apache-2.0 */
/* Costs by address: lines, calls by place, jumps. */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "intel_pt/fold.h"

void tl_pt_lines_free(struct pt_lines *l)
{
	free(l->addresses);
	free(l->calls);
	tl_index_free(&l->by_ip);
	tl_index_free(&l->by_call);
}

/* ---- addresses ---- */

static bool same_ip(const void *context, const void *key, uint32_t number)
{
	const struct pt_address *addresses = context;

	return addresses[number].ip == *(const uint64_t *)key;
}

uint32_t tl_pt_lines_address(struct pt_lines *l, const struct tl_pt_step *step)
{
	uint64_t hash = tl_hash64(step->ip);
	uint32_t number = tl_index_find(&l->by_ip, hash, same_ip, l->addresses, &step->ip);

	if (number != TL_NONE)
		return number;
	number = (uint32_t)l->address_count;
	if (!tl_grow(&l->addresses, &l->address_capacity, l->address_count + 1, sizeof(*l->addresses)) ||
	    !tl_index_add(&l->by_ip, hash, number))
		return TL_NONE;
	l->addresses[l->address_count++] = (struct pt_address){
		.ip = step->ip, .target = step->direct ? step->target : 0, .iclass = step->iclass,
	};
	return number;
}

/* ---- calls ---- */

static bool same_call(const void *context, const void *key, uint32_t number)
{
	const struct pt_call *calls = context, *wanted = key, *have = &calls[number];

	return have->from == wanted->from && have->caller == wanted->caller && have->callee == wanted->callee;
}

static uint32_t find_call(struct pt_lines *l, const struct pt_call *call)
{
	uint64_t hash = tl_hash_pair(call->from, (uint64_t)call->caller << 32 | call->callee);
	uint32_t number = tl_index_find(&l->by_call, hash, same_call, l->calls, call);

	if (number != TL_NONE)
		return number;
	number = (uint32_t)l->call_count;
	if (!tl_grow(&l->calls, &l->call_capacity, l->call_count + 1, sizeof(*l->calls)) ||
	    !tl_index_add(&l->by_call, hash, number)) {
		l->no_memory = true;
		return TL_NONE;
	}
	l->calls[l->call_count++] = *call;
	return number;
}

/* The last instruction of the node that was left. */
static uint64_t site(const struct pt_folder *f)
{
	const struct pt_node_lines *l;

	if (f->last == &f->outside)
		return 0;
	l = &f->node_lines[f->last - f->nodes];
	return l->count ? f->thread->lines.addresses[f->steps[l->first + l->count - 1]].ip : 0;
}

void tl_pt_lines_opened(void *arg, struct tl_pt_frame *frame)
{
	struct pt_folder *f = arg;
	const struct tl_fold *fold = &f->thread->stack.fold;
	struct pt_lines *l = &f->thread->lines;
	struct pt_call call = { .callee = fold->hot.top->function, .caller = fold->hot.top[-1].function };
	struct pt_call *known;

	if (call.caller == TL_NONE)
		return;
	call.from = frame->handler ? 0 : site(f);
	call.to = f->functions.list[call.callee].address;
	frame->call = find_call(l, &call);
	if (frame->call == TL_NONE)
		return;
	known = &l->calls[frame->call];
	known->calls += !f->closed;
	if (known->active++ == 0) {
		known->clock_start = (int64_t)fold->hot.clock;
		known->insns_start = f->thread->total_insns;
	}
}

/* Recursion counts once: while the call is on the stack at all. */
void tl_pt_lines_closing(void *arg, struct tl_pt_frame *frame)
{
	struct pt_folder *f = arg;
	struct pt_call *call;

	if (frame->call == TL_NONE)
		return;
	call = &f->thread->lines.calls[frame->call];
	if (--call->active)
		return;
	call->clock += (int64_t)f->thread->stack.fold.hot.clock - call->clock_start;
	call->insns += f->thread->total_insns - call->insns_start;
}

/* ---- into the profile ---- */

/* Whose an address is: its symbol's, else that of the entry before it that was called, in the same object. */
struct owners {
	struct pt_folder *folder;
	uint32_t *entries; /* functions known by their entry, by address */
	size_t count;
};

static int by_address(const void *a, const void *b, void *arg)
{
	const struct tl_pt_function *list = arg;
	uint64_t x = list[*(const uint32_t *)a].address, y = list[*(const uint32_t *)b].address;

	return x < y ? -1 : x > y;
}

static bool owners_begin(struct owners *o, struct pt_folder *f, const uint32_t *numbers)
{
	o->folder = f;
	o->entries = calloc(f->functions.count + 1, sizeof(*o->entries));
	for (uint32_t i = 0; o->entries && i < f->functions.count; i++)
		if (f->functions.list[i].by_entry && numbers[i] != TL_NONE)
			o->entries[o->count++] = i;
	if (o->entries)
		qsort_r(o->entries, o->count, sizeof(*o->entries), by_address, f->functions.list);
	return o->entries;
}

static uint32_t owner_of(const struct owners *o, uint64_t ip)
{
	const struct tl_pt_function *list = o->folder->functions.list;
	size_t low = 0, high = o->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list[o->entries[middle]].address <= ip)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? o->entries[low - 1] : TL_NONE;
}

struct writer {
	struct pt_folder *folder;
	struct tl_profile *profile;
	struct owners owners;
	const uint32_t *numbers;
	size_t number_count; /* functions met since are only those of jumps never taken */
	uint32_t part, fallback;
};

/* The function of an address in the profile, and the line it stands on. */
static uint32_t locate(struct writer *w, uint64_t ip, struct tl_position *at)
{
	struct tl_pt_name name = tl_pt_functions_name(&w->folder->functions, ip);
	uint32_t function = name.function;

	if (function == TL_NONE || function >= w->number_count || w->numbers[function] == TL_NONE)
		function = owner_of(&w->owners, ip);
	*at = (struct tl_position){ .file = name.file, .address = ip, .line = name.line };
	return function == TL_NONE ? w->fallback : w->numbers[function];
}

static int put_line(struct writer *w, const struct pt_address *a, struct tl_error *err)
{
	struct tl_cost_line line = { .part = w->part };
	int64_t cost[2] = { (int64_t)a->executed, 0 };

	if (w->folder->timed) {
		cost[0] = a->ticks;
		cost[1] = (int64_t)a->executed;
	}
	line.function = locate(w, a->ip, &line.at);
	return tl_profile_add_line(w->profile, &line, cost, err);
}

static int put_jump(struct writer *w, const struct pt_address *a, struct tl_error *err)
{
	struct tl_jump jump = { .part = w->part, .executed = a->executed, .taken = a->executed };

	if (!a->target || (a->iclass != TL_PT_IC_COND_JUMP && a->iclass != TL_PT_IC_JUMP))
		return 0;
	jump.conditional = a->iclass == TL_PT_IC_COND_JUMP;
	if (jump.conditional)
		jump.taken = a->taken;
	jump.function = locate(w, a->ip, &jump.from);
	jump.target = locate(w, a->target, &jump.to);
	return tl_profile_add_jump(w->profile, &jump, err);
}

static int put_call(struct writer *w, const struct pt_call *c, struct tl_error *err)
{
	struct tl_arc arc = { .part = w->part, .calls = c->calls };
	int64_t cost[2] = { c->clock, c->insns };

	if (!c->calls || w->numbers[c->callee] == TL_NONE || w->numbers[c->caller] == TL_NONE)
		return 0;
	if (c->from)
		locate(w, c->from, &arc.from);
	else
		arc.from = (struct tl_position){ .file = "" };
	if (c->to)
		locate(w, c->to, &arc.to);
	else
		arc.to = (struct tl_position){ .file = "" };
	arc.caller = w->numbers[c->caller];
	arc.callee = w->numbers[c->callee];
	return tl_profile_add_arc(w->profile, &arc, cost, err);
}

static int put_all(struct writer *w, const struct pt_lines *l, struct tl_error *err)
{
	int status = 0;

	for (size_t i = 0; status == 0 && i < l->address_count; i++)
		if (l->addresses[i].executed) {
			status = put_line(w, &l->addresses[i], err);
			if (status == 0)
				status = put_jump(w, &l->addresses[i], err);
		}
	for (size_t i = 0; status == 0 && i < l->call_count; i++)
		status = put_call(w, &l->calls[i], err);
	return status;
}

/* A call that never ended costs what it had cost by then. */
static void end_calls(struct pt_thread *thread)
{
	for (size_t i = 0; i < thread->lines.call_count; i++) {
		struct pt_call *call = &thread->lines.calls[i];

		if (!call->active)
			continue;
		call->clock += (int64_t)thread->stack.fold.hot.clock - call->clock_start;
		call->insns += thread->total_insns - call->insns_start;
		call->active = 0;
	}
}

int tl_pt_lines_into(struct pt_folder *f, struct pt_thread *thread, uint32_t part, const uint32_t *numbers,
		     struct tl_profile *profile, struct tl_error *err)
{
	struct writer w = { .folder = f, .profile = profile, .numbers = numbers, .part = part,
			    .number_count = f->functions.count };
	int status;

	if (thread->lines.no_memory || !owners_begin(&w.owners, f, numbers))
		return tl_error_memory(err);
	for (uint32_t i = 0; i < f->functions.count; i++)
		if (numbers[i] != TL_NONE)
			w.fallback = numbers[i];
	end_calls(thread);
	status = put_all(&w, &thread->lines, err);
	free(w.owners.entries);
	return status;
}
