/* SPDX-License-Identifier: Apache-2.0 */
/* The result of a fold as a profile: contexts from the stack, lines and jumps from token blocks. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "profile/model/model.h"
#include "symbols/binary.h"
#include "xtrace/profile/fold.h"

struct line {
	uint64_t pc;
	uint32_t function;
	bool kernel; /* the only way two functions can share an address */
	struct tl_xtrace_cost cost;
};

struct jump {
	uint64_t from, to;
	uint32_t function; /* of `from` */
	bool conditional, kernel;
	uint64_t executed, taken;
};

struct exporting {
	struct tl_xtrace_fold *fold;
	struct tl_profile *profile;
	uint32_t part;
	uint32_t *numbers; /* in the profile, by function; TL_NONE: not there yet */
	uint32_t *contexts;
	struct line *lines;
	struct jump *jumps;
	size_t line_count, line_capacity, jump_count, jump_capacity;
};

/* ---- functions ---- */

static struct tl_symbol symbol_in(const struct tl_xtrace_function_map *functions, uint32_t function,
				  uint64_t pc)
{
	const struct tl_xtrace_function *f = &functions->list[function];
	struct tl_symbol symbol = { .name = "", .file = "" };

	if (f->binary != TL_NONE)
		tl_binary_symbol_at(functions->binaries[f->binary], pc, &symbol);
	return symbol;
}

static struct tl_symbol symbol_at(const struct exporting *e, uint32_t function, uint64_t pc)
{
	return symbol_in(&e->fold->functions, function, pc);
}

static const char *object_of(const struct tl_xtrace_function_map *functions,
			     const struct tl_xtrace_function *f)
{
	if (f->binary != TL_NONE)
		return tl_binary_path(functions->binaries[f->binary]);
	return f->kernel ? "kernel" : "";
}

int64_t tl_xtrace_put_function(const struct tl_xtrace_function_map *functions, uint32_t function,
			       struct tl_profile *profile, struct tl_error *err)
{
	const struct tl_xtrace_function *f = &functions->list[function];
	const struct tl_symbol symbol = symbol_in(functions, function, f->start);
	struct tl_function made = {
		.name = f->name,
		.object = object_of(functions, f),
		.file = symbol.file,
		.line = symbol.line,
		.id = TL_NOWHERE,
		.address = f->start,
	};
	char name[32];

	if (!made.name) {
		snprintf(name, sizeof(name), "0x%" PRIx64, f->start);
		made.name = f->start ? name : "[unknown]";
	}
	return tl_profile_put_function(profile, &made, err);
}

/* The number in the profile; TL_NONE without memory. */
static uint32_t function_number(struct exporting *e, uint32_t function, struct tl_error *err)
{
	int64_t number;

	if (e->numbers[function] != TL_NONE)
		return e->numbers[function];
	number = tl_xtrace_put_function(&e->fold->functions, function, e->profile, err);
	if (number < 0)
		return TL_NONE;
	e->numbers[function] = (uint32_t)number;
	return (uint32_t)number;
}

/* ---- contexts and calls ---- */

/* Mark contexts of which something was counted, or under which it was. */
static void mark_counted(struct tl_xtrace_contexts *contexts)
{
	for (size_t i = contexts->count - 1; i > 0; i--) {
		struct tl_xtrace_context *node = &contexts->list[i];

		node->touched = node->touched || node->calls || node->unfinished;
		for (unsigned k = 0; k < TL_XTRACE_COSTS; k++)
			node->touched = node->touched || node->self.n[k];
		/* Callers have lower numbers. */
		contexts->list[node->parent].touched |= node->touched;
	}
}

static int put_contexts(struct exporting *e, struct tl_error *err)
{
	struct tl_xtrace_call_stack *stack = &e->fold->stack;

	e->contexts[0] = TL_NONE;
	if (e->fold->places)
		mark_counted(&stack->contexts);
	for (size_t i = 1; i < stack->contexts.count; i++) {
		const struct tl_xtrace_context *node = &stack->contexts.list[i];
		uint32_t function;
		int64_t number;

		if (e->fold->places && !node->touched)
			continue;
		function = function_number(e, node->function, err);
		if (function == TL_NONE)
			return tl_error_memory(err);
		number = tl_profile_add_context(e->profile, e->contexts[node->parent], function,
						e->part, err);
		if (number < 0)
			return (int)number;
		e->contexts[i] = (uint32_t)number;
		tl_profile_add_context_cost(e->profile, e->contexts[i], node->calls, node->self.n);
		tl_profile_add_unfinished(e->profile, e->contexts[i], node->unfinished);
	}
	return 0;
}

static struct tl_position position_of(const struct exporting *e, uint32_t function, uint64_t pc)
{
	const struct tl_symbol symbol = symbol_at(e, function, pc);

	return (struct tl_position){ .file = symbol.file, .line = symbol.line, .address = pc };
}

static int put_calls(struct exporting *e, struct tl_error *err)
{
	const struct tl_xtrace_call_stack *stack = &e->fold->stack;

	for (size_t i = 0; i < stack->sites.count; i++) {
		const struct tl_xtrace_call_site *site = &stack->sites.list[i];
		struct tl_arc arc = { .part = e->part, .calls = site->calls };
		int status;

		/* Where only a part counts, what was called before it may have cost nothing. */
		if (!site->calls && !site->inclusive.n[TL_XTRACE_IR])
			continue;
		arc.caller = function_number(e, site->caller, err);
		arc.callee = function_number(e, site->callee, err);
		if (arc.caller == TL_NONE || arc.callee == TL_NONE)
			return tl_error_memory(err);
		arc.from = position_of(e, site->caller, site->from);
		arc.to = position_of(e, site->callee, e->fold->functions.list[site->callee].start);
		status = tl_profile_put_arc(e->profile, &arc, site->inclusive.n, err);
		if (status < 0)
			return status;
	}
	return 0;
}

/* ---- lines ---- */

static bool add_line(struct exporting *e, uint64_t pc, uint32_t function,
		     const struct tl_xtrace_cost *cost)
{
	if (!tl_grow(&e->lines, &e->line_capacity, e->line_count + 1, sizeof(*e->lines)))
		return false;
	e->lines[e->line_count++] =
		(struct line){ pc, function, e->fold->functions.list[function].kernel, *cost };
	return true;
}

/* The cost of an instruction of a block: what it cost each time, and what was counted one by one.
 */
static struct tl_xtrace_cost insn_cost(const struct tl_xtrace_token_block *b,
				       const struct tl_xtrace_block_insn *insn)
{
	int64_t count = (int64_t)b->times.whole;
	struct tl_xtrace_cost cost = { {
		[TL_XTRACE_IR] = count,
		[TL_XTRACE_LOADS] = count * insn->loads,
		[TL_XTRACE_STORES] = count * insn->stores,
		[TL_XTRACE_LOAD_BYTES] = count * insn->load_bytes,
		[TL_XTRACE_STORE_BYTES] = count * insn->store_bytes,
		[TL_XTRACE_IR_KERNEL] = b->place.el ? count : 0,
	} };

	if (insn->extra)
		tl_xtrace_cost_add(&cost, insn->extra);
	return cost;
}

static bool add_jump(struct exporting *e, const struct jump *jump)
{
	if (!tl_grow(&e->jumps, &e->jump_capacity, e->jump_count + 1, sizeof(*e->jumps)))
		return false;
	e->jumps[e->jump_count++] = *jump;
	return true;
}

/* Jumps inside of functions; those between them are calls. */
static bool add_block_jump(struct exporting *e, const struct tl_xtrace_token_block *b)
{
	struct jump jump = {
		.from = b->last,
		.to = b->target,
		.function = b->place.function,
		.conditional = b->flow == TL_A64_CONDITIONAL,
		.executed = b->times.whole + b->times.stepped,
		.kernel = e->fold->functions.list[b->place.function].kernel,
	};

	if ((b->flow != TL_A64_CONDITIONAL && b->flow != TL_A64_JUMP) || !jump.executed ||
	    tl_xtrace_locate(&e->fold->functions, b->target, b->place.el).function !=
		    b->place.function)
		return true;
	jump.taken = jump.conditional ? b->times.taken : jump.executed;
	return add_jump(e, &jump);
}

static bool gather_block(struct exporting *e, const struct tl_xtrace_token_block *b)
{
	for (size_t i = 0; i < b->insn_count; i++) {
		const struct tl_xtrace_cost cost = insn_cost(b, &b->insns[i]);

		if (cost.n[TL_XTRACE_IR] &&
		    !add_line(e, b->place.pc + 4 * i, b->place.function, &cost))
			return false;
	}
	return add_block_jump(e, b);
}

static bool gather_crossings(struct exporting *e)
{
	for (size_t i = 0; i < e->fold->crossings.count; i++) {
		const struct tl_xtrace_segment_jump *from = &e->fold->crossings.list[i];
		const struct jump jump = {
			.from = from->from,
			.to = from->to,
			.function = from->function,
			.conditional = from->conditional,
			.kernel = e->fold->functions.list[from->function].kernel,
			.executed = !from->conditional,
			.taken = 1, /* the block counted the execution of a branch */
		};

		if (!add_jump(e, &jump))
			return false;
	}
	return true;
}

static bool gather(struct exporting *e)
{
	for (const struct tl_xtrace_fold_worker *w = e->fold->idle; w; w = w->next) {
		for (size_t i = 0; i <= w->blocks.mask; i++)
			for (const struct tl_xtrace_token_block *b = w->blocks.slots[i]; b;
			     b = b->variant)
				if (!gather_block(e, b))
					return false;
		for (size_t i = 0; i < w->indirect_count; i++) {
			const struct tl_xtrace_indirect_jump *from = &w->indirect[i];
			const struct jump jump = {
				.from = from->from,
				.to = from->to,
				.function = from->function,
				.kernel = e->fold->functions.list[from->function].kernel,
				.executed = from->count,
				.taken = from->count,
			};

			if (!add_jump(e, &jump))
				return false;
		}
	}
	return gather_crossings(e);
}

static int by_place(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->pc != y->pc)
		return tl_compare(x->pc, y->pc);
	return x->kernel - y->kernel;
}

static int put_lines(struct exporting *e, struct tl_error *err)
{
	if (e->line_count)
		qsort(e->lines, e->line_count, sizeof(*e->lines), by_place);
	for (size_t i = 0, next; i < e->line_count; i = next) {
		struct tl_cost_line line = {
			.part = e->part, .at = position_of(e, e->lines[i].function, e->lines[i].pc)
		};
		int status;

		for (next = i + 1; next < e->line_count && !by_place(&e->lines[i], &e->lines[next]);
		     next++)
			tl_xtrace_cost_add(&e->lines[i].cost, &e->lines[next].cost);
		line.function = function_number(e, e->lines[i].function, err);
		if (line.function == TL_NONE)
			return tl_error_memory(err);
		status = tl_profile_put_line(e->profile, &line, e->lines[i].cost.n, err);
		if (status < 0)
			return status;
	}
	return 0;
}

static int by_ends(const void *a, const void *b)
{
	const struct jump *x = a, *y = b;

	if (x->from != y->from)
		return tl_compare(x->from, y->from);
	if (x->to != y->to)
		return tl_compare(x->to, y->to);
	if (x->kernel != y->kernel)
		return x->kernel - y->kernel;
	return x->conditional - y->conditional; /* code may change */
}

static int put_jumps(struct exporting *e, struct tl_error *err)
{
	if (e->jump_count)
		qsort(e->jumps, e->jump_count, sizeof(*e->jumps), by_ends);
	for (size_t i = 0; i < e->jump_count; i++) {
		const struct jump *from = &e->jumps[i];
		struct tl_jump jump = {
			.part = e->part,
			.executed = from->executed,
			.taken = from->taken,
			.conditional = from->conditional,
			.from = position_of(e, from->function, from->from),
			.to = position_of(e, from->function, from->to),
		};
		int status;

		jump.function = jump.target = function_number(e, from->function, err);
		if (jump.function == TL_NONE)
			return tl_error_memory(err);
		status = tl_profile_put_jump(e->profile, &jump, err);
		if (status < 0)
			return status;
	}
	return 0;
}

/* ---- the whole ---- */

static int put_part(struct exporting *e, struct tl_error *err)
{
	const struct tl_xtrace_stream_info *info = &e->fold->trace->streams[e->fold->stream].info;
	const struct tl_part part = {
		.process = TL_NOWHERE,
		.thread = info->id,
		.records = (uint64_t)e->fold->stack.total.n[TL_XTRACE_IR],
		.losses = e->fold->stack.losses,
		.command = "",
		.header = "",
	};
	int64_t number = tl_profile_put_part(e->profile, &part, err);

	e->part = (uint32_t)number;
	return tl_profile_status(number);
}

/* The profile has the events in the order of the costs; the last one only if there are such
 * instructions. */
static int put_events(struct exporting *e, struct tl_error *err)
{
	const bool kernel =
		e->fold->stack.total.n[TL_XTRACE_IR_KERNEL] || e->fold->queue.share.kernel;

	if (!kernel || e->fold->trace->no_accesses)
		return 0;
	return tl_xtrace_put_kernel_event(e->profile, err);
}

int tl_xtrace_put_kernel_event(struct tl_profile *profile, struct tl_error *err)
{
	const struct tl_event kernel = { "IrKernel", "Instructions above EL0", "instructions", "" };

	return tl_profile_add_event(profile, &kernel, err) < 0 ? tl_error_memory(err) : 0;
}

static int put_all(struct exporting *e, struct tl_error *err)
{
	int status = put_events(e, err);

	if (status == 0)
		status = put_part(e, err);
	if (status == 0)
		status = put_contexts(e, err);
	if (status < 0 || !e->fold->options.lines)
		return status;
	status = gather(e) ? put_calls(e, err) : tl_error_memory(err);
	if (status == 0)
		status = put_lines(e, err);
	if (status < 0)
		return status;
	return put_jumps(e, err);
}

int tl_xtrace_fold_export(struct tl_xtrace_fold *fold, struct tl_error *err)
{
	struct exporting e = { .fold = fold, .profile = fold->profile };
	/* Places that only jumps name may add functions. */
	size_t functions = fold->functions.count + 1;
	int status;

	e.numbers = malloc(functions * sizeof(*e.numbers));
	e.contexts = malloc(fold->stack.contexts.count * sizeof(*e.contexts));
	if (e.numbers && e.contexts) {
		memset(e.numbers, 0xff, functions * sizeof(*e.numbers));
		status = put_all(&e, err);
	} else {
		status = tl_error_memory(err);
	}
	free(e.numbers);
	free(e.contexts);
	free(e.lines);
	free(e.jumps);
	return status;
}
