/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_CHANCE_H
#define TESTS_UNIT_CHANCE_H
/* Numbers that are drawn, the same on every machine; the caller has the seed. */
#include <stdint.h>

/* A number below `below`, which is at most 65536. */
static inline unsigned chance(uint32_t *seed, unsigned below)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 16) % below;
}

/* Any order of as many numbers. */
static inline void chance_order(uint32_t *seed, unsigned *order, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		const unsigned other = chance(seed, i + 1);

		order[i] = order[other];
		order[other] = i;
	}
}

/* Any number of 64 bits. */
static inline uint64_t chance_bits(uint32_t *seed)
{
	uint64_t bits = 0;

	for (int i = 0; i < 4; i++)
		bits = bits << 16 | chance(seed, 65536);
	return bits;
}

#endif
