/* SPDX-License-Identifier: Apache-2.0 */
/* First and second bytes of packets (4.1, 4.2): kind and size. */
#include "intel_pt/packets/layout.h"

const uint8_t tl_pt_ip_bytes[8] = { 0, 2, 4, 6, 6, TL_PT_IP_RESERVED, 8, TL_PT_IP_RESERVED };

#define NO { TL_PT_PKT_INVALID, 0 }
#define TNT { TL_PT_PKT_TNT_8, 1 }
#define CYC { TL_PT_PKT_CYC, 1 }
#define CYC_N { TL_PT_PKT_CYC, 0 }
#define IP(kind, bytes) { TL_PT_PKT_##kind, bytes }

/*
 * The 32 first bytes with the same bits 7:5, the compression code of an IP packet of `n` bytes (0:
 * reserved). All even bytes but 00 and 02 are short TNT; those with low bits 11 are CYC, longer
 * than a byte if bit 2 is set.
 */
#define ROW(b00, b02, n, b19)                                                                      \
	b00, IP(TIP_PGD, n), b02, CYC, TNT, NO, TNT, CYC_N,         /* 00 */                       \
		TNT, NO, TNT, CYC, TNT, IP(TIP, n), TNT, CYC_N,     /* 08 */                       \
		TNT, IP(TIP_PGE, n), TNT, CYC, TNT, NO, TNT, CYC_N, /* 10 */                       \
		TNT, b19, TNT, CYC, TNT, IP(FUP, n), TNT, CYC_N     /* 18 */

#define PAD { TL_PT_PKT_PAD, 1 }
#define TSC { TL_PT_PKT_TSC, 8 }
#define MTC { TL_PT_PKT_MTC, 2 }
#define MODE { TL_PT_PKT_MODE, 2 }
#define TRIG { TL_PT_PKT_TRIG, 0 }

const struct tl_pt_opcode tl_pt_opcodes[256] = {
	ROW(PAD, NO, 1, TSC), /* 02 leads to tl_pt_extended */
	ROW(TNT, TNT, 3, NO), ROW(TNT, TNT, 5, MTC),  ROW(TNT, TNT, 7, NO), ROW(TNT, TNT, 7, MODE),
	ROW(TNT, TNT, 0, NO), ROW(TNT, TNT, 9, TRIG), ROW(TNT, TNT, 0, NO),
};

/* PTWRITE: bits 6:5 are its size, of which 2 and 3 are reserved; with bit 7 a FUP follows. */
/* clang-format off */
const struct tl_pt_opcode tl_pt_extended[256] = {
	[0x82] = { TL_PT_PKT_PSB, 16 },   [0x23] = { TL_PT_PKT_PSBEND, 2 },
	  [0xa3] = { TL_PT_PKT_TNT_64, 8 },
	[0x43] = { TL_PT_PKT_PIP, 8 },    [0xf3] = { TL_PT_PKT_OVF, 2 },
	  [0x03] = { TL_PT_PKT_CBR, 4 },
	[0x73] = { TL_PT_PKT_TMA, 7 },    [0x83] = { TL_PT_PKT_STOP, 2 },
	  [0xc8] = { TL_PT_PKT_VMCS, 7 },
	[0xc3] = { TL_PT_PKT_MNT, 11 },   [0x62] = { TL_PT_PKT_EXSTOP, 2 },
	  [0xe2] = { TL_PT_PKT_EXSTOP, 2 },
	[0xc2] = { TL_PT_PKT_MWAIT, 10 }, [0x22] = { TL_PT_PKT_PWRE, 4 },
	  [0xa2] = { TL_PT_PKT_PWRX, 7 },
	[0x12] = { TL_PT_PKT_PTW, 6 },    [0x32] = { TL_PT_PKT_PTW, 10 },
	  [0x52] = { TL_PT_PKT_PTW, 0 },
	[0x72] = { TL_PT_PKT_PTW, 0 },    [0x92] = { TL_PT_PKT_PTW, 6 },
	  [0xb2] = { TL_PT_PKT_PTW, 10 },
	[0xd2] = { TL_PT_PKT_PTW, 0 },    [0xf2] = { TL_PT_PKT_PTW, 0 },
	  [0x13] = { TL_PT_PKT_CFE, 4 },
	[0x53] = { TL_PT_PKT_EVD, 11 },   [0x63] = { TL_PT_PKT_BBP, 3 },
	  [0x33] = { TL_PT_PKT_BEP, 2 },
	[0xb3] = { TL_PT_PKT_BEP, 2 },
};
/* clang-format on */
