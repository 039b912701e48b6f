/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The records of a signal's frame, as rt_sigreturn finds them: each has its kind and its size, the
 * first is that of V0 to V31, one of kind 0 is the last, EXTRA tells where more of them are. Linux,
 * <asm/sigcontext.h>, Documentation/arch/arm64/sve.rst.
 */
#include <string.h>

#include "core/memory.h"
#include "xtrace/elf/frame/frame.h"

#define SHORT_VECTORS UINT32_C(0x46508001)
#define LONG_VECTORS UINT32_C(0x53564501)
#define MATRIX UINT32_C(0x54366345)

enum {
	HEAD = 8,
	SHORT_SIZE = 528,
	LONG_HEAD = 16, /* its head, the length of vectors, flags */
	LONG_LENGTH = 8,
	LONG_FLAGS = 10,
	STREAMING = 1,
	MORE_PLACE = 8,
	MORE_BYTES = 32,
	RECORDS_MOST = 64,
};

static const char shown_nowhere[] =
	"a signal's handler changed records of its frame behind that of V0 to V31, of whose heads "
	"it has loaded none";

struct records {
	const struct tl_xtrace_signal_frame *frame;
	uint32_t vector_bytes;
	uint64_t address; /* of the frame */
	size_t more, longer;
	bool known; /* to the last one */
};

/* Linux, struct sve_context: the registers follow, each in its length, then P0 to P15, FFR. */
static size_t long_size(uint32_t vector_bytes)
{
	return LONG_HEAD + (size_t)vector_bytes * 32 + (size_t)vector_bytes / 8 * 17;
}

static bool is_stored(const struct tl_xtrace_signal_frame *f, size_t at, size_t size)
{
	return tl_xtrace_frame_any(f, at, size, TL_XTRACE_FRAME_STORED);
}

static bool is_known(const struct tl_xtrace_signal_frame *f, size_t at, size_t size)
{
	return tl_xtrace_frame_all(f, at, size, TL_XTRACE_FRAME_STORED | TL_XTRACE_FRAME_SHOWN);
}

/* ---- which records there are ---- */

static const char *take_long(struct records *r, size_t at, uint64_t size)
{
	const struct tl_xtrace_signal_frame *f = r->frame;

	if (is_known(f, at + LONG_LENGTH, 2) &&
	    tl_xtrace_frame_value(f, at + LONG_LENGTH, 2) != r->vector_bytes)
		return "a signal's handler has vectors of another length in its frame than the "
		       "snapshots have";
	if (is_known(f, at + LONG_FLAGS, 2) &&
	    tl_xtrace_frame_value(f, at + LONG_FLAGS, 2) & STREAMING)
		return "a signal interrupted streaming mode (SME), and its handler changed vectors";
	if (size >= long_size(r->vector_bytes))
		r->longer = at;
	else if (is_stored(f, at, (size_t)size))
		return "a signal's handler changed the record of vectors in its frame, which has "
		       "none of them";
	return NULL;
}

static const char *take_more(struct records *r, size_t at)
{
	uint64_t place = tl_xtrace_frame_value(r->frame, at + MORE_PLACE, 8) - r->address;

	if (!is_known(r->frame, at + MORE_PLACE, 8) || place % 8 || place < at || place >> 17)
		return shown_nowhere;
	r->more = (size_t)place;
	return NULL;
}

static const char *take_record(struct records *r, size_t at, uint32_t kind, uint64_t size)
{
	if (kind == TL_XTRACE_FRAME_MORE)
		return take_more(r, at);
	if (kind == LONG_VECTORS)
		return take_long(r, at, size);
	if (!is_stored(r->frame, at + HEAD, (size_t)size - HEAD))
		return NULL;
	return kind == MATRIX ? "a signal's handler changed ZA (SME) in its frame"
			      : "a signal's handler changed a record of its frame that is of no "
				"known registers";
}

/*
 * How large a record is. A handler that has found the one that it looks for does not ask: then it
 * has all its registers. 0: it is not known.
 */
static uint64_t size_of(const struct records *r, size_t at, uint32_t kind)
{
	if (is_known(r->frame, at + 4, 4))
		return tl_xtrace_frame_value(r->frame, at + 4, 4);
	if (kind == LONG_VECTORS)
		return (long_size(r->vector_bytes) + 15) / 16 * 16;
	return kind == TL_XTRACE_FRAME_MORE ? MORE_BYTES : 0;
}

/* All records behind the first one. One that tells where more are is the last beside it. */
static const char *find_records(struct records *r)
{
	size_t at = TL_XTRACE_FRAME_OTHERS;
	const char *why = NULL;

	for (unsigned i = 0; i < RECORDS_MOST && !why; i++) {
		uint32_t kind = (uint32_t)tl_xtrace_frame_value(r->frame, at, 4);
		uint64_t size = size_of(r, at, kind);

		if (!is_known(r->frame, at, 4))
			return NULL;
		r->known = !kind;
		if (!kind || !size)
			return NULL;
		if (size % 16 || size < 16 || size >> 17)
			return "a signal's handler has a record in its frame whose size is no "
			       "record's";
		if (kind == TL_XTRACE_FRAME_MORE && r->more)
			return shown_nowhere;
		why = take_record(r, at, kind, size);
		at = kind == TL_XTRACE_FRAME_MORE ? r->more : at + (size_t)size;
	}
	return why;
}

/* Stores that the records do not account for. */
static const char *judge(const struct records *r)
{
	const struct tl_xtrace_signal_frame *f = r->frame;
	size_t end = r->longer ? r->longer + long_size(r->vector_bytes) : TL_XTRACE_FRAME_OTHERS;

	if (is_stored(f, TL_XTRACE_FRAME_RECORDS, HEAD) &&
	    (tl_xtrace_frame_value(f, TL_XTRACE_FRAME_RECORDS, 4) != SHORT_VECTORS ||
	     tl_xtrace_frame_value(f, TL_XTRACE_FRAME_RECORDS + 4, 4) != SHORT_SIZE))
		return "a signal's handler changed the head of the record of V0 to V31 in its "
		       "frame";
	if (r->known && !r->longer && r->vector_bytes > 16 &&
	    is_stored(f, TL_XTRACE_FRAME_OTHERS, f->size))
		return "a signal's handler took the record of vectors from its frame";
	/* Where the last records are behind the frame's own room, its end is not known. */
	if (r->known || end > TL_XTRACE_FRAME_END)
		return NULL;
	return is_stored(f, end, f->size) ? shown_nowhere : NULL;
}

/* ---- what comes back ---- */

/* Up to 8 bytes of a register, at a place of what has them. */
struct changed_word {
	uint64_t value;
	uint8_t bytes; /* those that are changed, as bits */
};

struct taken {
	struct tl_xtrace_replay *replay;
	bool failed;
};

static void put(struct taken *t, enum tl_xtrace_change_kind kind, enum tl_xtrace_vector_rule rule,
		size_t place, struct changed_word word)
{
	struct tl_xtrace_replay_changes *to = &t->replay->changes;

	if (!word.bytes || t->failed)
		return;
	t->failed = !tl_grow(&to->list, &to->capacity, to->count + 1, sizeof(*to->list));
	if (t->failed)
		return;
	to->list[to->count++] = (struct tl_xtrace_replay_change){
		.kind = (uint8_t)kind,
		.rule = (uint8_t)rule,
		.bytes = word.bytes,
		.place = (uint32_t)place,
		.value = word.value,
	};
}

static struct changed_word stored_word(const struct tl_xtrace_signal_frame *f, size_t at,
				       size_t size)
{
	struct changed_word word = { .value = tl_xtrace_frame_value(f, at, size) };

	for (size_t i = 0; i < size; i++)
		if (is_stored(f, at + i, 1))
			word.bytes |= (uint8_t)(1u << i);
	return word;
}

static void put_words(struct taken *t, const struct tl_xtrace_signal_frame *f,
		      enum tl_xtrace_change_kind kind, size_t place, size_t at, size_t size)
{
	for (size_t i = 0; i < size; i += 8)
		put(t, kind, TL_XTRACE_ANY_RULE, place + i,
		    stored_word(f, at + i, size - i < 8 ? size - i : 8));
}

/*
 * The lower 128 bits of a register are in two records. Linux takes them from the short one, QEMU
 * from the long one: what both have alike needs no rule. One that the handler did not store is as
 * the register was.
 */
static void put_low_byte(const struct tl_xtrace_signal_frame *f, size_t low, size_t high,
			 unsigned bit, struct changed_word *words)
{
	bool has_low = is_known(f, low, 1), has_high = is_known(f, high, 1);

	if (!is_stored(f, low, 1) && !is_stored(f, high, 1))
		return;
	if (has_low && has_high && f->bytes[low] == f->bytes[high]) {
		words[TL_XTRACE_ANY_RULE].bytes |= (uint8_t)bit;
		return;
	}
	words[TL_XTRACE_SHORT_RULE].bytes |= (uint8_t)(has_low ? bit : 0);
	words[TL_XTRACE_LONG_RULE].bytes |= (uint8_t)(has_high ? bit : 0);
}

static void put_low(struct taken *t, const struct records *r, unsigned number, size_t word)
{
	const struct tl_xtrace_signal_frame *f = r->frame;
	size_t low = TL_XTRACE_FRAME_VECTORS + (size_t)number * 16 + word,
	       high = r->longer + LONG_HEAD + (size_t)number * r->vector_bytes + word,
	       place = (size_t)number * r->vector_bytes + word;
	struct changed_word words[3] = { { 0 } };

	words[TL_XTRACE_ANY_RULE].value = words[TL_XTRACE_SHORT_RULE].value =
		tl_xtrace_frame_value(f, low, 8);
	words[TL_XTRACE_LONG_RULE].value = r->longer ? tl_xtrace_frame_value(f, high, 8) : 0;
	if (r->longer)
		for (unsigned i = 0; i < 8; i++)
			put_low_byte(f, low + i, high + i, 1u << i, words);
	else
		words[r->known ? TL_XTRACE_ANY_RULE : TL_XTRACE_SHORT_RULE].bytes =
			stored_word(f, low, 8).bytes;
	for (unsigned rule = 0; rule < 3; rule++)
		put(t, TL_XTRACE_CHANGE_VECTORS, (enum tl_xtrace_vector_rule)rule, place,
		    words[rule]);
}

static void put_vectors(struct taken *t, const struct records *r)
{
	const struct tl_xtrace_signal_frame *f = r->frame;

	for (unsigned i = 0; i < 32; i++) {
		size_t place = (size_t)i * r->vector_bytes;

		put_low(t, r, i, 0);
		put_low(t, r, i, 8);
		if (r->longer)
			put_words(t, f, TL_XTRACE_CHANGE_VECTORS, place + 16,
				  r->longer + LONG_HEAD + place + 16, r->vector_bytes - 16);
	}
	if (r->longer)
		put_words(t, f, TL_XTRACE_CHANGE_PREDICATES, 0,
			  r->longer + LONG_HEAD + (size_t)r->vector_bytes * 32,
			  (size_t)r->vector_bytes / 8 * 17);
}

/* Registers that the handler stored a part of. */
static void put_parts(struct taken *t, const struct tl_xtrace_signal_frame *f)
{
	uint64_t touched = tl_xtrace_frame_touched(f);

	for (unsigned i = 0; i < TL_XTRACE_FRAME_PC; i++)
		if (touched >> i & 1)
			put_words(t, f, TL_XTRACE_CHANGE_GENERAL, (size_t)i * 8,
				  TL_XTRACE_FRAME_REGISTERS + (size_t)i * 8, 8);
	put_words(t, f, TL_XTRACE_CHANGE_GENERAL, (size_t)TL_XTRACE_REPLAY_FPSR * 8,
		  TL_XTRACE_FRAME_STATUS, 4);
	put_words(t, f, TL_XTRACE_CHANGE_GENERAL, (size_t)TL_XTRACE_REPLAY_FPCR * 8,
		  TL_XTRACE_FRAME_CONTROL, 4);
}

const char *tl_xtrace_frame_take(const struct tl_xtrace_signal_frame *frame, uint64_t address,
				 uint32_t vector_bytes, struct tl_xtrace_replay *replay,
				 bool *failed)
{
	struct records records = {
		.frame = frame,
		.address = address,
		.vector_bytes = vector_bytes,
	};
	struct taken taken = { .replay = replay };
	const char *why;

	*failed = false;
	if (!is_stored(frame, TL_XTRACE_FRAME_REGISTERS, frame->size))
		return NULL;
	why = find_records(&records);
	if (!why)
		why = judge(&records);
	if (why)
		return why;
	put_parts(&taken, frame);
	put_vectors(&taken, &records);
	*failed = taken.failed;
	return NULL;
}
