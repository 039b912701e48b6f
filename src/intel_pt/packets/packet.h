/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_PACKETS_PACKET_H
#define TL_INTEL_PT_PACKETS_PACKET_H
/* One packet from its bytes, and the search for PSB. */
#include <tracelathe/intel_pt.h>

/* Inside BBP .. BEP: the size of an item's payload (4.2). */
enum tl_pt_items { TL_PT_ITEMS_NONE, TL_PT_ITEMS_8, TL_PT_ITEMS_4 };

/* State that decoding a packet depends on. */
struct tl_pt_context {
	const struct tl_pt_config
		*config;        /* its `unknown` is called for unknown opcodes; NULL: not called */
	enum tl_pt_items items; /* updated by each packet */
};

/* Decode the packet at `pos`. Its size, or a negative tl_pt_error. */
int tl_pt_decode(struct tl_pt_packet *packet, const uint8_t *pos, const uint8_t *end,
		 struct tl_pt_context *context);

/* Encode a packet, as tl_pt_packet_write(). */
int tl_pt_encode(uint8_t *pos, size_t room, const struct tl_pt_packet *packet);

/* As tl_pt_packets_next(). */
int tl_pt_next_packet(struct tl_pt_packets *packets, struct tl_pt_packet *packet);

/* Whether a block of items ends at a packet of this kind (4.2). */
bool tl_pt_ends_block(enum tl_pt_packet_kind kind);

/* The first PSB that begins at or behind `pos`; the last one that begins before it; NULL: none. */
const uint8_t *tl_pt_psb_forward(const uint8_t *pos, const uint8_t *end);
const uint8_t *tl_pt_psb_backward(const uint8_t *begin, const uint8_t *pos, const uint8_t *end);
/*
 * The next PSB behind `pos`, for a reader that synchronised onto `sync`; `pos` NULL: the first PSB.
 */
const uint8_t *tl_pt_psb_after(const struct tl_pt_config *config, const uint8_t *sync,
			       const uint8_t *pos);
bool tl_pt_is_psb(const uint8_t *pos, const uint8_t *end);

/*
 * Copy a configuration; its `size` is that of the caller's struct. 0, -TL_PT_INVALID,
 * -TL_PT_BAD_CONFIG.
 */
int tl_pt_config_copy(struct tl_pt_config *copy, const struct tl_pt_config *config);

#endif
