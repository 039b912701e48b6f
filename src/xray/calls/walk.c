/* SPDX-License-Identifier: Apache-2.0 */
#include "xray/calls/walk.h"

#include "core/error.h"
#include "xray/profile/fold.h"
#include "xray/profile/gaps.h"

/* ---- steps ---- */

uint64_t tl_xray_walk_ticks(const struct tl_xray_walk *walk)
{
	const struct tl_fold *fold = &walk->fold;

	return fold->hot.clock < TL_NOWHERE - fold->first_ticks
		       ? fold->first_ticks + fold->hot.clock
		       : TL_NOWHERE - 1;
}

static void put_begin(struct tl_xray_walk *walk, uint32_t number, uint8_t flags)
{
	if (walk->hidden) {
		flags |= TL_CALL_HIDDEN;
		walk->irregular = true;
	}
	tl_steps_put(&walk->steps, (struct tl_step){ .ticks = tl_xray_walk_ticks(walk),
						     .function = walk->ids.ids[number],
						     .flags = flags });
}

static void put_end(struct tl_xray_walk *walk, uint8_t flags)
{
	tl_steps_put(
		&walk->steps,
		(struct tl_step){ .ticks = tl_xray_walk_ticks(walk), .end = true, .flags = flags });
}

/* The fold has closed frames since it had `depth` of them; the last one of `exits` exited. */
static void put_closed(struct tl_xray_walk *walk, size_t depth, size_t exits)
{
	size_t closed = depth - tl_fold_depth(&walk->fold);

	walk->irregular |= closed != 1 || !exits;
	for (size_t i = 0; i < closed; i++)
		put_end(walk, closed - i > exits ? TL_CALL_CUT : 0);
}

/* ---- one record ---- */

/* The fold's number of a function id; TL_NONE without memory. */
static uint32_t number_of(void *arg, uint32_t id)
{
	struct tl_xray_walk *walk = arg;
	uint32_t number = tl_xray_ids_find(&walk->ids, id);

	if (number != TL_NONE)
		return number;
	number = tl_xray_ids_add(&walk->ids, id);
	return number != TL_NONE && tl_fold_add_function(&walk->fold) == number ? number : TL_NONE;
}

static void pass_time(struct tl_xray_walk *walk, uint64_t tsc)
{
	tl_fold_time(&walk->fold, tsc);
	walk->irregular |= tl_xray_walk_ticks(walk) != tsc;
}

/* Along a new path, frames that cannot have made the call are closed first. */
static void check_caller(struct tl_xray_walk *walk, uint32_t function)
{
	struct tl_fold *fold = &walk->fold;
	size_t depth = tl_fold_depth(fold);
	size_t kept = tl_xray_frames_kept(&walk->caller_check, fold, function, &walk->stream,
					  number_of, walk);

	while (tl_fold_depth(fold) > kept)
		tl_fold_cut(fold, true);
	if (depth > kept)
		put_closed(walk, depth, 0);
	tl_fold_enter_new(fold, function);
	fold->no_memory |= walk->caller_check.no_memory;
}

static void enter(struct tl_xray_walk *walk, uint32_t function)
{
	struct tl_fold *fold = &walk->fold;
	struct tl_fold_hot hot = fold->hot;

	if (!walk->contexts) {
		fold->no_memory |= !tl_fold_hot_push(&hot, fold, function);
		fold->hot = hot;
	} else if (!tl_fold_enter(fold, function) && !fold->no_memory) {
		check_caller(walk, function);
	}
	put_begin(walk, function, 0);
}

static void pass_function(struct tl_xray_walk *walk, const struct tl_xray_record *record)
{
	uint32_t function = number_of(walk, record->function);
	size_t depth = tl_fold_depth(&walk->fold);

	pass_time(walk, record->tsc);
	walk->left--;
	if (function == TL_NONE) {
		walk->fold.no_memory = true;
	} else if (record->action == TL_XRAY_EXIT || record->action == TL_XRAY_TAIL_EXIT) {
		tl_fold_leave(&walk->fold, function);
		put_closed(walk, depth, 1);
	} else {
		enter(walk, function);
	}
}

static void set_hidden(struct tl_xray_walk *walk, uint16_t cpu)
{
	walk->hidden = walk->options->cpu != TL_NOWHERE && walk->options->cpu != cpu;
}

/* ---- gaps ---- */

/* Damage inside of a block may be met where it is read, and again behind the block. */
static bool is_noted(const struct tl_call_gaps *gaps, const struct tl_xray_gap *bytes)
{
	return gaps->count && gaps->list[gaps->count - 1].offset == bytes->start;
}

/* A gap is from the last record before it to the first one behind it, if there are such. */
static void note_gap(struct tl_xray_walk *walk, const struct tl_xray_gap *bytes,
		     const struct tl_xray_ahead *ahead)
{
	uint64_t from = walk->fold.started ? tl_xray_walk_ticks(walk) : ahead->tsc, to = from;

	if ((!walk->fold.started && !ahead->any) || is_noted(&walk->gaps, bytes))
		return;
	if (ahead->any && ahead->tsc > from)
		to = ahead->tsc;
	if (!tl_call_gaps_add(&walk->gaps,
			      &(struct tl_call_gap){ .from = from,
						     .to = to,
						     .offset = bytes->start,
						     .length = bytes->end - bytes->start,
						     .count = 1,
						     .text = bytes->text }))
		walk->fold.no_memory = true;
}

static void bridge(struct tl_xray_walk *walk, const struct tl_xray_ahead *ahead)
{
	struct tl_fold *fold = &walk->fold;
	uint32_t lost = number_of(walk, TL_XRAY_LOST_ID);
	size_t depth = tl_fold_depth(fold);
	struct tl_fold_match match;

	if (lost == TL_NONE)
		fold->no_memory = true;
	else if (tl_fold_match_exits(fold, ahead->exits, ahead->count, ahead->to_end, &match)) {
		walk->irregular = true;
		tl_fold_gap_begin(fold, &match, lost);
		for (size_t i = match.kept; i < depth; i++)
			put_end(walk, TL_CALL_CUT);
		put_begin(walk, lost, TL_CALL_LATE);
		pass_time(walk, ahead->tsc);
		put_end(walk, TL_CALL_CUT);
		tl_fold_gap_end(fold, ahead->exits, match.begun);
		for (size_t i = match.begun; i-- > 0;)
			put_begin(walk, ahead->exits[i], TL_CALL_LATE);
	}
}

/* Damaged bytes that may have been of another thread are a gap of this one if it shows. */
static int cross_gap(struct tl_xray_walk *walk, enum tl_xray_gap_kind kind,
		     const struct tl_xray_gap *bytes, struct tl_error *err)
{
	/* clang-format off */
	struct tl_xray_ahead ahead = {
		.first = TL_NONE, .most_exits = TL_XRAY_MOST_EXITS, .most_records = UINT64_MAX,
	};
	/* clang-format on */
	int status = tl_xray_look_ahead(&walk->stream, number_of, walk, &ahead, err);
	bool certain = kind == TL_XRAY_GAP;

	if (status == 0 && ahead.any && !certain)
		certain = !tl_fold_fits(&walk->fold, ahead.exits, ahead.count);
	if (status == 0 && certain)
		note_gap(walk, bytes, &ahead);
	if (status == 0 && ahead.any && certain)
		bridge(walk, &ahead);
	free(ahead.exits);
	return status;
}

/* The next block: 1, 0: there is none, or negative. */
static int next_block(struct tl_xray_walk *walk, struct tl_error *err)
{
	const struct tl_xray_gap *gap;
	enum tl_xray_gap_kind kind = tl_xray_gap_ahead(&walk->stream, &gap);
	int status = kind == TL_XRAY_NO_GAP ? 0 : cross_gap(walk, kind, gap, err);

	if (status < 0)
		return status;
	if (tl_xray_stream_block(&walk->stream))
		return 1;
	walk->ended = true;
	return tl_xray_stream_cancelled(&walk->stream, err);
}

static int pass_record(struct tl_xray_walk *walk, const struct tl_xray_record *record,
		       struct tl_error *err)
{
	switch (record->kind) {
	case TL_XRAY_FUNCTION:
		if (walk->stream.reader->info.mode == TL_XRAY_BASIC)
			set_hidden(walk, record->cpu);
		pass_function(walk, record);
		return 0;
	case TL_XRAY_NEW_CPU:
	case TL_XRAY_TSC_WRAP:
		pass_time(walk, record->tsc);
		set_hidden(walk, record->cpu);
		return 0;
	case TL_XRAY_LOST:
		walk->irregular = true;
		return cross_gap(walk, TL_XRAY_GAP,
				 &(struct tl_xray_gap){ record->offset,
							record->offset + record->length,
							record->text },
				 err);
	default:
		return 0;
	}
}

/* ---- runs of function records ---- */

/*
 * The fast path, as fold_function_run() of profile/thread_fold.c: function records that nest. It
 * stops before any other record, and pass_record() takes that.
 */
static inline __attribute__((always_inline)) void pass_run(struct tl_xray_walk *walk, bool swap,
							   bool high_bits)
{
	struct tl_xray_stream *stream = &walk->stream;
	const uint8_t *p = stream->cur.pos, *end = stream->cur.end;
	struct tl_fold *fold = &walk->fold;
	struct tl_fold_hot hot = fold->hot;
	struct tl_step *step = walk->steps.list + walk->steps.count;
	const uint32_t *small = walk->ids.small;
	size_t small_count = walk->ids.small_count;
	uint64_t tsc = stream->tsc, ticks = tl_xray_walk_ticks(walk);
	uint32_t left = walk->left;

	for (; left && (size_t)(end - p) >= TL_XRAY_FUNCTION_BYTES; p += TL_XRAY_FUNCTION_BYTES) {
		uint32_t word = tl_get32s(p, swap), delta = tl_get32s(p + 4, swap);
		uint32_t id = tl_xray_function_id(high_bits, word);
		uint32_t is_exit = tl_xray_is_exit(high_bits, word);

		if (__builtin_expect(!tl_xray_is_step(p, word, swap, high_bits) ||
					     id >= small_count || !small[id],
				     0))
			break;
		if (__builtin_expect(!tl_fold_hot_step(&hot, fold, small[id] - 1, is_exit), 0))
			break;
		tsc += delta;
		ticks += delta;
		*step++ = (struct tl_step){ ticks, id & (is_exit - 1), is_exit, 0 };
		left--;
	}
	hot.clock += tsc - stream->tsc;
	fold->hot = hot;
	fold->last = tsc;
	walk->steps.count = (size_t)(step - walk->steps.list);
	walk->left = left;
	stream->record += (uint64_t)(p - stream->cur.pos) / TL_XRAY_FUNCTION_BYTES;
	stream->cur.pos = p;
	stream->tsc = tsc;
}

/* Whether a run of the present block can do nothing but nest, in times that fit. */
static bool can_run(struct tl_xray_walk *walk)
{
	const struct tl_xray_stream *stream = &walk->stream;
	uint64_t bytes = tl_cursor_left(&stream->cur);

	if (walk->contexts || walk->hidden || !walk->fold.started ||
	    stream->reader->info.mode != TL_XRAY_FDR || bytes < TL_XRAY_FUNCTION_BYTES)
		return false;
	pass_time(walk, stream->tsc);
	return tl_xray_walk_ticks(walk) == stream->tsc && stream->tsc < (uint64_t)INT64_MAX &&
	       bytes <= ((uint64_t)INT64_MAX - walk->fold.hot.clock) >> 30;
}

static void try_run(struct tl_xray_walk *walk)
{
	const struct tl_xray_dialect *d = &walk->stream.reader->dialect;

	if (!can_run(walk))
		return;
	if (!tl_grow(&walk->steps.list, &walk->steps.capacity, walk->steps.count + walk->left,
		     sizeof(*walk->steps.list)))
		walk->steps.no_memory = true;
	else if (!d->swap && !d->high_bits)
		pass_run(walk, false, false);
	else
		pass_run(walk, d->swap, d->high_bits);
}

/* ---- the whole ---- */

bool tl_xray_walk_begin(struct tl_xray_walk *walk, struct tl_xray_reader *reader,
			const struct tl_xray_thread *thread,
			const struct tl_xray_fold_options *options,
			struct tl_xray_call_graph *call_graph)
{
	*walk = (struct tl_xray_walk){ .options = options, .contexts = call_graph != NULL };
	tl_xray_stream_open(&walk->stream, reader, reader->order, thread->begin, thread->end,
			    &walk->faults);
	if (!tl_fold_begin(&walk->fold, 0, false))
		return false;
	walk->fold.refuse_new_paths = walk->contexts;
	walk->caller_check =
		(struct tl_xray_caller_check){ .call_graph = call_graph, .ids = &walk->ids };
	walk->hidden = options->cpu != TL_NOWHERE;
	return true;
}

/* Records up to the end of the leaf. 0 or negative. */
static int pass_leaf(struct tl_xray_walk *walk, struct tl_error *err)
{
	struct tl_xray_record record;
	int status = 0;

	while (status >= 0 && walk->left && !walk->ended) {
		try_run(walk);
		if (!walk->left)
			break;
		status = tl_xray_stream_record(&walk->stream, &record, err);
		if (status == 1)
			status = pass_record(walk, &record, err);
		else if (status == 0)
			status = next_block(walk, err);
		if (walk->fold.no_memory || walk->steps.no_memory)
			return tl_error_memory(err);
	}
	return tl_error_or_end(status);
}

int tl_xray_walk_leaf(struct tl_xray_walk *walk, struct tl_call_leaf *where, struct tl_error *err)
{
	struct tl_xray_stream *stream = &walk->stream;
	int status;

	walk->steps.count = 0;
	walk->irregular = false;
	walk->left = TL_LEAF_STEPS;
	status = stream->block || walk->ended ? 0 : next_block(walk, err);
	if (status < 0 || walk->ended)
		return tl_error_or_end(status);
	*where = (struct tl_call_leaf){
		.offset = tl_cursor_offset(&stream->cur),
		.clock = stream->tsc,
		.block = stream->next_block - 1,
	};
	status = pass_leaf(walk, err);
	if (status < 0)
		return status;
	where->size = TL_LEAF_STEPS - walk->left;
	if (walk->irregular)
		where->block = TL_LEAF_STORED;
	return walk->steps.count || !walk->ended;
}

void tl_xray_walk_end(struct tl_xray_walk *walk)
{
	tl_fold_free(&walk->fold);
	tl_xray_ids_free(&walk->ids);
	tl_xray_caller_check_end(&walk->caller_check);
	tl_xray_stream_end(&walk->stream);
	free(walk->faults.list);
	free(walk->steps.list);
	tl_call_gaps_free(&walk->gaps);
	*walk = (struct tl_xray_walk){ 0 };
}
