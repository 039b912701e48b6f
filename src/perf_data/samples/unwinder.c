/* SPDX-License-Identifier: Apache-2.0 */
#include "perf_data/samples/unwinder.h"

#include <elf.h>

#include "symbols/cfi/tables.h"
#include "symbols/elf/debug_file.h"

enum { RULE_BITS = 16, RULES = 1 << RULE_BITS };
/* A copy of at most 64 KiB holds fewer frames; what goes on goes round. */
enum { FRAMES_MAX = 1 << 14 };
/* Of x86-64, by DWARF's numbers. */
enum { RCX = 2 };

/* What a rule needs: nothing but loads; all of the row; or there is no row, or no caller. */
enum rule_kind { RULE_SIMPLE, RULE_ROW, RULE_NONE, RULE_OUTERMOST };

/* How to leave the frame of an instruction; half a line of a cache. Zero-filled is of no space. */
struct tl_perf_unwind_rule {
	uint64_t ip, space;
	union {
		int32_t cfa;     /* from the stack or the frame pointer */
		uint32_t object; /* of RULE_NONE; TL_NONE: none is mapped */
	};
	int16_t back, frame; /* from the CFA, where the caller's are */
	uint8_t kind;
	bool by_frame;    /* the CFA is based on the frame pointer */
	bool keeps_frame; /* the frame pointer is the caller's */
	bool is_signal, is_signed;
};

/* Where unwinding is. */
struct walk {
	struct tl_perf_unwinder *u;
	const struct tl_perf_stack_root *root;
	size_t changes; /* the maps in effect */
	uint64_t space; /* what addresses mean: process and maps, never 0 */
	struct tl_perf_call_chain *chain;
	size_t chain_start;
	uint64_t pc, stack, frame;
	bool exact; /* `pc` was interrupted; else the byte before it made a call */
	bool frame_known;
	bool all;                      /* follow all registers */
	struct tl_cfi_frame registers; /* `all`, or of the innermost frame: as they are */
	bool fresh;                    /* `registers` are those of the present frame */
	struct tl_error *err;
};

enum next { NEXT_CALLER, NEXT_END, NEXT_AGAIN, NEXT_FAILED };

/* ---- rules ---- */

static bool know_object(struct tl_perf_unwinder *u, uint32_t number)
{
	if (!tl_grow(&u->objects, &u->object_capacity, number + 1, sizeof(*u->objects)))
		return false;
	for (; u->object_count <= number; u->object_count++)
		u->objects[u->object_count] = (struct tl_perf_unwind_object){ .cfi = NULL };
	return true;
}

static int open_tables(struct tl_perf_unwinder *u, uint32_t number, struct tl_error *err)
{
	struct tl_perf_object *object = &u->sys->objects.list[number];
	const struct tl_debug_places places = { TL_DEBUG_ROOT, u->sys->search.debuginfod };
	struct tl_perf_unwind_object *tables;
	struct tl_error why;
	int status = tl_perf_object_locate(u->sys, object, err);

	if (status < 0)
		return status;
	if (!know_object(u, number))
		return tl_error_memory(err);
	tables = &u->objects[number];
	if (tables->opened)
		return 0;
	if (object->file)
		status = tl_cfi_open(&tables->cfi, object->file, &places, &why);
	else if (object->memory)
		status =
			tl_cfi_open_memory(&tables->cfi, object->memory, object->memory_size, &why);
	if (status == TL_NO_MEMORY)
		return tl_error_memory(err);
	tables->unreadable = status < 0;
	tables->opened = true;
	return 0;
}

/*
 * The row of an instruction. 1; 0: there is none, `*number` is the object, TL_NONE where nothing is
 * mapped; negative.
 */
static int find_row(struct walk *w, uint64_t ip, struct tl_cfi_row *row, uint64_t *bias,
		    uint32_t *number)
{
	struct tl_perf_unwinder *u = w->u;
	const struct tl_perf_map_change *map =
		ip & TL_PERF_KERNEL_START
			? NULL
			: tl_perf_map_find(u->sys, w->root->process, w->changes, ip);
	uint64_t offset, linked;
	int status;

	*number = TL_NONE;
	*bias = 0;
	if (!map)
		return 0;
	offset = ip - map->start + map->page_offset;
	*number = map->object;
	status = open_tables(u, *number, w->err);
	if (status < 0 || !u->objects[*number].cfi)
		return status;
	linked = tl_perf_elf_address(&u->sys->objects.list[*number].elf, offset);
	*bias = ip - linked;
	status = tl_cfi_find(u->objects[*number].cfi, linked, row);
	if (status < 0)
		return tl_error_memory(w->err);
	return status && row->machine == u->machine;
}

static bool is_near(int64_t value)
{
	return value == (int16_t)value;
}

/* Whether the rules of a row are simple ones, which `rule` then has. */
static bool simplify(const struct tl_cfi_row *row, struct tl_perf_unwind_rule *rule)
{
	const unsigned stack = tl_cfi_stack_register(row->machine);
	const unsigned frame = tl_cfi_frame_register(row->machine);
	const struct tl_cfi_rule *back = &row->rules[row->return_register];

	rule->is_signal = row->is_signal;
	rule->is_signed = row->is_signed;
	rule->by_frame = row->cfa_register == frame;
	rule->keeps_frame = row->rules[frame].kind == TL_CFI_SAME;
	if (row->is_32bit || row->cfa.kind != TL_CFI_REGISTER ||
	    (row->cfa_register != stack && !rule->by_frame) || back->kind != TL_CFI_OFFSET ||
	    (!rule->keeps_frame && row->rules[frame].kind != TL_CFI_OFFSET) ||
	    row->rules[stack].kind != TL_CFI_SAME)
		return false;
	rule->cfa = (int32_t)row->cfa.value;
	rule->back = (int16_t)back->value;
	rule->frame = (int16_t)row->rules[frame].value;
	return row->cfa.value == rule->cfa && is_near(back->value) &&
	       is_near(row->rules[frame].value);
}

static bool is_entry(const struct walk *w, uint64_t ip, uint32_t object)
{
	const struct tl_cfi *cfi = object == TL_NONE ? NULL : w->u->objects[object].cfi;
	const struct tl_perf_map_change *map =
		cfi ? tl_perf_map_find(w->u->sys, w->root->process, w->changes, ip) : NULL;

	return map && tl_cfi_is_entry(cfi, tl_perf_elf_address(&w->u->sys->objects.list[object].elf,
							       ip - map->start + map->page_offset));
}

/* Put the rule of an instruction into its slot. */
static int fill(struct walk *w, uint64_t ip, struct tl_perf_unwind_rule *slot)
{
	struct tl_perf_unwind_rule rule = { .ip = ip, .space = w->space };
	struct tl_cfi_row row;
	uint32_t object;
	uint64_t bias;
	int status = find_row(w, ip, &row, &bias, &object);

	if (status < 0)
		return status;
	rule.kind = !status ? RULE_NONE : simplify(&row, &rule) ? RULE_SIMPLE : RULE_ROW;
	if (!status)
		rule.object = object;
	if (!status && is_entry(w, ip, object))
		rule.kind = RULE_OUTERMOST;
	*slot = rule;
	/* What is not mapped yet may be later. */
	if (object == TL_NONE)
		slot->space = 0;
	return 0;
}

/* The next address is known when this one's slot is, so that little is computed in between. */
static inline struct tl_perf_unwind_rule *slot_of(const struct walk *w, uint64_t ip)
{
	return &w->u->rules[(ip ^ w->space) * UINT64_C(0x9e3779b97f4a7c15) >> (64 - RULE_BITS)];
}

/* NULL: *w->err is set. */
static inline struct tl_perf_unwind_rule *rule_of(struct walk *w, uint64_t ip)
{
	struct tl_perf_unwind_rule *slot = slot_of(w, ip);

	if ((slot->ip != ip || slot->space != w->space) && fill(w, ip, slot) < 0)
		return NULL;
	return slot;
}

/* ---- frames ---- */

static bool push(struct walk *w, uint64_t ip)
{
	struct tl_perf_call_chain *chain = w->chain;

	if (chain->count == chain->capacity &&
	    !tl_grow(&chain->list, &chain->capacity, chain->count + 1, sizeof(*chain->list)))
		return false;
	chain->list[chain->count++] = ip;
	return true;
}

static enum next end_by(struct walk *w, enum tl_cfi_result result)
{
	if (result == TL_CFI_UNKNOWN && !w->all)
		return NEXT_AGAIN;
	if (result == TL_CFI_CUT)
		w->u->cut++;
	else if (result != TL_CFI_OUTERMOST)
		w->u->lost++;
	return NEXT_END;
}

/* By all rules of the row, which need not be simple. */
static enum next leave_by_row(struct walk *w, uint64_t ip)
{
	const unsigned stack = tl_cfi_stack_register(w->u->machine);
	const unsigned frame = tl_cfi_frame_register(w->u->machine);
	struct tl_cfi_frame *r = &w->registers;
	enum tl_cfi_result result;
	struct tl_cfi_row row;
	uint64_t bias;
	uint32_t object;
	int status = find_row(w, ip, &row, &bias, &object);

	if (status <= 0)
		return status < 0 ? NEXT_FAILED : end_by(w, TL_CFI_BAD);
	if (!w->fresh) {
		r->known = UINT64_C(1) << stack | (uint64_t)w->frame_known << frame;
		r->registers[stack] = w->stack;
		r->registers[frame] = w->frame;
		r->pc = w->pc;
	}
	result = tl_cfi_step(&row, &w->u->memory, bias, r);
	if (result != TL_CFI_CALLER)
		return end_by(w, result);
	if (r->pc == w->pc && r->registers[stack] == w->stack)
		return end_by(w, TL_CFI_BAD);
	w->exact = row.is_signal;
	w->pc = r->pc;
	w->stack = r->registers[stack];
	w->frame = r->registers[frame];
	w->frame_known = r->known >> frame & 1;
	w->fresh = true;
	return r->known >> stack & 1 ? NEXT_CALLER : end_by(w, TL_CFI_UNKNOWN);
}

static bool load(const struct walk *w, uint64_t address, uint64_t *value)
{
	const struct tl_cfi_memory *m = &w->u->memory;
	const uint64_t offset = address - m->start;

	if (m->size < 8 || offset > m->size - 8)
		return false;
	*value = tl_get64s(m->bytes + offset, TL_HOST_BIG_ENDIAN);
	return true;
}

static enum next cannot_load(struct walk *w, uint64_t address)
{
	return end_by(w, address < w->u->memory.start ? TL_CFI_BAD : TL_CFI_CUT);
}

/* Bits of addresses below a signature in them (AArch64, pointer authentication). */
#define ADDRESS_BITS UINT64_C(0x0000ffffffffffff)

static enum next leave_simply(struct walk *w, const struct tl_perf_unwind_rule *rule)
{
	const uint64_t base = rule->by_frame ? w->frame : w->stack;
	const uint64_t cfa = base + (uint64_t)(int64_t)rule->cfa;
	const uint64_t frame_at = cfa + (uint64_t)(int64_t)rule->frame;
	uint64_t back;

	if (rule->by_frame && !w->frame_known)
		return end_by(w, TL_CFI_UNKNOWN);
	/* Stacks grow downwards: a caller's frame is above. */
	if (cfa <= w->stack)
		return end_by(w, TL_CFI_BAD);
	if (!load(w, cfa + (uint64_t)(int64_t)rule->back, &back))
		return cannot_load(w, cfa + (uint64_t)(int64_t)rule->back);
	/* Below the stack pointer nothing is saved any more: the register has its value again. */
	if (!rule->keeps_frame && frame_at >= w->stack)
		w->frame_known = load(w, frame_at, &w->frame);
	w->stack = cfa;
	w->pc = rule->is_signed ? back & ADDRESS_BITS : back;
	w->exact = rule->is_signal;
	w->fresh = false;
	return w->pc ? NEXT_CALLER : NEXT_END;
}

static bool is_mapped(const struct walk *w, uint64_t address)
{
	return !(address & TL_PERF_KERNEL_START) &&
	       tl_perf_map_find(w->u->sys, w->root->process, w->changes, address);
}

/*
 * By the frame pointer, where a file says nothing of its code: what the linker adds to run
 * destructors has no row, but a frame. Only a frame further out whose return address is of code.
 */
static bool leave_by_frame(struct walk *w)
{
	uint64_t frame, back;

	if (w->u->machine == EM_386 || !w->frame_known || w->frame < w->stack ||
	    !load(w, w->frame, &frame) || !load(w, w->frame + 8, &back) || !is_mapped(w, back - 1))
		return false;
	w->stack = w->frame + 16;
	w->frame = frame;
	w->pc = back;
	w->exact = w->fresh = false;
	return true;
}

/*
 * A process that becomes another program has no code of its own for a while: then its address,
 * the first of the chain behind the kernel's, is left out.
 */
static bool is_between_programs(const struct walk *w, bool is_first)
{
	const struct tl_perf_call_chain *chain = w->chain;

	return is_first && chain->count > 1 && chain->list[0] & TL_PERF_KERNEL_START;
}

static enum next leave_without_row(struct walk *w, const struct tl_perf_unwind_rule *rule,
				   bool is_first)
{
	const uint32_t object = rule->object;

	if (object == TL_NONE) {
		if (is_between_programs(w, is_first))
			w->chain->count--;
		else
			w->u->unmapped++;
		return NEXT_END;
	}
	if (leave_by_frame(w)) {
		w->u->objects[object].by_frame++;
		return NEXT_CALLER;
	}
	w->u->objects[object].ended++;
	return NEXT_END;
}

/* Whether a system call was made: on x86-64 the instruction leaves its return address in rcx. */
static bool is_system_call(const struct walk *w)
{
	const struct tl_cfi_frame *start = &w->u->start;

	return w->u->machine != EM_X86_64 ||
	       (start->known >> RCX & 1 && start->registers[RCX] == start->pc);
}

/*
 * The rule of the present frame, at `*ip`. A process that is in the kernel by its function's last
 * instruction, a system call, goes on behind the function: then the byte before is of the function.
 */
static struct tl_perf_unwind_rule *find_rule(struct walk *w, bool is_first, uint64_t *ip)
{
	struct tl_perf_unwind_rule *rule;

	*ip = w->exact ? w->pc : w->pc - 1;
	rule = rule_of(w, *ip);
	if (!rule || rule->kind != RULE_NONE || !is_first || w->chain->count == 1 ||
	    !is_system_call(w))
		return rule;
	rule = rule_of(w, *ip - 1);
	if (!rule || rule->kind == RULE_NONE)
		return rule_of(w, *ip);
	w->chain->list[w->chain->count - 1] = --*ip;
	return rule;
}

/* Leave the present frame, which is put into the chain unless it is there (`is_first`). */
static enum next leave(struct walk *w, bool is_first)
{
	uint64_t ip;
	const struct tl_perf_unwind_rule *rule = find_rule(w, is_first, &ip);

	if (!rule)
		return NEXT_FAILED;
	/* The frame of a signal's return was not called: its address is as it is. */
	if (!is_first && !push(w, rule->is_signal ? w->pc : ip)) {
		tl_error_memory(w->err);
		return NEXT_FAILED;
	}
	if (rule->kind == RULE_OUTERMOST)
		return NEXT_END;
	if (rule->kind == RULE_NONE)
		return leave_without_row(w, rule, is_first);
	return rule->kind == RULE_SIMPLE && !w->all ? leave_simply(w, rule) : leave_by_row(w, ip);
}

/*
 * How far ahead of the present frame the copy of the stack is fetched: it was just read from a
 * file, and where one frame begins is known when that of the one before is.
 */
enum { FETCHED_AHEAD = 512, LINE = 64 };

static void fetch_stack(const struct tl_cfi_memory *m, uint64_t offset)
{
	__builtin_prefetch((const void *)((uintptr_t)m->bytes + (uintptr_t)offset + FETCHED_AHEAD));
}

/*
 * Leave frames as long as each has a simple rule that is known, and what it needs is in the copy;
 * this is leave() for nearly all frames, with what it works on in registers. Of the frame that it
 * stops at nothing is changed.
 */
static void leave_known(struct walk *w)
{
	struct tl_perf_call_chain *const chain = w->chain;
	const struct tl_cfi_memory m = w->u->memory;
	uint64_t pc = w->pc, stack = w->stack, frame = w->frame, space = w->space;
	bool exact = w->exact, frame_known = w->frame_known, fresh = w->fresh;

	while (chain->count < chain->capacity) {
		const uint64_t ip = exact ? pc : pc - 1;
		const struct tl_perf_unwind_rule *rule = slot_of(w, ip);
		const uint64_t cfa =
			(rule->by_frame ? frame : stack) + (uint64_t)(int64_t)rule->cfa;
		const uint64_t back_at = cfa + (uint64_t)(int64_t)rule->back - m.start;
		const uint64_t frame_at = cfa + (uint64_t)(int64_t)rule->frame - m.start;
		uint64_t back;

		if (rule->ip != ip || rule->space != space || rule->kind != RULE_SIMPLE ||
		    (rule->by_frame && !frame_known) || cfa <= stack || back_at > m.size - 8)
			break;
		back = tl_get64s(m.bytes + back_at, TL_HOST_BIG_ENDIAN);
		if (rule->is_signed)
			back &= ADDRESS_BITS;
		if (!back)
			break;
		if (!rule->keeps_frame && frame_at + m.start >= stack) {
			if (frame_at > m.size - 8)
				break;
			frame = tl_get64s(m.bytes + frame_at, TL_HOST_BIG_ENDIAN);
			frame_known = true;
		}
		fetch_stack(&m, back_at);
		chain->list[chain->count++] = rule->is_signal ? pc : ip;
		exact = rule->is_signal;
		stack = cfa;
		pc = back;
		fresh = false;
	}
	w->pc = pc;
	w->stack = stack;
	w->frame = frame;
	w->exact = exact;
	w->frame_known = frame_known;
	w->fresh = fresh;
}

/* Leave one frame after those that leave_known() can. */
static enum next leave_on(struct walk *w)
{
	if (!w->all && w->u->memory.size >= 8)
		leave_known(w);
	return leave(w, false);
}

static enum next walk_stack(struct walk *w)
{
	const struct tl_cfi_frame *start = &w->u->start;
	enum next next;

	for (unsigned line = 0; line < FETCHED_AHEAD; line += LINE)
		__builtin_prefetch((const void *)((uintptr_t)w->u->memory.bytes + line));
	w->chain->count = w->chain_start;
	w->registers = *start;
	w->fresh = w->exact = true;
	w->pc = start->pc;
	w->stack = start->registers[tl_cfi_stack_register(w->u->machine)];
	w->frame = start->registers[tl_cfi_frame_register(w->u->machine)];
	w->frame_known = start->known >> tl_cfi_frame_register(w->u->machine) & 1;
	next = leave(w, true);
	for (size_t i = 0; next == NEXT_CALLER; i++)
		next = i < FRAMES_MAX ? leave_on(w) : end_by(w, TL_CFI_BAD);
	return next;
}

/* ---- samples ---- */

static bool make_rules(struct tl_perf_unwinder *u)
{
	if (!u->rules)
		u->rules = tl_zeroed(RULES, sizeof(*u->rules));
	return u->rules;
}

int tl_perf_unwind_begin(struct tl_perf_unwinder *u, const struct tl_perf_record *rec,
			 struct tl_perf_call_chain *chain)
{
	/* Threads of the kernel have no registers of a process. */
	if (!rec->sample.stack_size || !rec->sample.user_abi || chain->has_user)
		return 0;
	u->stacks++;
	if (!tl_perf_user_registers(u->header, rec, &u->start, &u->machine)) {
		u->unreadable++;
		return 0;
	}
	u->memory = (struct tl_cfi_memory){
		.bytes = rec->sample.stack,
		.start = u->start.registers[tl_cfi_stack_register(u->machine)],
		.size = (size_t)rec->sample.stack_used,
	};
	/* In the kernel the process's own address comes after the kernel's. */
	if (!rec->sample.callchain_count)
		chain->count = 0;
	if (!tl_grow(&chain->list, &chain->capacity, chain->count + 1, sizeof(*chain->list)))
		return TL_NO_MEMORY;
	chain->list[chain->count++] = u->start.pc;
	return 1;
}

int tl_perf_unwind(struct tl_perf_unwinder *u, const struct tl_perf_stack_root *root,
		   struct tl_perf_call_chain *chain, struct tl_error *err)
{
	struct walk walk = {
		.u = u,
		.root = root,
		.changes = tl_perf_map_epoch_end(u->sys, root->process, root->changes),
		.space = (uint64_t)root->process << 32 ^ (root->changes + 1),
		.chain = chain,
		.chain_start = chain->count,
		.err = err,
	};
	enum next next;

	if (!make_rules(u))
		return tl_error_memory(err);
	next = walk_stack(&walk);
	if (next == NEXT_AGAIN) {
		walk.all = true;
		next = walk_stack(&walk);
	}
	/* No file is needed, so that only memory can be missing. */
	return next == NEXT_FAILED ? TL_NO_MEMORY : 0;
}

void tl_perf_unwinder_free(struct tl_perf_unwinder *u)
{
	for (size_t i = 0; i < u->object_count; i++)
		tl_cfi_close(u->objects[i].cfi);
	free(u->objects);
	free(u->rules);
}
