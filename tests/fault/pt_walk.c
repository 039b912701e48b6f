/* SPDX-License-Identifier: Apache-2.0 */
#include "pt_walk.h"

#include <string.h>

#include <tracelathe/intel_pt.h>

#include "parts.h"

/*
 * Calls after which a decoder that gives nothing new must have come to an end: an endless loop is
 * called one before.
 */
enum { CALLS_MOST = 1 << 26, BATCH = 37, SEEN_MOST = 1 << 14, SHORT_MOST = 4096 };

static const char no_memory[] = "no memory";

struct walk {
	const uint8_t *code;
	size_t code_size;
	struct tl_pt_config config;
	uint32_t choice;
	uint64_t digest, insns, events;
	int last;
	/* Numbers of nodes met in the present epoch. */
	uint32_t epoch, met;
	bool seen[SEEN_MOST];
};

static void mix(struct walk *walk, uint64_t number)
{
	walk->digest = (walk->digest ^ number) * UINT64_C(0x100000001b3);
}

static int read_code(uint8_t *buffer, size_t size, const struct tl_pt_asid *asid, uint64_t ip,
		     void *arg)
{
	const struct walk *walk = arg;
	uint64_t at = ip - PT_WALK_AT;

	(void)asid;
	if (at >= walk->code_size)
		return -TL_PT_NOMAP;
	if (size > walk->code_size - at)
		size = (size_t)(walk->code_size - at);
	memcpy(buffer, walk->code + at, size);
	return (int)size;
}

/* In one piece, in two that overlap, or by callback. */
static int fill_image(struct walk *walk, struct tl_pt_image *image)
{
	size_t half = walk->code_size / 2;
	int status;

	if (walk->choice & 1)
		return tl_pt_image_set_callback(image, read_code, walk);
	status = tl_pt_image_add_memory(image, walk->code, walk->code_size, NULL, PT_WALK_AT, 1);
	if (!status && walk->choice & 2 && half)
		status = tl_pt_image_add_memory(image, walk->code + half, walk->code_size - half,
						NULL, PT_WALK_AT + half, 2);
	return status;
}

/* ---- faces: each gives what is next; a negative error, or the status ---- */

typedef int face_fn(struct walk *walk, struct tl_pt_decoder *decoder);

/* How a block's instructions count: what blocks and instructions have in common. */
static void count_block(struct walk *walk, const struct tl_pt_block *block)
{
	walk->insns += block->ninsn;
	if (!block->ninsn)
		__builtin_trap();
}

static int by_one(struct walk *walk, struct tl_pt_decoder *decoder)
{
	struct tl_pt_block block;
	int status = tl_pt_decoder_block_next(decoder, &block, sizeof(block));

	if (status < 0)
		return status;
	count_block(walk, &block);
	mix(walk, block.ip);
	mix(walk, block.end_ip);
	return status;
}

static int by_blocks(struct walk *walk, struct tl_pt_decoder *decoder)
{
	struct tl_pt_block blocks[BATCH];
	int status = 0;
	int64_t count = tl_pt_decoder_blocks(decoder, blocks, sizeof(*blocks), BATCH, &status);

	for (int64_t i = 0; i < count; i++) {
		count_block(walk, &blocks[i]);
		mix(walk, blocks[i].ip);
		mix(walk, blocks[i].end_ip);
	}
	return count < 0 ? (int)count : status;
}

/* As many are blocks as were given, or more. */
static void meet(struct walk *walk, const struct tl_pt_node_batch *run)
{
	if (walk->epoch != run->epoch) {
		walk->epoch = run->epoch;
		walk->met = 0;
		memset(walk->seen, 0, sizeof(walk->seen));
	}
	for (size_t i = 0; run->limit <= SEEN_MOST && i < run->count; i++) {
		walk->met += !walk->seen[run->nodes[i]];
		walk->seen[run->nodes[i]] = true;
	}
	if (walk->met > run->blocks || run->blocks >= run->limit)
		__builtin_trap();
}

static int by_nodes(struct walk *walk, struct tl_pt_decoder *decoder)
{
	uint32_t nodes[BATCH];
	struct tl_pt_timestamp marks[3];
	struct tl_pt_node_insn step;
	struct tl_pt_node_batch run = {
		.nodes = nodes, .max = BATCH, .timestamps = marks, .max_timestamps = 3
	};
	int status = tl_pt_decoder_nodes(decoder, &run, sizeof(run));

	if (status >= 0)
		meet(walk, &run);
	for (size_t i = 0; status >= 0 && i < run.count; i++) {
		const struct tl_pt_block *block = tl_pt_decoder_node_block(decoder, nodes[i]);

		if (!block)
			__builtin_trap();
		count_block(walk, block);
		mix(walk, block->ip);
		mix(walk, block->end_ip);
		if (nodes[i] % 64 == 0 &&
		    tl_pt_decoder_node_insns(decoder, nodes[i], 0, &step, sizeof(step), 1) == 1 &&
		    step.ip != block->ip)
			__builtin_trap();
	}
	return status < 0 ? status : run.status;
}

static int by_insns(struct walk *walk, struct tl_pt_decoder *decoder)
{
	struct tl_pt_insn insn;
	int status = tl_pt_decoder_insn_next(decoder, &insn, sizeof(insn));

	if (status >= 0)
		walk->insns++;
	return status;
}

static int take_events(struct walk *walk, struct tl_pt_decoder *decoder, int status)
{
	struct tl_pt_event event;

	while (status >= 0 && status & TL_PT_EVENT_PENDING) {
		status = tl_pt_decoder_event_next(decoder, &event, sizeof(event));
		if (status < 0)
			break;
		walk->events++;
		mix(walk, event.kind);
		mix(walk, event.offset);
	}
	return status;
}

/* To the end, over errors: by resynchronising, then by the next PSB. */
static const char *decode(struct walk *walk, struct tl_pt_decoder *decoder, face_fn *face)
{
	int status = tl_pt_decoder_sync_forward(decoder);
	bool tried = false;

	for (unsigned calls = 0; calls < CALLS_MOST; calls++) {
		status = take_events(walk, decoder, status);
		if (status >= 0)
			status = face(walk, decoder);
		walk->last = status;
		if (status == -TL_PT_NOMEM)
			return no_memory;
		if (status == -TL_PT_EOS)
			return NULL;
		if (status >= 0)
			continue;
		status = tried ? tl_pt_decoder_sync_forward(decoder)
			       : tl_pt_decoder_resync(decoder, NULL, 0);
		tried = !tried;
		if (status == -TL_PT_EOS)
			return NULL;
	}
	return "it does not come to an end";
}

static const char *run(struct walk *walk, face_fn *face, unsigned jobs)
{
	struct tl_pt_image *image = tl_pt_image_open(NULL);
	struct tl_pt_decoder *decoder = NULL;
	const char *broken = no_memory;

	if (image && !fill_image(walk, image) &&
	    !tl_pt_decoder_open(&decoder, &walk->config, image)) {
		tl_pt_decoder_set_jobs(decoder, jobs);
		broken = decode(walk, decoder, face);
	}
	tl_pt_decoder_close(decoder);
	tl_pt_image_close(image);
	return broken;
}

static const char *compare(const struct walk *first, const struct walk *walk, bool same_blocks)
{
	if (first->insns != walk->insns)
		return "another number of instructions";
	if (same_blocks && (first->events != walk->events || first->digest != walk->digest))
		return "other blocks or events";
	return NULL;
}

const char *exercise_pt_walk(const uint8_t *code, size_t code_size, const uint8_t *trace,
			     size_t size, uint32_t choice, uint64_t *digest)
{
	static const struct {
		face_fn *face;
		unsigned jobs;
		bool same_blocks;
	} faces[] = { { by_one, 1, true },
		      { by_blocks, 1, true },
		      { by_nodes, 1, true },
		      { by_insns, 1, false },
		      { by_blocks, 2, true } };
	const uint32_t fold = choice >> 4 & TL_PT_FOLD_EVENTS;
	struct walk first = { .code = NULL };

	for (size_t i = 0; i < sizeof(faces) / sizeof(faces[0]); i++) {
		struct walk walk = { .code = code, .code_size = code_size, .choice = choice };
		const char *broken;

		walk.config = (struct tl_pt_config){ .size = sizeof(walk.config),
						     .begin = trace,
						     .end = trace + size,
						     .flags = choice >> 4 & 0xff,
						     .errata = choice >> 12 & 0x3ff,
						     .cpuid_15_eax = 2,
						     .cpuid_15_ebx = 176,
						     .mtc_freq = 3,
						     .nom_freq = 32 };
		/* Flags of version 1 are for blocks alone. */
		if (fold && !(faces[i].face == by_one || faces[i].face == by_blocks))
			continue;
		if (i && (!exercise_does((unsigned)i - 1, 4) ||
			  (exercise_is_short() && first.insns > SHORT_MOST)))
			continue;
		broken = run(&walk, faces[i].face,
			     exercise_is_short() && !exercise_does(0, 16) ? 1 : faces[i].jobs);
		if (broken)
			return broken == no_memory ? NULL : broken;
		if (!i)
			first = walk;
		broken = compare(&first, &walk, faces[i].same_blocks);
		if (broken)
			return broken;
	}
	if (digest)
		*digest = first.digest ^ first.insns;
	return NULL;
}
