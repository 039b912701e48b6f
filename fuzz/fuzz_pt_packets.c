/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Intel PT: packets read, written and read again are the same; flow over any bytes, with any
 * errata, comes to an end, says the same timed and untimed, and loses nothing silently; queries
 * come to an end. The first four bytes choose the configuration.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "mutator.h"
#include "pt_flow.h"

struct fuzz_range fuzz_units(uint8_t *data, size_t size)
{
	(void)data;
	return (struct fuzz_range){ sizeof(uint32_t), size };
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t choice;
	uint8_t *exact;

	if (size <= sizeof(choice))
		return 0;
	memcpy(&choice, data, sizeof(choice));
	size -= sizeof(choice);
	exact = malloc(size);
	FUZZ_MUST(exact);
	memcpy(exact, data + sizeof(choice), size);
	FUZZ_MUST(!exercise_pt(exact, size, choice));
	free(exact);
	return 0;
}
