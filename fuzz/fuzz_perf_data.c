/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes to records and runs: what must hold of any bytes is in tests/fault/exercise_perf.c. */
#include "exercise_perf.h"
#include "fuzz.h"
#include "parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	exercise_chosen_by(data, size);
	FUZZ_MUST(!exercise_perf(data, size));
	return 0;
}
