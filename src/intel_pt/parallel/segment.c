/* SPDX-License-Identifier: Apache-2.0 */
/* One segment of a trace, decoded into lists. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "intel_pt/parallel/parallel.h"

void tl_pt_segment_free(struct tl_pt_psb_segment *piece)
{
	free(piece->ids);
	free(piece->times);
	free(piece->cuts);
}

static bool same_asid(const struct tl_pt_psb_state *before, const struct tl_pt_psb_state *behind)
{
	return (behind->has_paging || before->asid.cr3 == behind->asid.cr3) &&
	       (behind->has_vmcs || before->asid.vmcs == behind->asid.vmcs);
}

/*
 * The clocks tell the same from here on; what cycles are worth is another matter if none are
 * counted.
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
			   const struct tl_pt_psb_segment *piece)
{
	const struct tl_pt_psb_state *behind = &piece->begin_state;

	if (!before->clean || before->on != behind->on || (before->on && before->ip != behind->ip))
		return false;
	if (before->mode != behind->mode && (before->on || !behind->has_mode))
		return false;
	if (before->speculative != behind->speculative && !behind->has_tsx)
		return false;
	if ((before->time.have_cyc || piece->has_cyc) && !same_cycles(&before->time, &behind->time))
		return false;
	return same_asid(before, behind) && same_time(&before->time, &behind->time);
}

static bool make_room(struct tl_pt_psb_segment *piece)
{
	return tl_grow(&piece->ids, &piece->id_room, piece->id_count + TL_PT_LOOKAHEAD_NODES,
		       sizeof(*piece->ids)) &&
	       tl_grow(&piece->times, &piece->time_room, piece->time_count + TL_PT_LOOKAHEAD_NODES,
		       sizeof(*piece->times)) &&
	       tl_grow(&piece->cuts, &piece->cut_room, piece->cut_count + 1, sizeof(*piece->cuts));
}

/*
 * The moments of a run count from the beginning of its cut; a run that goes on in one begins with
 * nothing new.
 */
static void take_times(struct tl_pt_psb_segment *piece, uint32_t count, uint32_t base, bool goes_on)
{
	struct tl_pt_node_time *times = &piece->times[piece->time_count];

	for (uint32_t i = 0; i < count; i++)
		times[i].index += base;
	if (goes_on && count && times[0].index == base)
		memmove(times, times + 1, --count * sizeof(*times));
	piece->time_count += count;
}

/* Whether a run goes on in the cut before it: nothing between them is told to the caller. */
static bool goes_on(const struct tl_pt_psb_segment *piece, const struct tl_pt_decoder *decoder,
		    bool eos)
{
	const struct tl_pt_segment_cut *last =
		piece->cut_count ? &piece->cuts[piece->cut_count - 1] : NULL;

	return last && !last->has_event && last->speculative == decoder->making.speculative &&
	       last->eos == eos;
}

static void add_cut(struct tl_pt_psb_segment *piece, struct tl_pt_decoder *decoder, uint32_t nodes,
		    bool eos)
{
	bool more = goes_on(piece, decoder, eos);
	size_t index = more ? piece->cut_count - 1 : piece->cut_count;
	struct tl_pt_segment_cut *cut = &piece->cuts[index];
	uint32_t first = index ? cut[-1].ids : 0;

	take_times(piece, decoder->making.times.count, (uint32_t)piece->id_count - first, more);
	piece->id_count += nodes;
	*cut = (struct tl_pt_segment_cut){
		.ids = (uint32_t)piece->id_count,
		.times = (uint32_t)piece->time_count,
		.speculative = decoder->making.speculative,
		.eos = eos,
		.eos_behind = decoder->eos,
		.on = decoder->pos.enabled,
		.was_on = decoder->events.was_enabled,
		.has_event = decoder->events.pending,
		.inherited = decoder->events.pending && decoder->bounds.inherited,
		.event = decoder->events.next,
		.offset = tl_pt_flow_offset(&decoder->flow),
		.asid = decoder->graph.asid,
		.cbr = decoder->flow.time.cbr,
		.have_cbr = decoder->flow.time.have_cbr,
	};
	piece->cut_count += !more;
	piece->events += decoder->events.pending;
	decoder->events.pending = false;
}

/* False: the end of the segment, or it is given up. */
static bool decode_run(struct tl_pt_psb_segment *piece, struct tl_pt_decoder *decoder)
{
	struct tl_pt_out out;
	uint32_t *begin;
	bool eos = decoder->eos;
	enum tl_pt_stop stop;

	if (piece->id_count > TL_PT_SEGMENT_NODES || !make_room(piece))
		return false;
	begin = piece->ids + piece->id_count;
	out = (struct tl_pt_out){ begin, begin + TL_PT_LOOKAHEAD_NODES };
	decoder->making.times = (struct tl_pt_node_times){ .list = piece->times + piece->time_count,
							   .most = TL_PT_LOOKAHEAD_NODES };
	stop = tl_pt_advance(decoder, &out);
	/* Nodes are never dropped inside a segment. */
	if (out.pos == begin && stop == TL_PT_STOP_FULL &&
	    (decoder->graph.full || tl_pt_graph_is_stale(&decoder->graph, decoder->code.image)))
		return false;
	if (out.pos != begin || decoder->events.pending || eos != decoder->eos)
		add_cut(piece, decoder, (uint32_t)(out.pos - begin), eos);
	piece->whole = stop == TL_PT_STOP_ERROR && decoder->failure.error == TL_PT_EOS &&
		       (decoder->bounds.at_end || piece->end == UINT64_MAX);
	return stop != TL_PT_STOP_ERROR || tl_pt_may_salvage(decoder);
}

/* While tracing is off a PSB+ may tell no mode: most likely it is what nearly all code has. */
void tl_pt_assume_mode(struct tl_pt_decoder *decoder)
{
	decoder->flow.mode.now = TL_PT_MODE_64;
	tl_pt_graph_switch(&decoder->graph, &decoder->graph.asid, TL_PT_MODE_64);
}

void tl_pt_segment_decode(struct tl_pt_psb_segment *piece, struct tl_pt_decoder *decoder,
			  bool first, const struct tl_pt_clock *time)
{
	int status = tl_pt_flow_sync_set(&decoder->flow, piece->begin);

	piece->id_count = piece->time_count = piece->cut_count = 0;
	piece->events = 0;
	piece->whole = false;
	if (status < 0)
		return;
	tl_pt_decoder_restart(decoder);
	if (time)
		decoder->flow.time = *time;
	decoder->bounds.joining = decoder->bounds.inherits = !first;
	decoder->bounds.end = piece->end;
	if (!first)
		tl_pt_assume_mode(decoder);
	decoder->bounds.pinned = true;
	while (decode_run(piece, decoder))
		;
	piece->inherits = decoder->bounds.inherits;
	piece->has_cyc = decoder->flow.time.have_cyc;
	piece->begin_state = decoder->bounds.begin_state;
	piece->end_state = decoder->bounds.end_state;
	piece->error = decoder->failure.error;
	piece->error_offset = decoder->failure.offset;
	piece->limit = tl_pt_graph_count(&decoder->graph);
}
