/* SPDX-License-Identifier: Apache-2.0 */
/* The public packet reader: its position, and synchronising onto PSB. */
#include <stdlib.h>

#include "intel_pt/packets/layout.h"
#include "intel_pt/packets/packet.h"
#include "intel_pt/packets/sized.h"

struct tl_pt_packets {
	struct tl_pt_config config;
	struct tl_pt_context context;
	const uint8_t *pos, *sync; /* NULL: not synchronised */
};

int tl_pt_config_copy(struct tl_pt_config *copy, const struct tl_pt_config *config)
{
	const size_t least = offsetof(struct tl_pt_config, end) + sizeof(config->end);
	size_t size;

	if (!config)
		return -TL_PT_INVALID;
	size = config->size;
	if (size < least)
		return -TL_PT_BAD_CONFIG;
	memset(copy, 0, sizeof(*copy));
	memcpy(copy, config, size < sizeof(*copy) ? size : sizeof(*copy));
	copy->size = sizeof(*copy);
	if (!copy->begin || !copy->end || copy->end < copy->begin)
		return -TL_PT_BAD_CONFIG;
	return 0;
}

int tl_pt_packets_open(struct tl_pt_packets **packets, const struct tl_pt_config *config)
{
	struct tl_pt_packets *p;
	int status;

	*packets = NULL;
	p = calloc(1, sizeof(*p));
	if (!p)
		return -TL_PT_NOMEM;
	status = tl_pt_config_copy(&p->config, config);
	if (status < 0) {
		free(p);
		return status;
	}
	p->context.config = &p->config;
	*packets = p;
	return 0;
}

void tl_pt_packets_close(struct tl_pt_packets *packets)
{
	free(packets);
}

const struct tl_pt_config *tl_pt_packets_config(const struct tl_pt_packets *packets)
{
	return &packets->config;
}

static int start_at(struct tl_pt_packets *p, const uint8_t *pos)
{
	if (!pos)
		return -TL_PT_EOS;
	p->pos = p->sync = pos;
	p->context.items = TL_PT_ITEMS_NONE;
	return 0;
}

int tl_pt_packets_sync_forward(struct tl_pt_packets *p)
{
	return start_at(p, tl_pt_psb_after(&p->config, p->sync, p->pos));
}

int tl_pt_packets_sync_backward(struct tl_pt_packets *p)
{
	return start_at(p, tl_pt_psb_backward(p->config.begin, p->pos ? p->pos : p->config.end,
					      p->config.end));
}

int tl_pt_packets_sync_set(struct tl_pt_packets *p, uint64_t offset)
{
	if (offset > (uint64_t)(p->config.end - p->config.begin))
		return -TL_PT_EOS;
	return start_at(p, p->config.begin + offset);
}

static int offset_of(const struct tl_pt_packets *p, const uint8_t *pos, uint64_t *offset)
{
	if (!pos)
		return -TL_PT_NOSYNC;
	*offset = (uint64_t)(pos - p->config.begin);
	return 0;
}

int tl_pt_packets_offset(const struct tl_pt_packets *packets, uint64_t *offset)
{
	return offset_of(packets, packets->pos, offset);
}

int tl_pt_packets_sync_offset(const struct tl_pt_packets *packets, uint64_t *offset)
{
	return offset_of(packets, packets->sync, offset);
}

int tl_pt_next_packet(struct tl_pt_packets *p, struct tl_pt_packet *packet)
{
	int size;

	if (!p->pos)
		return -TL_PT_NOSYNC;
	size = tl_pt_decode(packet, p->pos, p->config.end, &p->context);
	if (size > 0)
		p->pos += size;
	return size;
}

int tl_pt_packets_next(struct tl_pt_packets *packets, struct tl_pt_packet *packet, size_t size)
{
	struct tl_pt_packet ours = { 0 };

	if (size == sizeof(*packet))
		return tl_pt_next_packet(packets, packet);
	if (size < sizeof(*packet))
		return -TL_PT_INVALID;
	return tl_pt_give_sized(tl_pt_next_packet(packets, &ours), packet, size, &ours,
				sizeof(ours));
}
