/* SPDX-License-Identifier: Apache-2.0 */
/* The threads that decode in parallel, and segments joined to one stream. */
#include "intel_pt/parallel/parallel.h"

#include <stdlib.h>
#include <string.h>

/* ---- workers ---- */

/* The segment of this number in the ring. */
static struct tl_pt_psb_segment *piece_of(const struct tl_pt_parallel *team, uint64_t number)
{
	return &team->pieces[number % team->ring];
}

/* The next piece, from where the last one ends up to a PSB. Under the lock. */
static struct tl_pt_psb_segment *set_next(struct tl_pt_parallel *team,
					  const struct tl_pt_flow *flow)
{
	struct tl_pt_psb_segment *piece = piece_of(team, team->claimed++);
	const uint8_t *from = NULL, *begin = flow->begin + team->begin, *end = flow->config.end;

	if (end - begin > TL_PT_SEGMENT_BYTES)
		from = tl_pt_psb_forward(begin + TL_PT_SEGMENT_BYTES, end);
	piece->is_ready = false;
	piece->begin = team->begin;
	piece->end = team->begin = from ? (uint64_t)(from - flow->begin) : UINT64_MAX;
	return piece;
}

/*
 * Nodes are dropped between two pieces only, when no list refers to them any more: before the first
 * piece that nobody has taken on yet, once the caller is done with all before it. Under the lock.
 */
static bool drop_if_scarce(struct tl_pt_parallel *team, struct tl_pt_decoder *decoder)
{
	struct tl_pt_graph *graph = &decoder->graph;

	if (team->drop_at == UINT64_MAX && tl_pt_graph_count(graph) > graph->capacity / 4 * 3)
		team->drop_at = team->claimed;
	if (team->claimed != team->drop_at)
		return true;
	if (team->consumed < team->drop_at)
		return false;
	/* Without memory the piece is given up, and the caller finds out for itself. */
	tl_pt_graph_reset(graph, decoder->code.image);
	team->drop_at = UINT64_MAX;
	return true;
}

static bool is_over(const struct tl_pt_parallel *team)
{
	return team->stopping || team->begin == UINT64_MAX;
}

/* There is room for one more segment in the ring. Under the lock. */
static bool may_claim(struct tl_pt_parallel *team, struct tl_pt_decoder *decoder)
{
	tl_pt_graph_follow(&decoder->graph);
	return !is_over(team) && team->claimed < team->consumed + team->ring &&
	       drop_if_scarce(team, decoder);
}

/*
 * Find out what time it is at the beginning of a piece. The lock is held but for winding the clock.
 */
static void wind_clock(struct tl_pt_parallel *team, struct tl_pt_psb_segment *piece,
		       uint64_t number)
{
	while (team->clocked < number)
		pthread_cond_wait(&team->ready, &team->lock);
	pthread_mutex_unlock(&team->lock);
	piece->time = team->clock.time;
	if (piece->end != UINT64_MAX)
		tl_pt_flow_clock(&team->clock, piece->end);
	pthread_mutex_lock(&team->lock);
	team->clocked++;
	pthread_cond_broadcast(&team->ready);
}

/* Claim the next segment and decode it. The lock is held except while decoding. */
static void decode_next(struct tl_pt_parallel *team, struct tl_pt_decoder *decoder)
{
	uint64_t number = team->claimed;
	struct tl_pt_psb_segment *piece;

	tl_pt_graph_follow(&decoder->graph);
	piece = set_next(team, &decoder->flow);
	if (team->has_clock)
		wind_clock(team, piece, number);
	pthread_mutex_unlock(&team->lock);
	tl_pt_segment_decode(piece, decoder, !number, team->has_clock ? &piece->time : NULL);
	pthread_mutex_lock(&team->lock);
	piece->is_ready = true;
	pthread_cond_broadcast(&team->ready);
}

static void *work(void *arg)
{
	struct tl_pt_parallel_thread *worker = arg;
	struct tl_pt_parallel *team = worker->team;

	pthread_mutex_lock(&team->lock);
	while (!is_over(team))
		if (may_claim(team, worker->decoder))
			decode_next(team, worker->decoder);
		else if (!is_over(team))
			pthread_cond_wait(&team->room, &team->lock);
	pthread_mutex_unlock(&team->lock);
	return NULL;
}

/* ---- start and stop ---- */

/* A time pre-pass is needed if the first segment has CYC packets. */
static bool make_clock(struct tl_pt_parallel *team, const struct tl_pt_flow *flow)
{
	struct tl_pt_config config = flow->config;

	config.size = sizeof(config);
	if (tl_pt_flow_open(&team->clock, &config, TL_PT_FLOW_TIMED) < 0 ||
	    tl_pt_flow_sync_set(&team->clock, team->begin) < 0)
		return false;
	tl_pt_flow_clock(&team->clock, team->begin + TL_PT_SEGMENT_BYTES);
	team->has_clock = team->clock.time.have_cyc;
	return tl_pt_flow_sync_set(&team->clock, team->begin) == 0;
}

static bool make_workers(struct tl_pt_parallel *team, struct tl_pt_decoder *decoder)
{
	struct tl_pt_config config = decoder->config;

	config.size = sizeof(config);
	for (unsigned i = 0; i < team->jobs; i++) {
		struct tl_pt_parallel_thread *worker = &team->workers[i];

		worker->team = team;
		if (tl_pt_decoder_open_on(&worker->decoder, &config, decoder->code.image,
					  decoder->graph.code) < 0)
			return false;
		worker->decoder->code.asid = decoder->code.asid;
	}
	return true;
}

static void free_team(struct tl_pt_parallel *team)
{
	for (unsigned i = 0; i < team->jobs; i++)
		tl_pt_decoder_close(team->workers[i].decoder);
	for (uint64_t i = 0; team->pieces && i < team->ring; i++)
		tl_pt_segment_free(&team->pieces[i]);
	free(team->pieces);
	pthread_mutex_destroy(&team->lock);
	pthread_cond_destroy(&team->ready);
	pthread_cond_destroy(&team->room);
	free(team);
}

static void stop(struct tl_pt_decoder *decoder)
{
	struct tl_pt_parallel *team = decoder->parallel.threads;

	if (!team)
		return;
	pthread_mutex_lock(&team->lock);
	team->stopping = true;
	pthread_cond_broadcast(&team->room);
	pthread_mutex_unlock(&team->lock);
	for (unsigned i = 0; i < team->started; i++)
		pthread_join(team->workers[i].thread, NULL);
	decoder->parallel.threads = NULL;
	decoder->parallel.node_limit = UINT32_MAX;
	decoder->graph.code->threads = 0;
	tl_pt_graph_follow(&decoder->graph);
	/* What was served from the team's lists is gone with them. */
	decoder->ahead.batch = (struct tl_pt_lookahead){ .stop = TL_PT_STOP_FULL };
	free_team(team);
}

/* Some flags make events depend on state from before the PSB: not decodable in parallel. */
static bool may_team(const struct tl_pt_decoder *decoder)
{
	const uint32_t alone = TL_PT_TICK_EVENTS | TL_PT_IFLAG_EVENTS | TL_PT_CLASSIC;
	const struct tl_pt_flow *flow = &decoder->flow;

	return decoder->parallel.jobs > 1 && !(decoder->config.flags & alone) &&
	       flow->end == decoder->config.end && flow->end - flow->psb > TL_PT_PARALLEL_LEAST;
}

static bool start(struct tl_pt_decoder *decoder)
{
	struct tl_pt_parallel *team;

	if (!may_team(decoder) || (tl_pt_graph_is_stale(&decoder->graph, decoder->code.image) &&
				   tl_pt_graph_reset(&decoder->graph, decoder->code.image) < 0))
		return false;
	team = calloc(1, sizeof(*team));
	if (!team)
		return false;
	pthread_mutex_init(&team->lock, NULL);
	pthread_cond_init(&team->ready, NULL);
	pthread_cond_init(&team->room, NULL);
	team->jobs =
		decoder->parallel.jobs < TL_PT_JOBS_MOST ? decoder->parallel.jobs : TL_PT_JOBS_MOST;
	team->ring = TL_PT_SEGMENTS_PER_THREAD * (uint64_t)team->jobs;
	team->begin = (uint64_t)(decoder->flow.psb - decoder->flow.begin);
	team->before = team->drop_at = UINT64_MAX;
	team->pieces = calloc(team->ring, sizeof(*team->pieces));
	if (!team->pieces || !make_clock(team, &decoder->flow) || !make_workers(team, decoder)) {
		free_team(team);
		return false;
	}
	decoder->parallel.threads = team;
	decoder->parallel.node_limit = 0;
	decoder->graph.code->threads = team->jobs;
	/* The last one is for the caller, who decodes when there is nothing to give. */
	while (team->started < team->jobs - 1 &&
	       !pthread_create(&team->workers[team->started].thread, NULL, work,
			       &team->workers[team->started]))
		team->started++;
	if (team->started == team->jobs - 1)
		return true;
	stop(decoder);
	return false;
}

/* ---- one stream ---- */

/*
 * The present piece, when it is done; until then others are. The last one is never released, so
 * there is one.
 */
static struct tl_pt_psb_segment *wait_for(struct tl_pt_parallel *team)
{
	struct tl_pt_decoder *decoder = team->workers[team->started].decoder;
	struct tl_pt_psb_segment *piece = piece_of(team, team->current);

	pthread_mutex_lock(&team->lock);
	while (team->claimed <= team->current || !piece->is_ready)
		if (may_claim(team, decoder))
			decode_next(team, decoder);
		else
			pthread_cond_wait(&team->ready, &team->lock);
	pthread_mutex_unlock(&team->lock);
	return piece;
}

static void release(struct tl_pt_parallel *team)
{
	pthread_mutex_lock(&team->lock);
	piece_of(team, team->current)->is_ready = false;
	team->before = piece_of(team, team->current)->begin;
	team->time_before = piece_of(team, team->current)->time;
	team->consumed = ++team->current;
	team->cut = 0;
	pthread_cond_broadcast(&team->room);
	pthread_mutex_unlock(&team->lock);
}

/* The caller sees the decoder as the worker's was when it came to this cut. */
static void show_cut(struct tl_pt_decoder *decoder, const struct tl_pt_psb_segment *piece)
{
	struct tl_pt_parallel *team = decoder->parallel.threads;
	const struct tl_pt_segment_cut *cut = &piece->cuts[team->cut];
	uint32_t first = team->cut ? cut[-1].ids : 0, first_time = team->cut ? cut[-1].times : 0;

	tl_pt_graph_follow(&decoder->graph);
	decoder->ahead.batch = (struct tl_pt_lookahead){
		.ids = piece->ids + first,
		.filled = cut->ids - first,
		.times = piece->times + first_time,
		.time_count = cut->times - first_time,
		.speculative = cut->speculative,
		.eos = cut->eos,
		.stop = cut->has_event ? TL_PT_STOP_EVENT : TL_PT_STOP_FULL,
	};
	decoder->parallel.node_limit = piece->limit;
	decoder->pos.enabled = cut->on;
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
			team->psb_state.resume_known && team->psb_state.resume_ip == cut->event.ip;
	team->cut++;
}

/* ---- back to one thread ---- */

/* Decode from a PSB on with the caller's own decoder, and drop what it has had already. */
static void catch_up(struct tl_pt_decoder *decoder, const struct tl_pt_takeover *from)
{
	struct tl_pt_lookahead *batch = &decoder->ahead.batch;
	uint64_t nodes = from->nodes, events = from->events;
	struct tl_pt_node_time given = decoder->ahead.time;

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
		take = batch->filled < nodes ? batch->filled : nodes;
		batch->at = (uint32_t)take;
		nodes -= take;
		if (batch->at == batch->filled && decoder->events.pending && events) {
			events--;
			decoder->events.pending = false;
		}
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
static void leave_at_joint(struct tl_pt_decoder *decoder)
{
	const struct tl_pt_parallel *team = decoder->parallel.threads;
	struct tl_pt_psb_state psb_state = team->psb_state;
	struct tl_pt_takeover from = { .begin = team->before,
				       .first = team->current == 1,
				       .end = piece_of(team, team->current)->begin,
				       .has_time = team->has_clock,
				       .time = team->time_before,
				       .nodes = UINT64_MAX,
				       .events = UINT64_MAX };

	stop(decoder);
	catch_up(decoder, &from);
	decoder->pos.resume_known = psb_state.resume_known;
	decoder->pos.resume_ip = psb_state.resume_ip;
	decoder->ahead.batch = (struct tl_pt_lookahead){ .stop = TL_PT_STOP_FULL };
}

static void leave(struct tl_pt_decoder *decoder)
{
	const struct tl_pt_parallel *team = decoder->parallel.threads;
	const struct tl_pt_psb_segment *piece = piece_of(team, team->current);
	struct tl_pt_takeover from = { .begin = piece->begin,
				       .first = !team->current,
				       .end = UINT64_MAX,
				       .has_time = team->has_clock,
				       .time = piece->time,
				       .resume_known = team->psb_state.resume_known,
				       .resume_ip = team->psb_state.resume_ip };

	for (size_t i = 0; i < team->cut; i++)
		from.events += piece->cuts[i].has_event;
	from.events -= decoder->events.pending;
	decoder->ahead.time = *tl_pt_time_now(decoder);
	if (team->cut)
		from.nodes = piece->cuts[team->cut - 1].ids - decoder->ahead.batch.filled +
			     decoder->ahead.batch.at;
	stop(decoder);
	catch_up(decoder, &from);
}

/* ---- the caller's side ---- */

static void show_end(struct tl_pt_decoder *decoder, const struct tl_pt_psb_segment *piece)
{
	decoder->ahead.batch = (struct tl_pt_lookahead){ .stop = TL_PT_STOP_ERROR };
	decoder->eos = true;
	decoder->failure.error = piece->error;
	decoder->failure.offset = piece->error_offset;
}

static void next_piece(struct tl_pt_decoder *decoder, const struct tl_pt_psb_segment *piece)
{
	struct tl_pt_psb_state *psb_state = &decoder->parallel.threads->psb_state,
			       before = *psb_state;

	*psb_state = piece->end_state;
	if (piece->inherits) {
		psb_state->resume_known = before.resume_known;
		psb_state->resume_ip = before.resume_ip;
	}
	decoder->ahead.batch = (struct tl_pt_lookahead){ .stop = TL_PT_STOP_FULL };
	release(decoder->parallel.threads);
}

static void fill(struct tl_pt_decoder *decoder)
{
	struct tl_pt_parallel *team = decoder->parallel.threads;
	const struct tl_pt_psb_segment *piece;

	decoder->ahead.batch.at = decoder->ahead.batch.filled = decoder->ahead.batch.plain =
		decoder->ahead.batch.time_count = 0;
	if (decoder->events.pending)
		return;
	piece = wait_for(team);
	if (!team->cut && team->current && !tl_pt_segment_follows(&team->psb_state, piece))
		leave_at_joint(decoder);
	else if (team->cut < piece->cut_count)
		show_cut(decoder, piece);
	else if (!piece->whole)
		leave(decoder);
	else if (piece->end == UINT64_MAX)
		show_end(decoder, piece);
	else
		next_piece(decoder, piece);
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
	decoder->parallel.jobs = jobs < TL_PT_JOBS_MOST ? jobs : TL_PT_JOBS_MOST;
	decoder->synced = false;
	return 0;
}
