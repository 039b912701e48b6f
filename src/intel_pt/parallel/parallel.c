/* SPDX-License-Identifier: Apache-2.0 */
/* The threads that decode in parallel, and segments joined to one stream. */
#include "intel_pt/parallel/parallel.h"

#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"

/* ---- the threads ---- */

/* The segment of this number in the ring. */
static struct tl_pt_psb_segment *segment_of(const struct tl_pt_parallel *parallel, uint64_t number)
{
	return &parallel->segments[number % parallel->ring];
}

/* Set the bounds of the next segment: from the end of the last one to a PSB. Under the lock. */
static struct tl_pt_psb_segment *set_next(struct tl_pt_parallel *parallel,
					  const struct tl_pt_flow *flow)
{
	struct tl_pt_psb_segment *segment = segment_of(parallel, parallel->claimed++);
	const uint8_t *from = NULL, *begin = flow->begin + parallel->begin, *end = flow->config.end;

	if (end - begin > TL_PT_SEGMENT_BYTES)
		from = tl_pt_psb_forward(begin + TL_PT_SEGMENT_BYTES, end);
	segment->is_ready = false;
	segment->begin = parallel->begin;
	segment->end = parallel->begin = from ? (uint64_t)(from - flow->begin) : UINT64_MAX;
	return segment;
}

/*
 * Lists of segments hold numbers of nodes. So nodes are dropped only before the first segment that
 * no thread has begun, once the caller is done with all segments before it. Under the lock. False:
 * the caller is not done yet.
 */
static bool drop_if_scarce(struct tl_pt_parallel *parallel, struct tl_pt_decoder *decoder)
{
	struct tl_pt_graph *graph = &decoder->graph;

	if (parallel->drop_at == UINT64_MAX && tl_pt_graph_count(graph) > graph->capacity / 4 * 3)
		parallel->drop_at = parallel->claimed;
	if (parallel->claimed != parallel->drop_at)
		return true;
	if (parallel->consumed < parallel->drop_at)
		return false;
	/* Without memory the segment is given up; then the caller's decoder meets the error. */
	tl_pt_graph_reset(graph, decoder->code.image);
	parallel->drop_at = UINT64_MAX;
	return true;
}

/* No segment is left to begin. */
static bool is_over(const struct tl_pt_parallel *parallel)
{
	return parallel->stopping || parallel->begin == UINT64_MAX;
}

/* There is room for one more segment in the ring. Under the lock. */
static bool may_claim(struct tl_pt_parallel *parallel, struct tl_pt_decoder *decoder)
{
	tl_pt_graph_follow(&decoder->graph);
	return !is_over(parallel) && parallel->claimed < parallel->consumed + parallel->ring &&
	       drop_if_scarce(parallel, decoder);
}

/*
 * Set the time at the beginning of a segment, and read the packets of time up to its end. The lock
 * is held except while reading.
 */
static void run_prepass(struct tl_pt_parallel *parallel, struct tl_pt_psb_segment *segment,
			uint64_t number)
{
	while (parallel->prepass.done < number)
		pthread_cond_wait(&parallel->ready, &parallel->lock);
	pthread_mutex_unlock(&parallel->lock);
	segment->time = parallel->prepass.flow.time;
	if (segment->end != UINT64_MAX)
		tl_pt_flow_clock(&parallel->prepass.flow, segment->end);
	pthread_mutex_lock(&parallel->lock);
	parallel->prepass.done++;
	pthread_cond_broadcast(&parallel->ready);
}

/* Claim the next segment and decode it. The lock is held except while decoding. */
static void decode_next(struct tl_pt_parallel *parallel, struct tl_pt_decoder *decoder)
{
	uint64_t number = parallel->claimed;
	struct tl_pt_psb_segment *segment;

	tl_pt_graph_follow(&decoder->graph);
	segment = set_next(parallel, &decoder->flow);
	if (parallel->prepass.is_needed)
		run_prepass(parallel, segment, number);
	pthread_mutex_unlock(&parallel->lock);
	tl_pt_segment_decode(segment, decoder, !number,
			     parallel->prepass.is_needed ? &segment->time : NULL);
	pthread_mutex_lock(&parallel->lock);
	segment->is_ready = true;
	pthread_cond_broadcast(&parallel->ready);
}

static void *work(void *arg)
{
	struct tl_pt_parallel_thread *thread = arg;
	struct tl_pt_parallel *parallel = thread->parallel;

	pthread_mutex_lock(&parallel->lock);
	while (!is_over(parallel))
		if (may_claim(parallel, thread->decoder))
			decode_next(parallel, thread->decoder);
		else if (!is_over(parallel))
			pthread_cond_wait(&parallel->room, &parallel->lock);
	pthread_mutex_unlock(&parallel->lock);
	return NULL;
}

/* ---- start and stop ---- */

/* A time pre-pass is needed if the first segment has CYC packets. */
static bool begin_prepass(struct tl_pt_parallel *parallel, const struct tl_pt_flow *flow)
{
	struct tl_pt_config config = flow->config;

	config.size = sizeof(config);
	if (tl_pt_flow_open(&parallel->prepass.flow, &config, TL_PT_FLOW_TIMED) < 0 ||
	    tl_pt_flow_sync_set(&parallel->prepass.flow, parallel->begin) < 0)
		return false;
	tl_pt_flow_clock(&parallel->prepass.flow, parallel->begin + TL_PT_SEGMENT_BYTES);
	parallel->prepass.is_needed = parallel->prepass.flow.time.have_cyc;
	return tl_pt_flow_sync_set(&parallel->prepass.flow, parallel->begin) == 0;
}

static bool make_threads(struct tl_pt_parallel *parallel, struct tl_pt_decoder *decoder)
{
	struct tl_pt_config config = decoder->config;

	config.size = sizeof(config);
	for (unsigned i = 0; i < parallel->jobs; i++) {
		struct tl_pt_parallel_thread *thread = &parallel->threads[i];

		thread->parallel = parallel;
		if (tl_pt_decoder_open_on(&thread->decoder, &config, decoder->code.image,
					  decoder->graph.code) < 0)
			return false;
		thread->decoder->code.asid = decoder->code.asid;
		thread->decoder->passing.on = decoder->passing.on;
	}
	return true;
}

static void free_parallel(struct tl_pt_parallel *parallel)
{
	for (unsigned i = 0; i < parallel->jobs; i++)
		tl_pt_decoder_close(parallel->threads[i].decoder);
	for (uint64_t i = 0; parallel->segments && i < parallel->ring; i++)
		tl_pt_segment_free(&parallel->segments[i]);
	free(parallel->segments);
	pthread_mutex_destroy(&parallel->lock);
	pthread_cond_destroy(&parallel->ready);
	pthread_cond_destroy(&parallel->room);
	free(parallel);
}

static void stop(struct tl_pt_decoder *decoder)
{
	struct tl_pt_parallel *parallel = decoder->parallel.threads;

	if (!parallel)
		return;
	pthread_mutex_lock(&parallel->lock);
	parallel->stopping = true;
	pthread_cond_broadcast(&parallel->room);
	pthread_mutex_unlock(&parallel->lock);
	for (unsigned i = 0; i < parallel->started; i++)
		pthread_join(parallel->threads[i].thread, NULL);
	decoder->parallel.threads = NULL;
	decoder->parallel.node_limit = UINT32_MAX;
	decoder->graph.code->threads = 0;
	tl_pt_graph_follow(&decoder->graph);
	/* The batch points into the lists, which are freed below. */
	decoder->ahead.batch = (struct tl_pt_lookahead){ .stop = TL_PT_STOP_FULL };
	free_parallel(parallel);
}

/* Some flags make events depend on state from before the PSB: not decodable in parallel. */
static bool may_parallelize(const struct tl_pt_decoder *decoder)
{
	const uint32_t alone = TL_PT_TICK_EVENTS | TL_PT_IFLAG_EVENTS | TL_PT_CLASSIC;
	const struct tl_pt_flow *flow = &decoder->flow;

	return decoder->parallel.jobs > 1 && !(decoder->config.flags & alone) &&
	       flow->end == decoder->config.end && flow->end - flow->psb > TL_PT_PARALLEL_LEAST;
}

static bool start(struct tl_pt_decoder *decoder)
{
	struct tl_pt_parallel *parallel;

	if (!may_parallelize(decoder) ||
	    (tl_pt_graph_is_stale(&decoder->graph, decoder->code.image) &&
	     tl_pt_graph_reset(&decoder->graph, decoder->code.image) < 0))
		return false;
	parallel = calloc(1, sizeof(*parallel));
	if (!parallel)
		return false;
	pthread_mutex_init(&parallel->lock, NULL);
	pthread_cond_init(&parallel->ready, NULL);
	pthread_cond_init(&parallel->room, NULL);
	parallel->jobs = tl_min(decoder->parallel.jobs, TL_PT_JOBS_MOST);
	parallel->ring = TL_PT_SEGMENTS_PER_THREAD * (uint64_t)parallel->jobs;
	parallel->begin = (uint64_t)(decoder->flow.psb - decoder->flow.begin);
	parallel->output.begin_before = parallel->drop_at = UINT64_MAX;
	parallel->segments = calloc((size_t)parallel->ring, sizeof(*parallel->segments));
	if (!parallel->segments || !begin_prepass(parallel, &decoder->flow) ||
	    !make_threads(parallel, decoder)) {
		free_parallel(parallel);
		return false;
	}
	decoder->parallel.threads = parallel;
	decoder->parallel.node_limit = 0;
	decoder->graph.code->threads = parallel->jobs;
	/*
	 * The last decoder is for the caller's thread, which decodes while it waits (wait_for()).
	 */
	while (parallel->started < parallel->jobs - 1 &&
	       !pthread_create(&parallel->threads[parallel->started].thread, NULL, work,
			       &parallel->threads[parallel->started]))
		parallel->started++;
	if (parallel->started == parallel->jobs - 1)
		return true;
	stop(decoder);
	return false;
}

/* ---- one stream ---- */

/*
 * Wait for the segment that the caller needs; decode others meanwhile. There is always one, as the
 * last segment is never released.
 */
static struct tl_pt_psb_segment *wait_for(struct tl_pt_parallel *parallel)
{
	struct tl_pt_decoder *decoder = parallel->threads[parallel->started].decoder;
	struct tl_pt_psb_segment *segment = segment_of(parallel, parallel->output.segment);

	pthread_mutex_lock(&parallel->lock);
	while (parallel->claimed <= parallel->output.segment || !segment->is_ready)
		if (may_claim(parallel, decoder))
			decode_next(parallel, decoder);
		else
			pthread_cond_wait(&parallel->ready, &parallel->lock);
	pthread_mutex_unlock(&parallel->lock);
	return segment;
}

/* The caller is done with the present segment. */
static void release(struct tl_pt_parallel *parallel)
{
	pthread_mutex_lock(&parallel->lock);
	segment_of(parallel, parallel->output.segment)->is_ready = false;
	parallel->output.begin_before = segment_of(parallel, parallel->output.segment)->begin;
	parallel->output.time_before = segment_of(parallel, parallel->output.segment)->time;
	parallel->consumed = ++parallel->output.segment;
	parallel->output.cut = 0;
	pthread_cond_broadcast(&parallel->room);
	pthread_mutex_unlock(&parallel->lock);
}

/* All that was passed over, of which `here` is what was in the present segment. */
static struct tl_pt_passed_nodes passed_behind(const struct tl_pt_passed_nodes *before,
					       const struct tl_pt_passed_nodes *here)
{
	return (struct tl_pt_passed_nodes){ .insns = before->insns + here->insns,
					    .last = here->last,
					    .nodes = before->nodes + here->nodes };
}

/* Set the caller's decoder to the state that the thread's decoder had at this cut. */
static void show_cut(struct tl_pt_decoder *decoder, const struct tl_pt_psb_segment *segment)
{
	struct tl_pt_parallel *parallel = decoder->parallel.threads;
	const struct tl_pt_segment_cut *cut = &segment->lists.cuts[parallel->output.cut];
	uint32_t first = parallel->output.cut ? cut[-1].ids : 0,
		 first_time = parallel->output.cut ? cut[-1].times : 0;
	const bool loud = decoder->passing.on;

	tl_pt_graph_follow(&decoder->graph);
	decoder->passing.so_far = passed_behind(&parallel->output.passed, &cut->passed);
	decoder->ahead.batch = (struct tl_pt_lookahead){
		.ids = segment->lists.ids + first,
		.insns = loud ? segment->lists.loud.insns + first : NULL,
		.before = loud ? segment->lists.loud.before + first : NULL,
		.base = parallel->output.passed.insns,
		.passed = decoder->passing.so_far,
		.filled = cut->ids - first,
		.times = segment->lists.times + first_time,
		.time_count = cut->times - first_time,
		.speculative = cut->speculative,
		.eos = cut->eos,
		.stop = cut->has_event ? TL_PT_STOP_EVENT : TL_PT_STOP_FULL,
	};
	decoder->parallel.node_limit = segment->node_limit;
	decoder->pos.tracing = cut->on ? TL_PT_TRACING_ON : TL_PT_TRACING_OFF;
	decoder->events.was_enabled = cut->was_on;
	decoder->eos = cut->eos_behind;
	decoder->events.pending = cut->has_event;
	decoder->flow.pos = decoder->flow.begin + cut->offset;
	decoder->ahead.asid = decoder->graph.asid;
	decoder->graph.asid = cut->asid;
	decoder->flow.time.cbr = cut->cbr;
	decoder->flow.time.have_cbr = cut->have_cbr;
	if (cut->has_event)
		decoder->events.next = cut->event;
	tl_pt_lookahead_ready(decoder);
	if (cut->inherited)
		decoder->events.next.enabled.resumed =
			parallel->output.end_state.resume_known &&
			parallel->output.end_state.resume_ip == cut->event.ip;
	parallel->output.cut++;
}

/* ---- back to one thread ---- */

/*
 * Decode from a PSB on with the caller's own decoder, and drop the nodes and events that the caller
 * was given before.
 */
static void catch_up(struct tl_pt_decoder *decoder, const struct tl_pt_takeover *from)
{
	struct tl_pt_lookahead *batch = &decoder->ahead.batch;
	uint64_t nodes = from->nodes, events = from->events;
	struct tl_pt_node_time given = decoder->ahead.time;

	/* All nodes are counted, so that all are given from here on. */
	decoder->passing.on = false;
	decoder->passing.so_far.last = TL_PT_NODE_NONE;

	tl_pt_flow_sync_set(&decoder->flow, from->begin);
	if (from->has_time)
		decoder->flow.time = from->time;
	tl_pt_decoder_restart(decoder);
	decoder->bounds.joining = !from->first;
	decoder->bounds.end = from->end;
	if (!from->first)
		tl_pt_assume_mode(decoder);
	decoder->pos.resume_known = from->resume_known;
	decoder->pos.resume_ip = from->resume_ip;
	while ((nodes || events) &&
	       (batch->stop != TL_PT_STOP_ERROR || tl_pt_may_salvage(decoder))) {
		uint64_t take;

		tl_pt_decode_ahead(decoder);
		take = tl_min(batch->filled, nodes);
		batch->at = (uint32_t)take;
		nodes -= take;
		if (batch->at < batch->filled || !decoder->events.pending)
			continue;
		/* What the caller was given does not come again: that is so without memory only. */
		decoder->events.pending = false;
		if (!events) {
			decoder->ahead.time = given;
			*batch = (struct tl_pt_lookahead){
				.stop = tl_pt_fail(decoder, TL_PT_NOMEM, decoder->item.flow.offset)
			};
			return;
		}
		events--;
	}
	decoder->ahead.time = given;
	/* Everything in the batch has been given to the caller before. */
	if (batch->at == batch->filled && !decoder->events.pending)
		*batch = (struct tl_pt_lookahead){ .stop = TL_PT_STOP_FULL };
	/* The end of a segment is not the end of the trace. */
	if (decoder->bounds.at_end)
		decoder->failure.error = TL_PT_OK;
	decoder->bounds = (struct tl_pt_segment_bounds){ .end = UINT64_MAX };
}

/* The segments before the present one are valid, but it did not begin in their end state. */
static void leave_at_boundary(struct tl_pt_decoder *decoder)
{
	const struct tl_pt_parallel *parallel = decoder->parallel.threads;
	struct tl_pt_psb_state psb_state = parallel->output.end_state;
	struct tl_pt_takeover from = { .begin = parallel->output.begin_before,
				       .first = parallel->output.segment == 1,
				       .end = segment_of(parallel, parallel->output.segment)->begin,
				       .has_time = parallel->prepass.is_needed,
				       .time = parallel->output.time_before,
				       .nodes = UINT64_MAX,
				       .events = UINT64_MAX };

	stop(decoder);
	catch_up(decoder, &from);
	decoder->pos.resume_known = psb_state.resume_known;
	decoder->pos.resume_ip = psb_state.resume_ip;
	decoder->ahead.batch = (struct tl_pt_lookahead){ .stop = TL_PT_STOP_FULL };
}

/* Go on with the caller's own decoder, at the node and event where the caller is. */
static void leave(struct tl_pt_decoder *decoder)
{
	const struct tl_pt_parallel *parallel = decoder->parallel.threads;
	const struct tl_pt_psb_segment *segment = segment_of(parallel, parallel->output.segment);
	struct tl_pt_takeover from = { .begin = segment->begin,
				       .first = !parallel->output.segment,
				       .end = UINT64_MAX,
				       .has_time = parallel->prepass.is_needed,
				       .time = segment->time,
				       .resume_known = parallel->output.end_state.resume_known,
				       .resume_ip = parallel->output.end_state.resume_ip };

	for (size_t i = 0; i < parallel->output.cut; i++)
		from.events += segment->lists.cuts[i].has_event;
	from.events -= decoder->events.pending;
	decoder->ahead.time = *tl_pt_time_now(decoder);
	/* Where nodes are passed over, this is called between two cuts alone. */
	if (parallel->output.cut)
		from.nodes = segment->lists.cuts[parallel->output.cut - 1].ids +
			     segment->lists.cuts[parallel->output.cut - 1].passed.nodes -
			     decoder->ahead.batch.filled + decoder->ahead.batch.at;
	stop(decoder);
	catch_up(decoder, &from);
}

/* ---- the caller's side ---- */

static void show_end(struct tl_pt_decoder *decoder, const struct tl_pt_psb_segment *segment)
{
	decoder->ahead.batch = (struct tl_pt_lookahead){ .stop = TL_PT_STOP_ERROR };
	decoder->eos = true;
	decoder->failure = segment->failure;
}

static void next_segment(struct tl_pt_decoder *decoder, const struct tl_pt_psb_segment *segment)
{
	struct tl_pt_psb_state *psb_state = &decoder->parallel.threads->output.end_state,
			       before = *psb_state;

	*psb_state = segment->end_state;
	if (segment->inherits) {
		psb_state->resume_known = before.resume_known;
		psb_state->resume_ip = before.resume_ip;
	}
	decoder->ahead.batch = (struct tl_pt_lookahead){ .stop = TL_PT_STOP_FULL };
	decoder->parallel.threads->output.passed = decoder->passing.so_far;
	release(decoder->parallel.threads);
}

static void fill(struct tl_pt_decoder *decoder)
{
	struct tl_pt_parallel *parallel = decoder->parallel.threads;
	const struct tl_pt_psb_segment *segment;

	decoder->ahead.batch.at = decoder->ahead.batch.filled = decoder->ahead.batch.plain =
		decoder->ahead.batch.time_count = 0;
	if (decoder->events.pending)
		return;
	segment = wait_for(parallel);
	if (!parallel->output.cut && parallel->output.segment &&
	    !tl_pt_segment_follows(&parallel->output.end_state, segment))
		leave_at_boundary(decoder);
	else if (parallel->output.cut < segment->lists.cut_count)
		show_cut(decoder, segment);
	else if (!segment->whole)
		leave(decoder);
	else if (segment->end == UINT64_MAX)
		show_end(decoder, segment);
	else
		next_segment(decoder, segment);
}

static const struct tl_pt_parallel_ops ops = {
	.start = start,
	.fill = fill,
	.leave = leave,
	.stop = stop,
};

int tl_pt_decoder_set_jobs(struct tl_pt_decoder *decoder, unsigned jobs)
{
	if (!decoder || !jobs)
		return -TL_PT_INVALID;
	tl_pt_stop_parallel(decoder);
	decoder->parallel.ops = &ops;
	decoder->parallel.jobs = tl_min(jobs, TL_PT_JOBS_MOST);
	decoder->pos.tracing = TL_PT_TRACING_UNSYNCED;
	return 0;
}
