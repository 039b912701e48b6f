/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of a block: a small interpreter. */
#include <string.h>

#include "xtrace/check/block.h"

static uint64_t get64(const uint8_t *p)
{
	return tl_get64s(p, TL_HOST_BIG_ENDIAN);
}

/* ---- memory ---- */

/* The upper half of the addresses is the same in all address spaces. */
static unsigned space_of(const struct tl_xtrace_check_stream *s, uint64_t address)
{
	return address >> 63 ? 0 : s->program.space;
}

/* Bytes that are not known yet, or not of a page used lately. */
static bool load_any(struct tl_xtrace_check_stream *s, const uint8_t *token)
{
	struct tl_xtrace_shadow *shadow = &s->memory->shadow;
	uint64_t address = get64(token + 1);
	unsigned space = space_of(s, address);
	size_t size = tl_xtrace_access_size(*token);

	if (tl_xtrace_shadow_differs(shadow, space, address, token + 9, size))
		return false;
	if (tl_xtrace_shadow_load(shadow, space, address, token + 9, size) ==
	    TL_XTRACE_SHADOW_NO_MEMORY)
		tl_xtrace_check_no_memory(s);
	return true;
}

static void store_any(struct tl_xtrace_check_stream *s, const uint8_t *token)
{
	uint64_t address = get64(token + 1);

	if (!tl_xtrace_shadow_store(&s->memory->shadow, space_of(s, address), address, token + 9,
				    tl_xtrace_access_size(*token)))
		tl_xtrace_check_no_memory(s);
}

static inline bool load(struct tl_xtrace_check_stream *s, const uint8_t *token, size_t size)
{
	uint64_t address = get64(token + 1);

	return tl_xtrace_shadow_load_recent(&s->memory->shadow, space_of(s, address), address,
					    token + 9, size) ||
	       load_any(s, token);
}

static inline void store(struct tl_xtrace_check_stream *s, const uint8_t *token, size_t size)
{
	uint64_t address = get64(token + 1);

	if (!tl_xtrace_shadow_store_recent(&s->memory->shadow, space_of(s, address), address,
					   token + 9, size))
		store_any(s, token);
}

/* ---- what has to be true ---- */

/* A tag is no part of an address. */
static inline bool is_at(const uint8_t *token, uint64_t address)
{
	return (get64(token + 1) ^ address) << 8 == 0;
}

/* "ExtendReg()": UXTW, LSL, SXTW, SXTX. */
static inline uint64_t index_of(const struct tl_xtrace_check_operation *o, uint64_t value)
{
	if (o->size == 2)
		value = (uint32_t)value;
	else if (o->size == 6)
		value = (uint64_t)(int64_t)(int32_t)(uint32_t)value;
	return value << o->a;
}

static inline bool holds(const struct tl_xtrace_check_operation *o, uint64_t value,
			 const uint8_t *bytes)
{
	uint64_t mask = UINT64_MAX >> (64 - 8 * o->size);

	return !(((value >> 8 * o->a) ^ get64(bytes)) & mask);
}

/* As take_time() in check.c. */
static bool take_time(struct tl_xtrace_check_stream *s, uint64_t time)
{
	struct tl_xtrace_checker *c = s->check;
	uint32_t stream = (uint32_t)(s->stream - c->trace->streams);

	if ((s->clock.any && time <= s->clock.last) ||
	    (c->merged && c->last_time_stream != TL_NONE && c->last_time_stream != stream &&
	     c->last_time == time))
		return false;
	s->clock.any = true;
	s->clock.last = c->last_time = time;
	c->last_time_stream = stream;
	return true;
}

static bool flags_become(struct tl_xtrace_registers *r, uint64_t value)
{
	r->nzcv = (unsigned)(value >> 28) & 15;
	return !(value & ~UINT64_C(0xf0000000));
}

/* ---- what becomes of registers ---- */

static uint64_t sign_extended(const struct tl_xtrace_check_operation *o, const uint8_t *at)
{
	uint64_t sign = UINT64_C(1) << (8 * o->size - 1), value = get64(at) & (sign | (sign - 1));

	value = (value ^ sign) - sign;
	return o->a ? (uint32_t)value : value;
}

static inline uint64_t sized(const struct tl_xtrace_check_operation *o, uint64_t value)
{
	return o->size == 8 ? value : (uint32_t)value;
}

/* Those of two registers; else CONSTANT and a single byte or two. */
static void set_register(struct tl_xtrace_registers *r, const struct tl_xtrace_check_operation *o,
			 const uint8_t *at)
{
	switch (o->kind) {
	case TL_XTRACE_OPERATION_AND:
		r->x[o->d] = sized(o, r->x[o->n] & r->x[o->m] << o->a);
		break;
	case TL_XTRACE_OPERATION_XOR:
		r->x[o->d] = sized(o, r->x[o->n] ^ r->x[o->m] << o->a);
		break;
	case TL_XTRACE_OPERATION_PRODUCT:
		r->x[o->d] = sized(o, r->x[o->a] + r->x[o->n] * r->x[o->m]);
		break;
	case TL_XTRACE_OPERATION_TAKE_2:
		r->x[o->d] = (uint16_t)(at[0] | at[1] << 8);
		break;
	case TL_XTRACE_OPERATION_TAKE_SIGNED:
		r->x[o->d] = sign_extended(o, at);
		break;
	default:
		tl_xtrace_check_compute(r, o);
	}
}

/* ---- vectors ---- */

static bool are_known(const struct tl_xtrace_vectors *v, const struct tl_xtrace_check_operation *o)
{
	return (v->whole & o->reads) == o->reads;
}

static void compute_vector(struct tl_xtrace_check_stream *s,
			   const struct tl_xtrace_check_operation *o)
{
	struct tl_a64_vector result;

	if (!are_known(&s->vectors, o)) {
		tl_xtrace_vectors_forget(&s->vectors, UINT32_C(1) << o->d);
		return;
	}
	result = o->of_vectors(o->opcode, s->vectors.v, s->registers.x[o->n]);
	tl_xtrace_vector_set(&s->vectors, o->d, &result);
}

static void compute_general(struct tl_xtrace_check_stream *s,
			    const struct tl_xtrace_check_operation *o)
{
	struct tl_a64_vector result = o->of_vectors(o->opcode, s->vectors.v, 0);

	if (o->d != TL_A64_ZERO)
		s->registers.x[o->d] = tl_a64_vector_number(&result);
}

/* ---- all of them ---- */

/* What is not frequent. False: something is wrong. */
static bool rare(struct tl_xtrace_check_stream *s, const struct tl_xtrace_check_operation *o,
		 const uint8_t *at)
{
	struct tl_xtrace_registers *r = &s->registers;

	switch (o->kind) {
	case TL_XTRACE_OPERATION_AT_PLACE:
		return is_at(at, o->value);
	case TL_XTRACE_OPERATION_LEARN_SP:
		r->x[TL_XTRACE_REG_SP] = get64(at + 1) - o->value;
		return true;
	case TL_XTRACE_OPERATION_HOLDS_VECTOR:
		return tl_xtrace_vector_holds(&s->vectors, o->n, o->a, at, o->size);
	case TL_XTRACE_OPERATION_LOAD:
		return load_any(s, at);
	case TL_XTRACE_OPERATION_STORE:
		store_any(s, at);
		return true;
	case TL_XTRACE_OPERATION_TIME:
		return take_time(s, get64(at + 1));
	case TL_XTRACE_OPERATION_FLAGS_ARE:
		return get64(at + 1) == (uint64_t)r->nzcv << 28;
	case TL_XTRACE_OPERATION_FLAGS_BECOME:
		return flags_become(r, get64(at + 1));
	case TL_XTRACE_OPERATION_TARGET:
		return is_at(at, r->x[o->n]);
	case TL_XTRACE_OPERATION_TAKE_VECTOR:
		tl_xtrace_vector_load(&s->vectors, o->d, o->a, at, o->size);
		return true;
	case TL_XTRACE_OPERATION_TAKE_REPEATED:
		tl_xtrace_vector_repeat(&s->vectors, o->d, o->a, at, o->size);
		return true;
	case TL_XTRACE_OPERATION_FORGET_VECTORS:
		tl_xtrace_vectors_forget(&s->vectors, (uint32_t)o->value);
		return true;
	case TL_XTRACE_OPERATION_VECTORS_KNOWN:
		return are_known(&s->vectors, o);
	case TL_XTRACE_OPERATION_COMPUTE_VECTOR:
		compute_vector(s, o);
		return true;
	case TL_XTRACE_OPERATION_COMPUTE_GENERAL:
		compute_general(s, o);
		return true;
	default:
		set_register(r, o, at);
		return true;
	}
}

/* The most frequent operations come first: each costs one jump. */
uint32_t tl_xtrace_check_run_block(struct tl_xtrace_check_stream *s,
				   const struct tl_xtrace_check_block *block, const uint8_t *p)
{
	struct tl_xtrace_registers *r = &s->registers;
	const struct tl_xtrace_check_operation *o;
	bool right = true;

	for (o = block->operations; right; o++) {
		const uint8_t *at = p + o->at;

		switch (o->kind) {
		case TL_XTRACE_OPERATION_END:
			return block->insn_count;
		case TL_XTRACE_OPERATION_AT_BASE:
			right = is_at(at, r->x[o->n] + o->value);
			continue;
		case TL_XTRACE_OPERATION_AT_INDEX:
			right = is_at(at, r->x[o->n] + o->value + index_of(o, r->x[o->m]));
			continue;
		case TL_XTRACE_OPERATION_AT_OTHER:
			right = is_at(at, get64(p + o->other + 1) + o->value);
			continue;
		case TL_XTRACE_OPERATION_HOLDS:
			right = holds(o, r->x[o->n], at);
			continue;
		case TL_XTRACE_OPERATION_LOAD_4:
			right = load(s, at, 4);
			continue;
		case TL_XTRACE_OPERATION_LOAD_8:
			right = load(s, at, 8);
			continue;
		case TL_XTRACE_OPERATION_LOAD_16:
			right = load(s, at, 16);
			continue;
		case TL_XTRACE_OPERATION_STORE_4:
			store(s, at, 4);
			continue;
		case TL_XTRACE_OPERATION_STORE_8:
			store(s, at, 8);
			continue;
		case TL_XTRACE_OPERATION_STORE_16:
			store(s, at, 16);
			continue;
		case TL_XTRACE_OPERATION_CONSTANT:
			r->x[o->d] = o->value;
			continue;
		case TL_XTRACE_OPERATION_ADD:
			r->x[o->d] = r->x[o->n] + o->value;
			continue;
		case TL_XTRACE_OPERATION_ADD_32:
			r->x[o->d] = (uint32_t)(r->x[o->n] + o->value);
			continue;
		case TL_XTRACE_OPERATION_SUM:
			r->x[o->d] = sized(o, r->x[o->n] + (r->x[o->m] << o->a));
			continue;
		case TL_XTRACE_OPERATION_DIFFERENCE:
			r->x[o->d] = sized(o, r->x[o->n] - (r->x[o->m] << o->a));
			continue;
		case TL_XTRACE_OPERATION_OR:
			r->x[o->d] = sized(o, r->x[o->n] | r->x[o->m] << o->a);
			continue;
		case TL_XTRACE_OPERATION_FIELD:
			r->x[o->d] = (r->x[o->n] >> o->size & o->value) << o->a;
			continue;
		case TL_XTRACE_OPERATION_TAKE_1:
			r->x[o->d] = *at;
			continue;
		case TL_XTRACE_OPERATION_TAKE_4:
			r->x[o->d] = tl_get32s(at, TL_HOST_BIG_ENDIAN);
			continue;
		case TL_XTRACE_OPERATION_TAKE_8:
			r->x[o->d] = get64(at);
			continue;
		default:
			right = rare(s, o, at);
		}
	}
	return o[-1].insn;
}
