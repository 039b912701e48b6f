/* SPDX-License-Identifier: Apache-2.0 */
/* pt_evt_*: everything the trace says as events, one at a time. */
#include "compat.h"

#include <stdlib.h>

struct pt_event_decoder {
	struct tl_pt_events *events;
	struct tl_compat_config config;
};

struct pt_event_decoder *pt_evt_alloc_decoder(const struct pt_config *config)
{
	struct pt_event_decoder *decoder = malloc(sizeof(*decoder));

	if (!decoder || !tl_compat_config(&decoder->config, config, TL_COMPAT_QUERY) ||
	    tl_pt_events_open(&decoder->events, &decoder->config.ours) < 0) {
		free(decoder);
		return NULL;
	}
	return decoder;
}

void pt_evt_free_decoder(struct pt_event_decoder *decoder)
{
	if (decoder)
		tl_pt_events_close(decoder->events);
	free(decoder);
}

int pt_evt_sync_forward(struct pt_event_decoder *decoder)
{
	return decoder ? tl_pt_events_sync_forward(decoder->events) : -pte_invalid;
}

int pt_evt_sync_backward(struct pt_event_decoder *decoder)
{
	return decoder ? tl_pt_events_sync_backward(decoder->events) : -pte_invalid;
}

int pt_evt_sync_set(struct pt_event_decoder *decoder, uint64_t offset)
{
	return decoder ? tl_pt_events_sync_set(decoder->events, offset) : -pte_invalid;
}

int pt_evt_get_offset(const struct pt_event_decoder *decoder, uint64_t *offset)
{
	return decoder && offset ? tl_pt_events_offset(decoder->events, offset) : -pte_invalid;
}

int pt_evt_get_sync_offset(const struct pt_event_decoder *decoder, uint64_t *offset)
{
	return decoder && offset ? tl_pt_events_sync_offset(decoder->events, offset) : -pte_invalid;
}

const struct pt_config *pt_evt_get_config(const struct pt_event_decoder *decoder)
{
	return decoder ? &decoder->config.user : NULL;
}

int pt_evt_next(struct pt_event_decoder *decoder, struct pt_event *event, size_t size)
{
	struct tl_pt_event ours;
	struct pt_event user;
	int status;

	if (!decoder || !event || size < offsetof(struct pt_event, reserved))
		return -pte_invalid;
	status = tl_pt_events_next(decoder->events, &ours, sizeof(ours));
	if (status < 0)
		return status;
	tl_compat_event(&user, &ours);
	tl_compat_give(event, size, &user, sizeof(user));
	return status;
}
