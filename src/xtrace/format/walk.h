/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_WALK_H
#define TL_XTRACE_WALK_H
/* clang-format off */
/*
 * Walking over the tokens of a segment.
 *
 * A stream is read in segments: from one snapshot's offset to the next. Several threads can read
 * segments, with the same result. Damage costs the rest of its segment (section 4, "Recover"), but
 * for the checker, which goes on at the next place that makes sense (resync.c).
 *
 * The hot way to read: tl_xtrace_each_segment() calls a function with a walk over each segment, in
 * which
 *
 *	struct tl_xtrace_walk w = *walk;   (a copy, so that the compiler keeps it in registers)
 *	enum tl_xtrace_kind kind;
 *
 *	while ((kind = tl_xtrace_walk_next(&w)) != TL_XTRACE_NONE) {
 *		if (tl_xtrace_is_instruction(kind)) {
 *			uint32_t opcode = tl_xtrace_walk_instruction(&w, kind);
 *			... w.pc (if w.pc_known), tl_xtrace_walk_el(&w) ...
 *		} else if (kind == TL_XTRACE_LOAD) {
 *			... tl_xtrace_walk_value(&w): the address;
 *			    w.token + 9: tl_xtrace_access_size(*w.token) bytes ...
 *		}
 *	}
 *	*walk = w;
 *
 * costs little more than a loop that only skips tokens. Every token but SVCRET and ALLGPR belongs
 * to the instruction before it; these two belong to the instruction behind them (A21).
 */
/* clang-format on */
#include "core/cursor.h"
#include "xtrace/format/trace.h"

/* A position in a segment. */
struct tl_xtrace_walk {
	const uint8_t *next;  /* the token after the present one */
	const uint8_t *stop;  /* up to where tokens are read without asking: at most `end` */
	const uint8_t *token; /* the present token: its byte; the payload is behind it */
	const struct tl_xtrace_tokens *tokens;
	uint64_t pc; /* of the present instruction, once tl_xtrace_walk_instruction() was called */
	bool pc_known;
	/* Used by tl_xtrace_walk_rare() only. */
	const uint8_t *begin, *end, *released;
	struct tl_xtrace_trace *trace;
	const struct tl_xtrace_stream *stream;
	const struct tl_xtrace_segment *segment;
	/* TL_OK, or the fault at which the walk has ended; TL_IO: cancelled */
	enum tl_status status;
	const char *text;
	uint64_t fault; /* offset; all from there to the end of the segment is lost */
};

/*
 * tl_xtrace_walk_next() where the inline part cannot decide: SYSCALL_VEC, the end of a window or of
 * the segment, and damage. Returns the pages that were walked over to the system.
 */
enum tl_xtrace_kind tl_xtrace_walk_rare(struct tl_xtrace_walk *walk);

/* Go to the next token; NONE at the end of the segment, or where it is damaged. */
static inline enum tl_xtrace_kind tl_xtrace_walk_next(struct tl_xtrace_walk *walk)
{
	const uint8_t *p = walk->next;
	size_t left = (size_t)(walk->stop - p);
	size_t size;

	if (__builtin_expect(!left, 0))
		return tl_xtrace_walk_rare(walk);
	size = walk->tokens->size[*p];
	/* Size 0 is larger than anything here. */
	if (__builtin_expect(size - 1 >= left, 0))
		return tl_xtrace_walk_rare(walk);
	walk->token = p;
	walk->next = p + size;
	return (enum tl_xtrace_kind)walk->tokens->kind[*p];
}

static inline bool tl_xtrace_is_instruction(enum tl_xtrace_kind kind)
{
	return kind == TL_XTRACE_INST || kind == TL_XTRACE_PCINST;
}

/* Tokens that begin an instruction, or belong to the next one (A21). */
static inline bool tl_xtrace_ends_instruction(enum tl_xtrace_kind kind)
{
	return tl_xtrace_is_instruction(kind) || kind == TL_XTRACE_SVCRET ||
	       kind == TL_XTRACE_ALLGPR;
}

/* The present token is INST or PCINST: move the PC; the opcode. To be called once for each of them.
 */
static inline uint32_t tl_xtrace_walk_instruction(struct tl_xtrace_walk *walk,
						  enum tl_xtrace_kind kind)
{
	if (kind == TL_XTRACE_INST) {
		walk->pc += 4;
		return tl_get32s(walk->token + 1, TL_HOST_BIG_ENDIAN);
	}
	walk->pc = tl_get64s(walk->token + 1, TL_HOST_BIG_ENDIAN);
	walk->pc_known = true;
	return tl_get32s(walk->token + 9, TL_HOST_BIG_ENDIAN);
}

/* Exception level of the present INST or PCINST. */
static inline unsigned tl_xtrace_walk_el(const struct tl_xtrace_walk *walk)
{
	return *walk->token >> 6;
}

/* The first 8 bytes of the payload: the address of an access, the value of a VAL token, the count
 * of SYSCALL_VEC. */
static inline uint64_t tl_xtrace_walk_value(const struct tl_xtrace_walk *walk)
{
	return tl_get64s(walk->token + 1, TL_HOST_BIG_ENDIAN);
}

/* Bytes of a LOAD or STORE by its token byte; they are at token + 9. */
static inline size_t tl_xtrace_access_size(uint8_t token)
{
	return (size_t)1 << (token >> 4);
}

/* The value of a TIME token, of any width. */
uint64_t tl_xtrace_walk_time(const struct tl_xtrace_walk *walk);

/* Where the present token is. */
static inline uint64_t tl_xtrace_walk_offset(const struct tl_xtrace_walk *walk)
{
	return (uint64_t)(walk->token - walk->stream->data);
}

/* A walk over a segment. */
void tl_xtrace_walk_begin(struct tl_xtrace_walk *walk, struct tl_xtrace_trace *trace,
			  const struct tl_xtrace_stream *stream,
			  const struct tl_xtrace_segment *segment);

/* How a walk that is over ended: notes the fault if there is one. 0, or negative: strict,
 * cancelled, no memory. */
int tl_xtrace_walk_end(struct tl_xtrace_walk *walk, struct tl_error *err);

/*
 * resync.c: the same, but a walk that ended at damage goes on where the stream makes sense again,
 * in the same segment, before an instruction: 1. Nothing is known there of what was before.
 */
int tl_xtrace_walk_resume(struct tl_xtrace_walk *walk, struct tl_error *err);

/* resync.c: the first place from `at` on where many tokens make sense, an instruction first; it is
 * looked for in a bounded number of bytes. NULL: there is none. */
const uint8_t *tl_xtrace_sensible_place(const struct tl_xtrace_tokens *tokens, const uint8_t *at,
					const uint8_t *end);

/*
 * Called with a walk at the beginning of segment number `segment` of the stream; walks it, to its
 * end or not. Calls for different segments may be at work at once: what they share is theirs to
 * guard. 0 or a negative status.
 */
typedef int tl_xtrace_segment_fn(void *arg, struct tl_xtrace_walk *walk, size_t segment,
				 struct tl_error *err);

/*
 * Walk all segments of a stream on up to `jobs` threads; with one, they are walked in their order.
 * Faults are noted in the order of the segments. Returns the failure of the first segment that
 * failed.
 */
int tl_xtrace_each_segment(struct tl_xtrace_trace *trace, uint32_t stream, unsigned jobs,
			   tl_xtrace_segment_fn *fn, void *arg, struct tl_error *err);

/*
 * The next token of a stream whose walk is in segment number *segment, also behind this one; damage
 * is passed without a word, for readers that look ahead of one that tells it.
 */
enum tl_xtrace_kind tl_xtrace_walk_on(struct tl_xtrace_walk *walk, size_t *segment);

#endif
