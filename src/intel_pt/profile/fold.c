/* SPDX-License-Identifier: Apache-2.0 */
#include "intel_pt/profile/fold.h"

#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "intel_pt/blocks/start_psb.h"
#include "intel_pt/blocks/unsized.h"
#include "intel_pt/profile/stack_moves.h"
#include "profile/model/model.h"

enum {
	BATCH_TIMESTAMPS = 1 << 12,
	PASSED_BYTES = 2 << 20,
	SHARE_BATCH = 1 << 10, /* so that borders of shares are near to where they should be */
	LEFT_MOST = 1 << 12,   /* slices that are left undecoded; they take memory */
};

/* ---- what is folded ---- */

/* Shares of one thread are runs of its bytes (share.c), those of many are some of the threads. */
static bool is_run_of_bytes(const struct tl_pt_fold_options *o)
{
	return o->shares > 1 && o->chain && !o->by_threads;
}

static bool is_selected(const struct tl_pt_folder *f, const struct tl_pt_trace_slice *slice)
{
	const struct tl_pt_fold_options *o = f->options;

	if (slice->foreign || (o->thread != TL_NOWHERE && o->thread != slice->thread) ||
	    (o->process != TL_NOWHERE && o->process != slice->process) ||
	    (o->cpu != TL_NOWHERE && o->cpu != slice->cpu))
		return false;
	return tl_pt_deal_is_mine(f, slice->thread);
}

/* ---- events ---- */

static int note_loss(struct tl_pt_folder *f, const struct tl_pt_trace_slice *slice,
		     const struct tl_pt_event *event, struct tl_error *err)
{
	tl_fold_gap(&f->thread->stack.fold);
	f->thread->stack.fold.losses.skipped_bytes += event->lost.to - event->lost.from;
	if (f->options->strict)
		return tl_pt_fault(err, event->lost.why, slice->base + event->lost.from);
	if (!tl_pt_fault_add_event(f->faults, f->feed, slice, event))
		return tl_error_memory(err);
	return 0;
}

/*
 * An event came between a transfer and the next node: its address is the target. A jump to another
 * function is one, too; plain flow inside a function arrives where it is.
 */
static void reach(struct tl_pt_folder *f, uint64_t ip)
{
	switch (f->pos.key) {
	case TL_PT_KEY_NONE:
	case TL_PT_KEY_ABORT:
	case TL_PT_KEY_LOSS:
	case TL_PT_KEY_MOVE:
	case TL_PT_KEY_SEVERAL:
		break;
	default:
		tl_pt_fold_arrive(f, ip);
		break;
	}
}

static void go_off(struct tl_pt_folder *f, uint64_t back)
{
	f->pos.back = back;
	f->pos.key = TL_PT_KEY_ENABLE;
}

static void branch_away(struct tl_pt_folder *f, const struct tl_pt_event *event)
{
	tl_pt_fold_branch(f, event->ip);
	reach(f, event->ip);
	f->pos.back = event->ip;
	f->pos.key = f->pos.aborted ? TL_PT_KEY_ABORT : TL_PT_KEY_INTERRUPT;
	f->pos.aborted = false;
}

static void watch_lost(struct tl_pt_folder *f, const struct tl_pt_missing *missing)
{
	if (f->options->watch)
		f->options->watch->lost(f->options->watch->arg, f, missing);
}

static void watch_overflow(struct tl_pt_folder *f)
{
	watch_lost(f, &(struct tl_pt_missing){
			      .offset = TL_NOWHERE,
			      .text = "the processor's buffer overflowed",
		      });
}

static void watch_skipped(struct tl_pt_folder *f, const struct tl_pt_trace_slice *slice,
			  const struct tl_pt_event *event)
{
	watch_lost(f, &(struct tl_pt_missing){
			      .offset = slice->base + event->lost.from,
			      .length = event->lost.to - event->lost.from,
			      .text = tl_pt_error_text(event->lost.why),
		      });
}

static int take_event(struct tl_pt_folder *f, const struct tl_pt_trace_slice *slice,
		      const struct tl_pt_event *event, struct tl_error *err)
{
	bool called;

	switch (event->kind) {
	case TL_PT_EV_DISABLED:
		/*
		 * After a call that is not traced, or a system call, tracing goes on behind it
		 * (5.4).
		 */
		if (f->pos.key == TL_PT_KEY_CALL || f->pos.key == TL_PT_KEY_START)
			go_off(f, f->pos.last->after);
		else
			go_off(f, 0);
		break;
	case TL_PT_EV_ASYNC_DISABLED:
		called = f->pos.key == TL_PT_KEY_CALL || f->pos.key == TL_PT_KEY_START;
		tl_pt_fold_branch(f, event->ip);
		reach(f, event->ip);
		f->pos.called = called;
		go_off(f, event->ip);
		break;
	case TL_PT_EV_ASYNC_BRANCH:
		branch_away(f, event);
		break;
	case TL_PT_EV_TSX:
		f->pos.aborted = event->tsx.aborted;
		break;
	case TL_PT_EV_OVERFLOW:
		tl_fold_gap(&f->thread->stack.fold);
		watch_overflow(f);
		f->pos.key = TL_PT_KEY_LOSS;
		break;
	case TL_PT_EV_LOST:
		watch_skipped(f, slice, event);
		f->pos.key = TL_PT_KEY_LOSS;
		return note_loss(f, slice, event, err);
	default:
		break;
	}
	return 0;
}

/* ---- slices ---- */

static bool failed(const struct tl_pt_folder *f)
{
	return f->thread->stack.fold.no_memory || f->functions.no_memory ||
	       f->thread->costs.no_memory;
}

/*
 * The decoder has dropped its nodes and numbers them anew. Queued nodes and the last branch are of
 * the epoch before, so new numbers are shifted behind the old ones; when there are too many, all is
 * folded, and forgotten.
 */
static void change_epoch(struct tl_pt_folder *f, struct tl_pt_node_batch *batch)
{
	const struct tl_pt_block *first =
		batch->count ? tl_pt_decoder_node_block(f->decoder, batch->nodes[0]) : NULL;

	/* Frames that were opened before the share know nodes of the old epoch. */
	f->share.refused |= f->cache->count != 0;
	f->cache->epoch = batch->epoch;
	f->cache->scanned = 0;
	f->cache->shift = (uint32_t)f->cache->count;
	if (!f->unstamped.count && f->pos.last == &f->pos.outside)
		tl_pt_node_facts_forget(f->cache);
	if (f->cache->count < TL_PT_FOLD_NODES_MAX)
		return;
	tl_pt_fold_unstamped(f);
	if (first && f->pos.key != TL_PT_KEY_ENABLE && f->pos.key != TL_PT_KEY_INTERRUPT &&
	    f->pos.key != TL_PT_KEY_LOSS)
		tl_pt_fold_branch(f, first->ip);
	tl_pt_visits_flush(f);
	tl_pt_node_facts_forget(f->cache);
	memmove(f->unstamped.nodes, batch->nodes, batch->count * sizeof(*batch->nodes));
}

/* Find facts of new nodes; timing.c needs their numbers of instructions before they are folded. */
static bool take_nodes(struct tl_pt_folder *f, const struct tl_pt_node_batch *batch)
{
	const struct tl_pt_node_cache *cache = f->cache;
	uint32_t *numbers = f->unstamped.nodes + f->unstamped.count;

	if (batch->limit > UINT32_MAX - cache->shift ||
	    !tl_pt_node_facts_room(f, batch->limit + cache->shift))
		return false;
	for (size_t i = 0; cache->shift && i < batch->count; i++)
		numbers[i] += cache->shift;
	for (size_t i = 0; f->timed && cache->scanned < batch->blocks && i < batch->count; i++)
		if (!tl_pt_node_facts_known(f, numbers[i]))
			tl_pt_node_facts_scan(f, numbers[i]);
	return true;
}

/* `behind`: as of tl_pt_next_loud_nodes(). */
static int fold_batch(struct tl_pt_folder *f, struct tl_pt_node_batch *batch,
		      const struct tl_pt_passed_nodes *behind, struct tl_error *err)
{
	bool more = !(batch->status & (TL_PT_EVENT_PENDING | TL_PT_END_OF_STREAM));

	if (batch->epoch != f->cache->epoch)
		change_epoch(f, batch);
	if (!take_nodes(f, batch))
		return tl_error_memory(err);
	f->thread->stack.fold.records += batch->count;
	f->unstamped.end = f->unstamped.nodes + f->unstamped.count + batch->count;
	if (f->timed)
		tl_pt_fold_timed(f, batch, more);
	else if (f->unstamped.loud.insns)
		tl_pt_fold_loud_nodes(f, batch->count, behind);
	else
		tl_pt_fold_nodes(f, f->unstamped.nodes, batch->count);
	if (failed(f))
		return tl_error_memory(err);
	f->sums.refused |= f->thread->stack.fold.refused;
	return 0;
}

static int take_events(struct tl_pt_folder *f, const struct tl_pt_trace_slice *slice, int *pending,
		       struct tl_error *err)
{
	struct tl_pt_event event;
	int status = 0;

	while (status == 0 && *pending >= 0 && (*pending & TL_PT_EVENT_PENDING)) {
		*pending = tl_pt_next_event(f->decoder, &event);
		if (*pending < 0)
			break;
		if (f->timed)
			tl_pt_fold_event(f, &event);
		if (f->options->watch && f->options->watch->event)
			f->options->watch->event(f->options->watch->arg, f, &event);
		status = take_event(f, slice, &event, err);
	}
	return status;
}

/* Errors that are not damage of the trace fail the fold. */
static int decoder_failed(const struct tl_pt_folder *f, int status, struct tl_error *err)
{
	uint64_t offset = TL_NOWHERE;

	if (status == -TL_PT_EOS)
		return 0;
	tl_pt_decoder_offset(f->decoder, &offset);
	return tl_pt_fault(err, (enum tl_pt_error) - status, offset);
}

/* Tell the feed when another PASSED_BYTES are decoded, so that their memory can be released. */
static void give_back(const struct tl_pt_folder *f, uint64_t *given_back)
{
	uint64_t offset;

	if (f->feed->passed && tl_pt_decoder_offset(f->decoder, &offset) == 0 &&
	    offset >= *given_back + PASSED_BYTES) {
		f->feed->passed(f->feed->arg, offset);
		*given_back = offset;
	}
}

static int fold_decoder(struct tl_pt_folder *f, const struct tl_pt_trace_slice *slice, int status,
			struct tl_error *err)
{
	struct tl_pt_passed_nodes behind = f->unstamped.seen;
	uint64_t given_back = slice->from;
	int result = 0;

	while (result == 0 && status >= 0 && !f->sums.refused) {
		struct tl_pt_node_batch batch = {
			.nodes = f->unstamped.nodes + f->unstamped.count,
			.max = f->share.on ? SHARE_BATCH : TL_PT_FOLD_BATCH - f->unstamped.count,
			.timestamps = f->timed ? f->unstamped.timestamps : NULL,
			.max_timestamps = f->timed ? BATCH_TIMESTAMPS : 0,
		};

		result = take_events(f, slice, &status, err);
		if (result < 0 || status < 0)
			break;
		status = f->unstamped.loud.insns
				 ? tl_pt_next_loud_nodes(f->decoder, &batch, &f->unstamped.loud,
							 &behind)
				 : tl_pt_next_nodes(f->decoder, &batch);
		if (status < 0)
			break;
		status = batch.status;
		result = fold_batch(f, &batch, &behind, err);
		give_back(f, &given_back);
		if (result == 0 && f->share.on)
			result = tl_pt_share_pass(f, err);
		if (f->share.ended)
			return result;
		if ((status & TL_PT_END_OF_STREAM) && !(status & TL_PT_EVENT_PENDING))
			break;
	}
	if (result == 0 && status < 0)
		result = decoder_failed(f, status, err);
	return result;
}

/*
 * Go on at the position where the thread was suspended. Behind missing trace, the first transfer is
 * unknown.
 */
static void resume_thread(struct tl_pt_folder *f, const struct tl_pt_trace_slice *slice)
{
	struct tl_pt_fold_thread *t = f->thread;
	uint64_t cycles;

	if (slice->gap && t->ran)
		watch_lost(f, &(struct tl_pt_missing){ .offset = TL_NOWHERE,
						       .text = "the recorder lost trace" });
	f->pos.key = !t->ran || slice->gap ? TL_PT_KEY_LOSS : t->key;
	/* A virtual machine goes on where it was left, unless an interrupt came in. */
	if (slice->guest && f->pos.key == TL_PT_KEY_INTERRUPT)
		f->pos.key = TL_PT_KEY_ENABLE;
	f->pos.back = t->back;
	f->pos.aborted = false;
	f->pos.outside = t->outside;
	f->pos.last = &f->pos.outside;
	/* Functions that were added while other threads ran. */
	if (f->functions.count)
		tl_pt_stack_know(&t->stack, (uint32_t)f->functions.count - 1);
	tl_pt_window_resume(f);
	f->unstamped.seen = tl_pt_passed_so_far(f->decoder);
	if (tl_pt_decoder_cycles(f->decoder, &cycles) < 0)
		cycles = 0;
	tl_pt_cycles_from(f, cycles);
}

static void suspend_thread(struct tl_pt_folder *f)
{
	struct tl_pt_fold_thread *t = f->thread;

	/* The nodes that wait are the next share's. */
	if (f->share.ended)
		f->unstamped.count = 0;
	tl_pt_fold_unstamped(f);
	tl_pt_fold_settle(f);
	tl_pt_visits_flush(f);
	t->closed = f->window.closed;
	t->ran = true;
	t->key = f->pos.key;
	t->back = f->pos.back;
	t->outside = f->pos.outside;
}

static int fold_thread(struct tl_pt_folder *f, const struct tl_pt_trace_slice *slice, int synced,
		       struct tl_error *err)
{
	int status = tl_pt_fold_find_thread(f, slice, err);

	if (status < 0)
		return status;
	resume_thread(f, slice);
	status = fold_decoder(f, slice, synced, err);
	suspend_thread(f);
	return status;
}

static void forget_nodes(struct tl_pt_fold_stream *stream)
{
	free(stream->cache.nodes);
	free(stream->cache.inner);
	stream->cache = (struct tl_pt_node_cache){ .nodes = NULL };
}

static void forget_left(struct tl_pt_left_slices *left)
{
	left->count = 0;
	left->cut = false;
}

/* The stream of a slice; what was left before a new range is not needed. NULL: no memory. */
static struct tl_pt_fold_stream *find_stream(struct tl_pt_folder *f,
					     const struct tl_pt_trace_slice *slice)
{
	struct tl_pt_fold_stream *stream;

	if (!tl_grow(&f->streams.list, &f->streams.capacity, (size_t)slice->stream + 1,
		     sizeof(*f->streams.list)))
		return NULL;
	for (; f->streams.count <= slice->stream; f->streams.count++)
		f->streams.list[f->streams.count] = (struct tl_pt_fold_stream){ 0 };
	stream = &f->streams.list[slice->stream];
	if (!slice->continues)
		forget_left(&stream->left);
	return stream;
}

/* The decoder of a slice, at its begin: as tl_pt_decoders_open(), with the nodes it knows. */
static int open_slice(struct tl_pt_folder *f, const struct tl_pt_trace_slice *slice, int *synced,
		      struct tl_error *err)
{
	*synced = tl_pt_decoders_open(&f->decoders, slice, TL_PT_SALVAGE | TL_PT_END_ON_CALL,
				      &f->decoder);
	if (!f->decoder)
		return tl_pt_fault(err, (enum tl_pt_error) - *synced, TL_NOWHERE);
	f->cache = &f->streams.list[slice->stream].cache;
	if (!slice->continues)
		forget_nodes(&f->streams.list[slice->stream]);
	if (f->threads.deal.from_psbs)
		tl_pt_decoder_keep_passed(f->decoder);
	return 0;
}

/* The decoder stands at the begin of the slice. */
static int go_over(struct tl_pt_folder *f, const struct tl_pt_trace_slice *slice, int synced,
		   struct tl_error *err)
{
	if (tl_pt_pass_over(f->decoder, synced) < 0)
		return tl_error_memory(err);
	return tl_pt_deal_passed(f, slice, err);
}

static int pass_over(struct tl_pt_folder *f, const struct tl_pt_trace_slice *slice,
		     struct tl_error *err)
{
	int synced, status = open_slice(f, slice, &synced, err);

	return status < 0 ? status : go_over(f, slice, synced, err);
}

/*
 * The last start PSB in slices that were left, and the slice that it is in. False: there is none.
 */
static bool find_start_psb(const struct tl_pt_left_slices *left, size_t *number, uint64_t *offset)
{
	for (size_t i = left->count; i--;) {
		const struct tl_pt_trace_slice *slice = &left->list[i];

		if (!tl_pt_find_start_psb(&slice->config, slice->from, slice->to, offset))
			continue;
		*number = i;
		return true;
	}
	return false;
}

/*
 * Go over the rest of a slice from a start PSB on. `fresh`: its decoder is that of a range before.
 */
static int join(struct tl_pt_folder *f, const struct tl_pt_trace_slice *slice, uint64_t offset,
		bool fresh, struct tl_error *err)
{
	struct tl_pt_trace_slice first = *slice;
	int synced, status;

	if (fresh) {
		/* Opened at the begin of the range, where it need not decode anything. */
		first.continues = false;
		first.to = 0;
		status = open_slice(f, &first, &synced, err);
		if (status < 0)
			return status;
	}
	f->decoder = f->decoders.list[slice->stream];
	synced = tl_pt_decoder_start_at(f->decoder, offset, slice->to, &slice->asid);
	if (synced == -TL_PT_NOMEM)
		return tl_error_memory(err);
	status = go_over(f, slice, synced, err);
	return status < 0 ? status : tl_pt_deal_begun(f, slice, offset, err);
}

/* Decode what was left; of a share, from the last start PSB on. */
static int catch_up(struct tl_pt_folder *f, struct tl_pt_fold_stream *stream, struct tl_error *err)
{
	struct tl_pt_left_slices *left = &stream->left;
	uint64_t offset = 0;
	size_t next = 0;
	int status = 0;

	if (left->count && f->threads.deal.from_psbs && find_start_psb(left, &next, &offset)) {
		const struct tl_pt_trace_slice *slice = &left->list[next++];
		const bool known =
			slice->stream < f->decoders.count && f->decoders.list[slice->stream];

		status = join(f, slice, offset, !known || !left->list[0].continues, err);
	}
	for (; status == 0 && next < left->count; next++)
		status = pass_over(f, &left->list[next], err);
	forget_left(left);
	return status;
}

/* Forget what is before the last start PSB. */
static void cut_left(struct tl_pt_left_slices *left)
{
	uint64_t offset;
	size_t number;

	if (!find_start_psb(left, &number, &offset) || !number)
		return;
	left->count -= number;
	memmove(left->list, left->list + number, left->count * sizeof(*left->list));
	left->cut = true;
}

/* A slice that is not selected matters only for those behind it. */
static int leave_slice(struct tl_pt_folder *f, struct tl_pt_fold_stream *stream,
		       const struct tl_pt_trace_slice *slice, struct tl_error *err)
{
	struct tl_pt_left_slices *left = &stream->left;
	int status = 0;

	if (left->count >= LEFT_MOST && f->threads.deal.from_psbs)
		cut_left(left);
	if (left->count >= LEFT_MOST)
		status = catch_up(f, stream, err);
	if (status < 0)
		return status;
	if (!tl_grow(&left->list, &left->capacity, left->count + 1, sizeof(*left->list)))
		return tl_error_memory(err);
	left->list[left->count++] = *slice;
	return 0;
}

static void free_streams(struct tl_pt_fold_streams *streams)
{
	for (size_t i = 0; i < streams->count; i++) {
		forget_nodes(&streams->list[i]);
		free(streams->list[i].left.list);
	}
	free(streams->list);
	*streams = (struct tl_pt_fold_streams){ .list = NULL };
}

static int fold_slice(struct tl_pt_folder *f, const struct tl_pt_trace_slice *slice,
		      struct tl_error *err)
{
	struct tl_pt_fold_stream *stream = find_stream(f, slice);
	int synced, status;

	if (!stream)
		return tl_error_memory(err);
	if (is_selected(f, slice)) {
		status = catch_up(f, stream, err);
		if (status == 0)
			status = open_slice(f, slice, &synced, err);
		if (status == 0)
			status = fold_thread(f, slice, synced, err);
		if (status == 0)
			status = tl_pt_deal_passed(f, slice, err);
	} else {
		status = leave_slice(f, stream, slice, err);
	}
	if (tl_pt_decoders_done(&f->decoders, slice))
		forget_nodes(stream);
	f->decoder = NULL;
	return status;
}

/* ---- the whole feed ---- */

static int fold_slices(struct tl_pt_folder *f, struct tl_error *err)
{
	struct tl_pt_trace_slice slice;
	int status = 0;

	while (!f->sums.refused && (status = f->feed->next(f->feed->arg, &slice, err)) == 1) {
		status = fold_slice(f, &slice, err);
		if (status < 0)
			break;
	}
	return status;
}

/* Free the tables of nodes and decoders, which are not needed once all slices are folded. */
static void free_nodes(struct tl_pt_folder *f)
{
	tl_pt_decoders_close(&f->decoders);
	free_streams(&f->streams);
	free(f->visits.nodes);
	free(f->visits.addrs);
	free(f->visits.list);
	free(f->unstamped.timestamps);
	free(f->unstamped.nodes);
	free(f->unstamped.loud.insns);
}

/* Whether quiet nodes may be passed over. */
static bool needs_no_list(const struct tl_pt_folder *f)
{
	return !f->timed && !f->options->lines && !f->options->watch && !f->share.on;
}

static void free_folder(struct tl_pt_folder *f)
{
	for (size_t i = 0; i < f->threads.count; i++) {
		tl_pt_stack_end(&f->threads.list[i].stack);
		tl_pt_addr_costs_free(&f->threads.list[i].costs);
	}
	free(f->threads.list);
	tl_index_free(&f->threads.by_id);
	tl_pt_deal_free(&f->threads.deal);
	tl_pt_functions_end(&f->functions);
}

static bool make_tables(struct tl_pt_folder *f)
{
	struct tl_pt_loud_nodes *loud = &f->unstamped.loud;

	f->pos.last = &f->pos.outside;
	f->visits.count = f->visits.capacity = 1;
	f->unstamped.timestamps = malloc(BATCH_TIMESTAMPS * sizeof(*f->unstamped.timestamps));
	f->unstamped.nodes = malloc(TL_PT_FOLD_BATCH * sizeof(*f->unstamped.nodes));
	f->visits.list = calloc(1, sizeof(*f->visits.list));
	if (f->visits.list)
		f->visits.list[0].function = TL_NONE;
	if (needs_no_list(f))
		loud->insns = malloc(2 * TL_PT_FOLD_BATCH * sizeof(*loud->insns));
	if (loud->insns)
		loud->before = loud->insns + TL_PT_FOLD_BATCH;
	return f->unstamped.timestamps && f->unstamped.nodes && f->visits.list &&
	       (loud->insns || !needs_no_list(f));
}

/* The profile of what was folded. */
static int make_profile(struct tl_pt_folder *f, struct tl_profile **profile, struct tl_error *err)
{
	int status;

	if (!tl_pt_functions_damage(&f->functions, f->faults) || f->functions.no_memory)
		return tl_error_memory(err);
	status = f->share.on ? tl_pt_share_meet(f, err) : tl_pt_deal_meet(f, err);
	if (status == 0)
		status = tl_pt_fold_new_profile(f, profile, err);
	if (status < 0)
		return status;
	tl_pt_fold_end_watch(f);
	status = tl_pt_fold_add_threads(f, *profile, err);
	return status < 0 ? status : tl_pt_share_check(f, err);
}

static int fold_once(struct tl_pt_folder *f, struct tl_profile **profile, struct tl_error *err)
{
	int status = 0;

	f->timed = f->feed->timed;
	tl_pt_functions_begin(&f->functions, f->feed);
	f->feed->rewind(f->feed->arg);
	if (is_run_of_bytes(f->options))
		status = tl_pt_share_begin(f, err);
	else if (f->options->shares > 1)
		status = tl_pt_deal_begin(f, err);
	/* Start PSBs are those of one decoder. */
	f->decoders.jobs = f->threads.deal.from_psbs ? 1 : f->options->jobs;
	f->decoders.pass_quiet = needs_no_list(f);
	if (status == 0)
		status = make_tables(f) ? fold_slices(f, err) : tl_error_memory(err);
	free_nodes(f);
	if (status == 0 && !f->sums.refused)
		status = make_profile(f, profile, err);
	free_folder(f);
	return status;
}

/* Whether contexts are not needed. Faults are counted anew, if they are after all. */
static bool needs_no_contexts(const struct tl_pt_fold_options *o, const struct tl_pt_faults *faults)
{
	return o->table && !o->lines && !o->chain && !o->watch && !o->per_thread &&
	       !faults->count && !faults->listed;
}

int tl_pt_fold(const struct tl_pt_feed *feed, const struct tl_pt_fold_options *options,
	       struct tl_pt_faults *faults, struct tl_profile **profile, struct tl_error *err)
{
	struct tl_pt_folder f = { .feed = feed, .options = options, .faults = faults };
	int status;

	f.sums.wanted = needs_no_contexts(options, faults);
	*profile = NULL;
	status = fold_once(&f, profile, err);
	if (!f.sums.refused || status < 0)
		return status;
	tl_profile_free(*profile);
	tl_pt_faults_free(faults);
	*faults = (struct tl_pt_faults){ .list = NULL };
	*profile = NULL;
	f = (struct tl_pt_folder){ .feed = feed, .options = options, .faults = faults };
	return fold_once(&f, profile, err);
}
