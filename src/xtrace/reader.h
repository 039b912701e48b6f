/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_READER_H
#define TL_XTRACE_READER_H
/*
 * The reader's insides.
 *
 * A stream is read in segments: from one snapshot's offset to the next. Damage costs the rest of
 *its segment (section 4, "Recover"), and segments can be read by several threads, with the same
 *result.
 *
 * The hot way to read: tl_xtrace_each_segment() calls a function with a walk over each segment, in
 *which
 *
 *	struct xtrace_walk w = *walk;   (a copy, so that the compiler keeps it in registers)
 *	enum tl_xtrace_kind kind;
 *
 *	while ((kind = xtrace_walk_next(&w)) != TL_XTRACE_NONE) {
 *		if (xtrace_is_instruction(kind)) {
 *			uint32_t opcode = xtrace_walk_instruction(&w, kind);
 *			... w.pc (if w.pc_known), xtrace_walk_el(&w) ...
 *		} else if (kind == TL_XTRACE_LOAD) {
 *			... xtrace_walk_value(&w): address; w.token + 9:
 *xtrace_access_size(*w.token) bytes ...
 *		}
 *	}
 *	*walk = w;
 *
 * costs little more than a loop that only skips tokens. Every token but SVCRET and ALLGPR belongs
 *to the instruction before it; these two belong to the one behind (A21).
 */
#include <pthread.h>

#include "core/cursor.h"
#include "xtrace/layout.h"

struct xtrace_segment {
	uint64_t begin, end; /* bytes of the instruction stream */
	/* taken right before it; TL_NONE: the stream begins before its first snapshot */
	uint32_t snapshot;
};

struct xtrace_faults {
	struct tl_xtrace_fault *list;
	size_t listed, capacity;
	uint64_t count, skipped_bytes;
};

struct xtrace_stream {
	struct tl_xtrace_stream_info info;
	char *path, *snapshot_path, *timestamp; /* what info points to */
	struct tl_source *source, *snapshot_source;
	bool own_source, own_snapshot_source; /* opened, and closed, by us */
	const uint8_t *data;                  /* the instruction stream, mapped */
	size_t size;
	const uint8_t *snapshots; /* the snapshot file, mapped */
	size_t snapshots_size;
	struct xtrace_tokens tokens;
	struct xtrace_record_layout record;
	struct xtrace_segment *segments; /* in the order of the bytes; at least one */
	size_t segment_count;
};

struct tl_xtrace {
	struct tl_xtrace_options options;
	struct xtrace_stream *streams;
	uint32_t stream_count;
	struct xtrace_faults faults;
	struct xtrace_faults open_faults; /* how many of them opening found */
	pthread_mutex_t progress;         /* one thread at a time calls the hook */
};

/*
 * The sources of files that the trace opened by itself (the other ones of pairs), by number; NULL
 * behind the last.
 */
const struct tl_source *tl_xtrace_own_source(const struct tl_xtrace *trace, size_t number);

/* A position in a segment. */
struct xtrace_walk {
	const uint8_t *next;  /* the token after the present one */
	const uint8_t *stop;  /* up to where tokens are read without asking: at most `end` */
	const uint8_t *token; /* the present token: its byte; the payload is behind it */
	const struct xtrace_tokens *tokens;
	uint64_t pc; /* of the present instruction, once xtrace_walk_instruction() was called */
	bool pc_known;
	/* What only the rare path needs. */
	const uint8_t *begin, *end, *released;
	struct tl_xtrace *trace;
	const struct xtrace_stream *stream;
	const struct xtrace_segment *segment;
	/* TL_OK; what is wrong at `fault`, once the walk has ended there; TL_IO: cancelled */
	enum tl_status status;
	const char *text;
	uint64_t fault; /* offset; all from there to the end of the segment is lost */
};

/*
 * SYSCALL_VEC, the end of a piece or of the segment, and damage; as xtrace_walk_next(). Pages that
 * were walked over are given back.
 */
enum tl_xtrace_kind tl_xtrace_walk_rare(struct xtrace_walk *walk);

/* Go to the next token; NONE at the end of the segment, or where it is damaged. */
static inline enum tl_xtrace_kind xtrace_walk_next(struct xtrace_walk *walk)
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

static inline bool xtrace_is_instruction(enum tl_xtrace_kind kind)
{
	return kind == TL_XTRACE_INST || kind == TL_XTRACE_PCINST;
}

/* The present token is INST or PCINST: move the PC; the opcode. To be called once for each of them.
 */
static inline uint32_t xtrace_walk_instruction(struct xtrace_walk *walk, enum tl_xtrace_kind kind)
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
static inline unsigned xtrace_walk_el(const struct xtrace_walk *walk)
{
	return *walk->token >> 6;
}

/* The first 8 bytes of the payload: the address of an access, the value of a VAL token, the count
 * of SYSCALL_VEC. */
static inline uint64_t xtrace_walk_value(const struct xtrace_walk *walk)
{
	return tl_get64s(walk->token + 1, TL_HOST_BIG_ENDIAN);
}

/* Bytes of a LOAD or STORE by its token byte; they are at token + 9. */
static inline size_t xtrace_access_size(uint8_t token)
{
	return (size_t)1 << (token >> 4);
}

/* The value of a TIME token, of whatever width. */
uint64_t tl_xtrace_walk_time(const struct xtrace_walk *walk);

/* Where the present token is. */
static inline uint64_t xtrace_walk_offset(const struct xtrace_walk *walk)
{
	return (uint64_t)(walk->token - walk->stream->data);
}

/* A walk over a segment. */
void tl_xtrace_walk_begin(struct xtrace_walk *walk, struct tl_xtrace *trace,
			  const struct xtrace_stream *stream, const struct xtrace_segment *segment);

/* How a walk that is over ended: notes the fault if there is one. 0, or negative: strict,
 * cancelled, no memory. */
int tl_xtrace_walk_end(struct xtrace_walk *walk, struct tl_error *err);

/*
 * Called with a walk at the beginning of segment number `segment` of the stream; walks it, to its
 * end or not. Calls for different segments may be at work at once: what they share is theirs to
 * guard. 0 or a negative status.
 */
typedef int xtrace_segment_fn(void *arg, struct xtrace_walk *walk, size_t segment,
			      struct tl_error *err);

/*
 * Walk all segments of a stream on up to `jobs` threads; with one, they are walked in their order.
 * Faults are noted in the order of the segments. Returns the failure of the first segment that
 * failed.
 */
int tl_xtrace_each_segment(struct tl_xtrace *trace, uint32_t stream, unsigned jobs,
			   xtrace_segment_fn *fn, void *arg, struct tl_error *err);

/* Forget what earlier passes over the streams found. Every operation begins with this. */
void tl_xtrace_rewind(struct tl_xtrace *trace);

/* Note damage. False without memory. */
bool tl_xtrace_fault(struct xtrace_faults *faults, const struct tl_xtrace_fault *fault);

#endif
