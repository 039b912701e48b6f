/* SPDX-License-Identifier: Apache-2.0 */
#include "intel_pt/blocks/start_psb.h"

#include "core/memory.h"
#include "intel_pt/blocks/decoder.h"
#include "intel_pt/packets/packet.h"

/* ---- where ---- */

/* Whether its PSB+ ends before `end`. */
static bool is_whole(const struct tl_pt_config *config, const uint8_t *pos, const uint8_t *end)
{
	struct tl_pt_config until = *config;
	struct tl_pt_flow flow;

	until.size = sizeof(until);
	until.end = end;
	return tl_pt_flow_open(&flow, &until, TL_PT_FLOW_TIMED) == 0 &&
	       tl_pt_psb_is_whole(&flow, pos);
}

bool tl_pt_find_start_psb(const struct tl_pt_config *config, uint64_t from, uint64_t to,
			  uint64_t *offset)
{
	const uint8_t *begin = config->begin + from, *end = config->begin + to, *pos = end;

	do {
		pos = tl_pt_psb_backward(begin, pos, end);
	} while (pos && !is_whole(config, pos, end));
	if (!pos || tl_pt_psb_forward(config->begin, config->end) == pos)
		return false;
	*offset = (uint64_t)(pos - config->begin);
	return true;
}

/* ---- the state ---- */

static uint64_t with_flags(uint64_t hash, const struct tl_pt_psb_state *s)
{
	const struct tl_pt_clock *t = &s->time;
	const bool flags[] = { s->on,       s->speculative, t->have_tsc, t->have_cbr,
			       t->have_tma, t->have_mtc,    t->have_cyc };
	uint64_t bits = 1;

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		bits = bits << 1 | flags[i];
	return tl_hash_pair(hash, bits);
}

/* All that decoding depends on from a PSB on, where no cycles are counted. */
static uint64_t number_of(const struct tl_pt_psb_state *s)
{
	const struct tl_pt_clock *t = &s->time;
	const uint64_t words[] = {
		s->on ? s->ip : 0, s->mode, s->asid.cr3, s->asid.vmcs, t->tsc,
		t->base,           t->fc,   t->ctc,      t->ctc_cyc,   t->lost_mtc,
		t->lost_cyc,       t->cbr,
	};
	uint64_t hash = 0;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		hash = tl_hash_pair(hash, words[i]);
	return with_flags(hash, s);
}

int tl_pt_decoder_start_at(struct tl_pt_decoder *decoder, uint64_t offset, uint64_t end,
			   const struct tl_pt_asid *asid)
{
	int status;

	decoder->flow.end = decoder->flow.config.end = decoder->config.begin + end;
	status = tl_pt_flow_sync_set(&decoder->flow, offset);
	if (status < 0)
		return status;
	decoder->code.asid = decoder->ahead.asid = *asid;
	tl_pt_decoder_restart(decoder);
	decoder->bounds.joining = true;
	decoder->passed_psb.known = false;
	/* While tracing is off, its PSB+ may hold no MODE packet. */
	decoder->flow.mode.now = TL_PT_MODE_64;
	tl_pt_graph_switch(&decoder->graph, &decoder->graph.asid, TL_PT_MODE_64);
	tl_pt_lookahead_fill(decoder);
	return tl_pt_status_now(decoder);
}

bool tl_pt_started_state(const struct tl_pt_decoder *decoder, uint64_t *state)
{
	*state = number_of(&decoder->bounds.begin_state);
	return decoder->bounds.joining && decoder->bounds.began;
}

void tl_pt_decoder_keep_passed(struct tl_pt_decoder *decoder)
{
	decoder->passed_psb.wanted = true;
}

bool tl_pt_take_passed(struct tl_pt_decoder *decoder, uint64_t *offset, uint64_t *state)
{
	struct tl_pt_passed_psb *passed = &decoder->passed_psb;
	const bool known = passed->known && passed->state.clean;

	passed->known = false;
	*offset = passed->offset;
	*state = number_of(&passed->state);
	return known;
}
