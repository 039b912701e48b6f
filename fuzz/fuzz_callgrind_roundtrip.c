/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader -> profile -> writer -> reader: "read -> write -> read is the same profile" (docs/formats/callgrind.md,
 * section 6), with names and positions short and in full; the second file has no fault.
 */
#include "exercise_text.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FUZZ_MUST(!exercise_round_trip(data, size));
	return 0;
}
