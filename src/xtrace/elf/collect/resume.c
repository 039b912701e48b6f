/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A handler ends in the slice that began before it. What it interrupted comes back from a slot that
 * is filled when the program is made: with what is known where it was interrupted
 * (interruption.c), and with what the instructions behind the return show of it. A register that
 * none of them reads before it is written has any value; if none writes it, that of the snapshot
 * at the slice's end.
 */
#include <stdlib.h>
#include <string.h>

#include "core/cursor.h"
#include "core/error.h"
#include "core/memory.h"
#include "xtrace/elf/collect/interruption.h"
#include "xtrace/elf/collect/nest.h"
#include "xtrace/elf/collect/uses.h"

/* What is left of the registers that came back. */
struct kept {
	struct tl_xtrace_registers runs[2]; /* of the inputs */
	/* Those of which something may be left; those that nothing may have written yet. */
	uint64_t general;
	uint32_t vectors, same_vectors;
	bool same_flags, same_predicates, same_status;
};

/* What a handler interrupts that begins behind it: before this instruction. */
struct outer_kept {
	struct kept kept;
	struct tl_xtrace_step step;
};

struct resume {
	struct tl_xtrace_interruption from;
	struct tl_xtrace_inputs inputs;
	struct kept kept;
	/* Registers that were read, as they came back; halves that stores showed. */
	uint64_t read;
	uint32_t read_halves[2], read_longer, shown[2];
	bool read_predicates, read_status;
	/* All that may be left counts as read; nothing more is to be learned; no memory. */
	bool given_up, over, failed;
	unsigned nzcv; /* found */
	bool has_nzcv;
	struct tl_xtrace_replay_vectors vectors; /* what stores showed */
	/* Handlers that begin and end behind it. */
	struct tl_xtrace_nest nest;
	struct outer_kept outer[TL_XTRACE_MOST_NESTED];
	uint64_t begin, end, left; /* offsets; instructions */
	struct tl_xtrace_snapshot last;
	bool has_last;
};

/* ---- what the instructions behind the return show ---- */

static void show_vector(struct resume *r, unsigned number, const uint8_t *bytes, uint32_t size)
{
	uint32_t bit = UINT32_C(1) << number;

	if (!(r->kept.same_vectors & bit) || size < 8)
		return;
	memcpy(r->vectors.z[number], bytes, size);
	r->shown[0] |= bit;
	r->shown[1] |= size == 16 ? bit : 0;
}

/* The first store of V registers: their bytes come in one token, or in one for each. */
static void show_vectors(struct resume *r, const struct tl_a64_access *access, uint32_t at,
			 const uint8_t *bytes, uint32_t size)
{
	uint32_t of_one = access->registers ? access->bytes / access->registers : 0;

	for (; of_one && size >= of_one && at < access->bytes && at % of_one == 0; at += of_one) {
		show_vector(r, at ? access->rt2 : access->rt, bytes, of_one);
		bytes += of_one;
		size -= of_one;
	}
}

/* What the accesses of an instruction show, and what it loads. */
struct accesses {
	struct tl_a64_access access;
	bool any;
	uint32_t stored, loaded;
	uint8_t bytes[16];
};

static void take_access(struct resume *r, struct accesses *a, const struct tl_xtrace_walk *w,
			bool store)
{
	uint32_t size = (uint32_t)tl_xtrace_access_size(*w->token);

	if (!a->any)
		tl_xtrace_inputs_address(&r->inputs, &a->access, tl_xtrace_walk_value(w));
	a->any = true;
	if (store) {
		tl_xtrace_inputs_stored(&r->inputs, &a->access, a->stored, w->token + 9, size);
		if (a->access.vector)
			show_vectors(r, &a->access, a->stored, w->token + 9, size);
		a->stored += size;
	} else if (size <= sizeof(a->bytes) - a->loaded) {
		memcpy(a->bytes + a->loaded, w->token + 9, size);
		a->loaded += size;
	}
}

static void show_flags(struct resume *r, uint32_t opcode, uint64_t value)
{
	struct tl_xtrace_insn_effect effect = tl_xtrace_insn_effect(opcode);

	if (!r->kept.same_flags || effect.forget & TL_XTRACE_KNOWN_FLAGS)
		return;
	r->nzcv = (unsigned)(value >> 28) & 15;
	r->has_nzcv = true;
}

static void take_value(struct resume *r, const struct tl_a64 *insn, enum tl_xtrace_kind kind,
		       uint64_t value, unsigned *arguments)
{
	uint32_t opcode = insn->opcode;
	unsigned reg = TL_A64_ZERO;

	if (kind == TL_XTRACE_FLAGS)
		show_flags(r, opcode, value);
	else if (kind == TL_XTRACE_SVCARG && *arguments <= 6)
		reg = *arguments ? *arguments - 1 : 8;
	else if (kind == TL_XTRACE_TARGET_B && (opcode & 0xff9ffc1f) == 0xd61f0000)
		reg = opcode >> 5 & 31;
	else if (kind == TL_XTRACE_DC || (kind == TL_XTRACE_MRS && insn->special == TL_A64_MSR))
		reg = opcode & 31;
	*arguments += kind == TL_XTRACE_SVCARG;
	if (reg < TL_XTRACE_REG_SP)
		tl_xtrace_inputs_show(&r->inputs, reg, value, UINT64_MAX);
}

static void take_tokens(struct resume *r, const struct tl_xtrace_step *step, struct accesses *a)
{
	struct tl_xtrace_walk w = step->tokens;
	enum tl_xtrace_kind kind;
	unsigned arguments = 0;

	a->access = tl_a64_access_of(&step->insn);
	while ((kind = tl_xtrace_step_token(&w)) != TL_XTRACE_NONE)
		if (kind == TL_XTRACE_LOAD || kind == TL_XTRACE_STORE)
			take_access(r, a, &w, kind == TL_XTRACE_STORE);
		else
			take_value(r, &step->insn, kind, tl_xtrace_walk_value(&w), &arguments);
}

/* ---- what they read and write ---- */

static void take_reads(struct resume *r, const struct tl_xtrace_uses *uses)
{
	r->read |= uses->reads & r->kept.general;
	for (unsigned half = 0; half < 2; half++)
		r->read_halves[half] |= uses->halves[half] & r->kept.vectors;
	r->read_longer |= uses->longer & r->kept.vectors;
	r->read_predicates |= uses->predicates;
	r->read_status |= uses->status && r->kept.same_status;
}

static void take_writes(struct resume *r, const struct tl_a64 *insn,
			const struct tl_xtrace_uses *uses)
{
	struct tl_xtrace_insn_effect effect = tl_xtrace_insn_effect(insn->opcode);

	r->kept.general &= ~uses->writes;
	r->kept.vectors &= ~uses->vectors;
	r->kept.same_vectors &= ~tl_xtrace_state_vector_writes(insn, r->from.state.values.bytes);
	r->kept.same_flags &= !(effect.forget & TL_XTRACE_KNOWN_FLAGS);
	r->kept.same_predicates &= !uses->predicates && insn->special != TL_A64_SVC;
	r->kept.same_status &= (insn->opcode & ~UINT32_C(31)) != 0xd51b4420;
	/* The result. */
	if (insn->special == TL_A64_SVC)
		r->kept.general &= ~UINT64_C(1);
}

/* All that is left may be read. */
static void read_kept(struct resume *r, const struct kept *kept)
{
	r->read |= kept->general;
	r->read_halves[0] |= kept->vectors;
	r->read_halves[1] |= kept->vectors;
	r->read_longer |= kept->vectors;
	r->read_status |= kept->same_status;
}

static void execute(struct resume *r, const struct tl_xtrace_step *step)
{
	struct tl_xtrace_uses uses = tl_xtrace_uses(&step->insn);
	struct accesses a = { .any = false };
	struct tl_xtrace_inputs_step executed;

	take_tokens(r, step, &a);
	take_reads(r, &uses);
	executed = (struct tl_xtrace_inputs_step){
		.opcode = step->insn.opcode,
		.pc = step->pc,
		.loaded = a.bytes,
		.loaded_size = a.loaded,
		.left_out = step->insn.access && !step->accessed,
	};
	tl_xtrace_inputs_execute(&r->inputs, &executed);
	if (executed.left_out) {
		uses.writes = 0;
		uses.vectors = 0;
	}
	take_writes(r, &step->insn, &uses);
}

/*
 * Nothing more is to be learned, and all that may be left may be read, also where handlers come
 * back that have begun and not ended.
 */
static void give_up(struct resume *r)
{
	read_kept(r, &r->kept);
	for (size_t i = 0; i < r->nest.depth; i++)
		read_kept(r, &r->outer[i].kept);
	r->given_up = true;
	r->has_last = false;
}

/* Whether what it interrupts was executed is told where it returns: till then, it reads. */
static void begin_handler(struct resume *r, const struct tl_xtrace_step *step)
{
	struct outer_kept *outer = &r->outer[r->nest.depth];
	struct kept before = r->kept;

	memcpy(before.runs, r->inputs.runs, sizeof(before.runs));
	execute(r, step);
	if (!tl_xtrace_nest_begin(&r->nest, step)) {
		r->kept = before;
		give_up(r);
		return;
	}
	outer->kept = before;
	outer->step = *step;
	r->kept.general = (r->kept.general | before.general) & ~TL_XTRACE_SET_BY_KERNEL;
	r->kept.vectors |= before.vectors;
	for (unsigned run = 0; run < 2; run++)
		r->inputs.runs[run].known &= ~TL_XTRACE_SET_BY_KERNEL;
}

static bool changes_registers(const struct tl_xtrace_signal_frame *frame)
{
	size_t pc = TL_XTRACE_FRAME_REGISTERS + 8 * (size_t)TL_XTRACE_FRAME_PC;

	return tl_xtrace_frame_any(frame, TL_XTRACE_FRAME_REGISTERS, pc - TL_XTRACE_FRAME_REGISTERS,
				   TL_XTRACE_FRAME_STORED) ||
	       tl_xtrace_frame_has_flags(frame) ||
	       tl_xtrace_frame_any(frame, TL_XTRACE_FRAME_RECORDS, frame->size,
				   TL_XTRACE_FRAME_STORED);
}

static void end_handler(struct resume *r, const struct tl_xtrace_step *step)
{
	const struct tl_xtrace_signal_frame *changed = &r->nest.changed;
	size_t depth = r->nest.depth;
	bool known = tl_xtrace_nest_end(&r->nest, step), another = depth == r->nest.depth;
	const struct outer_kept *outer;
	int executed;

	if (!depth) {
		/* rt_sigreturn of one that began before: nothing is left. */
		r->over = true;
		r->has_last = false;
		return;
	}
	outer = &r->outer[depth - 1];
	r->kept = outer->kept;
	memcpy(r->inputs.runs, r->kept.runs, sizeof(r->kept.runs));
	executed = another ? -1 : tl_xtrace_nest_executed(&outer->step, changed, step->next);
	if (!known || executed < 0 || changes_registers(changed)) {
		give_up(r);
		return;
	}
	if (executed)
		execute(r, &outer->step);
	/* The result of rt_sigreturn is X0 that came back. */
	for (unsigned run = 0; run < 2; run++)
		r->inputs.runs[run].known &= ~UINT64_C(1);
}

static bool take_step(void *arg, const struct tl_xtrace_step *step)
{
	struct resume *r = arg;
	bool breaks;

	if (step->offset <= r->begin)
		return true;
	if (step->offset >= r->end || !r->left)
		return false;
	if (r->given_up) {
		r->read_predicates |= tl_xtrace_uses(&step->insn).predicates;
		return !r->read_predicates;
	}
	r->failed =
		!tl_xtrace_nest_step(&r->nest, step, r->nest.depth ? r->inputs.runs[0].known : 0);
	breaks = tl_xtrace_step_breaks(step);
	if (breaks && !tl_xtrace_step_returns(step))
		begin_handler(r, step);
	else
		execute(r, step);
	if (breaks && tl_xtrace_step_returns(step))
		end_handler(r, step);
	r->left -= !tl_xtrace_step_repeats(step);
	return !r->over && !r->failed;
}

/* ---- what the snapshot at the end shows ---- */

static void find_last(struct resume *r, const struct tl_xtrace_slice_part *part)
{
	uint32_t count = part->trace->streams[part->stream].info.snapshots;

	for (uint32_t i = part->first_snapshot + 1; i < count && !r->has_last; i++) {
		tl_xtrace_read_snapshot(part->trace, part->stream, i, &r->last);
		r->has_last = r->last.offset == part->end_byte;
	}
}

static void take_last(struct resume *r)
{
	struct tl_xtrace_replay_vectors *last;

	if (!r->has_last)
		return;
	for (unsigned reg = 0; reg < 32; reg++)
		tl_xtrace_inputs_show(&r->inputs, reg, r->last.x[reg], UINT64_MAX);
	if (r->kept.same_flags && !r->has_nzcv) {
		r->nzcv = (unsigned)(r->last.sysregs[2] >> 28) & 15;
		r->has_nzcv = true;
	}
	last = malloc(sizeof(*last));
	if (!last) {
		r->has_last = false;
		return;
	}
	tl_xtrace_vectors_of_snapshot(last, &r->last);
	for (unsigned i = 0; i < 32; i++)
		if (r->kept.same_vectors >> i & 1)
			memcpy(r->vectors.z[i], last->z[i], sizeof(last->z[i]));
	if (r->kept.same_predicates)
		memcpy(r->vectors.p, last->p, sizeof(last->p));
	free(last);
}

/* ---- all of it ---- */

/* False: a register is read whose value is not to be found, or it has two. */
static bool put_general(const struct resume *r, struct tl_xtrace_replay_resumed *to,
			uint64_t replaced, bool several)
{
	const struct tl_xtrace_registers *known = &r->from.state.general;

	for (unsigned reg = 0; reg < 32; reg++) {
		uint64_t bit = UINT64_C(1) << reg;
		bool found = r->inputs.found & bit, has = known->known & bit;

		if (replaced & bit)
			continue;
		if (found && has && r->inputs.values[reg] != known->x[reg])
			return false;
		/* Threads are told apart by SP. */
		if (!found && !has && (r->read & bit || (reg == TL_XTRACE_REG_SP && several)))
			return false;
		to->values[reg] = found ? r->inputs.values[reg] : has ? known->x[reg] : 0;
	}
	return true;
}

static bool put_flags(const struct resume *r, struct tl_xtrace_replay_resumed *to)
{
	const struct tl_xtrace_registers *known = &r->from.state.general;
	bool has = known->known & TL_XTRACE_KNOWN_FLAGS;
	unsigned nzcv = r->has_nzcv ? r->nzcv : has ? known->nzcv : 0;

	if (tl_xtrace_frame_has_flags(&r->from.handler.contents))
		return true;
	to->values[TL_XTRACE_REPLAY_NZCV] = (uint64_t)nzcv << 28;
	if (has && r->has_nzcv)
		return known->nzcv == r->nzcv;
	return has || r->has_nzcv || !(r->read & TL_XTRACE_KNOWN_FLAGS);
}

static bool put_status(const struct resume *r, struct tl_xtrace_replay_resumed *to)
{
	const struct tl_xtrace_state *known = &r->from.state;
	const struct tl_xtrace_signal_frame *frame = &r->from.handler.contents;
	bool control =
		     tl_xtrace_frame_all(frame, TL_XTRACE_FRAME_CONTROL, 4, TL_XTRACE_FRAME_STORED),
	     sticky = tl_xtrace_frame_all(frame, TL_XTRACE_FRAME_STATUS, 4, TL_XTRACE_FRAME_STORED);

	to->values[TL_XTRACE_REPLAY_FPCR] = known->control ? known->fpcr : 0;
	/* Its bits stay set: those at the end are at least those of the beginning. */
	to->values[TL_XTRACE_REPLAY_FPSR] = known->status                    ? known->fpsr
					    : r->has_last && !r->read_status ? r->last.sysregs[1]
									     : 0;
	return (known->control || control) && (known->status || !r->read_status || sticky);
}

/* The handler stored this half of V0 to V31, and nothing else says what is there. */
static bool is_put(const struct resume *r, unsigned half)
{
	const struct tl_xtrace_signal_frame *frame = &r->from.handler.contents;

	return r->from.state.values.bytes == 16 &&
	       tl_xtrace_frame_all(frame, TL_XTRACE_FRAME_VECTORS + 8 * (size_t)half, 8,
				   TL_XTRACE_FRAME_STORED);
}

static bool put_vectors(const struct resume *r, struct tl_xtrace_replay_resumed *to)
{
	const struct tl_xtrace_state *known = &r->from.state;
	uint32_t whole = known->vectors;

	to->vectors = r->vectors;
	to->vectors.bytes = known->values.bytes;
	for (unsigned i = 0; i < 32; i++) {
		if (whole >> i & 1)
			memcpy(to->vectors.z[i], known->values.z[i], sizeof(to->vectors.z[i]));
		else if (r->read_longer >> i & 1)
			return false;
		for (unsigned half = 0; half < 2; half++) {
			bool shown = r->shown[half] >> i & 1, there = r->from.shown[half] >> i & 1;

			if (there && !shown)
				memcpy(to->vectors.z[i] + 8 * (size_t)half,
				       known->values.z[i] + 8 * (size_t)half, 8);
			if (!(whole >> i & 1) && r->read_halves[half] >> i & 1 && !shown &&
			    !there && !is_put(r, 2 * i + half))
				return false;
		}
	}
	if (known->predicates)
		memcpy(to->vectors.p, known->values.p, sizeof(to->vectors.p));
	return known->predicates || !r->read_predicates;
}

static bool put_resumed(const struct resume *r, struct tl_xtrace_replay_resumed *to,
			uint64_t replaced, bool several)
{
	return put_general(r, to, replaced, several) && put_flags(r, to) && put_status(r, to) &&
	       put_vectors(r, to);
}

/* 1: it is known; 0: it is not; negative. */
static int make(struct resume *r, struct tl_xtrace_collector *c, uint64_t pc)
{
	struct tl_xtrace_replay *replay = c->replay;
	struct tl_xtrace_replay_resumed *to;
	uint64_t replaced;

	if (!tl_xtrace_interruption_look(&r->from, c, pc))
		return 0;
	replaced = tl_xtrace_frame_changed(&r->from.handler.contents) | !c->call.open;
	r->begin = c->now.offset;
	r->end = c->part->end_byte;
	r->left = c->part->most - c->counts->instructions;
	r->kept.general = (TL_XTRACE_KNOWN_X | TL_XTRACE_KNOWN_FLAGS) & ~replaced;
	r->kept.vectors = r->kept.same_vectors = UINT32_MAX;
	r->kept.same_flags = r->kept.same_predicates = r->kept.same_status = true;
	tl_xtrace_inputs_begin_any(&r->inputs, TL_XTRACE_KNOWN_X & ~replaced);
	r->nest.vector_bytes = r->from.state.values.bytes;
	find_last(r, c->part);
	if (!tl_xtrace_each_step(c->part->trace, c->part->stream, r->from.segment, UINT64_MAX,
				 take_step, r) ||
	    r->failed)
		return 0;
	take_last(r);
	if (!tl_grow(&replay->slots.resumed, &replay->slots.resumed_capacity,
		     replay->slots.resumed_count + 1, sizeof(*replay->slots.resumed)))
		return tl_error_memory(c->err);
	to = &replay->slots.resumed[replay->slots.resumed_count];
	*to = (struct tl_xtrace_replay_resumed){ .slot = replay->slots.count };
	if (!put_resumed(r, to, replaced, c->order != NULL))
		return 0;
	replay->slots.resumed_count++;
	replay->slots.count++;
	return 1;
}

static int refuse(struct tl_xtrace_collector *c, const struct tl_xtrace_interruption *from)
{
	const struct tl_xtrace_stream *stream = &c->part->trace->streams[c->part->stream];
	struct tl_xtrace_snapshot snapshot;
	int status;

	tl_xtrace_read_snapshot(c->part->trace, c->part->stream, from->snapshot, &snapshot);
	status = tl_xtrace_note_fault(&c->part->trace->faults,
				      &(struct tl_xtrace_fault){
					      .status = TL_UNSUPPORTED,
					      .path = stream->info.snapshot_path,
					      .offset = snapshot.record_offset,
					      .record = from->snapshot,
					      .text = "the last snapshot before that handler "
						      "began; begin the slice there",
				      },
				      c->err);
	return status < 0
		       ? status
		       : tl_xtrace_collect_refuse(
				 c, "a signal's handler ends here that began before the slice, "
				    "and what it interrupted reads registers that are not in "
				    "the trace; begin the slice before the signal, or end it here");
}

int tl_xtrace_collect_resume(struct tl_xtrace_collector *c, uint64_t pc, uint32_t *slot,
			     struct tl_xtrace_handler *handler, uint64_t *sp)
{
	struct resume *r = tl_zeroed(1, sizeof(*r));
	int status;

	if (!r)
		return tl_error_memory(c->err);
	*handler = (struct tl_xtrace_handler){ .frame = 0 };
	if (!tl_xtrace_interruption_find(&r->from, c, pc)) {
		free(r);
		return tl_xtrace_collect_refuse(
			c, "a signal's handler ends here whose beginning is in no part of the "
			   "trace that has a snapshot before it; end the slice here");
	}
	status = make(r, c, pc);
	if (status == 0)
		status = refuse(c, &r->from);
	if (status > 0) {
		*slot = c->replay->slots.resumed[c->replay->slots.resumed_count - 1].slot;
		*sp = c->replay->slots.resumed[c->replay->slots.resumed_count - 1]
			      .values[TL_XTRACE_REPLAY_SP];
		if (tl_xtrace_frame_changed(&r->from.handler.contents) >> TL_XTRACE_REG_SP & 1)
			*sp = tl_xtrace_frame_word(&r->from.handler.contents, TL_XTRACE_REG_SP);
	}
	*handler = r->from.handler;
	tl_xtrace_nest_free(&r->nest);
	free(r);
	return tl_error_or_end(status);
}
