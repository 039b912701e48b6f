/* SPDX-License-Identifier: Apache-2.0 */
/* The profile file: as it is, and with all checksums right, which a mutant never has. */
#include <stdlib.h>
#include <string.h>

#include "exercise_profile.h"
#include "fuzz.h"
#include "parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);
	int status;

	exercise_chosen_by(data, size);
	if (exercise_does(0, 4))
		FUZZ_MUST(!exercise_profile(data, size, &status));
	else if (copy && size) {
		memcpy(copy, data, size);
		repair_profile(copy, size);
		FUZZ_MUST(!exercise_profile(copy, size, &status));
	}
	free(copy);
	return 0;
}
