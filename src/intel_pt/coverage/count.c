/* SPDX-License-Identifier: Apache-2.0 */
/* One pass over the slices of a feed: a count for each node executed, and where its branch led. */
#include "core/error.h"
#include "intel_pt/blocks/unsized.h"
#include "intel_pt/coverage/coverage.h"

enum { BATCH_NODES = 1 << 15, BATCH_TIMESTAMPS = 1 << 12, PASSED_BYTES = 2 << 20 };

/* ---- nodes ---- */

/* The last instruction of `counter` led to `ip`. */
static inline void leave(struct tl_pt_counting *c, struct tl_pt_counter *counter, uint64_t ip)
{
	switch (counter->kind) {
	case TL_BRANCH_NONE:
		return;
	case TL_BRANCH_CONDITIONAL:
		if (ip == counter->after)
			counter->falls++;
		else
			counter->taken++;
		return;
	default:
		if (counter->target != ip)
			tl_pt_counter_retarget(c, counter, ip);
		counter->taken++;
	}
}

static void leave_last(struct tl_pt_counting *c, uint64_t ip)
{
	if (c->last != TL_NONE && !c->closed)
		leave(c, &c->now->list[c->last], ip);
	c->last = TL_NONE;
}

static bool count_nodes(struct tl_pt_counting *c, const uint32_t *nodes, size_t count)
{
	struct tl_pt_counters *k = c->now;

	for (size_t i = 0; i < count; i++) {
		uint32_t node = nodes[i];

		if ((node >= k->count || !k->list[node].touched) && !tl_pt_counter_meet(c, node))
			return false;
		leave_last(c, k->list[node].ip);
		k->list[node].count += !c->closed;
		c->last = node;
	}
	return true;
}

static bool is_outside(const struct tl_pt_coverage_options *o, uint64_t ticks)
{
	return ticks < o->from_ticks || (o->to_ticks && ticks >= o->to_ticks);
}

/* The window opens and closes at the timestamps of a batch. */
static bool count_batch(struct tl_pt_counting *c, const struct tl_pt_node_batch *batch)
{
	size_t at = 0;

	for (size_t i = 0; i < batch->timestamp_count; i++) {
		if (!count_nodes(c, batch->nodes + at, batch->timestamps[i].index - at))
			return false;
		at = batch->timestamps[i].index;
		c->closed = is_outside(c->options, batch->timestamps[i].tsc);
	}
	return count_nodes(c, batch->nodes + at, batch->count - at);
}

/* The decoder numbers its nodes anew: what was counted at the old numbers is added up. */
static void change_epoch(struct tl_pt_counting *c, const struct tl_pt_node_batch *batch)
{
	const struct tl_pt_block *first =
		batch->count ? tl_pt_decoder_node_block(c->decoder, batch->nodes[0]) : NULL;

	if (first)
		leave_last(c, first->ip);
	c->last = TL_NONE;
	tl_pt_counters_add_up(c);
	tl_pt_counters_free(c->now);
	c->now->epoch = batch->epoch;
}

/* ---- events ---- */

static int take_event(struct tl_pt_counting *c, const struct tl_pt_trace_slice *slice,
		      const struct tl_pt_event *event, struct tl_error *err)
{
	switch (event->kind) {
	case TL_PT_EV_ASYNC_DISABLED:
		leave_last(c, event->ip);
		return 0;
	case TL_PT_EV_ASYNC_BRANCH:
		leave_last(c, event->ip);
		if (!c->closed)
			tl_pt_count_async(c, event->ip, event->branch.to);
		return 0;
	case TL_PT_EV_DISABLED:
	case TL_PT_EV_ENABLED:
	case TL_PT_EV_OVERFLOW:
		c->last = TL_NONE;
		return 0;
	case TL_PT_EV_LOST:
		c->last = TL_NONE;
		if (c->options->strict)
			return tl_pt_fault(err, event->lost.why, slice->base + event->lost.from);
		if (tl_pt_fault_add_event(c->faults, c->feed, slice, event))
			return 0;
		return tl_error_memory(err);
	default:
		return 0;
	}
}

static int take_events(struct tl_pt_counting *c, const struct tl_pt_trace_slice *slice,
		       int *pending, struct tl_error *err)
{
	struct tl_pt_event event;
	int status = 0;

	while (status == 0 && *pending >= 0 && (*pending & TL_PT_EVENT_PENDING)) {
		*pending = tl_pt_next_event(c->decoder, &event);
		if (*pending >= 0)
			status = take_event(c, slice, &event, err);
	}
	return status;
}

/* ---- slices ---- */

static void give_back(const struct tl_pt_counting *c, uint64_t *given_back)
{
	uint64_t offset;

	if (c->feed->passed && tl_pt_decoder_offset(c->decoder, &offset) == 0 &&
	    offset >= *given_back + PASSED_BYTES) {
		c->feed->passed(c->feed->arg, offset);
		*given_back = offset;
	}
}

static bool is_over(int status)
{
	return status < 0 || ((status & TL_PT_END_OF_STREAM) && !(status & TL_PT_EVENT_PENDING));
}

/* Room for one batch. */
struct room {
	uint32_t nodes[BATCH_NODES];
	struct tl_pt_timestamp timestamps[BATCH_TIMESTAMPS];
};

static int count_decoder(struct tl_pt_counting *c, const struct tl_pt_trace_slice *slice,
			 struct room *room, int status, struct tl_error *err)
{
	const bool timed = c->options->from_ticks || c->options->to_ticks;
	uint64_t given_back = slice->from;
	int result = 0;

	while (result == 0 && status >= 0) {
		struct tl_pt_node_batch batch = { .nodes = room->nodes, .max = BATCH_NODES };

		if (timed) {
			batch.timestamps = room->timestamps;
			batch.max_timestamps = BATCH_TIMESTAMPS;
		}
		result = take_events(c, slice, &status, err);
		if (result < 0 || status < 0)
			break;
		status = tl_pt_next_nodes(c->decoder, &batch);
		if (status < 0)
			break;
		if (batch.epoch != c->now->epoch)
			change_epoch(c, &batch);
		if (!count_batch(c, &batch) || c->no_memory)
			return tl_error_memory(err);
		status = batch.status;
		give_back(c, &given_back);
		if (is_over(status))
			break;
	}
	if (result == 0 && status < 0 && status != -TL_PT_EOS)
		result = tl_pt_fault(err, (enum tl_pt_error) - status, TL_NOWHERE);
	return result;
}

static bool find_stream(struct tl_pt_counting *c, const struct tl_pt_trace_slice *slice)
{
	if (!tl_grow(&c->streams, &c->stream_room, (size_t)slice->stream + 1, sizeof(*c->streams)))
		return false;
	for (; c->stream_count <= slice->stream; c->stream_count++)
		c->streams[c->stream_count] = (struct tl_pt_counters){ .list = NULL };
	c->now = &c->streams[slice->stream];
	if (!slice->continues)
		tl_pt_counters_free(c->now);
	return true;
}

static bool is_chosen(const struct tl_pt_coverage_options *o, const struct tl_pt_trace_slice *slice)
{
	return !slice->foreign && (o->thread == TL_NOWHERE || o->thread == slice->thread) &&
	       (o->process == TL_NOWHERE || o->process == slice->process) &&
	       (o->cpu == TL_NOWHERE || o->cpu == slice->cpu);
}

static int count_slice(struct tl_pt_counting *c, const struct tl_pt_trace_slice *slice,
		       struct room *room, struct tl_error *err)
{
	int synced = tl_pt_decoders_open(&c->decoders, slice, TL_PT_SALVAGE | TL_PT_END_ON_CALL,
					 &c->decoder);
	int status = 0;

	if (!c->decoder)
		return tl_pt_fault(err, (enum tl_pt_error) - synced, TL_NOWHERE);
	if (!find_stream(c, slice))
		return tl_error_memory(err);
	c->map.object = TL_NONE;
	c->last = TL_NONE;
	c->closed = c->options->from_ticks > 0;
	if (is_chosen(c->options, slice))
		status = count_decoder(c, slice, room, synced, err);
	else if (tl_pt_pass_over(c->decoder, synced) < 0)
		status = tl_error_memory(err);
	tl_pt_counters_add_up(c);
	if (tl_pt_decoders_done(&c->decoders, slice))
		tl_pt_counters_free(c->now);
	if (status == 0 && c->no_memory)
		return tl_error_memory(err);
	return status;
}

static int count_slices(struct tl_pt_counting *c, struct room *room, struct tl_error *err)
{
	struct tl_pt_trace_slice slice;
	int status;

	while ((status = c->feed->next(c->feed->arg, &slice, err)) == 1) {
		status = count_slice(c, &slice, room, err);
		if (status < 0)
			break;
	}
	return status;
}

int tl_pt_coverage(const struct tl_pt_feed *feed, const struct tl_pt_coverage_options *options,
		   struct tl_pt_faults *faults, struct tl_coverage *coverage, struct tl_error *err)
{
	struct tl_pt_counting c = {
		.feed = feed, .options = options, .faults = faults, .coverage = coverage
	};
	struct room *room = malloc(sizeof(*room));
	int status;

	c.decoders.jobs = options->jobs;
	feed->rewind(feed->arg);
	status = room ? count_slices(&c, room, err) : tl_error_memory(err);
	tl_pt_decoders_close(&c.decoders);
	for (size_t i = 0; i < c.stream_count; i++)
		tl_pt_counters_free(&c.streams[i]);
	free(c.streams);
	free(room);
	return status;
}
