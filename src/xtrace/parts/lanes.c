/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Segments are cut where tokens make sense, and each lane walks one piece after the other: lanes
 * that are left alone by the others would wait for memory as a single walk does. A piece that
 * begins where the one before it ended begins right; where one does not end right at the next, the
 * stream is walked again by segments, which begin right whatever is before them.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/pool.h"
#include "xtrace/parts/lanes.h"

/* Each piece gives its pages back, for which the system interrupts all threads. */
enum {
	LEAST = 4 << 20, /* bytes of a piece; more in a large stream, */
	MOST = 1024,     /* which has not many more pieces than that */
};

struct piece {
	struct tl_xtrace_walk walk;    /* must be the first: lanes know it by this */
	struct tl_xtrace_segment part; /* found when a lane takes it */
	uint32_t segment, number, of;  /* of the stream; of so many in the segment */
};

struct tl_xtrace_lanes_pass {
	struct tl_xtrace_trace *trace;
	const struct tl_xtrace_stream *stream;
	const struct tl_xtrace_lanes_ops *ops;
	void *arg;
	struct piece *pieces;
	size_t count;
	uint64_t turn;      /* bytes of a piece, about; 0: segments are not cut */
	atomic_size_t next; /* piece that no lane has yet */
	atomic_bool over;   /* none is to begin: there is no other, or one has failed */
};

static bool make_pieces(struct tl_xtrace_lanes_pass *pass)
{
	const struct tl_xtrace_stream *s = pass->stream;

	pass->count = 0;
	pass->next = 0;
	pass->over = false;
	pass->pieces = tl_zeroed(s->segment_count + (size_t)(pass->turn ? s->size / pass->turn : 0),
				 sizeof(*pass->pieces));
	for (size_t i = 0; pass->pieces && i < s->segment_count; i++) {
		const struct tl_xtrace_segment *segment = &s->segments[i];
		uint64_t turns = pass->turn ? (segment->end - segment->begin) / pass->turn : 0;
		uint32_t of = turns ? (uint32_t)turns : 1;

		for (uint32_t j = 0; j < of; j++)
			pass->pieces[pass->count++] = (struct piece){
				.part = *segment,
				.segment = (uint32_t)i,
				.number = j,
				.of = of,
			};
	}
	return pass->pieces;
}

/* Of its segment. */
static bool is_last(const struct piece *piece)
{
	return piece->number + 1 == piece->of;
}

/* Where piece `number` of the segment begins, and the one before it ends. Without such a place the
 * end of the segment, where no piece may end before the last. */
static uint64_t piece_begin(const struct tl_xtrace_lanes_pass *pass, const struct piece *piece,
			    uint32_t number)
{
	const struct tl_xtrace_stream *s = pass->stream;
	const struct tl_xtrace_segment *segment = &s->segments[piece->segment];
	const uint8_t *place;

	if (!number)
		return segment->begin;
	if (number == piece->of)
		return segment->end;
	place = tl_xtrace_sensible_place(&s->tokens, s->data + segment->begin + number * pass->turn,
					 s->data + segment->end);
	return place ? (uint64_t)(place - s->data) : segment->end;
}

bool tl_xtrace_lanes_fill(struct tl_xtrace_lanes *lanes)
{
	struct tl_xtrace_lanes_pass *pass = lanes->pass;

	while (lanes->count < TL_XTRACE_LANES && !pass->over) {
		size_t number = atomic_fetch_add(&pass->next, 1);
		struct piece *piece;

		if (number >= pass->count) {
			pass->over = true;
			break;
		}
		piece = &pass->pieces[number];
		piece->part.begin = piece_begin(pass, piece, piece->number);
		piece->part.end = piece_begin(pass, piece, piece->number + 1);
		tl_xtrace_walk_begin(&piece->walk, pass->trace, pass->stream, &piece->part);
		lanes->walks[lanes->count++] = &piece->walk;
	}
	return lanes->count;
}

void tl_xtrace_lanes_drop(struct tl_xtrace_lanes *lanes, unsigned lane)
{
	const struct piece *piece = (const struct piece *)(const void *)lanes->walks[lane];
	enum tl_status status = piece->walk.status;

	if (status == TL_IO ||
	    (status != TL_OK && (!is_last(piece) || lanes->pass->trace->options.strict)))
		lanes->pass->over = true;
	lanes->walks[lane] = lanes->walks[--lanes->count];
}

void tl_xtrace_lanes_stop(struct tl_xtrace_lanes *lanes)
{
	lanes->pass->over = true;
}

static int walk_lanes(void *arg, size_t number)
{
	struct tl_xtrace_lanes_pass *pass = arg;
	struct tl_xtrace_lanes lanes = { .pass = pass };

	(void)number;
	pass->ops->walk(pass->arg, &lanes);
	return 0;
}

static int walk_pieces(struct tl_xtrace_lanes_pass *pass, unsigned jobs, struct tl_error *err)
{
	if (!make_pieces(pass))
		return tl_error_memory(err);
	tl_pool_run(jobs, jobs ? jobs : 1, walk_lanes, pass);
	return 0;
}

/* Each piece ended where the next begins; or reading was cancelled, and is not to begin again. */
static bool ended_right(const struct tl_xtrace_lanes_pass *pass)
{
	bool right = true;

	for (size_t i = 0; i < pass->count; i++) {
		const struct piece *piece = &pass->pieces[i];

		if (piece->walk.status == TL_IO)
			return true;
		if (!is_last(piece) &&
		    (piece->walk.status != TL_OK ||
		     piece->part.end == pass->stream->segments[piece->segment].end))
			right = false;
	}
	return right;
}

static int end_walks(struct tl_xtrace_lanes_pass *pass, struct tl_error *err)
{
	int status = 0;

	for (size_t i = 0; status == 0 && i < pass->count; i++)
		status = tl_xtrace_walk_end(&pass->pieces[i].walk, err);
	free(pass->pieces);
	return status;
}

int tl_xtrace_each_lane(struct tl_xtrace_trace *trace, uint32_t stream, unsigned jobs,
			const struct tl_xtrace_lanes_ops *ops, void *arg, struct tl_error *err)
{
	struct tl_xtrace_lanes_pass pass = {
		.trace = trace,
		.stream = &trace->streams[stream],
		.ops = ops,
		.arg = arg,
		.turn = tl_max(trace->streams[stream].size / MOST, LEAST),
	};
	int status = walk_pieces(&pass, jobs, err);

	if (status == 0 && !ended_right(&pass)) {
		free(pass.pieces);
		ops->forget(arg);
		pass.turn = 0;
		status = walk_pieces(&pass, jobs, err);
	}
	return status == 0 ? end_walks(&pass, err) : status;
}
