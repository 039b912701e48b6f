/* SPDX-License-Identifier: Apache-2.0 */
/* Checking a trace: the walk along the streams, which calls the other parts of the checker. */
#include "xtrace/check/check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "xtrace/check/code.h"
#include "xtrace/format/time_order.h"

/* Bytes, as every processor has had them so far. */
enum { DEFAULT_ZERO_BLOCK = 64 };

/* ---- instructions ---- */

static void judge_instruction(struct tl_xtrace_check_stream *s, bool cut, bool interrupted)
{
	tl_xtrace_check_complete(s, cut);
	tl_xtrace_check_execute(s, interrupted);
}

static inline void end_instruction(struct tl_xtrace_check_stream *s, bool cut, bool interrupted)
{
	if (!s->last.op || s->place.judged)
		return;
	s->place.judged = true;
	/* Nearly every other instruction is of one of these kinds. */
	if (!s->last.seen && s->last.op->inert)
		return;
	if (!s->last.seen && s->last.op->computes)
		tl_xtrace_registers_apply(&s->registers, &s->last.op->effect, s->last.pc, NULL, 0);
	else
		judge_instruction(s, cut, interrupted);
}

static void check_jump(struct tl_xtrace_check_stream *s, const struct tl_xtrace_check_opcode *op,
		       uint64_t pc, unsigned el)
{
	struct tl_xtrace_check_insn next = {
		.op = op,
		.pc = pc,
		.pc_known = s->walk.pc_known,
		.el = (uint8_t)el,
		.ordinal = s->counts.ordinal,
		.offset = tl_xtrace_walk_offset(&s->walk),
	};

	tl_xtrace_check_flow(s, &next);
	if (s->syscall.result_at)
		tl_xtrace_check_result(s, pc);
	if (!el)
		tl_xtrace_check_call_over(s, &next);
	/* Each level has its own SP; the value is unknown until ALLGPR. */
	if (s->last.op && el != s->last.el)
		tl_xtrace_vectors_forget(&s->vectors, UINT32_MAX);
	if (s->last.op && el != s->last.el && !s->allgpr)
		s->registers.known &= ~(UINT64_C(1) << TL_XTRACE_REG_SP | TL_XTRACE_KNOWN_FLAGS);
}

static inline void begin_instruction(struct tl_xtrace_check_stream *s, uint32_t opcode)
{
	struct tl_xtrace_check_insn *i = &s->last;
	const struct tl_xtrace_check_opcode *op = tl_xtrace_check_look(s->check, opcode);
	uint64_t pc = s->walk.pc;
	unsigned el = tl_xtrace_walk_el(&s->walk);

	/* Most instructions follow one that goes on behind itself. */
	if (!i->op || !i->op->simple || pc != i->pc + 4 || el != i->el || s->allgpr ||
	    !s->walk.pc_known || pc % 4)
		check_jump(s, op, pc, el);
	if (__builtin_expect(i->incomplete || i->lacks, 0) && i->op && pc == i->pc + 4 &&
	    el == i->el && !s->allgpr) {
		if (i->incomplete)
			tl_xtrace_check_incomplete(s);
		tl_xtrace_check_lacking(s);
	}
	if (s->walk.pc_known)
		tl_xtrace_check_code(s, pc, opcode);
	if (__builtin_expect(op->changes_code, 0))
		tl_xtrace_check_code_forget(&s->code);
	/* Collectors have no token of what these write, to places that need not be known. */
	if (__builtin_expect(op->changes_code, 0) && tl_a64_is_memory_copy(opcode))
		tl_xtrace_check_forget_all(s);
	/* Field by field: other fields are read only where `seen` says that they are
	 * there. */
	i->op = op;
	i->pc = pc;
	i->offset = tl_xtrace_walk_offset(&s->walk);
	i->ordinal = s->counts.ordinal++;
	i->load = NULL;
	i->seen = i->lacks = 0;
	i->el = (uint8_t)el;
	i->rank = i->svcargs = 0;
	i->pc_known = s->walk.pc_known;
	i->incomplete = i->misdirected = i->has_flags = false;
	s->place.judged = false;
	s->allgpr = NULL;
	s->counts.user += !el;
}

/* Between two instructions: the one before is whole, and these belong to the one behind. */
static void boundary(struct tl_xtrace_check_stream *s, enum tl_xtrace_kind kind)
{
	end_instruction(s, false, kind == TL_XTRACE_ALLGPR);
	tl_xtrace_check_boundary(s, kind);
	if (kind == TL_XTRACE_ALLGPR) {
		s->allgpr = s->walk.token + 1;
		tl_xtrace_check_all_registers(s, s->allgpr, false);
	} else {
		s->syscall.result = tl_xtrace_walk_value(&s->walk);
		s->syscall.result_at = tl_xtrace_walk_offset(&s->walk);
		tl_xtrace_check_syscall_done(s, tl_xtrace_walk_value(&s->walk));
		tl_xtrace_registers_set(&s->registers, 0, tl_xtrace_walk_value(&s->walk));
	}
}

/* ---- tokens behind an instruction ---- */

static void take_time(struct tl_xtrace_check_stream *s)
{
	struct tl_xtrace_checker *c = s->check;
	uint64_t time = tl_xtrace_walk_time(&s->walk), offset = tl_xtrace_walk_offset(&s->walk);
	uint32_t stream = (uint32_t)(s->stream - c->trace->streams);

	if (s->walk.next - s->walk.token == 1)
		return;
	if (s->clock.any && time <= s->clock.last) {
		tl_xtrace_expected(s, "more than %" PRIu64, s->clock.last);
		tl_xtrace_report_insn(s, TL_XTRACE_RULE_TIME_ORDER, offset);
	} else if (c->merged && c->last_time_stream != TL_NONE && c->last_time_stream != stream &&
		   c->last_time == time) {
		tl_xtrace_report_insn(s, TL_XTRACE_RULE_TIME_UNIQUE, offset);
	}
	s->clock.any = true;
	s->clock.last = c->last_time = time;
	c->last_time_stream = stream;
}

static void take_token(struct tl_xtrace_check_stream *s, enum tl_xtrace_kind kind)
{
	struct tl_xtrace_check_insn *i = &s->last;

	if (!i->op) {
		tl_xtrace_report(s, TL_XTRACE_RULE_GRAMMAR_OWNER, tl_xtrace_walk_offset(&s->walk),
				 TL_NOWHERE, TL_NOWHERE);
		return;
	}
	bool first = !(i->seen & TL_XTRACE_CHECK_ACCESSES);

	if (!tl_xtrace_check_token(s, kind))
		return;
	if (kind == TL_XTRACE_LOAD || kind == TL_XTRACE_STORE) {
		if (kind == TL_XTRACE_LOAD && !i->load) {
			i->load = s->walk.token + 9;
			i->load_size = (uint32_t)tl_xtrace_access_size(*s->walk.token);
		}
		if (first)
			i->accessed[0] = i->accessed[1] = 0;
		if (!tl_xtrace_check_access_of_insn(s, kind == TL_XTRACE_STORE))
			return;
		if (__builtin_expect(s->signals.probes_sp, 0))
			tl_xtrace_check_signal_access(s, tl_xtrace_walk_value(&s->walk));
		tl_xtrace_check_access(s, kind);
	} else if (kind == TL_XTRACE_TIME) {
		take_time(s);
	} else if (kind == TL_XTRACE_SYSCALL_VEC) {
		i->iovecs = s->walk.token + 9;
		i->iovec_count = tl_xtrace_walk_value(&s->walk);
	} else if (kind != TL_XTRACE_UNKNOWN) {
		tl_xtrace_check_value(s, kind, tl_xtrace_walk_value(&s->walk));
	}
}

/* ---- streams ---- */

/* Behind damage nothing is known: of the instruction before, of registers and of memory. */
static void after_gap(struct tl_xtrace_check_stream *s)
{
	s->last.op = NULL;
	s->last.incomplete = false;
	s->allgpr = NULL;
	tl_xtrace_check_code_forget(&s->code);
	s->registers.known = 0;
	tl_xtrace_vectors_forget(&s->vectors, UINT32_MAX);
	s->sysregs.known = 0;
	s->program.heap_end = 0;
	s->program.not_streaming = false;
	s->counts.known = false;
	s->syscall.pending = false;
	s->syscall.unknown = true;
	tl_xtrace_check_memory_lost(s);
}

/* The walk has ended: damage is a violation, too. False: the stream is over. */
static bool next_segment(struct tl_xtrace_check_stream *s, struct tl_error *err)
{
	const struct tl_xtrace_walk before = s->walk;
	bool damaged = before.status != TL_OK;
	int status = tl_xtrace_walk_resume(&s->walk, err);

	if (damaged && before.status != TL_IO)
		tl_xtrace_report_damage(s, &before, status == 1);
	if (status < 0) {
		s->check->status = status;
		return false;
	}
	if (status == 1) {
		end_instruction(s, true, true);
		tl_xtrace_check_signals_end(s);
		after_gap(s);
		return true;
	}
	if (s->place.segment + 1 >= s->stream->segment_count) {
		end_instruction(s, true, true);
		tl_xtrace_check_signals_end(s);
		tl_xtrace_check_snapshots_end(s);
		s->place.over = true;
		return false;
	}
	if (damaged) {
		end_instruction(s, true, true);
		tl_xtrace_check_signals_end(s);
		after_gap(s);
	}
	tl_xtrace_walk_begin(&s->walk, s->check->trace, s->stream,
			     &s->stream->segments[++s->place.segment]);
	return true;
}

/* Entries of vectors are 128 bytes apart: an exception may have come between. */
static bool may_be_vector(const struct tl_xtrace_check_stream *s, enum tl_xtrace_kind kind)
{
	return kind == TL_XTRACE_PCINST && tl_xtrace_walk_el(&s->walk) &&
	       tl_xtrace_walk_value(&s->walk) % 128 == 0;
}

static void take_instruction(struct tl_xtrace_check_stream *s, enum tl_xtrace_kind kind)
{
	bool has_snapshot = s->snapshots.at && s->walk.token >= s->snapshots.at, in_place = false;

	end_instruction(s, false, may_be_vector(s, kind));
	s->blocks.last = NULL;
	if (__builtin_expect(has_snapshot, 0))
		in_place = tl_xtrace_check_snapshot_place(s, kind);
	begin_instruction(s, tl_xtrace_walk_instruction(&s->walk, kind));
	if (__builtin_expect(has_snapshot, 0))
		tl_xtrace_check_snapshot_state(s, in_place);
}

/* The next token is an instruction: take a block that begins with it. */
static bool take_block(struct tl_xtrace_check_stream *s, struct tl_xtrace_walk *w,
		       const uint8_t *limit)
{
	if (!s->blocks.slots)
		return false;
	if (!s->place.judged) {
		s->walk.token = w->next;
		end_instruction(s, false,
				may_be_vector(s, (enum tl_xtrace_kind)w->tokens->kind[*w->next]));
	}
	return tl_xtrace_check_take_block(s, w, limit);
}

/*
 * Go along a stream up to an offset. The position is kept in registers, and the others are told of
 * it: each token's place depends on the one before it, so that what is on this way is what time
 * goes to.
 */
static void check_until(struct tl_xtrace_check_stream *s, uint64_t end, struct tl_error *err)
{
	const uint8_t *limit = s->stream->data + end;
	bool to_end = end >= s->stream->size;
	struct tl_xtrace_walk w = s->walk;

	while (!s->check->status && !s->place.over && (w.next < limit || to_end)) {
		enum tl_xtrace_kind kind;

		if ((size_t)(w.stop - w.next) >= TL_XTRACE_MAX_FIXED &&
		    tl_xtrace_is_instruction(w.tokens->kind[*w.next]) && take_block(s, &w, limit))
			continue;
		kind = tl_xtrace_walk_next(&w);
		if (__builtin_expect(kind == TL_XTRACE_NONE, 0)) {
			w.pc = s->walk.pc;
			s->walk = w;
			if (!next_segment(s, err))
				return;
			w = s->walk;
			continue;
		}
		s->walk.token = w.token;
		s->walk.next = w.next;
		if (tl_xtrace_is_instruction(kind))
			take_instruction(s, kind);
		else if (kind == TL_XTRACE_ALLGPR || kind == TL_XTRACE_SVCRET)
			boundary(s, kind);
		else
			take_token(s, kind);
	}
	w.pc = s->walk.pc;
	w.pc_known = s->walk.pc_known;
	s->walk = w;
}

static void begin_stream(struct tl_xtrace_check_stream *s, struct tl_xtrace_checker *c,
			 uint32_t stream)
{
	*s = (struct tl_xtrace_check_stream){ .check = c,
					      .stream = &c->trace->streams[stream],
					      .counts.known = true,
					      .code.generation = 1,
					      .code.edition = 1,
					      .syscall.unknown = true };
	s->program.zero_block = DEFAULT_ZERO_BLOCK;
	tl_xtrace_check_find_dialect(s);
	tl_xtrace_check_header(s);
	if (!c->plainly)
		tl_xtrace_check_blocks_begin(&s->blocks);
	tl_xtrace_walk_begin(&s->walk, c->trace, s->stream, &s->stream->segments[0]);
}

/* ---- groups ---- */

/* Streams of one start time: those with TIME share a memory, the others have one each. */
struct group {
	struct tl_xtrace_checker *check;
	uint32_t begin, end;
	struct tl_xtrace_check_memory *memories;
	struct tl_xtrace_time_order order;
	uint32_t late; /* streams that have not begun, whose threads are at work before */
};

/* Linux: clone and clone3. */
enum { CLONE = 220, CLONE3 = 435 };

/*
 * Whether a stream begins as a thread does: its registers are those of the one that called clone,
 * which returns 0. Others were at work before, so that what they stored is not in the trace.
 * One without snapshots tells nothing, and is held to what is there.
 */
static bool begins_with_its_thread(const struct tl_xtrace_checker *c, uint32_t stream)
{
	struct tl_xtrace_snapshot snapshot;

	if (!c->trace->streams[stream].info.snapshots)
		return true;
	tl_xtrace_read_snapshot(c->trace, stream, 0, &snapshot);
	return !snapshot.offset && !snapshot.x[0] &&
	       (snapshot.x[8] == CLONE || snapshot.x[8] == CLONE3);
}

/* Streams whose threads are at work before they begin, behind the first one of all. */
static void find_late(struct group *g)
{
	const struct tl_xtrace_lookahead *scouts = g->order.scouts;
	uint32_t first = g->begin;

	for (uint32_t i = g->begin; i < g->end; i++)
		if (scouts[i].time < scouts[first].time)
			first = i;
	for (uint32_t i = g->begin; i < g->end; i++) {
		g->check->streams[i].content.late =
			i != first && !begins_with_its_thread(g->check, i);
		g->late += g->check->streams[i].content.late;
	}
}

/* It begins: with the last one of these it is known again who stores. */
static void begin_late(struct group *g, struct tl_xtrace_check_stream *s)
{
	s->content.late = false;
	if (--g->late)
		return;
	s->memory->unseen.possible = false;
	tl_xtrace_shadow_free(&s->memory->shadow);
	tl_xtrace_shadow_begin(&s->memory->shadow);
}

static void check_merged(struct group *g, struct tl_error *err)
{
	uint32_t first_timed = TL_NONE, stream;
	bool ordered = true;
	uint64_t end;

	for (uint32_t i = g->begin; i < g->end; i++) {
		bool timed = !g->order.scouts[i].over && g->order.scouts[i].time != UINT64_MAX;

		if (timed && first_timed == TL_NONE)
			first_timed = i;
		ordered = ordered && timed;
		g->check->streams[i].memory = &g->memories[timed ? first_timed : i];
		tl_xtrace_check_snapshots_begin(&g->check->streams[i]);
	}
	g->late = 0;
	if (ordered)
		find_late(g);
	for (uint32_t i = g->begin; i < g->end; i++)
		tl_xtrace_check_memory_begin(&g->check->streams[i], g->end - g->begin,
					     ordered && !g->late);
	while (!g->check->status && tl_xtrace_time_order_next(&g->order, &stream, &end)) {
		if (g->check->streams[stream].content.late)
			begin_late(g, &g->check->streams[stream]);
		check_until(&g->check->streams[stream], end, err);
	}
}

static void check_group(struct group *g, struct tl_error *err)
{
	struct tl_xtrace_trace *trace = g->check->trace;
	bool *wanted;

	g->check->last_time_stream = TL_NONE;
	g->check->merged = g->end - g->begin > 1;
	if (!g->check->merged) {
		g->check->streams[g->begin].memory = &g->memories[g->begin];
		tl_xtrace_check_memory_begin(&g->check->streams[g->begin], 1, true);
		tl_xtrace_check_snapshots_begin(&g->check->streams[g->begin]);
		check_until(&g->check->streams[g->begin], trace->streams[g->begin].size, err);
		return;
	}
	wanted = calloc(trace->stream_count, sizeof(*wanted));
	g->check->status = wanted ? 0 : TL_NO_MEMORY;
	for (uint32_t i = g->begin; wanted && i < g->end; i++)
		wanted[i] = true;
	if (wanted)
		g->check->status = tl_xtrace_time_order_begin(&g->order, trace, wanted, err);
	if (!g->check->status)
		check_merged(g, err);
	tl_xtrace_time_order_end(&g->order);
	free(wanted);
}

/* A group, with memories that last as long as it. */
static void check_memories(struct group *g, struct tl_error *err)
{
	for (uint32_t i = g->begin; i < g->end; i++) {
		tl_xtrace_shadow_begin(&g->memories[i].shadow);
		begin_stream(&g->check->streams[i], g->check, i);
	}
	tl_xtrace_check_group_headers(&g->check->streams[g->begin], g->end - g->begin);
	check_group(g, err);
	for (uint32_t i = g->begin; i < g->end; i++) {
		tl_xtrace_check_memory_end(&g->memories[i]);
		tl_xtrace_shadow_free(&g->memories[i].shadow);
		free(g->memories[i].thread_ids);
		free(g->memories[i].shared);
		tl_xtrace_check_blocks_free(&g->check->streams[i].blocks);
		tl_xtrace_check_code_free(&g->check->streams[i].code);
		free(g->memories[i].spaces);
	}
}

static void check_groups(struct group *g, struct tl_error *err)
{
	const struct tl_xtrace_stream *streams = g->check->trace->streams;
	uint32_t count = g->check->trace->stream_count;

	for (g->begin = 0; g->begin < count && !g->check->status; g->begin = g->end) {
		g->end = g->begin + 1;
		while (g->end < count &&
		       !strcmp(streams[g->end].info.timestamp, streams[g->begin].info.timestamp))
			g->end++;
		check_memories(g, err);
	}
}

static int64_t check_trace(struct tl_xtrace_trace *trace, bool plainly, tl_xtrace_violation_fn *fn,
			   void *arg, struct tl_error *err)
{
	struct tl_xtrace_checker check = {
		.trace = trace,
		.fn = fn,
		.arg = arg,
		.plainly = plainly,
		.cache = tl_xtrace_check_make_cache(),
	};
	struct group group = { .check = &check };

	tl_xtrace_rewind(trace);
	check.streams = calloc(trace->stream_count, sizeof(*check.streams));
	group.memories = calloc(trace->stream_count, sizeof(*group.memories));
	check.status = check.cache && check.streams && group.memories ? 0 : TL_NO_MEMORY;
	if (!check.status)
		check_groups(&group, err);
	free(check.cache);
	free(check.streams);
	free(group.memories);
	if (check.status == TL_NO_MEMORY)
		tl_error_memory(err);
	return check.status < 0 ? tl_error_format(err, "xtrace", check.status) : check.violations;
}

int64_t tl_xtrace_check(struct tl_xtrace_trace *trace, tl_xtrace_violation_fn *fn, void *arg,
			struct tl_error *err)
{
	return check_trace(trace, false, fn, arg, err);
}

int64_t tl_xtrace_check_plainly(struct tl_xtrace_trace *trace, tl_xtrace_violation_fn *fn,
				void *arg, struct tl_error *err)
{
	return check_trace(trace, true, fn, arg, err);
}
