/* SPDX-License-Identifier: Apache-2.0 */
/* An instruction stream of any bytes, alone: all of it is read or told as skipped, in whatever
 * dialect it seems to be. */
#include "exercise_xtrace.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct pair pair = { data, data + size, size, 0 };

	FUZZ_MUST(tl_xtrace_probe(data, size) <= 100);
	FUZZ_MUST(!exercise_tokens(&pair));
	FUZZ_MUST(!exercise_tell(&pair));
	return 0;
}
