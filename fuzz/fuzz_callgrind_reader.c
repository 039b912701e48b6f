/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes to items, profiles and violations: what must hold of any bytes is in
 * tests/fault/exercise_text.c.
 */
#include "exercise_text.h"
#include "fuzz.h"
#include "parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	exercise_chosen_by(data, size);
	FUZZ_MUST(!exercise_reading(data, size));
	return 0;
}
