/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Going on behind damage (section 4, "Recover"). The next instruction from which many tokens in a
 * row make sense is where reading goes on: a reader that began inside a payload would soon find an
 * opcode that is none, an access of an instruction that has none, or an address that no address
 * space has.
 */
#include "core/error.h"
#include "isa/a64/a64.h"
#include "xtrace/format/walk.h"

enum {
	SENSIBLE = 60,    /* tokens in a row are believed, */
	AT_THE_END = 16,  /* or so many right up to the end of the segment; */
	FURTHEST = 65536, /* and no more bytes than that are looked through */
};

/* An address of either half of the address space, whatever its tag. */
static bool is_canonical(uint64_t address)
{
	uint64_t high = address >> 48 & 0xff;

	return high == 0 || high == 0xff;
}

/* An instruction: `next` becomes what it is. */
static bool good_instruction(const uint8_t *token, bool with_pc, struct tl_a64 *next)
{
	uint64_t pc = with_pc ? tl_get64s(token + 1, TL_HOST_BIG_ENDIAN) : 0;

	*next = tl_a64_classify(tl_get32s(token + (with_pc ? 9 : 1), TL_HOST_BIG_ENDIAN));
	return *token >> 6 < 2 && pc % 4 == 0 && (pc >> 52 == 0 || pc >> 52 == 0xfff) &&
	       next->class != TL_A64_UNALLOCATED;
}

/* A token behind an instruction. */
static bool good_token(enum tl_xtrace_kind kind, const uint8_t *token, const struct tl_a64 *owner)
{
	uint64_t value = tl_get64s(token + 1, TL_HOST_BIG_ENDIAN);

	switch (kind) {
	case TL_XTRACE_LOAD:
	case TL_XTRACE_STORE:
		return *token >> 4 <= 4 && is_canonical(value) &&
		       (owner->access || owner->special == TL_A64_DC_ZERO);
	case TL_XTRACE_TARGET_B:
		return owner->flow >= TL_A64_JUMP_REGISTER &&
		       owner->flow <= TL_A64_EXCEPTION_RETURN;
	case TL_XTRACE_STXR:
		return owner->special == TL_A64_STORE_EXCLUSIVE;
	case TL_XTRACE_MRS:
		return owner->class == TL_A64_SYSTEM;
	case TL_XTRACE_SVCARG:
	case TL_XTRACE_SYSCALL_VEC:
		return owner->special == TL_A64_SVC;
	case TL_XTRACE_FLAGS:
		return !(value & ~UINT64_C(0xf0000000));
	default:
		return true;
	}
}

/* The size of a token that is whole; 0: it is not. */
static size_t whole(const struct tl_xtrace_tokens *tokens, const uint8_t *at, const uint8_t *end)
{
	size_t left = (size_t)(end - at), size = tokens->size[*at];

	if (tokens->kind[*at] == TL_XTRACE_SYSCALL_VEC && left >= 9) {
		uint64_t count = tl_get64s(at + 1, TL_HOST_BIG_ENDIAN);

		size = count <= (left - 9) / TL_XTRACE_IOVEC_BYTES
			       ? 9 + (size_t)count * TL_XTRACE_IOVEC_BYTES
			       : 0;
	}
	return size <= left ? size : 0;
}

/* An instruction with what stands behind it. */
struct owner {
	struct tl_a64 a64;
	unsigned level;
	uint32_t kinds; /* of tokens, as bits */
};

/* It has what it must have, and the next one is of the same level, or ALLGPR stands between. */
static bool is_complete(const struct owner *owner, unsigned next_level)
{
	const uint32_t accesses = 1u << TL_XTRACE_LOAD | 1u << TL_XTRACE_STORE;
	bool indirect = owner->a64.flow >= TL_A64_JUMP_REGISTER &&
			owner->a64.flow <= TL_A64_EXCEPTION_RETURN;

	if (indirect && !(owner->kinds & 1u << TL_XTRACE_TARGET_B))
		return false;
	if (owner->a64.bytes && owner->a64.special != TL_A64_STORE_EXCLUSIVE &&
	    !(owner->kinds & accesses))
		return false;
	return owner->level == next_level || owner->kinds & 1u << TL_XTRACE_ALLGPR;
}

static bool makes_sense(const struct tl_xtrace_tokens *tokens, const uint8_t *at,
			const uint8_t *end)
{
	struct owner owner = { .level = 0 };

	for (unsigned seen = 0; seen < SENSIBLE; seen++) {
		enum tl_xtrace_kind kind;
		size_t size;

		if (at == end)
			return seen >= AT_THE_END;
		kind = (enum tl_xtrace_kind)tokens->kind[*at];
		size = whole(tokens, at, end);
		if (!size || (!seen && !tl_xtrace_is_instruction(kind)))
			return false;
		if (tl_xtrace_is_instruction(kind)) {
			if (seen && !is_complete(&owner, *at >> 6))
				return false;
			owner.kinds = 0;
			owner.level = *at >> 6;
			if (!good_instruction(at, kind == TL_XTRACE_PCINST, &owner.a64))
				return false;
		} else if (size > 8 && !good_token(kind, at, &owner.a64)) {
			return false;
		}
		owner.kinds |= 1u << kind;
		at += size;
	}
	return true;
}

const uint8_t *tl_xtrace_sensible_place(const struct tl_xtrace_tokens *tokens, const uint8_t *at,
					const uint8_t *end)
{
	const uint8_t *last = end - at > FURTHEST ? at + FURTHEST : end;

	for (; at < last; at++)
		if (makes_sense(tokens, at, end))
			return at;
	return NULL;
}

/* The first such place behind a fault; NULL: none. */
static const uint8_t *next_place(const struct tl_xtrace_walk *walk)
{
	const uint8_t *data = walk->stream->data;

	return tl_xtrace_sensible_place(walk->tokens, data + walk->fault + 1,
					data + walk->segment->end);
}

int tl_xtrace_walk_resume(struct tl_xtrace_walk *walk, struct tl_error *err)
{
	struct tl_xtrace_walk at;
	struct tl_xtrace_segment rest;
	const uint8_t *place = NULL;
	int status;

	if (walk->status != TL_OK && walk->status != TL_IO && !walk->trace->options.strict)
		place = next_place(walk);
	if (!place)
		return tl_xtrace_walk_end(walk, err);
	/* What is lost ends here, and the rest is walked as the segment was. */
	rest = *walk->segment;
	rest.begin = (uint64_t)(place - walk->stream->data);
	tl_xtrace_walk_begin(&at, walk->trace, walk->stream, &rest);
	at.segment = walk->segment;
	rest.end = rest.begin;
	walk->segment = &rest;
	status = tl_xtrace_walk_end(walk, err);
	*walk = at;
	if (status < 0)
		return status;
	return 1;
}
