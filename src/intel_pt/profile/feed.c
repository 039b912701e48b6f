/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoders of a feed: one for each stream; it stops at the end of a slice and goes on at the next
 * one.
 */
#include "intel_pt/profile/feed.h"

#include "core/memory.h"
#include "intel_pt/blocks/unsized.h"

enum { STREAMS_MOST = 1 << 20, PASSED_AT_ONCE = 256 };

static bool have_slot(struct tl_pt_decoders *decoders, uint64_t stream)
{
	if (stream >= STREAMS_MOST || !tl_grow(&decoders->list, &decoders->capacity,
					       (size_t)stream + 1, sizeof(*decoders->list)))
		return false;
	for (; decoders->count <= stream; decoders->count++)
		decoders->list[decoders->count] = NULL;
	return true;
}

int tl_pt_decoders_open(struct tl_pt_decoders *decoders, const struct tl_pt_trace_slice *slice,
			uint32_t flags, struct tl_pt_decoder **decoder)
{
	struct tl_pt_config config = slice->config;
	struct tl_pt_decoder **slot;
	int status = 0;

	*decoder = NULL;
	if (!have_slot(decoders, slice->stream))
		return -TL_PT_NOMEM;
	slot = &decoders->list[slice->stream];
	if (!slice->continues) {
		tl_pt_decoder_close(*slot);
		config.flags |= flags;
		status = tl_pt_decoder_open(slot, &config, slice->image);
		if (status == 0 && decoders->jobs > 1)
			status = tl_pt_decoder_set_jobs(*slot, decoders->jobs);
		if (status == 0 && decoders->pass_quiet)
			tl_pt_pass_quiet(*slot);
	}
	if (status == 0)
		status = tl_pt_decoder_set_asid(*slot, &slice->asid);
	if (status == 0)
		status = tl_pt_decoder_set_end(*slot, slice->to);
	if (status == 0 && !slice->continues)
		status = tl_pt_decoder_sync_forward(*slot);
	*decoder = *slot;
	return status;
}

int tl_pt_pass_over(struct tl_pt_decoder *decoder, int status)
{
	uint32_t nodes[PASSED_AT_ONCE];

	while (status >= 0) {
		struct tl_pt_node_batch batch = { .nodes = nodes, .max = PASSED_AT_ONCE };
		struct tl_pt_event event;

		while (status >= 0 && status & TL_PT_EVENT_PENDING)
			status = tl_pt_next_event(decoder, &event);
		if (status >= 0)
			status = tl_pt_next_nodes(decoder, &batch);
		if (status >= 0)
			status = batch.status;
		if (status >= 0 && status & TL_PT_END_OF_STREAM && !(status & TL_PT_EVENT_PENDING))
			break;
		if (status < 0 && status != -TL_PT_EOS && status != -TL_PT_NOMEM)
			status = tl_pt_resync(decoder, NULL);
	}
	return status == -TL_PT_NOMEM ? status : 0;
}

bool tl_pt_decoders_done(struct tl_pt_decoders *decoders, const struct tl_pt_trace_slice *slice)
{
	if (slice->stream >= decoders->count ||
	    slice->to != (uint64_t)(slice->config.end - slice->config.begin))
		return false;
	tl_pt_decoder_close(decoders->list[slice->stream]);
	decoders->list[slice->stream] = NULL;
	return true;
}

void tl_pt_decoders_close(struct tl_pt_decoders *decoders)
{
	for (size_t i = 0; i < decoders->count; i++)
		tl_pt_decoder_close(decoders->list[i]);
	free(decoders->list);
	*decoders = (struct tl_pt_decoders){ .list = NULL };
}
