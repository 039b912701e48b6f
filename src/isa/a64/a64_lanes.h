/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_ISA_A64_LANES_H
#define TL_ISA_A64_LANES_H
/* Elements of vectors as numbers, for those who compute them: "Elem[]" of the manual. */
#include "isa/a64/a64_table.h"
#include "isa/a64/a64_vector_compute.h"

enum { TL_A64_MOST_LANES = TL_A64_VECTOR_BYTES };

/* Elements, each extended to 64 bits. */
struct tl_a64_lanes {
	uint64_t e[TL_A64_MOST_LANES];
};

/* What a result is made of an element each of Vn, Vm and Vd, of `bits` bits. */
typedef uint64_t tl_a64_lane_fn(uint64_t n, uint64_t m, uint64_t d, unsigned bits);

static inline uint64_t tl_a64_ones(unsigned count)
{
	return count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

static inline uint64_t tl_a64_sign_extended(uint64_t value, unsigned bits)
{
	return (uint64_t)((int64_t)(value << (64 - bits)) >> (64 - bits));
}

/* `count` elements of 8 << size bits, from byte `from` on. */
struct tl_a64_lanes tl_a64_lanes_of(const struct tl_a64_vector *v, unsigned from, unsigned size,
				    unsigned count, bool sign);

/* The other way; what is behind them is 0. */
struct tl_a64_vector tl_a64_vector_of(const struct tl_a64_lanes *lanes, unsigned size,
				      unsigned count);

/* The function of an opcode of a group, and whether the result has a part of the old Vd. */
struct tl_a64_vector_choice {
	tl_a64_vector_fn *fn; /* NULL: it is none that is computed */
	bool keeps;
};

typedef struct tl_a64_vector_choice tl_a64_vector_group(uint32_t opcode);

/* a64_lanes.c */
tl_a64_vector_group tl_a64_three_same, tl_a64_two_misc, tl_a64_across_lanes;
/* a64_long_lanes.c */
tl_a64_vector_group tl_a64_three_different, tl_a64_shift_immediate, tl_a64_by_element;
/* a64_crypto.c */
tl_a64_vector_group tl_a64_aes, tl_a64_sha_two, tl_a64_sha_three, tl_a64_sha512_two,
	tl_a64_sha512_three, tl_a64_four_registers, tl_a64_xar;

#endif
