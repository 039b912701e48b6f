/* SPDX-License-Identifier: Apache-2.0 */
/* pt_pkt_*: packets, one at a time. */
#include "trace.h"

#include <stdlib.h>

struct pt_packet_decoder {
	struct tl_pt_packets *packets;
	struct tl_compat_config config;
};

struct pt_packet_decoder *pt_pkt_alloc_decoder(const struct pt_config *config)
{
	struct pt_packet_decoder *decoder = malloc(sizeof(*decoder));

	if (!decoder || !tl_compat_config(&decoder->config, config, TL_COMPAT_PACKETS) ||
	    tl_pt_packets_open(&decoder->packets, &decoder->config.ours) < 0) {
		free(decoder);
		return NULL;
	}
	return decoder;
}

void pt_pkt_free_decoder(struct pt_packet_decoder *decoder)
{
	if (decoder)
		tl_pt_packets_close(decoder->packets);
	free(decoder);
}

/* Where it stands, NULL: nowhere yet. */
static const uint8_t *position(const struct pt_packet_decoder *decoder, bool sync)
{
	uint64_t offset;
	int status = sync ? tl_pt_packets_sync_offset(decoder->packets, &offset)
			  : tl_pt_packets_offset(decoder->packets, &offset);

	return status < 0 ? NULL : decoder->config.ours.begin + offset;
}

static int stand(struct pt_packet_decoder *decoder, const uint8_t *pos)
{
	if (!pos)
		return -pte_eos;
	return tl_pt_packets_sync_set(decoder->packets,
				      (uint64_t)(pos - decoder->config.ours.begin));
}

int pt_pkt_sync_forward(struct pt_packet_decoder *decoder)
{
	const uint8_t *pos;

	if (!decoder)
		return -pte_invalid;
	pos = tl_compat_psb_next(&decoder->config.ours, position(decoder, false),
				 position(decoder, true));
	return stand(decoder, pos);
}

int pt_pkt_sync_backward(struct pt_packet_decoder *decoder)
{
	const struct tl_pt_config *config;
	const uint8_t *pos;

	if (!decoder)
		return -pte_invalid;
	config = &decoder->config.ours;
	pos = position(decoder, false);
	return stand(decoder, tl_compat_psb_before(config, pos ? pos : config->end));
}

int pt_pkt_sync_set(struct pt_packet_decoder *decoder, uint64_t offset)
{
	return decoder ? tl_pt_packets_sync_set(decoder->packets, offset) : -pte_invalid;
}

int pt_pkt_get_offset(const struct pt_packet_decoder *decoder, uint64_t *offset)
{
	return decoder && offset ? tl_pt_packets_offset(decoder->packets, offset) : -pte_invalid;
}

int pt_pkt_get_sync_offset(const struct pt_packet_decoder *decoder, uint64_t *offset)
{
	return decoder && offset ? tl_pt_packets_sync_offset(decoder->packets, offset)
				 : -pte_invalid;
}

const struct pt_config *pt_pkt_get_config(const struct pt_packet_decoder *decoder)
{
	return decoder ? &decoder->config.user : NULL;
}

int pt_pkt_next(struct pt_packet_decoder *decoder, struct pt_packet *packet, size_t size)
{
	struct tl_pt_packet ours;
	struct pt_packet user;
	uint64_t offset = 0;
	int status;

	if (!decoder || !packet)
		return -pte_invalid;
	tl_pt_packets_offset(decoder->packets, &offset);
	decoder->config.priv = NULL;
	status = tl_pt_next_packet(decoder->packets, &ours);
	if (status < 0)
		return status;
	/* What its kind does not have is left as it is. */
	memset(&user, 0, sizeof(user));
	if (size == sizeof(user))
		user = *packet;
	tl_compat_packet_out(&user, &ours);
	if (user.type == ppt_unknown) {
		user.payload.unknown.packet = decoder->config.user.begin + offset;
		user.payload.unknown.priv = decoder->config.priv;
	}
	tl_compat_give(packet, size, &user, sizeof(user));
	return status;
}
