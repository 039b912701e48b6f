/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "state.h"

#include <string.h>

/* Bytes from the beginning of QEMU's struct CPUArchState. */
enum {
	X0 = 64,
	CARRY = 528,
	OVERFLOW = 532, /* bit 31 */
	NEGATIVE = 536, /* bit 31 */
	NOT_ZERO = 540, /* zero: the flag Z is set */
	TPIDR_EL0 = 1296,
	Z0 = 3184,
	Z_BYTES = 256,
	FPCR = 11980,
	NEON_BYTES = 16,
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

void state_snapshot(const struct guest *guest, struct snapshot *snapshot)
{
	enum { SYSTEM_FPCR = 0, SYSTEM_NZCV = 2, SYSTEM_TPIDR_EL0 = 3 };

	memset(snapshot, 0, sizeof(*snapshot));
	snapshot->vector_bytes = NEON_BYTES;
	for (unsigned i = 0; i < 32; i++) {
		snapshot->x[i] = state_x(guest, i);
		memcpy(snapshot->z[i], (const uint8_t *)guest + Z0 + Z_BYTES * i, NEON_BYTES);
	}
	snapshot->system[SYSTEM_FPCR] = half_word(guest, FPCR);
	snapshot->system[SYSTEM_NZCV] = state_flags(guest);
	snapshot->system[SYSTEM_TPIDR_EL0] = word(guest, TPIDR_EL0);
}
