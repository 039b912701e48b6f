/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_FLOW_STREAMS_H
#define TESTS_UNIT_FLOW_STREAMS_H
/*
 * Streams of blocks written as text, a character a block of four instructions of four bytes:
 *
 *	a       a block of "prog" that ends with a branch
 *	A, 0    the same with a call, a return
 *	=A      the block behind the call A: where it returns to
 *	<a >a   the first two and the last two instructions of a, as decoders cut blocks
 *	'a      the block a with another code
 *	|       a gap
 *	@       from here on the object is mapped elsewhere, or where it was before
 */
#include <string.h>

#include "../unit.h"

#include "core/error.h"
#include "flow/compare.h"

/* Threads that read both sides. */
static unsigned stream_jobs = 1;

enum { STREAM_INSNS = 4, STREAM_INSN_BYTES = 4, STREAM_SALT = 77, STREAM_MOVED = 0x100000 };

struct stream {
	const char *text;
	size_t at, step; /* blocks that are given at once */
	uint64_t base;   /* address of the object */
	bool moved;      /* it is STREAM_MOVED higher */
	const char *object;
	struct tl_flow_blocks blocks;
	bool fails; /* at the end */
};

static inline uint64_t stream_offset(char name)
{
	return (uint64_t)(uint8_t)name * 0x100;
}

static inline bool stream_is_special(char c)
{
	return c == '=' || c == '<' || c == '>' || c == '\'';
}

static inline uint32_t stream_block(struct stream *s, char kind, char name)
{
	struct tl_flow_insn insns[STREAM_INSNS];
	const size_t first = kind == '>' ? 2 : 0, end = kind == '<' ? 2 : STREAM_INSNS;
	const uint64_t start =
		stream_offset(name) + (kind == '=' ? STREAM_INSNS * STREAM_INSN_BYTES : 0);
	enum tl_flow_end ends = TL_FLOW_BRANCH;
	struct tl_flow_place place = { .object = s->object,
				       .offset = start + first * STREAM_INSN_BYTES,
				       .origin = (uint32_t)s->base };
	const uint64_t base = s->base + (s->moved ? STREAM_MOVED : 0u);

	for (size_t i = first; i < end; i++)
		insns[i - first] = (struct tl_flow_insn){ base + start + i * STREAM_INSN_BYTES,
							  STREAM_INSN_BYTES,
							  (uint64_t)(uint8_t)name * 16 + i +
								  (kind == '\'' ? 1000u : 0u) };
	if (name >= 'A' && name <= 'Z' && kind != '=')
		ends = TL_FLOW_CALL;
	if (name >= '0' && name <= '9')
		ends = TL_FLOW_RETURN;
	return tl_flow_block_add(&s->blocks, insns, end - first, kind == '<' ? TL_FLOW_CUT : ends,
				 &place);
}

static inline int stream_next(void *arg, struct tl_flow_list *list, struct tl_error *err)
{
	struct stream *s = arg;

	if (!tl_flow_list_room(list, s->step) || !tl_flow_list_mark(list, s->at))
		return tl_error_memory(err);
	for (size_t i = 0; i < s->step && s->text[s->at]; i++) {
		const char c = s->text[s->at++];
		uint32_t number;

		if (c == '@') {
			s->moved = !s->moved;
			continue;
		}
		if (c == '|') {
			tl_flow_put_gap(&s->blocks, list);
			continue;
		}
		number = stream_is_special(c) ? stream_block(s, c, s->text[s->at++])
					      : stream_block(s, 0, c);
		if (number == TL_NONE)
			return tl_error_memory(err);
		tl_flow_put(&s->blocks, list, tl_flow_known(&s->blocks, number));
	}
	if (s->text[s->at])
		return 1;
	if (s->fails)
		return tl_error_at(err, TL_IO, 7, "the disk is gone");
	tl_flow_put_end(&s->blocks, list);
	return 0;
}

/* Functions are found where a place is told. */
static inline bool stream_name(void *arg, uint64_t address, struct tl_flow_place *place)
{
	const struct stream *s = arg;

	assert_int_equal(place->origin, (uint32_t)s->base);
	assert_int_equal((address - s->base) % STREAM_MOVED, place->offset);
	place->function = "f";
	place->into = place->offset;
	return true;
}

static inline int stream_close(void *arg)
{
	tl_flow_blocks_free(&((struct stream *)arg)->blocks);
	return 0;
}

static inline struct tl_flow_source stream_open(struct stream *s)
{
	s->at = 0;
	s->moved = false;
	tl_flow_blocks_begin(&s->blocks, STREAM_SALT + s->base);
	return (struct tl_flow_source){ .next = stream_next,
					.name = stream_name,
					.close = stream_close,
					.arg = s,
					.blocks = &s->blocks,
					.process = TL_NOWHERE,
					.thread = TL_NOWHERE };
}

/* What the comparison of two texts says; so many blocks at once. A negative status: none. */
static inline int stream_compare(struct stream streams[2], const struct tl_flow_options *options,
				 struct tl_flow **flow, int *failed, struct tl_error *err)
{
	struct tl_flow_source sources[2];
	int status = tl_flow_open(flow, options, err);

	if (status < 0)
		return status;
	(*flow)->jobs = stream_jobs;
	sources[0] = stream_open(&streams[0]);
	sources[1] = stream_open(&streams[1]);
	status = tl_flow_compare(*flow, sources, failed, err);
	if (status < 0) {
		tl_flow_free(*flow);
		*flow = NULL;
	}
	return status;
}

static inline struct tl_flow *stream_flow_with(const char *before, const char *after, size_t step,
					       const struct tl_flow_options *options)
{
	struct stream streams[2] = {
		{ .text = before, .step = step, .base = 0x10000, .object = "/bin/prog" },
		{ .text = after, .step = step + 1, .base = 0x7f0000550000, .object = "/opt/prog" },
	};
	struct tl_flow *flow;
	int failed;

	assert_int_equal(stream_compare(streams, options, &flow, &failed, NULL), 0);
	return flow;
}

/* A few blocks are enough to meet, so that tests are short. */
static inline struct tl_flow *stream_flow(const char *before, const char *after)
{
	const struct tl_flow_options options = { .size = sizeof(options), .meet = 3 };

	return stream_flow_with(before, after, 5, &options);
}

#endif
