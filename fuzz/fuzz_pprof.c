/* SPDX-License-Identifier: Apache-2.0 */
/* pprof profiles: what must hold of any bytes is in tests/fault/exercise_input.c. */
#include "exercise_input.h"
#include "fuzz.h"
#include "parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int status;

	exercise_chosen_by(data, size);
	FUZZ_MUST(!exercise_input("pprof", data, size, &status));
	return 0;
}
