/* SPDX-License-Identifier: Apache-2.0 */
#include "parts.h"

static bool chosen;
static uint64_t choice;

void exercise_chosen_by(const uint8_t *data, size_t size)
{
	size_t step = 1 + size / 128;

	chosen = true;
	choice = size;
	for (size_t i = 0; i < size; i += step)
		choice = (choice ^ data[i]) * UINT64_C(0x9e3779b97f4a7c15);
	choice ^= choice >> 32;
}

/* Choices of other counts have nothing to do with each other. */
unsigned exercise_way(unsigned count)
{
	uint64_t mixed = (choice + count) * UINT64_C(0xd1342543de82ef95);

	return chosen ? (unsigned)((mixed >> 33) % count) : 0;
}

bool exercise_does(unsigned part, unsigned count)
{
	return !chosen || exercise_way(count) == part;
}

bool exercise_is_short(void)
{
	return chosen;
}
