/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The blocks that a stream executed, from segment to segment. Most come as token blocks, which are
 * compared instead of decoded (profile/token_blocks.h); the rest instruction by instruction.
 */
#include "xtrace/executed/executed.h"

#include <string.h>

#include "core/error.h"
#include "symbols/binary.h"
#include "xtrace/profile/token_blocks.h"

enum { AT_ONCE = 1 << 14, MARK_EVERY = 256, MOST_INSNS = 64, INSN_BYTES = 4 };

struct executed {
	struct tl_xtrace_trace *trace;
	const struct tl_xtrace_stream *stream;
	struct tl_binary *const *binaries;
	size_t binary_count;
	struct tl_xtrace_function_map functions;
	struct tl_xtrace_token_blocks tokens;
	struct tl_flow_blocks blocks;
	size_t segment; /* that is walked, or comes next */
	bool walking;
	struct tl_xtrace_walk walk;
	struct tl_xtrace_token_block *done; /* the last one, NULL: none */
};

/* ---- blocks ---- */

static enum tl_flow_end end_of(unsigned flow)
{
	switch (flow) {
	case TL_A64_NEXT:
		return TL_FLOW_CUT;
	case TL_A64_CALL:
	case TL_A64_CALL_REGISTER:
		return TL_FLOW_CALL;
	case TL_A64_RETURN:
		return TL_FLOW_RETURN;
	default:
		return TL_FLOW_BRANCH;
	}
}

static bool find_place(struct executed *e, uint64_t pc, unsigned el, struct tl_flow_place *place)
{
	const struct tl_xtrace_location at = tl_xtrace_locate(&e->functions, pc, el);
	const struct tl_xtrace_function *function;

	*place = (struct tl_flow_place){ .object = "", .offset = pc, .function = "" };
	if (at.function == TL_NONE)
		return false;
	function = &e->functions.list[at.function];
	if (function->name) {
		place->function = function->name;
		place->into = pc - function->start;
	}
	if (function->binary != TL_NONE) {
		struct tl_binary *binary = e->binaries[function->binary];

		place->object = tl_binary_path(binary);
		place->offset = pc - tl_binary_bias(binary);
	}
	return true;
}

/* What tl_flow_known() tells of a block, from its opcodes; TL_NONE: no memory. */
static uint32_t add_block(struct executed *e, uint64_t pc, unsigned el, const uint32_t *opcodes,
			  size_t count, unsigned flow)
{
	struct tl_flow_insn insns[MOST_INSNS];
	struct tl_flow_place place;
	uint32_t number;

	if (!find_place(e, pc, el, &place))
		return TL_NONE;
	for (size_t i = 0; i < count; i++)
		insns[i] = (struct tl_flow_insn){ pc + INSN_BYTES * i, INSN_BYTES, opcodes[i] };
	number = tl_flow_block_add(&e->blocks, insns, count, end_of(flow), &place);
	return number == TL_NONE ? TL_NONE : tl_flow_known(&e->blocks, number);
}

static bool look_at(struct executed *e, struct tl_xtrace_token_block *b)
{
	uint32_t opcodes[MOST_INSNS], known;

	for (size_t i = 0; i < b->insn_count; i++)
		opcodes[i] = b->insns[i].opcode;
	known = add_block(e, b->place.pc, b->place.el, opcodes, b->insn_count, b->flow);
	if (known != TL_NONE)
		b->mark = known + 1;
	return known != TL_NONE;
}

/* ---- walking ---- */

static bool put_block(struct executed *e, struct tl_flow_list *list,
		      struct tl_xtrace_token_block *b)
{
	if (__builtin_expect(!b->mark, 0) && !look_at(e, b))
		return false;
	tl_flow_put(&e->blocks, list, b->mark - 1);
	tl_xtrace_token_block_skip(b, &e->walk);
	e->done = b;
	return true;
}

/* One token that begins an instruction, with all that belongs to it, or one between two. False: no
 * memory. */
static bool put_one(struct executed *e, struct tl_flow_list *list)
{
	struct tl_xtrace_walk *w = &e->walk;
	const enum tl_xtrace_kind kind = tl_xtrace_walk_next(w);
	uint32_t opcode, known;

	if (!tl_xtrace_is_instruction(kind))
		return true;
	e->done = NULL;
	opcode = tl_xtrace_walk_instruction(w, kind);
	known = add_block(e, w->pc, tl_xtrace_walk_el(w), &opcode, 1,
			  tl_a64_look(e->tokens.cache, opcode)->flow);
	if (known == TL_NONE)
		return false;
	tl_flow_put(&e->blocks, list, known);
	while (w->status == TL_OK && w->next < w->end &&
	       !tl_xtrace_ends_instruction(w->tokens->kind[*w->next]) &&
	       tl_xtrace_walk_next(w) != TL_XTRACE_NONE)
		;
	return true;
}

/* Some thousand blocks of the segment. False: no memory. */
static bool walk_on(struct executed *e, struct tl_flow_list *list, size_t enough)
{
	struct tl_xtrace_walk *w = &e->walk;

	while (w->next < w->end && w->status == TL_OK && list->count < enough) {
		struct tl_xtrace_token_block *b = NULL;
		bool whole = false, put;
		uint64_t pc;

		if (tl_xtrace_token_block_pc(w, &pc))
			b = tl_xtrace_token_block_next(&e->tokens, e->done, w, pc, &whole);
		put = b && whole ? put_block(e, list, b) : put_one(e, list);
		if (!put || e->tokens.no_memory || e->blocks.no_memory)
			return false;
	}
	return true;
}

static bool put_gap(struct executed *e, struct tl_flow_list *list)
{
	if (!tl_flow_list_room(list, 1))
		return false;
	tl_flow_put_gap(&e->blocks, list);
	return !e->blocks.no_memory;
}

/* The walk has come to its end, or to damage. */
static int end_segment(struct executed *e, struct tl_flow_list *list, struct tl_error *err)
{
	bool damaged;
	int status;

	tl_xtrace_walk_next(&e->walk); /* how it ends, if it has not yet */
	damaged = e->walk.status != TL_OK;
	status = tl_xtrace_walk_end(&e->walk, err);
	if (status == 0 && damaged && !put_gap(e, list))
		return tl_error_memory(err);
	e->walking = false;
	e->segment++;
	return status;
}

static int next_blocks(void *arg, struct tl_flow_list *list, struct tl_error *err)
{
	struct executed *e = arg;
	const size_t enough = list->count + AT_ONCE;
	size_t most;
	int status = 0;

	if (!tl_flow_list_room(list, AT_ONCE + 1))
		return tl_error_memory(err);
	while (status == 0 && list->count < enough) {
		if (!e->walking && e->segment == e->stream->segment_count) {
			tl_flow_put_end(&e->blocks, list);
			return 0;
		}
		if (!e->walking)
			tl_xtrace_walk_begin(&e->walk, e->trace, e->stream,
					     &e->stream->segments[e->segment]);
		e->walking = true;
		most = list->count + MARK_EVERY < enough ? list->count + MARK_EVERY : enough;
		if (!tl_flow_list_mark(list, (uint64_t)(e->walk.next - e->stream->data)) ||
		    !walk_on(e, list, most))
			return tl_error_memory(err);
		if (e->walk.next >= e->walk.end || e->walk.status != TL_OK)
			status = end_segment(e, list, err);
	}
	return status < 0 ? status : 1;
}

/* ---- opening ---- */

static int close_executed(void *arg)
{
	struct executed *e = arg;

	tl_xtrace_token_blocks_free(&e->tokens);
	tl_xtrace_function_map_free(&e->functions);
	tl_flow_blocks_free(&e->blocks);
	free(e);
	return 0;
}

static const struct tl_xtrace_stream *find_stream(const struct tl_xtrace_trace *trace,
						  const struct tl_xtrace_executed_options *options,
						  size_t number)
{
	for (uint32_t i = 0; i < trace->stream_count; i++) {
		const struct tl_xtrace_stream *stream = &trace->streams[i];

		if ((options->id == TL_NOWHERE || options->id == stream->info.id) && stream->size &&
		    !number--)
			return stream;
	}
	return NULL;
}

int tl_xtrace_executed(struct tl_xtrace_trace *trace,
		       const struct tl_xtrace_executed_options *options, size_t number,
		       uint64_t salt, struct tl_flow_source *source, struct tl_error *err)
{
	const struct tl_xtrace_stream *stream = find_stream(trace, options, number);
	struct executed *e;

	if (!number)
		tl_xtrace_rewind(trace);
	if (!stream)
		return 0;
	e = calloc(1, sizeof(*e));
	if (!e)
		return tl_error_memory(err);
	e->trace = trace;
	e->stream = stream;
	e->binaries = options->binaries;
	e->binary_count = options->binary_count;
	tl_flow_blocks_begin(&e->blocks, salt);
	tl_xtrace_function_map_begin(&e->functions, e->binaries, e->binary_count);
	if (!tl_xtrace_token_blocks_begin(&e->tokens, &e->functions)) {
		close_executed(e);
		return tl_error_memory(err);
	}
	e->tokens.kinds = stream->tokens.kind;
	e->tokens.sizes = stream->tokens.size;
	*source = (struct tl_flow_source){
		.next = next_blocks,
		.close = close_executed,
		.arg = e,
		.blocks = &e->blocks,
		.process = TL_NOWHERE,
		.thread = stream->info.id,
	};
	return 1;
}
