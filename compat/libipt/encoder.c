/* SPDX-License-Identifier: Apache-2.0 */
/* pt_enc_*: packets written one behind the other into the buffer of the configuration. */
#include "compat.h"
#include "intel_pt/packets/packet.h"

#include <stdlib.h>

struct pt_encoder {
	uint8_t *pos;
	struct tl_compat_config config;
};

struct pt_encoder *pt_alloc_encoder(const struct pt_config *config)
{
	struct pt_encoder *encoder = malloc(sizeof(*encoder));

	if (!encoder || !tl_compat_config(&encoder->config, config, TL_COMPAT_PACKETS)) {
		free(encoder);
		return NULL;
	}
	encoder->pos = encoder->config.user.begin;
	return encoder;
}

void pt_free_encoder(struct pt_encoder *encoder)
{
	free(encoder);
}

int pt_enc_sync_set(struct pt_encoder *encoder, uint64_t offset)
{
	if (!encoder)
		return -pte_invalid;
	if (offset > (size_t)(encoder->config.user.end - encoder->config.user.begin))
		return -pte_eos;
	encoder->pos = encoder->config.user.begin + offset;
	return 0;
}

int pt_enc_get_offset(const struct pt_encoder *encoder, uint64_t *offset)
{
	if (!encoder || !offset)
		return -pte_invalid;
	*offset = (uint64_t)(encoder->pos - encoder->config.user.begin);
	return 0;
}

const struct pt_config *pt_enc_get_config(const struct pt_encoder *encoder)
{
	return encoder ? &encoder->config.user : NULL;
}

int pt_enc_next(struct pt_encoder *encoder, const struct pt_packet *packet)
{
	struct tl_pt_packet ours;
	int size;

	if (!encoder || !packet)
		return -pte_invalid;
	size = tl_compat_packet_in(&ours, packet);
	if (size < 0)
		return size;
	size = tl_pt_encode(encoder->pos, (size_t)(encoder->config.user.end - encoder->pos), &ours);
	if (size > 0)
		encoder->pos += size;
	return size;
}
