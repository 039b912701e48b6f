/* SPDX-License-Identifier: Apache-2.0 */
/* Opening, synchronising, and the state that a decoder shows its caller. */
#include "intel_pt/blocks/decoder.h"

#include <stdlib.h>

void tl_pt_decoder_restart(struct tl_pt_decoder *decoder)
{
	tl_pt_position_reset(decoder);
	tl_pt_graph_switch(&decoder->graph, &decoder->code.asid, TL_PT_MODE_UNKNOWN);
	decoder->pos.tracing = TL_PT_TRACING_UNKNOWN;
	decoder->eos = decoder->pos.speculative = false;
	decoder->pos.resume_known = decoder->events.pending = decoder->item.present = false;
	decoder->events.queue_first = decoder->events.queue_count = 0;
	decoder->events.located_at = 0;
	decoder->failure.error = TL_PT_OK;
	decoder->insns.left = 0;
	decoder->ahead.batch = (struct tl_pt_lookahead){ .stop = TL_PT_STOP_FULL };
	decoder->bounds = (struct tl_pt_segment_bounds){ .end = UINT64_MAX };
	decoder->making.last = decoder->ahead.time = (struct tl_pt_node_time){ .index = 0 };
	decoder->v1.have_block = false;
	decoder->v1.block.flags = decoder->v1.next_flags = 0;
	decoder->pos.last = (struct tl_pt_block){ .iclass = TL_PT_IC_ERROR };
}

static unsigned flow_flags(const struct tl_pt_config *config)
{
	bool classic = config && config->size >= sizeof(*config) && config->flags & TL_PT_CLASSIC;

	return TL_PT_FLOW_TIMED | (classic ? TL_PT_FLOW_CLASSIC : 0);
}

int tl_pt_decoder_open_on(struct tl_pt_decoder **decoder, const struct tl_pt_config *config,
			  struct tl_pt_image *image, struct tl_pt_code_graph *code)
{
	struct tl_pt_decoder *made;
	int status;

	*decoder = NULL;
	made = calloc(1, sizeof(*made));
	if (!made)
		return -TL_PT_NOMEM;
	made->code.asid = made->ahead.asid = (struct tl_pt_asid){ TL_PT_ANY, TL_PT_ANY };
	status = tl_pt_flow_open(&made->flow, config, flow_flags(config));
	if (!status) {
		made->config = made->flow.config;
		made->code.own = tl_pt_image_open(NULL);
		made->code.image = image ? image : made->code.own;
		status = made->code.own ? tl_pt_graph_open(&made->graph, made->config.flags, code)
					: -TL_PT_NOMEM;
	}
	if (status < 0) {
		tl_pt_decoder_close(made);
		return status;
	}
	tl_pt_clear_stack(made);
	made->parallel.node_limit = UINT32_MAX;
	*decoder = made;
	return 0;
}

int tl_pt_decoder_open(struct tl_pt_decoder **decoder, const struct tl_pt_config *config,
		       struct tl_pt_image *image)
{
	return decoder ? tl_pt_decoder_open_on(decoder, config, image, NULL) : -TL_PT_INVALID;
}

void tl_pt_decoder_close(struct tl_pt_decoder *decoder)
{
	if (!decoder)
		return;
	tl_pt_stop_parallel(decoder);
	tl_pt_graph_close(&decoder->graph);
	tl_pt_reader_close(&decoder->insns.reader);
	free(decoder->insns.list);
	free(decoder->insns.first);
	tl_pt_image_close(decoder->code.own);
	free(decoder);
}

static int synced(struct tl_pt_decoder *decoder, int status)
{
	if (status < 0)
		return status;
	tl_pt_decoder_restart(decoder);
	if (decoder->parallel.ops)
		decoder->parallel.ops->start(decoder);
	tl_pt_lookahead_fill(decoder);
	/* Synchronising returns an error at the very beginning. */
	if (!decoder->ahead.batch.filled && decoder->ahead.batch.stop == TL_PT_STOP_ERROR &&
	    decoder->failure.error != TL_PT_EOS)
		return -(int)decoder->failure.error;
	return tl_pt_status_now(decoder);
}

int tl_pt_decoder_sync_forward(struct tl_pt_decoder *decoder)
{
	if (!decoder)
		return -TL_PT_INVALID;
	tl_pt_stop_parallel(decoder);
	return synced(decoder, tl_pt_flow_sync_forward(&decoder->flow));
}

int tl_pt_decoder_sync_backward(struct tl_pt_decoder *decoder)
{
	if (!decoder)
		return -TL_PT_INVALID;
	tl_pt_stop_parallel(decoder);
	return synced(decoder, tl_pt_flow_sync_backward(&decoder->flow));
}

int tl_pt_decoder_sync_set(struct tl_pt_decoder *decoder, uint64_t offset)
{
	if (!decoder)
		return -TL_PT_INVALID;
	tl_pt_stop_parallel(decoder);
	return synced(decoder, tl_pt_flow_sync_set(&decoder->flow, offset));
}

int tl_pt_resync(struct tl_pt_decoder *decoder, struct tl_pt_event *lost)
{
	struct tl_pt_event ignored;

	if (!decoder)
		return -TL_PT_INVALID;
	if (!tl_pt_is_synced(decoder))
		return -TL_PT_NOSYNC;
	if (decoder->failure.error == TL_PT_EOS || decoder->failure.error == TL_PT_NOMEM)
		return -(int)decoder->failure.error;
	tl_pt_leave_parallel(decoder);
	if (decoder->failure.error && !tl_pt_recover(decoder, lost ? lost : &ignored)) {
		tl_pt_fail(decoder, TL_PT_EOS, decoder->item.flow.offset);
		return -TL_PT_EOS;
	}
	tl_pt_lookahead_fill(decoder);
	return tl_pt_status_now(decoder);
}

int tl_pt_next_event(struct tl_pt_decoder *decoder, struct tl_pt_event *event)
{
	if (!decoder || !event)
		return -TL_PT_INVALID;
	if (!tl_pt_is_synced(decoder))
		return -TL_PT_NOSYNC;
	if (!decoder->events.pending || tl_pt_is_v1(decoder) ||
	    decoder->ahead.batch.at < decoder->ahead.batch.filled || decoder->insns.left)
		return -TL_PT_BAD_QUERY;
	*event = decoder->events.next;
	decoder->events.pending = false;
	decoder->ahead.time = (struct tl_pt_node_time){
		0, event->lost_mtc, event->lost_cyc, event->has_tsc, event->tsc, event->cycles
	};
	/* The clock is that of the event from here on, not that of the nodes before it. */
	decoder->ahead.batch.at = decoder->ahead.batch.filled = 0;
	tl_pt_lookahead_fill(decoder);
	return tl_pt_status_now(decoder);
}

int tl_pt_decoder_time(const struct tl_pt_decoder *decoder, uint64_t *tsc, uint32_t *lost_mtc,
		       uint32_t *lost_cyc)
{
	const struct tl_pt_node_time *time;

	if (!decoder)
		return -TL_PT_INVALID;
	if (!tl_pt_is_synced(decoder))
		return -TL_PT_NOSYNC;
	time = tl_pt_time_now(decoder);
	if (tsc)
		*tsc = time->tsc;
	if (lost_mtc)
		*lost_mtc = time->lost_mtc;
	if (lost_cyc)
		*lost_cyc = time->lost_cyc;
	return time->have_tsc ? 0 : -TL_PT_NO_TIME;
}

int tl_pt_decoder_cycles(const struct tl_pt_decoder *decoder, uint64_t *cycles)
{
	if (!decoder || !cycles)
		return -TL_PT_INVALID;
	if (!tl_pt_is_synced(decoder))
		return -TL_PT_NOSYNC;
	*cycles = tl_pt_time_now(decoder)->cycles;
	return 0;
}

int tl_pt_decoder_core_bus_ratio(const struct tl_pt_decoder *decoder, uint32_t *ratio)
{
	if (!decoder || !ratio)
		return -TL_PT_INVALID;
	if (!tl_pt_is_synced(decoder))
		return -TL_PT_NOSYNC;
	*ratio = decoder->flow.time.cbr;
	return decoder->flow.time.have_cbr ? 0 : -TL_PT_NO_CBR;
}

int tl_pt_decoder_asid(const struct tl_pt_decoder *decoder, struct tl_pt_asid *asid)
{
	if (!decoder || !asid)
		return -TL_PT_INVALID;
	*asid = decoder->ahead.asid;
	return 0;
}

int tl_pt_decoder_offset(const struct tl_pt_decoder *decoder, uint64_t *offset)
{
	if (!decoder || !offset)
		return -TL_PT_INVALID;
	if (!tl_pt_is_synced(decoder))
		return -TL_PT_NOSYNC;
	*offset = decoder->failure.offset;
	if (!decoder->failure.error)
		*offset = tl_pt_flow_offset(&decoder->flow);
	return 0;
}

int tl_pt_decoder_sync_offset(const struct tl_pt_decoder *decoder, uint64_t *offset)
{
	if (!decoder || !offset)
		return -TL_PT_INVALID;
	if (!tl_pt_is_synced(decoder))
		return -TL_PT_NOSYNC;
	*offset = (uint64_t)(decoder->flow.psb - decoder->flow.begin);
	return 0;
}

const struct tl_pt_config *tl_pt_decoder_config(const struct tl_pt_decoder *decoder)
{
	return decoder ? &decoder->config : NULL;
}

struct tl_pt_image *tl_pt_decoder_image(struct tl_pt_decoder *decoder)
{
	return decoder ? decoder->code.image : NULL;
}

int tl_pt_decoder_set_image(struct tl_pt_decoder *decoder, struct tl_pt_image *image)
{
	if (!decoder)
		return -TL_PT_INVALID;
	tl_pt_leave_parallel(decoder);
	decoder->code.image = image ? image : decoder->code.own;
	return 0;
}

int tl_pt_decoder_set_end(struct tl_pt_decoder *decoder, uint64_t offset)
{
	if (!decoder || offset > (uint64_t)(decoder->config.end - decoder->config.begin) ||
	    (tl_pt_is_synced(decoder) && offset < tl_pt_flow_offset(&decoder->flow)))
		return -TL_PT_INVALID;
	decoder->flow.end = decoder->flow.config.end = decoder->config.begin + offset;
	if (decoder->failure.error == TL_PT_EOS)
		decoder->failure.error = TL_PT_OK;
	if (decoder->item.present && decoder->item.flow.kind == TL_PT_FLOW_ITEM_END)
		decoder->item.present = false;
	decoder->eos = false;
	if (!tl_pt_is_synced(decoder))
		return 0;
	tl_pt_lookahead_fill(decoder);
	return tl_pt_status_now(decoder);
}

int tl_pt_decoder_set_asid(struct tl_pt_decoder *decoder, const struct tl_pt_asid *asid)
{
	if (!decoder || !asid)
		return -TL_PT_INVALID;
	decoder->code.asid = decoder->ahead.asid = *asid;
	/* Without nodes no position has to be translated. */
	if (!decoder->graph.nodes) {
		decoder->graph.asid = *asid;
		return 0;
	}
	if (!tl_pt_change_space(decoder, asid, tl_pt_graph_mode(&decoder->graph)))
		return -TL_PT_NOMEM;
	return 0;
}
