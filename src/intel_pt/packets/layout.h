/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_PACKETS_LAYOUT_H
#define TL_INTEL_PT_PACKETS_LAYOUT_H
/*
 * The layout of packets as constants and tables. Numbers are sections of docs/formats/intel-pt.md.
 */
#include <tracelathe/intel_pt.h>

#include "core/cursor.h"

/* First bytes (4.1); of IP packets, the low five bits. */
enum {
	TL_PT_OPC_PAD = 0x00,
	TL_PT_OPC_EXT = 0x02,
	TL_PT_OPC_TIP = 0x0d,
	TL_PT_OPC_TIP_PGE = 0x11,
	TL_PT_OPC_TIP_PGD = 0x01,
	TL_PT_OPC_FUP = 0x1d,
	TL_PT_OPC_TSC = 0x19,
	TL_PT_OPC_MTC = 0x59,
	TL_PT_OPC_MODE = 0x99,
	TL_PT_OPC_TRIG = 0xd9,
	TL_PT_OPC_CYC = 0x03, /* low two bits */
};

enum {
	TL_PT_PSB_BYTES = 16,
	TL_PT_MAX_BYTES = 16, /* size of the longest packet */
	TL_PT_CYC_MAX = 15,   /* 9.18 */
};

/* Bytes of an address by IP compression code (4.3); 255: reserved. */
enum { TL_PT_IP_RESERVED = 255 };
extern const uint8_t tl_pt_ip_bytes[8];

/* An entry for a first byte, or for the byte behind 02. */
struct tl_pt_opcode {
	uint8_t kind; /* enum tl_pt_packet_kind; TL_PT_PKT_INVALID: none */
	uint8_t size; /* of the whole packet; 0: it depends on further bytes */
};

extern const struct tl_pt_opcode tl_pt_opcodes[256];
extern const struct tl_pt_opcode tl_pt_extended[256];

/* The address of an IP packet (4.3); `p`: its address bytes, `code`: not a reserved one. */
static inline uint64_t tl_pt_apply_ip(const uint8_t *p, unsigned code, uint64_t last_ip)
{
	const uint64_t low48 = UINT64_C(0xffffffffffff);

	switch (code) {
	case TL_PT_IPC_UPDATE_16:
		return (last_ip & ~UINT64_C(0xffff)) | tl_le16(p);
	case TL_PT_IPC_UPDATE_32:
		return (last_ip & ~UINT64_C(0xffffffff)) | tl_le32(p);
	case TL_PT_IPC_SEXT_48:
		return (uint64_t)((int64_t)((tl_le32(p) | (uint64_t)tl_le16(p + 4) << 32) << 16) >>
				  16);
	case TL_PT_IPC_UPDATE_48:
		return (last_ip & ~low48) | tl_le32(p) | (uint64_t)tl_le16(p + 4) << 32;
	case TL_PT_IPC_FULL:
		return tl_le64(p);
	default:
		return last_ip;
	}
}

#endif
