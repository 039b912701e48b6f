/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A block: which instructions it has, and which operations are left of the rules. This follows
 * grammar.c, accesses.c and registers.c, and leaves to them what is not as usual.
 */
#include <string.h>

#include "core/arithmetic.h"
#include "core/memory.h"
#include "xtrace/check/block.h"

enum { MOST_INSNS = 48, MOST_BYTES = 1536, MOST_ACCESSES = 8, MOST_OPERATIONS = 384, ROOM = 64 };

/* What changes from instruction to instruction. */
struct state {
	uint64_t determined; /* registers that the block has written */
	uint64_t known;      /* registers that are known here */
	uint64_t reads;      /* that were asked for before they were written */
	uint16_t operation_count, bytes;
};

/* A block under construction. */
struct block_draft {
	struct tl_xtrace_check_stream *stream;
	struct tl_xtrace_check_block block;
	struct state state;
	uint64_t tokens[MOST_BYTES / 8 + 2], mask[MOST_BYTES / 8 + 2];
	struct tl_xtrace_check_operation operations[MOST_OPERATIONS + ROOM];
	struct tl_xtrace_check_block_insn insns[MOST_INSNS];
};

/* The tokens of an instruction: offsets in the block; 0: none. */
struct insn_tokens {
	const struct tl_xtrace_check_opcode *op;
	uint64_t pc;
	uint16_t accesses[MOST_ACCESSES];
	unsigned access_count;
	uint16_t target, time, flags;
	uint32_t done[2]; /* bytes loaded and stored */
	uint32_t seen;
};

static uint32_t bit(enum tl_xtrace_kind kind)
{
	return UINT32_C(1) << kind;
}

/* ---- registers ---- */

/* Whether a register is known here. What the block has not written depends on its beginning. */
static bool know(struct block_draft *d, unsigned number)
{
	if (number == TL_A64_ZERO)
		return true;
	if (!(d->state.determined >> number & 1))
		d->state.reads |= UINT64_C(1) << number;
	return d->state.known >> number & 1;
}

static bool know_flags(struct block_draft *d)
{
	if (!(d->state.determined & TL_XTRACE_KNOWN_FLAGS))
		d->state.reads |= TL_XTRACE_KNOWN_FLAGS;
	return d->state.known & TL_XTRACE_KNOWN_FLAGS;
}

static void become(struct block_draft *d, uint64_t registers, bool known)
{
	d->state.determined |= registers;
	if (known)
		d->state.known |= registers;
	else
		d->state.known &= ~registers;
}

static struct tl_xtrace_check_operation *put(struct block_draft *d, unsigned kind, uint16_t at)
{
	struct tl_xtrace_check_operation *o = &d->operations[d->state.operation_count++];

	*o = (struct tl_xtrace_check_operation){ .kind = (uint8_t)kind,
						 .at = at,
						 .insn = d->block.insn_count };
	return o;
}

/* ---- tokens ---- */

static bool take_access(struct insn_tokens *t, const uint8_t *token, uint16_t at, bool store)
{
	const struct tl_a64_access *a = &t->op->access;

	/* Loads come before stores, of which memory keeps the last. */
	if (!(store ? a->writes : a->reads) || t->access_count == MOST_ACCESSES ||
	    (!store && t->done[1]))
		return false;
	t->accesses[t->access_count++] = at;
	t->done[store] += (uint32_t)tl_xtrace_access_size(*token);
	return true;
}

static bool take_once(uint16_t *place, uint16_t at)
{
	bool first = !*place;

	*place = at;
	return first;
}

/* A token behind the instruction. False: it is not as usual. */
static bool take(struct insn_tokens *t, enum tl_xtrace_kind kind, const uint8_t *token, uint16_t at)
{
	if (!(t->op->belongs & bit(kind)))
		return false;
	t->seen |= bit(kind);
	switch (kind) {
	case TL_XTRACE_LOAD:
	case TL_XTRACE_STORE:
		return take_access(t, token, at, kind == TL_XTRACE_STORE);
	case TL_XTRACE_TIME:
		return !t->access_count && take_once(&t->time, at);
	case TL_XTRACE_TARGET_B:
		return take_once(&t->target, at);
	case TL_XTRACE_FLAGS:
		return take_once(&t->flags, at);
	default:
		return false;
	}
}

static bool all_or(uint32_t done, uint32_t bytes, bool needed)
{
	return done == bytes || (!done && !needed);
}

/* Whether there are all tokens that it must have, and as many bytes. */
static bool is_complete(const struct block_draft *d, const struct insn_tokens *t)
{
	const struct tl_a64_access *a = &t->op->access;
	uint32_t wants = (t->op->wants & d->stream->dialect.required) |
			 (t->op->belongs & bit(TL_XTRACE_TARGET_B));

	if (!t->access_count && (t->op->a64.access || t->time))
		return false;
	if (wants & ~t->seen & ~(t->access_count ? 0 : bit(TL_XTRACE_TIME)))
		return false;
	if (a->structure == TL_A64_REPEATED && t->access_count != 1)
		return false;
	return !a->bytes || (all_or(t->done[0], a->bytes, a->needs_load) &&
			     all_or(t->done[1], a->bytes, a->needs_store));
}

/* Of which kinds of instructions blocks are made. */
static bool is_usual(const struct tl_xtrace_check_opcode *op)
{
	if (op->access.structure == TL_A64_INTERLEAVED)
		return false;
	return (op->a64.special == TL_A64_PLAIN || op->a64.special == TL_A64_SELECT) &&
	       op->a64.flow <= TL_A64_RETURN && !op->changes_code && !op->streaming;
}

/* ---- operations of accesses ---- */

static void put_index(struct block_draft *d, const struct tl_a64_access *a, uint16_t at)
{
	struct tl_xtrace_check_operation *o = put(d, TL_XTRACE_OPERATION_AT_INDEX, at);

	o->n = a->rn;
	o->m = a->rm;
	o->size = a->option;
	o->a = a->shift;
	o->value = (uint64_t)(int64_t)a->offset;
}

/* Where the first access of an instruction is. */
static void put_first_address(struct block_draft *d, const struct insn_tokens *t, uint16_t at)
{
	const struct tl_a64_access *a = &t->op->access;
	struct tl_xtrace_check_operation *o;

	if (a->base == TL_A64_BASE_LITERAL) {
		if (!d->block.el || t->pc >> 63)
			put(d, TL_XTRACE_OPERATION_AT_PLACE, at)->value =
				t->pc + (uint64_t)(int64_t)a->offset;
	} else if (a->base == TL_A64_BASE_INDEX && know(d, a->rn) && know(d, a->rm)) {
		put_index(d, a, at);
	} else if (a->base == TL_A64_BASE_OFFSET && know(d, a->rn)) {
		o = put(d, TL_XTRACE_OPERATION_AT_BASE, at);
		o->n = a->rn;
		o->value = (uint64_t)(int64_t)a->offset;
	} else if (a->base == TL_A64_BASE_OFFSET && a->rn == TL_XTRACE_REG_SP) {
		put(d, TL_XTRACE_OPERATION_LEARN_SP, at)->value = (uint64_t)(int64_t)a->offset;
		become(d, UINT64_C(1) << TL_XTRACE_REG_SP, true);
	}
}

static void put_address(struct block_draft *d, const struct insn_tokens *t, uint16_t at,
			uint32_t done)
{
	struct tl_xtrace_check_operation *o;

	if (at == t->accesses[0]) {
		put_first_address(d, t, at);
		return;
	}
	o = put(d, TL_XTRACE_OPERATION_AT_OTHER, at);
	o->other = t->accesses[0];
	o->value = done;
}

/* Of a store's bytes those of one register, `size` of them from byte `from` of it on. */
static void put_held(struct block_draft *d, const struct tl_a64_access *a, unsigned number,
		     uint16_t at, uint32_t size, uint32_t from)
{
	bool vector = tl_xtrace_check_of_vectors(a);
	struct tl_xtrace_check_operation *o;

	if (!vector && !know(d, number))
		return;
	o = put(d, vector ? TL_XTRACE_OPERATION_HOLDS_VECTOR : TL_XTRACE_OPERATION_HOLDS, at);
	o->n = (uint8_t)number;
	o->size = (uint8_t)size;
	o->a = (uint8_t)from;
}

static void put_taken(struct block_draft *d, unsigned number, uint16_t at, uint32_t size,
		      uint32_t from)
{
	struct tl_xtrace_check_operation *o = put(d, TL_XTRACE_OPERATION_TAKE_VECTOR, at);

	o->d = (uint8_t)number;
	o->size = (uint8_t)size;
	o->a = (uint8_t)from;
}

/* The bytes of an access, `done` bytes behind the beginning, register by register. */
static void put_data(struct block_draft *d, const struct tl_a64_access *a, uint16_t at,
		     uint32_t size, uint32_t done, bool store)
{
	uint32_t of_one = tl_xtrace_check_of_one(a);

	for (uint32_t n = 0; n < size;) {
		uint32_t from = (done + n) % of_one, part = tl_min(size - n, of_one - from);
		unsigned number = tl_xtrace_check_register_at(a, done + n);
		uint16_t bytes = (uint16_t)(at + 9 + n);

		if (store)
			put_held(d, a, number, bytes, part, from);
		else
			put_taken(d, number, bytes, part, from);
		n += part;
	}
}

static unsigned of_memory(bool store, size_t size)
{
	switch (size) {
	case 4:
		return store ? TL_XTRACE_OPERATION_STORE_4 : TL_XTRACE_OPERATION_LOAD_4;
	case 8:
		return store ? TL_XTRACE_OPERATION_STORE_8 : TL_XTRACE_OPERATION_LOAD_8;
	case 16:
		return store ? TL_XTRACE_OPERATION_STORE_16 : TL_XTRACE_OPERATION_LOAD_16;
	default:
		return store ? TL_XTRACE_OPERATION_STORE : TL_XTRACE_OPERATION_LOAD;
	}
}

static void put_accesses(struct block_draft *d, const struct insn_tokens *t, const uint8_t *begin)
{
	const struct tl_a64_access *a = &t->op->access;
	uint32_t done[2] = { 0, 0 };

	/*
	 * The second bound is for gcc 12, which takes elements behind the last one for read (-O3).
	 */
	for (unsigned i = 0; i < t->access_count && i < MOST_ACCESSES; i++) {
		uint16_t at = t->accesses[i];
		bool store = begin[at] & 8;
		size_t size = tl_xtrace_access_size(begin[at]);

		if (a->bytes)
			put_address(d, t, at, done[store]);
		if (a->bytes && store && (a->registers || a->in_a_row))
			put_data(d, a, at, (uint32_t)size, done[1], true);
		put(d, of_memory(store, size), at)->size = (uint8_t)(size & 0xff);
		done[store] += (uint32_t)size;
	}
}

/* ---- operations of registers ---- */

static uint64_t bit_of(unsigned number)
{
	return number < 31 ? UINT64_C(1) << number : 0;
}

static void put_constant(struct block_draft *d, unsigned number, uint64_t value, bool known)
{
	struct tl_xtrace_check_operation *o;

	become(d, UINT64_C(1) << number, known);
	if (!known)
		return;
	o = put(d, TL_XTRACE_OPERATION_CONSTANT, 0);
	o->d = (uint8_t)number;
	o->value = value;
}

static void put_sum(struct block_draft *d, const struct tl_xtrace_insn_effect *e)
{
	bool known = know(d, e->rn);
	struct tl_xtrace_check_operation *o;

	become(d, UINT64_C(1) << e->rd, known);
	if (!known)
		return;
	o = put(d, e->size == 8 ? TL_XTRACE_OPERATION_ADD : TL_XTRACE_OPERATION_ADD_32, 0);
	o->d = e->rd;
	o->n = e->rn;
	o->value = e->value;
}

static void put_computation(struct block_draft *d, const struct tl_xtrace_insn_effect *e)
{
	const struct tl_a64_computation *c = &e->computation;
	bool known = (!c->reads_flags || know_flags(d)) && know(d, c->n) && know(d, c->m) &&
		     know(d, c->a);
	struct tl_xtrace_check_operation *o;
	uint16_t insn;

	become(d, e->forget, known);
	if (!known || !e->forget)
		return;
	o = put(d, TL_XTRACE_OPERATION_END, 0);
	insn = o->insn;
	*o = tl_xtrace_check_computation(e->opcode, c);
	o->insn = insn;
}

static void put_loaded(struct block_draft *d, const struct tl_xtrace_insn_effect *e,
		       unsigned number, uint16_t at)
{
	unsigned kind = TL_XTRACE_OPERATION_TAKE_SIGNED;
	struct tl_xtrace_check_operation *o;

	if (number == 31)
		return;
	become(d, bit_of(number), true);
	if (e->size == 8)
		kind = TL_XTRACE_OPERATION_TAKE_8;
	else if (e->extend == TL_XTRACE_EXTEND_ZERO && e->size == 4)
		kind = TL_XTRACE_OPERATION_TAKE_4;
	else if (e->extend == TL_XTRACE_EXTEND_ZERO)
		kind = e->size == 2 ? TL_XTRACE_OPERATION_TAKE_2 : TL_XTRACE_OPERATION_TAKE_1;
	o = put(d, kind, at);
	o->d = (uint8_t)number;
	o->size = e->size;
	o->a = e->extend == TL_XTRACE_EXTEND_SIGN_32;
}

/* Its first load has all the bytes, or nothing is known of the registers. */
static void put_loads(struct block_draft *d, const struct insn_tokens *t, const uint8_t *begin)
{
	const struct tl_xtrace_insn_effect *e = &t->op->effect;
	uint16_t at = t->done[0] ? t->accesses[0] : 0;

	become(d, bit_of(e->rd) | bit_of(e->rt2), false);
	if (!at || tl_xtrace_access_size(begin[at]) != (e->pair ? 2u : 1u) * e->size)
		return;
	put_loaded(d, e, e->rd, (uint16_t)(at + 9));
	put_loaded(d, e, e->rt2, (uint16_t)(at + 9 + e->size));
}

/* LD1R, whose element comes in one token. */
static void put_repeated(struct block_draft *d, const struct insn_tokens *t)
{
	const struct tl_a64_structure s = tl_a64_structure_of(t->op->a64.opcode);
	struct tl_xtrace_check_operation *o =
		put(d, TL_XTRACE_OPERATION_TAKE_REPEATED, (uint16_t)(t->accesses[0] + 9));

	o->d = s.rt;
	o->size = (uint8_t)(1 << s.size);
	o->a = s.whole ? 16 : 8;
}

/* Vectors are not known by what the block is made of, but each time. */
static void put_vectors(struct block_draft *d, const struct insn_tokens *t, const uint8_t *begin)
{
	const struct tl_a64_access *a = &t->op->access;
	uint32_t done = 0;

	if (!t->op->vector_writes || t->op->effect.kind == TL_XTRACE_EFFECT_VECTOR)
		return;
	put(d, TL_XTRACE_OPERATION_FORGET_VECTORS, 0)->value = t->op->vector_writes;
	if (a->structure == TL_A64_REPEATED)
		put_repeated(d, t);
	for (unsigned i = 0; tl_xtrace_check_of_vectors(a) && a->needs_load && i < t->access_count;
	     i++) {
		uint32_t size = (uint32_t)tl_xtrace_access_size(begin[t->accesses[i]]);

		put_data(d, a, t->accesses[i], size, done, false);
		done += size;
	}
}

/*
 * Whether vectors are known is found out each time; where that decides which general registers
 * are, they are known, or the instruction is left to the plain way.
 */
static void put_vector_computation(struct block_draft *d, const struct tl_xtrace_insn_effect *e)
{
	const struct tl_a64_vector_computation *c = &e->vector;
	struct tl_xtrace_check_operation *o;

	if (c->to_general) {
		put(d, TL_XTRACE_OPERATION_VECTORS_KNOWN, 0)->reads = c->reads;
		become(d, e->forget, true);
	} else if (!know(d, c->n)) {
		put(d, TL_XTRACE_OPERATION_FORGET_VECTORS, 0)->value = UINT64_C(1) << c->d;
		return;
	}
	o = put(d,
		c->to_general ? TL_XTRACE_OPERATION_COMPUTE_GENERAL
			      : TL_XTRACE_OPERATION_COMPUTE_VECTOR,
		0);
	o->d = c->d;
	o->n = c->n;
	o->opcode = e->opcode;
	o->reads = c->reads;
	o->of_vectors = c->compute;
}

static void put_effect(struct block_draft *d, const struct insn_tokens *t, const uint8_t *begin)
{
	const struct tl_xtrace_insn_effect *e = &t->op->effect;
	bool placed = !d->block.el || t->pc >> 63; /* not mapped twice */
	struct tl_xtrace_check_operation *o;

	if (e->writes_back && know(d, e->rn)) {
		o = put(d, TL_XTRACE_OPERATION_ADD, 0);
		o->d = o->n = e->rn;
		o->value = (uint64_t)(int64_t)e->back;
		become(d, UINT64_C(1) << e->rn, true);
	}
	if (e->kind == TL_XTRACE_EFFECT_COMPUTE) {
		put_computation(d, e);
		return;
	}
	if (e->kind == TL_XTRACE_EFFECT_VECTOR) {
		put_vector_computation(d, e);
		return;
	}
	become(d, e->forget, false);
	if (e->kind == TL_XTRACE_EFFECT_CONSTANT)
		put_constant(d, e->rd, e->size == 8 ? e->value : (uint32_t)e->value, true);
	else if (e->kind == TL_XTRACE_EFFECT_RELATIVE)
		put_constant(d, e->rd, t->pc + e->value, placed);
	else if (e->kind == TL_XTRACE_EFFECT_PAGE)
		put_constant(d, e->rd, (t->pc & ~UINT64_C(4095)) + e->value, placed);
	else if (e->kind == TL_XTRACE_EFFECT_LINK)
		put_constant(d, TL_XTRACE_REG_LINK, t->pc + 4, placed);
	else if (e->kind == TL_XTRACE_EFFECT_ADD || e->kind == TL_XTRACE_EFFECT_MOVE)
		put_sum(d, e);
	else if (e->kind == TL_XTRACE_EFFECT_LOAD)
		put_loads(d, t, begin);
}

/* ---- the other tokens ---- */

/* BR, BLR and RET without authentication jump to the address in the register. */
static bool put_target(struct block_draft *d, const struct insn_tokens *t)
{
	uint32_t opcode = t->op->a64.opcode;
	unsigned number = opcode >> 5 & 31;

	if (!t->target || (opcode & 0xff9ffc1f) != 0xd61f0000)
		return true;
	if (number == 31)
		return false;
	if (know(d, number))
		put(d, TL_XTRACE_OPERATION_TARGET, t->target)->n = (uint8_t)number;
	return true;
}

static bool put_flags(struct block_draft *d, const struct insn_tokens *t)
{
	if (!t->flags)
		return true;
	if (t->op->effect.forget & TL_XTRACE_KNOWN_FLAGS)
		return false;
	put(d, know_flags(d) ? TL_XTRACE_OPERATION_FLAGS_ARE : TL_XTRACE_OPERATION_FLAGS_BECOME,
	    t->flags);
	become(d, TL_XTRACE_KNOWN_FLAGS, true);
	return true;
}

/*
 * The operations of an instruction. Those that can fail come first, and what they change may be
 * done again, but for TIME, the last of them.
 */
static bool put_insn(struct block_draft *d, const struct insn_tokens *t, const uint8_t *begin)
{
	if (!put_target(d, t) || !put_flags(d, t))
		return false;
	put_accesses(d, t, begin);
	if (t->time)
		put(d, TL_XTRACE_OPERATION_TIME, t->time);
	put_vectors(d, t, begin);
	put_effect(d, t, begin);
	return true;
}

/* ---- the whole ---- */

/* The token's byte, and of an instruction all of it, have to be the same again. */
static void put_token(struct block_draft *d, const uint8_t *token, size_t same)
{
	uint16_t at = d->state.bytes;

	memcpy((uint8_t *)d->tokens + at, token, same);
	memset((uint8_t *)d->mask + at, 0xff, same);
}

/* Tokens of the instruction at `begin` + state.bytes, up to the next one's. */
static bool draft_tokens(struct block_draft *d, struct insn_tokens *t, const uint8_t *begin,
			 const uint8_t *end)
{
	const struct tl_xtrace_tokens *tokens = &d->stream->stream->tokens;
	size_t size = tokens->size[begin[d->state.bytes]], same = size;

	for (bool first = true;; first = false) {
		const uint8_t *token = begin + d->state.bytes;

		if (size >= (size_t)(end - token) || !size || d->state.bytes + size > MOST_BYTES)
			return false;
		if (!first &&
		    !take(t, (enum tl_xtrace_kind)tokens->kind[*token], token, d->state.bytes))
			return false;
		put_token(d, token, same);
		d->state.bytes = (uint16_t)(d->state.bytes + size);
		if (tl_xtrace_ends_instruction(tokens->kind[token[size]]))
			return true;
		same = 1;
		size = tokens->size[token[size]];
		/* TIME of other sizes is rare. */
		if (tokens->kind[begin[d->state.bytes]] == TL_XTRACE_TIME && size != 9)
			return false;
	}
}

static void clear_behind(struct block_draft *d)
{
	memset((uint8_t *)d->mask + d->state.bytes, 0, sizeof(d->mask) - d->state.bytes);
}

/* The next instruction. False: the block ends before it. */
static bool draft_insn(struct block_draft *d, const uint8_t *begin, const uint8_t *end)
{
	const struct tl_xtrace_tokens *tokens = &d->stream->stream->tokens;
	const struct state before = d->state;
	const uint8_t *p = begin + before.bytes;
	struct tl_xtrace_check_block_insn *insn = &d->insns[d->block.insn_count];
	struct insn_tokens t = { .pc = d->block.behind };

	if (end - p < 14 || d->block.insn_count == MOST_INSNS ||
	    before.operation_count > MOST_OPERATIONS)
		return false;
	*insn = (struct tl_xtrace_check_block_insn){
		.opcode = tl_get32s(p + (tokens->kind[*p] == TL_XTRACE_PCINST ? 9 : 1),
				    TL_HOST_BIG_ENDIAN),
		.at = before.bytes,
		.known = before.determined & before.known,
		.unknown = before.determined & ~before.known,
	};
	t.op = tl_xtrace_check_look(d->stream->check, insn->opcode);
	if (!is_usual(t.op) || !draft_tokens(d, &t, begin, end) || !is_complete(d, &t) ||
	    !put_insn(d, &t, begin)) {
		d->state = before;
		clear_behind(d);
		return false;
	}
	insn->seen = (uint16_t)t.seen;
	d->block.last = *t.op;
	d->block.target_at = t.target;
	d->block.ends_with_access = t.op->a64.access;
	d->block.insn_count++;
	d->block.behind += 4;
	return true;
}

static bool goes_on(const struct block_draft *d, const uint8_t *begin)
{
	uint8_t byte = begin[d->state.bytes];

	return d->block.last.a64.flow == TL_A64_NEXT &&
	       d->stream->stream->tokens.kind[byte] == TL_XTRACE_INST && byte >> 6 == d->block.el;
}

/* One piece of the arena: the block, its tokens, operations and instructions. */
static struct tl_xtrace_check_block *keep(struct block_draft *d)
{
	struct tl_xtrace_check_block *b;
	size_t words = ((size_t)d->state.bytes + 15) / 16 * 2, tokens = words * 8,
	       operations = d->state.operation_count * sizeof(*d->operations),
	       insns = d->block.insn_count * sizeof(*d->insns);
	char *room = tl_arena_alloc(&d->stream->blocks.arena,
				    sizeof(*b) + 2 * tokens + operations + insns);

	if (!room)
		return NULL;
	b = (struct tl_xtrace_check_block *)(void *)room;
	*b = d->block;
	room += sizeof(*b);
	b->tokens = memcpy(room, d->tokens, tokens);
	memcpy(room + tokens, d->mask, tokens);
	b->operations = memcpy(room + 2 * tokens, d->operations, operations);
	b->insns = memcpy(room + 2 * tokens + operations, d->insns, insns);
	b->words = (uint16_t)words;
	b->bytes = d->state.bytes;
	b->reads = d->state.reads;
	b->known = d->state.reads & d->stream->registers.known;
	b->becomes_known = d->state.determined & d->state.known;
	b->becomes_unknown = d->state.determined & ~d->state.known;
	return b;
}

struct tl_xtrace_check_block *tl_xtrace_check_make_block(struct tl_xtrace_check_stream *s,
							 uint64_t pc, const uint8_t *p,
							 const uint8_t *end)
{
	struct block_draft d;

	d.stream = s;
	d.block = (struct tl_xtrace_check_block){ .pc = pc, .behind = pc, .el = *p >> 6 };
	d.state = (struct state){ .known = s->registers.known };
	memset(d.tokens, 0, sizeof(d.tokens));
	memset(d.mask, 0, sizeof(d.mask));
	while (draft_insn(&d, p, end) && goes_on(&d, p))
		;
	if (!d.block.insn_count)
		return NULL;
	put(&d, TL_XTRACE_OPERATION_END, 0);
	return keep(&d);
}
