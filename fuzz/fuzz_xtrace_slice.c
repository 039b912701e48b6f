/* SPDX-License-Identifier: Apache-2.0 */
/* Both files of a pair of any bytes: what is cut out of them reads as what it was, and the parts
 * are the whole. */
#include "exercise_xtrace.h"
#include "fuzz.h"
#include "parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct pair pair = pair_of(data, size);

	exercise_chosen_by(data, size);
	FUZZ_MUST(!exercise_slice(&pair));
	return 0;
}
