/* SPDX-License-Identifier: Apache-2.0 */
/* pt_qry_*: what the trace says, to someone who walks the code. */
#include "compat.h"

#include <stdlib.h>

struct pt_query_decoder {
	struct tl_pt_query *query;
	struct tl_compat_config config;
};

struct pt_query_decoder *pt_qry_alloc_decoder(const struct pt_config *config)
{
	struct pt_query_decoder *decoder = malloc(sizeof(*decoder));

	if (!decoder || !tl_compat_config(&decoder->config, config, TL_COMPAT_QUERY) ||
	    tl_pt_query_open(&decoder->query, &decoder->config.ours) < 0) {
		free(decoder);
		return NULL;
	}
	return decoder;
}

void pt_qry_free_decoder(struct pt_query_decoder *decoder)
{
	if (decoder)
		tl_pt_query_close(decoder->query);
	free(decoder);
}

int pt_qry_sync_forward(struct pt_query_decoder *decoder, uint64_t *ip)
{
	return decoder ? tl_pt_query_sync_forward(decoder->query, ip) : -pte_invalid;
}

int pt_qry_sync_backward(struct pt_query_decoder *decoder, uint64_t *ip)
{
	return decoder ? tl_pt_query_sync_backward(decoder->query, ip) : -pte_invalid;
}

int pt_qry_sync_set(struct pt_query_decoder *decoder, uint64_t *ip, uint64_t offset)
{
	return decoder ? tl_pt_query_sync_set(decoder->query, ip, offset) : -pte_invalid;
}

int pt_qry_get_offset(const struct pt_query_decoder *decoder, uint64_t *offset)
{
	return decoder && offset ? tl_pt_query_offset(decoder->query, offset) : -pte_invalid;
}

int pt_qry_get_sync_offset(const struct pt_query_decoder *decoder, uint64_t *offset)
{
	return decoder && offset ? tl_pt_query_sync_offset(decoder->query, offset) : -pte_invalid;
}

const struct pt_config *pt_qry_get_config(const struct pt_query_decoder *decoder)
{
	return decoder ? &decoder->config.user : NULL;
}

int pt_qry_cond_branch(struct pt_query_decoder *decoder, int *taken)
{
	return decoder && taken ? tl_pt_query_cond_branch(decoder->query, taken) : -pte_invalid;
}

int pt_qry_indirect_branch(struct pt_query_decoder *decoder, uint64_t *ip)
{
	return decoder && ip ? tl_pt_query_indirect_branch(decoder->query, ip) : -pte_invalid;
}

int pt_qry_event(struct pt_query_decoder *decoder, struct pt_event *event, size_t size)
{
	struct tl_pt_event ours;
	struct pt_event user;
	int status;

	if (!decoder || !event || size < offsetof(struct pt_event, reserved))
		return -pte_invalid;
	status = tl_pt_query_event(decoder->query, &ours);
	if (status < 0)
		return status;
	tl_compat_event(&user, &ours);
	tl_compat_give(event, size, &user, sizeof(user));
	return status;
}

int pt_qry_time(struct pt_query_decoder *decoder, uint64_t *time, uint32_t *lost_mtc,
		uint32_t *lost_cyc)
{
	struct tl_compat_time now = { .status = -pte_invalid };

	if (decoder && time)
		now.status =
			tl_pt_query_time(decoder->query, &now.tsc, &now.lost_mtc, &now.lost_cyc);
	return tl_compat_time(&now, time, lost_mtc, lost_cyc);
}

int pt_qry_core_bus_ratio(struct pt_query_decoder *decoder, uint32_t *cbr)
{
	uint32_t ratio = 0;
	int status;

	if (!decoder || !cbr)
		return -pte_invalid;
	status = tl_pt_query_core_bus_ratio(decoder->query, &ratio);
	return tl_compat_cbr(status, ratio, cbr);
}
