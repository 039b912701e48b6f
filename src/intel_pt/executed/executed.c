/* SPDX-License-Identifier: Apache-2.0 */
/* The blocks that a thread of a feed executed, from slice to slice. */
#include "intel_pt/executed/executed.h"

#include <string.h>

#include "core/error.h"
#include "intel_pt/blocks/unsized.h"
#include "intel_pt/profile/functions.h"

enum {
	BATCH_NODES = 1 << 10,
	AT_ONCE = 1 << 14, /* blocks that one call of next() gives, at least */
	PASSED_BYTES = 2 << 20,
	INSNS_AT_ONCE = 64,
};

/* The nodes of one stream, by number. */
struct nodes {
	uint32_t *list; /* as tl_flow_known() tells */
	size_t count, room;
	uint32_t epoch;
	bool wanted; /* the thread runs in it */
};

struct executed {
	const struct tl_pt_feed *feed;
	struct tl_pt_executed_options options;
	struct tl_pt_faults *faults;
	uint64_t process, thread;
	struct tl_flow_blocks blocks;
	struct tl_pt_functions functions;
	struct tl_pt_decoders decoders;
	struct nodes *streams;
	size_t stream_count, stream_room;
	struct tl_pt_mapping *origins; /* of blocks */
	size_t origin_count, origin_room;

	/* Of the slice that is decoded. */
	struct tl_pt_trace_slice slice;
	struct tl_pt_decoder *decoder; /* NULL: none is */
	struct nodes *nodes;
	int status; /* of the decoder */
	uint64_t given_back;

	struct tl_flow_insn *insns; /* of one node */
	size_t insn_room;
	uint32_t batch[BATCH_NODES];
};

/* ---- nodes ---- */

static enum tl_flow_end end_of(const struct tl_pt_node_insn *last)
{
	switch (last->iclass) {
	case TL_PT_IC_CALL:
		return TL_FLOW_CALL;
	case TL_PT_IC_RETURN:
		return TL_FLOW_RETURN;
	case TL_PT_IC_OTHER:
	case TL_PT_IC_PTWRITE:
	case TL_PT_IC_ERROR:
		return TL_FLOW_CUT;
	default:
		return TL_FLOW_BRANCH;
	}
}

static uint64_t code_of(const struct executed *e, const struct tl_pt_node_insn *insn)
{
	uint8_t bytes[16] = { 0 };
	int count =
		tl_pt_image_read(e->slice.image, NULL, bytes, insn->size, &e->slice.asid, insn->ip);

	return count > 0 ? tl_hash_bytes(bytes, (size_t)count) : 0;
}

/* Its instructions in e->insns; how many, or -TL_PT_NOMEM. */
static int64_t take_insns(struct executed *e, uint32_t node, struct tl_pt_node_insn *last)
{
	struct tl_pt_node_insn insns[INSNS_AT_ONCE];
	size_t total = 0;
	int count;

	while ((count = tl_pt_node_insns(e->decoder, node, total, insns, INSNS_AT_ONCE)) > 0) {
		if (!tl_grow(&e->insns, &e->insn_room, total + (size_t)count, sizeof(*e->insns)))
			return -TL_PT_NOMEM;
		for (int i = 0; i < count; i++)
			e->insns[total++] = (struct tl_flow_insn){ insns[i].ip, insns[i].size,
								   code_of(e, &insns[i]) };
		*last = insns[count - 1];
	}
	return count == -TL_PT_NOMEM ? count : (int64_t)total;
}

/* The number of a mapping, whose name is kept; TL_NONE: no memory. */
static uint32_t origin_of(struct executed *e, const struct tl_pt_mapping *mapping)
{
	struct tl_pt_mapping *made;

	for (size_t i = e->origin_count; i-- > 0;) {
		const struct tl_pt_mapping *known = &e->origins[i];

		if (known->start == mapping->start && known->offset == mapping->offset &&
		    known->file == mapping->file && known->bias == mapping->bias &&
		    known->name == mapping->name && !strcmp(known->object, mapping->object))
			return (uint32_t)i;
	}
	if (!tl_grow(&e->origins, &e->origin_room, e->origin_count + 1, sizeof(*e->origins)))
		return TL_NONE;
	made = &e->origins[e->origin_count];
	*made = *mapping;
	made->object = tl_names_text(&e->blocks.names, mapping->object);
	return made->object ? (uint32_t)e->origin_count++ : TL_NONE;
}

/* The function of an address in a mapping. */
static bool name_in(struct executed *e, const struct tl_pt_mapping *mapping, uint64_t ip,
		    struct tl_flow_place *place)
{
	const struct tl_pt_name name = tl_pt_functions_name_in(&e->functions, mapping, ip);

	place->function = "";
	if (name.function != TL_NONE) {
		const struct tl_pt_function *function = &e->functions.list[name.function];

		place->function = function->name;
		place->into =
			function->address && function->address <= ip ? ip - function->address : 0;
	}
	return !e->functions.no_memory;
}

static bool name_place(void *arg, uint64_t address, struct tl_flow_place *place)
{
	struct executed *e = arg;

	return name_in(e, &e->origins[place->origin], address, place);
}

/* Only names that are at hand, those of code that was made at run time, are taken now. */
static bool find_place(struct executed *e, uint64_t ip, struct tl_flow_place *place)
{
	struct tl_pt_mapping mapping;

	*place = (struct tl_flow_place){ .object = "", .offset = ip, .function = "" };
	if (!e->feed->mapping(e->feed->arg, ip, &mapping))
		return true;
	if (*mapping.object) {
		place->object = tl_names_text(&e->blocks.names, mapping.object);
		place->offset = mapping.offset + (ip - mapping.start);
	}
	if (mapping.listed || !mapping.file)
		return place->object && name_in(e, &mapping, ip, place);
	place->function = NULL;
	place->origin = origin_of(e, &mapping);
	return place->object && place->origin != TL_NONE;
}

/* What a node is. False: no memory. */
static bool look_at(struct executed *e, uint32_t node)
{
	struct tl_pt_node_insn last = { 0 };
	const int64_t count = take_insns(e, node, &last);
	struct tl_flow_place place;
	uint32_t number;

	if (count <= 0 || !find_place(e, e->insns[0].address, &place))
		return false;
	number = tl_flow_block_add(&e->blocks, e->insns, (size_t)count, end_of(&last), &place);
	if (number == TL_NONE)
		return false;
	e->nodes->list[node] = tl_flow_known(&e->blocks, number);
	return true;
}

static bool make_room(struct nodes *nodes, uint32_t limit)
{
	if (!tl_grow(&nodes->list, &nodes->room, limit, sizeof(*nodes->list)))
		return false;
	for (; nodes->count < limit; nodes->count++)
		nodes->list[nodes->count] = TL_NONE;
	return true;
}

/*
 * Put nodes until one has to be looked at, or is a piece; returns how many. What a node costs here
 * is paid for each that was executed, so that some are asked together.
 */
static size_t put_whole(const struct nodes *nodes, const uint32_t *batch, size_t count,
			struct tl_flow_list *list)
{
	enum { TOGETHER = 4 };
	const uint32_t *const known = nodes->list;
	uint32_t *const numbers = list->numbers + list->count, pieces = 0;
	size_t i = 0;

	for (; count - i >= TOGETHER; i += TOGETHER) {
		for (size_t k = 0; k < TOGETHER; k++)
			pieces |= numbers[i + k] = known[batch[i + k]];
		if (__builtin_expect(pieces >= TL_FLOW_PIECE, 0))
			break;
	}
	while (i < count && (numbers[i] = known[batch[i]]) < TL_FLOW_PIECE)
		i++;
	list->count += i;
	return i;
}

static bool put_nodes(struct executed *e, const struct tl_pt_node_batch *batch,
		      struct tl_flow_list *list)
{
	struct nodes *nodes = e->nodes;

	if (batch->epoch != nodes->epoch) {
		nodes->epoch = batch->epoch;
		nodes->count = 0;
	}
	if (!make_room(nodes, batch->limit) || !tl_flow_list_room(list, batch->count))
		return false;
	for (size_t i = 0; i < batch->count; i++) {
		const uint32_t node = batch->nodes[i];

		if (__builtin_expect(nodes->list[node] == TL_NONE, 0) && !look_at(e, node))
			return false;
		tl_flow_put(&e->blocks, list, nodes->list[node]);
		if (e->blocks.pending == TL_NONE)
			i += put_whole(nodes, batch->nodes + i + 1, batch->count - i - 1, list);
	}
	return !e->blocks.no_memory;
}

/* ---- events ---- */

static int put_gap(struct executed *e, struct tl_flow_list *list, struct tl_error *err)
{
	if (!tl_flow_list_room(list, 1))
		return tl_error_memory(err);
	tl_flow_put_gap(&e->blocks, list);
	return e->blocks.no_memory ? tl_error_memory(err) : 0;
}

static int take_event(struct executed *e, const struct tl_pt_event *event,
		      struct tl_flow_list *list, struct tl_error *err)
{
	int status = 0;

	if (event->kind != TL_PT_EV_LOST && event->kind != TL_PT_EV_OVERFLOW)
		return 0;
	status = put_gap(e, list, err);
	if (status < 0 || event->kind == TL_PT_EV_OVERFLOW)
		return status;
	if (e->options.strict)
		return tl_pt_fault(err, event->lost.why, e->slice.base + event->lost.from);
	return tl_error_unless_made(tl_pt_fault_add_event(e->faults, e->feed, &e->slice, event),
				    err);
}

static int take_events(struct executed *e, struct tl_flow_list *list, struct tl_error *err)
{
	struct tl_pt_event event;
	int status = 0;

	while (status == 0 && e->status >= 0 && (e->status & TL_PT_EVENT_PENDING)) {
		e->status = tl_pt_next_event(e->decoder, &event);
		if (e->status >= 0)
			status = take_event(e, &event, list, err);
	}
	return status;
}

/* ---- slices ---- */

static void give_back(struct executed *e)
{
	uint64_t offset;

	if (e->feed->passed && tl_pt_decoder_offset(e->decoder, &offset) == 0 &&
	    offset >= e->given_back + PASSED_BYTES) {
		e->feed->passed(e->feed->arg, offset);
		e->given_back = offset;
	}
}

static bool is_over(int status)
{
	return status < 0 || ((status & TL_PT_END_OF_STREAM) && !(status & TL_PT_EVENT_PENDING));
}

/* The file is read behind this offset. */
static bool mark(const struct executed *e, struct tl_flow_list *list)
{
	uint64_t offset = e->slice.from;

	if (tl_pt_decoder_offset(e->decoder, &offset) < 0)
		offset = e->slice.from;
	return tl_flow_list_mark(list, e->slice.base + offset);
}

/* One batch of the slice; `decoder` is NULL when it is over. */
static int decode_batch(struct executed *e, struct tl_flow_list *list, struct tl_error *err)
{
	struct tl_pt_node_batch batch = { .nodes = e->batch, .max = BATCH_NODES };
	int result = take_events(e, list, err);

	if (result < 0)
		return result;
	if (!mark(e, list))
		return tl_error_memory(err);
	if (e->status >= 0)
		e->status = tl_pt_next_nodes(e->decoder, &batch);
	if (e->status >= 0) {
		if (!put_nodes(e, &batch, list))
			return tl_error_memory(err);
		e->status = batch.status;
		give_back(e);
	} else if (e->status != -TL_PT_EOS) {
		return tl_pt_fault(err, (enum tl_pt_error) - e->status, TL_NOWHERE);
	}
	if (is_over(e->status)) {
		if (tl_pt_decoders_done(&e->decoders, &e->slice))
			e->nodes->count = 0;
		e->decoder = NULL;
	}
	return 0;
}

static bool is_chosen(const struct tl_pt_executed_options *o, const struct tl_pt_trace_slice *slice)
{
	return !slice->foreign && (o->thread == TL_NOWHERE || o->thread == slice->thread) &&
	       (o->process == TL_NOWHERE || o->process == slice->process) &&
	       (o->cpu == TL_NOWHERE || o->cpu == slice->cpu);
}

static bool is_ours(const struct executed *e, const struct tl_pt_trace_slice *slice)
{
	return slice->process == e->process && slice->thread == e->thread &&
	       is_chosen(&e->options, slice);
}

/* Begin to decode the slice; one of another thread is passed over. */
static int begin_slice(struct executed *e, struct tl_flow_list *list, struct tl_error *err)
{
	const struct tl_pt_trace_slice *slice = &e->slice;
	struct nodes *nodes = &e->streams[slice->stream];

	if (!nodes->wanted)
		return 0;
	e->status = tl_pt_decoders_open(&e->decoders, slice,
					TL_PT_SALVAGE | TL_PT_END_ON_CALL | TL_PT_END_ON_JUMP,
					&e->decoder);
	if (!e->decoder)
		return tl_pt_fault(err, (enum tl_pt_error) - e->status, TL_NOWHERE);
	if (!slice->continues)
		nodes->count = 0;
	e->nodes = nodes;
	e->given_back = slice->from;
	if (is_ours(e, slice))
		return slice->gap ? put_gap(e, list, err) : 0;
	if (tl_pt_pass_over(e->decoder, e->status) < 0)
		return tl_error_memory(err);
	if (tl_pt_decoders_done(&e->decoders, slice))
		nodes->count = 0;
	e->decoder = NULL;
	return 0;
}

/* The trace is over. */
static int finish(struct executed *e, struct tl_flow_list *list, struct tl_error *err)
{
	if (!tl_flow_list_room(list, 0))
		return tl_error_memory(err);
	tl_flow_put_end(&e->blocks, list);
	return 0;
}

static int next_blocks(void *arg, struct tl_flow_list *list, struct tl_error *err)
{
	struct executed *e = arg;
	const size_t enough = list->count + AT_ONCE;
	int status = 1;

	while (status == 1 && list->count < enough) {
		int taken = 0;

		if (!e->decoder) {
			status = e->feed->next(e->feed->arg, &e->slice, err);
			if (status == 0)
				return finish(e, list, err);
			if (status == 1)
				taken = begin_slice(e, list, err);
		} else {
			taken = decode_batch(e, list, err);
		}
		if (taken < 0)
			return taken;
	}
	return status;
}

/* ---- threads ---- */

/* The threads of a feed. */
struct threads {
	struct thread {
		uint64_t process, thread;
	} *list;
	size_t count, room;
};

static size_t thread_of(const struct threads *threads, const struct tl_pt_trace_slice *slice)
{
	size_t i = 0;

	while (i < threads->count && (threads->list[i].process != slice->process ||
				      threads->list[i].thread != slice->thread))
		i++;
	return i;
}

static bool note_stream(struct executed *e, uint64_t stream, bool wanted)
{
	if (!tl_grow(&e->streams, &e->stream_room, (size_t)stream + 1, sizeof(*e->streams)))
		return false;
	for (; e->stream_count <= stream; e->stream_count++)
		e->streams[e->stream_count] = (struct nodes){ .list = NULL };
	e->streams[stream].wanted |= wanted;
	return true;
}

/* Find the thread of a number, and the streams that it runs in: slices are not decoded here. */
static int find_thread(struct executed *e, size_t number, struct tl_error *err)
{
	struct threads threads = { .list = NULL };
	struct tl_pt_trace_slice slice;
	int status;

	e->feed->rewind(e->feed->arg);
	while ((status = e->feed->next(e->feed->arg, &slice, err)) == 1) {
		const size_t at = thread_of(&threads, &slice);
		const bool chosen = is_chosen(&e->options, &slice);

		if (chosen && at == threads.count) {
			if (!tl_grow(&threads.list, &threads.room, at + 1, sizeof(*threads.list)))
				break;
			threads.list[threads.count++] =
				(struct thread){ slice.process, slice.thread };
		}
		if (!note_stream(e, slice.stream, chosen && at == number))
			break;
	}
	if (status == 0 && number < threads.count) {
		e->process = threads.list[number].process;
		e->thread = threads.list[number].thread;
		status = 2;
	}
	free(threads.list);
	e->feed->rewind(e->feed->arg);
	if (status == 1)
		return tl_error_memory(err);
	return status == 2 ? 1 : status;
}

static void free_executed(struct executed *e)
{
	tl_pt_decoders_close(&e->decoders);
	for (size_t i = 0; i < e->stream_count; i++)
		free(e->streams[i].list);
	free(e->streams);
	free(e->origins);
	free(e->insns);
	tl_pt_functions_end(&e->functions);
	tl_flow_blocks_free(&e->blocks);
	free(e);
}

static int close_executed(void *arg)
{
	struct executed *e = arg;
	const bool noted = tl_pt_functions_damage(&e->functions, e->faults);

	free_executed(e);
	return noted ? 0 : TL_NO_MEMORY;
}

int tl_pt_executed(const struct tl_pt_feed *feed, const struct tl_pt_executed_options *options,
		   struct tl_pt_faults *faults, size_t number, uint64_t salt,
		   struct tl_flow_source *source, struct tl_error *err)
{
	struct executed *e = calloc(1, sizeof(*e));
	int status;

	if (!e)
		return tl_error_memory(err);
	e->feed = feed;
	e->options = *options;
	e->faults = faults;
	e->decoders.jobs = options->jobs;
	tl_flow_blocks_begin(&e->blocks, salt);
	tl_pt_functions_begin(&e->functions, feed);
	e->functions.without_lines = true;
	status = find_thread(e, number, err);
	if (status != 1) {
		free_executed(e);
		return status;
	}
	*source = (struct tl_flow_source){
		.next = next_blocks,
		.name = name_place,
		.close = close_executed,
		.arg = e,
		.blocks = &e->blocks,
		.process = e->process,
		.thread = e->thread,
	};
	return 1;
}
