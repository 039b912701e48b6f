/* SPDX-License-Identifier: Apache-2.0 */
/* How tokens are written (A11, A14), and where a stream is cut into segments. */
#include <stdlib.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/memory.h"
#include "xtrace/format/snapshot.h"
#include "xtrace/format/walk.h"

/* ---- dialects of tokens ---- */

uint64_t tl_xtrace_parse_extent(const struct tl_xtrace_tokens *tokens, const uint8_t *data,
				uint64_t begin, uint64_t end, uint64_t most, bool *times_increase)
{
	struct tl_cursor cur = tl_cursor_over(data, (size_t)end);
	uint64_t last = 0;
	bool timed = false;

	tl_cursor_seek(&cur, begin);
	for (; most && tl_cursor_has(&cur, 1); most--) {
		unsigned byte = *cur.pos;
		uint64_t size = tokens->size[byte];

		if (tokens->kind[byte] == TL_XTRACE_SYSCALL_VEC && tl_cursor_has(&cur, 9) &&
		    tl_get64s(cur.pos + 1, TL_HOST_BIG_ENDIAN) < UINT32_MAX)
			size = 9 +
			       TL_XTRACE_IOVEC_BYTES * tl_get64s(cur.pos + 1, TL_HOST_BIG_ENDIAN);
		if (!size || !tl_cursor_has(&cur, size))
			break;
		if (times_increase && tokens->kind[byte] == TL_XTRACE_TIME && size > 1) {
			uint64_t now = size == 5 ? tl_get32s(cur.pos + 1, TL_HOST_BIG_ENDIAN)
						 : tl_get64s(cur.pos + 1, TL_HOST_BIG_ENDIAN);

			if (timed && now <= last)
				*times_increase = false;
			if (!*times_increase)
				break;
			timed = true;
			last = now;
		}
		cur.pos += size;
	}
	return tl_cursor_offset(&cur);
}

/* So much of a stream is looked at; so much further has a dialect to get than the likely one. */
enum { WINDOW = 4 << 20, BY_CHANCE = 4096 };

/* "{8,0,4,16} by: the whole file parses and the values increase" (A11), with both ways to number
 * VAL and MISC (A14). */
static const struct {
	uint32_t time_bytes, code_bits;
} dialects[] = { { 8, 5 }, { 0, 5 }, { 4, 5 }, { 16, 5 }, { 8, 4 }, { 0, 4 }, { 4, 4 }, { 16, 4 } };

static int choose_dialect(struct tl_xtrace_trace *trace, struct tl_xtrace_stream *s,
			  const struct tl_xtrace_given_layout *forced, struct tl_error *err)
{
	uint64_t window = tl_min(s->size, WINDOW), furthest = 0;
	struct tl_xtrace_layout tried = s->layout;
	bool found = false;

	for (size_t i = 0; i < sizeof(dialects) / sizeof(dialects[0]) && furthest < window; i++) {
		struct tl_xtrace_tokens tokens;
		uint64_t extent;
		bool increase = true;

		tried.time_bytes =
			forced->time ? forced->layout.time_bytes : dialects[i].time_bytes;
		tried.code_bits = forced->codes ? forced->layout.code_bits : dialects[i].code_bits;
		if (tl_xtrace_tokens_make(&tokens, &tried, trace->options.skip_unknown, err) < 0)
			return TL_BAD_USAGE;
		extent = tl_xtrace_parse_extent(&tokens, s->data, 0, window, UINT64_MAX, &increase);
		/* The window may end inside a token: nothing gets further than that. */
		if (extent + TL_XTRACE_MAX_FIXED > window && window < s->size)
			extent = window;
		/* Damage stops all of them; one may by chance stumble on a little. */
		if (found && extent < (tl_min(furthest + BY_CHANCE, window)))
			continue;
		found = true;
		furthest = extent;
		s->layout.time_bytes = tried.time_bytes;
		s->layout.code_bits = tried.code_bits;
	}
	return 0;
}

int tl_xtrace_tokens_probe(struct tl_xtrace_trace *trace, struct tl_xtrace_stream *s,
			   const struct tl_xtrace_given_layout *forced, struct tl_error *err)
{
	if (forced->time)
		s->layout.time_bytes = forced->layout.time_bytes;
	if (forced->codes)
		s->layout.code_bits = forced->layout.code_bits;
	if (choose_dialect(trace, s, forced, err) < 0)
		return TL_BAD_USAGE;
	return tl_xtrace_tokens_make(&s->tokens, &s->layout, trace->options.skip_unknown, err);
}

/* ---- segments ---- */

/* So many tokens have to make sense before a snapshot's offset is believed. */
enum { BELIEVED = 32 };

/*
 * Whether reading can begin at an offset: a PCINST of a PC that can be one, and tokens behind it. A
 * reader that began inside a payload would be detected by the tokens, or by the high bits of the
 * PC, which are all equal.
 */
static bool can_begin(const struct tl_xtrace_stream *s, uint64_t offset)
{
	uint64_t pc, high, extent;

	if (s->size < 13 || offset > s->size - 13 ||
	    s->tokens.kind[s->data[offset]] != TL_XTRACE_PCINST)
		return false;
	pc = tl_get64s(s->data + offset + 1, TL_HOST_BIG_ENDIAN);
	high = pc >> 52;
	if (pc % 4 || (high != 0 && high != 0xfff))
		return false;
	extent = tl_xtrace_parse_extent(&s->tokens, s->data, offset, s->size, BELIEVED, NULL);
	/* All of them were whole, or the file ends; damage behind a good beginning is not its
	 * fault. */
	return extent - offset >= 5 * BELIEVED || s->size - extent < TL_XTRACE_MAX_FIXED;
}

static bool add_segment(struct tl_xtrace_stream *s, size_t *capacity, uint64_t begin,
			uint32_t snapshot)
{
	if (!tl_grow(&s->segments, capacity, s->segment_count + 1, sizeof(*s->segments)))
		return false;
	s->segments[s->segment_count++] = (struct tl_xtrace_segment){ begin, s->size, snapshot };
	return true;
}

/*
 * "If every value equals the record's ordinal": a single snapshot does not show it, since its
 * offset and its number are both 0.
 */
static bool are_ordinals(const struct tl_xtrace_stream *s)
{
	struct tl_xtrace_snapshot snapshot;

	for (uint32_t i = 0; i < s->info.snapshots; i++) {
		tl_xtrace_snapshot_decode(s, i, &snapshot);
		if (snapshot.index != i)
			return false;
	}
	return s->info.snapshots > 1;
}

/* "locate by counting instructions": the PCINST with so many instructions before it. */
static int locate(struct tl_xtrace_trace *trace, struct tl_xtrace_stream *s, size_t *capacity,
		  struct tl_error *err)
{
	struct tl_xtrace_segment whole = { 0, s->size, TL_NONE };
	struct tl_xtrace_walk w;
	enum tl_xtrace_kind kind;
	struct tl_xtrace_snapshot snapshot;
	uint64_t count = 0;
	uint32_t next = 0;

	tl_xtrace_walk_begin(&w, trace, s, &whole);
	tl_xtrace_snapshot_decode(s, 0, &snapshot);
	while ((kind = tl_xtrace_walk_next(&w)) != TL_XTRACE_NONE) {
		if (!tl_xtrace_is_instruction(kind))
			continue;
		while (snapshot.total <= count) {
			if (snapshot.total == count &&
			    !add_segment(s, capacity, tl_xtrace_walk_offset(&w), next))
				return tl_error_memory(err);
			if (++next == s->info.snapshots)
				return 0;
			tl_xtrace_snapshot_decode(s, next, &snapshot);
		}
		count++;
	}
	return w.status == TL_IO ? tl_error_at(err, TL_IO, TL_NOWHERE, "cancelled") : 0;
}

/*
 * A stream that was cut between two tokens shows it only by its snapshots; an empty one by nothing
 * at all.
 */
static int tell_cut(struct tl_xtrace_trace *trace, const struct tl_xtrace_stream *s,
		    struct tl_error *err)
{
	struct tl_xtrace_fault fault = { TL_TRUNCATED, NULL, s->info.path, s->size, 0, TL_NOWHERE };
	struct tl_xtrace_snapshot last;

	if (!s->source)
		return 0;
	if (s->info.snapshots && !s->info.ordinals) {
		tl_xtrace_snapshot_decode(s, s->info.snapshots - 1, &last);
		if (last.offset > s->size)
			fault.text = "the stream ends before the places of its last snapshots; "
				     "kept what is there";
	}
	if (!s->size)
		fault.text = "the instruction stream is empty";
	if (!fault.text)
		return 0;
	if (trace->options.strict)
		return tl_error_at(err, TL_TRUNCATED, s->size, fault.text);
	return tl_xtrace_note_fault(&trace->faults, &fault, err);
}

static int cut_at_offsets(struct tl_xtrace_stream *s, size_t *capacity, struct tl_error *err)
{
	for (uint32_t i = 0; i < s->info.snapshots; i++) {
		struct tl_xtrace_snapshot snapshot;
		uint64_t before = s->segment_count ? s->segments[s->segment_count - 1].begin : 0;

		tl_xtrace_snapshot_decode(s, i, &snapshot);
		if (snapshot.offset < before || (s->segment_count && snapshot.offset == before) ||
		    !can_begin(s, snapshot.offset))
			continue;
		if (!add_segment(s, capacity, snapshot.offset, i))
			return tl_error_memory(err);
	}
	return 0;
}

/* A beginning before the first snapshot, no segment that begins where reading cannot, and the ends.
 */
static bool finish_segments(struct tl_xtrace_stream *s, size_t *capacity)
{
	size_t kept = 0;

	if (!s->segment_count || s->segments[0].begin) {
		if (!add_segment(s, capacity, 0, TL_NONE))
			return false;
		for (size_t i = s->segment_count - 1; i > 0; i--)
			s->segments[i] = s->segments[i - 1];
		s->segments[0] = (struct tl_xtrace_segment){ 0, s->size, TL_NONE };
	}
	for (size_t i = 0; i < s->segment_count; i++)
		if (!i || (s->segments[i].begin > s->segments[kept - 1].begin &&
			   can_begin(s, s->segments[i].begin)))
			s->segments[kept++] = s->segments[i];
	s->segment_count = kept;
	for (size_t i = 0; i + 1 < kept; i++)
		s->segments[i].end = s->segments[i + 1].begin;
	return true;
}

int tl_xtrace_segments_make(struct tl_xtrace_trace *trace, struct tl_xtrace_stream *s,
			    struct tl_error *err)
{
	size_t capacity = 0;
	int status;

	s->info.ordinals = are_ordinals(s);
	status = s->info.ordinals ? locate(trace, s, &capacity, err)
				  : cut_at_offsets(s, &capacity, err);
	if (status == 0 && !finish_segments(s, &capacity))
		status = tl_error_memory(err);
	if (status)
		return status;
	return tell_cut(trace, s, err);
}
