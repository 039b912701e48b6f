/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sample of the calls, for a first picture: the beginnings of some buffers, evenly spread over
 * each thread. Of a piece it is known which calls begin in it and which end; what is around it is
 * told by exits alone, and how long the calls at its end last by nothing: they are drawn up to the
 * next piece.
 */
#include "core/arithmetic.h"
#include "core/error.h"
#include "xray/calls/preview.h"

enum { MOST_PIECES = 1600, MOST_RECORDS = 1 << 20, LEAST_OF_PIECE = 256 };

struct sampling {
	const struct tl_xray_reader *reader;
	struct tl_leaf_builder builder; /* of the present thread */
	struct tl_steps records;        /* of the piece, as they stand there */
	struct tl_steps outer;          /* calls that end in it and began before */
	struct tl_steps steps;          /* what is made of both */
	uint64_t ticks;                 /* of the last record */
	uint32_t every, most;           /* every so many buffers, so many records of each */
};

/* A record of a piece. An end keeps the function that its record names. */
static void take_record(struct sampling *s, const struct tl_xray_record *record)
{
	bool end = record->action == TL_XRAY_EXIT || record->action == TL_XRAY_TAIL_EXIT;

	s->ticks = tl_max(s->ticks, record->tsc);
	tl_steps_put(&s->records, (struct tl_step){ s->ticks, record->function, end, 0 });
}

/* The first records of a buffer. Damage ends the piece; the index tells of it. 0 or negative. */
static int take_records(struct sampling *s, uint32_t block, struct tl_error *err)
{
	struct tl_xray_faults unnoted = { NULL, 0, 0, 0, 0 };
	struct tl_xray_stream stream;
	struct tl_xray_record record;
	int status = 0;

	s->records.count = 0;
	tl_xray_stream_begin(&stream, s->reader, s->reader->order, block, block + 1, &unnoted);
	if (tl_xray_stream_block(&stream))
		s->ticks = tl_max(s->ticks, stream.block->first_tsc);
	while (s->records.count < s->most &&
	       (status = tl_xray_stream_record(&stream, &record, err)) == 1 &&
	       record.kind != TL_XRAY_LOST)
		if (record.kind == TL_XRAY_FUNCTION)
			take_record(s, &record);
	tl_xray_stream_end(&stream);
	free(unnoted.list);
	return tl_error_or_end(status);
}

/* The calls around the piece, from the innermost; returns how many calls are open at its end. */
static size_t find_outer(struct sampling *s)
{
	size_t depth = 0;

	s->outer.count = 0;
	for (size_t i = 0; i < s->records.count; i++) {
		const struct tl_step *record = &s->records.list[i];

		if (!record->end)
			depth++;
		else if (depth)
			depth--;
		else
			tl_steps_put(&s->outer, *record);
	}
	return depth;
}

/* The piece as steps that nest, up to a time. */
static void make_steps(struct sampling *s, uint64_t until)
{
	size_t open = find_outer(s);
	uint64_t from = s->records.list[0].ticks;

	s->steps.count = 0;
	for (size_t i = s->outer.count; i-- > 0;)
		tl_steps_put(&s->steps, (struct tl_step){ from, s->outer.list[i].function, false,
							  TL_CALL_LATE });
	for (size_t i = 0; i < s->records.count; i++)
		tl_steps_put(&s->steps, s->records.list[i]);
	s->ticks = tl_max(s->ticks, until);
	while (open--)
		tl_steps_put(&s->steps, (struct tl_step){ s->ticks, 0, true, TL_CALL_CUT });
}

static int sample_thread(struct sampling *s, const struct tl_xray_thread *thread,
			 struct tl_error *err)
{
	int status = 0;

	s->ticks = 0;
	for (uint32_t at = thread->begin; status == 0 && at < thread->end; at += s->every) {
		bool last = thread->end - at <= s->every;
		uint32_t next = s->reader->order[last ? at : at + s->every];

		status = take_records(s, at, err);
		if (status < 0 || (!s->records.count && !s->records.no_memory))
			continue;
		if (!s->records.no_memory)
			make_steps(s, s->reader->blocks[next].first_tsc);
		if (s->records.no_memory || s->outer.no_memory || s->steps.no_memory)
			status = tl_error_memory(err);
		else
			status = tl_leaf_builder_add(&s->builder, &s->steps, NULL, err);
	}
	return status < 0 ? status : tl_leaf_builder_end(&s->builder, err);
}

int tl_xray_sample_calls(const struct tl_xray_reader *reader, struct tl_call_tracks *tracks,
			 struct tl_error *err)
{
	struct sampling s = { .reader = reader };
	size_t blocks = reader->block_count, pieces;
	int status = 0;

	s.every = (uint32_t)tl_max(blocks / MOST_PIECES, 1);
	pieces = tl_max(blocks / s.every, 1);
	s.most = (uint32_t)tl_max(tl_min(MOST_RECORDS / pieces, TL_LEAF_STEPS), LEAST_OF_PIECE);
	for (size_t i = 0; status == 0 && i < tracks->count; i++) {
		struct tl_call_track *track = tracks->list[i];

		tl_leaf_builder_begin(&s.builder, tracks, track);
		status = sample_thread(&s, &reader->threads[track->context], err);
		tl_leaf_builder_free(&s.builder);
	}
	free(s.records.list);
	free(s.outer.list);
	free(s.steps.list);
	return status;
}
