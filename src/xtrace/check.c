/* SPDX-License-Identifier: Apache-2.0 */
/* Checking a trace: the rules' names, and the way along the streams on which all parts are asked.
 */
#include "xtrace/check.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "xtrace/order.h"

static const struct {
	const char *rule, *text;
	/* clang-format off */
} rules[RULE_COUNT] = {
	[RULE_TOKEN] = { "xtrace.token", "bytes that are no token" },
	[RULE_GRAMMAR_PLACE] = { "xtrace.grammar.place",
				 "a token stands in the wrong order behind its instruction" },
	[RULE_GRAMMAR_OWNER] = { "xtrace.grammar.owner",
				 "a token that the instruction before it does not have" },
	[RULE_GRAMMAR_MISSING] = { "xtrace.grammar.missing",
				   "an instruction without the tokens it must have (TARGET_B, DC, "
				   "seven SVCARG)" },
	[RULE_GRAMMAR_TIME] = { "xtrace.grammar.time", "TIME twice, or without an access" },
	[RULE_PC_ALIGNMENT] = { "xtrace.pc.alignment", "a PC that is no multiple of 4" },
	[RULE_PC_CONTINUITY] = { "xtrace.pc.continuity",
				 "the PC breaks without a branch or an exception" },
	[RULE_PC_BRANCH] = { "xtrace.pc.branch", "not where the branch before it leads" },
	[RULE_PC_TARGET] = { "xtrace.pc.target", "not at the TARGET_B of the branch before it" },
	[RULE_EL_RETURN] = { "xtrace.el.return",
			     "a lower exception level without an exception return" },
	[RULE_EL_VECTOR] = { "xtrace.el.vector",
			     "a higher exception level, but not at an exception vector" },
	[RULE_EL_REGISTERS] = { "xtrace.el.registers",
				"ALLGPR and changes of the exception level do not go together" },
	[RULE_TIME_ORDER] = { "xtrace.time.order", "TIME does not increase" },
	[RULE_TIME_UNIQUE] = { "xtrace.time.unique", "two streams have the same TIME" },
	[RULE_MEMORY_VALUE] = { "xtrace.memory.value",
				"a load differs from what was stored or loaded there last" },
	[RULE_REGISTER_VALUE] = { "xtrace.register.value",
				  "a register's value differs from what the trace said of it" },
	[RULE_SNAPSHOT_OFFSET] = { "xtrace.snapshot.offset",
				   "a snapshot's offset is not that of a PCINST" },
	[RULE_SNAPSHOT_ORDER] = { "xtrace.snapshot.order",
				  "a snapshot is not behind the one before it" },
	[RULE_SNAPSHOT_COUNT] = { "xtrace.snapshot.count",
				  "a snapshot's number of instructions is not that of the stream" },
	[RULE_SNAPSHOT_VECTOR] = { "xtrace.snapshot.vector-length",
				   "a snapshot's vector length is not that of the others" },
	[RULE_SNAPSHOT_REGISTERS] = { "xtrace.snapshot.registers",
				      "a snapshot's registers differ from what the trace said of "
				      "them" },
};
/* clang-format on */

/* Bytes, as every processor has had them so far. */
enum { DEFAULT_ZERO_BLOCK = 64 };

/* ---- violations ---- */

static void tell(struct check_stream *s, const struct tl_xtrace_violation *violation)
{
	struct check *c = s->check;

	if (c->status)
		return;
	c->violations++;
	if (c->fn && c->fn(c->arg, violation))
		c->status = 1;
}

void tl_xtrace_violate(struct check_stream *s, enum check_rule rule, uint64_t offset,
		       uint64_t record, uint64_t pc)
{
	bool of_snapshots = rule >= RULE_SNAPSHOT_OFFSET;
	struct tl_xtrace_violation violation = {
		.rule = rules[rule].rule,
		.text = rules[rule].text,
		.path = of_snapshots ? s->stream->info.snapshot_path : s->stream->info.path,
		.offset = offset,
		.record = record,
		.pc = pc,
		.id = s->stream->info.id,
	};

	tell(s, &violation);
}

void tl_xtrace_violate_at(struct check_stream *s, enum check_rule rule, uint64_t offset)
{
	const struct check_instruction *i = &s->last;

	tl_xtrace_violate(s, rule, offset, i->ordinal, i->pc_known ? i->pc : TL_NOWHERE);
}

void tl_xtrace_check_no_memory(struct check_stream *s)
{
	s->check->status = TL_NO_MEMORY;
}

/* ---- instructions ---- */

/* Another opcode needs the slot: streams whose last instruction it is keep a copy. */
static void replace(struct check *c, struct check_opcode *op, uint32_t opcode)
{
	for (uint32_t i = 0; i < c->trace->stream_count; i++)
		if (c->streams[i].last.op == op) {
			c->streams[i].kept = *op;
			c->streams[i].last.op = &c->streams[i].kept;
		}
	op->a64 = tl_a64_classify(opcode);
	op->a64.opcode = opcode;
	op->effect = tl_xtrace_effect(opcode);
	tl_xtrace_check_opcode(op);
}

static const struct check_opcode *look(struct check *c, uint32_t opcode)
{
	struct check_opcode *op = &c->cache->slots[opcode * 0x9e3779b1u >> (32 - CHECK_CACHE_BITS)];

	if (__builtin_expect(op->a64.opcode != opcode, 0))
		replace(c, op, opcode);
	return op;
}

static void judge_instruction(struct check_stream *s, bool cut, bool interrupted)
{
	tl_xtrace_check_whole(s, cut);
	tl_xtrace_check_execute(s, interrupted);
}

static inline void end_instruction(struct check_stream *s, bool cut, bool interrupted)
{
	if (!s->last.op || s->ended)
		return;
	s->ended = true;
	/* Every other instruction is of this kind. */
	if (!s->last.op->inert || s->last.seen)
		judge_instruction(s, cut, interrupted);
}

static void check_jump(struct check_stream *s, const struct check_opcode *op, uint64_t pc,
		       unsigned el)
{
	struct check_instruction next = {
		.op = op,
		.pc = pc,
		.pc_known = s->walk.pc_known,
		.el = (uint8_t)el,
		.ordinal = s->ordinal,
		.offset = xtrace_walk_offset(&s->walk),
	};

	tl_xtrace_check_flow(s, &next);
	/* SP is another one at another level, until ALLGPR says which. */
	if (s->last.op && el != s->last.el && !s->allgpr)
		s->registers.known &= ~(UINT32_C(1) << REGISTER_SP);
}

static inline void begin_instruction(struct check_stream *s, uint32_t opcode)
{
	struct check_instruction *i = &s->last;
	const struct check_opcode *op = look(s->check, opcode);
	uint64_t pc = s->walk.pc;
	unsigned el = xtrace_walk_el(&s->walk);

	/* Most instructions follow one that goes on behind itself. */
	if (!i->op || !i->op->simple || pc != i->pc + 4 || el != i->el || s->allgpr ||
	    !s->walk.pc_known || pc % 4)
		check_jump(s, op, pc, el);
	/* Field by field: what is not named here is only looked at where `seen` says that it is
	 * there. */
	i->op = op;
	i->pc = pc;
	i->offset = xtrace_walk_offset(&s->walk);
	i->ordinal = s->ordinal++;
	i->load = NULL;
	i->seen = 0;
	i->el = (uint8_t)el;
	i->rank = i->svcargs = 0;
	i->pc_known = s->walk.pc_known;
	s->ended = false;
	s->allgpr = NULL;
	s->user += !el;
}

/* Between two instructions: the one before is whole, and these belong to the one behind. */
static void boundary(struct check_stream *s, enum tl_xtrace_kind kind)
{
	end_instruction(s, false, kind == TL_XTRACE_ALLGPR);
	if (kind == TL_XTRACE_ALLGPR) {
		s->allgpr = s->walk.token + 1;
		tl_xtrace_check_all_registers(s, s->allgpr, false);
	} else {
		tl_xtrace_check_call_done(s, xtrace_walk_value(&s->walk));
		xtrace_registers_set(&s->registers, 0, xtrace_walk_value(&s->walk));
	}
}

/* ---- tokens behind an instruction ---- */

static void take_time(struct check_stream *s)
{
	struct check *c = s->check;
	uint64_t time = tl_xtrace_walk_time(&s->walk), offset = xtrace_walk_offset(&s->walk);
	uint32_t stream = (uint32_t)(s->stream - c->trace->streams);

	if (s->walk.next - s->walk.token == 1)
		return;
	if (s->timed && time <= s->time)
		tl_xtrace_violate_at(s, RULE_TIME_ORDER, offset);
	else if (c->merged && c->last_time_stream != TL_NONE && c->last_time_stream != stream &&
		 c->last_time == time)
		tl_xtrace_violate_at(s, RULE_TIME_UNIQUE, offset);
	s->timed = true;
	s->time = c->last_time = time;
	c->last_time_stream = stream;
}

static void take_token(struct check_stream *s, enum tl_xtrace_kind kind)
{
	struct check_instruction *i = &s->last;

	if (!i->op) {
		tl_xtrace_violate(s, RULE_GRAMMAR_OWNER, xtrace_walk_offset(&s->walk), TL_NOWHERE,
				  TL_NOWHERE);
		return;
	}
	tl_xtrace_check_token(s, kind);
	if (kind == TL_XTRACE_LOAD || kind == TL_XTRACE_STORE) {
		if (kind == TL_XTRACE_LOAD && !i->load) {
			i->load = s->walk.token + 9;
			i->load_size = (uint32_t)xtrace_access_size(*s->walk.token);
		}
		if (__builtin_expect(s->probes_sp, 0))
			tl_xtrace_check_signal_access(s, xtrace_walk_value(&s->walk));
		tl_xtrace_check_access(s, kind);
	} else if (kind == TL_XTRACE_TIME) {
		take_time(s);
	} else if (kind == TL_XTRACE_SYSCALL_VEC) {
		i->iovecs = s->walk.token + 9;
		i->iovec_count = xtrace_walk_value(&s->walk);
	} else if (kind != TL_XTRACE_UNKNOWN) {
		tl_xtrace_check_value(s, kind, xtrace_walk_value(&s->walk));
	}
}

/* ---- streams ---- */

/* What comes behind damage follows nothing. */
static void after_gap(struct check_stream *s)
{
	s->last.op = NULL;
	s->allgpr = NULL;
	s->registers.known = 0;
	s->sysregs_known = 0;
	s->heap_end = 0;
	s->counts_known = false;
	s->waits_for_svcret = false;
}

/* The walk has ended: damage is a violation, too. False: the stream is over. */
static bool next_segment(struct check_stream *s, struct tl_error *err)
{
	struct tl_xtrace_violation violation = {
		.rule = rules[RULE_TOKEN].rule,
		.text = s->walk.text,
		.path = s->stream->info.path,
		.offset = s->walk.fault,
		.record = s->ordinal,
		.pc = TL_NOWHERE,
		.id = s->stream->info.id,
	};
	bool damaged = s->walk.status != TL_OK;
	int status;

	if (damaged && s->walk.status != TL_IO)
		tell(s, &violation);
	status = tl_xtrace_walk_end(&s->walk, err);
	if (status < 0) {
		s->check->status = status;
		return false;
	}
	if (s->segment + 1 >= s->stream->segment_count) {
		end_instruction(s, true, true);
		tl_xtrace_check_signals_end(s);
		tl_xtrace_check_snapshots_end(s);
		s->over = true;
		return false;
	}
	if (damaged) {
		end_instruction(s, true, true);
		tl_xtrace_check_signals_end(s);
		after_gap(s);
	}
	tl_xtrace_walk_begin(&s->walk, s->check->trace, s->stream,
			     &s->stream->segments[++s->segment]);
	return true;
}

/* Entries of vectors are 128 bytes apart: an exception may have come between. */
static bool may_be_vector(const struct check_stream *s, enum tl_xtrace_kind kind)
{
	return kind == TL_XTRACE_PCINST && xtrace_walk_el(&s->walk) &&
	       xtrace_walk_value(&s->walk) % 128 == 0;
}

static void take_instruction(struct check_stream *s, enum tl_xtrace_kind kind)
{
	uint32_t opcode;

	end_instruction(s, false, may_be_vector(s, kind));
	if (__builtin_expect(s->snapshot_at && s->walk.token >= s->snapshot_at, 0))
		tl_xtrace_check_snapshot(s, kind);
	opcode = xtrace_walk_instruction(&s->walk, kind);
	begin_instruction(s, opcode);
}

/*
 * Go along a stream up to an offset. The position is kept in registers, and the others are told of
 * it: each token's place depends on the one before it, so that what is on this way is what time
 * goes to.
 */
static void check_until(struct check_stream *s, uint64_t end, struct tl_error *err)
{
	const uint8_t *limit = s->stream->data + end;
	bool to_end = end >= s->stream->size;
	struct xtrace_walk w = s->walk;

	while (!s->check->status && !s->over && (w.next < limit || to_end)) {
		enum tl_xtrace_kind kind = xtrace_walk_next(&w);

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
		if (xtrace_is_instruction(kind))
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

static void begin_stream(struct check_stream *s, struct check *c, uint32_t stream)
{
	*s = (struct check_stream){ .check = c,
				    .stream = &c->trace->streams[stream],
				    .counts_known = true };
	s->zero_block = DEFAULT_ZERO_BLOCK;
	tl_xtrace_walk_begin(&s->walk, c->trace, s->stream, &s->stream->segments[0]);
}

/* ---- groups ---- */

/* Streams of one start time: those with TIME share a memory, the others have one each. */
struct group {
	struct check *check;
	uint32_t begin, end;
	struct check_memory *memories;
	struct xtrace_order order;
};

static void check_merged(struct group *g, struct tl_error *err)
{
	uint32_t first_timed = TL_NONE, stream;
	uint64_t end;

	for (uint32_t i = g->begin; i < g->end; i++) {
		bool timed = !g->order.scouts[i].over && g->order.scouts[i].time != UINT64_MAX;

		if (timed && first_timed == TL_NONE)
			first_timed = i;
		g->check->streams[i].memory = &g->memories[timed ? first_timed : i];
		tl_xtrace_check_snapshots_begin(&g->check->streams[i]);
	}
	while (!g->check->status && tl_xtrace_order_next(&g->order, &stream, &end))
		check_until(&g->check->streams[stream], end, err);
}

static void check_group(struct group *g, struct tl_error *err)
{
	struct tl_xtrace *trace = g->check->trace;
	bool *wanted;

	g->check->last_time_stream = TL_NONE;
	g->check->merged = g->end - g->begin > 1;
	if (!g->check->merged) {
		g->check->streams[g->begin].memory = &g->memories[g->begin];
		tl_xtrace_check_snapshots_begin(&g->check->streams[g->begin]);
		check_until(&g->check->streams[g->begin], trace->streams[g->begin].size, err);
		return;
	}
	wanted = calloc(trace->stream_count, sizeof(*wanted));
	g->check->status = wanted ? 0 : TL_NO_MEMORY;
	for (uint32_t i = g->begin; wanted && i < g->end; i++)
		wanted[i] = true;
	if (wanted)
		g->check->status = tl_xtrace_order_begin(&g->order, trace, wanted, err);
	if (!g->check->status)
		check_merged(g, err);
	tl_xtrace_order_end(&g->order);
	free(wanted);
}

/* A group, with memories that last as long as it. */
static void check_memories(struct group *g, struct tl_error *err)
{
	for (uint32_t i = g->begin; i < g->end; i++) {
		tl_xtrace_shadow_begin(&g->memories[i].shadow);
		begin_stream(&g->check->streams[i], g->check, i);
	}
	check_group(g, err);
	for (uint32_t i = g->begin; i < g->end; i++) {
		tl_xtrace_shadow_free(&g->memories[i].shadow);
		free(g->memories[i].spaces);
	}
}

static void check_groups(struct group *g, struct tl_error *err)
{
	const struct xtrace_stream *streams = g->check->trace->streams;
	uint32_t count = g->check->trace->stream_count;

	for (g->begin = 0; g->begin < count && !g->check->status; g->begin = g->end) {
		g->end = g->begin + 1;
		while (g->end < count &&
		       !strcmp(streams[g->end].info.timestamp, streams[g->begin].info.timestamp))
			g->end++;
		check_memories(g, err);
	}
}

/* Its slots hold what their opcodes mean from the beginning: all of them 0. */
static struct check_cache *make_cache(void)
{
	struct check_cache *cache = calloc(1, sizeof(*cache));
	struct check_opcode zero = { .a64 = tl_a64_classify(0), .effect = tl_xtrace_effect(0) };

	if (!cache)
		return NULL;
	tl_xtrace_check_opcode(&zero);
	for (size_t i = 0; i < sizeof(cache->slots) / sizeof(cache->slots[0]); i++)
		cache->slots[i] = zero;
	return cache;
}

int64_t tl_xtrace_check(struct tl_xtrace *trace, tl_xtrace_violation_fn *fn, void *arg,
			struct tl_error *err)
{
	struct check check = { .trace = trace, .fn = fn, .arg = arg, .cache = make_cache() };
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
