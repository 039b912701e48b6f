/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader -> profile -> writer -> reader: "read -> write -> read is the same profile"
 * (docs/formats/callgrind.md, section 6), with names and positions short or in full; the second
 * file has no fault.
 */
#include "exercise_text.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { COMPRESSIONS = TL_COMPRESS_NONE - TL_COMPRESS_NAMES + 1 };
	unsigned sum = 0;

	/* Which of them the input itself decides, so that each run is short. */
	for (size_t i = 0; i < size; i++)
		sum += data[i];
	FUZZ_MUST(!exercise_round_trip(
		data, size, (enum tl_export_compression)(TL_COMPRESS_NAMES + sum % COMPRESSIONS)));
	return 0;
}
