/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_WORDS_H
#define TL_XTRACE_WORDS_H
/*
 * A64 instructions as words, for the code that a slice's program is given: loading, counting,
 * replaying. Each function is named after the instruction, with its operands in the order of the
 * assembler; registers are numbers, 31 is XZR or SP as the instruction has it. Encodings are those
 * of the Arm Architecture Reference Manual, chapter C6. Offsets are in bytes.
 */
#include <stdint.h>

enum {
	TL_XTRACE_NOP = 0xd503201f,
	TL_XTRACE_YIELD = 0xd503203f,
	TL_XTRACE_SVC_0 = 0xd4000001,
	TL_XTRACE_DSB_ISH = 0xd5033b9f,
	TL_XTRACE_ISB = 0xd5033fdf,
	TL_XTRACE_XPACLRI = 0xd50320ff,
	TL_XTRACE_RET = 0xd65f03c0,
};

/* System registers as MRS and MSR encode them: bits 20 to 5. */
enum {
	TL_XTRACE_SYS_NZCV = 0x1b4200,
	TL_XTRACE_SYS_FPCR = 0x1b4400,
	TL_XTRACE_SYS_FPSR = 0x1b4420,
	TL_XTRACE_SYS_TPIDR = 0x1bd040,
};

static inline uint32_t tl_xtrace_op_mrs(unsigned rt, uint32_t reg)
{
	return 0xd5200000u | reg | rt;
}

static inline uint32_t tl_xtrace_op_msr(uint32_t reg, unsigned rt)
{
	return 0xd5000000u | reg | rt;
}

static inline uint32_t tl_xtrace_op_movz(unsigned rd, unsigned value)
{
	return 0xd2800000u | (uint32_t)value << 5 | rd;
}

static inline uint32_t tl_xtrace_op_movn(unsigned rd, unsigned value)
{
	return 0x92800000u | (uint32_t)value << 5 | rd;
}

/* MOV between X0 to X30. */
static inline uint32_t tl_xtrace_op_mov(unsigned rd, unsigned rn)
{
	return 0xaa0003e0u | (uint32_t)rn << 16 | rd;
}

/* 31 is SP in both. */
static inline uint32_t tl_xtrace_op_add(unsigned rd, unsigned rn, unsigned value)
{
	return 0x91000000u | (uint32_t)value << 10 | (uint32_t)rn << 5 | rd;
}

static inline uint32_t tl_xtrace_op_sub(unsigned rd, unsigned rn, unsigned value)
{
	return 0xd1000000u | (uint32_t)value << 10 | (uint32_t)rn << 5 | rd;
}

static inline uint32_t tl_xtrace_op_sub_reg(unsigned rd, unsigned rn, unsigned rm)
{
	return 0xcb000000u | (uint32_t)rm << 16 | (uint32_t)rn << 5 | rd;
}

static inline uint32_t tl_xtrace_op_add_reg(unsigned rd, unsigned rn, unsigned rm)
{
	return 0x8b000000u | (uint32_t)rm << 16 | (uint32_t)rn << 5 | rd;
}

/* The `bits` bits from bit `low` on. */
static inline uint32_t tl_xtrace_op_ubfx(unsigned rd, unsigned rn, unsigned low, unsigned bits)
{
	return 0xd3400000u | (uint32_t)low << 16 | (uint32_t)(low + bits - 1) << 10 |
	       (uint32_t)rn << 5 | rd;
}

static inline uint32_t tl_xtrace_op_lsl(unsigned rd, unsigned rn, unsigned count)
{
	return 0xd3400000u | (uint32_t)((64 - count) & 63) << 16 | (uint32_t)(63 - count) << 10 |
	       (uint32_t)rn << 5 | rd;
}

/* MOVK Xd, #value, LSL #32 */
static inline uint32_t tl_xtrace_op_movk_32(unsigned rd, unsigned value)
{
	return 0xf2c00000u | (uint32_t)value << 5 | rd;
}

/* [Xn] */
static inline uint32_t tl_xtrace_op_stlr(unsigned rt, unsigned rn)
{
	return 0xc89ffc00u | (uint32_t)rn << 5 | rt;
}

static inline uint32_t tl_xtrace_op_ldar(unsigned rt, unsigned rn)
{
	return 0xc8dffc00u | (uint32_t)rn << 5 | rt;
}

/* AND with the ones from bit `low` to bit 63. */
static inline uint32_t tl_xtrace_op_and_from(unsigned rd, unsigned rn, unsigned low)
{
	return 0x92400000u | (uint32_t)((64 - low) & 63) << 16 | (uint32_t)(63 - low) << 10 |
	       (uint32_t)rn << 5 | rd;
}

/* AND with the lowest 16 bits. */
static inline uint32_t tl_xtrace_op_and_16(unsigned rd, unsigned rn)
{
	return 0x92403c00u | (uint32_t)rn << 5 | rd;
}

static inline uint32_t tl_xtrace_op_ldr(unsigned rt, unsigned rn, unsigned offset)
{
	return 0xf9400000u | (uint32_t)(offset / 8) << 10 | (uint32_t)rn << 5 | rt;
}

static inline uint32_t tl_xtrace_op_str(unsigned rt, unsigned rn, unsigned offset)
{
	return 0xf9000000u | (uint32_t)(offset / 8) << 10 | (uint32_t)rn << 5 | rt;
}

static inline uint32_t tl_xtrace_op_ldp(unsigned rt, unsigned rt2, unsigned rn, unsigned offset)
{
	return 0xa9400000u | (uint32_t)(offset / 8) << 15 | (uint32_t)rt2 << 10 |
	       (uint32_t)rn << 5 | rt;
}

static inline uint32_t tl_xtrace_op_stp(unsigned rt, unsigned rt2, unsigned rn, unsigned offset)
{
	return 0xa9000000u | (uint32_t)(offset / 8) << 15 | (uint32_t)rt2 << 10 |
	       (uint32_t)rn << 5 | rt;
}

/* [Xn], #16 */
static inline uint32_t tl_xtrace_op_ldp_post(unsigned rt, unsigned rt2, unsigned rn)
{
	return 0xa8c10000u | (uint32_t)rt2 << 10 | (uint32_t)rn << 5 | rt;
}

static inline uint32_t tl_xtrace_op_stp_post(unsigned rt, unsigned rt2, unsigned rn)
{
	return 0xa8810000u | (uint32_t)rt2 << 10 | (uint32_t)rn << 5 | rt;
}

/* [Xn], #8 */
static inline uint32_t tl_xtrace_op_ldr_post(unsigned rt, unsigned rn)
{
	return 0xf8408400u | (uint32_t)rn << 5 | rt;
}

/* [Xn], #1 */
static inline uint32_t tl_xtrace_op_ldrb_post(unsigned rt, unsigned rn)
{
	return 0x38401400u | (uint32_t)rn << 5 | rt;
}

static inline uint32_t tl_xtrace_op_strb_post(unsigned rt, unsigned rn)
{
	return 0x38001400u | (uint32_t)rn << 5 | rt;
}

static inline uint32_t tl_xtrace_op_b(int64_t offset)
{
	return 0x14000000u | ((uint32_t)(offset / 4) & 0x3ffffff);
}

static inline uint32_t tl_xtrace_op_br(unsigned rn)
{
	return 0xd61f0000u | (uint32_t)rn << 5;
}

static inline uint32_t tl_xtrace_op_cbz(unsigned rt, int64_t offset)
{
	return 0xb4000000u | ((uint32_t)(offset / 4) & 0x7ffff) << 5 | rt;
}

static inline uint32_t tl_xtrace_op_cbnz(unsigned rt, int64_t offset)
{
	return 0xb5000000u | ((uint32_t)(offset / 4) & 0x7ffff) << 5 | rt;
}

/* TBZ of a bit below 32. */
static inline uint32_t tl_xtrace_op_tbz(unsigned rt, unsigned bit, int64_t offset)
{
	return 0x36000000u | (uint32_t)bit << 19 | ((uint32_t)(offset / 4) & 0x3fff) << 5 | rt;
}

static inline uint32_t tl_xtrace_op_tbnz(unsigned rt, unsigned bit, int64_t offset)
{
	return 0x37000000u | (uint32_t)bit << 19 | ((uint32_t)(offset / 4) & 0x3fff) << 5 | rt;
}

/* Bit 63. */
static inline uint32_t tl_xtrace_op_tbnz_sign(unsigned rt, int64_t offset)
{
	return 0xb7f80000u | ((uint32_t)(offset / 4) & 0x3fff) << 5 | rt;
}

/* LDR (literal), `offset` bytes from the instruction. */
static inline uint32_t tl_xtrace_op_ldr_literal(unsigned rt, int64_t offset)
{
	return 0x58000000u | ((uint32_t)(offset / 4) & 0x7ffff) << 5 | rt;
}

static inline uint32_t tl_xtrace_op_xpaci(unsigned rd)
{
	return 0xdac143e0u | rd;
}

static inline uint32_t tl_xtrace_op_xpacd(unsigned rd)
{
	return 0xdac147e0u | rd;
}

static inline uint32_t tl_xtrace_op_dc_cvau(unsigned rt)
{
	return 0xd50b7b20u | rt;
}

static inline uint32_t tl_xtrace_op_ic_ivau(unsigned rt)
{
	return 0xd50b7520u | rt;
}

/* LDR Q, by a byte offset. */
static inline uint32_t tl_xtrace_op_ldr_q(unsigned qt, unsigned rn, unsigned offset)
{
	return 0x3dc00000u | (uint32_t)(offset / 16) << 10 | (uint32_t)rn << 5 | qt;
}

static inline uint32_t tl_xtrace_op_str_q(unsigned qt, unsigned rn, unsigned offset)
{
	return 0x3d800000u | (uint32_t)(offset / 16) << 10 | (uint32_t)rn << 5 | qt;
}

/* LDR of a Z register, [Xn, #number, MUL VL], number below 256. */
static inline uint32_t tl_xtrace_op_ldr_z(unsigned zt, unsigned rn, unsigned number)
{
	return 0x85804000u | (uint32_t)(number >> 3) << 16 | (uint32_t)(number & 7) << 10 |
	       (uint32_t)rn << 5 | zt;
}

static inline uint32_t tl_xtrace_op_str_z(unsigned zt, unsigned rn, unsigned number)
{
	return 0xe5804000u | (uint32_t)(number >> 3) << 16 | (uint32_t)(number & 7) << 10 |
	       (uint32_t)rn << 5 | zt;
}

static inline uint32_t tl_xtrace_op_ldr_p(unsigned pt, unsigned rn, unsigned number)
{
	return 0x85800000u | (uint32_t)(number >> 3) << 16 | (uint32_t)(number & 7) << 10 |
	       (uint32_t)rn << 5 | pt;
}

static inline uint32_t tl_xtrace_op_str_p(unsigned pt, unsigned rn, unsigned number)
{
	return 0xe5800000u | (uint32_t)(number >> 3) << 16 | (uint32_t)(number & 7) << 10 |
	       (uint32_t)rn << 5 | pt;
}

static inline uint32_t tl_xtrace_op_pfalse(unsigned pd)
{
	return 0x2518e400u | pd;
}

/* PTRUE Pd.B */
static inline uint32_t tl_xtrace_op_ptrue(unsigned pd)
{
	return 0x2518e3e0u | pd;
}

/* PNEXT Pdn.T, Pg, Pdn.T, of elements of 2^size bytes */
static inline uint32_t tl_xtrace_op_pnext(unsigned pdn, unsigned pg, unsigned size)
{
	return 0x2519c400u | (uint32_t)size << 22 | (uint32_t)pg << 5 | pdn;
}

/* ORR Pd.B, Pg/Z, Pn.B, Pm.B */
static inline uint32_t tl_xtrace_op_orr_p(unsigned pd, unsigned pg, unsigned pn, unsigned pm)
{
	return 0x25804000u | (uint32_t)pm << 16 | (uint32_t)pg << 10 | (uint32_t)pn << 5 | pd;
}

/* BRKB Pd.B, Pg/Z, Pn.B */
static inline uint32_t tl_xtrace_op_brkb(unsigned pd, unsigned pg, unsigned pn)
{
	return 0x25904000u | (uint32_t)pg << 10 | (uint32_t)pn << 5 | pd;
}

/* RDFFR Pd.B, Pg/Z */
static inline uint32_t tl_xtrace_op_rdffr(unsigned pd, unsigned pg)
{
	return 0x2518f000u | (uint32_t)pg << 5 | pd;
}

/* RDFFR Pd.B */
static inline uint32_t tl_xtrace_op_rdffr_all(unsigned pd)
{
	return 0x2519f000u | pd;
}

static inline uint32_t tl_xtrace_op_wrffr(unsigned pn)
{
	return 0x25289000u | (uint32_t)pn << 5;
}

#endif
