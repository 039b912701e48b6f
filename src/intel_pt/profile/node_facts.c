/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of a node, found once: its function, how it is left, the addresses of its instructions. */
#include <string.h>

#include "core/error.h"
#include "intel_pt/blocks/unsized.h"
#include "intel_pt/profile/fold.h"
#include "intel_pt/profile/stack_moves.h"
#include "profile/model/model.h"

enum { INSNS_AT_ONCE = 64 };

static bool grow_zeroed(void *array, size_t *capacity, size_t want, size_t element)
{
	size_t had = *capacity;
	char *made;

	if (want <= had)
		return true;
	if (!tl_grow(array, capacity, want, element))
		return false;
	memcpy(&made, array, sizeof(made));
	memset(made + had * element, 0, (*capacity - had) * element);
	return true;
}

bool tl_pt_node_facts_room(struct tl_pt_folder *f, uint32_t limit)
{
	struct tl_pt_node_cache *cache = f->cache;
	bool outside = f->pos.last == &f->pos.outside;
	size_t last = outside ? 0 : (size_t)(f->pos.last - cache->nodes);

	if (!grow_zeroed(&cache->nodes, &cache->capacity, limit, sizeof(*cache->nodes)))
		return false;
	/* Set before the next allocation can fail, as the array may have moved. */
	f->pos.last = outside ? &f->pos.outside : &cache->nodes[last];
	if (f->options->lines && !grow_zeroed(&f->visits.nodes, &f->visits.node_capacity, limit,
					      sizeof(*f->visits.nodes)))
		return false;
	if (cache->count < limit)
		cache->count = limit;
	return true;
}

void tl_pt_node_facts_forget(struct tl_pt_node_cache *cache)
{
	if (cache->count)
		memset(cache->nodes, 0, cache->count * sizeof(*cache->nodes));
	cache->count = cache->inner_count = 0;
	cache->shift = cache->scanned = 0;
}

/* ---- instructions ---- */

/* Calls `each` with every instruction of a node, until it returns false. */
static void each_insn(struct tl_pt_folder *f, uint32_t number,
		      bool (*each)(struct tl_pt_folder *f, const struct tl_pt_node_insn *insn,
				   size_t i, void *arg),
		      void *arg)
{
	struct tl_pt_node_insn insns[INSNS_AT_ONCE];
	size_t at = 0;
	int count;

	while ((count = tl_pt_node_insns(f->decoder, number - f->cache->shift, at, insns,
					 INSNS_AT_ONCE)) > 0)
		for (int i = 0; i < count; i++, at++)
			if (!each(f, &insns[i], at, arg))
				return;
	f->functions.no_memory |= count == -TL_PT_NOMEM;
}

static bool add_addr(struct tl_pt_folder *f, const struct tl_pt_node_insn *insn, size_t i,
		     void *arg)
{
	uint32_t place = tl_pt_addr_costs_addr(&f->thread->costs, insn);

	(void)i;
	(void)arg;
	if (place == TL_NONE || !tl_grow(&f->visits.addrs, &f->visits.addr_capacity,
					 f->visits.addr_count + 1, sizeof(*f->visits.addrs))) {
		f->thread->costs.no_memory = true;
		return false;
	}
	f->visits.addrs[f->visits.addr_count++] = place;
	return true;
}

/*
 * The function, if calls of it may be followed by the loop; TL_NONE: not. A call of one that
 * returns twice notes its return point, which the loop does not do.
 */
static uint32_t enterable(struct tl_pt_folder *f, uint32_t function)
{
	if (function == TL_NONE || f->functions.list[function].twice ||
	    !tl_pt_stack_know(&f->thread->stack, function))
		return TL_NONE;
	return function;
}

struct search {
	size_t begun;
	uint32_t function;
};

static struct tl_pt_inner_function *add_inner(struct tl_pt_folder *f)
{
	struct tl_pt_node_cache *k = f->cache;

	if (!tl_grow(&k->inner, &k->inner_capacity, k->inner_count + 1, sizeof(*k->inner))) {
		f->functions.no_memory = true;
		return NULL;
	}
	k->inner[k->inner_count] = (struct tl_pt_inner_function){ 0 };
	return &k->inner[k->inner_count++];
}

static bool find_change(struct tl_pt_folder *f, const struct tl_pt_node_insn *insn, size_t i,
			void *arg)
{
	struct search *s = arg;
	struct tl_pt_name name = tl_pt_functions_name(&f->functions, insn->ip);
	struct tl_pt_inner_function *inner;

	if (i && name.function == s->function)
		return true;
	inner = add_inner(f);
	if (!inner)
		return false;
	*inner = (struct tl_pt_inner_function){ .ip = insn->ip,
						.function = name.function,
						.called = enterable(f, name.function),
						.is_entry = name.is_entry };
	if (i)
		inner[-1].insns = (uint32_t)(i - s->begun);
	s->begun = i;
	s->function = name.function;
	return true;
}

/* ---- the node ---- */

static uint32_t function_key(const struct tl_pt_name *name)
{
	return name->function == TL_NONE ? TL_PT_KEY_UNKNOWN : name->function + TL_PT_KEY_FIRST;
}

static bool find_last(struct tl_pt_folder *f, const struct tl_pt_node_insn *insn, size_t i,
		      void *arg)
{
	(void)f;
	(void)i;
	*(struct tl_pt_node_insn *)arg = *insn;
	return true;
}

uint64_t tl_pt_node_last_ip(struct tl_pt_folder *f, uint32_t number)
{
	struct tl_pt_node_insn last = { 0 };

	each_insn(f, number, find_last, &last);
	return last.ip;
}

/* A call of the next instruction only pushes its address (to be popped): it is not a call. */
static uint32_t call_key(const struct tl_pt_node_insn *last, const struct tl_pt_node_facts *n,
			 uint32_t inside)
{
	return last->direct && last->target == n->after ? inside : TL_PT_KEY_CALL;
}

/* `last`: its last instruction. */
static uint32_t exit_key(const struct tl_pt_node_facts *n, const struct tl_pt_node_insn *last,
			 uint32_t inside)
{
	switch (n->iclass) {
	case TL_PT_IC_CALL:
		return call_key(last, n, inside);
	case TL_PT_IC_FAR_CALL:
		return TL_PT_KEY_CALL;
	case TL_PT_IC_RETURN:
		return TL_PT_KEY_RETURN;
	case TL_PT_IC_FAR_RETURN:
		return TL_PT_KEY_FAR_RETURN;
	default:
		return inside;
	}
}

/* The exit key of a node that set the stack pointer. */
static uint32_t moving_key(const struct tl_pt_node_facts *n, const struct tl_pt_node_insn *last,
			   uint32_t key)
{
	if (key == TL_PT_KEY_CALL)
		return n->iclass == TL_PT_IC_CALL && !(n->ip >> 63) ? TL_PT_KEY_START : key;
	if (key == TL_PT_KEY_FAR_RETURN)
		return key;
	if (key == TL_PT_KEY_RETURN || (n->iclass == TL_PT_IC_JUMP && !last->direct))
		return TL_PT_KEY_SWITCH;
	return TL_PT_KEY_MOVE;
}

static uint32_t leaving(struct tl_pt_folder *f, uint32_t number, const struct tl_pt_node_facts *n,
			uint32_t inside)
{
	int moves = tl_pt_node_switches_stack(f->decoder, number - f->cache->shift);
	struct tl_pt_node_insn last = { 0 };
	uint32_t key;

	f->functions.no_memory |= moves < 0;
	if (moves || n->iclass == TL_PT_IC_CALL)
		each_insn(f, number, find_last, &last);
	key = exit_key(n, &last, inside);
	return moves ? moving_key(n, &last, key) : key;
}

/*
 * The node belongs to several functions: list them. Its entry key equals no exit key, so that the
 * slow path handles it.
 */
static void scan_inner(struct tl_pt_folder *f, uint32_t number, struct tl_pt_node_facts *n)
{
	struct search s = { .function = TL_NONE };
	size_t first = f->cache->inner_count;

	each_insn(f, number, find_change, &s);
	if (f->cache->inner_count == first || !add_inner(f) || f->functions.no_memory)
		return;
	n->insns = (uint16_t)(n->insns - s.begun);
	n->entry = TL_PT_KEY_SEVERAL;
	n->called = (uint32_t)first;
}

/*
 * A node is quiet if all that a fold has to know of it are its instructions, and where it leads;
 * an edge, if it stays inside the function.
 */
static void find_quiet(struct tl_pt_folder *f, uint32_t number, const struct tl_pt_node_facts *n)
{
	uint64_t to[2];
	const int edges = tl_pt_node_edges(f->decoder, number - f->cache->shift, to);

	if (n->entry < TL_PT_KEY_UNKNOWN || edges < 0)
		return;
	tl_pt_set_quiet(f->decoder, number - f->cache->shift,
			n->entry == n->exit
				? tl_pt_functions_same(&f->functions, n->ip, to, (unsigned)edges)
				: 0);
}

static void find_facts(struct tl_pt_folder *f, uint32_t number, const struct tl_pt_block *block)
{
	struct tl_pt_node_facts *n = &f->cache->nodes[number];
	struct tl_pt_name first = tl_pt_functions_name(&f->functions, block->ip);
	struct tl_pt_name last = tl_pt_functions_name(&f->functions, block->end_ip);

	n->ip = block->ip;
	n->after = block->end_ip + block->size;
	n->insns = block->ninsn;
	n->iclass = (uint8_t)block->iclass;
	n->is_entry = first.is_entry;
	n->called = enterable(f, first.function) + 1; /* TL_NONE is 0 then */
	n->entry = function_key(&first);
	n->exit = leaving(f, number, n, function_key(&last));
	if (first.function != last.function)
		scan_inner(f, number, n);
	else if (f->unstamped.loud.insns)
		find_quiet(f, number, n);
}

static void find_addrs(struct tl_pt_folder *f, uint32_t number, const struct tl_pt_block *block)
{
	struct tl_pt_node_addrs *l = &f->visits.nodes[number];

	l->tail = block->ninsn - f->cache->nodes[number].insns;
	l->first = (uint32_t)f->visits.addr_count;
	each_insn(f, number, add_addr, NULL);
	l->count = (uint32_t)f->visits.addr_count - l->first;
}

void tl_pt_node_facts_scan(struct tl_pt_folder *f, uint32_t number)
{
	const struct tl_pt_block *block =
		tl_pt_decoder_node_block(f->decoder, number - f->cache->shift);
	struct tl_pt_node_facts *n = &f->cache->nodes[number];

	if (!block) {
		n->entry = n->exit = TL_PT_KEY_UNKNOWN;
		return;
	}
	f->cache->scanned++;
	if (n->entry == TL_PT_KEY_NONE)
		find_facts(f, number, block);
	if (f->visits.nodes)
		find_addrs(f, number, block);
}
