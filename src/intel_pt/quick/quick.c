/* SPDX-License-Identifier: Apache-2.0 */
#include "core/error.h"
#include "intel_pt/blocks/unsized.h"
#include "intel_pt/flow/flow.h"
#include "intel_pt/profile/functions.h"
#include "intel_pt/quick/quick.h"
#include "profile/model/model.h"

enum { TARGETS, TAKEN, NOT_TAKEN, EVENTS };
enum { STREAMS_MOST = 1 << 20, PASSED_BYTES = 2 << 20 };

/* What stands behind an address of an address space, in one thread. */
struct place {
	uint64_t ip; /* 0: none is known */
	struct tl_pt_asid asid;
	uint32_t part, function;
	int64_t costs[EVENTS];
};

/* A buffer: its flow goes on from slice to slice. */
struct stream {
	struct tl_pt_flow flow;
	struct tl_pt_flow_item item; /* of a later slice, if it waits */
	bool open, waits;
	uint32_t place;   /* the last one, TL_NONE: none is known */
	uint64_t left_to; /* where a virtual machine was left to, 0: nowhere yet */
};

struct quick {
	const struct tl_pt_feed *feed;
	const struct tl_pt_fold_options *options;
	struct tl_pt_faults *faults;
	struct tl_pt_functions functions;
	struct stream *streams;
	size_t stream_count, stream_room;
	struct place *places;
	size_t place_count, place_room;
	struct tl_index by_ip;
	struct tl_part *parts;
	size_t part_count, part_room;
	/* the present slice */
	const struct tl_pt_trace_slice *slice;
	struct stream *stream;
	uint32_t part;
	bool chosen;
};

/* ---- places ---- */

static bool same_place(const void *context, const void *key, uint32_t number)
{
	const struct place *have = (const struct place *)context + number, *wanted = key;

	return have->ip == wanted->ip && have->part == wanted->part &&
	       have->asid.cr3 == wanted->asid.cr3 && have->asid.vmcs == wanted->asid.vmcs;
}

static uint32_t function_of(struct quick *q, uint64_t ip)
{
	static const struct tl_pt_function none = { .name = "(no address)",
						    .object = "",
						    .file = "" };

	if (ip)
		return tl_pt_functions_called(&q->functions, ip);
	if (!tl_grow(&q->functions.list, &q->functions.capacity, q->functions.count + 1,
		     sizeof(none)))
		return TL_NONE;
	q->functions.list[q->functions.count] = none;
	return (uint32_t)q->functions.count++;
}

/* TL_NONE: no memory. */
static uint32_t place_of(struct quick *q, uint64_t ip)
{
	struct place place = { .ip = ip, .asid = q->slice->asid, .part = q->part };
	const uint64_t hash =
		tl_hash_pair(ip, tl_hash_pair(place.asid.cr3 + place.part, place.asid.vmcs));
	uint32_t number = tl_index_find(&q->by_ip, hash, same_place, q->places, &place);

	if (number != TL_NONE)
		return number;
	place.function = function_of(q, ip);
	if (place.function == TL_NONE ||
	    !tl_grow(&q->places, &q->place_room, q->place_count + 1, sizeof(place)) ||
	    !tl_index_add(&q->by_ip, hash, (uint32_t)q->place_count))
		return TL_NONE;
	q->places[q->place_count] = place;
	return (uint32_t)q->place_count++;
}

/* ---- items ---- */

/* Flow is at `ip` now; whether a packet said so as the target of a branch. */
static bool arrive(struct quick *q, uint64_t ip, bool is_target)
{
	q->stream->place = place_of(q, ip);
	if (q->stream->place == TL_NONE)
		return false;
	q->places[q->stream->place].costs[TARGETS] += is_target;
	return true;
}

static bool take_outcomes(struct quick *q, const struct tl_pt_flow_item *item)
{
	const uint64_t bits =
		item->count < 64 ? item->bits & ((UINT64_C(1) << item->count) - 1) : item->bits;
	const int taken = __builtin_popcountll(bits);
	struct place *place;

	if (q->stream->place == TL_NONE && !arrive(q, 0, false))
		return false;
	place = &q->places[q->stream->place];
	place->costs[TAKEN] += taken;
	place->costs[NOT_TAKEN] += (int)item->count - taken;
	return true;
}

/* The last packet of a virtual machine's slice leads back to its host, whose slice is next. */
static bool leaves_guest(const struct quick *q)
{
	return q->slice->guest && tl_pt_flow_offset(&q->stream->flow) >= q->slice->to;
}

static bool take_event(struct quick *q, const struct tl_pt_flow_item *item)
{
	const struct tl_pt_event *event = &item->event;
	uint64_t ip;
	bool on;

	if (event->kind == TL_PT_EV_ASYNC_BRANCH && leaves_guest(q)) {
		q->stream->left_to = event->branch.to;
		q->stream->place = TL_NONE;
		return true;
	}
	if (event->kind == TL_PT_EV_ASYNC_BRANCH)
		return arrive(q, event->branch.to, true);
	if (!tl_pt_gives_ip(&q->stream->flow, item, &on, &ip))
		return true;
	if (on && ip)
		return arrive(q, ip, event->kind == TL_PT_EV_ENABLED && !event->status_update);
	q->stream->place = TL_NONE;
	return true;
}

static bool take_item(struct quick *q, const struct tl_pt_flow_item *item)
{
	switch (item->kind) {
	case TL_PT_FLOW_ITEM_TNT:
		return take_outcomes(q, item);
	case TL_PT_FLOW_ITEM_TIP:
		if (!item->suppressed)
			return arrive(q, item->ip, true);
		q->stream->place = TL_NONE;
		return true;
	case TL_PT_FLOW_ITEM_EVENT:
		return take_event(q, item);
	default:
		return true;
	}
}

/* Behind an error: what is lost is noted, and the flow goes on. 1: it does; 0: at the end. */
static int go_on(struct quick *q, struct tl_error *err)
{
	struct tl_pt_event lost;
	int status = tl_pt_flow_resync(&q->stream->flow, &lost);

	q->stream->place = TL_NONE;
	if (q->options->strict)
		return tl_pt_fault(err, lost.lost.why, q->slice->base + lost.lost.from);
	if (!tl_pt_fault_add_event(q->faults, q->feed, q->slice, &lost))
		return tl_error_memory(err);
	return status == 0;
}

/* ---- slices ---- */

static bool in_window(const struct quick *q)
{
	const struct tl_pt_fold_options *o = q->options;
	uint32_t lost_mtc, lost_cyc;
	uint64_t tsc;

	if (!o->from_ticks && !o->to_ticks)
		return true;
	if (tl_pt_flow_time(&q->stream->flow, &tsc, &lost_mtc, &lost_cyc) < 0)
		return false;
	return tsc >= o->from_ticks && (!o->to_ticks || tsc < o->to_ticks);
}

static int quick_items(struct quick *q, struct tl_error *err)
{
	struct stream *s = q->stream;
	uint64_t given_back = q->slice->from;
	int status = 1;

	if (s->left_to && q->chosen && !arrive(q, s->left_to, true))
		return tl_error_memory(err);
	s->left_to = 0;
	while (status > 0) {
		if (!s->waits)
			tl_pt_flow_next(&s->flow, &s->item);
		s->waits = true;
		if (s->item.kind == TL_PT_FLOW_ITEM_END || s->item.offset >= q->slice->to)
			return 0;
		s->waits = false;
		if (s->item.kind == TL_PT_FLOW_ITEM_ERROR)
			status = go_on(q, err);
		else if (q->chosen && s->item.offset >= q->slice->from && in_window(q) &&
			 !take_item(q, &s->item))
			return tl_error_memory(err);
		if (q->feed->passed && s->item.offset > given_back + PASSED_BYTES) {
			given_back = s->item.offset;
			q->feed->passed(q->feed->arg, given_back);
		}
	}
	return status;
}

/* The flow of the slice's stream, at its beginning. 1; 0: it has nothing to tell; negative. */
static int open_stream(struct quick *q, struct tl_error *err)
{
	const struct tl_pt_trace_slice *slice = q->slice;
	int status;

	if (slice->stream >= STREAMS_MOST)
		return tl_error_at(err, TL_TOO_LARGE, TL_NOWHERE, "too many buffers");
	if (!tl_grow(&q->streams, &q->stream_room, (size_t)slice->stream + 1, sizeof(*q->streams)))
		return tl_error_memory(err);
	for (; q->stream_count <= slice->stream; q->stream_count++)
		q->streams[q->stream_count].open = false;
	q->stream = &q->streams[slice->stream];
	q->stream->place = TL_NONE;
	if (slice->continues && q->stream->open)
		return 1;
	q->stream->waits = false;
	q->stream->left_to = 0;
	q->stream->open = false;
	status = tl_pt_flow_open(&q->stream->flow, &slice->config, TL_PT_FLOW_CLASSIC);
	if (status == 0) {
		status = tl_pt_flow_sync_forward(&q->stream->flow);
		if (status == -TL_PT_EOS)
			return 0;
	}
	if (status < 0)
		return tl_pt_fault(err, (enum tl_pt_error) - status, TL_NOWHERE);
	q->stream->open = true;
	return 1;
}

/* The part of the slice's thread. */
static int find_part(struct quick *q, struct tl_error *err)
{
	const struct tl_pt_trace_slice *slice = q->slice;
	struct tl_part part = { .process = slice->process, .thread = slice->thread, .header = "" };

	for (q->part = 0; q->part < q->part_count; q->part++)
		if (q->parts[q->part].process == slice->process &&
		    q->parts[q->part].thread == slice->thread)
			return 0;
	part.command = tl_names_text(&q->functions.names, slice->command);
	if (!part.command || !tl_grow(&q->parts, &q->part_room, q->part_count + 1, sizeof(part)))
		return tl_error_memory(err);
	q->parts[q->part_count++] = part;
	return 0;
}

static int quick_slice(struct quick *q, struct tl_error *err)
{
	const struct tl_pt_fold_options *o = q->options;
	int status;

	q->chosen = !q->slice->foreign &&
		    (o->thread == TL_NOWHERE || o->thread == q->slice->thread) &&
		    (o->process == TL_NOWHERE || o->process == q->slice->process) &&
		    (o->cpu == TL_NOWHERE || o->cpu == q->slice->cpu);
	status = q->chosen ? find_part(q, err) : 0;
	if (status == 0)
		status = open_stream(q, err);
	if (status > 0)
		status = quick_items(q, err);
	if (status == 0 && q->functions.no_memory)
		status = tl_error_memory(err);
	return status;
}

/* ---- the profile ---- */

static int put_places(const struct quick *q, struct tl_profile *profile, const uint32_t *numbers,
		      struct tl_error *err)
{
	int status = 0;

	for (size_t i = 0; status == 0 && i < q->part_count; i++) {
		int64_t part = tl_profile_add_part(profile, &q->parts[i], sizeof(q->parts[i]), err);

		if (part < 0)
			return (int)part;
	}
	for (size_t i = 0; status == 0 && i < q->place_count; i++) {
		const struct place *place = &q->places[i];
		const struct tl_cost_line line = {
			.function = numbers[place->function],
			.part = place->part,
			.at = { .file = "", .address = place->ip },
		};

		status = tl_profile_add_line(profile, &line, sizeof(line), place->costs, err);
	}
	return status;
}

static int make_profile(const struct quick *q, struct tl_profile **profile, struct tl_error *err)
{
	static const struct tl_event events[EVENTS] = {
		{ "Targets", "Addresses that TIP packets lead to", "", "" },
		{ "Taken", "Conditional branches taken, by the address known last", "", "" },
		{ "NotTaken", "Conditional branches not taken, by the address known last", "", "" },
	};
	uint32_t *numbers = malloc((q->functions.count + 1) * sizeof(*numbers));
	int status = numbers ? tl_profile_make(profile, "intel-pt", events, EVENTS, 0, err)
			     : tl_error_memory(err);

	if (status == 0) {
		tl_profile_set_call_count(*profile, TL_CALLS_NONE);
		status = tl_pt_functions_put(&q->functions, *profile, numbers, err);
	}
	if (status == 0)
		status = put_places(q, *profile, numbers, err);
	if (status == 0)
		status = tl_profile_finish(*profile, err);
	free(numbers);
	return status;
}

static int quick_slices(struct quick *q, struct tl_error *err)
{
	struct tl_pt_trace_slice slice;
	int status = 0;

	q->feed->rewind(q->feed->arg);
	while (status == 0 && (status = q->feed->next(q->feed->arg, &slice, err)) == 1) {
		q->slice = &slice;
		status = quick_slice(q, err);
	}
	return status;
}

int tl_pt_quick(const struct tl_pt_feed *feed, const struct tl_pt_fold_options *options,
		struct tl_pt_faults *faults, struct tl_profile **profile, struct tl_error *err)
{
	struct quick q = { .feed = feed, .options = options, .faults = faults };
	int status;

	*profile = NULL;
	tl_pt_functions_begin(&q.functions, feed);
	status = quick_slices(&q, err);
	if (status == 0 && !tl_pt_functions_damage(&q.functions, faults))
		status = tl_error_memory(err);
	if (status == 0)
		status = make_profile(&q, profile, err);
	if (status < 0) {
		tl_profile_free(*profile);
		*profile = NULL;
	}
	tl_pt_functions_end(&q.functions);
	tl_index_free(&q.by_ip);
	free(q.places);
	free(q.streams);
	free(q.parts);
	return status;
}
