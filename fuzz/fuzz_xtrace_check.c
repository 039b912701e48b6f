/* SPDX-License-Identifier: Apache-2.0 */
/* Both files of a pair of any bytes: rules are broken, and nothing else. */
#include "exercise_xtrace.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct pair pair = pair_of(data, size);

	FUZZ_MUST(!exercise_check(&pair));
	return 0;
}
