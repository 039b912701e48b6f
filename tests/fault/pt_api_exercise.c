/* SPDX-License-Identifier: Apache-2.0 */
/* A whole trace through every decoder of the drop-in. */
#include "parts.h"
#include "pt_api_common.h"

/*
 * Where code loops without trace a decoder at the end of the stream gives 65,535 instructions a
 * call for ever (9.13): its caller has to stop. Nothing here needs as many calls as this for a byte
 * of trace.
 */
static size_t calls_for(const struct pt_api_input *input)
{
	return 4096 + input->size * 512;
}

static const char *packets(const struct pt_api_input *input)
{
	struct pt_config config = pt_api_config(input);
	struct pt_packet_decoder *decoder = pt_pkt_alloc_decoder(&config);
	const char *broken = decoder ? NULL : "no packet decoder";
	struct pt_packet packet;

	while (!broken && pt_pkt_sync_forward(decoder) >= 0) {
		int size;

		while ((size = pt_pkt_next(decoder, &packet, sizeof(packet))) > 0 && !broken)
			if (size != packet.size || size > 16)
				broken = "the size of a packet";
		if (size == 0 || -size > pte_bad_cpu)
			broken = "a packet of no size";
	}
	pt_pkt_free_decoder(decoder);
	return broken;
}

static const char *ask(struct pt_query_decoder *decoder, int *status)
{
	struct pt_event event;
	uint64_t ip;
	int taken;

	if (*status & pts_event_pending) {
		*status = pt_qry_event(decoder, &event, sizeof(event));
	} else {
		*status = pt_qry_cond_branch(decoder, &taken);
		if (*status == -pte_bad_query)
			*status = pt_qry_indirect_branch(decoder, &ip);
	}
	return pt_api_status(*status);
}

static const char *queries(const struct pt_api_input *input)
{
	struct pt_config config = pt_api_config(input);
	struct pt_query_decoder *decoder = pt_qry_alloc_decoder(&config);
	size_t left = calls_for(input);
	const char *broken = decoder ? NULL : "no query decoder";
	uint64_t ip, offset;
	int status;

	while (!broken && (status = pt_qry_sync_forward(decoder, &ip)) != -pte_eos) {
		while (!broken && status >= 0 && left-- > 1)
			broken = ask(decoder, &status);
		if (!broken && (pt_qry_get_offset(decoder, &offset) < 0 || offset > input->size))
			broken = "an offset behind the trace";
		if (!left)
			broken = "queries without end";
	}
	pt_qry_free_decoder(decoder);
	return broken;
}

static const char *events(const struct pt_api_input *input)
{
	struct pt_config config = pt_api_config(input);
	struct pt_event_decoder *decoder = pt_evt_alloc_decoder(&config);
	size_t left = calls_for(input);
	const char *broken = decoder ? NULL : "no event decoder";
	struct pt_event event;

	while (!broken && pt_evt_sync_forward(decoder) != -pte_eos) {
		int status;

		while ((status = pt_evt_next(decoder, &event, sizeof(event))) >= 0 && left-- > 1)
			if (event.type > ptev_syscall)
				broken = "an event of no kind";
		if (!broken)
			broken = left ? pt_api_status(status) : "events without end";
	}
	pt_evt_free_decoder(decoder);
	return broken;
}

static const char *insns_here(struct pt_insn_decoder *decoder, int *status, size_t *left)
{
	const char *broken = NULL;

	while (!broken && *status >= 0 && --*left) {
		struct pt_event event;
		struct pt_insn insn;

		if (*status & pts_event_pending) {
			*status = pt_insn_event(decoder, &event, sizeof(event));
		} else {
			*status = pt_insn_next(decoder, &insn, sizeof(insn));
			broken = pt_api_insn(*status, &insn);
		}
		if (!broken)
			broken = pt_api_status(*status);
	}
	return broken;
}

static const char *insns(const struct pt_api_input *input)
{
	struct pt_config config = pt_api_config(input);
	struct pt_insn_decoder *decoder = pt_insn_alloc_decoder(&config);
	struct pt_image *image = pt_api_image(input);
	size_t left = 200000;
	const char *broken = decoder && image ? NULL : "no instruction decoder";
	int status;

	pt_insn_set_image(decoder, image);
	while (!broken && (status = pt_insn_sync_forward(decoder)) != -pte_eos && left)
		broken = insns_here(decoder, &status, &left);
	pt_insn_free_decoder(decoder);
	pt_image_free(image);
	return broken;
}

static const char *blocks_here(struct pt_block_decoder *decoder, int *status, size_t *left)
{
	const char *broken = NULL;

	while (!broken && *status >= 0 && --*left) {
		struct pt_event event;
		struct pt_block block;

		if (*status & pts_event_pending) {
			*status = pt_blk_event(decoder, &event, sizeof(event));
		} else {
			*status = pt_blk_next(decoder, &block, sizeof(block));
			broken = pt_api_block(*status, &block);
		}
		if (!broken)
			broken = pt_api_status(*status);
	}
	return broken;
}

/* After an error: to the next place that the trace names, and to the next PSB only if there is
 * none. */
static const char *blocks(const struct pt_api_input *input)
{
	struct pt_config config = pt_api_config(input);
	struct pt_block_decoder *decoder = pt_blk_alloc_decoder(&config);
	struct pt_image *image = pt_api_image(input);
	size_t left = calls_for(input);
	const char *broken = decoder && image ? NULL : "no block decoder";
	uint64_t offset = 0;
	int status;

	pt_blk_set_image(decoder, image);
	status = broken ? 0 : pt_blk_sync_forward(decoder);
	while (!broken && status != -pte_eos && left) {
		broken = blocks_here(decoder, &status, &left);
		if (!broken && pt_blk_get_offset(decoder, &offset) >= 0 && offset > input->size)
			broken = "an offset behind the trace";
		if (status >= 0 || status == -pte_eos)
			break;
		status = pt_blk_resync(decoder);
		if (status < 0)
			status = pt_blk_sync_forward(decoder);
	}
	pt_blk_free_decoder(decoder);
	pt_image_free(image);
	return broken;
}

const char *pt_api_exercise(const struct pt_api_input *input)
{
	static const char *(*const all[])(const struct pt_api_input *) = { packets, queries, events,
									   insns, blocks };
	const char *broken = NULL;

	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]) && !broken; i++)
		if (exercise_does(i, 5))
			broken = all[i](input);
	return broken;
}
