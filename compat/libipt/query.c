/* SPDX-License-Identifier: Apache-2.0 */
/* pt_qry_*: what the trace says, to someone who walks the code. */
#include "trace.h"

#include <stdlib.h>

struct pt_query_decoder {
	struct tl_compat_trace trace;
	struct tl_compat_config config;
};

struct pt_query_decoder *pt_qry_alloc_decoder(const struct pt_config *config)
{
	struct pt_query_decoder *decoder = malloc(sizeof(*decoder));

	if (!decoder || !tl_compat_config(&decoder->config, config, TL_COMPAT_QUERY)) {
		free(decoder);
		return NULL;
	}
	tl_compat_trace_open(&decoder->trace, &decoder->config.ours);
	return decoder;
}

void pt_qry_free_decoder(struct pt_query_decoder *decoder)
{
	free(decoder);
}

int pt_qry_sync_forward(struct pt_query_decoder *decoder, uint64_t *ip)
{
	return decoder ? tl_compat_trace_forward(&decoder->trace, ip) : -pte_invalid;
}

int pt_qry_sync_backward(struct pt_query_decoder *decoder, uint64_t *ip)
{
	return decoder ? tl_compat_trace_backward(&decoder->trace, ip) : -pte_invalid;
}

int pt_qry_sync_set(struct pt_query_decoder *decoder, uint64_t *ip, uint64_t offset)
{
	return decoder ? tl_compat_trace_set(&decoder->trace, ip, offset) : -pte_invalid;
}

int pt_qry_get_offset(const struct pt_query_decoder *decoder, uint64_t *offset)
{
	return decoder ? tl_compat_trace_offset(&decoder->trace, offset) : -pte_invalid;
}

int pt_qry_get_sync_offset(const struct pt_query_decoder *decoder, uint64_t *offset)
{
	return decoder ? tl_compat_trace_sync_offset(&decoder->trace, offset) : -pte_invalid;
}

const struct pt_config *pt_qry_get_config(const struct pt_query_decoder *decoder)
{
	return decoder ? &decoder->config.user : NULL;
}

int pt_qry_cond_branch(struct pt_query_decoder *decoder, int *taken)
{
	return decoder && taken ? tl_compat_trace_cond(&decoder->trace, taken) : -pte_invalid;
}

int pt_qry_indirect_branch(struct pt_query_decoder *decoder, uint64_t *ip)
{
	return decoder && ip ? tl_compat_trace_indirect(&decoder->trace, ip) : -pte_invalid;
}

int pt_qry_event(struct pt_query_decoder *decoder, struct pt_event *event, size_t size)
{
	struct pt_event given;
	int status;

	if (!decoder || !event || size < offsetof(struct pt_event, variant))
		return -pte_invalid;
	given.type = ptev_tip;
	status = tl_compat_trace_event(&decoder->trace, &given);
	/* It may have been given though what follows is at fault. */
	if (status >= 0 || given.type != ptev_tip)
		tl_compat_give_event(event, size, &given);
	return status;
}

int pt_qry_time(struct pt_query_decoder *decoder, uint64_t *time, uint32_t *lost_mtc,
		uint32_t *lost_cyc)
{
	return decoder && time ? tl_compat_time(&decoder->trace.at, time, lost_mtc, lost_cyc)
			       : -pte_invalid;
}

int pt_qry_core_bus_ratio(struct pt_query_decoder *decoder, uint32_t *cbr)
{
	return decoder && cbr ? tl_compat_cbr(&decoder->trace.at, cbr) : -pte_invalid;
}
