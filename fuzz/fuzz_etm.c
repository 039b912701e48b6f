/* SPDX-License-Identifier: Apache-2.0 */
/* Traces of ETMv4 and ETE: what must hold of any bytes is in tests/fault/exercise_input.c. */
#include "exercise_input.h"
#include "fuzz.h"
#include "parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int status;

	exercise_chosen_by(data, size);
	FUZZ_MUST(!exercise_input("etm", data, size, &status));
	return 0;
}
