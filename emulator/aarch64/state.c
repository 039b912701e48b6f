/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "state.h"

#include <string.h>

/* Bytes from the beginning of QEMU's struct CPUArchState. */
enum {
	X0 = 64,
	CODE_FLAGS = 344, /* bits 7 to 4: the vector's length in 16 bytes, less 1 */
	CARRY = 528,
	OVERFLOW = 532, /* bit 31 */
	NEGATIVE = 536, /* bit 31 */
	NOT_ZERO = 540, /* zero: the flag Z is set */
	TPIDR_EL0 = 1296,
	Z0 = 3184,
	Z_BYTES = 256,
	P0 = 11376,
	P_BYTES = 32,
	SATURATED = 11952, /* not all of 16 bytes are zero */
	FPCR = 11980,
	FLOAT_STATUS =
		12072, /* of floats, of half ones: flags, and what else their arithmetic needs */
	HALF_STATUS = 12086,
	QUAD = 16,
};

static uint64_t word(const struct guest *guest, unsigned at)
{
	uint64_t value;

	memcpy(&value, (const uint8_t *)guest + at, sizeof(value));
	return value;
}

static uint32_t half_word(const struct guest *guest, unsigned at)
{
	return (uint32_t)word(guest, at);
}

uint64_t state_x(const struct guest *guest, unsigned number)
{
	return word(guest, X0 + 8 * number);
}

uint64_t state_operand(const struct guest *guest, unsigned number)
{
	return number == 31 ? 0 : state_x(guest, number);
}

uint64_t state_flags(const struct guest *guest)
{
	uint32_t flags = half_word(guest, NEGATIVE) & 1u << 31;

	flags |= (uint32_t)!half_word(guest, NOT_ZERO) << 30;
	flags |= (half_word(guest, CARRY) & 1) << 29;
	flags |= half_word(guest, OVERFLOW) >> 31 << 28;
	return flags;
}

/* ---- SVE ---- */

unsigned state_vector_bytes(const struct guest *guest)
{
	return QUAD * ((unsigned)(word(guest, CODE_FLAGS) >> 4 & 15) + 1);
}

static const uint8_t *predicate(const struct guest *guest, unsigned number)
{
	return (const uint8_t *)guest + P0 + P_BYTES * number;
}

bool state_predicate(const struct guest *guest, unsigned number, unsigned bit)
{
	return predicate(guest, number)[bit / 8] >> bit % 8 & 1;
}

uint64_t state_lane(const struct guest *guest, unsigned vector, unsigned at, unsigned size)
{
	uint64_t value = 0;

	memcpy(&value, (const uint8_t *)guest + Z0 + Z_BYTES * vector + at, size);
	return value;
}

/* ---- snapshots ---- */

/* From bit 0: invalid, divided by zero, overflow, underflow, inexact; denormal input, output. */
static uint64_t float_flags(const struct guest *guest, unsigned at)
{
	enum { INPUT = 1 << 5, OUTPUT = 1 << 6, UNDERFLOW = 1 << 3, INPUT_OF_FPSR = 1 << 7 };
	const uint64_t flags = word(guest, at) & 0xffff;

	return (flags & 31) | (flags & INPUT ? INPUT_OF_FPSR : 0) |
	       (flags & OUTPUT ? UNDERFLOW : 0);
}

static uint64_t fpsr(const struct guest *guest)
{
	enum { INPUT = 1 << 7, SATURATION = 1 << 27 };
	const uint64_t saturated = word(guest, SATURATED) | word(guest, SATURATED + 8);

	return float_flags(guest, FLOAT_STATUS) |
	       (float_flags(guest, HALF_STATUS) & ~(uint64_t)INPUT) | (saturated ? SATURATION : 0);
}

void state_snapshot(const struct guest *guest, struct snapshot *snapshot)
{
	enum { SYSTEM_FPCR = 0, SYSTEM_FPSR = 1, SYSTEM_NZCV = 2, SYSTEM_TPIDR_EL0 = 3 };
	const unsigned vector_bytes = state_vector_bytes(guest);

	memset(snapshot, 0, sizeof(*snapshot));
	snapshot->vector_bytes = vector_bytes;
	for (unsigned i = 0; i < 32; i++) {
		snapshot->x[i] = state_x(guest, i);
		memcpy(snapshot->z[i], (const uint8_t *)guest + Z0 + Z_BYTES * i, vector_bytes);
	}
	for (unsigned i = 0; i < FFR; i++)
		memcpy(snapshot->p[i], predicate(guest, i), vector_bytes / 8);
	memcpy(snapshot->ffr, predicate(guest, FFR), vector_bytes / 8);
	snapshot->system[SYSTEM_FPCR] = half_word(guest, FPCR);
	snapshot->system[SYSTEM_FPSR] = fpsr(guest);
	snapshot->system[SYSTEM_NZCV] = state_flags(guest);
	snapshot->system[SYSTEM_TPIDR_EL0] = word(guest, TPIDR_EL0);
}
