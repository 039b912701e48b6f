/* SPDX-License-Identifier: Apache-2.0 */
/* One segment of a trace, decoded into lists. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "intel_pt/parallel/parallel.h"

void tl_pt_segment_free(struct tl_pt_psb_segment *segment)
{
	free(segment->lists.ids);
	free(segment->lists.loud.insns);
	free(segment->lists.loud.before);
	free(segment->lists.times);
	free(segment->lists.cuts);
}

static bool same_asid(const struct tl_pt_psb_state *before, const struct tl_pt_psb_state *behind)
{
	return (behind->has_paging || before->asid.cr3 == behind->asid.cr3) &&
	       (behind->has_vmcs || before->asid.vmcs == behind->asid.vmcs);
}

/*
 * Both clocks give the same time for all packets from here on. The rate of cycles is compared apart
 * (same_cycles()): it has no effect where no CYC packets come.
 */
static bool same_time(const struct tl_pt_clock *a, const struct tl_pt_clock *b)
{
	return a->tsc == b->tsc && a->base == b->base && a->fc == b->fc && a->ctc == b->ctc &&
	       a->ctc_cyc == b->ctc_cyc && a->lost_mtc == b->lost_mtc &&
	       a->lost_cyc == b->lost_cyc && a->cbr == b->cbr && a->have_tsc == b->have_tsc &&
	       a->have_cbr == b->have_cbr && a->have_tma == b->have_tma &&
	       a->have_mtc == b->have_mtc;
}

static bool same_cycles(const struct tl_pt_clock *a, const struct tl_pt_clock *b)
{
	const struct tl_pt_cycle_rate *c = &a->cycles, *d = &b->cycles;

	return a->have_cyc == b->have_cyc && a->count == b->count && c->fcr == d->fcr &&
	       c->have_fcr == d->have_fcr && c->cyc - c->at_mtc == d->cyc - d->at_mtc &&
	       c->cyc - c->at_tsc == d->cyc - d->at_tsc && c->tsc == d->tsc && c->ctc == d->ctc &&
	       c->have_mtc == d->have_mtc && c->check == d->check;
}

bool tl_pt_segment_follows(const struct tl_pt_psb_state *before,
			   const struct tl_pt_psb_segment *segment)
{
	const struct tl_pt_psb_state *behind = &segment->begin_state;

	if (!before->clean || before->on != behind->on || (before->on && before->ip != behind->ip))
		return false;
	if (before->mode != behind->mode && (before->on || !behind->has_mode))
		return false;
	if (before->speculative != behind->speculative && !behind->has_tsx)
		return false;
	if ((before->time.have_cyc || segment->has_cyc) &&
	    !same_cycles(&before->time, &behind->time))
		return false;
	return same_asid(before, behind) && same_time(&before->time, &behind->time);
}

/* Room for a batch of nodes, which are decoded into the decoder's own array and copied here. */
static bool make_room(struct tl_pt_psb_segment *segment, bool loud)
{
	struct tl_pt_segment_lists *lists = &segment->lists;
	const size_t want = lists->id_count + TL_PT_LOOKAHEAD_NODES;

	return tl_grow(&lists->ids, &lists->id_capacity, want, sizeof(*lists->ids)) &&
	       (!loud || tl_grow(&lists->loud.insns, &lists->insns_capacity, want,
				 sizeof(*lists->loud.insns))) &&
	       (!loud || tl_grow(&lists->loud.before, &lists->before_capacity, want,
				 sizeof(*lists->loud.before))) &&
	       tl_grow(&segment->lists.times, &segment->lists.time_capacity,
		       segment->lists.time_count + TL_PT_LOOKAHEAD_NODES,
		       sizeof(*segment->lists.times)) &&
	       tl_grow(&segment->lists.cuts, &segment->lists.cut_capacity,
		       segment->lists.cut_count + 1, sizeof(*segment->lists.cuts));
}

/*
 * The indices of a batch's timestamps count from the beginning of its cut. Where the batch is
 * `appended` to a cut, its first timestamp repeats the last one of the cut and is dropped.
 */
static void take_times(struct tl_pt_psb_segment *segment, uint32_t count, uint32_t base,
		       bool appended)
{
	struct tl_pt_node_time *times = &segment->lists.times[segment->lists.time_count];

	for (uint32_t i = 0; i < count; i++)
		times[i].index += base;
	if (appended && count && times[0].index == base)
		memmove(times, times + 1, --count * sizeof(*times));
	segment->lists.time_count += count;
}

/* Whether a batch belongs to the last cut: the caller's status does not change between them. */
static bool belongs_to_last(const struct tl_pt_psb_segment *segment,
			    const struct tl_pt_decoder *decoder, bool eos)
{
	const struct tl_pt_segment_cut *last =
		segment->lists.cut_count ? &segment->lists.cuts[segment->lists.cut_count - 1]
					 : NULL;

	return last && !last->has_event && last->speculative == decoder->making.speculative &&
	       last->eos == eos;
}

static void take_nodes(struct tl_pt_psb_segment *segment, const struct tl_pt_decoder *decoder,
		       uint32_t count)
{
	struct tl_pt_segment_lists *lists = &segment->lists;
	const uint32_t *insns = decoder->ahead.nodes + TL_PT_LOOKAHEAD_NODES;
	const uint32_t *before = insns + TL_PT_LOOKAHEAD_NODES;

	memcpy(lists->ids + lists->id_count, decoder->ahead.nodes, count * sizeof(*lists->ids));
	if (decoder->passing.on) {
		memcpy(lists->loud.insns + lists->id_count, insns, count * sizeof(*insns));
		memcpy(lists->loud.before + lists->id_count, before, count * sizeof(*before));
	}
	lists->id_count += count;
}

static void add_cut(struct tl_pt_psb_segment *segment, struct tl_pt_decoder *decoder,
		    uint32_t nodes, bool eos)
{
	bool appended = belongs_to_last(segment, decoder, eos);
	size_t index = segment->lists.cut_count - appended;
	struct tl_pt_segment_cut *cut = &segment->lists.cuts[index];
	uint32_t first = index ? cut[-1].ids : 0;

	take_times(segment, decoder->making.times.count, (uint32_t)segment->lists.id_count - first,
		   appended);
	take_nodes(segment, decoder, nodes);
	*cut = (struct tl_pt_segment_cut){
		.ids = (uint32_t)segment->lists.id_count,
		.times = (uint32_t)segment->lists.time_count,
		.passed = decoder->passing.so_far,
		.speculative = decoder->making.speculative,
		.eos = eos,
		.eos_behind = decoder->eos,
		.on = tl_pt_is_enabled(decoder),
		.was_on = decoder->events.was_enabled,
		.has_event = decoder->events.pending,
		.inherited = decoder->events.pending && decoder->bounds.inherited,
		.event = decoder->events.next,
		.offset = tl_pt_flow_offset(&decoder->flow),
		.asid = decoder->graph.asid,
		.cbr = decoder->flow.time.cbr,
		.have_cbr = decoder->flow.time.have_cbr,
	};
	segment->lists.cut_count += !appended;
	decoder->events.pending = false;
}

/* False: the segment has ended, or is given up. */
static bool decode_batch(struct tl_pt_psb_segment *segment, struct tl_pt_decoder *decoder)
{
	uint32_t *begin = decoder->ahead.nodes;
	struct tl_pt_out out = { begin, begin + TL_PT_LOOKAHEAD_NODES };
	const uint64_t passed = decoder->passing.so_far.nodes;
	bool eos = decoder->eos;
	enum tl_pt_stop stop;

	if (segment->lists.id_count > TL_PT_SEGMENT_NODES ||
	    !make_room(segment, decoder->passing.on))
		return false;
	decoder->making.times =
		(struct tl_pt_node_times){ .list = segment->lists.times + segment->lists.time_count,
					   .most = TL_PT_LOOKAHEAD_NODES };
	stop = tl_pt_advance(decoder, &out);
	/* What a decoder without memory found last is not what the code says. */
	if (stop == TL_PT_STOP_ERROR && decoder->failure.error == TL_PT_NOMEM)
		return false;
	/* Nodes are never dropped inside a segment. */
	if (out.pos == begin && stop == TL_PT_STOP_FULL &&
	    (decoder->graph.full || tl_pt_graph_is_stale(&decoder->graph, decoder->code.image)))
		return false;
	if (out.pos != begin || decoder->events.pending || eos != decoder->eos ||
	    passed != decoder->passing.so_far.nodes)
		add_cut(segment, decoder, (uint32_t)(out.pos - begin), eos);
	segment->whole = stop == TL_PT_STOP_ERROR && decoder->failure.error == TL_PT_EOS &&
			 (decoder->bounds.at_end || segment->end == UINT64_MAX);
	return stop != TL_PT_STOP_ERROR || tl_pt_may_salvage(decoder);
}

void tl_pt_assume_mode(struct tl_pt_decoder *decoder)
{
	decoder->flow.mode.now = TL_PT_MODE_64;
	tl_pt_graph_switch(&decoder->graph, &decoder->graph.asid, TL_PT_MODE_64);
}

void tl_pt_segment_decode(struct tl_pt_psb_segment *segment, struct tl_pt_decoder *decoder,
			  bool first, const struct tl_pt_clock *time)
{
	int status = tl_pt_flow_sync_set(&decoder->flow, segment->begin);

	segment->lists.id_count = segment->lists.time_count = segment->lists.cut_count = 0;
	segment->whole = false;
	if (status < 0)
		return;
	tl_pt_decoder_restart(decoder);
	decoder->passing.so_far = (struct tl_pt_passed_nodes){ .nodes = 0 };
	if (time)
		decoder->flow.time = *time;
	decoder->bounds.joining = decoder->bounds.inherits = !first;
	decoder->bounds.end = segment->end;
	if (!first)
		tl_pt_assume_mode(decoder);
	decoder->bounds.pinned = true;
	while (decode_batch(segment, decoder))
		;
	segment->inherits = decoder->bounds.inherits;
	segment->has_cyc = decoder->flow.time.have_cyc;
	segment->begin_state = decoder->bounds.begin_state;
	segment->end_state = decoder->bounds.end_state;
	segment->failure = decoder->failure;
	segment->node_limit = tl_pt_graph_count(&decoder->graph);
}
