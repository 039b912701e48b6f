/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A part of a stream as a pair of files of its own (section 7). Tokens are copied as they stand, so
 * that all of a stream comes out as it was; only an INST at the beginning becomes a PCINST. A
 * stream of another dialect is written anew.
 */
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/sized.h"
#include "xtrace/format/walk.h"
#include "xtrace/format/snapshot.h"
#include "xtrace/write/writer.h"

/* The first instruction of the part. */
struct first {
	bool met, written;
	uint64_t offset;
	uint64_t total, user; /* instructions before it, as snapshots count them */
};

struct slice {
	struct tl_xtrace_trace *trace;
	const struct tl_xtrace_stream *stream;
	const struct tl_xtrace_slice *what;
	struct tl_output *out, *snapshots;
	bool whole;                    /* nothing is cut off */
	uint64_t begin_byte, end_byte; /* of the snapshots asked for */
	uint64_t ordinal, user;        /* instructions so far, of the whole stream */
	struct first first;
	struct {
		uint64_t user, total;
	} field_offset;               /* counts of the last snapshot less `user` and `ordinal` */
	uint64_t written;             /* bytes */
	const uint8_t *run, *run_end; /* tokens to copy */
	uint32_t next_snapshot;
	uint64_t next_place;             /* at most where it is */
	struct tl_xtrace_layout layout;  /* of the snapshots that are written */
	struct tl_xtrace_writer *writer; /* of tokens in another dialect; else NULL */
};

/* ---- snapshots ---- */

static uint64_t written(const struct slice *s)
{
	return s->writer ? tl_xtrace_writer_bytes(s->writer) : s->written;
}

/*
 * Where a snapshot that stands at `offset` <= `place` is in the part. One that no token begins at
 * is as far before this place as it was: bytes before that may be other ones than they were, as
 * the first instruction has its PC.
 */
static uint64_t place_in_part(const struct slice *s, uint64_t offset, uint64_t place)
{
	const uint64_t before = place - offset;

	if (offset <= place && before <= written(s))
		return written(s) - before;
	return offset - s->first.offset;
}

/*
 * Whether a snapshot that stands inside a token could be believed in the part, though it is not in
 * the stream: what reads as a PCINST there may be followed by other bytes, where damage is left
 * out, or by the end of the part.
 */
static bool misleads(const struct slice *s, uint64_t offset, uint64_t place)
{
	const struct tl_xtrace_stream *stream = s->stream;

	return offset < place && offset < stream->size &&
	       (s->writer || stream->tokens.kind[stream->data[offset]] == TL_XTRACE_PCINST);
}

/* Pass the snapshots up to a place in the stream, at which we are now; those of the part are
 * written. */
static void pass_snapshots(struct slice *s, uint64_t place, bool within)
{
	struct tl_xtrace_snapshot snapshot;

	for (; s->next_snapshot < s->stream->info.snapshots; s->next_snapshot++) {
		tl_xtrace_read_snapshot(s->trace, s->what->stream, s->next_snapshot, &snapshot);
		s->next_place = snapshot.offset;
		if (snapshot.offset > place && snapshot.offset != TL_NOWHERE)
			return;
		if (snapshot.offset == place) {
			s->field_offset.total = snapshot.total - s->ordinal;
			s->field_offset.user = snapshot.user - s->user;
			if (!s->first.met || place == s->first.offset) {
				s->first.total = snapshot.total;
				s->first.user = snapshot.user;
			}
		}
		if (!within || !s->snapshots || (snapshot.offset == TL_NOWHERE && !s->whole) ||
		    s->next_snapshot < s->what->first_snapshot ||
		    s->next_snapshot >= s->what->end_snapshot ||
		    snapshot.offset < s->first.offset || misleads(s, snapshot.offset, place))
			continue;
		if (snapshot.offset != TL_NOWHERE && (!s->whole || !s->stream->info.ordinals))
			snapshot.index = place_in_part(s, snapshot.offset, place);
		if (!s->whole || s->stream->file_count)
			snapshot.file = 0;
		if (!s->whole) {
			snapshot.user -= s->first.user;
			snapshot.total -= s->first.total;
		}
		tl_xtrace_put_record(s->snapshots, &s->layout, &snapshot, snapshot.vector_bits);
	}
	s->next_place = UINT64_MAX;
}

/* ---- tokens ---- */

/* Tokens that stand behind each other are copied together. */
enum { LONGEST_RUN = 64 << 10 };

static void end_run(struct slice *s)
{
	if (s->run != s->run_end)
		tl_output_write(s->out, s->run, (size_t)(s->run_end - s->run));
	s->run = s->run_end = NULL;
}

static void put_token(struct slice *s, const struct tl_xtrace_walk *w)
{
	if (w->token != s->run_end || s->run_end - s->run > LONGEST_RUN) {
		end_run(s);
		s->run = w->token;
	}
	s->run_end = w->next;
	s->written += (uint64_t)(w->next - w->token);
}

/* The first instruction of the part has its PC, even if its token had not. */
static void put_first(struct slice *s, const struct tl_xtrace_walk *w, enum tl_xtrace_kind kind)
{
	if (kind == TL_XTRACE_PCINST || !w->pc_known) {
		put_token(s, w);
		return;
	}
	end_run(s);
	tl_put_char(s->out, (char)tl_xtrace_token_byte(TL_XTRACE_PCINST, tl_xtrace_walk_el(w)));
	tl_xtrace_put64(s->out, w->pc);
	tl_put_bytes(s->out, w->token + 1, 4);
	s->written += 13;
}

/* A token that is written in other bytes than it was read in. */
static int translate(struct slice *s, const struct tl_xtrace_walk *w, enum tl_xtrace_kind kind,
		     struct tl_error *err)
{
	struct tl_xtrace_token t = { .kind = kind, .pc = w->pc, .pc_known = w->pc_known };
	uint64_t length = (uint64_t)(w->next - w->token);

	if (kind == TL_XTRACE_UNKNOWN)
		return tl_error_at(err, TL_UNSUPPORTED, tl_xtrace_walk_offset(w),
				   "an unknown token has no place among the tokens we write");
	if (tl_xtrace_is_instruction(kind)) {
		t.el = (uint8_t)tl_xtrace_walk_el(w);
		t.opcode =
			tl_get32s(w->token + (kind == TL_XTRACE_INST ? 1 : 9), TL_HOST_BIG_ENDIAN);
	} else if (kind == TL_XTRACE_ALLGPR) {
		t.data = w->token + 1;
		t.data_size = TL_XTRACE_GPR_BYTES;
	} else {
		t.value = kind == TL_XTRACE_TIME ? tl_xtrace_walk_time(w) : tl_xtrace_walk_value(w);
		t.data = w->token + 9;
		t.data_size = tl_excess(length, 9);
	}
	return tl_xtrace_write_token(s->writer, &t, err);
}

/* ---- the way along the stream ---- */

static bool is_boundary(enum tl_xtrace_kind kind)
{
	return kind == TL_XTRACE_ALLGPR || kind == TL_XTRACE_SVCRET;
}

/* Does the part hold the instruction that stands, or is about to stand, at `offset`? */
static bool holds(const struct slice *s, uint64_t offset)
{
	return s->ordinal >= s->what->first_instruction && s->ordinal < s->what->end_instruction &&
	       offset >= s->begin_byte && offset < s->end_byte;
}

static bool is_over(const struct slice *s, uint64_t offset)
{
	return s->ordinal >= s->what->end_instruction || offset >= s->end_byte;
}

/* The first token of the part. */
static void begin_part(struct slice *s, uint64_t offset)
{
	s->first.met = true;
	s->first.offset = offset;
	s->first.total = s->ordinal + s->field_offset.total;
	s->first.user = s->user + s->field_offset.user;
}

/*
 * One token. Tokens at the boundary before an instruction go with it, tokens behind an
 * instruction with that one. 1: go on; 0: the part is over.
 */
static int cut_token(struct slice *s, struct tl_xtrace_walk *w, enum tl_xtrace_kind kind,
		     bool *inside, struct tl_error *err)
{
	uint64_t offset = tl_xtrace_walk_offset(w);
	bool instruction = tl_xtrace_is_instruction(kind), first;
	int status = 1;

	if (instruction)
		tl_xtrace_walk_instruction(w, kind);
	if (instruction || is_boundary(kind)) {
		if (is_over(s, offset))
			return 0;
		*inside = holds(s, offset);
	}
	first = *inside && !s->first.met;
	if (first)
		begin_part(s, offset);
	if (instruction && offset >= s->next_place)
		pass_snapshots(s, offset, *inside);
	if (*inside && s->writer) {
		const int written = translate(s, w, kind, err);

		status = written < 0 ? written : 1;
	} else if (*inside && instruction && !s->first.written) {
		put_first(s, w, kind);
	} else if (*inside) {
		put_token(s, w);
	}
	s->first.written = s->first.written || (*inside && instruction);
	s->ordinal += instruction;
	s->user += instruction && !tl_xtrace_walk_el(w);
	return status;
}

static int cut_segment(struct slice *s, const struct tl_xtrace_segment *segment, bool *inside,
		       struct tl_error *err)
{
	struct tl_xtrace_walk w;
	enum tl_xtrace_kind kind;
	int status = 1;

	tl_xtrace_walk_begin(&w, s->trace, s->stream, segment);
	while (status == 1 && (kind = tl_xtrace_walk_next(&w)) != TL_XTRACE_NONE)
		status = tl_output_failed(s->out) ? 0 : cut_token(s, &w, kind, inside, err);
	if (status < 0)
		return status;
	/* Damage before the part, or behind it, is no fault of the part. */
	if (w.status != TL_OK && (*inside || !s->first.met)) {
		int ended = tl_xtrace_walk_end(&w, err);

		if (ended < 0)
			return ended;
	}
	return status;
}

static int cut_stream(struct slice *s, struct tl_error *err)
{
	/* Tokens before the first instruction belong to nothing, but all of a stream has them. */
	bool inside = s->whole;
	int status = 1;

	if (s->whole)
		s->first.met = true;
	for (size_t i = 0; status == 1 && i < s->stream->segment_count; i++)
		status = cut_segment(s, &s->stream->segments[i], &inside, err);
	end_run(s);
	if (status == 1 && s->whole)
		pass_snapshots(s, UINT64_MAX - 1, true);
	if (status >= 0 && !s->first.met)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "there are no instructions in that part");
	return tl_error_or_end(status);
}

/* ---- the part ---- */

/* The bytes between two snapshots. */
static int find_bytes(struct slice *s, struct tl_error *err)
{
	struct tl_xtrace_snapshot snapshot;

	s->end_byte = UINT64_MAX;
	if (s->what->first_snapshot) {
		if (tl_xtrace_read_snapshot(s->trace, s->what->stream, s->what->first_snapshot,
					    &snapshot) < 0)
			return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
					   "there is no such snapshot");
		s->begin_byte = snapshot.offset;
	}
	if (s->what->end_snapshot < s->stream->info.snapshots) {
		tl_xtrace_read_snapshot(s->trace, s->what->stream, s->what->end_snapshot,
					&snapshot);
		s->end_byte = snapshot.offset;
	}
	return 0;
}

static bool same_tokens(const struct tl_xtrace_layout *layout)
{
	return layout->time_bytes == 8 && layout->code_bits == 5;
}

/* The global snapshot point among the part's snapshots; 0, unused, where the part is without it. */
static uint32_t point_in_part(const struct slice *s)
{
	const struct tl_xtrace_slice *what = s->what;
	uint32_t point = s->stream->info.global_snapshot;

	if (s->whole)
		return point;
	if (what->first_instruction || what->end_instruction != TL_NOWHERE ||
	    point < what->first_snapshot || point >= what->end_snapshot)
		return 0;
	return point - what->first_snapshot;
}

/* The header as it was, if it was one of ours, but for the point. */
static void put_header(const struct slice *s)
{
	const struct tl_xtrace_stream_info *info = &s->stream->info;
	const struct tl_xtrace_writer_options options = {
		.size = sizeof(options),
		.global_snapshot = point_in_part(s),
		.division = info->division,
		.stream_type = info->stream_type,
		.access_order = info->access_order,
	};

	if (info->has_header && info->layout->header_bytes == TL_XTRACE_HEADER_BYTES) {
		tl_put_bytes(s->snapshots, s->stream->snapshots, 4);
		tl_xtrace_put32(s->snapshots, point_in_part(s));
		tl_put_bytes(s->snapshots, s->stream->snapshots + 8, TL_XTRACE_HEADER_BYTES - 8);
	} else {
		tl_xtrace_put_header(s->snapshots, &options);
	}
}

static int write_slice(struct slice *s, struct tl_error *err)
{
	const struct tl_xtrace_writer_options options = { .size = sizeof(options) };
	int status = find_bytes(s, err);

	s->layout = tl_xtrace_own_layout(s->stream->layout.vector_bits);
	s->whole = !s->begin_byte && s->end_byte == UINT64_MAX && !s->what->first_instruction &&
		   s->what->end_instruction == TL_NOWHERE && !s->what->first_snapshot &&
		   s->what->end_snapshot >= s->stream->info.snapshots;
	if (status == 0 && s->snapshots)
		put_header(s);
	if (status == 0 && !same_tokens(&s->stream->layout))
		status = tl_xtrace_writer_open(&s->writer, s->out, NULL, &options, err);
	if (status == 0)
		status = cut_stream(s, err);
	if (s->writer && tl_xtrace_writer_finish(s->writer, status < 0 ? NULL : err) < 0 &&
	    status >= 0)
		status = TL_IO;
	return status;
}

int tl_xtrace_slice_write(struct tl_xtrace_trace *trace, const struct tl_xtrace_slice *slice,
			  struct tl_output *stream, struct tl_output *snapshots,
			  struct tl_error *err)
{
	struct tl_xtrace_slice taken;
	struct slice s = { .trace = trace, .what = &taken, .out = stream, .snapshots = snapshots };
	struct tl_error own;
	int status;

	if (!err)
		err = &own;
	tl_xtrace_rewind(trace);
	status = tl_take_options(&taken, sizeof(taken), sizeof(taken), slice, slice->size, err);
	if (status == 0 && taken.stream >= trace->stream_count)
		status = tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "no such stream");
	if (status < 0)
		return tl_error_format(err, "xtrace", status);
	s.stream = &trace->streams[taken.stream];
	return tl_error_format(err, "xtrace", write_slice(&s, err));
}
