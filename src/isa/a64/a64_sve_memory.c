/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "SVE encodings" (C4.1), those with op0 1xx: the memory groups, as far as they load, store or
 * prefetch. How many bytes they touch depends on the vector length and the predicate.
 */
#include "isa/a64/a64_table.h"

enum { ACCESS = TL_A64_VECTOR | TL_A64_SCALABLE | TL_A64_PREDICATED };

#define LOAD(mask, bits, allocated, group)                                                         \
	{ mask, bits, TL_A64_LOAD, 0, 0, 0, 0, ACCESS | TL_A64_READS, NULL, allocated, group }
#define STORE(mask, bits, allocated, group)                                                        \
	{ mask, bits, TL_A64_STORE, 0, 0, 0, 0, ACCESS | TL_A64_WRITES, NULL, allocated, group }
#define PREFETCH(mask, bits, allocated, group)                                                     \
	{ mask, bits, TL_A64_PREFETCH, 0, 0, 0, 0, 0, NULL, allocated, group }

static unsigned msz_of(uint32_t opcode)
{
	return tl_a64_bits(opcode, 24, 23);
}

/* Rm 31 is no register to add. */
static bool has_rm(uint32_t opcode)
{
	return tl_a64_bits(opcode, 20, 16) != 31;
}

/*
 * Gathers: elements as wide as the register have no sign to extend (U, bit 14), and wider ones do
 * not fit.
 */
static bool gathers(uint32_t opcode, unsigned widest, unsigned u)
{
	return msz_of(opcode) < widest || (msz_of(opcode) == widest && opcode >> u & 1);
}

static bool gather_32(uint32_t opcode)
{
	return gathers(opcode, 2, 14);
}

/* Scaled offsets are of elements wider than a byte. */
static bool gather_32_scaled(uint32_t opcode)
{
	return msz_of(opcode) && gather_32(opcode);
}

static bool gather_32_nontemporal(uint32_t opcode)
{
	return gathers(opcode, 2, 13);
}

static bool gather_64(uint32_t opcode)
{
	return gathers(opcode, 3, 14);
}

static bool gather_64_scaled(uint32_t opcode)
{
	return msz_of(opcode) && gather_64(opcode);
}

/* LD2 .. LD4, LD2Q .. LD4Q: one register is LD1. */
static bool structures(uint32_t opcode)
{
	return tl_a64_bits(opcode, 22, 21) != 0;
}

static bool structures_rm(uint32_t opcode)
{
	return structures(opcode) && has_rm(opcode);
}

static bool quad_structures(uint32_t opcode)
{
	return msz_of(opcode) != 0;
}

static bool quad_structures_rm(uint32_t opcode)
{
	return quad_structures(opcode) && has_rm(opcode);
}

/*
 * ST1: registers' elements are at least as wide as those in memory; or the 128-bit ones of ST1W and
 * ST1D.
 */
static bool stores(uint32_t opcode)
{
	unsigned msz = msz_of(opcode), size = tl_a64_bits(opcode, 22, 21);

	return size >= msz || (msz == 2 && size == 0) || (msz == 3 && size == 2);
}

static bool stores_rm(uint32_t opcode)
{
	return stores(opcode) && has_rm(opcode);
}

/* Scatters by 22:21: 64-bit elements unscaled and scaled, 32-bit ones unscaled and scaled. */
static bool scatter(uint32_t opcode)
{
	unsigned msz = msz_of(opcode), kind = tl_a64_bits(opcode, 22, 21);

	return (!(kind & 1) || msz) && (!(kind & 2) || msz != 3);
}

/* The same by 64-bit offsets; then by vector and immediate, of 64 and 32 bits. */
static bool scatter_64(uint32_t opcode)
{
	unsigned msz = msz_of(opcode), kind = tl_a64_bits(opcode, 22, 21);

	return (kind != 1 || msz) && (kind != 3 || msz != 3);
}

static bool not_doublewords(uint32_t opcode)
{
	return msz_of(opcode) != 3;
}

static const char gather_32bit[] = "SVE Memory - 32-bit Gather and Unsized Contiguous";
static const char contiguous[] = "SVE Memory - Contiguous Load";
static const char gather_64bit[] = "SVE Memory - 64-bit Gather";
static const char store[] = "SVE Memory - Store";

static const struct tl_a64_row rows[] = {
	/* op0 100 */
	PREFETCH(0xffa08010, 0x84200000, NULL, gather_32bit),
	/* unscaled; 24:23 11 are those below */
	LOAD(0xfe208000, 0x84000000, gather_32, gather_32bit),
	LOAD(0xfe208000, 0x84200000, gather_32_scaled, gather_32bit),
	LOAD(0xffc0e010, 0x85800000, NULL, gather_32bit), /* LDR of a predicate */
	LOAD(0xffc0e000, 0x85804000, NULL, gather_32bit), /* LDR of a vector */
	PREFETCH(0xffc08010, 0x85c00000, NULL, gather_32bit),
	LOAD(0xfe60c000, 0x84008000, gather_32_nontemporal, gather_32bit),
	PREFETCH(0xfe60e010, 0x8400c000, has_rm, gather_32bit),
	PREFETCH(0xfe60e010, 0x8400e000, NULL, gather_32bit),
	LOAD(0xfe608000, 0x84208000, gather_32, gather_32bit),
	LOAD(0xfe408000, 0x84408000, NULL, gather_32bit), /* LD1R */
	/* op0 101 */
	LOAD(0xfe70e000, 0xa400e000, NULL, contiguous), /* LDNT1 */
	LOAD(0xfe60e000, 0xa400c000, has_rm, contiguous),
	LOAD(0xfe10e000, 0xa400e000, structures, contiguous), /* LD2 .. LD4 */
	LOAD(0xfe00e000, 0xa400c000, structures_rm, contiguous),
	LOAD(0xff70e000, 0xa5102000, NULL, contiguous), /* LD1W, LD1D to quadwords */
	LOAD(0xff60e000, 0xa5008000, has_rm, contiguous),
	LOAD(0xfe70e000, 0xa410e000, quad_structures, contiguous), /* LD2Q .. LD4Q */
	LOAD(0xfe60e000, 0xa4208000, quad_structures_rm, contiguous),
	LOAD(0xfe50e000, 0xa4002000, NULL, contiguous), /* LD1RQ, LD1RO */
	LOAD(0xfe40e000, 0xa4000000, has_rm, contiguous),
	LOAD(0xfe10e000, 0xa400a000, NULL, contiguous), /* LD1 */
	LOAD(0xfe10e000, 0xa410a000, NULL, contiguous), /* LDNF1 */
	LOAD(0xfe00e000, 0xa4004000, has_rm, contiguous),
	LOAD(0xfe00e000, 0xa4006000, NULL, contiguous), /* LDFF1 */
	/* op0 110 */
	PREFETCH(0xffe08010, 0xc4608000, NULL, gather_64bit),
	PREFETCH(0xffa08010, 0xc4200000, NULL, gather_64bit),
	LOAD(0xfe608000, 0xc4608000, gather_64_scaled, gather_64bit),
	LOAD(0xfe208000, 0xc4200000, gather_64_scaled, gather_64bit),
	LOAD(0xffe0e000, 0xc400a000, NULL, gather_64bit),      /* LD1Q */
	LOAD(0xfe60a000, 0xc4008000, gather_64, gather_64bit), /* LDNT1 */
	PREFETCH(0xfe60e010, 0xc400e000, NULL, gather_64bit),
	LOAD(0xfe608000, 0xc4208000, gather_64, gather_64bit),
	LOAD(0xfe608000, 0xc4408000, gather_64, gather_64bit),
	LOAD(0xfe208000, 0xc4000000, gather_64, gather_64bit),
	/* op0 111 */
	STORE(0xffc0e010, 0xe5800000, NULL, store),      /* STR of a predicate */
	STORE(0xffc0e000, 0xe5804000, NULL, store),      /* STR of a vector */
	STORE(0xfe00e000, 0xe4004000, stores_rm, store), /* ST1 */
	STORE(0xfe10e000, 0xe400e000, stores, store),
	STORE(0xffe0e000, 0xe4600000, has_rm, store), /* ST2Q .. ST4Q */
	STORE(0xffe0e000, 0xe4a00000, has_rm, store),
	STORE(0xffe0e000, 0xe4e00000, has_rm, store),
	STORE(0xfff0e000, 0xe4400000, NULL, store),
	STORE(0xfff0e000, 0xe4800000, NULL, store),
	STORE(0xfff0e000, 0xe4c00000, NULL, store),
	STORE(0xfe60e000, 0xe4002000, NULL, store), /* STNT1 by vectors */
	STORE(0xfe60e000, 0xe4402000, not_doublewords, store),
	STORE(0xffe0e000, 0xe4202000, NULL, store),   /* ST1Q */
	STORE(0xfe60e000, 0xe4006000, has_rm, store), /* STNT1 */
	STORE(0xfe70e000, 0xe410e000, NULL, store),
	STORE(0xfe00e000, 0xe4006000, structures_rm, store), /* ST2 .. ST4 */
	STORE(0xfe10e000, 0xe410e000, structures, store),
	STORE(0xfe00a000, 0xe4008000, scatter, store),
	STORE(0xfe00e000, 0xe400a000, scatter_64, store),
};

const struct tl_a64_table tl_a64_sve_memory = { 0x9e000000, 0x84000000, rows,
						sizeof(rows) / sizeof(rows[0]) };
